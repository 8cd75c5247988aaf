"""A whole build on several processes, over MPI: ``mpiexec -n 4 abapa build --engine mpi``.

Every rank owns rows of each tier (:mod:`databases.builder.ownership`) and builds them with the kernels and forms of one
process; what waits is traded (:mod:`databases.builder.exchange`). Rank 0 plans, holds the folder's lock, lays files
out, hashes and names them, and speaks; every rank writes its ranges of a table. The tables are those of one process,
byte for byte.

An error that one rank meets is raised there alone, while the others wait for it in a call of MPI: whoever calls
:func:`build_on_ranks` has to end the process then, and ``mpiexec`` ends the others (:mod:`solver.cli.mpi`). Importing
this module starts MPI.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numba
from mpi4py import MPI

from databases.builder.build import (
    NoProgress,
    Progress,
    ToldCounter,
    folder_held,
    give_back_freed_memory,
    plan_build,
    record,
)
from databases.builder.exchange import RankPeers, Traffic, wait_for
from databases.builder.finish import Committed, Finisher
from databases.builder.finished import FinishedMaps
from databases.builder.movetables import MoveTables
from databases.builder.ownership import shares_of
from databases.builder.plan import Plan
from databases.builder.propagate import PhaseClock
from databases.builder.tier import TierBuild
from databases.files.ranges import Layout, RangeWriter
from databases.files.writer import TableWriter
from databases.machine import available_memory, default_threads
from databases.windows import Game
from solver.errors import AbapaError
from solver.oware.rules import Rules


def build_on_ranks(
    directory: Path,
    rules: Rules,
    seeds: int | None = None,
    *,
    game: Game | None = None,
    threads: int | None = None,
    bounds: bool = True,
    distance: bool = False,
    memory: int | None = None,
    scratch: Path | None = None,
    dry_run: bool = False,
    report: Callable[[str], object] = lambda line: None,
    progress: Progress | None = None,
    clock: PhaseClock | None = None,
    traffic: Traffic | None = None,
) -> Plan:
    """Build tables as :func:`~databases.builder.build.build_tables` does, on all ranks of this MPI job.

    Every rank calls it with the same arguments; ``report`` and ``progress`` are used on rank 0 alone. ``threads`` and
    ``memory`` are those of each rank; by default the cores and the free memory of a machine are shared out among its
    ranks. ``scratch``: a folder on each machine's own disk, for copies of finished tiers and for the margins of tiers
    that are built in little memory. Values are from the mover's view, in seeds. Errors are the same.
    """
    world, node = MPI.COMM_WORLD, MPI.COMM_WORLD.Split_type(MPI.COMM_TYPE_SHARED)
    speak = report if world.rank == 0 else lambda line: None
    threads = threads or max(1, default_threads() // node.size)
    memory = available_memory() // node.size if memory is None else memory

    def planned() -> Plan:
        return plan_build(
            directory, rules, seeds, game=game, threads=threads, bounds=bounds, distance=distance, memory=memory,
            ranks=world.size,
        )  # fmt: skip

    plan = agreed(world, planned)
    speak(plan.text)
    plan.require()
    if not plan.missing or dry_run:
        return plan
    with ExitStack() as cleanup:

        def held() -> Plan:
            return cleanup.enter_context(folder_held(plan, report, never=True))

        plan = agreed(world, held)
        near = cleanup.enter_context(nearer_copies(node, scratch)) if scratch else lambda path: path
        job = _Job(world, node, scratch or directory, near, clock or PhaseClock(), traffic or Traffic())
        shown = progress if progress is not None and world.rank == 0 else NoProgress()
        _RankBuild(job, plan, speak, shown).carry_out()
    return plan


def agreed(world: MPI.Intracomm, work: Callable[[], Any]) -> Any:
    """What rank 0 finds out, on every rank; where it meets a person's error, all ranks raise it."""
    if world.rank:
        found, said = world.bcast(None)
        if said:
            raise AbapaError(said)
        return found
    try:
        found = work()
    except AbapaError as error:
        world.bcast((None, str(error)))
        raise
    world.bcast((found, ""))
    return found


@contextmanager
def nearer_copies(node: MPI.Comm, scratch: Path) -> Iterator[Callable[[Path], Path]]:
    """Copies of tables on a machine's own disk: what makes them. One of a machine's ranks copies, all read."""
    folder = scratch / f"abapa-mpi-{os.getpid()}"
    folder = Path(node.bcast(str(folder)))
    if node.rank == 0:
        try:
            folder.mkdir(parents=True)
        except OSError as error:
            raise AbapaError(f"--scratch: cannot make {folder}: {error.strerror}") from error

    def copy(path: Path) -> Path:
        there = folder / path.name
        if node.rank == 0:
            try:
                shutil.copyfile(path, there)
            except OSError as error:
                raise AbapaError(f"--scratch: cannot copy {path} to {folder}: {error.strerror}") from error
        node.Barrier()
        return there

    try:
        yield copy
    finally:
        if node.rank == 0:
            shutil.rmtree(folder, ignore_errors=True)


@dataclass
class _Job:
    """What a rank has of the job."""

    world: MPI.Intracomm
    node: MPI.Comm
    """The ranks on this machine."""
    scratch: Path
    near: Callable[[Path], Path]
    clock: PhaseClock
    traffic: Traffic


@dataclass
class _RankBuild:
    """A build under way, seen from one rank; :meth:`carry_out` reads as its table of contents."""

    job: _Job
    plan: Plan
    report: Callable[[str], object]
    progress: Progress
    finished: FinishedMaps = field(init=False)
    tables: MoveTables = field(init=False)
    finisher: Finisher = field(init=False)
    named: list[int] = field(default_factory=list)
    """Tiers that have got their name and that not all ranks know of yet: on rank 0."""

    def carry_out(self) -> None:
        """Build every missing tier, smallest first."""
        plan, job = self.plan, self.job
        numba.set_num_threads(plan.threads)
        give_back_freed_memory()
        with ExitStack() as cleanup:
            self.finished = FinishedMaps(plan, cleanup, job.near)
            with job.clock("move tables"):
                self.tables = MoveTables.build(plan.rules, plan.seeds)
            cleanup.callback(self.progress.close)
            self.finisher = cleanup.enter_context(Finisher(plan.threads > 1, self._committed))
            self.progress.start(plan)
            for seeds in plan.tiers:
                if seeds not in plan.missing or seeds - 1 not in plan.tiers:
                    self.finisher.wait()  # the next tier may read the one on its way
                if seeds in plan.missing:
                    self._tell_of_finished()
                    self.progress.tier(seeds)
                    self._build_tier(seeds)
                else:
                    self.named.append(seeds)

    def _tell_of_finished(self) -> None:
        """Map the tiers that have got their names since the last time."""
        wait_for(self.job.world.Ibarrier())  # for rank 0, which may be hashing
        for seeds in self.job.world.bcast(self.named):
            self.finished.add(seeds)
        self.named.clear()

    def _build_tier(self, seeds: int) -> None:
        """Build and write one tier, and on rank 0 hand it to the finisher."""
        plan, job, begun = self.plan, self.job, time.perf_counter()
        writer = self._lay_out(seeds) if job.world.rank == 0 else None
        layout: Layout = job.world.bcast(writer.layout if writer else None)
        shares = shares_of(self.tables, seeds, job.world.size)
        share = shares[job.world.rank]
        tables = self.tables.of_share(seeds, share)
        told = ToldCounter(self._advance)
        with RangeWriter(layout) as ranges:
            tier = TierBuild(
                tables, seeds, plan.threads, ranges, lambda boards: None, job.clock, job.scratch, None,
                plan.form(seeds), plan.window(seeds), share,
            )  # fmt: skip
            own = max(tier.shape.boards, 1)
            tier.advance = lambda boards: told.add(boards * tier.shape.all_boards // own)
            tier.peers = RankPeers(job.world, tables, tier.shape, shares, plan.threads, job.traffic)
            bounds, distance = "lower" in plan.quantities, "distance" in plan.quantities
            tier.build(self.finished, bounds=bounds, distance=distance)
            told.fill(plan.told(seeds))
            if job.node.size < job.world.size:
                ranges.flush()
            wait_for(job.world.Ibarrier())
            written = job.world.gather(ranges.written)
        if writer is not None and written is not None:
            writer.take_over(written)
            last = seeds == plan.missing[-1] or seeds + 1 not in plan.tiers
            self.finisher.commit(writer, begun, last=last)

    def _lay_out(self, seeds: int) -> TableWriter:
        plan = self.plan
        return self.finisher.open(TableWriter(plan.folder, plan.rules, seeds, plan.quantities, plan.window(seeds)))

    def _advance(self, boards: int) -> None:
        """So many boards more are final, taking it that other ranks are as far as this one."""
        self.finisher.poll()
        self.progress.advance(boards)

    def _committed(self, table: Committed) -> None:
        """A table has its name: write down what it took, report its line, let other tiers read it."""
        self.report(record(table, self.plan))
        self.named.append(table.writer.seeds)
