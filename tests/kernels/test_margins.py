"""Margins in memory: one by one and eight at a time, against plain arithmetic on the bytes."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from solver.kernels.compile import kernel
from solver.kernels.intrinsics import RAISED, raise_bytes
from solver.kernels.margins import load_eight, load_margin


@kernel
def eight(address, index, bits, end):
    return load_eight(address, index, bits, end)


@kernel
def one(address, index, bits, window):
    return load_margin(address, index, bits, window)


@given(st.sampled_from([2, 3, 4, 8]), st.binary(min_size=12, max_size=40), st.data())
def test_eight_are_what_the_bytes_say(bits: int, stored: bytes, data: st.DataObject) -> None:
    """Also at the end, where what lies beyond counts as 0."""
    memory = np.frombuffer(stored + bytes(range(200, 216)), np.uint8).copy()
    numbers = len(stored) * 8 // bits
    index = data.draw(st.integers(0, numbers - 1))
    whole = int.from_bytes(stored, "little")
    expected = [whole >> (bits * (index + k)) & ((1 << bits) - 1) for k in range(8)]
    start = np.uint64(memory.ctypes.data)
    assert list(int(eight(start, index, bits, start + np.uint64(len(stored)))).to_bytes(8, "little")) == expected
    window = 0 if bits == 8 else data.draw(st.integers(0, (1 << bits) - 1))
    margin = expected[0] - window if bits < 8 else (expected[0] + 128) % 256 - 128
    assert one(start, index, bits, window) == margin


@kernel
def raised(array, index, others, place):
    raise_bytes(array, index, others, place)


@given(st.integers(0, 4), st.integers(0, 4), st.integers(0, 1 << 32))
def test_bytes_are_raised_to_larger_ones(index: int, place: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    array, others = (generator.integers(0, 256, 2 * RAISED, np.uint8) for _ in range(2))
    expected = array.copy()
    here = slice(8 * index, 8 * index + RAISED)
    expected[here] = np.maximum(array[here], others[8 * place : 8 * place + RAISED])
    raised(array.view(np.uint64), np.uint64(index), others.view(np.uint64), np.uint64(place))
    assert (array == expected).all()
