"""What an Omweso position looks worth: a small network over the pits and the captures at hand, all in integers.

**Inputs.** INPUTS numbers describe a position, and each picks a row of a table: what each of the 32 pits holds (the
mover's outer and inner row, then the opponent's, by lane); by how much the mover leads in seeds; and what the mover's
turns would capture (:func:`hauls`): the most, the second most, and how many start pits capture at all. The network
cannot know where relays lead, so the last three are found by sowing; without them it tells results far less well.

**Layers.** A row holds LANES numbers of 16 bits, four to a word, and the rows are added word by word. That works since
packed rows hold no negative number and no sum leaves its 16 bits (:func:`packed` sees to it). All but the last sum are
hidden units: clipped to 0..FULL above a threshold, squared, and weighted. The last sum counts as it is.

This is the first layer of the networks of chess and shogi programs (Y. Nasu, "Efficiently updatable neural network
based evaluation functions", 2018) without the updating, which a turn of many laps would not repay: 36 rows of 64 bytes
are added in a few tens of nanoseconds. ``scripts/fit/omweso.py`` fits the weights, for eight columns. On fewer columns
:func:`seeds_and_haul` stands in: the lead in seeds and half of the most that can be captured, by the same kernel.
"""

from __future__ import annotations

import zlib
from base64 import b85decode, b85encode
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.kernels.compile import inline_kernel
from solver.kernels.intrinsics import count_trailing_zeros
from solver.kernels.lanes import LANE, count_at, sum_of_lanes
from solver.omweso import weights
from solver.omweso.kernels import CLOCKWISE, capture, lap_gain, lap_row, lift, prizes, relay, sow, startable

LANES = 32
"""Sums: LANES - 1 hidden units and one that counts as it is."""
FULL = 256
"""What a hidden unit is clipped to."""
LINEAR_BITS, OUTPUT_BITS = 2, 20
"""Binary places of the last lane, and of an output weight times the square of a unit: both give the search's units."""
FITTED_COLUMNS = 8
"""Columns of the boards that the weights were fitted on."""
MOST_LAPS = 16
"""Laps after which :func:`hauls` looks no further into a turn."""

PIT_ROWS, LEAD_ROWS, BEST_ROWS, SECOND_ROWS, STRIKES_ROWS = 16, 65, 24, 16, 12
GROUPS = (*[PIT_ROWS] * 32, LEAD_ROWS, BEST_ROWS, SECOND_ROWS, STRIKES_ROWS)
"""Rows that each input has: one a value of it, the last for all above. Leads and captures are counted by two seeds."""
INPUTS, ROWS = len(GROUPS), sum(GROUPS)
STARTS = tuple(int(start) for start in np.cumsum([0, *GROUPS[:-1]]))
"""The first row of each input."""


class Network(NamedTuple):
    """Weights as they are fitted, signed: ``rows`` int16 [ROWS, LANES], ``bias`` int32 [LANES], ``outputs`` int32
    [LANES], of which the last is not used."""

    rows: NDArray[np.int16]
    bias: NDArray[np.int32]
    outputs: NDArray[np.int32]


def fitted() -> Network:
    """The weights in :mod:`solver.omweso.weights`."""
    rows = np.frombuffer(zlib.decompress(b85decode(weights.ROWS)), "<i2").reshape(ROWS, LANES)
    return Network(rows, np.array(weights.BIAS, np.int32), np.array(weights.OUTPUTS, np.int32))


def rows_text(rows: NDArray[np.int16]) -> str:
    """Rows as text: how the module of weights holds them."""
    return b85encode(zlib.compress(rows.astype("<i2").tobytes(), 9)).decode()


def seeds_and_haul(units: int) -> Network:
    """No network: ``units`` for every seed of the lead and for every two of the best capture."""
    network = Network(np.zeros((ROWS, LANES), np.int16), np.zeros(LANES, np.int32), np.zeros(LANES, np.int32))
    lead, best = STARTS[32], STARTS[33]
    network.rows[lead : lead + LEAD_ROWS, -1] = (2 * units << LINEAR_BITS) * (np.arange(LEAD_ROWS) - LEAD_ROWS // 2)
    network.rows[best : best + BEST_ROWS, -1] = (units << LINEAR_BITS) * np.arange(BEST_ROWS)
    return network


FIELDS = [
    ("table", np.uint64, (ROWS * LANES // 4,)),
    ("thresholds", np.int64, (LANES,)),
    ("outputs", np.int64, (LANES,)),
]
"""Fields that a game's record needs for :func:`estimate`."""


def packed(network: Network) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
    """The values of FIELDS: every input's rows raised by what makes the least number of each lane 0.

    Raises ValueError where a sum of rows might not fit 16 bits.
    """
    raised, thresholds = network.rows.astype(np.int64), -network.bias.astype(np.int64)
    highest = np.zeros(LANES, np.int64)
    for start, size in zip(STARTS, GROUPS, strict=True):
        group = raised[start : start + size]
        low = group.min(axis=0)
        group -= low
        thresholds -= low
        highest += group.max(axis=0)
    if highest.max() >= 1 << 16:
        raise ValueError(f"rows that add up to {highest.max()}: accepted is less than {1 << 16}")
    quarters = raised.astype(np.uint64).reshape(ROWS, LANES // 4, 4) << np.arange(0, 64, 16, dtype=np.uint64)
    return np.bitwise_or.reduce(quarters, axis=2).reshape(-1), thresholds, network.outputs.astype(np.int64)


# -- the kernels ------------------------------------------------------------------------------------------------------

_U = np.uint64
_ZERO, _ONE, _THREE = np.uint64(0), np.uint64(1), np.uint64(3)
_SUM = np.uint64(0xFFFF)
_LAST_PIT, _LAST_LEAD, _LAST_BEST, _LAST_SECOND, _LAST_STRIKES = (
    np.uint64(size - 1) for size in (PIT_ROWS, LEAD_ROWS, BEST_ROWS, SECOND_ROWS, STRIKES_ROWS)
)
_INNER, _FOE_OUTER, _FOE_INNER, _LEAD, _BEST, _SECOND, _STRIKES = (
    np.uint64(STARTS[number]) for number in (8, 16, 24, 32, 33, 34, 35)
)
_ROW_OF_LANE = np.uint64(PIT_ROWS)
_LEVEL = np.uint64(LEAD_ROWS // 2 * 2)


@inline_kernel
def estimate(record, outer, inner, foe_outer, foe_inner, may_capture):
    """What the position looks worth to the mover, int64, in the search's units and not limited.

    ``record``: the game's, with FIELDS; four uint64 words of the board; whether the turn may capture (bool).
    """
    prize = prizes(foe_outer, foe_inner, record["columns"]) if may_capture else _ZERO
    best, second, strikes = hauls(record["laps"], record["reverse"], outer, inner, prize)
    lead = _LEVEL + sum_of_lanes(outer) + sum_of_lanes(inner) - sum_of_lanes(foe_outer) - sum_of_lanes(foe_inner)
    lead = lead if np.int64(lead) > 0 else _ZERO
    table = record["table"]
    sums = _added(
        (_ZERO, _ZERO, _ZERO, _ZERO, _ZERO, _ZERO, _ZERO, _ZERO),
        table,
        _LEAD + min(lead >> _ONE, _LAST_LEAD),
        _BEST + min((best + _ONE) >> _ONE, _LAST_BEST),
        _SECOND + min((second + _ONE) >> _ONE, _LAST_SECOND),
        _STRIKES + min(strikes, _LAST_STRIKES),
    )
    for lane in range(8):
        shift, row = np.uint64(8 * lane), np.uint64(lane) * _ROW_OF_LANE
        sums = _added(
            sums,
            table,
            row + min((outer >> shift) & LANE, _LAST_PIT),
            row + _INNER + min((inner >> shift) & LANE, _LAST_PIT),
            row + _FOE_OUTER + min((foe_outer >> shift) & LANE, _LAST_PIT),
            row + _FOE_INNER + min((foe_inner >> shift) & LANE, _LAST_PIT),
        )
    thresholds, outputs = record["thresholds"], record["outputs"]
    total = _weighted(sums[0], _U(0), thresholds, outputs) + _weighted(sums[1], _U(4), thresholds, outputs)
    total += _weighted(sums[2], _U(8), thresholds, outputs) + _weighted(sums[3], _U(12), thresholds, outputs)
    total += _weighted(sums[4], _U(16), thresholds, outputs) + _weighted(sums[5], _U(20), thresholds, outputs)
    total += _weighted(sums[6], _U(24), thresholds, outputs) + _weighted(sums[7], _U(28), thresholds, outputs)
    linear = np.int64(sums[7] >> _U(48)) - thresholds[_U(LANES - 1)]
    total += linear << np.int64(OUTPUT_BITS - LINEAR_BITS)
    return (total + (1 << (OUTPUT_BITS - 1))) >> np.int64(OUTPUT_BITS)


@inline_kernel
def _added(sums, table, first, second, third, fourth):
    """Eight words of sums with four rows of the table added. (Written out so that they stay in registers.)"""
    a, b, c, d = first << _THREE, second << _THREE, third << _THREE, fourth << _THREE
    return (
        sums[0] + table[a] + table[b] + table[c] + table[d],
        sums[1] + table[a + _U(1)] + table[b + _U(1)] + table[c + _U(1)] + table[d + _U(1)],
        sums[2] + table[a + _U(2)] + table[b + _U(2)] + table[c + _U(2)] + table[d + _U(2)],
        sums[3] + table[a + _U(3)] + table[b + _U(3)] + table[c + _U(3)] + table[d + _U(3)],
        sums[4] + table[a + _U(4)] + table[b + _U(4)] + table[c + _U(4)] + table[d + _U(4)],
        sums[5] + table[a + _U(5)] + table[b + _U(5)] + table[c + _U(5)] + table[d + _U(5)],
        sums[6] + table[a + _U(6)] + table[b + _U(6)] + table[c + _U(6)] + table[d + _U(6)],
        sums[7] + table[a + _U(7)] + table[b + _U(7)] + table[c + _U(7)] + table[d + _U(7)],
    )


@inline_kernel
def _weighted(word, first, thresholds, outputs):
    """What the four sums in a word add to the output, as hidden units from number ``first`` on."""
    total = np.int64(0)
    for lane in range(4):
        unit = first + np.uint64(lane)
        active = np.int64((word >> np.uint64(16 * lane)) & _SUM) - thresholds[unit]
        active = min(max(active, np.int64(0)), np.int64(FULL))
        total += active * active * outputs[unit]
    return total


@inline_kernel
def hauls(laps, reverse, outer, inner, prize):
    """What a side's turns would capture: the most, the second most (by another start), and from how many starts.

    A turn takes every capture and no clockwise lap, but where its first lap may run clockwise the better way counts; it
    is followed for MOST_LAPS laps. ``laps``: the lap table; ``reverse``: bit lane set where a clockwise lap may start;
    ``prize``: what each column holds (:func:`solver.omweso.kernels.prizes`). All uint64.
    """
    best = second = strikes = _ZERO
    todo = startable(outer, inner) if prize != _ZERO else _ZERO
    while todo != _ZERO:
        start = count_trailing_zeros(todo)  # pyright: ignore[reportCallIssue]
        todo &= todo - _ONE
        left_outer, left_inner, hand = lift(outer, inner, start)
        haul = _haul(laps, left_outer, left_inner, prize, start, hand, _ZERO)
        if (reverse >> start) & _ONE != _ZERO:
            back = lap_row(hand, start) + CLOCKWISE
            if lap_gain(laps, back, left_inner, prize) != _ZERO:
                left_outer, left_inner, last, _, _ = sow(laps, back, left_outer, left_inner)
                left, gain = capture(prize, last)
                haul = max(haul, _haul(laps, left_outer, left_inner, left, start, gain, gain))
        strikes += _ONE if haul != _ZERO else _ZERO
        if haul > best:
            best, second = haul, best
        elif haul > second:
            second = haul
    return best, second, strikes


@inline_kernel
def _haul(laps, outer, inner, prize, origin, hand, haul):
    """``haul`` and what is captured from here on: ``hand`` seeds are sown forward from the pit after ``origin``."""
    for _ in range(MOST_LAPS):
        outer, inner, last, is_inner, landed = sow(laps, lap_row(hand, origin), outer, inner)
        if landed == _ONE:
            break
        if (count_at(prize, last) & is_inner) != _ZERO:
            prize, hand = capture(prize, last)
            haul += hand
        else:
            outer, inner = relay(outer, inner, last, is_inner, landed)
            hand, origin = landed, last
    return haul
