"""Writes one table: ``NAME.h5.part`` beside the others, which takes its name only when all of it is on the disk.

HDF5 lays the file out and keeps the attributes; the numbers themselves go in with ``pwrite`` at the dataset's offset,
into space reserved beforehand. So a full disk is met before the work, or as a plain error that leaves no half-closed
HDF5 file behind. What the numbers are is left to :mod:`databases.builder`, reading them to
:mod:`databases.files.table`.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import h5py
import numpy as np
from numpy.typing import NDArray

from databases.files.disk import PIECE, flush, read_pieces, take_room, write_all
from databases.files.faults import Abandoned, TableWriteError, error_text
from databases.files.folder import table_path
from databases.files.games import TableRules, want_table_rules
from databases.files.hashes import CHUNK, Digest, hash_quantity
from databases.files.hdf5 import LAYOUT, METADATA_ROOM, PAGE, new_file, new_group, set_attributes, timeless
from databases.files.header import QUANTITIES, bits_of, is_dense, meaning_of, stated_attributes, stored_as, stored_bytes
from databases.files.histograms import count_exact, count_margins, write_histogram
from databases.files.ranges import Layout, Written, joined
from databases.tiers import tier_size
from databases.windows import SPARE, WHOLE, Coding, Decoder, decoded


def table_bytes(pits: int, seeds: int, quantities: Sequence[str] = ("value",), window: int = WHOLE) -> int:
    """Size of a table file in bytes, metadata included, within a few KiB (never less than the file takes)."""
    data = [stored_bytes(name, tier_size(pits, seeds), Coding.of(window)) for name in quantities]
    hashes = sum(64 * (size // CHUNK + 1) for size in data)
    return sum(data) + hashes + PAGE * (len(data) + 1) + METADATA_ROOM


class TableWriter:
    """Writes one table; a context manager.

    ``directory`` must exist. Leaving the context without :meth:`commit` removes what was written. Each element of each
    of ``quantities`` (keys of :data:`QUANTITIES`) is to be written exactly once, in any order; from front to back where
    a ``window`` makes numbers smaller than a byte. Raises :class:`TableWriteError` when the folder cannot be written to
    or has too little room.
    """

    def __init__(
        self,
        directory: Path,
        rules: TableRules,
        seeds: int,
        quantities: Sequence[str] = ("value",),
        window: int = WHOLE,
    ) -> None:
        if unknown := set(quantities) - set(QUANTITIES):
            raise ValueError(f"unknown quantities {sorted(unknown)}: accepted are {list(QUANTITIES)}")
        want_table_rules(rules)
        self.directory, self.rules, self.seeds = directory, rules, seeds
        self.quantities = tuple(name for name in QUANTITIES if name in quantities)
        self.positions = tier_size(rules.pits, seeds)
        self.coding = Coding.of(window)
        self.path = table_path(directory, rules, seeds, window)
        self.part = self.path.with_name(self.path.name + ".part")
        self._descriptor = -1
        self._offsets: dict[str, int] = {}
        self._written = dict.fromkeys(self.quantities, 0)
        self._begun = {name: np.empty(0, np.int8) for name in self.quantities}
        """Numbers that do not fill a byte yet."""
        self._abandoned = threading.Event()

    @property
    def bytes(self) -> int:
        """Size of the file, within a few KiB."""
        return table_bytes(self.rules.pits, self.seeds, self.quantities, self.coding.window)

    def __enter__(self) -> Self:
        try:
            self.part.unlink(missing_ok=True)  # left by a killed builder; ours is the only one (BuildLock)
            self._want_room()
            self._take_room(self.bytes, os.O_CREAT | os.O_EXCL)
            self._close()
            self.part.unlink()
            self._lay_out()
            self._take_room(self.bytes)
        except OSError as error:
            self._discard()
            raise self._write_error(error) from error
        except BaseException:
            self._discard()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._descriptor >= 0:
            self._discard()

    def _want_room(self) -> None:
        free = shutil.disk_usage(self.directory).free if self.directory.is_dir() else 0
        if self.bytes > free and self.directory.is_dir():
            raise TableWriteError(
                f"no room for {self.path}: it needs {self.bytes:,} bytes, {free:,} are free; "
                "free some or name another folder with --tables"
            )

    def _lay_out(self) -> None:
        with new_file(self.part, alignment=PAGE) as file:
            for name in self.quantities:
                plan = timeless(h5py.h5p.DATASET_CREATE)
                plan.set_layout(h5py.h5d.CONTIGUOUS)
                plan.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
                plan.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
                kind, count = stored_as(name, self.positions, self.coding)
                space = h5py.h5s.create_simple((count,))
                dataset = h5py.h5d.create(file.id, name.encode(), h5py.h5t.py_create(kind), space, plan)
                self._offsets[name] = dataset.get_offset()

    def _take_room(self, size: int, flags: int = 0) -> None:
        """Open the file and take its disk space.

        Once before HDF5 lays the file out, which does not survive a file that cannot grow, and once for good.
        """
        self._descriptor = os.open(self.part, os.O_RDWR | os.O_CLOEXEC | flags, 0o644)
        take_room(self._descriptor, size)

    def write(self, quantity: str, offset: int, values: NDArray[Any]) -> None:
        """Write ``values`` (1-d, the quantity's dtype) from board ``offset`` on; safe from several threads, unless
        numbers take less than a byte.

        Raises :class:`TableWriteError` when the disk refuses; the file is then gone.
        """
        kind = QUANTITIES[quantity]
        if values.dtype != kind or values.ndim != 1 or offset < 0 or offset + len(values) > self.positions:
            raise ValueError(
                f"{quantity}: {values.dtype} {values.shape} at {offset} does not fit {self.positions} {kind}"
            )
        view, at = self._bytes_of(quantity, offset, values)
        self._put(quantity, at, view)
        self._written[quantity] += len(values)

    def _put(self, quantity: str, at: int, data: memoryview) -> None:
        try:
            write_all(self._descriptor, data, self._offsets[quantity] + at)
        except OSError as error:
            self._discard()
            raise self._write_error(error) from error

    def _bytes_of(self, quantity: str, offset: int, values: NDArray[Any]) -> tuple[memoryview, int]:
        """The bytes that hold ``values``, and where in the quantity they begin."""
        if not is_dense(quantity, self.coding):
            return np.ascontiguousarray(values).data.cast("B"), offset * values.itemsize
        if offset != self._written[quantity]:
            raise ValueError(f"{quantity}: board {offset:,} after {self._written[quantity]:,} boards")
        begun = self._begun[quantity]
        numbers, start = np.concatenate([begun, values]), offset - len(begun)
        last = offset + len(values) == self.positions
        whole = len(numbers) if last else len(numbers) // 8 * 8
        self._begun[quantity] = numbers[whole:].copy()
        stored = self.coding.encode(numbers[:whole])
        if last:
            stored = np.concatenate([stored, np.zeros(SPARE, np.uint8)])
        return stored.data, start * self.coding.bits // 8

    @property
    def layout(self) -> Layout:
        """What other processes need to write ranges of the table (:mod:`databases.files.ranges`)."""
        return Layout(self.part, dict(self._offsets), self.positions, self.coding)

    def take_over(self, written: Sequence[Written]) -> None:
        """Count what other processes have written, and write their edges.

        Raises :class:`TableWriteError` when the disk refuses; the file is then gone.
        """
        for name in self.quantities:
            self._written[name] += sum(part.counts.get(name, 0) for part in written)
        for quantity, offset, numbers in joined(edge for part in written for edge in part.edges):
            stored = self.coding.encode(numbers)
            if offset + len(numbers) == self.positions:
                stored = np.concatenate([stored, np.zeros(SPARE, np.uint8)])
            self._put(quantity, offset * self.coding.bits // 8, stored.data)

    def read(self, quantity: str, offset: int, count: int) -> NDArray[Any]:
        """Give back ``count`` elements that have been written, from ``offset`` on (a multiple of 8)."""
        kind, dense = QUANTITIES[quantity], is_dense(quantity, self.coding)
        bits = bits_of(quantity, self.coding)
        start, size = offset * bits // 8, -(-count * bits // 8)
        pieces = [bytes(piece) for piece in read_pieces(self._descriptor, self._offsets[quantity] + start, size)]
        stored = np.frombuffer(b"".join(pieces), np.uint8)
        return self.coding.decode(stored, count) if dense else stored.view(kind)

    def commit(self, *, extra: Mapping[str, str | int | float] | None = None, threads: int = 1) -> Path:
        """Hash, count, write the attributes, flush to the disk, and give the table its name; returns its path.

        ``extra`` are further attributes. ``threads``: 1, or 2 to be done sooner, with a few
        :data:`~databases.files.disk.PIECE` of memory; it may be another thread than the one that wrote. Raises
        :class:`TableWriteError` when the disk refuses and :class:`Abandoned` after :meth:`abandon`; the file is then
        gone.
        """
        for name, count in self._written.items():
            if count != self.positions:
                raise RuntimeError(f"{self.part}: {count:,} of {self.positions:,} elements of {name} were written")
        try:
            self._write_attributes(extra or {}, threads)
            self._stop_if_abandoned()
            os.fsync(self._descriptor)
            self.part.rename(self.path)
            flush(self.directory)
        except (OSError, EOFError, RuntimeError) as error:  # RuntimeError: HDF5, of a full disk when it closes the file
            self._discard()
            raise self._write_error(error) from error
        except BaseException:
            self._discard()
            raise
        self._close()
        return self.path

    def abandon(self) -> None:
        """Have a commit that another thread is at stop soon, unless it is flushing."""
        self._abandoned.set()

    def _stop_if_abandoned(self) -> None:
        if self._abandoned.is_set():
            raise Abandoned

    def _write_attributes(self, extra: Mapping[str, str | int | float], threads: int) -> None:
        counts = {name: np.zeros(256, np.int64) for name in (*self.quantities, "exact") if name != "distance"}
        digests = {name: self._pass_over(name, counts.get(name), threads) for name in self.quantities}
        with h5py.File(self.part, "r+", libver=LAYOUT, locking=False) as file:
            stated = stated_attributes(self.rules, self.seeds, self.quantities, self.coding)
            set_attributes(file, {**stated, **extra})
            if {"lower", "upper"} <= set(self.quantities):
                write_histogram(file, "exact", self._count_exact())
            group = new_group(file, "chunk_sha256")
            for name in self.quantities:
                dataset: Any = file[name]
                digest = digests[name]
                set_attributes(dataset, {"meaning": meaning_of(self.rules, name, self.coding), "sha256": digest.whole})
                group.create_dataset(name, data=np.array(digest.chunks, dtype="S64"), track_times=False)
                if name == "distance":
                    dataset.attrs["largest"] = self._largest(name)
                else:
                    write_histogram(dataset, "histogram", counts[name])
            file.attrs["complete"] = True

    def _pieces(self, quantity: str, length: int = PIECE) -> Iterator[memoryview]:
        size = stored_bytes(quantity, self.positions, self.coding)
        for piece in read_pieces(self._descriptor, self._offsets[quantity], size, length):
            self._stop_if_abandoned()
            yield piece

    def _pass_over(self, quantity: str, counts: NDArray[np.int64] | None, threads: int) -> Digest:
        """Both hashes of a quantity, and its histogram into ``counts``; on one thread in one pass."""
        return hash_quantity(lambda: self._pieces(quantity), lambda: self._counted(quantity, counts), threads)

    def _counted(self, quantity: str, counts: NDArray[np.int64] | None) -> Iterator[memoryview]:
        """The pieces of a quantity, counted as they come."""
        decoder = Decoder(self.coding, self.positions)
        for piece in self._pieces(quantity):
            if counts is not None:
                count_margins(decoder.take(piece), counts)
            yield piece

    def _count_exact(self) -> NDArray[np.int64]:
        lower, upper = (decoded(self._pieces(name), self.coding, self.positions) for name in ("lower", "upper"))
        return count_exact(lower, upper, self.coding.window)

    def _largest(self, quantity: str) -> int:
        return max(int(np.frombuffer(piece, QUANTITIES[quantity]).max()) for piece in self._pieces(quantity))

    def _write_error(self, error: Exception) -> TableWriteError:
        free = shutil.disk_usage(self.directory).free if self.directory.is_dir() else 0
        return TableWriteError(
            f"cannot write {self.path}: {error_text(error)} (it needs {self.bytes:,} bytes, {free:,} are free); "
            "finished tables are intact"
        )

    def _discard(self) -> None:
        self._close()
        with suppress(OSError):
            self.part.unlink(missing_ok=True)

    def _close(self) -> None:
        """Close the file, once: an interrupt may come in between, and by then the number may be another file's."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)
