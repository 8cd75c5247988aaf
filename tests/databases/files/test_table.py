"""Tables open for reading: what they hold, what cannot be opened, and what damage does."""

import hashlib
import mmap
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from databases.files.faults import (
    ForeignTableError,
    InaccessibleTableError,
    TableError,
    UnreadableTableError,
)
from databases.files.folder import table_path
from databases.files.packing import pack
from databases.files.table import Table
from databases.files.writer import TableWriter
from databases.pictures import distance_counts
from databases.prober import open_tables
from databases.statistics import tier_statistics
from databases.tiers import tier_size
from databases.verifier import compare, count, prove
from tests.databases.files.small_tables import SMALL, numbers
from tests.databases.table_files import write_tier


def test_a_table_holds_what_was_written_and_says_so(made: Path) -> None:
    solved = numbers()
    with Table.open(table_path(made, SMALL, 5)) as table:
        assert (table.rules, table.seeds, table.positions) == (SMALL, 5, tier_size(3, 5))
        assert table.quantities == ("value", "distance")
        values = table.map("value")
        assert values.dtype == np.int8 and not values.flags.writeable
        counted = {int(v): int(c) for v, c in zip(*np.unique(values, return_counts=True), strict=True)}
        assert table.histogram == counted and sum(counted.values()) == table.positions
        assert all((table.map(name) == solved[name][5]).all() for name in table.quantities)
        assert table.check() == []
        assert table.attributes["game"] == "oware" and table.attributes["cycle"] == "even"
        hashed = hashlib.sha256(values.tobytes()).hexdigest()
    with h5py.File(table_path(made, SMALL, 5)) as file:
        dataset = file["value"]
        assert isinstance(dataset, h5py.Dataset) and dataset.attrs["sha256"] == hashed.encode()
        assert "meaning" in dataset.attrs and dataset.chunks is None


# -- files that are no tables ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kept", [0, 1, 100, 2000, -1])
def test_a_truncated_file(folder: Path, kept: int) -> None:
    path = table_path(folder, SMALL, 5)
    data = path.read_bytes()
    path.write_bytes(data[:kept])
    with pytest.raises(TableError, match=r"truncated|not an HDF5 file"):
        Table.open(path)


def test_files_of_other_kinds(folder: Path) -> None:
    path = table_path(folder, SMALL, 4)
    path.write_text("seeds;value\n")
    with pytest.raises(UnreadableTableError, match="is not an HDF5 file"):
        Table.open(path)
    path.unlink()
    with pytest.raises(UnreadableTableError, match="No such file"):
        Table.open(path)
    path.symlink_to(path)
    with pytest.raises(InaccessibleTableError, match="cannot be read: Too many levels of symbolic links"):
        Table.open(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(InaccessibleTableError, match="is a folder, not a table: move it away"):
        Table.open(path)
    path.rmdir()
    os.mkfifo(path)
    with pytest.raises(InaccessibleTableError, match="is no regular file, not a table: move it away"):
        Table.open(path)
    with pytest.raises(ForeignTableError, match="not named like a table"):
        Table.open(folder / "games.h5")


def test_a_chunked_or_missing_quantity(folder: Path) -> None:
    path = table_path(folder, SMALL, 4)
    with h5py.File(path, "r+") as file:
        values, attributes = np.array(file["value"]), dict(file["value"].attrs)
        del file["value"]
        file.create_dataset("value", data=values, chunks=(16,)).attrs.update(attributes)
    with pytest.raises(ForeignTableError, match="value is not contiguous"):
        Table.open(path)


def test_a_failing_disk_is_not_taken_for_damage(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> int:
        raise OSError(5, "Input/output error")

    with Table.open(table_path(folder, SMALL, 5)) as table, monkeypatch.context() as patch:
        patch.setattr(os, "preadv", fail)
        with pytest.raises(InaccessibleTableError, match="cannot be read: Input/output error: look after the disk"):
            table.check()


def test_a_table_that_becomes_shorter_while_it_is_open(folder: Path) -> None:
    path = table_path(folder, SMALL, 5)
    with Table.open(path) as table:
        os.truncate(path, table.offsets["distance"] + 10)
        assert table.check()[0].startswith("is truncated")
        with pytest.raises(TableError, match="is damaged"):
            table.map("distance")


@pytest.mark.skipif(os.geteuid() == 0 and not shutil.which("setpriv"), reason="the superuser may read everything")
def test_a_file_that_may_not_be_read(folder: Path) -> None:
    path = table_path(folder, SMALL, 4)
    path.chmod(0)
    code = f"from databases.files.table import Table; from pathlib import Path; Table.open(Path({str(path)!r}))"
    for parent in (folder, folder.parent):
        parent.chmod(0o755)
    drop = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []
    run = subprocess.run([*drop, sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "InaccessibleTableError" in run.stderr and "Permission denied: ask for the right to read it" in run.stderr


# -- damage ------------------------------------------------------------------------------------------------------------


def test_every_changed_byte_of_data_is_found(folder: Path) -> None:
    path = table_path(folder, SMALL, 5)
    with Table.open(path) as table:
        offsets = table.offsets
    data = path.read_bytes()
    for quantity, size in (("value", 252), ("distance", 504)):
        for at in range(0, size, 7):
            wrong = bytearray(data)
            wrong[offsets[quantity] + at] ^= 1 << (at % 8)
            path.write_bytes(wrong)
            with Table.open(path) as table:
                assert table.check() == [f"{quantity}: chunk 0 (boards 0 on) has changed"]


def test_a_flipped_bit_anywhere_is_found_or_harms_nothing(folder: Path) -> None:
    """HDF5 checksums its own structures; what is neither data nor checksummed is padding and words for people."""
    path = table_path(folder, SMALL, 5)
    with Table.open(path) as table:
        right = {q: table.map(q).tobytes() for q in table.quantities}
        histogram, told = table.histogram, dict(table.attributes)
    data = path.read_bytes()
    used = [at for at in range(0, len(data), 5) if data[at] or at % 64 == 0]
    quiet = 0
    for at in used:
        wrong = bytearray(data)
        wrong[at] ^= 1 << (at % 8)
        path.write_bytes(wrong)
        try:
            with Table.open(path) as table:
                if table.check():
                    continue
                assert {q: table.map(q).tobytes() for q in table.quantities} == right
                assert table.histogram == histogram
                words = {"game", "builder", "meaning"}
                assert {k: v for k, v in table.attributes.items() if k not in words} == {
                    k: v for k, v in told.items() if k not in words
                }
                quiet += 1
        except TableError:
            pass
    assert quiet < len(used)


def test_a_damaged_hash_is_told_apart_from_damaged_data(folder: Path) -> None:
    path = table_path(folder, SMALL, 5)
    with h5py.File(path, "r+") as file:
        hashes: Any = file["chunk_sha256/value"]
        hashes[0] = b"0" * 64
    with Table.open(path) as table:
        assert table.check() == ["value: the data are right, their chunk hashes have changed"]
    with h5py.File(path, "r+") as file:
        file["distance"].attrs["sha256"] = "0" * 64
    with Table.open(path) as table:
        assert table.check()[1] == "distance: the hash of the whole does not fit, those of the chunks do"


def test_chunks_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("hashes", "header", "table"):
        monkeypatch.setattr(f"databases.files.{module}.CHUNK", 64)
    path = write_tier(tmp_path, SMALL, 5, ("value", "distance"), numbers())
    with TableWriter(tmp_path, SMALL, 4) as writer:  # the same on two threads
        writer.write("value", 0, numbers()["value"][4])
        two = writer.commit(threads=2).read_bytes()
    assert write_tier(tmp_path, SMALL, 4, ("value",), numbers()).read_bytes() == two
    with Table.open(path) as table:
        assert table.check() == []
        offset = table.offsets["distance"]
    data = bytearray(path.read_bytes())
    data[offset + 64 * 3 + 5] ^= 1
    path.write_bytes(data)
    with Table.open(path) as table:
        assert table.check() == ["distance: chunk 3 (boards 96 on) has changed"]


# -- how files are read -----------------------------------------------------------------------------------------------


@pytest.fixture
def advised(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """What the system has been told: the file's name, and the advice on a map of it or (``read``) on reading it."""
    told: list[tuple[str, int]] = []

    class Map(mmap.mmap):
        name = ""

        def __new__(cls, file: int, *args: Any, **kwargs: Any) -> Any:
            made = super().__new__(cls, file, *args, **kwargs)
            made.name = Path(f"/proc/self/fd/{file}").readlink().name
            return made

        def madvise(self, option: int, *args: int) -> None:
            told.append((self.name, option))
            super().madvise(option, *args)

    def fadvise(file: int, *args: int) -> None:
        told.append((f"read {Path(f'/proc/self/fd/{file}').readlink().name}", args[-1]))

    monkeypatch.setattr("databases.files.table.mmap.mmap", Map)
    monkeypatch.setattr(os, "posix_fadvise", fadvise)
    return told


def test_passes_are_advised_as_sequential(folder: Path, advised: list[tuple[str, int]]) -> None:
    path = table_path(folder, SMALL, 5)
    with open_tables(folder, SMALL) as tables:
        tier_statistics(tables, 5)
        assert advised.count((path.name, mmap.MADV_SEQUENTIAL)) == 2  # values by side, distances
        advised.clear()
        assert all(not verdict.faults for verdict in compare(tables, 5))
        assert advised.count((path.name, mmap.MADV_SEQUENTIAL)) == 0  # the maps of before are asked again
    with open_tables(folder, SMALL) as tables:
        assert all(not verdict.faults for verdict in compare(tables, 5))
        assert advised.count((path.name, mmap.MADV_SEQUENTIAL)) == 2
        advised.clear()
        list(count(tables, [5], {5: {0: 1}}))
        assert advised == [(f"read {path.name}", os.POSIX_FADV_SEQUENTIAL)]
        advised.clear()
        distance_counts(tables, 5)
    with Table.open(path) as table:
        table.check()
        assert advised == [(f"read {path.name}", os.POSIX_FADV_SEQUENTIAL)] * 4  # each quantity hashed and counted
        advised.clear()
        pack(table)
    assert advised.count((path.name, mmap.MADV_SEQUENTIAL)) == 2


def test_lookups_read_in_small_tables_and_only_their_pages_of_large_ones(
    folder: Path, advised: list[tuple[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    name = table_path(folder, SMALL, 5).name
    for most, advice in ((1 << 20, mmap.MADV_WILLNEED), (16, mmap.MADV_RANDOM)):
        monkeypatch.setattr("databases.files.table.READ_IN", most)
        with open_tables(folder, SMALL) as tables:
            tables.probe((0, 1, 0, 2, 1, 1))
        assert {(name, advice)} == {told for told in advised if told[0] == name}
        advised.clear()


def test_a_map_for_rows_is_left_to_the_system(folder: Path, advised: list[tuple[str, int]]) -> None:
    """As the builder and the provers read smaller tiers."""
    with open_tables(folder, SMALL) as tables:
        assert all(not verdict.faults for verdict in prove(tables, [5]))
    assert not advised
