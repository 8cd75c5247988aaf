"""One builder a folder: a lock that dies with its process.

The lock is the kernel's (``flock``), so a killed builder leaves nothing to clean up; the file only tells the next one
whose it is.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from solver.errors import AbapaError

LOCK_NAME = "abapa-build.lock"


class LockedError(AbapaError):
    """Another process is building in the folder; :attr:`pid` is its process id (None where it could not be read)."""

    def __init__(self, directory: Path, pid: int | None) -> None:
        self.pid = pid
        who = f"process {pid}" if pid is not None else "another process"
        super().__init__(
            f"{who} is building in {directory}: one builder a folder; wait for it, or build in another folder"
        )


class BuildLock:
    """Context manager that keeps every other builder out of ``directory``.

    Raises :class:`LockedError` at once when another process (or another lock of this one) holds it. A lock file that a
    dead process left is taken over.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.path = directory / LOCK_NAME
        self._descriptor = -1

    def __enter__(self) -> Self:
        while self._descriptor < 0:
            descriptor = self._open()
            if self._names_the_file(descriptor):
                self._descriptor = descriptor
            else:  # its last owner removed it between our open and our lock
                os.close(descriptor)
        with suppress(OSError):  # a full disk: the lock holds all the same, it only cannot say whose it is
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, f"{os.getpid()}\n".encode(), 0)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.path.unlink(missing_ok=True)
        os.close(self._descriptor)
        self._descriptor = -1

    def _open(self) -> int:
        try:
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise AbapaError(f"cannot write to the tables folder {self.directory}: {error.strerror}") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            text = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip()
            os.close(descriptor)
            raise LockedError(self.directory, int(text) if text.isdecimal() else None) from None
        except OSError as error:
            os.close(descriptor)
            raise AbapaError(f"the file system of {self.directory} has no locks: {error.strerror}") from error
        return descriptor

    def _names_the_file(self, descriptor: int) -> bool:
        try:
            there = self.path.stat()
        except FileNotFoundError:
            return False
        ours = os.fstat(descriptor)
        return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)
