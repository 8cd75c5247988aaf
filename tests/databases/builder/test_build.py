"""Whole builds: tiers finished behind the builder's back, what an end at any moment leaves, the same files always."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

from databases.builder import finish
from databases.builder.build import NoProgress, build_tables
from databases.builder.finish import COMMIT_MEMORY, Committed, Finisher
from databases.builder.memory import TierMemory
from databases.builder.plan import make_plan, ranges_text
from databases.files.faults import TableWriteError
from databases.files.folder import find_tables, table_path
from databases.files.lock import LOCK_NAME
from databases.files.table import Table
from databases.files.writer import TableWriter
from solver.oware.rules import ABAPA, AWARI, Rules
from tests.cli import command_line
from tests.cli.command_line import abapa
from tests.databases.tables_in_memory import built

SMALL = Rules.parse("awari+pits=3")


def files(folder: Path) -> dict[str, bytes]:
    """Every table file, byte for byte."""
    return {path.name: path.read_bytes() for path in folder.glob("*.h5")}


def written(finisher: Finisher, folder: Path, seeds: int) -> TableWriter:
    """A table that is written whole and not yet committed."""
    writer = finisher.open(TableWriter(folder, SMALL, seeds))
    writer.write("value", 0, built(SMALL, 5)["value"][seeds])
    return writer


@pytest.fixture
def slow_disk(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Flushing a table waits for this event."""
    ready, fsync = threading.Event(), os.fsync

    def wait(descriptor: int) -> None:
        assert ready.wait(30)
        fsync(descriptor)

    monkeypatch.setattr("databases.files.writer.os.fsync", wait)
    return ready


# -- one tier at a time -----------------------------------------------------------------------------------------------


def test_one_table_at_a_time_is_on_its_way(tmp_path: Path, slow_disk: threading.Event) -> None:
    told: list[int] = []
    with Finisher(True, lambda table: told.append(table.writer.seeds)) as finisher:
        finisher.commit(written(finisher, tmp_path, 3), time.perf_counter())
        second = written(finisher, tmp_path, 4)
        finisher.poll()
        assert (told, find_tables(tmp_path, SMALL)) == ([], {})
        threading.Timer(0.3, slow_disk.set).start()
        began = time.perf_counter()
        finisher.commit(second, began)
        assert time.perf_counter() - began > 0.2 and told == [3] and 3 in find_tables(tmp_path, SMALL)
    assert told == [3, 4]
    for n, path in find_tables(tmp_path, SMALL).items():
        with Table.open(path) as table:
            assert table.seeds == n and table.check() == []


def test_one_thread_is_one_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With --threads 1 nothing is hashed, flushed or compressed on another thread."""
    on, commit = set(), TableWriter.commit

    def spy(self: TableWriter, threads: int = 1) -> Path:
        on.add(threading.current_thread())
        return commit(self, threads=threads)

    def no_pool(*_: object) -> None:
        raise AssertionError("a second thread")

    monkeypatch.setattr(TableWriter, "commit", spy)
    monkeypatch.setattr(finish, "ThreadPoolExecutor", no_pool)
    monkeypatch.setattr("databases.files.hashes.ThreadPoolExecutor", no_pool)
    before = threading.active_count()
    build_tables(tmp_path, AWARI, 7, threads=1, distance=True)
    assert on == {threading.main_thread()} and threading.active_count() == before
    with Table.open(table_path(tmp_path, AWARI, 7)) as table:
        assert table.check(threads=1) == []


def test_the_builder_does_not_wait_for_the_disk(tmp_path: Path, slow_disk: threading.Event) -> None:
    """While tier n is being flushed tier n + 1 is built; the line on n comes when its file has its name."""
    seen: dict[int, set[int]] = {}

    class Watch(NoProgress):
        def tier(self, seeds: int) -> None:
            seen[seeds] = set(find_tables(tmp_path, AWARI))
            if seeds == 1:
                slow_disk.set()

    lines: list[str] = []
    build_tables(tmp_path, AWARI, 5, threads=2, progress=Watch(), report=lines.append)
    assert seen[1] == set() and all(n - 1 <= len(seen[n]) <= n for n in range(1, 6))
    assert [line.split(":")[0] for line in lines[1:]] == [f"tier  {n}" for n in range(6)]


def test_gaps_are_filled_from_tiers_that_have_arrived(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tier 7 reads tier 5, which is on its way when tier 6, that is there, gives the builder nothing to do."""
    build_tables(tmp_path, AWARI, 9)
    before, fsync = files(tmp_path), os.fsync

    def slow(descriptor: int) -> None:
        time.sleep(0.3)
        fsync(descriptor)

    for n in (3, 5, 7, 8):
        table_path(tmp_path, AWARI, n).unlink()
    monkeypatch.setattr("databases.files.writer.os.fsync", slow)
    build_tables(tmp_path, AWARI, 9, threads=2)
    assert files(tmp_path) == before


# -- what an end leaves -----------------------------------------------------------------------------------------------


def test_a_build_that_is_interrupted_waits_for_the_tier_on_its_way(tmp_path: Path, slow_disk: threading.Event) -> None:
    class Stop(NoProgress):
        def tier(self, seeds: int) -> None:
            if seeds == 1:
                threading.Timer(0.3, slow_disk.set).start()
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_tables(tmp_path, AWARI, 5, threads=2, progress=Stop())
    assert set(files(tmp_path)) == {"awari-00.h5"} and not list(tmp_path.glob("*.part"))
    assert not (tmp_path / LOCK_NAME).exists()


def test_a_second_ctrl_c_gives_it_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hashing, told = threading.Event(), []

    def wait(values: object, counts: object) -> None:
        hashing.set()
        assert writer._abandoned.wait(30)

    monkeypatch.setattr("databases.files.writer.count_margins", wait)
    writer = TableWriter(tmp_path, SMALL, 5)

    def build() -> None:
        with Finisher(True, told.append) as finisher:
            finisher.open(writer)
            writer.write("value", 0, built(SMALL, 5)["value"][5])
            finisher.commit(writer, 0.0)
            assert hashing.wait(30)
            threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build()
    assert told == [] and list(tmp_path.iterdir()) == []


def fail_at(monkeypatch: pytest.MonkeyPatch, table: str) -> None:
    """A disk error at the flush of one table."""
    fsync = os.fsync

    def fail(descriptor: int) -> None:
        if table in str(Path(f"/proc/self/fd/{descriptor}").readlink()):
            raise OSError(28, "No space left on device")
        fsync(descriptor)

    monkeypatch.setattr("databases.files.writer.os.fsync", fail)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs Linux's names of open files")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("failing", [3, 6])
def test_an_error_in_finishing_ends_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threads: int, failing: int
) -> None:
    """The last tier's too; the tiers before stay, and the next build goes on from there."""
    build_tables(tmp_path / "whole", AWARI, 6, threads=1)
    folder, lines = tmp_path / "tables", []
    with monkeypatch.context() as patch:
        fail_at(patch, f"awari-{failing:02d}.h5")
        with pytest.raises(TableWriteError, match=rf"cannot write .*awari-{failing:02d}.h5: No space left on device"):
            build_tables(folder, AWARI, 6, threads=threads, report=lines.append)
    assert set(files(folder)) == {f"awari-{n:02d}.h5" for n in range(failing)} and len(lines) == 1 + failing
    assert not list(folder.glob("*.part")) and not (folder / LOCK_NAME).exists()
    build_tables(folder, AWARI, 6, threads=threads)
    assert files(folder) == files(tmp_path / "whole")


def test_what_a_killed_build_had_begun_is_removed_and_its_room_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("awari-03.h5.part", "awari-15.h5.part", "awari-02.packed.h5.part", "abapa-03.h5.part", "notes.part"):
        (tmp_path / name).write_bytes(bytes(1 << 20))
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr("databases.builder.plan.shutil.disk_usage", lambda _: usage._replace(free=1000))
    assert make_plan(tmp_path, AWARI, 4, (), bounds=True, distance=False, threads=1, memory=1).free_disk == 1000 + (
        3 << 20
    )
    monkeypatch.undo()
    build_tables(tmp_path, AWARI, 4)
    assert {path.name for path in tmp_path.glob("*.part")} == {"abapa-03.h5.part", "notes.part"}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("tier", [14, pytest.param(16, marks=pytest.mark.full)])
def test_signals_leave_whole_tables(tmp_path: Path, number: int, tier: int) -> None:
    """Sent the moment that a table is begun, while the one before is being finished."""
    command = [*command_line.ABAPA, "build", "--rules", "awari", "--seeds", "20", "--tables", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as build:
        while not list(tmp_path.glob(f"awari-{tier}.h5*")):
            assert build.poll() is None
            time.sleep(0.002)
        build.send_signal(number)
        _, err = build.communicate()
    assert build.returncode == (130 if number == signal.SIGINT else -signal.SIGTERM), err
    assert "Traceback" not in err
    parts = len(list(tmp_path.glob("*.part")))
    assert parts == 0 if number == signal.SIGINT else parts <= 2
    ran = abapa("check", "--rules", "awari", "--tables", tmp_path)
    assert ran.code == 0 and tier - 1 <= ran.out.count(": right\n") <= tier + 1
    again = abapa("build", "--rules", "awari", "--seeds", str(tier), "--tables", tmp_path)
    assert again.code == 0 and not list(tmp_path.glob("*.part"))


# -- the same files ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rules", "distance"), [(AWARI, True), (ABAPA, False)])
def test_whole_files_do_not_depend_on_the_run_or_the_threads(tmp_path: Path, rules: Rules, distance: bool) -> None:
    """Nor on the second in which they were written."""
    for threads in (1, 2):
        build_tables(tmp_path / str(threads), rules, 9, threads=threads, distance=distance)
        time.sleep(1.1)
    one, two = files(tmp_path / "1"), files(tmp_path / "2")
    assert len(one) == 10 and one == two


# -- the plan ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["words", "bytes", "bare cells", "cells"])
def test_the_plan_counts_the_tier_on_its_way(form: str) -> None:
    def extra(threads: int, seeds: int) -> int:
        several, one = (TierMemory(AWARI, seeds, seeds, ("value",), count).of_form(form) for count in (threads, 1))
        return several - one

    assert extra(2, 0) >= COMMIT_MEMORY and extra(1, 0) == 0


def test_the_plan_names_ranges(tmp_path: Path) -> None:
    assert ranges_text([]) == "" and ranges_text([4]) == "4"
    assert ranges_text([0, 1, 2, 5, 7, 8]) == "0..2, 5, 7..8"
    missing = tuple(range(17))
    small = TierMemory(AWARI, 16, 16, ("value",), 2).in_cells()
    plan = make_plan(tmp_path, AWARI, 16, missing, bounds=True, distance=False, threads=2, memory=small)
    assert len(plan.in_cells) > 1
    assert f"bytes of disk, to build tier {plan.in_cells[0]}..16 in little memory" in plan.text


def test_committed_tells_of_the_writer(tmp_path: Path) -> None:
    told: list[Committed] = []
    with Finisher(False, told.append) as finisher:
        finisher.commit(written(finisher, tmp_path, 5), time.perf_counter())
        written(finisher, tmp_path, 4)
    assert [table.writer.path.name for table in told] == ["awari+pits=3-05.h5"] == [p.name for p in tmp_path.iterdir()]
