"""Checkpoints inside a tier: the state between two stages on the disk, so that a killed build loses little.

Between stages no board waits, so the state of the tier and the next margin are all there is to keep. A checkpoint is
written beside and renamed. Every byte of it is under a hash: each part under one that the header states, the header
under one that the file begins with. It is believed only if everything fits, down to the sources that wrote it. It is
written when it costs little of the time since the last one: never in tiers of seconds. A disk without room for one is
no reason to stop: the build goes on without.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from shutil import disk_usage
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from databases.files.folder import checkpoint_path
from databases.windows import WHOLE
from solver.errors import AbapaError
from solver.files import open_regular
from solver.kernels.compile import source_hash
from solver.oware.rules import Rules

SHARE = 0.03
"""The most of the time since the last checkpoint that one may cost."""
FIRST_SPEED = 5e8
"""Bytes per second that are counted on before the first checkpoint has been timed."""
FORMAT = "abapa-checkpoint 2"
_HEADER = 4096
"""Bytes before the parts: the SHA-256 of what follows in the header, in hexadecimal, then JSON, then spaces."""
_HASH = 64
_OTHER = "it is of another build, or another version of Abapa"


@dataclass(frozen=True)
class Part:
    """An array of the state, or a stream of pieces of one, that is kept and read back in order."""

    size: int
    pieces: Callable[[], Iterable[NDArray[Any]]]
    fill: Callable[[int, NDArray[np.uint8]], None]
    """Take back bytes from an offset on."""


def array_part(array: NDArray[Any]) -> Part:
    """An array in memory as a part."""
    flat = array.reshape(-1).view(np.uint8)

    def fill(offset: int, piece: NDArray[np.uint8]) -> None:
        flat[offset : offset + len(piece)] = piece

    return Part(flat.nbytes, lambda: [flat], fill)


class _NotBelieved(Exception):
    """A checkpoint that is not taken up; the text says why."""


@dataclass
class Checkpoint:
    """The checkpoint file of one tier. ``share`` is :data:`SHARE`, or more in tests; 0 keeps none.

    ``phase`` names what is under way (``value``, ``bounds``, and in which form): only a state of the same is taken up.
    ``keep_free``: bytes of disk that the rest of the build will need. ``report`` is told, in a line, when a file is not
    believed and when none can be kept any more.
    """

    folder: Path
    rules: Rules
    seeds: int
    share: float = SHARE
    speed: float = FIRST_SPEED
    last: float = field(default_factory=time.monotonic)
    keep_free: int = 0
    report: Callable[[str], object] = lambda line: None
    window: int = WHOLE
    refused: str = ""
    """Why the file that :meth:`restore` looked at was not taken up; empty where there was none."""

    @property
    def path(self) -> Path:
        """Where it lies."""
        return checkpoint_path(self.folder, self.rules, self.seeds, self.window)

    def worth(self, parts: list[Part]) -> bool:
        """Whether enough time has passed since the last one."""
        cost = sum(part.size for part in parts) / self.speed
        return self.share > 0 and cost <= self.share * (time.monotonic() - self.last)

    def save(self, phase: str, margin: int, parts: list[Part]) -> None:
        """Keep the state, with ``margin`` as the next stage. Where the disk refuses, that is reported, and from then on
        none is kept; one that was there before stays.
        """
        start, part_path = time.monotonic(), self.path.with_name(self.path.name + ".part")
        try:
            self._want_room(parts)
            with part_path.open("wb") as file:
                file.write(b" " * _HEADER)
                hashes = [_write(file, part) for part in parts]
                file.seek(0)
                file.write(_header({**self._tags(phase, parts), "margin": margin, "hashes": hashes}))
                file.flush()
                os.fsync(file.fileno())
            part_path.rename(self.path)
        except BaseException as error:
            with suppress(OSError):
                part_path.unlink(missing_ok=True)
            if not isinstance(error, OSError):
                raise
            self.share = 0
            self.report(
                f"no checkpoint {self.path}: {error.strerror or error}; the build goes on without checkpoints, and an "
                "interrupted tier starts anew"
            )
            return
        self.last = time.monotonic()
        self.speed = sum(part.size for part in parts) / max(self.last - start, 1e-3)

    def restore(self, phase: str, parts: list[Part]) -> int | None:
        """Fill ``parts`` from the file and return the next margin; None, and nothing filled, if there is no file or it
        is of another build, cut short or damaged (:attr:`refused` says which).

        Raises :class:`~solver.errors.AbapaError` for a file that changes between the two times that it is read.
        """
        try:
            with open_regular(self.path) as file:
                return self._read(file, phase, parts)
        except FileNotFoundError:
            return None
        except OSError as error:
            self.refused = error.strerror or str(error)
        except _NotBelieved as error:
            if self.refused in ("", _OTHER):  # a phase is asked for after the other: that it is not this one says less
                self.refused = str(error)
        return None

    def report_refused(self) -> None:
        """Tell that the tier starts anew although there is a file, if so."""
        if self.refused:
            self.report(f"{self.path} is not used ({self.refused}): tier {self.seeds} starts anew")

    def remove(self) -> None:
        """The tier is finished: forget it."""
        with suppress(OSError):
            self.path.unlink(missing_ok=True)

    def _want_room(self, parts: list[Part]) -> None:
        """Raise OSError where a checkpoint would take disk space that the tables will need."""
        needed = _HEADER + sum(part.size for part in parts) + self.keep_free
        free = disk_usage(self.folder).free
        if needed > free:
            raise OSError(f"no room: with the tables to come {needed:,} bytes are needed, {free:,} are free")

    def _read(self, file: BinaryIO, phase: str, parts: list[Part]) -> int:
        header = _parsed(file.read(_HEADER))
        tags = self._tags(phase, parts)
        if {key: header.get(key) for key in tags} != tags:
            raise _NotBelieved(_OTHER)
        margin, hashes = header.get("margin"), header.get("hashes")
        if type(margin) is not int or not 1 <= margin <= self.seeds:
            raise _NotBelieved("it is damaged: its next stage is none of this tier")
        if os.fstat(file.fileno()).st_size != _HEADER + sum(part.size for part in parts):
            raise _NotBelieved("it is cut short, or longer than it says")
        if [_hash(file, part) for part in parts] != hashes:
            raise _NotBelieved("it is damaged: its hashes do not fit")
        file.seek(_HEADER)
        if [_hash(file, part, fill=True) for part in parts] != hashes:
            raise AbapaError(f"{self.path} has changed while it was read: build again")
        return margin

    def _tags(self, phase: str, parts: list[Part]) -> dict[str, Any]:
        sizes = [part.size for part in parts]
        tags = {"format": FORMAT, "rules": self.rules.id, "seeds": self.seeds, "phase": phase, "sizes": sizes}
        return {**tags, "sources": source_hash()}


def _header(stated: dict[str, Any]) -> bytes:
    """The header block: its own hash first."""
    text = json.dumps(stated).encode().ljust(_HEADER - _HASH)
    return hashlib.sha256(text).hexdigest().encode() + text


def _parsed(block: bytes) -> dict[str, Any]:
    """What a header states. Raises :class:`_NotBelieved` unless it has its hash."""
    if len(block) < _HEADER or hashlib.sha256(block[_HASH:]).hexdigest().encode() != block[:_HASH]:
        raise _NotBelieved("its header is damaged, or of another version of Abapa")
    try:
        header = json.loads(block[_HASH:])
    except (ValueError, RecursionError) as error:
        raise _NotBelieved("its header is no JSON") from error
    if not isinstance(header, dict):
        raise _NotBelieved("its header is no JSON object")
    return header


def _write(file: BinaryIO, part: Part) -> str:
    digest = hashlib.sha256()
    for piece in part.pieces():
        digest.update(piece.data)
        file.write(piece.data)
    return digest.hexdigest()


def _hash(file: BinaryIO, part: Part, *, fill: bool = False) -> str:
    """The hash of the next part in a file; with ``fill`` the part is filled as well."""
    digest = hashlib.sha256()
    for offset, piece in _pieces(file, part.size):
        digest.update(piece.data)
        if fill:
            part.fill(offset, piece)
    return digest.hexdigest()


def _pieces(file: BinaryIO, size: int, step: int = 1 << 24) -> Iterator[tuple[int, NDArray[np.uint8]]]:
    for offset in range(0, size, step):
        piece = np.frombuffer(file.read(min(step, size - offset)), np.uint8)
        if len(piece) < min(step, size - offset):
            raise _NotBelieved("it is cut short")
        yield offset, piece
