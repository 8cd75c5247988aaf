"""Files that a person asked for: written beside, flushed to the disk, renamed; so an old one is never lost halfway."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from solver.errors import AbapaError


@contextmanager
def replaced_file(path: Path, *, force: bool) -> Iterator[BinaryIO]:
    """A binary file that becomes ``path`` when the context is left without an error, and nothing otherwise.

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
