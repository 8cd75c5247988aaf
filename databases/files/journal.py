"""What a build took: a line a table in ``abapa-build.jsonl`` beside the tables.

Table files hold nothing that differs from run to run, so that equal tables are equal files. What does differ is written
here, for :mod:`solver.cli.stats` and for people; nothing depends on it. A line counts only for the table whose values
have the hash that it names, so a table that was replaced since has none.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

JOURNAL_NAME = "abapa-build.jsonl"


def write_down(folder: Path, rules: str, seeds: int, sha256: str, seconds: float, threads: int) -> None:
    """Add a line on a table that was built. A disk that refuses is no error: the table is what counts."""
    line = {"rules": rules, "seeds": seeds, "sha256": sha256, "seconds": round(seconds, 3), "threads": threads}
    with suppress(OSError), (folder / JOURNAL_NAME).open("a", encoding="utf-8") as file:
        file.write(json.dumps(line, separators=(",", ":")) + "\n")


def seconds_taken(folder: Path, rules: str, seeds: int, sha256: str) -> float | None:
    """Seconds that the last build of a table took, or None where no line tells."""
    found = None
    try:
        with (folder / JOURNAL_NAME).open(encoding="utf-8", errors="replace") as lines:
            for text in lines:
                line = _parsed(text)
                if (line.get("rules"), line.get("seeds"), line.get("sha256")) == (rules, seeds, sha256):
                    found = line.get("seconds")
    except OSError:
        return None
    return float(found) if isinstance(found, int | float) else None


def _parsed(text: str) -> dict:
    """A line of the journal; nothing for one that was cut short or is somebody else's."""
    try:
        line = json.loads(text)
    except ValueError:
        return {}
    return line if isinstance(line, dict) else {}
