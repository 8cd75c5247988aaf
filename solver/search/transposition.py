"""The transposition table: what was found out about a position, 16 or 32 bytes an entry, shared by all threads.

An entry is two words, ``key ^ data`` and ``data``; a reader accepts it when the two give back the key, so an entry torn
by two threads writing at once is simply not found (R. Hyatt and T. Mann, A lock-less transposition table, 2002). Four
entries make a bucket, one cache line.

A game of many positions has *wide* entries of four words, ``key ^ data``, ``data``, one unused and ``check ^ data``,
two a bucket: all 128 bits of key and check decide whether an entry is the position's. A table serves one kind or the
other.

The bits of ``data``, from the lowest:

====== ====================================================================================================
bits   what
====== ====================================================================================================
0-11   score (all three are stored plus 2048)
12-23  low: the value is proven to be at least this
24-35  high: and at most this
36-43  depth searched
44-51  best move + 1, 0 for none
52-53  what the score is: 1 at least, 2 at most, 3 both
54-59  age: the number of the search that wrote it, modulo 64
====== ====================================================================================================

Score and depth are a search's estimate; low and high are facts about the position, whatever the depth.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from solver.errors import AbapaError
from solver.kernels.compile import inline_kernel
from solver.kernels.intrinsics import load_uint64, store_uint64

AT_LEAST, AT_MOST, BOTH = 1, 2, 3
ENTRY_BYTES, BUCKET_ENTRIES = 16, 4
WIDE_BYTES, WIDE_ENTRIES = 32, 2
MAX_MIB = 1 << 18
"""256 GiB, 2^32 buckets: the half of a key that indexes them tells no more apart (see :func:`bucket_address`)."""

_PAGE = 4096  # bytes; larger pages are written as well
_MOST_AT_ONCE = 256  # MiB
_OFFSET = 2048
_FIELD = np.uint64(0xFFF)
_BYTE = np.uint64(0xFF)


@cache
def largest_mib() -> int:
    """The largest table in MiB: the memory available when this was first asked, and no more than MAX_MIB."""
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
    except (AttributeError, OSError, ValueError):  # a system that does not say
        memory = MAX_MIB
    with suppress(OSError, ValueError, StopIteration):
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        available = next(line for line in lines if line.startswith("MemAvailable:"))
        memory = min(memory, int(available.split()[1]) >> 10)
    with suppress(OSError, ValueError):  # a container's limit; "max" is none
        group = Path("/sys/fs/cgroup")
        room = int((group / "memory.max").read_text()) - int((group / "memory.current").read_text())
        memory = min(memory, room >> 20)
    return min(max(memory, 1), MAX_MIB)


def had_at_once(mib: int) -> bool:
    """Whether a table of ``mib`` MiB takes all of its memory at once: only small ones do.

    A large page is had when it is first written: in a quarter of a millisecond, on a virtual machine in several. All
    pages of 4 GiB take seconds then. So a search that may meet new pages node by node looks at the clock more often.
    """
    return mib <= _MOST_AT_ONCE


def allocate(mib: int) -> NDArray[np.uint64]:
    """An empty table of ``mib`` MiB: uint64[buckets, 8], each bucket on a cache line of its own.

    Raises AbapaError for a size outside 1..:func:`largest_mib`, or more memory than can be had.
    """
    if not 1 <= mib <= (most := largest_mib()):
        raise AbapaError(f"a transposition table of {mib} MiB: accepted are 1 to {most}")
    words = (mib << 20) // 8
    try:
        memory = np.zeros(words + 8, np.uint64)
    except MemoryError as error:
        raise AbapaError(f"no memory for a transposition table of {mib} MiB: ask for less") from error
    if had_at_once(mib):
        memory[:: _PAGE // 8] = 0
    start = (-memory.ctypes.data // 8) % 8
    return memory[start : start + words].reshape(-1, 8)


@inline_kernel
def pack_entry(score, low, high, depth, move, kind, age):
    """The data word; ``move`` is -1 for none, all but ``age`` (uint64) are int64."""
    return (
        np.uint64(score + _OFFSET)
        | (np.uint64(low + _OFFSET) << np.uint64(12))
        | (np.uint64(high + _OFFSET) << np.uint64(24))
        | (np.uint64(depth) << np.uint64(36))
        | (np.uint64(move + 1) << np.uint64(44))
        | (np.uint64(kind) << np.uint64(52))
        | (age << np.uint64(54))
    )


@inline_kernel
def entry_score(data):
    """The score of a data word, int64."""
    return np.int64(data & _FIELD) - _OFFSET


@inline_kernel
def entry_low(data):
    """The proven lower bound of a data word, int64."""
    return np.int64((data >> np.uint64(12)) & _FIELD) - _OFFSET


@inline_kernel
def entry_high(data):
    """The proven upper bound of a data word, int64."""
    return np.int64((data >> np.uint64(24)) & _FIELD) - _OFFSET


@inline_kernel
def entry_depth(data):
    """The depth of a data word, int64."""
    return np.int64((data >> np.uint64(36)) & _BYTE)


@inline_kernel
def entry_move(data):
    """The best move of a data word, int64, -1 for none."""
    return np.int64((data >> np.uint64(44)) & _BYTE) - 1


@inline_kernel
def entry_kind(data):
    """AT_LEAST, AT_MOST or BOTH."""
    return np.int64((data >> np.uint64(52)) & np.uint64(3))


@inline_kernel
def entry_age(data):
    """The age of a data word, uint64."""
    return (data >> np.uint64(54)) & np.uint64(63)


@inline_kernel
def bucket_address(entries, buckets, key):
    """Address of the bucket of a key: its upper half scaled to the number of buckets, of 64 bytes each."""
    return entries + ((((key >> np.uint64(32)) * buckets) >> np.uint64(32)) << np.uint64(6))


@inline_kernel
def _entry_bytes(wide):
    return np.uint64(WIDE_BYTES if wide else ENTRY_BYTES)


@inline_kernel
def _is_of(at, data, key, check, wide):
    """Whether the entry at an address, whose data word is ``data``, is whole and that of a position."""
    same = (load_uint64(at) ^ data) == key
    if wide:
        same &= (load_uint64(at + np.uint64(24)) ^ data) == check
    return same


@inline_kernel
def find(entries, buckets, key, check, wide):
    """The data word stored for a position, or 0. ``check`` counts in a table of ``wide`` entries only."""
    at = bucket_address(entries, buckets, key)
    for _ in range(WIDE_ENTRIES if wide else BUCKET_ENTRIES):
        data = load_uint64(at + np.uint64(8))
        if _is_of(at, data, key, check, wide) and data != np.uint64(0):
            return data
        at += _entry_bytes(wide)
    return np.uint64(0)


@inline_kernel
def store(entries, buckets, key, check, wide, data):
    """Write an entry over the same position's, or over the one of least worth: depth, less 8 for each search of age."""
    at = bucket_address(entries, buckets, key)
    age = entry_age(data)
    worst = np.int64(1 << 40)
    target = at
    for _ in range(WIDE_ENTRIES if wide else BUCKET_ENTRIES):
        old = load_uint64(at + np.uint64(8))
        if _is_of(at, old, key, check, wide) or old == np.uint64(0):
            target = at
            break
        worth = entry_depth(old) - 8 * np.int64((age - entry_age(old)) & np.uint64(63))
        if worth < worst:
            worst = worth
            target = at
        at += _entry_bytes(wide)
    store_uint64(target, key ^ data)
    store_uint64(target + np.uint64(8), data)
    if wide:
        store_uint64(target + np.uint64(24), check ^ data)


@inline_kernel
def tighten(entries, buckets, key, check, wide, low, high, age):
    """Add proven bounds to what is stored for a position, or store them alone, as no search's estimate."""
    old = find(entries, buckets, key, check, wide)
    if old == np.uint64(0):
        data = pack_entry(low, low, high, np.int64(1), np.int64(-1), np.int64(0), age)
    else:
        low, high = max(low, entry_low(old)), min(high, entry_high(old))
        score = min(max(entry_score(old), low), high)
        data = pack_entry(score, low, high, entry_depth(old), entry_move(old), entry_kind(old), age)
    store(entries, buckets, key, check, wide, data)
