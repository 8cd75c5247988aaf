"""Writing tables: whole or not at all, and the same file every time."""

import os
import resource
import shutil
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from databases.files.faults import (
    TableWriteError,
)
from databases.files.folder import table_path
from databases.files.packing import pack
from databases.files.table import Table
from databases.files.writer import TableWriter
from databases.tiers import tier_size
from solver.oware.rules import AWARI, Rules
from tests.databases.files.small_tables import SMALL, numbers
from tests.databases.table_files import write_tables, write_tier


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

    monkeypatch.setattr("databases.files.writer.new_file", interrupt)
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


# -- no room, no permission --------------------------------------------------------------------------------------------


def test_too_little_room_is_said_with_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1000))
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


# -- the same file every time ------------------------------------------------------------------------------------------


def test_equal_tables_are_equal_files(folder: Path, tmp_path: Path) -> None:
    """HDF5 keeps times of whole seconds, if it is let."""
    time.sleep(1.1)
    again = tmp_path / "again"
    again.mkdir()
    write_tables(again, SMALL, 5, ("value", "distance"))
    for path in again.iterdir():
        assert path.read_bytes() == (folder / path.name).read_bytes()


def test_no_text_lies_in_a_heap_without_checksum(folder: Path) -> None:
    """Zeros in one, a page of a lost disk, keep HDF5 reading for ever."""
    with Table.open(table_path(folder, SMALL, 4)) as table:
        packed = pack(table)
    for path in (table_path(folder, SMALL, 4), packed):
        assert b"GCOL" not in path.read_bytes()
