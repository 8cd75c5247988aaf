"""The compiled generator and the Mayer test: equal to the readable reference under every option; the known answers."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.omweso.kernels import NO_LIMIT, OmwesoGenerator, pack, unpack
from solver.omweso.mayer import MayerTest, census
from solver.omweso.position import OmwesoPosition, Turn
from solver.omweso.rules import COMP424, TOURNAMENT, OmwesoRules, Repetition, Reverse
from tests.conformance import load, load_beside
from tests.omweso.recorded_turns import DATA_RULES, EMPTY, row
from tests.omweso.strategies import boards, positions


@cache
def generator(rules: OmwesoRules) -> OmwesoGenerator:
    return OmwesoGenerator(rules)


def without_captures(turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """The reference's turns without the pits of their captures, which the kernel does not tell."""
    return tuple(replace(turn, captures=()) for turn in turns)


@given(st.integers(2, 8).flatmap(lambda columns: boards(2 * columns, 60)))
def test_packing_reads_back(side: tuple[int, ...]) -> None:
    assert unpack(*pack(side), len(side) // 2) == side


@settings(max_examples=400, deadline=None)
@given(positions())
def test_the_kernel_is_the_reference(position: OmwesoPosition) -> None:
    assert OmwesoGenerator(position.rules).turns(position) == without_captures(position.turns)


@settings(deadline=None)
@given(positions(), st.data())
def test_the_mayer_test_is_the_reference(position: OmwesoPosition, data: st.DataObject) -> None:
    turns = [turn for turn in position.turns if not turn.okukoneeza]
    if not turns:
        return
    turn = data.draw(st.sampled_from(turns))
    result = MayerTest(position, turn).result(position.rules.lap_cap or NO_LIMIT)
    if turn.ends:
        assert (result.outcome, result.laps, result.captured) == ("ends", turn.laps, turn.captured)
    elif turn.cycle:
        assert (result.outcome, result.laps + result.cycle, result.cycle) == ("endless", turn.laps, turn.cycle)
    else:
        assert result.outcome in ("unknown", "endless") and result.laps + result.cycle == turn.laps


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 1000), max_size=60), st.sampled_from(list(DATA_RULES.values())), st.data())
def test_random_games(picks: list[int], rules: OmwesoRules, data: st.DataObject) -> None:
    """Games from two random set-ups, every position with every turn both ways; first turns and okukoneeza included."""
    rules = replace(rules, lap_cap=200)
    position = OmwesoPosition.start(data.draw(boards(16, 32)), data.draw(boards(16, 32)), rules)
    for pick in picks:
        turns = position.turns
        assert generator(rules).turns(position) == without_captures(turns)
        if position.ending is not None:
            break
        position = position.play(turns[pick % len(turns)])


@pytest.mark.parametrize("name", DATA_RULES)
def test_every_turn_of_the_random_positions(name: str) -> None:
    rules = DATA_RULES[name]
    for case in load("omweso/random_turns.jsonl.gz"):
        first = (name == "no_capture", False)
        position = OmwesoPosition(tuple(case["side"]), tuple(case["opp"]), rules, first_turns=first)
        assert [row(turn) for turn in generator(rules).turns(position)] == case[name]


@pytest.mark.parametrize("seeds", [11, 13, 14, 15, pytest.param(16, marks=pytest.mark.full)])
def test_endless_starts_and_their_cycles(seeds: int) -> None:
    cases = [case for case in load("omweso/endless_positions.json")["positions"] if case["seeds"] == seeds]
    assert cases
    for case in cases:
        position = OmwesoPosition(tuple(case["side"]), EMPTY)
        turn = next(turn for turn in generator(TOURNAMENT).turns(position) if turn.pit == case["pit"])
        assert (turn.status, turn.cycle, turn.laps) == ("endless", case["cycle"], case["cycle"])


@pytest.mark.parametrize("seeds", [*range(2, 14), *(pytest.param(n, marks=pytest.mark.full) for n in (14, 15, 16))])
def test_the_census_of_capture_free_starts(seeds: int) -> None:
    """Every start of so many seeds, up to rotation: how many there are, how many endless, the longest that ends."""
    known = load("omweso/endless_positions.json")["counts"][str(seeds)]
    assert census(seeds, 16, 8, generator(TOURNAMENT).laps) == tuple(known.values())


def test_a_full_buffer_grows() -> None:
    """More turns than the buffer's first size: declining doubles them at every capture."""
    rules = OmwesoRules(reverse_fwd_reentry=True, decline_capture=True, reverse=Reverse.LEFTMOST, lap_cap=60)
    position = OmwesoPosition((3,) * 8 + (1,) * 8, (2,) * 16, rules)
    turns = position.turns
    assert len(turns) > 256
    assert OmwesoGenerator(rules).turns(position) == without_captures(turns)


@settings(max_examples=30, deadline=None)
@given(positions(), st.integers(0, 3))
def test_perft_is_the_references(position: OmwesoPosition, depth: int) -> None:
    def count(position: OmwesoPosition, depth: int) -> int:
        if depth == 0:
            return 1
        if depth == 1:
            return len(position.turns)
        return sum(
            count(replace(position, past=(), rules=endless_game).play(turn), depth - 1)
            for turn in position.turns
            if turn.ends
        )

    rules = position.rules
    endless_game = replace(rules, repetition=Repetition.OFF, round_cap=None)
    if len(position.turns) ** max(0, depth - 1) > 300:
        depth = 1
    assert OmwesoGenerator(rules).perft(position, depth) == count(replace(position, rules=endless_game), depth)


# -- third-party logs -------------------------------------------------------------------------------------------------


def test_the_logged_games() -> None:
    """381 computer games under ``comp424``: every board after the last turn, every end."""
    games = load_beside("omweso/comp424_games.jsonl.gz")
    assert (len(games), sum(len(game["moves"]) for game in games)) == (381, 193_680)
    for game in games:
        assert replay(game) == (game["final0"], game["final1"], game["replayed"])


def replay(game: dict) -> tuple[list[int], list[int], str]:
    """Play a logged game with the kernel's turns; tell both final sides and how it stands."""
    position = OmwesoPosition.start(game["init0"], game["init1"], COMP424)
    if game["first"] == 1:
        position = replace(OmwesoPosition.start(game["init1"], game["init0"], COMP424), turn=1)
    for pit in game["moves"]:
        turn = next(turn for turn in generator(COMP424).turns(position) if turn.pit == pit)
        if not turn.ends:
            south, north = position.sides
            return list(south), list(north), f"endless by {position.turn}"
        position = replace(
            position, side=turn.opponent, opponent=turn.side, turn=1 - position.turn,
            first_turns=(position.first_turns[1], False),
        )  # fmt: skip
    south, north = position.sides
    over = not generator(COMP424).turns(position)
    return list(south), list(north), f"over: winner {1 - position.turn}" if over else "not over"


def test_the_cancelled_turns() -> None:
    """Turns that the server cancelled at 200 laps: what the exact test says of them."""
    for case in load_beside("omweso/comp424_endless.json"):
        position = OmwesoPosition(tuple(case["mover"]), tuple(case["other"]), COMP424)
        turn = next(turn for turn in generator(COMP424).turns(position) if turn.pit == case["pit"])
        assert (turn.status, turn.laps) == ("endless", 200)
        if case.get("cycle", 0) > 20_000_000:
            continue
        result = MayerTest(position, turn).result(NO_LIMIT)
        if "cycle" in case:
            assert (result.outcome, result.cycle) == ("endless", case["cycle"])
        else:
            assert (result.outcome, result.laps) == ("ends", case["ends_at_lap"])
