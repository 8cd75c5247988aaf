"""Bytes of a file, without HDF5: taken in pieces, written whole, kept room for, flushed.

System calls may do less than they were asked for; here they are called until all is done. What the bytes are is left to
the other modules.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import numpy as np
from numpy.typing import NDArray

PIECE = 1 << 20
"""Bytes that are read, hashed and counted at a time: they stay in the second-level cache."""


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


def write_all(descriptor: int, data: memoryview, at: int) -> None:
    """Write bytes to a file from byte ``at`` on; safe from several threads."""
    while data:
        done = os.pwrite(descriptor, data, at)
        data, at = data[done:], at + done


def take_room(descriptor: int, size: int) -> None:
    """Take the disk space of ``size`` bytes now, so that no later write can find the disk full.

    Not every system can; without it a full disk shows at a later write.
    """
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(descriptor, 0, size)


def scratch_array(folder: Path, kind: np.dtype[Any], count: int) -> NDArray[Any]:
    """So many numbers to write and read, in a file without a name in ``folder``, which is gone when the array is.

    Where the folder cannot be written the file lies where the system keeps such files. Raises OSError.
    """
    where = folder if os.access(folder, os.W_OK) else None
    with TemporaryFile(dir=where) as file:
        take_room(file.fileno(), kind.itemsize * count)
        return np.asarray(np.memmap(file, kind, "r+", 0, (count,)))


def flush(path: Path) -> None:
    """Have a file, or the names in a folder, written to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
