"""The frontier: boards that became final and whose predecessors have not been told yet.

Two forms of the same set, and the way from one to the other. As *bits*: a bitmap, own-major (block c, row C, bits over
D), with a byte a row that says "anything here". As a *list*: one word a board, block | row | column of the state, that
is, of the board (own D', opponent C') as the state has it. Large frontiers go as bits, small ones as a list.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from databases.builder.state import GROUP, TierShape
from solver.kernels.compile import inline_kernel, parallel_kernel
from solver.kernels.intrinsics import count_trailing_zeros, fetch_add, population_count

HALF_BITS = 26
HALF_MASK = np.uint64((1 << HALF_BITS) - 1)


@inline_kernel
def pack_board(own_seeds, own_rank, opponent_rank):
    """One word for the board whose mover has ``own_seeds`` seeds: seeds << 52 | rank of own half << 26 | other rank."""
    return (
        (np.uint64(own_seeds) << np.uint64(2 * HALF_BITS))
        | (np.uint64(own_rank) << np.uint64(HALF_BITS))
        | np.uint64(opponent_rank)
    )


@inline_kernel
def share_of(key, threads):
    """The thread, of so many, that a key (uint64) belongs to: a hash, so that neighbours are spread evenly."""
    mixed = (key * np.uint64(0x9E3779B1)) & np.uint64(0xFFFFFFFF)
    return (mixed * np.uint64(threads)) >> np.uint64(32)


class Bitmap(NamedTuple):
    """The bit form, as kernels take it.

    Inline kernels may write through it. A parallel kernel that writes takes the two arrays instead: numba takes a write
    to an array of a tuple, in the body of a parallel kernel, for dead code and drops it.
    """

    bits: NDArray[np.uint64]
    """Row C of block c starts at word ``starts[c] + rank * widths[n - c]``, or at word ``places[id of C]``."""
    flags: NDArray[np.uint8]
    """By id of C: whether the row has anything in it."""
    starts: NDArray[np.int64]
    """Where the word of rank 0 and column 0 of block c lies, or would lie."""
    widths: NDArray[np.int64]
    """Words of a row whose columns are halves with d seeds."""
    places: NDArray[np.int64]
    """Empty where ``starts`` and ``widths`` say it all; else the start of each row that is there, by id of C."""

    @classmethod
    def of(cls, shape: TierShape) -> Bitmap:
        """An empty one with a column for each state row of ``shape``."""
        widths = -(-shape.owned // GROUP)
        ends = np.cumsum(shape.counts * widths[::-1])
        starts = ends - shape.counts * widths[::-1] - (shape.low // GROUP)[::-1]
        bits, flags = np.zeros(int(ends[-1]), np.uint64), np.zeros(int(shape.firsts[-1]), np.uint8)
        return cls(bits, flags, starts, widths, np.empty(0, np.int64))


class Frontier:
    """The boards of one kind (won or lost at the present stage) that wait for their predecessors to be told.

    Where several processes share a tier it holds those that became final in the own rows.
    ``items[:count]`` holds them while ``listed`` is true, ``bitmap`` while it is false; ``count`` is right
    in both forms. A list has room for any row of the bitmap.
    """

    def __init__(self, shape: TierShape) -> None:
        self.shape = shape
        self.bitmap = Bitmap.of(shape)
        self.items: NDArray[np.uint64] = np.empty(list_room(shape.boards, int(shape.counts.max())), np.uint64)
        self.count = 0
        self.listed = True

    def as_bits(self) -> Bitmap:
        """Take the bit form, and return it."""
        if self.listed:
            self._spread(self.items[: self.count], 1)
            self.listed = False
        return self.bitmap

    def extend(self, boards: NDArray[np.uint64], threads: int) -> None:
        """Add listed boards; an empty frontier takes the list form, one that becomes too long for it the bit form."""
        if not self.count:
            self.listed = True
        if self.count + len(boards) > len(self.items):
            self.as_bits()
        if self.listed:
            self.items[self.count : self.count + len(boards)] = boards
        else:
            self._spread(boards, threads)
        self.count += len(boards)

    def _spread(self, boards: NDArray[np.uint64], threads: int) -> None:
        bits, flags, starts, widths, _places = self.bitmap
        spread_list(self.shape, boards, bits, flags, starts, widths, threads)

    def take(self, threads: int) -> NDArray[np.uint64]:
        """Take boards out, as a list: all of a list, or as many of a bitmap as there is room for.

        The list is valid until the frontier changes.
        """
        if self.listed:
            taken, self.count = self.items[: self.count], 0
            return taken
        ticket = np.zeros(2, np.int64)
        bits, flags, starts, widths, _places = self.bitmap
        collect_bits(self.shape, bits, flags, starts, widths, self.items, threads, ticket)
        self.count -= int(ticket[1])
        return self.items[: ticket[1]]

    def clear(self, threads: int) -> None:
        """Forget all boards: their predecessors have been told."""
        if not self.listed and self.count:
            bits, flags, starts, widths, _places = self.bitmap
            clear_bits(self.shape, bits, flags, starts, widths, threads, np.zeros(1, np.int64))
        self.count = 0


LIST_SHARE = 2000
"""A list has room for 1 board in so many."""


def list_room(boards: int, widest: int) -> int:
    """Boards that a frontier's list has room for, in a tier whose widest bitmap row has ``widest`` boards."""
    return max(boards // LIST_SHARE + 1024, widest)


ROWS_A_TICKET = 1024


@inline_kernel
def next_rows(ticket, flags):
    """(first, last) of the next rows of a bitmap to take, by id of C; first = last when there are none left."""
    first = min(fetch_add(ticket, 0, 1) * ROWS_A_TICKET, flags.shape[0])
    return first, min(first + ROWS_A_TICKET, flags.shape[0])


@inline_kernel
def place_row(shape, starts, widths, half, c):
    """(c, rank, first column, first word, words) of the bitmap row of half id ``half``, whose
    seeds are at least the ``c`` given.
    """
    while shape.firsts[c + 1] <= half:
        c += 1
    d = shape.counts.shape[0] - 1 - c
    rank, width, low = half - shape.firsts[c], widths[d], shape.low[d]
    return c, rank, low, starts[c] + rank * width + low // GROUP, width


@parallel_kernel
def collect_bits(shape, bits, flags, starts, widths, items, threads, ticket):
    """Move boards of a bitmap to ``items``, in any order, row by row while they have room.

    ``ticket``: two zeros; the second becomes the number of boards moved.
    """
    for _thread in prange(threads):
        room = True
        first, last = next_rows(ticket, flags)
        while room and first < last:
            c = np.int64(0)
            for half in range(first, last):
                if flags[half]:
                    c, rank, low, row, width = place_row(shape, starts, widths, half, c)
                    room = collect_row(bits, c, rank, low, row, width, items, ticket)
                    if not room:
                        break
                    flags[half] = 0
            first, last = next_rows(ticket, flags)


@inline_kernel
def collect_row(bits, c, rank, low, row, width, items, ticket):
    """Move one row's boards, if there is room for all of them; returns whether there was."""
    count = np.int64(0)
    for w in range(width):
        count += np.int64(population_count(bits[np.uint64(row + w)]))
    at = fetch_add(ticket, 1, count)
    if at + count > items.shape[0]:
        fetch_add(ticket, 1, -count)
        return False
    for w in range(width):
        word = bits[np.uint64(row + w)]
        bits[np.uint64(row + w)] = 0
        while word:
            column = np.uint64(low + w * GROUP) + count_trailing_zeros(word)
            word &= word - np.uint64(1)
            items[at] = pack_board(c, rank, column)
            at += 1
    return True


@parallel_kernel
def spread_list(shape, items, bits, flags, starts, widths, threads):
    """Set the bit and the row flag of each listed board; each row belongs to one thread, which skips the rest."""
    seeds = shape.counts.shape[0] - 1
    for thread in prange(threads):
        for i in range(items.shape[0]):
            item = items[np.uint64(i)]
            if share_of(item >> np.uint64(HALF_BITS), threads) != np.uint64(thread):
                continue
            c = np.int64(item >> np.uint64(2 * HALF_BITS))
            rank = np.int64((item >> np.uint64(HALF_BITS)) & HALF_MASK)
            column = item & HALF_MASK
            at = starts[c] + rank * widths[seeds - c] + np.int64(column >> np.uint64(6))
            bits[np.uint64(at)] |= np.uint64(1) << (column & np.uint64(63))
            flags[np.uint64(shape.firsts[c] + rank)] = 1


@parallel_kernel
def clear_bits(shape, bits, flags, starts, widths, threads, ticket):
    """Clear the rows of a bitmap that have anything in them, and their flags."""
    for _thread in prange(threads):
        first, last = next_rows(ticket, flags)
        while first < last:
            c = np.int64(0)
            for half in range(first, last):
                if flags[half]:
                    flags[half] = 0
                    c, _rank, _low, row, width = place_row(shape, starts, widths, half, c)
                    bits[row : row + width] = 0
            first, last = next_rows(ticket, flags)
