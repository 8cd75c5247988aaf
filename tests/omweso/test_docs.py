"""The session in docs/omweso.md is run."""

from __future__ import annotations

from tests.pages import DOCS, run_sessions


def test_the_page_runs() -> None:
    assert run_sessions(DOCS / "omweso.md") > 20
