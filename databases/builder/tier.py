"""One tier from finished smaller ones: captures, propagation, transposition into the table file.

:func:`build_value` and :func:`build_bounds` read as the table of contents of the algorithm. Which tiers are built, and
where they go, is left to :mod:`databases.builder.build`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from databases.builder.captures import LEAST_HELD, MOST_FORCED, VALUE, play_captures
from databases.builder.movetables import MoveTables
from databases.builder.packed import MarginFile, PackedStart, PackedState
from databases.builder.propagate import MarkedWords, PhaseClock, Propagation, StageStart
from databases.builder.state import PADDING, TierShape
from databases.builder.transpose import bands, distance_bands

FinishedTiers = dict[int, NDArray[np.int8]]
"""A quantity of every smaller tier: the mapped int8 table by seeds."""


class Writer(Protocol):
    """What a finished quantity is handed to: :class:`databases.store.TableWriter`, or an array in tests."""

    def write(self, quantity: str, offset: int, values: NDArray) -> None:
        """Take the elements of ``quantity`` from ``offset`` on."""
        ...


@dataclass
class TierBuild:
    """The building of one tier: its shape, the tables it stands on, and where its numbers go."""

    tables: MoveTables
    seeds: int
    threads: int
    writer: Writer
    advance: Callable[[int], object] = lambda boards: None
    clock: PhaseClock = field(default_factory=PhaseClock)
    scratch: Path | None = None
    """Where to keep margins on the disk, to build in little memory (:mod:`databases.builder.packed`)."""

    def __post_init__(self) -> None:
        self.shape = self._shape(packed=False)

    def _shape(self, *, packed: bool) -> TierShape:
        pits = self.tables.rules.pits
        return TierShape.of(pits, self.seeds, self.tables.counts, self.tables.firsts, packed=packed)

    def build_value(self, finished: FinishedTiers, *, distance: bool = False) -> None:
        """Write ``value`` (endless play 0), and ``distance`` if asked for; ``finished``: ``value`` of smaller tiers."""
        if self.scratch is not None:
            self._build_value_packed(finished, self.scratch)
            return
        state, marks = self._play_captures(VALUE, finished)
        plies = np.zeros(self.shape.boards, np.uint16) if distance else None
        self._propagation(self.shape, state, state, MarkedWords(state, state, marks, marks), plies).run()
        self._write("value", bands(self.shape, state, self.threads))
        if plies is not None:
            self._write("distance", distance_bands(self.shape, plies, self.threads))

    def build_bounds(self, lower: FinishedTiers, upper: FinishedTiers) -> None:
        """Write ``lower`` and ``upper``: what each side can force by play that ends; handed those of smaller tiers."""
        if self.scratch is not None:
            self._build_bounds_packed(lower, upper, self.scratch)
            return
        forced, win_marks = self._play_captures(MOST_FORCED, upper)
        held, loss_marks = self._play_captures(LEAST_HELD, lower)
        self._propagation(self.shape, forced, held, MarkedWords(forced, held, win_marks, loss_marks)).run()
        # M = margin found on the win side, N = minus that on the loss side; lower = 2M - n, upper = n - 2N.
        self._write("lower", bands(self.shape, forced, self.threads, 2, -self.seeds))
        self._write("upper", bands(self.shape, held, self.threads, 2, self.seeds))

    def _build_value_packed(self, finished: FinishedTiers, scratch: Path) -> None:
        with closing(MarginFile(scratch, self.shape.boards)) as margins:
            state = self._play_captures_packed(VALUE, finished, margins)
            self._propagate_packed(state, state)
            self._write("value", state.table())

    def _build_bounds_packed(self, lower: FinishedTiers, upper: FinishedTiers, scratch: Path) -> None:
        with (
            closing(MarginFile(scratch, self.shape.boards)) as win_margins,
            closing(MarginFile(scratch, self.shape.boards)) as loss_margins,
        ):
            forced = self._play_captures_packed(MOST_FORCED, upper, win_margins)
            held = self._play_captures_packed(LEAST_HELD, lower, loss_margins)
            self._propagate_packed(forced, held)
            self._write("lower", forced.table(2, -self.seeds))
            self._write("upper", held.table(2, self.seeds))

    def _play_captures(self, side: int, finished: FinishedTiers) -> tuple[NDArray[np.uint16], NDArray[np.uint64]]:
        """The state after all captures, and its marks."""
        with self.clock("captures"):
            state = np.empty(self.shape.boards + PADDING, np.uint16)
            marks = np.zeros(int(self.shape.marks[-1]), np.uint64)
            self._play_groups(side, finished, 0, len(self.shape.group_block), 0, state, marks)
            return state, marks

    def _play_captures_packed(self, side: int, finished: FinishedTiers, margins: MarginFile) -> PackedState:
        """The same in little memory, band by band."""
        with self.clock("captures"):
            state = PackedState(self.shape, self._shape(packed=True), margins, self.threads)
            words, no_marks = np.empty(max(band.boards for band in state.bands), np.uint16), np.empty(0, np.uint64)
            for band in state.bands:
                self._play_groups(side, finished, band.first_group, band.last_group, band.first, words, no_marks)
                state.take_in(band, words)
            return state

    def _play_groups(
        self,
        side: int,
        finished: FinishedTiers,
        first_group: int,
        last_group: int,
        origin: int,
        state: NDArray[np.uint16],
        marks: NDArray[np.uint64],
    ) -> None:
        addresses = np.zeros(self.seeds + 1, np.uint64)
        for seeds in range(self.seeds):
            addresses[seeds] = finished[seeds].ctypes.data
        tables = self.tables
        play_captures(
            side, self.shape, tables.crossing, tables.houses, tables.own_origins, tables.replies, addresses,
            first_group, last_group, origin, state, marks, self.threads, np.zeros(1, np.int64),
        )  # fmt: skip

    def _propagation(
        self,
        shape: TierShape,
        win_state: NDArray,
        loss_state: NDArray,
        start: StageStart,
        distance: NDArray[np.uint16] | None = None,
    ) -> Propagation:
        return Propagation(
            self.tables, shape, win_state, loss_state, start, self.threads, distance, self.advance, self.clock
        )

    def _propagate_packed(self, wins: PackedState, losses: PackedState) -> None:
        start = PackedStart(wins, losses)
        run = self._propagation(wins.cells_shape, wins.cells, losses.cells, start)
        run.run()
        with self.clock("scan"):
            start.begin(run, 0, terminal=False, level=0)  # the last stage's margins, and 0 for what was never final

    def _write(self, quantity: str, parts: Iterator[tuple[int, NDArray]]) -> None:
        while True:
            with self.clock("transpose"):
                part = next(parts, None)
            if part is None:
                return
            with self.clock("write"):
                self.writer.write(quantity, *part)
