"""What a build took: a line a table in ``abapa-build.jsonl`` beside the tables.

Table files hold nothing that differs from run to run, so that equal tables are equal files. What does differ is written
here, for :mod:`solver.cli.stats` and for people; nothing depends on it. A line counts only for the table whose values
have the hash that it names, so a table that was replaced since has none.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from solver.files import open_regular

JOURNAL_NAME = "abapa-build.jsonl"
MOST_READ = 4 << 20
"""Bytes of a journal's end that are looked at: more than twenty thousand tables."""
LONGEST_LINE = 4096
LONGEST = 1e10
"""Seconds that a build may have taken at most: three centuries."""


def write_down(folder: Path, rules: str, seeds: int, sha256: str, seconds: float, threads: int) -> None:
    """Add a line on a table that was built. A disk that refuses is no error: the table is what counts."""
    line = {"rules": rules, "seeds": seeds, "sha256": sha256, "seconds": round(seconds, 3), "threads": threads}
    with suppress(OSError), open_regular(folder / JOURNAL_NAME, append=True) as file:
        file.write((json.dumps(line, separators=(",", ":")) + "\n").encode())


def seconds_taken(folder: Path, rules: str, seeds: int, sha256: str) -> float | None:
    """Seconds that the last build of a table took, or None where no line tells."""
    try:
        with open_regular(folder / JOURNAL_NAME) as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(max(size - MOST_READ, 0))
            lines = file.read(MOST_READ).splitlines()
    except OSError:
        return None
    for text in reversed(lines):
        line = _parsed(text)
        if (line.get("rules"), line.get("seeds"), line.get("sha256")) == (rules, seeds, sha256):
            return plausible_seconds(line.get("seconds"))
    return None


def plausible_seconds(value: object) -> float | None:
    """Seconds that a file tells, or None where that is no number of seconds."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LONGEST:
        return None
    return float(value)


def _parsed(text: bytes) -> dict[str, Any]:
    """A line of the journal; nothing for one that was cut short or is somebody else's."""
    if len(text) > LONGEST_LINE:
        return {}
    try:
        line = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return line if isinstance(line, dict) else {}
