"""Last phase of a tier: the opponent-major state becomes the own-major table, a band of rows at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numba import prange
from numpy.typing import NDArray

from databases.builder.state import BIAS, FINAL, LOW, TierShape
from solver.kernels.compile import parallel_kernel

BAND_BOARDS = 8 << 20
TILE = 64


@parallel_kernel
def transpose_margins(state, start, columns, rows, first, last, scale, shift, out, threads):
    """Write rows A = first..last-1 of a block to ``out``: scale * (margin, 0 where not final) + shift, int8.

    The block's state starts at ``start``: ``rows`` rows B of ``columns`` columns A; goes by square tiles.
    """
    tiles = (last - first + TILE - 1) // TILE
    for thread in prange(threads):
        for tile in range(thread, tiles, threads):
            low, high = first + tile * TILE, min(first + tile * TILE + TILE, last)
            for left in range(0, rows, TILE):
                for column in range(low, high):
                    for row in range(left, min(left + TILE, rows)):
                        word = state[np.uint64(start + row * columns + column)]
                        margin = np.int64(word & LOW) - BIAS if word >= FINAL else np.int64(0)
                        out[np.uint64((column - first) * rows + row)] = scale * margin + shift


@parallel_kernel
def transpose_plain(state, start, columns, rows, first, last, out, threads):
    """The same for numbers that are copied as they are (uint16)."""
    tiles = (last - first + TILE - 1) // TILE
    for thread in prange(threads):
        for tile in range(thread, tiles, threads):
            low, high = first + tile * TILE, min(first + tile * TILE + TILE, last)
            for left in range(0, rows, TILE):
                for column in range(low, high):
                    for row in range(left, min(left + TILE, rows)):
                        out[np.uint64((column - first) * rows + row)] = state[np.uint64(start + row * columns + column)]


def _row_bands(shape: TierShape, room: int) -> Iterator[tuple[int, int, int, int]]:
    """(block a, first row, last row, offset in the tier) of bands of at most ``room`` boards, in order."""
    for a in range(shape.seeds + 1):
        width = int(shape.counts[shape.seeds - a])
        step = max(1, room // width)
        for first in range(0, int(shape.counts[a]), step):
            last = min(first + step, int(shape.counts[a]))
            yield a, first, last, int(shape.rows[a]) + first * width


def bands(
    shape: TierShape, state: NDArray[np.uint16], threads: int, scale: int = 1, shift: int = 0
) -> Iterator[tuple[int, NDArray[np.int8]]]:
    """The finished table as (offset, values) bands in order, int8; each is valid until the next is asked for."""
    buffer = np.empty(max(BAND_BOARDS, int(shape.counts.max())), np.int8)
    for a, first, last, offset in _row_bands(shape, len(buffer)):
        rows, columns = int(shape.counts[shape.seeds - a]), int(shape.counts[a])
        band = buffer[: (last - first) * rows]
        start = int(shape.rows[shape.seeds - a])
        transpose_margins(state, start, columns, rows, first, last, scale, shift, band, threads)
        yield offset, band


def distance_bands(
    shape: TierShape, distance: NDArray[np.uint16], threads: int
) -> Iterator[tuple[int, NDArray[np.uint16]]]:
    """The same for ``distance``, uint16."""
    buffer = np.empty(max(BAND_BOARDS, int(shape.counts.max())), np.uint16)
    for a, first, last, offset in _row_bands(shape, len(buffer)):
        rows, columns = int(shape.counts[shape.seeds - a]), int(shape.counts[a])
        band = buffer[: (last - first) * rows]
        transpose_plain(distance, int(shape.rows[shape.seeds - a]), columns, rows, first, last, band, threads)
        yield offset, band
