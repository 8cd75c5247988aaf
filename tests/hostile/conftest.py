"""The worker process that all hostile tests share, and the counts that they print at the end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile.courier import OUTCOMES, TALLY, Worker


@pytest.fixture(scope="session")
def worker() -> Iterator[Worker]:
    """One process for all cases: importing numba takes longer than a hundred of them."""
    process = Worker()
    yield process
    process.close()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for kind, counts in TALLY.items():
        ends = ", ".join(f"{counts[outcome]:,} {outcome}" for outcome in OUTCOMES)
        terminalreporter.write_line(f"hostile: {sum(counts.values()):,} {kind}: {ends}")


FULL_SECONDS = 7200
"""Thousands of cases, or tens of builds flushed to the disk. What hangs is noticed case by case (courier.py)."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give the large parts of this folder the time that they take on a slow disk."""
    for item in items:
        if item.get_closest_marker("full") and Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.timeout(FULL_SECONDS))
