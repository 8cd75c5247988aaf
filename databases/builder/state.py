"""The working state of a tier under construction: one 16-bit word a board, and how boards are shared out to threads.

A word holds the best margin that captures give (low byte, biased by 128, 0 = no capture) and the number of moves still
open (high byte). 0xFE in the high byte marks a board without a legal move, 0xFF a final one, whose low byte is the
value. So "no move open and best <= -s" is one comparison: word <= code(-s).

Words are *opponent-major*: block b = 0..n (seeds of the opponent's half B), row B, column A. All predecessors of the
boards (C, .) by one outcome then lie in one row. Finished tables are own-major; :mod:`databases.builder.transpose`
turns one into the other. Frontiers are own-major too: see :mod:`databases.builder.frontier`.

Threads take *groups* of 64 consecutive rows B: new final boards (A, B) of a group are whole words of row A of the next
frontier, so every word has one writer.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import extending, types
from numpy.typing import NDArray

from databases.tiers import block_offsets
from solver.kernels.compile import inline_kernel
from solver.kernels.intrinsics import prefetch

BIAS = 128
OPEN_MOVE = np.uint16(0x0100)
TERMINAL = np.uint16(0xFE00)
FINAL = np.uint16(0xFF00)
LOW = np.uint16(0x00FF)
GROUP = 64
PART = 8
"""Rows that a thread takes at a time where rows do not depend on each other."""
PADDING = 64
"""Words that a state has beyond its last board, so that 64 can be looked at from any of them."""
MARKED = 1024
"""Columns of a state row under one mark, which says what margins captures give there: see :func:`mark_row`."""


StateArray = NDArray[np.uint16] | NDArray[np.uint8] | NDArray[np.int8]
"""A state in words, cells or bytes: the type of the elements says which."""


class Share(NamedTuple):
    """The rows of a tier's state that one of several processes owns: a range in each block, of whole groups."""

    low: NDArray[np.int64]
    """Rank of the first own row of state block b: a multiple of 64, or of none the number of rows."""
    high: NDArray[np.int64]
    """One beyond the last."""


class TierShape(NamedTuple):
    """Where everything of a tier with n seeds lies; int64 arrays over seed counts 0..n unless said otherwise.

    Where several processes share the tier (:mod:`databases.builder.ownership`), the state is that of the own rows: so
    are ``rows``, ``marks`` and the groups.
    """

    counts: NDArray[np.int64]
    """h(k)."""
    firsts: NDArray[np.int64]
    """Id of the first half board with k seeds."""
    blocks: NDArray[np.int64]
    """Start of block a of the finished table, of all rows; one more than blocks."""
    rows: NDArray[np.int64]
    """Where row 0 of state block b starts, or would start if it was an own row; one more than blocks, where it ends."""
    stride: NDArray[np.int64]
    """From one state row to the next, where the rows are halves with a seeds."""
    words: NDArray[np.int64]
    """64-bit words that a bitmap over the halves with k seeds takes."""
    group_block: NDArray[np.int64]
    """b of each group of 64 rows."""
    group_first: NDArray[np.int64]
    """Rank of the first B of each group."""
    marks: NDArray[np.int64]
    """Where the marks of row 0 of state block b start, as in ``rows``; a row has one for every 1,024 columns."""
    low: NDArray[np.int64]
    """Rank of the first own row of state block b."""
    owned: NDArray[np.int64]
    """Own rows of state block b."""

    @property
    def seeds(self) -> int:
        """n, the seeds on the board."""
        return len(self.counts) - 1

    @property
    def boards(self) -> int:
        """Boards in the state."""
        return int((self.owned * self.counts[::-1]).sum())

    @property
    def all_boards(self) -> int:
        """Boards of the tier, whoever owns them."""
        return int(self.blocks[-1])

    def block_start(self, b: int) -> int:
        """Where the own rows of state block b start."""
        return int(self.rows[b] + self.low[b] * self.stride[self.seeds - b])

    @classmethod
    def of(
        cls,
        pits: int,
        seeds: int,
        counts: NDArray[np.int64],
        firsts: NDArray[np.int64],
        *,
        share: Share | None = None,
    ) -> TierShape:
        """The shape of tier ``seeds``, or of a share of it; ``counts`` and ``firsts`` may reach further."""
        counts, firsts = np.ascontiguousarray(counts[: seeds + 1]), np.ascontiguousarray(firsts[: seeds + 2])
        low, high = (np.zeros_like(counts), counts) if share is None else share
        chunks = -(-counts // MARKED)
        first, last = -(-low // GROUP), -(-high // GROUP)  # where nothing is owned, low need not begin a group
        return cls(
            counts,
            firsts,
            block_offsets(pits, seeds),
            _own_starts(low, high, counts[::-1]),
            counts,
            -(-counts // GROUP),
            np.repeat(np.arange(seeds + 1), last - first),
            np.concatenate([GROUP * np.arange(*ends) for ends in zip(first, last, strict=True)]),
            _own_starts(low, high, chunks[::-1]),
            low,
            high - low,
        )

    def in_cells(self) -> TierShape:
        """The shape of the same rows in cells (:mod:`databases.builder.cells`), of which a row has an even number."""
        stride = self.counts + (self.counts & 1)
        return self._replace(stride=stride, rows=_own_starts(self.low, self.low + self.owned, stride[::-1]))


def _own_starts(low: NDArray[np.int64], high: NDArray[np.int64], widths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where row 0 of each block starts if the own rows lie one after the other; then where the last one ends."""
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum((high - low) * widths)])
    starts[:-1] -= low * widths
    return starts


class Band(NamedTuple):
    """Consecutive groups of rows of a state in words, and the boards that they hold."""

    first_group: int
    last_group: int
    """One beyond the last."""
    first: int
    """The first board's index in the state."""
    boards: int


def whole_tier(shape: TierShape) -> Band:
    """All groups as one band."""
    return Band(0, len(shape.group_block), 0, shape.boards)


@inline_kernel
def group_rows(shape, group):
    """(block b, rank of the first B, one beyond the rank of the last) of a group of rows."""
    b, first = shape.group_block[group], shape.group_first[group]
    return b, first, min(first + GROUP, shape.counts[b])


@inline_kernel
def parts_of(band):
    """Into how many parts the rows of a band are shared out among threads; a band of large rows has a single group."""
    return (band.last_group - band.first_group) * (GROUP // PART)


@inline_kernel
def part_rows(shape, band, part):
    """(block b, rank of the first B, one beyond the rank of the last) of a part of a band, which may be empty."""
    b, first, last = group_rows(shape, band.first_group + part // (GROUP // PART))
    first += part % (GROUP // PART) * PART
    return b, first, min(first + PART, last)


@inline_kernel
def code(margin):
    """Low byte of a word for a margin."""
    return np.uint16(margin + BIAS)


# -- what a level does to a board, for all forms of a state: 16-bit words, bytes, or cells of four bits --------

LOST_CELL, WON_CELL = np.uint8(14), np.uint8(15)
BETTER = np.uint8(7)
"""A live cell is its open moves (0..6), plus 7 while captures give it more than a loss at the present stage."""


BYTE_BIAS, LARGEST_BYTE = 8, 7
"""A byte is a word in small, for margins of at most 7: the best that captures give in the low half, biased by 8, 0 = no
capture; the open moves in the high half, 0xE for a board without a legal move, 0xF for a final one. A state of bytes is
int8, so that kernels tell it from cells."""
TERMINAL_BYTE, FINAL_BYTE, LOW_BYTE = np.uint8(0xE0), np.uint8(0xF0), np.uint8(0x0F)


class News(NamedTuple):
    """What a level has to say: ``win``, and a board becomes a win of ``margin`` at once; or a board loses a move, and
    at the last one becomes a loss of ``margin``."""

    margin: int
    win: bool
    level: int
    """What ``distance`` gets."""


def settle(state: Any, index: Any, final: Any, win: Any) -> Any:
    """Tell the board at ``index`` (uint64) that a child is lost for the opponent (``win``), or that a move more loses.

    It becomes ``final`` (:func:`final_mark`) by the first; by the second when that was its last open move and captures
    give nothing better. Returns 1 if it became final, 0 if not or if it was. Free of branches: half of all calls change
    nothing, and which cannot be guessed.
    """
    raise NotImplementedError("only kernels call this")


def final_mark(state: Any, margin: Any, win: Any) -> Any:
    """What a board that is won or lost by ``margin`` is marked with."""
    raise NotImplementedError("only kernels call this")


def prefetch_board(state: Any, index: Any) -> Any:
    """Ask for the memory of the board at ``index``."""
    raise NotImplementedError("only kernels call this")


INLINE: Any = {"forceinline": True, "_nrt": False, "error_model": "numpy"}
"""How an overload is compiled: as :func:`~solver.kernels.compile.inline_kernel` does it."""


def _by_form(state: Any, words: Any, cells: Any, small: Any) -> Any:
    """The version of a function for the form that a state has."""
    return {types.uint16: words, types.uint8: cells, types.int8: small}[state.dtype]


@extending.overload(settle, jit_options=INLINE)
def _settle(state, index, final, win):  # numba compares its parameters with those below
    def settle_word(state, index, final, win):
        word = state[index]
        live = np.uint16(word < TERMINAL)
        left = np.uint16(word - (live << np.uint16(8)))
        new = live if win else live & np.uint16(left <= (final & LOW))
        state[index] = select(new, final, word if win else left)
        return np.uint64(new)

    def settle_cell(state, index, final, win):
        at, shift = index >> np.uint64(1), np.uint8((index & np.uint64(1)) << np.uint64(2))
        byte = state[at]
        cell = np.uint8((byte >> shift) & np.uint8(15))
        live = np.uint8(cell < LOST_CELL)
        left = np.uint8(cell - live)
        new = live if win else live & np.uint8(left == 0)
        after = np.uint8(select(np.uint16(new), final, np.uint16(cell if win else left)))
        state[at] = byte ^ np.uint8((cell ^ after) << shift)
        return np.uint64(new)

    def settle_byte(state, index, final, win):
        byte = np.uint8(state[index])
        live = np.uint8(byte < TERMINAL_BYTE)
        left = np.uint8(byte - (live << np.uint8(4)))
        new = live if win else live & np.uint8(left <= np.uint8(final & np.uint16(LOW_BYTE)))
        state[index] = np.int8(select(np.uint16(new), final, np.uint16(byte if win else left)))
        return np.uint64(new)

    return _by_form(state, settle_word, settle_cell, settle_byte)


@extending.overload(final_mark, jit_options=INLINE)
def _final_mark(state, margin, win):
    def word_mark(state, margin, win):
        return FINAL | (code(margin) if win else code(-margin))

    def cell_mark(state, margin, win):
        return np.uint16(WON_CELL if win else LOST_CELL)

    def byte_mark(state, margin, win):
        return np.uint16(FINAL_BYTE | (byte_code(margin) if win else byte_code(-margin)))

    return _by_form(state, word_mark, cell_mark, byte_mark)


@extending.overload(prefetch_board, jit_options=INLINE)
def _prefetch_board(state, index):
    def prefetch_word(state, index):
        prefetch(state, index)

    def prefetch_cell(state, index):
        prefetch(state, index >> np.uint64(1))

    return _by_form(state, prefetch_word, prefetch_cell, prefetch_word)


@inline_kernel
def byte_code(margin):
    """Low half of a byte for a margin."""
    return np.uint8(margin + BYTE_BIAS)


@inline_kernel
def select(flag, yes, no):
    """``yes`` where the flag is 1, ``no`` where it is 0, without a branch: half of all updates change nothing."""
    mask = np.uint16(np.uint16(0) - flag)
    return np.uint16((yes & mask) | (no & ~mask))


@inline_kernel
def mark_row(state, row, columns, marks, first):
    """Note in ``marks`` (uint64, from index ``first``) which margins captures give in each 1,024 columns of a row.

    Bit s of the low half is set where some board has best = s, of the high half where one has -s (modulo 32): only
    there can stage s begin with it.
    """
    for chunk in range((columns + MARKED - 1) // MARKED):
        bits = np.uint64(0)
        for i in range(chunk * MARKED, min((chunk + 1) * MARKED, columns)):
            low = np.int64(state[np.uint64(row + i)] & LOW)
            up = np.uint64(1) << np.uint64((low - BIAS) & 31)
            down = np.uint64(1) << np.uint64(32 + ((BIAS - low) & 31))
            bits |= (up if low > BIAS else np.uint64(0)) | (down if (low < BIAS) & (low > 0) else np.uint64(0))
        marks[np.uint64(first + chunk)] = bits


@inline_kernel
def mark_of(margin, win):
    """The bit of a mark that is set where captures give ``margin`` (``win``) or ``-margin``."""
    return np.uint64(1) << np.uint64((margin & 31) + (0 if win else 32))
