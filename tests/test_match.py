"""The match runner of benchmarks/: what its figures say, and what becomes of engines that misbehave."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from math import log
from pathlib import Path

import match
import pytest
from rating import SequentialTest, expected_points, standing

from solver.oware.position import NORTH, Position
from solver.oware.rules import ABAPA
from tests.pages import ROOT

BENCHMARKS = ROOT / "benchmarks"

ENGINE = """
import random, sys, time
from solver.oware.position import Position
kind, chance = sys.argv[1], random.Random(int(sys.argv[2]))
for line in sys.stdin:
    words = line.split()
    if words[0] in ("uci", "isready"):
        print({"uci": "uciok", "isready": "readyok"}[words[0]], flush=True)
    elif words[0] == "position":
        position = Position.start()
        for letter in "".join(words[3:]):
            position = position.play(letter)
    elif words[0] == "go":
        letters = [position.letter(house) for house in position.legal_moves()]
        if kind == "cheat" and position.seeds < 46:
            letters = ["X"]
        if kind == "leave" and position.seeds < 46:
            sys.exit()
        if kind == "slow":
            until = time.process_time() + 0.08
            while time.process_time() < until:
                pass
        print("info depth 3 score cp 0 nodes 40 time 1", flush=True)
        print("bestmove", chance.choice(letters), flush=True)
    elif words[0] == "quit":
        break
"""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that speaks the protocol and plays at random."""
    path = tmp_path_factory.mktemp("engines") / "engine.py"
    path.write_text(ENGINE)
    return path


def played(engine: Path, a: str, b: str, *arguments: object) -> dict:
    """A match of two kinds of the program, as JSON."""
    sides = (f"{sys.executable} {engine} {kind} {seed}" for seed, kind in enumerate((a, b)))
    command = [sys.executable, BENCHMARKS / "match.py", "--json"]
    for name, side in zip(("--a", "--b"), sides, strict=True):
        command += [name, side]
    done = subprocess.run([*map(str, command), *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_match_of_two_programs(engine: Path, tmp_path: Path) -> None:
    games = tmp_path / "games.jsonl"
    found = played(engine, "random", "random", "--pairs", 3, "--ms", 20, "--games", games)
    rows = [json.loads(line) for line in games.read_text().splitlines()]
    assert found["games"] == len(rows) == 6 and sum(found["pairs"]) == 3
    assert found["points"] == pytest.approx(sum(row["points"] for row in rows) / 6)
    assert [row["a_side"] for row in rows] == ["south", "north"] * 3
    for row in rows:
        position = Position.start(ABAPA)
        for letter in row["moves"]:
            position = position.play(letter)
        assert position.result() is not None and row["ending"] == position.ending and row["plies"] == len(row["moves"])
    moves = sum(len(row["moves"]) - len(row["opening"]) for row in rows)
    assert sum(found["engines"][name]["moves"] for name in "ab") == moves
    assert found["engines"]["a"]["depth"] == 3


@pytest.mark.parametrize(("kind", "ending"), [("cheat", "b: illegal move X won"), ("leave", "b: B has ended won")])
def test_who_does_not_play_loses(engine: Path, kind: str, ending: str) -> None:
    found = played(engine, "random", kind, "--pairs", 1, "--ms", 20)
    assert found["points"] == 1 and found["endings"] == {ending: 2}


def test_overruns_are_counted(engine: Path) -> None:
    found = played(engine, "random", "slow", "--pairs", 1, "--ms", 10)
    slow = found["engines"]["b"]
    assert slow["overruns"] == slow["moves"] and slow["processor_ms"] >= 80


def test_an_engine_that_is_not_named_is_an_error() -> None:
    done = subprocess.run(
        [sys.executable, str(BENCHMARKS / "match.py"), "--a", "abapa uci"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2 and "no engine B: accepted are --b COMMAND and --b-revision REF" in done.stderr


def test_the_openings_are_level_and_differ() -> None:
    rows = [json.loads(line) for line in match.OPENINGS.read_text().splitlines()]
    assert len(rows) >= 100 and len({row["position"] for row in rows}) == len(rows)
    for row in rows:
        position = Position.start(ABAPA)
        for letter in row["moves"]:
            position = position.play(letter)
        assert position.text == row["position"] and position.result() is None
        assert abs(row["score"]) <= match.LEVEL_SCORE and row["nodes"] >= match.LEVEL_NODES


def test_the_referees_agree_on_games_at_random() -> None:
    for seed in range(20):
        chance, position = random.Random(seed), Position.start(ABAPA)
        while position.result() is None:
            assert match.legal(position) == position.legal_moves()
            position = position.play(chance.choice(position.legal_moves()))


def test_the_referees_stop_the_match_where_they_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    told = match.told_moves
    monkeypatch.setattr(match, "told_moves", lambda rules, board: told(rules, board)[1:])
    for position in (Position.start(ABAPA), Position.start(ABAPA).play("A")):
        with pytest.raises(RuntimeError, match="the referees differ at "):
            match.legal(position)
    assert Position.start(ABAPA).play("A").turn == NORTH


# -- what the figures say ---------------------------------------------------------------------------------------------


def test_standing() -> None:
    found = standing([2, 1, 1.5, 0.5])
    assert found.points == 0.625 and found.pairs == (0, 1, 1, 1, 1) and found.games == 8
    assert found.elo is not None and expected_points(found.elo) == pytest.approx(0.625)
    assert found.error == pytest.approx(0.1614, abs=1e-4)  # spread of 1, 1/2, 3/4 and 1/4 over sqrt(4)
    assert found.elo_error == pytest.approx(400 / log(10) * found.error / (0.625 * 0.375))
    assert standing([2, 2]).elo is None and standing([0]).elo is None
    assert found.text.startswith("62.5 % of 8 games (standard error 16.1), Elo +89 (standard error 120)")
    with pytest.raises(ValueError, match="no pair"):
        standing([])


def test_the_sequential_test_decides_as_often_as_it_says() -> None:
    """Pairs of independent games of a known strength: wrong in at most about one of twenty."""
    test = SequentialTest(0, 50)
    for truth, answer in ((0, "least"), (50, "most")):
        chance, right = random.Random(truth), 0
        for _ in range(100):
            pairs: list[float] = []
            while (verdict := test.verdict(pairs)) is None:
                pairs.append(sum(chance.random() < expected_points(truth) for _game in range(2)))
            right += verdict == answer
        assert right >= 88, (truth, right)
    assert test.verdict([]) is None and test.verdict([2] * 3) is None
