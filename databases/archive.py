"""The packed form of a table, for keeping and sending: the same numbers in compressed chunks.

``awari-16.packed.h5`` holds what ``awari-16.h5`` holds, in about 3.5 bits a board. Any HDF5 library reads it; a
:class:`PackedTable` answers from it by unpacking the chunks that are asked for, and keeps the last ones. Beside the
numbers a packed file keeps the *frame*: every byte of the plain file that is not one of its numbers. So :func:`unpack`
restores the plain file byte for byte.

The gzip streams are written by ourselves, with zlib's strategy for filtered data: with HDF5's own settings the same
numbers take 5 % more (awari 16: 3.46 against 3.64 bits a board). What is in a table is left to :mod:`databases.store`.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import zlib
from collections import OrderedDict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from databases.folder import PACKED_SUFFIX, packed_path, table_path
from databases.store import (
    CHUNK,
    QUANTITIES,
    REBUILD,
    Digest,
    FinishedTable,
    ForeignTableError,
    Header,
    InaccessibleTableError,
    Table,
    TableError,
    TableWriteError,
    UnreadableTableError,
    claimed,
    error_text,
    flush,
    hash_both,
    new_file,
    opened,
    own_dataset,
    read_header,
    reading_error,
    set_attributes,
)
from solver.errors import AbapaError

FORMAT = "abapa-packed-table"
FORMAT_VERSION = 1
CHUNK_BYTES = 64 << 10
"""Bytes compressed together: what one look-up unpacks. Four times as many save 0.02 bits a board."""
GZIP_LEVEL = 6
"""9 takes half as long again and saves 0.004 bits a board."""
ZSTD_LEVEL = 19
CACHED = 256
"""Chunks that an open table keeps: 16 MiB."""
COMPRESSIONS = ("gzip", "zstd")

_GZIP_FILTER, _ZSTD_FILTER = 1, 32015


# -- packing ----------------------------------------------------------------------------------------------------------


def pack(table: Table, *, compression: str = "gzip", threads: int = 2) -> Path:
    """Write the packed form of a table beside it and return its path; the plain file stays.

    A packed form that is there is replaced. ``compression``: one of :data:`COMPRESSIONS`. Raises
    :class:`~databases.store.TableError` for a table whose hashes do not fit, and
    :class:`~databases.store.TableWriteError` when the disk refuses.
    """
    if faults := table.check():
        raise TableError(table.path, f"is damaged, so it is not packed: {faults[0]}", REBUILD)
    if compression == "zstd":
        _load_zstd(table.path)
    path = packed_path(table.path.parent, table.rules, table.seeds)
    part = path.with_name(path.name + ".part")
    try:
        part.unlink(missing_ok=True)
        with new_file(part) as file, opened(table.path) as plain:
            set_attributes(file, {**plain.attrs, "format": FORMAT, "format_version": FORMAT_VERSION})
            plain.copy("chunk_sha256", file)
            for quantity in table.quantities:
                write = _write_gzip if compression == "gzip" else _write_zstd
                dataset = write(file, quantity, table.map(quantity), threads)
                set_attributes(dataset, {**plain[quantity].attrs, "offset_in_file": table.offsets[quantity]})
            file.create_dataset("frame", data=_frame(table), chunks=True, compression="gzip", track_times=False)
        _flush(part)
        part.rename(path)
        flush(path.parent)
    except (OSError, RuntimeError) as error:  # RuntimeError: what HDF5 says of a full disk when it closes the file
        raise TableWriteError(f"cannot write {path}: {error_text(error)}; the plain table is intact") from error
    finally:
        part.unlink(missing_ok=True)
    return path


def _write_gzip(file: h5py.File, quantity: str, numbers: NDArray[Any], threads: int) -> h5py.Dataset:
    """A dataset of gzip chunks (bytes of wider numbers grouped, HDF5's shuffle), compressed on several threads."""
    wide = numbers.itemsize > 1
    length = min(CHUNK_BYTES // numbers.itemsize, len(numbers))
    dataset = file.create_dataset(
        quantity,
        numbers.shape,
        numbers.dtype,
        chunks=(length,),
        shuffle=wide,
        compression="gzip",
        compression_opts=GZIP_LEVEL,
        track_times=False,
    )

    def compressed(start: int) -> bytes:
        chunk = np.zeros(length, numbers.dtype)  # HDF5 stores whole chunks
        piece = numbers[start : start + length]
        chunk[: len(piece)] = piece
        if wide:
            chunk = chunk.view(np.uint8).reshape(length, -1).T
        stream = zlib.compressobj(GZIP_LEVEL, zlib.DEFLATED, zlib.MAX_WBITS, zlib.DEF_MEM_LEVEL + 1, zlib.Z_FILTERED)
        return stream.compress(chunk.tobytes()) + stream.flush()

    starts = range(0, len(numbers), length)
    with ThreadPoolExecutor(threads) as pool:
        for start, data in zip(starts, pool.map(compressed, starts), strict=True):
            dataset.id.write_direct_chunk((start,), data)
    return dataset


def _write_zstd(file: h5py.File, quantity: str, numbers: NDArray[Any], threads: int) -> h5py.Dataset:
    """A dataset of zstd chunks, by the filter of the ``zstd`` extra, on one thread."""
    length = min(CHUNK_BYTES // numbers.itemsize, len(numbers))
    return file.create_dataset(
        quantity,
        data=numbers,
        chunks=(length,),
        shuffle=numbers.itemsize > 1,
        compression=_ZSTD_FILTER,
        compression_opts=(ZSTD_LEVEL,),
        track_times=False,
    )


def _load_zstd(path: Path) -> None:
    """Register HDF5's zstd filter, or say how to get it."""
    if importlib.util.find_spec("hdf5plugin") is None:
        raise AbapaError(f"{path}: zstd needs the package hdf5plugin: pip install 'abapa[zstd]', or use gzip")
    importlib.import_module("hdf5plugin")


def _frame(table: Table) -> NDArray[np.uint8]:
    """Every byte of a plain file outside its numbers, in order."""
    data = np.memmap(table.path, np.uint8, "r")
    keep = [data[start:end] for start, end in _gaps(table, len(data))]
    return np.concatenate(keep)


def _gaps(table: Table | PackedTable, size: int) -> Iterator[tuple[int, int]]:
    """The stretches of a plain file of ``size`` bytes that are not numbers."""
    at = 0
    for start, length in sorted(_places(table).values()):
        yield at, start
        at = start + length
    yield at, size


def _places(table: Table | PackedTable) -> dict[str, tuple[int, int]]:
    """Where each quantity lies in the plain file: (offset, bytes)."""
    return {name: (table.offsets[name], table.positions * QUANTITIES[name].itemsize) for name in table.quantities}


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# -- unpacking --------------------------------------------------------------------------------------------------------


def unpack(packed: PackedTable) -> Path:
    """Restore the plain file beside a packed one, byte for byte, and return its path; the packed file stays.

    Raises :class:`~databases.store.TableError` when the numbers do not have the hashes they should,
    :class:`~databases.store.TableWriteError` when the disk refuses; nothing is left then.
    """
    path = table_path(packed.path.parent, packed.rules, packed.seeds)
    if path.exists():
        raise AbapaError(f"{path} is there already: nothing to unpack")
    part = path.with_name(path.name + ".part")
    try:
        part.unlink(missing_ok=True)
        descriptor = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        try:
            _restore(packed, descriptor)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        _compare(part, packed)
        part.rename(path)
        flush(path.parent)
    except OSError as error:
        raise TableWriteError(f"cannot write {path}: {error_text(error)}; the packed table is intact") from error
    finally:
        part.unlink(missing_ok=True)
    return path


def _compare(part: Path, packed: PackedTable) -> None:
    """Whether what was restored is the table that it should be; its numbers have had their hashes compared."""
    try:
        with Table.open(part, (packed.rules.id, packed.seeds)) as table:
            right = table.header.digests == packed.header.digests and table.offsets == packed.offsets
    except InaccessibleTableError:
        raise
    except TableError:
        right = False
    if not right:
        raise TableError(packed.path, "is damaged: what it unpacks to is no table", REBUILD)


def _restore(packed: PackedTable, descriptor: int) -> None:
    frame = packed.frame()
    places = _places(packed)
    size = len(frame) + sum(length for _, length in places.values())
    gaps = list(_gaps(packed, size))
    if any(not 0 <= start <= end <= size for start, end in gaps):
        raise TableError(packed.path, "is damaged: its offsets do not fit its numbers", REBUILD)
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(descriptor, 0, size)
    taken = 0
    for start, end in gaps:
        _write_all(descriptor, frame[taken : taken + end - start].data, start)
        taken += end - start
    for quantity, (start, _) in places.items():
        _unpack_numbers(packed, quantity, descriptor, start)


def _unpack_numbers(packed: PackedTable, quantity: str, descriptor: int, at: int) -> None:
    """Write a quantity's numbers to a file from byte ``at`` on, and hold them against their hash."""
    digest = hashlib.sha256()
    for chunk in packed.chunks(quantity):
        digest.update(chunk)
        _write_all(descriptor, chunk, at)
        at += len(chunk)
    if digest.hexdigest() != packed.header.digests[quantity].whole:
        raise TableError(packed.path, f"is damaged: {(packed.check() or [quantity])[0]}", REBUILD)


def unpacked_map(packed: PackedTable, quantity: str, folder: Path) -> NDArray[Any]:
    """A whole quantity as a read-only map of a scratch file in ``folder``, which is gone when the array is.

    Raises :class:`~databases.store.TableError` when the numbers do not have the hash they should,
    :class:`~databases.store.TableWriteError` when the disk refuses.
    """
    path = folder / f".abapa-unpacked-{os.getpid()}-{packed.seeds}-{quantity}"
    descriptor = -1
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        path.unlink()
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(descriptor, 0, packed.positions * QUANTITIES[quantity].itemsize)
        _unpack_numbers(packed, quantity, descriptor, 0)
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return np.asarray(np.memmap(file, QUANTITIES[quantity], "r", 0, (packed.positions,)))
    except OSError as error:
        raise TableWriteError(f"no room to unpack {packed.path} in {folder}: {error_text(error)}") from error
    finally:
        if descriptor >= 0:
            os.close(descriptor)


def _write_all(descriptor: int, data: memoryview, at: int) -> None:
    while data:
        done = os.pwrite(descriptor, data, at)
        data, at = data[done:], at + done


# -- reading ----------------------------------------------------------------------------------------------------------


class PackedTable(FinishedTable):
    """A packed table, open for reading: chunks are unpacked as they are asked for, and the last ones kept."""

    def __init__(self, path: Path, header: Header, offsets: dict[str, int]) -> None:
        super().__init__(path, header)
        self.offsets = offsets
        """Where each quantity starts in the plain file."""
        self._file: h5py.File | None = None
        self._cache: OrderedDict[tuple[str, int], NDArray[Any]] = OrderedDict()

    @classmethod
    def open(cls, path: Path) -> PackedTable:
        """Open and check the packed table at ``path``. Raises a subclass of :class:`~databases.store.TableError`."""
        name = claimed(path, PACKED_SUFFIX)
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
                if _ZSTD_FILTER in _filters(dataset):
                    _load_zstd(path)
            return cls(path, header, offsets)

    def read(self, quantity: str, index: int) -> int:
        length = self._dataset(quantity).chunks[0]
        return int(self._chunk(quantity, index // length)[index % length])

    def read_many(self, quantity: str, indexes: NDArray[np.int64]) -> NDArray[Any]:
        """Many numbers; each chunk is unpacked once, in order. Shape and order of ``indexes``, (k,) int64."""
        length = self._dataset(quantity).chunks[0]
        out = np.empty(len(indexes), QUANTITIES[quantity])
        order = np.argsort(indexes, kind="stable")
        numbers, firsts = np.unique(indexes[order] // length, return_index=True)
        for number, first, last in zip(numbers, firsts, [*firsts[1:], len(order)], strict=True):
            here = order[first:last]
            out[here] = self._chunk(quantity, int(number))[indexes[here] - number * length]
        return out

    def chunks(self, quantity: str) -> Iterator[memoryview]:
        dataset, length = self._dataset(quantity), CHUNK // QUANTITIES[quantity].itemsize
        for start in range(0, self.positions, length):
            yield self._unpacked(dataset, quantity, start, length).data.cast("B")

    def frame(self) -> NDArray[np.uint8]:
        """Every byte of the plain file outside its numbers."""
        try:
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
