"""The readable reference: parsing, sowing, capturing, feeding, grand slams, endings; the games with known results."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given

from solver.errors import PositionError
from solver.oware.position import NORTH, SOUTH, Position
from solver.oware.rules import ABAPA, AWARI, Cycle, GrandSlam, Rules
from tests.conformance import load
from tests.oware.strategies import games

START = "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S"


def test_the_start() -> None:
    start = Position.parse(START)
    assert start == Position.start()
    assert start.text == START
    assert [start.letter(move) for move in start.legal_moves()] == list("ABCDEF")
    assert start.total == 48


@pytest.mark.parametrize("separator", ["-", ",", " ", ", "])
def test_bare_counts_mean_south_to_move_and_empty_stores(separator: str) -> None:
    assert Position.parse(separator.join("012300100002")).text == "0-1-2-3-0-0-1-0-0-0-0-2-0-0-S"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "0 counts"),
        ("1 2 3", "3 counts"),
        ("4-4-4-4-4-4-4-4-4-4-4-4-0-S", "13 counts"),
        ("4-4-4-4-4-4-4-4-4-4-4-4-S", "no stores"),
        ("4-4-4-4-4-4-4-4-4-4-4-4-0-0", "14 counts"),
        ("4 4 4 4 4 4 4 4 4 4 4 x", "'x'"),
        ("4 4 4 4 4 4 4 4 4 4 4 -4", "negative"),
        ("4 4 4 4 4 4 4 4 4 4 4 \uff14", "'\uff14' where a count belongs"),
        ("4 4 4 4 4 4 4 4 4 4 4 \u0664", "'\u0664' where a count belongs"),
        ("4 4 4 4 4 4 4 4 4 4 4 1_0", "'1_0' where a count belongs"),
        ("4-4-4-4-4-4-4-4-4-4-4-4-0-0-\u017f", "'\u017f' where a count belongs"),
        ("4-4-4-4-4-4-4-4-4-4-4--4", "4-"),
        ("4-4-4-4-4-4-4-4-4-4-4-4-0-0-W", "'W'"),
        ("4 4 4 4 4 4 4 4 4 4 4 4.5", "'4.5'"),
    ],
)
def test_bad_texts_are_refused_by_name(text: str, said: str) -> None:
    with pytest.raises(PositionError, match=re.escape(said)) as error:
        Position.parse(text)
    assert "accepted are" in str(error.value)


def test_the_origin_is_skipped_on_every_lap() -> None:
    assert Position((0, 0, 12, 0, 0, 0) + (0,) * 6).sow(2).board == (1, 1, 0, 2, 1, 1) + (1,) * 6
    assert Position((23, 0, 0, 0, 0, 0) + (0,) * 6).sow(0).board == (0, 3, 2, 2, 2, 2) + (2,) * 6


def test_captures_run_backwards_and_stop() -> None:
    move = Position((0, 0, 0, 0, 0, 3, 1, 3, 2, 0, 0, 4)).sow(5)
    assert (move.captured, move.board) == (3, (0, 0, 0, 0, 0, 0, 2, 4, 0, 0, 0, 4))


SLAM = (0, 0, 1, 0, 0, 2, 1, 1, 0, 0, 0, 0)  # F takes everything North has


@pytest.mark.parametrize(
    ("slam", "legal", "captured"),
    [("forfeit", "CF", 0), ("forbidden", "C", None), ("capture", "CF", 4), ("win-only", "CF", 4)],
)
def test_grand_slam(slam: str, legal: str, captured: int | None) -> None:
    position = Position(SLAM, rules=Rules(GrandSlam(slam)))
    assert "".join(map(position.letter, position.legal_moves())) == legal
    if captured is not None:
        assert sum(position.play("F").stores) == captured


def test_win_only_without_a_majority_forfeits() -> None:
    position = Position(SLAM, (10, 14), rules=Rules(GrandSlam.WIN_ONLY))
    assert position.play("F").stores == (10, 14)


def test_feeding() -> None:
    assert Position((0, 1, 0, 0, 0, 2) + (0,) * 6).legal_moves() == (5,)
    unable = Position((0, 1, 0, 0, 0, 0) + (0,) * 6, (2, 1))
    assert (unable.legal_moves(), unable.ending, unable.result()) == ((), "nomove", (3, 1))


def test_when_every_awari_move_starves_the_mover_gets_all() -> None:
    position = Position((0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0), (0, 0), rules=AWARI)
    assert (position.ending, position.result()) == ("nomove", (3, 0))


@pytest.mark.parametrize(("cycle", "final"), [(Cycle.OWN_ROW, (1, 2)), (Cycle.EVEN, (1.5, 1.5))])
def test_repetition(cycle: Cycle, final: tuple[float, float]) -> None:
    position = Position((0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 2), rules=Rules(cycle=cycle))
    seen = set()
    while position.ending is None:
        seen.add((position.board, position.turn))
        position = position.play(position.legal_moves()[0])
    if position.ending == "repetition":
        assert (position.board, position.turn) in seen
        result = position.result()
        assert result is not None and sum(result) == 3


def test_a_move_that_is_not_legal_is_named_with_those_that_are() -> None:
    with pytest.raises(PositionError, match="move a is not legal here: legal moves are A B C D E F"):
        Position.start().play("a")
    with pytest.raises(PositionError, match="unknown house 'x'"):
        Position.start().play("x")


def test_the_drawing_shows_houses_stores_and_the_mover() -> None:
    drawing = Position.parse("1-2-3-4-5-6-7-8-9-10-11-12-13-14-N").draw().splitlines()
    assert "12 | 11 | 10 |  9 |  8 |  7" in drawing[2] and "store 14   to move" in drawing[2]
    assert "1 |  2 |  3 |  4 |  5 |  6" in drawing[4] and drawing[4].endswith("store 13")


@given(games())
def test_invariants_on_random_games(game: list[Position]) -> None:
    for before, after in itertools.pairwise(game):
        assert after.total == before.total
        assert after.turn == 1 - before.turn
        assert min(after.board) >= 0
    for position in game:
        assert Position.parse(position.text, position.rules).text == position.text
        mirrored = Position(position.board[position.rules.pits :] + position.board[: position.rules.pits],
                            (position.stores[1], position.stores[0]), 1 - position.turn, position.rules)  # fmt: skip
        assert mirrored.canonical == position.canonical
        if (final := position.result()) is not None:
            assert position.legal_moves() == ()
            assert sum(final) <= position.total


@pytest.mark.parametrize("case", load("oware/perft.json")["positions"], ids=lambda case: case["name"])
@pytest.mark.parametrize("rules", [ABAPA, AWARI], ids=str)
def test_perft_of_the_reference(case: dict, rules: Rules) -> None:
    def count(position: Position, depth: int) -> int:
        return 1 if depth == 0 else sum(count(position.play(move), depth - 1) for move in position.legal_moves())

    position = Position.parse(case["position"], rules)
    counts = case[rules.id]
    depths = [depth for depth in range(1, len(counts) + 1) if counts[depth - 1] <= 6000]
    assert [count(position, depth) for depth in depths] == counts[: len(depths)]


@pytest.mark.parametrize("number", range(150))
def test_the_games_with_known_results(number: int) -> None:
    game = load("oware/abapa_games.jsonl")[number]
    position = Position.start()
    for letter in game["moves"]:
        position = position.play(letter)
    assert position.ending == game["end"]
    assert list(position.board) == game["board_before_end"]
    assert list(position.stores) == game["stores_before_end"]
    assert position.turn in (SOUTH, NORTH) and position.turn == game["turn"]
    result = position.result()
    assert result is not None and list(result) == game["final"]
