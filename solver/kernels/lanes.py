"""Words of byte lanes: eight small counts in one 64-bit word, lane i in bits 8i .. 8i+7.

Both games pack a row of pits so, and compare or add all its counts at once. Here are the masks and the small kernels
for that; a lane's meaning is left to the games' own kernels, the number of a packed row to :mod:`solver.kernels.ranks`.
Every word, lane number and result is a uint64.

A *top* is the highest bit of a lane: comparisons answer with the tops of the lanes for which they hold.
"""

from __future__ import annotations

import numpy as np

from solver.kernels.compile import inline_kernel
from solver.kernels.intrinsics import count_trailing_zeros

ONES = np.uint64(0x0101010101010101)  # 1 in every lane; times n: n in every lane
TOPS = np.uint64(0x8080808080808080)  # the top of every lane
BELOW_TOPS = np.uint64(0x7F7F7F7F7F7F7F7F)  # every lane without its top
NOT_ONES = np.uint64(0xFEFEFEFEFEFEFEFE)  # every lane without its lowest bit
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)  # every bit of every lane
LANE = np.uint64(0xFF)  # lane 0: what a shifted word is cut to

_THREE, _SEVEN = np.uint64(3), np.uint64(7)
_LAST = np.uint64(56)  # the shift that leaves lane 7 alone
_SHIFT_BITS = np.uint64(63)
_HALF = np.uint64(128)  # the value of a lane that is its top alone
_GATHER = np.uint64(0x0102040810204080)  # times a word of lanes of 0 and 1, brings lane i to bit i of lane 7


# -- one lane ---------------------------------------------------------------------------------------------------------


@inline_kernel
def shift_of(
    lane: np.uint64,
) -> np.uint64:
    """How far a word is shifted for a lane. Lanes 8 to 15 are those of a second word, so they shift as 0 to 7."""
    return (lane << _THREE) & _SHIFT_BITS


@inline_kernel
def count_at(
    word: np.uint64,
    lane: np.uint64,
) -> np.uint64:
    """The count in one lane; lanes as in :func:`shift_of`."""
    return (word >> shift_of(lane)) & LANE


@inline_kernel
def lowest_lane(
    tops: np.uint64,
) -> np.uint64:
    """The lowest lane whose top is set (8 when none is)."""
    return count_trailing_zeros(tops) >> _THREE  # pyright: ignore[reportCallIssue]


# -- all lanes at once ------------------------------------------------------------------------------------------------


@inline_kernel
def prefix_sums(
    word: np.uint64,
) -> np.uint64:
    """Lane i of the result is the sum of lanes 0..i, if they all add up to less than 256: one multiplication."""
    return word * ONES


@inline_kernel
def sum_of_lanes(
    word: np.uint64,
) -> np.uint64:
    """The sum of the eight lanes, if it is less than 256."""
    return prefix_sums(word) >> _LAST


@inline_kernel
def at_least(
    word: np.uint64,
    least: np.uint64,
) -> np.uint64:
    """The tops of the lanes that hold ``least`` (1 to 128) or more."""
    return (((word & BELOW_TOPS) + (_HALF - least) * ONES) | word) & TOPS


@inline_kernel
def at_least_below_tops(
    word: np.uint64,
    least: np.uint64,
) -> np.uint64:
    """As :func:`at_least` for lanes of at most 127, in two instructions less."""
    return (word + (_HALF - least) * ONES) & TOPS


@inline_kernel
def whole_lanes(
    tops: np.uint64,
) -> np.uint64:
    """All bits of the lanes whose tops are given."""
    return (tops >> _SEVEN) * LANE


@inline_kernel
def lane_bits(
    tops: np.uint64,
) -> np.uint64:
    """Bit i set for every lane i whose top is given: eight tops gathered in one byte."""
    return ((tops >> _SEVEN) * _GATHER) >> _LAST


# -- other numbers in lanes -------------------------------------------------------------------------------------------

_LOW_HALF = np.uint64(0x00000000FFFFFFFF)
_PAIRS = np.uint64(0x0000FFFF0000FFFF)
_SINGLES = np.uint64(0x00FF00FF00FF00FF)
_EACH_BIT = np.uint64(0x8040201008040201)  # bit i of lane i
_ONE, _EIGHT, _SIXTEEN, _THIRTY_TWO = np.uint64(1), np.uint64(8), np.uint64(16), np.uint64(32)


@inline_kernel
def add_lanes(word, amount):
    """Every lane plus that of ``amount``, modulo 256."""
    return ((word & BELOW_TOPS) + (amount & BELOW_TOPS)) ^ ((word ^ amount) & TOPS)


@inline_kernel
def spread_numbers(word, bits):
    """A lane for each of the eight numbers of ``bits`` bits (1 to 8) that a word holds from its lowest bit up."""
    pair, four = bits + bits, _SHIFT_BITS & (np.uint64(4) * bits)
    half = (_ONE << four) - _ONE
    word = (word & half) | (((word >> four) & half) << _THIRTY_TWO)
    quarter = ((_ONE << pair) - _ONE) * np.uint64(0x0000000100000001)
    word = (word & quarter) | (((word >> pair) & quarter) << _SIXTEEN)
    each = ((_ONE << bits) - _ONE) * np.uint64(0x0001000100010001)
    return (word & each) | (((word >> bits) & each) << _EIGHT)


@inline_kernel
def spread_bits(byte):
    """1 in lane i where bit i of a byte (uint64) is set, else 0: what :func:`lane_bits` takes as tops, shifted."""
    return (((byte * ONES) & _EACH_BIT) + BELOW_TOPS) >> _SEVEN & ONES


@inline_kernel
def turn_square(a, b, c, d, e, f, g, h):
    """Eight words as a square of lanes, its rows made columns: lane j of word i comes from lane i of word j."""
    a, e = _turn_halves(a, e)
    b, f = _turn_halves(b, f)
    c, g = _turn_halves(c, g)
    d, h = _turn_halves(d, h)
    a, c = _turn_parts(a, c, _PAIRS, _SIXTEEN)
    b, d = _turn_parts(b, d, _PAIRS, _SIXTEEN)
    e, g = _turn_parts(e, g, _PAIRS, _SIXTEEN)
    f, h = _turn_parts(f, h, _PAIRS, _SIXTEEN)
    a, b = _turn_parts(a, b, _SINGLES, _EIGHT)
    c, d = _turn_parts(c, d, _SINGLES, _EIGHT)
    e, f = _turn_parts(e, f, _SINGLES, _EIGHT)
    g, h = _turn_parts(g, h, _SINGLES, _EIGHT)
    return a, b, c, d, e, f, g, h


@inline_kernel
def _turn_halves(upper, lower):
    return (upper & _LOW_HALF) | (lower << _THIRTY_TWO), (upper >> _THIRTY_TWO) | (lower & ~_LOW_HALF)


@inline_kernel
def _turn_parts(upper, lower, mask, shift):
    return (upper & mask) | ((lower & mask) << shift), ((upper >> shift) & mask) | (lower & ~mask)
