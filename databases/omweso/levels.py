"""One level of a small Omweso tier: what a position is worth by its turns, at every position that is still open.

A position without a turn is lost in 0 plies; at level d what can move to a position lost in d-1 is won in d (d odd),
and what can only move to positions won in less is lost in d (d even); what no level reaches is drawn. Plies are uint8
in the order of :mod:`databases.tiers`: even, the mover loses in so many; odd, the mover wins; :data:`DRAWN`. Going from
level to level is left to :mod:`databases.omweso.solve`.
"""

from __future__ import annotations

import numpy as np
from numba import prange
from numpy.typing import NDArray

from databases.halfboards import half_counts, half_firsts, list_halves, rank_terms
from databases.tiers import block_offsets
from solver.kernels.compile import inline_kernel, parallel_kernel
from solver.kernels.lanes import sum_of_lanes
from solver.kernels.ranks import rows_rank
from solver.omweso.kernels import CAPTURED_SHIFT, ENDLESS_SHIFT, INFO, TURN_WORDS, generate

U = np.uint64
DRAWN = 255
"""Plies of a position that nobody can win."""

TURN, AT_INFO, ENDLESS, CAPTURED = U(TURN_WORDS), U(INFO), U(ENDLESS_SHIFT), U(CAPTURED_SHIFT)
"""A generated turn: its words, which of them is the info word, and where the info word's fields begin."""


def halves_for_kernels(columns: int, seeds: int) -> tuple[NDArray[np.uint64] | NDArray[np.int64], ...]:
    """What kernels take of the sides of a tier: outer, inner, firsts, counts, offsets, terms.

    ``outer`` and ``inner`` are the two rows of every half board by id, a byte per pit; the rest are what ids, ranks and
    indexes need (:mod:`databases.halfboards`, :func:`databases.tiers.block_offsets`).
    """
    pits = 2 * columns
    lanes = np.zeros((int(half_firsts(pits, seeds)[-1]), 2, 8), np.uint8)
    lanes[:, :, :columns] = list_halves(pits, seeds).reshape(-1, 2, columns)
    outer, inner = (np.ascontiguousarray(row) for row in lanes.view("<u8").reshape(-1, 2).T)
    geometry = half_firsts(pits, seeds), half_counts(pits, seeds), block_offsets(pits, seeds), rank_terms(pits, seeds)
    return outer, inner, *geometry


@inline_kernel
def index_words(outer, inner, foe_outer, foe_inner, columns, seeds, counts, offsets, terms):
    """Index of a packed board in its tier."""
    own = np.int64(sum_of_lanes(outer) + sum_of_lanes(inner))
    row = rows_rank(outer, inner, columns, terms)
    column = rows_rank(foe_outer, foe_inner, columns, terms)
    return offsets[U(own)] + row * counts[U(seeds - own)] + column


@inline_kernel
def weigh(plies, shortest, longest, drawn):
    """Add a turn to what is known of a position's turns; ``plies``: of the position after it.

    Returns the least plies in which the opponent is then lost (:data:`DRAWN` where there is none), the most in which
    they win (-1 where there is none), and whether a turn draws.
    """
    if plies == DRAWN:
        return shortest, longest, True
    if plies & 1:
        return shortest, max(longest, plies), drawn
    return min(shortest, plies), longest, drawn


@inline_kernel
def conclude(shortest, longest, drawn):
    """Plies of a position all of whose turns have been weighed; without a turn it is lost in 0."""
    if shortest < DRAWN:
        return shortest + 1
    return np.int64(DRAWN) if drawn else longest + 1


@inline_kernel
def fold(turns, count, loses, columns, seeds, counts, offsets, terms, layer, settled):
    """Plies of a position from those after its turns: a capture leads to ``settled``, other turns stay in ``layer``."""
    shortest, longest, drawn = np.int64(DRAWN), np.int64(-1), False
    for at in range(count):
        base = U(at) * TURN
        info = turns[base + AT_INFO]
        if (info >> ENDLESS) & U(1):
            plies = np.int64(1) if loses else np.int64(DRAWN)
        else:
            child = U(
                index_words(
                    turns[base + U(2)], turns[base + U(3)], turns[base], turns[base + U(1)],
                    columns, seeds, counts, offsets, terms,
                )
            )  # fmt: skip
            plies = np.int64(settled[child] if (info >> CAPTURED) & U(127) else layer[child])
        shortest, longest, drawn = weigh(plies, shortest, longest, drawn)
    return conclude(shortest, longest, drawn)


@parallel_kernel
def sweep(
    level, layer, settled, flags, options, loses, columns, seeds, laps, lap_limit,
    outer, inner, firsts, counts, offsets, terms, turns, frames, found,
):  # fmt: skip
    """Decide what can be decided at ``level``: writes ``level`` into ``layer``; ``found[t]``: how many by thread t.

    With ``level`` -1 nothing is written: ``found[t]`` then counts the positions whose number differs from the fold of
    the numbers after their turns. Reads of ``layer`` cannot mistake what other threads write meanwhile: ``level``
    itself never decides anything at this level. ``found[t]`` is -1 where ``turns`` was too small for a position.
    """
    threads = found.shape[0]
    capacity = U(turns.shape[1]) // TURN
    for thread in prange(threads):
        new = np.int64(0)
        full = False
        mine, scratch = turns[thread], frames[thread]
        for own in range(seeds + 1):
            others = counts[seeds - own]
            first = firsts[seeds - own]
            for row in range(thread, counts[own], threads):
                a = U(firsts[own] + row)
                base = offsets[own] + row * others
                for column in range(others):
                    at = U(base + column)
                    if level >= 0 and layer[at] != DRAWN:
                        continue
                    b = U(first + column)
                    count = generate(
                        outer[a], inner[a], outer[b], inner[b], flags, options, U(columns), laps, lap_limit,
                        mine, scratch,
                    )  # fmt: skip
                    full |= count == capacity
                    plies = fold(
                        mine, np.int64(count), loses, columns, seeds, counts, offsets, terms, layer, settled
                    )  # fmt: skip
                    if level < 0:
                        new += plies != layer[at]
                    elif plies == level:
                        layer[at] = level
                        new += 1
        found[thread] = -1 if full else new
