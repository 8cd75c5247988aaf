"""A finished table, open for reading: its header checked, its numbers mapped or hashed again.

Each quantity is one contiguous dataset, so that a finished table is read through a map of the file at the dataset's
offset, without HDF5. A file that somebody makes shorter while it is mapped ends the process (SIGBUS) as soon as the
lost part is looked at: tables are replaced by renaming, never written in place. Asking for boards is left to
:mod:`databases.prober`, proofs to :mod:`databases.verifier`, the compressed form to :mod:`databases.files.archive`.
"""

from __future__ import annotations

import mmap
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Self

import h5py
import numpy as np
from numpy.typing import NDArray

from databases.files.disk import read_pieces
from databases.files.faults import (
    REBUILD,
    ClosedTableError,
    ForeignTableError,
    InaccessibleTableError,
    TableError,
    TruncatedTableError,
    reading_error,
)
from databases.files.folder import TableName, claimed
from databases.files.hashes import CHUNK, Digest, hash_quantity
from databases.files.hdf5 import opened, own_dataset
from databases.files.header import FORMAT, QUANTITIES, Header, bits_of, is_dense, read_header, stored_as, stored_bytes
from databases.files.histograms import count_exact, count_margins, histogram_fault
from databases.files.journal import plausible_seconds, seconds_taken
from databases.halfmoves import HalfMoves
from databases.windows import Decoder, Stored, decoded
from solver.files import open_regular

Margins = Mapping[str, Stored]
"""Some margins of all boards of a tier, by the quantity."""
Access = Literal["lookups", "pass", "mixed"]
"""How a map will be read: at random places, from front to back, or row by row with the rows anywhere.

The system reads ahead nothing for the first, much for the second, and as it sees fit for the third (``mixed``). So do
the builder and the provers read smaller tiers: rows of up to some ten KiB, near each other.
"""
READ_IN = 64 << 20
"""Bytes up to which a quantity is read in whole when look-ups begin; in a larger one each reads its own page only."""


class FinishedTable:
    """One finished table, open for reading: plain (:class:`Table`) or an archive of one.

    Attributes have been checked, numbers have not (:meth:`check` does). Numbers are from the view of the player to
    move, in seeds; element i of a quantity belongs to board i of the tier (:mod:`databases.tiers`).
    """

    def __init__(self, path: Path, header: Header) -> None:
        self.path, self.header = path, header
        self.rules, self.attributes, self.histograms = header.rules, header.attributes, header.histograms
        self.quantities = header.quantities
        self.seeds: int = header.attributes["seeds"]
        self.positions: int = header.attributes["positions"]
        self.coding = header.coding
        """How its margins are coded, and the window that they are cut to."""
        self._lock = threading.RLock()
        self._closed = False

    @cached_property
    def build_seconds(self) -> float | None:
        """How long the build of this table took; None where nobody has written it down."""
        if "seconds" in self.attributes:  # earlier versions wrote it into the file
            return plausible_seconds(self.attributes["seconds"])
        return seconds_taken(self.path.parent, self.rules.id, self.seeds, self.header.digests["value"].whole)

    @property
    def window(self) -> int:
        """How far margins are told apart; at its ends, a number means so much or more."""
        return self.coding.window

    @property
    def histogram(self) -> dict[int, int]:
        """How many boards have each ``value``, least value first."""
        return self.histograms["value"]

    def read(self, quantity: str, index: int) -> int:
        """One number. Raises KeyError for a quantity that the table does not hold."""
        raise NotImplementedError

    def read_many(self, quantity: str, indexes: NDArray[np.int64]) -> NDArray[Any]:
        """Many numbers, shape and order of ``indexes``, (k,) int64. Raises as :meth:`read`."""
        raise NotImplementedError

    def stored(self, names: Sequence[str], smaller: Sequence[Margins], moves: HalfMoves) -> Margins:
        """Margins of all boards as they lie in memory. An archive of half of them works the others out of ``smaller``,
        those of the tiers of fewer seeds, by ``moves``. Raises :class:`TableError` for what cannot be read.
        """
        raise NotImplementedError

    def chunks(self, quantity: str) -> Iterator[memoryview]:
        """All bytes of a quantity in the plain file, in pieces of :data:`CHUNK`; each is valid until the next is asked
        for. Raises :class:`TableError` for what cannot be read.
        """
        raise NotImplementedError

    def margins(self, quantity: str) -> Iterator[NDArray[np.int8]]:
        """All numbers of a quantity other than ``distance``, in index order, in pieces: int8, cut to the window.

        Raises :class:`TableError` for what cannot be read.
        """
        return decoded(self.chunks(quantity), self.coding, self.positions)

    def check(self, threads: int = 2) -> list[str]:
        """Hash and count all data again and compare: the faults found, one line each, or an empty list.

        ``threads``: 1, or 2 to be done sooner. Raises :class:`InaccessibleTableError` where the system does not hand
        the data out, which is no fault of the table's.
        """
        faults = [fault for quantity in self.quantities for fault in self._check_quantity(quantity, threads)]
        if not faults and "exact" in self.histograms:
            counts = count_exact(self.margins("lower"), self.margins("upper"), self.coding.window)
            faults += _faults(histogram_fault("exact", self.histograms["exact"], counts))
        return faults

    def _check_quantity(self, quantity: str, threads: int) -> list[str]:
        stored, bits = self.header.digests[quantity], bits_of(quantity, self.coding)
        count = _Count(quantity, self)
        try:
            now = self._hash(quantity, threads, count)
        except InaccessibleTableError:
            raise
        except TableError as error:
            return [error.fault]
        faults = [
            f"{quantity}: chunk {k} (boards {k * CHUNK * 8 // bits:,} on) has changed"
            for k, (new, old) in enumerate(zip(now.chunks, stored.chunks, strict=True))
            if new != old
        ]
        if now.whole == stored.whole and faults:
            return [f"{quantity}: the data are right, their chunk hashes have changed"]
        if now.whole != stored.whole and not faults:
            return [f"{quantity}: the hash of the whole does not fit, those of the chunks do"]
        return faults or _faults(count.fault(self.header))

    def _hash(self, quantity: str, threads: int, count: _Count) -> Digest:
        """Both hashes of a quantity, which ``count`` sees once."""
        return hash_quantity(lambda: self.chunks(quantity), lambda: count.over(self.chunks(quantity)), threads)

    def close(self) -> None:
        """Let go of the file. What is asked later raises :class:`~databases.files.faults.ClosedTableError`."""
        with self._lock:
            self._closed = True

    def _want_open(self) -> None:
        if self._closed:
            raise ClosedTableError(self.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.rules.id} {self.seeds} seeds: {' '.join(self.quantities)}>"


class _Count:
    """Counts a quantity as its pieces pass, to hold what the attributes tell against it."""

    def __init__(self, quantity: str, table: FinishedTable) -> None:
        self.quantity = quantity
        self.decoder = Decoder(table.coding, table.positions)
        self.counts = np.zeros(256, np.int64)
        self.largest = 0

    def over(self, pieces: Iterator[memoryview]) -> Iterator[memoryview]:
        """The same pieces."""
        for piece in pieces:
            if self.quantity == "distance":
                self.largest = max(self.largest, int(np.frombuffer(piece, QUANTITIES[self.quantity]).max()))
            else:
                count_margins(self.decoder.take(piece), self.counts)
            yield piece

    def fault(self, header: Header) -> str | None:
        """What the attributes tell wrong, in words; None if nothing."""
        if self.quantity != "distance":
            return histogram_fault(self.quantity, header.histograms[self.quantity], self.counts)
        if header.largest in (None, self.largest):
            return None
        return (
            f"distance: the data are right, their largest is not: it says {header.largest:,}, counted {self.largest:,}"
        )


def _faults(fault: str | None) -> list[str]:
    return [] if fault is None else [fault]


class Table(FinishedTable):
    """A table as the builder writes it: contiguous, mapped, read without HDF5."""

    def __init__(self, path: Path, header: Header, offsets: dict[str, int]) -> None:
        super().__init__(path, header)
        self.offsets = offsets
        """Where in the file each quantity starts."""
        self._maps: dict[tuple[str, Access], NDArray[Any]] = {}

    @classmethod
    def open(cls, path: Path, name: TableName | None = None) -> Table:
        """Open and check the table at ``path``, which is what its name says, or ``name``.

        Raises a subclass of :class:`TableError`.
        """
        name = name or claimed(path)
        with opened(path) as file:
            return cls(path, *read_plain(path, file, path.stat().st_size, name))

    def map(self, quantity: str, access: Access = "mixed") -> NDArray[Any]:
        """The whole quantity as a read-only map of the file: shape (positions,), int8 (uint16 for ``distance``).

        Where a window makes numbers smaller than a byte, it is their bytes, uint8, as :attr:`coding` says. Nothing is
        read until it is looked at; for ``access`` the system is told what to read ahead. The array stays valid when the
        table is closed. Raises KeyError for a quantity that the table does not hold, and
        :class:`~databases.files.faults.ClosedTableError` after :meth:`close`.
        """
        found = self._maps.get((quantity, access))
        if found is None:
            kind, count = stored_as(quantity, self.positions, self.coding)
            found = _mapped(self.path, self.offsets[quantity], kind, count, access)
            with self._lock:
                self._want_open()
                found = self._maps.setdefault((quantity, access), found)  # another thread may have been first
        return found

    def read(self, quantity: str, index: int) -> int:
        numbers = self.map(quantity, "lookups")
        return self.coding.read(numbers, index) if is_dense(quantity, self.coding) else int(numbers[index])

    def read_many(self, quantity: str, indexes: NDArray[np.int64]) -> NDArray[Any]:
        numbers = self.map(quantity, "lookups")
        return self.coding.read_many(numbers, indexes) if is_dense(quantity, self.coding) else numbers[indexes]

    def stored(self, names: Sequence[str], smaller: Sequence[Margins], moves: HalfMoves) -> Margins:
        return {name: Stored(self.map(name).view(np.uint8), self.coding) for name in names}

    def chunks(self, quantity: str) -> Iterator[memoryview]:
        self._want_open()
        size = stored_bytes(quantity, self.positions, self.coding)
        try:
            with open_regular(self.path) as file:
                _read_ahead(file.fileno(), self.offsets[quantity], size)
                yield from read_pieces(file.fileno(), self.offsets[quantity], size, CHUNK)
        except (OSError, EOFError) as error:
            raise reading_error(self.path, error) from error

    def close(self) -> None:
        """Let go of the maps (arrays handed out stay valid until they are dropped themselves)."""
        with self._lock:
            self._closed = True
            self._maps.clear()


def read_plain(path: Path, file: h5py.File, size: int, name: TableName) -> tuple[Header, dict[str, int]]:
    """The checked header of a plain file of ``size`` bytes, and where in it each quantity starts."""
    header = read_header(path, file, FORMAT, name)
    offsets: dict[str, int] = {}
    for quantity in header.quantities:
        dataset = own_dataset(path, file, quantity)
        offset = dataset.id.get_offset()
        if offset is None:
            raise ForeignTableError(path, f"is a table whose {quantity} is not contiguous", REBUILD)
        if offset + dataset.nbytes > size:
            raise TruncatedTableError(
                path, f"is truncated: {size:,} bytes, {offset + dataset.nbytes:,} needed", REBUILD
            )
        offsets[quantity] = offset
    return header, offsets


def _read_ahead(descriptor: int, offset: int, size: int) -> None:
    """Tell the system that bytes of a file will be read once, from front to back."""
    if hasattr(os, "posix_fadvise"):
        with suppress(OSError):  # advice only
            os.posix_fadvise(descriptor, offset, size, os.POSIX_FADV_SEQUENTIAL)


def _mapped(path: Path, offset: int, kind: np.dtype[Any], count: int, access: Access) -> NDArray[Any]:
    """So many numbers of a file as a read-only array; the map lives as long as arrays of it do."""
    start, size = offset - offset % mmap.ALLOCATIONGRANULARITY, count * kind.itemsize
    try:
        with open_regular(path) as file:
            pages = mmap.mmap(file.fileno(), offset - start + size, access=mmap.ACCESS_READ, offset=start)
    except (OSError, ValueError) as error:  # ValueError: it has become shorter since it was opened
        raise reading_error(path, error) from error
    if access != "mixed" and hasattr(mmap, "MADV_RANDOM"):
        lookups = mmap.MADV_WILLNEED if size <= READ_IN else mmap.MADV_RANDOM
        with suppress(OSError):  # advice only
            pages.madvise(lookups if access == "lookups" else mmap.MADV_SEQUENTIAL)
    return np.frombuffer(pages, kind, count, offset - start)
