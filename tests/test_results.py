"""docs/results.md against the commands it names: every row that is cheap enough to make again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.command_line import abapa
from tests.pages import DOCS

TEXT = (DOCS / "results.md").read_text()


def rows_after(heading: str) -> list[list[str]]:
    """The cells of the first table below a heading, its own headings first."""
    section = TEXT.split(f"## {heading}\n", 1)[1]
    table = re.search(r"^\|.*?\n(?!\|)", section + "\n", re.MULTILINE | re.DOTALL)
    assert table is not None
    return [cells(line) for line in table[0].splitlines() if not set(line) <= set("|-: ")]


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("results")


def test_awari_tiers(folder: Path) -> None:
    rows = rows_after("Awari, 0 to 24 seeds")
    assert [int(row[0]) for row in rows[1:]] == list(range(25))
    assert abapa("build", "--rules", "awari", "--seeds", "11", "--distance", "--tables", folder).code == 0
    made = abapa("stats", "--rules", "awari", "--full", "--markdown", "--tables", folder).out.splitlines()
    assert [cells(line) for line in made if "---" not in line] == rows[:13]


def test_abapa_tiers(folder: Path) -> None:
    rows = rows_after("Abapa: what can be said, and what not")
    assert [int(row[0]) for row in rows[1:]] == list(range(len(rows) - 1)) and len(rows) > 20
    assert abapa("build", "--seeds", "9", "--tables", folder).code == 0
    made = abapa("stats", "--full", "--markdown", "--tables", folder).out.splitlines()
    assert [cells(line) for line in made if "---" not in line] == rows[:11]


def test_small_boards(folder: Path) -> None:
    rows = rows_after("Awari on smaller and larger boards")
    seconds = rows[0].index("seconds")
    arguments = ["verify-draw", "--grid", "--limit", "2e5", "--per-pit", "1-6", "--markdown", "--tables", folder]
    made = [cells(line) for line in abapa(*arguments).out.splitlines() if "---" not in line]
    wanted = [row for row in rows if row[3] == "boards" or int(row[3].replace(",", "")) <= 200_000]
    assert len(made) == len(wanted) == 19
    for new, row in zip(made, wanted, strict=True):
        del new[seconds], row[seconds]
        assert new == row


def test_the_draw_of_twelve_seeds(folder: Path) -> None:
    ran = abapa("verify-draw", "--per-pit", "1", "--markdown", "--tables", folder)
    report = ran.out.split("### Tables", 1)[0]
    assert ran.code == 0 and report in TEXT
    hashes = re.findall(r"\b[0-9a-f]{64}\b", ran.out)
    assert len(hashes) == 13 and all(found in TEXT for found in hashes)


def test_statistics_of_a_tier(folder: Path) -> None:
    assert abapa("build", "--rules", "awari", "--seeds", "12", "--distance", "--tables", folder).code == 0
    made = abapa("stats", "--rules", "awari", "--seeds", "12", "--full", "--tables", folder).out
    assert made.split("\n\n", 1)[0] in TEXT
