"""Files that somebody named: only regular ones are opened, without ever waiting; none is lost halfway through writing.

A pipe that nobody writes to makes ``open`` wait for ever, and a device may give bytes without end. What is in a file,
and what is said of one that is wrong, is left to those who read it. Tables are written by :mod:`databases.files`.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from solver.errors import AbapaError


class NotRegularError(OSError):
    """A name that is a folder, pipe, socket or device, where a file was meant. ``strerror`` says so in words."""


def open_regular(path: Path, *, append: bool = False) -> BinaryIO:
    """Open a regular file for reading bytes, or with ``append`` for adding some at its end (made where it is missing).

    Raises OSError as ``open`` does, and :class:`NotRegularError` for what is not a regular file. Never waits.
    """
    access = os.O_WRONLY | os.O_APPEND | os.O_CREAT if append else os.O_RDONLY
    descriptor = os.open(path, access | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC, 0o644)
    try:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            what = "Is a folder" if stat.S_ISDIR(mode) else "Is no regular file"
            raise NotRegularError(errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL, what, str(path))
        return os.fdopen(descriptor, "ab" if append else "rb")
    except BaseException:
        os.close(descriptor)
        raise


@contextmanager
def replaced_file(path: Path, *, force: bool) -> Iterator[BinaryIO]:
    """A binary file that becomes ``path`` when the context is left without an error, and nothing otherwise.

    It is written beside, flushed to the disk and renamed.
    Raises AbapaError where ``path`` exists (unless ``force``), where it cannot be written, and on a full disk.
    """
    if path.exists() and not force:
        raise AbapaError(f"{path} exists: --force replaces it")
    part = path.with_name(path.name + ".part")
    try:
        with part.open("wb") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        part.replace(path)
    except OSError as error:
        raise AbapaError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        part.unlink(missing_ok=True)
