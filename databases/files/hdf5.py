"""HDF5 as table files use it: written without times and with checksums, read without trust.

The metadata are in the checksummed form of HDF5 1.8 (``v108``), without times of any kind: the same numbers make the
same file. Which datasets and attributes a table has is left to :mod:`databases.files.header` and
:mod:`databases.files.writer`.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py

from databases.files.faults import REBUILD, ForeignTableError, InaccessibleTableError, reading_error
from solver.errors import AbapaError

LAYOUT = ("v108", "v108")
PAGE = 4096
"""Bytes that datasets are aligned to."""
METADATA_ROOM = 32 << 10
"""Bytes that HDF5's own structures stay within."""


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


def own_dataset(path: Path, file: h5py.File, name: str) -> Any:
    """A dataset of this very file: a link into another one would be read at the wrong place."""
    link, found = file.get(name, getlink=True), file.get(name)
    if not isinstance(link, h5py.HardLink) or not isinstance(found, h5py.Dataset):
        raise ForeignTableError(path, f"holds no dataset {name}: it is damaged", REBUILD)
    return found
