"""The worker process that all hostile tests share, and the counts that they print at the end."""

from __future__ import annotations

from collections.abc import Iterator

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
