"""What the tests of both proofs share: small rule sets, plain moves, an endless circle, a number spoilt in a file."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import h5py

from databases.tiers import board_index
from solver.oware.position import Position
from solver.oware.rules import AWARI, Cycle, GrandSlam, Rules

TABLE_SLAMS = [slam for slam in GrandSlam if slam is not GrandSlam.WIN_ONLY]
SMALL = [Rules(slam, Cycle.EVEN, pits) for slam in TABLE_SLAMS for pits in (1, 2, 3, 5)]


@cache
def moves_of(rules: Rules, board: tuple[int, ...]) -> list[tuple[int, tuple[int, ...]]]:
    pits = rules.pits
    played = Position(board, rules=rules).playable
    return [(move.captured, move.board[pits:] + move.board[:pits]) for move in played]


def endless_circle(values: dict[int, Any]) -> list[tuple[int, ...]]:
    """Boards of value 0 that lead to one another, back to the first after an even number of plies."""
    board, seen = (1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1), []
    while board not in seen[::-2] or len(seen) < 2:
        seen.append(board)
        quiet = [child for captured, child in moves_of(AWARI, board) if not captured]
        board = next(child for child in quiet if values[4][board_index(child)] == 0)
        if board in seen and (len(seen) - seen.index(board)) % 2 == 0:
            return seen[seen.index(board) :]
    raise AssertionError("no circle")


def spoil(path: Path, quantity: str, index: int, change: int) -> None:
    """Change one number of a table, its hash left as it was."""
    with h5py.File(path, "r+") as file:
        dataset: Any = file[quantity]
        dataset[index] += change
