"""Oware as the search plays it: its kernels, its evaluation, its endgame tables.

A state is four words: the mover's row, the opponent's row, and what each side still needs for a majority (only under
the ``win-only`` rule, 0 otherwise). **Scores are margins over the seeds on the board**, as in the tables: what the
mover will still win less what the opponent will, when play goes on to the last seed. The stores add a constant, which
the driver adds at the end, so boards that differ only in their stores share everything.

Majority: who has more than half of all seeds has won, at once, and play commands stop there. A margin counts on, as
tables do: the seeds left on the board when a majority is reached are those that the two would still win. Winner and
loser are the same either way (the final margin is positive just when the mover comes to hold a majority), tables stay
exact in games of any stores, and the cut that a majority allows comes for free: with n seeds left the margin on the
board lies in -n..n, so a side that leads by more than n cannot be overtaken, and a window there is empty.

Tables are handed in tier by tier: mapped arrays in the order of docs/tables.md, and the numbers that say which board is
where in them (see :class:`Tier`). Nothing here knows how they are made or stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from solver.errors import PositionError, RulesError
from solver.kernels.compile import inline_kernel, kernel
from solver.kernels.intrinsics import load_int8, population_count
from solver.kernels.lanes import at_least, count_at, lowest_lane, prefix_sums, whole_lanes
from solver.kernels.margins import BYTE, load_margin
from solver.kernels.ranks import terms_sum
from solver.oware import kernels as boards
from solver.oware.kernels import WIN_ONLY, final_margin, occupied, play, row_seeds, sow
from solver.oware.position import Position
from solver.oware.rules import MAX_PITS, Cycle, Rules
from solver.rule_ids import want_rules
from solver.search import game as kernels
from solver.search.game import answers, implements
from solver.search.worker import MAX_BARRED

TABLE_SEEDS = 127
"""The largest tier that can be handed in: values are int8."""

WEIGHTS = {
    "seeds": -8,
    "capture": 220,
    "threat": -127,
    "mobility": 357,
    "weak": -22,
    "big": 566,
    "tempo": -63,
}
"""What the evaluation counts, in 256ths of a seed a unit.

``seeds``, ``mobility`` (non-empty houses), ``weak`` (houses of 1 or 2) and ``big`` (houses of 12 and more) are the
mover's less the opponent's; ``capture`` is the most the mover can capture now, ``threat`` the most that the opponent
could if it were their turn; ``tempo`` is a constant.

Fitted by ``scripts/fit/oware.py --games 400`` with tables of 0..14 seeds (abapa) on 33,395 boards. On games not used:
3.1 seeds (rms) from the score of a depth-8 search, 4.0 from table values, where no evaluation at all is 5.0 and 4.6
off.
"""

_GAME = np.dtype(
    [
        ("slam", np.int64),
        ("pits", np.int64),
        ("even", np.int64),  # 1: endless play is worth 0; 0: each takes their own row
        ("weights", np.int64, (len(WEIGHTS),)),
        ("sowing", np.uint64, (MAX_PITS * (boards.MAX_SEEDS + 1) * 4,)),
        # Addresses of each tier's arrays, 0 where there is none; low and high are the same array where values are
        # exact.
        ("value", np.uint64, (TABLE_SEEDS + 1,)),
        ("lower", np.uint64, (TABLE_SEEDS + 1,)),
        ("upper", np.uint64, (TABLE_SEEDS + 1,)),
        ("bits", np.int64, (TABLE_SEEDS + 1,)),  # of a number
        ("window", np.int64, (TABLE_SEEDS + 1,)),  # a number at its ends, -window or window, stands for so much or more
        ("offsets", np.int64, (TABLE_SEEDS + 1, TABLE_SEEDS + 1)),  # of the block of a tier with a seeds of the mover
        ("counts", np.int64, (TABLE_SEEDS + 1,)),  # of half boards with k seeds
        ("terms", np.int64, (MAX_PITS, TABLE_SEEDS + 1)),  # of a half board's rank, by house and prefix sum
    ],
    align=True,
)


class OwareKernels(NamedTuple):
    """What Oware's kernels take as their game: one record of rules, weights and tables."""

    record: Any


# -- the kernels ------------------------------------------------------------------------------------------------------

_ZERO, _ONE, _THREE = np.uint64(0), np.uint64(1), np.uint64(3)
_BIG = np.uint64(12)


@implements(kernels.generate, OwareKernels)
def _generate(game, worker, ply):
    """Captures first, by size; then what is about to be captured runs away."""
    rules = game.record
    here = np.uint64(ply)
    own, opp = worker["state"][here, np.uint64(0)], worker["state"][here, np.uint64(1)]
    need, other = worker["state"][here, np.uint64(2)], worker["state"][here, np.uint64(3)]
    threatened = _threatened(rules["sowing"], opp, own)
    count = np.int64(0)
    todo = occupied(own)
    while todo != _ZERO:
        house = lowest_lane(todo)
        todo &= todo - _ONE
        legal, captured, after, left = play(rules["sowing"], rules["slam"], np.int64(need), own, opp, house)
        if not legal:
            continue
        at = np.uint64(count)
        seeds = np.int64(count_at(own, house))
        worker["child"][here, at, np.uint64(0)] = left
        worker["child"][here, at, np.uint64(1)] = after
        worker["child"][here, at, np.uint64(2)] = other
        worker["child"][here, at, np.uint64(3)] = need - np.uint64(captured) if rules["slam"] == WIN_ONLY else _ZERO
        worker["gain"][here, at] = captured
        worker["move"][here, at] = house
        worker["slot"][here, at] = (np.int64(house) << 6) + min(seeds, np.int64(63))
        escape = np.int64((threatened >> ((house << _THREE) + np.uint64(7))) & _ONE) * seeds
        worker["merit"][here, at] = (captured > 0) * 1024 + captured * 64 + escape * 128
        count += 1
    return count


@inline_kernel
def _threatened(table, own, opp):
    """The high bits of the opponent's lanes that some move from ``own`` would capture (grand slams or not)."""
    lanes = _ZERO
    todo = occupied(own)
    while todo != _ZERO:
        house = lowest_lane(todo)
        todo &= todo - _ONE
        _own, _opp, run = sow(table, own, opp, house)
        lanes |= run
    return lanes


@inline_kernel
def _best_capture(table, own, opp):
    """The most seeds that one move from ``own`` captures (grand slams or not)."""
    best = np.int64(0)
    todo = occupied(own)
    while todo != _ZERO:
        house = lowest_lane(todo)
        todo &= todo - _ONE
        _own, fed, run = sow(table, own, opp, house)
        if run != _ZERO:
            best = max(best, row_seeds(fed & whole_lanes(run)))
    return best


@implements(kernels.key, OwareKernels)
def _key(game, worker, ply):
    """Two multiplications, then a finalizer so that every bit of the rows reaches the upper half."""
    here = np.uint64(ply)
    own, opp = worker["state"][here, np.uint64(0)], worker["state"][here, np.uint64(1)]
    mixed = own * np.uint64(0x9E3779B97F4A7C15) + (opp ^ (opp >> np.uint64(29))) * np.uint64(0xC2B2AE3D27D4EB4F)
    if game.record["slam"] == WIN_ONLY:
        needs = (worker["state"][here, np.uint64(2)] << np.uint64(16)) + worker["state"][here, np.uint64(3)]
        mixed ^= needs * np.uint64(0xD6E8FEB86659FD93)
    mixed ^= mixed >> np.uint64(32)
    mixed *= np.uint64(0xFF51AFD7ED558CCD)
    return mixed ^ (mixed >> np.uint64(29))


@implements(kernels.final, OwareKernels)
def _final(game, worker, ply):
    here = np.uint64(ply)
    return final_margin(game.record["slam"], worker["state"][here, np.uint64(0)], worker["state"][here, np.uint64(1)])


@implements(kernels.limit, OwareKernels)
def _limit(game, worker, ply):
    here = np.uint64(ply)
    return row_seeds(worker["state"][here, np.uint64(0)]) + row_seeds(worker["state"][here, np.uint64(1)])


@implements(kernels.passed, OwareKernels)
def _passed(game, gain, score):
    return gain - score


@implements(kernels.handed, OwareKernels)
def _handed(game, gain, bound):
    return gain - bound


@implements(kernels.irreversible, OwareKernels)
def _irreversible(game, gain):
    return gain != 0


@implements(kernels.shortest_cycle, OwareKernels)
def _shortest_cycle(game):
    """2 * pits plies, as :func:`solver.oware.kernels.count_leaves` reasons."""
    return 2 * game.record["pits"]


@implements(kernels.cycle_score, OwareKernels)
def _cycle_score(game, worker, ply):
    if game.record["even"] != 0:
        return np.int64(0)
    here = np.uint64(ply)
    return row_seeds(worker["state"][here, np.uint64(0)]) - row_seeds(worker["state"][here, np.uint64(1)])


@implements(kernels.extends, OwareKernels)
def _extends(game, worker, ply, count):
    """Feeding an empty row is forced, and hides what comes after it."""
    return worker["state"][np.uint64(ply), np.uint64(1)] == _ZERO


# 64 bits of key decide: two rows of six houses have few boards with any but tiny chances of one key.
answers(kernels.wide, OwareKernels, False)
answers(kernels.check, OwareKernels, _ZERO)
# Moves come all at once, in the order that they were generated with.
answers(kernels.staged, OwareKernels, False)
answers(kernels.groups, OwareKernels, _ZERO)
answers(kernels.generate_group, OwareKernels, (np.int64(0), _ZERO))
answers(kernels.arrange, OwareKernels, None)
# The score of depth d is the minimax value of depth d.
answers(kernels.reduction, OwareKernels, np.int64(0))


@implements(kernels.evaluate, OwareKernels)
def _evaluate(game, worker, ply):
    """A weighted sum of what WEIGHTS lists, rounded to seeds."""
    here = np.uint64(ply)
    rules = game.record
    measures = _measure(rules["sowing"], worker["state"][here, np.uint64(0)], worker["state"][here, np.uint64(1)])
    total = np.int64(128)
    for k in range(len(measures)):
        total += rules["weights"][np.uint64(k)] * measures[k]
    return total >> 8


@inline_kernel
def _measure(table, own, opp):
    """What WEIGHTS weighs, in its order, each an int64."""
    return (
        row_seeds(own) - row_seeds(opp),
        _best_capture(table, own, opp),
        _best_capture(table, opp, own),
        _houses(occupied(own)) - _houses(occupied(opp)),
        _houses(_weak(own)) - _houses(_weak(opp)),
        _houses(_big(own)) - _houses(_big(opp)),
        np.int64(1),
    )


@kernel
def measure_boards(table, rows, out):
    """``out[k]`` (int64, one column a weight) = the measures of board k: ``rows[k]`` is its two packed rows."""
    for k in range(rows.shape[0]):
        measures = _measure(table, rows[k, 0], rows[k, 1])
        for column in range(out.shape[1]):
            out[k, column] = measures[column]


@inline_kernel
def _houses(lanes):
    return np.int64(population_count(lanes))


@inline_kernel
def _weak(row):
    """The high bits of the lanes that hold 1 or 2."""
    return occupied(row) & ~at_least(row, _THREE)


@inline_kernel
def _big(row):
    """The high bits of the lanes that hold 12 or more."""
    return at_least(row, _BIG)


@implements(kernels.probe, OwareKernels)
def _probe(game, worker, ply):
    tables = game.record
    here = np.uint64(ply)
    own, opp = worker["state"][here, np.uint64(0)], worker["state"][here, np.uint64(1)]
    own_seeds, opp_seeds = row_seeds(own), row_seeds(opp)
    seeds = np.uint64(own_seeds + opp_seeds)
    if seeds > np.uint64(TABLE_SEEDS) or tables["value"][seeds] == _ZERO:
        return False, np.int64(0), np.int64(0), np.int64(0)
    index = tables["offsets"][seeds, np.uint64(own_seeds)]
    index += _rank(tables, own) * tables["counts"][np.uint64(opp_seeds)] + _rank(tables, opp)
    at, window = np.uint64(index), tables["window"][seeds]
    if window >= np.int64(seeds):
        low, high = np.int64(load_int8(tables["lower"][seeds] + at)), np.int64(load_int8(tables["upper"][seeds] + at))
        score = np.int64(load_int8(tables["value"][seeds] + at))
        return True, low, min(max(score, low), high), high
    bits = tables["bits"][seeds]
    low = load_margin(tables["lower"][seeds], index, bits, window)
    high = load_margin(tables["upper"][seeds], index, bits, window)
    score = load_margin(tables["value"][seeds], index, bits, window)
    low = low if low > -window else -np.int64(seeds)
    high = high if high < window else np.int64(seeds)
    return True, low, min(max(score, low), high), high


@inline_kernel
def _rank(tables, row):
    """Rank of a half board. (Not :func:`solver.kernels.ranks.row_rank`: the record's terms are those of MAX_PITS.)"""
    return terms_sum(prefix_sums(row), 0, tables["pits"] - 1, tables["terms"])


@kernel
def _bar(game, worker, states, sides):
    """Bar the positions of the game so far: uint64[n, 4] states, and int64[n], 0 for the root's mover to move there.

    From 2 * pits plies without a capture on they can come back soon, and ``past`` sets their game's keys apart. It does
    not depend on their order.
    """
    past = np.uint64(0)
    for k in range(states.shape[0]):
        at = np.uint64(k)
        for word in range(states.shape[1]):
            worker["state"][np.uint64(0), np.uint64(word)] = states[at, np.uint64(word)]
        mark = kernels.key(game, worker, np.int64(0))
        worker["barred"][at, np.uint64(0)], worker["barred"][at, np.uint64(1)] = mark, np.uint64(0)
        worker["barred_side"][at] = sides[at]
        past ^= (mark + np.uint64(sides[at])) * np.uint64(0x9E3779B97F4A7C15)
    worker["barred_count"] = states.shape[0]
    worker["past"] = past if states.shape[0] >= kernels.shortest_cycle(game) else np.uint64(0)


# -- the Python side --------------------------------------------------------------------------------------------------


class TierIndex(Protocol):
    """Where the boards of one tier of n seeds lie, m houses a side; all int64, one table for each of three numbers.

    A board with a and b seeds in the mover's and the opponent's half is at offsets[a] + rank of the mover's half *
    counts[b] + rank of the opponent's, where a half's rank is the sum of terms[house, seeds up to this house].
    """

    @property
    def terms(self) -> NDArray[np.int64]:
        """Shape (m, n + 1); the last house adds nothing."""
        ...

    @property
    def counts(self) -> NDArray[np.int64]:
        """Shape (n + 1,)."""
        ...

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Shape (n + 2,); the last is the number of all boards."""
        ...


@dataclass(frozen=True)
class Tier:
    """One tier as the search takes it: the numbers of each quantity, and the index of its boards.

    All of :func:`searched_quantities` must be there. Margins are in seeds, from the mover's view: int8 each, or uint8
    whose ``bits`` they share. They are cut to ``-window..window``, if the tier has more seeds than that.
    """

    arrays: Mapping[str, NDArray[Any]]
    index: TierIndex
    bits: int = BYTE
    window: int = TABLE_SEEDS


Tables = Mapping[int, Tier]
"""Tiers by their number of seeds."""


def searched_quantities(rules: Rules) -> tuple[str, ...]:
    """The arrays that a search under ``rules`` needs of each :class:`Tier`."""
    return ("value", "lower", "upper") if rules.has_bounds else ("value",)


class OwareGame:
    """Oware under one rule set, with the tables at hand: what :class:`solver.search.searcher.Searcher` searches.

    ``tables`` must belong to the same rules; the caller sees to that. Raises RulesError for tables under ``win-only``,
    PositionError for an array of the wrong size or kind.
    """

    def __init__(self, rules: Rules, tables: Tables | None = None, weights: Mapping[str, int] = WEIGHTS) -> None:
        want_rules(rules, Rules)
        self.rules = rules
        self._memory = np.zeros(1, _GAME)
        record = self._memory[0]
        record["slam"] = boards.SLAM_CODES[rules.grand_slam]
        record["pits"] = rules.pits
        record["even"] = rules.cycle is Cycle.EVEN
        record["weights"] = [weights[name] for name in WEIGHTS]
        sowing = boards.sowing_table(rules.pits)
        record["sowing"][: len(sowing)] = sowing
        self._kept: list[NDArray[Any]] = []
        if tables:
            self._map(tables)
        self.kernels = OwareKernels(record)

    def _map(self, tables: Tables) -> None:
        """Write down where the arrays lie, and the numbers that a board's index is made of."""
        if not self.rules.has_tables:
            raise RulesError(f"tables cannot serve {self.rules.id}: its captures depend on the stores")
        record = self._memory[0]
        for seeds, tier in tables.items():
            arrays, index = tier.arrays, tier.index
            record["terms"][: self.rules.pits, : seeds + 1] = index.terms
            record["counts"][: seeds + 1] = index.counts
            record["offsets"][seeds, : seeds + 1] = index.offsets[:-1]
            size = int(index.offsets[-1])
            record["bits"][seeds], record["window"][seeds] = tier.bits, tier.window
            bounded = "lower" in arrays and "upper" in arrays
            if self.rules.has_bounds and not bounded:
                raise PositionError(f"the table of {seeds} seeds has no bounds: {self.rules.id} needs lower and upper")
            for quantity, source in (
                ("value", "value"),
                ("lower", "lower" if bounded else "value"),
                ("upper", "upper" if bounded else "value"),
            ):
                array = arrays[source]
                kind, length = (np.dtype("i1"), size) if tier.bits == BYTE else (np.dtype("u1"), size * tier.bits // 8)
                if array.dtype != kind or len(array) < length or not array.flags.c_contiguous:
                    raise PositionError(
                        f"table of {seeds} seeds, {source}: {array.dtype}{array.shape}, expected {kind}({length},)"
                    )
                self._kept.append(array)
                record[quantity][seeds] = array.ctypes.data

    @property
    def tiers(self) -> tuple[int, ...]:
        """The seed counts of the tables at hand."""
        return tuple(int(seeds) for seeds in np.flatnonzero(self._memory[0]["value"]))

    def place(self, position: Position, worker: NDArray[np.void]) -> None:
        """Write the position and the boards that it must not come back to. Raises PositionError for other rules."""
        if position.rules != self.rules:
            raise PositionError(f"a position of {position.rules.id} given to a search of {self.rules.id}")
        record = worker[0]
        if len(position.seen) > MAX_BARRED:
            raise PositionError(f"{len(position.seen)} boards since the last capture: the search takes {MAX_BARRED}")
        seen = sorted(position.seen)
        states = [self._state(Position(board, position.stores, turn, self.rules)) for board, turn in seen]
        sides = [turn != position.turn for _, turn in seen]
        _bar(self.kernels, record, np.array(states, np.uint64).reshape(-1, 4), np.array(sides, np.int64))
        record["state"][0] = self._state(position)

    def _state(self, position: Position) -> tuple[int, int, int, int]:
        """The four words of a position."""
        south, north = (0, 0) if self.rules.has_tables else (max(0, need) for need in boards.needs(position))
        return *boards.pack(position), south, north

    def name(self, position: Position, code: int) -> str:
        """The letter of the house."""
        return position.letter(code + position.turn * self.rules.pits)

    def play(self, position: Position, code: int) -> Position:
        """The position after the mover's house number ``code``."""
        return position.play(code + position.turn * self.rules.pits)

    def legal(self, position: Position) -> tuple[int, ...]:
        """The mover's houses that may be played, 0..pits-1."""
        return tuple(house % self.rules.pits for house in position.legal_moves())

    def lead(self, position: Position) -> int:
        """Seeds in the mover's store less those in the opponent's."""
        return position.stores[position.turn] - position.stores[1 - position.turn]

    def tabled(self, position: Position) -> bool:
        """Whether there is a table of this many seeds."""
        return position.seeds <= TABLE_SEEDS and bool(self._memory[0]["value"][position.seeds])
