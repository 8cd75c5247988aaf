"""Thousands of protocol lines, most of them wrong: the engine answers each search once and never fails."""

from __future__ import annotations

import io
import random
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from solver.oware import uci
from solver.oware.game import OwareGame
from solver.oware.position import Position
from solver.oware.rules import ABAPA
from solver.oware.uci import Engine
from solver.search.searcher import Searcher

WORDS = (
    "uci", "isready", "ucinewgame", "setoption", "position", "go", "stop", "ponderhit", "debug", "register", "name",
    "value", "Hash", "Threads", "OwnTables", "MultiPV", "Ponder", "startpos", "fen", "moves", "depth", "nodes",
    "movetime", "wtime", "btime", "winc", "binc", "movestogo", "infinite", "ponder", "searchmoves", "true", "false",
    "0", "1", "2", "3", "7", "-1", "2.5", "999999999999999999", "9" * 40, "nan", "\ufeff", "\x00", "\udc80", "\u0661",
    "A", "F", "a", "f", "FfEe", "AbCd", "x" * 100_000, "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S",
    "1-1-0-0-1-1-0-2-2-0-0-2-18-20-S", "0-0-0-0-0-0-0-0-0-0-0-0-24-24-S", "0-0-0-0-0-1-0-0-0-0-0-0-20-27-S",
    "4-4-4-4-4-4-4-4-4-4-4-5-0-0-S", "255-255-0-0-0-0-0-0-0-0-0-0-0-0-N",
)  # fmt: skip
SOUND = (
    "position startpos", "position startpos moves FfEe", "position fen 1-1-0-0-1-1-0-2-2-0-0-2-18-20-S",
    "position fen 0-0-0-0-0-0-0-0-0-0-0-0-24-24-S", "go depth 2", "go nodes 300", "go movetime 2", "go infinite",
    "go ponder movetime 2", "go depth 2 searchmoves A b F", "go depth 3 nodes 50 searchmoves C", "stop", "ponderhit",
    "setoption name MultiPV value 3", "setoption name MultiPV value 1", "ucinewgame", "isready",
)  # fmt: skip


def lines(count: int, seed: int) -> Iterator[str]:
    """Commands: a half sound, a half of words in any order. Searches are short, or are stopped."""
    chance = random.Random(seed)
    for _ in range(count):
        if chance.random() < 0.5:
            yield chance.choice(SOUND)
            continue
        words = [chance.choice(WORDS) for _ in range(chance.randrange(9))]
        line = " ".join(words)
        if line.split()[:1] == ["go"]:
            line += " nodes 200"
        yield line


@pytest.mark.parametrize("seed", range(5))
def test_a_thousand_lines(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """5,000 lines in all: as many moves are told as searches were begun, each line of the answers is a sound one."""
    monkeypatch.setattr(uci, "largest_mib", lambda: 2)
    monkeypatch.setattr(uci, "MAX_THREADS", 2)

    @contextmanager
    def open_searcher(hash_mib: int, threads: int, tables: bool) -> Iterator[Searcher[Position]]:
        yield Searcher(OwareGame(ABAPA), hash_mib=min(hash_mib, 2), threads=threads)

    output = io.StringIO()
    engine = Engine(ABAPA, open_searcher, output)
    begun = 0
    search = engine._search

    def counted(*arguments: object) -> None:
        nonlocal begun
        begun += 1
        search(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(engine, "_search", counted)
    engine.run(io.StringIO("\n".join(lines(1000, seed)) + "\n"))
    answers = output.getvalue().splitlines()
    kinds = ("id ", "option ", "uciok", "readyok", "info ", "bestmove ")
    assert all(answer.startswith(kinds) for answer in answers)
    assert all(len(answer) < 1000 for answer in answers)
    told = sum(answer.startswith("bestmove ") for answer in answers)
    print(f"protocol: seed {seed}: 1,000 lines, {begun} searches, {told} moves, {len(answers)} answers")
    assert told == begun > 20
