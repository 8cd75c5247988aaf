"""Iterative deepening, windows at the root, limits and threads around :mod:`solver.search.negamax`.

A :class:`Searcher` owns the transposition table and the workers and plays any :class:`solver.search.game.Game`. Scores
it reports are final margins: from the view of the player to move at the root, stores included.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from solver.errors import AbapaError
from solver.search.game import Game, Tabled
from solver.search.limits import MAX_DEPTH, MAX_NODES, MAX_THREADS, Limits
from solver.search.negamax import negamax
from solver.search.transposition import allocate, had_at_once
from solver.search.worker import INFINITY, LOOK_UP_EVERY, LOOK_UP_OFTEN, MAX_PLY, new_worker

_SHORT_SECONDS, _SHORT_NODES = 0.25, 1 << 18
_FRESH = (
    "nodes", "table_hits", "aborted", "killer", "history", "excluded", "quiet", "salt", "past", "tables_end", "horizon"
)  # fmt: skip
"""What a worker begins each session without."""
_PROGRESS_SHARE = 0.2  # of a time limit, kept for Searcher.progress where it may be asked
_LEAST_PROGRESS = 0.002  # seconds
_WINDOW = 2  # half the width of the first aspiration window, in the game's units

Position = TypeVar("Position")


@dataclass(frozen=True)
class Line:
    """One root move: the score of playing it, its proven bounds, and the principal variation from it on.

    All are from the view of the mover at the root and include the stores. ``moves`` are the game's move codes.
    """

    score: int
    low: int
    high: int
    moves: tuple[int, ...]

    @property
    def exact(self) -> bool:
        """Whether the bounds meet, so that the score of this move is proven."""
        return self.low == self.high


@dataclass(frozen=True)
class Report:
    """What one depth of a search found, best line first; one line unless ``multipv`` asked for more.

    ``low`` and ``high`` are the proven bounds of the position's value, stores included.
    """

    depth: int
    lines: tuple[Line, ...]
    low: int
    high: int
    nodes: int
    seconds: float
    table_hits: int
    finished: bool = True
    """Whether the depth was searched to its end; where not, the lines are those found before the stop."""

    @property
    def best(self) -> Line:
        """The best line."""
        return self.lines[0]

    @property
    def exact(self) -> bool:
        """Whether the value of the position is proven: the score of the best line. The rest is an *estimate*."""
        return self.low == self.high

    @property
    def nodes_per_second(self) -> int:
        """Nodes of all threads per second of wall time."""
        return int(self.nodes / self.seconds) if self.seconds > 0 else 0


class Searcher(Generic[Position]):
    """A game, a transposition table and one or more threads; keep one for a whole game, so that its memory helps.

    ``hash_mib`` is the size of the transposition table in MiB, 0 for none. Raises AbapaError for sizes or thread counts
    that cannot be had.

    **Threads of the caller.** One searcher serves one caller at a time: a search, a session or :meth:`clear` while
    another of its searches runs spoils both. From any thread, at any time, :meth:`stop` may be called and
    :attr:`fullness` read; a stop that comes before a search begins is forgotten. Several searchers may search at once,
    each in a thread of its own: if each has its own game object (a game may keep notes), they share nothing, and
    kernels let go of the interpreter lock. Ctrl-C ends only a search that the main thread waits for.
    """

    def __init__(self, game: Game[Position], *, hash_mib: int = 64, threads: int = 1) -> None:
        if not 1 <= threads <= MAX_THREADS:
            raise AbapaError(f"{threads} threads: accepted are 1 to {MAX_THREADS}")
        compile_search(game)
        self.game = game
        self.entries: NDArray[np.uint64] | None = allocate(hash_mib) if hash_mib else None
        self._workers = [new_worker() for _ in range(threads)]
        self._stop = np.zeros(1, np.uint64)
        self._age = 0
        self.interrupted = False
        """Whether the last search was ended by Ctrl-C."""
        for worker in self._workers:
            worker[0]["stop"] = self._stop.ctypes.data
            if not had_at_once(hash_mib):
                worker[0]["interval"] = LOOK_UP_OFTEN
        self._name_table()

    def clear(self) -> None:
        """Forget everything that earlier searches found.

        A large table is taken anew from the system: pages of zeros cost nothing until they are written.
        """
        self._age = 0
        if self.entries is None:
            return
        mib = self.entries.nbytes >> 20
        if had_at_once(mib):
            self.entries[:] = 0
            return
        self.entries = None  # the old one goes before the new one comes
        self._name_table()
        self.entries = allocate(mib)
        self._name_table()

    def _name_table(self) -> None:
        """Tell the workers where the transposition table lies."""
        for worker in self._workers:
            worker[0]["entries"] = 0 if self.entries is None else self.entries.ctypes.data
            worker[0]["buckets"] = 0 if self.entries is None else len(self.entries)

    @property
    def fullness(self) -> int:
        """How full the transposition table is, in thousandths, by its first buckets."""
        if self.entries is None:
            return 0
        return int(np.count_nonzero(self.entries[:250, 1::2]) * 1000 // self.entries[:250, 1::2].size)

    def stop(self) -> None:
        """End the running search within about a thousand nodes; its last report is the result."""
        self._stop[0] = 1

    def end_within(self, seconds: float) -> None:
        """Give the running search so many seconds from now on, whatever time it had."""
        deadline = _deadline(seconds)
        for worker in self._workers:
            worker[0]["deadline"] = deadline

    def session(self, position: Position, limits: Limits) -> Session[Position]:
        """A position set up to be searched under limits, for :meth:`reports` and for kernels of a caller's own.

        Raises AbapaError when the game is over.
        """
        return Session(self, position, limits)

    def search(
        self,
        position: Position,
        limits: Limits | None = None,
        *,
        multipv: int = 1,
        only: Collection[int] = (),
        on_depth: Callable[[Report], None] | None = None,
    ) -> Report:
        """Search a position and return the last report; ``on_depth`` sees each as it comes.

        ``multipv`` asks for the best so many root moves, each with its own score; ``only`` names the moves that may be
        played at the root, all without any: bounds are then of those moves alone. Ctrl-C ends the search like
        :meth:`stop`, is not raised and sets :attr:`interrupted`. Raises AbapaError when the game is over.
        """
        report = None
        with closing(self.reports(position, limits, multipv=multipv, only=only)) as reports:
            try:
                for report in reports:
                    if on_depth is not None:
                        on_depth(report)
            except KeyboardInterrupt:  # between two depths, while a report was shown
                if report is None:
                    raise
                self.interrupted = True
        assert report is not None  # the generator gives at least one
        return report

    def search_through(self, position: Position, limits: Limits | None = None) -> Report:
        """As :meth:`search`, for callers whom a search cut short does not serve: raises KeyboardInterrupt on Ctrl-C."""
        report = self.search(position, limits)
        self._raise_interrupt()
        return report

    def choose(self, position: Position, limits: Limits | None = None) -> Report:
        """Search for a move to play: as :meth:`search_through`, and inside tables a move that makes progress.

        A limit of time holds for both together.
        """
        limits = limits or Limits()
        report = self.search_through(position, self.thinking(position, limits))
        move = self.progress(position, report, limits)
        self._raise_interrupt()
        if move is None or move == report.best.moves[0]:
            return report
        return replace(report, lines=(replace(report.best, moves=(move,)), *report.lines[1:]))

    def _raise_interrupt(self) -> None:
        if self.interrupted:
            raise KeyboardInterrupt

    def thinking(self, position: Position, limits: Limits) -> Limits:
        """The limits of the search before :meth:`progress`, which needs some of the time where tables are at hand."""
        if limits.seconds is None or not self._tabled(position):
            return limits
        return replace(limits, seconds=limits.seconds * (1 - _PROGRESS_SHARE))

    def _tabled(self, position: Position) -> bool:
        return isinstance(self.game, Tabled) and self.game.tabled(position)

    def progress(
        self, position: Position, report: Report, limits: Limits | None = None, nodes: int = 200_000
    ) -> int | None:
        """A move that leads by force to a capture or end that gives what ``report`` promises, if tables promised it.

        None where tables do not know the position, where nothing is to be won on the board (endless play will do), or
        where no such line is found within ``nodes`` and what is left of the seconds of ``limits``. A line that comes
        back to a board of the game is none.
        """
        value = report.best.score - self.game.lead(position)
        if value <= 0 or not self._tabled(position):
            return None
        seconds = limits.seconds if limits is not None else None
        if seconds is not None:
            seconds = max(seconds - report.seconds, _LEAST_PROGRESS)
        with self.session(position, Limits(nodes=nodes, seconds=seconds)) as session:
            session.set_apart()
            for depth in range(1, MAX_DEPTH + 1):
                found = session.window(value - 1, value, depth)
                if found is None:
                    return None
                if found.score >= value:
                    return found.move
        return None

    def reports(
        self, position: Position, limits: Limits | None = None, *, multipv: int = 1, only: Collection[int] = ()
    ) -> Generator[Report]:
        """Search a position, a report for each depth as it is finished; see :meth:`search`."""
        limits = limits or Limits()
        if multipv < 1:
            raise AbapaError(f"{multipv} lines: accepted is 1 or more")
        with self.session(position, limits) as session:
            lead, legal = self.game.lead(position), self.game.legal(position)
            if only:
                legal = session.restrict(legal, only)
            # Stopped inside the first depth, a search knows no better than the first legal move.
            lines: tuple[Line, ...] = (Line(lead, lead - INFINITY, lead + INFINITY, legal[:1]),)
            low, high = lines[0].low, lines[0].high
            session.start_helpers()
            for depth in range(1, limits.depth + 1):
                found = session.search_root(depth, min(multipv, len(legal)), lines, lead)
                if found is not None:
                    lines, low, high = found
                reached = depth if found is not None else depth - 1
                hits, seconds = session.table_hits, session.seconds
                yield Report(reached, lines, low, high, session.nodes, seconds, hits, found is not None)
                if found is None or self._stop[0] or (low == high and all(line.exact for line in lines)):
                    return
                if session.complete or session.late:
                    return


@dataclass(frozen=True)
class Window:
    """What one search of the root with a given window found: scores over the board alone, without the stores."""

    score: int
    low: int
    high: int
    move: int
    """Code of the best move, -1 when all failed low."""


class Session(Generic[Position]):
    """One search under way, a context manager: workers set up, the clock running, threads to run on.

    A compiled search cannot be interrupted by Ctrl-C, waiting can. So searches run on threads of a pool while the
    caller's waits; but what is over in a moment, by its limits, runs on the caller's own: on a busy machine a hand-over
    may take longer than a small budget lasts.
    """

    def __init__(self, searcher: Searcher[Position], position: Position, limits: Limits) -> None:
        if not searcher.game.legal(position):
            raise AbapaError("the game is over: there is nothing to search")
        self._searcher, self._limits = searcher, limits
        self._workers, self._stop, self._kernels = searcher._workers, searcher._stop, searcher.game.kernels
        self.complete = False
        """Whether the last two depths searched the same nodes and met no horizon, so that a deeper one would too."""
        self._last_nodes = 0
        self._left_out = 0  # root moves that are not searched, a bit for each code
        searcher.interrupted = False
        searcher._age = (searcher._age + 1) & 63
        self._stop[0] = 0
        for worker in self._workers:
            self._prepare(worker, position)

    def _prepare(self, worker: NDArray[np.void], position: Position) -> None:
        """Everything a search must not inherit from the last one, and the position."""
        record = worker[0]
        for name in _FRESH:
            record[name] = 0
        record["patience"] = record["interval"]
        record["budget"] = self._limits.nodes or MAX_NODES
        record["deadline"] = 0
        record["same_depth"] = self._limits.same_depth
        record["age"] = self._searcher._age
        self._searcher.game.place(position, worker)

    def __enter__(self) -> Self:
        self._began = time.perf_counter()
        seconds, nodes = self._limits.seconds, self._limits.nodes
        if seconds is not None:
            self._searcher.end_within(seconds)
        short = (seconds is not None and seconds <= _SHORT_SECONDS) or (nodes is not None and nodes <= _SHORT_NODES)
        self._pool = None if short and len(self._workers) == 1 else ThreadPoolExecutor(len(self._workers))
        return self

    def __exit__(self, *error: object) -> None:
        self._stop[0] = 1
        if self._pool is not None:
            self._pool.shutdown()

    @property
    def seconds(self) -> float:
        """Wall time since the session began."""
        return time.perf_counter() - self._began

    @property
    def late(self) -> bool:
        """Whether its time is over. A search of few nodes does not look at the clock."""
        deadline = int(self._workers[0][0]["deadline"])
        return deadline != 0 and _deadline(0) >= deadline

    @property
    def nodes(self) -> int:
        """Nodes of all threads so far."""
        return sum(int(worker[0]["nodes"]) for worker in self._workers)

    @property
    def table_hits(self) -> int:
        """Boards found in endgame tables so far, by all threads."""
        return sum(int(worker[0]["table_hits"]) for worker in self._workers)

    def start_helpers(self) -> None:
        """Let the other threads deepen too, a ply or two ahead, only to fill the shared table."""
        for number, worker in enumerate(self._workers[1:]):
            assert self._pool is not None
            self._pool.submit(self._help, worker, 1 + number % 2)

    def _help(self, worker: NDArray[np.void], ahead: int) -> None:
        guess: int | None = None
        for depth in range(1 + ahead, min(self._limits.depth + ahead, MAX_DEPTH) + 1):
            guess = self._with_window(worker, depth, guess)
            if worker[0]["aborted"] or self._stop[0]:
                return

    def restrict(self, legal: tuple[int, ...], only: Collection[int]) -> tuple[int, ...]:
        """Leave out all root moves but those of ``only``; which of ``legal`` are left. Raises AbapaError for none."""
        left = tuple(code for code in legal if code in only)
        if not left:
            raise AbapaError("none of the moves asked for is legal here")
        self._left_out = sum(1 << code for code in legal if code not in only)
        for worker in self._workers:
            worker[0]["excluded"] = self._left_out
        return left

    def end_in_tables(self) -> None:
        """From here on let every table end the search below it: for proofs, which want its bounds and no estimate."""
        for worker in self._workers:
            worker[0]["tables_end"] = 1

    def set_apart(self) -> None:
        """Search for progress from here on (:mod:`solver.search.negamax`), under keys of this session's own."""
        self._workers[0][0]["salt"] = np.uint64((0x9E3779B97F4A7C15 * (self._searcher._age + 1)) & (2**64 - 1))

    def window(self, alpha: int, beta: int, depth: int) -> Window | None:
        """Search the root once with a window; None when the search was stopped."""
        record = self._workers[0][0]
        score = int(self.run(negamax, 0, alpha, beta, depth))
        if record["aborted"] or self.late:
            return None
        move = int(record["line"][0, 0]) if record["line_length"][0] else -1
        return Window(score, int(record["low"][0]), int(record["high"][0]), move)

    @property
    def stopped(self) -> bool:
        """Whether a limit, or somebody, has ended the session."""
        return bool(self._stop[0]) or bool(self._workers[0][0]["aborted"]) or self.late

    def place(self, position: Position) -> None:
        """Put the position back into ``state[0]``, after a kernel that was :meth:`run` has written over it."""
        self._workers[0][0]["quiet"] = 0
        self._searcher.game.place(position, self._workers[0])

    def run(self, kernel: Callable[..., Any], *arguments: Any) -> Any:
        """Call ``kernel(game, worker, *arguments)`` where the session searches, and return what it returns.

        The position lies in ``state[0]`` of the worker's record, until a kernel writes over it (see :meth:`place`).
        Limits, :meth:`Searcher.stop` and Ctrl-C end what runs as they end a search: negamax sees them and sets
        ``aborted``. So a long kernel counts its work in ``nodes``, calls negamax now and then, and returns when
        ``aborted`` is set.
        """
        return self._wait(kernel, self._kernels, self._workers[0][0], *arguments)

    def search_root(
        self, depth: int, multipv: int, before: tuple[Line, ...], lead: int
    ) -> tuple[tuple[Line, ...], int, int] | None:
        """The best ``multipv`` root moves at one depth and the position's bounds, or None when stopped."""
        return self._wait(self._search_root, depth, multipv, before, lead)

    def _wait(self, function: Callable[..., Any], *args: Any) -> Any:
        if self._pool is None:
            return function(*args)
        task = self._pool.submit(function, *args)
        try:
            return task.result()
        except KeyboardInterrupt:
            self._searcher.interrupted = True
            self._searcher.stop()
            return task.result()

    def _search_root(
        self, depth: int, multipv: int, before: tuple[Line, ...], lead: int
    ) -> tuple[tuple[Line, ...], int, int] | None:
        """The best ``multipv`` root moves at one depth and the position's bounds, or None when stopped."""
        worker = self._workers[0]
        record = worker[0]
        record["excluded"], record["horizon"] = self._left_out, 0
        before_nodes = int(record["nodes"])
        lines: list[Line] = []
        low = high = lead
        for rank in range(multipv):
            guess = before[rank].score - lead if depth > 1 and rank < len(before) else None
            score = self._with_window(worker, depth, guess)
            if record["aborted"]:
                return None
            if rank == 0:
                low, high = lead + int(record["low"][0]), lead + int(record["high"][0])
            moves = tuple(int(code) for code in record["line"][0, : record["line_length"][0]])
            bounds = int(record["move_low"][moves[0]]) + lead, int(record["move_high"][moves[0]]) + lead
            lines.append(Line(score + lead, *bounds, moves))
            record["excluded"] |= np.uint64(1 << moves[0])
        record["excluded"] = self._left_out
        nodes = int(record["nodes"]) - before_nodes
        self.complete, self._last_nodes = not record["horizon"] and nodes == self._last_nodes, nodes
        return tuple(sorted(lines, key=lambda line: (-line.score, -line.low))), low, high

    def _with_window(self, worker: NDArray[np.void], depth: int, guess: int | None) -> int:
        """One search of the root: first with a narrow window around ``guess``, widened on the side that failed."""
        alpha, beta = -INFINITY, INFINITY
        width = _WINDOW
        if guess is not None and depth > 4:
            alpha, beta = max(guess - width, -INFINITY), min(guess + width, INFINITY)
        while True:
            score = int(negamax(self._kernels, worker[0], 0, alpha, beta, depth))
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


def _deadline(seconds: float) -> int:
    """A time from now on the clock that kernels read, in nanoseconds."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC) + int(seconds * 1e9)


def compile_search(game: Game[Any]) -> None:
    """Compile the search of a game, or load it from the cache: some seconds once, then a blink, then nothing."""
    worker = new_worker()
    stop = np.ones(1, np.uint64)
    worker[0]["patience"] = LOOK_UP_EVERY
    worker[0]["stop"] = stop.ctypes.data
    negamax(game.kernels, worker[0], MAX_PLY, -INFINITY, INFINITY, 0)
