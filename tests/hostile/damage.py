"""Generators of damage: of bytes, of HDF5 files by HDF5's own means, and things that stand where a file should be.

Every generator yields cases with a name, from a fixed seed: the same cases in every run. What is right after a damage
is left to the tests.
"""

from __future__ import annotations

import os
import random
import shutil
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import numpy as np

PAGE = 512
"""Bytes of a page here: golden files are small."""
SECRET = b"SECRET-OF-ANOTHER-FILE."
"""What external storage points to; it must not turn up in anything that is written."""


# -- bytes ------------------------------------------------------------------------------------------------------------


def damaged_bytes(data: bytes, seed: int, count: int) -> Iterator[tuple[str, bytes]]:
    """``count`` cases: bits flipped, bytes replaced, cut, pages zeroed, blocks swapped or doubled, bytes appended."""
    chance = random.Random(seed)
    yield "empty", b""
    yield "one byte", data[:1]
    yield "rubbish", random.Random(seed).randbytes(len(data))
    ways = [_flip, _flip, _flip, _replace, _cut, _zero_page, _swap_pages, _double, _append, _remove]
    for number in range(count):
        way = ways[number % len(ways)]
        name, changed = way(data, chance)
        yield f"{number} {name}", changed


def every_page(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Each page in turn, zeroed and filled with ones: what HDF5 walks through may have no end then."""
    for at in range(0, len(data), PAGE):
        for fill in (0, 0xFF):
            rest = min(PAGE, len(data) - at)
            yield f"page at {at} filled with {fill:02X}", data[:at] + bytes([fill]) * rest + data[at + PAGE :]


def _at(data: bytes, chance: random.Random) -> int:
    return chance.randrange(len(data))


def _flip(data: bytes, chance: random.Random) -> tuple[str, bytes]:
    at, bit = _at(data, chance), chance.randrange(8)
    changed = bytearray(data)
    changed[at] ^= 1 << bit
    return f"bit {bit} of byte {at}", bytes(changed)


def _replace(data: bytes, chance: random.Random) -> tuple[str, bytes]:
    at, length = _at(data, chance), chance.randrange(1, 9)
    changed = bytearray(data)
    changed[at : at + length] = chance.randbytes(min(length, len(data) - at))
    return f"{length} bytes at {at}", bytes(changed)


def _cut(data: bytes, chance: random.Random) -> tuple[str, bytes]:
    at = _at(data, chance)
    return f"cut at {at}", data[:at]


def _zero_page(data: bytes, chance: random.Random) -> tuple[str, bytes]:
    at = _at(data, chance) // PAGE * PAGE
    return f"page at {at} zeroed", data[:at] + bytes(min(PAGE, len(data) - at)) + data[at + PAGE :]


def _swap_pages(data: bytes, chance: random.Random) -> tuple[str, bytes]:
    pages = [data[at : at + PAGE] for at in range(0, len(data), PAGE)]
    a, b = chance.randrange(len(pages)), chance.randrange(len(pages))
    pages[a], pages[b] = pages[b], pages[a]
    return f"pages {a} and {b} swapped", b"".join(pages)


def _double(data: bytes, chance: random.Random) -> tuple[str, bytes]:
    at, length = _at(data, chance), chance.randrange(1, PAGE)
    return f"{length} bytes at {at} doubled", data[: at + length] + data[at:]


def _append(data: bytes, chance: random.Random) -> tuple[str, bytes]:
    length = chance.choice([1, PAGE, 8 * PAGE])
    return f"{length} bytes appended", data + chance.randbytes(length)


def _remove(data: bytes, chance: random.Random) -> tuple[str, bytes]:
    at, length = _at(data, chance), chance.randrange(1, 64)
    return f"{length} bytes at {at} removed", data[:at] + data[at + length :]


# -- what stands where a file should be -------------------------------------------------------------------------------


def stand_ins(path: Path) -> Iterator[str]:
    """Puts one thing after another in a file's place, and names it: a folder, a FIFO, links, devices, a socket."""
    makers: dict[str, Callable[[Path], Any]] = {
        "folder": Path.mkdir,
        "FIFO": os.mkfifo,
        "link to itself": lambda place: place.symlink_to(place),
        "link to nothing": lambda place: place.symlink_to("nowhere"),
        "link to /dev/zero": lambda place: place.symlink_to("/dev/zero"),
        "link to /dev/full": lambda place: place.symlink_to("/dev/full"),
        "link to /dev/null": lambda place: place.symlink_to("/dev/null"),
        "link to a folder": lambda place: place.symlink_to("/"),
        "socket": _socket,
    }
    for name, make in makers.items():
        clear(path)
        make(path)
        yield name
    clear(path)


def _socket(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # the name of a socket has at most 107 bytes
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


def clear(path: Path) -> None:
    """Take away whatever is there."""
    if path.is_symlink() or (path.exists() and not path.is_dir()):
        path.unlink()
    elif path.is_dir():
        shutil.rmtree(path)


# -- HDF5 by its own means --------------------------------------------------------------------------------------------


class Change(NamedTuple):
    """A change to an open HDF5 file; ``must_refuse``: no reader may believe a file with it."""

    name: str
    make: Callable[[h5py.File], Any]
    must_refuse: bool = False


def strange_values() -> dict[str, Any]:
    """What an attribute should not be."""
    return {
        "text": "Abapa",
        "no text": "",
        "not UTF-8": b"\xff\xfe\x80",
        "lines": "a\nb\n\x1b[2Jc",
        "a million characters": np.bytes_(b"x" * 60_000),
        "-1": -1,
        "0": 0,
        "largest": 2**63 - 1,
        "unsigned": np.uint64(2**64 - 1),
        "NaN": float("nan"),
        "infinite": float("inf"),
        "True": True,
        "False": False,
        "nothing": h5py.Empty("i8"),
        "no numbers": np.zeros(0, np.int64),
        "numbers": np.arange(5),
        "table": np.zeros((3, 3)),
        "texts": np.array([b"a", b"b"]),
        "text in a heap": np.array("x" * 100, dtype=h5py.string_dtype()),
        "record": np.array((1, 2.0), dtype=[("a", "<i4"), ("b", "<f8")]),
        "reference": h5py.Reference(),
    }


def changed_attributes(file: h5py.File) -> Iterator[Change]:
    """Every attribute of the file and of its datasets: away, or one of :func:`strange_values`."""
    places = ["/", *(name for name, thing in file.items() if isinstance(thing, h5py.Dataset))]
    for place in places:
        for key in list(file[place].attrs):
            yield Change(f"{place}@{key} away", lambda f, p=place, k=key: f[p].attrs.__delitem__(k))
            for name, value in strange_values().items():
                yield Change(f"{place}@{key} is {name}", lambda f, p=place, k=key, v=value: _set(f[p], k, v))


def _set(place: Any, key: str, value: Any) -> None:
    if key in place.attrs:
        del place.attrs[key]
    dtype = h5py.ref_dtype if isinstance(value, h5py.Reference) else None
    place.attrs.create(key, value, dtype=dtype)


def _replaced(name: str, make: Callable[[h5py.File, str], Any]) -> Callable[[h5py.File], None]:
    """A dataset made anew by ``make``, its attributes kept where it can hold some."""

    def change(file: h5py.File) -> None:
        old: Any = file[name]
        kept = dict(old.attrs)
        del file[name]
        make(file, name)
        if isinstance(file.get(name, getlink=True), h5py.HardLink):
            for key, value in kept.items():
                _set(file[name], key, value)

    return change


def changed_datasets(file: h5py.File, secret: Path, packed: bool) -> Iterator[Change]:
    """Every dataset: away, of another kind, type or shape, elsewhere (external, virtual, linked), or of huge claims."""
    names: list[str] = []
    file.visititems(lambda name, thing: names.append(name) if isinstance(thing, h5py.Dataset) else None)
    for name in names:
        dataset: Any = file[name]
        data, size, dtype = dataset[()], int(dataset.size), dataset.dtype
        yield Change(f"{name} away", lambda f, n=name: f.__delitem__(n), True)
        for what, make in _makers(data, size, dtype, secret).items():
            elsewhere = what.startswith(("external", "virtual", "link", "huge", "other", "group"))
            yield Change(f"{name} is {what}", _replaced(name, make), elsewhere)
        if packed and name != "frame" and "/" not in name:
            for offset in (-1, 0, 1, 2**31, 2**62, -(2**62)):
                yield Change(f"{name} offset {offset}", lambda f, n=name, o=offset: _set(f[n], "offset_in_file", o))


def _makers(
    data: np.ndarray[Any, Any], size: int, dtype: np.dtype[Any], secret: Path
) -> dict[str, Callable[[h5py.File, str], Any]]:
    nbytes = size * dtype.itemsize
    other = "<f8" if dtype != "<f8" else "<i8"

    def virtual(file: h5py.File, name: str, source: Path | str) -> None:
        layout = h5py.VirtualLayout((size,), dtype)
        layout[:] = h5py.VirtualSource(source, "hidden" if source != "." else "hidden_here", (size,), dtype)
        file.create_virtual_dataset(name, layout)

    def over_external(file: h5py.File, name: str) -> None:
        file.create_dataset("hidden_here", (size,), dtype, external=[(str(secret), 0, nbytes)])
        virtual(file, name, ".")

    def to_other(file: h5py.File, name: str) -> None:
        held = secret.with_suffix(".h5")
        with h5py.File(held, "w") as made:
            made["hidden"] = data
        virtual(file, name, held)

    def linked(file: h5py.File, name: str) -> None:
        held = secret.with_suffix(".h5")
        with h5py.File(held, "w") as made:
            made["hidden"] = data
        file[name] = h5py.ExternalLink(str(held), "hidden")

    def soft(file: h5py.File, name: str) -> None:
        file["hidden"] = data
        file[name] = h5py.SoftLink("/hidden")

    return {
        "external": lambda f, n: f.create_dataset(n, (size,), dtype, external=[(str(secret), 0, max(nbytes, 1))]),
        "external /dev/zero": lambda f, n: f.create_dataset(
            n, (size,), dtype, external=[("/dev/zero", 0, max(nbytes, 1))]
        ),
        "virtual over external": over_external,
        "virtual of another file": to_other,
        "virtual of nothing": lambda f, n: virtual(f, n, "/nowhere/at/all.h5"),
        "linked to another file": linked,
        "linked softly": soft,
        "linked to itself": lambda f, n: f.__setitem__(n, h5py.SoftLink(f"/{n}")),
        "group": lambda f, n: f.create_group(n),
        "other type": lambda f, n: f.create_dataset(n, (size,), other),
        "big-endian": lambda f, n: f.create_dataset(n, data=np.asarray(data).astype(dtype.newbyteorder(">"))),
        "other texts": lambda f, n: f.create_dataset(n, (size,), h5py.string_dtype()),
        "one shorter": lambda f, n: f.create_dataset(n, data=np.asarray(data).reshape(-1)[:-1]),
        "one longer": lambda f, n: f.create_dataset(n, data=np.append(np.asarray(data).reshape(-1), data.flat[:1])),
        "other shape": lambda f, n: f.create_dataset(n, data=np.asarray(data).reshape(-1, 1)),
        "other, a scalar": lambda f, n: f.create_dataset(n, data=np.asarray(data).reshape(-1)[0]),
        "empty": lambda f, n: f.create_dataset(n, (0,), dtype, maxshape=(None,), chunks=(64,)),
        "other, nothing": lambda f, n: f.create_dataset(n, data=h5py.Empty(dtype)),
        "zeros": lambda f, n: f.create_dataset(n, (size,), dtype),
        "zeros in chunks": lambda f, n: f.create_dataset(n, (size,), dtype, chunks=(max(size, 1),), compression="gzip"),
        "huge": lambda f, n: f.create_dataset(n, (1 << 40,), dtype, chunks=(1 << 16,), compression="gzip"),
        "huge in one chunk": lambda f, n: f.create_dataset(
            n, (1 << 40,), dtype, chunks=((1 << 32) // dtype.itemsize - 1,), compression="gzip"
        ),
        "right, in one huge chunk": lambda f, n: _huge_chunk(f, n, np.asarray(data).reshape(-1)),
    }


def _huge_chunk(file: h5py.File, name: str, data: np.ndarray[Any, Any]) -> None:
    """The right shape, but a chunk that claims 2 GiB once unpacked."""
    made = file.create_dataset(
        name, data.shape, data.dtype, chunks=((1 << 31) // data.itemsize,), maxshape=(None,), compression="gzip"
    )
    made.id.write_direct_chunk((0,), b"x\x9c" + bytes(64))


def changed_histograms(file: h5py.File) -> Iterator[Change]:
    """Histograms that add up and are false, and some that do not."""
    for name, thing in file.items():
        if not isinstance(thing, h5py.Dataset) or "histogram_counts" not in thing.attrs:
            continue
        counts: Any = thing.attrs["histogram_counts"]
        values: Any = thing.attrs["histogram_values"]
        moved = counts.copy()
        moved[0], moved[-1] = moved[0] + 1, moved[-1] - 1
        forged = {
            "reversed": (values, counts[::-1].copy()),
            "moved": (values, moved),
            "negative": (values, np.concatenate([[counts.sum() + 5], np.zeros(len(counts) - 2), [-5]]).astype("<i8")),
            "of other values": (values + 1, counts),
            "of impossible values": (values + 1000, counts),
            "of one value twice": (np.zeros_like(values), counts),
            "longer": (np.arange(10_000) - 5000, np.zeros(10_000, np.int64)),
            "of real numbers": (values.astype(float) + 0.25, counts.astype(float)),
            "of not a number": (values.astype(float), np.full(len(counts), np.nan)),
            "of texts": (values.astype("S4"), counts.astype("S4")),
            "of one": (int(values[0]), int(counts.sum())),
        }
        for what, (new_values, new_counts) in forged.items():

            def change(f: h5py.File, n: str = name, v: Any = new_values, c: Any = new_counts) -> None:
                _set(f[n], "histogram_values", v)
                _set(f[n], "histogram_counts", c)

            yield Change(f"histogram of {name} {what}", change)


def other_files(data: bytes) -> Iterator[tuple[str, bytes]]:
    """A whole table behind a user block, and inside something else."""
    for block in (512, 1024, 2048):
        yield f"user block of {block}", b"x" * block + data
    yield "twice", data + data
    yield "header only", data[:96]
    yield "a text", b"abapa\n" * 100
    yield "a zip file", b"PK\x03\x04" + data[4:]
