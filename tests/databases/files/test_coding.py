"""Tiles and their streams, against a plain reference of both."""

from __future__ import annotations

import math
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from databases.files.coding import SCALE, Model, decode_tile
from databases.files.tiles import Tiling, block_of, extent_of, tiling
from databases.tiers import board_at, board_index, tier_size


def extents(tiles: Tiling) -> list[tuple[int, int, int, int]]:
    """(first board, columns of its block, height, width) of each tile, written down as the head of the module says."""
    found = []
    for block in tiles.blocks:
        for top in range(0, block.rows, block.height):
            for side in range(0, block.columns, block.width):
                first = block.board + top * block.columns + side
                size = min(block.height, block.rows - top), min(block.width, block.columns - side)
                found.append((first, block.columns, *size))
    return found


def boards_of(extent: tuple[int, int, int, int]) -> list[int]:
    """The boards of a tile in its order."""
    first, columns, height, width = extent
    return [first + row * columns + column for row in range(height) for column in range(width)]


def slowly_decoded(stream: bytes, extent: tuple[int, int, int, int], model: Model) -> list[int]:
    """The margins of a tile, in Python's own numbers."""
    _, _, height, width = extent
    symbols, state, at = len(model.margins), int.from_bytes(stream[:4], "little"), 4
    found: list[int] = []
    for board in range(height * width):
        row, column = divmod(board, width)
        left = found[board - 1] if column else None
        upper = found[board - width] if row else None
        beside = next((neighbour for neighbour in (left, upper) if neighbour is not None), symbols // 2)
        left, upper = beside if left is None else left, beside if upper is None else upper
        shares = model.frequencies[model.contexts[left * symbols + upper]].tolist()
        slot, start = state % 2**SCALE, 0
        symbol, *rarer = sorted(range(symbols), key=lambda symbol: -shares[symbol])
        while slot >= start + shares[symbol]:
            start += shares[symbol]
            symbol, *rarer = rarer
        found.append(symbol)
        state = shares[symbol] * (state >> SCALE) + slot - start
        if state < 2**16:
            state, at = state << 16 | int.from_bytes(stream[at : at + 2], "little"), at + 2
    assert state == 2**16 and at == len(stream)
    return [int(model.margins[symbol]) for symbol in found]


def decoded(stream: NDArray[np.uint8], boards: int, width: int, model: Model) -> tuple[bool, NDArray[np.int8]]:
    out = np.zeros(boards, np.int8)
    return decode_tile(stream.view("<u2"), model.decoding, width, np.zeros(boards, np.uint8), out), out


@pytest.mark.parametrize(("pits", "seeds"), [(1, 0), (1, 5), (2, 6), (3, 9), (4, 8), (6, 7), (8, 4)])
def test_every_heavy_board_has_one_place(pits: int, seeds: int) -> None:
    for area in (1, 7, 64, 2048):
        tiles = tiling(pits, seeds, area)
        heavy = [
            index for index in range(tier_size(pits, seeds)) if 2 * sum(board_at(pits, seeds, index)[:pits]) >= seeds
        ]
        assert heavy == list(range(tiles.light, tier_size(pits, seeds))) and len(heavy) == tiles.heavy
        placed = [
            (tile, place) for tile, extent in enumerate(extents(tiles)) for place in range(len(boards_of(extent)))
        ]
        boards = [board for extent in extents(tiles) for board in boards_of(extent)]
        many = tiles.places(np.array(boards, np.int64))
        assert list(zip(*(numbers.tolist() for numbers in many), strict=True)) == placed
        assert dict(zip(boards, placed, strict=True)) == {board: tiles.place(board) for board in range(tiles.heavy)}
        assert [math.prod(tiles.shape(tile)) for tile in range(tiles.count)] == [
            len(boards_of(extent)) for extent in extents(tiles)
        ]
        assert max(math.prod(tiles.shape(tile)) for tile in range(tiles.count)) == tiles.area


def test_the_kernel_has_the_same_tiles() -> None:
    tiles = tiling(4, 9, 50)
    assert [extent_of(tiles.geometry, block_of(tiles.geometry, tile), tile) for tile in range(tiles.count)] == extents(
        tiles
    )


def test_a_quiet_move_leads_to_a_heavy_board() -> None:
    """An opponent's row that gets seeds and loses none, of a board whose mover has the smaller part."""
    tiles = tiling(6, 12)
    assert board_index((1, 0, 0, 0, 2, 2, 1, 1, 1, 1, 1, 2)) < tiles.light
    assert board_index((1, 1, 1, 1, 1, 2, 2, 0, 0, 0, 2, 1)) >= tiles.light
    assert tiles.heavy == sum(comb(a + 5, 5) * comb(17 - a, 5) for a in range(6, 13))


def test_tiles_are_cut_out_and_put_together() -> None:
    tiles = tiling(4, 9, 50)
    numbers = np.random.default_rng(3).integers(-9, 10, tiles.heavy).astype(np.int8)
    out = np.zeros_like(numbers)
    for tile, extent in enumerate(extents(tiles)):
        cut = tiles.cut(numbers, tile)
        assert cut.tolist() == numbers[boards_of(extent)].tolist()
        tiles.paste(cut, tile, out)
    assert (out == numbers).all()


@settings(max_examples=60, deadline=None)
@given(
    shape=st.sampled_from([(1, 3), (2, 5), (3, 6), (4, 7)]),
    area=st.sampled_from([1, 5, 64, 2048]),
    spread=st.sampled_from([0, 1, 2, 9, 127]),
    seed=st.integers(0, 2**32 - 1),
)
def test_what_is_coded_is_decoded(shape: tuple[int, int], area: int, spread: int, seed: int) -> None:
    """Margins at random, and alike where they are neighbours; by the kernel and by the reference."""
    tiles, random = tiling(*shape, area), np.random.default_rng(seed)
    steps = random.integers(-spread, spread + 1, tiles.heavy) * (random.random(tiles.heavy) < 0.2)
    numbers = np.clip(np.cumsum(steps), -127, 127).astype(np.int8)
    model = Model.of(numbers, tiles)
    streams = list(model.encoded(numbers, tiles))
    assert [stream.tolist() for stream in model.encoded(numbers, tiles, threads=3)] == [s.tolist() for s in streams]
    for stream, extent in zip(streams, extents(tiles), strict=True):
        right, found = decoded(stream, extent[2] * extent[3], extent[3], model)
        assert right and found.tolist() == numbers[boards_of(extent)].tolist()
        assert slowly_decoded(stream.tobytes(), extent, model) == found.tolist()


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=80), st.integers(1, 40), st.integers(1, 40))
def test_any_bytes_are_taken_for_a_stream_and_end(data: bytes, boards: int, width: int) -> None:
    tiles = tiling(3, 6)
    numbers = np.random.default_rng(1).integers(-6, 7, tiles.heavy).astype(np.int8)
    model = Model.of(numbers, tiles)
    _, found = decoded(np.frombuffer(data[: len(data) & ~1], np.uint8), boards, width, model)
    assert set(found.tolist()) <= {0, *model.margins.tolist()}


def test_a_stream_cut_short_or_with_more_is_noticed() -> None:
    tiles = tiling(4, 8)
    numbers = np.random.default_rng(2).integers(-3, 4, tiles.heavy).astype(np.int8)
    model = Model.of(numbers, tiles)
    stream, extent = next(iter(model.encoded(numbers, tiles))), extents(tiles)[0]
    for wrong in (stream[:-2], stream[:4], stream[:0], np.concatenate([stream, stream[:2]])):
        assert not decoded(wrong, extent[2] * extent[3], extent[3], model)[0]


def test_a_model_must_fit() -> None:
    margins, contexts = np.array([-1, 2], np.int8), np.array([0, 0, 1, 1], np.uint16)
    shares = np.array([[4096, 0], [1, 4095]], np.uint16)
    Model(margins, contexts, shares)
    for wrong in (
        (margins[::-1].copy(), contexts, shares),
        (margins[:0], contexts[:0], shares[:, :0]),
        (margins, contexts[:3], shares),
        (margins, contexts + np.uint16(1), shares),
        (margins, contexts, shares[:, :1]),
        (margins, contexts, shares - np.uint16(1)),
    ):
        with pytest.raises(ValueError, match="a model"):
            Model(*wrong)
