"""Whether values are right, from the values alone: a proof that needs no stored distances, but a bit per board.

The values of a tier are right, given right smaller tiers, if

1. every value is the best over the moves of (captured - value of the child), or the margin at the end; and
2. every value but 0 is *grounded*: a board without a move is; one with a value above 0 is if one of its best moves is a
   capture or leads to a grounded board; one with a value below 0 is if each of its best moves does.

The second is a least fixed point: nothing is grounded but by a chain that ends in captures. So a player ahead can
follow grounded moves to the capture, each nearer to it than the one before; a player behind who loses no more than the
value says comes nearer to it with every move; and who holds 0 holds it for ever by the first. Without the second, two
boards that pass +2 and -2 back and forth would do. In a window the same holds of the margins cut to it.

The proof plays moves forward (:mod:`databases.halfmoves`) and shares nothing with the builder but the order of boards.
It takes tables in any window. Passes over whole strips of boards are left to :mod:`databases.strips`, files and the
other proofs to :mod:`databases.verifier`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numba
import numpy as np
from numba import prange
from numpy.typing import NDArray

from databases.halfboards import half_counts
from databases.halfmoves import ILLEGAL, HalfMoves, OwnMoves
from databases.machine import available_memory
from databases.prober import Tables
from databases.strips import (
    STRIP,
    WIDEST,
    StripRoom,
    TierBits,
    grades_of_captures,
    ground_strips,
    line_bytes,
    line_starts,
    next_unit,
)
from databases.tiers import board_at
from databases.verifier import Verdict, block_start, board_text, prove
from databases.windows import FULL, Stored
from solver.errors import AbapaError
from solver.kernels.compile import inline_kernel, kernel, parallel_kernel
from solver.kernels.margins import load_margin
from solver.oware.rules import Rules

Stepped = Callable[[int], object]
"""Told after every step how many boards it settled."""


def _silent(boards: int) -> None:
    """Tell nobody."""


class Findings(NamedTuple):
    """What a proof of one tier found: boards that are not the best of their moves, boards that are not grounded."""

    unequal: int
    first_unequal: int
    """Index of the first, -1 if there is none."""
    groundless: int
    first_groundless: int


def prove_values(
    tables: Tables, tiers: Sequence[int], threads: int = 1, stepped: Stepped = _silent
) -> Iterator[Verdict]:
    """Prove ``value`` of each of ``tiers``, in seeds from the mover's view, given that the smaller ones are right.

    Raises :class:`~databases.prober.MissingTierError`, and :class:`~solver.errors.AbapaError` before any work for a
    packed table and where the window of a smaller tier is too narrow.
    """
    for seeds in tiers:
        check_windows(tables, seeds)
    _check_memory(tables, tiers)
    numba.set_num_threads(threads)
    moves = HalfMoves.of(tables.rules, max(tiers, default=0))
    for seeds in tiers:
        start = time.perf_counter()
        values = [_stored(tables, k) for k in range(seeds + 1)]
        findings = ground(tables.rules, moves, values, threads, stepped)
        faults = tuple(_faults(tables.rules, seeds, findings))
        yield Verdict(seeds, ("value",), tables.tiers[seeds].positions, time.perf_counter() - start, faults)


def prove_each(tables: Tables, tiers: Sequence[int], threads: int = 1, stepped: Stepped = _silent) -> Iterator[Verdict]:
    """Prove each of ``tiers`` by what it holds: by its distances, or else by grounding. Raises as both do."""
    bare = [n for n in tiers if "distance" not in tables.plain(n).quantities]
    by_grounding = prove_values(tables, bare, threads, stepped)
    by_distance = prove(tables, [n for n in tiers if n not in bare], threads)
    for n in tiers:
        verdict = next(by_grounding if n in bare else by_distance)
        if n not in bare:
            stepped(verdict.boards)
        yield verdict


def check_windows(tables: Tables, seeds: int) -> None:
    """Refuse a tier whose captures lead to margins that a smaller tier does not know.

    Raises :class:`~databases.prober.MissingTierError` and :class:`~solver.errors.AbapaError`.
    """
    window = tables.plain(seeds).window
    for n in range(seeds - 1):  # no capture takes one seed
        known, needed = tables.plain(n).window, min(window + seeds - n, n)
        if known < needed:
            raise AbapaError(
                f"{tables.tiers[n].path} knows margins only up to {known}, and a proof of {seeds} seeds needs them up "
                f"to {needed}: build the tables of one game (abapa build --game) or full ones"
            )


def _check_memory(tables: Tables, tiers: Sequence[int]) -> None:
    """Refuse before any work what memory does not suffice for: a bit per board of the largest tier."""
    pits, seeds = tables.rules.pits, max(tiers, default=0)
    needed, free = int(line_starts(half_counts(pits, seeds))[-1]), available_memory()
    if needed > free:
        raise AbapaError(f"a proof of {seeds} seeds takes {needed:,} bytes of memory, {free:,} are available")


def _stored(tables: Tables, seeds: int) -> Stored:
    if seeds not in tables.tiers:
        return Stored(np.zeros(1, np.uint8), FULL)  # the tier that no capture leads to
    table = tables.plain(seeds)
    return Stored(table.map("value").view(np.uint8), table.coding)


def _faults(rules: Rules, seeds: int, found: Findings) -> Iterator[str]:
    if found.unequal:
        board = board_text(board_at(rules.pits, seeds, found.first_unequal))
        yield f"{found.unequal:,} boards are not worth what their best move is, first {board}"
    if found.groundless:
        board = board_text(board_at(rules.pits, seeds, found.first_groundless))
        yield f"{found.groundless:,} boards have a value that no capture brings about, first {board}"


# -- one tier ---------------------------------------------------------------------------------------------------------


def ground(
    rules: Rules, moves: HalfMoves, values: Sequence[Stored], threads: int, stepped: Stepped = _silent
) -> Findings:
    """Prove the last tier of ``values``, which begin with that of 0 seeds; ``moves`` of as many seeds or more."""
    tier = _Tier(rules.pits, moves, values, threads)
    unequal, first = tier.first_pass(stepped)
    if unequal:
        return Findings(unequal, first, 0, -1)
    while tier.left and tier.sweep(stepped):
        pass
    return Findings(0, -1, tier.left, tier.first_groundless() if tier.left else -1)


SLICE_BOARDS = 1 << 27
"""Boards between two reports of progress."""
FEW = 8
"""Where at most one board of so many is left in a strip, boards are looked at one by one, not all together."""


class _Tier:
    """The work on the last tier of ``values``: its bits, its strips, and what is left of each."""

    def __init__(self, pits: int, moves: HalfMoves, values: Sequence[Stored], threads: int) -> None:
        self.tier = TierBits.of(pits, moves, values)
        seeds, counts = self.tier.seeds, self.tier.counts
        self.kept = values  # so that what the addresses name stays
        self.pits, self.threads = pits, threads
        self.units = _units(seeds, counts)
        self.remaining = self.units[:, 2] * counts[seeds - self.units[:, 0]]
        self.boards = self.remaining.copy()
        self.played = _played(moves.own, pits, counts, self.tier.outcomes)
        self.captures = grades_of_captures(values, self.tier.window)
        self.room = StripRoom.of(int(counts[seeds]), threads)
        self._unasked = np.zeros((threads, 2), np.int64)

    @property
    def left(self) -> int:
        """Boards with a value but 0 that are not grounded yet."""
        return int(self.remaining.sum())

    def first_pass(self, stepped: Stepped) -> tuple[int, int]:
        """Compare every value with its moves, and ground what captures ground: (wrong values, index of the first)."""
        found = np.zeros((self.threads, 2), np.int64)
        found[:, 1] = np.iinfo(np.int64).max
        every = np.arange(len(self.units))
        if self.tier.window <= WIDEST:
            self._by_strips(every, stepped, found)
        else:
            self._one_by_one(every, stepped, found)
        wrong = int(found[:, 0].sum())
        return wrong, int(found[:, 1].min()) if wrong else -1

    def sweep(self, stepped: Stepped) -> bool:
        """Look again at what is left, once; whether anything came of it."""
        before = self.left
        some = self.remaining > 0
        few = some & ((self.remaining * FEW <= self.boards) | (self.tier.window > WIDEST))
        self._by_strips(np.flatnonzero(some & ~few), stepped)
        self._one_by_one(np.flatnonzero(few), stepped)
        return self.left < before

    def _by_strips(self, which: NDArray[np.intp], stepped: Stepped, found: NDArray[np.int64] | None = None) -> None:
        for some in self._slices(which, stepped):
            ground_strips(
                self.tier, self.captures, self.units, some, self.remaining, self.room,
                self._unasked if found is None else found, found is not None, self.threads, np.zeros(1, np.int64),
            )  # fmt: skip

    def _one_by_one(self, which: NDArray[np.intp], stepped: Stepped, found: NDArray[np.int64] | None = None) -> None:
        for some in self._slices(which, stepped):
            ground_boards(
                self.tier, self.pits, self.played, self.units, some, self.remaining,
                self._unasked if found is None else found, found is not None, self.threads, np.zeros(1, np.int64),
            )  # fmt: skip

    def _slices(self, which: NDArray[np.intp], stepped: Stepped) -> Iterator[NDArray[np.intp]]:
        """Strips in pieces of about SLICE_BOARDS boards; tells how many boards were settled in each."""
        if not len(which):
            return
        cuts = np.flatnonzero(np.diff(np.cumsum(self.boards[which]) // SLICE_BOARDS)) + 1
        for some in np.split(which, cuts):
            before = int(self.remaining[some].sum())
            yield some
            stepped(before - int(self.remaining[some].sum()))

    def first_groundless(self) -> int:
        """Index of the first board that is not grounded."""
        first = np.iinfo(np.int64).max
        for unit in np.flatnonzero(self.remaining):
            b, start, rows = self.units[unit]
            first = min(first, first_left(self.tier, self.tier.seeds - b, start, rows))
        return int(first)


def _units(seeds: int, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The work, strip by strip: (seeds b of the opponent's half, rank of the first B, how many B).

    Bytes of bits belong to one strip, since the first is a multiple of 8. The order brings children before boards where
    it can: a quiet move from a seeds on the mover's row leads to n - a or more, so a and n - a go together.
    """
    units = []
    for b in sorted(range(seeds + 1), key=lambda b: (-abs(2 * b - seeds), -b)):
        rows = int(counts[b])
        units += [(b, first, min(STRIP, rows - first)) for first in range(0, rows, STRIP)]
    return np.array(units, np.int64)


class Played(NamedTuple):
    """The moves of every half A, ``pits`` places for each: rank r with a seeds begins at ``(first[a] + r) * pits``.

    ``outcome``: of the sowing, :data:`NO_MOVE` from the place after the last. ``after``: rank of A'.
    """

    first: NDArray[np.int64]
    outcome: NDArray[np.uint8]
    after: NDArray[np.uint32]


NO_MOVE = 254
"""The outcome of no sowing: all of 127 seeds cross, and the last does not."""


def _played(own: OwnMoves, pits: int, counts: NDArray[np.int64], outcomes: int) -> Played:
    """The moves of halves of as many seeds as ``counts`` has, by half instead of by outcome."""
    first = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    halves = int(first[-1])
    outcome, after = np.full(halves * pits, NO_MOVE, np.uint8), np.empty(halves * pits, np.uint32)
    gather_by_half(own, first, pits, outcomes, outcome, after)
    return Played(first, outcome, after)


@kernel
def gather_by_half(own, first, pits, outcomes, outcome, after):
    """Put the moves of each half into its places, by the outcome."""
    for a in range(first.shape[0] - 1):
        for o in range(outcomes):
            for move in range(own.first[a * outcomes + o], own.first[a * outcomes + o + 1]):
                place = (first[a] + np.int64(own.before[move])) * pits
                while outcome[place] != NO_MOVE:
                    place += 1
                outcome[place] = o
                after[place] = own.after[move]


# -- board by board ---------------------------------------------------------------------------------------------------

_UNPLAYED = -(1 << 30)
"""The grade of no move."""


@inline_kernel
def grade(value, grounded):
    """A move's value and what it says of the ground as one number, as :mod:`databases.strips` has it in a byte."""
    return 2 * value + (np.int64(grounded) ^ np.int64(value < 0))


@parallel_kernel
def ground_boards(tier, pits, played, units, which, remaining, found, first, threads, ticket):
    """The same as :func:`~databases.strips.ground_strips`, of the boards that have no bit, in windows of any width."""
    for thread in prange(threads):
        unit = next_unit(which, ticket)
        while unit >= 0:
            b, start, rows = units[unit, 0], units[unit, 1], units[unit, 2]
            remaining[unit] = ground_one_by_one(tier, pits, played, b, start, rows, first, found[thread])
            unit = next_unit(which, ticket)


@inline_kernel
def ground_one_by_one(tier, pits, played, b, start, rows, first, found):
    """The boards of a strip; returns how many are left without a bit."""
    a = tier.seeds - b
    size, bare = line_bytes(tier.counts[b]), np.int64(0)
    for i in range(tier.counts[a]):
        for eight in range(start, start + rows, 8):
            place = np.uint64(tier.lines[a] + i * size + eight // 8)
            byte, inside = np.int64(tier.bits[place]), min(8, start + rows - eight)
            if byte == (1 << inside) - 1:
                continue
            for k in range(inside):
                if not (byte >> k) & 1:
                    if first:
                        settled = weigh_board(tier, pits, played, a, i, eight + k, found)
                    else:
                        settled = quiet_ground(tier, pits, played, a, i, eight + k)
                    byte |= np.int64(settled) << k
                    bare += np.int64(not settled)
            tier.bits[place] = np.uint8(byte)
    return bare


@inline_kernel
def margin_at(tier, seeds, index):
    """The margin of board ``index`` of a tier up to this one."""
    return load_margin(tier.table_address[seeds], index, tier.table_bits[seeds], tier.table_window[seeds])


@inline_kernel
def bit_of(bits, line, place):
    """The bit at a place of the line that begins at byte ``line``: 0 or 1."""
    return (np.int64(bits[np.uint64(line + (place >> 3))]) >> np.int64(place & 7)) & np.int64(1)


@inline_kernel
def child_of(tier, a, opponent, outcome, own_after):
    """(seeds captured, rank of B', index) of the child of a board whose move has this outcome; no index if illegal."""
    b, crossing = tier.seeds - a, outcome // 2
    reply = np.uint64(tier.reply_first[b] + opponent * tier.reply_width[b] + outcome)
    captured, after = np.int64(tier.reply_captured[reply]), np.int64(tier.reply_after[reply])
    if captured == ILLEGAL:
        return captured, after, np.int64(-1)
    below = tier.blocks[b + crossing]
    if captured:
        below = block_start(tier.counts, tier.seeds - captured, b + crossing - captured)
    return captured, after, below + after * tier.counts[a - crossing] + own_after


@inline_kernel
def weigh_board(tier, pits, played, a, own, opponent, found):
    """Compare the value of the board (A, B) of these ranks with its moves; returns whether it is grounded."""
    best = np.int64(_UNPLAYED)
    place = (played.first[a] + own) * pits
    for move in range(place, place + pits):
        outcome, i = np.int64(played.outcome[np.uint64(move)]), np.int64(played.after[np.uint64(move)])
        if outcome == NO_MOVE:
            break
        captured, after, child = child_of(tier, a, opponent, outcome, i)
        if captured == 0:
            stay = a - outcome // 2
            line = tier.lines[tier.seeds - stay] + after * line_bytes(tier.counts[stay])
            graded = grade(-margin_at(tier, tier.seeds, child), bit_of(tier.bits, line, i))
            best = max(best, graded)
        elif captured != ILLEGAL:
            value = captured - margin_at(tier, tier.seeds - captured, child)
            best = max(best, grade(min(max(value, -tier.window), tier.window), np.int64(1)))
    at = tier.blocks[a] + own * tier.counts[tier.seeds - a] + opponent
    stuck = min(tier.seeds, tier.window) if a > 0 else -min(tier.seeds, tier.window)
    should = stuck if best == _UNPLAYED else best >> 1
    if margin_at(tier, tier.seeds, at) != should:
        found[0] += 1
        found[1] = min(found[1], at)
    return (best == _UNPLAYED) | (should == 0) | ((best & 1) == np.int64(should > 0))


@inline_kernel
def quiet_ground(tier, pits, played, a, own, opponent):
    """Whether the board (A, B) of these ranks is grounded by its moves that capture nothing.

    Every move is looked at in full, since which of them tell is as good as chance: a branch costs more than the loads.
    What an outcome that captures would lead to without the capture is a board, too, and is then left out.
    """
    b = tier.seeds - a
    value = margin_at(tier, tier.seeds, tier.blocks[a] + own * tier.counts[b] + opponent)
    reply = tier.reply_first[b] + opponent * tier.reply_width[b]
    place, told = (played.first[a] + own) * pits, False
    for move in range(place, place + pits):
        outcome, i = np.int64(played.outcome[np.uint64(move)]), np.int64(played.after[np.uint64(move)])
        if outcome == NO_MOVE:
            break
        at, crossing = np.uint64(reply + outcome), outcome // 2
        after, columns = np.int64(tier.reply_after[at]), tier.counts[a - crossing]
        line = tier.lines[b + crossing] + after * line_bytes(columns)
        best = margin_at(tier, tier.seeds, tier.blocks[b + crossing] + after * columns + i) == -value
        flagged = bit_of(tier.bits, line, i) == np.int64(value > 0)
        told |= best & flagged & (tier.reply_captured[at] == 0)
    return told == (value > 0)


@kernel
def first_left(tier, a, start, rows):
    """Index of the first board (A, B) of a strip that has no bit, or the largest number."""
    b = tier.seeds - a
    size, first = line_bytes(tier.counts[b]), np.int64(2**63 - 1)
    for i in range(tier.counts[a]):
        for half in range(start, start + rows):
            if not bit_of(tier.bits, tier.lines[a] + i * size, half):
                first = min(first, tier.blocks[a] + i * tier.counts[b] + half)
    return first
