"""The moves of a position as answers show them: what each does, how it may end the game, what tables say it is worth.

Which positions have tables, and the order of moves, is left to others (:mod:`solver.web.oware.answer`,
:mod:`solver.web.oware.order`).
"""

from __future__ import annotations

from typing import Any

from databases.prober import MoveValue, Probe
from solver.oware import verdicts
from solver.oware.kernels import ToldMove
from solver.oware.position import SOUTH, Board, Position
from solver.web.oware.game import board_object
from solver.web.oware.order import Outcome, outcome_of

Numbers = dict[str, Any]
NO_NUMBERS: Numbers = dict.fromkeys(("certainty", "value", "lower", "upper", "window", "distance", "final"))
"""What answers say of the worth of what no table tells."""


class Moves:
    """A position that goes on, and what all its moves have in common, looked up once."""

    def __init__(self, position: Position) -> None:
        self.position = position
        self.lead = lead_of(position)
        self._pits, self._bounds = position.rules.pits, position.rules.has_bounds
        self._first = position.turn * self._pits
        self._other = 1 - position.turn
        self._seeds, self._total = position.seeds, position.total

    def ended(self, move: ToldMove) -> Position | None:
        """The position after a move that ends the game; None after all others."""
        if not move.captured and not self.position.seen and move.answered:  # no majority, no repetition, and a reply
            return None
        after = self.position.reached(move.captured, self._board_after(move))
        return None if after.ending is None else after

    def _board_after(self, move: ToldMove) -> Board:
        """The board after a move, South's houses first."""
        board, pits = move.board, self._pits
        return board if self._other == SOUTH else board[pits:] + board[:pits]

    def told(self, move: ToldMove, ended: Position | None) -> dict[str, Any]:
        """What a move does, whatever it is worth; ``ended`` as :meth:`ended` says."""
        house, captured = move.house + self._first, move.captured
        stores = self.position.stores_after(captured) if captured else self.position.stores
        return {
            "move": self.position.letter(house),
            "house": house,
            "captured": captured,
            "sowing": self.position.sowing(house),
            "captures": [(taken + self._first) % (2 * self._pits) for taken in move.taken] if captured else (),
            "slam": move.slam,
            "after": board_object(self._board_after(move), stores, self._other, self._seeds - captured, self._total),
            "ends": None if ended is None else end_object(ended),
        }

    def valued(self, move: ToldMove, value: MoveValue, ended: Position | None) -> tuple[Outcome, dict[str, Any]]:
        """A move's outcome, and the move as it is shown. A majority wins, whatever values count on to."""
        ending = None if ended is None else ended.ending
        exact = not value.beyond and (not self._bounds or (value.lower is not None and value.lower == value.upper))
        least, most = (value.value, value.value) if exact else self._reach(value)
        least, most = self.lead + least, self.lead + most
        outcome = "win" if ending == "majority" else outcome_of(least, most)
        lower, upper = bounds_of(value)
        shown = self.told(move, ended)
        shown |= {
            "outcome": outcome,
            "certainty": "over" if ending not in (None, "majority") else "exact" if exact else "bounded",
            "value": value.value,
            "lower": lower,
            "upper": upper,
            "window": None,
            "distance": value.distance,
            "final": verdicts.final_of(self.position, value.value) if exact else None,
            "verdict": verdicts.move_verdict(least, most),
        }
        return outcome, shown

    def _reach(self, value: MoveValue) -> tuple[int, int]:
        """The least and most that a move can be worth, as far as tables tell."""
        if self._bounds and (value.lower is None or value.upper is None):
            return -self._seeds, self._seeds
        return value.reach

    def unvalued(self, move: ToldMove) -> dict[str, Any]:
        """The move as it is shown where no table answers: what it is worth only if it ends the game."""
        ended = self.ended(move)
        shown = self.told(move, ended) | NO_NUMBERS | {"outcome": None, "verdict": None}
        if ended is not None:
            margin = final_margin(self.position, ended)
            bound = margin - self.lead if self._bounds else None
            shown |= {
                "certainty": "over",
                "value": margin - self.lead,
                "lower": bound,
                "upper": bound,
                "final": ended.result(),
                "outcome": outcome_of(margin, margin),
                "verdict": verdicts.move_verdict(margin, margin),
            }
        return shown


def lead_of(position: Position) -> int:
    """Seeds in the mover's store less those in the opponent's."""
    return position.stores[position.turn] - position.stores[1 - position.turn]


def final_margin(position: Position, over: Position) -> int:
    """The final margin of the player to move in a position, if the game ended as a later one says."""
    result = over.result()
    assert result is not None
    return int(result[position.turn] - result[1 - position.turn])


def ended_value(position: Position, after: Position, value: MoveValue) -> MoveValue:
    """What a move is worth that ends the game as the position after it says, no majority."""
    margin = final_margin(position, after) - lead_of(position)
    bound = margin if position.rules.has_bounds else None
    distance = None if value.distance is None else int(margin != 0)
    return value._replace(value=margin, lower=bound, upper=bound, distance=distance, beyond=0)


def bounds_of(answer: Probe | MoveValue) -> tuple[int | None, int | None]:
    """The bounds of a value: those of the rules, or where a window ends at it what lies beyond."""
    return answer.reach if answer.beyond else (answer.lower, answer.upper)


def end_object(position: Position) -> dict[str, Any]:
    """How a finished game ended."""
    return {"how": position.ending, "final": position.result(), "words": verdicts.over_words(position)}
