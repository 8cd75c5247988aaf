"""What this machine gives: memory and threads. How they are spent is left to those who ask."""

from __future__ import annotations

import os
from pathlib import Path

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
