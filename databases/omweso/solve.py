"""A small Omweso tier solved whole, level by level, and counted.

What decides a position is left to :mod:`databases.omweso.levels`, the first turns of a game to
:mod:`databases.omweso.setups`, files to :mod:`databases.omweso.tables`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numba
import numpy as np
from numpy.typing import NDArray

from databases.omweso.levels import DRAWN, U, halves_for_kernels, sweep
from databases.tiers import tier_size
from solver.errors import AbapaError
from solver.omweso.kernels import FRESH, TURN_WORDS, OmwesoGenerator, frame_words
from solver.omweso.rules import Endless, OmwesoRules

DEEPEST = 253
"""Most plies of a win or a loss that a byte holds."""
CAPACITY = 4096
"""Turns a position may have: on small boards every turn counts, so running out is an error, not a cut."""
MOST_POSITIONS = 2**33


class SmallBoardError(AbapaError):
    """A board that is too large, or whose play is too long, to be solved whole."""


@dataclass
class SmallBoard:
    """A tier solved whole. ``settled``, ``fresh``: plies of every position after and before the first capture.

    Plies are uint8 in the order of :mod:`databases.tiers`: even, the mover loses in so many; odd, the mover wins;
    :data:`DRAWN`. Without okukoneeza both layers are one array.
    """

    rules: OmwesoRules
    seeds: int
    settled: NDArray[np.uint8]
    fresh: NDArray[np.uint8]
    threads: int = 1

    @cached_property
    def halves(self) -> tuple[NDArray[np.uint64] | NDArray[np.int64], ...]:
        """The sides of the tier, as kernels take them."""
        return halves_for_kernels(self.rules.columns, self.seeds)

    def faults(self) -> int:
        """Positions whose number is not the fold of those after their turns: 0 proves the tier.

        By induction on plies every win and loss is then forced, and from a drawn position each side can go on for ever.
        """
        layers = [(self.settled, 0)] if self.fresh is self.settled else [(self.settled, 0), (self.fresh, FRESH)]
        return sum(_sweep(self, -1, layer, flags) for layer, flags in layers)


def solve_small(
    rules: OmwesoRules,
    seeds: int,
    *,
    threads: int = 1,
    report: Callable[[str, int, int, int], object] = lambda layer, level, decided, open_: None,
) -> SmallBoard:
    """Solve every position of ``seeds`` seeds on a board of ``rules.columns`` columns.

    ``report`` is told after each level: the layer's name, the level in plies, how many positions it decided and how
    many are still open. Raises :class:`SmallBoardError` for a tier that does not fit or play that is too long.
    """
    positions = tier_size(rules.pits, seeds)
    if positions > MOST_POSITIONS:
        raise SmallBoardError(f"{positions:,} positions: a board solved whole has up to {MOST_POSITIONS:,}")
    try:
        settled = np.full(positions, DRAWN, np.uint8)
        fresh = np.full(positions, DRAWN, np.uint8) if rules.okukoneeza else settled
    except MemoryError as error:
        raise SmallBoardError(f"{positions:,} positions do not fit into memory, one or two bytes each") from error
    board = SmallBoard(rules, seeds, settled, fresh, threads)
    _solve_layer(board, settled, 0, "settled", 0, report)
    if fresh is not settled:
        deepest = int(settled[settled != DRAWN].max(initial=0))
        _solve_layer(board, fresh, FRESH, "fresh", deepest, report)
    return board


def _solve_layer(
    board: SmallBoard,
    layer: NDArray[np.uint8],
    flags: int,
    name: str,
    deepest: int,
    report: Callable[[str, int, int, int], object],
) -> None:
    """Level after level, until one decides nothing and no number of the layer below can decide anything later."""
    still_open = layer.size
    for level in range(DEEPEST + 2):
        decided = _sweep(board, level, layer, flags)
        still_open -= decided
        report(name, level, decided, still_open)
        if (not decided and level > max(deepest + 1, 2)) or not still_open:
            return
    raise SmallBoardError(f"a win takes more than {DEEPEST} plies: a byte a position is too small")


def _sweep(board: SmallBoard, level: int, layer: NDArray[np.uint8], flags: int) -> int:
    threads = board.threads
    found = np.zeros(threads, np.int64)
    numba.set_num_threads(threads)
    sweep(
        level, layer, board.settled, U(flags), *game_arguments(board), *board.halves, turn_lists(threads),
        frames(threads), found,
    )  # fmt: skip
    if found.min() < 0:
        raise SmallBoardError(f"a position has {CAPACITY} turns or more: too many choices to solve it whole")
    return int(found.sum())


def game_arguments(board: SmallBoard) -> tuple[np.uint64, bool, int, int, NDArray[np.uint64], np.uint64]:
    """What the kernels take of the rules: options, whether an endless turn loses, columns, seeds, laps, lap limit."""
    rules = board.rules
    generator = OmwesoGenerator(rules)
    loses = rules.endless is Endless.MOVER_LOSES
    return generator.options, loses, rules.columns, board.seeds, generator.laps, generator.lap_limit


def turn_lists(count: int) -> NDArray[np.uint64]:
    """Room for ``count`` lists of turns, a row each."""
    return np.zeros((count, CAPACITY * TURN_WORDS), np.uint64)


def frames(threads: int) -> NDArray[np.uint64]:
    """Room for the turn generators of so many threads, a row each."""
    return np.zeros((threads, frame_words()), np.uint64)


# -- what it tells ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Census:
    """Positions of a layer by outcome for the mover, and the longest win in plies (0 where there is none)."""

    wins: int
    draws: int
    losses: int
    longest: int


_PIECE = 1 << 20


def take_census(layer: NDArray[np.uint8]) -> Census:
    """Count a layer, a piece at a time: numpy turns what it counts into eight bytes each."""
    counts = sum(
        (np.bincount(layer[at : at + _PIECE], minlength=256) for at in range(0, len(layer), _PIECE)),
        np.zeros(256, np.int64),
    )
    decided = counts[:DRAWN]
    wins = decided[1::2]
    longest = 2 * int(np.flatnonzero(wins).max()) + 1 if wins.any() else 0
    return Census(int(wins.sum()), int(counts[DRAWN]), int(decided[0::2].sum()), longest)


def outcome(plies: int) -> tuple[int, int]:
    """Value (1 won, 0 drawn, -1 lost, from the mover's view) and distance in plies (0 for a draw)."""
    if plies == DRAWN:
        return 0, 0
    return (1 if plies & 1 else -1), plies
