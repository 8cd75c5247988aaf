"""From a table to its archive and back, byte for byte: :func:`pack` and :func:`unpack`.

Both write beside the final name, flush and rename; the file that they read stays. So does the plain table that a build
needs of an archive for as long as it runs (:func:`unpacked_map`). What an archive holds, and asking it, is left to
:mod:`databases.files.archive`.

The gzip streams are written by ourselves, with zlib's strategy for filtered data: with HDF5's own settings the same
numbers take 5 % more (awari 16: 3.46 against 3.64 bits per board).
"""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from databases.files.archive import FORMAT, Archive, Neighbours, gaps, load_zstd, places, table_name, want_window
from databases.files.chunks import ZSTD
from databases.files.disk import flush, take_room, write_all
from databases.files.faults import REBUILD, InaccessibleTableError, TableError, TableWriteError, error_text
from databases.files.folder import archive_path, table_path
from databases.files.halves import write_coded
from databases.files.hdf5 import new_file, opened, own_attributes, own_dataset, set_attributes
from databases.files.header import HALF_VERSION, is_dense, stored_as
from databases.files.table import Table
from databases.files.tiles import tiling
from solver.errors import AbapaError
from solver.files import open_regular
from solver.oware.rules import Rules

COMPRESSIONS = ("gzip", "zstd")
CHUNK_BYTES = 64 << 10
"""Bytes compressed together: what one look-up unpacks. Four times as many save 0.02 bits per board."""
GZIP_LEVEL = 6
"""9 takes half as long again and saves 0.004 bits per board."""
ZSTD_LEVEL = 19


# -- packing ----------------------------------------------------------------------------------------------------------


def pack(table: Table, *, compression: str = "gzip", threads: int = 2) -> Path:
    """Write the archive of a table beside it and return its path; the plain file stays.

    An archive that is there is replaced. ``compression``: one of :data:`COMPRESSIONS`. Raises
    :class:`~databases.files.faults.TableError` for a table whose hashes do not fit, and
    :class:`~databases.files.faults.TableWriteError` when the disk refuses.
    """
    _want_right(table)
    if compression == "zstd":
        load_zstd(table.path)
    write = _write_gzip if compression == "gzip" else _write_zstd
    return _pack(table, {}, lambda file, quantity, numbers: write(file, quantity, numbers, threads))


def pack_half(table: Table, *, threads: int = 2, into: Path | None = None) -> Path:
    """The same in half of the space: heavy boards alone, coded by their neighbours (:mod:`databases.files.halves`).

    What is written is read back, light boards and all, before it gets its name. The tables of 0..n - 2 seeds must lie
    in the folder, plain or packed. ``into``: another folder for the archive; nothing but the archive is then written to
    a disk. Raises :class:`~solver.errors.AbapaError` where one is missing or does not know
    enough, and where numbers of light boards do not follow from them.
    """
    if not isinstance(table.rules, Rules):
        raise AbapaError(f"{table.path}: tables of {table.rules.game} are packed whole (gzip or zstd)")
    tiles = tiling(table.rules.pits, table.seeds)
    with closing(Neighbours(table.path.parent, table.rules)) as smaller:
        for seeds in range(table.seeds - 1):
            want_window(table, smaller(seeds))
        _want_right(table)

        def write(file: h5py.File, quantity: str, numbers: NDArray[Any]) -> h5py.Dataset:
            return write_coded(file, quantity, numbers[tiles.light :], tiles, threads)

        def compare(part: Path) -> None:
            with Archive.open(part, smaller, table_name(table)) as packed:
                packed.in_memory = into is not None
                if faults := packed.check(threads):
                    raise TableError(table.path, f"does not follow from the tables of smaller tiers: {faults[0]}")

        return _pack(table, {"format_version": HALF_VERSION}, write, compare, into)


def _want_right(table: Table) -> None:
    if faults := table.check():
        raise TableError(table.path, f"is damaged, so it is not packed: {faults[0]}", REBUILD)


def _pack(
    table: Table,
    attributes: Mapping[str, Any],
    write: Callable[[h5py.File, str, NDArray[Any]], h5py.Dataset],
    compare: Callable[[Path], object] = lambda part: None,
    into: Path | None = None,
) -> Path:
    """Write an archive: attributes, each quantity by ``write``, the frame. ``compare`` looks at it before it counts."""
    path = archive_path(into or table.path.parent, table.rules, table.seeds, table.coding.window)
    part = path.with_name(path.name + ".part")
    try:
        part.unlink(missing_ok=True)
        with new_file(part) as file, opened(table.path) as plain:
            set_attributes(file, {**own_attributes(plain), "format": FORMAT, **attributes})
            plain.copy("chunk_sha256", file)
            for quantity in table.quantities:
                dataset = write(file, quantity, _numbers(table, quantity))
                told = own_attributes(own_dataset(table.path, plain, quantity))
                set_attributes(dataset, {**told, "offset_in_file": table.offsets[quantity]})
            file.create_dataset("frame", data=_frame(table), chunks=True, compression="gzip", track_times=False)
        compare(part)
        flush(part)
        part.rename(path)
        flush(path.parent)
    except (OSError, RuntimeError) as error:  # RuntimeError: what HDF5 says of a full disk when it closes the file
        kept = "finished tables are" if into else "the plain table is"
        raise TableWriteError(f"cannot write {path}: {error_text(error)}; {kept} intact") from error
    finally:
        part.unlink(missing_ok=True)
    return path


def _numbers(table: Table, quantity: str) -> NDArray[Any]:
    """A whole quantity in index order, a byte or two each: mapped, or in memory where the file has fewer bits."""
    numbers = table.map(quantity, "pass")
    return table.coding.decode(numbers, table.positions) if is_dense(quantity, table.coding) else numbers


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
        compression=ZSTD,
        compression_opts=(ZSTD_LEVEL,),
        track_times=False,
    )


def _frame(table: Table) -> NDArray[np.uint8]:
    """Every byte of a plain file outside its numbers, in order."""
    with open_regular(table.path) as file:
        size = os.fstat(file.fileno()).st_size
        keep = [os.pread(file.fileno(), end - start, start) for start, end in gaps(table, size)]
    return np.frombuffer(b"".join(keep), np.uint8)


# -- unpacking --------------------------------------------------------------------------------------------------------


def unpack(archive: Archive, into: Path | None = None) -> Path:
    """Restore the plain file beside its archive, byte for byte, and return its path; the archive stays.

    ``into``: another folder for it, one in memory; nothing is then written to a disk. Raises
    :class:`~databases.files.faults.TableError` when the numbers do not have the hashes they should,
    :class:`~databases.files.faults.TableWriteError` when the disk refuses; nothing is left then.
    """
    path = table_path(into or archive.path.parent, archive.rules, archive.seeds, archive.coding.window)
    if path.exists():
        raise AbapaError(f"{path} is there already: nothing to unpack")
    part = path.with_name(path.name + ".part")
    archive.in_memory = into is not None
    try:
        part.unlink(missing_ok=True)
        descriptor = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        try:
            _restore(archive, descriptor)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        _compare(part, archive)
        part.rename(path)
        flush(path.parent)
    except OSError as error:
        raise TableWriteError(f"cannot write {path}: {error_text(error)}; the packed table is intact") from error
    finally:
        part.unlink(missing_ok=True)
    return path


def _compare(part: Path, archive: Archive) -> None:
    """Whether what was restored is the table that it should be; its numbers have had their hashes compared."""
    try:
        with Table.open(part, table_name(archive)) as table:
            right = table.header.digests == archive.header.digests and table.offsets == archive.offsets
    except InaccessibleTableError:
        raise
    except TableError:
        right = False
    if not right:
        raise TableError(archive.path, "is damaged: what it unpacks to is no table", REBUILD)


def _restore(archive: Archive, descriptor: int) -> None:
    archive.check_frame()
    frame, size = archive.frame(), archive.size
    take_room(descriptor, size)
    taken = 0
    for start, end in gaps(archive, size):
        write_all(descriptor, frame[taken : taken + end - start].data, start)
        taken += end - start
    for quantity, (start, _) in places(archive).items():
        _unpack_numbers(archive, quantity, descriptor, start)


def _unpack_numbers(archive: Archive, quantity: str, descriptor: int, at: int) -> None:
    """Write a quantity's numbers to a file from byte ``at`` on, and hold them against their hash."""
    digest = hashlib.sha256()
    for chunk in archive.chunks(quantity):
        digest.update(chunk)
        write_all(descriptor, chunk, at)
        at += len(chunk)
    if digest.hexdigest() != archive.header.digests[quantity].whole:
        raise TableError(archive.path, f"is damaged: {(archive.check() or [quantity])[0]}", REBUILD)


def unpacked_map(archive: Archive, quantity: str, folder: Path) -> NDArray[Any]:
    """A whole quantity as a read-only map of a scratch file in ``folder``, which is gone when the array is.

    Raises :class:`~databases.files.faults.TableError` when the numbers do not have the hash they should,
    :class:`~databases.files.faults.TableWriteError` when the disk refuses.
    """
    path = folder / f".abapa-unpacked-{os.getpid()}-{archive.seeds}-{quantity}"
    descriptor = -1
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        path.unlink()
        kind, count = stored_as(quantity, archive.positions, archive.coding)
        take_room(descriptor, kind.itemsize * count)
        _unpack_numbers(archive, quantity, descriptor, 0)
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return np.asarray(np.memmap(file, kind, "r", 0, (count,)))
    except OSError as error:
        raise TableWriteError(f"no room to unpack {archive.path} in {folder}: {error_text(error)}") from error
    finally:
        if descriptor >= 0:
            os.close(descriptor)
