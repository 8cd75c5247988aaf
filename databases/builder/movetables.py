"""What a move does to each half board, for both sides and in both directions, as flat tables.

A sowing touches the opponent's half only through its *outcome*: how many seeds t cross over, and whether the last one
falls there. So a board (A, B) never has to be decoded. For the mover's half A, each house gives an outcome and the half
A' = D after the move. For the opponent's half B, each outcome says whether the move is legal, captures c seeds or stays
in the tier, and the half B' = C after it. The child is the board (C, D): the opponent moves next.

Outcomes are numbered by t, the ones that end on the opponent's side first: with m houses, t = 0 is 0, t = 1..m is
1..m ("ends"), m again but passing on to the mover's own side is m + 1, and so on round the board. An outcome that ends
over there fixes the move that led to D (the house must be the last empty one), one that does not may have several.

These tables belong to a rule set and a largest seed count and serve every tier up to it. How they are used is left to
the other modules of this package. The verifier has tables of the same kind, :mod:`databases.halfmoves`, filled by
another move generator. They are alike on purpose and share no code: those are a check on these.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from databases.builder.state import Share
from databases.halfboards import half_counts, half_firsts, list_halves, rank_half, rank_terms
from solver.kernels.compile import inline_kernel, kernel
from solver.oware.rules import MAX_PITS, GrandSlam, Rules

NONE = np.uint32(0xFFFFFFFF)
ILLEGAL = 255
"""Kind of a reply that the rules forbid; 0 is a move that stays in the tier, anything else the seeds captured."""
RANK_BITS = np.uint32(24)
RANK_MASK = np.uint32((1 << 24) - 1)
"""Entries of predecessor lists are outcome << 24 | rank: 48 seeds on 12 houses have 33 outcomes, 127 on two 255."""
MOST_HALVES = 1 << 24
"""Halves of one number of seeds whose ranks an entry has room for."""


@inline_kernel
def outcome_number(crossing, ends, pits):
    """Number of the outcome in which ``crossing`` seeds fall on the opponent's side, the last of them or not."""
    return crossing + crossing // pits - np.int64(ends and crossing > 0 and crossing % pits == 0)


@inline_kernel
def sow_own_side(half, house, after):
    """Sow one house of ``half``: write the own side after it, return (seeds that cross over, whether the last does)."""
    pits = half.shape[0]
    seeds = np.int64(half[house])
    laps, rest = seeds // (2 * pits - 1), seeds % (2 * pits - 1)
    for i in range(pits):
        gap = i - house if i > house else i - house + 2 * pits
        after[i] = np.int64(half[i]) + laps + np.int64(0 < rest >= gap)
    after[house] = 0
    over = rest - (pits - 1 - house)
    crossing = laps * pits + min(max(over, 0), pits)
    ends = crossing > 0 and (0 < over <= pits or (rest == 0 and house == 0))
    return crossing, ends


class OwnMoves(NamedTuple):
    """Every move of every own half as a pair A -> D, grouped by (seeds of A, outcome); what the lists are made from.

    Group (a, o) starts at ``first[a * outcomes + o]`` and ends where the next starts. ``before``: rank of A. ``after``:
    rank of D, which has a - t seeds.
    """

    first: NDArray[np.int64]
    before: NDArray[np.uint32]
    after: NDArray[np.uint32]


class OwnOrigins(NamedTuple):
    """Which own halves lead to D, by outcome. Each origin stands in the list that suits a use best, some in two.

    - ``crossing[o]``: t of the outcome.
    - ``single_first[o]``: for an outcome that ends over there, where its stretch of ``single`` starts; -1 for others.
    - ``single[single_first[o] + id of D]``: rank of the one A that leads to D by outcome o, or NONE.
    - ``near[id of D * m + t - 1]``: the same rank for outcome t = 1..m, together for one D; NONE where there is no A.
    - ``several_first[o]``: for the others, where their stretch of ``several_starts`` starts; -1 for those that end over
      there.
    - ``several_starts[several_first[o] + id of D]``: start in ``several`` of the list of the A that lead to D; its end
      is next.
    - ``several``: ranks of A. A list has fewer than m entries, and MAX_PITS more follow the last, so that as many can
      be read.
    - ``far_first[id of D]``: start of D's list in ``far``; one more than halves.
    - ``far``: outcome << 24 | rank of A for outcomes beyond m, sowings of more than a lap, in order of outcome: few.
    - ``mask_first[o * (N + 1) + d]``: start in ``mask`` of the bitmap over halves of d seeds that outcome o can lead
      to.
    """

    crossing: NDArray[np.int64]
    single_first: NDArray[np.int64]
    single: NDArray[np.uint32]
    near: NDArray[np.uint32]
    several_first: NDArray[np.int64]
    several_starts: NDArray[np.uint32]
    several: NDArray[np.uint32]
    far_first: NDArray[np.uint32]
    far: NDArray[np.uint32]
    mask_first: NDArray[np.int64]
    mask: NDArray[np.uint64]


class Replies(NamedTuple):
    """What each outcome does to an opponent's half B: stays in the tier, captures, or is illegal.

    The rows of halves with b seeds start at ``first[b]`` and have ``width[b]`` outcomes each. ``kind``: 0 stays in the
    tier, 1..254 seeds captured, 255 illegal. ``rank``: rank of C, which has b + t - captured seeds.
    """

    first: NDArray[np.int64]
    width: NDArray[np.int64]
    kind: NDArray[np.uint8]
    rank: NDArray[np.uint32]


class OpponentOrigins(NamedTuple):
    """Which opponent's halves B become C by a move that stays in the tier.

    ``first[id of C]``: start of the list of C in ``entries``; one more than halves. ``entries``: outcome << 24 | rank
    of B, in order of outcome.
    """

    first: NDArray[np.uint32]
    entries: NDArray[np.uint32]


@dataclass(frozen=True)
class MoveTables:
    """All move tables of a rule set up to ``seeds`` seeds; see the parts for shapes."""

    rules: Rules
    seeds: int
    counts: NDArray[np.int64]
    """h(k) for k = 0..seeds."""
    firsts: NDArray[np.int64]
    """Id of the first half board with k seeds."""
    houses: NDArray[np.uint8]
    """Non-empty houses of each half, by id: its moves."""
    own_origins: OwnOrigins
    replies: Replies
    opponent_origins: OpponentOrigins

    @property
    def outcomes(self) -> int:
        """Number of outcomes that a move of at most ``seeds`` seeds can have."""
        return len(self.own_origins.crossing)

    @property
    def nbytes(self) -> int:
        """Memory that the tables take."""
        parts = (self.own_origins, self.replies, self.opponent_origins)
        return self.houses.nbytes + sum(array.nbytes for part in parts for array in part)

    @property
    def most_origins(self) -> int:
        """Boards that can lead to one board, at most."""
        several = int((self.own_origins.several_first >= 0).sum())
        return several * max(1, self.rules.pits - 1) + self.outcomes - several

    @classmethod
    def build(cls, rules: Rules, seeds: int) -> MoveTables:
        """Work the tables out for boards of up to ``seeds`` seeds."""
        pits, halves = rules.pits, list_halves(rules.pits, seeds)
        counts, firsts = half_counts(pits, seeds), half_firsts(pits, seeds)
        terms, crossing = rank_terms(pits, seeds), crossings_of(pits, seeds)
        own = _own_moves(halves, firsts, terms, len(crossing))
        replies = _replies(halves, counts, firsts, terms, crossing, rules.grand_slam)
        return cls(
            rules,
            seeds,
            counts,
            firsts,
            np.count_nonzero(halves, axis=1).astype(np.uint8),
            _own_origins(own, pits, seeds, crossing, counts, firsts),
            replies,
            _opponent_origins(replies, seeds, crossing, np.zeros_like(counts), counts, firsts),
        )

    def of_share(self, seeds: int, share: Share) -> MoveTables:
        """The tables for a share of tier ``seeds``: the same, but ``opponent_origins`` lists own rows alone."""
        low, high = np.zeros_like(self.counts), np.zeros_like(self.counts)
        low[: seeds + 1], high[: seeds + 1] = share
        crossing = self.own_origins.crossing
        origins = _opponent_origins(self.replies, self.seeds, crossing, low, high, self.firsts)
        return replace(self, opponent_origins=origins)


def crossings_of(pits: int, seeds: int) -> NDArray[np.int64]:
    """t of every outcome that a house of up to ``seeds`` seeds can have, in order of number."""
    half, after = np.zeros(pits, np.int64), np.zeros(pits, np.int64)
    half[pits - 1] = seeds
    most = sow_own_side(half, pits - 1, after)[0]
    return np.array([t for t in range(most + 1) for _ in range(2 if t and t % pits == 0 else 1)], np.int64)


def _own_moves(halves: NDArray, firsts: NDArray, terms: NDArray, outcomes: int) -> OwnMoves:
    seeds = len(firsts) - 2
    first = np.zeros((seeds + 1) * outcomes + 1, np.int64)
    nothing = np.empty(0, np.uint32)
    _list_own_moves(halves, firsts, terms, outcomes, first[1:], nothing, nothing)
    np.cumsum(first, out=first)
    before, after = np.empty(int(first[-1]), np.uint32), np.empty(int(first[-1]), np.uint32)
    _list_own_moves(halves, firsts, terms, outcomes, first[:-1].copy(), before, after)
    return OwnMoves(first, before, after)


@kernel
def _list_own_moves(halves, firsts, terms, outcomes, cursor, before, after):
    """Count the moves of each group in ``cursor``; unless ``before`` is empty, write them from there on."""
    pits = halves.shape[1]
    half_after = np.empty(pits, np.int64)
    for a in range(firsts.shape[0] - 1):
        for at in range(firsts[a], firsts[a + 1]):
            for house in range(pits):
                if halves[at, house]:
                    crossing, ends = sow_own_side(halves[at], house, half_after)
                    group = a * outcomes + outcome_number(crossing, ends, pits)
                    if before.shape[0]:
                        before[cursor[group]] = at - firsts[a]
                        after[cursor[group]] = rank_half(half_after, 0, terms)
                    cursor[group] += 1


def _own_origins(
    own: OwnMoves, pits: int, seeds: int, crossing: NDArray, counts: NDArray, firsts: NDArray
) -> OwnOrigins:
    outcomes = len(crossing)
    single_first, several_first = np.full(outcomes, -1, np.int64), np.full(outcomes, -1, np.int64)
    singles = starts = 0
    for outcome, t in enumerate(crossing):
        if t and outcome == outcome_number(int(t), True, pits):
            single_first[outcome] = singles
            singles += int(firsts[seeds - t + 1])
        else:
            several_first[outcome] = starts
            starts += int(firsts[seeds - t + 1]) + 1
    mask_first = np.zeros((outcomes, seeds + 1), np.int64)
    words = (counts + 63) // 64
    room = np.where(crossing[:, None] + np.arange(seeds + 1) <= seeds, words, 0)
    mask_first.ravel()[1:] = np.cumsum(room.ravel())[:-1]
    single, mask = np.full(singles, NONE, np.uint32), np.zeros(int(room.sum()), np.uint64)
    first = np.zeros(int(firsts[-1]) + 1, np.int64)
    entries = np.empty(len(own.before), np.uint32)
    _fill_own_origins(own, crossing, firsts, first, entries, single_first, single, mask_first, mask)
    near = np.full((int(firsts[-1]), pits), NONE, np.uint32)
    _fill_near(first, entries, near)
    several_starts, several = np.empty(starts, np.uint32), np.zeros(len(own.before) + MAX_PITS, np.uint32)
    used = _fill_several(crossing, firsts, first, entries, several_first, several_starts, several)
    is_far = entries >> RANK_BITS > pits
    far_first = np.concatenate([np.zeros(1, np.int64), np.cumsum(is_far)])[first]
    return OwnOrigins(
        crossing,
        single_first,
        single,
        near.ravel(),
        several_first,
        several_starts,
        several[: used + MAX_PITS].copy(),
        far_first.astype(np.uint32),
        entries[is_far],
        mask_first.ravel(),
        mask,
    )


@inline_kernel
def starts_from_counts(first):
    """Turn how long each list is into where it starts, in place."""
    total = np.int64(0)
    for i in range(first.shape[0]):
        first[i], total = total, total + first[i]


@inline_kernel
def starts_from_ends(first):
    """Turn where each list ends, when it has been filled, into where it starts, in place."""
    for i in range(first.shape[0] - 1, 0, -1):
        first[i] = first[i - 1]
    first[0] = 0


@kernel
def _fill_own_origins(own, crossing, firsts, first, entries, single_first, single, mask_first, mask):
    seeds, outcomes = firsts.shape[0] - 2, crossing.shape[0]
    for filling in range(2):  # count, then fill in order of outcome
        if filling:
            starts_from_counts(first)
        for o in range(outcomes):
            for a in range(crossing[o], seeds + 1):
                d = a - crossing[o]
                for k in range(own.first[a * outcomes + o], own.first[a * outcomes + o + 1]):
                    at = firsts[d] + own.after[k]
                    if filling:
                        entries[first[at]] = np.uint32(o) << RANK_BITS | own.before[k]
                        mask[mask_first[o, d] + own.after[k] // 64] |= np.uint64(1) << np.uint64(own.after[k] % 64)
                        if single_first[o] >= 0:
                            single[single_first[o] + at] = own.before[k]
                    first[at] += 1
    starts_from_ends(first)


@kernel
def _fill_near(first, entries, near):
    """Copy the entries of outcomes 1..m to ``near``."""
    for at in range(near.shape[0]):
        for k in range(first[at], first[at + 1]):
            outcome = np.int64(entries[k] >> RANK_BITS)
            if 1 <= outcome <= near.shape[1]:
                near[at, outcome - 1] = entries[k] & RANK_MASK


@kernel
def _fill_several(crossing, firsts, first, entries, several_first, several_starts, several):
    """Copy the entries of the outcomes with several origins into lists of their own; returns how many there are."""
    seeds = firsts.shape[0] - 2
    used = np.int64(0)
    for o in range(crossing.shape[0]):
        if several_first[o] >= 0:
            halves = firsts[seeds - crossing[o] + 1]
            for at in range(halves):
                several_starts[several_first[o] + at] = used
                for k in range(first[at], first[at + 1]):
                    if np.int64(entries[k] >> RANK_BITS) == o:
                        several[used] = entries[k] & RANK_MASK
                        used += 1
            several_starts[several_first[o] + halves] = used
    return used


def _replies(
    halves: NDArray, counts: NDArray, firsts: NDArray, terms: NDArray, crossing: NDArray, slam: GrandSlam
) -> Replies:
    seeds = len(counts) - 1
    width = np.array([np.searchsorted(crossing, seeds - b, side="right") for b in range(seeds + 1)], np.int64)
    first = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts * width)])
    kind, rank = np.empty(int(first[-1]), np.uint8), np.empty(int(first[-1]), np.uint32)
    forbidden, forfeit = slam is GrandSlam.FORBIDDEN, slam is GrandSlam.FORFEIT
    _fill_replies(halves, firsts, terms, crossing, first, width, forbidden, forfeit, kind, rank)
    return Replies(first, width, kind, rank)


@kernel
def _fill_replies(halves, firsts, terms, crossing, first, width, forbidden, forfeit, kind, rank):
    pits = halves.shape[1]
    after = np.empty(pits, np.int64)
    for b in range(firsts.shape[0] - 1):
        at = first[b]
        for half in range(firsts[b], firsts[b + 1]):
            for o in range(width[b]):
                t = crossing[o]
                for i in range(pits):
                    after[i] = np.int64(halves[half, i]) + t // pits + np.int64(i < t % pits)
                captured, last = np.int64(0), np.int64(-1)
                if t > 0 and o == outcome_number(t, True, pits):
                    last = (t - 1) % pits
                    while last >= 0 and 2 <= after[last] <= 3:
                        captured += after[last]
                        last -= 1
                slam = captured > 0 and captured == b + t
                if (b == 0 and t == 0) or (slam and forbidden):
                    kind[at] = ILLEGAL
                elif slam and forfeit:
                    kind[at] = 0
                else:
                    kind[at] = captured
                    if captured:
                        for i in range(last + 1, (t - 1) % pits + 1):
                            after[i] = 0
                rank[at] = rank_half(after, 0, terms)
                at += 1


def _opponent_origins(
    replies: Replies, seeds: int, crossing: NDArray, low: NDArray, high: NDArray, firsts: NDArray
) -> OpponentOrigins:
    """The origins among the halves B from ``low[b]`` to ``high[b]``."""
    first = np.zeros(int(firsts[-1]) + 1, np.int64)
    entries = np.empty(_count_staying(replies, low, high), np.uint32)
    _fill_opponent_origins(replies, crossing, low, high, firsts, first, entries)
    return OpponentOrigins(first.astype(np.uint32), entries)


def _count_staying(replies: Replies, low: NDArray, high: NDArray) -> int:
    """Replies of halves in these ranges that stay in the tier."""
    widths, starts = replies.width, replies.first
    ranges = [slice(starts[b] + low[b] * widths[b], starts[b] + high[b] * widths[b]) for b in range(len(low))]
    return sum(int(np.count_nonzero(replies.kind[some] == 0)) for some in ranges)


@kernel
def _fill_opponent_origins(replies, crossing, low, high, firsts, first, entries):
    seeds = low.shape[0] - 1
    for filling in range(2):  # count, then fill in order of outcome
        if filling:
            starts_from_counts(first)
        for o in range(crossing.shape[0]):
            for b in range(seeds + 1):
                if o < replies.width[b]:
                    for half in range(low[b], high[b]):
                        at = replies.first[b] + half * replies.width[b] + o
                        if replies.kind[at] == 0:
                            target = firsts[b + crossing[o]] + replies.rank[at]
                            if filling:
                                entries[first[target]] = np.uint32(o) << RANK_BITS | np.uint32(half)
                            first[target] += 1
    starts_from_ends(first)
