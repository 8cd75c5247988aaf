"""How random_turns.jsonl.gz writes rule sets and turns."""

from __future__ import annotations

from solver.omweso.position import Turn
from solver.omweso.rules import TOURNAMENT, OmwesoRules, Reverse

EMPTY = (0,) * 16
DATA_RULES = {
    "forward": OmwesoRules(reverse=Reverse.OFF),
    "no_capture": TOURNAMENT,
    "reverse": TOURNAMENT,
    "reverse_fwd_reentry": OmwesoRules(reverse_fwd_reentry=True),
    "rwanda4": OmwesoRules(reverse=Reverse.RWANDA, reverse_fwd_reentry=True),
}
"""The rule sets of random_turns.jsonl.gz."""


def row(turn: Turn) -> list:
    """A turn as the file writes it."""
    return [turn.pit, turn.choices, turn.status, list(turn.side), list(turn.opponent)]
