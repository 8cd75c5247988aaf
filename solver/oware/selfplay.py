"""Games of the engine against itself, the same for the same seed; boards that occur in them."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import replace

from solver.errors import AbapaError
from solver.oware.position import Board, Position
from solver.search.limits import Limits
from solver.search.searcher import Searcher

VAIN_GAMES = 1000
"""Games in a row without a wanted board after which :func:`boards_in_play` gives up."""


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


def boards_in_play(
    searcher: Searcher[Position], start: Position, limits: Limits, random_plies: int, wanted: range, seed: int
) -> Iterator[Board]:
    """Canonical boards with as many seeds as ``wanted``, as they occur in play: one from each game, without end.

    A game goes on after a majority, since a table knows no stores, and ends where no move is legal or a board comes
    back. Its moves are random for ``random_plies`` plies and the searcher's after that. The same arguments give the
    same boards. Raises AbapaError when a thousand games in a row reach no such board.
    """
    vain = 0
    while vain < VAIN_GAMES:
        chance = random.Random(seed)
        found = list(_boards_of_game(searcher, start, limits, random_plies, wanted, chance))
        vain, seed = (0 if found else vain + 1), seed + 1
        if found:
            yield chance.choice(found)
    raise AbapaError(
        f"{VAIN_GAMES:,} games reached no board of {wanted.start} to {wanted.stop - 1} seeds: "
        f"accepted are numbers of seeds that occur in games from {start.text}"
    )


def _boards_of_game(
    searcher: Searcher[Position],
    start: Position,
    limits: Limits,
    random_plies: int,
    wanted: range,
    chance: random.Random,
) -> Iterator[Board]:
    """The wanted boards of one game; stores are emptied before each move, so that no majority ends it."""
    searcher.clear()
    position, seen = replace(start, stores=(0, 0)), set[tuple[Board, int]]()
    for ply in itertools.count():
        if position.seeds < wanted.start or position.result() is not None or (position.board, position.turn) in seen:
            return
        if position.seeds in wanted:
            yield position.canonical
        seen.add((position.board, position.turn))
        if ply < random_plies:
            house = chance.choice(position.legal_moves())
        else:
            house = searcher.choose(position, limits).best.moves[0] + position.turn * position.rules.pits
        after = position.play(house)
        if after.seeds < position.seeds:
            seen.clear()
        position = replace(after, stores=(0, 0), seen=frozenset())
