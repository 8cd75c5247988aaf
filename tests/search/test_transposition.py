"""The memory of a transposition table: all there before the first search, or page by page where it is large."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from solver.oware.game import OwareGame
from solver.oware.position import Position
from solver.oware.rules import AWARI
from solver.search.limits import Limits
from solver.search.searcher import Searcher
from solver.search.transposition import allocate, had_at_once, largest_mib

STATISTICS = Path("/proc/self/statm")


def resident() -> int:
    """Bytes of this process in memory."""
    if not STATISTICS.exists():
        pytest.skip("this system does not tell how much memory a process uses")
    return int(STATISTICS.read_text().split()[1]) * resource.getpagesize()


def test_every_page_is_had_at_once() -> None:
    """A page is had when it is first written: a search that met new pages would be late."""

    before = resident()
    entries = allocate(256)
    assert resident() - before > 250 << 20
    assert entries.nbytes == 256 << 20 and not entries.any()


def test_a_table_of_most_of_the_memory_takes_what_it_uses() -> None:
    """Neither making it nor clearing it writes all of it: what is there now may be needed by others then."""
    mib = largest_mib() * 3 // 4
    assert not had_at_once(mib) and had_at_once(64)
    before = resident()
    searcher = Searcher(OwareGame(AWARI), hash_mib=mib)
    searcher.search(Position.start(AWARI), Limits(nodes=200))
    searcher.clear()
    searcher.search(Position.start(AWARI), Limits(nodes=200))
    assert resident() - before < mib << 19  # half of it, where every node meets a page of 2 MiB
