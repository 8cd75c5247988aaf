"""A folder in memory, for plain tables that no disk shall hold.

A build that keeps only archives (``abapa build --archive``) needs its tables plain for as long as it lasts: larger
tiers and the packing of larger tiers read them. They are ordinary table files, in a file system that lies in memory.
What an archive holds is left to :mod:`databases.files.archive`.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp

from solver.errors import AbapaError

IN_MEMORY = Path("/dev/shm")
"""Where Linux has files in memory."""
_PREFIX = "abapa-in-memory-"
_LOCK = "in-use"


@contextmanager
def memory_folder() -> Iterator[Path]:
    """A new folder in memory, which is gone with all that is in it when the context is left.

    What killed processes have left goes first: it would keep its memory until the machine is restarted. Raises
    :class:`~solver.errors.AbapaError` where there can be none.
    """
    _want_writable()
    for folder in _abandoned():
        shutil.rmtree(folder, ignore_errors=True)
    made = Path(mkdtemp(prefix=".abapa-", dir=IN_MEMORY))
    folder = made.with_name(made.name.replace(".abapa-", _PREFIX))
    held = os.open(made / _LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        made.rename(folder)  # from now on who finds it unlocked may remove it
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(held)


def memory_room() -> int:
    """Bytes that files in memory may still take, those of killed processes included.

    Raises :class:`~solver.errors.AbapaError` where there can be none.
    """
    _want_writable()
    left = sum(path.stat().st_blocks * 512 for folder in _abandoned() for path in folder.iterdir())
    return shutil.disk_usage(IN_MEMORY).free + left


def _want_writable() -> None:
    if not IN_MEMORY.is_dir() or not os.access(IN_MEMORY, os.W_OK):
        raise AbapaError(f"no files in memory: {IN_MEMORY} is no folder that can be written to; Linux has one")


def _abandoned() -> list[Path]:
    """Folders in memory whose process holds their lock no more."""
    return [folder for folder in IN_MEMORY.glob(f"{_PREFIX}*") if _is_abandoned(folder)]


def _is_abandoned(folder: Path) -> bool:
    with suppress(OSError):  # another user's, or being made or removed just now
        descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        finally:
            os.close(descriptor)
        return True
    return False
