"""Files that were made to mislead: what lies elsewhere, unpacks to too much, or tells what is not so."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from databases.files.archive import Archive
from databases.files.chunks import _zstd_size
from databases.files.faults import TableError
from databases.files.folder import archive_path, table_path
from databases.files.hdf5 import opened, own_attributes
from databases.files.journal import JOURNAL_NAME, plausible_seconds, seconds_taken, write_down
from databases.files.packing import pack, unpack
from databases.files.table import Table
from databases.prober import open_tables
from solver.oware.rules import Rules
from tests.databases.files.small_tables import SMALL
from tests.databases.table_files import write_tables

SECRET = b"the bytes of another file" * 20


@pytest.fixture
def archive(folder: Path) -> Path:
    """An archive whose plain table is gone."""
    path = table_path(folder, SMALL, 5)
    with Table.open(path) as table:
        pack(table)
    path.unlink()
    return archive_path(folder, SMALL, 5)


def replaced(file: h5py.File, name: str) -> tuple[Any, dict[str, Any]]:
    """Take a dataset out; its numbers and attributes."""
    found: Any = file[name]
    numbers, attributes = found[:], dict(found.attrs)
    del file[name]
    return numbers, attributes


# -- what lies elsewhere ----------------------------------------------------------------------------------------------


def external(file: h5py.File, name: str, secret: Path) -> None:
    numbers, attributes = replaced(file, name)
    made = file.create_dataset(name, numbers.shape, numbers.dtype, external=[(str(secret), 0, numbers.nbytes)])
    made.attrs.update(attributes)


def virtual(file: h5py.File, name: str, secret: Path) -> None:
    """The way of the crafted file that was unpacked: virtual over external."""
    numbers, attributes = replaced(file, name)
    file.create_dataset("hidden", numbers.shape, numbers.dtype, external=[(str(secret), 0, numbers.nbytes)])
    layout = h5py.VirtualLayout(numbers.shape, numbers.dtype)
    layout[:] = h5py.VirtualSource(file["hidden"])
    file.create_virtual_dataset(name, layout).attrs.update(attributes)


def soft(file: h5py.File, name: str, secret: Path) -> None:
    file.move(name, "moved")
    file[name] = h5py.SoftLink("/moved")


def elsewhere(file: h5py.File, name: str, secret: Path) -> None:
    other = secret.with_suffix(".other")
    with h5py.File(other, "w") as target:
        file.copy(name, target, "it")
    del file[name]
    file[name] = h5py.ExternalLink(str(other), "/it")


def committed(file: h5py.File, name: str, secret: Path) -> None:
    numbers, attributes = replaced(file, name)
    file["kind"] = numbers.dtype
    file.create_dataset(name, data=numbers, dtype=file["kind"]).attrs.update(attributes)


def texts(file: h5py.File, name: str, secret: Path) -> None:
    numbers, attributes = replaced(file, name)
    made = file.create_dataset(name, numbers.shape, h5py.string_dtype())
    made.attrs.update(attributes)


def filtered(file: h5py.File, name: str, secret: Path) -> None:
    numbers, attributes = replaced(file, name)
    kind = "f4" if numbers.dtype.kind == "f" else numbers.dtype
    made = file.create_dataset(name, data=numbers, dtype=kind, chunks=numbers.shape, fletcher32=True, scaleoffset=None)
    made.attrs.update(attributes)


WAYS = [external, virtual, soft, elsewhere, committed, texts, filtered]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["value", "distance", "frame", "chunk_sha256/value", "chunk_sha256"])
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "packed"])
def test_nothing_elsewhere_is_read(
    way: Callable[..., None], name: str, packed: bool, folder: Path, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    path = request.getfixturevalue("archive") if packed else table_path(folder, SMALL, 5)
    if (name == "frame" and not packed) or (name == "chunk_sha256" and way not in (soft, elsewhere)):
        return
    if way is texts and name.startswith("chunk_sha256"):
        return  # a text of no fixed length cannot be made of the attributes of one
    secret = tmp_path / "secret"
    secret.write_bytes(SECRET)
    with h5py.File(path, "r+") as file:
        way(file, name, secret)
    with pytest.raises(TableError, match=r"elsewhere|no dataset|in a type that|not contiguous|not packed"):
        (Archive if packed else Table).open(path)


@pytest.mark.parametrize("wrong", ["reference", "list of texts", "large", "many", "kind"])
def test_attributes_that_no_table_has(wrong: str, folder: Path) -> None:
    path = table_path(folder, SMALL, 5)
    with h5py.File(path, "r+", libver="latest") as file:
        if wrong == "reference":
            file.attrs["origin"] = file["value"].ref
        elif wrong == "list of texts":
            file.attrs.create("origin", ["a", "b"], dtype=h5py.string_dtype())
        elif wrong == "large":
            file.attrs.create("origin", np.zeros(70_000, np.uint8))
        elif wrong == "many":
            for number in range(300):
                file.attrs[f"origin{number}"] = number
        else:
            file["kind"] = np.dtype("i4")
            file.attrs.create("origin", 5, dtype=file["kind"])
    with pytest.raises(TableError, match="is damaged"):
        Table.open(path)


# -- what unpacks to too much -----------------------------------------------------------------------------------------


def test_a_chunk_that_unpacks_to_gigabytes_takes_no_memory(archive: Path) -> None:
    stream = zlib.compressobj(9)
    bomb = b"".join(stream.compress(bytes(1 << 20)) for _ in range(256)) + stream.flush()
    with h5py.File(archive, "r+") as file:
        numbers, attributes = replaced(file, "value")
        made = file.create_dataset("value", numbers.shape, numbers.dtype, chunks=numbers.shape, compression="gzip")
        made.id.write_direct_chunk((0,), bomb)
        made.attrs.update(attributes)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with Archive.open(archive) as table:
        (fault,) = table.check()
        assert fault == f"is damaged: value, boards 0 on: a chunk of {len(bomb):,} bytes for 252"
        with pytest.raises(TableError, match="value, boards 0 on"):
            table.read("value", 3)
        with pytest.raises(TableError, match="is damaged"):
            unpack(table)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 << 10


@pytest.mark.parametrize("many", [100, 5000])
def test_a_chunk_must_unpack_to_its_numbers(many: int, archive: Path) -> None:
    with h5py.File(archive, "r+") as file:
        made: Any = file["value"]
        made.id.write_direct_chunk((0,), zlib.compress(bytes(many)))
    with Archive.open(archive) as table:
        assert table.check() == ["is damaged: value, boards 0 on: a chunk that does not unpack to 252 bytes"]


@pytest.mark.parametrize("shape", [(0,), (10**12,), (3 << 20,)])
def test_a_frame_of_no_bytes_or_of_far_too_many(shape: tuple[int, ...], archive: Path) -> None:
    with h5py.File(archive, "r+") as file:
        del file["frame"]
        file.create_dataset("frame", shape, np.uint8, chunks=(1000,), compression="gzip", maxshape=(None,))
    with pytest.raises(TableError, match="has no frame to unpack its numbers into"):
        Archive.open(archive)


def test_a_frame_of_zeros_is_found_by_a_check(archive: Path) -> None:
    with h5py.File(archive, "r+") as file:
        frame: Any = file["frame"]
        size = frame.shape
        del file["frame"]
        file.create_dataset("frame", data=np.zeros(size, np.uint8), chunks=True, compression="gzip")
    with Archive.open(archive) as table:
        assert table.check() == ["is damaged: what it unpacks to is no table"]


def test_what_a_zstd_frame_says_it_holds() -> None:
    magic, rest = bytes.fromhex("28b52ffd"), bytes(20)
    assert _zstd_size(magic + bytes([0x20, 77]) + rest) == 77
    assert _zstd_size(magic + bytes([0x60]) + (300 - 256).to_bytes(2, "little") + rest) == 300
    assert _zstd_size(magic + bytes([0x80, 9]) + (70_000).to_bytes(4, "little") + rest) == 70_000
    assert _zstd_size(magic + bytes([0xE1, 5]) + (1 << 40).to_bytes(8, "little") + rest) == 1 << 40
    assert _zstd_size(magic + bytes([0x00, 9]) + rest) is None and _zstd_size(b"gzip" + rest) is None


# -- what tells what is not so ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "packed"])
def test_forged_counts_are_found(packed: bool, tmp_path: Path) -> None:
    rules = Rules.parse("abapa+pits=3")
    write_tables(tmp_path, rules, 4, ("value", "lower", "upper", "distance"))
    path = table_path(tmp_path, rules, 4)
    if packed:
        with Table.open(path) as table:
            path = pack(table)
    kind = Archive if packed else Table
    whole = path.read_bytes()
    for name in ("value", "lower", "upper", "exact"):
        path.write_bytes(whole)
        with h5py.File(path, "r+") as file:
            place = file if name == "exact" else file[name]
            key = "exact_counts" if name == "exact" else "histogram_counts"
            counts: Any = place.attrs[key]
            counts[0], counts[1] = counts[0] + 1, counts[1] - 1
            place.attrs.modify(key, counts)
        with kind.open(path) as table:
            (fault,) = table.check()
            assert fault.startswith(f"{name}: the data are right, their histogram is not: it has ")
    path.write_bytes(whole)
    with h5py.File(path, "r+") as file:
        file["distance"].attrs.modify("largest", 99)
    with kind.open(path) as table:
        (fault,) = table.check()
        assert fault.startswith("distance: the data are right, their largest is not: it says 99, counted ")


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "line",
    [b"[" * 100_000, b"[" * 3000, b"nonsense", b"[]", b"17", b"\xff\xfe", b"x" * (5 << 20), b"9" * 5000,
     b'{"rules":[],"seeds":{},"sha256":null}'],
    ids=range(9),
)  # fmt: skip
def test_odd_lines_of_a_journal_are_passed_over(line: bytes, tmp_path: Path) -> None:
    path = tmp_path / JOURNAL_NAME
    path.write_bytes(line + b"\n")
    assert seconds_taken(tmp_path, "awari", 3, "ab") is None
    write_down(tmp_path, "awari", 3, "ab", 1.5, 2)
    assert seconds_taken(tmp_path, "awari", 3, "ab") == 1.5


@pytest.mark.parametrize(
    "value", ["5", None, True, [1], float("nan"), float("inf"), -1.0, 10**400, np.zeros(3), b"5", 1e300]
)
def test_seconds_that_are_none(value: object, tmp_path: Path) -> None:
    assert plausible_seconds(value) is None
    if isinstance(value, np.ndarray | bytes):
        return
    line = {"rules": "awari", "seeds": 3, "sha256": "ab", "seconds": value}
    (tmp_path / JOURNAL_NAME).write_text(json.dumps(line) + "\n")
    assert seconds_taken(tmp_path, "awari", 3, "ab") is None


@pytest.mark.timeout(60)
def test_a_journal_that_is_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / JOURNAL_NAME)
    write_down(tmp_path, "awari", 3, "ab", 1.5, 2)
    assert seconds_taken(tmp_path, "awari", 3, "ab") is None


@pytest.mark.parametrize("seconds", ["soon", np.zeros(4), float("nan")])
def test_a_wrong_attribute_seconds(seconds: Any, folder: Path) -> None:
    path = table_path(folder, SMALL, 5)
    with h5py.File(path, "r+") as file:
        file.attrs["seconds"] = seconds
    with Table.open(path) as table:
        assert table.build_seconds is None


# -- damage of every kind ---------------------------------------------------------------------------------------------


def ask_everything(path: Path, packed: bool) -> None:
    """What users do with a table, each by itself: only errors of ours may come out."""
    folder = path.parent
    for act in (
        lambda table: table.check(),
        lambda table: [table.read(name, 3) for name in table.quantities],
        lambda table: table.build_seconds,
        lambda table: unpack(table) if packed else pack(table),
    ):
        try:
            with (Archive if packed else Table).open(path) as table:
                act(table)
        except TableError:
            pass
    with open_tables(folder, SMALL) as tables:
        try:
            tables.probe_many([(0, 1, 1, 1, 0, 2)])
            tables.moves((0, 1, 1, 1, 0, 2))
        except TableError:
            pass


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "packed"])
def test_generated_damage_ends_in_errors_of_ours(packed: bool, folder: Path, request: pytest.FixtureRequest) -> None:
    path = request.getfixturevalue("archive") if packed else table_path(folder, SMALL, 5)
    whole, chance = path.read_bytes(), np.random.default_rng(11)
    for number in range(120):
        data = bytearray(whole)
        at = int(chance.integers(len(data)))
        if number % 4 == 0:
            data[at] ^= 1 << number % 8
        elif number % 4 == 1:
            data = data[:at]
        elif number % 4 == 2:
            data[at : at + 512] = bytes(len(data[at : at + 512]))
        else:
            data[at : at + 8] = chance.bytes(len(data[at : at + 8]))
        path.write_bytes(data)
        ask_everything(path, packed)
        for left in (table_path(folder, SMALL, 5), archive_path(folder, SMALL, 5)):
            left.unlink(missing_ok=True)


def test_own_attributes_are_those_of_h5py(folder: Path) -> None:
    with opened(table_path(folder, SMALL, 5)) as file:
        for place in (file, file["value"], file["distance"]):
            assert list(own_attributes(place)) == list(place.attrs)


def test_a_huge_header_hash_list_is_refused(folder: Path) -> None:
    path = table_path(folder, SMALL, 5)
    with h5py.File(path, "r+") as file:
        del file["chunk_sha256/value"]
        file.create_dataset("chunk_sha256/value", (1,), "S1000000000")
    run = [sys.executable, "-c", f"from databases.files.table import Table; from pathlib import Path;"
           f"Table.open(Path({str(path)!r}))"]  # fmt: skip
    ran = subprocess.run(run, capture_output=True, text=True, check=False)
    assert "ForeignTableError" in ran.stderr and "hashes of chunks of value" in ran.stderr
