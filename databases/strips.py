"""The proof by grounding a strip at a time: up to 32 halves B against every half A, a board in each lane of bytes.

For a fixed B every move is a step from A to A' along a row of the tier (:mod:`databases.halfmoves`), and the step is
the same for all B of a strip. So the rows that an outcome leads to are laid beside each other, lane by lane, and one
vector maximum plays a move of 32 boards.

A lane is a *grade*: 2 * (code + 1) + flag, where the code of a margin is margin + window, so that the best move has the
largest grade; 0 is no move. The flag is set where one best move is enough (a margin above 0) and this one is grounded,
or where each best move must be (below 0) and this one is not. A grade is a byte, so windows up to :data:`WIDEST` can be
told apart. What is to be proved, and the order of the work, is left to :mod:`databases.grounding`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from databases.halfmoves import ILLEGAL, HalfMoves
from databases.tiers import block_offsets
from databases.verifier import block_start
from databases.windows import Stored, StoredTiers
from solver.kernels.compile import inline_kernel, kernel, parallel_kernel
from solver.kernels.intrinsics import RAISED, fetch_add, population_count, raise_bytes
from solver.kernels.lanes import (
    BELOW_TOPS,
    LANE,
    ONES,
    TOPS,
    add_lanes,
    at_least,
    at_least_below_tops,
    lane_bits,
    spread_bits,
    turn_square,
    whole_lanes,
)
from solver.kernels.margins import BYTE, load_eight

WIDEST = 62
"""The widest window whose grades fit a byte: 2 * (2 * 62 + 1) + 1 = 251."""
STRIP = RAISED
"""Halves B of a strip."""
WORDS = STRIP // 8
"""Words of lanes of a strip."""


class TierBits(NamedTuple):
    """A tier under proof: its moves, where its numbers are, and the bits of its boards.

    ``window``: margins of the tier are cut to it. ``counts``: h(k) for k = 0..n. ``blocks``: index of the first board
    of block a. ``lines``: where the bits of block a begin, in bytes: a line for each half A, which begins a byte and
    has a bit for each B; the last is the size of all. ``own_...`` and ``reply_...``: fields of
    :class:`~databases.halfmoves.OwnMoves` and :class:`~databases.halfmoves.Replies`. ``table_...``: those of
    :class:`~databases.windows.StoredTiers`, of tiers 0..n. (One flat tuple, since a parallel kernel takes no other.)
    """

    seeds: int
    window: int
    outcomes: int
    counts: NDArray[np.int64]
    blocks: NDArray[np.int64]
    lines: NDArray[np.int64]
    bits: NDArray[np.uint8]
    own_first: NDArray[np.int64]
    own_before: NDArray[np.uint32]
    own_after: NDArray[np.uint32]
    reply_first: NDArray[np.int64]
    reply_width: NDArray[np.int64]
    reply_captured: NDArray[np.uint8]
    reply_after: NDArray[np.uint32]
    table_address: NDArray[np.uint64]
    table_bits: NDArray[np.int64]
    table_window: NDArray[np.int64]
    table_end: NDArray[np.uint64]

    @classmethod
    def of(cls, pits: int, moves: HalfMoves, values: Sequence[Stored]) -> TierBits:
        """The last tier of ``values``, which the caller keeps, without a bit that is set."""
        seeds = len(values) - 1
        counts = moves.counts[: seeds + 1]
        lines = line_starts(counts)
        window, outcomes = min(seeds, values[-1].coding.window), (len(moves.own.first) - 1) // len(moves.counts)
        bits = np.zeros(int(lines[-1]), np.uint8)
        shape = seeds, window, outcomes, counts, block_offsets(pits, seeds), lines, bits
        return cls(*shape, *moves.own, *moves.replies, *StoredTiers.of(values))


def line_starts(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """``lines`` of :class:`TierBits`."""
    sizes = counts * -(-counts[::-1] // 8)
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])


class StripRoom(NamedTuple):
    """Room of each thread: lanes of the best moves by A, those of one outcome by A', and where its rows come from.

    ``best``, ``row``: uint64 (threads, WORDS * columns). ``child``, ``ground``, ``taken``: int64 (threads, STRIP):
    first board of the row that each lane comes from, its line of bits, seeds captured.
    """

    best: NDArray[np.uint64]
    row: NDArray[np.uint64]
    child: NDArray[np.int64]
    ground: NDArray[np.int64]
    taken: NDArray[np.int64]

    @classmethod
    def of(cls, widest: int, threads: int) -> StripRoom:
        """``widest``: most halves of one number of seeds. What is laid out in eights may reach beyond them."""
        words = WORDS * (widest + 8)
        lists = (np.zeros((threads, STRIP), np.int64) for _ in range(3))
        return cls(np.zeros((threads, words), np.uint64), np.zeros((threads, words), np.uint64), *lists)


def grades_of_captures(values: Sequence[Stored], window: int) -> NDArray[np.uint8]:
    """Grade of capturing c seeds, by c and the number that is stored for the child, a byte: uint8 (n + 1, 256)."""
    seeds = len(values) - 1
    grades = np.zeros((seeds + 1, 256), np.uint8)
    for captured in range(1, seeds + 1):
        coding = values[seeds - captured].coding
        stored = np.arange(256)
        margins = stored.astype(np.int8).astype(np.int64) if coding.bits == BYTE else stored - coding.window
        codes = np.clip(captured - margins, -window, window) + window
        grades[captured] = 2 * (codes + 1) + (codes >= window)  # grounded, by the tier that it leads to
    return grades


UNPLAYED = -1
"""Seeds captured by a move that is not played."""


@inline_kernel
def next_unit(which, ticket):
    """The next unit of work that no thread has taken; -1 after the last."""
    turn = fetch_add(ticket, 0, 1)
    return np.int64(which[turn]) if turn < which.shape[0] else np.int64(-1)


@parallel_kernel
def ground_strips(tier, captures, units, which, remaining, room, found, first, threads, ticket):
    """Set the bit of every board of some strips that is grounded; ``remaining``: how many of each have no bit.

    ``first``: compare every value with the board's moves, too: ``found[thread]`` gets how many are wrong and the least
    index of one. Captures are looked at then only: what they ground has its bit after that, and no capture keeps a
    board that is behind from being grounded.
    """
    for thread in prange(threads):
        best, row = room.best[thread], room.row[thread]
        child, ground, taken = room.child[thread], room.ground[thread], room.taken[thread]
        unit = next_unit(which, ticket)
        while unit >= 0:
            b, start, rows = units[unit, 0], units[unit, 1], units[unit, 2]
            play_strip(tier, captures, b, start, rows, first, best, row, child, ground, taken)
            if first:
                remaining[unit] = settle_first(tier, b, start, rows, best, found[thread])
            else:
                remaining[unit] = settle_again(tier, b, start, rows, best)
            unit = next_unit(which, ticket)


# -- playing ----------------------------------------------------------------------------------------------------------


@inline_kernel
def play_strip(tier, captures, b, start, rows, first, best, row, child, ground, taken):
    """The best grade of every board of a strip, into ``best``."""
    a = tier.seeds - b
    best[: WORDS * tier.counts[a]] = np.uint64(0)
    for outcome in range(min(tier.outcomes, 2 * (a + 1))):
        group = a * tier.outcomes + outcome
        begin, end = tier.own_first[group], tier.own_first[group + 1]
        if begin == end:
            continue
        played = find_rows(tier, b, start, rows, outcome, first, child, ground, taken)
        if played == 0:
            continue
        crossing = outcome // 2
        width = tier.counts[a - crossing]
        for word in range(WORDS):
            if (played >> np.uint64(8 * word)) & LANE:
                lay_out(tier, captures, width, word, row, child, ground, taken)
            else:
                for i in range(width):
                    row[np.uint64(WORDS * i + word)] = np.uint64(0)
        for move in range(begin, end):
            raise_bytes(
                best,
                np.uint64(WORDS) * np.uint64(tier.own_before[np.uint64(move)]),
                row,
                np.uint64(WORDS) * np.uint64(tier.own_after[np.uint64(move)]),
            )


@inline_kernel
def find_rows(tier, b, start, rows, outcome, first, child, ground, taken):
    """Where the children of each lane lie, for one outcome; returns a bit for each lane in which it is played."""
    a, crossing = tier.seeds - b, outcome // 2
    width, played = tier.counts[a - crossing], np.uint64(0)
    for lane in range(STRIP):
        taken[lane] = UNPLAYED
        if lane >= rows:
            continue
        reply = tier.reply_first[b] + (start + lane) * tier.reply_width[b] + outcome
        captured, after = np.int64(tier.reply_captured[reply]), np.int64(tier.reply_after[reply])
        if captured == ILLEGAL or (captured and not first):
            continue
        left = tier.seeds - captured
        below = tier.blocks[b + crossing] if captured == 0 else block_start(tier.counts, left, b + crossing - captured)
        child[lane] = below + after * width
        ground[lane] = tier.lines[b + crossing] + after * line_bytes(width)
        taken[lane] = captured
        played |= np.uint64(1) << np.uint64(lane)
    return played


@inline_kernel
def line_bytes(count):
    """Bytes of a line of so many bits."""
    return (count + 7) // 8


@inline_kernel
def lay_out(tier, captures, width, word, row, child, ground, taken):
    """Put the grades of eight lanes beside each other, by A'."""
    first = 8 * word
    for i in range(0, width, 8):
        columns = turn_square(
            grades(tier, captures, i, first, child, ground, taken),
            grades(tier, captures, i, first + 1, child, ground, taken),
            grades(tier, captures, i, first + 2, child, ground, taken),
            grades(tier, captures, i, first + 3, child, ground, taken),
            grades(tier, captures, i, first + 4, child, ground, taken),
            grades(tier, captures, i, first + 5, child, ground, taken),
            grades(tier, captures, i, first + 6, child, ground, taken),
            grades(tier, captures, i, first + 7, child, ground, taken),
        )
        for k in range(8):
            row[np.uint64(WORDS * (i + k) + word)] = columns[k]


@inline_kernel
def grades(tier, captures, i, lane, child, ground, taken):
    """Grades of moving to the boards ``i`` to ``i + 7`` of a lane's row: lanes of a word."""
    if taken[lane] == 0:
        codes = codes_of_others(tier, child[lane] + i)
        bits = spread_bits(np.uint64(tier.bits[np.uint64(ground[lane] + (i >> 3))]))
        ahead = at_least_below_tops(codes, np.uint64(tier.window)) >> np.uint64(7)
        return (((codes + ONES) & BELOW_TOPS) << np.uint64(1)) | (bits ^ ahead ^ ONES)
    if taken[lane] == UNPLAYED:
        return np.uint64(0)
    left = tier.seeds - taken[lane]
    stored = load_eight(tier.table_address[left], child[lane] + i, tier.table_bits[left], tier.table_end[left])
    return grades_by_captures(captures, taken[lane], stored)


@inline_kernel
def codes_of(tier, index):
    """Codes of the margins of boards ``index`` to ``index + 7``; one that is none, as damage makes it, is no code."""
    seeds = tier.seeds
    stored = load_eight(tier.table_address[seeds], index, tier.table_bits[seeds], tier.table_end[seeds])
    return add_lanes(stored, np.uint64(tier.window) * ONES) if tier.table_bits[seeds] == BYTE else stored


@inline_kernel
def codes_of_others(tier, index):
    """Codes of the same margins for the opponent: those of the margins below 0, less than 128.

    A stored number that is no code makes some other one. The board itself is found wrong then: no grade of the best
    move has that number.
    """
    negative = (np.uint64(2 * tier.window) * ONES | TOPS) - (codes_of(tier, index) & BELOW_TOPS)
    return negative & BELOW_TOPS


@kernel
def grades_by_captures(captures, captured, stored):
    """Grades of captures, which lead to boards of a smaller tier with these numbers."""
    found = np.uint64(0)
    for lane in range(8):
        shift = np.uint64(8 * lane)
        found |= np.uint64(captures[captured, (stored >> shift) & LANE]) << shift
    return found


# -- settling ---------------------------------------------------------------------------------------------------------


@inline_kernel
def settle_first(tier, b, start, rows, best, found):
    """Compare the stored values of a strip with the grades of their best moves, and write their bits; returns how many
    have none."""
    a, window = tier.seeds - b, tier.window
    most = min(tier.seeds, window)
    stuck = np.uint64(window + 1 + (most if a > 0 else -most)) * ONES
    size, bare = line_bytes(tier.counts[b]), np.int64(0)
    for i in range(tier.counts[a]):
        at = tier.blocks[a] + i * tier.counts[b] + start
        place = tier.lines[a] + i * size + start // 8
        for word in range((rows + 7) // 8):
            inside = lanes_inside(rows, word)
            graded = best[np.uint64(WORDS * i + word)]
            moved = at_least(graded, np.uint64(1))
            should = (graded >> np.uint64(1)) & BELOW_TOPS & whole_lanes(moved)
            should |= stuck & ~whole_lanes(moved)
            wrong = inside & lane_bits(at_least(add_lanes(codes_of(tier, at + 8 * word), ONES) ^ should, np.uint64(1)))
            if wrong:
                note(wrong, at + 8 * word, found)
            settled = is_grounded(should, graded & ONES, np.uint64(window)) | (moved ^ TOPS)
            bare += write_byte(tier.bits, place + word, lane_bits(settled), inside)
    return bare


@inline_kernel
def is_grounded(codes, flags, window):
    """Tops of the lanes that are grounded, their best move having this code, plus 1, and flag. 0 needs no ground."""
    ahead = at_least_below_tops(codes, window + np.uint64(2))
    even = at_least_below_tops(codes, window + np.uint64(1)) ^ ahead
    return even | (((flags << np.uint64(7)) ^ ahead ^ TOPS) & TOPS)


@inline_kernel
def settle_again(tier, b, start, rows, best):
    """Write the bits of a strip from the grades of the best moves that capture nothing; returns how many have none.

    What is stored is right, so a board is behind and has a best move that is not grounded, or is ahead and has one that
    is, if a grade is that of its own value with the flag.
    """
    a, size, bare = tier.seeds - b, line_bytes(tier.counts[b]), np.int64(0)
    for i in range(tier.counts[a]):
        at = tier.blocks[a] + i * tier.counts[b] + start
        place = tier.lines[a] + i * size + start // 8
        for word in range((rows + 7) // 8):
            before = np.uint64(tier.bits[np.uint64(place + word)])
            inside = lanes_inside(rows, word)
            if before == inside:
                continue
            codes = codes_of(tier, at + 8 * word)
            flagged = ((codes + ONES) << np.uint64(1)) | ONES
            others = at_least(best[np.uint64(WORDS * i + word)] ^ flagged, np.uint64(1))
            behind = at_least_below_tops(codes, np.uint64(tier.window)) ^ TOPS
            settled = lane_bits((others ^ behind) ^ TOPS) | before
            bare += write_byte(tier.bits, place + word, settled, inside)
    return bare


@inline_kernel
def lanes_inside(rows, word):
    """A bit for each lane of a word that a strip of so many rows has."""
    return LANE if rows - 8 * word >= 8 else (np.uint64(1) << np.uint64(rows - 8 * word)) - np.uint64(1)


@inline_kernel
def note(wrong, first, found):
    """Count wrong boards, a bit each from board ``first`` on, and keep the least index."""
    for lane in range(8):
        if (wrong >> np.uint64(lane)) & np.uint64(1):
            found[0] += 1
            found[1] = min(found[1], first + lane)


@inline_kernel
def write_byte(bits, place, settled, inside):
    """Write the bits of eight boards; returns how many of those ``inside`` have none."""
    settled &= inside
    bits[np.uint64(place)] = np.uint8(settled)
    return np.int64(population_count(settled ^ inside))
