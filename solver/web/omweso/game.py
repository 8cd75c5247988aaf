"""The game of Omweso that a request tells: rules, where it began, the turns so far.

Turns are listed by the compiled generator, and turns of more than :data:`~solver.omweso.kernels.PRACTICAL_LAPS` laps
are taken for endless, as in the search: the reference could take minutes over a turn that never ends.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from typing import Any

from solver.errors import PositionError
from solver.omweso.kernels import PRACTICAL_LAPS, OmwesoGenerator
from solver.omweso.position import OmwesoPosition, Turn
from solver.omweso.rules import TOURNAMENT, OmwesoRules
from solver.omweso.setups import fixed_setup, named_setups, parse_position
from solver.web.errors import Refused
from solver.web.request import Fields, reading, shown
from solver.web.response import SIDE_NAMES

MOST_TURNS = 1024
"""Turns that a position may have; with declined captures a few boards have millions."""
MOST_PLIES = 400
LONGEST_RULES, LONGEST_POSITION = 300, 600
DEFAULT_SETUP = "all-two"
FLAG = {"0": False, "1": True}


@lru_cache(maxsize=32)
def _generator(rules: OmwesoRules) -> OmwesoGenerator:
    return OmwesoGenerator(rules, PRACTICAL_LAPS)


class ListedPosition(OmwesoPosition):
    """A position whose turns the compiled generator lists; for one thread at a time."""

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        """Every turn, without the pits of its captures. Raises PositionError where there are too many to list."""
        turns = _generator(self.rules).turns(self, most=MOST_TURNS + 1)
        if len(turns) > MOST_TURNS:
            raise PositionError(f"a position of more than {MOST_TURNS:,} turns: they are not listed")
        return turns

    @classmethod
    def of(cls, position: OmwesoPosition) -> ListedPosition:
        """The same position."""
        return cls(**{field.name: getattr(position, field.name) for field in fields(position)})


@dataclass(frozen=True)
class AskedGame:
    """What a request tells of a game, not yet played through: its first position, and its turns as texts."""

    start: ListedPosition
    turns: tuple[str, ...]

    @classmethod
    def read(cls, given: Fields) -> AskedGame:
        """From the fields ``rules``, ``position``, ``first_turn``, ``fresh`` and ``moves``. Raises Refused."""
        rules_id, text = given.text("rules", TOURNAMENT.id), given.text("position", "")
        first_turn, fresh = given.choice("first_turn", FLAG, "0"), given.choice("fresh", FLAG, "0")
        moves = given.text("moves", "")
        with reading("rules"):
            rules = _read_rules(rules_id)
        with reading("position"):
            if len(text) > LONGEST_POSITION:
                raise PositionError(f"a position of {len(text):,} characters: accepted are up to {LONGEST_POSITION}")
            default = DEFAULT_SETUP if fixed_setup(rules) is None else rules.setup.value
            start = parse_position(text or default, rules, first_turn=first_turn, fresh=fresh)
        turns = tuple(moves.split(",")) if moves else ()
        if len(turns) > MOST_PLIES:
            raise Refused("too-large", f"{len(turns):,} turns: accepted are up to {MOST_PLIES}", "moves")
        return cls(ListedPosition.of(start), turns)

    def position(self) -> OmwesoPosition:
        """The position after the turns. Raises Refused for one that is not legal. May take a moment."""
        position: OmwesoPosition = self.start
        for ply, text in enumerate(self.turns, 1):
            try:
                ending = position.ending
                if ending is not None:
                    raise PositionError(f"the game is over ({ending})")
                position = position.after(position.find(text.strip()))
            except PositionError as error:
                raise Refused("bad-move", f"turn {ply}: {shown_error(error)}", "moves") from error
        return position


def shown_error(error: PositionError) -> str:
    """The error, not longer than a few lines: it may list every legal turn."""
    text = str(error)
    return text if len(text) <= 300 else f"{text[:300]}..."


@lru_cache(maxsize=64)
def _read_rules(text: str) -> OmwesoRules:
    if len(text) > LONGEST_RULES:
        raise Refused("bad-rules", f"unknown rule set {shown(text)}")
    return OmwesoRules.parse(text)


def position_object(position: OmwesoPosition) -> dict[str, Any]:
    """A position as the answers show it: the mover's pits first, each side's in its own numbering."""
    return {
        "text": position.text,
        "side": position.side,
        "opponent": position.opponent,
        "turn": SIDE_NAMES[position.turn],
        "seeds": position.seeds,
    }


def rules_object(rules: OmwesoRules) -> dict[str, Any]:
    """A rule set as the answers show it."""
    return {
        "id": rules.id,
        "columns": rules.columns,
        "pits": rules.pits,
        "reverse_pits": sorted(rules.reverse_pits),
        "endless": rules.endless.value,
        "repetition": rules.repetition.value,
        "setup": rules.setup.value,
    }


def setups_object(rules: OmwesoRules) -> dict[str, Any]:
    """The named set-ups that fit a board, by name; ``fixed``: the one that the rules prescribe."""
    fixed = fixed_setup(rules)
    setups = [{"name": name, "counts": counts} for name, counts in named_setups(rules).items()]
    return {"rules": rules_object(rules), "setups": setups, "fixed": fixed}


def read_rules(given: Fields) -> OmwesoRules:
    """The field ``rules``. Raises Refused."""
    text = given.text("rules", TOURNAMENT.id)
    with reading("rules"):
        return _read_rules(text)
