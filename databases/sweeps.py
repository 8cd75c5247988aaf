"""The tables once more, by another way: the whole graph of a tier, swept until nothing changes.

It shares nothing with the builder but the order of boards: moves come from the packed-board generator of the search,
every move of every board is written down as the number of the board it leads to, and what the boards are worth are
fixed points found by plain sweeps from 0 (from infinity for distances). That takes more than ten times the memory and
time of the builder; its use is to be compared with, in :mod:`databases.verifier`. Values are margins from the mover's
view, in seeds.

Why the sweeps end at the right numbers, in whatever order boards are visited: every value met on the way is what some
game that stops early, counting 0, is worth. A player who can hold a margin of at least 0 holds it in each of these too,
so no value is ever too large in size; and once the boards nearer to their capture are right, the next ones become so.
The bounds start from 0 seeds a side and only grow; distances only shrink, and their equations have one finite solution.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb

import numpy as np
from numba import prange
from numpy.typing import NDArray

from databases.halfboards import half_counts, half_firsts, list_halves, rank_terms
from databases.tiers import block_offsets, tier_size
from solver.kernels.compile import inline_kernel, parallel_kernel
from solver.kernels.lanes import count_at
from solver.kernels.ranks import row_rank
from solver.oware.kernels import NO_MAJORITY, SLAM_CODES, final_margin, pack_row, play, row_seeds, sowing_table
from solver.oware.rules import Rules

UNKNOWN = 65535
"""Distance of a board that has none yet."""
_NOTHING = -128
_BLOCK = 4096


def sweep_bytes(rules: Rules, seeds: int) -> int:
    """Memory to solve all tiers up to ``seeds``, in bytes."""
    top, every = tier_size(rules.pits, seeds), comb(seeds + 2 * rules.pits, 2 * rules.pits)
    return 5 * rules.pits * top + (3 + 2 * rules.has_bounds) * every


class SweptTables:
    """Every quantity of tiers 0..n of a rule set, solved one after the other by :meth:`solve`.

    All tiers lie in one array a quantity, and a board's number there is its index in its tier plus ``starts[tier]``.
    At most 2^31 boards in all (24 seeds in twelve houses).
    """

    def __init__(self, rules: Rules, seeds: int, threads: int = 1) -> None:
        self.rules, self.seeds, self.threads = rules, seeds, threads
        pits = rules.pits
        self.starts = np.array([comb(n + 2 * pits - 1, 2 * pits) for n in range(seeds + 2)], np.int64)
        boards = int(self.starts[-1])
        self._value, self._distance = np.zeros(boards, np.int8), np.zeros(boards, np.uint16)
        self._mover, self._other = (np.zeros(boards if rules.has_bounds else 0, np.int8) for _ in range(2))
        blocks = np.zeros((seeds + 1, seeds + 2), np.int64)
        for n in range(seeds + 1):
            blocks[n, : n + 2] = block_offsets(pits, n) + self.starts[n]
        halves = np.array([pack_row(half) for half in list_halves(pits, seeds).tolist()], np.uint64)
        self._geometry = halves, half_firsts(pits, seeds), half_counts(pits, seeds), rank_terms(pits, seeds), blocks

    def numbers(self, quantity: str, seeds: int) -> NDArray:
        """One quantity of a tier that has been solved, in index order: int8 (``distance``: uint16)."""
        here = slice(int(self.starts[seeds]), int(self.starts[seeds + 1]))
        if quantity == "lower":
            return (2 * self._mover[here].astype(np.int16) - seeds).astype(np.int8)
        if quantity == "upper":
            return (seeds - 2 * self._other[here].astype(np.int16)).astype(np.int8)
        return (self._value if quantity == "value" else self._distance)[here]

    def solve(self, seeds: int) -> None:
        """Solve a tier; all smaller ones have been."""
        pits, start = self.rules.pits, int(self.starts[seeds])
        size = tier_size(pits, seeds)
        children, taken = np.full((size, pits), -1, np.int32), np.zeros((size, pits), np.uint8)
        margins = np.zeros(size, np.int8)
        slam = SLAM_CODES[self.rules.grand_slam]
        list_moves(seeds, sowing_table(pits), slam, *self._geometry, children, taken, margins, self.threads)
        over = (children < 0).all(axis=1)
        here = slice(start, start + size)
        self._value[here] = margins
        self._sweep(sweep_values, start, children, taken, self._value)
        self._distance[here] = np.where(over | (self._value[here] == 0), 0, UNKNOWN)
        self._sweep(sweep_distances, start, children, taken, self._value, self._distance)
        if self.rules.has_bounds:
            self._mover[here] = np.where(over, (seeds + margins.astype(np.int16)) // 2, 0)
            self._other[here] = np.where(over, (seeds - margins.astype(np.int16)) // 2, 0)
            self._sweep(sweep_forced, start, children, taken, self._mover, self._other)

    def _sweep(self, sweep: Callable[..., None], *arguments: object) -> None:
        changed = np.ones(self.threads, np.int64)
        while changed.any():
            sweep(*arguments, self.threads, changed)


# -- the graph --------------------------------------------------------------------------------------------------------


@inline_kernel
def board_number(own, opponent, counts, terms, blocks):
    """Number of the board of two packed rows among all tiers (``blocks[n, a]``: the first of a block)."""
    mine, theirs = row_seeds(own), row_seeds(opponent)
    row = blocks[np.uint64(mine + theirs), np.uint64(mine)] + row_rank(own, terms) * counts[np.uint64(theirs)]
    return row + row_rank(opponent, terms)


@parallel_kernel
def list_moves(seeds, table, slam, halves, firsts, counts, terms, blocks, children, taken, margins, threads):
    """Write down the graph of a tier: for every board (row) and house the number of the child and the seeds captured.

    ``children`` stays -1 where a house is not legal; ``margins`` gets the margin of boards without a legal move.
    """
    for thread in prange(threads):
        for a in range(seeds + 1):
            for half in range(thread, counts[a], threads):
                own = halves[firsts[a] + half]
                for column in range(counts[seeds - a]):
                    opponent = halves[firsts[seeds - a] + column]
                    board = blocks[seeds, a] - blocks[seeds, 0] + half * counts[seeds - a] + column
                    stuck = True
                    for house in range(terms.shape[0]):
                        if count_at(own, np.uint64(house)):
                            legal, captured, after, left = play(
                                table, slam, np.int64(NO_MAJORITY), own, opponent, np.uint64(house)
                            )
                            if legal:
                                children[board, house] = board_number(left, after, counts, terms, blocks)
                                taken[board, house] = captured
                                stuck = False
                    if stuck:
                        margins[board] = final_margin(slam, own, opponent)


# -- sweeps -----------------------------------------------------------------------------------------------------------
# Each visits every board once, in place, and says whether anything changed. Threads take blocks in turn and may read
# what another is about to change: where the sweeps end does not depend on the order.


@parallel_kernel
def sweep_values(start, children, taken, values, threads, changed):
    """``value`` = the best of captured - value(child)."""
    for thread in prange(threads):
        count = np.int64(0)
        for at in range(thread * _BLOCK, children.shape[0], threads * _BLOCK):
            for board in range(at, min(at + _BLOCK, children.shape[0])):
                best = np.int64(_NOTHING)
                for house in range(children.shape[1]):
                    child = children[board, house]
                    if child >= 0:
                        best = max(best, np.int64(taken[board, house]) - np.int64(values[child]))
                if best != _NOTHING and best != values[start + board]:
                    values[start + board] = best
                    count += 1
        changed[thread] = count


@parallel_kernel
def sweep_distances(start, children, taken, values, distances, threads, changed):
    """``distance`` = 1 + the least (ahead) or the largest (behind) over the moves that keep the value."""
    for thread in prange(threads):
        count = np.int64(0)
        for at in range(thread * _BLOCK, children.shape[0], threads * _BLOCK):
            for board in range(at, min(at + _BLOCK, children.shape[0])):
                value = np.int64(values[start + board])
                if value == 0 or distances[start + board] == 0:
                    continue
                least, most = np.int64(UNKNOWN), np.int64(0)
                for house in range(children.shape[1]):
                    child = children[board, house]
                    if child >= 0 and np.int64(taken[board, house]) - np.int64(values[child]) == value:
                        plies = np.int64(0) if taken[board, house] else np.int64(distances[child])
                        least, most = min(least, plies), max(most, plies)
                plies = min((least if value > 0 else most) + 1, np.int64(UNKNOWN))
                if plies != distances[start + board]:
                    distances[start + board] = plies
                    count += 1
        changed[thread] = count


@parallel_kernel
def sweep_forced(start, children, taken, mover, other, threads, changed):
    """``mover`` = the best of captured + other(child), ``other`` = the least of mover(child): seeds each can force."""
    for thread in prange(threads):
        count = np.int64(0)
        for at in range(thread * _BLOCK, children.shape[0], threads * _BLOCK):
            for board in range(at, min(at + _BLOCK, children.shape[0])):
                most, least = np.int64(_NOTHING), np.int64(-_NOTHING)
                for house in range(children.shape[1]):
                    child = children[board, house]
                    if child >= 0:
                        most = max(most, np.int64(taken[board, house]) + np.int64(other[child]))
                        least = min(least, np.int64(mover[child]))
                if most != _NOTHING and (most != mover[start + board] or least != other[start + board]):
                    mover[start + board], other[start + board] = most, least
                    count += 1
        changed[thread] = count
