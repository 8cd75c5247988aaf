"""The archive of a table, for keeping and sending: the same numbers in fewer bytes, ``NAME.packed.h5``.

There are two kinds. A :class:`HalfArchive` holds the heavy boards alone, in streams of tiles: ``awari-16.packed.h5``
takes 1.7 bits per board of the tier. Its light boards follow from those and from the tables of smaller tiers, which
must lie beside it (:mod:`databases.files.light`). A whole :class:`Archive` holds every board in compressed chunks that
any HDF5 library reads, in about 3.5 bits. Either answers by unpacking what is asked for, and keeps what it has unpacked
last. Beside the numbers both hold the *frame*: every byte of the plain file that is not one of its numbers. How an
archive is made from a table, and the table from it, is left to :mod:`databases.files.packing`.
"""

from __future__ import annotations

import importlib.util
import io
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from databases.files.chunks import ZSTD, Chunks, filters_of
from databases.files.disk import scratch_array
from databases.files.faults import (
    REBUILD,
    ForeignTableError,
    InaccessibleTableError,
    TableError,
    TableWriteError,
    UnreadableTableError,
    error_text,
    reading_error,
)
from databases.files.folder import ARCHIVE_SUFFIX, TableName, claimed, find_archives, find_tables
from databases.files.games import TableRules
from databases.files.halves import CodedNumbers
from databases.files.hashes import CHUNK, Digest, hash_both
from databases.files.hdf5 import DAMAGE, check_heaps, opened, own_attributes, own_dataset
from databases.files.header import QUANTITIES, Header, bits_of, is_dense, is_half, read_header, stored_bytes
from databases.files.light import OPPOSITE, Follows, derive_distances, derive_margins, light_numbers
from databases.files.table import FinishedTable, Margins, Table, read_plain
from databases.files.tiles import tiling
from databases.halfmoves import HalfMoves
from databases.windows import SPARE, Coding, Stored
from solver.errors import AbapaError
from solver.files import open_regular
from solver.oware.rules import Rules

FORMAT = "abapa-packed-table"
Smaller = Callable[[int], FinishedTable]
"""Gives the table of so many seeds."""
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
        self.in_memory = False
        """Whether what is unpacked whole lies in memory, and not in scratch files beside the archive."""
        self._file: h5py.File | None = None
        self._datasets: dict[str, Chunks] = {}
        self._cache: OrderedDict[tuple[str, int], NDArray[Any]] = OrderedDict()

    @classmethod
    def open(cls, path: Path, smaller: Smaller | None = None, name: TableName | None = None) -> Archive:
        """Open and check the archive at ``path``, which is what its name says, or ``name``.

        ``smaller`` gives the tables of smaller tiers, which a :class:`HalfArchive` asks for its light boards; without
        it those in the same folder are opened. Raises a subclass of :class:`~databases.files.faults.TableError`.
        """
        name = name or claimed(path, ARCHIVE_SUFFIX)
        with opened(path) as file:
            header = read_header(path, file, FORMAT, name)
            frame = own_dataset(path, file, "frame", packed=True)
            hashes = sum(len(digest.chunks) for digest in header.digests.values())
            if frame.ndim != 1 or frame.dtype != np.uint8 or not 0 < frame.size <= LARGEST_FRAME + 128 * hashes:
                raise ForeignTableError(path, "has no frame to unpack its numbers into: it is damaged", REBUILD)
            offsets: dict[str, int] = {}
            for quantity in header.quantities:
                dataset = own_dataset(path, file, quantity, packed=not is_half(header.attributes))
                offsets[quantity] = int(own_attributes(dataset)["offset_in_file"])
                if ZSTD in filters_of(dataset):
                    load_zstd(path)
        return HalfArchive(path, header, offsets, smaller) if is_half(header.attributes) else cls(path, header, offsets)

    def read(self, quantity: str, index: int) -> int:
        with self._lock:
            length = self._chunks(quantity).length
            return int(self._chunk(quantity, index // length)[index % length])

    def read_many(self, quantity: str, indexes: NDArray[np.int64]) -> NDArray[Any]:
        """Many numbers; each chunk is unpacked once, in order. Shape and order of ``indexes``, (k,) int64."""
        out = np.empty(len(indexes), QUANTITIES[quantity])
        with self._lock:
            length = self._chunks(quantity).length
            for number, here in _together(indexes // length):
                out[here] = self._chunk(quantity, number)[indexes[here] - number * length]
        return out

    def chunks(self, quantity: str) -> Iterator[memoryview]:
        dense = is_dense(quantity, self.coding)
        length = CHUNK * 8 // bits_of(quantity, self.coding) // 8 * 8  # so that each piece begins at a byte
        for start in range(0, self.positions, length):
            piece = self._between(quantity, start, min(start + length, self.positions))
            yield self.coding.encode(piece).data if dense else piece.data.cast("B")
        if dense:
            yield memoryview(bytes(SPARE))

    def _between(self, quantity: str, start: int, end: int) -> NDArray[Any]:
        """The numbers ``start .. end`` of a quantity, a byte or two each."""
        with self._lock, self._reading(f"{quantity}, boards {start:,} on"):
            return self._chunks(quantity).between(start, end)

    def stored(self, names: Sequence[str], smaller: Sequence[Margins], moves: HalfMoves) -> Margins:
        """Margins of all boards as they lie in memory; ``smaller``: those of the tiers of fewer seeds, if they help."""
        whole = Coding(8, self.window)
        return {name: Stored(self._between(name, 0, self.positions).view(np.uint8), whole) for name in names}

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


class HalfArchive(Archive):
    """An archive of the heavy boards alone, open for reading; what is light is worked out of smaller tiers.

    Threads take turns where a tile is decoded, and take no lock where one that was decoded is read.
    """

    def __init__(self, path: Path, header: Header, offsets: dict[str, int], smaller: Smaller | None) -> None:
        super().__init__(path, header, offsets)
        if not isinstance(header.rules, Rules):
            raise ForeignTableError(path, f"holds half of a table of {header.rules.game}: it is damaged", REBUILD)
        self._oware = header.rules
        self.tiles = tiling(header.rules.pits, self.seeds)
        self._neighbours = Neighbours(path.parent, header.rules)
        self._smaller = smaller or self._neighbours
        self._coded: dict[str, CodedNumbers] = {}
        self._decoded: dict[tuple[str, int], NDArray[Any]] = {}
        self._restored: dict[str, NDArray[Any]] = {}

    # -- some boards --------------------------------------------------------------------------------------------------

    def read(self, quantity: str, index: int) -> int:
        heavy = index - self.tiles.light
        if heavy < 0:
            return int(self.read_many(quantity, np.array([index], np.int64))[0])
        tile, place = self.tiles.place(heavy)
        numbers = self._decoded.get((quantity, tile))
        return int((self._tile(quantity, tile) if numbers is None else numbers)[place])

    def read_many(self, quantity: str, indexes: NDArray[np.int64]) -> NDArray[Any]:
        """Many numbers, light ones with all those that they follow from. Shape and order of ``indexes``, (k,) int64.

        Raises :class:`~solver.errors.AbapaError` where a smaller tier is missing or does not know enough.
        """
        if len(indexes) and not 0 <= int(indexes.min()) <= int(indexes.max()) < self.positions:
            raise IndexError(f"an index outside of a tier of {self.positions} boards")
        out = np.empty(len(indexes), QUANTITIES[quantity])
        heavy = indexes >= self.tiles.light
        out[heavy] = self._read_heavy(quantity, indexes[heavy] - self.tiles.light)
        if not heavy.all():
            out[~heavy] = light_numbers(
                self._oware, self.seeds, self.window, quantity, indexes[~heavy], self._look_up
            )  # fmt: skip
        return out

    def _look_up(self, quantity: str, seeds: int, indexes: NDArray[np.int64]) -> NDArray[Any]:
        """Numbers of children of light boards."""
        table = self if seeds == self.seeds else self._rests_on(seeds, quantity)
        return table.read_many(quantity, indexes)

    def _read_heavy(self, quantity: str, boards: NDArray[np.int64]) -> NDArray[Any]:
        tiles, places = self.tiles.places(boards)
        out = np.empty(len(boards), QUANTITIES[quantity])
        for number, here in _together(tiles):
            decoded = self._decoded.get((quantity, number))
            out[here] = (self._tile(quantity, number) if decoded is None else decoded)[places[here]]
        return out

    def _tile(self, quantity: str, number: int) -> NDArray[Any]:
        """Decode a tile and keep it; the oldest goes."""
        with self._lock, self._reading(f"{quantity}, tile {number:,}"):
            found = self._decoded[quantity, number] = self._numbers(quantity).tile(number)
            while len(self._decoded) > max(CACHED_BYTES // self.tiles.area, 1):
                del self._decoded[next(iter(self._decoded))]
            return found

    def _numbers(self, quantity: str) -> CodedNumbers:
        self._want_open()
        if quantity not in self._coded:
            if quantity not in self.quantities:
                raise KeyError(quantity)
            with opened(self.path) as file:
                self._coded[quantity] = CodedNumbers(self.path, file, quantity, self.tiles)
        return self._coded[quantity]

    def _rests_on(self, seeds: int, quantity: str) -> FinishedTable:
        """The table of a smaller tier. Raises :class:`~solver.errors.AbapaError` where it is of no use."""
        table = self._smaller(seeds)
        if quantity not in table.quantities:
            raise AbapaError(f"{self.path} holds half of its boards, and for the others {table.path} lacks {quantity}")
        want_window(self, table)
        return table

    # -- all boards ---------------------------------------------------------------------------------------------------

    def _between(self, quantity: str, start: int, end: int) -> NDArray[Any]:
        if quantity not in self._restored:
            self._restore(quantity)
        return self._restored[quantity][start:end]

    def _restore(self, quantity: str) -> None:
        """Work out all numbers of a quantity, in a scratch file that is gone when the archive is closed."""
        names = ("value",) if quantity in ("value", "distance") else ("lower", "upper")
        moves, smaller = HalfMoves.of(self._oware, self.seeds), list[Margins]()
        for seeds in range(self.seeds - 1):  # no capture takes one seed
            for name in names:
                self._rests_on(seeds, name)
            smaller.append(self._smaller(seeds).stored(names, smaller, moves))
        margins = self.stored(names, smaller, moves)
        self._restored |= {name: stored.data.view(np.int8) for name, stored in margins.items()}
        if quantity == "distance":
            out = self._scratch(quantity)
            with self._lock, self._reading(quantity):
                self._numbers(quantity).decode_into(out[self.tiles.light :])
            values = [tier["value"] for tier in smaller]
            derive_distances(Follows(self.seeds, self._oware.pits, moves, values), self._restored["value"], out)
            self._restored[quantity] = out

    def stored(self, names: Sequence[str], smaller: Sequence[Margins], moves: HalfMoves) -> Margins:
        out: dict[str, NDArray[np.int8]] = {}
        for name in names:
            out[name] = self._scratch(name)
            with self._lock, self._reading(name):
                self._numbers(name).decode_into(out[name][self.tiles.light :])
        for name in names:
            other = OPPOSITE[name]
            margins = [tier[other] for tier in smaller[: max(self.seeds - 1, 0)]]
            for seeds, margin in enumerate(margins):
                want_margins(self, seeds, margin.coding.window)
            derive_margins(Follows(self.seeds, self._oware.pits, moves, margins), self.window, out[other], out[name])
        return {name: Stored(numbers.view(np.uint8), Coding(8, self.window)) for name, numbers in out.items()}

    def _scratch(self, quantity: str) -> NDArray[Any]:
        if self.in_memory:
            return np.zeros(self.positions, QUANTITIES[quantity])
        try:
            return scratch_array(self.path.parent, QUANTITIES[quantity], self.positions)
        except OSError as error:
            raise TableWriteError(f"no room to unpack {self.path}: {error_text(error)}") from error

    def check(self, threads: int = 2) -> list[str]:
        """The faults, one line each. Raises :class:`~solver.errors.AbapaError` where a smaller tier is at fault."""
        if faults := [fault for quantity in self.quantities for fault in self._check_tiles(quantity)]:
            return faults
        faults = super().check(threads)
        for seeds in range(self.seeds - 1) if faults else ():
            below = self._smaller(seeds)
            if found := below.check(threads):
                raise AbapaError(f"{self.path} cannot be checked: {below.path.name} is damaged ({found[0]})")
        return faults

    def _check_tiles(self, quantity: str) -> Iterator[str]:
        """Whether every tile can be decoded, without its light boards."""
        try:
            with self._lock, self._reading(quantity):
                for number in range(self.tiles.count):
                    self._numbers(quantity).tile(number)
        except InaccessibleTableError:
            raise
        except TableError as error:
            yield error.fault

    def close(self) -> None:
        """Let go of the file, of what is kept of it, and of the smaller tables that it opened itself."""
        with self._lock:
            super().close()
            for coded in self._coded.values():
                coded.close()
            self._coded.clear()
            self._decoded.clear()
            self._restored.clear()
        self._neighbours.close()


def _together(pieces: NDArray[np.int64]) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """Each number that comes up among ``pieces``, ascending, and where it does."""
    order = np.argsort(pieces, kind="stable")
    numbers, firsts = np.unique(pieces[order], return_index=True)
    return zip(numbers.tolist(), np.split(order, firsts[1:]), strict=False)  # of no pieces there is one part, of none


class Neighbours:
    """The tables of smaller tiers in the folder of an archive, plain before packed, opened as they are asked for."""

    def __init__(self, folder: Path, rules: TableRules) -> None:
        self._folder, self._rules = folder, rules
        self._opened: dict[int, FinishedTable] = {}
        self._lock = threading.Lock()

    def __call__(self, seeds: int) -> FinishedTable:
        """The table of so many seeds. Raises :class:`~solver.errors.AbapaError` where there is none."""
        with self._lock:
            if seeds not in self._opened:
                plain, packed = find_tables(self._folder, self._rules), find_archives(self._folder, self._rules)
                if seeds in plain:
                    self._opened[seeds] = Table.open(plain[seeds])
                elif seeds in packed:
                    self._opened[seeds] = Archive.open(packed[seeds], self)
                else:
                    raise AbapaError(
                        f"no {self._rules.id} table of {seeds} seeds in {self._folder}: a packed table of half of the "
                        "boards needs those of smaller tiers beside it"
                    )
            return self._opened[seeds]

    def close(self) -> None:
        """Close what was opened."""
        with self._lock:
            for table in self._opened.values():
                table.close()
            self._opened.clear()


def want_window(table: FinishedTable, smaller: FinishedTable) -> None:
    """Refuse a smaller tier that does not tell margins apart as far as light boards of ``table`` need them."""
    want_margins(table, smaller.seeds, smaller.window)


def want_margins(table: FinishedTable, seeds: int, window: int) -> None:
    """The same for a tier of so many seeds and its window. Raises :class:`~solver.errors.AbapaError`."""
    needed = min(table.window + table.seeds - seeds, seeds)
    if window < needed:
        raise AbapaError(
            f"{table.path} holds half of its boards, and the others need margins of {seeds} seeds up to {needed}: the "
            f"table beside it knows them up to {window}"
        )


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
