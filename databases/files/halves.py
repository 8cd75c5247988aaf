"""The numbers of a tier's heavy boards as they lie in an archive: a stream for each tile, and their index.

Of each quantity the dataset named after it is the streams, one after the other; below ``tiles/QUANTITY`` lie ``sizes``
(bytes of each stream) and ``checks`` (CRC-32 of the numbers of each tile). Streams of margins are those of
:mod:`databases.files.coding`: ``contexts`` and ``frequencies`` beside the index are their model, and the attribute
``margins`` has the margins that come up. A stream of distances is compressed by zlib: the lower bytes of the tile's
numbers, then the upper ones. docs/format.md has it all for strangers. Light boards are left to
:mod:`databases.files.light`.

A file may say what it likes: sizes, contexts and frequencies are looked at when they are read, a tile when it is
decoded, and no stream leads outside of its bytes.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from databases.files.coding import Decoding, Model, decode_tile
from databases.files.hdf5 import new_group, own_attributes, own_dataset
from databases.files.header import QUANTITIES
from databases.files.tiles import Tiling
from solver.files import open_regular

GROUP = "tiles"
"""Where the index and the model of each quantity lie."""
_MOST_MARGINS = 256
_LEVEL = 6


def write_coded(file: h5py.File, quantity: str, heavy: NDArray[Any], tiles: Tiling, threads: int) -> h5py.Dataset:
    """Write a number of every heavy board, in the order of the tier; returns the dataset of streams."""
    parts: dict[str, NDArray[Any]] = {}
    if heavy.itemsize == 1:
        model = Model.of(heavy, tiles)
        streams = list(model.encoded(heavy, tiles, threads))
        parts = {"contexts": model.contexts.astype("<u2"), "frequencies": model.frequencies.astype("<u2").ravel()}
    else:
        model, streams = None, list(_compressed(heavy, tiles, threads))
    dataset = file.create_dataset(quantity, data=np.concatenate(streams), track_times=False)
    if model:
        dataset.attrs["margins"] = model.margins
    parts["sizes"] = np.array([len(stream) for stream in streams], "<u2")
    parts["checks"] = np.array([zlib.crc32(tiles.cut(heavy, tile).data) for tile in range(tiles.count)], "<u4")
    if GROUP not in file:
        new_group(file, GROUP)
    place: Any = file[GROUP]
    group = new_group(place, quantity)
    for name, numbers in parts.items():
        group.create_dataset(name, data=numbers, track_times=False)
    return dataset


def _compressed(heavy: NDArray[np.uint16], tiles: Tiling, threads: int) -> Iterator[NDArray[np.uint8]]:
    def compressed(tile: int) -> NDArray[np.uint8]:
        numbers = tiles.cut(heavy, tile).astype("<u2")
        stream = zlib.compressobj(_LEVEL, zlib.DEFLATED, zlib.MAX_WBITS, zlib.DEF_MEM_LEVEL, zlib.Z_FILTERED)
        planes = numbers.view(np.uint8).reshape(-1, 2).T
        return np.frombuffer(stream.compress(planes.tobytes()) + stream.flush(), np.uint8)

    with ThreadPoolExecutor(threads) as pool:
        yield from pool.map(compressed, range(tiles.count), chunksize=64)


class CodedNumbers:
    """A quantity of the heavy boards, decoded tile by tile. Raises ValueError for damaged ones.

    The caller sees to it that one thread asks at a time.
    """

    def __init__(self, path: Path, file: h5py.File, quantity: str, tiles: Tiling) -> None:
        self.tiles = tiles
        dataset = own_dataset(path, file, quantity)
        self._start = dataset.id.get_offset() or 0
        self._checks = _part(path, file, quantity, "checks", "<u4", tiles.count)
        ends = np.cumsum(_part(path, file, quantity, "sizes", "<u2", tiles.count), dtype=np.int64)
        if int(ends[-1]) != dataset.shape[0]:
            raise ValueError("streams of another length than they should have")
        self._ends = np.concatenate([np.zeros(1, np.int64), ends])
        self._model = _model(path, file, quantity, dataset) if QUANTITIES[quantity].itemsize == 1 else None
        self._symbols = np.empty(tiles.area, np.uint8)
        self._file = open_regular(path)

    def tile(self, number: int) -> NDArray[Any]:
        """The numbers of a tile, row by row: a new array."""
        first, end = self._ends[number].item(), self._ends[number + 1].item()
        data = os.pread(self._file.fileno(), end - first, self._start + first)
        if len(data) != end - first:
            raise EOFError(f"the file ends within tile {number:,}")
        height, width = self.tiles.shape(number)
        out = self._margins(data, width, height * width) if self._model else _plies(data, height * width)
        if out is None:
            raise ValueError(f"tile {number:,} cannot be decoded")
        if zlib.crc32(out.data) != self._checks[number]:
            raise ValueError(f"tile {number:,} has changed")
        return out

    def _margins(self, data: bytes, width: int, boards: int) -> NDArray[np.int8] | None:
        out = np.empty(boards, np.int8)
        whole = len(data) % 2 == 0 and decode_tile(
            np.frombuffer(data, "<u2"), self._model, width, self._symbols, out
        )  # fmt: skip
        return out if whole else None

    def decode_into(self, heavy: NDArray[Any]) -> None:
        """All numbers, in the order of the tier."""
        for number in range(self.tiles.count):
            self.tiles.paste(self.tile(number), number, heavy)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


def _plies(data: bytes, boards: int) -> NDArray[np.uint16] | None:
    stream = zlib.decompressobj()
    try:
        planes = stream.decompress(data, 2 * boards + 1)
    except zlib.error:
        return None
    if len(planes) != 2 * boards or not stream.eof or stream.unused_data:
        return None
    return np.ascontiguousarray(np.frombuffer(planes, np.uint8).reshape(2, boards).T).view("<u2").ravel()


def _model(path: Path, file: h5py.File, quantity: str, dataset: Any) -> Decoding:
    margins = np.asarray(own_attributes(dataset)["margins"])
    if margins.ndim != 1 or margins.dtype != np.int8 or not 1 <= len(margins) <= _MOST_MARGINS:
        raise ValueError("a list of margins that is none")
    symbols = len(margins)
    contexts = _part(path, file, quantity, "contexts", "<u2", symbols**2)
    rows = int(contexts.max()) + 1
    frequencies = _part(path, file, quantity, "frequencies", "<u2", rows * symbols).reshape(rows, symbols)
    return Model(margins, contexts, frequencies).decoding


def _part(path: Path, file: h5py.File, quantity: str, name: str, kind: str, size: int) -> NDArray[Any]:
    dataset = own_dataset(path, file, f"{GROUP}/{quantity}/{name}")
    if dataset.shape != (size,) or dataset.dtype != np.dtype(kind):
        raise ValueError(f"{name} of another size than they should have")
    return dataset[:]
