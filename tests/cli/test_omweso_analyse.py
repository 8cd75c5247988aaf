"""``abapa omweso analyse``: the turns of saved and printed games, their scores, and what is no game."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from solver.cli.engine import EngineSize
from solver.cli.omweso.analyse import annotate
from solver.cli.omweso.saved import load_games, load_match, save_match
from solver.cli.omweso.searching import OpenSearcher
from solver.cli.options import TextSource
from solver.omweso.match import Game, Match
from solver.omweso.position import OmwesoPosition
from solver.omweso.rules import OmwesoRules
from solver.search.limits import Limits
from tests.cli.command_line import abapa, refused

RULES = OmwesoRules.parse("tournament+columns=2+lap-cap=200")
ROOT = OmwesoPosition.parse("2,2,1,1/1,1,0,1", RULES)


def game(*turns: str) -> Game:
    made = Game(ROOT)
    for turn in turns:
        made.play(turn)
    return made


def first_turns(position: OmwesoPosition) -> list[str]:
    from solver.omweso.position import turn_text

    return [turn_text(turn, RULES) for turn in position.turns]


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A match with two finished games (one resigned at once), and one under way."""
    path = tmp_path / "match.json"
    save_match(path, Match(RULES), game(first_turns(ROOT)[0]), 2, [game(first_turns(ROOT)[-1]), game()])
    return path


def test_a_match_keeps_its_games(saved: Path) -> None:
    loaded = load_match(saved)
    assert loaded.games == 2 and [len(one.turns) for one in loaded.played] == [1, 0]
    assert loaded.game is not None and len(loaded.game.turns) == 1
    assert [len(one.turns) for one in load_games(TextSource(str(saved)))] == [1, 0, 1]


def test_every_turn_is_annotated(saved: Path) -> None:
    ran = abapa("omweso", "analyse", saved, "--depth", "3")
    assert ran.code == 0 and ran.err == ""
    assert [line.split(",")[0] for line in ran.out.splitlines() if line.startswith("game")] == [
        "game 1",
        "game 2",
        "game 3",
    ]
    assert ran.out.count("   1  South  ") == 2
    lines = [json.loads(line) for line in abapa("omweso", "analyse", saved, "--depth", "3", "--json").out.splitlines()]
    assert [len(one["turns"]) for one in lines] == [1, 0, 1] and lines[0]["position"] == ROOT.text
    piped = abapa("omweso", "analyse", "-", "--depth", "3", stdin=saved.read_text())
    assert (piped.code, piped.out) == (0, ran.out)


@pytest.mark.parametrize("depth", [1, 4])
def test_scores_are_those_of_a_search(depth: int) -> None:
    """The best turn has the score of the search, another one that of a search of it alone; none beats the best."""
    opened, limits = OpenSearcher(EngineSize(1, 1)), Limits(depth=depth)
    seen_worse = False
    for text in first_turns(ROOT):
        (note,) = annotate(game(text), limits, opened)
        searcher = opened(RULES)
        report = searcher.search(ROOT, limits)
        assert (note.side, note.turn) == (0, text) and note.best_score >= report.best.score
        assert note.score <= note.best_score
        if note.best == text:
            assert note.score == note.best_score
        else:
            seen_worse = True
            codes = searcher.game.legal(ROOT)
            (code,) = [code for code in codes if searcher.game.play(ROOT, code) == game(text).position]
            assert note.score == opened(RULES).search(ROOT, limits, only=(code,)).best.score
    assert seen_worse


def test_what_selfplay_prints(tmp_path: Path) -> None:
    path = tmp_path / "games"
    path.write_text(abapa("omweso", "selfplay", "--games", "2", "--depth", "1", "--json").out)
    printed = [json.loads(line) for line in path.read_text().splitlines()]
    lines = [json.loads(line) for line in abapa("omweso", "analyse", path, "--depth", "1", "--json").out.splitlines()]
    assert [[note["turn"] for note in one["turns"]] for one in lines] == [one["turns"] for one in printed]
    assert [one["end"] for one in lines] == [one["end"] for one in printed]
    assert all(note["chance"] is not None for one in lines for note in one["turns"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no game"),
        ("nothing", "line 1, is no game"),
        ('{"setups": [[2], [2]], "rules": "tournament", "scoring": "points", "turns": []}', "line 1, is no game"),
        ('{"setups": 3}', "line 1, is no game"),
        ('{"form": "abapa omweso match 1", "played": 5}', "line 1, is no game"),
        ("[" * 100_000, "line 1, is no game"),
        (" " * 2_000_000, "holds no games: it has more than 1,048,576 characters"),
    ],
)
def test_what_is_no_game_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    refused(abapa("omweso", "analyse", path), said)


def test_one_bad_game_does_not_take_the_others_along(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    printed = abapa("omweso", "selfplay", "--json", "--games", "2", "--depth", "2", "--rules", RULES.id).out
    first, second = (line for line in printed.splitlines() if '"setups"' in line)
    whole = abapa("omweso", "analyse", write(path, f"\ufeff{first}\n{second}\n"), "--depth", "2", "--json")
    assert whole.code == 0 and whole.out.count("\n") == 2
    turns = json.loads(first)["turns"]
    for wrong in ('{"bad', first.replace(f'"{turns[0]}"', '"zz"', 1)):
        ran = abapa("omweso", "analyse", write(path, f"{wrong}\n{second}\n"), "--depth", "2", "--json")
        assert ran.code == 2 and ran.out == whole.out.splitlines(keepends=True)[1]
        assert ran.err.startswith(f"abapa: {path}, line 1, is no game (") and ran.err.count("\n") == 1


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_an_illegal_turn_names_its_line(saved: Path) -> None:
    text = saved.read_text()
    saved.write_text(text + text.replace(f'"turns": ["{first_turns(ROOT)[0]}"]', '"turns": ["z"]'))
    refused(abapa("omweso", "analyse", saved), "line 2, is no game", "turn 'z' is not legal here")
