"""A whole build: plan, lock, then tier after tier, each written beside and renamed when it is complete.

:func:`build_tables` is the table of contents. One tier is :mod:`databases.builder.tier`; the file is
:mod:`databases.files`, and how one is finished while the next is built is :mod:`databases.builder.finish`. A build that
is interrupted keeps its finished tiers, and the next one goes on from there.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from shutil import disk_usage
from typing import Protocol

import numba

from databases.builder.checkpoint import SHARE, Checkpoint
from databases.builder.finish import Committed, Finisher
from databases.builder.finished import FinishedMaps
from databases.builder.movetables import MoveTables
from databases.builder.plan import Plan, PlanError, check_request, make_plan, nearest_existing, quantities_of
from databases.builder.propagate import PhaseClock
from databases.builder.tier import TierBuild
from databases.files.archive import Archive
from databases.files.folder import find_archives, find_checkpoints, find_parts, find_tables, table_path
from databases.files.inmemory import memory_folder
from databases.files.journal import write_down
from databases.files.lock import BuildLock
from databases.files.packing import pack_half
from databases.files.table import Table
from databases.files.writer import TableWriter
from databases.machine import check_threads, default_threads, measure_disk
from databases.windows import WHOLE, Game
from solver.errors import AbapaError
from solver.oware.rules import Rules
from solver.rule_ids import want_rules


class Progress(Protocol):
    """What is told how a build goes on: tqdm, or nothing."""

    def start(self, plan: Plan) -> None:
        """Work begins: what the tiers tell of, each times its ``plan.effort``, adds up to ``plan.steps``."""
        ...

    def tier(self, seeds: int) -> None:
        """Work on a tier begins."""
        ...

    def advance(self, boards: int) -> None:
        """So many boards more are final, or as much work has been done on captures."""
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


def build_tables(
    directory: Path,
    rules: Rules,
    seeds: int | None = None,
    *,
    game: Game | None = None,
    threads: int | None = None,
    bounds: bool = True,
    distance: bool = False,
    memory: int | None = None,
    archive: bool = False,
    checkpoint_share: float = SHARE,
    dry_run: bool = False,
    report: Callable[[str], object] = lambda line: None,
    progress: Progress | None = None,
    clock: PhaseClock | None = None,
) -> Plan:
    """Build the tables of tiers 0..``seeds`` that are missing in ``directory``; returns the plan that was carried out.

    With ``game`` instead of ``seeds``: the tiers that such a game comes to, each in its window; an existing tier in a
    wider window, or in none, serves as well. Distances are kept by full tables only.

    A finished tier is kept if it can be opened and holds the quantities asked for; one that lacks some is built again.
    That goes for a tier that is there only in packed form too: it is unpacked to a scratch file if tiers above need it.
    On one thread a table is hashed and flushed before the next tier is begun, on more while the next one is built.
    ``archive``: each finished tier is packed, and only that is kept; plain tables lie in memory while the build lasts.
    Inside a tier the state is kept from time to time, if that costs at most ``checkpoint_share`` of the time since
    (0: never, and what an earlier build kept is removed; a large number: after every stage). ``dry_run``: plan, and
    build nothing. ``report`` gets the plan and then a line a tier; also a line where a checkpoint is not believed or
    has no room. ``clock`` collects seconds by phase. Values are from the mover's view, in seeds. Raises
    :class:`~databases.builder.plan.PlanError` before any work if it does not fit,
    :class:`~databases.files.lock.LockedError` if another builder is at work,
    :class:`~databases.files.faults.TableError` for a damaged table in the way.
    """
    plan = plan_build(
        directory, rules, seeds, game=game, threads=threads or default_threads(), bounds=bounds, distance=distance,
        memory=memory, archive=archive,
    )  # fmt: skip
    report(plan.text)
    plan.require()
    if plan.missing and not dry_run:
        with folder_held(plan, report, never=checkpoint_share == 0) as held:
            _Build(held, report, progress or NoProgress(), clock or PhaseClock(), checkpoint_share).carry_out()
            return held
    return plan


def plan_build(
    directory: Path,
    rules: Rules,
    seeds: int | None,
    *,
    game: Game | None,
    threads: int,
    bounds: bool,
    distance: bool,
    memory: int | None,
    ranks: int | None = None,
    archive: bool = False,
) -> Plan:
    """What is to be built, and what it needs; raises :class:`~databases.builder.plan.PlanError` for what never can be.

    ``ranks``: how many processes share a tier over MPI; threads and memory are those of each.
    """
    want_rules(rules, Rules)
    seeds = _most_seeds(seeds, game, distance=distance)
    check_request(rules, seeds, threads)
    check_threads(threads)
    quantities = quantities_of(rules, bounds=bounds, distance=distance)
    if (place := nearest_existing(directory)).is_file():
        raise AbapaError(f"{place} is a file: name a folder for the tables with --tables")
    missing, archived = survey(directory, rules, _windows(seeds, game), quantities)
    plan = make_plan(
        directory, rules, seeds, missing, archived, game=game, bounds=bounds, distance=distance, threads=threads,
        memory=memory, ranks=ranks, archive=archive,
    )  # fmt: skip
    return replace(plan, disk_speed=measure_disk(nearest_existing(directory))) if plan.in_cells else plan


@contextmanager
def folder_held(plan: Plan, report: Callable[[str], object], *, never: bool) -> Iterator[Plan]:
    """Keep other builders out of the plan's folder, and clear it of what stopped ones have left.

    Gives the plan as it is then: another builder may just have ended. With ``never`` no checkpoint is kept either.
    Raises :class:`~databases.files.lock.LockedError` if another builder is at work.
    """
    _make_folder(plan.folder)
    with BuildLock(plan.folder):
        missing, archived = survey(plan.folder, plan.rules, _windows(plan.seeds, plan.game), plan.quantities)
        plan = replace(plan, missing=missing, archived=archived)
        _remove_parts(plan.folder, plan.rules)
        _remove_checkpoints(plan, report, never=never)
        yield plan


def _windows(seeds: int, game: Game | None) -> dict[int, int]:
    """How far each tier is to be known, by its seeds."""
    return dict.fromkeys(range(seeds + 1), WHOLE) if game is None else {n: game.window(n) for n in game.tiers}


def _most_seeds(seeds: int | None, game: Game | None, *, distance: bool) -> int:
    if (seeds is None) == (game is None):
        raise PlanError("what is to be built: accepted are a number of seeds, or a game")
    if game is None:
        assert seeds is not None
        return seeds
    if distance:
        raise PlanError("tables of a game keep no distances: how long a win takes is not known beyond its window")
    return game.seeds


def survey(
    directory: Path, rules: Rules, windows: Mapping[int, int], quantities: tuple[str, ...]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Tiers that have no finished table with these quantities, and those that have only a packed one.

    ``windows``: how far each tier is to be known, by its seeds; a table may know more. A plain table goes before a
    packed one, as when tables are asked.
    """
    plain, packed = find_tables(directory, rules), find_archives(directory, rules)
    missing, archived = [], []
    for n, window in windows.items():
        kind, path = (Table, plain[n]) if n in plain else (Archive, packed.get(n))
        if path is None or not _holds(kind, path, quantities, window):
            missing.append(n)
        elif kind is Archive:
            archived.append(n)
    return tuple(missing), tuple(archived)


def _holds(kind: type[Table] | type[Archive], path: Path, quantities: tuple[str, ...], window: int) -> bool:
    with kind.open(path) as table:
        return table.coding.window >= window and set(quantities) <= set(table.quantities)


def _remove_parts(directory: Path, rules: Rules) -> None:
    """Give back the disk of files that a killed build had begun; whoever writes here holds the lock, and that is us."""
    for path in find_parts(directory, rules):
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _remove_checkpoints(plan: Plan, report: Callable[[str], object], *, never: bool) -> None:
    """Give back the disk of checkpoints: of finished tiers, with ``never`` of all that are to be built, and where the
    tables have no room beside them of every tier. The plan has counted their bytes as free.
    """
    checkpoints = find_checkpoints(plan.folder, plan.rules)
    for seeds, path in checkpoints.items():
        if (seeds in plan.missing and never) or (seeds <= plan.seeds and seeds not in plan.missing):
            with suppress(OSError):
                path.unlink()
    if plan.whole_disk <= disk_usage(plan.folder).free:
        return
    for path in find_checkpoints(plan.folder, plan.rules).values():
        with suppress(OSError):
            path.unlink()
            report(f"{path} is removed: the tables need its room, and its tier starts anew")


def _make_folder(directory: Path) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AbapaError(f"cannot make the tables folder {directory}: {error.strerror}") from error


@dataclass
class _Build:
    """A build under way: its plan, who hears of it, and in :meth:`carry_out` what all of its tiers share."""

    plan: Plan
    report: Callable[[str], object]
    progress: Progress
    clock: PhaseClock
    checkpoint_share: float
    finished: FinishedMaps = field(init=False)
    tables: MoveTables = field(init=False)
    finisher: Finisher = field(init=False)
    in_memory: Path | None = field(init=False)
    """Where plain tables lie, if only archives are kept."""

    def carry_out(self) -> None:
        """Build every missing tier, smallest first."""
        plan, progress = self.plan, self.progress
        numba.set_num_threads(plan.threads)
        give_back_freed_memory()
        with ExitStack() as cleanup:
            self.in_memory = cleanup.enter_context(memory_folder()) if plan.archive else None
            self.finished = FinishedMaps(plan, cleanup, in_memory=self.in_memory)
            with self.clock("move tables"):
                self.tables = MoveTables.build(plan.rules, plan.seeds)
            cleanup.callback(progress.close)
            background = plan.threads > 1 and not plan.archive
            self.finisher = cleanup.enter_context(Finisher(background, self._committed))
            progress.start(plan)
            for seeds in plan.tiers:
                if seeds in plan.missing:
                    if seeds - 1 not in plan.tiers:
                        self.finisher.wait()  # this tier reads the one on its way, as nothing lies between them
                    progress.tier(seeds)
                    self._build_tier(seeds)
                else:
                    self.finisher.wait()  # the next tier may read the one on its way: this one gave it no time
                    self._is_finished(seeds)

    def _build_tier(self, seeds: int) -> None:
        """Build and write one tier and hand it to the finisher."""
        plan, start = self.plan, time.perf_counter()
        told = ToldCounter(self._advance)
        window = plan.window(seeds)
        folder = self.in_memory or plan.folder
        writer = self.finisher.open(TableWriter(folder, plan.rules, seeds, plan.quantities, window))
        checkpoint = self._checkpoint(seeds)
        tier = TierBuild(
            self.tables, seeds, plan.threads, writer, told.add, self.clock, plan.folder, checkpoint, plan.form(seeds),
            window,
        )  # fmt: skip
        bounds, distance = "lower" in plan.quantities, "distance" in plan.quantities
        tier.build(self.finished, bounds=bounds, distance=distance)
        self.checkpoint_share = checkpoint.share  # none any more where the disk refused one
        told.fill(plan.told(seeds))
        with self.clock("write"):
            last = seeds == plan.missing[-1] or seeds + 1 not in plan.tiers
            self.finisher.commit(writer, start, last=last)

    def _advance(self, boards: int) -> None:
        """So many boards more are final: tell of it, and of the table on its way if it is done."""
        self.finisher.poll()
        self.progress.advance(boards)

    def _committed(self, table: Committed) -> None:
        """A table has its name: write down what it took, report its line, let other tiers read it."""
        line = record(table, self.plan)
        if self.in_memory is not None:
            line += self._keep_archive(table.writer)
        self.report(line)
        self._is_finished(table.writer.seeds)

    def _keep_archive(self, writer: TableWriter) -> str:
        """Pack a table into the folder. It stays plain, in memory, if larger tiers need it; returns what is said."""
        plan, seeds = self.plan, writer.seeds
        with Table.open(writer.path) as table:
            packed = pack_half(table, threads=plan.threads, into=plan.folder)
            table_path(plan.folder, plan.rules, seeds, table.window).unlink(missing_ok=True)  # it lacked something
            bits = 8 * packed.stat().st_size / table.positions / len(table.quantities)
        if seeds not in plan.needed:
            writer.path.unlink()
        self.progress.advance(plan.packed(seeds))
        return f"  {bits:.2f} bits per number"

    def _is_finished(self, seeds: int) -> None:
        """Forget a tier's checkpoint, and map what the tiers above read of it."""
        self._checkpoint(seeds).remove()
        self.finished.add(seeds)

    def _checkpoint(self, seeds: int) -> Checkpoint:
        plan = self.plan
        return Checkpoint(
            plan.folder,
            plan.rules,
            seeds,
            self.checkpoint_share,
            keep_free=plan.disk_above(seeds),
            report=self.report,
            window=plan.window(seeds),
        )


def give_back_freed_memory() -> None:
    """Have the C library return every freed array to the system, so that one tier's arrays do not burden the next.

    By itself it learns to keep blocks of up to 32 MiB. Other C libraries than GNU's are left alone.
    """
    mmap_threshold = -3
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(mmap_threshold, 1 << 20)


def record(table: Committed, plan: Plan) -> str:
    """Write down what a table took that has got its name; returns the line that tells of it."""
    with Table.open(table.writer.path) as opened:
        sha256, threads = opened.header.digests["value"].whole, plan.threads * (plan.ranks or 1)
        write_down(plan.folder, plan.rules.id, opened.seeds, sha256, table.seconds, threads)
        return summary_line(opened, table.seconds)


def summary_line(table: Table, seconds: float) -> str:
    """One line on a tier that was built: boards, seconds, boards per second, wins, draws, losses for the mover."""
    wins = sum(count for value, count in table.histogram.items() if value > 0)
    losses = sum(count for value, count in table.histogram.items() if value < 0)
    draws = table.histogram.get(0, 0)
    boards, speed = table.positions, table.positions / seconds
    return (
        f"tier {table.seeds:2d}: {boards:>14,} boards {seconds:9.2f} s {speed:>13,.0f} per second   "
        f"wins {wins:,}  draws {draws:,}  losses {losses:,}"
    )


class ToldCounter:
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
