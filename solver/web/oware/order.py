"""Which outcome a move leads to, and the order of moves: the one home of both for every answer.

Within an outcome moves stand as the prober orders them (:func:`databases.prober.best_first`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeVar

Outcome = Literal["win", "draw", "loss", "open"]
Shown = TypeVar("Shown")

RULE = (
    "Moves are grouped by outcome: wins first, losses last, between them draws and open ones, the group with the"
    " better first move first. In a group the larger final margin comes first; ties go by progress (the shorter win,"
    " the longer loss), then what is certain, the larger capture, and house order."
)
"""The order in words."""

UNVALUED = "No table tells what the moves are worth: they stand in house order."


def outcome_of(least: float, most: float) -> Outcome:
    """The outcome for a player whose final margin, stores included, is proven to be from ``least`` to ``most``."""
    if least > 0:
        return "win"
    if most < 0:
        return "loss"
    return "draw" if least == most else "open"


def by_outcome(moves: Iterable[tuple[Outcome, Shown]]) -> list[Shown]:
    """Moves by :data:`RULE`, each given with its outcome, in the prober's order."""
    groups: dict[Outcome, list[Shown]] = {"win": []}  # then draw and open, the one first that is met first
    for outcome, shown in moves:
        groups.setdefault(outcome, []).append(shown)
    groups["loss"] = groups.pop("loss", [])
    return [shown for group in groups.values() for shown in group]
