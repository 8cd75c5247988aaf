"""The frontier: boards that became final and whose predecessors have not been told yet.

Two forms of the same set, and the way from one to the other. As *bits*: a bitmap, own-major (block c, row C, bits over
D), with a byte a row that says "anything here". As a *list*: one word a board, block | row | column of the state, that
is, of the board (own D', opponent C') as the state has it. Large frontiers go as bits, small ones as a list.
"""

from __future__ import annotations

import numpy as np
from numba import prange
from numpy.typing import NDArray

from databases.builder.state import TierShape
from solver.kernels.compile import inline_kernel, kernel, parallel_kernel
from solver.kernels.intrinsics import count_trailing_zeros, take_ticket

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


class Frontier:
    """The boards of one kind (won or lost at the present stage) that wait for their predecessors to be told.

    ``bits`` and ``flags`` hold them while ``listed`` is false, ``items[:count]`` while it is true; ``count`` is right
    in both forms. A list is never longer than ``len(items)``.
    """

    def __init__(self, shape: TierShape, room: int) -> None:
        self.shape = shape
        self.bits: NDArray[np.uint64] = np.zeros(int(shape.bits[-1]), np.uint64)
        self.flags: NDArray[np.uint8] = np.zeros(int(shape.firsts[-1]), np.uint8)
        self.items: NDArray[np.uint64] = np.empty(room, np.uint64)
        self.count = 0
        self.listed = False

    @property
    def nbytes(self) -> int:
        """Memory that both forms take."""
        return self.bits.nbytes + self.flags.nbytes + self.items.nbytes

    def as_list(self, threads: int) -> None:
        """Take the list form; there must be room for ``count`` boards."""
        if not self.listed:
            ticket = np.zeros(2, np.int64)
            if self.count:
                collect_bits(self.shape, self.bits, self.flags, self.items, threads, ticket)
            self.listed = True

    def as_bits(self) -> None:
        """Take the bit form."""
        if self.listed:
            spread_list(self.shape, self.items, self.count, self.bits, self.flags)
            self.listed = False

    def extend(self, boards: NDArray[np.uint64]) -> None:
        """Add listed boards, in whichever form the frontier has; a list must have room for them."""
        if self.listed:
            self.items[self.count : self.count + len(boards)] = boards
        else:
            spread_list(self.shape, boards, len(boards), self.bits, self.flags)
        self.count += len(boards)

    def drop(self, told: int) -> None:
        """Forget the first ``told`` boards of the list: their predecessors have been told."""
        self.items[: self.count - told] = self.items[told : self.count].copy()
        self.count -= told

    def clear(self, threads: int) -> None:
        """Forget all boards: their predecessors have been told."""
        if not self.listed and self.count:
            clear_bits(self.shape, self.bits, self.flags, threads, np.zeros(1, np.int64))
        self.count = 0


ROWS_A_TICKET = 1024


@parallel_kernel
def collect_bits(shape, bits, flags, items, threads, ticket):
    """Write the boards of a bitmap to ``items`` (in any order) and clear it; ``ticket``: two zeros."""
    seeds = shape.counts.shape[0] - 1
    for _thread in prange(threads):
        while True:
            first = take_ticket(ticket, np.int64(0)) * ROWS_A_TICKET
            if first >= flags.shape[0]:
                break
            c = np.int64(0)
            for half in range(first, min(first + ROWS_A_TICKET, flags.shape[0])):
                if flags[half]:
                    flags[half] = 0
                    while shape.firsts[c + 1] <= half:
                        c += 1
                    rank = half - shape.firsts[c]
                    width = shape.words[seeds - c]
                    row = shape.bits[c] + rank * width
                    for w in range(width):
                        word = bits[np.uint64(row + w)]
                        if word:
                            bits[np.uint64(row + w)] = 0
                        while word:
                            column = np.uint64(w * 64) + count_trailing_zeros(word)
                            word &= word - np.uint64(1)
                            items[take_ticket(ticket, np.int64(1))] = pack_board(c, rank, column)


@kernel
def spread_list(shape, items, count, bits, flags):
    """Set the bit and the row flag of each listed board."""
    seeds = shape.counts.shape[0] - 1
    for i in range(count):
        item = items[i]
        c = np.int64(item >> np.uint64(2 * HALF_BITS))
        rank = np.int64((item >> np.uint64(HALF_BITS)) & HALF_MASK)
        column = item & HALF_MASK
        at = shape.bits[c] + rank * shape.words[seeds - c] + np.int64(column >> np.uint64(6))
        bits[np.uint64(at)] |= np.uint64(1) << (column & np.uint64(63))
        flags[np.uint64(shape.firsts[c] + rank)] = 1


@parallel_kernel
def clear_bits(shape, bits, flags, threads, ticket):
    """Clear the rows of a bitmap that have anything in them, and their flags."""
    seeds = shape.counts.shape[0] - 1
    for _thread in prange(threads):
        while True:
            first = take_ticket(ticket, np.int64(0)) * ROWS_A_TICKET
            if first >= flags.shape[0]:
                break
            c = np.int64(0)
            for half in range(first, min(first + ROWS_A_TICKET, flags.shape[0])):
                if flags[half]:
                    flags[half] = 0
                    while shape.firsts[c + 1] <= half:
                        c += 1
                    width = shape.words[seeds - c]
                    row = shape.bits[c] + (half - shape.firsts[c]) * width
                    bits[row : row + width] = 0
