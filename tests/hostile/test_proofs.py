"""Damaged files of ``solve --save``: refused, or the proof ends with the same bounds; in time, within memory.

A file whose parts were all forged to fit each other may say something else; it still ends in time.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from itertools import islice, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.hostile.courier import Trial, Worker, equals, one_line
from tests.hostile.damage import damaged_bytes, stand_ins

POSITION = "0-0-1-1-0-2-1-0-0-1-0-1"


class Saved:
    """A saved proof that is not over."""

    def __init__(self, worker: Worker, folder: Path) -> None:
        self.trial, self.path = Trial(worker, "damaged saved proofs"), folder / "proof"
        self.trial.truth("proven", path=None, position=POSITION)  # which compiles, and may take its time with that
        self.bounds = self.trial.truth("proven", path=None, position=POSITION)
        self.trial.truth("saved", path=str(self.path), position=POSITION, nodes=200)
        self.data = self.path.read_bytes()
        assert self.trial.truth("proven", path=str(self.path), position=POSITION) == self.bounds

    def case(self, name: str, data: bytes, judge: Callable[[Any], str | None] | None = None) -> None:
        """Go on with this file."""
        self.path.write_bytes(data)
        self.trial.case(name, "proven", judge or equals(self.bounds), path=str(self.path), position=POSITION)

    def members(self) -> dict[str, bytes]:
        """What the file holds."""
        with zipfile.ZipFile(io.BytesIO(self.data)) as file:
            return {name: file.read(name) for name in file.namelist()}


@pytest.fixture
def saved(worker: Worker, tmp_path: Path) -> Saved:
    return Saved(worker, tmp_path)


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as file:
        for name, data in members.items():
            file.writestr(name, data)
    return target.getvalue()


def array(data: Any) -> bytes:
    """A NumPy file."""
    target = io.BytesIO()
    np.save(target, data, allow_pickle=True)
    return target.getvalue()


def declared(shape: str, kind: str = "<u8") -> bytes:
    """A NumPy file that claims a shape and holds nothing."""
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode()


@pytest.mark.parametrize("count", [pytest.param(60, id="some"), pytest.param(2000, id="many", marks=pytest.mark.full)])
def test_bytes(count: int, saved: Saved) -> None:
    for name, data in damaged_bytes(saved.data, 31, count):
        saved.case(name, data)
    saved.trial.verdict()


def odd_heads(head: dict[str, Any]) -> Iterator[tuple[str, bytes]]:
    for text in (
        b"",
        b"[]",
        b"1",
        b"null",
        b"NaN",
        b"{}",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"\xff",
        b"{" + b" " * 10**6,
    ):
        yield f"head {text[:10]!r}", text
    for key in head:
        for value in (None, 0, -1, "x", [], {}, 10**30, [[]]):
            yield f"{key} {str(value)[:20]}", json.dumps(head | {key: value}).encode()
        yield f"no {key}", json.dumps({name: value for name, value in head.items() if name != key}).encode()


@pytest.mark.parametrize("step", [pytest.param(8, id="some"), pytest.param(1, id="all", marks=pytest.mark.full)])
def test_forged_heads(step: int, saved: Saved) -> None:
    """The bounds, depth and counts of a proof as other things; whatever is taken ends in time."""
    members = saved.members()
    (name,) = [name for name in members if name.startswith("head")]
    head = json.loads(np.load(io.BytesIO(members[name])).tobytes())

    def bring(what: str, text: bytes) -> None:
        forged = zipped(members | {name: array(np.frombuffer(text, np.uint8))})
        saved.case(what, forged, lambda answer: None)

    for what, text in islice(odd_heads(head), 0, None, step):
        bring(what, text)
    proof = head.get("proof", {})
    values = (None, True, 0, 1, -1, 3, 99, 10**30, -(10**30), 0.5, float("nan"), float("inf"), "x", [], {})
    for key, value in islice(product(proof, values), 0, None, step):  # 15 values: a step of 8 comes to each in turn
        bring(f"proof.{key} {str(value)[:20]}", json.dumps(head | {"proof": proof | {key: value}}).encode())
    for low, high in ((0, 0), (-48, 48), (48, 48), (-1000, 1000), (1, 2)):
        bounds = {"low": low, "high": high, "low_most": high, "high_least": low}
        bring(f"bounds {low}..{high}", json.dumps(head | {"proof": proof | bounds}).encode())
    bring("another member", json.dumps(head | {"proof": proof | {"x": 1}}).encode())
    saved.trial.verdict()


def test_forged_arrays(saved: Saved) -> None:
    """What claims or unpacks to gigabytes, points outside the table, or is of another kind."""
    members = saved.members()
    head = [name for name in members if name.startswith("head")]
    forged: dict[str, bytes] = {
        "a shape of 2^40": declared("(1099511627776,)"),
        "a shape of 2^62": declared("(4611686018427387904,)"),
        "a negative shape": declared("(-1,)"),
        "a shape in words": declared("('x',)"),
        "an open bracket": declared("(1,"),
        "an open quotation": declared("('x,)"),
        "an open text": declared('("""1,)'),
        "brackets in brackets": declared("(" * 40 + ")" * 40),
        "a call": declared("open('x')"),
        "objects": declared("(1,)", "|O"),
        "a type of 2 GiB": declared("(1,)", "|V2147483647"),
        "no array": b"rubbish",
        "empty": b"",
        "indexes outside": array(np.array([2**40, -(2**40), -1])),
        "real numbers": array(np.array([0.5, np.nan])),
        "texts": array(np.array(["x"])),
        "one number": array(np.int64(1)),
        "too many dimensions": array(np.zeros((1,) * 20, np.int64)),
        "a million indexes": array(np.zeros(1_000_000, np.int64)),
    }
    for name in members:
        for what, data in forged.items():
            if name not in head or what not in ("indexes outside", "a million indexes"):
                saved.case(f"{name}: {what}", zipped(members | {name: data}), lambda answer: None)
        saved.case(f"no {name}", zipped({key: data for key, data in members.items() if key != name}))
        saved.case(f"{name} compressed", zipped(members, zipfile.ZIP_DEFLATED))
    saved.case("no zip, an array", array(np.zeros(10)))
    saved.case("a pickle", b"\x80\x04\x95\x05\x00\x00\x00\x00\x00\x00\x00\x8c\x01x\x94.")
    saved.trial.verdict()


def test_members_that_claim_more_than_the_file_has(saved: Saved) -> None:
    """Sizes packed and unpacked, as the directory at the end of the file states them."""
    at = -1
    while (at := saved.data.find(b"PK\x01\x02", at + 1)) >= 0:
        for place, what in ((20, "packed"), (24, "unpacked")):
            for size in (2**16, 2**31 - 1, 2**32 - 2):
                data = saved.data[: at + place] + size.to_bytes(4, "little") + saved.data[at + place + 4 :]
                saved.case(f"entry at {at}: {size:,} bytes {what}", data, lambda answer: None)
    saved.trial.verdict()


@pytest.mark.full
def test_bombs(saved: Saved) -> None:
    """Members that unpack to a gigabyte."""
    members = saved.members()
    size = 1 << 30
    for name in members:
        target = io.BytesIO()
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
            for other, data in members.items():
                if other != name:
                    file.writestr(other, data)
            with file.open(name, "w", force_zip64=True) as member:
                member.write(declared(f"({size // 8},)"))
                for _ in range(size >> 24):
                    member.write(bytes(1 << 24))
        saved.case(f"{name} unpacks to {size:,} bytes", target.getvalue(), lambda answer: None)
    saved.trial.verdict()


def test_things_in_place_of_a_saved_proof(saved: Saved) -> None:
    position = ["solve", "--rules", "awari", "--no-tables", "--save", str(saved.path), POSITION]
    for name in stand_ins(saved.path):
        saved.trial.case(name, "command", one_line, arguments=position)
    saved.trial.verdict()
