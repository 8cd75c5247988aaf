"""Folders of small tables."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.databases.files.small_tables import SMALL
from tests.databases.table_files import write_tables


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with awari of 3 houses, tiers 0..5."""
    folder = tmp_path_factory.mktemp("made")
    write_tables(folder, SMALL, 5, ("value", "distance"))
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A copy to damage."""
    return shutil.copytree(made, tmp_path / "tables")
