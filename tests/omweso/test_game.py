"""Omweso in the search: equal to plain minimax on the reference's turns, exact on solved boards, always in time."""

from __future__ import annotations

import random
import time
from dataclasses import replace

import numpy as np
import pytest

from databases.omweso.levels import DRAWN
from databases.omweso.solve import solve_small
from databases.tiers import board_at
from solver.kernels.compile import kernel
from solver.omweso.game import (
    ESTIMATE_LIMIT,
    WON,
    OmwesoGame,
    plies_to_end,
    score_text,
)
from solver.omweso.kernels import PRACTICAL_LAPS
from solver.omweso.match import Okutema, Scoring, _cuts, score_turn
from solver.omweso.position import OmwesoPosition
from solver.omweso.rules import TOURNAMENT, Endless, OmwesoRules, Reverse
from solver.omweso.setups import CLASSIC
from solver.search.game import generate
from solver.search.limits import Limits
from solver.search.searcher import Searcher
from solver.search.worker import new_worker
from tests.conformance import load
from tests.omweso.plain_network import plain_estimate

RULES = [
    TOURNAMENT,
    OmwesoRules(reverse=Reverse.RWANDA, reverse_fwd_reentry=True),
    OmwesoRules(endless=Endless.MOVER_LOSES, decline_capture=True, lap_cap=30),
    OmwesoRules(endless=Endless.ILLEGAL, reverse=Reverse.OFF, lap_cap=12),
    OmwesoRules(columns=3, first_turn_capture=True),
]


def random_positions(rules: OmwesoRules, count: int, seed: int = 1) -> list[OmwesoPosition]:
    """Positions on the way through random games from random set-ups, first turns and fresh ones among them."""
    rng = random.Random(seed)
    game = OmwesoGame(rules)
    found: list[OmwesoPosition] = []
    while len(found) < count:
        south, north = [0] * rules.pits, [0] * rules.pits
        for _ in range(4 * rules.columns):
            south[rng.randrange(rules.pits)] += 1
            north[rng.randrange(rules.pits)] += 1
        position = OmwesoPosition.start(south, north, rules)
        for _ in range(rng.randrange(12)):
            codes = game.legal(position)
            if not codes:
                break
            position = replace(game.play(position, rng.choice(codes)), past=())
        if game.legal(position):
            found.append(position)
    return found


# -- plain answers ----------------------------------------------------------------------------------------------------


def plain_minimax(
    position: OmwesoPosition, depth: int, path: tuple[object, ...] = (), okutema: Okutema = Okutema.OFF
) -> int:
    """The score at a depth; an only turn does not count as a ply, and who cuts has won."""
    if position.voided:
        return WON if position.rules.endless is Endless.MOVER_LOSES else 0
    if position._key in path:
        return 0
    if depth <= 0:
        return plain_estimate(position) if max(position.side) >= 2 else -WON
    if not position.turns:
        return -WON
    children = {}
    for turn in position.turns:
        child = replace(position.after(turn), past=())
        ends = {position.rules.columns, position.rules.pits - 1}
        if turn.ends and turn.captures and _cuts(turn, ends, position.rules.columns, okutema):
            children["won"] = None
        else:
            children[child._key if turn.ends else None] = child
    best = -(10**6)
    for child in children.values():
        below = depth - 1 + (len(children) == 1)
        score = WON if child is None else -plain_minimax(child, below, (*path, position._key), okutema)
        if abs(score) > ESTIMATE_LIMIT:
            score -= 1 if score > 0 else -1
        best = max(best, score)
    return best


@pytest.mark.parametrize("rules", RULES, ids=str)
@pytest.mark.parametrize("hash_mib", [0, 1])
def test_a_score_is_the_minimax_value_of_its_depth(rules: OmwesoRules, hash_mib: int) -> None:
    searcher = Searcher(OmwesoGame(rules), hash_mib=hash_mib)
    for position in random_positions(rules, 12):
        if len(position.turns) > 14:
            continue
        for report in searcher.reports(position, Limits(depth=2, same_depth=True)):
            assert report.best.score == plain_minimax(position, report.depth), position.text


@pytest.mark.parametrize("okutema", Okutema)
def test_okutema_ends_the_game(okutema: Okutema) -> None:
    """In the search and in the codes of its moves."""
    searcher = Searcher(OmwesoGame(TOURNAMENT, okutema=okutema), hash_mib=1)
    won = 0
    for position in random_positions(TOURNAMENT, 60, seed=5):
        if len(position.turns) > 12:
            continue
        report = searcher.search(position, Limits(depth=2, same_depth=True))
        assert report.best.score == plain_minimax(position, 2, okutema=okutema), position.text
        if report.best.score == WON - 1:
            turn = position.find(searcher.game.name(position, report.best.moves[0]))
            child = position.after(turn)
            name = score_turn(position, turn, Scoring(okutema=okutema), (0, 0))
            assert name in ("okutema", "akawumbi") or not child.turns
            won += name == "okutema"
    assert (won > 0) == (okutema is not Okutema.OFF)


# -- solved boards ----------------------------------------------------------------------------------------------------


def test_wins_on_a_solved_board_are_found_to_the_ply() -> None:
    rules = OmwesoRules(columns=2, okukoneeza=False)
    board = solve_small(rules, 10)
    searcher = Searcher(OmwesoGame(rules), hash_mib=4)
    rng = np.random.default_rng(3)
    seen = set()
    for index in rng.integers(0, len(board.settled), 150).tolist():
        pits = board_at(rules.pits, 10, index)
        position = OmwesoPosition(pits[: rules.pits], pits[rules.pits :], rules)
        plies = int(board.settled[index])
        if plies == 0:
            assert position.turns == ()
            continue
        searcher.clear()
        report = searcher.search(position, Limits(depth=24))
        if plies == DRAWN:
            assert plies_to_end(report.best.score) is None
        else:
            assert report.best.score == (WON - plies if plies % 2 else plies - WON), position.text
        seen.add(plies)
    assert len(seen) > 4


# -- limits -----------------------------------------------------------------------------------------------------------


def test_an_answer_within_the_time_of_the_blitz_whatever_the_laps() -> None:
    """Boards full of endless turns, too."""
    searcher = Searcher(OmwesoGame(TOURNAMENT), hash_mib=1)
    boards = [tuple(case["side"]) for case in load("omweso/endless_positions.json")["positions"][::400]]
    heavy = (1, 4, 1, 2, 1, 2, 3, 4, 1, 2, 7, 2, 0, 22, 8, 0)  # a cycle of 354,149,681 laps after two from pit 9
    sides = [*((side, other) for side in boards for other in boards[:2]), (heavy, (0, 1) * 8), (heavy, heavy[::-1])]
    sides += [(side, other) for side in HEAVY for other in HEAVY]
    for side, opponent in sides:
        position = OmwesoPosition(side, opponent)
        if not searcher.game.legal(position):
            continue
        began = time.perf_counter()
        report = searcher.search(position, Limits(seconds=0.2))
        assert report.best.moves
        assert time.perf_counter() - began < 2.8


HEAVY = (
    (3, 0, 7, 6, 5, 6, 2, 3, 0, 3, 0, 4, 0, 4, 1, 2),
    (5, 0, 3, 2, 2, 8, 2, 8, 2, 1, 3, 4, 1, 0, 5, 0),
    (7, 1, 3, 2, 3, 4, 3, 2, 2, 5, 0, 10, 0, 1, 2, 1),
    (8, 0, 6, 5, 2, 6, 2, 3, 2, 1, 2, 4, 0, 2, 3, 0),
)
"""Sides with a turn of more than 10,000 laps, from a scan of random ones."""


def heavy_positions() -> list[OmwesoPosition]:
    """Positions with a turn that only the lap limit ends, whoever moves; there is nothing to capture."""
    return [OmwesoPosition(side, (2, 0, 2, 0, 2, 0, 2, 0, *[0] * 8)) for side in HEAVY]


@pytest.mark.parametrize("limits", [Limits(seconds=1e-9), Limits(nodes=1), Limits(seconds=0.004)], ids=str)
def test_a_starved_search_has_an_answer_all_the_same(limits: Limits, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine far too slow for its clock: a legal turn, and without waiting for another thread to run."""

    def refuse(threads: int) -> None:
        raise AssertionError("a short search handed over to another thread")

    monkeypatch.setattr("solver.search.searcher.ThreadPoolExecutor", refuse)
    searcher = Searcher(OmwesoGame(TOURNAMENT), hash_mib=1)
    for position in (*heavy_positions(), *random_positions(TOURNAMENT, 20)):
        report = searcher.search(position, limits)
        assert report.best.moves[0] in searcher.game.legal(position)
        assert report.nodes > 0


def test_the_clock_ends_a_search_that_nothing_else_ends() -> None:
    """Nobody but the kernel itself looks at the time."""
    searcher = Searcher(OmwesoGame(TOURNAMENT), hash_mib=1)
    position = OmwesoPosition.start(CLASSIC["all-two"], CLASSIC["all-two"])
    for seconds in (0.05, 0.5):  # on the caller's thread, and on one of the pool
        report = searcher.search(position, Limits(seconds=seconds))
        assert report.depth > 1 and report.seconds >= seconds
        assert seconds <= report.seconds < 100 * seconds


@kernel
def generated(game, worker):
    return generate(game, worker, np.int64(0))


def test_laps_count_as_work() -> None:
    """The next look at the clock comes nearer where turns take thousands of laps, else by a node at a time."""
    game, worker = OmwesoGame(TOURNAMENT), new_worker()
    for position in heavy_positions():
        laps = sum(turn.laps for turn in game._generator.turns(position))
        assert laps >= PRACTICAL_LAPS
        worker[0]["patience"] = 0
        game.place(position, worker)
        generated(game.kernels, worker[0])
        assert -worker[0]["patience"] >= laps // 64 - 16
    for position in random_positions(TOURNAMENT, 20):
        if sum(turn.laps for turn in position.turns) < 64:
            worker[0]["patience"] = 0
            game.place(position, worker)
            generated(game.kernels, worker[0])
            assert worker[0]["patience"] == 0


def test_move_codes_name_the_turns() -> None:
    game = OmwesoGame(TOURNAMENT)
    position = OmwesoPosition.start(CLASSIC["seventeen-six-threes"], CLASSIC["all-two"])
    names = [game.name(position, code) for code in game.legal(position)]
    assert names == ["j", "p", "g", "e", "c", "g*", "e*", "c*"]
    after = game.play(position, names.index("c*"))
    assert after.fresh and after.opponent == position.find("c*").side


def test_a_position_of_the_game_is_not_walked_into_again() -> None:
    """The score of a turn back to a position of the game is a draw's."""
    position = OmwesoPosition.start(CLASSIC["all-two"], CLASSIC["all-two"])
    game = OmwesoGame(TOURNAMENT)
    child = game.play(position, 0)
    barred = replace(position, past=(replace(child, past=()),))
    report = Searcher(game, hash_mib=0).search(barred, Limits(depth=1), multipv=len(game.legal(position)))
    scores = {line.moves[0]: line.score for line in report.lines}
    assert scores[0] == 0
    assert all(score != 0 for code, score in scores.items() if code != 0)


def test_scores_as_text() -> None:
    assert [score_text(score) for score in (WON - 7, 4 - WON, 26, -8)] == ["won in 7", "lost in 4", "+3.2", "-1.0"]
