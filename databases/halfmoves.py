"""What each move does to the two halves of a board: for the proof of tables, and for the light boards of archives.

A sowing touches the opponent's half B only through its *outcome*: how many seeds cross over, t, and whether the last
one falls there; outcome o = 2t + (1 if it does). So the half A' that a move leaves depends on A and the house alone,
and whether it is legal, what it captures and the half B' it leaves depend on B and o alone. Both are found by playing
moves with the packed-board generator of the search.

The builder has tables of the same kind, :mod:`databases.builder.movetables`. They are alike on purpose and share no
code: these are a check on those, so what stands in both is not to be put in one place.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from databases.halfboards import half_counts, half_firsts, list_halves, rank_terms
from solver.kernels.compile import inline_kernel, kernel
from solver.kernels.lanes import count_at
from solver.kernels.ranks import row_rank
from solver.oware.kernels import NO_MAJORITY, SLAM_CODES, pack_row, play, row_seeds, sow, sowing_table
from solver.oware.rules import Rules

ILLEGAL = 255
"""Seeds captured by a move that the rules forbid."""


class OwnMoves(NamedTuple):
    """Every move of every half A, in groups of one seed count a and outcome o.

    Group (a, o) is ``first[a * outcomes + o]`` up to the next. ``before``: rank of A. ``after``: rank of A', which has
    a - t seeds.
    """

    first: NDArray[np.int64]
    before: NDArray[np.uint32]
    after: NDArray[np.uint32]


class Replies(NamedTuple):
    """What every outcome does to every half B.

    Halves with b seeds start at ``first[b]``; each has ``width[b]`` outcomes, one after the other. ``captured``: seeds
    captured, or ILLEGAL. ``after``: rank of B', which has b + t - captured seeds.
    """

    first: NDArray[np.int64]
    width: NDArray[np.int64]
    captured: NDArray[np.uint8]
    after: NDArray[np.uint32]


class HalfMoves(NamedTuple):
    """Both tables for boards of up to n seeds, and h(k) for k = 0..n (int64)."""

    counts: NDArray[np.int64]
    own: OwnMoves
    replies: Replies

    @classmethod
    def of(cls, rules: Rules, seeds: int) -> HalfMoves:
        """Work them out."""
        pits = rules.pits
        firsts, counts, terms = half_firsts(pits, seeds), half_counts(pits, seeds), rank_terms(pits, seeds)
        halves = np.array([pack_row(half) for half in list_halves(pits, seeds).tolist()], np.uint64)
        sowing, examples = sowing_table(pits), _examples(pits, seeds)
        outcomes = len(examples)
        group = np.zeros((seeds + 1) * outcomes + 1, np.int64)
        list_own_moves(sowing, halves, firsts, terms, outcomes, group[1:], _NONE, _NONE)
        np.cumsum(group, out=group)
        before, after = (np.empty(int(group[-1]), np.uint32) for _ in range(2))
        list_own_moves(sowing, halves, firsts, terms, outcomes, group[:-1].copy(), before, after)
        width = np.minimum(outcomes, 2 * (seeds - np.arange(seeds + 1) + 1))
        first = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts * width)])
        captured, left = np.empty(int(first[-1]), np.uint8), np.empty(int(first[-1]), np.uint32)
        slam = SLAM_CODES[rules.grand_slam]
        list_replies(sowing, slam, halves, firsts, terms, examples, first, width, captured, left)
        return cls(counts, OwnMoves(group, before, after), Replies(first, width, captured, left))


_NONE = np.empty(0, np.uint32)


@inline_kernel
def moves_of_outcome(own, replies, outcomes, a, b, half, outcome):
    """The moves of all boards (A, B) of one B that have an outcome: seeds captured, rank of B', the first in
    :class:`OwnMoves` and one beyond the last. None where the rules forbid it, and where no A has it."""
    reply = replies.first[b] + half * replies.width[b] + outcome
    group = a * outcomes + outcome
    captured, first, last = np.int64(replies.captured[reply]), own.first[group], own.first[group + 1]
    return captured, np.int64(replies.after[reply]), first, first if captured == ILLEGAL else last


@inline_kernel
def raise_to(own, first, last, row, best):
    """Raise ``best``, by A, to what these moves give: ``row``, by A'."""
    for move in range(first, last):
        at = np.uint64(own.before[np.uint64(move)])
        best[at] = max(best[at], row[np.uint64(own.after[np.uint64(move)])])


@inline_kernel
def outcome_of(sowing, own, opponent, house):
    """(outcome of sowing a house, the mover's row after it), whatever the rules say."""
    after, fed, _run = sow(sowing, own, opponent, house)
    seeds = count_at(own, house)
    reach = sowing[(house << np.uint64(10)) + (seeds << np.uint64(2)) + np.uint64(3)]
    return 2 * (row_seeds(fed) - row_seeds(opponent)) + np.int64(reach != np.uint64(0)), after


@kernel
def find_examples(sowing, pits, seeds, examples):
    """For each outcome the row of one house that has it, and that house; returns the number of outcomes."""
    outcomes = np.int64(0)
    for house in range(pits):
        for count in range(1, seeds + 1):
            own = np.uint64(count) << np.uint64(8 * house)
            outcome, _after = outcome_of(sowing, own, np.uint64(0), np.uint64(house))
            examples[outcome, 0], examples[outcome, 1] = own, np.uint64(house)
            outcomes = max(outcomes, outcome + 1)
    return outcomes


def _examples(pits: int, seeds: int) -> NDArray[np.uint64]:
    examples = np.zeros((2 * seeds + 2, 2), np.uint64)
    return examples[: max(2, find_examples(sowing_table(pits), pits, seeds, examples))]


@kernel
def list_own_moves(sowing, halves, firsts, terms, outcomes, cursor, before, after):
    """Count the moves of each group into ``cursor``; where ``before`` is not empty, write them from there on."""
    for a in range(firsts.shape[0] - 1):
        for half in range(firsts[a], firsts[a + 1]):
            for house in range(terms.shape[0]):
                if count_at(halves[half], np.uint64(house)):
                    outcome, row = outcome_of(sowing, halves[half], np.uint64(0), np.uint64(house))
                    group = a * outcomes + outcome
                    if before.shape[0]:
                        before[cursor[group]] = half - firsts[a]
                        after[cursor[group]] = row_rank(row, terms)
                    cursor[group] += 1


@kernel
def list_replies(sowing, slam, halves, firsts, terms, examples, first, width, captured, after):
    """Play the example of every outcome against every half."""
    for b in range(firsts.shape[0] - 1):
        at = first[b]
        for half in range(firsts[b], firsts[b + 1]):
            for outcome in range(width[b]):
                captured[at] = ILLEGAL  # also where no house has this outcome
                after[at] = 0
                if examples[outcome, 0]:
                    legal, seeds, _own, left = play(
                        sowing, slam, np.int64(NO_MAJORITY), examples[outcome, 0], halves[half], examples[outcome, 1]
                    )
                    if legal:
                        captured[at] = seeds
                        after[at] = row_rank(left, terms)
                at += 1
