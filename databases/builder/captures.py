"""First phase of a tier: every capture is played once, into finished tiers; boards without moves get a value.

For a fixed opponent's half B and outcome o, one pass over the halves D that the mover can have afterwards reads one row
of a finished table from end to end; each D has one A that it comes from. Afterwards a word knows the best that captures
give and how many moves stay in the tier; moves that capture never come up again.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from databases.builder.movetables import ILLEGAL, NONE, MoveTables
from databases.builder.state import (
    BIAS,
    LOW,
    MARKED,
    OPEN_MOVE,
    TERMINAL,
    Band,
    TierShape,
    code,
    mark_row,
    part_rows,
    parts_of,
)
from databases.windows import FULL, Coding
from solver.kernels.compile import inline_kernel, parallel_kernel
from solver.kernels.intrinsics import fetch_add, load_int8
from solver.kernels.margins import load_margin


class FinishedTier(NamedTuple):
    """A quantity of a finished tier: its mapped bytes, and how margins are coded in them."""

    numbers: NDArray[Any]
    coding: Coding = FULL


FinishedTiers = dict[int, FinishedTier]
"""A quantity of smaller tiers, by seeds."""

LEAST_CAPTURE = 2
"""Seeds that a capture takes at least: a tier is built from those with so many seeds fewer."""

CAPTURE_SHARE = 3
"""Playing the captures of so many boards takes as long as what is left to do for one, about."""

VALUE, MOST_FORCED, LEAST_HELD = 0, 1, 2
"""What a state holds: ``value``; the seeds the mover can force (win side of the bounds); minus the seeds that the
opponent can force (loss side). See :mod:`databases.builder.propagate`."""


class Cut(NamedTuple):
    """Which margins a state tells apart: from 0 to ``most``, or for ``value`` from ``-most`` to ``most``.

    A margin in the state is a margin on the board less ``least``, cut to these ends. ``least`` is 0 for ``value``.
    """

    least: int
    most: int
    """The number of stages."""

    @classmethod
    def of(cls, side: int, seeds: int, window: int) -> Cut:
        """What the numbers of a tier in a window need; the seeds that a player can force are (lower + n) / 2."""
        window = min(window, seeds)
        if side == VALUE:
            return cls(0, window)
        least = (seeds - window) // 2
        return cls(least, (seeds + window + 1) // 2 - least)


def play_band(
    side: int,
    tables: MoveTables,
    shape: TierShape,
    finished: FinishedTiers,
    band: Band,
    words: NDArray[np.uint16],
    marks: NDArray[np.uint64],
    threads: int,
    cut: Cut,
) -> None:
    """Play the captures of the boards of a band; see :func:`play_captures`.

    ``finished`` has every tier of at most n - 2 seeds (nobody captures a single seed): ``value``, or the bound that
    :func:`capture_margin` says; each known as far as the captures into it need.
    """
    seeds = shape.seeds
    most = seeds + 1
    children = Children(np.zeros(most, np.uint64), np.zeros(most, np.int64), np.zeros(most, np.int64))
    for k in range(seeds - LEAST_CAPTURE + 1):
        numbers, coding = finished[k]
        children.address[k], children.bits[k], children.window[k] = numbers.ctypes.data, coding.bits, coding.window
    play_captures(
        side, shape, tables.houses, tables.own_origins, tables.replies, children, cut, band, words, marks, threads,
        np.zeros(1, np.int64),
    )  # fmt: skip


class Children(NamedTuple):
    """Where a quantity of the finished tiers lies and how it is coded, each by the seeds of the tier."""

    address: NDArray[np.uint64]
    bits: NDArray[np.int64]
    window: NDArray[np.int64]


@inline_kernel
def capture_margin(side, captured, left, stored, cut):
    """What a capture gives the mover; ``stored`` is the child's number in the finished tier of ``left`` seeds.

    For ``MOST_FORCED`` that is the child's ``upper``, for ``LEAST_HELD`` its ``lower`` (M = (lower + left) / 2 and
    N = (left - upper) / 2 of the child, which the opponent moves). The end of a window may be of the wrong parity: then
    the half is rounded to the side on which the truth lies.
    """
    if side == VALUE:
        return cut_margin(side, captured - stored, cut)
    if side == MOST_FORCED:
        return cut_margin(side, captured + (left - stored) // 2, cut)
    return cut_margin(side, -((left + stored + 1) // 2), cut)


@inline_kernel
def terminal_margin(side, seeds, own, cut):
    """What a board without a legal move is worth: all seeds go to the mover who has any on their row, else away."""
    if side == VALUE:
        return cut_margin(side, seeds if own else -seeds, cut)
    if side == MOST_FORCED:
        return cut_margin(side, seeds if own else 0, cut)
    return cut_margin(side, 0 if own else -seeds, cut)


@inline_kernel
def cut_margin(side, margin, cut):
    """A margin on the board as the state has it."""
    if side == VALUE:
        return min(max(margin, -cut.most), cut.most)
    if side == MOST_FORCED:
        return min(max(margin - cut.least, 0), cut.most)
    return max(min(margin + cut.least, 0), -cut.most)


@parallel_kernel
def play_captures(side, shape, houses, origins, replies, children, cut, band, state, marks, threads, ticket):
    """Fill ``state``, which starts at board ``band.first`` of the tier, for the groups of a band.

    ``children``: :class:`Children`. ``cut``: :class:`Cut`. Unless it is empty, ``marks`` is filled too
    (:func:`~databases.builder.state.mark_row`).
    """
    for _thread in prange(threads):
        part = fetch_add(ticket, 0, 1)
        while part < parts_of(band):
            b, first, last = part_rows(shape, band, part)
            columns = shape.counts[shape.counts.shape[0] - 1 - b]
            for half in range(first, last):
                row = shape.rows[b] + half * columns - band.first
                play_row(side, shape, houses, origins, replies, children, cut, b, half, state, row)
                if marks.shape[0]:
                    mark_row(state, row, columns, marks, shape.marks[b] + half * ((columns + MARKED - 1) // MARKED))
            part = fetch_add(ticket, 0, 1)


@inline_kernel
def play_row(side, shape, houses, origins, replies, children, cut, b, half, state, row):
    """Fill the state row (b, half), which starts at word ``row``: all moves open, then outcome by outcome."""
    seeds = shape.counts.shape[0] - 1
    a = seeds - b
    columns = shape.counts[a]
    for i in range(columns):
        state[np.uint64(row + i)] = np.uint16(houses[np.uint64(shape.firsts[a] + i)]) * OPEN_MOVE
    may_be_stuck = a == 0
    reply = replies.first[b] + half * replies.width[b]
    for o in range(origins.crossing.shape[0]):
        t = origins.crossing[o]
        if t > a:
            break
        kind = np.int64(replies.kind[reply + o])
        if kind == 0:
            continue
        d = a - t
        if origins.single_first[o] < 0:  # not crossing, when the opponent's row is empty
            may_be_stuck = True
            close_moves(state, row, origins, origins.several_first[o] + shape.firsts[d], shape.counts[d])
            continue
        single = origins.single_first[o] + shape.firsts[d]
        if kind == ILLEGAL:
            may_be_stuck = True
            for i in range(shape.counts[d]):
                before = origins.single[np.uint64(single + i)]
                if before != NONE:
                    state[np.uint64(row + np.int64(before))] -= OPEN_MOVE
            continue
        left = seeds - kind
        child = child_row(shape, left, b + t - kind) + replies.rank[reply + o] * shape.counts[d]
        if children.bits[left] == 8:
            first = children.address[left] + np.uint64(child)
            play_capture(side, kind, left, first, cut, origins, single, shape.counts[d], state, row)
        else:
            play_cut_capture(side, kind, left, children, child, cut, origins, single, shape.counts[d], state, row)
    if may_be_stuck:
        stuck = TERMINAL | code(terminal_margin(side, seeds, a, cut))
        for i in range(columns):
            if state[np.uint64(row + i)] == 0:
                state[np.uint64(row + i)] = stuck


@inline_kernel
def play_capture(side, captured, left, child, cut, origins, single, halves, state, row):
    """Play one capture on every board of a row that has it: the children lie side by side from address ``child`` on."""
    for i in range(halves):
        before = origins.single[np.uint64(single + i)]
        if before != NONE:
            stored = np.int64(load_int8(child + np.uint64(i)))
            better(state, np.uint64(row + np.int64(before)), capture_margin(side, captured, left, stored, cut))


@inline_kernel
def play_cut_capture(side, captured, left, children, child, cut, origins, single, halves, state, row):
    """The same where the children's numbers take less than a byte, from number ``child`` of their tier on."""
    address, bits, window = children.address[left], children.bits[left], children.window[left]
    for i in range(halves):
        before = origins.single[np.uint64(single + i)]
        if before != NONE:
            stored = load_margin(address, child + i, bits, window)
            better(state, np.uint64(row + np.int64(before)), capture_margin(side, captured, left, stored, cut))


@inline_kernel
def better(state, at, margin):
    """Take an open move from a board, and note what it gives if that is the best so far."""
    word = state[at]
    state[at] = ((word & np.uint16(0xFF00)) - OPEN_MOVE) | max(word & LOW, np.uint16(margin + BIAS))


@inline_kernel
def close_moves(state, row, origins, starts, halves):
    """Take one open move from each board of a row for each of its moves by an outcome with several origins."""
    for i in range(halves):
        first, last = origins.several_starts[np.uint64(starts + i)], origins.several_starts[np.uint64(starts + i + 1)]
        for k in range(first, last):
            state[np.uint64(row + np.int64(origins.several[np.uint64(k)]))] -= OPEN_MOVE


@inline_kernel
def child_row(shape, left, own):
    """Start of block ``own`` in the finished tier of ``left`` seeds."""
    start = np.int64(0)
    for k in range(own):
        start += shape.counts[k] * shape.counts[left - k]
    return start
