"""Ranks of half boards and places in a tier: bijections, in the order that the format document states."""

from __future__ import annotations

from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from databases.halfboards import half_count, half_firsts, list_halves, unrank_half
from databases.tiers import block_offsets, board_at, board_index, board_indexes, tier_size
from solver.errors import PositionError


def rank_by_definition(half: tuple[int, ...]) -> int:
    return sum(comb(sum(half[: i + 1]) + i, i + 1) for i in range(len(half) - 1))


@pytest.mark.parametrize("pits", range(1, 9))
def test_halves_are_listed_in_order_of_rank(pits: int) -> None:
    halves = list_halves(pits, 6)
    firsts = half_firsts(pits, 6)
    for k in range(7):
        block = [tuple(map(int, half)) for half in halves[firsts[k] : firsts[k + 1]]]
        assert len(block) == half_count(pits, k)
        assert all(sum(half) == k for half in block)
        assert [rank_by_definition(half) for half in block] == list(range(len(block)))
        assert [unrank_half(pits, k, rank) for rank in range(len(block))] == block


@pytest.mark.parametrize(("pits", "seeds"), [(1, 5), (2, 6), (3, 4), (6, 3)])
def test_every_board_has_a_place_of_its_own(pits: int, seeds: int) -> None:
    boards = [board for board in product(range(seeds + 1), repeat=2 * pits) if sum(board) == seeds]
    indexes = board_indexes(boards, pits, seeds)
    assert sorted(indexes.tolist()) == list(range(tier_size(pits, seeds)))
    assert block_offsets(pits, seeds)[-1] == tier_size(pits, seeds)
    assert [board_at(pits, seeds, index) for index in indexes] == boards


@given(st.integers(1, 8).flatmap(lambda pits: st.lists(st.integers(0, 9), min_size=2 * pits, max_size=2 * pits)))
def test_index_and_board_are_inverse(board: list[int]) -> None:
    index = board_index(tuple(board))
    assert board_at(len(board) // 2, sum(board), index) == tuple(board)
    assert board_indexes([board], len(board) // 2, sum(board)).tolist() == [index]


def test_tier_sizes_of_the_literature() -> None:
    assert tier_size(6, 12) == 1_352_078
    assert sum(tier_size(6, n) for n in range(25)) == comb(36, 12)


@pytest.mark.parametrize("boards", [[[1] * 11], [[2] + [0] * 11], [[-1, 2] + [0] * 10], [1] * 12])
def test_other_boards_are_refused(boards: list) -> None:
    with pytest.raises(PositionError):
        board_indexes(boards, 6, 1)
    with pytest.raises(IndexError):
        board_at(6, 1, 12)
    assert board_indexes(np.empty((0, 12), np.int8), 6, 1).shape == (0,)
