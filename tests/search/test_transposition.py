"""The memory of a transposition table: it is all there before the first search."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from solver.search.transposition import allocate

STATISTICS = Path("/proc/self/statm")


@pytest.mark.skipif(not STATISTICS.exists(), reason="this system does not tell how much memory a process uses")
def test_every_page_is_had_at_once() -> None:
    """A page is had when it is first written: a search that met new pages would be late."""

    def resident() -> int:
        return int(STATISTICS.read_text().split()[1]) * resource.getpagesize()

    before = resident()
    entries = allocate(256)
    assert resident() - before > 250 << 20
    assert entries.nbytes == 256 << 20 and not entries.any()
