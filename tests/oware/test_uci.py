"""The protocol, as Auale's client speaks it: one engine in this process, and one as a program."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from queue import Empty, Queue

import numpy as np
import pytest
from numpy.typing import NDArray

from solver.errors import AbapaError
from solver.oware import uci
from solver.oware.game import OwareGame
from solver.oware.levels import LEAST_ELO, LEVELS, MOST_ELO
from solver.oware.position import Position
from solver.oware.rules import ABAPA
from solver.oware.uci import Engine
from solver.search import searcher
from solver.search.searcher import Searcher, compile_search
from solver.search.transposition import MAX_MIB, allocate, largest_mib


class Client:
    """Sends commands to an engine on a thread and reads its lines as they come."""

    def __init__(self) -> None:
        self.lines: Queue[str] = Queue()
        self.opened: list[tuple[int, int, bool]] = []
        read, write = os.pipe()
        self.commands = os.fdopen(write, "w", buffering=1)
        client = self

        class Output(io.TextIOBase):
            def write(self, text: str) -> int:
                for line in text.splitlines():
                    client.lines.put(line)
                return len(text)

        @contextmanager
        def open_searcher(hash_mib: int, threads: int, tables: bool) -> Iterator[Searcher[Position]]:
            self.opened.append((hash_mib, threads, tables))
            yield Searcher(OwareGame(ABAPA), hash_mib=hash_mib, threads=threads)

        engine = Engine(ABAPA, open_searcher, Output())  # type: ignore[arg-type]

        def converse() -> None:
            with os.fdopen(read) as source:
                engine.run(source)

        self.thread = threading.Thread(target=converse)
        self.thread.start()

    def send(self, *commands: str) -> None:
        for command in commands:
            self.commands.write(command + "\n")

    def until(self, start: str, seconds: float = 60) -> list[str]:
        """The lines up to the first that starts so."""
        found: list[str] = []
        while not found or not found[-1].startswith(start):
            found.append(self.lines.get(timeout=seconds))
        return found

    def quiet(self) -> bool:
        self.send("isready")
        return self.until("readyok") == ["readyok"]


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """The kernels, beforehand: isready does not wait for them."""
    compile_search(OwareGame(ABAPA))


@pytest.fixture
def client() -> Iterator[Client]:
    client = Client()
    yield client
    if client.thread.is_alive():
        client.send("quit")
    client.thread.join(timeout=30)
    assert not client.thread.is_alive()
    client.commands.close()


def test_the_greeting_is_what_auale_reads(client: Client) -> None:
    client.send("uci")
    lines = client.until("uciok")
    assert re.fullmatch(r"id name \S.*", lines[0]) and re.fullmatch(r"id author \S.*", lines[1])
    option = re.compile(r"option name \w+ type (spin default \d+ min \d+ max \d+|check default (true|false))")
    assert all(option.fullmatch(line) for line in lines[2:-1])
    assert {line.split()[2] for line in lines[2:-1]} == {
        "Hash", "Threads", "OwnTables", "MultiPV", "UCI_LimitStrength", "UCI_Elo", "Ponder",
    }  # fmt: skip
    client.send("setoption name OwnBook value false")  # Auale sends it whatever we offer
    assert client.until("info string") == [
        "info string option OwnBook is unknown: accepted are Hash, Threads, OwnTables, MultiPV, "
        "UCI_LimitStrength and UCI_Elo"
    ]
    assert client.quiet()


def test_a_game_as_auale_asks_for_it(client: Client) -> None:
    client.send("uci", "ucinewgame", "isready")
    client.until("readyok")
    client.send("position startpos moves FfEe", "go depth 8 movetime 60000")
    *infos, best = client.until("bestmove")
    for number, line in enumerate(infos[1:] if infos[0] == "uciok" else infos, 1):
        match = re.fullmatch(
            r"info depth (\d+) score cp (-?\d+) nodes \d+ nps \d+ time \d+ hashfull \d+ tbhits \d+ pv ([A-Fa-f]+)", line
        )
        assert match and int(match[1]) == number and int(match[2]) % 100 == 0
    position = Position.start()
    for letter in "FfEe":
        position = position.play(letter)
    match = re.fullmatch(r"bestmove ([A-F])( ponder [a-f])?", best)
    assert match and position.house(match[1]) in position.legal_moves()


def test_moves_apart_are_the_same_moves(client: Client) -> None:
    answers = []
    for moves in ("FfEe", "F f E e"):
        client.send("ucinewgame", f"position startpos moves {moves}", "go depth 6")
        answers.append([re.sub(r"(nps|time) \d+ ", "", line) for line in client.until("bestmove")])
    assert answers[0] == answers[1]


def test_a_position_after_a_capture_comes_as_fen(client: Client) -> None:
    client.send("position fen 0-0-0-0-0-3-1-3-2-0-0-4-20-15-S moves F", "go depth 5")
    assert client.until("bestmove")[-1].split()[1] in "abcdef"


@pytest.mark.parametrize(
    ("position", "said"),
    [
        ("fen 1-2-3", "3 counts"),
        ("fen", "0 counts"),
        ("startpos moves Fx", "unknown house 'x'"),
        ("startpos moves FF", "move F is not legal here"),
        ("elsewhere", "accepted are startpos and fen"),
        ("", "accepted are startpos and fen"),
    ],
)
def test_a_bad_position_is_answered_by_name(client: Client, position: str, said: str) -> None:
    client.send(f"position {position}")
    (line,) = client.until("info string")
    assert said in line
    client.send("go depth 3")
    assert client.until("bestmove") == ["bestmove 0000"]
    client.send("position startpos", "go depth 2")
    assert client.until("bestmove")[-1] != "bestmove 0000"


def test_a_finished_game_has_no_move(client: Client) -> None:
    client.send("position fen 0-1-0-0-0-0-0-0-0-0-0-0-30-17-S", "go depth 3")
    assert client.until("bestmove") == ["info string the game is over: majority", "bestmove 0000"]


@pytest.mark.parametrize(("go", "end"), [("infinite", "stop"), ("ponder", "ponderhit"), ("ponder", "stop")])
def test_a_finished_game_waits_too(client: Client, go: str, end: str) -> None:
    client.send("position fen 0-0-0-0-0-0-0-0-0-0-0-0-24-24-S", f"go {go}")
    client.until("info string the game is over")
    with pytest.raises(Empty):
        client.until("bestmove", seconds=0.2)
    client.send(end)
    assert client.until("bestmove") == ["bestmove 0000"]


def test_pondering_goes_on_with_its_limits(client: Client) -> None:
    client.send("isready", "position startpos", "go ponder movetime 600")
    client.until("info")
    time.sleep(0.7)
    began = time.monotonic()
    client.send("ponderhit")
    client.until("bestmove")
    assert time.monotonic() - began > 0.5


@pytest.mark.parametrize("command", ["position startpos moves F", "setoption name Hash value 3", "go depth 2"])
def test_what_would_change_a_search_is_refused(client: Client, command: str) -> None:
    client.send("position startpos", "go infinite", command, "stop")
    lines = client.until("bestmove")
    refused = [line for line in lines if line.startswith("info string")]
    assert refused == [f"info string {command.split(maxsplit=1)[0]} is refused while a search runs: send stop first"]
    assert lines[-1].split()[1] in "ABCDEF" and client.quiet()


def test_searchmoves_and_multipv(client: Client) -> None:
    client.send("setoption name MultiPV value 3", "position startpos", "go depth 4")
    lines = client.until("bestmove")
    assert [line.split()[4] for line in lines if line.startswith("info depth 4 ")] == ["1", "2", "3"]
    scores = [int(line.split()[7]) for line in lines if line.startswith("info depth 4 ")]
    assert scores == sorted(scores, reverse=True)
    client.send("go depth 4 searchmoves AB")
    lines = client.until("bestmove")
    assert {line.split()[-1][0] for line in lines if " pv " in line} == {"A", "B"}
    client.send("go searchmoves b C depth 3")
    lines = client.until("bestmove")
    assert lines[0] == "info string searchmoves: 'b' is not legal here and is left out"
    assert lines[-1].startswith("bestmove C")


def test_a_limited_strength_looks_at_so_many_nodes_and_errs(client: Client) -> None:
    """It looks into no tables, shows the lines that are asked for, and plays a legal move that is not always best."""
    client.send("setoption name UCI_LimitStrength value true", f"setoption name UCI_Elo value {LEAST_ELO}")
    played = set()
    for _ in range(20):
        client.send("position startpos", "go depth 90")
        *shown, last = client.until("bestmove")
        assert {line.split()[3] for line in shown if line.startswith("info depth")} == {"score"}
        assert int(shown[-1].split()[shown[-1].split().index("nodes") + 1]) <= 2 * LEVELS[0].nodes
        played.add(last.split()[1])
    assert len(played) > 2 and played <= set("ABCDEF")
    assert client.opened == [(64, 1, False)]
    client.send("go depth 3 searchmoves BC")
    assert client.until("bestmove")[-1].split()[1] in "BC"
    client.send("setoption name UCI_LimitStrength value false", "go depth 5")
    best = client.until("bestmove")[-1]
    assert client.opened == [(64, 1, False), (64, 1, True)]
    client.send(f"setoption name UCI_Elo value {MOST_ELO}", "setoption name UCI_LimitStrength value true", "go depth 5")
    assert client.until("bestmove")[-1] == best and len(client.opened) == 2


def test_a_rating_that_is_none_is_answered(client: Client) -> None:
    client.send("setoption name UCI_Elo value 1", "setoption name UCI_Elo value weak")
    said = [client.until("info string")[-1] for _ in range(2)]
    assert said == [
        f"info string option UCI_Elo: 1 is outside {LEAST_ELO} to {MOST_ELO}, {LEAST_ELO} is taken",
        f"info string option UCI_Elo: weak is not accepted, whole numbers from {LEAST_ELO} to {MOST_ELO} are: "
        f"{LEAST_ELO} is kept",
    ]


def test_a_position_with_too_many_seeds_is_refused(client: Client) -> None:
    client.send("position fen 4-4-4-4-4-4-4-4-4-4-4-5-0-0-S")
    assert client.until("info string") == ["info string a position of 49 seeds: a game has 48"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("depth", ["info string go depth: a whole number is missing, 1 is taken"]),
        ("movetime depth 2", ["info string go movetime: a whole number is missing, 1 is taken"]),
        (
            "perft 3",
            ["info string go perft: not known, and passed over", "info string go 3: not known, and passed over"],
        ),
        ("foo depth 1", ["info string go foo: not known, and passed over"]),
        ("searchmoves F A depth 1", []),
        ("depth 1 searchmoves F A", []),
    ],
)
def test_what_go_does_not_understand_is_told(client: Client, words: str, said: list[str]) -> None:
    client.send("position startpos", f"go {words}")
    if words.startswith("perft"):
        client.send("stop")
    lines = client.until("bestmove")
    assert [line for line in lines if line.startswith("info string go")] == said


@pytest.mark.parametrize("number", ["99999999999999999999", "+99999999999999999999999"])
def test_a_huge_number_of_go_is_the_largest(client: Client, number: str) -> None:
    client.send("position startpos", f"go depth 2 nodes {number} movetime {number}")
    lines = client.until("bestmove")
    assert not [line for line in lines if "1 is taken" in line]
    assert [line.split()[2] for line in lines if line.startswith("info depth")] == ["1", "2"]


def test_a_byte_order_mark_before_the_first_command(client: Client) -> None:
    client.send("\ufeffuci")
    assert client.until("uciok")


@pytest.mark.parametrize("wait", [0.0, 0.3])
def test_stop_answers_at_once(client: Client, wait: float) -> None:
    client.send("isready", "position startpos", "go infinite")
    client.until("readyok")
    time.sleep(wait)
    client.send("stop")
    assert client.until("bestmove", seconds=1)[-1].split()[1] in "ABCDEF"
    assert client.quiet()


def test_infinite_waits_for_stop_even_when_all_is_known(client: Client) -> None:
    client.send("position fen 0-0-0-0-0-1-0-0-0-0-0-0-20-20-S", "go infinite")
    client.until("info")
    with pytest.raises(Empty):
        client.until("bestmove", seconds=0.3)
    client.send("stop")
    assert client.until("bestmove")[-1].startswith("bestmove F")


def test_pondering_ends_with_a_move(client: Client) -> None:
    client.send("position startpos moves F", "go ponder")
    time.sleep(0.1)
    client.send("ponderhit")
    assert client.until("bestmove")[-1].split()[1] in "abcdef"


def test_a_clock_is_kept(client: Client) -> None:
    client.send("isready")
    client.until("readyok")
    began = time.monotonic()
    client.send("position startpos moves F", "go wtime 1 btime 1200 winc 0 binc 100")
    client.until("bestmove")
    assert time.monotonic() - began < 1.2


def test_options_make_another_searcher(client: Client) -> None:
    client.send("setoption name Hash value 7", "setoption name Threads value 2", "setoption name OwnTables value false")
    client.send("position startpos", "go depth 6")
    client.until("bestmove")
    assert client.opened == [(7, 2, False)]
    client.send("setoption name", "setoption")
    for _ in range(2):
        assert client.until("info string")[-1].startswith("info string setoption names no option: accepted are")
    client.send("setoption name Hash value many")
    assert client.until("info string") == [
        f"info string option Hash: many is not accepted, whole numbers from 1 to {largest_mib()} are: 7 is kept"
    ]
    assert client.quiet()


def test_the_greatest_hash_is_what_the_machine_has(client: Client) -> None:
    client.send("uci")
    (line,) = [line for line in client.until("uciok") if line.startswith("option name Hash ")]
    most = int(line.split()[-1])
    assert most == largest_mib() <= MAX_MIB
    assert most <= os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20


@pytest.mark.parametrize(
    ("option", "value", "said", "taken"),
    [
        ("Threads", "0", "0 is outside 1 to 64, 1 is taken", (64, 1, True)),
        ("Threads", "-3", "-3 is outside 1 to 64, 1 is taken", (64, 1, True)),
        ("Threads", "2.5", "2.5 is not accepted, whole numbers from 1 to 64 are: 1 is kept", (64, 1, True)),
        ("Threads", "inf", "inf is not accepted, whole numbers from 1 to 64 are: 1 is kept", (64, 1, True)),
        ("Threads", "\uff12", "\uff12 is not accepted, whole numbers from 1 to 64 are: 1 is kept", (64, 1, True)),
        ("Threads", "", "no value is not accepted, whole numbers from 1 to 64 are: 1 is kept", (64, 1, True)),
        ("Hash", "0", "0 is outside 1 to 100, 1 is taken", (1, 1, True)),
        ("hash", "99999999999", "99999999999 is outside 1 to 100, 100 is taken", (100, 1, True)),
        ("Hash", "9" * 40, f"{'9' * 40} is not accepted, whole numbers from 1 to 100 are: 64 is kept", (64, 1, True)),
        ("OwnTables", "maybe", "maybe is not accepted, true and false are: true is kept", (64, 1, True)),
        ("OwnTables", "1", "1 is not accepted, true and false are: true is kept", (64, 1, True)),
    ],
)
def test_options_that_cannot_be_had_are_answered(
    client: Client, monkeypatch: pytest.MonkeyPatch, option: str, value: str, said: str, taken: tuple[int, int, bool]
) -> None:
    monkeypatch.setattr(uci, "largest_mib", lambda: 100)
    client.send(f"setoption name {option} value {value}")
    assert client.until("info string") == [f"info string option {option}: {said}"]
    client.send("go depth 1")
    client.until("bestmove")
    assert client.opened == [taken]


@pytest.mark.parametrize(
    ("go", "said"),
    [
        ("depth 500 movetime 200", "go depth: 500 is outside 1 to 100, 100 is taken"),
        ("depth 0", "go depth: 0 is outside 1 to 100, 1 is taken"),
        ("nodes 0", f"go nodes: 0 is outside 1 to {10**18 - 1}, 1 is taken"),
        ("movetime -5", "go movetime: -5 is outside 1 to 100000000000, 1 is taken"),
    ],
)
def test_limits_that_cannot_be_kept_are_answered(client: Client, go: str, said: str) -> None:
    client.send(f"go {go}")
    assert client.until("info string") == [f"info string {said}"]
    assert client.until("bestmove")[-1].split()[1] in "ABCDEF"


def test_times_longer_than_any_clock(client: Client) -> None:
    for limit in ("movetime", "wtime"):
        client.send(f"go depth 3 {limit} 999999999999999999")
        assert client.until("bestmove")[-1].split()[1] in "ABCDEF"


def test_nonsense_is_passed_over(client: Client) -> None:
    client.send("", "   ", "hello", "uci-but-not-quite", "stop", "ponderhit", "debug on", "register later")
    assert client.quiet()
    client.send("go depth x")
    assert "whole number is wanted, 1 is taken" in client.until("info string")[-1]
    client.until("bestmove")
    client.send("go depth 1")
    assert client.until("bestmove")[-1].startswith("bestmove ")


def test_the_end_of_input_ends_the_engine(client: Client) -> None:
    client.send("position startpos", "go infinite")
    client.commands.close()
    client.thread.join(timeout=60)
    assert not client.thread.is_alive()


def test_as_a_program() -> None:
    commands = "uci\nisready\nposition startpos moves FfEe\ngo depth 5\nquit\n"
    done = subprocess.run(
        [sys.executable, "-m", "solver", "uci"], input=commands, capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    assert "uciok" in lines and "readyok" in lines and lines[-1].startswith("bestmove")
    assert done.stderr == ""


def test_more_memory_than_there_is_leaves_the_engine_as_it_was(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(mib: int) -> NDArray[np.uint64]:
        if mib > 64:
            raise AbapaError(f"no memory for a transposition table of {mib} MiB: ask for less")
        return allocate(mib)

    monkeypatch.setattr(searcher, "allocate", refuse)
    client.send("setoption name Hash value 65", "isready")
    assert client.until("readyok")[0] == "info string no memory for a transposition table of 65 MiB: ask for less"
    client.send("position startpos", "go depth 3")
    assert client.until("bestmove")[-1].startswith("bestmove ")
