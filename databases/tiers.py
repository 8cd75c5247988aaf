"""Where a board lies in its tier, and which board lies where.

A *tier* is all canonical boards (mover's houses first) with n seeds: C(n + 2m - 1, 2m - 1) of them, stored as n + 1
blocks, one per a = 0..n seeds on the mover's side, each a row-major h(a) x h(n-a) matrix: the row is the rank of the
mover's half, the column the rank of the opponent's. Ranks come from :mod:`databases.halfboards`; what a table holds is
left to :mod:`databases.files`.
"""

from __future__ import annotations

from functools import cache
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from databases.halfboards import half_count, half_counts, half_rank, rank_half, rank_terms, unrank_half
from solver.errors import PositionError
from solver.kernels.compile import inline_kernel, kernel

INDEX_SCHEME = "two half boards, colexicographic by prefix sums"
MAX_SEEDS = 127
"""Values are int8: a margin of more seeds does not fit."""


def tier_size(pits: int, seeds: int) -> int:
    """The number of boards with ``seeds`` seeds, ``pits`` houses a side."""
    return comb(seeds + 2 * pits - 1, 2 * pits - 1)


@cache
def block_offsets(pits: int, seeds: int) -> NDArray[np.int64]:
    """Index of the first board with a seeds on the mover's side, a = 0..seeds + 1 (the last is the tier's size)."""
    counts = half_counts(pits, seeds)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts * counts[::-1])])
    offsets.setflags(write=False)
    return offsets


@cache
def offsets_of_tiers(pits: int, seeds: int) -> NDArray[np.int64]:
    """:func:`block_offsets` of tiers 0..seeds, a row for each, filled up with zeros; shape (seeds + 1, seeds + 2)."""
    offsets = np.zeros((seeds + 1, seeds + 2), np.int64)
    for n in range(seeds + 1):
        offsets[n, : n + 2] = block_offsets(pits, n)
    offsets.setflags(write=False)
    return offsets


class TierIndex(NamedTuple):
    """What :func:`index_in_tier` needs to know of one tier, for a search that has a look-up of its own."""

    terms: NDArray[np.int64]
    """From :func:`databases.halfboards.rank_terms`."""
    counts: NDArray[np.int64]
    """From :func:`databases.halfboards.half_counts`."""
    offsets: NDArray[np.int64]
    """From :func:`block_offsets`."""


def tier_index(pits: int, seeds: int) -> TierIndex:
    """The index of tier ``seeds``, ``pits`` houses a side."""
    return TierIndex(rank_terms(pits, seeds), half_counts(pits, seeds), block_offsets(pits, seeds))


@inline_kernel
def index_in_tier(board, start, pits, terms, counts, offsets, seeds):
    """Index of the canonical board ``board[start : start + 2 * pits]`` with ``seeds`` seeds in its tier, int64."""
    own = np.int64(0)
    for i in range(pits):
        own += np.int64(board[np.uint64(start + i)])
    row = rank_half(board, start, terms)
    column = rank_half(board, start + pits, terms)
    return offsets[np.uint64(own)] + row * counts[np.uint64(seeds - own)] + column


@kernel
def _indexes(boards, pits, terms, counts, offsets, seeds, out):
    flat = boards.ravel()
    for k in range(boards.shape[0]):
        out[k] = index_in_tier(flat, k * 2 * pits, pits, terms, counts, offsets, seeds)


def board_indexes(boards: ArrayLike, pits: int, seeds: int) -> NDArray[np.int64]:
    """Index in tier ``seeds`` of each canonical board; ``boards`` is integer, shape (k, 2 * pits); returns (k,) int64.

    Raises :class:`~solver.errors.PositionError` for a board of another size or seed count.
    """
    array = np.asarray(boards)
    if array.ndim != 2 or array.shape[1] != 2 * pits:
        raise PositionError(f"boards of shape {array.shape}: accepted is (k, {2 * pits})")
    if array.size and (array.min() < 0 or (array.sum(axis=1, dtype=np.int64) != seeds).any()):
        raise PositionError(f"a board does not hold {seeds} seeds in counts of 0 or more")
    out = np.empty(len(array), np.int64)
    terms, counts = rank_terms(pits, seeds), half_counts(pits, seeds)
    _indexes(np.ascontiguousarray(array, np.int16), pits, terms, counts, block_offsets(pits, seeds), seeds, out)
    return out


def board_index(board: tuple[int, ...]) -> int:
    """Index in its tier of one canonical board, mover's houses first (for one board, plain Python beats a kernel)."""
    pits, seeds = len(board) // 2, sum(board)
    own, opponent = board[:pits], board[pits:]
    row, column = half_rank(own), half_rank(opponent)
    return int(block_offsets(pits, seeds)[sum(own)]) + row * half_count(pits, sum(opponent)) + column


def board_at(pits: int, seeds: int, index: int) -> tuple[int, ...]:
    """The canonical board at an index of tier ``seeds``: the inverse of :func:`board_index`."""
    if not 0 <= index < tier_size(pits, seeds):
        raise IndexError(f"index {index}: tier {seeds} has {tier_size(pits, seeds)} boards")
    offsets = block_offsets(pits, seeds)
    own = int(np.searchsorted(offsets, index, side="right")) - 1
    row, column = divmod(index - int(offsets[own]), half_count(pits, seeds - own))
    return unrank_half(pits, own, row) + unrank_half(pits, seeds - own, column)
