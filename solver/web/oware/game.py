"""The game of Oware that a request tells: its rules, where it began, the moves so far.

The moves are played through, so that the boards seen before are known to the repetition rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from solver.errors import PositionError
from solver.oware.kernels import MAX_SEEDS
from solver.oware.position import Board, Position, position_text
from solver.oware.rules import ABAPA, Rules
from solver.web.errors import Refused
from solver.web.request import Fields, reading, shown
from solver.web.response import SIDE_NAMES

MOST_MOVES = 1000
LONGEST_POSITION = 200
START = "start"
DEFAULT_RULES = ABAPA.id


@dataclass(frozen=True)
class Game:
    """A game so far: every position from the first to the one on the board, and the letters of the moves between."""

    positions: tuple[Position, ...]
    moves: str

    @property
    def start(self) -> Position:
        """Where the game began."""
        return self.positions[0]

    @property
    def position(self) -> Position:
        """The position on the board."""
        return self.positions[-1]

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self.start.rules


def read_game(fields: Fields) -> Game:
    """The game of the fields ``rules``, ``position`` and ``moves``; each may be left out. Raises Refused."""
    rules_id, text = fields.text("rules", DEFAULT_RULES), fields.text("position", START)
    moves = fields.text("moves", "")
    with reading("rules"):
        rules = read_rules(rules_id)
    with reading("position"):
        start = read_position(text, rules)
    if len(moves) > MOST_MOVES:
        raise Refused("too-large", f"{len(moves):,} moves: accepted are up to {MOST_MOVES:,}", "moves")
    positions = [start]
    for ply, letter in enumerate(moves, 1):
        try:
            positions.append(positions[-1].play(letter))
        except PositionError as error:
            raise Refused("bad-move", f"move {ply}: {error}", "moves") from error
    return Game(tuple(positions), moves)


@lru_cache(maxsize=256)
def read_rules(text: str) -> Rules:
    """A rule set by its id. Raises RulesError."""
    if len(text) > LONGEST_POSITION:
        raise Refused("bad-rules", f"unknown rule set {shown(text)}")
    return Rules.parse(text)


def read_position(text: str, rules: Rules) -> Position:
    """A position by its text, or the start. Raises PositionError, also for more seeds than the engine takes."""
    if text == START:
        return Position.start(rules)
    if len(text) > LONGEST_POSITION:
        raise PositionError(f"a position of {len(text):,} characters: accepted are up to {LONGEST_POSITION}")
    position = Position.parse(text, rules)
    if position.seeds > MAX_SEEDS:
        raise PositionError(f"{position.seeds} seeds on the board: accepted are up to {MAX_SEEDS}")
    return position


def position_object(position: Position) -> dict[str, Any]:
    """A position as every answer shows it."""
    return board_object(position.board, position.stores, position.turn, position.seeds, position.total)


def board_object(board: Board, stores: tuple[int, int], turn: int, seeds: int, total: int) -> dict[str, Any]:
    """The same by its parts: whose turn it is, the seeds on the board, and all seeds of the game."""
    return {
        "text": position_text(board, stores, turn),
        "board": board,
        "stores": stores,
        "turn": SIDE_NAMES[turn],
        "seeds": seeds,
        "total": total,
    }


@lru_cache(maxsize=256)
def rules_object(rules: Rules) -> dict[str, Any]:
    """A rule set as every answer shows it; ``bounds``: whether its tables hold what each side can force."""
    return {
        "id": rules.id,
        "grand_slam": rules.grand_slam.value,
        "cycle": rules.cycle.value,
        "pits": rules.pits,
        "bounds": rules.has_bounds,
    }
