"""Long work on threads of its own, a few at once, so that the event loop goes on answering.

Kernels let go of the interpreter lock while they run, and the threads step back for the event loop's (a higher *nice*
value), so that look-ups stay quick beside a search even on one core. What works is stopped when nobody waits for it any
more. Tables are asked on the event loop's thread alone, never from here: :mod:`databases.prober` is for one thread.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing, suppress
from typing import Any, Generic, TypeVar

from solver.web.errors import Refused

NICE = 15
"""How far the threads step back: under contention they get about a thirtieth of what the event loop's thread does.

At 10, a tenth, one look-up in a hundred waited for a search's whole slice of 3 ms; at 13 to 19 for less than 1 ms.
"""

Item = TypeVar("Item")


class Job(Generic[Item]):
    """One piece of work: the items it yields, as they come. Closing the iteration stops the work."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._queue: asyncio.Queue[tuple[Item | None, BaseException | None, bool]] = asyncio.Queue()
        self.stopped = False
        """Whether the work is to end: it looks here between two items."""
        self.on_stop: Callable[[], None] | None = None
        """What ends the work inside an item: a searcher's ``stop``."""

    def stop(self) -> None:
        """Ask the work to end; from any thread."""
        self.stopped = True
        if self.on_stop is not None:
            self.on_stop()

    async def items(self) -> AsyncIterator[Item]:
        """The items. Raises what the work raised."""
        try:
            while True:
                item, error, over = await self._queue.get()
                if error is not None:
                    raise error
                if over:
                    return
                yield item  # type: ignore[misc]  # only the last entry has none
        finally:
            self.stop()

    def run(self, work: Callable[[Job[Item]], Iterator[Item]]) -> None:
        """Do the work; on its own thread."""
        try:
            with suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
            for item in work(self):
                if self.stopped:
                    break
                self._tell(item, None, False)
            self._tell(None, None, True)
        except Exception as error:  # whoever waits for the items raises it
            self._tell(None, error, True)

    def _tell(self, *entry: Any) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(self._queue.put_nowait, entry)


class Jobs:
    """At most ``most`` jobs at once; more are refused with ``kind``."""

    def __init__(self, most: int, kind: str, refusal: str) -> None:
        self._most, self._kind, self._refusal = most, kind, refusal
        self.running: set[Job[Any]] = set()

    def start(self, work: Callable[[Job[Item]], Iterator[Item]]) -> Job[Item]:
        """Begin a job; its place is free again when its thread has ended. Raises Refused without a free place."""
        if len(self.running) >= self._most:
            raise Refused(self._kind, self._refusal)
        loop = asyncio.get_running_loop()
        job: Job[Item] = Job(loop)
        self.running.add(job)

        def run() -> None:
            job.run(work)
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(self.running.discard, job)

        threading.Thread(target=run, daemon=True).start()
        return job

    async def result(self, work: Callable[[Job[Item]], Iterator[Item]]) -> Item:
        """Do a job to its end and return its last item; stopped when the caller is cancelled."""
        job, last = self.start(work), []
        async with aclosing(job.items()) as items:  # type: ignore[type-var]
            async for item in items:
                last = [item]
        if not last:  # the server ends
            raise Refused("busy", "the work was stopped")
        return last[0]

    def stop(self) -> None:
        """Ask all that runs to end."""
        for job in self.running:
            job.stop()
