"""Iterative deepening, windows at the root, limits and threads around :mod:`solver.search.negamax`.

A :class:`Searcher` owns the transposition table and the workers and plays any :class:`solver.search.game.Game`. Scores
it reports are final margins: from the view of the player to move at the root, stores included.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from solver.errors import AbapaError
from solver.search.game import Game
from solver.search.negamax import negamax
from solver.search.transposition import allocate
from solver.search.worker import INFINITY, MAX_PLY, new_worker

MAX_DEPTH = 100
MAX_THREADS = 64
_NO_LIMIT = 1 << 62
_WINDOW = 2  # half the width of the first aspiration window, in the game's units

Position = TypeVar("Position")


@dataclass(frozen=True)
class Limits:
    """When a search ends: the first that is reached. Depth in plies, seconds, nodes of one thread.

    Without any limit it goes to depth 100 or until the value is exact. ``same_depth`` keeps scores independent of what
    deeper entries of the transposition table know (see negamax). Raises AbapaError for a limit that is not positive.
    """

    depth: int = MAX_DEPTH
    seconds: float | None = None
    nodes: int | None = None
    same_depth: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.depth <= MAX_DEPTH:
            raise AbapaError(f"depth {self.depth}: accepted are 1 to {MAX_DEPTH}")
        if self.seconds is not None and not self.seconds > 0:
            raise AbapaError(f"a time of {self.seconds} s: accepted is more than 0")
        if self.nodes is not None and self.nodes < 1:
            raise AbapaError(f"{self.nodes} nodes: accepted is 1 or more")


@dataclass(frozen=True)
class Line:
    """One root move: the score of playing it, between proven bounds, and the principal variation from it on.

    All are from the view of the mover at the root and include the stores. ``moves`` are the game's move codes.
    """

    score: int
    low: int
    high: int
    moves: tuple[int, ...]

    @property
    def exact(self) -> bool:
        """Whether the bounds meet, so that the score is proven."""
        return self.low == self.high


@dataclass(frozen=True)
class Report:
    """What one depth of a search found, best line first; one line unless ``multipv`` asked for more."""

    depth: int
    lines: tuple[Line, ...]
    nodes: int
    seconds: float
    table_hits: int
    selective_depth: int = 0
    finished: bool = field(default=True)
    """Whether the depth was searched to its end; where not, the lines are those found before the stop."""

    @property
    def best(self) -> Line:
        """The best line."""
        return self.lines[0]

    @property
    def exact(self) -> bool:
        """Whether every line is proven."""
        return all(line.exact for line in self.lines)

    @property
    def nodes_per_second(self) -> int:
        """Nodes of all threads a second of wall time."""
        return int(self.nodes / self.seconds) if self.seconds > 0 else 0


class Searcher(Generic[Position]):
    """A game, a transposition table and one or more threads; keep one for a whole game, so that its memory helps.

    ``hash_mib`` is the size of the transposition table in MiB, 0 for none. Raises AbapaError for sizes or thread counts
    that cannot be had. Not for use from two threads at once, but :meth:`stop` may be called from any.
    """

    def __init__(self, game: Game[Position], *, hash_mib: int = 64, threads: int = 1) -> None:
        if not 1 <= threads <= MAX_THREADS:
            raise AbapaError(f"{threads} threads: accepted are 1 to {MAX_THREADS}")
        self.game = game
        self.entries: NDArray[np.uint64] | None = allocate(hash_mib) if hash_mib else None
        self._workers = [new_worker() for _ in range(threads)]
        self._stop = np.zeros(1, np.uint64)
        self._age = 0
        for worker in self._workers:
            worker[0]["stop"] = self._stop.ctypes.data
            if self.entries is not None:
                worker[0]["entries"] = self.entries.ctypes.data
                worker[0]["buckets"] = len(self.entries)

    def clear(self) -> None:
        """Forget everything that earlier searches found."""
        if self.entries is not None:
            self.entries[:] = 0
        self._age = 0

    def stop(self) -> None:
        """End the running search within about a thousand nodes; its last report is the result."""
        self._stop[0] = 1

    def search(
        self,
        position: Position,
        limits: Limits | None = None,
        *,
        multipv: int = 1,
        on_depth: Callable[[Report], None] | None = None,
    ) -> Report:
        """Search a position and return the last report; ``on_depth`` sees each as it comes.

        ``multipv`` asks for the best so many root moves, each with its own score. Ctrl-C ends the search like
        :meth:`stop` and is not raised. Raises AbapaError when the game is over.
        """
        report = None
        for report in self.reports(position, limits, multipv=multipv):
            if on_depth is not None:
                on_depth(report)
        assert report is not None  # the generator gives at least one
        return report

    def reports(self, position: Position, limits: Limits | None = None, *, multipv: int = 1) -> Iterator[Report]:
        """Search a position, a report for each depth as it is finished; see :meth:`search`."""
        limits = limits or Limits()
        legal = self.game.legal(position)
        if not legal:
            raise AbapaError("the game is over: there is nothing to search")
        if multipv < 1:
            raise AbapaError(f"{multipv} lines: accepted is 1 or more")
        self._stop[0] = 0
        self._age = (self._age + 1) & 63
        for worker in self._workers:
            self._prepare(worker, position, limits)
        began = time.perf_counter()
        timer = threading.Timer(limits.seconds, self.stop) if limits.seconds is not None else None
        if timer is not None:
            timer.daemon = True
            timer.start()
        with ThreadPoolExecutor(len(self._workers)) as pool:  # the main thread only waits, and so hears Ctrl-C
            for number, worker in enumerate(self._workers[1:]):
                pool.submit(self._help, worker, limits.depth, 1 + number % 2)
            try:
                yield from self._deepen(pool, position, limits, min(multipv, len(legal)), legal, began)
            finally:
                self._stop[0] = 1
                if timer is not None:
                    timer.cancel()

    def _prepare(self, worker: NDArray[np.void], position: Position, limits: Limits) -> None:
        """Everything a search must not inherit from the last one, and the position."""
        record = worker[0]
        for name in ("nodes", "table_hits", "selective_depth", "aborted", "killer", "history", "excluded", "quiet"):
            record[name] = 0
        record["budget"] = limits.nodes or _NO_LIMIT
        record["same_depth"] = limits.same_depth
        record["age"] = self._age
        self.game.place(position, worker)

    def _deepen(
        self,
        pool: ThreadPoolExecutor,
        position: Position,
        limits: Limits,
        multipv: int,
        legal: tuple[int, ...],
        began: float,
    ) -> Iterator[Report]:
        """The main thread's loop over depths."""
        lead = self.game.lead(position)
        record = self._workers[0][0]
        lines: tuple[Line, ...] = ()
        for depth in range(1, limits.depth + 1):
            search = pool.submit(self._search_root, depth, multipv, lines, lead)
            try:
                found = search.result()
            except KeyboardInterrupt:
                self.stop()
                found = search.result()
            if found is not None:
                lines = found
            finished = found is not None
            if not lines:  # stopped inside the first depth: any legal move, and only the trivial bounds
                lines = (Line(lead, lead - INFINITY, lead + INFINITY, legal[:1]),)
            yield Report(
                depth if finished else depth - 1,
                lines,
                sum(int(worker[0]["nodes"]) for worker in self._workers),
                time.perf_counter() - began,
                sum(int(worker[0]["table_hits"]) for worker in self._workers),
                int(record["selective_depth"]),
                finished,
            )
            if not finished or all(line.exact for line in lines) or self._stop[0]:
                return

    def _search_root(self, depth: int, multipv: int, before: tuple[Line, ...], lead: int) -> tuple[Line, ...] | None:
        """The best ``multipv`` root moves at one depth, or None when the search was stopped."""
        worker = self._workers[0]
        record = worker[0]
        record["excluded"] = 0
        lines: list[Line] = []
        for rank in range(multipv):
            guess = before[rank].score - lead if rank < len(before) else None
            score = self._with_window(worker, depth, guess)
            if record["aborted"]:
                return None
            moves = tuple(int(code) for code in record["line"][0, : record["line_length"][0]])
            lines.append(Line(score + lead, int(record["low"][0]) + lead, int(record["high"][0]) + lead, moves))
            record["excluded"] |= np.uint64(1 << moves[0])
        record["excluded"] = 0
        return tuple(sorted(lines, key=lambda line: -line.score))

    def _with_window(self, worker: NDArray[np.void], depth: int, guess: int | None) -> int:
        """One search of the root: first with a narrow window around ``guess``, widened on the side that failed."""
        alpha, beta = -INFINITY, INFINITY
        width = _WINDOW
        if guess is not None and depth > 4:
            alpha, beta = max(guess - width, -INFINITY), min(guess + width, INFINITY)
        while True:
            score = self._run(worker, alpha, beta, depth)
            if worker[0]["aborted"] or alpha < score < beta:
                return score
            width *= 4
            if score <= alpha:
                if alpha == -INFINITY:
                    return score
                alpha = max(score - width, -INFINITY)
            else:
                if beta == INFINITY:
                    return score
                beta = min(score + width, INFINITY)

    def _run(self, worker: NDArray[np.void], alpha: int, beta: int, depth: int) -> int:
        return int(negamax(self.game.kernels, worker[0], 0, alpha, beta, depth))

    def _help(self, worker: NDArray[np.void], deepest: int, ahead: int) -> None:
        """A helper thread: the same deepening, a ply or two ahead, only to fill the shared table."""
        guess: int | None = None
        for depth in range(1 + ahead, min(deepest + ahead, MAX_DEPTH) + 1):
            guess = self._with_window(worker, depth, guess)
            if worker[0]["aborted"] or self._stop[0]:
                return


def compile_search(game: Game[Any]) -> None:
    """Compile the search of a game, or load it from the cache: half a minute once, a blink afterwards."""
    worker = new_worker()
    stop = np.ones(1, np.uint64)
    worker[0]["stop"] = stop.ctypes.data
    worker[0]["budget"] = 0
    negamax(game.kernels, worker[0], MAX_PLY, -INFINITY, INFINITY, 0)
