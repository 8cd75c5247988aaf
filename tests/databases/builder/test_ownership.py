"""Who owns what of a shared tier: every row once, evenly; and which rows of a frontier a rank needs, by plain play."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from databases.builder.movetables import MoveTables
from databases.builder.ownership import cut_block, fill_up, group_work, shares_of, wanted_rows
from databases.builder.state import GROUP, Share, TierShape
from databases.halfboards import half_rank, unrank_half
from solver.oware.position import Position
from solver.oware.rules import AWARI, Rules

loads = st.lists(st.integers(0, 1000), min_size=1, max_size=9).map(lambda some: np.array(some, np.float64))


@given(loads, st.integers(0, 5000))
def test_filling_up_raises_the_smallest_first(before: np.ndarray, total: int) -> None:
    got = fill_up(before, total)
    after = before + got
    assert np.isclose(got.sum(), total) and (got >= 0).all()
    raised = got > 1e-9
    if raised.any():
        level = after[raised].max()
        assert np.allclose(after[raised], level) and (before[~raised] >= level - 1e-6).all()


@given(loads, st.lists(st.integers(1, 50), min_size=1, max_size=40))
def test_a_block_is_cut_whole(before: np.ndarray, work: list[int]) -> None:
    cuts = cut_block(np.array(work), before)
    assert cuts[0] == 0 and cuts[-1] == len(work) and (np.diff(cuts) >= 0).all() and len(cuts) == len(before) + 1


@pytest.mark.parametrize("ranks", [1, 2, 3, 7, 40])
@pytest.mark.parametrize("rules", [AWARI, Rules.parse("awari+pits=4")], ids=str)
def test_every_row_has_one_owner(rules: Rules, ranks: int) -> None:
    tables = MoveTables.build(rules, 10)
    for seeds in (0, 1, 5, 10):
        shares = shares_of(tables, seeds, ranks)
        counts = tables.counts[: seeds + 1]
        assert (shares[0].low == 0).all() and (shares[-1].high == counts).all()
        for one, other in pairwise(shares):
            assert (one.high == other.low).all() and (one.low <= one.high).all()
            assert ((one.high % GROUP == 0) | (one.high == counts)).all()
        shapes = [TierShape.of(rules.pits, seeds, tables.counts, tables.firsts, share=share) for share in shares]
        assert sum(shape.boards for shape in shapes) == shapes[0].all_boards
        for shape, share in zip(shapes, shares, strict=True):
            groups = list(zip(shape.group_block.tolist(), shape.group_first.tolist(), strict=True))
            rows = [min(first + GROUP, int(shape.counts[b])) - first for b, first in groups]
            assert sum(rows) == int(shape.owned.sum())
            assert all(share.low[b] <= first < share.high[b] for b, first in groups)


def test_the_work_is_shared_evenly() -> None:
    tables = MoveTables.build(AWARI, 16)
    boards = [
        TierShape.of(6, 16, tables.counts, tables.firsts, share=share).boards for share in shares_of(tables, 16, 4)
    ]
    assert max(boards) < 1.1 * np.mean(boards)


def test_the_work_of_groups() -> None:
    assert group_work(np.ones(130, np.int64)).tolist() == [64, 64, 2]


@pytest.mark.parametrize("ranks", [2, 3])
def test_wanted_rows_are_what_quiet_moves_lead_to(ranks: int) -> None:
    """Against the plain rules: play every quiet move of every board of 5 seeds whose opponent's half is an own row."""
    seeds, pits = 5, 4
    rules = Rules.parse("awari+pits=4")
    tables = MoveTables.build(rules, seeds)
    halves = [[unrank_half(pits, k, rank) for rank in range(int(tables.counts[k]))] for k in range(seeds + 1)]
    for share in shares_of(tables, seeds, ranks):
        expected = set()
        for b in range(seeds + 1):
            for other in halves[b][int(share.low[b]) : int(share.high[b])]:
                for own in halves[seeds - b]:
                    for move in Position(own + other, rules=rules).playable:
                        if not move.captured:
                            after = move.board[pits:]
                            expected.add(int(tables.firsts[sum(after)]) + half_rank(after))
        assert set(wanted_rows(tables, seeds, share).tolist()) >= expected
        assert isinstance(share, Share)
