"""Who owns what of a tier that several processes build: each rank has a range of rows of every block of the state.

The ranges are whole groups of 64 rows, so that a rank's new boards are whole words of the rows of a frontier. They are
contiguous, because opponent's halves of neighbouring rank lead to halves of neighbouring rank: so a rank needs little
more than its share of the rows of a frontier. And they are cut so that the ranks have equally much to do.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from databases.builder.movetables import MoveTables
from databases.builder.state import GROUP, Share
from solver.kernels.compile import kernel

ROW_WORK = 3
"""What a board of an own row costs, captures and scans together, if telling it of a child costs 1."""


def shares_of(tables: MoveTables, seeds: int, ranks: int) -> list[Share]:
    """The rows of tier ``seeds`` that each rank owns; none is owned twice, and every one once."""
    counts, firsts = tables.counts[: seeds + 1], tables.firsts[: seeds + 2]
    work = np.zeros(int(firsts[-1]), np.int64)
    measure_rows(tables.replies, tables.own_origins.crossing, counts, firsts, work)
    ends = np.zeros((ranks + 1, seeds + 1), np.int64)
    loads = np.zeros(ranks)
    blocks = [group_work(work[firsts[b] : firsts[b + 1]]) for b in range(seeds + 1)]
    for b in sorted(range(seeds + 1), key=lambda b: -blocks[b].sum()):
        cuts = cut_block(blocks[b], loads)
        ends[:, b] = np.minimum(cuts * GROUP, counts[b])
        sums = np.concatenate([np.zeros(1), np.cumsum(blocks[b])])
        loads += np.diff(sums[cuts])
    return [Share(ends[rank], ends[rank + 1]) for rank in range(ranks)]


def group_work(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The work of each group of 64 rows."""
    return np.add.reduceat(rows, np.arange(0, len(rows), GROUP))


def cut_block(work: NDArray[np.int64], loads: NDArray[np.float64]) -> NDArray[np.int64]:
    """Where to cut the groups of a block, so that the loads become as equal as may be: as many + 1 ends, ascending.

    The large blocks come first, so the small ones, which have fewer groups than there are ranks, even things out.
    """
    total = float(work.sum())
    wanted = fill_up(loads, total)
    middles = np.cumsum(work) - work / 2
    return np.concatenate([np.zeros(1, np.int64), np.searchsorted(middles, np.cumsum(wanted)[:-1]), [len(work)]])


def fill_up(loads: NDArray[np.float64], total: float) -> NDArray[np.float64]:
    """How to share out ``total`` so that the smallest loads become equal: what each gets."""
    ordered = np.sort(loads)
    room = np.arange(1, len(loads) + 1) * ordered - np.cumsum(ordered)  # what raises the first k to the k-th
    level_of = int(np.searchsorted(room, total, side="right"))
    level = (total + ordered[:level_of].sum()) / level_of
    return np.maximum(level - loads, 0.0)


@kernel
def measure_rows(replies, crossing, counts, firsts, work):
    """What each state row costs, by id of its half: boards to tell by outcomes that stay in the tier, and its own."""
    seeds = counts.shape[0] - 1
    for b in range(seeds + 1):
        a = seeds - b
        for half in range(counts[b]):
            cost = ROW_WORK * counts[a]
            reply = replies.first[b] + half * replies.width[b]
            for o in range(replies.width[b]):
                if crossing[o] > a:
                    break
                if replies.kind[reply + o] == 0:
                    cost += counts[a - crossing[o]]
            work[firsts[b] + half] = cost


def wanted_rows(tables: MoveTables, seeds: int, share: Share) -> NDArray[np.uint32]:
    """The rows of a frontier that have predecessors in the rows of a share: ids of their halves, ascending."""
    firsts = tables.firsts[: seeds + 2]
    wanted = np.zeros(int(firsts[-1]), np.bool_)
    mark_wanted(tables.replies, tables.own_origins.crossing, firsts, share.low, share.high, wanted)
    return np.flatnonzero(wanted).astype(np.uint32)


@kernel
def mark_wanted(replies, crossing, firsts, low, high, wanted):
    """Mark the halves C that the own halves B become by an outcome that stays in the tier."""
    seeds = firsts.shape[0] - 2
    for b in range(seeds + 1):
        for half in range(low[b], high[b]):
            reply = replies.first[b] + half * replies.width[b]
            for o in range(replies.width[b]):
                if b + crossing[o] > seeds:
                    break
                if replies.kind[reply + o] == 0:
                    wanted[firsts[b + crossing[o]] + replies.rank[reply + o]] = True
