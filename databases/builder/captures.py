"""First phase of a tier: every capture is played once, into finished tiers; boards without moves get a value.

For a fixed opponent's half B and outcome o, one pass over the pairs (A, D) of that outcome reads one contiguous row of
a finished table. Afterwards a word knows the best that captures give and how many moves stay in the tier; moves that
capture never come up again.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from databases.builder.movetables import ILLEGAL
from databases.builder.state import BIAS, GROUP, LOW, OPEN_MOVE, TERMINAL, code
from solver.kernels.compile import inline_kernel, parallel_kernel
from solver.kernels.intrinsics import load_int8, take_ticket

VALUE, MOST_FORCED, LEAST_HELD = 0, 1, 2
"""What a state holds: ``value``; the seeds the mover can force (win side of the bounds); minus the seeds that the
opponent can force (loss side). See :mod:`databases.builder.propagate`."""


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
def play_captures(side, shape, crossing, own, replies, tables, state, threads, ticket):
    """Fill ``state`` for the whole tier; ``tables[k]`` is the address of the finished tier of k seeds (uint64)."""
    seeds = shape.counts.shape[0] - 1
    outcomes = crossing.shape[0]
    for _thread in prange(threads):
        while True:
            group = take_ticket(ticket, np.int64(0))
            if group >= shape.group_block.shape[0]:
                break
            b, start = shape.group_block[group], shape.group_first[group]
            a = seeds - b
            columns = shape.counts[a]
            for half in range(start, min(start + GROUP, shape.counts[b])):
                row = shape.rows[b] + half * columns
                for i in range(columns):
                    state[np.uint64(row + i)] = np.uint16(own.houses[np.uint64(shape.firsts[a] + i)]) * OPEN_MOVE
                may_be_stuck = a == 0
                reply = replies.first[b] + half * replies.width[b]
                for o in range(outcomes):
                    t = crossing[o]
                    if t > a:
                        break
                    kind = np.int64(replies.kind[reply + o])
                    if kind == 0:
                        continue
                    pair, end = own.first[a * outcomes + o], own.first[a * outcomes + o + 1]
                    if kind == ILLEGAL:
                        may_be_stuck = True
                        for p in range(pair, end):
                            state[np.uint64(row + own.before[np.uint64(p)])] -= OPEN_MOVE
                        continue
                    left = seeds - kind
                    child_own = b + t - kind
                    child = tables[left] + np.uint64(
                        child_row(shape, left, child_own) + replies.rank[reply + o] * shape.counts[a - t]
                    )
                    for p in range(pair, end):
                        stored = np.int64(load_int8(child + np.uint64(own.after[np.uint64(p)])))
                        best = np.uint16(capture_margin(side, kind, left, stored) + BIAS)
                        at = np.uint64(row + own.before[np.uint64(p)])
                        word = state[at]
                        state[at] = ((word & np.uint16(0xFF00)) - OPEN_MOVE) | max(word & LOW, best)
                if may_be_stuck:
                    stuck = TERMINAL | code(terminal_margin(side, seeds, a))
                    for i in range(columns):
                        if state[np.uint64(row + i)] == 0:
                            state[np.uint64(row + i)] = stuck


@inline_kernel
def child_row(shape, left, own):
    """Start of block ``own`` in the finished tier of ``left`` seeds."""
    start = np.int64(0)
    for k in range(own):
        start += shape.counts[k] * shape.counts[left - k]
    return start
