"""Damaged journals: what a build took is known or not; nothing else depends on it, and nothing waits for it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import h5py
import pytest

from tests.hostile.courier import Trial, Worker, equals, one_line
from tests.hostile.damage import damaged_bytes, stand_ins

TABLES = Path(__file__).resolve().parents[1] / "data" / "tables" / "version-1"
NAME = "awari+pits=2-05.h5"
STATS = ["stats", "--rules", "awari+pits=2", "--tables"]


class Folder:
    """A table with a journal of one line."""

    def __init__(self, worker: Worker, folder: Path) -> None:
        self.trial, self.folder = Trial(worker, "damaged journals"), folder
        shutil.copy(TABLES / NAME, folder)
        self.journal = folder / "abapa-build.jsonl"
        with h5py.File(TABLES / NAME, "r") as file:
            sha256 = file["value"].attrs["sha256"]
        sha256 = sha256.decode() if isinstance(sha256, bytes) else str(sha256)
        self.line = {"rules": "awari+pits=2", "seeds": 5, "sha256": sha256, "seconds": 1.5, "threads": 2}

    def text(self, **changed: object) -> bytes:
        """The line as a build writes it, with other values."""
        return (json.dumps(self.line | changed, separators=(",", ":")) + "\n").encode()

    def cases(self, name: str) -> None:
        """Ask for the seconds and print the table of tiers. The answer is a number or nothing: asks.build_seconds."""
        self.trial.case(name, "build_seconds", lambda answer: None, path=str(self.folder / NAME))
        self.trial.case(f"{name}, stats", "command", self.printed, arguments=[*STATS, str(self.folder)])

    @staticmethod
    def printed(ran: dict[str, object]) -> str | None:
        """The table is sound, so the command must succeed."""
        return one_line(ran) or (None if ran["code"] == 0 else str(ran)[:300])


@pytest.fixture
def folder(worker: Worker, tmp_path: Path) -> Folder:
    return Folder(worker, tmp_path)


def odd_lines(folder: Folder) -> Iterator[tuple[str, bytes]]:
    for value in ("x", "1.5", None, True, [], [1], {}, -1, 10**400, float("nan"), float("inf"), -float("inf"), 0):
        yield f"seconds {str(value)[:20]}", folder.text(seconds=value)
    for key in ("rules", "seeds", "sha256"):
        for other in (None, [], {}, 5.0, True, "x"):
            yield f"{key} {other}", folder.text(**{key: other})
    yield "1e999 seconds", folder.text().replace(b"1.5", b"1e999")
    yield "a number of 10,000 digits", folder.text().replace(b"1.5", b"9" * 10_000)
    for text in (
        b"[]",
        b"1",
        b"null",
        b'"x"',
        b"NaN",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"\0" * 1000,
        b"\xff\xfe" * 99,
    ):
        yield f"line {text[:10]!r}", text + b"\n" + folder.text()
    yield "no line end", b"x" * 5_000_000
    yield "byte order mark", b"\xef\xbb\xbf" + folder.text()
    yield "UTF-16", folder.text().decode().encode("utf-16")
    yield "carriage returns", folder.text().replace(b"\n", b"\r") * 3


def test_odd_lines(folder: Folder) -> None:
    folder.journal.write_bytes(folder.text())
    assert folder.trial.truth("build_seconds", path=str(folder.folder / NAME)) == 1.5
    for name, text in odd_lines(folder):
        folder.journal.write_bytes(text)
        folder.cases(name)
        folder.journal.write_bytes(text + folder.text(seconds=2.5))
        if text.endswith(b"\n"):
            path = str(folder.folder / NAME)
            folder.trial.case(f"{name}, a good line after it", "build_seconds", equals(2.5), path=path)
    folder.trial.verdict()


@pytest.mark.parametrize("count", [pytest.param(40, id="some"), pytest.param(1000, id="many", marks=pytest.mark.full)])
def test_bytes(count: int, folder: Folder) -> None:
    whole = folder.text(seeds=4) + folder.text() + folder.text(sha256="0" * 64)
    for name, text in damaged_bytes(whole, 13, count):
        folder.journal.write_bytes(text)
        folder.cases(name)
    folder.trial.verdict()


def test_things_in_place_of_a_journal(folder: Folder) -> None:
    """Neither reading nor building waits for a FIFO or reads a device to its end."""
    for name in stand_ins(folder.journal):
        folder.cases(name)
        made = folder.folder / "awari+pits=2-01.h5"
        folder.trial.case(f"{name}, build", "build", lambda answer: None, folder=str(folder.folder),
                          rules="awari+pits=2", seeds=1)  # fmt: skip
        assert made.exists() or folder.trial.faults
        made.unlink(missing_ok=True)
    folder.trial.verdict()
