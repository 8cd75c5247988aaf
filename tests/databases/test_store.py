"""Writing tables, and every way in which a file can be no table."""

import hashlib
import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from databases import store
from databases.archive import pack
from databases.folder import TABLES_VARIABLE, parse_name, tables_folder
from databases.journal import JOURNAL_NAME, write_down
from databases.store import (
    ForeignTableError,
    InaccessibleTableError,
    IncompleteTableError,
    Table,
    TableError,
    TableVersionError,
    TableWriteError,
    TableWriter,
    UnreadableTableError,
    WrongTableError,
    find_tables,
    table_path,
)
from databases.tiers import tier_size
from solver.oware.rules import ABAPA, AWARI, Rules
from tests.databases.table_files import write_tables, write_tier
from tests.databases.tables_in_memory import Quantities, built
from tests.oware.strategies import table_rule_sets

SMALL = Rules.parse("awari+pits=3")


def numbers() -> Quantities:
    return built(SMALL, 5, bounds=False, distance=True)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with awari of 3 houses, tiers 0..5."""
    folder = tmp_path_factory.mktemp("made")
    write_tables(folder, SMALL, 5, ("value", "distance"))
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A copy to damage."""
    return shutil.copytree(made, tmp_path / "tables")


@given(table_rule_sets, st.integers(0, 127))
def test_names_read_back(rules: Rules, seeds: int) -> None:
    assert parse_name(table_path(Path("x"), rules, seeds)) == (rules.id, seeds)


def test_names_are_those_of_the_design(tmp_path: Path) -> None:
    assert table_path(Path(), AWARI, 12).name == "awari-12.h5"
    assert table_path(Path(), Rules.parse("abapa+cycle=even"), 8).name == "abapa+cycle=even-08.h5"
    assert table_path(Path(), Rules.parse("awari+pits=4"), 10).name == "awari+pits=4-10.h5"
    for name in ("awari-12.h5", "awari+pits=4-10.h5", "awari-03.h5", "awari-04.h5.part", "notes.txt"):
        (tmp_path / name).touch()
    assert list(find_tables(tmp_path, AWARI)) == [3, 12]
    assert find_tables(tmp_path / "absent", AWARI) == {}


def test_the_folder_is_the_option_the_variable_or_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TABLES_VARIABLE, "/from/variable")
    assert tables_folder("/from/option") == Path("/from/option")
    assert tables_folder() == Path("/from/variable")
    monkeypatch.delenv(TABLES_VARIABLE)
    assert tables_folder().parts[-2:] == ("abapa", "tables")


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


def test_exact_boards_are_counted(tmp_path: Path) -> None:
    rules = Rules.parse("abapa+pits=2")
    solved = write_tables(tmp_path, rules, 4, ("value", "lower", "upper"))
    with Table.open(table_path(tmp_path, rules, 4)) as table:
        lower, upper = solved["lower"][4], solved["upper"][4]
        values, counts = np.unique(lower[lower == upper], return_counts=True)
        assert table.histograms["exact"] == dict(zip(values.tolist(), counts.tolist(), strict=True))


@settings(max_examples=20, deadline=None)
@given(st.permutations(range(8)), st.data())
def test_pieces_may_come_in_any_order(tmp_path_factory: pytest.TempPathFactory, order: list[int], data: st.DataObject):
    folder = tmp_path_factory.mktemp("pieces")
    numbers = np.arange(tier_size(3, 4), dtype=np.int64).astype(np.int8)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(numbers)), min_size=7, max_size=7)))
    edges = [0, *cuts, len(numbers)]
    with TableWriter(folder, SMALL, 4) as writer:
        for k in order:
            writer.write("value", edges[k], numbers[edges[k] : edges[k + 1]])
        path = writer.commit(extra={"note": "any"})
    with Table.open(path) as table:
        assert (table.map("value") == numbers).all() and table.check() == []
        assert table.attributes["note"] == "any"


def test_leaving_without_commit_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), TableWriter(tmp_path, SMALL, 4) as writer:
        assert writer.part.exists()
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_while_the_file_is_laid_out_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even a descriptor that is closed twice, which might be another thread's file by then."""

    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(store, "new_file", interrupt)
    with pytest.raises(KeyboardInterrupt):
        TableWriter(tmp_path, SMALL, 4).__enter__()
    assert list(tmp_path.iterdir()) == []


def test_commit_wants_every_element(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="of 126 elements"), TableWriter(tmp_path, SMALL, 4) as writer:
        writer.write("value", 0, np.zeros(5, np.int8))
        writer.commit()
    assert list(tmp_path.iterdir()) == []


def test_writing_replaces_a_table_only_at_the_end(folder: Path) -> None:
    path = table_path(folder, SMALL, 3)
    before = path.read_bytes()
    (path.parent / (path.name + ".part")).write_bytes(b"left by a killed builder")
    with TableWriter(folder, SMALL, 3) as writer:
        writer.write("value", 0, np.zeros(writer.positions, np.int8))
        assert path.read_bytes() == before
    assert path.read_bytes() == before
    write_tier(folder, SMALL, 3, ("value",), numbers())
    assert path.read_bytes() != before


# -- no room, no permission ------------------------------------------------------------------------------------------


def test_too_little_room_is_said_with_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(store.shutil, "disk_usage", lambda _: usage._replace(free=1000))
    with pytest.raises(TableWriteError, match=r"needs \d[\d,]+ bytes, 1,000 are free"):
        TableWriter(tmp_path, SMALL, 4).__enter__()
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_fills_up_leaves_no_part(tmp_path: Path) -> None:
    """A limit on file sizes stands for the full disk: the same error from the same calls."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, hard))
    try:
        with pytest.raises(TableWriteError, match=r"cannot write .*awari-12.h5: .*finished tables are intact"):
            TableWriter(tmp_path, AWARI, 12).__enter__()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("call", ["pwrite", "fsync"])
def test_a_disk_error_while_writing_leaves_no_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    def fail(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with (
        pytest.raises(TableWriteError, match=r"No space left on device \(it needs [\d,]+ bytes, [\d,]+ are free\)"),
        TableWriter(tmp_path, SMALL, 4) as writer,
        monkeypatch.context() as patch,
    ):
        patch.setattr(os, call, fail)
        writer.write("value", 0, np.zeros(writer.positions, np.int8))
        writer.commit()
    assert list(tmp_path.iterdir()) == []


def test_a_really_full_disk(tmp_path: Path) -> None:
    """A small memory file system, where this may be mounted."""
    mount = tmp_path / "small"
    mount.mkdir()
    if (
        os.geteuid()
        or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(mount)], check=False, capture_output=True
        ).returncode
    ):
        pytest.skip("mounting a file system is not allowed here")
    try:
        write_tier(mount, SMALL, 5, ("value",), numbers())
        with pytest.raises(TableWriteError, match=r"no room for .*awari-12.h5"):
            TableWriter(mount, AWARI, 12).__enter__()
        assert [path.name for path in mount.iterdir()] == ["awari+pits=3-05.h5"]
        subprocess.run(["mount", "-o", "remount,ro", str(mount)], check=True)
        with pytest.raises(TableWriteError, match=r"cannot write .*Read-only file system"):
            TableWriter(mount, SMALL, 4).__enter__()
    finally:
        subprocess.run(["umount", str(mount)], check=True)


def test_an_absent_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(TableWriteError, match=r"cannot write .*absent"):
        TableWriter(tmp_path / "absent", SMALL, 4).__enter__()


# -- files that are no tables -----------------------------------------------------------------------------------------


def change(path: Path, **attributes: object) -> None:
    with h5py.File(path, "r+") as file:
        for name, value in attributes.items():
            file.attrs[name] = value


@pytest.mark.parametrize(
    ("attributes", "kind", "text"),
    [
        ({"format": "someone else's"}, ForeignTableError, "not a table of Abapa's"),
        (
            {"format_version": 0},
            TableVersionError,
            "version 0, older than the 1 read here: delete it and build it again",
        ),
        ({"format_version": 2}, TableVersionError, "version 2, newer than the 1 read here: update Abapa"),
        ({"complete": False}, IncompleteTableError, "was not finished"),
        ({"rules": "abapa+cycle=even+pits=3"}, ForeignTableError, "contradict each other"),
        ({"rules": "bao"}, ForeignTableError, "unknown rule set 'bao'"),
        ({"seeds": 5}, ForeignTableError, "its attributes are damaged"),
        ({"quantities": "value lower"}, ForeignTableError, "holds no dataset lower: it is damaged"),
        ({"quantities": "distance"}, ForeignTableError, "says that it holds 'distance'"),
        ({"quantities": "value value"}, ForeignTableError, "says that it holds 'value value'"),
        ({"quantities": "value eggs"}, ForeignTableError, "says that it holds 'value eggs'"),
        ({"quantities": 3}, ForeignTableError, "has no attribute quantities as a table has it"),
        ({"game": [1, 2]}, ForeignTableError, "has no attribute game as a table has it"),
        ({"game": "chess"}, ForeignTableError, "is a table of 'chess'"),
        ({"pits": "three"}, ForeignTableError, "has no attribute pits as a table has it"),
        ({"seeds": [4, 4]}, ForeignTableError, "has no attribute seeds as a table has it"),
        ({"seeds": 10**12}, ForeignTableError, "its attributes are damaged"),
        ({"format": [1.5, 2.5]}, ForeignTableError, "not a table of Abapa's"),
        ({"index": "some other"}, ForeignTableError, "contradict each other"),
    ],
)
def test_wrong_attributes(folder: Path, attributes: dict[str, object], kind: type[TableError], text: str) -> None:
    path = table_path(folder, SMALL, 4)
    change(path, **attributes)
    with pytest.raises(kind, match=text) as caught:
        Table.open(path)
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)


def test_a_table_under_another_name(folder: Path) -> None:
    table_path(folder, SMALL, 4).replace(table_path(folder, SMALL, 5))
    with pytest.raises(WrongTableError, match=r"holds 4 seeds of awari\+pits=3"):
        Table.open(table_path(folder, SMALL, 5))
    table_path(folder, SMALL, 3).replace(table_path(folder, ABAPA, 3))
    with pytest.raises(WrongTableError, match=r"holds 3 seeds of awari\+pits=3"):
        Table.open(table_path(folder, ABAPA, 3))


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


@pytest.mark.parametrize("what", ["group", "link", "short", "wide", "hashes", "numbers", "histogram", "uncounted"])
def test_what_stands_in_for_a_dataset(folder: Path, what: str) -> None:
    """Nothing but numbers of the right kind in this very file will do, and everything else is said in one line."""
    path, texts = table_path(folder, SMALL, 4), {"group": "holds no dataset value", "link": "holds no dataset value"}
    shutil.copy(path, folder / "other.h5")
    with h5py.File(path, "r+") as file:
        attributes = dict(file["value"].attrs)
        hashes = "chunk_sha256/value"
        if what in ("group", "link", "short", "wide"):
            del file["value"]
        if what == "group":
            file.create_group("value").attrs.update(attributes)
        elif what == "link":
            file["value"] = h5py.ExternalLink("other.h5", "/value")
        elif what == "short":
            file.create_dataset("value", data=np.zeros(7, np.int8)).attrs.update(attributes)
        elif what == "wide":
            file.create_dataset("value", data=np.zeros(126, ">i2")).attrs.update(attributes)
        elif what in ("hashes", "numbers"):
            del file[hashes]
            file[hashes] = np.zeros(3, "S64") if what == "hashes" else np.zeros(1, np.int64)
        elif what == "histogram":
            file["value"].attrs["histogram_counts"] = np.zeros(2, np.int64)
        else:
            counts: Any = file["value"].attrs["histogram_counts"]
            file["value"].attrs["histogram_counts"] = counts + 1
    with pytest.raises(TableError, match=texts.get(what, "is damaged|holds no|has .* hashes|does not count")) as caught:
        Table.open(path)
    assert str(caught.value).startswith(f"{path} ") and "\n" not in str(caught.value)
    assert str(caught.value).count(str(path)) == 1


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


# -- the same file every time -----------------------------------------------------------------------------------------


def test_equal_tables_are_equal_files(folder: Path, tmp_path: Path) -> None:
    """HDF5 keeps times of whole seconds, if it is let."""
    time.sleep(1.1)
    again = tmp_path / "again"
    again.mkdir()
    write_tables(again, SMALL, 5, ("value", "distance"))
    for path in again.iterdir():
        assert path.read_bytes() == (folder / path.name).read_bytes()


def test_tables_of_earlier_versions_open(folder: Path) -> None:
    """They carried the seconds that their build took."""
    path = table_path(folder, SMALL, 4)
    with Table.open(path) as table:
        assert table.build_seconds is None
    change(path, seconds=1.5)
    with Table.open(path) as table:
        assert table.build_seconds == 1.5 and table.check() == []


def test_what_a_build_took_is_in_the_journal(folder: Path) -> None:
    path = table_path(folder, SMALL, 4)
    with Table.open(path) as table:
        sha256 = table.header.digests["value"].whole
    write_down(folder, SMALL.id, 4, "another table", 7.0, 1)
    write_down(folder, SMALL.id, 4, sha256, 2.25, 1)
    write_down(folder, SMALL.id, 5, sha256, 9.0, 1)
    with (folder / JOURNAL_NAME).open("a") as journal:
        journal.write('[]\n{"rules": "awari+pi')
    with Table.open(path) as table:
        assert table.build_seconds == 2.25


def test_no_text_lies_in_a_heap_without_checksum(folder: Path) -> None:
    """Zeros in one, a page of a lost disk, keep HDF5 reading for ever."""
    with Table.open(table_path(folder, SMALL, 4)) as table:
        packed = pack(table)
    for path in (table_path(folder, SMALL, 4), packed):
        assert b"GCOL" not in path.read_bytes()


def test_an_unfinished_part_is_told_apart(folder: Path) -> None:
    path = table_path(folder, SMALL, 4)
    with TableWriter(folder, SMALL, 4) as writer:
        shutil.copy(writer.part, path)
    with pytest.raises(TableError, match=r"not a table|not finished"):
        Table.open(path)


@pytest.mark.skipif(os.geteuid() == 0 and not shutil.which("setpriv"), reason="the superuser may read everything")
def test_a_file_that_may_not_be_read(folder: Path) -> None:
    path = table_path(folder, SMALL, 4)
    path.chmod(0)
    code = f"from databases.store import Table; from pathlib import Path; Table.open(Path({str(path)!r}))"
    for parent in (folder, folder.parent):
        parent.chmod(0o755)
    drop = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []
    run = subprocess.run([*drop, sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "InaccessibleTableError" in run.stderr and "Permission denied: ask for the right to read it" in run.stderr


# -- damage -----------------------------------------------------------------------------------------------------------


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
    monkeypatch.setattr(store, "CHUNK", 64)
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
