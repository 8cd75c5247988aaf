"""The working state of a tier under construction: one 16-bit word a board, and how boards are shared out to threads.

A word holds the best margin that captures give (low byte, biased by 128, 0 = no capture) and the number of moves still
open (high byte). 0xFE in the high byte marks a board without a legal move, 0xFF a final one, whose low byte is the
value. So "no move open and best <= -s" is one comparison: word <= code(-s).

Words are *opponent-major*: block b = 0..n (seeds of the opponent's half B), row B, column A. All predecessors of the
boards (C, .) by one outcome then lie in one row. Finished tables are own-major; :mod:`databases.builder.transpose`
turns one into the other. Frontiers are own-major too: see :mod:`databases.builder.frontier`.

Threads take *groups* of 64 consecutive rows B: new final boards (A, B) of a group are whole words of row A of the next
frontier, so every word has one writer.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from databases.tiers import block_offsets
from solver.kernels.compile import inline_kernel

BIAS = 128
OPEN_MOVE = np.uint16(0x0100)
TERMINAL = np.uint16(0xFE00)
FINAL = np.uint16(0xFF00)
LOW = np.uint16(0x00FF)
GROUP = 64


class TierShape(NamedTuple):
    """Where everything of a tier with n seeds lies; int64 arrays over seed counts 0..n unless said otherwise."""

    counts: NDArray[np.int64]
    """h(k)."""
    firsts: NDArray[np.int64]
    """Id of the first half board with k seeds."""
    rows: NDArray[np.int64]
    """Start of state block b; one more than blocks. (Also the start of block a of the finished table.)"""
    words: NDArray[np.int64]
    """64-bit words that a bitmap over the halves with k seeds takes."""
    bits: NDArray[np.int64]
    """Start, in words, of frontier block c; one more than blocks."""
    group_block: NDArray[np.int64]
    """b of each group of 64 rows."""
    group_first: NDArray[np.int64]
    """Rank of the first B of each group."""

    @property
    def seeds(self) -> int:
        """n, the seeds on the board."""
        return len(self.counts) - 1

    @property
    def boards(self) -> int:
        """Boards of the tier."""
        return int(self.rows[-1])

    @classmethod
    def of(cls, pits: int, seeds: int, counts: NDArray[np.int64], firsts: NDArray[np.int64]) -> TierShape:
        """The shape of tier ``seeds``; ``counts`` and ``firsts`` may reach further."""
        counts, firsts = counts[: seeds + 1], firsts[: seeds + 2]
        words = (counts + GROUP - 1) // GROUP
        bits = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts * words[::-1])])
        return cls(
            np.ascontiguousarray(counts),
            np.ascontiguousarray(firsts),
            block_offsets(pits, seeds),
            words,
            bits,
            np.repeat(np.arange(seeds + 1), words),
            np.concatenate([np.arange(0, int(count), GROUP) for count in counts]),
        )


@inline_kernel
def code(margin):
    """Low byte of a word for a margin."""
    return np.uint16(margin + BIAS)


@inline_kernel
def settle_win(word, margin):
    """A child is lost for the opponent: (new word, 1 if the board became final with ``margin``)."""
    new = word < TERMINAL
    return (FINAL | code(margin) if new else word), np.uint64(new)


@inline_kernel
def settle_loss(word, margin):
    """One more move is known to lose ``margin`` at least: (new word, 1 if the board became final with -margin)."""
    live = word < TERMINAL
    left = np.uint16(word - OPEN_MOVE) if live else word
    new = live & (left <= code(-margin))
    return (FINAL | code(-margin) if new else left), np.uint64(new)
