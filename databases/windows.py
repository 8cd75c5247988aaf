"""Windows: how far the margins of a tier need to be known in one game, and how few bits they then take.

A game that begins with N seeds and has n left has N - n in the stores. So its winner is known once the margin still to
come is known from -W to W, where W = N - n + 1 and W itself means *W or more* (the seeds that a lead of N - n cannot
make up for). Tables cut to the windows of one game are a closed family: a capture of c seeds needs the child's margin
only up to W + c, and that is the window of the tier it leads to. Tiers whose window is n or more are full. No capture
takes one seed, so tier N - 1 does not come up.

A number in a window of up to 7 takes 2, 3 or 4 bits: margin + W, little-endian, board i at bits i * b .. i * b + b - 1
of its quantity (:func:`~solver.kernels.margins.load_margin`); one byte follows that is never used, so that a reader may
always take two. A number in a wider window
takes a byte, as in a full table. Margins are in seeds from the mover's view. Files are left to
:mod:`databases.files`, building to :mod:`databases.builder`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from databases.tiers import MAX_SEEDS
from solver.errors import AbapaError
from solver.kernels.compile import inline_kernel, kernel
from solver.kernels.margins import load_margin

WHOLE = 127
"""The window of a full table: no margin lies outside."""
SPARE = 1
"""Bytes after the last number of a quantity whose numbers take less than a byte each."""


@dataclass(frozen=True)
class Game:
    """The tiers that a game of ``seeds`` seeds comes to, and how far each needs to be known.

    ``margin`` (1 or more) widens every window by ``margin - 1``: margins at the start that are smaller are exact.
    Raises :class:`~solver.errors.AbapaError` for what is no game.
    """

    seeds: int
    margin: int = 1

    def __post_init__(self) -> None:
        if not 0 <= self.seeds <= MAX_SEEDS:
            raise AbapaError(f"a game of {self.seeds} seeds: accepted are 0 to {MAX_SEEDS}")
        if self.margin < 1:
            raise AbapaError(f"a margin of {self.margin}: accepted are 1 and more (1: who wins)")

    @property
    def tiers(self) -> tuple[int, ...]:
        """The tiers that it comes to, fewest seeds first."""
        return tuple(n for n in range(self.seeds + 1) if n != self.seeds - 1)

    def window(self, seeds: int) -> int:
        """The window of a tier: :data:`WHOLE` where it cuts nothing."""
        window = self.seeds - seeds + self.margin
        return WHOLE if window >= seeds else window


class Coding(NamedTuple):
    """How the margins of a table are coded: by ``bits`` each, from ``-window`` to ``window``."""

    bits: int
    window: int

    @classmethod
    def of(cls, window: int) -> Coding:
        """As few bits as 2 * window + 1 values take: 2, 3, 4, or a byte."""
        return cls(2 if window <= 1 else 3 if window <= 3 else 4 if window <= 7 else 8, window)

    @property
    def dense(self) -> bool:
        """Whether numbers take less than a byte."""
        return self.bits < 8

    def size(self, boards: int) -> int:
        """Bytes that so many numbers take."""
        return -(-boards * self.bits // 8) + SPARE if self.dense else boards

    def encode(self, margins: NDArray[np.int8]) -> NDArray[np.uint8]:
        """The bytes of margins, shape (k,) int8, without the spare one."""
        if not self.dense:
            return margins.view(np.uint8)
        out = np.zeros(-(-len(margins) * self.bits // 8), np.uint8)
        encode_margins(margins, self.bits, self.window, out)
        return out

    def read(self, stored: NDArray[np.uint8], index: int) -> int:
        """Margin number ``index`` of a quantity's bytes, the spare one included; of less than a byte each."""
        bit = index * self.bits
        pair = int(stored[bit >> 3]) | int(stored[(bit >> 3) + 1]) << 8
        return (pair >> (bit & 7)) % (1 << self.bits) - self.window

    def read_many(self, stored: NDArray[np.uint8], indexes: NDArray[np.int64]) -> NDArray[np.int8]:
        """The same of many, (k,) int8."""
        bit = indexes * self.bits
        pair = stored[bit >> 3] | stored[(bit >> 3) + 1].astype(np.int64) << 8
        return ((pair >> (bit & 7)) % (1 << self.bits) - self.window).astype(np.int8)

    def decode(self, stored: NDArray[np.uint8], boards: int) -> NDArray[np.int8]:
        """The first ``boards`` margins of bytes that begin with one."""
        if not self.dense:
            return stored[:boards].view(np.int8)
        out = np.empty(boards, np.int8)
        decode_margins(stored, self.bits, self.window, out)
        return out


class Decoder:
    """Decodes the margins of ``boards`` boards, whose bytes come in pieces of any length."""

    def __init__(self, coding: Coding, boards: int) -> None:
        self.coding, self.left = coding, boards
        self._rest = np.empty(0, np.uint8)

    def take(self, piece: memoryview) -> NDArray[np.int8]:
        """The margins of the next boards, as many as the bytes so far hold whole."""
        stored = np.frombuffer(piece, np.uint8)
        if len(self._rest):
            stored = np.concatenate([self._rest, stored])
        count = min(self.left, len(stored) * 8 // self.coding.bits)
        if count < self.left:
            count -= count % 8  # so that what is left begins at a byte
        self.left -= count
        self._rest = stored[count * self.coding.bits // 8 :].copy() if self.left else self._rest[:0]
        return self.coding.decode(stored, count)


def decoded(pieces: Iterable[memoryview], coding: Coding, boards: int) -> Iterator[NDArray[np.int8]]:
    """The margins of ``boards`` boards, piece by piece. Raises ValueError where bytes are missing."""
    decoder = Decoder(coding, boards)
    for piece in pieces:
        yield decoder.take(piece)
    if decoder.left:
        raise ValueError(f"the bytes of {decoder.left:,} numbers are missing")


FULL = Coding(8, WHOLE)
"""The coding of a full table."""


class Stored(NamedTuple):
    """A margin of each board of one tier, as they lie in memory: bytes (in a window with the spare one), and coding."""

    data: NDArray[np.uint8]
    coding: Coding


class StoredTiers(NamedTuple):
    """Where the margins of tiers 0..n are: address (uint64), bits per number and window (int64) of each, and the
    address after the last byte (uint64)."""

    address: NDArray[np.uint64]
    bits: NDArray[np.int64]
    window: NDArray[np.int64]
    end: NDArray[np.uint64]

    @classmethod
    def of(cls, values: Sequence[Stored]) -> StoredTiers:
        """Of tables that the caller keeps."""
        return cls(
            np.array([tier.data.ctypes.data for tier in values], np.uint64),
            np.array([tier.coding.bits for tier in values], np.int64),
            np.array([tier.coding.window for tier in values], np.int64),
            np.array([tier.data.ctypes.data + tier.data.nbytes for tier in values], np.uint64),
        )


@inline_kernel
def margin_of(tiers, seeds, index):
    """The margin of board ``index`` of the tier of ``seeds`` seeds, int64; ``tiers``: :class:`StoredTiers`."""
    return load_margin(tiers.address[seeds], index, tiers.bits[seeds], tiers.window[seeds])


@kernel
def encode_margins(margins, bits, window, out):
    """Write margins (int8, cut to the window) to bytes."""
    held, filled, at = np.uint64(0), np.uint64(0), np.uint64(0)
    for i in range(margins.shape[0]):
        held |= np.uint64(np.int64(margins[np.uint64(i)]) + window) << filled
        filled += np.uint64(bits)
        if filled >= np.uint64(8):
            out[at] = np.uint8(held & np.uint64(255))
            at += np.uint64(1)
            held >>= np.uint64(8)
            filled -= np.uint64(8)
    if filled:
        out[at] = np.uint8(held)


@kernel
def decode_margins(stored, bits, window, out):
    """Read as many margins as ``out`` (int8) has from bytes."""
    mask, last = (np.uint64(1) << np.uint64(bits)) - np.uint64(1), np.uint64(stored.shape[0] - 1)
    for i in range(out.shape[0]):
        bit = np.uint64(i) * np.uint64(bits)
        at = bit >> np.uint64(3)
        pair = np.uint64(stored[at]) | (np.uint64(stored[min(at + np.uint64(1), last)]) << np.uint64(8))
        out[np.uint64(i)] = np.int8(np.int64((pair >> (bit & np.uint64(7))) & mask) - window)
