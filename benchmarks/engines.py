"""Another program at the other end of two pipes that speaks the engine protocol, and the processor time that it takes.

For the programs of this folder that play or time engines (``match.py``, ``uci_overhead.py``). The protocol is the UCI
dialect of docs/search.md. Processor time is that of all threads of the program's process, as Linux counts it.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, NamedTuple

READY_WITHIN = 300.0
"""Seconds that an engine may take to be ready: kernels may have to be compiled."""


class EngineError(Exception):
    """An engine ended, or did not answer."""


class Answer(NamedTuple):
    """What came of a ``go``.

    ``move``: as the engine wrote it. ``depth``, ``nodes``: of the last info line, 0 where it told none. ``infos``: how
    many info lines. ``first``, ``wall``, ``processor``: seconds to the first info line and to the move, and processor
    seconds taken.
    """

    move: str
    depth: int
    nodes: int
    infos: int
    first: float
    wall: float
    processor: float


@dataclass(frozen=True)
class Player:
    """How an engine is started: ``command``, options to set, the folder and the variables that it runs in."""

    name: str
    command: tuple[str, ...]
    options: Mapping[str, str]
    folder: Path | None = None
    environment: Mapping[str, str] | None = None

    @classmethod
    def of(cls, name: str, command: str, options: Sequence[str] = ()) -> Player:
        """``options``: NAME=VALUE each. Raises ValueError for one that is not."""
        pairs = [option.partition("=") for option in options]
        if wrong := [name for name, equals, _value in pairs if not equals]:
            raise ValueError(f"option {wrong[0]}: accepted are NAME=VALUE")
        return cls(name, tuple(shlex.split(command)), {name: value for name, _equals, value in pairs})


class Engine:
    """An engine that runs; a context manager. Raises :class:`EngineError` where it ends or stays silent."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self._start()

    def _start(self) -> None:
        player = self.player
        try:
            self._process = subprocess.Popen(
                player.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
                cwd=player.folder, env=player.environment,
            )  # fmt: skip
        except OSError as error:
            raise EngineError(f"{player.name} cannot be started: {error}") from error
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        threading.Thread(target=self._read, args=(self._process.stdout, self._lines), daemon=True).start()
        self.tell("uci")
        self._until("uciok", READY_WITHIN)
        for name, value in player.options.items():
            self.tell(f"setoption name {name} value {value}")
        self.ready()

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @staticmethod
    def _read(source: IO[str], lines: SimpleQueue[str | None]) -> None:
        for line in source:
            lines.put(line.strip())
        lines.put(None)

    def new_game(self) -> None:
        """Begin a game; an engine that has ended is started again."""
        if self._process.poll() is not None:
            self.close()
            self._start()
        self.tell("ucinewgame")
        self.ready()

    def tell(self, line: str) -> None:
        """Send a command."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except OSError as error:
            raise EngineError(f"{self.player.name} has ended") from error

    def _line(self, seconds: float) -> str:
        try:
            line = self._lines.get(timeout=seconds)
        except Empty:
            raise EngineError(f"{self.player.name} did not answer within {seconds:.0f} s") from None
        if line is None:
            raise EngineError(f"{self.player.name} has ended")
        return line

    def _until(self, word: str, seconds: float) -> None:
        while self._line(seconds).split()[:1] != [word]:
            pass

    def ready(self) -> None:
        """Wait until everything sent so far has been done."""
        self.tell("isready")
        self._until("readyok", READY_WITHIN)

    def processor_seconds(self) -> float:
        """What all its threads have taken so far."""
        if sys.platform != "linux":
            raise EngineError("processor time of another program is known on Linux alone")
        try:
            return time.clock_gettime((~self._process.pid << 3) | 2)  # its CPU clock, as clock_getcpuclockid names it
        except OSError as error:
            raise EngineError(f"{self.player.name} has ended") from error

    def go(self, position: str, how: str, within: float) -> Answer:
        """Search what ``position`` and ``go`` are told. ``within``: seconds after which the engine counts as dead."""
        self.tell(f"position {position}")
        before, begun = self.processor_seconds(), time.perf_counter()
        self.tell(f"go {how}")
        told: dict[str, int] = {"depth": 0, "nodes": 0}
        infos, first = 0, 0.0
        while (words := (line := self._line(within)).split())[:1] != ["bestmove"]:
            if words[:1] == ["info"] and " string " not in f"{line} ":
                infos += 1
                first = first or time.perf_counter() - begun
                told |= {name: int(number) for name, number in re.findall(r"\b(depth|nodes) (\d+)", line)}
        wall, processor = time.perf_counter() - begun, self.processor_seconds() - before
        return Answer(words[1] if words[1:] else "", told["depth"], told["nodes"], infos, first, wall, processor)

    def close(self) -> None:
        """End it."""
        try:
            self.tell("quit")
            self._process.wait(10)
        except (EngineError, ValueError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with suppress(OSError):
                pipe.close()
