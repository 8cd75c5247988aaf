"""How data is written: JSON, one compact object per line; margins; tables; files asked for; errors."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from solver.errors import AbapaError, in_one_line


def json_line(data: Any) -> str:
    """One JSON value on one line, without spaces."""
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False)


def print_json(data: Any) -> None:
    """Print one JSON value on one line, without spaces; bytes of a file name that are no text as ``\\udcff``."""
    text = json_line(data)
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(data, separators=(",", ":"))
    click.echo(text)


def markdown_table(rows: list[list[str]]) -> str:
    """Rows as a right-aligned Markdown table. The first row is the headings; empty columns are left out."""
    kept = [column for column in zip(*rows, strict=True) if any(column[1:])]
    headings, *lines = zip(*kept, strict=True)
    return "\n".join("| " + " | ".join(line) + " |" for line in [headings, ["---:"] * len(kept), *lines])


def signed(margin: float) -> str:
    """A margin in seeds with its sign; 0 without one."""
    return f"{margin:+g}" if margin else "0"


def span(low: float, high: float) -> str:
    """Two margins in seeds, from the one to the other."""
    return f"{signed(low)} to {signed(high)}"


def check_folder_of(path: Path) -> None:
    """Check, before long work, that the folder of a file to be written exists. Raises AbapaError if not."""
    folder = path.absolute().parent
    if not folder.is_dir():
        raise AbapaError(f"cannot write {path}: there is no folder {folder}")


LONGEST_ERROR = 1200
"""Characters of an error that is printed whole."""
_HEAD, _TAIL = 300, 150
"""What is kept of a longer one: what was wrong stands at its beginning, what is accepted at its end."""


def complain(text: str) -> None:
    """Print an error: one line, even if a file name in it has several, and no more of a huge input than is of use."""
    line = in_one_line(" ".join(text.splitlines()))
    if len(line) > LONGEST_ERROR:
        line = f"{line[:_HEAD]} ... {line[-_TAIL:]}"
    with suppress(OSError, ValueError):  # nobody listens
        click.echo(f"abapa: {line}", err=True)
