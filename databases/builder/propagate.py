"""Second phase of a tier: values spread backwards, from the largest margin down, until nothing changes.

Stage s = n, n-1, .., 1: boards whose best capture gives s are final wins of s, boards with no move open and best -s
final losses of s; then every predecessor of a final loss is a win of s, and every predecessor of a final win has one
open move less; at none it is a loss, if captures give nothing better. What is never final is 0: endless play.
Correct, because at stage s every board that is worth more in size is final already (docs/algorithm.md has the proof).

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
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from databases.builder.dense import scan_margin, tell_bits
from databases.builder.frontier import Frontier
from databases.builder.movetables import MoveTables
from databases.builder.sparse import CHUNK, tell_list
from databases.builder.state import TierShape

LIST_SHARE = 300
"""A frontier of fewer than 1 board in so many goes as a list."""


def list_room(shape: TierShape) -> int:
    """Boards that a frontier's list has room for."""
    return shape.boards // LIST_SHARE + 1024


def scratch_bytes(boards: int, threads: int) -> int:
    """Bytes of the lists and slabs of a propagation (an upper estimate, without bitmaps and states)."""
    room = boards // LIST_SHARE + 1024
    return 8 * room * (2 + threads) + 8 * threads * threads * CHUNK * 16


class Waiting(NamedTuple):
    """Won and lost boards whose predecessors have not been told."""

    wins: Frontier
    losses: Frontier

    def __bool__(self) -> bool:
        return self.wins.count + self.losses.count > 0


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


@dataclass
class Propagation:
    """The state of one tier, its frontiers and the scratch room of the threads.

    ``win_state``, ``loss_state``: uint16, one word a board, opponent-major; the same array for ``value``.
    ``distance``: uint16 of the same shape, zeroed, or None. ``advance`` is told how many boards became final.
    """

    tables: MoveTables
    shape: TierShape
    win_state: NDArray[np.uint16]
    loss_state: NDArray[np.uint16]
    threads: int
    distance: NDArray[np.uint16] | None = None
    advance: Callable[[int], object] = lambda boards: None
    clock: PhaseClock = field(default_factory=PhaseClock)

    def __post_init__(self) -> None:
        shape, threads = self.shape, self.threads
        room = list_room(shape)
        self._waiting = Waiting(Frontier(shape, room), Frontier(shape, room))
        self._next = self._waiting
        if self.distance is not None:
            self._next = Waiting(Frontier(shape, room), Frontier(shape, room))
        self._distance = np.empty(0, np.uint16) if self.distance is None else self.distance
        self._fresh = np.zeros((threads, int(shape.counts.max())), np.uint64)
        self._found = np.zeros(threads, np.int64)
        longest = int(np.diff(self.tables.own_origins.first).max(initial=1))
        self._slabs = np.empty((threads, threads, CHUNK * longest), np.uint64)
        self._filled = np.zeros((threads, threads), np.int64)
        self._out = np.empty((threads, room), np.uint64)

    def run(self) -> None:
        """Find the value of every board: all stages, from the largest margin down."""
        for margin in range(self.shape.seeds, 0, -1):
            if self.distance is None:
                self.stage(margin)
            else:
                self.stage_by_levels(margin)

    def stage(self, margin: int) -> None:
        """Find all boards worth ``margin`` or ``-margin``, in any order."""
        waiting = self._waiting
        if margin == self.shape.seeds:
            self._scan(margin, terminal=True, level=0)
        self._scan(margin, terminal=False, level=1)
        while waiting:
            self._tell(waiting.losses, waiting.wins, margin, win=True)
            self._tell(waiting.wins, waiting.losses, margin, win=False)

    def stage_by_levels(self, margin: int) -> None:
        """The same, level by level, writing the level to ``distance``: ends are level 0, captures level 1."""
        if margin == self.shape.seeds:
            self._scan(margin, terminal=True, level=0)
            self._waiting, self._next = self._next, self._waiting
        level = 1
        self._scan(margin, terminal=False, level=level)
        while self._waiting or self._next:
            self._tell(self._waiting.losses, self._next.wins, margin, win=True, level=level)
            self._tell(self._waiting.wins, self._next.losses, margin, win=False, level=level)
            self._waiting, self._next = self._next, self._waiting
            level += 1

    def _scan(self, margin: int, *, terminal: bool, level: int) -> None:
        """Add the boards that a stage begins with to the next frontiers."""
        with self.clock("scan"):
            for frontier, state, win in (
                (self._next.wins, self.win_state, True),
                (self._next.losses, self.loss_state, False),
            ):
                frontier.as_bits()
                scan_margin(
                    self.shape, state, margin, win, terminal, level, frontier.bits, frontier.flags, self._fresh,
                    self._distance, self._found, self.threads, np.zeros(1, np.int64),
                )  # fmt: skip
                self._add(frontier, int(self._found.sum()))

    def _tell(self, source: Frontier, target: Frontier, margin: int, *, win: bool, level: int = 0) -> None:
        """Tell the predecessors of ``source``, clear it, add the boards that became final to ``target``."""
        if 0 < source.count <= self.shape.boards // LIST_SHARE:
            with self.clock("sparse levels"):
                source.as_list(self.threads)
                self._tell_list(source, target, margin, win=win, level=level)
        if source.count:
            with self.clock("dense levels"):
                source.as_bits()
                self._tell_bits(source, target, margin, win=win, level=level)

    def _add(self, target: Frontier, found: int) -> None:
        target.count += found
        self.advance(found)

    def _tell_bits(self, source: Frontier, target: Frontier, margin: int, *, win: bool, level: int) -> None:
        tables, state = self.tables, self.win_state if win else self.loss_state
        target.as_bits()
        tell_bits(
            self.shape, tables.crossing, tables.own_origins, tables.replies, state, margin, win, level, source.bits,
            source.flags, target.bits, target.flags, self._fresh, self._distance, self._found, self.threads,
            np.zeros(1, np.int64),
        )  # fmt: skip
        self._add(target, int(self._found.sum()))
        source.clear(self.threads)

    def _tell_list(self, source: Frontier, target: Frontier, margin: int, *, win: bool, level: int) -> None:
        """As far as there is room for the answers; what is left of the source goes on as bits."""
        tables, state = self.tables, self.win_state if win else self.loss_state
        done = tell_list(
            self.shape, tables.crossing, tables.own_origins, tables.opponent_origins, state, margin, win, level,
            source.items, source.count, self._slabs, self._filled, self._out, self._found, self._distance,
            self.threads,
        )  # fmt: skip
        found = int(self._found.sum())
        if target.count + found > len(target.items):
            target.as_bits()
        elif not target.count:
            target.as_list(self.threads)
        for thread in range(self.threads):
            target.extend(self._out[thread, : self._found[thread]])
        self.advance(found)
        source.drop(done)
