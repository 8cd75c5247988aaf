"""The rank of a packed half board, colexicographic by prefix sums: its row or column in a table's blocks.

For a half board p, rank(p) = sum over i of C(s_i + i, i + 1), s_i = p_0 + .. + p_i (docs/format.md). One multiplication
makes the prefix sums of a word of lanes (:mod:`solver.kernels.lanes`), a table of *terms* the rest. The terms are
int64, by house and prefix sum, and 0 for the last house; ``databases.halfboards.rank_terms`` makes them. A half board
holds at most 255 seeds.

Whatever ranks packed boards does it here: both games, the verifier, statistics and exports. Boards that are arrays of
houses, the builder's and the prober's, are ranked house by house by ``databases.halfboards.rank_half``. The two are
alike on purpose: so the verifier, a check on the builder, shares no rank with it.
"""

from __future__ import annotations

import numpy as np

from solver.kernels.compile import inline_kernel
from solver.kernels.lanes import LANE, prefix_sums

_LAST = np.uint64(56)


@inline_kernel
def terms_sum(
    sums: np.uint64,
    first: int,
    houses: int,
    terms: np.ndarray,
) -> np.int64:
    """What ``houses`` houses from number ``first`` on add to a rank; lane i of ``sums``: prefix sum of house first + i.

    Callers leave out the last house of a half board, which adds nothing.
    """
    total = np.int64(0)
    for lane in range(houses):
        total += terms[np.uint64(first + lane), (sums >> np.uint64(8 * lane)) & LANE]
    return total


@inline_kernel
def row_rank(
    row: np.uint64,
    terms: np.ndarray,
) -> np.int64:
    """Rank of the half board in one word, a house per row of ``terms``."""
    return terms_sum(prefix_sums(row), 0, terms.shape[0] - 1, terms)


@inline_kernel
def rows_rank(
    outer: np.uint64,
    inner: np.uint64,
    columns: int,
    terms: np.ndarray,
) -> np.int64:
    """Rank of the half board in two words of ``columns`` houses, ``outer`` first; ``terms`` has 2 * columns rows."""
    near = prefix_sums(outer)
    far = prefix_sums(inner + (near >> _LAST))  # the outer row's seeds count in every inner prefix sum
    return terms_sum(near, 0, columns, terms) + terms_sum(far, columns, columns - 1, terms)
