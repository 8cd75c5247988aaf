"""Opening a file that somebody named: only regular files, and without ever waiting for one.

A pipe that nobody writes to makes ``open`` wait for ever, and a device may give bytes without end. What is in a file,
and what is said of one that is wrong, is left to those who read it.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO


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
