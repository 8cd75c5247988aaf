"""Data on stdout: JSON, one compact object a line."""

from __future__ import annotations

import json
from typing import Any

import click


def print_json(data: Any) -> None:
    """Print one JSON value on one line, without spaces."""
    click.echo(json.dumps(data, separators=(",", ":"), ensure_ascii=False))


def markdown_table(rows: list[list[str]]) -> str:
    """Rows as a Markdown table, the first being the headings; numbers and all else to the right."""
    lines = [rows[0], ["---:"] * len(rows[0]), *rows[1:]]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
