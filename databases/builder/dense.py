"""Passes over the whole tier: the scan that begins a stage, and the level that tells the predecessors of a bitmap.

Both go through the state by groups of 64 rows B, gather the new final boards of a group as one 64-bit word a column A,
and write these words to the next frontier at the end of the group: one writer a word, no atomics, and a result that
does not depend on the number of threads.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from databases.builder.movetables import RANK_BITS, RANK_MASK
from databases.builder.state import FINAL, GROUP, LOW, TERMINAL, code, settle_loss, settle_win
from solver.kernels.compile import inline_kernel, parallel_kernel
from solver.kernels.intrinsics import count_trailing_zeros, population_count, take_ticket


@inline_kernel
def publish(shape, b, start, fresh, bits, flags, distance, level):
    """Write the words gathered for group ``start`` of block b to the frontier; return how many boards there were."""
    a = shape.counts.shape[0] - 1 - b
    width, columns = shape.words[b], shape.counts[a]
    found = np.uint64(0)
    for i in range(columns):
        word = fresh[np.uint64(i)]
        if word:
            fresh[np.uint64(i)] = 0
            found += population_count(word)
            bits[np.uint64(shape.bits[a] + i * width + start // GROUP)] |= word
            flags[np.uint64(shape.firsts[a] + i)] = 1
            if distance.shape[0]:
                while word:
                    half = start + np.int64(count_trailing_zeros(word))
                    word &= word - np.uint64(1)
                    distance[np.uint64(shape.rows[b] + half * columns + i)] = level
    return np.int64(found)


@parallel_kernel
def scan_margin(shape, state, margin, win, terminal, level, bits, flags, fresh, distance, found, threads, ticket):
    """Begin a stage: make final every board whose best capture gives it ``margin`` (``win``) or that has no move open
    and loses exactly ``margin`` (not ``win``); with ``terminal`` only boards that have no legal move at all.

    ``fresh``: a row of zeroed words a thread. Counts new boards into ``found[thread]``.
    """
    seeds = shape.counts.shape[0] - 1
    low = code(margin) if win else code(-margin)
    for thread in prange(threads):
        mine = fresh[thread]
        total = np.int64(0)
        while True:
            group = take_ticket(ticket, np.int64(0))
            if group >= shape.group_block.shape[0]:
                break
            b, start = shape.group_block[group], shape.group_first[group]
            columns = shape.counts[seeds - b]
            anything = False
            for half in range(start, min(start + GROUP, shape.counts[b])):
                row = shape.rows[b] + half * columns
                words = state[row : row + columns]
                hits = np.int64(0)
                if terminal:
                    for i in range(columns):
                        hits += words[i] == (TERMINAL | low)
                elif win:
                    for i in range(columns):
                        hits += ((words[i] & LOW) == low) & (words[i] < TERMINAL)
                else:
                    for i in range(columns):
                        hits += words[i] == low
                if hits:
                    anything = True
                    bit = np.uint64(1) << np.uint64(half - start)
                    for i in range(columns):
                        word = words[np.uint64(i)]
                        if terminal:
                            hit = word == (TERMINAL | low)
                        elif win:
                            hit = ((word & LOW) == low) & (word < TERMINAL)
                        else:
                            hit = word == low
                        if hit:
                            words[np.uint64(i)] = FINAL | low
                            mine[np.uint64(i)] |= bit
            if anything:
                total += publish(shape, b, start, mine, bits, flags, distance, level)
        found[thread] = total


@parallel_kernel
def tell_bits(
    shape, crossing, origins, replies, state, margin, win, level, source, source_flags, bits, flags, fresh, distance,
    found, threads, ticket,
):  # fmt: skip
    """Tell every predecessor of the boards in ``source``: they are lost for the side to move by ``margin`` (``win``: a
    predecessor becomes a win) or won by it (a predecessor has one open move less). New final boards go to ``bits``.
    """
    seeds = shape.counts.shape[0] - 1
    most = origins.mask_first.shape[0] // crossing.shape[0]
    for thread in prange(threads):
        mine = fresh[thread]
        total = np.int64(0)
        while True:
            group = take_ticket(ticket, np.int64(0))
            if group >= shape.group_block.shape[0]:
                break
            b, start = shape.group_block[group], shape.group_first[group]
            a = seeds - b
            columns = shape.counts[a]
            anything = False
            for half in range(start, min(start + GROUP, shape.counts[b])):
                row = shape.rows[b] + half * columns
                words = state[row : row + columns]
                shift = np.uint64(half - start)
                reply = replies.first[b] + half * replies.width[b]
                for o in range(crossing.shape[0]):
                    t = crossing[o]
                    if t > a:
                        break
                    if replies.kind[np.uint64(reply + o)]:
                        continue
                    rank = np.int64(replies.rank[np.uint64(reply + o)])
                    if source_flags[np.uint64(shape.firsts[b + t] + rank)] == 0:
                        continue
                    anything = True
                    d = a - t
                    width = shape.words[d]
                    boards = source[shape.bits[b + t] + rank * width :]
                    mask = origins.mask[origins.mask_first[o * most + d] :]
                    if origins.single_first[o] >= 0:
                        single = origins.single[origins.single_first[o] + shape.firsts[d] :]
                        tell_single(words, mine, shift, boards, mask, width, single, margin, win)
                    else:
                        first = origins.first[shape.firsts[d] :]
                        tell_several(words, mine, shift, boards, mask, width, first, origins.entries, o, margin, win)
            if anything:
                total += publish(shape, b, start, mine, bits, flags, distance, level)
        found[thread] = total


@inline_kernel
def tell_single(words, fresh, shift, boards, mask, width, single, margin, win):
    """Tell the predecessors, in one state row, of one frontier row, by an outcome with one origin a half board."""
    for w in range(width):
        rest = boards[np.uint64(w)] & mask[np.uint64(w)]
        while rest:
            column = np.uint64(w * 64) + count_trailing_zeros(rest)
            rest &= rest - np.uint64(1)
            at = np.uint64(single[column])
            if win:
                words[at], new = settle_win(words[at], margin)
            else:
                words[at], new = settle_loss(words[at], margin)
            fresh[at] |= new << shift


@inline_kernel
def tell_several(words, fresh, shift, boards, mask, width, first, entries, outcome, margin, win):
    """The same for an outcome that may have several origins: those entries of each half board's list."""
    for w in range(width):
        rest = boards[np.uint64(w)] & mask[np.uint64(w)]
        while rest:
            column = np.uint64(w * 64) + count_trailing_zeros(rest)
            rest &= rest - np.uint64(1)
            for k in range(first[column], first[column + np.uint64(1)]):
                entry = entries[np.uint64(k)]
                if np.int64(entry >> RANK_BITS) == outcome:
                    at = np.uint64(entry & RANK_MASK)
                    if win:
                        words[at], new = settle_win(words[at], margin)
                    else:
                        words[at], new = settle_loss(words[at], margin)
                    fresh[at] |= new << shift
                elif np.int64(entry >> RANK_BITS) > outcome:
                    break
