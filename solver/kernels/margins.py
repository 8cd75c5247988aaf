"""Margins as they lie in the memory of a table: a byte each, or two to four bits where a window makes them small.

How wide a window is, and what its ends mean, is left to :mod:`databases.windows`.
"""

from __future__ import annotations

import numpy as np

from solver.kernels.compile import inline_kernel
from solver.kernels.intrinsics import load_int8, load_uint16

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
