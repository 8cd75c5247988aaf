"""A level whose frontier is a list: the predecessors of a few boards, scattered over the whole tier.

Two steps a chunk, no atomics. First every thread turns its share of the list into records, one a predecessor, in a slab
for each thread; the two predecessor lists of a board (own half by outcome, opponent's half by outcome) are merged. Then
every thread applies the slabs that are its own, by a hash of the row, prefetching state words ahead.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from databases.builder.frontier import HALF_BITS, HALF_MASK, pack_board
from databases.builder.movetables import RANK_BITS, RANK_MASK
from databases.builder.state import settle_loss, settle_win
from solver.kernels.compile import inline_kernel, parallel_kernel
from solver.kernels.intrinsics import prefetch

CHUNK = 8192
"""Boards a thread turns into records before the records are applied: the slabs stay in the second-level cache."""
AHEAD = 16
"""Records whose state words are on their way from memory."""


@inline_kernel
def state_index(shape, record):
    """Where the state word of a packed board lies."""
    a = record >> np.uint64(2 * HALF_BITS)
    columns = np.uint64(shape.counts[a])
    b = np.uint64(shape.counts.shape[0] - 1) - a
    return np.uint64(shape.rows[b]) + (record & HALF_MASK) * columns + ((record >> np.uint64(HALF_BITS)) & HALF_MASK)


@inline_kernel
def owner(record, threads):
    """The thread that applies a record: the same for every record of a row."""
    mixed = ((record & HALF_MASK) * np.uint64(0x9E3779B1)) & np.uint64(0xFFFFFFFF)
    return (mixed * np.uint64(threads)) >> np.uint64(32)


@parallel_kernel
def tell_list(
    shape, crossing, origins, opponent_origins, state, margin, win, level, source, count, slabs, filled, out, found,
    distance, threads,
):  # fmt: skip
    """Tell every predecessor of ``source[:count]``; new final boards go to ``out[thread, : found[thread]]``.

    Returns how many boards of the source have been dealt with: fewer than ``count`` when ``out`` might run over, with
    everything told of those and nothing of the rest. ``slabs``: (threads, threads, room for any chunk).
    """
    done = np.int64(0)
    found[:] = 0
    while done < count:
        chunk = min(count - done, CHUNK * threads)
        for thread in prange(threads):
            first, last = chunk * thread // threads, chunk * (thread + 1) // threads
            record_predecessors(
                shape, crossing, origins, opponent_origins, source[done + first : done + last], slabs[thread],
                filled[thread], threads,
            )  # fmt: skip
        for thread in range(threads):
            if found[thread] + filled[:, thread].sum() > out.shape[1]:
                return done
        for thread in prange(threads):
            for giver in range(threads):
                found[thread] += apply_records(
                    shape, state, margin, win, level, slabs[giver, thread], filled[giver, thread],
                    out[thread, found[thread] :], distance,
                )  # fmt: skip
        done += chunk
    return done


@inline_kernel
def record_predecessors(shape, crossing, origins, opponent_origins, boards, slabs, filled, threads):
    """Turn frontier boards into records in ``slabs[owner]``; sets ``filled[owner]``."""
    filled[:] = 0
    seeds = shape.counts.shape[0] - 1
    for i in range(boards.shape[0]):
        if i + AHEAD < boards.shape[0]:
            later = boards[np.uint64(i + AHEAD)]
            c = later >> np.uint64(2 * HALF_BITS)
            half_c = np.uint64(shape.firsts[c]) + ((later >> np.uint64(HALF_BITS)) & HALF_MASK)
            half_d = np.uint64(shape.firsts[np.uint64(seeds) - c]) + (later & HALF_MASK)
            prefetch(origins.first, half_d)
            prefetch(opponent_origins.first, half_c)
        if i + AHEAD // 2 < boards.shape[0]:
            later = boards[np.uint64(i + AHEAD // 2)]
            c = later >> np.uint64(2 * HALF_BITS)
            half_c = np.uint64(shape.firsts[c]) + ((later >> np.uint64(HALF_BITS)) & HALF_MASK)
            half_d = np.uint64(shape.firsts[np.uint64(seeds) - c]) + (later & HALF_MASK)
            prefetch(origins.entries, np.uint64(origins.first[half_d]))
            prefetch(opponent_origins.entries, np.uint64(opponent_origins.first[half_c]))
        board = boards[np.uint64(i)]
        c = board >> np.uint64(2 * HALF_BITS)
        half_c = np.uint64(shape.firsts[c]) + ((board >> np.uint64(HALF_BITS)) & HALF_MASK)
        d = np.uint64(seeds) - c
        half_d = np.uint64(shape.firsts[d]) + (board & HALF_MASK)
        own, own_end = np.uint64(origins.first[half_d]), np.uint64(origins.first[half_d + np.uint64(1)])
        foe = np.uint64(opponent_origins.first[half_c])
        foe_end = np.uint64(opponent_origins.first[half_c + np.uint64(1)])
        while foe < foe_end:
            other = opponent_origins.entries[foe]
            outcome = other >> RANK_BITS
            row = np.uint64(other & RANK_MASK)
            a = d + np.uint64(crossing[np.uint64(outcome)])
            who = owner(row, threads)
            slab = slabs[who]
            while own < own_end and (origins.entries[own] >> RANK_BITS) < outcome:
                own += np.uint64(1)
            while own < own_end and (origins.entries[own] >> RANK_BITS) == outcome:
                slab[np.uint64(filled[who])] = pack_board(a, origins.entries[own] & RANK_MASK, row)
                filled[who] += 1
                own += np.uint64(1)
            foe += np.uint64(1)


@inline_kernel
def apply_records(shape, state, margin, win, level, records, count, out, distance):
    """Tell the boards in ``records[:count]``; the ones that become final are appended to ``out``; returns how many."""
    found = np.int64(0)
    for i in range(min(AHEAD, count)):
        prefetch(state, state_index(shape, records[np.uint64(i)]))
    for i in range(count):
        if i + AHEAD < count:
            prefetch(state, state_index(shape, records[np.uint64(i + AHEAD)]))
        record = records[np.uint64(i)]
        at = state_index(shape, record)
        if win:
            state[at], new = settle_win(state[at], margin)
        else:
            state[at], new = settle_loss(state[at], margin)
        if new:
            out[np.uint64(found)] = record
            found += 1
            if distance.shape[0]:
                distance[at] = level
    return found
