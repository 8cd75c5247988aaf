"""The readable reference: texts, laps, captures, choices, okukoneeza, endless turns, endings; the known answers."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings

from solver.errors import PositionError
from solver.omweso.position import OmwesoPosition, pit_letter, turn_text
from solver.omweso.rules import COMP424, TOURNAMENT, Endless, OmwesoRules, Repetition
from tests.conformance import load
from tests.omweso.recorded_turns import DATA_RULES, EMPTY, row
from tests.omweso.strategies import positions


def pits(**counts: int) -> tuple[int, ...]:
    """A side from letters: ``pits(i=3, o=1)``."""
    letters = [pit_letter(pit, TOURNAMENT) for pit in range(16)]
    return tuple(counts.get(letter, 0) for letter in letters)


# -- known answers ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", load("omweso/conformance_worked.json"), ids=lambda case: case["name"])
def test_the_worked_turns_lap_by_lap(case: dict) -> None:
    first = not case["may_capture"]
    position = OmwesoPosition(tuple(case["side"]), tuple(case["opp"]), first_turns=(first, False))
    assert pit_letter(case["pit"], TOURNAMENT) == case["pit_letter"]
    wanted = "".join("c" if choice else "f" for choice in case["clockwise_choices"])
    turn = next(t for t in position.turns if t.pit == case["pit"] and t.choices.strip("f") == wanted.strip("f"))
    assert row(turn)[2:] == [case["status"], case["side_after"], case["opp_after"]]
    laps = [
        {
            "origin": lap.origin,
            "seeds": lap.seeds,
            "dir": "cw" if lap.clockwise else "ccw",
            "last": lap.last,
            "then": lap.then,
        }
        for lap in position.replay(turn)
    ]
    assert laps == case["laps"]
    assert turn.laps == len(laps)


@pytest.mark.parametrize("name", DATA_RULES)
def test_every_turn_of_the_random_positions(name: str) -> None:
    for case in load("omweso/random_turns.jsonl.gz"):
        first = (name == "no_capture", False)
        position = OmwesoPosition(tuple(case["side"]), tuple(case["opp"]), DATA_RULES[name], first_turns=first)
        assert [row(turn) for turn in position.turns] == case[name]


@pytest.mark.parametrize("seeds", [11, 13, 14, 15])
def test_endless_starts_and_their_cycles(seeds: int) -> None:
    cases = [case for case in load("omweso/endless_positions.json")["positions"] if case["seeds"] == seeds]
    assert cases
    for case in cases[:: max(1, len(cases) // 60)]:
        position = OmwesoPosition(tuple(case["side"]), EMPTY)
        turn = next(turn for turn in position.turns if turn.pit == case["pit"])
        assert (turn.status, turn.cycle, turn.laps) == ("endless", case["cycle"], case["cycle"])
        assert (turn.side, turn.opponent) == (position.side, position.opponent)


def test_the_opening_sowings_of_three() -> None:
    steps = load("omweso/okukoneeza_opening.json")["steps"]
    side = tuple(steps[0]["position"])
    for step in steps[1:]:
        position = OmwesoPosition(side, EMPTY, fresh=True)
        turn = position.find(step["letter"] + "*")
        assert turn.okukoneeza and turn.pit == step["pit"]
        side = turn.side
        assert side == tuple(step["position"])


# -- rules ------------------------------------------------------------------------------------------------------------


def test_choices_are_written_and_read_as_symbols() -> None:
    position = OmwesoPosition(pits(i=3, e=2, c=2), pits(j=2, n=1, f=1, b=2))
    texts = [turn_text(turn, TOURNAMENT) for turn in position.turns]
    assert "i<" in texts and "i>" in texts
    taken, refused = position.find("i<"), position.find("i>")
    assert (taken.choices, taken.captured) == ("c", 2)
    assert (refused.choices, refused.captured) == ("f", 0)
    assert position.find("i") == refused
    with pytest.raises(
        PositionError,
        match=re.escape("turn 'i<<' is not legal here: what can be chosen from i is i> i<; legal turns are i> i<"),
    ):
        position.find("i<<")


def test_the_first_turn_relays_and_never_runs_clockwise() -> None:
    position = OmwesoPosition(pits(i=3, e=2, c=2), pits(j=2, n=1, f=1, b=2), first_turns=(True, False))
    assert all(turn.choices == "" and turn.captured == 0 for turn in position.turns)
    allowed = replace(position, rules=OmwesoRules(first_turn_capture=True))
    assert any(turn.captured for turn in allowed.turns)


def test_a_declined_capture_relays() -> None:
    case = next(case for case in load("omweso/conformance_worked.json") if case["name"] == "landing_pit_is_kept")
    position = OmwesoPosition(tuple(case["side"]), tuple(case["opp"]), OmwesoRules(decline_capture=True))
    taken, declined = (turn for turn in position.turns if turn.pit == 7)
    assert (turn_text(taken, position.rules), taken.captured) == ("px", 6)
    assert (turn_text(declined, position.rules), declined.captured) == ("p-", 0)
    assert [lap.then for lap in position.replay(declined)] == ["relay", "end"]


def test_the_lap_cap() -> None:
    position = OmwesoPosition(pits(m=17), EMPTY)
    assert position.turns[0].laps == 9
    capped = [replace(position, rules=OmwesoRules(lap_cap=cap)).turns[0].status for cap in (8, 9)]
    assert capped == ["endless", "end"]


@pytest.mark.parametrize(("endless", "result"), [(Endless.VOID, 0), (Endless.MOVER_LOSES, 1), (Endless.ILLEGAL, None)])
def test_an_endless_turn(endless: Endless, result: int | None) -> None:
    case = load("omweso/endless_positions.json")["positions"][0]
    position = OmwesoPosition(tuple(case["side"]), pits(m=2), OmwesoRules(endless=endless))
    turns = [turn for turn in position.turns if turn.pit == case["pit"]]
    if result is None:
        assert turns == []
    else:
        after = position.play(turns[0])
        assert (after.ending, after.result) == ("endless", result)
        with pytest.raises(PositionError, match="the game is over"):
            after.play("m")


def test_without_two_seeds_in_a_pit_the_mover_has_lost() -> None:
    position = OmwesoPosition((1,) * 16, pits(m=3))
    assert (position.turns, position.ending, position.result) == ((), "nomove", -1)


def test_okukoneeza_ends_with_the_first_capture_of_the_game() -> None:
    start = OmwesoPosition.start(pits(m=3, e=3), pits(m=3, p=2, a=3))
    assert [turn_text(turn, TOURNAMENT) for turn in start.okukoneeza] == ["m*", "e*"]
    after = start.play("m*")
    assert after.fresh and after.first_turns == (True, False)
    assert not replace(after, fresh=False).okukoneeza
    assert not OmwesoPosition.start(start.side, start.opponent, COMP424).okukoneeza


def test_repetition_and_rounds() -> None:
    """Random games on a board of eight pits come back sooner or later, unless somebody wins."""
    ends = set()
    for seed in range(60):
        rng = random.Random(seed)
        position = OmwesoPosition.start((2, 2, 0, 0), (2, 2, 0, 0), OmwesoRules(columns=2, round_cap=9))
        before = set()
        while position.ending is None:
            before.add((position.sides, position.turn, position.first_turns, position.fresh))
            position = position.play(rng.choice(position.turns))
        ends.add(position.ending)
        again = (position.sides, position.turn, position.first_turns, position.fresh) in before
        assert (position.ending == "repetition") == (again and position.ending not in ("nomove", "endless"))
        assert (position.ending == "rounds") <= (position.plies == 18)
        without = replace(position, rules=replace(position.rules, repetition=Repetition.OFF))
        assert without.ending != "repetition"
        assert position.result == (-1 if position.ending == "nomove" else 0)
    assert {"repetition", "nomove"} <= ends


# -- texts ------------------------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(positions())
def test_the_text_reads_back(position: OmwesoPosition) -> None:
    again = OmwesoPosition.parse(position.text, position.rules)
    assert (again.side, again.opponent) == (position.side, position.opponent)
    assert OmwesoPosition.parse(position.text.replace(",", " "), position.rules) == again


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "0 '/'"),
        ("1,2/3/4", "2 '/'"),
        ("1 2 3/" + " 0" * 16, "3 counts"),
        ("0 " * 16 + "/" + " 0" * 15, "15 counts"),
        ("0 " * 15 + "-1/" + " 0" * 16, "'-1'"),
        ("0 " * 15 + "x/" + " 0" * 16, "'x'"),
        ("0 " * 15 + "64/" + " 4" * 16, "128 seeds"),
    ],
)
def test_bad_texts_are_refused_by_name(text: str, said: str) -> None:
    with pytest.raises(PositionError, match=re.escape(said)) as error:
        OmwesoPosition.parse(text)
    assert "\n" not in str(error.value)


def test_the_drawing_shows_the_rows_as_they_lie() -> None:
    position = OmwesoPosition((*range(1, 9), 9, 0, 0, 0, 0, 0, 0, 2), tuple(range(1, 8)) + (0,) * 9)
    lines = position.draw().splitlines()
    assert lines[1].strip().startswith("|P  . |O  7 |N  6 ") and lines[1].endswith("I  1 |")
    assert "North  |H  . |" in lines[3] and lines[3].endswith("A  . |")
    assert "South to move  |a  2 |b  . |" in lines[5] and lines[5].endswith("h  9 |")
    assert lines[7].strip().startswith("|i  1 |j  2 |") and lines[7].endswith("p  8 |")


# -- invariants -------------------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(positions())
def test_invariants_of_turns(position: OmwesoPosition) -> None:
    for turn in position.turns:
        assert sum(turn.side) + sum(turn.opponent) == position.seeds
        assert min(turn.side) >= 0 and min(turn.opponent) >= 0
        assert position.find(turn_text(turn, position.rules)) == turn
        laps = position.replay(turn)
        if not turn.okukoneeza:
            assert len(laps) == turn.laps and laps[-1].then == turn.status
            assert len(turn.captures) <= position.rules.columns
        if turn.ends:
            assert sum(turn.side) == sum(position.side) + turn.captured
            if laps:
                assert (laps[-1].side, laps[-1].opponent) == (turn.side, turn.opponent)
            assert position.ending is not None or position.play(turn).sides[0] == turn.side


@pytest.mark.parametrize(
    ("word", "fields", "why"),
    [
        ("zz", {}, ""),
        ("q", {}, ""),
        ("j", {}, "pit j holds 1 seed, and a turn needs two or more"),
        ("k", {}, "pit k holds no seeds, and a turn needs two or more"),
        ("d<", {}, "a clockwise lap may start from a b i j alone, not from d"),
        ("i<", {}, "the clockwise lap from i would capture nothing"),
        ("i<", {"first_turns": (True, False)}, "a first turn captures nothing, so no lap of it runs clockwise"),
        ("i>", {}, "what can be chosen from i is i"),
        ("d*", {}, "okukoneeza is played before the first capture of the game"),
        ("i*", {"fresh": True}, "okukoneeza takes a pit of three seeds, and i holds 2"),
        ("d*", {"fresh": True, "rules": OmwesoRules.parse("tournament+okukoneeza=off")}, "no okukoneeza"),
    ],
)
def test_a_turn_that_is_refused_is_told_why(word: str, fields: dict[str, object], why: str) -> None:
    side = (2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0)
    position = replace(OmwesoPosition(side, (0,) * 15 + (2,)), **fields)  # type: ignore[arg-type]
    assert why in position.why_not(word) and bool(why) == bool(position.why_not(word))
    with pytest.raises(PositionError, match=re.escape(why or "legal turns are")):
        position.find(word)
