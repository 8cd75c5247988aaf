"""Games of the engine against itself, the same for the same seed."""

from __future__ import annotations

import random

from solver.oware.position import Position
from solver.search.limits import Limits
from solver.search.searcher import Searcher


def play_game(
    searcher: Searcher[Position], start: Position, limits: Limits, random_plies: int, seed: int
) -> tuple[list[Position], list[str]]:
    """One game from ``start``: its positions, the last one final, and its moves as letters.

    The first ``random_plies`` moves are random by ``seed``; the searcher, cleared before, makes all others.
    Raises KeyboardInterrupt on Ctrl-C.
    """
    chance = random.Random(seed)
    searcher.clear()
    positions, letters = [start], []
    while (position := positions[-1]).result() is None:
        if len(letters) < random_plies:
            house = chance.choice(position.legal_moves())
        else:
            code = searcher.choose(position, limits).best.moves[0]
            house = code + position.turn * position.rules.pits
        letters.append(position.letter(house))
        positions.append(position.play(house))
    return positions, letters
