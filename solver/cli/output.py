"""How data is written: JSON, one compact object a line; margins; tables; files asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from solver.errors import AbapaError


def json_line(data: Any) -> str:
    """One JSON value on one line, without spaces."""
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False)


def print_json(data: Any) -> None:
    """Print one JSON value on one line, without spaces."""
    click.echo(json_line(data))


def markdown_table(rows: list[list[str]]) -> str:
    """Rows as a Markdown table, all to the right; the first row is the headings. Empty columns are left out."""
    kept = [column for column in zip(*rows, strict=True) if any(column[1:])]
    headings, *lines = zip(*kept, strict=True)
    return "\n".join("| " + " | ".join(line) + " |" for line in [headings, ["---:"] * len(kept), *lines])


def signed(margin: float) -> str:
    """A margin in seeds with its sign; 0 without one."""
    return f"{margin:+g}" if margin else "0"


def check_folder_of(path: Path) -> None:
    """Refuse a file that cannot be written for want of its folder, before long work. Raises AbapaError."""
    folder = path.absolute().parent
    if not folder.is_dir():
        raise AbapaError(f"cannot write {path}: there is no folder {folder}")
