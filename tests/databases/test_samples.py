"""Data sets: every board as likely as any other, numbers as the prober's, the same for the same seed."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from databases.prober import open_tables
from databases.samples import PIECE, grade, uniform_boards
from databases.tiers import tier_size
from solver.errors import AbapaError
from solver.oware.game import OwareGame
from solver.oware.position import Position
from solver.oware.rules import ABAPA, AWARI, Rules
from solver.oware.selfplay import boards_in_play
from solver.search.limits import Limits
from solver.search.searcher import Searcher
from tests.databases.table_files import write_tables


def test_every_board_is_as_likely() -> None:
    drawn = Counter(tuple(board) for piece in uniform_boards(2, range(1, 4), 34_000, 5) for board in piece.tolist())
    boards = sum(tier_size(2, n) for n in (1, 2, 3))
    assert boards == 34 and len(drawn) == boards
    expected = 34_000 / boards
    surprise = sum((count - expected) ** 2 / expected for count in drawn.values())
    assert surprise < 70  # chi-squared with 33 degrees of freedom: one in 5,000


def test_draws_are_reproducible_and_come_in_pieces() -> None:
    once, again = (list(uniform_boards(6, (7, 9), PIECE + 10, 3)) for _ in range(2))
    assert [len(piece) for piece in once] == [PIECE, 10]
    assert all((left == right).all() for left, right in zip(once, again, strict=True))
    assert set(np.concatenate(once).sum(axis=1).tolist()) == {7, 9}
    assert not (next(uniform_boards(6, (7, 9), 10, 4)) == once[0][:10]).all()


@pytest.mark.parametrize(
    ("rules", "quantities"),
    [
        (AWARI, ("value", "distance")),
        (ABAPA, ("value", "lower", "upper", "distance")),
        (Rules.parse("awari+pits=3"), ("value",)),
    ],
    ids=str,
)
def test_grades_are_the_probers(tmp_path: Path, rules: Rules, quantities: tuple[str, ...]) -> None:
    write_tables(tmp_path, rules, 7, quantities)
    with open_tables(tmp_path, rules) as tables:
        boards = np.concatenate(list(uniform_boards(rules.pits, range(8), 400, 1)))
        graded = grade(tables, boards)
        for k, board in enumerate(map(tuple, boards.tolist())):
            probe, moves = tables.probe(board), tables.moves(board)
            assert {name: int(numbers[k]) for name, numbers in graded.numbers.items()} == {
                name: getattr(probe, name) for name in quantities
            }
            assert graded.moves_of(k) == moves


def test_boards_of_play_occur_in_games_and_are_reproducible() -> None:
    searcher = Searcher(OwareGame(AWARI), hash_mib=1)
    start = Position.start(AWARI)
    once, again = (list(islice(boards_in_play(searcher, start, Limits(2), 4, range(8, 11), 3), 12)) for _ in range(2))
    assert once == again and len(set(once)) > 6
    assert all(8 <= sum(board) <= 10 for board in once)


def test_boards_that_never_occur() -> None:
    searcher = Searcher(OwareGame(AWARI), hash_mib=1)
    with pytest.raises(AbapaError, match="1,000 games reached no board of 47 to 47 seeds"):
        next(boards_in_play(searcher, Position.start(AWARI), Limits(1), 400, range(47, 48), 0))
