"""``abapa perft``: counts, division by move, JSON, and bad input in one line."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner, Result

from solver.cli import abapa
from solver.errors import PositionError, RulesError


def run(*args: str) -> Result:
    return CliRunner().invoke(abapa, ["perft", *args])


def test_it_counts() -> None:
    result = run("4-4-4-4-4-4-4-4-4-4-4-4-0-0-S", "5")
    assert result.exit_code == 0
    assert result.stdout.startswith("5,219 leaves at depth 5 in ")


@pytest.mark.parametrize("bulk", ["--bulk", "--no-bulk"])
def test_division_adds_up(bulk: str) -> None:
    found = json.loads(run("start", "6", "--divide", "--json", bulk).stdout)
    assert list(found["moves"]) == list("ABCDEF")
    assert sum(found["moves"].values()) == found["leaves"] == 27332


def test_north_moves_are_lower_case_and_rules_count() -> None:
    text = "0-7-5-0-4-0-14-1-6-3-2-2-2-2-N"
    abapa_count = json.loads(run(text, "9", "--json").stdout)
    awari_count = json.loads(run(text, "9", "--json", "--rules", "awari", "--divide").stdout)
    assert (abapa_count["leaves"], awari_count["leaves"]) == (2013345, 2013294)
    assert set(awari_count["moves"]) == set("abcdef")
    assert awari_count["rules"] == "awari"


def test_a_finished_game_has_no_children() -> None:
    over = "0-1-0-0-0-0-0-0-0-0-0-0-30-17-S"
    assert json.loads(run(over, "1", "--json").stdout)["leaves"] == 0
    assert json.loads(run(over, "0", "--json").stdout)["leaves"] == 1


@pytest.mark.parametrize(
    ("args", "error"),
    [(["4 4 4", "3"], PositionError), (["start", "3", "--rules", "chess"], RulesError)],
)
def test_bad_input_is_named(args: list[str], error: type[Exception]) -> None:
    assert isinstance(run(*args).exception, error)
    assert run("start", "-1").exit_code == 2
