"""Small boards solved whole: equal to a plain solver on the reference's turns, proved by their own check, counted."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

import numpy as np
import pytest

from databases.omweso.levels import DRAWN
from databases.omweso.solve import SmallBoard, SmallBoardError, outcome, solve_small, take_census
from databases.tiers import board_at, board_index, tier_size
from solver.omweso.position import OmwesoPosition
from solver.omweso.rules import Endless, OmwesoRules
from tests.databases.omweso.rule_sets import RULES


class PlainSolver:
    """Retrograde analysis by predecessor lists and counters of open turns, over the readable reference."""

    def __init__(self, rules: OmwesoRules, seeds: int) -> None:
        self.rules, self.seeds = rules, seeds
        self.settled = self.solve(fresh=False, settled=None)
        self.fresh = self.solve(fresh=True, settled=self.settled) if rules.okukoneeza else self.settled

    def position(self, index: int, fresh: bool) -> OmwesoPosition:
        board = board_at(self.rules.pits, self.seeds, index)
        pits = self.rules.pits
        return OmwesoPosition(board[:pits], board[pits:], self.rules, fresh=fresh)

    def solve(self, fresh: bool, settled: dict[int, int] | None) -> dict[int, int]:
        """Plies of every position that is won or lost. A node is (index, whether it lies in this layer)."""
        known: dict[tuple[int, bool], int] = {}
        before: dict[tuple[int, bool], list[int]] = {}
        open_turns: dict[int, int] = {}
        worst: dict[int, int] = {}
        for index in range(tier_size(self.rules.pits, self.seeds)):
            turns = self.position(index, fresh).turns
            open_turns[index] = len(turns)
            if not turns:
                known[index, True] = 0
            for turn in turns:
                if turn.ends:
                    child = board_index(turn.opponent + turn.side)
                    before.setdefault((child, not (fresh and turn.captured)), []).append(index)
                elif self.rules.endless is Endless.MOVER_LOSES:
                    before.setdefault((-1, False), []).append(index)
        if self.rules.endless is Endless.MOVER_LOSES:
            known[-1, False] = 1
        for index, plies in (settled or {}).items():
            known[index, False] = plies
        waiting = sorted(known, key=lambda node: known[node])
        levels: dict[int, deque] = {}
        for node in waiting:
            levels.setdefault(known[node], deque()).append(node)
        plies = 0
        while any(levels.values()):
            for node in levels.pop(plies, ()):
                for index in before.get(node, ()):
                    if (index, True) in known:
                        continue
                    if plies % 2 == 0:
                        known[index, True] = plies + 1
                    else:
                        open_turns[index] -= 1
                        worst[index] = plies
                        if open_turns[index] == 0:
                            known[index, True] = plies + 1
                    if (index, True) in known:
                        levels.setdefault(plies + 1, deque()).append((index, True))
            plies += 1
        return {index: plies for (index, own), plies in known.items() if own}


def as_dict(layer: np.ndarray) -> dict[int, int]:
    return {index: int(plies) for index, plies in enumerate(layer) if plies != DRAWN}


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("seeds", [1, 4, 5])
def test_equal_to_a_plain_solver(rules: str, seeds: int) -> None:
    parsed = OmwesoRules.parse(rules)
    board, plain = solve_small(parsed, seeds), PlainSolver(parsed, seeds)
    assert as_dict(board.settled) == plain.settled
    assert as_dict(board.fresh) == plain.fresh
    assert board.faults() == 0


@pytest.mark.full
@pytest.mark.parametrize("rules", RULES[:2])
def test_equal_to_a_plain_solver_with_more_seeds(rules: str) -> None:
    parsed = OmwesoRules.parse(rules)
    board, plain = solve_small(parsed, 8), PlainSolver(parsed, 8)
    assert (as_dict(board.settled), as_dict(board.fresh)) == (plain.settled, plain.fresh)


def test_the_check_finds_a_wrong_number(solved: SmallBoard) -> None:
    assert solved.faults() == 0
    for index, wrong in ((0, 4), (12_345, DRAWN), (200_000, 3)):
        settled = solved.settled.copy()
        if settled[index] != wrong:
            settled[index] = wrong
            assert replace(solved, settled=settled).faults() > 0


def test_threads_do_not_matter(solved: SmallBoard) -> None:
    again = solve_small(solved.rules, solved.seeds, threads=2)
    assert np.array_equal(again.settled, solved.settled) and np.array_equal(again.fresh, solved.fresh)


def test_the_census_of_sixteen_seeds(solved: SmallBoard) -> None:
    """The size in the rule book, and counts that add up; the numbers themselves are those of docs/results.md."""
    census = take_census(solved.settled)
    assert census.wins + census.draws + census.losses == 245_157
    assert (census.wins, census.draws, census.losses, census.longest) == (149_846, 9_347, 85_964, 13)


def test_outcomes() -> None:
    assert [outcome(plies) for plies in (0, 1, 4, DRAWN)] == [(-1, 0), (1, 1), (-1, 4), (0, 0)]


def test_what_cannot_be_solved_is_refused() -> None:
    with pytest.raises(SmallBoardError, match="positions: a board solved whole has up to"):
        solve_small(OmwesoRules(), 64)
