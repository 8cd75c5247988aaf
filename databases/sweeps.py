"""The tables once more, by another way: the whole graph of a tier, swept until nothing changes.

It shares nothing with the builder but the order of boards, on purpose (:mod:`databases.builder` says so too). Moves
come from the packed-board generator of the search, every move of every board is written down as the number of the board
it leads to, and what the boards are worth are fixed points found by plain sweeps from 0 (from infinity for distances).
That takes more than ten times the memory and time of the builder; its use is to be compared with, in
:mod:`databases.verifier`. Values are margins from the mover's view, in seeds.

Why the sweeps end at the right numbers, in whatever order boards are visited: every value met on the way is what some
game that stops early, counting 0, is worth. A player who can hold a margin of at least 0 holds it in each of these too,
so no value is ever too large in size; and once the boards nearer to their capture are right, the next ones become so.
The bounds start from 0 seeds a side and only grow; distances only shrink, and their equations have one finite solution.
"""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from databases.halfboards import half_counts, half_firsts, list_halves, rank_terms
from databases.halfmoves import row_rank
from databases.tiers import block_offsets, tier_size
from solver.kernels.compile import inline_kernel, parallel_kernel
from solver.oware.kernels import NO_MAJORITY, SLAM_CODES, final_margin, pack_row, play, row_seeds, sowing_table
from solver.oware.rules import Rules

UNKNOWN = 65535
"""Distance of a board that has none yet."""
_NOTHING = -128
_BLOCK = 4096
_LANE = np.uint64(0xFF)


def sweep_bytes(rules: Rules, seeds: int) -> int:
    """Memory to solve all tiers up to ``seeds``, in bytes."""
    top, every = tier_size(rules.pits, seeds), comb(seeds + 2 * rules.pits, 2 * rules.pits)
    return 5 * rules.pits * top + (3 + 2 * rules.has_bounds) * every


class Graph(NamedTuple):
    """Every move of a tier, whose boards are numbered from ``start`` on; both arrays by board and house.

    ``children``: number of the board that the move leads to, -1 where it is not legal. ``taken``: seeds captured.
    """

    start: int
    children: NDArray[np.int32]
    taken: NDArray[np.uint8]


class Numbers(NamedTuple):
    """What is known of every board of every tier, by its number.

    ``mover``, ``other``: seeds that the mover and the other side can force; empty for rules without bounds.
    """

    value: NDArray[np.int8]
    distance: NDArray[np.uint16]
    mover: NDArray[np.int8]
    other: NDArray[np.int8]


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
        bounded = boards if rules.has_bounds else 0
        self._all = Numbers(
            np.zeros(boards, np.int8),
            np.zeros(boards, np.uint16),
            np.zeros(bounded, np.int8),
            np.zeros(bounded, np.int8),
        )
        blocks = np.zeros((seeds + 1, seeds + 2), np.int64)
        for n in range(seeds + 1):
            blocks[n, : n + 2] = block_offsets(pits, n) + self.starts[n]
        halves = np.array([pack_row(half) for half in list_halves(pits, seeds).tolist()], np.uint64)
        self._geometry = halves, half_firsts(pits, seeds), half_counts(pits, seeds), rank_terms(pits, seeds), blocks

    def numbers(self, quantity: str, seeds: int) -> NDArray:
        """One quantity of a tier that has been solved, in index order: int8 (``distance``: uint16)."""
        here = slice(int(self.starts[seeds]), int(self.starts[seeds + 1]))
        if quantity == "lower":
            return (2 * self._all.mover[here].astype(np.int16) - seeds).astype(np.int8)
        if quantity == "upper":
            return (seeds - 2 * self._all.other[here].astype(np.int16)).astype(np.int8)
        return (self._all.value if quantity == "value" else self._all.distance)[here]

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
        graph, known = Graph(start, children, taken), self._all
        known.value[here] = margins
        self._sweep(VALUES, graph)
        known.distance[here] = np.where(over | (known.value[here] == 0), 0, UNKNOWN)
        self._sweep(DISTANCES, graph)
        if self.rules.has_bounds:
            known.mover[here] = np.where(over, (seeds + margins.astype(np.int16)) // 2, 0)
            known.other[here] = np.where(over, (seeds - margins.astype(np.int16)) // 2, 0)
            self._sweep(FORCED, graph)

    def _sweep(self, what: int, graph: Graph) -> None:
        """Sweep until nothing changes."""
        changed = np.ones(self.threads, np.int64)
        while changed.any():
            sweep(what, graph, self._all, self.threads, changed)


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
                        if (own >> np.uint64(8 * house)) & _LANE:
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

VALUES, DISTANCES, FORCED = range(3)
"""What a sweep goes over: ``value``; ``distance``; the seeds that each side can force."""


@parallel_kernel
def sweep(what, graph, numbers, threads, changed):
    """One sweep; ``changed[thread]``: how many boards got another number."""
    for thread in prange(threads):
        count = np.int64(0)
        for at in range(thread * _BLOCK, graph.children.shape[0], threads * _BLOCK):
            for board in range(at, min(at + _BLOCK, graph.children.shape[0])):
                if what == VALUES:
                    count += improve_value(graph, numbers, board)
                elif what == DISTANCES:
                    count += improve_distance(graph, numbers, board)
                else:
                    count += improve_forced(graph, numbers, board)
        changed[thread] = count


@inline_kernel
def improve_value(graph, numbers, board):
    """``value`` = the best of captured - value(child). Returns 1 if it changed, else 0; so do the other two."""
    at, best = graph.start + board, np.int64(_NOTHING)
    for house in range(graph.children.shape[1]):
        child = graph.children[board, house]
        if child >= 0:
            best = max(best, np.int64(graph.taken[board, house]) - np.int64(numbers.value[child]))
    if best == _NOTHING or best == numbers.value[at]:
        return 0
    numbers.value[at] = best
    return 1


@inline_kernel
def improve_distance(graph, numbers, board):
    """``distance`` = 1 + the least (ahead) or the largest (behind) over the moves that keep the value."""
    at = graph.start + board
    value = np.int64(numbers.value[at])
    if value == 0 or numbers.distance[at] == 0:
        return 0
    least, most = np.int64(UNKNOWN), np.int64(0)
    for house in range(graph.children.shape[1]):
        child, taken = graph.children[board, house], np.int64(graph.taken[board, house])
        if child >= 0 and taken - np.int64(numbers.value[child]) == value:
            plies = np.int64(0) if taken else np.int64(numbers.distance[child])
            least, most = min(least, plies), max(most, plies)
    plies = min((least if value > 0 else most) + 1, np.int64(UNKNOWN))
    if plies == numbers.distance[at]:
        return 0
    numbers.distance[at] = plies
    return 1


@inline_kernel
def improve_forced(graph, numbers, board):
    """``mover`` = the best of captured + other(child), ``other`` = the least of mover(child): seeds each can force."""
    at, most, least = graph.start + board, np.int64(_NOTHING), np.int64(-_NOTHING)
    for house in range(graph.children.shape[1]):
        child = graph.children[board, house]
        if child >= 0:
            most = max(most, np.int64(graph.taken[board, house]) + np.int64(numbers.other[child]))
            least = min(least, np.int64(numbers.mover[child]))
    if most == _NOTHING or (most == numbers.mover[at] and least == numbers.other[at]):
        return 0
    numbers.mover[at], numbers.other[at] = most, least
    return 1
