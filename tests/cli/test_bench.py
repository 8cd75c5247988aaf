"""``abapa bench``: the signature of the search, and the comparison of two revisions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from solver.cli import abapa
from solver.errors import AbapaError
from solver.oware.benchmark import DEPTH, POSITIONS, run
from solver.oware.position import Position

SIGNATURE = 13_734_785
"""Nodes of ``abapa bench``. Change it only with a change of the search that is meant to change its play."""


def test_the_signature() -> None:
    outcome = run()
    assert (outcome.depth, outcome.nodes) == (DEPTH, SIGNATURE)


def test_the_positions_are_what_they_are_listed_as() -> None:
    texts = [text for kind in POSITIONS.values() for text in kind]
    assert len(texts) == len(set(texts)) == 40
    positions = {kind: [Position.parse(text) for text in found] for kind, found in POSITIONS.items()}
    assert all(position.legal_moves() and position.total == 48 for found in positions.values() for position in found)
    assert all(not any(position.row(1 - position.turn)) for position in positions["feeding"])
    assert all(max(position.board) >= 16 for position in positions["big house"])
    assert all(position.seeds <= 16 for position in positions["ending"])


def test_it_prints_a_line_a_position() -> None:
    result = CliRunner().invoke(abapa, ["bench", "--depth", "3"])
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) == 41
    total = sum(int(line.split()[0].replace(",", "")) for line in result.stdout.splitlines()[:-1])
    assert result.stdout.splitlines()[-1].startswith(f"{total:>12,}  nodes to depth 3 in ")


@pytest.mark.full
def test_comparing_with_a_revision() -> None:
    """For the deeper run: the other revision's search is compiled, as its files lie elsewhere."""
    if not (Path(__file__).parents[2] / ".git").exists():
        pytest.skip("not a git checkout")
    result = CliRunner().invoke(abapa, ["bench", "--depth", "3", "--compare", "HEAD", "--json"])
    assert result.exit_code == 0, result.exception
    found = json.loads(result.stdout)
    assert found["ref"] == "HEAD" and found["speed_ratio"] > 0
    assert found["there"]["depth"] == 3
    wrong = CliRunner().invoke(abapa, ["bench", "--compare", "no-such-revision"])
    assert isinstance(wrong.exception, AbapaError) and "no-such-revision" in str(wrong.exception)
