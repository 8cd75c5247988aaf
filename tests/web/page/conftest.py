"""A browser and a server with small tables, for the tests of the page; skipped with the reason where there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from scripts import browser as browsing
from solver.oware.rules import ABAPA, AWARI
from tests.databases.table_files import write_tables

SEEDS = {AWARI: 7, ABAPA: 6}
"""The tables of the tests go up to here."""

Visit = Callable[..., Any]
"""Opens a page of the server: ``visit("?rules=awari", width=360)``; gives Playwright's page."""


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    write_tables(folder, AWARI, SEEDS[AWARI], ("value", "distance"))
    write_tables(folder, ABAPA, SEEDS[ABAPA], ("value", "lower", "upper"))
    return folder


@pytest.fixture(scope="package")
def chromium() -> Iterator[Any]:
    """A browser for the tests of this folder only: while Playwright runs, its event loop is this thread's."""
    reason = browsing.why_not()
    if reason:
        pytest.skip(reason)
    with browsing.chromium() as browser:
        yield browser


@pytest.fixture(scope="package")
def address(tables: Path, chromium: Any) -> Iterator[str]:
    with browsing.serving(tables) as (found, _):
        yield found


@pytest.fixture
def complaints() -> list[str]:
    """What the browser's console said; a test that wants an error takes it out."""
    return []


@pytest.fixture
def visit(chromium: Any, address: str, complaints: list[str]) -> Iterator[Visit]:
    """Opens pages, without motion unless asked for; at the end nothing may have been said on the console."""
    contexts = []

    def opened(
        query: str = "", *, at: str = address, width: int = 1280, height: int = 900, motion: bool = False, **more: Any
    ) -> Any:
        wish = "no-preference" if motion else "reduce"
        context = chromium.new_context(viewport={"width": width, "height": height}, reduced_motion=wish, **more)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(30_000)
        page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(f"{at}/{query}")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []
