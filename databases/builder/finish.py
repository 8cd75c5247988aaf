"""Finished tiers are hashed, flushed and named behind the builder's back, while it works on the next tier.

Hashing runs on one thread and flushing on none, so on several threads both are free where they overlap with building.
At most one tier is on its way; a builder that has the next one ready waits. A tier of n seeds reads tiers of at most
n - 2 (nobody captures a single seed), so nothing is read before it has its name. On one thread all is done at once, in
that thread. What is written and how is :mod:`databases.files.writer`'s.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from databases.files.disk import PIECE
from databases.files.writer import TableWriter

COMMIT_MEMORY = 4 * PIECE
"""Bytes that a commit takes: a piece of each bound, histograms, the attributes."""
_NICENESS = 5
"""How much the background gives way to the builder's threads, which wait for each other at every level."""


class Committed(NamedTuple):
    """A table that has its name, and when it got it."""

    writer: TableWriter
    seconds: float
    """From when the builder turned to this tier until it turned to the next, or until now if there was none."""


class Finisher:
    """Commits what the builder hands over, one table at a time, in order; a context manager.

    ``background``: on a thread of its own. ``done`` is called on the builder's thread with each table that has got its
    name. Leaving the context waits for the table on its way, whatever ended the build, so that a finished tier is
    kept; a second Ctrl-C gives it up. Writers that were never handed over, or failed, leave nothing.
    """

    def __init__(self, background: bool, done: Callable[[Committed], object]) -> None:
        self.background, self.done = background, done
        self._writers = ExitStack()
        self._pool: ThreadPoolExecutor | None = None
        self._under_way: _UnderWay | None = None

    def __enter__(self) -> Self:
        if self.background:
            self._pool = ThreadPoolExecutor(1, "commit", initializer=_give_way)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._writers:
            try:
                if error is None:
                    self.wait(last=True)
                else:
                    with suppress(Exception):  # the first error is the one to tell
                        self.wait(last=True)
            except BaseException:
                if self._under_way is not None:
                    self._under_way.writer.abandon()
                raise
            finally:
                if self._pool is not None:
                    self._pool.shutdown()

    def open(self, writer: TableWriter) -> TableWriter:
        """Begin a table; it is removed at the end unless it has been committed."""
        return self._writers.enter_context(writer)

    def commit(self, writer: TableWriter, begun: float, *, last: bool = False) -> None:
        """Take over a table that is written whole, once the one before has its name.

        ``begun``: perf_counter when work on it began. ``last``: nothing is built meanwhile, so two threads hash it.
        """
        self.wait()
        if self._pool is None:
            writer.commit()
            self.done(Committed(writer, time.perf_counter() - begun))
        else:
            future = self._pool.submit(writer.commit, threads=2 if last else 1)
            self._under_way = _UnderWay(writer, begun, time.perf_counter(), future)

    def poll(self) -> None:
        """Tell of the table on its way if it is done; raise what went wrong with it."""
        if self._under_way is not None and self._under_way.future.done():
            self.wait()

    def wait(self, *, last: bool = False) -> None:
        """Wait for the table on its way, and tell of it. Raises :class:`~databases.files.faults.TableWriteError`."""
        if self._under_way is not None:
            writer, begun, handed_over, future = self._under_way
            future.result()
            self._under_way = None
            self.done(Committed(writer, (time.perf_counter() if last else handed_over) - begun))


class _UnderWay(NamedTuple):
    writer: TableWriter
    begun: float
    handed_over: float
    future: Future[Path]


def _give_way() -> None:
    """Lower the priority of this thread alone, where the system has such a thing (Linux)."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), os.getpriority(os.PRIO_PROCESS, 0) + _NICENESS)
