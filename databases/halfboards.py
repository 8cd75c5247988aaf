"""Half boards: every way to place seeds in one side's houses, and the rank of each.

A half board with k seeds in m houses is one of h(k) = C(k+m-1, m-1), numbered 0..h(k)-1 in colexicographic order by
prefix sums: rank(p) = sum over i = 0..m-2 of C(s_i + i, i + 1), s_i = p_0 + .. + p_i. All half boards of 0..N seeds,
smaller counts first, have one *id* each: id = first[k] + rank. What moves do to them is left to
:mod:`databases.builder.movetables`; how two halves make a board to :mod:`databases.tiers`.
"""

from __future__ import annotations

from functools import cache
from math import comb

import numpy as np
from numpy.typing import NDArray

from solver.kernels.compile import inline_kernel, kernel


def half_count(pits: int, seeds: int) -> int:
    """h(k): the number of ways to place ``seeds`` seeds in ``pits`` houses."""
    return comb(seeds + pits - 1, pits - 1)


@cache
def half_counts(pits: int, seeds: int) -> NDArray[np.int64]:
    """h(k) for k = 0..seeds, int64, shape (seeds + 1,)."""
    return _frozen([half_count(pits, k) for k in range(seeds + 1)])


@cache
def half_firsts(pits: int, seeds: int) -> NDArray[np.int64]:
    """Id of the first half board with k seeds for k = 0..seeds + 1, int64; the last is the number of all."""
    return _frozen([comb(k + pits - 1, pits) for k in range(seeds + 2)])


@cache
def rank_terms(pits: int, seeds: int) -> NDArray[np.int64]:
    """C(s + i, i + 1) for house i and prefix sum s, int64, shape (pits, seeds + 1); the last house adds nothing."""
    terms = [[comb(s + i, i + 1) for s in range(seeds + 1)] for i in range(pits - 1)]
    return _frozen([*terms, [0] * (seeds + 1)])


def _frozen(numbers: list[int] | list[list[int]]) -> NDArray[np.int64]:
    array = np.array(numbers, dtype=np.int64)
    array.setflags(write=False)
    return array


@inline_kernel
def rank_half(houses, start, terms):
    """Rank of the half board ``houses[start : start + m]`` (m = rows of ``terms``, from :func:`rank_terms`).

    Alike to :mod:`solver.kernels.ranks` on purpose: the builder ranks house by house here, the verifier packed words
    there, so that a check on the builder shares no rank with it.
    """
    prefix = np.int64(0)
    rank = np.int64(0)
    for i in range(terms.shape[0]):
        prefix += np.int64(houses[np.uint64(start + i)])
        rank += terms[np.uint64(i), np.uint64(prefix)]
    return rank


@kernel
def _list_halves(pits, seeds, firsts, out):
    """Write every half board of 0..seeds seeds in order of id; the successor moves the lowest prefix sum that can."""
    prefix = np.zeros(pits, np.int64)
    for k in range(seeds + 1):
        prefix[:] = 0
        prefix[pits - 1] = k
        for at in range(firsts[k], firsts[k + 1]):
            below = np.int64(0)
            for i in range(pits):
                out[at, i] = prefix[i] - below
                below = prefix[i]
            for i in range(pits - 1):
                if prefix[i] < prefix[i + 1]:
                    prefix[i] += 1
                    break
                prefix[i] = 0


def list_halves(pits: int, seeds: int) -> NDArray[np.uint8]:
    """Every half board of 0..seeds seeds in order of id: uint8, shape (number of halves, pits)."""
    firsts = half_firsts(pits, seeds)
    out = np.empty((int(firsts[-1]), pits), np.uint8)
    _list_halves(pits, seeds, firsts, out)
    return out


def half_rank(houses: tuple[int, ...]) -> int:
    """The rank of one half board, as :func:`rank_half` in a kernel."""
    rank = prefix = 0
    for i in range(len(houses) - 1):
        prefix += houses[i]
        rank += comb(prefix + i, i + 1)
    return rank


def unrank_half(pits: int, seeds: int, rank: int) -> tuple[int, ...]:
    """The half board with ``seeds`` seeds and this rank: the inverse of the rank, digit by digit from the top."""
    if not 0 <= rank < half_count(pits, seeds):
        raise IndexError(f"rank {rank}: {pits} houses hold {seeds} seeds in {half_count(pits, seeds)} ways")
    houses, prefix = [], seeds
    for i in range(pits - 2, -1, -1):
        s = next(s for s in range(prefix, -1, -1) if comb(s + i, i + 1) <= rank)
        rank -= comb(s + i, i + 1)
        houses.append(prefix - s)
        prefix = s
    return (prefix, *reversed(houses))
