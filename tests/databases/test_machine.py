"""What the machine gives, and what is refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from databases.machine import available_memory, check_threads, default_threads
from solver.errors import AbapaError


def test_available_memory_is_part_of_what_is_there() -> None:
    assert 0 < available_memory() <= os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def test_without_a_list_of_fields_all_memory_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("databases.machine.Path", lambda name: tmp_path / "missing")
    assert available_memory() == os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def test_more_threads_than_numba_has_are_refused() -> None:
    most = default_threads()
    check_threads(most)
    with pytest.raises(AbapaError, match=rf"{most + 1} threads: accepted are 1 to {most} on this machine"):
        check_threads(most + 1)
