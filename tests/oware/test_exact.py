"""What the search calls proven, against tables: 2,000 positions of 10..16 seeds for each rule set."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from databases.tiers import board_at, board_index, tier_index, tier_size
from solver.errors import PositionError, RulesError
from solver.oware.game import OwareGame, Tier
from solver.oware.position import Position
from solver.oware.rules import ABAPA, AWARI, Cycle, GrandSlam, Rules
from solver.search.limits import Limits
from solver.search.searcher import Report, Searcher
from tests.oware.tabled_positions import FEWEST, MOST, positions, tables, truth


@pytest.mark.parametrize("rules", [AWARI, ABAPA], ids=str)
@pytest.mark.parametrize(
    ("fewer", "count", "nodes", "proven"),
    [(MOST, 500, 10_000, 1), (6, 500, 10_000, 10), (1, 1000, 10_000, 100)],
    ids=["without tables", "tables of 6 fewer", "tables of 1 fewer"],
)
def test_what_is_proven_is_true(rules: Rules, fewer: int, count: int, nodes: int, proven: int) -> None:
    """Proven bounds hold the table's; where they meet, they are its value. At least ``proven`` positions get so far."""
    searchers = {
        seeds: Searcher(OwareGame(rules, {n: tables(rules)[n] for n in range(seeds - fewer + 1)}), hash_mib=1)
        for seeds in range(FEWEST, MOST + 1)
    }
    exact = 0
    for position in positions(rules, count, fewer):
        report = searchers[position.seeds].search(position, Limits(depth=60, nodes=nodes))
        lower, upper = truth(position)
        assert report.low <= lower <= upper <= report.high, position.text
        assert report.low <= report.best.score <= report.high
        if report.exact:
            exact += 1
            assert report.best.score == lower == upper
            assert proves(position, report)
    assert exact >= proven


def proves(position: Position, report: Report) -> bool:
    """Whether the move that the search names has the value that it calls exact."""
    after = position.play(report.best.moves[0])
    gain = after.stores[0]
    if (result := after.result()) is not None and after.ending == "nomove":
        return result[0] - result[1] == report.best.score
    bare = Position(after.canonical, rules=position.rules)
    return gain - truth(bare)[1] == report.best.score


@pytest.mark.parametrize("rules", [AWARI, ABAPA], ids=str)
def test_with_the_root_in_the_tables_every_move_is_known_at_once(rules: Rules) -> None:
    searcher = Searcher(OwareGame(rules, tables(rules)), hash_mib=1)
    for position in positions(rules, 60, 1):
        report = searcher.search(position, Limits(depth=2), multipv=6)
        lower, upper = truth(position)
        assert (report.low, report.high) == (lower, upper)
        for line in report.lines:
            after = position.play(line.moves[0])
            if after.ending != "nomove":
                low, high = truth(Position(after.canonical, rules=rules))
                gain = after.stores[0]
                assert (line.low, line.high) == (gain - high, gain - low)
        if rules is AWARI:
            assert report.exact and report.depth == 1


def test_a_game_that_could_come_back_to_its_own_boards_is_never_called_exact_by_a_table() -> None:
    """Twelve seeds, F draws by the table; a game that was at the board after F already ends there instead."""
    rules = AWARI
    searcher = Searcher(OwareGame(rules, tables(rules)), hash_mib=1)
    start = Position((1,) * 12, rules=rules)
    fresh = searcher.search(start, Limits(depth=3), multipv=6)
    assert [line.score for line in fresh.lines] == [0, -1, -2, -2, -2, -8]
    assert fresh.exact
    after = start.play("E")
    with_history = Position(start.board, (0, 0), 0, rules, frozenset({(after.board, after.turn)}))
    report = searcher.search(with_history, Limits(depth=3), multipv=6)
    by_move = {line.moves[0]: line for line in report.lines}
    assert by_move[4].score == 0  # the board after E comes back: endless play, an even split
    assert not any(line.exact for line in report.lines if not start.play(line.moves[0]).stores[0])


def test_what_tables_promise_is_won() -> None:
    """Two engines with tables play awari boards out: the margin is the table's, and no win is lost by wandering."""
    searcher = Searcher(OwareGame(AWARI, tables(AWARI)), hash_mib=1)
    for start in positions(AWARI, 30, 7):
        searcher.clear()
        position, margin = start, 0.0
        while position.playable and (position.board, position.turn) not in position.seen:
            # Without stores there is no majority: the board is played to its end.
            position = replace(position, stores=(0, 0))
            code = searcher.choose(position, Limits(depth=4)).best.moves[0]
            position = searcher.game.play(position, code)
            margin += position.stores[0] - position.stores[1]
        if not position.playable:
            south, north = replace(position, stores=(0, 0)).result() or (0, 0)
            margin += south - north
        assert margin == truth(start)[0], start.text


@pytest.mark.parametrize("pits", [1, 2, 3, 4])
@pytest.mark.parametrize("rules", [Rules(slam, cycle) for slam in GrandSlam for cycle in Cycle
                                   if slam is not GrandSlam.WIN_ONLY], ids=str)  # fmt: skip
def test_small_boards_of_every_rule_set(rules: Rules, pits: int) -> None:
    rules = Rules(rules.grand_slam, rules.cycle, pits)
    known = tables(rules, 7)
    searcher = Searcher(OwareGame(rules, {n: tier for n, tier in known.items() if n < 4}), hash_mib=1)
    random = np.random.default_rng(pits)
    for _ in range(60):
        seeds = int(random.integers(1, 8))
        position = Position(board_at(pits, seeds, int(random.integers(tier_size(pits, seeds)))), rules=rules)
        if position.legal_moves():
            report = searcher.search(position, Limits(depth=40, nodes=3000))
            index = board_index(position.canonical)
            names = ("lower", "upper") if rules.has_bounds else ("value", "value")
            lower, upper = (int(known[seeds].arrays[name][index]) for name in names)
            assert report.low <= lower <= upper <= report.high, position.text


def test_tables_that_do_not_fit_are_refused() -> None:
    with pytest.raises(PositionError, match="expected int8"):
        OwareGame(AWARI, {2: Tier({"value": np.zeros(7, np.int8)}, tier_index(6, 2))})
    empty = {0: Tier({"value": np.zeros(1, np.int8)}, tier_index(6, 0))}
    with pytest.raises(PositionError, match="needs lower and upper"):
        OwareGame(ABAPA, empty)
    with pytest.raises(RulesError, match="depend on the stores"):
        OwareGame(Rules(GrandSlam.WIN_ONLY), empty)
