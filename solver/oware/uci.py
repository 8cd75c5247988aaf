"""The engine protocol that Oware programs speak: the UCI dialect of Auale and Aalina.

Read from one text stream, answer on another. Positions are ``startpos`` or ``fen`` and the text of
:mod:`solver.oware.position`; moves are letters, written together (``moves FfEe``, as Auale does) or apart. Scores are
in hundredths of a seed, from the view of the player to move, stores included. Differences from chess are few: no move
is ``0000``; ``wtime`` is South's clock and ``btime`` North's. The search runs on a thread of its own, so that every
command is answered while it does. Source: the protocol by S. Meyer-Kahlen (2006) and how Auale's client uses it.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from typing import TextIO

from solver import __version__
from solver.errors import AbapaError
from solver.numerals import read_whole
from solver.oware.position import NORTH, Position
from solver.oware.rules import Rules
from solver.search.limits import LONGEST_SECONDS, MAX_DEPTH, MAX_THREADS, Limits
from solver.search.searcher import Report, Searcher, compile_search
from solver.search.transposition import largest_mib

OpenSearcher = Callable[[int, int, bool], AbstractContextManager[Searcher[Position]]]
"""Makes a searcher from Hash (MiB), Threads and OwnTables."""

_LATENCY = 0.03  # seconds of a clock kept for the way there and back
_MOVES_TO_GO = 24
_MOST_NODES = 10**18 - 1  # the largest number that is read


class Engine:
    """One conversation. ``open_searcher`` makes the searcher that options ask for; ``rules`` are those of every
    game."""

    def __init__(self, rules: Rules, open_searcher: OpenSearcher, output: TextIO) -> None:
        self._rules, self._open, self._output = rules, open_searcher, output
        self._options: dict[str, int] = {"hash": 64, "threads": 1, "owntables": 1}
        self._good = dict(self._options)
        self._position: Position | None = Position.start(rules)
        self._searcher: Searcher[Position] | None = None
        self._resources = ExitStack()
        self._thread: threading.Thread | None = None
        self._stopped = threading.Event()
        self._patient = threading.Event()  # set: an infinite search or pondering, whose move waits for stop
        self._printing = threading.Lock()

    def run(self, source: TextIO) -> None:
        """Answer commands until ``quit`` or the end of the source."""
        try:
            for line in source:
                words = line.split()
                if words and not self.answer(words):
                    break
        finally:
            self._stop()
            self._resources.close()

    def answer(self, words: list[str]) -> bool:
        """Answer one command, split at spaces; False for ``quit``. Unknown commands are passed over."""
        command, *arguments = words
        if command == "quit":
            return False
        handler = {
            "uci": self._uci,
            "isready": self._isready,
            "ucinewgame": self._ucinewgame,
            "setoption": self._setoption,
            "position": self._position_,
            "go": self._go,
            "stop": lambda _: self._stop(),
            "ponderhit": lambda _: self._ponderhit(),
        }.get(command)
        if handler is not None:
            try:
                handler(arguments)
            except AbapaError as error:
                self._say(f"info string {error}")
        return True

    # -- commands -----------------------------------------------------------------------------------------------------

    def _uci(self, _: list[str]) -> None:
        self._say(f"id name Abapa {__version__}")
        self._say("id author the Abapa project")
        self._say(f"option name Hash type spin default 64 min 1 max {largest_mib()}")
        self._say(f"option name Threads type spin default 1 min 1 max {MAX_THREADS}")
        self._say("option name OwnTables type check default true")
        self._say("uciok")

    def _isready(self, _: list[str]) -> None:
        if self._thread is None:
            compile_search(self._ready().game)
        self._say("readyok")

    def _ucinewgame(self, _: list[str]) -> None:
        self._stop()
        self._position = Position.start(self._rules)
        if self._searcher is not None:
            self._searcher.clear()

    def _setoption(self, arguments: list[str]) -> None:
        words = [word.lower() for word in arguments]
        name = words[1] if len(words) > 1 and words[0] == "name" else ""
        if name not in self._options:
            return
        value = words[words.index("value") + 1] if "value" in words[:-1] else ""
        if name == "owntables":
            number = self._switch(arguments[1], value)
        else:
            number = self._spin(arguments[1], value, largest_mib() if name == "hash" else MAX_THREADS)
        if number != self._options[name]:
            self._stop()
            self._options[name] = number
            self._searcher = None  # made anew by the next search
            self._resources.close()

    def _switch(self, name: str, value: str) -> int:
        """The value of an option that is on or off. Raises AbapaError, and the option stays as it is."""
        if value not in ("true", "false"):
            kept = "true" if self._options[name.lower()] else "false"
            raise AbapaError(
                f"option {name}: {value or 'no value'} is not accepted, true and false are: {kept} is kept"
            )
        return int(value == "true")

    def _spin(self, name: str, value: str, most: int) -> int:
        """The value of an option that is a number from 1 to ``most``; one that is no number is refused likewise."""
        try:
            return self._within(f"option {name}", read_whole(value), most)
        except ValueError:
            accepted = f"whole numbers from 1 to {most} are: {self._options[name.lower()]} is kept"
            raise AbapaError(f"option {name}: {value or 'no value'} is not accepted, {accepted}") from None

    def _within(self, what: str, number: int, most: int) -> int:
        """The nearest number from 1 to ``most``; says which is taken where it is another."""
        taken = min(max(number, 1), most)
        if taken != number:
            self._say(f"info string {what}: {number} is outside 1 to {most}, {taken} is taken")
        return taken

    def _position_(self, arguments: list[str]) -> None:
        self._stop()
        self._position = None  # a bad position must not be answered with the move of an older one
        moves = arguments.index("moves") if "moves" in arguments else len(arguments)
        kind, *text = arguments[:moves] or [""]
        if kind == "startpos":
            position = Position.start(self._rules)
        elif kind == "fen":
            position = Position.parse(" ".join(text), self._rules)
        else:
            raise AbapaError(f"position {kind}: accepted are startpos and fen")
        for letter in "".join(arguments[moves + 1 :]):
            position = position.play(letter)
        self._position = position

    def _go(self, arguments: list[str]) -> None:
        self._stop()
        position = self._position
        if position is None or position.result() is not None:
            if position is not None:
                self._say(f"info string the game is over: {position.ending}")
            self._say("bestmove 0000")
            return
        limits, patient = self._limits(arguments, position)
        searcher = self._ready()
        self._stopped.clear()
        (self._patient.set if patient else self._patient.clear)()
        self._thread = threading.Thread(target=self._search, args=(searcher, position, limits), daemon=True)
        self._thread.start()

    def _limits(self, arguments: list[str], position: Position) -> tuple[Limits, bool]:
        """The limits that ``go`` names, and whether its move is to wait for ``stop``."""
        numbers: dict[str, int] = {}
        for name, value in itertools.pairwise(arguments):
            if name in ("depth", "movetime", "nodes", "wtime", "btime", "winc", "binc", "movestogo"):
                try:
                    numbers[name] = read_whole(value)
                except ValueError:  # a move is answered all the same: a program would wait for it for ever
                    numbers[name] = 1
                    self._say(f"info string go {name} {value}: a whole number is wanted, 1 is taken")
        patient = "infinite" in arguments or "ponder" in arguments
        depth = self._within("go depth", numbers.get("depth", MAX_DEPTH), MAX_DEPTH)
        nodes = self._within("go nodes", numbers["nodes"], _MOST_NODES) if "nodes" in numbers else None
        seconds: float | None = None
        if not patient:
            clock, increment = ("btime", "binc") if position.turn == NORTH else ("wtime", "winc")
            if "movetime" in numbers:
                seconds = self._within("go movetime", numbers["movetime"], int(1000 * LONGEST_SECONDS)) / 1000
            elif clock in numbers:
                left, more = numbers[clock] / 1000, numbers.get(increment, 0) / 1000
                share = left / max(numbers.get("movestogo", _MOVES_TO_GO), 1) + 0.8 * more
                seconds = min(share, left - _LATENCY)
            if seconds is not None:
                seconds = min(max(seconds, 0.001), LONGEST_SECONDS)
        return Limits(depth, seconds, nodes), patient

    def _ponderhit(self) -> None:
        """The move pondered on was played: answer with what is known by now."""
        if self._patient.is_set():
            self._stop()

    def _stop(self) -> None:
        """End the search, if one runs, and wait until its move is out."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._stopped.set()
            if self._searcher is not None:
                self._searcher.stop()
            thread.join()

    # -- searching ----------------------------------------------------------------------------------------------------

    def _ready(self) -> Searcher[Position]:
        """The searcher that the options ask for."""
        if self._searcher is None:
            try:
                self._searcher = self._opened()
            except AbapaError as error:
                if self._options == self._good:
                    raise
                self._say(f"info string {error}")  # no memory for that, say: the engine goes on as it was
                self._options = dict(self._good)
                self._searcher = self._opened()
            self._good = dict(self._options)
        return self._searcher

    def _opened(self) -> Searcher[Position]:
        hash_mib, threads, tables = (self._options[name] for name in ("hash", "threads", "owntables"))
        return self._resources.enter_context(self._open(hash_mib, threads, bool(tables)))

    def _search(self, searcher: Searcher[Position], position: Position, limits: Limits) -> None:
        """The thread of one search: its info lines, then its move, always."""
        moves: tuple[int, ...] = ()
        report: Report | None = None
        try:
            for report in searcher.reports(position, limits):
                moves = report.best.moves
                if report.finished:
                    self._say(_info(position, report, searcher))
                if self._stopped.is_set():
                    break
            if report is not None and not self._stopped.is_set():
                surer = searcher.progress(position, report)
                moves = moves if surer is None or surer in moves[:1] else (surer,)
        except AbapaError as error:
            self._say(f"info string {error}")
        if self._patient.is_set():
            self._stopped.wait()
        letters = position.line(moves)
        ponder = f" ponder {letters[1]}" if len(letters) > 1 else ""
        self._say(f"bestmove {letters[0] if letters else '0000'}{ponder}")

    def _say(self, line: str) -> None:
        with self._printing:
            self._output.write(line + "\n")
            self._output.flush()


def _info(position: Position, report: Report, searcher: Searcher[Position]) -> str:
    return (
        f"info depth {report.depth} score cp {100 * report.best.score} nodes {report.nodes}"
        f" nps {report.nodes_per_second} time {int(report.seconds * 1000)} hashfull {searcher.fullness}"
        f" tbhits {report.table_hits} pv {''.join(position.line(report.best.moves))}"
    )
