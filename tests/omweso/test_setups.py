"""Set-ups: the named ones, those that rules fix, what is refused."""

from __future__ import annotations

import re

import pytest

from solver.errors import PositionError
from solver.omweso.rules import TOURNAMENT, OmwesoRules, Setup
from solver.omweso.setups import CLASSIC, check_setup, fixed_setup, named_setups, parse_position, parse_setup
from tests.conformance import load


def test_the_named_set_ups_are_the_published_ones() -> None:
    assert [list(side) for side in CLASSIC.values()] == [case["side"] for case in load("omweso/setups.json")]
    assert all(check_setup(side, TOURNAMENT) == side for side in CLASSIC.values())


@pytest.mark.parametrize("columns", range(2, 8))
def test_smaller_boards_have_the_even_set_ups(columns: int) -> None:
    rules = OmwesoRules(columns=columns)
    assert all(sum(side) == 4 * columns for side in named_setups(rules).values())


def test_fixed_set_ups() -> None:
    rules = OmwesoRules(setup=Setup.OUTER_FOUR)
    assert fixed_setup(rules) == CLASSIC["outer-four"] == parse_setup("outer-four", rules)
    assert fixed_setup(TOURNAMENT) is None
    with pytest.raises(PositionError, match="these rules fix the set-up: 4,4,4"):
        parse_setup("all-two", rules)


@pytest.mark.parametrize(
    ("text", "rules", "said"),
    [
        ("nine", "tournament", "unknown set-up 'nine'"),
        ("1 2 3", "tournament", "3 counts"),
        ("2 " * 15 + "3", "tournament", "33 seeds: each player places 32"),
        ("seventeen-six-threes", "tournament+pit-cap=10", "17 seeds in a pit"),
    ],
)
def test_other_set_ups_are_refused(text: str, rules: str, said: str) -> None:
    with pytest.raises(PositionError, match=re.escape(said)):
        parse_setup(text, OmwesoRules.parse(rules))


def test_both_set_ups_of_a_game_are_checked() -> None:
    with pytest.raises(PositionError, match="1 counts"):
        parse_position("all-two/4", TOURNAMENT)


def test_named_set_ups_begin_a_game() -> None:
    position = parse_position("all-two/outer-four", TOURNAMENT)
    assert (position.side, position.opponent) == (CLASSIC["all-two"], CLASSIC["outer-four"])
    assert position.first_turns == (True, True) and position.fresh
    bare = parse_position(position.text, TOURNAMENT)
    assert bare.first_turns == (False, False) and not bare.fresh
    assert parse_position(position.text, TOURNAMENT, first_turn=True).fresh
