"""The table file: one HDF5 file a tier and rule set, written once, then only mapped.

docs/format.md is the format for strangers. Each quantity is one contiguous dataset, so that a finished table is read
through :func:`numpy.memmap` at the dataset's offset, without HDF5. A table is written as ``NAME.h5.part`` and takes its
name only when all of it, hashes and histogram included, is on the disk. What the numbers are is left to
:mod:`databases.builder`, asking for one to :mod:`databases.prober`, proofs to :mod:`databases.verifier`.

HDF5 lays the file out and keeps the attributes; the numbers themselves go in with ``pwrite`` at the dataset's offset,
into space reserved beforehand. So a full disk is met before the work, or as a plain error that leaves no half-closed
HDF5 file behind. The metadata are in the checksummed form of HDF5 1.8 (``v108``), without times of any kind: the same
numbers make the same file. How long a build took is in :mod:`databases.journal`.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import stat
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import h5py
import numpy as np
from numpy.typing import NDArray

from databases.folder import SUFFIX, find_tables, parse_name, table_path
from databases.journal import seconds_taken
from databases.tiers import INDEX_SCHEME, MAX_SEEDS, tier_size
from solver import __version__
from solver.errors import AbapaError, RulesError
from solver.kernels.compile import kernel
from solver.omweso.rules import OmwesoRules
from solver.oware.rules import Rules

__all__ = ["QUANTITIES", "Table", "TableError", "TableWriter", "find_tables", "table_path"]

FORMAT = "abapa-table"
FORMAT_VERSION = 1
CHUNK = 16 << 20
"""Bytes under one chunk hash: where a fault lies is known to 16 MiB."""
PIECE = 1 << 20
"""Bytes that are read, hashed and counted at a time: they stay in the second-level cache."""

QUANTITIES: dict[str, np.dtype[Any]] = {
    "value": np.dtype("<i1"),
    "lower": np.dtype("<i1"),
    "upper": np.dtype("<i1"),
    "distance": np.dtype("<u2"),
}
"""Every quantity a table can hold and how its numbers are stored; ``value`` is always there."""

MEANINGS = {
    "value": "seeds the player to move will still win minus seeds the opponent will, under perfect play by both; "
    "endless play splits the seeds left evenly (0)",
    "lower": "margin that the player to move can force by play that ends, whatever boards repeat",
    "upper": "margin that the opponent can hold the player to move to by play that ends, whatever boards repeat",
    "distance": "plies to the capture or end that realises the value under best play; 0 where the game is over "
    "or the value is 0",
}

OMWESO_MEANINGS = {
    "value": "1 where the player to move wins, -1 where they lose, 0 where neither can be forced",
    "distance": "plies to the end under best play; 0 where the game is over or the value is 0",
}

_LAYOUT = ("v108", "v108")
_PAGE = 4096
_METADATA_ROOM = 32 << 10


REBUILD = "delete it and build it again"


class TableError(AbapaError):
    """A table file that cannot be used: :attr:`fault` is what is wrong with :attr:`path`, :attr:`remedy` what to do."""

    def __init__(self, path: Path, fault: str, remedy: str = "") -> None:
        self.path, self.fault, self.remedy = path, fault, remedy
        super().__init__(f"{path} {fault}{f': {remedy}' if remedy else ''}")


class UnreadableTableError(TableError):
    """The file cannot be opened or is not HDF5."""


class InaccessibleTableError(UnreadableTableError):
    """The system does not hand the file out: no permission, a failing disk, no such file. The table may be sound."""


class TruncatedTableError(TableError):
    """The file is shorter than it says."""


class ForeignTableError(TableError):
    """An HDF5 file that is no table of ours."""


class TableVersionError(TableError):
    """A table written by another version of the format."""


class WrongTableError(TableError):
    """A table of other rules or another tier than its name, or the caller, says."""


class IncompleteTableError(TableError):
    """A table whose writing was not finished."""


class TableWriteError(AbapaError):
    """A table cannot be written: no room, no permission."""


class Abandoned(Exception):
    """A commit was told to stop (:meth:`TableWriter.abandon`)."""


@dataclass(frozen=True)
class Digest:
    """The hashes of a quantity's bytes, in hexadecimal: of all of them, and of each chunk."""

    whole: str
    chunks: list[str]


# -- writing ----------------------------------------------------------------------------------------------------------


class TableWriter:
    """Writes one table; a context manager.

    ``directory`` must exist. Leaving the context without :meth:`commit` removes what was written. Each element of each
    of ``quantities`` (keys of :data:`QUANTITIES`) is to be written exactly once, in any order.
    Raises :class:`TableWriteError` when the folder cannot be written to or has too little room.
    """

    def __init__(
        self, directory: Path, rules: Rules | OmwesoRules, seeds: int, quantities: Sequence[str] = ("value",)
    ) -> None:
        if unknown := set(quantities) - set(QUANTITIES):
            raise ValueError(f"unknown quantities {sorted(unknown)}: accepted are {list(QUANTITIES)}")
        self.directory, self.rules, self.seeds = directory, rules, seeds
        self.quantities = tuple(name for name in QUANTITIES if name in quantities)
        self.positions = tier_size(rules.pits, seeds)
        self.path = table_path(directory, rules, seeds)
        self.part = self.path.with_name(self.path.name + ".part")
        self._descriptor = -1
        self._offsets: dict[str, int] = {}
        self._written = dict.fromkeys(self.quantities, 0)
        self._abandoned = threading.Event()

    @property
    def bytes(self) -> int:
        """Size of the file, within a few KiB."""
        return table_bytes(self.rules.pits, self.seeds, self.quantities)

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
        with new_file(self.part, alignment=_PAGE) as file:
            for name in self.quantities:
                plan = timeless(h5py.h5p.DATASET_CREATE)
                plan.set_layout(h5py.h5d.CONTIGUOUS)
                plan.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
                plan.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
                space = h5py.h5s.create_simple((self.positions,))
                kind = h5py.h5t.py_create(QUANTITIES[name])
                dataset = h5py.h5d.create(file.id, name.encode(), kind, space, plan)
                self._offsets[name] = dataset.get_offset()

    def _take_room(self, size: int, flags: int = 0) -> None:
        """Open the file and take its disk space now, so that no later write can find the disk full.

        Once before HDF5 lays the file out, which does not survive a file that cannot grow, and once for good.
        """
        self._descriptor = os.open(self.part, os.O_RDWR | os.O_CLOEXEC | flags, 0o644)
        if hasattr(os, "posix_fallocate"):  # not everywhere; without it a full disk shows at a later write
            os.posix_fallocate(self._descriptor, 0, size)

    def write(self, quantity: str, offset: int, values: NDArray[Any]) -> None:
        """Write ``values`` (1-d, the quantity's dtype) from element ``offset`` on; safe from several threads.

        Raises :class:`TableWriteError` when the disk refuses; the file is then gone.
        """
        kind = QUANTITIES[quantity]
        if values.dtype != kind or values.ndim != 1 or offset < 0 or offset + len(values) > self.positions:
            raise ValueError(
                f"{quantity}: {values.dtype} {values.shape} at {offset} does not fit {self.positions} {kind}"
            )
        view = np.ascontiguousarray(values).data.cast("B")
        at = self._offsets[quantity] + offset * kind.itemsize
        try:
            while view:
                done = os.pwrite(self._descriptor, view, at)
                view, at = view[done:], at + done
        except OSError as error:
            self._discard()
            raise self._write_error(error) from error
        self._written[quantity] += len(values)

    def read(self, quantity: str, offset: int, count: int) -> NDArray[Any]:
        """Give back ``count`` elements that have been written, from ``offset`` on."""
        kind = QUANTITIES[quantity]
        start, size = self._offsets[quantity] + offset * kind.itemsize, count * kind.itemsize
        pieces = [bytes(piece) for piece in read_pieces(self._descriptor, start, size)]
        return np.frombuffer(b"".join(pieces), kind)

    def commit(self, *, extra: Mapping[str, str | int | float] | None = None, threads: int = 1) -> Path:
        """Hash, count, write the attributes, flush to the disk, and give the table its name; returns its path.

        ``extra`` are further attributes. ``threads``: 1, or 2 to be done sooner, with a few :data:`PIECE` of memory; it
        may be another thread than the one that wrote. Raises :class:`TableWriteError` when the disk refuses and
        :class:`Abandoned` after :meth:`abandon`; the file is then gone.
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
        with h5py.File(self.part, "r+", libver=_LAYOUT, locking=False) as file:
            set_attributes(
                file,
                {
                    "format": FORMAT,
                    "format_version": FORMAT_VERSION,
                    **_stated(self.rules),
                    "seeds": self.seeds,
                    "positions": self.positions,
                    "index": INDEX_SCHEME,
                    "quantities": " ".join(self.quantities),
                    "builder": f"abapa {__version__}",
                    "chunk_bytes": CHUNK,
                    **extra,
                },
            )
            if {"lower", "upper"} <= set(self.quantities):
                self._write_histogram(file, "exact", self._count_exact())
            group = new_group(file, "chunk_sha256")
            for name in self.quantities:
                dataset: Any = file[name]
                digest = digests[name]
                meaning = (MEANINGS if isinstance(self.rules, Rules) else OMWESO_MEANINGS)[name]
                set_attributes(dataset, {"meaning": meaning, "sha256": digest.whole})
                group.create_dataset(name, data=np.array(digest.chunks, dtype="S64"), track_times=False)
                if name == "distance":
                    dataset.attrs["largest"] = self._largest(name)
                else:
                    self._write_histogram(dataset, "histogram", counts[name])
            file.attrs["complete"] = True

    def _write_histogram(self, place: Any, name: str, counts: NDArray[np.int64]) -> None:
        values = np.flatnonzero(counts) - 128
        place.attrs[f"{name}_values"] = values.astype(np.int64)
        place.attrs[f"{name}_counts"] = counts[values + 128]

    def _pieces(self, quantity: str, length: int = PIECE) -> Iterator[memoryview]:
        size = self.positions * QUANTITIES[quantity].itemsize
        for piece in read_pieces(self._descriptor, self._offsets[quantity], size, length):
            self._stop_if_abandoned()
            yield piece

    def _pass_over(self, quantity: str, counts: NDArray[np.int64] | None, threads: int) -> Digest:
        """Both hashes of a quantity, and its histogram into ``counts``; on one thread in one pass."""
        if threads == 1:
            return hash_both(self._counted(quantity, counts))
        with ThreadPoolExecutor(2) as pool:
            whole = pool.submit(_hash_whole, self._pieces(quantity))
            chunks = pool.submit(_hash_chunks, self._counted(quantity, counts))
            return Digest(whole.result(), chunks.result())

    def _counted(self, quantity: str, counts: NDArray[np.int64] | None) -> Iterator[memoryview]:
        """The pieces of a quantity, counted as they come."""
        for piece in self._pieces(quantity):
            if counts is not None:
                count_margins(np.frombuffer(piece, np.int8), counts)
            yield piece

    def _count_exact(self) -> NDArray[np.int64]:
        counts = np.zeros(256, np.int64)
        for lower, upper in zip(self._pieces("lower"), self._pieces("upper"), strict=True):
            _count_equal(np.frombuffer(lower, np.int8), np.frombuffer(upper, np.int8), counts)
        return counts

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


def error_text(error: Exception) -> str:
    """What the system said, in one line; HDF5 wraps it in several."""
    if isinstance(error, OSError) and error.strerror and "\n" not in error.strerror:
        return error.strerror
    quoted = re.search(r"error message = '([^']*)'", str(error))
    return quoted[1] if quoted else str(error).split("\n")[0]


def table_bytes(pits: int, seeds: int, quantities: Sequence[str] = ("value",)) -> int:
    """Size of a table file in bytes, metadata included, within a few KiB (never less than the file takes)."""
    positions = tier_size(pits, seeds)
    data = [positions * QUANTITIES[name].itemsize for name in quantities]
    hashes = sum(64 * (size // CHUNK + 1) for size in data)
    return sum(data) + hashes + _PAGE * (len(data) + 1) + _METADATA_ROOM


def new_file(path: Path, alignment: int = 1) -> h5py.File:
    """A new HDF5 file in the form with checksums, without the time of anything."""
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    access.set_libver_bounds(h5py.h5f.LIBVER_V18, h5py.h5f.LIBVER_V18)
    access.set_alignment(alignment, alignment)
    access.set_file_locking(False, False)
    created = h5py.h5f.create(os.fsencode(path), h5py.h5f.ACC_EXCL, timeless(h5py.h5p.FILE_CREATE), access)
    return h5py.File(created)


def new_group(place: h5py.Group, name: str) -> h5py.Group:
    """A new group without times."""
    return h5py.Group(h5py.h5g.create(place.id, name.encode(), gcpl=timeless(h5py.h5p.GROUP_CREATE)))


def set_attributes(place: Any, attributes: Mapping[str, Any]) -> None:
    """Give attributes to a file or dataset, texts as strings of fixed length.

    Those of variable length lie in a heap without a checksum, and where that is damaged HDF5 may read for ever.
    """
    for name, value in attributes.items():
        if isinstance(value, str):
            data = value.encode()
            place.attrs.create(name, data, dtype=h5py.string_dtype("utf-8", max(len(data), 1)))
        else:
            place.attrs[name] = value


def timeless(kind: Any) -> Any:
    """A list of properties to create an object of a kind with, that keeps no times: equal data make equal files."""
    plan: Any = h5py.h5p.create(kind)
    plan.set_obj_track_times(False)
    return plan


def flush(folder: Path) -> None:
    """Have the names in a folder written to the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_pieces(descriptor: int, offset: int, size: int, length: int = PIECE) -> Iterator[memoryview]:
    """The bytes ``offset .. offset + size`` of a file, in pieces of ``length`` bytes that share one buffer.

    Read, not mapped: pages of a map would count as memory of the builder.
    """
    buffer = memoryview(bytearray(min(length, size)))
    for start in range(0, size, length):
        piece = buffer[: min(length, size - start)]
        filled = 0
        while filled < len(piece):
            got = os.preadv(descriptor, [piece[filled:]], offset + start + filled)
            if not got:
                raise EOFError(f"the file ends {size - start - filled:,} bytes early")
            filled += got
        yield piece


class ChunkDigester:
    """Hashes each chunk of :data:`CHUNK` bytes of a quantity that comes in pieces."""

    def __init__(self) -> None:
        self._chunk, self._filled = hashlib.sha256(), 0
        self._chunks: list[str] = []

    def update(self, piece: memoryview) -> None:
        """Take the next bytes."""
        while piece:
            rest = piece[: CHUNK - self._filled]
            self._chunk.update(rest)
            self._filled += len(rest)
            piece = piece[len(rest) :]
            if self._filled == CHUNK:
                self._end_chunk()

    def digests(self) -> list[str]:
        """The hash of each chunk of what came; nothing may come after."""
        if self._filled:
            self._end_chunk()
        return self._chunks

    def _end_chunk(self) -> None:
        self._chunks.append(self._chunk.hexdigest())
        self._chunk, self._filled = hashlib.sha256(), 0


def hash_both(pieces: Iterator[memoryview]) -> Digest:
    whole, chunks = hashlib.sha256(), ChunkDigester()
    for piece in pieces:
        whole.update(piece)
        chunks.update(piece)
    return Digest(whole.hexdigest(), chunks.digests())


def _hash_whole(pieces: Iterator[memoryview]) -> str:
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()


def _hash_chunks(pieces: Iterator[memoryview]) -> list[str]:
    chunks = ChunkDigester()
    for piece in pieces:
        chunks.update(piece)
    return chunks.digests()


@kernel
def count_margins(values, counts):
    """Add the number of times each int8 value comes up to ``counts[value + 128]``.

    Four histograms in turn: neighbours are often equal, and adding to the same number twice in a row waits.
    """
    parts = np.zeros((4, 256), np.int64)
    whole = values.shape[0] & ~3
    for i in range(0, whole, 4):
        for part in range(4):
            parts[part, np.uint64(np.int64(values[np.uint64(i + part)]) + 128)] += 1
    for i in range(whole, values.shape[0]):
        parts[0, np.uint64(np.int64(values[np.uint64(i)]) + 128)] += 1
    counts += parts[0] + parts[1] + parts[2] + parts[3]


@kernel
def _count_equal(lower, upper, counts):
    """The same over the places where two arrays agree."""
    for i in range(lower.shape[0]):
        if lower[i] == upper[i]:
            counts[np.uint64(np.int64(lower[i]) + 128)] += 1


# -- reading ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Header:
    """What a finished table says about itself, checked against its name; its numbers are not."""

    rules: Rules | OmwesoRules
    attributes: dict[str, Any]
    histograms: dict[str, dict[int, int]]
    """Of each int8 quantity, and of ``exact`` (boards whose bounds agree): how often each value comes up."""
    digests: dict[str, Digest]

    @property
    def quantities(self) -> tuple[str, ...]:
        """What the table holds."""
        return tuple(self.digests)


class FinishedTable:
    """One finished table, open for reading; its numbers lie as they are (:class:`Table`) or packed.

    Attributes have been checked, numbers have not (:meth:`check` does). Numbers are from the view of the player to
    move, in seeds; element i of a quantity belongs to board i of the tier (:mod:`databases.tiers`).
    """

    def __init__(self, path: Path, header: Header) -> None:
        self.path, self.header = path, header
        self.rules, self.attributes, self.histograms = header.rules, header.attributes, header.histograms
        self.quantities = header.quantities
        self.seeds: int = header.attributes["seeds"]
        self.positions: int = header.attributes["positions"]

    @cached_property
    def build_seconds(self) -> float | None:
        """How long the build of this table took; None where nobody has written it down."""
        if "seconds" in self.attributes:  # earlier versions wrote it into the file
            return float(self.attributes["seconds"])
        return seconds_taken(self.path.parent, self.rules.id, self.seeds, self.header.digests["value"].whole)

    @property
    def histogram(self) -> dict[int, int]:
        """How many boards have each ``value``, least value first."""
        return self.histograms["value"]

    def read(self, quantity: str, index: int) -> int:
        """One number. Raises KeyError for a quantity that the table does not hold."""
        raise NotImplementedError

    def chunks(self, quantity: str) -> Iterator[memoryview]:
        """All bytes of a quantity in pieces of :data:`CHUNK`; each is valid until the next is asked for.

        Raises :class:`TableError` for what cannot be read.
        """
        raise NotImplementedError

    def check(self, threads: int = 2) -> list[str]:
        """Hash all data again and compare: the faults found, one line each, or an empty list.

        ``threads``: 1, or 2 to be done sooner. Raises :class:`InaccessibleTableError` where the system does not hand
        the data out, which is no fault of the table's.
        """
        return [fault for quantity in self.quantities for fault in self._check_quantity(quantity, threads)]

    def _check_quantity(self, quantity: str, threads: int) -> list[str]:
        stored, size = self.header.digests[quantity], QUANTITIES[quantity].itemsize
        try:
            now = self._hash(quantity, threads)
        except InaccessibleTableError:
            raise
        except TableError as error:
            return [error.fault]
        faults = [
            f"{quantity}: chunk {k} (boards {k * CHUNK // size:,} on) has changed"
            for k, (new, old) in enumerate(zip(now.chunks, stored.chunks, strict=True))
            if new != old
        ]
        if now.whole == stored.whole and faults:
            return [f"{quantity}: the data are right, their chunk hashes have changed"]
        if now.whole != stored.whole and not faults:
            return [f"{quantity}: the hash of the whole does not fit, those of the chunks do"]
        return faults

    def _hash(self, quantity: str, threads: int) -> Digest:
        if threads == 1:
            return hash_both(self.chunks(quantity))
        with ThreadPoolExecutor(2) as pool:
            whole = pool.submit(_hash_whole, self.chunks(quantity))
            chunks = pool.submit(_hash_chunks, self.chunks(quantity))
            return Digest(whole.result(), chunks.result())

    def close(self) -> None:
        """Let go of the file."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.rules.id} {self.seeds} seeds: {' '.join(self.quantities)}>"


class Table(FinishedTable):
    """A table as the builder writes it: contiguous, mapped, read without HDF5."""

    def __init__(self, path: Path, header: Header, offsets: dict[str, int]) -> None:
        super().__init__(path, header)
        self.offsets = offsets
        """Where in the file each quantity starts."""
        self._maps: dict[str, NDArray[Any]] = {}

    @classmethod
    def open(cls, path: Path, name: tuple[str, int] | None = None) -> Table:
        """Open and check the table at ``path``, of the rule id and seeds that its name says, or ``name``.

        Raises a subclass of :class:`TableError`.
        """
        name = name or claimed(path)
        with opened(path) as file:
            size = path.stat().st_size
            header = read_header(path, file, FORMAT, FORMAT_VERSION, name)
            offsets: dict[str, int] = {}
            for quantity in header.quantities:
                dataset: Any = file[quantity]
                offset = dataset.id.get_offset()
                if offset is None:
                    raise ForeignTableError(path, f"is a table whose {quantity} is not contiguous", REBUILD)
                if offset + dataset.nbytes > size:
                    raise TruncatedTableError(
                        path, f"is truncated: {size:,} bytes, {offset + dataset.nbytes:,} needed", REBUILD
                    )
                offsets[quantity] = offset
            return cls(path, header, offsets)

    def map(self, quantity: str) -> NDArray[Any]:
        """The whole quantity as a read-only map of the file: shape (positions,), int8 (uint16 for ``distance``).

        Nothing is read until it is looked at. Raises KeyError for a quantity that the table does not hold.
        """
        if quantity not in self._maps:
            offset, kind = self.offsets[quantity], QUANTITIES[quantity]
            try:
                mapped = np.memmap(self.path, kind, "r", offset, (self.positions,))
            except (OSError, ValueError) as error:  # ValueError: it has become shorter since it was opened
                raise reading_error(self.path, error) from error
            self._maps[quantity] = np.asarray(mapped)  # the plain class: looking one number up is three times faster
        return self._maps[quantity]

    def read(self, quantity: str, index: int) -> int:
        return int(self.map(quantity)[index])

    def chunks(self, quantity: str) -> Iterator[memoryview]:
        size = self.positions * QUANTITIES[quantity].itemsize
        descriptor = -1
        try:
            descriptor = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
            yield from read_pieces(descriptor, self.offsets[quantity], size, CHUNK)
        except (OSError, EOFError) as error:
            raise reading_error(self.path, error) from error
        finally:
            if descriptor >= 0:
                os.close(descriptor)

    def close(self) -> None:
        """Let go of the maps (arrays handed out stay valid until they are dropped themselves)."""
        self._maps.clear()


def claimed(path: Path, suffix: str = SUFFIX) -> tuple[str, int]:
    """Rule id and seeds that a table's name claims. Raises :class:`ForeignTableError` for another name."""
    name = parse_name(path, suffix)
    if name is None:
        raise ForeignTableError(path, f"is not named like a table (RULES-SEEDS{suffix}, as in awari-12{suffix})")
    return name


@contextmanager
def opened(path: Path) -> Iterator[h5py.File]:
    """An HDF5 file open for reading; whatever goes wrong with it comes out as a :class:`TableError`."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # HDF5 would wait for ever for what comes out of a pipe
            what = "is a folder" if path.is_dir() else "is no regular file"
            raise InaccessibleTableError(path, f"{what}, not a table", "move it away")
        with h5py.File(path, "r", locking=False) as file:
            yield file
    except AbapaError:
        raise
    except _DAMAGE as error:
        raise reading_error(path, error) from error


_DAMAGE = (OSError, RuntimeError, LookupError, ValueError, TypeError, AttributeError, ArithmeticError, MemoryError)
"""What HDF5 and numpy raise at a file that is not as it should be."""

_ATTRIBUTES = {
    "game": str, "rules": str, "pits": int, "seeds": int, "positions": int, "index": str, "quantities": str,
}  # fmt: skip


def read_header(path: Path, file: h5py.File, kind: str, version: int, name: tuple[str, int]) -> Header:
    """Read and check everything but the numbers of a table of format ``kind``, which should be called ``name``."""
    attributes = {key: _plain(value) for key, value in file.attrs.items()}
    _check_format(path, attributes, kind, version)
    rules = _rules_of(path, attributes)
    seeds, positions, quantities = attributes["seeds"], attributes["positions"], attributes["quantities"].split()
    if not 0 <= seeds <= MAX_SEEDS or positions != tier_size(rules.pits, seeds):
        raise ForeignTableError(path, f"says {positions} boards of {seeds} seeds: its attributes are damaged", REBUILD)
    if (rules.id, seeds) != name:
        raise WrongTableError(
            path, f"holds {seeds} seeds of {rules.id}, not what its name says", "give it its name back"
        )
    if quantities != [quantity for quantity in QUANTITIES if quantity in quantities] or "value" not in quantities:
        raise ForeignTableError(path, f"says that it holds {attributes['quantities']!r}: it is damaged", REBUILD)
    histograms: dict[str, dict[int, int]] = {}
    digests: dict[str, Digest] = {}
    for quantity in quantities:
        dataset = own_dataset(path, file, quantity)
        stored = own_dataset(path, file, f"chunk_sha256/{quantity}")
        if dataset.shape != (positions,) or dataset.dtype != QUANTITIES[quantity]:
            raise ForeignTableError(
                path, f"holds no {positions} numbers of {quantity} in {QUANTITIES[quantity]}", REBUILD
            )
        if quantity != "distance":
            histograms[quantity] = _read_histogram(dataset.attrs, "histogram")
            if sum(histograms[quantity].values()) != positions:
                raise ForeignTableError(path, f"does not count every board in its histogram of {quantity}", REBUILD)
        if stored.shape != (-(-dataset.nbytes // CHUNK),):
            raise ForeignTableError(path, f"has {stored.shape} hashes of chunks of {quantity}", REBUILD)
        chunks = [text.decode("ascii", "replace") for text in stored[:].tolist()]
        digests[quantity] = Digest(str(_plain(dataset.attrs["sha256"])), chunks)
    if "exact_values" in attributes:
        histograms["exact"] = _read_histogram(file.attrs, "exact")
    return Header(rules, attributes, histograms, digests)


def own_dataset(path: Path, file: h5py.File, name: str) -> Any:
    """A dataset of this very file: a link into another one would be read at the wrong place."""
    link, found = file.get(name, getlink=True), file.get(name)
    if not isinstance(link, h5py.HardLink) or not isinstance(found, h5py.Dataset):
        raise ForeignTableError(path, f"holds no dataset {name}: it is damaged", REBUILD)
    return found


def _check_format(path: Path, attributes: Mapping[str, Any], kind: str, known: int) -> None:
    form = attributes.get("format")
    if not isinstance(form, str) or form != kind:
        raise ForeignTableError(
            path, f"is an HDF5 file, but not a table of Abapa's (no format = {kind!r})", "move it away"
        )
    version = attributes.get("format_version")
    if not isinstance(version, int) or version < known:
        raise TableVersionError(path, f"is in format version {version}, older than the {known} read here", REBUILD)
    if version > known:
        raise TableVersionError(
            path, f"is in format version {version}, newer than the {known} read here", "update Abapa"
        )
    if attributes.get("complete") is not True:
        raise IncompleteTableError(path, "was not finished", REBUILD)
    for name, type_ in _ATTRIBUTES.items():
        if not isinstance(attributes.get(name), type_):
            raise ForeignTableError(path, f"has no attribute {name} as a table has it: it is damaged", REBUILD)


def _stated(rules: Rules | OmwesoRules) -> dict[str, str | int]:
    """What a file says of its game, beside the rule set's id in words of its own."""
    if isinstance(rules, OmwesoRules):
        return {"game": "omweso", "rules": rules.id, "columns": rules.columns, "pits": rules.pits}
    slam, cycle = rules.grand_slam.value, rules.cycle.value
    return {"game": "oware", "rules": rules.id, "grand_slam": slam, "cycle": cycle, "pits": rules.pits}


def _rules_of(path: Path, attributes: Mapping[str, Any]) -> Rules | OmwesoRules:
    kind = {"oware": Rules, "omweso": OmwesoRules}.get(attributes["game"])
    if kind is None:
        raise ForeignTableError(path, f"is a table of {attributes['game']!r}; accepted are oware and omweso")
    try:
        rules = kind.parse(attributes["rules"])
    except RulesError as error:
        raise ForeignTableError(path, f"has wrong rules: {error}") from error
    stated = _stated(rules)
    if {name: attributes.get(name) for name in stated} != stated or attributes["index"] != INDEX_SCHEME:
        raise ForeignTableError(path, "has attributes that contradict each other", REBUILD)
    return rules


def reading_error(path: Path, error: Exception) -> TableError:
    """What an exception met in reading a file says about it: that the system refuses, or that it is damaged."""
    text, code = error_text(error), _system_code(error)
    if code:
        return InaccessibleTableError(path, f"cannot be read: {os.strerror(code)}", _REFUSALS.get(code, ""))
    if isinstance(error, MemoryError):
        return InaccessibleTableError(path, "cannot be read: not enough memory")
    if "truncated file" in text or isinstance(error, EOFError):
        return TruncatedTableError(path, f"is truncated ({text})", REBUILD)
    if "file signature not found" in text:
        return UnreadableTableError(path, "is not an HDF5 file", REBUILD)
    return UnreadableTableError(path, f"is damaged ({text})", REBUILD)


_REFUSALS = {
    errno.EACCES: "ask for the right to read it",
    errno.EPERM: "ask for the right to read it",
    errno.EIO: "look after the disk; the table may be sound",
}


def _system_code(error: Exception) -> int:
    """The number of a system call's refusal; 0 where HDF5 or numpy found the file wrong by themselves."""
    if isinstance(error, OSError) and error.errno:
        return error.errno
    quoted = re.search(r"errno = (\d+)", str(error))
    return int(quoted[1]) if quoted else 0


def _plain(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _read_histogram(attributes: Any, name: str) -> dict[int, int]:
    values, counts = attributes[f"{name}_values"], attributes[f"{name}_counts"]
    return {int(value): int(count) for value, count in zip(values, counts, strict=True)}
