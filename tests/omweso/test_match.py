"""Matches: the ways to win and their points, void games, who starts, modes of play and their clocks."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from solver.errors import PositionError, RulesError
from solver.omweso.match import Game, GameEnd, Match, MatchError, Mode, MoveClock, Okutema, Scoring, score_turn
from solver.omweso.position import OmwesoPosition, Turn
from solver.omweso.rules import Endless, OmwesoRules
from solver.omweso.setups import CLASSIC
from tests.conformance import load

WON = (0,) * 16


def side(**counts: int) -> tuple[int, ...]:
    letters = [*"ijklmnop", *reversed("abcdefgh")]
    return tuple(counts.get(letter, 0) for letter in letters)


def turn_that(captures: tuple[int, ...], opponent: tuple[int, ...], status: str = "end") -> Turn:
    return Turn(0, "", status, len(captures) + 1, 0, 4 * len(captures), captures, side(i=2), opponent)


SOMETHING = side(k=1, c=1)
POSITION = OmwesoPosition(side(i=2), SOMETHING)


@pytest.mark.parametrize(
    ("captures", "opponent", "scoring", "strikes", "name"),
    [
        ((), SOMETHING, "points", (0, 0), None),
        ((9,), SOMETHING, "points", (0, 0), None),
        ((8, 15), SOMETHING, "points", (0, 0), "okutema"),
        ((15, 9, 8), SOMETHING, "points", (0, 0), "okutema"),
        ((8, 15), SOMETHING, "points+okutema=off", (0, 0), None),
        ((8, 15), WON, "points", (0, 0), "akawumbi"),
        ((9, 15), WON, "points", (0, 0), "akawumbi"),
        ((15, 9), WON, "points", (0, 0), None),
        ((9,), side(k=1), "points+okutema=front-row", (0, 0), "okutema"),
        ((9,), side(k=1, c=1), "points+okutema=front-row", (0, 0), None),
        ((9,), side(k=1, c=1), "points+okutema=end-pits", (0, 0), "okutema"),
        ((9,), side(i=1), "points+okutema=end-pits", (0, 0), None),
        ((9,), side(h=1), "points+okutema=end-pits", (0, 0), None),
        ((9,), SOMETHING, "points+akakyala=on", (0, 0), None),
        ((9,), SOMETHING, "points+akakyala=on", (1, 0), "akakyala"),
        ((9,), SOMETHING, "points+akakyala=on", (1, 1), None),
        ((9,), SOMETHING, "points", (1, 0), None),
        ((8, 15), SOMETHING, "points+akakyala=on", (1, 0), "okutema"),
    ],
)
def test_what_a_turn_scores(
    captures: tuple[int, ...], opponent: tuple[int, ...], scoring: str, strikes: tuple[int, int], name: str | None
) -> None:
    assert score_turn(POSITION, turn_that(captures, opponent), Scoring.parse(scoring), strikes) == name


def test_an_endless_turn_scores_nothing() -> None:
    assert score_turn(POSITION, turn_that((8, 15), SOMETHING, "endless"), Scoring(), (0, 0)) is None


@pytest.mark.parametrize("text", ["points", "points+target=6", "points+okutema=front-row+akakyala=on+akawumbi=6"])
def test_scoring_ids_read_back(text: str) -> None:
    assert Scoring.parse(text).id == text


@pytest.mark.parametrize(
    "text", ["", "goals", "points+akawumbi=7", "points+target=0", "points+okutema=both", "points+x=1"]
)
def test_other_scorings_are_refused(text: str) -> None:
    with pytest.raises(RulesError):
        Scoring.parse(text)


def test_a_game_won_by_bulijo() -> None:
    """The opponent, to move, is left without two seeds in a pit."""
    game = Game(OmwesoPosition(side(i=2), side(k=1)))
    assert game.play("i") == GameEnd("bulijo", 0, 1)
    with pytest.raises(MatchError, match=re.escape("the game is over (bulijo)")):
        game.play("i")


def test_a_void_game_is_replayed_and_takes_nothing() -> None:
    case = load("omweso/endless_positions.json")["positions"][0]
    position = OmwesoPosition(tuple(case["side"]), side(i=2))
    match = Match(OmwesoRules())
    game = Game(position)
    end = game.play("i")
    assert end == GameEnd("void", None, 0)
    assert end is not None
    match.record(end)
    assert (match.points, match.starter, match.winner) == ((0, 0), 0, None)
    losing = Game(replace(position, rules=OmwesoRules(endless=Endless.MOVER_LOSES)))
    assert losing.play("i") == GameEnd("bulijo", 1, 1)


def test_a_match_alternates_starters_and_stops_at_its_target() -> None:
    match = Match(OmwesoRules(), Scoring(target=3))
    assert match.record(GameEnd("okutema", 0, 2)) == GameEnd("okutema", 0, 2)
    assert match.starter == 1
    assert match.record(GameEnd("draw", None, 0)).winner is None
    assert match.starter == 0
    match.record(GameEnd("bulijo", 1, 1))
    assert (match.points, match.starter, match.winner) == ((2, 1), 1, None)
    assert match.record(GameEnd("bulijo", 1, 1)) == GameEnd("bulijo", 0, 1)
    assert (match.points, match.winner) == ((3, 1), 0)
    with pytest.raises(MatchError, match="the match is over: player 0 has 3 points"):
        match.new_game(CLASSIC["all-two"], CLASSIC["all-two"])


def test_a_match_checks_its_set_ups() -> None:
    match = Match(OmwesoRules(pit_cap=10))
    game = match.new_game(CLASSIC["all-two"], CLASSIC["outer-four"])
    assert (game.position.side, game.position.opponent) == (CLASSIC["all-two"], CLASSIC["outer-four"])
    with pytest.raises(PositionError, match="17 seeds in a pit: these rules admit up to 10"):
        match.new_game(CLASSIC["all-two"], CLASSIC["seventeen-six-threes"])


def test_an_akawumbi_wins_the_match_at_once() -> None:
    game = Game(OmwesoPosition(side(i=2, k=1, a=1), side(i=1, a=1)))
    match = Match(OmwesoRules())
    match.record(GameEnd("akawumbi", 0, Scoring().akawumbi))
    assert match.winner == 0
    assert game.scoring.akawumbi == 12


def test_turns_are_taken_back() -> None:
    game = Game(OmwesoPosition.start(CLASSIC["all-two"], CLASSIC["all-two"]))
    first = game.position
    game.play(first.turns[0])
    game.play(game.position.turns[0])
    game.take_back(2)
    assert (game.position, game.turns, game.strikes) == (first, [], (0, 0))
    with pytest.raises(MatchError, match="cannot take back 1 turns: 0 have been played"):
        game.take_back()


def test_the_modes_of_play() -> None:
    assert (Mode.EKYOKUBALA.seconds, Mode.EKYOKUBALA.may_take_back) == (None, True)
    assert (Mode.CONTRACT.seconds, Mode.CONTRACT.may_take_back) == (None, False)
    assert (Mode.EKYOBUTABALA.seconds, Mode.EKYOBUTABALA.may_take_back) == (3.0, False)


def test_the_clock_of_a_move() -> None:
    now = [10.0]
    clock = MoveClock(3.0, lambda: now[0])
    clock.start()
    now[0] = 12.5
    assert (clock.left, clock.overrun) == (0.5, False)
    now[0] = 13.5
    assert clock.overrun
    assert not MoveClock(None).overrun
    game = Game(OmwesoPosition.start(CLASSIC["all-two"], CLASSIC["all-two"]))
    assert game.lose_on_time() == GameEnd("time", 1, 1)


def test_captures_are_counted_through_a_game() -> None:
    """Strikes count capturing turns, by side, through random games."""
    for seed in range(20):
        game = Game(OmwesoPosition.start(CLASSIC["all-two"], CLASSIC["outer-four"], OmwesoRules(lap_cap=200)),
                    Scoring(okutema=Okutema.OFF))  # fmt: skip
        counted = [0, 0]
        while game.end is None and len(game.turns) < 30:
            turns = game.position.turns
            turn = turns[(seed * 7 + len(game.turns)) % len(turns)]
            counted[game.position.turn] += bool(turn.captures)
            game.play(turn)
        assert game.strikes == tuple(counted)
