"""First phase of a tier: every capture is played once, into finished tiers; boards without moves get a value.

For a fixed opponent's half B and outcome o, one pass over the halves D that the mover can have afterwards reads one row
of a finished table from end to end; each D has one A that it comes from. Afterwards a word knows the best that captures
give and how many moves stay in the tier; moves that capture never come up again.
"""

from __future__ import annotations

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
    group_rows,
    mark_row,
)
from solver.kernels.compile import inline_kernel, parallel_kernel
from solver.kernels.intrinsics import fetch_add, load_int8

FinishedTiers = dict[int, NDArray[np.int8]]
"""A quantity of smaller tiers: the mapped int8 table by seeds."""

LEAST_CAPTURE = 2
"""Seeds that a capture takes at least: a tier is built from those with so many seeds fewer."""

VALUE, MOST_FORCED, LEAST_HELD = 0, 1, 2
"""What a state holds: ``value``; the seeds the mover can force (win side of the bounds); minus the seeds that the
opponent can force (loss side). See :mod:`databases.builder.propagate`."""


def play_band(
    side: int,
    tables: MoveTables,
    shape: TierShape,
    finished: FinishedTiers,
    band: Band,
    words: NDArray[np.uint16],
    marks: NDArray[np.uint64],
    threads: int,
) -> None:
    """Play the captures of the boards of a band; see :func:`play_captures`.

    ``finished`` has every tier of at most n - 2 seeds (nobody captures a single seed): ``value``, or the bound that
    :func:`capture_margin` says.
    """
    seeds = shape.seeds
    addresses = np.zeros(seeds + 1, np.uint64)
    for k in range(seeds - LEAST_CAPTURE + 1):
        addresses[k] = finished[k].ctypes.data
    play_captures(
        side, shape, tables.houses, tables.own_origins, tables.replies, addresses, band, words, marks, threads,
        np.zeros(1, np.int64),
    )  # fmt: skip


@inline_kernel
def capture_margin(side, captured, left, stored):
    """What a capture gives the mover; ``stored`` is the child's number in the finished tier of ``left`` seeds.

    For ``MOST_FORCED`` that is the child's ``upper``, for ``LEAST_HELD`` its ``lower`` (M = (lower + left) / 2 and
    N = (left - upper) / 2 of the child, which the opponent moves).
    """
    if side == VALUE:
        return captured - stored
    if side == MOST_FORCED:
        return captured + (left - stored) // 2
    return -((left + stored) // 2)


@inline_kernel
def terminal_margin(side, seeds, own):
    """What a board without a legal move is worth: all seeds go to the mover who has any on their row, else away."""
    if side == VALUE:
        return seeds if own else -seeds
    if side == MOST_FORCED:
        return seeds if own else 0
    return 0 if own else -seeds


@parallel_kernel
def play_captures(side, shape, houses, origins, replies, tables, band, state, marks, threads, ticket):
    """Fill ``state``, which starts at board ``band.first`` of the tier, for the groups of a band.

    ``tables[k]`` is the address of the finished tier of k seeds (uint64). Unless it is empty, ``marks`` is filled too
    (:func:`~databases.builder.state.mark_row`).
    """
    for _thread in prange(threads):
        group = band.first_group + fetch_add(ticket, 0, 1)
        while group < band.last_group:
            b, first, last = group_rows(shape, group)
            columns = shape.counts[shape.counts.shape[0] - 1 - b]
            for half in range(first, last):
                row = shape.rows[b] + half * columns - band.first
                play_row(side, shape, houses, origins, replies, tables, b, half, state, row)
                if marks.shape[0]:
                    mark_row(state, row, columns, marks, shape.marks[b] + half * ((columns + MARKED - 1) // MARKED))
            group = band.first_group + fetch_add(ticket, 0, 1)


@inline_kernel
def play_row(side, shape, houses, origins, replies, tables, b, half, state, row):
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
        play_capture(side, kind, left, tables[left] + np.uint64(child), origins, single, shape.counts[d], state, row)
    if may_be_stuck:
        stuck = TERMINAL | code(terminal_margin(side, seeds, a))
        for i in range(columns):
            if state[np.uint64(row + i)] == 0:
                state[np.uint64(row + i)] = stuck


@inline_kernel
def play_capture(side, captured, left, child, origins, single, halves, state, row):
    """Play one capture on every board of a row that has it: the children lie side by side from address ``child`` on."""
    for i in range(halves):
        before = origins.single[np.uint64(single + i)]
        if before != NONE:
            stored = np.int64(load_int8(child + np.uint64(i)))
            best = np.uint16(capture_margin(side, captured, left, stored) + BIAS)
            at = np.uint64(row + np.int64(before))
            word = state[at]
            state[at] = ((word & np.uint16(0xFF00)) - OPEN_MOVE) | max(word & LOW, best)


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
