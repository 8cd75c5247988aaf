"""A whole build: plan, lock, then tier after tier, each written beside and renamed when it is complete.

:func:`build_tables` is the table of contents. One tier is :mod:`databases.builder.tier`; the file is
:mod:`databases.store`. A build that is interrupted keeps its finished tiers, and the next one goes on from there.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import numba
import numpy as np
from numba.core import config
from numpy.typing import NDArray

from databases.builder.captures import FinishedTiers
from databases.builder.checkpoint import SHARE, Checkpoint
from databases.builder.movetables import MoveTables
from databases.builder.plan import Plan, check_request, make_plan, quantities_of
from databases.builder.propagate import PhaseClock
from databases.builder.tier import TierBuild
from databases.lock import BuildLock
from databases.store import Table, TableWriter, find_tables
from databases.tiers import tier_size
from solver.errors import AbapaError
from solver.rules import Rules


class Progress(Protocol):
    """What is told how a build goes on: tqdm, or nothing."""

    def start(self, plan: Plan) -> None:
        """Work begins: ``plan.steps`` boards are to become final."""
        ...

    def tier(self, seeds: int) -> None:
        """Work on a tier begins."""
        ...

    def advance(self, boards: int) -> None:
        """So many boards more are final."""
        ...

    def close(self) -> None:
        """The work is over, done or not."""
        ...


class NoProgress:
    """Tells nobody."""

    def start(self, plan: Plan) -> None:
        """Ignore."""

    def tier(self, seeds: int) -> None:
        """Ignore."""

    def advance(self, boards: int) -> None:
        """Ignore."""

    def close(self) -> None:
        """Ignore."""


def default_threads() -> int:
    """Threads to build on when nobody says: all the cores that this process may use."""
    return config.NUMBA_NUM_THREADS  # pyright: ignore[reportAttributeAccessIssue]


def build_tables(
    directory: Path,
    rules: Rules,
    seeds: int,
    *,
    threads: int | None = None,
    bounds: bool = True,
    distance: bool = False,
    memory: int | None = None,
    checkpoint_share: float = SHARE,
    report: Callable[[str], object] = lambda line: None,
    progress: Progress | None = None,
    clock: PhaseClock | None = None,
) -> Plan:
    """Build the tables of tiers 0..``seeds`` that are missing in ``directory``; returns the plan that was carried out.

    A finished tier is kept if it can be opened and holds the quantities asked for; one that lacks some is built again.
    Inside a tier the state is kept from time to time, if that costs at most ``checkpoint_share`` of the time since
    (0: never; a large number: after every stage). ``report`` gets the plan and then a line a tier; ``clock`` collects
    seconds by phase. Values are from the mover's view, in seeds. Raises :class:`~databases.builder.plan.PlanError`
    before any work if it does not fit, :class:`~databases.lock.LockedError` if another builder is at work,
    :class:`~databases.store.TableError` for a damaged table in the way.
    """
    threads = threads or default_threads()
    check_request(rules, seeds, threads)
    check_threads(threads)
    quantities = quantities_of(rules, bounds=bounds, distance=distance)
    missing = missing_tiers(directory, rules, seeds, quantities)
    plan = make_plan(directory, rules, seeds, missing, bounds=bounds, distance=distance, threads=threads, memory=memory)
    report(plan.text)
    plan.require()
    if missing:
        _make_folder(directory)
        with BuildLock(directory):
            still_missing = missing_tiers(directory, rules, seeds, quantities)  # another builder may just have ended
            plan = replace(plan, missing=still_missing)
            _carry_out(plan, report, progress or NoProgress(), clock or PhaseClock(), checkpoint_share)
    return plan


def check_threads(threads: int) -> None:
    """Refuse more threads than numba was started with."""
    most = default_threads()
    if threads > most:
        raise AbapaError(f"{threads} threads: accepted are 1 to {most} on this machine")


def missing_tiers(directory: Path, rules: Rules, seeds: int, quantities: tuple[str, ...]) -> tuple[int, ...]:
    """Tiers of 0..``seeds`` that have no finished table with these quantities."""
    found = find_tables(directory, rules)
    return tuple(n for n in range(seeds + 1) if n not in found or not _holds(found[n], quantities))


def _holds(path: Path, quantities: tuple[str, ...]) -> bool:
    with Table.open(path) as table:
        return set(quantities) <= set(table.quantities)


def _make_folder(directory: Path) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AbapaError(f"cannot make the tables folder {directory}: {error.strerror}") from error


def _carry_out(
    plan: Plan, report: Callable[[str], object], progress: Progress, clock: PhaseClock, checkpoint_share: float
) -> None:
    """Build every missing tier, smallest first."""
    numba.set_num_threads(plan.threads)
    _give_back_freed_memory()
    with ExitStack() as cleanup:
        finished = _Finished(plan, cleanup)
        with clock("move tables"):
            tables = MoveTables.build(plan.rules, plan.seeds)
        cleanup.callback(progress.close)
        progress.start(plan)
        for seeds in range(plan.seeds + 1):
            if seeds in plan.missing:
                progress.tier(seeds)
                report(_build_tier(plan, seeds, tables, finished, progress, clock, checkpoint_share))
            Checkpoint(plan.folder, plan.rules, seeds).remove()
            finished.add(seeds)


def _give_back_freed_memory() -> None:
    """Have the C library return every freed array to the system, so that one tier's arrays do not burden the next.

    By itself it learns to keep blocks of up to 32 MiB. Other C libraries than GNU's are left alone.
    """
    mmap_threshold = -3
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(mmap_threshold, 1 << 20)


def _build_tier(
    plan: Plan,
    seeds: int,
    tables: MoveTables,
    finished: _Finished,
    progress: Progress,
    clock: PhaseClock,
    checkpoint_share: float,
) -> str:
    """Build, write and commit one tier; returns its summary line."""
    start = time.perf_counter()
    boards = tier_size(plan.rules.pits, seeds)
    told = _Counter(progress.advance)
    bounds, distance = "lower" in plan.quantities, "distance" in plan.quantities
    scratch = plan.folder if seeds in plan.packed else None
    checkpoint = Checkpoint(plan.folder, plan.rules, seeds, checkpoint_share)
    with TableWriter(plan.folder, plan.rules, seeds, plan.quantities) as writer:
        tier = TierBuild(tables, seeds, plan.threads, writer, told.add, clock, scratch, checkpoint)
        tier.build(finished, bounds=bounds, distance=distance)
        told.fill((3 if bounds else 1) * boards)
        with clock("write"):
            path = writer.commit(seconds=time.perf_counter() - start)
    with Table.open(path) as table:
        return summary_line(table, time.perf_counter() - start)


def summary_line(table: Table, seconds: float) -> str:
    """One line on a tier that was built: boards, seconds, boards a second, wins, draws, losses for the mover."""
    wins = sum(count for value, count in table.histogram.items() if value > 0)
    losses = sum(count for value, count in table.histogram.items() if value < 0)
    draws = table.histogram.get(0, 0)
    boards, speed = table.positions, table.positions / seconds
    return (
        f"tier {table.seeds:2d}: {boards:>14,} boards {seconds:9.2f} s {speed:>13,.0f} a second   "
        f"wins {wins:,}  draws {draws:,}  losses {losses:,}"
    )


class _Finished(dict[str, FinishedTiers]):
    """Maps of the quantities of all finished tiers, kept open until the build ends."""

    def __init__(self, plan: Plan, cleanup: ExitStack) -> None:
        super().__init__({name: {} for name in ("value", "lower", "upper")})
        self.plan, self.cleanup = plan, cleanup

    def add(self, seeds: int) -> None:
        """Map a tier that is finished."""
        table = self.cleanup.enter_context(Table.open(find_tables(self.plan.folder, self.plan.rules)[seeds]))
        for name, tiers in self.items():
            if name in self.plan.quantities:
                tiers[seeds] = _plain(table.map(name))


def _plain(mapped: NDArray[Any]) -> NDArray[np.int8]:
    return np.asarray(mapped)


class _Counter:
    """Counts what a tier has told the progress bar, so that the boards that never become final can be added."""

    def __init__(self, advance: Callable[[int], object]) -> None:
        self.advance, self.told = advance, 0

    def add(self, boards: int) -> None:
        """So many boards more are final."""
        self.told += boards
        self.advance(boards)

    def fill(self, boards: int) -> None:
        """All of the first ``boards`` are settled."""
        self.add(boards - self.told)
