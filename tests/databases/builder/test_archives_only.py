"""Builds that keep archives alone: those that packing plain tables makes, whatever was there before; nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from databases.builder.build import build_tables
from databases.builder.memory import BASE_MEMORY
from databases.builder.plan import PlanError
from databases.files import inmemory
from databases.files.archive import Archive
from databases.files.faults import TableWriteError
from databases.files.folder import find_archives, find_tables
from databases.files.inmemory import memory_folder
from databases.files.packing import pack_half
from databases.files.table import Table
from databases.tiers import tier_size
from databases.windows import Game
from solver.errors import AbapaError
from solver.oware.rules import AWARI, Rules
from tests.cli.command_line import ABAPA, abapa, refused

FULL = {"seeds": 9}
BUILDS = [
    pytest.param("awari", FULL, id="awari"),
    pytest.param("abapa+pits=4", {"seeds": 10, "distance": True}, id="bounds and distances"),
    pytest.param("awari", {"game": Game(12)}, id="windows"),
    pytest.param("abapa", {"game": Game(10, 2)}, id="bounds in windows"),
    pytest.param("awari+pits=2", {"seeds": 14}, id="two houses"),
]


def files(folder: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def archives(folder: Path) -> dict[str, bytes]:
    """Every archive, byte for byte."""
    return {name: data for name, data in files(folder).items() if name.endswith(".packed.h5")}


def packed(folder: Path, rules: Rules) -> dict[str, bytes]:
    """What packing the plain tables of a folder makes."""
    for path in find_tables(folder, rules).values():
        with Table.open(path) as table:
            pack_half(table)
    return archives(folder)


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where folders in memory are made."""
    folder = tmp_path / "shared"
    folder.mkdir()
    monkeypatch.setattr(inmemory, "IN_MEMORY", folder)
    return folder


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("rules", "wanted"), BUILDS)
def test_the_archives_are_those_of_the_plain_tables(
    rules: str, wanted: dict, threads: int, tmp_path: Path, shared: Path
) -> None:
    plain, kept = tmp_path / "plain", tmp_path / "kept"
    build_tables(plain, Rules.parse(rules), **wanted)
    right = packed(plain, Rules.parse(rules))
    lines = []
    plan = build_tables(kept, Rules.parse(rules), archive=True, threads=threads, report=lines.append, **wanted)
    assert archives(kept) == right and len(right) == len(plan.tiers)
    assert not find_tables(kept, Rules.parse(rules)) and not list(kept.glob("*.part"))
    assert sum(map(len, right.values())) <= plan.disk
    assert "at most, as archives" in lines[0] and all("bits per number" in line for line in lines[1:])
    assert not list(shared.iterdir())


def test_a_third_of_the_disk_is_never_passed(tmp_path: Path) -> None:
    folder, most = tmp_path / "tables", 0

    def measure(_: str) -> None:
        nonlocal most
        most = max(most, sum(path.stat().st_size for path in folder.iterdir()) if folder.is_dir() else 0)

    build_tables(folder, AWARI, 14, archive=True, checkpoint_share=0, report=measure)
    measure("")
    whole = build_tables(tmp_path / "plain", AWARI, 14, dry_run=True).disk
    assert 0 < most < whole / 3


@pytest.mark.parametrize("before", [{"archive": True}, {}, {"archive": True, "seeds": 5}], ids=str)
def test_a_build_goes_on_from_what_is_there(before: dict, tmp_path: Path) -> None:
    """Archives are unpacked into memory; plain tables are read where they lie, and stay plain."""
    build_tables(tmp_path / "plain", AWARI, 9)
    right = packed(tmp_path / "plain", AWARI)
    folder = tmp_path / "tables"
    build_tables(folder, AWARI, **{"seeds": 7, **before})
    kept = files(folder)
    build_tables(folder, AWARI, 9, archive=True)
    made = archives(folder)
    assert all(right[name] == data for name, data in made.items()) and {8, 9} <= find_archives(folder, AWARI).keys()
    assert all(files(folder)[name] == data for name, data in kept.items() if name.endswith(".h5"))
    assert set(find_tables(folder, AWARI)) == (set() if "archive" in before else set(range(8)))


def test_a_plain_table_that_lacks_something_gives_way(tmp_path: Path) -> None:
    rules, folder = Rules.parse("abapa+pits=3"), tmp_path / "tables"
    build_tables(folder, rules, 6, bounds=False)
    build_tables(folder, rules, 6, archive=True)
    assert not find_tables(folder, rules) and len(find_archives(folder, rules)) == 7
    with Archive.open(find_archives(folder, rules)[6]) as table:
        assert table.quantities == ("value", "lower", "upper") and table.check() == []


def test_a_full_disk_keeps_what_is_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared: Path) -> None:
    folder = tmp_path / "tables"
    flush = os.fsync

    def full(descriptor: int) -> None:
        if "awari-06.packed" in str(Path(f"/proc/self/fd/{descriptor}").readlink()):
            raise OSError(28, os.strerror(28))
        flush(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr("databases.files.disk.os.fsync", full)
        with pytest.raises(TableWriteError, match=r"awari-06.packed.h5: No space left .*; finished tables are intact"):
            build_tables(folder, AWARI, 8, archive=True)
    assert sorted(find_archives(folder, AWARI)) == list(range(6)) and not list(folder.glob("*.part"))
    assert not list(shared.iterdir())
    build_tables(folder, AWARI, 8, archive=True)
    build_tables(tmp_path / "plain", AWARI, 8)
    assert archives(folder) == packed(tmp_path / "plain", AWARI)


def test_memory_for_plain_tables_is_counted(tmp_path: Path) -> None:
    plans = [build_tables(tmp_path, AWARI, 20, dry_run=True, archive=archive) for archive in (False, True)]
    below = sum(tier_size(6, n) for n in (*range(19), 20))
    assert plans[1].plain_memory(20) == pytest.approx(below, rel=0.01)
    assert plans[1].peak_memory >= below + BASE_MEMORY
    with pytest.raises(PlanError, match="not enough memory"):
        build_tables(tmp_path, AWARI, 20, archive=True, memory=plans[1].least_memory - (1 << 20))


def test_what_a_killed_build_leaves_in_memory_goes_with_the_next(tmp_path: Path, shared: Path) -> None:
    command = [*ABAPA, "build", "--rules", "awari", "--seeds", "20", "--archive", "--tables", str(tmp_path / "tables")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as build:
        assert build.stdout
        for line in build.stdout:
            if line.startswith("tier 12"):
                break
        mine = {path for path in Path("/dev/shm").glob("abapa-in-memory-*") if (path / "awari-12.h5").exists()}
        build.kill()
    assert len(mine) == 1
    (left,) = mine
    shutil.copytree(left, shared / left.name)
    room = inmemory.memory_room()
    assert room > shutil.disk_usage(shared).free
    with memory_folder() as folder:
        assert list(shared.iterdir()) == [folder]
        with memory_folder() as second:
            assert folder.is_dir() and second.is_dir()
    assert not list(shared.iterdir())
    shutil.rmtree(left)
    assert set(range(12)) <= find_archives(tmp_path / "tables", AWARI).keys()


def test_elsewhere_it_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(inmemory, "IN_MEMORY", tmp_path / "missing")
    with pytest.raises(AbapaError, match=r"no files in memory: .*missing is no folder"):
        build_tables(tmp_path / "tables", AWARI, 3, archive=True)
    assert not (tmp_path / "tables").exists()


def test_too_little_room_in_memory_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("databases.builder.plan.memory_room", lambda: 100_000)
    with pytest.raises(PlanError, match=r"no room in /dev/shm: plain tables take 123,449 bytes .* 100,000 are free"):
        build_tables(tmp_path / "tables", AWARI, 3, archive=True)


def test_on_the_command_line(tmp_path: Path) -> None:
    made = abapa("build", "--rules", "awari", "--seeds", "8", "--archive", "--tables", tmp_path)
    assert made.code == 0 and made.out.count("bits per number") == 9
    asked = abapa("probe", "1-0-0-0-0-1-0-0-0-1-1-1", "--rules", "awari", "--tables", tmp_path)
    build_tables(tmp_path / "plain", AWARI, 5)
    plain = abapa("probe", "1-0-0-0-0-1-0-0-0-1-1-1", "--rules", "awari", "--tables", tmp_path / "plain")
    assert asked.code == 0 and asked.out == plain.out
    both = abapa("build", "--rules", "awari", "--seeds", "8", "--archive", "--engine", "mpi", "--tables", tmp_path)
    refused(both, "--engine mpi keeps plain tables")
