"""Tiles: the rectangles into which the heavy boards of a tier are cut, to be coded each by itself.

A board is *heavy* if at least half of its seeds lie on the mover's row, *light* otherwise. In the order of a tier
(:mod:`databases.tiers`) the heavy boards come last: blocks a = ceil(n / 2) .. n, each a matrix of halves A by halves B.
A block is cut into tiles of about :data:`AREA` boards, of the same size but at its last row and column. Tiles are
numbered block by block, row-major; so are the boards of a tile. Neighbours in a tile have halves alike, so their
numbers are alike: that is what :mod:`databases.files.coding` lives on.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from databases.halfboards import half_counts
from databases.tiers import block_offsets
from solver.kernels.compile import inline_kernel, kernel

AREA = 2048
"""Boards of a tile, at most: what one look-up decodes."""
WIDTH = 32
"""Columns of a tile, about, where a block has more."""


class Block(NamedTuple):
    """One heavy block: the board and the tile that it begins with (the board counted among the heavy ones), its size,
    the size of its tiles, and how many of them lie beside each other."""

    board: int
    tile: int
    rows: int
    columns: int
    height: int
    width: int
    across: int


@dataclass(frozen=True)
class Tiling:
    """The tiles of one tier."""

    seeds: int
    light: int
    """Boards of the tier that are light: the heavy ones follow them."""
    heavy: int
    count: int
    """How many tiles there are."""
    area: int
    """Boards of a tile, at most."""
    blocks: tuple[Block, ...]
    geometry: NDArray[np.int64]
    """The same for kernels, a row a block."""
    starts: tuple[int, ...]
    """The heavy board that each block begins with."""
    firsts: tuple[int, ...]
    """The tile that each block begins with."""

    def place(self, heavy: int) -> tuple[int, int]:
        """The tile of heavy board number ``heavy``, and its place there."""
        board, tile, _, columns, height, width, across = self.blocks[bisect_right(self.starts, heavy) - 1]
        row, column = divmod(heavy - board, columns)
        down, row = divmod(row, height)
        right, column = divmod(column, width)
        return tile + down * across + right, row * min(width, columns - right * width) + column

    def places(self, heavy: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The same of many, (k,) int64 each."""
        tiles, places = np.empty_like(heavy), np.empty_like(heavy)
        place_many(self.geometry, heavy, tiles, places)
        return tiles, places

    def shape(self, tile: int) -> tuple[int, int]:
        """Rows and columns of a tile."""
        _, _, height, width = self._extent(tile)
        return height, width

    def cut(self, heavy: NDArray[Any], tile: int) -> NDArray[Any]:
        """The numbers of a tile, row by row, out of those of all heavy boards: a new array."""
        first, columns, height, width = self._extent(tile)
        out = np.empty(height * width, heavy.dtype)
        copy_rectangle(heavy, first, columns, out, 0, width, height, width)
        return out

    def paste(self, numbers: NDArray[Any], tile: int, heavy: NDArray[Any]) -> None:
        """Put the numbers of a tile, row by row, where they belong among those of all heavy boards."""
        first, columns, height, width = self._extent(tile)
        copy_rectangle(numbers, 0, width, heavy, first, columns, height, width)

    def _extent(self, tile: int) -> tuple[int, int, int, int]:
        """First board, columns of the block, rows and columns of a tile."""
        board, start, rows, columns, height, width, across = self.blocks[bisect_right(self.firsts, tile) - 1]
        down, right = divmod(tile - start, across)
        first = board + down * height * columns + right * width
        return first, columns, min(height, rows - down * height), min(width, columns - right * width)


@cache
def tiling(pits: int, seeds: int, area: int = AREA) -> Tiling:
    """The tiles of tier ``seeds``, ``pits`` houses a side."""
    first, counts, offsets = -(-seeds // 2), half_counts(pits, seeds), block_offsets(pits, seeds)
    light, blocks, tile = int(offsets[first]), [], 0
    for a in range(first, seeds + 1):
        rows, columns = int(counts[a]), int(counts[seeds - a])
        across = max(1, (columns + WIDTH // 2) // WIDTH)
        width = -(-columns // across)
        across = -(-columns // width)
        height = max(1, min(rows, area // width))
        blocks.append(Block(int(offsets[a]) - light, tile, rows, columns, height, width, across))
        tile += across * -(-rows // height)
    most = max(block.height * block.width for block in blocks)
    geometry = np.array(blocks, np.int64)
    starts, firsts = tuple(block.board for block in blocks), tuple(block.tile for block in blocks)
    return Tiling(seeds, light, int(offsets[-1]) - light, tile, most, tuple(blocks), geometry, starts, firsts)


@inline_kernel
def block_of(geometry, tile):
    """The number of the block that a tile lies in."""
    block = np.int64(geometry.shape[0] - 1)
    while geometry[np.uint64(block), np.uint64(1)] > tile:
        block -= 1
    return block


@inline_kernel
def extent_of(geometry, block, tile):
    """(first board, boards from a row to the next, height, width) of a tile; boards counted among the heavy ones."""
    k = np.uint64(block)
    rows, columns = geometry[k, np.uint64(2)], geometry[k, np.uint64(3)]
    height, width, across = geometry[k, np.uint64(4)], geometry[k, np.uint64(5)], geometry[k, np.uint64(6)]
    number = tile - geometry[k, np.uint64(1)]
    down = number // across
    right = number - down * across
    first = geometry[k, np.uint64(0)] + down * height * columns + right * width
    return first, columns, min(height, rows - down * height), min(width, columns - right * width)


@kernel
def copy_rectangle(source, start, step, out, begin, stride, height, width):
    """Copy ``height`` rows of ``width`` numbers, whose rows lie ``step`` and ``stride`` apart."""
    for row in range(height):
        for column in range(width):
            out[np.uint64(begin + row * stride + column)] = source[np.uint64(start + row * step + column)]


@kernel
def place_many(geometry, heavy, tiles, places):
    """Tile of each heavy board, and its place there."""
    last = np.int64(geometry.shape[0] - 1)
    for k in range(heavy.shape[0]):
        block = last
        while geometry[block, 0] > heavy[k]:
            block -= 1
        columns, height, width, across = geometry[block, 3], geometry[block, 4], geometry[block, 5], geometry[block, 6]
        row = (heavy[k] - geometry[block, 0]) // columns
        column = heavy[k] - geometry[block, 0] - row * columns
        down, right = row // height, column // width
        tiles[k] = geometry[block, 1] + down * across + right
        places[k] = (row - down * height) * min(width, columns - right * width) + column - right * width
