"""Small tables of several rule sets, built once, and a client of the application over them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from databases.builder.build import build_tables
from databases.files.packing import pack
from databases.prober import open_tables
from solver.oware.rules import Rules
from solver.web.app import application
from solver.web.state import State
from tests.web.asking import LOCAL, TABLES


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables of :data:`TABLES`; the largest tier of ``abapa+pits=3`` is there packed only."""
    made = tmp_path_factory.mktemp("tables")
    for rules_id, seeds, distance in TABLES:
        build_tables(made, Rules.parse(rules_id), seeds, distance=distance, threads=1)
    with open_tables(made, Rules.parse("abapa+pits=3")) as tables:
        plain = tables.mapped[tables.seeds]
        pack(plain)
        plain.path.unlink()
    return made


@pytest.fixture
def state(folder: Path) -> Iterator[State]:
    """The server's state over these tables."""
    made = State(folder)
    yield made
    made.close()


@pytest.fixture
def client(state: State) -> Iterator[TestClient]:
    """A client of the application."""
    with TestClient(application(state), base_url=LOCAL) as asked:
        yield asked
