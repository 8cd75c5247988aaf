"""Ranks of packed half boards: as docs/format.md defines them, and as half boards are counted out."""

from __future__ import annotations

from itertools import product
from math import comb

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from solver.kernels.compile import kernel
from solver.kernels.ranks import row_rank, rows_rank

U = np.uint64


def rank_by_definition(half: tuple[int, ...]) -> int:
    return sum(comb(sum(half[: i + 1]) + i, i + 1) for i in range(len(half) - 1))


def terms(pits: int, seeds: int) -> np.ndarray:
    """Of every house and prefix sum; what the last house adds is not asked for, so it is nonsense here."""
    made = [[comb(sum_ + house, house + 1) for sum_ in range(seeds + 1)] for house in range(pits - 1)]
    return np.array([*made, [-1] * (seeds + 1)], np.int64)


def word(houses: tuple[int, ...]) -> np.uint64:
    return U(int.from_bytes(bytes(houses), "little"))


@kernel
def rank_in_one_word(row, terms):
    return row_rank(row, terms)


@kernel
def rank_in_two_words(outer, inner, columns, terms):
    return rows_rank(outer, inner, columns, terms)


def halves(most_pits: int, seeds: int) -> st.SearchStrategy[tuple[int, ...]]:
    """A half board of up to ``seeds`` seeds in all, of 1 to ``most_pits`` houses."""

    def between(cuts: list[int]) -> tuple[int, ...]:
        return tuple(after - before for before, after in zip([0, *sorted(cuts)], sorted(cuts), strict=False))

    return st.lists(st.integers(0, seeds), min_size=1, max_size=most_pits).map(between)


@given(halves(8, 255))
def test_a_row_of_any_size(half: tuple[int, ...]) -> None:
    assert rank_in_one_word(word(half), terms(len(half), 255)) == rank_by_definition(half)


@given(halves(8, 20).flatmap(lambda outer: st.tuples(st.just(outer), st.permutations(outer))), st.integers(0, 20))
def test_two_rows_of_any_size(rows: tuple[tuple[int, ...], list[int]], more: int) -> None:
    outer, inner = rows[0], (rows[1][0] + more, *rows[1][1:])
    made = terms(2 * len(outer), 60)
    ranked = rank_in_two_words(word(outer), word(inner), len(outer), made)
    assert ranked == rank_by_definition(outer + inner)


def test_half_boards_are_counted_out() -> None:
    """Every way to place six seeds in four pits has a rank of its own, in one word and in two."""
    made = terms(4, 6)
    found = [half for half in product(range(7), repeat=4) if sum(half) == 6]
    assert sorted(rank_in_one_word(word(half), made) for half in found) == list(range(comb(9, 3)))
    assert all(rank_in_two_words(word(half[:2]), word(half[2:]), 2, made) == rank_by_definition(half) for half in found)
