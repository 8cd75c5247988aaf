"""Packed Oware boards and the compiled move generator, for every rule set and 1 to 8 houses a side.

A *row* is one 64-bit word of byte lanes: lane i (bits 8i .. 8i+7) is the row's i-th house in sowing order. A board is
two rows, the mover's and the opponent's (canonical), and a move's child is the two rows swapped. Sowing is one lane
cleared and two constants added, looked up by house and seeds in a *sowing table* (:func:`sowing_table`); a capture is a
lane compare and a bit scan. Houses of several laps come out of the same table, so no seed count is special.

What the rules mean is said by :mod:`solver.oware.position`, the readable reference; tests compare the two. Stores are
not part of a board: a caller that plays whole games keeps, for each side, the seeds that it still *needs* for a
majority.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.errors import PositionError
from solver.kernels.compile import inline_kernel, kernel
from solver.kernels.intrinsics import count_leading_zeros, population_count
from solver.kernels.lanes import ALL, LANE, NOT_ONES, ONES, at_least, count_at, lowest_lane, sum_of_lanes, whole_lanes
from solver.oware.position import Position
from solver.oware.rules import GrandSlam, Rules

MAX_SEEDS = 255
"""Seeds that a byte lane holds, and so the most that a packed board may hold in all."""

FORFEIT, FORBIDDEN, CAPTURE, WIN_ONLY = range(4)
SLAM_CODES = {
    GrandSlam.FORFEIT: FORFEIT,
    GrandSlam.FORBIDDEN: FORBIDDEN,
    GrandSlam.CAPTURE: CAPTURE,
    GrandSlam.WIN_ONLY: WIN_ONLY,
}
"""The grand slam rule as kernels take it."""

NO_MAJORITY = 1 << 40
"""What a side *needs* where stores play no part: more seeds than there are."""

_TWOS = np.uint64(2) * ONES


# -- boards as words --------------------------------------------------------------------------------------------------


def pack_row(counts: NDArray[np.int8] | tuple[int, ...] | list[int]) -> int:
    """One row of 1 to 8 houses as a word of byte lanes. Raises PositionError for a count outside 0..255."""
    word = 0
    for lane, count in enumerate(counts):
        if not 0 <= int(count) <= MAX_SEEDS:
            raise PositionError(f"a house of {int(count)} seeds: a packed board takes 0 to {MAX_SEEDS}")
        word |= int(count) << (8 * lane)
    return word


def unpack_row(word: int, pits: int) -> tuple[int, ...]:
    """The ``pits`` counts of a packed row."""
    return tuple((int(word) >> (8 * lane)) & 0xFF for lane in range(pits))


def pack(position: Position) -> tuple[int, int]:
    """The mover's row and the opponent's row of a position. Raises PositionError for more than 255 seeds."""
    if position.seeds > MAX_SEEDS:
        raise PositionError(f"{position.seeds} seeds on the board: the compiled kernels take at most {MAX_SEEDS}")
    pits, board = position.rules.pits, position.canonical
    return pack_row(board[:pits]), pack_row(board[pits:])


def needs(position: Position) -> tuple[int, int]:
    """The seeds that the mover and the opponent still need for a majority; 0 or less where one has it."""
    majority = position.total // 2 + 1
    return majority - position.stores[position.turn], majority - position.stores[1 - position.turn]


# -- the sowing table -------------------------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def sowing_table(pits: int) -> NDArray[np.uint64]:
    """What sowing does, flat uint64 of 4 words for each (house, seeds), at index 4 * (256 * house + seeds).

    The words: the mask that clears the house in the mover's row; what is added to the mover's row; what is added to the
    opponent's row; and the *reach* of a capture: the high bits of the opponent's lanes 0..e, where e is the lane of the
    last seed, or 0 when that seed does not fall on the opponent's side. Read-only.
    """
    table = np.zeros((pits, MAX_SEEDS + 1, 4), np.uint64)
    others = 2 * pits - 1
    for house in range(pits):
        for seeds in range(MAX_SEEDS + 1):
            laps, rest = divmod(seeds, others)
            added = [laps] * (2 * pits)
            added[house] = 0
            for step in range(1, rest + 1):
                added[(house + step) % (2 * pits)] += 1
            last = (house + (rest or others)) % (2 * pits)
            reach = sum(0x80 << (8 * lane) for lane in range(last - pits + 1)) if seeds and last >= pits else 0
            table[house, seeds] = (
                int(ALL) ^ (0xFF << (8 * house)),
                pack_row(added[:pits]),
                pack_row(added[pits:]),
                reach,
            )
    flat = table.reshape(-1)
    flat.flags.writeable = False
    return flat


# -- one move ---------------------------------------------------------------------------------------------------------


@inline_kernel
def row_seeds(row):
    """The sum of the eight lanes of a row (at most 255), as int64."""
    return np.int64(sum_of_lanes(row))


@inline_kernel
def occupied(row):
    """The high bit of every lane of a row that is not 0."""
    return at_least(row, np.uint64(1))


@inline_kernel
def sow(table, own, opp, house):
    """Sow a house (uint64): the two rows after, nothing captured yet, and the high bits of the lanes to capture.

    The chain of captures is the run of lanes of 2 or 3 that goes down from the last seed: the lanes of the reach above
    its highest lane that is not 2 or 3.
    """
    seeds = count_at(own, house)
    at = (house << np.uint64(10)) + (seeds << np.uint64(2))
    own = (own & table[at]) + table[at + np.uint64(1)]
    opp = opp + table[at + np.uint64(2)]
    reach = table[at + np.uint64(3)]
    missed = occupied((opp ^ _TWOS) & NOT_ONES) & reach
    return own, opp, reach & ~(ALL >> count_leading_zeros(missed | np.uint64(1)))


@inline_kernel
def play(table, slam, need, own, opp, house):
    """Play a non-empty house by the rules: (legal, captured, own row, opponent row), still as the mover sees them.

    ``slam`` is one of SLAM_CODES; ``need`` the seeds that the mover needs for a majority (NO_MAJORITY without stores),
    which only ``win-only`` reads.
    """
    after, fed, run = sow(table, own, opp, house)
    captured = np.int64(0)
    if run != np.uint64(0):
        lanes = whole_lanes(run)
        captured = row_seeds(fed & lanes)
        left = fed & ~lanes
        if left == np.uint64(0):
            if slam == FORBIDDEN:
                return False, captured, after, left
            if slam == FORFEIT or (slam == WIN_ONLY and captured < need):
                return True, np.int64(0), after, fed
        return True, captured, after, left  # a grand slam on an empty row did feed it, and is legal
    return fed != np.uint64(0), captured, after, fed


@inline_kernel
def count_moves(table, slam, own, opp):
    """The number of legal moves: the non-empty houses, unless a move could leave the opponent without seeds."""
    houses = occupied(own)
    # A grand slam needs every house of the opponent at 3 or less, and sowing takes none of them down.
    if opp != np.uint64(0) and (slam != FORBIDDEN or at_least(opp, np.uint64(4)) != np.uint64(0)):
        return np.int64(population_count(houses))
    count = np.int64(0)
    while houses != np.uint64(0):
        house = lowest_lane(houses)
        houses &= houses - np.uint64(1)
        legal, _captured, _own, _opp = play(table, slam, np.int64(NO_MAJORITY), own, opp, house)
        count += np.int64(legal)
    return count


@inline_kernel
def final_margin(slam, own, opp):
    """The mover's margin on a board where they have no legal move: each takes their own row, in seeds.

    Under ``forbidden`` a mover who has seeds, but only moves that would leave the opponent none, takes all.
    """
    if slam == FORBIDDEN and own != np.uint64(0):
        return row_seeds(own) + row_seeds(opp)
    return row_seeds(own) - row_seeds(opp)


# -- all moves of a board, as arrays ----------------------------------------------------------------------------------


@inline_kernel
def pack_lanes(board, start, pits):
    """``pits`` counts of an int8 array from ``start`` on, as a row."""
    row = np.uint64(0)
    for lane in range(pits):
        row |= np.uint64(board[np.uint64(start + lane)]) << np.uint64(8 * lane)
    return row


@inline_kernel
def unpack_lanes(row, board, start, pits):
    """Write a row's counts into an array of integers from ``start`` on."""
    for lane in range(pits):
        board[np.uint64(start + lane)] = (row >> np.uint64(8 * lane)) & LANE


@kernel
def legal_children(table, slam, need, board, houses, captured, children):
    """Every legal move of a canonical board, in house order; returns how many there are.

    ``board``: integers, shape (2 * pits,). Written: ``houses[k]`` (0..pits-1), ``captured[k]`` and ``children[k]``, the
    canonical board after the k-th move (the opponent, now to move, first), all integers of a type that holds the seeds
    there are. ``slam`` and ``need`` as in :func:`play`: majorities are not looked at.
    """
    pits = len(board) // 2
    own, opp = pack_lanes(board, 0, pits), pack_lanes(board, pits, pits)
    count = 0
    todo = occupied(own)
    while todo != np.uint64(0):
        house = lowest_lane(todo)
        todo &= todo - np.uint64(1)
        legal, seeds, after, left = play(table, slam, need, own, opp, house)
        if legal:
            houses[count] = house
            captured[count] = seeds
            unpack_lanes(left, children[count], 0, pits)
            unpack_lanes(after, children[count], pits, pits)
            count += 1
    return count


def children(rules: Rules, board: NDArray[np.int8]) -> tuple[NDArray[np.int8], NDArray[np.int8], NDArray[np.int8]]:
    """The legal moves of a canonical board: houses[k], captured[k] and boards[k, 2 * pits], all int8, in house order.

    The convenient form of :func:`legal_children`. Raises PositionError for a board of another size, a negative count,
    more than 127 seeds, or ``win-only`` (whose legal captures depend on the stores).
    """
    board = np.ascontiguousarray(board, np.int8)
    pits = rules.pits
    counts = board.tolist()  # of so few numbers Python's own sum takes a tenth of numpy's time
    if board.shape != (2 * pits,) or min(counts) < 0 or sum(counts) > 127:
        raise PositionError(f"board {counts}: {rules.id} takes {2 * pits} counts of 0 or more, 127 seeds in all")
    if not rules.has_tables:
        raise PositionError(f"the moves of a bare board depend on the stores under {rules.id}: give a whole position")
    houses, captured = np.empty(pits, np.int8), np.empty(pits, np.int8)
    boards = np.empty((pits, 2 * pits), np.int8)
    table, slam = sowing_table(pits), SLAM_CODES[rules.grand_slam]
    count = legal_children(table, slam, NO_MAJORITY, board, houses, captured, boards)
    return houses[:count], captured[:count], boards[:count]


class ToldMove(NamedTuple):
    """What a move from a canonical board does: the mover's houses are 0..m-1, the opponent's m..2m-1."""

    house: int
    captured: int
    board: tuple[int, ...]
    """The canonical board after it: the opponent, now to move, first."""
    taken: tuple[int, ...]
    """The houses captured, the one that the last seed fell into first."""
    slam: bool
    """Whether it is a grand slam that the rules let capture nothing."""
    answered: bool
    """Whether the opponent has a legal move then."""


TOLD = 6
"""Columns of a row of :func:`tell_moves` before its board."""


@kernel
def tell_moves(table, slam, need, board, rows):
    """Every legal move of a canonical board (uint8[2 * pits]) in house order; returns how many there are.

    A row of ``rows`` (integers of more than 8 bits, pits rows of 6 + 2 * pits or more): house; seeds captured; the
    house where the last seed began a capture; houses captured from it down; 1 for a grand slam that captures nothing;
    replies; and the canonical board after. ``need`` as in :func:`play`.
    """
    pits = len(board) // 2
    own, opp = pack_lanes(board, 0, pits), pack_lanes(board, pits, pits)
    count = legal_children(table, slam, need, board, rows[:, 0], rows[:, 1], rows[:, TOLD:])
    for k in range(count):
        row = rows[k]
        _, _, run = sow(table, own, opp, np.uint64(row[0]))
        row[2] = pits + 7 - np.int64(count_leading_zeros(run | np.uint64(1)) >> np.uint64(3))
        row[3] = population_count(run) if row[1] > 0 else 0
        row[4] = row[1] == 0 and run != np.uint64(0)
        row[5] = count_moves(table, slam, pack_lanes(row, TOLD, pits), pack_lanes(row, TOLD + pits, pits))
    return count


def houses_taken(last: int, taken: int) -> tuple[int, ...]:
    """The houses captured, by the third and fourth column of a row of :func:`tell_moves`."""
    return tuple(range(last, last - taken, -1)) if taken else ()


def told_moves(rules: Rules, board: tuple[int, ...], need: int = NO_MAJORITY) -> list[ToldMove]:
    """The legal moves of a canonical board, in house order, with all that a board shows of them.

    ``need``: the seeds that the mover needs for a majority (:func:`needs`), which only ``win-only`` asks for. Nothing
    is checked: 0 to 255 seeds in 2 * pits houses.
    """
    rows = np.empty((rules.pits, TOLD + 2 * rules.pits), np.int32)
    slam = SLAM_CODES[rules.grand_slam]
    count = tell_moves(sowing_table(rules.pits), slam, need, np.array(board, np.uint8), rows)
    return [
        ToldMove(house, captured, tuple(after), houses_taken(last, taken), slam == 1, replies > 0)
        for house, captured, last, taken, slam, replies, *after in rows[:count].tolist()
    ]


# -- perft ------------------------------------------------------------------------------------------------------------


@kernel
def count_leaves(table, slam, pits, own, opp, need, need_other, barred, depth, bulk):
    """The number of move sequences of length ``depth`` (1 or more) from a canonical board; see :func:`perft`.

    A walk with a stack of its own: recursion would pass the table's descriptor down at every call. What the mover and
    the other side ``need`` decides majorities. ``barred``: uint64[k, 3], boards that end the game when they come back
    before a capture: the two rows, and 0 or 1 for the root's mover or the other side to move.
    ``bulk``: count the moves of the last ply instead of making them.
    """
    if bulk and depth == 1:
        return count_moves(table, slam, own, opp)
    rows = np.zeros((depth + 1, 2), np.uint64)
    todo = np.zeros(depth + 1, np.uint64)
    lacking = np.zeros((depth + 1, 2), np.int64)
    quiet = np.zeros(depth + 1, np.int64)  # plies since the last capture, on this path
    rows[0, 0], rows[0, 1] = own, opp
    lacking[0, 0], lacking[0, 1] = need, need_other
    todo[0] = occupied(own)
    leaves = np.int64(0)
    last = np.int64(depth - 2 if bulk else depth - 1)  # the ply whose children are counted, not entered
    ply = np.int64(0)
    while ply >= 0:
        here = np.uint64(ply)
        rest = todo[here]
        if rest == np.uint64(0):
            ply -= 1
            continue
        todo[here] = rest & (rest - np.uint64(1))
        house = lowest_lane(rest)
        short = lacking[here, np.uint64(0)]
        legal, captured, after, left = play(
            table, slam, short, rows[here, np.uint64(0)], rows[here, np.uint64(1)], house
        )
        if not legal:
            continue
        if ply == last and not bulk:
            leaves += 1
            continue
        if captured >= short:
            continue  # a majority: the game is over and has no children
        still = quiet[here] + 1 if captured == 0 else 0
        if still >= 2 * pits and _came_before(rows, ply + 1, still, 2 * pits, left, after):
            continue
        if len(barred) > 0 and still == ply + 1 and _is_barred(barred, ply + 1, left, after):
            continue
        if ply == last:
            leaves += count_moves(table, slam, left, after)
            continue
        ply += 1
        there = np.uint64(ply)
        rows[there, np.uint64(0)], rows[there, np.uint64(1)] = left, after
        lacking[there, np.uint64(0)] = lacking[here, np.uint64(1)]
        lacking[there, np.uint64(1)] = short - captured
        quiet[there] = still
        todo[there] = occupied(left)
    return leaves


@inline_kernel
def _came_before(rows, ply, still, shortest, own, opp):
    """Whether the board about to stand at ``ply`` stood on the path since the last capture, ``still`` plies ago.

    No cycle is shorter than ``shortest`` = 2 * pits plies: seeds only go forward and are dropped in every house they
    pass, so in a cycle every house receives seeds and has to be played.
    """
    back = ply - shortest
    while back >= ply - still:
        if rows[np.uint64(back), np.uint64(0)] == own and rows[np.uint64(back), np.uint64(1)] == opp:
            return True
        back -= 2
    return False


@inline_kernel
def _is_barred(barred, ply, own, opp):
    """Whether the board about to stand at ``ply`` is one of ``barred`` with the same side to move."""
    for row in range(len(barred)):
        if barred[row, 0] == own and barred[row, 1] == opp and barred[row, 2] == np.uint64(ply & 1):
            return True
    return False


def perft(position: Position, depth: int, *, bulk: bool = True) -> int:
    """The number of continuations of exactly ``depth`` plies; a finished game has none. Depth 0 gives 1.

    Counts are those of the reference: majority, no move and repetition (also of the boards that ``position`` has seen)
    end a game. ``bulk`` counts the legal moves of the last ply without making them.
    """
    if depth == 0:
        return 1
    if position.ending is not None:
        return 0
    own, opp = pack(position)
    rules = position.rules
    need, other = needs(position)
    barred = np.zeros((len(position.seen), 3), np.uint64)
    for row, (board, turn) in enumerate(position.seen):
        barred[row, :2] = pack(Position(board, turn=turn, rules=rules))
        barred[row, 2] = turn != position.turn
    table, slam = sowing_table(rules.pits), SLAM_CODES[rules.grand_slam]
    return int(count_leaves(table, slam, rules.pits, np.uint64(own), np.uint64(opp), need, other, barred, depth, bulk))
