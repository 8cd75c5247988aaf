"""Archives: the same answers as plain tables, and the same bytes when unpacked."""

import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from databases.builder.build import build_tables
from databases.files.archive import Archive
from databases.files.faults import TableError
from databases.files.folder import archive_path, find_archives, find_tables, table_path
from databases.files.packing import COMPRESSIONS, pack, unpack
from databases.files.table import Table
from databases.prober import open_tables
from databases.tiers import board_at, tier_size
from solver.errors import AbapaError
from solver.oware.rules import AWARI, Rules
from tests.cli import command_line
from tests.cli.command_line import abapa, refused
from tests.databases.table_files import write_tables

RULES = Rules.parse("abapa+pits=4")
QUANTITIES = ("value", "lower", "upper", "distance")
TOP = 9


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tiers 0..9 with every quantity, in plain and in packed form: tier 9 is 11,440 boards."""
    folder = tmp_path_factory.mktemp("made")
    write_tables(folder, RULES, TOP, QUANTITIES)
    for path in find_tables(folder, RULES).values():
        with Table.open(path) as table:
            assert pack(table) == archive_path(folder, RULES, table.seeds)
    return folder


@pytest.fixture
def packed(made: Path, tmp_path: Path) -> Path:
    """A copy in which tiers 4.. are there in packed form only."""
    folder = shutil.copytree(made, tmp_path / "packed")
    for n in range(4, TOP + 1):
        table_path(folder, RULES, n).unlink()
    return folder


@pytest.fixture(params=COMPRESSIONS)
def compression(request: pytest.FixtureRequest) -> Iterator[str]:
    if request.param == "zstd":
        pytest.importorskip("hdf5plugin", reason="the extra abapa[zstd] is not installed")
    yield request.param


def flip_a_bit(archive: Path, quantity: str) -> None:
    """Change one bit in the middle of a quantity's first compressed chunk, or of its streams."""
    with h5py.File(archive) as file:
        dataset: Any = file[quantity]
        chunk = dataset.id.get_chunk_info(0) if dataset.chunks else None
        start = chunk.byte_offset if chunk else dataset.id.get_offset()
        size = chunk.size if chunk else dataset.id.get_storage_size()
    data = bytearray(archive.read_bytes())
    data[start + size // 2] ^= 4
    archive.write_bytes(data)


def test_unpacking_restores_every_byte(made: Path, packed: Path) -> None:
    for n, path in find_archives(packed, RULES).items():
        if n < 4:
            continue
        with Archive.open(path) as table:
            assert table.check() == []
            assert unpack(table).read_bytes() == table_path(made, RULES, n).read_bytes()
    assert list(packed.glob("*.part")) == []


def test_both_compressions_restore_every_byte(tmp_path: Path, compression: str) -> None:
    folder = tmp_path / "tables"
    build_tables(folder, AWARI, 8, distance=True)
    path = table_path(folder, AWARI, 8)
    before = path.read_bytes()
    with Table.open(path) as table:
        target = pack(table, compression=compression)
    path.unlink()
    with Archive.open(target) as table:
        assert unpack(table).read_bytes() == before


def test_answers_are_those_of_the_plain_tables(made: Path, packed: Path) -> None:
    random = np.random.default_rng(1)
    boards = [board_at(4, n, int(index)) for n in range(TOP + 1) for index in random.integers(0, tier_size(4, n), 20)]
    with open_tables(made, RULES) as plain, open_tables(packed, RULES) as both:
        assert [type(table).__name__ for table in both.tiers.values()] == ["Table"] * 4 + ["Archive"] * 6
        assert both.seeds == TOP and list(both.mapped) == [0, 1, 2, 3]
        for board in boards:
            assert both.probe(board) == plain.probe(board)
            assert both.moves(board) == plain.moves(board)
        for quantity in QUANTITIES:
            assert (both.probe_many(boards, quantity) == plain.probe_many(boards, quantity)).all()
        assert both.tiers[TOP].histograms == plain.tiers[TOP].histograms
        with pytest.raises(AbapaError, match="is packed and cannot be mapped: abapa unpack restores"):
            both.map(TOP)


def test_strangers_read_it_as_any_dataset(made: Path) -> None:
    with h5py.File(archive_path(made, RULES, TOP)) as file, Table.open(table_path(made, RULES, TOP)) as table:
        for quantity in QUANTITIES:
            dataset: Any = file[quantity]
            assert dataset.compression == "gzip" and (dataset[:] == table.map(quantity)).all()


@pytest.mark.parametrize("seeds", [12, pytest.param(14, marks=pytest.mark.full)])
def test_a_number_takes_less_than_three_and_a_half_bits(tmp_path: Path, seeds: int) -> None:
    build_tables(tmp_path, AWARI, seeds)
    with Table.open(table_path(tmp_path, AWARI, seeds)) as table:
        assert 8 * pack(table).stat().st_size / table.positions < 3.5


def test_a_changed_byte_is_found(packed: Path) -> None:
    path = archive_path(packed, RULES, TOP)
    data = path.read_bytes()
    with h5py.File(path) as file:
        value: Any = file["value"]
        places = value.id.get_chunk_info(0)
    for at in range(places.byte_offset + 3, places.byte_offset + places.size - 12, 97):
        wrong = bytearray(data)
        wrong[at] ^= 0x08
        path.write_bytes(wrong)
        with Archive.open(path) as table:
            assert table.check()
            with pytest.raises(TableError, match="is damaged"):
                unpack(table)
        assert not table_path(packed, RULES, TOP).exists() and not list(packed.glob("*.part"))
    with open_tables(packed, RULES) as tables, pytest.raises(TableError, match="is damaged: value, boards 0 on"):
        tables.probe_many([board_at(4, TOP, index) for index in range(200)])


def test_damaged_files_are_named(packed: Path) -> None:
    path = archive_path(packed, RULES, TOP)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(TableError, match="is truncated"):
        Archive.open(path)
    shutil.copy(archive_path(packed, RULES, TOP - 1), path)
    with pytest.raises(TableError, match="holds 8 seeds"):
        Archive.open(path)
    path.write_bytes(b"hello")
    with open_tables(packed, RULES) as tables, pytest.raises(TableError, match="is not an HDF5 file"):
        tables.probe((TOP, *[0] * 7))
    shutil.copy(table_path(packed, RULES, 3), archive_path(packed, RULES, 3))
    with pytest.raises(TableError, match="not a table of Abapa's"):
        Archive.open(archive_path(packed, RULES, 3))


@pytest.mark.parametrize("frame", [None, np.dtype("u1"), np.zeros(3), np.zeros((2, 2), np.uint8)])
def test_a_wrong_frame_is_found(packed: Path, frame: Any) -> None:
    with h5py.File(archive_path(packed, RULES, TOP), "r+") as file:
        del file["frame"]
        if frame is not None:
            file["frame"] = frame
    with pytest.raises(TableError, match=r"holds (no dataset frame|frame in a type)|whose frame is not packed"):
        Archive.open(archive_path(packed, RULES, TOP))


@pytest.mark.parametrize("offset", [0, 8, 2**40, -5, 2**63])
def test_wrong_offsets_are_not_unpacked(packed: Path, offset: int) -> None:
    path = archive_path(packed, RULES, TOP)
    with h5py.File(path, "r+") as file:
        file["upper"].attrs["offset_in_file"] = offset if offset < 2**63 else np.uint64(offset)
    with Archive.open(path) as table:
        (fault,) = table.check()
        with pytest.raises(TableError, match=r"is damaged: (its offsets|what it unpacks to)") as caught:
            unpack(table)
        assert fault == caught.value.fault
    assert not table_path(packed, RULES, TOP).exists() and not list(packed.glob("*.part"))


def test_a_damaged_table_is_not_packed(made: Path, tmp_path: Path) -> None:
    path = table_path(tmp_path, RULES, TOP)
    shutil.copy(table_path(made, RULES, TOP), path)
    with Table.open(path) as table:
        at = table.offsets["lower"] + 7
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)
    with Table.open(path) as table, pytest.raises(TableError, match="is damaged, so it is not packed: lower: chunk 0"):
        pack(table)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_the_commands(tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    folder.mkdir()
    write_tables(folder, RULES, 5, QUANTITIES)
    where = ["--rules", RULES.id, "--tables", folder]
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    shown = abapa("stats", *where)
    ran = abapa("pack", *where, "--remove")
    assert ran.code == 0 and ran.out.count(" bytes packed into ") == 6
    assert {path.name for path in folder.iterdir()} == {name.replace(".h5", ".packed.h5") for name in before}
    assert abapa("stats", *where) == shown
    assert abapa("check", *where).out.count("packed.h5: right\n") == 6
    assert abapa("unpack", *where).code == 0
    assert {name: (folder / name).read_bytes() for name in before} == before
    assert abapa("unpack", *where).out.count(": already there\n") == 6
    assert abapa("pack", *where).out.count("already packed") == 6
    assert abapa("unpack", *where, "--remove").code == 0
    assert {path.name for path in folder.iterdir()} == set(before)
    refused(abapa("unpack", *where), "no packed abapa+pits=4 table in")
    refused(abapa("pack", *where, "--seeds", "9"), "no abapa+pits=4 table of 9 seeds")


def test_nothing_is_removed_that_is_not_there_twice(tmp_path: Path) -> None:
    """--remove compares the two forms, and reads the one that stays."""
    write_tables(tmp_path, RULES, 3, ("value", "lower", "upper"))
    where = ["--rules", RULES.id, "--tables", tmp_path, "--seeds", "3"]
    plain, packed = table_path(tmp_path, RULES, 3), archive_path(tmp_path, RULES, 3)
    assert abapa("pack", *where).code == 0
    write_tables(tmp_path, RULES, 3, QUANTITIES)  # now with distances, which the packed form lacks
    refused(abapa("unpack", *where, "--remove"), "packed.h5 is kept: ", "holds other numbers")
    before = plain.read_bytes()
    ran = abapa("pack", *where, "--remove")
    assert ran.code == 0 and " bytes packed into " in ran.out and not plain.exists()
    assert abapa("pack", *where).out.endswith("bits per number\n")
    assert abapa("unpack", *where).code == 0 and plain.read_bytes() == before
    with Table.open(plain) as table:
        at = table.offsets["distance"]
    plain.write_bytes(before[:at] + bytes([before[at] ^ 1]) + before[at + 1 :])
    refused(abapa("unpack", *where, "--remove"), "is damaged, so abapa+pits=4-03.packed.h5 is kept: distance: chunk 0")
    plain.write_bytes(before)
    flip_a_bit(packed, "upper")
    refused(abapa("pack", *where, "--remove"), "is damaged, so abapa+pits=4-03.h5 is kept: ")
    assert plain.read_bytes() == before and packed.exists()


def test_packing_twice_gives_the_same_file(made: Path, tmp_path: Path) -> None:
    shutil.copy(table_path(made, RULES, TOP), tmp_path)
    time.sleep(1.1)
    with Table.open(table_path(tmp_path, RULES, TOP)) as table:
        assert pack(table, threads=1).read_bytes() == archive_path(made, RULES, TOP).read_bytes()


def test_packed_tiers_count_as_there_and_are_built_upon(tmp_path: Path) -> None:
    """They are unpacked to files without a name; a damaged one is an error."""
    build_tables(tmp_path / "plain", RULES, TOP)
    folder = shutil.copytree(tmp_path / "plain", tmp_path / "packed")
    for n in (8, 9):
        table_path(folder, RULES, n).unlink()
    where = ["--rules", RULES.id, "--tables", folder]
    assert abapa("pack", *where, "--remove").code == 0
    kept = abapa("build", *where, "--seeds", "7")
    assert kept.code == 0 and "tiers 0..7 (all there, 0..7 only packed), value" in kept.out
    assert abapa("unpack", *where, "--seeds", "3", "--remove").code == 0
    data = archive_path(folder, RULES, 5).read_bytes()
    archive_path(folder, RULES, 5).write_bytes(data[: len(data) // 2])
    refused(abapa("build", *where, "--seeds", "9"), "abapa+pits=4-05.packed.h5 is truncated")
    archive_path(folder, RULES, 5).write_bytes(data)
    ran = abapa("build", *where, "--seeds", "9")
    assert ran.code == 0, ran.err
    assert "tiers 0..9 (2 to build, 8 already there, 0..2, 4..7 only packed), value" in ran.out
    boards = sum(tier_size(4, n) for n in (0, 1, 2, 4, 5, 6, 7))
    assert f"  unpacked     {3 * boards:>20,} bytes of disk, for packed tiers, while it builds\n" in ran.out
    for n in (8, 9):
        assert table_path(folder, RULES, n).read_bytes() == table_path(tmp_path / "plain", RULES, n).read_bytes()
    assert not any(path.name.startswith(".") or path.suffix == ".part" for path in folder.iterdir())
    again = abapa("build", *where, "--seeds", "4", "--distance")  # what lacks a quantity is built, packed or not
    assert again.code == 0 and "(5 to build, 0 already there), value, lower, upper, distance" in again.out


def test_a_damaged_packed_tier_is_not_built_upon(tmp_path: Path) -> None:
    build_tables(tmp_path, AWARI, 8)
    where = ["--rules", "awari", "--tables", tmp_path]
    assert abapa("pack", *where, "--remove").code == 0
    flip_a_bit(archive_path(tmp_path, AWARI, 7), "value")
    refused(
        abapa("build", *where, "--seeds", "9"), "awari-07.packed.h5 is damaged: value", "delete it and build it again"
    )
    assert not table_path(tmp_path, AWARI, 9).exists()
    refused(
        abapa("verify-draw", "--per-pit", "1", "--tables", tmp_path), "0..8 seeds are there only packed", "abapa unpack"
    )


def test_a_full_disk(tmp_path: Path) -> None:
    """A limit on file sizes stands for the full disk."""
    build_tables(tmp_path, AWARI, 12)
    where = ["--rules", "awari", "--tables", str(tmp_path), "--seeds", "12", "--remove"]
    for command, limit, options in (("pack", 300_000, ["--compression", "gzip"]), ("unpack", 1_000_000, [])):
        before = {path.name for path in tmp_path.iterdir()}
        code = f"import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, resource.RLIM_INFINITY));"
        code += "from solver.cli import main; sys.argv = sys.argv[1:]; main()"
        run = [command_line.ABAPA[0], "-c", code, "abapa", command, *where, *options]
        refused(subprocess.run(run, capture_output=True, text=True, check=False), "cannot write ", "too large; the ")
        assert {path.name for path in tmp_path.iterdir()} == before
        assert abapa(command, *where, *options).code == 0


def test_zstd_without_the_extra_says_how_to_get_it(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("databases.files.archive.importlib.util.find_spec", lambda name: None)
    with (
        Table.open(table_path(made, RULES, 3)) as table,
        pytest.raises(AbapaError, match=r"pip install 'abapa\[zstd\]'"),
    ):
        pack(table, compression="zstd")
