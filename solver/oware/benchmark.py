"""The benchmark of the search: 40 fixed positions to a fixed depth, whose total of nodes is the search's signature.

Any change that is meant to leave the search as it is must leave the signature too; any change to it is a change of
play.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from solver.oware.game import OwareGame
from solver.oware.position import Position
from solver.oware.rules import ABAPA
from solver.search.limits import Limits
from solver.search.searcher import Searcher

DEPTH = 16
HASH_MIB = 16

POSITIONS: dict[str, tuple[str, ...]] = {
    "opening": (
        "7-0-7-1-4-2-8-8-1-0-0-8-2-0-N",
        "4-4-4-4-0-1-1-7-7-6-5-5-0-0-N",
        "2-11-1-0-11-0-8-8-0-2-4-1-0-0-N",
        "1-0-3-8-3-9-8-1-7-2-6-0-0-0-N",
        "6-13-2-5-0-0-8-0-6-2-1-2-0-3-S",
        "8-7-0-8-6-0-0-6-2-7-1-1-2-0-N",
        "0-10-0-4-7-3-0-3-10-5-4-0-0-2-N",
        "3-1-4-8-8-1-0-7-2-8-3-3-0-0-S",
    ),
    "middle": (
        "0-0-1-2-2-0-0-1-14-5-0-2-9-12-N",
        "0-3-13-2-0-3-0-2-1-0-2-1-8-13-S",
        "1-15-1-3-3-2-5-0-8-0-0-0-7-3-S",
        "3-7-0-8-8-1-3-4-0-3-0-2-3-6-N",
        "4-0-9-1-1-0-1-2-0-6-14-2-6-2-S",
        "0-0-0-3-14-1-2-1-1-1-4-4-7-10-N",
        "0-2-2-1-1-0-0-10-2-2-7-0-16-5-N",
        "2-6-0-14-1-3-0-0-0-1-4-1-14-2-N",
    ),
    "ending": (
        "0-2-0-0-1-2-0-1-0-0-2-0-21-19-S",
        "4-0-1-0-1-1-4-0-0-1-3-1-23-9-S",
        "0-7-3-0-1-0-0-0-1-0-0-0-13-23-S",
        "0-3-4-0-0-1-0-1-0-1-0-0-23-15-S",
        "4-0-0-1-0-0-0-0-0-4-6-1-19-13-S",
        "2-1-3-0-0-4-1-0-1-4-0-0-22-10-S",
        "0-1-0-0-1-0-3-0-1-0-1-1-17-23-N",
        "0-0-1-0-0-0-1-2-2-0-1-5-17-19-N",
    ),
    "grand slam": (
        "1-1-1-0-0-0-1-5-1-5-4-0-10-19-N",
        "0-0-1-0-1-1-0-1-0-2-18-2-11-11-N",
        "1-0-0-0-0-0-10-2-1-1-5-1-17-10-N",
        "1-1-2-2-0-0-1-1-10-6-2-5-10-7-N",
        "1-0-4-0-18-0-0-0-0-1-1-0-17-6-S",
        "0-4-0-6-1-1-1-0-0-0-0-0-18-17-S",
    ),
    "feeding": (
        "0-0-0-0-0-0-3-1-4-10-2-4-11-13-N",
        "1-2-0-0-1-2-0-0-0-0-0-0-20-22-S",
        "4-2-2-7-0-4-0-0-0-0-0-0-24-5-S",
        "0-0-0-0-0-0-1-1-7-3-0-0-21-15-N",
    ),
    "big house": (
        "0-14-0-1-1-1-16-0-2-0-0-0-9-4-N",
        "3-0-0-3-2-6-1-4-16-3-1-3-6-0-N",
        "0-2-1-0-2-1-5-1-0-0-1-17-9-9-N",
        "1-0-2-16-1-6-1-1-1-3-7-5-0-4-N",
        "6-2-3-4-0-17-2-1-3-3-0-2-5-0-S",
        "0-4-3-1-2-17-0-1-4-0-5-3-5-3-N",
    ),
}
"""The positions, from random games, by what they are about (``grand slam``: one can be played; ``feeding``: the
opponent's row is empty; ``big house``: 16 seeds and more)."""


@dataclass(frozen=True)
class Outcome:
    """What a run counted: ``nodes`` is the signature; the seconds are those of the processor."""

    depth: int
    nodes: int
    seconds: float

    @property
    def nodes_per_second(self) -> int:
        """Nodes per second of processor time."""
        return int(self.nodes / self.seconds) if self.seconds else 0


def run(depth: int = DEPTH, on_position: Callable[[str, Position, int], None] | None = None) -> Outcome:
    """Search every position to ``depth``, one thread, no tables, the transposition table cleared before each.

    Raises KeyboardInterrupt on Ctrl-C.
    """
    searcher = Searcher(OwareGame(ABAPA), hash_mib=HASH_MIB)
    nodes, seconds = 0, 0.0
    for kind, texts in POSITIONS.items():
        for text in texts:
            position = Position.parse(text, ABAPA)
            searcher.clear()
            began = time.process_time()
            report = searcher.search_through(position, Limits(depth))
            seconds += time.process_time() - began
            nodes += report.nodes
            if on_position is not None:
                on_position(kind, position, report.nodes)
    return Outcome(depth, nodes, seconds)
