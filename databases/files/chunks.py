"""Compressed chunks of a dataset, unpacked by ourselves within bounds that the tier sets.

HDF5 unpacks as much as a stream holds, and loads filters that a file names from wherever they lie: a chunk of a few
kilobytes may become gigabytes. Here a chunk becomes as many bytes as it has numbers, or is damaged. Only zstd is left
to HDF5's filter, once the stream has said that it holds as much as it should. Which datasets are read is left to
:mod:`databases.files.hdf5` and :mod:`databases.files.archive`.
"""

from __future__ import annotations

import zlib
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from databases.files.hashes import CHUNK

GZIP, SHUFFLE, ZSTD = h5py.h5z.FILTER_DEFLATE, h5py.h5z.FILTER_SHUFFLE, 32015
PIPELINES = [GZIP], [SHUFFLE, GZIP], [ZSTD], [SHUFFLE, ZSTD]
"""The filters that an archive's datasets may have."""
LARGEST = CHUNK
"""Bytes of a chunk that are accepted at most; ours have 64 KiB."""


def filters_of(dataset: h5py.Dataset) -> list[int]:
    """The numbers of a dataset's filters, in the order in which they were applied."""
    plan = dataset.id.get_create_plist()
    return [plan.get_filter(k)[0] for k in range(plan.get_nfilters())]


class Chunks:
    """The chunks of a one-dimensional dataset that :func:`~databases.files.hdf5.own_dataset` has let through."""

    def __init__(self, dataset: Any) -> None:
        self._dataset, self._filters = dataset, filters_of(dataset)
        self.kind: np.dtype[Any] = dataset.dtype
        self.length: int = dataset.chunks[0]
        """Numbers in a chunk; the last may have fewer."""
        self.size: int = dataset.shape[0]
        self._bytes = self.length * self.kind.itemsize

    def read(self, number: int) -> NDArray[Any]:
        """The numbers of a chunk. Raises ValueError, OSError or RuntimeError for one that is not as it should be."""
        start = number * self.length
        stored = self._dataset.id.get_chunk_info_by_coord((start,))
        if stored.size > self._bytes + self._bytes // 8 + 1024:
            raise ValueError(f"a chunk of {stored.size:,} bytes for {self._bytes:,}")
        mask, data = self._dataset.id.read_direct_chunk((start,))
        if mask:
            raise ValueError("a chunk that passed filters over")
        if ZSTD in self._filters:
            if _zstd_size(data) != self._bytes:
                raise ValueError(f"a chunk that does not unpack to {self._bytes:,} bytes")
            return np.ascontiguousarray(self._dataset[start : start + self.length])
        numbers = np.frombuffer(self._inflated(data), np.uint8)
        if SHUFFLE in self._filters:
            numbers = np.ascontiguousarray(numbers.reshape(self.kind.itemsize, -1).T).reshape(-1)
        return numbers.view(self.kind)[: self.size - start]

    def between(self, start: int, end: int) -> NDArray[Any]:
        """The numbers ``start .. end``, from the chunks that hold them."""
        out = np.empty(end - start, self.kind)
        for number in range(start // self.length, -(-end // self.length)):
            first = number * self.length
            piece = self.read(number)[max(start - first, 0) : end - first]
            at = max(first, start) - start
            out[at : at + len(piece)] = piece
        return out

    def _inflated(self, data: bytes) -> bytes:
        stream = zlib.decompressobj()
        try:
            out = stream.decompress(data, self._bytes + 1)
        except zlib.error as error:
            raise ValueError(str(error)) from error
        if len(out) != self._bytes or not stream.eof:
            raise ValueError(f"a chunk that does not unpack to {self._bytes:,} bytes")
        return out


def _zstd_size(data: bytes) -> int | None:
    """Bytes that a zstd frame says it holds, from its header (RFC 8878, 3.1.1.1); None where it does not say."""
    if data[:4] != b"\x28\xb5\x2f\xfd" or len(data) < 18:
        return None
    descriptor = data[4]
    single, kind = descriptor >> 5 & 1, descriptor >> 6
    width = (1 if single else 0, 2, 4, 8)[kind]
    at = 5 + (not single) + (0, 1, 2, 4)[descriptor & 3]
    if not width:
        return None
    return int.from_bytes(data[at : at + width], "little") + (256 if width == 2 else 0)
