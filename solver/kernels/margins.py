"""Margins as they lie in the memory of a table: a byte each, or two to four bits where a window makes them small.

Eight of them may be taken at once, as lanes of a word. How wide a window is, and what its ends mean, is left to
:mod:`databases.windows`.
"""

from __future__ import annotations

import numpy as np

from solver.kernels.compile import inline_kernel, kernel
from solver.kernels.intrinsics import load_int8, load_uint16, load_uint64
from solver.kernels.lanes import spread_numbers

BYTE = 8
"""Bits of a margin that takes a whole byte, signed; one of fewer bits is stored as margin + window."""


@inline_kernel
def load_margin(address, index, bits, window):
    """Margin number ``index`` of those at ``address`` (uint64): int64.

    Margins of fewer than 8 bits lie one after the other from the lowest bit up; one byte after them may be read.
    """
    if bits == BYTE:
        return np.int64(load_int8(address + np.uint64(index)))
    bit = np.uint64(index) * np.uint64(bits)
    pair = np.uint64(load_uint16(address + (bit >> np.uint64(3))))
    return np.int64((pair >> (bit & np.uint64(7))) & ((np.uint64(1) << np.uint64(bits)) - np.uint64(1))) - window


@inline_kernel
def load_eight(address, index, bits, end):
    """Numbers ``index`` to ``index + 7`` of those at ``address`` as they are stored, lanes of a uint64 word.

    A byte is stored as such, a margin of fewer bits as margin + window. ``end``: the address (uint64) after the last
    byte that may be read; what lies beyond counts as 0.
    """
    wide = np.uint64(bits)
    bit = np.uint64(index) * wide
    at = address + (bit >> np.uint64(3))
    word = load_uint64(at) if at + np.uint64(8) <= end else load_last(at, end)
    return spread_numbers(word >> (bit & np.uint64(7)), wide)


@kernel
def load_last(at, end):
    """The word at an address, of the bytes before ``end`` alone."""
    word = np.uint64(0)
    for byte in range(min(np.uint64(8), max(end, at) - at)):
        word |= (np.uint64(load_int8(at + np.uint64(byte))) & np.uint64(255)) << np.uint64(8 * byte)
    return word
