"""One tier from finished smaller ones: captures, propagation, transposition into the table file.

:func:`build_value` and :func:`build_bounds` read as the table of contents of the algorithm. Which tiers are built, and
where they go, is left to :mod:`databases.builder.build`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from databases.builder.captures import LEAST_HELD, MOST_FORCED, VALUE, play_captures
from databases.builder.movetables import MoveTables
from databases.builder.propagate import PhaseClock, Propagation
from databases.builder.state import TierShape
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

    def __post_init__(self) -> None:
        rules = self.tables.rules
        self.shape = TierShape.of(rules.pits, self.seeds, self.tables.counts, self.tables.firsts)

    def build_value(self, finished: FinishedTiers, *, distance: bool = False) -> None:
        """Write ``value`` (endless play 0), and ``distance`` if asked for; ``finished``: ``value`` of smaller tiers."""
        state = self._play_captures(VALUE, finished)
        plies = np.zeros(self.shape.boards, np.uint16) if distance else None
        self._propagate(state, state, plies)
        self._write("value", bands(self.shape, state, self.threads))
        if plies is not None:
            self._write("distance", distance_bands(self.shape, plies, self.threads))

    def build_bounds(self, lower: FinishedTiers, upper: FinishedTiers) -> None:
        """Write ``lower`` and ``upper``: what each side can force by play that ends; handed those of smaller tiers."""
        forced = self._play_captures(MOST_FORCED, upper)
        held = self._play_captures(LEAST_HELD, lower)
        self._propagate(forced, held, None)
        # M = margin found on the win side, N = minus that on the loss side; lower = 2M - n, upper = n - 2N.
        self._write("lower", bands(self.shape, forced, self.threads, 2, -self.seeds))
        self._write("upper", bands(self.shape, held, self.threads, 2, self.seeds))

    def _play_captures(self, side: int, finished: FinishedTiers) -> NDArray[np.uint16]:
        with self.clock("captures"):
            state = np.empty(self.shape.boards, np.uint16)
            addresses = np.zeros(self.seeds + 1, np.uint64)
            for seeds in range(self.seeds):
                addresses[seeds] = finished[seeds].ctypes.data
            tables, ticket = self.tables, np.zeros(1, np.int64)
            play_captures(
                side, self.shape, tables.crossing, tables.own, tables.replies, addresses, state, self.threads, ticket
            )
            return state

    def _propagate(
        self, wins: NDArray[np.uint16], losses: NDArray[np.uint16], distance: NDArray[np.uint16] | None
    ) -> None:
        run = Propagation(self.tables, self.shape, wins, losses, self.threads, distance, self.advance, self.clock)
        run.run()

    def _write(self, quantity: str, parts: Iterator[tuple[int, NDArray]]) -> None:
        while True:
            with self.clock("transpose"):
                part = next(parts, None)
            if part is None:
                return
            with self.clock("write"):
                self.writer.write(quantity, *part)
