"""HDF5 as table files use it: written without times and with checksums, read without trust.

The metadata are in the checksummed form of HDF5 1.8 (``v108``), without times of any kind: the same numbers make the
same file. What is read lies in the very file: no link, external or virtual storage, reference or foreign filter is
followed. :func:`own_dataset` and :func:`own_attributes` see to that, and nothing else opens a dataset or attribute for
reading. Which ones a table has is left to :mod:`databases.files.header` and :mod:`databases.files.writer`.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py

from databases.files.chunks import LARGEST, PIPELINES, filters_of
from databases.files.faults import REBUILD, ForeignTableError, InaccessibleTableError, reading_error
from solver.errors import AbapaError
from solver.files import NotRegularError, open_regular

LAYOUT = ("v108", "v108")
PAGE = 4096
"""Bytes that datasets are aligned to."""
METADATA_ROOM = 32 << 10
"""Bytes that HDF5's own structures stay within."""

_HARD: int = vars(h5py)["h5l"].TYPE_HARD  # its type hints do not know it


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
        open_regular(path).close()  # HDF5 would wait for ever for what comes out of a pipe
        with h5py.File(path, "r", locking=False) as file:
            yield file
    except AbapaError:
        raise
    except NotRegularError as error:
        what = str(error.strerror).lower()
        raise InaccessibleTableError(path, f"{what}, not a table", "move it away") from error
    except DAMAGE as error:
        raise reading_error(path, error) from error


DAMAGE = (OSError, RuntimeError, LookupError, ValueError, TypeError, AttributeError, ArithmeticError, MemoryError)
"""What HDF5 and numpy raise at a file that is not as it should be."""


def own_dataset(path: Path, file: h5py.File, name: str, *, packed: bool = False) -> Any:
    """A dataset that lies in this very file by its own bytes: whole numbers or fixed texts, contiguous, or with
    ``packed`` in chunks of known filters. Raises :class:`ForeignTableError` for every other one, before it is read.
    """
    place: Any = file
    for part in name.split("/"):
        if not isinstance(place, h5py.Group) or not _is_hard_link(place, part):
            raise ForeignTableError(path, f"holds no dataset {name}: it is damaged", REBUILD)
        place = place[part]
    if not isinstance(place, h5py.Dataset):
        raise ForeignTableError(path, f"holds no dataset {name}: it is damaged", REBUILD)
    plan, kind = place.id.get_create_plist(), place.id.get_type()
    layout = plan.get_layout()
    if layout == h5py.h5d.VIRTUAL or plan.get_external_count():
        raise ForeignTableError(path, f"takes its {name} from elsewhere: only a file's own bytes are read", REBUILD)
    if kind.committed() or not (kind.get_class() == h5py.h5t.INTEGER or _is_fixed_text(kind)):
        raise ForeignTableError(path, f"holds {name} in a type that no table has: it is damaged", REBUILD)
    if not packed and (layout != h5py.h5d.CONTIGUOUS or plan.get_nfilters()):
        raise ForeignTableError(path, f"is a table whose {name} is not contiguous", REBUILD)
    if packed and (layout != h5py.h5d.CHUNKED or len(place.chunks or ()) != 1 or filters_of(place) not in PIPELINES):
        raise ForeignTableError(path, f"is a packed table whose {name} is not packed", REBUILD)
    if packed and place.chunks and place.chunks[0] * place.dtype.itemsize > LARGEST:
        raise ForeignTableError(path, f"has {name} in chunks of more than {LARGEST:,} bytes: it is damaged", REBUILD)
    return place


_MOST_ATTRIBUTES = 256
_LARGEST_ATTRIBUTE = 64 << 10


def own_attributes(place: Any) -> dict[str, Any]:
    """The attributes of a file or dataset: numbers and texts, none large. Raises ValueError for others."""
    count = h5py.h5a.get_num_attrs(place.id)
    if count > _MOST_ATTRIBUTES:
        raise ValueError(f"{count:,} attributes")
    for at in range(count):
        attribute = h5py.h5a.open(place.id, index=at)
        kind, numbers = attribute.get_type(), (h5py.h5t.INTEGER, h5py.h5t.FLOAT, h5py.h5t.ENUM)
        # Texts of variable length are those of the first Abapa's files: one each, never a list of them.
        loose = kind.get_class() == h5py.h5t.STRING and kind.is_variable_str() and not attribute.shape
        if loose and place.file.driver != "fileobj":  # those of a packed table's frame are looked at in memory
            _check_heaps(place.file)
        text = _is_fixed_text(kind) or loose
        if kind.committed() or not (text or kind.get_class() in numbers):
            raise ValueError("an attribute of a type that no table has")
        if 0 in attribute.shape:
            continue  # an empty list, of whose size HDF5 knows nothing
        if attribute.get_storage_size() > _LARGEST_ATTRIBUTE:
            raise ValueError("an attribute larger than any of a table")
    return dict(place.attrs.items())


_HEAP = b"GCOL\x01\0\0\0"
"""How a heap of texts of variable length begins: signature, version 1, reserved bytes."""


def _check_heaps(file: h5py.File) -> None:
    with (
        Path(os.fsdecode(file.filename)).open("rb") as opened,
        mmap.mmap(opened.fileno(), 0, prot=mmap.PROT_READ) as data,
    ):
        check_heaps(data)


def check_heaps(data: mmap.mmap | bytes) -> None:
    """Walk the heaps of an HDF5 file's bytes as HDF5 does, which walks for ever where an object takes no room.

    Only files of the first Abapa have any. Raises ValueError for a damaged one.
    """
    at = data.find(_HEAP)
    while at >= 0:
        end = at + int.from_bytes(data[at + 8 : at + 16], "little")
        here = at + 16
        while here + 16 <= end:
            index, size = (
                int.from_bytes(data[here : here + 2], "little"),
                int.from_bytes(data[here + 8 : here + 16], "little"),
            )
            step = 16 + -(-size // 8) * 8 if index else size  # index 0: what is free, its head counted
            if step < 16 or here + step > end:
                raise ValueError("its heap of texts is damaged")
            here += step
        at = data.find(_HEAP, at + 8)


def _is_hard_link(group: h5py.Group, name: str) -> bool:
    """Whether a name stands for an object of this file, found without following it."""
    try:
        links: Any = group.id.links
        return links.get_info(name.encode()).type == _HARD
    except (KeyError, RuntimeError, ValueError):
        return False


def _is_fixed_text(kind: Any) -> bool:
    return kind.get_class() == h5py.h5t.STRING and not kind.is_variable_str()
