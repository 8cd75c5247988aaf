"""The working memory of one searching thread: one record, passed down the recursion as a single pointer.

Everything is allocated here once; kernels allocate nothing. The table of transpositions is shared between workers and
named by its address. What the fields mean to the search is said in :mod:`solver.search.negamax`; which of them a game's
kernels write, in :mod:`solver.search.game`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MAX_PLY = 160
"""The longest path from the root, extensions included."""
MAX_MOVES = 64
"""The most moves that a position of any game may have."""
STATE_WORDS = 4
"""Words of 64 bits that a game has for one position."""
SLOTS = 2048
"""Slots of the history table a side; a game numbers its moves into them."""
SCRATCH_WORDS = 2048
"""Words of 64 bits that a game's kernels may use as they like, within one call."""
MAX_BARRED = 512
"""The most positions of the game so far that the repetition rule can be told of."""

LOOK_UP_EVERY, LOOK_UP_OFTEN = 1024, 16
"""Nodes between two looks at what may end a search: as a rule, and where a node may meet a new page of memory."""

INFINITY = 2040
"""Above every score. Scores are integers in -2039..2039: the transposition table gives one 12 bits."""

WORKER = np.dtype(
    [
        # What the driver sets before a search.
        ("stop", np.uint64),  # address of a word that is not 0 when the search shall end
        ("budget", np.int64),  # nodes after which it ends
        ("interval", np.int64),  # nodes between two looks at these
        ("deadline", np.int64),  # and when: nanoseconds of the monotonic clock, 0 for never
        ("entries", np.uint64),  # address of the transposition table, 0 for none
        ("buckets", np.uint64),  # its number of buckets
        ("age", np.uint64),  # of this search, 0..63
        ("salt", np.uint64),  # 0, or what sets the keys of a search for progress apart
        ("past", np.uint64),  # 0, or what sets the keys of positions apart that a long history can still reach
        ("tables_end", np.int64),  # 1: a table always ends the search below it
        ("same_depth", np.int64),  # 1: use only table entries of exactly the depth wanted
        ("excluded", np.uint64),  # moves left out at the root, a bit for each of the codes 0..63
        ("barred", np.uint64, (MAX_BARRED, 2)),  # keys and checks of positions that end the game when they come back
        ("barred_side", np.int64, (MAX_BARRED,)),  # 0 the root's mover was to move in it, 1 the other
        ("barred_count", np.int64),
        # What it finds.
        ("nodes", np.int64),
        ("table_hits", np.int64),
        ("horizon", np.int64),  # 1: some score rests on a horizon, so that a deeper search may find more
        ("aborted", np.int64),
        ("patience", np.int64),  # nodes until the next look at budget, deadline and stop word
        ("move_low", np.int64, (MAX_MOVES,)),  # proven bounds of each root move, by its code
        ("move_high", np.int64, (MAX_MOVES,)),
        # One row a ply.
        ("state", np.uint64, (MAX_PLY + 2, STATE_WORDS)),
        ("key", np.uint64, (MAX_PLY + 2, 2)),  # key and check
        ("quiet", np.int64, (MAX_PLY + 2,)),  # plies on this path since the last move that cannot be undone
        ("low", np.int64, (MAX_PLY + 2,)),  # proven bounds of the value, set when the node returns
        ("high", np.int64, (MAX_PLY + 2,)),
        ("child", np.uint64, (MAX_PLY + 2, MAX_MOVES, STATE_WORDS)),
        ("gain", np.int16, (MAX_PLY + 2, MAX_MOVES)),
        ("move", np.uint8, (MAX_PLY + 2, MAX_MOVES)),
        ("slot", np.int16, (MAX_PLY + 2, MAX_MOVES)),
        ("merit", np.int32, (MAX_PLY + 2, MAX_MOVES)),
        ("killer", np.int16, (MAX_PLY + 2, 2)),
        ("history", np.int32, (2, SLOTS)),
        ("line", np.uint8, (MAX_PLY + 2, MAX_PLY + 2)),  # principal variation from each ply on
        ("line_length", np.int64, (MAX_PLY + 2,)),
        ("scratch", np.uint64, (SCRATCH_WORDS,)),
    ],
    align=True,
)


def new_worker() -> NDArray[np.void]:
    """A worker record, all zero but for the interval, in an array of length 1 that owns the memory."""
    worker = np.zeros(1, WORKER)
    worker[0]["interval"] = LOOK_UP_EVERY
    return worker
