"""The archive of a table, for keeping and sending: the same numbers in compressed chunks, ``NAME.packed.h5``.

``awari-16.packed.h5`` holds what ``awari-16.h5`` holds, in about 3.5 bits per board. Any HDF5 library reads it; an
:class:`Archive` answers from it by unpacking the chunks that are asked for, and keeps the last ones. Beside the numbers
it holds the *frame*: every byte of the plain file that is not one of its numbers. How an archive is made from a table,
and the table from it, is left to :mod:`databases.files.packing`.
"""

from __future__ import annotations

import importlib.util
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from databases.files.faults import (
    REBUILD,
    ForeignTableError,
    InaccessibleTableError,
    TableError,
    UnreadableTableError,
    error_text,
    reading_error,
)
from databases.files.folder import ARCHIVE_SUFFIX, claimed
from databases.files.hashes import CHUNK, Digest, hash_both
from databases.files.hdf5 import opened, own_dataset
from databases.files.header import QUANTITIES, Header, read_header
from databases.files.table import FinishedTable
from solver.errors import AbapaError

FORMAT = "abapa-packed-table"
FORMAT_VERSION = 1
CACHED = 256
"""Chunks that an open archive keeps: 16 MiB."""
ZSTD_FILTER = 32015


class Archive(FinishedTable):
    """An archive, open for reading: chunks are unpacked as they are asked for, and the last ones kept.

    Threads take turns: one lock guards the file and the chunks.
    """

    def __init__(self, path: Path, header: Header, offsets: dict[str, int]) -> None:
        super().__init__(path, header)
        self.offsets = offsets
        """Where each quantity starts in the plain file."""
        self._file: h5py.File | None = None
        self._cache: OrderedDict[tuple[str, int], NDArray[Any]] = OrderedDict()

    @classmethod
    def open(cls, path: Path) -> Archive:
        """Open and check the archive at ``path``. Raises a subclass of :class:`~databases.files.faults.TableError`."""
        name = claimed(path, ARCHIVE_SUFFIX)
        with opened(path) as file:
            header = read_header(path, file, FORMAT, FORMAT_VERSION, name)
            frame = own_dataset(path, file, "frame")
            if frame.ndim != 1 or frame.dtype != np.uint8:
                raise ForeignTableError(path, "has no frame to unpack its numbers into: it is damaged", REBUILD)
            offsets: dict[str, int] = {}
            for quantity in header.quantities:
                dataset: Any = file[quantity]
                if dataset.chunks is None:
                    raise ForeignTableError(path, f"is a packed table whose {quantity} is not packed", REBUILD)
                offsets[quantity] = int(dataset.attrs["offset_in_file"])
                if ZSTD_FILTER in _filters(dataset):
                    load_zstd(path)
            return cls(path, header, offsets)

    def read(self, quantity: str, index: int) -> int:
        with self._lock:
            length = self._dataset(quantity).chunks[0]
            return int(self._chunk(quantity, index // length)[index % length])

    def read_many(self, quantity: str, indexes: NDArray[np.int64]) -> NDArray[Any]:
        """Many numbers; each chunk is unpacked once, in order. Shape and order of ``indexes``, (k,) int64."""
        out = np.empty(len(indexes), QUANTITIES[quantity])
        order = np.argsort(indexes, kind="stable")
        with self._lock:
            length = self._dataset(quantity).chunks[0]
            numbers, firsts = np.unique(indexes[order] // length, return_index=True)
            for number, first, last in zip(numbers, firsts, [*firsts[1:], len(order)], strict=True):
                here = order[first:last]
                out[here] = self._chunk(quantity, int(number))[indexes[here] - number * length]
        return out

    def chunks(self, quantity: str) -> Iterator[memoryview]:
        length = CHUNK // QUANTITIES[quantity].itemsize
        for start in range(0, self.positions, length):
            with self._lock:
                piece = self._unpacked(self._dataset(quantity), quantity, start, length)
            yield piece.data.cast("B")

    def frame(self) -> NDArray[np.uint8]:
        """Every byte of the plain file outside its numbers."""
        try:
            with self._lock:
                return self._dataset("frame")[:]
        except (OSError, KeyError, RuntimeError) as error:
            raise _damage(self.path, "its frame cannot be read", error) from error

    def check(self, threads: int = 2) -> list[str]:
        """Hash all data again, and read what unpacking needs besides: the faults found, one line each."""
        faults = super().check(threads)
        try:
            self.frame()
        except InaccessibleTableError:
            raise
        except UnreadableTableError as error:
            faults.append(error.fault)
        return faults

    def _hash(self, quantity: str, threads: int) -> Digest:
        """Both hashes in one pass: unpacking is what takes the time, and HDF5 does it on one thread."""
        return hash_both(self.chunks(quantity))

    def _dataset(self, quantity: str) -> Any:
        self._want_open()
        if self._file is None:
            try:
                self._file = h5py.File(self.path, "r", locking=False)
            except OSError as error:
                raise reading_error(self.path, error) from error
        return self._file[quantity]

    def _chunk(self, quantity: str, number: int) -> NDArray[Any]:
        key = quantity, number
        if key in self._cache:
            self._cache.move_to_end(key)
            return self._cache[key]
        dataset = self._dataset(quantity)
        length = dataset.chunks[0]
        chunk = self._cache[key] = self._unpacked(dataset, quantity, number * length, length)
        if len(self._cache) > CACHED:
            self._cache.popitem(last=False)
        return chunk

    def _unpacked(self, dataset: Any, quantity: str, start: int, length: int) -> NDArray[Any]:
        try:
            return np.ascontiguousarray(dataset[start : start + length])
        except (OSError, RuntimeError) as error:
            raise _damage(self.path, f"{quantity}, boards {start:,} on", error) from error

    def close(self) -> None:
        """Let go of the file and of the chunks kept."""
        with self._lock:
            self._closed = True
            self._cache.clear()
            if self._file is not None:
                self._file.close()
                self._file = None


def _damage(path: Path, where: str, error: Exception) -> TableError:
    """The error for data that cannot be unpacked; the system's refusal to hand them out stays one."""
    found = reading_error(path, error)
    if isinstance(found, InaccessibleTableError):
        return found
    return UnreadableTableError(path, f"is damaged: {where}: {error_text(error)}", REBUILD)


def _filters(dataset: Any) -> list[int]:
    plan = dataset.id.get_create_plist()
    return [plan.get_filter(k)[0] for k in range(plan.get_nfilters())]


def load_zstd(path: Path) -> None:
    """Register HDF5's zstd filter, or say how to get it."""
    if importlib.util.find_spec("hdf5plugin") is None:
        raise AbapaError(f"{path}: zstd needs the package hdf5plugin: pip install 'abapa[zstd]', or use gzip")
    importlib.import_module("hdf5plugin")
