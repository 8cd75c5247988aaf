"""Solved boards as files: read back, checked, asked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from databases.files.table import Table
from databases.halfboards import half_rank, unrank_half
from databases.omweso.setups import solve_starts
from databases.omweso.solve import SmallBoardError, solve_small
from databases.omweso.tables import SmallTables, load_small, save_small
from databases.tiers import tier_size
from solver.omweso.position import OmwesoPosition
from solver.omweso.rules import OmwesoRules


def test_tables_on_disk(tmp_path: Path) -> None:
    """What was solved is read back, checked as any table, and told, first turns included."""
    rules = OmwesoRules(columns=2)
    board = solve_small(rules, 6)
    assert load_small(tmp_path, rules, 6) is None
    paths = save_small(board, tmp_path, 1.0)
    assert [path.name for path in paths] == ["tournament+okukoneeza=off+columns=2-06.h5", "tournament+columns=2-06.h5"]
    for path in paths:
        with Table.open(path) as table:
            assert table.check() == []
            assert table.rules.pits == 4 and sum(table.histogram.values()) == tier_size(4, 6)
    again = load_small(tmp_path, rules, 6)
    assert again is not None
    assert np.array_equal(again.settled, board.settled) and np.array_equal(again.fresh, board.fresh)
    tables, starts = SmallTables(tmp_path, rules, 6), solve_starts(board)
    for row in range(len(starts)):
        first, second = unrank_half(4, 3, row), unrank_half(4, 3, (7 * row) % len(starts))
        assert half_rank(first) == row
        start = OmwesoPosition.start(first, second, rules)
        assert tables.plies(start) == starts[row, (7 * row) % len(starts)]
        for turn, plies in tables.turns(start):
            assert tables.plies(start.after(turn)) == plies
    with pytest.raises(SmallBoardError, match="the tables hold 6 seeds"):
        tables.plies(OmwesoPosition((1, 0, 0, 0), (1, 0, 0, 0), rules))
    with pytest.raises(SmallBoardError, match="build it with: abapa omweso solve"):
        SmallTables(tmp_path, rules, 7)
