"""The first position of every game, and the best set-ups."""

from __future__ import annotations

import numpy as np
import pytest

from databases.halfboards import half_rank, unrank_half
from databases.omweso.levels import DRAWN
from databases.omweso.setups import best_setups, preference, solve_starts
from databases.omweso.solve import SmallBoard, SmallBoardError, outcome, solve_small
from databases.tiers import board_index
from solver.omweso.position import OmwesoPosition
from solver.omweso.rules import Endless, OmwesoRules
from tests.databases.omweso.rule_sets import RULES


@pytest.mark.parametrize("rules", RULES)
def test_the_first_position_of_every_game(rules: str) -> None:
    """Two first turns on top of the layers, by the reference."""
    parsed = OmwesoRules.parse(rules)
    board = solve_small(parsed, 6)
    starts = solve_starts(board)

    def plies(position: OmwesoPosition) -> int:
        if not any(position.first_turns):
            layer = board.fresh if position.fresh else board.settled
            return int(layer[board_index(position.side + position.opponent)])
        children = [
            plies(position.after(turn)) if turn.ends else (1 if parsed.endless is Endless.MOVER_LOSES else DRAWN)
            for turn in position.turns
        ]
        lost = [child for child in children if child != DRAWN and child % 2 == 0]
        if lost:
            return min(lost) + 1
        return DRAWN if DRAWN in children else max(children, default=-1) + 1

    for row in range(0, len(starts), 3):
        for column in range(0, len(starts), 2):
            first, second = (unrank_half(parsed.pits, 3, rank) for rank in (row, column))
            assert starts[row, column] == plies(OmwesoPosition.start(first, second, parsed))


def test_the_best_set_ups_are_the_best(solved: SmallBoard) -> None:
    starts = solve_starts(solved)
    likes = preference(starts)
    best = best_setups(solved, starts, 5)
    replies = [choice.replies for choice in best]
    assert [each.wins + each.draws + each.losses for each in replies] == [165] * 5
    assert [each.wins for each in replies] == [(row > 0).sum() for row in likes[[half_rank(c.setup) for c in best]]]
    assert outcome(best[0].plies)[0] == int(np.sign(likes.min(axis=1).max()))
    assert likes.min(axis=1).max() == preference(np.array([best[0].plies], np.uint8))[0]


def test_outcomes_are_ordered_for_the_mover() -> None:
    order = preference(np.array([1, 3, 253, DRAWN, 252, 2, 0], np.uint8))
    assert list(order) == sorted(order, reverse=True)


def test_an_odd_number_of_seeds_starts_no_game() -> None:
    with pytest.raises(SmallBoardError, match="5 seeds cannot be shared evenly"):
        solve_starts(solve_small(OmwesoRules(columns=2), 5))
