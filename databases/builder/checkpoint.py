"""Checkpoints inside a tier: the state between two stages on the disk, so that a killed build loses little.

Between stages no board waits, so the state of the tier and the next margin are all there is to keep. A checkpoint is
written beside and renamed, carries the hash of each part and of the sources that wrote it, and is believed only if
everything fits. It is written when it costs little of the time since the last one: never in tiers of seconds.
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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solver.errors import AbapaError
from solver.kernels.compile import source_hash
from solver.oware.rules import Rules

SHARE = 0.03
"""The most of the time since the last checkpoint that one may cost."""
FIRST_SPEED = 5e8
"""Bytes per second that are counted on before the first checkpoint has been timed."""
FORMAT = "abapa-checkpoint 1"
_HEADER = 4096


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


@dataclass
class Checkpoint:
    """The checkpoint file of one tier. ``share`` is :data:`SHARE`, or more in tests; 0 keeps none.

    ``phase`` names what is under way (``value``, ``bounds``, and in which form): only a state of the same is taken up.
    """

    folder: Path
    rules: Rules
    seeds: int
    share: float = SHARE
    speed: float = FIRST_SPEED
    last: float = field(default_factory=time.monotonic)

    @property
    def path(self) -> Path:
        """Where it lies."""
        return self.folder / f"{self.rules.id}-{self.seeds:02d}.checkpoint"

    def worth(self, parts: list[Part]) -> bool:
        """Whether enough time has passed since the last one."""
        cost = sum(part.size for part in parts) / self.speed
        return self.share > 0 and cost <= self.share * (time.monotonic() - self.last)

    def save(self, phase: str, margin: int, parts: list[Part]) -> None:
        """Keep the state, with ``margin`` as the next stage. Raises AbapaError if the disk refuses; nothing is lost."""
        start, part_path = time.monotonic(), self.path.with_name(self.path.name + ".part")
        try:
            with part_path.open("wb") as file:
                file.write(b" " * _HEADER)
                hashes = [_write(file, part) for part in parts]
                file.seek(0)
                file.write(json.dumps({**self._tags(phase, parts), "margin": margin, "hashes": hashes}).encode())
                file.flush()
                os.fsync(file.fileno())
            part_path.rename(self.path)
        except BaseException as error:
            with suppress(OSError):
                part_path.unlink(missing_ok=True)
            if not isinstance(error, OSError):
                raise
            raise AbapaError(
                f"cannot write the checkpoint {self.path}: {error.strerror or error}; finished tiers are intact, free "
                "some space and build again, or build with --checkpoint never"
            ) from error
        self.last = time.monotonic()
        self.speed = sum(part.size for part in parts) / max(self.last - start, 1e-3)

    def restore(self, phase: str, parts: list[Part]) -> int | None:
        """Fill ``parts`` from the file and return the next margin; None, and nothing filled, if there is no file or it
        is of another build, cut short or damaged.
        """
        try:
            with self.path.open("rb") as file:
                header = json.loads(file.read(_HEADER))
                tags = self._tags(phase, parts)
                if {key: header.get(key) for key in tags} != tags:
                    return None
                if [_hash(file, part.size) for part in parts] != header["hashes"]:
                    return None
                file.seek(_HEADER)
                for part in parts:
                    for offset, piece in _pieces(file, part.size):
                        part.fill(offset, piece)
                return int(header["margin"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def remove(self) -> None:
        """The tier is finished: forget it."""
        with suppress(OSError):
            self.path.unlink(missing_ok=True)

    def _tags(self, phase: str, parts: list[Part]) -> dict[str, Any]:
        sizes = [part.size for part in parts]
        tags = {"format": FORMAT, "rules": self.rules.id, "seeds": self.seeds, "phase": phase, "sizes": sizes}
        return {**tags, "sources": source_hash()}


def _write(file: Any, part: Part) -> str:
    digest = hashlib.sha256()
    for piece in part.pieces():
        digest.update(piece.data)
        file.write(piece.data)
    return digest.hexdigest()


def _hash(file: Any, size: int) -> str:
    digest = hashlib.sha256()
    for _, piece in _pieces(file, size):
        digest.update(piece.data)
    return digest.hexdigest()


def _pieces(file: Any, size: int, step: int = 1 << 24) -> Iterator[tuple[int, NDArray[np.uint8]]]:
    for offset in range(0, size, step):
        piece = np.frombuffer(file.read(min(step, size - offset)), np.uint8)
        if len(piece) < min(step, size - offset):
            raise ValueError("the file is cut short")
        yield offset, piece
