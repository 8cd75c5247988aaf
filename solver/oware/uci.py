"""The engine protocol that Oware programs speak: the UCI dialect of Auale and Aalina.

Read from one text stream, answer on another. Positions are ``startpos`` or ``fen`` and the text of
:mod:`solver.oware.position`; moves are letters, written together (``moves FfEe``, as Auale does) or apart. Scores are
in hundredths of a seed, from the view of the player to move, stores included. Differences from chess are few: no move
is ``0000``; ``wtime`` is South's clock and ``btime`` North's. The search runs on a thread of its own, so that every
command is answered while it does: ``stop``, ``ponderhit``, ``isready`` and ``quit`` act on it, and those that would
change what it searches are refused with an ``info string`` until it is over.

Source: the protocol by S. Meyer-Kahlen (2006) and how Auale's client uses it.
"""

from __future__ import annotations

import itertools
import random
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing
from dataclasses import replace
from typing import TextIO

from solver import __version__
from solver.errors import AbapaError, cut
from solver.numerals import read_whole
from solver.oware.levels import LEAST_ELO, MOST_ELO, Level, misjudged, rated
from solver.oware.position import NORTH, Position
from solver.oware.rules import MAX_PITS, Rules
from solver.rule_ids import want_rules
from solver.search.limits import LONGEST_SECONDS, MAX_DEPTH, MAX_THREADS, Limits
from solver.search.searcher import Report, Searcher
from solver.search.transposition import largest_mib

OpenSearcher = Callable[[int, int, bool], AbstractContextManager[Searcher[Position]]]
"""Makes a searcher from Hash (MiB), Threads and OwnTables."""

_LATENCY = 0.03  # seconds of a clock kept for the way there and back
_READY_WITHIN = 3.0  # seconds that isready waits for kernels to compile; Auale gives an engine 8
_MOVES_TO_GO = 24
_SEEDS_PER_PIT = 4
DEFAULT_ELO = 1500
_SWITCHES = ("owntables", "uci_limitstrength")
_NO_LIMIT = -1.0  # seconds of a search that pondered without any limit
_BUSY = ("ucinewgame", "setoption", "position", "go")
_GO_NUMBERS = ("depth", "movetime", "nodes", "wtime", "btime", "winc", "binc", "movestogo")
_GO_WORDS = (*_GO_NUMBERS, "infinite", "ponder", "searchmoves")
_MOST_NODES = 10**18 - 1  # the largest number that is read


class Engine:
    """One conversation. ``open_searcher`` makes the searcher that options ask for; ``rules`` are those of every
    game."""

    def __init__(self, rules: Rules, open_searcher: OpenSearcher, output: TextIO) -> None:
        want_rules(rules, Rules)
        self._rules, self._open, self._output = rules, open_searcher, output
        self._options: dict[str, int] = {"hash": 64, "threads": 1, "owntables": 1}
        self._playing: dict[str, int] = {"multipv": 1, "uci_limitstrength": 0, "uci_elo": DEFAULT_ELO}
        self._chance = random.Random()
        self._good = dict(self._options)
        self._position: Position | None = Position.start(rules)
        self._searcher: Searcher[Position] | None = None
        self._resources = ExitStack()
        self._thread: threading.Thread | None = None
        self._stopped = threading.Event()
        self._released = threading.Event()  # set: the move may be told; not while infinite or pondering
        self._pondering: float | None = None  # seconds of the search once ponderhit comes, 0 for no limit of time
        self._until: float | None = None  # when the search ends after a ponderhit, by the monotonic clock
        self._searching = False
        self._opening = threading.Lock()
        self._printing = threading.Lock()
        self._deaf = False
        """Whether nobody reads the output any more."""

    def run(self, source: TextIO) -> None:
        """Answer commands until ``quit`` or the end of the source."""
        try:
            for number, line in enumerate(source):
                words = (line.removeprefix("\ufeff") if number == 0 else line).split()
                if self._deaf or (words and not self.answer(words)):
                    break
        finally:
            self._stop()
            self._resources.close()
        if self._deaf:
            raise BrokenPipeError

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
        if handler is not None and self._searching and command in _BUSY:
            self.say(f"info string {command} is refused while a search runs: send stop first")
        elif handler is not None:
            try:
                handler(arguments)
            except AbapaError as error:
                self.say(f"info string {error}")
        return True

    # -- commands -----------------------------------------------------------------------------------------------------

    def _uci(self, _: list[str]) -> None:
        self.say(f"id name Abapa {__version__}")
        self.say("id author the Abapa project")
        self.say(f"option name Hash type spin default 64 min 1 max {largest_mib()}")
        self.say(f"option name Threads type spin default 1 min 1 max {MAX_THREADS}")
        self.say("option name OwnTables type check default true")
        self.say(f"option name MultiPV type spin default 1 min 1 max {MAX_PITS}")
        self.say("option name UCI_LimitStrength type check default false")
        self.say(f"option name UCI_Elo type spin default {DEFAULT_ELO} min {LEAST_ELO} max {MOST_ELO}")
        self.say("option name Ponder type check default false")
        self.say("uciok")

    def _isready(self, _: list[str]) -> None:
        if not self._searching and self._searcher is None:
            opening = threading.Thread(target=self._open_beforehand, daemon=True)
            opening.start()
            opening.join(_READY_WITHIN)  # compiling takes longer, once: the first search waits for it
        self.say("readyok")

    def _open_beforehand(self) -> None:
        try:
            self._ready()
        except AbapaError as error:
            self.say(f"info string {error}")

    def _ucinewgame(self, _: list[str]) -> None:
        self._stop()
        self._position = Position.start(self._rules)
        if self._searcher is not None:
            self._searcher.clear()

    def _setoption(self, arguments: list[str]) -> None:
        words = [word.lower() for word in arguments]
        name = words[1] if len(words) > 1 and words[0] == "name" else ""
        if name == "ponder":  # a program tells that it may ponder: nothing to keep
            return
        if name not in self._options | self._playing:
            what = f"option {cut(arguments[1])} is unknown" if name else "setoption names no option"
            accepted = "Hash, Threads, OwnTables, MultiPV, UCI_LimitStrength and UCI_Elo"
            raise AbapaError(f"{what}: accepted are {accepted}")
        value = words[words.index("value") + 1] if "value" in words[:-1] else ""
        number = self._switch(arguments[1], value) if name in _SWITCHES else self._spin(arguments[1], value)
        before = self._sized
        with self._opening:  # what is being opened for isready is finished first
            (self._options if name in self._options else self._playing)[name] = number
        if self._sized != before:
            self._searcher = None  # made anew by the next search
            self._resources.close()

    @property
    def _level(self) -> Level | None:
        """The level to play at, None for the full strength."""
        return rated(self._playing["uci_elo"]) if self._playing["uci_limitstrength"] else None

    @property
    def _sized(self) -> tuple[int, int, bool]:
        """What the searcher is made with: MiB of hash, threads, and whether it looks into tables."""
        tables = self._options["owntables"] and (self._level is None or self._level.tables)
        return self._options["hash"], self._options["threads"], bool(tables)

    def _switch(self, name: str, value: str) -> int:
        """The value of an option that is on or off. Raises AbapaError, and the option stays as it is."""
        if value not in ("true", "false"):
            kept = "true" if (self._options | self._playing)[name.lower()] else "false"
            raise AbapaError(
                f"option {name}: {cut(value) or 'no value'} is not accepted, true and false are: {kept} is kept"
            )
        return int(value == "true")

    def _spin(self, name: str, value: str) -> int:
        """The value of an option that is a number; one that is no number is refused likewise."""
        least, most = {
            "hash": (1, largest_mib()),
            "threads": (1, MAX_THREADS),
            "multipv": (1, MAX_PITS),
            "uci_elo": (LEAST_ELO, MOST_ELO),
        }[name.lower()]
        try:
            return self._within(f"option {name}", read_whole(value), most, least)
        except ValueError:
            kept = (self._options | self._playing)[name.lower()]
            accepted = f"whole numbers from {least} to {most} are: {kept} is kept"
            raise AbapaError(f"option {name}: {cut(value) or 'no value'} is not accepted, {accepted}") from None

    def _within(self, what: str, number: int, most: int, least: int = 1) -> int:
        """The nearest number from ``least`` to ``most``; says which is taken where it is another."""
        taken = min(max(number, least), most)
        if taken != number:
            self.say(f"info string {what}: {number} is outside {least} to {most}, {taken} is taken")
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
            raise AbapaError(f"position {cut(kind)}: accepted are startpos and fen")
        most = _SEEDS_PER_PIT * 2 * self._rules.pits
        if position.total > most:
            raise AbapaError(f"a position of {position.total} seeds: a game has {most}")
        for letter in "".join(arguments[moves + 1 :]):
            position = position.play(letter)
        self._position = position

    def _go(self, arguments: list[str]) -> None:
        self._stop()
        position = self._position
        self._stopped.clear()
        patient = "infinite" in arguments or "ponder" in arguments
        (self._released.clear if patient else self._released.set)()
        self._pondering, self._until, only, limits = None, None, [], Limits()
        if position is not None and position.result() is not None:
            self.say(f"info string the game is over: {position.ending}")
            position = None
        if position is not None:
            limits, seconds = self._limits(arguments, position)
            only = self._only(arguments, position)
            if patient:
                limits = replace(limits, seconds=None)
                unlimited = seconds is None and limits == Limits()
                self._pondering = _NO_LIMIT if unlimited else seconds or 0.0
                if "ponder" not in arguments:
                    self._pondering = None
        elif "ponder" in arguments:
            self._pondering = 0.0
        self._searching = True
        self._thread = threading.Thread(target=self._search, args=(position, limits, only), daemon=True)
        self._thread.start()

    def _only(self, arguments: list[str], position: Position) -> list[int]:
        """The codes of the moves that ``searchmoves`` names, written together or apart; none for all."""
        if "searchmoves" not in arguments:
            return []
        words = itertools.takewhile(lambda word: word not in _GO_WORDS, arguments[arguments.index("searchmoves") + 1 :])
        legal = {position.letter(house): house % position.rules.pits for house in position.legal_moves()}
        letters = "".join(words)
        if unknown := [letter for letter in letters if letter not in legal]:
            self.say(f"info string searchmoves: {cut(''.join(unknown))!r} is not legal here and is left out")
        only = [legal[letter] for letter in dict.fromkeys(letters) if letter in legal]
        if not only:
            self.say("info string searchmoves names no legal move: all are searched")
        return only

    def _numbers(self, arguments: list[str]) -> dict[str, int]:
        """The numbers that ``go`` names; tells of words that mean nothing and of limits without a number."""
        numbers: dict[str, int] = {}
        part = ""  # the word of go's own that came last; none after its number
        for word, following in itertools.zip_longest(arguments, arguments[1:]):
            if word in _GO_WORDS:
                part = word
                if word in _GO_NUMBERS:
                    numbers[word] = self._number(word, following)
            elif part in _GO_NUMBERS:
                part = ""
            elif part != "searchmoves":
                self.say(f"info string go {cut(word)}: not known, and passed over")
        return numbers

    def _number(self, name: str, value: str | None) -> int:
        """A number of ``go``, the nearest that is read. A move is answered in any case: a program waits for one."""
        if value is None or value in _GO_WORDS:
            self.say(f"info string go {name}: a whole number is missing, 1 is taken")
            return 1
        try:
            return read_whole(value)
        except ValueError:
            if re.fullmatch(r"[+-]?[0-9]+", value, re.ASCII):
                return -_MOST_NODES if value.startswith("-") else _MOST_NODES
            self.say(f"info string go {name} {cut(value)}: a whole number is wanted, 1 is taken")
            return 1

    def _limits(self, arguments: list[str], position: Position) -> tuple[Limits, float | None]:
        """The limits that ``go`` names, and its seconds."""
        numbers = self._numbers(arguments)
        depth = self._within("go depth", numbers.get("depth", MAX_DEPTH), MAX_DEPTH)
        nodes = self._within("go nodes", numbers["nodes"], _MOST_NODES) if "nodes" in numbers else None
        seconds: float | None = None
        clock, increment = ("btime", "binc") if position.turn == NORTH else ("wtime", "winc")
        if "movetime" in numbers:
            seconds = self._within("go movetime", numbers["movetime"], int(1000 * LONGEST_SECONDS)) / 1000
        elif clock in numbers:
            left, more = numbers[clock] / 1000, numbers.get(increment, 0) / 1000
            share = left / max(numbers.get("movestogo", _MOVES_TO_GO), 1) + 0.8 * more
            seconds = min(share, left - _LATENCY)
        if seconds is not None:
            seconds = min(max(seconds, 0.001), LONGEST_SECONDS)
        return Limits(depth, seconds, nodes), seconds

    def _ponderhit(self) -> None:
        """The move pondered on was played: from now on the limits of its ``go`` count."""
        seconds, self._pondering = self._pondering, None
        if seconds is None or not self._searching:
            return
        if seconds == _NO_LIMIT:  # it would go on for ever: what is known by now is the answer
            self._stop()
            return
        if seconds:
            self._until = time.monotonic() + seconds
            if self._searcher is not None:
                self._searcher.end_within(seconds)
        self._released.set()

    def _stop(self) -> None:
        """End the search, if one runs, and wait until its move is out."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._stopped.set()
            self._released.set()
            if self._searcher is not None:
                self._searcher.stop()
            thread.join()

    # -- searching ----------------------------------------------------------------------------------------------------

    def _ready(self) -> Searcher[Position]:
        """The searcher that the options ask for; one thread opens it, others wait.

        Where they cannot be had (no such memory, no such tables) the engine says so and goes on without tables, or as
        it was. Raises AbapaError where nothing can be had.
        """
        with self._opening:
            if self._searcher is None:
                self._searcher = self._opened_somehow()
                self._good = dict(self._options)
            return self._searcher

    def _opened_somehow(self) -> Searcher[Position]:
        said: list[str] = []
        without = {"owntables": 0}
        for options in (self._options, self._options | without, self._good, self._good | without):
            self._options = dict(options)
            try:
                return self._opened()
            except AbapaError as error:
                if str(error) not in said:
                    said.append(str(error))
                    self.say(f"info string {error}")
        raise AbapaError("no search is possible")

    def _opened(self) -> Searcher[Position]:
        return self._resources.enter_context(self._open(*self._sized))

    def _search(self, position: Position | None, limits: Limits, only: list[int]) -> None:
        """The thread of one search: its info lines, then its move, always."""
        moves: tuple[int, ...] = ()
        try:
            if position is not None:
                moves = self._moves(position, limits, only)
        except AbapaError as error:
            self.say(f"info string {error}")
        self._released.wait()
        letters = position.line(moves) if position is not None else []
        ponder = f" ponder {letters[1]}" if len(letters) > 1 else ""
        self._searching = False  # before the move is told: what a program sends after it finds no search
        self.say(f"bestmove {letters[0] if letters else '0000'}{ponder}")

    def _moves(self, position: Position, limits: Limits, only: list[int]) -> tuple[int, ...]:
        """The line to play: that of the last report, or a move that makes progress inside tables."""
        searcher, level, shown = self._ready(), self._level, self._playing["multipv"]
        report: Report | None = None
        if level is not None:
            limits = replace(limits, nodes=min(level.nodes, limits.nodes or level.nodes))
        lines = MAX_PITS if level is not None and level.error else shown
        reports = searcher.reports(position, searcher.thinking(position, limits), multipv=lines, only=only)
        with closing(reports):
            for report in reports:
                if report.finished:
                    for line in _infos(position, report, searcher, shown):
                        self.say(line)
                if self._stopped.is_set() or self._deaf:
                    break
                if self._until is not None:  # ponderhit may have come before the search had a clock
                    left = self._until - time.monotonic()
                    if left <= 0:
                        break
                    searcher.end_within(left)
        assert report is not None  # there is one at least
        if level is not None and level.error:
            move = misjudged(report, level, self._chance)
            return next(line.moves for line in report.lines if line.moves[0] == move)
        if not self._stopped.is_set() and not only:
            surer = searcher.progress(position, report, limits)
            if surer is not None and surer not in report.best.moves[:1]:
                return (surer,)
        return report.best.moves

    def say(self, line: str) -> None:
        """Write a line, whole, from whatever thread; a reader who went away ends the conversation."""
        with self._printing:
            try:
                self._output.write(line + "\n")
                self._output.flush()
            except (OSError, ValueError):
                self._deaf = True


def _infos(position: Position, report: Report, searcher: Searcher[Position], multipv: int) -> Iterator[str]:
    """A line for each line of a report, numbered where several were asked for."""
    for number, line in enumerate(report.lines[:multipv], 1):
        which = f" multipv {number}" if multipv > 1 else ""
        yield (
            f"info depth {report.depth}{which} score cp {100 * line.score} nodes {report.nodes}"
            f" nps {report.nodes_per_second} time {int(report.seconds * 1000)} hashfull {searcher.fullness}"
            f" tbhits {report.table_hits} pv {''.join(position.line(line.moves))}"
        )
