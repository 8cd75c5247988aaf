"""Byte lanes: every kernel against the same thing said of eight plain counts."""

from __future__ import annotations

from itertools import accumulate

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from solver.kernels import lanes
from solver.kernels.compile import kernel

U = np.uint64
counts = st.lists(st.integers(0, 255), min_size=8, max_size=8)
small_counts = st.lists(st.integers(0, 127), min_size=8, max_size=8)
tops = st.lists(st.sampled_from([0, 0x80]), min_size=8, max_size=8)


@st.composite
def summed_counts(draw: st.DrawFn) -> list[int]:
    """Eight counts that add up to 255 at most."""
    cuts = sorted(draw(st.lists(st.integers(0, 255), min_size=8, max_size=8)))
    return [after - before for before, after in zip([0, *cuts], cuts, strict=False)]


def word(lanes_: list[int]) -> np.uint64:
    return U(int.from_bytes(bytes(lanes_), "little"))


def unpacked(packed: int | np.uint64) -> list[int]:
    return list(int(packed).to_bytes(8, "little"))


def test_the_masks_say_the_same_of_every_lane() -> None:
    for mask, lane in ((lanes.ONES, 1), (lanes.TOPS, 128), (lanes.BELOW_TOPS, 127), (lanes.NOT_ONES, 254)):
        assert unpacked(mask) == [lane] * 8
    assert unpacked(lanes.ALL) == [255] * 8
    assert unpacked(lanes.LANE) == [255, 0, 0, 0, 0, 0, 0, 0]


@kernel
def one_lane(packed, lane):
    return lanes.shift_of(lane), lanes.count_at(packed, lane)


@given(counts, counts, st.integers(0, 15))
def test_a_lane_is_found_in_one_word_or_two(first: list[int], second: list[int], lane: int) -> None:
    shift, count = one_lane(word(first if lane < 8 else second), U(lane))
    assert shift == 8 * (lane % 8)
    assert count == (first + second)[lane]


@kernel
def sums(packed):
    return lanes.prefix_sums(packed), lanes.sum_of_lanes(packed)


@given(summed_counts())
def test_sums(row: list[int]) -> None:
    prefix, total = sums(word(row))
    assert unpacked(prefix) == list(accumulate(row))
    assert total == sum(row)


@kernel
def compared(packed, least):
    return lanes.at_least(packed, least)


@kernel
def compared_below_tops(packed, least):
    return lanes.at_least_below_tops(packed, least)


@given(counts, st.integers(1, 128))
def test_lanes_are_compared(row: list[int], least: int) -> None:
    assert unpacked(compared(word(row), U(least))) == [0x80 * (count >= least) for count in row]


@given(small_counts, st.integers(1, 128))
def test_small_lanes_are_compared(row: list[int], least: int) -> None:
    assert unpacked(compared_below_tops(word(row), U(least))) == [0x80 * (count >= least) for count in row]


@kernel
def from_tops(packed):
    return lanes.whole_lanes(packed), lanes.lane_bits(packed), lanes.lowest_lane(packed)


@given(tops)
def test_what_is_made_of_tops(row: list[int]) -> None:
    whole, bits, lowest = from_tops(word(row))
    assert unpacked(whole) == [0xFF * (top > 0) for top in row]
    assert bits == sum(1 << lane for lane, top in enumerate(row) if top)
    assert lowest == next((lane for lane, top in enumerate(row) if top), 8)


@kernel
def spread(packed, bits):
    return lanes.spread_numbers(packed, bits)


@given(st.integers(1, 8), st.data())
def test_numbers_get_a_lane_each(bits: int, data: st.DataObject) -> None:
    numbers = data.draw(st.lists(st.integers(0, (1 << bits) - 1), min_size=8, max_size=8))
    beyond = data.draw(st.integers(0, (1 << (64 - 8 * bits)) - 1)) << (8 * bits)
    packed = sum(number << (bits * i) for i, number in enumerate(numbers)) | beyond
    assert unpacked(spread(U(packed), U(bits))) == numbers


@kernel
def spread_of_byte(byte):
    return lanes.spread_bits(byte)


def test_bits_get_a_lane_each() -> None:
    for byte in range(256):
        assert unpacked(spread_of_byte(U(byte))) == [byte >> i & 1 for i in range(8)]


@kernel
def sum_by_lane(packed, amount):
    return lanes.add_lanes(packed, amount)


@given(counts, counts)
def test_lanes_are_added_without_a_carry(packed: list[int], amounts: list[int]) -> None:
    expected = [(count + amount) % 256 for count, amount in zip(packed, amounts, strict=True)]
    assert unpacked(sum_by_lane(word(packed), word(amounts))) == expected


@kernel
def turned(square):
    return lanes.turn_square(
        square[0], square[1], square[2], square[3], square[4], square[5], square[6], square[7]
    )  # fmt: skip


@given(st.lists(counts, min_size=8, max_size=8))
def test_a_square_is_turned(square: list[list[int]]) -> None:
    words = turned(np.array([word(row) for row in square], np.uint64))
    assert [unpacked(row) for row in words] == [list(column) for column in zip(*square, strict=True)]
