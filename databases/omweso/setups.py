"""The first position of a game on a small Omweso board: every pair of set-ups, and which set-up is best.

The two first turns, which may not capture, are played out on top of a solved tier
(:class:`databases.omweso.solve.SmallBoard`). A set-up's number is the rank of its half board
(:func:`databases.halfboards.half_rank`). How set-ups are rated on boards that cannot be solved is left to
:mod:`solver.omweso.ratings`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numba
import numpy as np
from numba import prange
from numpy.typing import NDArray

from databases.halfboards import half_count, unrank_half
from databases.omweso.levels import AT_INFO, CAPTURED, DRAWN, ENDLESS, TURN, U, conclude, fold, weigh
from databases.omweso.solve import Census, SmallBoard, SmallBoardError, frames, game_arguments, take_census, turn_lists
from solver.kernels.compile import parallel_kernel
from solver.omweso.kernels import FIRST_TURN, FIRST_TURN_OF_FOE, FRESH, generate


def solve_starts(board: SmallBoard) -> NDArray[np.uint8]:
    """Plies of the first position of a game, for every pair of set-ups of half the seeds: uint8 [first, second].

    Rows and columns are ranks of half boards. The first player, to move, is the row's; plies as in
    :class:`~databases.omweso.solve.SmallBoard`, from their view. Raises
    :class:`~databases.omweso.solve.SmallBoardError` for an odd number of seeds.
    """
    if board.seeds % 2:
        raise SmallBoardError(f"{board.seeds} seeds cannot be shared evenly: a game starts from an even number")
    side = board.seeds // 2
    size = half_count(board.rules.pits, side)
    plies = np.empty((size, size), np.uint8)
    numba.set_num_threads(board.threads)
    fold_starts(
        plies, side, board.fresh, board.settled, *game_arguments(board), *board.halves, turn_lists(2 * board.threads),
        frames(board.threads),
    )  # fmt: skip
    return plies


@parallel_kernel
def fold_starts(
    plies, side, layer, settled, options, loses, columns, seeds, laps, lap_limit,
    outer, inner, firsts, counts, offsets, terms, turns, frames,
):  # fmt: skip
    """Plies of the first position of a game for every pair of set-ups of ``side`` seeds: ``plies[first, second]``.

    The two first turns are played out; ``turns``: two rows a thread.
    """
    threads = frames.shape[0]
    for thread in prange(threads):
        mine, replies, scratch = turns[2 * thread], turns[2 * thread + 1], frames[thread]
        for row in range(thread, counts[side], threads):
            a = U(firsts[side] + row)
            for column in range(counts[side]):
                b = U(firsts[side] + column)
                count = generate(
                    outer[a], inner[a], outer[b], inner[b], U(FIRST_TURN | FIRST_TURN_OF_FOE | FRESH), options,
                    U(columns), laps, lap_limit, mine, scratch,
                )  # fmt: skip
                shortest, longest, drawn = np.int64(DRAWN), np.int64(-1), False
                for at in range(count):
                    info = mine[U(at) * TURN + AT_INFO]
                    if (info >> ENDLESS) & U(1):
                        after = np.int64(1) if loses else np.int64(DRAWN)
                    else:
                        base = U(at) * TURN
                        captured = (info >> CAPTURED) & U(127)
                        below = settled if captured else layer
                        number = generate(
                            mine[base + U(2)], mine[base + U(3)], mine[base], mine[base + U(1)],
                            U(FIRST_TURN) if captured else U(FIRST_TURN | FRESH), options,
                            U(columns), laps, lap_limit, replies, scratch,
                        )  # fmt: skip
                        after = fold(
                            replies, np.int64(number), loses, columns, seeds, counts, offsets, terms, below, settled
                        )  # fmt: skip
                    shortest, longest, drawn = weigh(after, shortest, longest, drawn)
                plies[row, column] = conclude(shortest, longest, drawn)


def preference(plies: NDArray[np.uint8]) -> NDArray[np.int16]:
    """A number that orders outcomes for the mover: quick wins first, then draws, then losses, the slowest first."""
    signed = plies.astype(np.int16)
    return np.where(plies == DRAWN, 0, np.where(signed & 1, 1000 - signed, signed - 1000)).astype(np.int16)


@dataclass(frozen=True)
class SetupChoice:
    """A first player's set-up and what it is worth, from the view of that player, who is to move."""

    setup: tuple[int, ...]
    reply: tuple[int, ...]
    """The second player's best set-up against it."""
    plies: int
    """Against that reply, as in :class:`~databases.omweso.solve.SmallBoard`."""
    replies: Census
    """What it comes to against each of all replies."""


def best_setups(board: SmallBoard, starts: NDArray[np.uint8], count: int = 3) -> list[SetupChoice]:
    """The first player's best set-ups where the second player sees them: by the best reply, then by wins of all."""
    likes = preference(starts)
    worst = likes.min(axis=1)
    wins = (likes > 0).sum(axis=1)
    order = np.lexsort((np.arange(len(worst)), -wins, -worst))[:count]
    side, pits = board.seeds // 2, board.rules.pits
    return [
        SetupChoice(
            unrank_half(pits, side, int(row)),
            unrank_half(pits, side, int(likes[row].argmin())),
            int(starts[row, likes[row].argmin()]),
            take_census(starts[row]),
        )
        for row in order
    ]
