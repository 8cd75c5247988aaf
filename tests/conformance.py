"""Where the independently computed right answers lie, and how tests read them.

``tests/data/`` holds the project's own copy of what may be copied; files that may not are read from the folder that
``ABAPA_CONFORMANCE`` names, or else from the one beside the checkout, and the tests that need them skip with a reason
where it is absent.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parent / "data"
CONFORMANCE_VARIABLE = "ABAPA_CONFORMANCE"
BESIDE = Path(os.environ.get(CONFORMANCE_VARIABLE) or Path(__file__).resolve().parents[2] / "shared" / "conformance")


def load(name: str, folder: Path = DATA) -> Any:
    """A data file by its name below ``tests/data``: .json, .jsonl (a list), .csv (dicts of ints), .gz of each."""
    path = folder / name
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text()
    kind = Path(path.stem).suffix if path.suffix == ".gz" else path.suffix
    if kind == ".csv":
        return [{key: int(value) for key, value in row.items()} for row in csv.DictReader(text.splitlines())]
    if kind == ".jsonl":
        return [json.loads(line) for line in text.splitlines()]
    return json.loads(text)


def load_beside(name: str) -> Any:
    """As :func:`load`, from the folder of files that may not be copied; skips the test where it is absent."""
    if not (BESIDE / name).is_file():
        pytest.skip(f"{name} may not be copied and is not in {BESIDE}; {CONFORMANCE_VARIABLE} names another folder")
    return load(name, BESIDE)
