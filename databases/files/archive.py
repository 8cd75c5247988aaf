"""The archive of a table, for keeping and sending: the same numbers in compressed chunks, ``NAME.packed.h5``.

``awari-16.packed.h5`` holds what ``awari-16.h5`` holds, in about 3.5 bits per board. Any HDF5 library reads it; an
:class:`Archive` answers from it by unpacking the chunks that are asked for, and keeps the last ones. Beside the numbers
it holds the *frame*: every byte of the plain file that is not one of its numbers. How an archive is made from a table,
and the table from it, is left to :mod:`databases.files.packing`.
"""

from __future__ import annotations

import importlib.util
import io
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from databases.files.chunks import ZSTD, Chunks, filters_of
from databases.files.faults import (
    REBUILD,
    ForeignTableError,
    InaccessibleTableError,
    TableError,
    UnreadableTableError,
    error_text,
    reading_error,
)
from databases.files.folder import ARCHIVE_SUFFIX, TableName, claimed
from databases.files.hashes import CHUNK, Digest, hash_both
from databases.files.hdf5 import DAMAGE, check_heaps, opened, own_attributes, own_dataset
from databases.files.header import QUANTITIES, Header, bits_of, is_dense, read_header, stored_bytes
from databases.files.table import FinishedTable, Table, read_plain
from databases.windows import SPARE
from solver.errors import AbapaError
from solver.files import open_regular

FORMAT = "abapa-packed-table"
CACHED_BYTES = 16 << 20
"""Bytes of unpacked chunks that an open archive keeps: 256 chunks."""
LARGEST_FRAME = 1 << 20
"""Bytes of a plain file outside numbers and chunk hashes that are accepted at most; ours are a few pages."""


class Archive(FinishedTable):
    """An archive, open for reading: chunks are unpacked as they are asked for, and the last ones kept.

    Threads take turns: one lock guards the file and the chunks.
    """

    def __init__(self, path: Path, header: Header, offsets: dict[str, int]) -> None:
        super().__init__(path, header)
        self.offsets = offsets
        """Where each quantity starts in the plain file."""
        self._file: h5py.File | None = None
        self._datasets: dict[str, Chunks] = {}
        self._cache: OrderedDict[tuple[str, int], NDArray[Any]] = OrderedDict()

    @classmethod
    def open(cls, path: Path) -> Archive:
        """Open and check the archive at ``path``. Raises a subclass of :class:`~databases.files.faults.TableError`."""
        name = claimed(path, ARCHIVE_SUFFIX)
        with opened(path) as file:
            header = read_header(path, file, FORMAT, name)
            frame = own_dataset(path, file, "frame", packed=True)
            hashes = sum(len(digest.chunks) for digest in header.digests.values())
            if frame.ndim != 1 or frame.dtype != np.uint8 or not 0 < frame.size <= LARGEST_FRAME + 128 * hashes:
                raise ForeignTableError(path, "has no frame to unpack its numbers into: it is damaged", REBUILD)
            offsets: dict[str, int] = {}
            for quantity in header.quantities:
                dataset = own_dataset(path, file, quantity, packed=True)
                offsets[quantity] = int(own_attributes(dataset)["offset_in_file"])
                if ZSTD in filters_of(dataset):
                    load_zstd(path)
            return cls(path, header, offsets)

    def read(self, quantity: str, index: int) -> int:
        with self._lock:
            length = self._chunks(quantity).length
            return int(self._chunk(quantity, index // length)[index % length])

    def read_many(self, quantity: str, indexes: NDArray[np.int64]) -> NDArray[Any]:
        """Many numbers; each chunk is unpacked once, in order. Shape and order of ``indexes``, (k,) int64."""
        out = np.empty(len(indexes), QUANTITIES[quantity])
        order = np.argsort(indexes, kind="stable")
        with self._lock:
            length = self._chunks(quantity).length
            numbers, firsts = np.unique(indexes[order] // length, return_index=True)
            for number, first, last in zip(numbers, firsts, [*firsts[1:], len(order)], strict=True):
                here = order[first:last]
                out[here] = self._chunk(quantity, int(number))[indexes[here] - number * length]
        return out

    def chunks(self, quantity: str) -> Iterator[memoryview]:
        dense = is_dense(quantity, self.coding)
        length = CHUNK * 8 // bits_of(quantity, self.coding) // 8 * 8  # so that each piece begins at a byte
        for start in range(0, self.positions, length):
            with self._lock, self._reading(f"{quantity}, boards {start:,} on"):
                piece = self._chunks(quantity).between(start, min(start + length, self.positions))
            yield self.coding.encode(piece).data if dense else piece.data.cast("B")
        if dense:
            yield memoryview(bytes(SPARE))

    def frame(self) -> NDArray[np.uint8]:
        """Every byte of the plain file outside its numbers."""
        with self._lock, self._reading("its frame cannot be read"):
            chunks = self._chunks("frame")
            return chunks.between(0, chunks.size)

    @property
    def size(self) -> int:
        """Bytes of the plain file."""
        return self._chunks("frame").size + sum(length for _, length in places(self).values())

    def check(self, threads: int = 2) -> list[str]:
        """Hash and count all data again, and see whether what is unpacked is a table: the faults, one line each."""
        faults = super().check(threads)
        try:
            self.check_frame()
        except InaccessibleTableError:
            raise
        except TableError as error:
            faults.append(error.fault)
        return faults

    def check_frame(self) -> None:
        """Whether frame and offsets make a plain file of these numbers, as unpacking needs them to.

        Raises :class:`~databases.files.faults.TableError`.
        """
        frame, size = self.frame(), self.size
        parts = list(gaps(self, size))
        if any(not 0 <= start <= end <= size for start, end in parts):
            raise TableError(self.path, "is damaged: its offsets do not fit its numbers", REBUILD)
        try:
            check_heaps(frame.tobytes())
            with h5py.File(_Skeleton(frame, parts, size), "r") as file:
                header, offsets = read_plain(self.path, file, size, table_name(self))
                right = header.digests == self.header.digests and offsets == self.offsets
        except InaccessibleTableError:
            raise
        except (AbapaError, *DAMAGE):
            right = False
        if not right:
            raise TableError(self.path, "is damaged: what it unpacks to is no table", REBUILD)

    def _hash(self, quantity: str, threads: int, count: Any) -> Digest:
        """Both hashes in one pass: unpacking is what takes the time, and one thread does it."""
        return hash_both(count.over(self.chunks(quantity)))

    def _chunks(self, name: str) -> Chunks:
        """The chunks of a dataset, which is looked at again: the file may have been replaced since."""
        with self._lock:
            self._want_open()
            if name not in self._datasets:
                with self._reading(name):
                    if self._file is None:
                        open_regular(self.path).close()
                        self._file = h5py.File(self.path, "r", locking=False)
                    dataset = own_dataset(self.path, self._file, name, packed=True)
                    if name != "frame" and (dataset.shape, dataset.dtype) != ((self.positions,), QUANTITIES[name]):
                        raise ForeignTableError(self.path, f"holds other numbers of {name} than it did", REBUILD)
                    self._datasets[name] = Chunks(dataset)
            return self._datasets[name]

    def _chunk(self, quantity: str, number: int) -> NDArray[Any]:
        key = quantity, number
        if key in self._cache:
            self._cache.move_to_end(key)
            return self._cache[key]
        chunks = self._chunks(quantity)
        with self._reading(f"{quantity}, boards {number * chunks.length:,} on"):
            chunk = self._cache[key] = chunks.read(number)
        while len(self._cache) > max(CACHED_BYTES // chunk.nbytes, 1):
            self._cache.popitem(last=False)
        return chunk

    @contextmanager
    def _reading(self, where: str) -> Iterator[None]:
        """Data that cannot be unpacked are damage; the system's refusal to hand them out stays one."""
        try:
            yield
        except AbapaError:
            raise
        except DAMAGE as error:
            found = reading_error(self.path, error)
            if isinstance(found, InaccessibleTableError):
                raise found from error
            raise UnreadableTableError(self.path, f"is damaged: {where}: {error_text(error)}", REBUILD) from error

    def close(self) -> None:
        """Let go of the file and of the chunks kept."""
        with self._lock:
            self._closed = True
            self._cache.clear()
            self._datasets.clear()
            if self._file is not None:
                self._file.close()
                self._file = None


def places(table: Table | Archive) -> dict[str, tuple[int, int]]:
    """Where each quantity lies in the plain file: (offset, bytes)."""
    return {name: (table.offsets[name], stored_bytes(name, table.positions, table.coding)) for name in table.quantities}


def table_name(table: Table | Archive) -> TableName:
    """What the plain file's name should claim."""
    return TableName(table.rules.id, table.seeds, table.coding.window)


def gaps(table: Table | Archive, size: int) -> Iterator[tuple[int, int]]:
    """The stretches of a plain file of ``size`` bytes that are not numbers."""
    at = 0
    for start, length in sorted(places(table).values()):
        yield at, start
        at = start + length
    yield at, size


class _Skeleton(io.RawIOBase):
    """A plain file without its numbers: the frame in its place and zeros between, for HDF5 to read the header of."""

    def __init__(self, frame: NDArray[np.uint8], parts: list[tuple[int, int]], size: int) -> None:
        self._frame, self._parts, self._size, self._at = frame, parts, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = offset + (0, self._at, self._size)[whence]
        return self._at

    def readinto(self, buffer: Any) -> int:
        out = np.frombuffer(buffer, np.uint8)
        count, taken = max(min(len(out), self._size - self._at), 0), 0
        out[:count] = 0
        for start, end in self._parts:
            low, high = max(start, self._at), min(end, self._at + count)
            if low < high:
                out[low - self._at : high - self._at] = self._frame[taken + low - start : taken + high - start]
            taken += end - start
        self._at += count
        return count


def load_zstd(path: Path) -> None:
    """Register HDF5's zstd filter, or say how to get it."""
    if importlib.util.find_spec("hdf5plugin") is None:
        raise AbapaError(f"{path}: zstd needs the package hdf5plugin: pip install 'abapa[zstd]', or use gzip")
    importlib.import_module("hdf5plugin")
