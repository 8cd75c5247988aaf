"""How the margins of heavy boards are coded: each by what its neighbours say of it, in as few bits as that takes.

A tile (:mod:`databases.files.tiles`) is read row by row. What is known of a board is its *context*: the margins of its
left and of its upper neighbour in the tile. A :class:`Model` says how often each margin comes up in each context, in
parts of 4096; it is made of the tier itself and stored with it. The coder is rANS (J. Duda, arXiv 1311.2540), in the
form with a state of 32 bits that gives and takes 16 bits at a time (F. Giesen, arXiv 1402.3392). A tile's stream is the
state to begin with (uint32), then the words (uint16) in the order in which they are taken, little-endian. The state
ends at 2**16 where the stream does: nearly every damage is noticed, and none leads outside of the arrays.

Margins are *symbols* here: their places in the list of the margins that come up. How streams lie in a file is left to
:mod:`databases.files.halves`.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from databases.files.histograms import count_margins
from databases.files.tiles import Tiling, block_of, extent_of
from solver.kernels.compile import inline_kernel, kernel

SCALE = 12
"""Frequencies are parts of 2 ** SCALE."""
LOWEST = 1 << 16
"""A state is never less, and this is the one that the last symbol leaves."""
_ROW_COST = 10.0
"""Bits that a frequency takes in the file, about, after gzip: a context gets a row of its own if that saves more."""
_TILES = 256
"""Tiles that a thread codes at a time."""


class Decoding(NamedTuple):
    """A model as the kernel that decodes takes it.

    ``row``: of context (left, upper), the place where its margins begin. From there on ``upto`` has where the share of
    each margin ends, in parts of 4096, and ``symbol`` which one it is, the most frequent first. ``margins``: of each
    symbol.
    """

    margins: NDArray[np.int8]
    row: NDArray[np.uint32]
    upto: NDArray[np.uint16]
    symbol: NDArray[np.uint8]


@dataclass(frozen=True)
class Model:
    """How often each margin comes up in each context.

    ``margins``: those that come up, ascending, int8 (s,). ``contexts``: the row of context left * s + upper, uint16
    (s * s,). ``frequencies``: uint16 (rows, s), each row adds up to 4096. Raises ValueError for others.
    """

    margins: NDArray[np.int8]
    contexts: NDArray[np.uint16]
    frequencies: NDArray[np.uint16]

    def __post_init__(self) -> None:
        symbols = len(self.margins)
        if not 1 <= symbols <= 256 or (np.diff(self.margins.astype(np.int64)) < 1).any():
            raise ValueError(f"a model of {symbols} margins")
        if self.contexts.shape != (symbols**2,) or self.frequencies.ndim != 2 or self.frequencies.shape[1] != symbols:
            raise ValueError("a model whose parts do not fit each other")
        if int(self.contexts.max()) >= len(self.frequencies):
            raise ValueError("a model without a row for some context")
        if (self.frequencies.sum(axis=1, dtype=np.int64) != 1 << SCALE).any():
            raise ValueError("a model whose frequencies do not add up")

    @classmethod
    def of(cls, numbers: NDArray[np.int8], tiles: Tiling) -> Model:
        """The model of the margins of all heavy boards, in the order of the tier."""
        present = np.zeros(256, np.int64)
        count_margins(numbers, present)
        margins = (np.flatnonzero(present) - 128).astype(np.int8)
        symbols = len(margins)
        counts = np.zeros((symbols, symbols, symbols), np.int64)
        count_contexts(numbers, tiles.geometry, tiles.count, _symbols_of(margins), counts)
        return cls(margins, *_rows_of(counts))

    @cached_property
    def decoding(self) -> Decoding:
        """The form that is decoded with."""
        symbols = len(self.margins)
        order = np.argsort(-self.frequencies.astype(np.int64), axis=1, kind="stable")
        upto = np.cumsum(np.take_along_axis(self.frequencies, order, 1), axis=1, dtype=np.int64)
        row = self.contexts.astype(np.uint32) * np.uint32(symbols)
        return Decoding(self.margins, row, upto.astype(np.uint16).ravel(), order.astype(np.uint8).ravel())

    def encoded(self, numbers: NDArray[np.int8], tiles: Tiling, threads: int = 1) -> Iterator[NDArray[np.uint8]]:
        """The stream of each tile, in order; ``numbers`` as in :meth:`of`. The same for any number of threads."""
        of_margin, starts = _symbols_of(self.margins), self._starts()

        def streams(first: int) -> list[NDArray[np.uint8]]:
            room = np.empty(tiles.area + 2, np.uint16)
            found = []
            for tile in range(first, min(first + _TILES, tiles.count)):
                used = encode_tile(
                    numbers, tiles.geometry, tile, of_margin, self.contexts, starts, self.frequencies, room
                )
                found.append(room[len(room) - used :].copy().view(np.uint8))
            return found

        with ThreadPoolExecutor(threads) as pool:
            for some in pool.map(streams, range(0, tiles.count, _TILES)):
                yield from some

    def _starts(self) -> NDArray[np.uint16]:
        """Where the share of each margin begins, shape of ``frequencies``."""
        order = np.argsort(-self.frequencies.astype(np.int64), axis=1, kind="stable")
        sorted_ = np.take_along_axis(self.frequencies, order, 1)
        starts = np.empty_like(self.frequencies)
        np.put_along_axis(starts, order, (np.cumsum(sorted_, axis=1, dtype=np.int64) - sorted_).astype(np.uint16), 1)
        return starts


def _symbols_of(margins: NDArray[np.int8]) -> NDArray[np.uint8]:
    """The symbol of each margin, at its byte."""
    of_margin = np.zeros(256, np.uint8)
    of_margin[margins.view(np.uint8)] = np.arange(len(margins))
    return of_margin


# -- making a model ---------------------------------------------------------------------------------------------------


def _rows_of(counts: NDArray[np.int64]) -> tuple[NDArray[np.uint16], NDArray[np.uint16]]:
    """Contexts and frequencies: a row for every context that is worth one, else that of its left neighbour, or of all.

    ``counts``: of (left, upper, symbol).
    """
    symbols = len(counts)
    whole = counts.sum(axis=(0, 1))
    rows, contexts = [_scaled(whole)], np.zeros((symbols, symbols), np.uint16)
    for left in range(symbols):
        here = counts[left].sum(axis=0)
        if _saved(here, rows[0]) > _ROW_COST * np.count_nonzero(here):
            contexts[left] = len(rows)
            rows.append(_scaled(here))
        shared = rows[contexts[left, 0]]
        for upper in range(symbols):
            here = counts[left, upper]
            if len(rows) < 1 << 16 and _saved(here, shared) > _ROW_COST * np.count_nonzero(here):
                contexts[left, upper] = len(rows)
                rows.append(_scaled(here))
    return contexts.ravel(), np.array(rows, np.uint16)


def _saved(counts: NDArray[np.int64], shared: NDArray[np.int64]) -> float:
    """Bits that a row of its own saves where margins come up so often, over one that is shared."""
    there = counts > 0
    return float((counts[there] * np.log2(counts[there] / counts.sum() * (1 << SCALE) / shared[there])).sum())


def _scaled(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Counts as parts of 4096, none of those above 0 less than 1."""
    whole = 1 << SCALE
    scaled = np.where(counts > 0, np.maximum(counts * whole // counts.sum(), 1), 0)
    while (over := int(scaled.sum()) - whole) > 0:
        most = int(scaled.argmax())
        scaled[most] -= min(over, int(scaled[most]) // 2)
    scaled[int(scaled.argmax())] -= over
    return scaled


@inline_kernel
def context_of(numbers, of_margin, at, columns, row, column, symbols):
    """left * symbols + upper of the board at ``at``, in this row and column of its tile.

    At the edge a neighbour is taken for the one that is missing, and the middle symbol for both.
    """
    left = upper = np.int64(symbols // 2)
    if column:
        left = np.int64(of_margin[np.uint64(np.uint8(numbers[np.uint64(at - 1)]))])
    if row:
        upper = np.int64(of_margin[np.uint64(np.uint8(numbers[np.uint64(at - columns)]))])
    if not column:
        left = upper
    if not row:
        upper = left
    return left * symbols + upper


@kernel
def count_contexts(numbers, geometry, tiles, of_margin, counts):
    """Count every board of every tile by (left, upper, symbol)."""
    symbols = np.int64(counts.shape[0])
    flat = counts.reshape(-1)
    for tile in range(tiles):
        first, columns, height, width = extent_of(geometry, block_of(geometry, tile), tile)
        for row in range(height):
            for column in range(width):
                at = first + row * columns + column
                context = context_of(numbers, of_margin, at, columns, row, column, symbols)
                symbol = np.int64(of_margin[np.uint64(np.uint8(numbers[np.uint64(at)]))])
                flat[np.uint64(context * symbols + symbol)] += 1


# -- the coder --------------------------------------------------------------------------------------------------------


@kernel
def encode_tile(numbers, geometry, tile, of_margin, contexts, starts, frequencies, room):
    """Write a tile's stream to the end of ``room`` (uint16, two more than boards of a tile); returns how many words."""
    symbols = np.int64(frequencies.shape[1])
    first, columns, height, width = extent_of(geometry, block_of(geometry, tile), tile)
    state, at = np.uint64(LOWEST), room.shape[0]
    for row in range(height - 1, -1, -1):
        for column in range(width - 1, -1, -1):
            board = first + row * columns + column
            context = context_of(numbers, of_margin, board, columns, row, column, symbols)
            symbol = np.uint64(of_margin[np.uint64(np.uint8(numbers[np.uint64(board)]))])
            line = np.uint64(contexts[np.uint64(context)])
            share = np.uint64(frequencies[line, symbol])
            if state >= share << np.uint64(32 - SCALE):
                at -= 1
                room[np.uint64(at)] = np.uint16(state & np.uint64(0xFFFF))
                state >>= np.uint64(16)
            whole = state // share
            state = (whole << np.uint64(SCALE)) + (state - whole * share) + np.uint64(starts[line, symbol])
    room[np.uint64(at - 1)] = np.uint16(state >> np.uint64(16))
    room[np.uint64(at - 2)] = np.uint16(state & np.uint64(0xFFFF))
    return room.shape[0] - at + 2


@kernel
def decode_tile(words, model, width, symbols_out, out):
    """Decode a tile of ``width`` columns, as many boards as ``out`` (int8) has, from its words; whether they fit.

    ``symbols_out``: uint8, as long as ``out``, for the symbols. ``model``: :class:`Decoding`, which has been checked.
    """
    if words.shape[0] < 2:
        return False
    symbols = np.uint64(model.margins.shape[0])
    state = np.uint64(words[0]) | (np.uint64(words[1]) << np.uint64(16))
    taken, given = np.uint64(2), np.uint64(words.shape[0])
    left = upper = symbols >> np.uint64(1)
    column, boards = np.int64(0), out.shape[0]
    for board in range(boards):
        if board >= width:
            upper = np.uint64(symbols_out[np.uint64(board - width)])
            if column == 0:
                left = upper
        elif board:
            upper = left
        at = np.uint64(model.row[left * symbols + upper])
        slot = state & np.uint64((1 << SCALE) - 1)
        start = np.uint64(0)
        end = np.uint64(model.upto[at])
        while end <= slot:
            at += np.uint64(1)
            start = end
            end = np.uint64(model.upto[at])
        left = np.uint64(model.symbol[at])
        symbols_out[np.uint64(board)] = left
        out[np.uint64(board)] = model.margins[left]
        state = (end - start) * (state >> np.uint64(SCALE)) + slot - start
        if state < np.uint64(LOWEST):
            if taken == given:
                return False
            state = (state << np.uint64(16)) | np.uint64(words[taken])
            taken += np.uint64(1)
        column += 1
        if column == width:
            column = 0
    return taken == given and state == np.uint64(LOWEST)
