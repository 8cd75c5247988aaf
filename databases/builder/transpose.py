"""Last phase of a tier: the opponent-major state becomes the own-major table, a band of rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numba import extending, prange, types
from numpy.typing import NDArray

from databases.builder.state import BIAS, BYTE_BIAS, FINAL, FINAL_BYTE, INLINE, LOW, LOW_BYTE, TierShape
from solver.kernels.compile import parallel_kernel

BAND_BOARDS = 8 << 20
TILE = 64


@parallel_kernel
def transpose(state, start, columns, rows, first, last, scale, shift, out, threads):
    """Write rows A = first..last-1 of a block to ``out``: scale * number + shift (:func:`number_of`).

    The block's state starts at ``start``: ``rows`` rows B of ``columns`` columns A; goes by square tiles.
    """
    tiles = (last - first + TILE - 1) // TILE
    for thread in prange(threads):
        for tile in range(thread, tiles, threads):
            low, high = first + tile * TILE, min(first + tile * TILE + TILE, last)
            for left in range(0, rows, TILE):
                for column in range(low, high):
                    for row in range(left, min(left + TILE, rows)):
                        number = number_of(state[np.uint64(start + row * columns + column)], out)
                        out[np.uint64((column - first) * rows + row)] = scale * number + shift


def number_of(stored: Any, out: Any) -> Any:
    """What a table keeps of a stored number: int64.

    For ``out`` int8 the margin that a word (uint16; 0 where not final), a byte of a state (int8, the same) or a margin
    byte (uint8) holds; for ``out`` uint16 the number itself.
    """
    raise NotImplementedError("only kernels call this")


@extending.overload(number_of, jit_options=INLINE)
def _number_of(stored, out):
    def margin_of_word(stored, out):
        return np.int64(stored & LOW) - BIAS if stored >= FINAL else np.int64(0)

    def margin_of_byte(stored, out):
        return np.int64(stored) - BIAS

    def margin_of_small(stored, out):
        byte = np.uint8(stored)
        return np.int64(byte & LOW_BYTE) - BYTE_BIAS if byte >= FINAL_BYTE else np.int64(0)

    def as_it_is(stored, out):
        return np.int64(stored)

    if out.dtype != types.int8:
        return as_it_is
    return {types.uint16: margin_of_word, types.uint8: margin_of_byte, types.int8: margin_of_small}[stored]


def row_bands(shape: TierShape, room: int) -> Iterator[tuple[int, int, int, int]]:
    """(block a, first row, last row, offset in the table) of bands of at most ``room`` boards, in order.

    The bands are those of the whole tier, whichever boards of them are in the state.
    """
    for a in range(shape.seeds + 1):
        width = int(shape.counts[shape.seeds - a])
        step = max(1, room // width)
        for first in range(0, int(shape.counts[a]), step):
            last = min(first + step, int(shape.counts[a]))
            yield a, first, last, int(shape.blocks[a]) + first * width


def bands(
    shape: TierShape, state: NDArray[np.uint16] | NDArray[np.int8], threads: int, scale: int = 1, shift: int = 0
) -> Iterator[tuple[int, NDArray[np.int8]]]:
    """The finished table in bands, in order: (offset of its first row, (rows, own boards of a row), int8).

    Each is valid until the next is asked for.
    """
    return _bands(shape, state, threads, scale, shift, np.int8)


def distance_bands(
    shape: TierShape, distance: NDArray[np.uint16], threads: int
) -> Iterator[tuple[int, NDArray[np.uint16]]]:
    """The same for ``distance``, uint16."""
    return _bands(shape, distance, threads, 1, 0, np.uint16)


def _bands(
    shape: TierShape, state: NDArray[Any], threads: int, scale: int, shift: int, kind: type[Any]
) -> Iterator[tuple[int, NDArray[Any]]]:
    room = max(BAND_BOARDS, int(shape.counts.max()))
    buffer = np.empty(most_of_a_band(shape, room), kind)
    for a, first, last, offset in row_bands(shape, room):
        b = shape.seeds - a
        rows, columns = int(shape.owned[b]), int(shape.counts[a])
        band = buffer[: (last - first) * rows]
        transpose(state, shape.block_start(b), columns, rows, first, last, scale, shift, band, threads)
        yield offset, band.reshape(last - first, rows)


def most_of_a_band(shape: TierShape, room: int) -> int:
    """Own boards in a band of so much room, at most."""
    return max((last - first) * int(shape.owned[shape.seeds - a]) for a, first, last, _ in row_bands(shape, room))
