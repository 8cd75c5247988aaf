"""Data on stdout: JSON, one compact object a line."""

from __future__ import annotations

import json
from typing import Any

import click


def print_json(data: Any) -> None:
    """Print one JSON value on one line, without spaces."""
    click.echo(json.dumps(data, separators=(",", ":"), ensure_ascii=False))


def markdown_table(rows: list[list[str]]) -> str:
    """Rows as a Markdown table, all to the right; the first row is the headings. Empty columns are left out."""
    kept = [column for column in zip(*rows, strict=True) if any(column[1:])]
    headings, *lines = zip(*kept, strict=True)
    return "\n".join("| " + " | ".join(line) + " |" for line in [headings, ["---:"] * len(kept), *lines])
