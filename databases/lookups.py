"""A board and its moves looked up together, in one compiled call: how tables answer one board after the other quickly.

It reads plain tables that are open and know their margins whole. What is packed, cut to a window or not there is left
to :mod:`databases.prober`, which asks here first and gives the numbers their names.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from databases.files.archive import Archive
from databases.files.table import Table
from databases.halfboards import half_counts, rank_terms
from databases.tiers import index_in_tier, offsets_of_tiers
from databases.windows import FULL
from solver.kernels.compile import inline_kernel, kernel
from solver.kernels.intrinsics import load_int8, load_uint16
from solver.oware.kernels import NO_MAJORITY, SLAM_CODES, TOLD, sowing_table, tell_moves
from solver.oware.rules import Rules

NUMBERS = {"value": 0, "lower": 1, "upper": 2, "distance": 3}
"""The last columns of a row of :func:`look_up`; those before are :func:`~solver.oware.kernels.tell_moves`'s."""
VALUE, LOWER, UPPER, DISTANCE = NUMBERS.values()


class MappedTiers:
    """Those of one rule set's open tables that can be looked up so. It never changes: more tables make a new one.

    It holds the maps that its kernel reads by their addresses, so closing a table takes none away from under it.
    """

    def __init__(self, rules: Rules, opened: Mapping[int, Table | Archive]) -> None:
        self.known = len(opened)
        """How many tables were open, whether or not they are among these."""
        whole = {n: table for n, table in opened.items() if isinstance(table, Table) and table.coding == FULL}
        self.quantities = {seeds: table.quantities for seeds, table in whole.items()}
        """What each of these tables holds."""
        self._maps = {(n, name): table.map(name, "lookups") for n, table in whole.items() for name in table.quantities}
        self._pits, top = rules.pits, max(whole, default=0)
        addresses, held = np.zeros((top + 1, len(NUMBERS)), np.int64), np.zeros(top + 1, np.int64)
        for (seeds, name), numbers in self._maps.items():
            addresses[seeds, NUMBERS[name]] = numbers.ctypes.data
            held[seeds] |= 1 << NUMBERS[name]
        moving = sowing_table(rules.pits), SLAM_CODES[rules.grand_slam]
        index = rank_terms(rules.pits, top), half_counts(rules.pits, top), offsets_of_tiers(rules.pits, top)
        self._given = (*moving, held, addresses, *index)

    def rows(self, board: tuple[int, ...]) -> list[list[int]] | None:
        """What the tables hold of a canonical board and, in house order, of each legal move, from the mover's view.

        The last four numbers of a row are those of :data:`NUMBERS`, 0 for a quantity that the tables lack. None where
        a tier that is needed is not among them, or holds other quantities than the board's own.
        """
        rows = np.empty((1 + self._pits, TOLD + 2 * self._pits + len(NUMBERS)), np.int32)
        moves = look_up(np.array(board, np.uint8), *self._given, rows)
        return None if moves < 0 else rows[: moves + 1].tolist()


@kernel
def look_up(board, table, slam, held, addresses, terms, counts, offsets, rows):
    """Fill a row for a canonical board (uint8) and one for each legal move; returns how many moves, or -1.

    ``held[n]``: a bit for each quantity that tier n has, 0 for a tier that is not there; ``addresses[n]``: where they
    lie in memory. ``rows``: int32[1 + pits, 6 + 2 * pits + 4].
    """
    pits = len(board) // 2
    total = np.uint64(board.sum())
    if total >= np.uint64(len(held)) or held[total] == 0:
        return -1
    rows[0] = 0
    rows[0, TOLD : TOLD + 2 * pits] = board
    moves = tell_moves(table, slam, NO_MAJORITY, board, rows[1:])
    for number in range(moves + 1):
        row = rows[number]
        captured = row[1]
        seeds = total - np.uint64(captured)
        if held[seeds] != held[total]:
            return -1
        at = index_in_tier(row, TOLD, pits, terms, counts, offsets[seeds], np.int64(seeds))
        value = _margin(addresses[seeds, VALUE], at)
        lower, upper = _margin(addresses[seeds, LOWER], at), _margin(addresses[seeds, UPPER], at)
        distance = _plies(addresses[seeds, DISTANCE], at)
        if number > 0:  # from the opponent's view to the mover's
            value, lower, upper = captured - value, captured - upper, captured - lower
            distance = 0 if value == 0 else 1 if captured > 0 else distance + 1
        numbers = row[TOLD + 2 * pits :]
        numbers[VALUE], numbers[LOWER], numbers[UPPER], numbers[DISTANCE] = value, lower, upper, distance
    return moves


@inline_kernel
def _margin(address, at):
    """The margin at an index of a quantity in memory; 0 where its table lacks it."""
    return np.int64(load_int8(np.uint64(address + at))) if address else np.int64(0)


@inline_kernel
def _plies(address, at):
    """The same of distances."""
    return np.int64(load_uint16(np.uint64(address + 2 * at))) if address else np.int64(0)
