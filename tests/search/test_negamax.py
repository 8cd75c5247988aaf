"""The compiled search against plain minimax, with and without its tables, and what it calls exact."""

from __future__ import annotations

import pytest

from solver.oware.game import OwareGame
from solver.oware.position import Position
from solver.oware.rules import ABAPA, AWARI, Cycle, GrandSlam, Rules
from solver.search.limits import Limits
from solver.search.searcher import Report, Searcher
from tests.search.plain_search import evaluate, minimax, random_positions

EVERY_RULE = [Rules(slam, cycle) for slam in GrandSlam for cycle in Cycle]


@pytest.mark.parametrize("rules", EVERY_RULE, ids=str)
@pytest.mark.parametrize("hash_mib", [0, 1])
def test_a_score_is_the_minimax_value_of_its_depth(rules: Rules, hash_mib: int) -> None:
    searcher = Searcher(OwareGame(rules), hash_mib=hash_mib)
    for position in random_positions(12, 3, rules):
        for report in searcher.reports(position, Limits(depth=4, same_depth=True)):
            lead = position.stores[position.turn] - position.stores[1 - position.turn]
            assert report.best.score == minimax(position, report.depth) + lead, position.text


@pytest.mark.parametrize("pits", [1, 2, 3, 5, 8])
def test_other_sizes(pits: int) -> None:
    rules = Rules(pits=pits)
    searcher = Searcher(OwareGame(rules), hash_mib=1)
    for position in random_positions(8, 4, rules, (1, 24)):
        report = searcher.search(position, Limits(depth=3, same_depth=True))
        lead = position.stores[position.turn] - position.stores[1 - position.turn]
        assert report.best.score == minimax(position, report.depth) + lead, position.text


@pytest.mark.parametrize("rules", [ABAPA, AWARI], ids=str)
def test_with_and_without_the_transposition_table(rules: Rules) -> None:
    """At equal depth the table changes the work, never the score: 500 positions."""
    with_table, without = Searcher(OwareGame(rules), hash_mib=4), Searcher(OwareGame(rules), hash_mib=0)
    nodes = [0, 0]
    for position in random_positions(250, 5, rules):
        limits = Limits(depth=8, same_depth=True)
        ours, plain = with_table.search(position, limits), without.search(position, limits)
        assert ours.best.score == plain.best.score, position.text
        nodes[0] += ours.nodes
        nodes[1] += plain.nodes
    assert nodes[0] < nodes[1]


@pytest.mark.parametrize("rules", [ABAPA, AWARI], ids=str)
def test_a_search_does_not_depend_on_what_was_searched_before(rules: Rules) -> None:
    searcher = Searcher(OwareGame(rules), hash_mib=4)
    positions = random_positions(12, 6, rules)
    fresh = []
    for position in positions:
        searcher.clear()
        fresh.append(searcher.search(position, Limits(depth=9)))
    for position, first in reversed(list(zip(positions, fresh, strict=True))):
        searcher.clear()
        again = searcher.search(position, Limits(depth=9))
        assert (again.lines, again.nodes) == (first.lines, first.nodes)


def test_the_evaluation_is_what_its_weights_say() -> None:
    for position in random_positions(40, 7, ABAPA):
        searcher = Searcher(OwareGame(ABAPA), hash_mib=0)
        report = searcher.search(position, Limits(depth=1, same_depth=True))
        lead = position.stores[position.turn] - position.stores[1 - position.turn]
        assert report.best.score == minimax(position, 1) + lead
    assert evaluate(Position.start()) == 0


def test_ctrl_c_between_two_depths_keeps_what_was_found() -> None:
    searcher = Searcher(OwareGame(ABAPA), hash_mib=1)

    def press(report: Report) -> None:
        if report.depth == 3:
            raise KeyboardInterrupt

    report = searcher.search(Position.start(), Limits(depth=30), on_depth=press)
    assert report.depth == 3 and searcher.interrupted
    assert searcher.search(Position.start(), Limits(depth=4)).depth == 4
    assert not searcher.interrupted
