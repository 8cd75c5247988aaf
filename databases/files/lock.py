"""One builder a folder: a lock that dies with its process.

The lock is the kernel's (``flock``), so a killed builder leaves nothing to clean up; the file only tells the next one
whose it is. Some file systems have no such locks. There a second file is the lock: it can be made only where there is
none, and says which process on which machine has made it. One whose process is gone from this machine is removed.
"""

from __future__ import annotations

import errno
import fcntl
import os
import platform
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from solver.errors import AbapaError
from solver.files import open_regular

LOCK_NAME = "abapa-build.lock"
OWNER_NAME = "abapa-build.owner"
_NO_LOCKS = {errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EINVAL}


class LockedError(AbapaError):
    """Another process is building in the folder; :attr:`pid` is its process id (None where it could not be read)."""

    def __init__(self, directory: Path, pid: int | None, more: str = "") -> None:
        self.pid = pid
        who = f"process {pid}" if pid is not None else "another process"
        super().__init__(
            f"{who} is building in {directory}{more}: one builder a folder; wait for it, or build in another folder"
        )


class BuildLock:
    """Context manager that keeps every other builder out of ``directory``.

    Raises :class:`LockedError` at once when another process (or another lock of this one) holds it. A lock file that a
    dead process left is taken over.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.path, self.owner = directory / LOCK_NAME, directory / OWNER_NAME
        self._owned = False
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
        if self._owned:
            self.owner.unlink(missing_ok=True)
            self._owned = False
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
            try:
                if error.errno not in _NO_LOCKS:
                    raise AbapaError(f"cannot lock the tables folder {self.directory}: {error.strerror}") from error
                if not self._owned:
                    self._become_owner()
            except BaseException:
                os.close(descriptor)
                raise
        return descriptor

    def _become_owner(self) -> None:
        """Make the owner's file, on a file system without locks."""
        try:
            self._make(self.owner)
        except FileExistsError:
            self._remove_dead_owner()
            try:
                self._make(self.owner)
            except FileExistsError:
                raise self._owned_by(_read_owner(self.owner)) from None
        self._owned = True

    def _remove_dead_owner(self) -> None:
        """Remove the owner's file of a process of this machine that is gone.

        Only who makes the file of removals may: otherwise two could find the same dead owner, and the second would
        remove the file that the first has made since.
        """
        removal = self.owner.with_name(OWNER_NAME + ".removal")
        try:
            self._make(removal)
        except FileExistsError:
            raise self._owned_by(_read_owner(removal)) from None
        try:
            found = _read_owner(self.owner)
            if found is None or found[1] != platform.node() or _lives(found[0]):
                raise self._owned_by(found)
            self.owner.unlink(missing_ok=True)
        finally:
            removal.unlink(missing_ok=True)

    def _make(self, path: Path) -> None:
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        except FileExistsError:
            raise
        except OSError as error:
            raise AbapaError(f"cannot write to the tables folder {self.directory}: {error.strerror}") from error
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(f"{os.getpid()} {platform.node()}\n")

    def _owned_by(self, found: tuple[int, str] | None) -> LockedError:
        where = "" if found is None else f" on {found[1]}"
        return LockedError(
            self.directory, found and found[0], f"{where}; if it is not, delete {self.owner.name}* in the folder"
        )

    def _names_the_file(self, descriptor: int) -> bool:
        try:
            there = self.path.stat()
        except FileNotFoundError:
            return False
        ours = os.fstat(descriptor)
        return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)


def _read_owner(path: Path) -> tuple[int, str] | None:
    """Process and machine that a file names; None where it does not (yet)."""
    try:
        with open_regular(path) as file:
            pid, _, node = file.read(1024).decode("utf-8", "replace").strip().partition(" ")
    except OSError:
        return None
    return (int(pid), node) if pid.isascii() and pid.isdigit() and len(pid) < 12 and node else None


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
