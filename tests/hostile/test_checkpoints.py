"""Damaged checkpoints: the tier is built on or anew, and its table is the same file, whatever the damage.

The header counts as much as the numbers: a believed margin that is wrong makes a wrong table that check calls right.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from tests.hostile.courier import Trial, Worker, equals
from tests.hostile.damage import damaged_bytes, stand_ins

RULES, SEEDS = "awari+pits=3", 7
STEPS = 30
"""Steps after which the build is interrupted, of about 60: some stages are over, and some are to come."""
HEADER = 1024
"""The header's text ends before: bytes damaged beside those of the whole file."""


class Broken:
    """A folder with the tiers below and the checkpoint of a build that was interrupted."""

    def __init__(self, worker: Worker, folder: Path) -> None:
        self.trial, self.folder = Trial(worker, "damaged checkpoints"), folder / "broken"
        self.whole = self.trial.truth("build", folder=str(folder / "whole"), rules=RULES, seeds=SEEDS)
        self.trial.truth("build", folder=str(self.folder), rules=RULES, seeds=SEEDS - 1)
        found = self.trial.truth("build", folder=str(self.folder), rules=RULES, seeds=SEEDS, most=STEPS)
        assert not any(name.endswith(f"-{SEEDS:02d}.h5") for name in found["tables"])
        (self.path,) = self.folder.glob("*.checkpoint")
        self.data = self.path.read_bytes()

    def case(self, name: str, data: bytes) -> str:
        """Build with this checkpoint."""
        self.path.write_bytes(data)
        return self.build(name)

    def build(self, name: str) -> str:
        """Build, and take the table away again."""
        whole = self.whole["tables"]

        def judge(answer: dict[str, Any]) -> str | None:
            return equals(whole)(answer["tables"])

        outcome = self.trial.case(name, "build", judge, folder=str(self.folder), rules=RULES, seeds=SEEDS)
        (self.folder / f"{RULES}-{SEEDS:02d}.h5").unlink(missing_ok=True)
        return outcome


@pytest.fixture
def broken(worker: Worker, tmp_path: Path) -> Broken:
    return Broken(worker, tmp_path)


def edits(data: bytes) -> Iterator[tuple[str, bytes]]:
    """The header edited as a text: other margins, other kinds of JSON, what no header should be."""
    head = data[:4096]
    margin = re.search(rb'"margin": *(\d+)', head)
    assert margin is not None
    values = [*range(SEEDS + 3), -1, -SEEDS, 10**30, 0.5, 1e300, True, None, "3", [], [3], {}, {"margin": 3}]
    for value in values:
        if str(value).encode() != margin[1]:
            yield f"margin {value}", _edited(data, margin.span(1), json.dumps(value).encode())
    yield "margin NaN", _edited(data, margin.span(1), b"NaN")
    yield "margin Infinity", _edited(data, margin.span(1), b"-Infinity")
    yield "margin of 4,000 digits", _edited(data, margin.span(1), b"9" * 3000)
    yield "two margins", _edited(data, margin.span(1), b'1, "margin": 1')
    for text in (
        b"[]",
        b"1",
        b"NaN",
        b"null",
        b"{}",
        b'"text"',
        b"[" * 4096,
        b'{"a":' * 800,
        b"\xff" * 100,
        b"\0" * 99,
    ):
        yield f"header {text[:20]!r}", text[:4096].ljust(4096) + data[4096:]
    for key in re.findall(rb'"(\w+)":', head):
        if key != b"margin":
            yield f"no {key.decode()}", data[:4096].replace(b'"%s"' % key, b'"%s"' % key[::-1]) + data[4096:]


def _edited(data: bytes, span: tuple[int, int], text: bytes) -> bytes:
    """A part of the header in other words, the header as long as it was."""
    return (data[: span[0]] + text + data[span[1] : 4096]).ljust(4096)[:4096] + data[4096:]


def test_a_checkpoint_that_nobody_damaged_is_taken_up(broken: Broken) -> None:
    """What the other tests damage is worth damaging: the build tells less than a whole one."""
    broken.path.write_bytes(broken.data)
    found = broken.trial.truth("build", folder=str(broken.folder), rules=RULES, seeds=SEEDS)
    assert found["tables"] == broken.whole["tables"] and not found["rest"]
    (broken.folder / f"{RULES}-{SEEDS:02d}.h5").unlink()
    anew = broken.trial.truth("build", folder=str(broken.folder), rules=RULES, seeds=SEEDS)
    assert found["told"] < anew["told"]


@pytest.mark.parametrize("count", [pytest.param(8, id="some"), pytest.param(400, id="many", marks=pytest.mark.full)])
def test_bytes(count: int, broken: Broken) -> None:
    for name, data in damaged_bytes(broken.data, 11, count):
        broken.case(name, data)
    for name, data in damaged_bytes(broken.data[:HEADER], 12, count):
        broken.case(f"header: {name}", data + broken.data[len(data) :])
    broken.trial.verdict()


@pytest.mark.parametrize("step", [pytest.param(3, id="some"), pytest.param(1, id="all", marks=pytest.mark.full)])
def test_the_header(step: int, broken: Broken) -> None:
    for name, data in islice(edits(broken.data), 0, None, step):
        broken.case(name, data)
    broken.trial.verdict()


@pytest.mark.full
def test_a_bit_of_every_byte_of_the_header(broken: Broken) -> None:
    """Of its text, and of some of the spaces after it; each in turn of the eight bits."""
    text = len(broken.data[:4096].rstrip())
    for at in range(text + 16):
        data = bytearray(broken.data)
        data[at] ^= 1 << (at % 8)
        broken.case(f"bit {at % 8} of byte {at}", bytes(data))
    broken.trial.verdict()


def test_things_in_place_of_a_checkpoint(broken: Broken) -> None:
    for name in stand_ins(broken.path):
        broken.build(name)
    broken.trial.verdict()


def test_a_checkpoint_of_another_tier(broken: Broken) -> None:
    """Under the name of this one, and as what a killed writer leaves."""
    other = broken.folder.with_name("other")
    for seeds in (SEEDS - 1, SEEDS + 1):
        shutil.rmtree(other, ignore_errors=True)
        broken.trial.truth("build", folder=str(other), rules=RULES, seeds=seeds, most=3 * seeds)
        for path in other.glob("*.checkpoint"):
            broken.case(path.name, path.read_bytes())
    part = broken.path.with_name(broken.path.name + ".part")
    part.write_bytes(broken.data[:1000])
    broken.case("a part beside", broken.data)
    broken.trial.verdict()
