"""When a search ends, and how large its limits may be: the one home of these numbers.

Nothing compiled is loaded here, so that a command line can check its options before it loads the search. How limits are
kept is left to :mod:`solver.search.searcher` and :mod:`solver.search.negamax`.
"""

from __future__ import annotations

from dataclasses import dataclass

from solver.errors import AbapaError

MAX_DEPTH = 100
"""The deepest search, in plies."""
MAX_THREADS = 64
MAX_NODES = 1 << 62
"""The most nodes of one thread: its counter holds 63 bits."""
LONGEST_SECONDS = 1e8
"""The longest time: the clock counts nanoseconds in 63 bits."""


@dataclass(frozen=True)
class Limits:
    """When a search ends: the first that is reached. Depth in plies, seconds, nodes of one thread.

    Without any limit it goes to depth 100 or until the value is exact. ``same_depth`` keeps scores independent of what
    deeper entries of the transposition table know (see negamax). Raises AbapaError for a limit that is not positive, or
    larger than a clock or a counter holds.
    """

    depth: int = MAX_DEPTH
    seconds: float | None = None
    nodes: int | None = None
    same_depth: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.depth <= MAX_DEPTH:
            raise AbapaError(f"depth {self.depth}: accepted are 1 to {MAX_DEPTH}")
        if self.seconds is not None and not 0 < self.seconds <= LONGEST_SECONDS:
            raise AbapaError(f"a time of {self.seconds:g} s: accepted is more than 0, up to {LONGEST_SECONDS:,.0f}")
        if self.nodes is not None and not 1 <= self.nodes <= MAX_NODES:
            raise AbapaError(f"{self.nodes} nodes: accepted are 1 to {MAX_NODES:,}")
