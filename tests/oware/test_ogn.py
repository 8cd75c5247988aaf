"""Oware Game Notation: what Auale writes is read, what we write reads back, what is wrong is named."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.oware.ogn import ROSTER, OgnError, Record, Remark, dump, parse
from solver.oware.position import Position
from solver.oware.rules import ABAPA, AWARI, Rules
from tests.conformance import load
from tests.oware.strategies import games

AS_AUALE_WRITES_IT = """\
[Variant "Oware Abapa"]
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
    assert record.remarks == [[], [], [Remark("comment", "quite usual")], [], [], []]
    assert record.positions()[-1].turn == 1
    assert dump([record]).splitlines()[:9] == AS_AUALE_WRITES_IT.splitlines()[:9]


def test_what_pgn_readers_expect_too() -> None:
    text = '[FEN "0-0-0-0-0-3-1-3-2-0-0-4-10-25-S"]\n{before} 1. F+3! {a} {b} (1. F {x)} (2. f)) ; rest\n *'
    (record,) = parse(text)
    assert record.warnings == ["the game ended after ply 0 by its rules (majority): the moves after it are left out"]
    assert record.moves == [] and record.comments(0) == ["before", "after the end: F"]
    (record,) = parse(text.replace("10-25", "20-15"))
    assert record.comments(0) == ["before"]
    assert [(it.kind, it.text) for it in record.remarks[1]] == [
        ("glyph", "!"),
        ("comment", "a"),
        ("comment", "b"),
        ("variation", "1. F { x) } (2. f)"),
        ("comment", "rest"),
    ]
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


WORDS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=30).map(lambda text: " ".join(text.split()))
COMMENTS = st.builds(Remark, st.just("comment"), WORDS.filter(bool))
GLYPHS = st.builds(Remark, st.just("glyph"), st.sampled_from(["!", "?", "!!", "?!", "$1", "$145"]))


@st.composite
def variations(draw: st.DrawFn, depth: int = 2) -> str:
    """The text between the parentheses: moves, comments of both kinds with anything in them, more variations."""
    parts = []
    for kind in draw(st.lists(st.sampled_from("mc;v" if depth else "mc;"), max_size=4)):
        if kind == "m":
            parts.append(draw(st.sampled_from(["1. F e", "2... a+2", "$3", "B!"])))
        elif kind == "c":
            parts.append("{" + draw(WORDS).replace("}", "") + "}")
        elif kind == ";":
            parts.append(";" + draw(WORDS) + "\n")
        else:
            parts.append("(" + draw(variations(depth - 1)) + ")")
    return draw(st.sampled_from(["", " "])).join(parts)


def letters_of(game: list[Position]) -> list[str]:
    return [
        before.letter(next(move for move in before.legal_moves() if before.play(move).board == after.board
                           and before.play(move).stores == after.stores))
        for before, after in itertools.pairwise(game)
    ]  # fmt: skip


@given(games(max_plies=80), st.data())
def test_what_we_write_reads_back(game: list[Position], data: st.DataObject) -> None:
    record = Record.of(game, letters_of(game), South='a\\b"c', Event="x", Site="two\r\nlines")
    for remarks in record.remarks[-3:]:
        remarks.extend(data.draw(st.lists(COMMENTS | GLYPHS, max_size=4)))
    text = dump([record, record])
    first, second = parse(text)
    assert first == second
    assert first.moves == record.moves
    assert first.rules == game[0].rules
    assert first.positions()[-1] == game[-1]
    assert first.tags == record.tags | {"Site": "two  lines", "Date": "?", "Round": "?", "North": "?"}
    assert list(first.tags)[: len(ROSTER)] == list(ROSTER)
    assert first.remarks == record.remarks
    assert first.warnings == []
    assert dump([first, second]) == text


@given(st.lists(variations() | COMMENTS | GLYPHS, max_size=4), st.booleans())
def test_variations_are_kept_as_text(parts: list[Remark | str], crlf: bool) -> None:
    glyphs = "".join(f" {part.text} " for part in parts if isinstance(part, Remark) and part.kind == "glyph")
    text = f"1. F {glyphs}"
    for part in parts:
        if isinstance(part, str):
            text += f"({part})"
        elif part.kind == "comment":
            text += f";{part.text}\n"
    (once,) = parse((text + " e *").replace("\n", "\r\n" if crlf else "\n"))
    (twice,) = parse(dump([once]))
    assert twice.remarks == once.remarks and twice.moves == ["F", "e"]
    assert dump([twice]) == dump([once])
    kinds = [remark.kind for remark in once.remarks[1]]
    assert kinds.count("variation") == sum(isinstance(part, str) for part in parts)
    written = "".join(re.findall(r"\w", "".join(part for part in parts if isinstance(part, str))))
    kept = "".join(re.findall(r"\w", "".join(it.text for it in once.remarks[1] if it.kind == "variation")))
    assert kept == written


NORTH_STARTS = '[FEN "4-4-4-4-4-4-4-4-4-4-4-4-0-0-N"]\n'


@pytest.mark.parametrize(
    "moves",
    ["1. ... e 2. F f *", "1... e 2. F f", "1...e 2. F 2... f", "1. e F 2. f", "e F f", "1 ... e 2 F f", "1. … e F f",
     "1. ... e {1. A a} 2. F (2. A a ; x)\n) f 0-1", "1.e F;2. A\n f ; the end", "; head\n1... e 2. F f"],
)  # fmt: skip
def test_move_numbers_are_read_in_every_form(moves: str) -> None:
    (record,) = parse(NORTH_STARTS + moves)
    assert record.moves == ["e", "F", "f"]
    (again,) = parse(dump([record]))
    assert (again.moves, again.remarks, again.tags) == (record.moves, record.remarks, record.tags | again.tags)


def test_who_is_not_to_move_is_named() -> None:
    with pytest.raises(OgnError, match="ply 1: move e is not legal here: legal moves are A B C D E F"):
        parse("1. ... e")
    with pytest.raises(OgnError, match="ply 1: move F is not legal here: legal moves are a b c d e f"):
        parse(NORTH_STARTS + "1... F")


def test_remarks_find_their_game() -> None:
    text = """{ about the first } [Event "one"] ; and more
[Round "1"]
1. F ; South's { best
e $1 { good }{ indeed } 24-24 { agreed } ; by both
; about the second
[Event "two"]
1. A *

{ the end of the file }
"""
    first, second = parse(text)
    assert first.comments(0) == ["about the first", "and more"]
    assert first.comments(1) == ["South's { best"]
    assert first.remarks[2] == [
        Remark("glyph", "$1"),
        *(Remark("comment", words) for words in ("good", "indeed", "agreed", "by both")),
    ]
    assert second.comments(0) == ["about the second"]
    assert second.comments(1) == ["the end of the file"]
    assert [record.remarks for record in parse(dump([first, second]))] == [first.remarks, second.remarks]


def test_games_without_moves_are_kept_apart() -> None:
    assert [record.tags["Event"] for record in parse('[Event "a"]\n\n[Event "b"]\n1. F\n')] == ["a", "b"]
    with pytest.raises(OgnError, match="line 2: the tag Event stands in one game twice"):
        parse('[Event "a"]\n[Event "b"]\n1. F\n')


def test_a_comment_of_ours_takes_the_place_of_the_one_before() -> None:
    (record,) = parse("1. F! { ours 1 } { theirs } (1. A) { ours 22 } e { theirs } 2. D $3 (2. A) *")
    old = re.compile(r"ours \d+")
    record.annotate(1, "ours  3", old)
    record.annotate(2, "ours 4", old)
    record.annotate(3, "ours 5", old)
    assert record.comments(1) == ["ours 3", "theirs"]
    assert [it.kind for it in record.remarks[1]] == ["glyph", "comment", "comment", "variation"]
    assert record.comments(2) == ["ours 4", "theirs"]
    assert [it.text for it in record.remarks[3]] == ["$3", "ours 5", "2. A"]
    once = dump([record])
    record.annotate(1, "ours 3", old)
    assert dump([record]) == once


@pytest.mark.parametrize("number", range(0, 150, 10))
def test_the_games_with_known_results(number: int) -> None:
    game = load("oware/abapa_games.jsonl")[number]
    positions = [Position.start()]
    for letter in game["moves"]:
        positions.append(positions[-1].play(letter))
    (record,) = parse(dump([Record.of(positions, game["moves"])]))
    assert record.tags["Result"] == f"{game['final'][0]:g}-{game['final'][1]:g}"
    assert record.positions()[-1].result() == tuple(game["final"])


@pytest.mark.parametrize("name", ["Abapa", "Oware Abapa", "oware abapa", "abapa", "?", ""])
def test_the_names_of_abapa(name: str) -> None:
    (record,) = parse(f'[Variant "{name}"]\n1. F')
    assert record.rules == ABAPA and record.warnings == []
    assert parse(dump([record]))[0].rules == ABAPA


def test_the_variant_names_the_rules() -> None:
    assert parse("1. F")[0].rules == ABAPA  # as Auale, which plays nothing else
    assert '[Variant "Oware Abapa"]' in dump(parse("1. F"))
    assert parse('[Variant "awari+pits=4"]\n1. D a')[0].rules == Rules(AWARI.grand_slam, AWARI.cycle, 4)
    for name in ("Oware of my village", "chess", "abapa+pits=9", "abapa+pits=\uff14", "Awari, Oware"):
        with pytest.raises(
            OgnError, match=r"unknown Variant '.*': accepted are Oware Abapa, Abapa, or a preset"
        ) as error:
            parse(f'[South "Ama"]\n[Variant "{name}"]\n1. F')
        assert "Ama - ?" in str(error.value) and "\n" not in str(error.value)


def test_rules_that_are_asked_for_stand_for_those_named() -> None:
    for name in ("chess", "awari"):
        (record,) = parse(f'[Variant "{name}"]\n1. F', ABAPA)
        assert record.rules == ABAPA and record.warnings == [f"Variant '{name}' is read as abapa"]
        assert parse(dump([record]))[0].rules == ABAPA
    for text in ('[Variant "Awari"]\n1. F', "1. F"):
        (record,) = parse(text, AWARI)
        assert (record.rules, record.tags["Variant"], record.warnings) == (AWARI, "awari", [])


# -- results ----------------------------------------------------------------------------------------------------------

LAST = '[FEN "0-0-0-0-0-1-1-0-0-0-0-1-24-21-S"]\n'  # F captures two and has a majority


@pytest.mark.parametrize("result", ["20-28", "0-1", "1/2-1/2", "26-22", "South wins", "24-24"])
def test_a_wrong_result_is_put_right(result: str) -> None:
    (record,) = parse(f'{LAST}[Result "{result}"]\n1. F+2')
    assert record.tags["Result"] == "26-21"
    assert record.warnings == [f"Result {result!r} is wrong: the game ended by its rules, 26-21 (majority)"]
    assert dump([record]).endswith("1. F+2 26-21\n")
    (again,) = parse(dump([record]))
    assert again.warnings == []


@pytest.mark.parametrize("result", ["26-21", "1-0", "*", "?"])
def test_a_right_result_is_no_reason_to_warn(result: str) -> None:
    (record,) = parse(f'{LAST}[Result "{result}"]\n1. F+2')
    assert (record.tags["Result"], record.warnings) == ("26-21", [])
    (record,) = parse(f"{LAST}1. F+2 {result if result != '?' else ''}")
    assert (record.tags["Result"], record.warnings) == ("26-21", [])


def test_a_result_at_the_end_of_the_moves_is_checked_too() -> None:
    (record,) = parse(f'{LAST}[Result "26-21"]\n1. F+2 21-26')
    assert record.warnings == ["Result '21-26' is wrong: the game ended by its rules, 26-21 (majority)"]
    assert dump([record]).endswith("26-21\n")


def test_the_result_of_a_game_that_goes_on_is_taken() -> None:
    for text in ('[Result "30-18"]\n1. F e', "1. F e 30-18", '[Result "30-18"]\n1. F e *'):
        (record,) = parse(text)
        assert (record.tags["Result"], record.warnings) == ("30-18", [])
        assert dump([record]).endswith("1. F e 30-18\n")
    (record,) = parse('[Result "30-18"]\n1. F e 18-30')
    assert record.warnings == ["the tag says Result '30-18', the moves end with 18-30: the tag is taken"]
    (record,) = parse('[Result "abandoned"]\n1. F e')
    assert record.warnings == [] and dump([record]).endswith("1. F e *\n")
    assert parse(dump([record]))[0].tags["Result"] == "abandoned"


def test_captures_that_are_none_are_told() -> None:
    (record,) = parse(f"{LAST}1. F+3")
    assert record.warnings == ["ply 1: F+3 captures 2 seeds"]
    assert "1. F+2" in dump([record])


def test_a_tag_that_is_no_position_is_an_error_of_its_game() -> None:
    with pytest.raises(OgnError, match="game Ama - Efua: position 'junk'"):
        parse('[South "Ama"]\n[North "Efua"]\n[FEN "junk"]\n\n1. A *\n')


THREE = '[Event "a"]\n\n1. F f *\n\n[Event "b"]\n\n1. F {} *\n\n[Event "c"]\n\n1. F e *\n'


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ("F", "game 2, line 7: game ? - ?, ply 2: move F is not legal here"),
        ("f 2. Q", "game 2, line 7: 'Q' is no move"),
        ("{ open", "game 2, line 7: a comment that is not closed"),
        ("( open", "game 2, line 7: a variation that is not closed"),
        ("x" * 1_000_000, "game 2, line 7: 'xxx"),
        ('f 2. E *\n[Event "', "game 3, line 8: a tag reads"),
    ],
)
def test_one_bad_game_leaves_the_others(bad: str, said: str) -> None:
    refused: list[OgnError] = []
    records = parse(THREE.replace("{}", bad), refused=refused)
    (error,) = refused
    assert str(error).startswith(said) and len(str(error)) < 300
    assert [record.tags["Event"] for record in records][-1] == "c"
    with pytest.raises(OgnError, match=said[:14]):
        parse(THREE.replace("{}", bad))


def test_moves_past_the_end_are_left_out_with_a_warning() -> None:
    text = '[FEN "0-0-0-0-0-1-0-0-0-0-0-1-23-23-S"]\n\n1. F f 2. A a 3. B b 4. C c 5. D d 6. E e 7. F *\n'
    (record,) = parse(text)
    end = record.positions()[-1]
    assert end.result() is not None and "".join(record.moves) == "FfAaBbCcDdEe"[: len(record.moves)]
    assert record.warnings[0].endswith("the moves after it are left out")
    (again,) = parse(dump([record]))
    assert again.moves == record.moves and not again.warnings


def test_many_games_of_tags_alone() -> None:
    text = '[Event "x"]\n\n' * 20_000
    assert len(parse(text)) == 20_000
