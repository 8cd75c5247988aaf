"""A brute-force solver of small Oware tiers: plain sweeps over dictionaries, slow, nothing shared with the builder.

Boards are tuples with the mover's houses first. Moves come from the readable reference. Every quantity is the fixed
point that docs/algorithm.md defines, found by sweeping from 0 until nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from solver.oware.position import Position
from solver.oware.rules import Rules

Board = tuple[int, ...]


def boards_of(houses: int, seeds: int) -> Iterator[Board]:
    """All ways to place ``seeds`` seeds in ``houses`` houses."""
    if houses == 1:
        yield (seeds,)
        return
    for first in range(seeds + 1):
        for rest in boards_of(houses - 1, seeds - first):
            yield (first, *rest)


class BruteTables:
    """``value``, ``lower``, ``upper`` and ``distance`` of every board with up to ``seeds`` seeds, as dictionaries."""

    def __init__(self, rules: Rules, seeds: int) -> None:
        self.rules = rules
        self.value: dict[Board, int] = {}
        self.distance: dict[Board, int] = {}
        self.mover: dict[Board, int] = {}
        self.other: dict[Board, int] = {}
        for n in range(seeds + 1):
            tier = list(boards_of(2 * rules.pits, n))
            self.moves = {board: self._moves(board) for board in tier}
            self.value.update(self._sweep_value(tier))
            self.distance.update(self._sweep_distance(tier))
            self._sweep_forced(tier)

    def lower(self, board: Board) -> int:
        """Margin that the mover can force by play that ends."""
        return 2 * self.mover[board] - sum(board)

    def upper(self, board: Board) -> int:
        """Margin that the opponent can hold the mover to."""
        return sum(board) - 2 * self.other[board]

    def _moves(self, board: Board) -> list[tuple[int, Board]]:
        """(seeds captured, child with its own mover first) of every legal move."""
        position = Position(board, rules=self.rules)
        pits = self.rules.pits
        return [(move.captured, move.board[pits:] + move.board[:pits]) for move in position.playable]

    def _end(self, board: Board) -> tuple[int, int]:
        """Seeds of the mover and of the other when the mover has no legal move."""
        result = Position(board, rules=self.rules).result()
        assert result is not None
        return int(result[0]), int(result[1])

    def _sweep_value(self, tier: list[Board]) -> dict[Board, int]:
        values = {board: 0 if self.moves[board] else self._end(board)[0] - self._end(board)[1] for board in tier}
        while True:
            after = {
                board: max(
                    (c - (self.value[child] if c else values[child]) for c, child in self.moves[board]),
                    default=values[board],
                )
                for board in tier
            }
            if after == values:
                return values
            values = after

    def _sweep_distance(self, tier: list[Board]) -> dict[Board, int]:
        plies: dict[Board, float] = {
            board: 0 if not self.moves[board] or self.value[board] == 0 else inf for board in tier
        }
        while True:
            after = {board: self._distance(board, plies) for board in tier}
            if after == plies:
                return {board: int(plies[board]) for board in tier}
            plies = after

    def _distance(self, board: Board, plies: dict[Board, float]) -> float:
        value = self.value[board]
        if not self.moves[board] or value == 0:
            return 0
        best = [1 + (0 if c else plies[child]) for c, child in self.moves[board] if c - self.value[child] == value]
        return min(best) if value > 0 else max(best)

    def _sweep_forced(self, tier: list[Board]) -> None:
        mover = {board: 0 if self.moves[board] else self._end(board)[0] for board in tier}
        other = {board: 0 if self.moves[board] else self._end(board)[1] for board in tier}
        while True:
            both_mover, both_other = {**self.mover, **mover}, {**self.other, **other}
            mover_after = {
                board: max((c + both_other[child] for c, child in self.moves[board]), default=mover[board])
                for board in tier
            }
            other_after = {
                board: min((both_mover[child] for _, child in self.moves[board]), default=other[board])
                for board in tier
            }
            if (mover_after, other_after) == (mover, other):
                break
            mover, other = mover_after, other_after
        self.mover.update(mover)
        self.other.update(other)
