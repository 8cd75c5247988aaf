"""SHA-256 of a quantity's bytes: of the whole, and of each chunk, so that a fault can be placed.

Bytes come as an iterator of pieces, from a file (:func:`databases.files.disk.read_pieces`) or out of an archive. What a
hash that does not fit means is left to :mod:`databases.files.table`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

CHUNK = 16 << 20
"""Bytes under one chunk hash: where a fault lies is known to 16 MiB."""


@dataclass(frozen=True)
class Digest:
    """The hashes of a quantity's bytes, in hexadecimal: of all of them, and of each chunk."""

    whole: str
    chunks: list[str]


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


def hash_quantity(
    pieces: Callable[[], Iterator[memoryview]], counted: Callable[[], Iterator[memoryview]], threads: int
) -> Digest:
    """Both hashes of a quantity, whose bytes ``pieces`` and ``counted`` give from the start on each time.

    On one thread ``counted`` alone is taken, once; on two, each by a thread of its own. So what must see every byte
    once goes into ``counted``.
    """
    if threads == 1:
        return hash_both(counted())
    with ThreadPoolExecutor(2) as pool:
        whole = pool.submit(_hash_whole, pieces())
        chunks = pool.submit(_hash_chunks, counted())
        return Digest(whole.result(), chunks.result())


def hash_both(pieces: Iterator[memoryview]) -> Digest:
    """Both hashes in one pass."""
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
