"""Tables by brute force: plain fixed points over dictionaries, from the readable reference and nothing else.

Shares no code with the builder. Every number is from the view of the player to move, in seeds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from solver.oware import Board, Position
from solver.rules import Rules


@dataclass(frozen=True)
class Moves:
    """The moves of one board as (house, captured, board after), and the seeds each side gets if there are none."""

    moves: list[tuple[int, int, Board]]
    ending: tuple[int, int]


class BruteForce:
    """All canonical boards of 0..seeds seeds: ``value``, ``lower``, ``upper`` and ``distance`` as dictionaries."""

    def __init__(self, rules: Rules, seeds: int) -> None:
        self.rules = rules
        self.value: dict[Board, int] = {}
        self.lower: dict[Board, int] = {}
        self.upper: dict[Board, int] = {}
        self.distance: dict[Board, int] = {}
        for n in range(seeds + 1):
            tier = {board: self._moves(board) for board in boards(2 * rules.pits, n)}
            self._solve_values(tier, n)
            self._solve_distances(tier)
            self._solve_bounds(tier, n)

    def _moves(self, board: Board) -> Moves:
        position = Position(board, rules=self.rules)
        played = [(house, position.play(house)) for house in position.legal_moves()]
        moves = [(house, after.stores[0], after.canonical) for house, after in played]
        south, north = position.result() or (0, 0)
        return Moves(moves, (int(south), int(north)))

    def _solve_values(self, tier: dict[Board, Moves], n: int) -> None:
        """A board is worth at least s if play to a margin of s can be forced, at most -s if it must be suffered."""
        for s in range(n, 0, -1):
            wins: set[Board] = set()
            losses: set[Board] = set()
            changed = True
            while changed:
                changed = False
                for board, at in tier.items():
                    if board in wins or board in losses:
                        continue
                    if not at.moves:
                        margin = at.ending[0] - at.ending[1]
                        wins_now, loses_now = margin >= s, margin <= -s
                    else:
                        wins_now = any(
                            captured - self.value[after] >= s if captured else after in losses
                            for _, captured, after in at.moves
                        )
                        loses_now = all(
                            captured - self.value[after] <= -s if captured else after in wins
                            for _, captured, after in at.moves
                        )
                    if wins_now:
                        wins.add(board)
                    if loses_now:
                        losses.add(board)
                    changed = changed or wins_now or loses_now
            for board in wins:
                self.value.setdefault(board, s)
            for board in losses:
                self.value.setdefault(board, -s)
        for board in tier:
            self.value.setdefault(board, 0)

    def _solve_distances(self, tier: dict[Board, Moves]) -> None:
        known = {board: 0 for board, at in tier.items() if not at.moves or self.value[board] == 0}
        ply = 0
        while True:
            ply += 1
            found = {}
            for board, at in tier.items():
                if board in known:
                    continue
                best = [
                    0 if captured else known.get(after)
                    for _, captured, after in at.moves
                    if captured - self.value[after] == self.value[board]
                ]
                ready = [distance for distance in best if distance is not None]
                if self.value[board] > 0 and ready:
                    found[board] = min(ready) + 1
                elif self.value[board] < 0 and len(ready) == len(best):
                    found[board] = max(ready) + 1
            if not found:
                break
            assert set(found.values()) == {ply}
            known |= found
        assert len(known) == len(tier)
        self.distance |= known

    def _solve_bounds(self, tier: dict[Board, Moves], n: int) -> None:
        """Seeds each side can force by play that ends: least fixed points from 0."""
        own, other = dict.fromkeys(tier, 0), dict.fromkeys(tier, 0)

        def forced(board: Board) -> tuple[int, int]:
            """Seeds of a later board that its mover, and its other side, can force."""
            if board in own:
                return own[board], other[board]
            seeds = sum(board)
            return (seeds + self.lower[board]) // 2, (seeds - self.upper[board]) // 2

        changed = True
        while changed:
            changed = False
            for board, at in tier.items():
                if at.moves:
                    mine = max(captured + forced(after)[1] for _, captured, after in at.moves)
                    theirs = min(forced(after)[0] for _, _, after in at.moves)
                else:
                    mine, theirs = at.ending
                if (mine, theirs) != (own[board], other[board]):
                    own[board], other[board], changed = mine, theirs, True
        for board in tier:
            self.lower[board], self.upper[board] = 2 * own[board] - n, n - 2 * other[board]


def boards(houses: int, seeds: int) -> Iterator[Board]:
    """Every way to place ``seeds`` seeds in ``houses`` houses."""
    if houses == 1:
        yield (seeds,)
        return
    for first in range(seeds + 1):
        for rest in boards(houses - 1, seeds - first):
            yield (first, *rest)
