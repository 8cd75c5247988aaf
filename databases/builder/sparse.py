"""A level whose frontier is a list: the predecessors of a few boards, scattered over the whole tier.

Two steps a chunk, no atomics. First every thread turns its share of the list into records, one a predecessor, in a slab
for each thread; the two predecessor lists of a board (own half by outcome, opponent's half by outcome) are merged. Then
every thread applies the slabs that are its own, by a hash of the row, prefetching state words ahead.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from databases.builder.dense import SPREAD
from databases.builder.frontier import HALF_BITS, HALF_MASK, pack_board, share_of
from databases.builder.movetables import NONE, RANK_BITS, RANK_MASK
from databases.builder.state import final_mark, prefetch_board, settle
from solver.kernels.compile import inline_kernel, parallel_kernel
from solver.kernels.intrinsics import prefetch

CHUNK = 8192
"""Boards a thread turns into records before the records are applied: the slabs stay in the second-level cache."""
AHEAD = 16
"""Records whose state words are on their way from memory."""


class Slabs(NamedTuple):
    """Scratch room of the threads.

    ``records``: (giver, taker, room for any chunk), predecessors as packed boards of the state. ``filled``: (giver,
    taker), how many records; columns beyond the takers keep the rows of givers apart in memory. ``out``: (taker, more
    than room for any chunk), boards that became final.
    """

    records: NDArray[np.uint64]
    filled: NDArray[np.int64]
    out: NDArray[np.uint64]


@inline_kernel
def state_index(shape, record):
    """Where a packed board lies in the state."""
    a = record >> np.uint64(2 * HALF_BITS)
    b = np.uint64(shape.counts.shape[0] - 1) - a
    row = np.uint64(shape.rows[b]) + (record & HALF_MASK) * np.uint64(shape.stride[a])
    return row + ((record >> np.uint64(HALF_BITS)) & HALF_MASK)


@inline_kernel
def owner(record, threads):
    """The thread that applies a record: the same for every record of a row."""
    return share_of(record & HALF_MASK, threads)


@parallel_kernel
def tell_list(shape, origins, opponent_origins, pits, state, news, source, begin, slabs, distance, found, threads):
    """Tell every predecessor of ``source[begin:]``; new final boards go to ``slabs.out[thread, : found[thread]]``.

    Returns how many boards of the source have been dealt with: all, or whole chunks until ``out`` might run over.
    """
    done = np.int64(0)
    count = source.shape[0] - begin
    found[:] = 0
    while done < count:
        chunk = min(count - done, CHUNK * threads)
        for thread in prange(threads):
            first = begin + done + chunk * thread // threads
            last = begin + done + chunk * (thread + 1) // threads
            record_predecessors(
                shape, origins, opponent_origins, pits, source, first, last, slabs, thread, threads
            )  # fmt: skip
        for thread in range(threads):
            if found[thread] + slabs.filled[:, thread].sum() >= slabs.out.shape[1]:
                return done
        for thread in prange(threads):
            for giver in range(threads):
                found[thread] = apply_records(shape, state, news, slabs, giver, thread, found[thread], distance)
        done += chunk
    return done


@inline_kernel
def record_predecessors(shape, origins, opponent_origins, pits, boards, first, last, slabs, giver, threads):
    """Turn ``boards[first:last]`` into records of ``giver``, for each owner, and count them."""
    records, filled = slabs.records, slabs.filled
    for who in range(threads):
        filled[giver, who] = 0
    seeds = np.uint64(shape.counts.shape[0] - 1)
    for i in range(first, last):
        prefetch_lists(shape, origins, opponent_origins, pits, boards, i, last, seeds)
        c, half_c, half_d = split_board(shape, boards[np.uint64(i)], seeds)
        d = seeds - c
        foe, foe_end = opponent_origins.first[half_c], opponent_origins.first[half_c + np.uint64(1)]
        while foe < foe_end:
            other = opponent_origins.entries[np.uint64(foe)]
            foe += np.uint32(1)
            outcome = np.uint64(other >> RANK_BITS)
            board = pack_board(d + np.uint64(origins.crossing[outcome]), np.uint64(0), other & RANK_MASK)
            who = owner(board, threads)
            at = np.uint64(filled[giver, who])
            if outcome == np.uint64(0):
                start = np.uint64(origins.several_starts[half_d])
                for j in range(SPREAD):  # always as many: see dense.list_predecessors
                    own = np.uint64(origins.several[start + np.uint64(j)])
                    records[giver, who, at + np.uint64(j)] = board | (own << np.uint64(HALF_BITS))
                filled[giver, who] += np.int64(origins.several_starts[half_d + np.uint64(1)]) - np.int64(start)
            elif outcome <= np.uint64(pits):
                own = origins.near[half_d * np.uint64(pits) + outcome - np.uint64(1)]
                records[giver, who, at] = board | (np.uint64(own) << np.uint64(HALF_BITS))
                filled[giver, who] += np.int64(own != NONE)
            else:  # more than one lap: rare
                for k in range(origins.far_first[half_d], origins.far_first[half_d + np.uint64(1)]):
                    entry = origins.far[np.uint64(k)]
                    records[giver, who, at] = board | (np.uint64(entry & RANK_MASK) << np.uint64(HALF_BITS))
                    at += np.uint64(np.uint64(entry >> RANK_BITS) == outcome)
                filled[giver, who] = np.int64(at)


@inline_kernel
def split_board(shape, board, seeds):
    """(seeds of C, id of C, id of D) of a packed frontier board."""
    c = board >> np.uint64(2 * HALF_BITS)
    half_c = np.uint64(shape.firsts[c]) + ((board >> np.uint64(HALF_BITS)) & HALF_MASK)
    half_d = np.uint64(shape.firsts[seeds - c]) + (board & HALF_MASK)
    return c, half_c, half_d


@inline_kernel
def prefetch_lists(shape, origins, opponent_origins, pits, boards, i, last, seeds):
    """Ask for where the lists of a later board start, and for the lists of one half as far ahead."""
    if i + AHEAD < last:
        _c, half_c, half_d = split_board(shape, boards[np.uint64(i + AHEAD)], seeds)
        prefetch(origins.several_starts, half_d)
        prefetch(origins.near, half_d * np.uint64(pits))
        prefetch(opponent_origins.first, half_c)
    if i + AHEAD // 2 < last:
        _c, half_c, half_d = split_board(shape, boards[np.uint64(i + AHEAD // 2)], seeds)
        prefetch(origins.several, np.uint64(origins.several_starts[half_d]))
        prefetch(opponent_origins.entries, np.uint64(opponent_origins.first[half_c]))


@inline_kernel
def apply_records(shape, state, news, slabs, giver, taker, found, distance):
    """Tell the boards in the records of ``giver`` for ``taker``; the ones that become final are appended to
    ``slabs.out[taker]``, which holds ``found`` already; returns how many it holds then.
    """
    records, count, out, win = slabs.records, slabs.filled[giver, taker], slabs.out, news.win
    final = final_mark(state, news.margin, win)
    for i in range(min(AHEAD, count)):
        prefetch_board(state, state_index(shape, records[giver, taker, i]))
    for i in range(count):
        if i + AHEAD < count:
            prefetch_board(state, state_index(shape, records[giver, taker, i + AHEAD]))
        record = records[giver, taker, i]
        at = state_index(shape, record)
        new = settle(state, at, final, win)
        out[taker, found] = record  # stays only if it is new: whether it is cannot be guessed
        found += np.int64(new)
        if distance.shape[0] and new:
            distance[at] = news.level
    return found
