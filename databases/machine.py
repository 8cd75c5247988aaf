"""What this machine gives: memory, threads, the speed of a disk. How they are spent is left to those who ask."""

from __future__ import annotations

import os
import time
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple

from numba.core import config

from solver.errors import AbapaError


def available_memory() -> int:
    """Bytes of memory that this machine can give without swapping."""
    try:
        with Path("/proc/meminfo").open() as lines:
            fields = dict(line.split(":", 1) for line in lines)
        return int(fields["MemAvailable"].split()[0]) << 10
    except (OSError, KeyError):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def default_threads() -> int:
    """Threads to work on when nobody says: all the cores that this process may use."""
    return config.NUMBA_NUM_THREADS  # pyright: ignore[reportAttributeAccessIssue]


def check_threads(threads: int) -> None:
    """Refuse more threads than numba was started with. Raises :class:`~solver.errors.AbapaError`."""
    most = default_threads()
    if threads > most:
        raise AbapaError(f"{threads} threads: accepted are 1 to {most} on this machine")


class DiskSpeed(NamedTuple):
    """Bytes per second from one end of a file to the other, written through to the disk, and read from it."""

    written: float
    read: float

    def seconds(self, written: int, read: int) -> float:
        """How long so many bytes take."""
        return written / self.written + read / self.read


_SAMPLE_BYTES = 8 << 20
_SAMPLE_TIMES = 5
_SAMPLE_SECONDS = 0.4


def measure_disk(folder: Path) -> DiskSpeed | None:
    """The speed of the disk behind a folder: a nameless file is written, flushed and read, for about a second.

    8 MiB are written and flushed, then twice as much again, up to 128 MiB, until that takes long; the last counts,
    since a flush by itself takes time. What is read may come out of a cache below the system's: a disk's own, a host's.
    None where the folder cannot be written to.
    """
    piece = os.urandom(_SAMPLE_BYTES)  # a disk may be quick about zeros
    try:
        with TemporaryFile(dir=folder, buffering=0) as file:
            written, begun = 0.0, time.perf_counter()
            for doubled in range(_SAMPLE_TIMES):
                start, size = time.perf_counter(), len(piece) << doubled
                for _ in range(1 << doubled):
                    file.write(piece)
                os.fdatasync(file.fileno())
                now = time.perf_counter()
                written = size / (now - start)
                if 3 * (now - begun) > _SAMPLE_SECONDS * 2:  # the next would take more than twice as long
                    break
            if hasattr(os, "posix_fadvise"):
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)  # or memory is read, not the disk
            file.seek(0)
            start, done = time.perf_counter(), 0
            while got := len(file.read(_SAMPLE_BYTES)):
                done += got
                if time.perf_counter() - start > _SAMPLE_SECONDS:
                    break
            return DiskSpeed(written, done / (time.perf_counter() - start))
    except OSError:
        return None
