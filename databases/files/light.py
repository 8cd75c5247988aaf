"""What light boards are worth: one ply from the heavy boards of their tier and from smaller tiers.

A board is *light* if its mover has fewer than half of the seeds on their own row. A move that captures nothing takes
seeds across and brings none back, so it leads to a board whose mover has more than half. So the numbers of light boards
follow from those of the heavy ones:

- ``value``: the most of (captured - value of the child) over the moves, cut to the window; the margin at the end where
  there is no move. ``lower`` follows in the same way from the children's ``upper``, and ``upper`` from their ``lower``.
- ``distance``: 0 where the value is 0 or there is no move; else over the moves that give the value, 1 for a capture and
  one more than the child's for another move, the least of a win, the largest of a loss.

Boards one by one are played with the generator of the search (:func:`children_of`), whole tiers row by row with the
move tables of :mod:`databases.halfmoves` (:func:`derive_margins`, :func:`derive_distances`). Margins are in seeds, from
the mover's view. Where numbers come from is left to :mod:`databases.files.archive`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from databases.halfboards import half_counts, rank_terms
from databases.halfmoves import HalfMoves, moves_of_outcome
from databases.tiers import index_in_tier, offsets_of_tiers
from databases.windows import Stored, StoredTiers, margin_of
from solver.kernels.compile import inline_kernel, kernel
from solver.oware.kernels import (
    NO_MAJORITY,
    SLAM_CODES,
    final_margin,
    lowest_lane,
    occupied,
    play,
    sowing_table,
    unpack_lanes,
)
from solver.oware.rules import Rules

OPPOSITE = {"value": "value", "lower": "upper", "upper": "lower"}
"""Which margin of the child a margin follows from."""

Look = Callable[[str, int, NDArray[np.int64]], NDArray[Any]]
"""Numbers of a quantity, of boards of so many seeds, at indexes of their tier."""


class Children(NamedTuple):
    """Every move of some boards: the number of the board, seeds captured, seeds left, and the child's index (int64).

    ``ends``: int64, of each board without a move the mover's margin, :data:`MOVES` of the others.
    """

    owner: NDArray[np.int64]
    captured: NDArray[np.int64]
    seeds: NDArray[np.int64]
    places: NDArray[np.int64]
    ends: NDArray[np.int64]


MOVES = 1 << 16
"""Not a margin: the board has moves."""


def children_of(rules: Rules, seeds: int, indexes: NDArray[np.int64]) -> Children:
    """The moves of the boards at ``indexes`` of a tier."""
    pits = rules.pits
    owner, captured, left, places = (np.empty(len(indexes) * pits, np.int64) for _ in range(4))
    ends = np.empty(len(indexes), np.int64)
    count = list_children(
        sowing_table(pits), SLAM_CODES[rules.grand_slam], pits, seeds, indexes, rank_terms(pits, seeds),
        half_counts(pits, seeds), offsets_of_tiers(pits, seeds), owner, captured, left, places, ends,
    )  # fmt: skip
    return Children(owner[:count], captured[:count], left[:count], places[:count], ends)


def light_numbers(
    rules: Rules, seeds: int, window: int, quantity: str, indexes: NDArray[np.int64], look: Look
) -> NDArray[np.int64]:
    """A quantity of the light boards at ``indexes`` of a tier whose margins are cut to ``window``."""
    children = children_of(rules, seeds, indexes)
    of_child = "value" if quantity == "distance" else OPPOSITE[quantity]
    worth = children.captured - _looked_up(children, of_child, look)
    best = np.where(children.ends == MOVES, -MOVES, children.ends)
    np.maximum.at(best, children.owner, worth)
    if quantity == "distance":
        return _distances(children, worth, best, partial(look, "distance", seeds))
    return np.clip(best, -window, window)


def _looked_up(children: Children, quantity: str, look: Look) -> NDArray[np.int64]:
    out = np.empty(len(children.owner), np.int64)
    for seeds in np.unique(children.seeds).tolist():
        here = children.seeds == seeds
        out[here] = look(quantity, seeds, children.places[here])
    return out


def _distances(
    children: Children, worth: NDArray[np.int64], best: NDArray[np.int64], look: Callable[[NDArray[np.int64]], Any]
) -> NDArray[np.int64]:
    """How many plies the values ``best`` take, ``worth`` being what each move is worth."""
    there, longest = (children.ends == MOVES) & (best != 0), np.iinfo(np.int64).max
    gives = (worth == best[children.owner]) & there[children.owner]
    quiet = gives & (children.captured == 0)
    plies = np.ones(len(worth), np.int64)
    plies[quiet] = look(children.places[quiet]).astype(np.int64) + 1
    out = np.where(there & (best > 0), longest, 0)
    for some, fold in ((best > 0, np.minimum), (best < 0, np.maximum)):
        here = gives & some[children.owner]
        fold.at(out, children.owner[here], plies[here])
    return out


@inline_kernel
def unrank_row(rank, seeds, pits, terms):
    """The row of ``pits`` houses with so many seeds and this rank, packed."""
    row, prefix = np.uint64(0), np.int64(seeds)
    for i in range(pits - 2, -1, -1):
        below = prefix
        while terms[np.uint64(i), np.uint64(below)] > rank:
            below -= 1
        rank -= terms[np.uint64(i), np.uint64(below)]
        row |= np.uint64(prefix - below) << np.uint64(8 * (i + 1))
        prefix = below
    return row | np.uint64(prefix)


@kernel
def list_children(
    sowing, slam, pits, seeds, indexes, terms, counts, offsets, owner, captured, left, places, ends
):  # fmt: skip
    """Write the moves of the boards at ``indexes``, and what each board without one is worth; returns how many."""
    count, board = 0, np.empty(2 * pits, np.int8)
    for k in range(indexes.shape[0]):
        a = np.int64(0)
        while offsets[seeds, a + 1] <= indexes[k]:
            a += 1
        row = (indexes[k] - offsets[seeds, a]) // counts[seeds - a]
        column = indexes[k] - offsets[seeds, a] - row * counts[seeds - a]
        own, opponent = unrank_row(row, a, pits, terms), unrank_row(column, seeds - a, pits, terms)
        first, todo = count, occupied(own)
        while todo != np.uint64(0):
            house = lowest_lane(todo)
            todo &= todo - np.uint64(1)
            legal, taken, after, rest = play(sowing, slam, np.int64(NO_MAJORITY), own, opponent, house)
            if legal:
                unpack_lanes(rest, board, 0, pits)
                unpack_lanes(after, board, pits, pits)
                owner[count], captured[count], left[count] = k, taken, seeds - taken
                places[count] = index_in_tier(board, 0, pits, terms, counts, offsets[left[count]], left[count])
                count += 1
        ends[k] = MOVES if count > first else final_margin(slam, own, opponent)
    return count


# -- whole tiers ------------------------------------------------------------------------------------------------------

_COLUMNS = 64
"""Halves B that are worked on at a time, so that what is written lies side by side."""


class Follows(NamedTuple):
    """What the light boards of a tier of ``seeds`` seeds follow from besides its heavy ones."""

    seeds: int
    pits: int
    moves: HalfMoves
    """Of as many seeds or more."""
    margins: Sequence[Stored]
    """A margin of the tiers of 0..seeds - 2 seeds; the opposite one of what is derived."""


def derive_margins(
    from_: Follows, window: int, theirs: NDArray[np.int8], out: NDArray[np.int8], threads: int = 1
) -> None:
    """Write a margin of every light board of a tier into ``out``, int8 in the order of the tier, cut to ``window``.

    ``theirs``: the opposite margin, of which the heavy boards are looked at; it may be ``out`` itself.
    """
    tables = StoredTiers.of(from_.margins)

    def work(b: int, start: int, end: int) -> None:
        derive_columns(*_geometry(from_), window, tables, theirs, out, b, start, end, _room(from_, b, end - start))

    _by_columns(from_, work, threads)


def derive_distances(from_: Follows, values: NDArray[np.int8], out: NDArray[np.uint16], threads: int = 1) -> None:
    """Write the distance of every light board of a tier into ``out``, whose heavy boards have theirs.

    ``values``: of the whole tier, int8; ``from_`` has values.
    """
    tables = StoredTiers.of(from_.margins)

    def work(b: int, start: int, end: int) -> None:
        derive_plies(*_geometry(from_), tables, values, out, b, start, end, _room(from_, b, end - start))

    _by_columns(from_, work, threads)


def _geometry(from_: Follows) -> tuple[Any, ...]:
    """What the kernels need to know of halves, moves and blocks."""
    seeds, moves = from_.seeds, from_.moves
    outcomes = (len(moves.own.first) - 1) // len(moves.counts)
    return seeds, moves.counts, outcomes, moves.own, moves.replies, offsets_of_tiers(from_.pits, seeds)


def _room(from_: Follows, b: int, columns: int) -> NDArray[np.int32]:
    return np.empty(columns * int(from_.moves.counts[from_.seeds - b]), np.int32)


def _by_columns(from_: Follows, work: Callable[[int, int, int], None], threads: int) -> None:
    """Do ``work(b, first, end)`` on the opponent's halves of b seeds, for all light boards, some halves at a time."""
    seeds, counts = from_.seeds, from_.moves.counts
    pieces = [
        (b, first, min(first + _COLUMNS, int(counts[b])))
        for b in range(seeds // 2 + 1, seeds + 1)
        for first in range(0, int(counts[b]), _COLUMNS)
    ]
    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(lambda piece: work(*piece), pieces):
            pass


@inline_kernel
def children_of_outcome(own, replies, offsets, counts, outcomes, seeds, a, b, half, outcome):
    """The moves of all boards (A, B) of one B that have an outcome: seeds captured, seeds left, where the row of the
    children begins, the first move and one beyond the last.

    The child of the move that leaves A' is as many boards on as the rank of A'.
    """
    captured, after, first, last = moves_of_outcome(own, replies, outcomes, a, b, half, outcome)
    left, child = seeds, np.int64(0)
    if first != last:
        crossing, left = outcome // 2, seeds - captured
        child = offsets[np.uint64(left), np.uint64(b + crossing - captured)] + after * counts[np.uint64(a - crossing)]
    return captured, left, child, first, last


@kernel
def derive_columns(
    seeds, counts, outcomes, own, replies, offsets, window, tables, theirs, out, b, start, end, best
):  # fmt: skip
    """Write the margins of the boards (A, B) with ``start <= B < end``; ``best``: int32 room for them."""
    a = seeds - b
    rows = counts[a]
    best[:] = -MOVES
    for half in range(start, end):
        line = (half - start) * rows
        for outcome in range(min(outcomes, 2 * (a + 1))):
            captured, left, child, first, last = children_of_outcome(
                own, replies, offsets, counts, outcomes, seeds, a, b, half, outcome
            )
            for p in range(first, last):
                at = child + np.int64(own.after[np.uint64(p)])
                margin = -np.int64(theirs[np.uint64(at)]) if captured == 0 else captured - margin_of(tables, left, at)
                place = np.uint64(line + np.int64(own.before[np.uint64(p)]))
                best[place] = max(best[place], np.int32(margin))
    stuck = seeds if a > 0 else -seeds
    for i in range(rows):
        at = offsets[seeds, a] + i * counts[b]
        for half in range(start, end):
            margin = np.int64(best[np.uint64((half - start) * rows + i)])
            out[np.uint64(at + half)] = min(max(stuck if margin == -MOVES else margin, -window), window)


@kernel
def derive_plies(seeds, counts, outcomes, own, replies, offsets, tables, values, out, b, start, end, plies):
    """Write the distances of the boards (A, B) with ``start <= B < end``; ``plies``: int32 room for them."""
    a = seeds - b
    rows, base = counts[a], offsets[seeds, a]
    plies[:] = 0
    for half in range(start, end):
        line = (half - start) * rows
        for outcome in range(min(outcomes, 2 * (a + 1))):
            captured, left, child, first, last = children_of_outcome(
                own, replies, offsets, counts, outcomes, seeds, a, b, half, outcome
            )
            for p in range(first, last):
                at, before = child + np.int64(own.after[np.uint64(p)]), np.int64(own.before[np.uint64(p)])
                value = np.int64(values[np.uint64(base + before * counts[b] + half)])
                if captured == 0:
                    gives, taken = -np.int64(values[np.uint64(at)]), np.int32(out[np.uint64(at)]) + np.int32(1)
                else:
                    gives = captured - margin_of(tables, left, at)
                    taken = np.int32(1)
                place = np.uint64(line + before)
                if gives == value and value != 0:
                    nearer = plies[place] == 0 or (taken < plies[place]) == (value > 0)
                    plies[place] = taken if nearer else plies[place]
    for i in range(rows):
        for half in range(start, end):
            out[np.uint64(base + i * counts[b] + half)] = plies[np.uint64((half - start) * rows + i)]
