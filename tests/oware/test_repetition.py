"""Games whose own boards can come back: what tables promise of a fresh board must not be believed there.

On boards of few houses every line of the game is played out, the boards seen before it included, and the search with
tables is held against that.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from databases.tiers import board_at, tier_index, tier_size
from solver.oware.game import OwareGame, Tier
from solver.oware.position import Position
from solver.oware.rules import ABAPA, AWARI, Rules
from solver.search.limits import Limits
from solver.search.searcher import Searcher
from tests.databases.tables_in_memory import built


@cache
def tables(rules: Rules, seeds: int) -> dict[int, Tier]:
    quantities = built(rules, seeds, bounds=rules.has_bounds)
    names = ("value", "lower", "upper") if rules.has_bounds else ("value",)
    return {n: Tier({name: quantities[name][n] for name in names}, tier_index(rules.pits, n)) for n in range(seeds + 1)}


def bare(position: Position) -> Position:
    """The position without its stores: there is no majority, and the board is played to its end."""
    return replace(position, stores=(0, 0))


@cache
def played_out(position: Position) -> float:
    """The margin that the mover gets on the board, by every line of the game there is."""
    result = position.result()
    if result is not None:
        return (result[0] - result[1]) * (1 - 2 * position.turn)
    return max(worth(position, house) for house in position.legal_moves())


def worth(position: Position, house: int) -> float:
    """The margin of a move for who makes it."""
    after = position.play(house)
    return sum(after.stores) - played_out(bare(after))


def games_without_captures(rules: Rules, seeds: int, count: int, seed: int) -> list[Position]:
    """Positions in which games of random moves stood, some plies after the last capture."""
    random = np.random.default_rng(seed)
    found: list[Position] = []
    while len(found) < count:
        board = board_at(rules.pits, seeds, int(random.integers(tier_size(rules.pits, seeds))))
        position = Position(board, rules=rules)
        for _ in range(int(random.integers(1, 24))):
            quiet = [house for house in position.legal_moves() if not sum(position.play(house).stores)]
            quiet = [house for house in quiet if position.play(house).result() is None]
            if not quiet:
                break
            position = position.play(int(random.choice(quiet)))
        if len(position.seen) > 2 and position.result() is None:
            found.append(position)
    return found


@pytest.mark.parametrize("preset", [ABAPA, AWARI], ids=str)
def test_a_search_in_tables_sees_the_games_own_boards(preset: Rules) -> None:
    """The score is what the game gives with its history, and the move chosen gives it."""
    rules = Rules(preset.grand_slam, preset.cycle, pits=2)
    searcher = Searcher(OwareGame(rules, tables(rules, 4)), hash_mib=0)
    decided = 0
    for seeds in (3, 4):
        for position in games_without_captures(rules, seeds, 40, seeds):
            report = searcher.choose(position, Limits(nodes=50_000))
            if report.depth == 100 or report.nodes >= 50_000:
                continue  # never without a horizon
            true = played_out(position)
            assert report.best.score == true, position
            assert worth(position, report.best.moves[0] + position.turn * rules.pits) == true, position
            fresh = searcher.search(replace(position, seen=frozenset()), Limits(depth=20))
            decided += fresh.best.score != true
    assert decided >= 3


def test_a_forced_repetition_is_not_played_into() -> None:
    """A game of two programs: tables give both moves the same value, and after e the game comes back to lose 22-26."""
    position = Position.parse("1-2-1-0-0-0-0-1-3-1-0-0-17-22-S")
    for letter in "CcAeBbEdDcEeCdDeEfFaEdDeAcEbCdBcDeCdE":
        position = position.play(letter)
    searcher = Searcher(OwareGame(ABAPA, tables(ABAPA, 9)), hash_mib=16)
    report = searcher.choose(position, Limits(depth=24))
    assert position.line(report.best.moves)[0] == "f" and report.best.score == 4
    assert not report.exact
