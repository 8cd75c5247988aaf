"""Every way in which a table file can fail, as one exception class each, and what the system's refusals mean.

Messages are one line: the file, what is wrong with it, what to do. Who notices a fault and when is left to the modules
that read and write (:mod:`databases.files.header`, :mod:`databases.files.table`, :mod:`databases.files.writer`).
"""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path

from solver.errors import AbapaError

REBUILD = "delete it and build it again"


class TableError(AbapaError):
    """A table file that cannot be used: :attr:`fault` is what is wrong with :attr:`path`, :attr:`remedy` what to do."""

    def __init__(self, path: Path, fault: str, remedy: str = "") -> None:
        self.path, self.fault, self.remedy = path, fault, remedy
        super().__init__(f"{path} {fault}{f': {remedy}' if remedy else ''}")


class UnreadableTableError(TableError):
    """The file cannot be opened or is not HDF5."""


class InaccessibleTableError(UnreadableTableError):
    """The system does not hand the file out: no permission, a failing disk, no such file. The table may be sound."""


class TruncatedTableError(TableError):
    """The file is shorter than it says."""


class ForeignTableError(TableError):
    """An HDF5 file that is no table of ours."""


class TableVersionError(TableError):
    """A table written by another version of the format."""


class WrongTableError(TableError):
    """A table of other rules or another tier than its name, or the caller, says."""


class IncompleteTableError(TableError):
    """A table whose writing was not finished."""


class ClosedTableError(AbapaError):
    """A table, or a prober, that was closed was asked."""

    def __init__(self, place: Path) -> None:
        super().__init__(f"the tables of {place} were closed: open them again to ask")


class TableWriteError(AbapaError):
    """A table cannot be written: no room, no permission."""


class Abandoned(Exception):
    """A commit was told to stop (:meth:`TableWriter.abandon`)."""


def error_text(error: Exception) -> str:
    """What the system said, in one line; HDF5 wraps it in several."""
    if isinstance(error, OSError) and error.strerror and "\n" not in error.strerror:
        return error.strerror
    quoted = re.search(r"error message = '([^']*)'", str(error))
    return quoted[1] if quoted else str(error).split("\n")[0]


def reading_error(path: Path, error: Exception) -> TableError:
    """What an exception met in reading a file says about it: that the system refuses, or that it is damaged."""
    text, code = error_text(error), _system_code(error)
    if code:
        return InaccessibleTableError(path, f"cannot be read: {os.strerror(code)}", _REFUSALS.get(code, ""))
    if isinstance(error, MemoryError):
        return InaccessibleTableError(path, "cannot be read: not enough memory")
    if "truncated file" in text or isinstance(error, EOFError):
        return TruncatedTableError(path, f"is truncated ({text})", REBUILD)
    if "file signature not found" in text:
        return UnreadableTableError(path, "is not an HDF5 file", REBUILD)
    return UnreadableTableError(path, f"is damaged ({text})", REBUILD)


_REFUSALS = {
    errno.EACCES: "ask for the right to read it",
    errno.EPERM: "ask for the right to read it",
    errno.EIO: "look after the disk; the table may be sound",
}


def _system_code(error: Exception) -> int:
    """The number of a system call's refusal; 0 where HDF5 or numpy found the file wrong by themselves."""
    if isinstance(error, OSError) and error.errno:
        return error.errno
    quoted = re.search(r"errno = (\d+)", str(error))
    return int(quoted[1]) if quoted else 0
