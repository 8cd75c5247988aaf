"""Oware Game Notation: what Auale writes is read, what we write reads back, what is wrong is named."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.oware import Position
from solver.records.ogn import ROSTER, OgnError, Record, dump, parse
from solver.rules import ABAPA, AWARI, Rules
from tests.conformance import load
from tests.strategies import games

AS_AUALE_WRITES_IT = """\
[Variant "Abapa"]
[Event "Casual game"]
[Site "?"]
[Date "2026.11.29"]
[Round "-"]
[South "Ama \\"the Lion\\""]
[North "Kofi"]
[Result "*"]
[Annotator "a \\\\ b"]

1. F e { quite usual } 2. B a 3. C
"""


def test_a_game_as_auale_writes_it() -> None:
    (record,) = parse(AS_AUALE_WRITES_IT)
    assert record.tags["South"] == 'Ama "the Lion"'
    assert record.tags["Annotator"] == "a \\ b"
    assert record.moves == list("FeBaC")
    assert record.comments == ["", "", "quite usual", "", "", ""]
    assert record.positions()[-1].turn == 1
    assert dump([record]).splitlines()[:9] == AS_AUALE_WRITES_IT.splitlines()[:9]


def test_what_pgn_readers_expect_too() -> None:
    text = '[FEN "0-0-0-0-0-3-1-3-2-0-0-4-10-25-S"]\n{before} 1. F+3! {a} {b} (1. F {x)} (2. f)) ; rest\n *'
    with pytest.raises(OgnError, match="ply 1: move F is not legal here: legal moves are none, the game is over"):
        parse(text)
    (record,) = parse(text.replace("10-25", "20-15"))
    assert record.comments == ["before", "a b"]
    assert record.start.stores == (20, 15)
    assert parse('1. A a 2. B b\n[Event "two"]\n1. F *\n1. A *')[1].moves == ["F"]


def test_captures_and_results_are_written() -> None:
    position = Position((0, 0, 0, 0, 0, 3, 1, 3, 2, 0, 0, 4), (20, 15))
    record = Record.of([position, position.play("F")], ["F"], South="Ama")
    text = dump([record])
    assert "1. F+3 *" in text
    assert '[FEN "0-0-0-0-0-3-1-3-2-0-0-4-20-15-S"]' in text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no game"),
        ("1. F x", "line 1: 'x' is no move"),
        ("[South Ama]", "line 1: a tag reads"),
        ("1. F e\n2. A {endless", "line 2: a comment that is not closed"),
        ("1. F e (2. A", "line 1: a variation that is not closed"),
        ("1. F F", "ply 2: move F is not legal here: legal moves are a b c d e f"),
        ('[FEN "1-2-3"]\n1. F', "3 counts"),
        ("1. Fe", "'Fe' is no move"),
    ],
)
def test_what_is_wrong_is_named(text: str, said: str) -> None:
    with pytest.raises((OgnError, Exception), match=said) as error:
        parse(text)
    assert "\n" not in str(error.value)


@given(games(max_plies=80), st.text(st.characters(codec="utf-8", exclude_characters="{}"), max_size=30))
def test_what_we_write_reads_back(game: list[Position], comment: str) -> None:
    letters = [
        before.letter(next(move for move in before.legal_moves() if before.play(move).board == after.board
                           and before.play(move).stores == after.stores))
        for before, after in itertools.pairwise(game)
    ]  # fmt: skip
    record = Record.of(game, letters, South='a\\b"c', Event="x")
    record.comments[-1] = comment
    text = dump([record, record])
    first, second = parse(text)
    assert first.moves == second.moves == letters
    assert first.rules == game[0].rules
    assert first.positions()[-1] == game[-1]
    assert first.tags["South"] == 'a\\b"c'
    assert list(first.tags)[: len(ROSTER)] == list(ROSTER)
    assert first.comments[-1] == " ".join(comment.split())
    assert dump([first, second]) == text


@pytest.mark.parametrize("number", range(0, 150, 10))
def test_the_games_with_known_results(number: int) -> None:
    game = load("oware/abapa_games.jsonl")[number]
    positions = [Position.start()]
    for letter in game["moves"]:
        positions.append(positions[-1].play(letter))
    (record,) = parse(dump([Record.of(positions, game["moves"])]))
    assert record.tags["Result"] == f"{game['final'][0]:g}-{game['final'][1]:g}"
    assert record.positions()[-1].result() == tuple(game["final"])


def test_the_variant_names_the_rules() -> None:
    assert parse("1. F")[0].rules == ABAPA
    assert parse('[Variant "awari+pits=4"]\n1. D a')[0].rules == Rules(AWARI.grand_slam, AWARI.cycle, 4)
    assert parse('[Variant "Oware of my village"]\n1. F')[0].rules == ABAPA
