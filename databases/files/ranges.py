"""Writes a table from several processes: each its own ranges, into the file that one of them has laid out.

Where numbers take less than a byte, a range begins and ends inside of groups of eight numbers, whose bytes it shares
with its neighbours. Those few numbers, the *edges*, are not written but kept, for the process that laid the file out
(:meth:`~databases.files.writer.TableWriter.take_over`). Laying out, hashing and naming are left to it, too.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from databases.files.disk import write_all
from databases.files.faults import TableWriteError, error_text
from databases.files.header import QUANTITIES, is_dense
from databases.windows import Coding

GROUP = 8
"""Numbers whose bytes they share with no others, whatever bits they take."""


class Layout(NamedTuple):
    """Where the numbers of a table go, as the process that laid it out tells the others."""

    part: Path
    offsets: Mapping[str, int]
    """Byte of the file at which each quantity starts."""
    positions: int
    coding: Coding


class Edge(NamedTuple):
    """Numbers of a range that share bytes with its neighbours."""

    quantity: str
    offset: int
    numbers: NDArray[np.int8]


class Written(NamedTuple):
    """What a process has written: how many numbers of each quantity, and the edges that it has not."""

    counts: Mapping[str, int]
    edges: Sequence[Edge]


@dataclass
class RangeWriter:
    """Writes ranges of a table; a context manager, which closes the file. Each number is written once, by one process.

    Raises :class:`~databases.files.faults.TableWriteError` when the disk refuses.
    """

    layout: Layout
    counts: dict[str, int] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)

    def __enter__(self) -> RangeWriter:
        try:
            self._descriptor = os.open(self.layout.part, os.O_RDWR | os.O_CLOEXEC)
        except OSError as error:
            raise self._write_error(error) from error
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)

    def write(self, quantity: str, offset: int, values: NDArray[Any]) -> None:
        """Write ``values`` (1-d, the quantity's dtype) from board ``offset`` on, in any order."""
        layout = self.layout
        end = offset + len(values)
        if values.dtype != QUANTITIES[quantity] or values.ndim != 1 or offset < 0 or end > layout.positions:
            raise ValueError(f"{quantity}: {values.dtype} {values.shape} at {offset} does not fit {layout.positions}")
        self.counts[quantity] = self.counts.get(quantity, 0) + len(values)
        if not is_dense(quantity, layout.coding):
            self._put(quantity, offset * values.itemsize, np.ascontiguousarray(values).data.cast("B"))
            return
        first, last = min(-(-offset // GROUP) * GROUP, end), max(end // GROUP * GROUP, offset)
        for start, stop in ((offset, first), (max(last, first), end)):
            if start < stop:
                self.edges.append(Edge(quantity, start, values[start - offset : stop - offset].copy()))
        if first < last:
            stored = layout.coding.encode(np.ascontiguousarray(values[first - offset : last - offset]))
            self._put(quantity, first * layout.coding.bits // 8, stored.data)

    def read(self, quantity: str, offset: int, count: int) -> NDArray[Any]:
        """Not to be had: a range is read by nobody before the table is whole."""
        raise NotImplementedError(f"{quantity} {offset} {count}")

    def flush(self) -> None:
        """Have what was written reach the folder, for processes on other machines."""
        try:
            os.fsync(self._descriptor)
        except OSError as error:
            raise self._write_error(error) from error

    @property
    def written(self) -> Written:
        """What has been written, for the process that laid the file out."""
        return Written(self.counts, self.edges)

    def _put(self, quantity: str, at: int, data: memoryview) -> None:
        try:
            write_all(self._descriptor, data, self.layout.offsets[quantity] + at)
        except OSError as error:
            raise self._write_error(error) from error

    def _write_error(self, error: OSError) -> TableWriteError:
        return TableWriteError(f"cannot write {self.layout.part}: {error_text(error)}; finished tables are intact")


def joined(edges: Iterable[Edge]) -> Iterator[Edge]:
    """Edges put together where one goes on where another ends: so they begin with a group, and end with one or with
    the table."""
    ordered = sorted(edges, key=lambda edge: edge[:2])
    while ordered:
        count = 1
        while count < len(ordered) and _goes_on(ordered[count - 1], ordered[count]):
            count += 1
        run, ordered = ordered[:count], ordered[count:]
        yield Edge(run[0].quantity, run[0].offset, np.concatenate([edge.numbers for edge in run]))


def _goes_on(one: Edge, other: Edge) -> bool:
    return one.quantity == other.quantity and one.offset + len(one.numbers) == other.offset
