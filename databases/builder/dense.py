"""Passes over the whole tier: the scan that begins a stage, and the level that tells the predecessors of a bitmap.

Both go through the state by groups of 64 rows B, gather the new final boards of a group as one 64-bit word a column A,
and write these words to the next frontier at the end of the group: one writer a word, no atomics, and a result that
does not depend on the number of threads.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from databases.builder.state import (
    FINAL,
    GROUP,
    LOW,
    MARKED,
    TERMINAL,
    code,
    final_mark,
    mark_of,
    prefetch_board,
    settle,
)
from solver.kernels.compile import inline_kernel, parallel_kernel
from solver.kernels.intrinsics import count_trailing_zeros, fetch_add, match_words, population_count
from solver.oware.rules import MAX_PITS

SPREAD = MAX_PITS - 1
"""Own halves that can lead to the same half by an outcome that does not end over there: at most."""


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
def scan_margin(
    shape, state, marks, margin, win, terminal, level, bits, flags, fresh, distance, found, threads, ticket
):
    """Begin a stage: make final every board whose best capture gives it ``margin`` (``win``), or that has no move open
    and loses exactly ``margin`` (not ``win``); with ``terminal`` only boards that have no legal move at all.

    ``marks`` (see :func:`~databases.builder.state.mark_row`) say where to look. ``fresh``: a row of zeroed words a
    thread. Counts new boards into ``found[thread]``.
    """
    seeds = shape.counts.shape[0] - 1
    low = code(margin) if win else code(-margin)
    mask = LOW if win and not terminal else np.uint16(0xFFFF)
    wanted = TERMINAL | low if terminal else low
    limit = TERMINAL if win and not terminal else FINAL
    final = FINAL | low
    sought = mark_of(margin, win)
    for thread in prange(threads):
        mine = fresh[thread]
        total = np.int64(0)
        while True:
            group = fetch_add(ticket, 0, 1)
            if group >= shape.group_block.shape[0]:
                break
            b, start = shape.group_block[group], shape.group_first[group]
            columns = shape.counts[seeds - b]
            chunks = (columns + MARKED - 1) // MARKED
            anything = False
            for half in range(start, min(start + GROUP, shape.counts[b])):
                row = shape.rows[b] + half * columns
                mark = shape.marks[b] + half * chunks
                bit = np.uint64(1) << np.uint64(half - start)
                for chunk in range(chunks):
                    if marks[np.uint64(mark + chunk)] & sought:
                        first, last = chunk * MARKED, min((chunk + 1) * MARKED, columns)
                        anything |= scan_words(state, row, first, last, mask, wanted, limit, final, bit, mine)
            if anything:
                total += publish(shape, b, start, mine, bits, flags, distance, level)
        found[thread] = total


@inline_kernel
def scan_words(state, row, first, last, mask, wanted, limit, final, bit, fresh):
    """Make final what matches in columns ``first .. last - 1`` of a state row; returns whether anything did.

    Looks at 64 words at a time, so the state must go on for 63 words after its last board.
    """
    anything = False
    for start in range(first, last, 64):
        hits = match_words(state, np.uint64(row + start), mask, wanted, limit)
        if last - start < 64:
            hits &= (np.uint64(1) << np.uint64(last - start)) - np.uint64(1)
        anything |= hits != 0
        while hits:
            column = np.uint64(start) + count_trailing_zeros(hits)
            hits &= hits - np.uint64(1)
            state[np.uint64(row) + column] = final
            fresh[column] |= bit
    return anything


@parallel_kernel
def tell_bits(
    shape, crossing, origins, replies, state, margin, win, level, source, source_flags, bits, flags, fresh, columns,
    targets, distance, found, threads, ticket,
):  # fmt: skip
    """Tell every predecessor of the boards in ``source``: they are lost for the side to move by ``margin`` (``win``: a
    predecessor becomes a win) or won by it (a predecessor has one open move less). New final boards go to ``bits``.

    ``fresh``, ``columns``, ``targets``: scratch rows, one of each a thread.
    """
    seeds = shape.counts.shape[0] - 1
    final = final_mark(state, margin, win)
    for thread in prange(threads):
        mine, my_columns, my_targets = fresh[thread], columns[thread], targets[thread]
        total = np.int64(0)
        while True:
            group = fetch_add(ticket, 0, 1)
            if group >= shape.group_block.shape[0]:
                break
            b, start = shape.group_block[group], shape.group_first[group]
            width = shape.stride[seeds - b]
            anything = False
            for half in range(start, min(start + GROUP, shape.counts[b])):
                row = shape.rows[b] + half * width
                count = list_predecessors(
                    shape, crossing, origins, replies, source, source_flags, b, half, state, row, my_columns,
                    my_targets,
                )  # fmt: skip
                if count:
                    anything = True
                    tell_row(state, row, mine, my_targets, count, np.uint64(half - start), final, win)
            if anything:
                total += publish(shape, b, start, mine, bits, flags, distance, level)
        found[thread] = total


@inline_kernel
def list_predecessors(
    shape, crossing, origins, replies, source, source_flags, b, half, state, row, columns, targets
):  # fmt: skip
    """List the columns of state row (b, half) that have a move to a board in ``source``, once a move; returns how many.

    Listing first and telling afterwards keeps both loops free of hard branches, and the state words come in meanwhile.
    No array is sliced here: a slice counts references, which costs more than the rest of a short row.
    """
    a = shape.counts.shape[0] - 1 - b
    most = origins.mask_first.shape[0] // crossing.shape[0]
    reply = replies.first[b] + half * replies.width[b]
    count = np.int64(0)
    for o in range(crossing.shape[0]):
        t = crossing[o]
        if t > a:
            break
        if replies.kind[np.uint64(reply + o)]:
            continue
        rank = np.int64(replies.rank[np.uint64(reply + o)])
        if source_flags[np.uint64(shape.firsts[b + t] + rank)] == 0:
            continue
        d = a - t
        boards = shape.bits[b + t] + rank * shape.words[d]
        found = list_columns(source, boards, origins.mask, origins.mask_first[o * most + d], shape.words[d], columns)
        if origins.single_first[o] >= 0:
            single = origins.single_first[o] + shape.firsts[d]
            for k in range(found):
                target = origins.single[np.uint64(single + np.int64(columns[np.uint64(k)]))]
                prefetch_board(state, np.uint64(row + np.int64(target)))
                targets[np.uint64(count + k)] = target
            count += found
        else:
            starts = origins.several_first[o] + shape.firsts[d]
            for k in range(found):
                column = starts + np.int64(columns[np.uint64(k)])
                start = np.int64(origins.several_starts[np.uint64(column)])
                for j in range(SPREAD):  # always as many, so that no branch is to be guessed; the rest is overwritten
                    target = origins.several[np.uint64(start + j)]
                    prefetch_board(state, np.uint64(row + np.int64(target)))
                    targets[np.uint64(count + j)] = target
                count += np.int64(origins.several_starts[np.uint64(column + 1)]) - start
    return count


@inline_kernel
def list_columns(source, boards, mask, masked, width, columns):
    """List the bits set both in a frontier row (from word ``boards``) and in a mask (from word ``masked``), in order.

    Returns how many. A word's positions are written four, then eight at a time, set or not, and counted after: the
    number of bits in a word cannot be guessed, that it is at most four mostly can.
    """
    count = np.int64(0)
    for w in range(width):
        rest = source[np.uint64(boards + w)] & mask[np.uint64(masked + w)]
        if rest:
            found = np.int64(population_count(rest))
            for j in range(4):
                columns[np.uint64(count + j)] = np.uint64(64 * w) + count_trailing_zeros(rest)
                rest &= rest - np.uint64(1)
            if found > 4:
                for j in range(4, 8):
                    columns[np.uint64(count + j)] = np.uint64(64 * w) + count_trailing_zeros(rest)
                    rest &= rest - np.uint64(1)
                for j in range(8, found):
                    columns[np.uint64(count + j)] = np.uint64(64 * w) + count_trailing_zeros(rest)
                    rest &= rest - np.uint64(1)
            count += found
    return count


@inline_kernel
def tell_row(state, row, fresh, targets, count, shift, final, win):
    """Tell the listed boards of the state row that starts at ``row``; new final ones get their bit in ``fresh``."""
    for k in range(count):
        column = np.uint64(targets[np.uint64(k)])
        at = np.uint64(row) + column
        fresh[column] |= settle(state, at, final, win) << shift
