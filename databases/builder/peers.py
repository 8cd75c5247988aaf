"""How the processes that build a tier together tell each other of boards: the interface, and a process alone.

Each process, or *rank*, owns rows of the state (:mod:`databases.builder.ownership`). A level tells the predecessors of
all boards that wait, whoever found them; each rank tells those in its own rows. So at the start of a level every rank
is given the waiting boards that have predecessors in its rows. How they travel between ranks is
:mod:`databases.builder.exchange`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from databases.builder.frontier import Bitmap, Frontier

MOST_BYTES = 256 << 20
"""Bytes that a rank sends or receives in one call, at most."""


class Peers(Protocol):
    """The ranks that build a tier together. Every rank makes the same calls in the same order."""

    def total(self, count: int) -> int:
        """The sum of what all ranks give."""
        ...

    def bits(self, source: Frontier) -> Bitmap:
        """The waiting boards of all ranks that have predecessors in the own rows, as a bitmap."""
        ...

    def lists(self, source: Frontier, threads: int) -> Iterator[NDArray[np.uint64]]:
        """The same as lists; takes the boards out of ``source``. Each list is valid until the next is asked for."""
        ...

    def whole_rows(self, offset: int, strip: NDArray[Any]) -> tuple[int, NDArray[Any]]:
        """Trade strips of a band of the table, (rows, own boards of a row), for whole rows.

        Returns where in the table the rows start that this rank is to write, and their boards, one row after another.
        """
        ...


class Alone:
    """One process, which owns all rows."""

    def total(self, count: int) -> int:
        """What it gives."""
        return count

    def bits(self, source: Frontier) -> Bitmap:
        """The frontier itself."""
        return source.as_bits()

    def lists(self, source: Frontier, threads: int) -> Iterator[NDArray[np.uint64]]:
        """What the frontier holds, as far as a list has room, until it is empty."""
        while source.count:
            yield source.take(threads)

    def whole_rows(self, offset: int, strip: NDArray[Any]) -> tuple[int, NDArray[Any]]:
        """The strip, whose rows are whole."""
        return offset, strip.reshape(-1)
