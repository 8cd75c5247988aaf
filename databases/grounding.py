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
It takes tables in any window. Files and the other proofs are left to :mod:`databases.verifier`.
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
from databases.halfmoves import HalfMoves, OwnMoves, moves_of_outcome, raise_to
from databases.machine import available_memory
from databases.prober import Tables
from databases.tiers import block_offsets, board_at
from databases.verifier import Verdict, block_start, board_text, prove
from databases.windows import FULL, Stored, StoredTiers, margin_of
from solver.errors import AbapaError
from solver.kernels.compile import inline_kernel, kernel, parallel_kernel
from solver.kernels.intrinsics import fetch_add
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
    needed, free = int(_lines(half_counts(pits, seeds))[-1]), available_memory()
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


UNIT_BOARDS = 1 << 18
"""Boards that a thread works on at a time: their best moves, 2 bytes each, stay in the L2 cache."""
SLICE_BOARDS = 1 << 27
"""Boards between two reports of progress."""
FEW = 8
"""Where at most one board of so many is left in a unit, boards are looked at one by one, not by rows."""


class _Tier:
    """The work on the last tier of ``values``: its bits, its units of work, and what is left of each."""

    def __init__(self, pits: int, moves: HalfMoves, values: Sequence[Stored], threads: int) -> None:
        seeds = len(values) - 1
        counts = moves.counts[: seeds + 1]
        self.seeds, self.pits, self.moves, self.counts, self.threads = seeds, pits, moves, counts, threads
        self.tables = StoredTiers.of(values)
        self.kept = values  # so that what the addresses name stays
        self.blocks = block_offsets(pits, seeds)
        self.lines = _lines(counts)
        self.bits = np.zeros(int(self.lines[-1]), np.uint8)
        self.units = _units(seeds, counts)
        self.remaining = self.units[:, 2] * counts[seeds - self.units[:, 0]]
        self.boards = self.remaining.copy()
        self.outcomes = (len(moves.own.first) - 1) // len(moves.counts)
        self.played = _played(moves.own, pits, counts, self.outcomes)
        widest = int(self.boards.max())
        self.best = np.empty((threads, widest), np.int16)
        self.row = np.empty((threads, int(counts[seeds])), np.int16)

    @property
    def left(self) -> int:
        """Boards with a value but 0 that are not grounded yet."""
        return int(self.remaining.sum())

    def first_pass(self, stepped: Stepped) -> tuple[int, int]:
        """Compare every value with its moves, and ground what captures ground: (wrong values, index of the first)."""
        found = np.zeros((self.threads, 2), np.int64)
        found[:, 1] = np.iinfo(np.int64).max
        self._by_rows(np.arange(len(self.units)), found, stepped)
        wrong = int(found[:, 0].sum())
        return wrong, int(found[:, 1].min()) if wrong else -1

    def sweep(self, stepped: Stepped) -> bool:
        """Look again at what is left, once; whether anything came of it."""
        before = self.left
        some = self.remaining > 0
        few = some & (self.remaining * FEW <= self.boards)
        self._by_rows(np.flatnonzero(some & ~few), np.zeros((self.threads, 2), np.int64), stepped)
        self._one_by_one(np.flatnonzero(few), stepped)
        return self.left < before

    def _by_rows(self, which: NDArray[np.intp], found: NDArray[np.int64], stepped: Stepped) -> None:
        for some in self._slices(which, stepped):
            ground_rows(
                self.seeds, self.counts, self.outcomes, self.moves.own, self.moves.replies, self.blocks, self.lines,
                self.units, some, self.tables, self.bits, self.remaining, self.best, self.row, found, self.threads,
                np.zeros(1, np.int64),
            )  # fmt: skip

    def _one_by_one(self, which: NDArray[np.intp], stepped: Stepped) -> None:
        for some in self._slices(which, stepped):
            ground_single_boards(
                self.seeds, self.counts, self.pits, self.played, self.moves.replies, self.blocks, self.lines,
                self.units, some, self.tables, self.bits, self.remaining, self.threads, np.zeros(1, np.int64),
            )  # fmt: skip

    def _slices(self, which: NDArray[np.intp], stepped: Stepped) -> Iterator[NDArray[np.intp]]:
        """Units in pieces of about SLICE_BOARDS boards; tells how many boards were settled in each."""
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
            first = min(first, first_left(self.counts, self.blocks, self.lines, self.bits, self.seeds - b, start, rows))
        return int(first)


def _units(seeds: int, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The work: (seeds b of the opponent's half, rank of the first B, how many B).

    Bytes of bits belong to one unit, since the first is a multiple of 8. The order brings children before boards where
    it can: a quiet move from a seeds on the mover's row leads to n - a or more, so a and n - a go together.
    """
    units = []
    for b in sorted(range(seeds + 1), key=lambda b: (-abs(2 * b - seeds), -b)):
        step = min(64, max(8, UNIT_BOARDS // int(counts[seeds - b]) // 8 * 8))
        rows = int(counts[b])
        units += [(b, first, min(step, rows - first)) for first in range(0, rows, step)]
    return np.array(units, np.int64)


def _lines(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where the bits of block a begin, in bytes: each half A begins a byte. The last is the size of all."""
    sizes = counts * -(-counts[::-1] // 8)
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])


class Played(NamedTuple):
    """The moves of every half A, ``pits`` places for each: rank r with a seeds begins at ``(first[a] + r) * pits``.

    ``outcome``: of the sowing, :data:`NO_MOVE` from the place after the last. ``after``: rank of A'.
    """

    first: NDArray[np.int64]
    outcome: NDArray[np.uint8]
    after: NDArray[np.uint32]


NO_MOVE = 255


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


# -- kernels ----------------------------------------------------------------------------------------------------------

_UNPLAYED = np.int16(-(1 << 14))


@inline_kernel
def grade(value, grounded):
    """A move's value and what it says of the ground as one number, so that one maximum tells both.

    The last bit is set where one best move is enough (a value above 0) and this one is grounded, or where each best
    move must be (below 0) and this one is not.
    """
    return np.int16(2 * value + (grounded ^ np.int64(value < 0)))


@inline_kernel
def value_of(grade):
    """The value in a grade."""
    return np.int64(grade) >> np.int64(1)


@inline_kernel
def is_grounded(grade):
    """Whether a board is grounded, its best move having this grade. A value of 0 needs no ground."""
    value = value_of(grade)
    return (value == 0) | ((np.int64(grade) & 1) == np.int64(value > 0))


@inline_kernel
def next_unit(which, ticket):
    """The next unit of work that no thread has taken; -1 after the last."""
    turn = fetch_add(ticket, 0, 1)
    return np.int64(which[turn]) if turn < which.shape[0] else np.int64(-1)


@inline_kernel
def line_bytes(count):
    """Bytes of a line of so many bits."""
    return (count + 7) // 8


@inline_kernel
def bit_of(bits, line, place):
    """The bit at a place of the line that begins at byte ``line``: 0 or 1."""
    return (np.int64(bits[np.uint64(line + (place >> 3))]) >> np.int64(place & 7)) & np.int64(1)


@parallel_kernel
def ground_rows(
    seeds, counts, outcomes, own, replies, blocks, lines, units, which, tables, bits, remaining, best, row, found,
    threads, ticket,
):  # fmt: skip
    """Compare the values of whole units of work with their moves, and set the bit of every board that is grounded.

    ``found[thread]`` gets how many values are wrong and the least index of one; ``remaining``: how many boards of each
    unit have no bit. ``best``, ``row``: int16 room for each thread.
    """
    for thread in prange(threads):
        unit = next_unit(which, ticket)
        while unit >= 0:
            b, start, rows = units[unit, 0], units[unit, 1], units[unit, 2]
            columns = counts[seeds - b]
            for half in range(rows):
                line = best[thread, half * columns : (half + 1) * columns]
                line[:] = _UNPLAYED
                play_row(
                    seeds, counts, outcomes, own, replies, blocks, lines, b, start + half, tables, bits, row[thread],
                    line,
                )  # fmt: skip
            remaining[unit] = settle_unit(
                seeds, counts, blocks, lines, b, start, rows, tables, bits, best[thread], found[thread]
            )
            unit = next_unit(which, ticket)


@inline_kernel
def play_row(seeds, counts, outcomes, own, replies, blocks, lines, b, half, tables, bits, row, line):
    """The best grade of every board (A, B) of one B, into ``line``."""
    a, window = seeds - b, tables.window[seeds]
    for outcome in range(min(outcomes, 2 * (a + 1))):
        captured, after, first, last = moves_of_outcome(own, replies, outcomes, a, b, half, outcome)
        if first == last:
            continue
        crossing = outcome // 2
        width = counts[a - crossing]
        if captured == 0:
            child = blocks[b + crossing] + after * width
            ground = lines[b + crossing] + after * line_bytes(width)
            for i in range(width):
                value = margin_of(tables, seeds, child + i)
                row[np.uint64(i)] = grade(-value, bit_of(bits, ground, i))
        else:
            left = seeds - captured
            child = block_start(counts, left, b + crossing - captured) + after * width
            for i in range(width):
                value = captured - margin_of(tables, left, child + i)
                row[np.uint64(i)] = grade(min(max(value, -window), window), np.int64(1))
        raise_to(own, first, last, row, line)


@inline_kernel
def settle_unit(seeds, counts, blocks, lines, b, start, rows, tables, bits, best, found):
    """Compare the stored values of the boards (A, B) of a few consecutive B with the grades of their best moves, and
    write their bits; returns how many have none."""
    a, window = seeds - b, tables.window[seeds]
    columns, size, bare = counts[a], line_bytes(counts[b]), np.int64(0)
    stuck = min(seeds, window) if a > 0 else -min(seeds, window)
    for i in range(columns):
        at = blocks[a] + i * counts[b] + start
        ground = lines[a] + i * size + start // 8
        for first in range(0, rows, 8):
            byte = np.int64(0)
            for half in range(first, min(rows, first + 8)):
                graded = best[np.uint64(half * columns + i)]
                should = value_of(graded) if graded != _UNPLAYED else np.int64(stuck)
                settled = (graded == _UNPLAYED) | is_grounded(graded)
                if margin_of(tables, seeds, at + half) != should:
                    found[0] += 1
                    found[1] = min(found[1], at + half)
                byte |= np.int64(settled) << np.int64(half - first)
                bare += np.int64(not settled)
            bits[np.uint64(ground + first // 8)] = np.uint8(byte)
    return bare


@parallel_kernel
def ground_single_boards(
    seeds, counts, pits, played, replies, blocks, lines, units, which, tables, bits, remaining, threads, ticket
):  # fmt: skip
    """Look again at each board of some units that has no bit. Captures are not looked at: the first pass did."""
    for _thread in prange(threads):
        unit = next_unit(which, ticket)
        while unit >= 0:
            b, start, rows = units[unit, 0], units[unit, 1], units[unit, 2]
            a = seeds - b
            size, bare = line_bytes(counts[b]), np.int64(0)
            for i in range(counts[a]):
                for first in range(start, start + rows, 8):
                    place = np.uint64(lines[a] + i * size + first // 8)
                    byte = np.int64(bits[place])
                    full = (np.int64(1) << np.int64(min(8, start + rows - first))) - np.int64(1)
                    if byte == full:
                        continue
                    for k in range(8):
                        if (full >> np.int64(k)) & 1 and not (byte >> np.int64(k)) & 1:
                            if quiet_ground(
                                seeds, counts, pits, played, replies, blocks, lines, a, i, first + k, tables, bits
                            ):
                                byte |= np.int64(1) << np.int64(k)
                            else:
                                bare += 1
                    bits[place] = np.uint8(byte)
            remaining[unit] = bare
            unit = next_unit(which, ticket)


@inline_kernel
def quiet_ground(seeds, counts, pits, played, replies, blocks, lines, a, own, opponent, tables, bits):
    """Whether the board (A, B) of these ranks is grounded by its moves that capture nothing."""
    b, window = seeds - a, tables.window[seeds]
    address, width = tables.address[seeds], tables.bits[seeds]
    value = load_margin(address, blocks[a] + own * counts[b] + opponent, width, window)
    reply = replies.first[b] + opponent * replies.width[b]
    place = (played.first[a] + own) * pits
    for move in range(place, place + pits):
        outcome = np.int64(played.outcome[np.uint64(move)])
        if outcome == NO_MOVE:
            break
        if replies.captured[np.uint64(reply + outcome)] != 0:
            continue
        crossing = outcome // 2
        after, i = np.int64(replies.after[np.uint64(reply + outcome)]), np.int64(played.after[np.uint64(move)])
        columns = counts[a - crossing]
        if bit_of(bits, lines[b + crossing] + after * line_bytes(columns), i) == np.int64(value > 0):
            child = blocks[b + crossing] + after * columns + i
            if load_margin(address, child, width, window) == -value:
                return value > 0
    return value < 0


@kernel
def first_left(counts, blocks, lines, bits, a, start, rows):
    """Index of the first board (A, B) of a unit that has no bit, or the largest number."""
    b = counts.shape[0] - 1 - a
    size, first = line_bytes(counts[b]), np.int64(2**63 - 1)
    for i in range(counts[a]):
        for half in range(start, start + rows):
            if not bit_of(bits, lines[a] + i * size, half):
                first = min(first, blocks[a] + i * counts[b] + half)
    return first
