"""Second phase of a tier: values spread backwards, from the largest margin down, until nothing changes.

Stage s = n, n-1, .., 1 (in a window of W from W on, which stands for W or more): boards whose best capture gives s are
final wins of s, boards with no move open and best -s final losses of s; then every predecessor of a final loss is a win
of s, and every predecessor of a final win has one open move less; at none it is a loss, if captures give nothing
better. What is never final is 0: endless play. Correct, because at stage s every board that is worth more in size is
final already (docs/algorithm.md has the proof).

Wins and losses may live in one state (``value``: a board final on one side is final on both) or in two (bounds: the
win side holds M, the seeds the mover can force, the loss side minus N, the seeds the opponent can force; the same
stages then find both least fixed points).

With distances, levels are kept apart: a board that becomes final at level k is k plies from the capture or end that
realises its value. Without, a level's new boards join whatever waits, which takes half as many passes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numba
import numpy as np
from numpy.typing import NDArray

from databases.builder.dense import SPREAD, Rows, tell_bits
from databases.builder.frontier import Bitmap, Frontier, list_room
from databases.builder.movetables import MoveTables
from databases.builder.peers import Alone, Peers
from databases.builder.sparse import CHUNK, Slabs, tell_list
from databases.builder.state import News, StateArray, TierShape

WORTH_SHARING = 2000
"""Boards of a list that are worth waking other threads for."""
SPARSE_SHARE = 400
"""A frontier of at most 1 board in so many is told board by board, not row by row: about as fast for 300 to 550."""


def scratch_bytes(boards: int, widest: int, pits: int, threads: int) -> int:
    """Bytes of the lists and slabs of a propagation that :class:`~databases.builder.memory.TierMemory` counts on."""
    slab = 8 * CHUNK * 4  # a board has about four predecessors; what is never written takes no memory
    rows = (8 + 4 + 4 * pits) * widest
    return 8 * 2 * list_room(boards, widest) + threads * (rows + (threads + 1) * slab)


class Waiting(NamedTuple):
    """Won and lost boards whose predecessors have not been told."""

    wins: Frontier
    losses: Frontier


class PhaseClock:
    """Seconds spent in each phase of a build, by name: ``with clock("scan"): ...``."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, phase: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[phase] = self.seconds.get(phase, 0.0) + time.perf_counter() - start


class StageStart(Protocol):
    """How a stage begins: the one thing that the forms of a state do differently."""

    def begin(self, run: Propagation, margin: int, *, terminal: bool, level: int) -> None:
        """Add the boards that a stage begins with to ``run.next``; with ``terminal`` those without a legal move."""
        ...

    def finish(self, run: Propagation) -> None:
        """Do what is left to do after the last stage."""
        ...


@dataclass
class Propagation:
    """The state of one tier, its frontiers and the scratch room of the threads.

    ``win_state``, ``loss_state``: words, bytes or cells (:mod:`databases.builder.state`), laid out as ``shape`` says;
    the same array for ``value``. ``start``: how a stage finds the boards to begin with. ``stages``: the largest margin
    that the state tells apart. ``distance``: uint16, a word a board, zeroed, or None. ``peers``: who else works on the
    tier, where ``shape`` is a share of it. ``advance`` is told how many boards became final, ``after_stage`` the margin
    that comes next.
    """

    tables: MoveTables
    shape: TierShape
    win_state: StateArray
    loss_state: StateArray
    start: StageStart
    threads: int
    stages: int
    distance: NDArray[np.uint16] | None = None
    peers: Peers = field(default_factory=Alone)
    advance: Callable[[int], object] = lambda boards: None
    clock: PhaseClock = field(default_factory=PhaseClock)
    after_stage: Callable[[int], object] = lambda margin: None

    def __post_init__(self) -> None:
        shape, threads = self.shape, self.threads
        self.waiting = Waiting(Frontier(shape), Frontier(shape))
        self.next = self.waiting if self.distance is None else Waiting(Frontier(shape), Frontier(shape))
        self.levels = np.empty(0, np.uint16) if self.distance is None else self.distance
        widest = int(shape.counts.max())
        self.fresh = np.zeros((threads, widest), np.uint64)
        self._found = np.zeros(threads, np.int64)
        self._rows = Rows(
            self.fresh,
            np.empty((threads, widest + 64), np.uint32),
            np.empty((threads, self.tables.rules.pits * widest + 64), np.uint32),
        )
        slab = CHUNK * self.tables.most_origins + SPREAD
        self._slabs = Slabs(
            np.empty((threads, threads, slab), np.uint64),
            np.zeros((threads, threads + 16), np.int64),  # rows far apart: each is one thread's to count in
            np.empty((threads, slab + 1), np.uint64),
        )

    def run(self, first: int | None = None) -> None:
        """Find the value of every board: all stages, from the largest margin down (from ``first`` on, if given)."""
        for margin in range(self.stages if first is None else first, 0, -1):
            if self.distance is None:
                self.stage(margin)
            else:
                self.stage_by_levels(margin)
            self.after_stage(margin - 1)
        with self.clock("scan"):
            self.start.finish(self)

    def stage(self, margin: int) -> None:
        """Find all boards worth ``margin`` or ``-margin``, in any order."""
        waiting = self.waiting
        if margin == self.stages:
            self._begin(margin, terminal=True, level=0)
        self._begin(margin, terminal=False, level=1)
        told = 1
        while told:
            told = self._tell(waiting.losses, waiting.wins, News(margin, True, 0))
            told += self._tell(waiting.wins, waiting.losses, News(margin, False, 0))

    def stage_by_levels(self, margin: int) -> None:
        """The same, level by level, writing the level to ``distance``: ends are level 0, captures level 1."""
        if margin == self.stages:
            self._begin(margin, terminal=True, level=0)
            self.waiting, self.next = self.next, self.waiting
        self._begin(margin, terminal=False, level=1)
        level = told = 1
        while told or level <= 2:  # the boards that level 1 begins with are told of at level 2
            told = self._tell(self.waiting.losses, self.next.wins, News(margin, True, level))
            told += self._tell(self.waiting.wins, self.next.losses, News(margin, False, level))
            self.waiting, self.next = self.next, self.waiting
            level += 1

    def _begin(self, margin: int, *, terminal: bool, level: int) -> None:
        with self.clock("scan"):
            self.start.begin(self, margin, terminal=terminal, level=level)

    def add(self, target: Frontier, found: int) -> None:
        """Note that ``found`` boards have become final and been written to ``target``."""
        target.count += found
        self.advance(found)

    def _tell(self, source: Frontier, target: Frontier, news: News) -> int:
        """Tell the predecessors of ``source``, clear it, add the boards that became final to ``target``.

        Returns how many boards there were to tell of, on all ranks.
        """
        waiting = self.peers.total(source.count)
        if waiting > self.shape.all_boards // SPARSE_SHARE:
            with self.clock("dense levels"):
                self._tell_bits(self.peers.bits(source), target, news)
                source.clear(self.threads)
        elif waiting:
            with self.clock("sparse levels"):
                for boards in self.peers.lists(source, self.threads):
                    self._tell_list(boards, target, news)
        return waiting

    def _tell_bits(self, boards: Bitmap, target: Frontier, news: News) -> None:
        tables, state = self.tables, self.win_state if news.win else self.loss_state
        tell_bits(
            self.shape, tables.own_origins, tables.replies, state, news, boards, target.as_bits(), self._rows,
            self.levels, self._found, self.threads, np.zeros(1, np.int64),
        )  # fmt: skip
        self.add(target, int(self._found.sum()))

    def _tell_list(self, boards: NDArray[np.uint64], target: Frontier, news: News) -> None:
        tables, state = self.tables, self.win_state if news.win else self.loss_state
        threads = self.threads if len(boards) >= WORTH_SHARING else 1
        numba.set_num_threads(threads)
        done = 0
        while done < len(boards):
            done += tell_list(
                self.shape, tables.own_origins, tables.opponent_origins, tables.rules.pits, state, news, boards, done,
                self._slabs, self.levels, self._found, threads,
            )  # fmt: skip
            for thread in range(threads):
                target.extend(self._slabs.out[thread, : self._found[thread]], threads)
            self.advance(int(self._found[:threads].sum()))
        numba.set_num_threads(self.threads)
