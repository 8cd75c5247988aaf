"""Passes over the whole tier: the scan that begins a stage, and the level that tells the predecessors of a bitmap.

Both go through the state by groups of 64 rows B, gather the new final boards of a group as one 64-bit word a column A,
and write these words to the next frontier at the end of the group: one writer a word, no atomics, and a result that
does not depend on the number of threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from databases.builder.state import (
    FINAL,
    GROUP,
    LOW,
    MARKED,
    TERMINAL,
    code,
    final_mark,
    group_rows,
    mark_of,
    prefetch_board,
    settle,
)
from solver.kernels.compile import inline_kernel, parallel_kernel
from solver.kernels.intrinsics import count_trailing_zeros, fetch_add, match_words, population_count
from solver.oware.rules import MAX_PITS

SPREAD = MAX_PITS - 1
"""Own halves that can lead to the same half by an outcome that does not end over there: at most."""


class Rows(NamedTuple):
    """Scratch rows of a level, one of each a thread."""

    fresh: NDArray[np.uint64]
    """The new final boards of a group, a word a column; zeroed again when they are published."""
    columns: NDArray[np.uint32]
    targets: NDArray[np.uint32]


@inline_kernel
def publish(shape, b, start, fresh, bitmap, distance, level):
    """Write the words gathered for group ``start`` of block b to the frontier; return how many boards there were."""
    a = shape.counts.shape[0] - 1 - b
    columns, width = shape.counts[a], bitmap.widths[b]
    place = bitmap.starts[a] + start // GROUP
    found = np.uint64(0)
    for i in range(columns):
        word = fresh[np.uint64(i)]
        if word:
            fresh[np.uint64(i)] = 0
            found += population_count(word)
            bitmap.bits[np.uint64(place + i * width)] |= word
            bitmap.flags[np.uint64(shape.firsts[a] + i)] = 1
            if distance.shape[0]:
                while word:
                    half = start + np.int64(count_trailing_zeros(word))
                    word &= word - np.uint64(1)
                    distance[np.uint64(shape.rows[b] + half * columns + i)] = level
    return np.int64(found)


@parallel_kernel
def scan_margin(shape, side, news, terminal, bitmap, fresh, distance, found, threads, ticket):
    """Begin a stage: make final every board whose best capture gives it ``margin`` (``win``), or that has no move open
    and loses exactly ``margin`` (not ``win``); with ``terminal`` only boards that have no legal move at all.

    ``side``: a :class:`~databases.builder.words.WordsState`, whose marks say where to look. ``fresh``: a row of zeroed
    words a thread. New boards go to ``bitmap``, and are counted into ``found[thread]``.
    """
    low = code(news.margin) if news.win else code(-news.margin)
    mask = LOW if news.win and not terminal else np.uint16(0xFFFF)
    wanted = TERMINAL | low if terminal else low
    limit = TERMINAL if news.win and not terminal else FINAL
    final = FINAL | low
    sought = mark_of(news.margin, news.win)
    level = news.level
    for thread in prange(threads):
        mine = fresh[thread]
        total = np.int64(0)
        group = fetch_add(ticket, 0, 1)
        while group < shape.group_block.shape[0]:
            b, first, last = group_rows(shape, group)
            if scan_group(shape, side, b, first, last, sought, mask, wanted, limit, final, mine):
                total += publish(shape, b, first, mine, bitmap, distance, level)
            group = fetch_add(ticket, 0, 1)
        found[thread] = total


@inline_kernel
def scan_group(shape, side, b, first, last, sought, mask, wanted, limit, final, fresh):
    """Scan the marked parts of rows ``first .. last - 1`` of block b; returns whether anything was found."""
    columns = shape.counts[shape.counts.shape[0] - 1 - b]
    chunks = (columns + MARKED - 1) // MARKED
    anything = False
    for half in range(first, last):
        row = shape.rows[b] + half * columns
        mark = shape.marks[b] + half * chunks
        bit = np.uint64(1) << np.uint64(half - first)
        for chunk in range(chunks):
            if side.marks[np.uint64(mark + chunk)] & sought:
                left, right = chunk * MARKED, min((chunk + 1) * MARKED, columns)
                anything |= scan_words(side.words, row, left, right, mask, wanted, limit, final, bit, fresh)
    return anything


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
def tell_bits(shape, origins, replies, state, news, source, target, rows, distance, found, threads, ticket):
    """Tell every predecessor of the boards in the bitmap ``source``: they are lost for the side to move by ``margin``
    (``win``: a predecessor becomes a win) or won by it (a predecessor has one open move less).

    New final boards go to the bitmap ``target``, and are counted into ``found[thread]``.
    """
    win, level = news.win, news.level
    final = final_mark(state, news.margin, win)
    for thread in prange(threads):
        fresh, columns, targets = rows.fresh[thread], rows.columns[thread], rows.targets[thread]
        total = np.int64(0)
        group = fetch_add(ticket, 0, 1)
        while group < shape.group_block.shape[0]:
            b, first, last = group_rows(shape, group)
            if tell_group(
                shape, origins, replies, state, source, b, first, last, final, win, fresh, columns, targets
            ):  # fmt: skip
                total += publish(shape, b, first, fresh, target, distance, level)
            group = fetch_add(ticket, 0, 1)
        found[thread] = total


@inline_kernel
def tell_group(shape, origins, replies, state, source, b, first, last, final, win, fresh, columns, targets):
    """Tell all predecessors in rows ``first .. last - 1`` of block b; returns whether there were any."""
    width = shape.stride[shape.counts.shape[0] - 1 - b]
    anything = False
    for half in range(first, last):
        row = shape.rows[b] + half * width
        count = list_predecessors(shape, origins, replies, source, b, half, state, row, columns, targets)
        if count:
            anything = True
            tell_row(state, row, fresh, targets, count, np.uint64(half - first), final, win)
    return anything


@inline_kernel
def list_predecessors(shape, origins, replies, source, b, opponent, state, row, columns, targets):
    """List the columns of state row (b, opponent) that have a move to a board in ``source``, once a move.

    Returns how many. Listing first and telling afterwards keeps both loops free of hard branches, and the state words
    come in meanwhile. No array is sliced here: a slice counts references, which costs more than the rest of a short
    row.
    """
    a = shape.counts.shape[0] - 1 - b
    most = origins.mask_first.shape[0] // origins.crossing.shape[0]
    reply = replies.first[b] + opponent * replies.width[b]
    count = np.int64(0)
    for o in range(origins.crossing.shape[0]):
        t = origins.crossing[o]
        if t > a:
            break
        if replies.kind[np.uint64(reply + o)]:
            continue
        rank = np.int64(replies.rank[np.uint64(reply + o)])
        half = np.uint64(shape.firsts[b + t] + rank)
        if source.flags[half] == 0:
            continue
        d = a - t
        boards = source.starts[b + t] + rank * source.widths[d]
        if source.places.shape[0]:
            boards = source.places[half]
        masked = origins.mask_first[o * most + d]
        found = list_columns(source.bits, boards, origins.mask, masked, shape.words[d], columns)
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
