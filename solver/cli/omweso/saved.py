"""A match in a file: what ``abapa omweso play --save`` writes after every turn, and goes on from.

One JSON object: rules, scoring and mode by name, the points, who starts, and the game under way as the position it
began with and its turns. Reading it plays the turns again, so nothing in it is believed that the rules do not admit.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from solver.errors import AbapaError
from solver.files import replaced_file
from solver.omweso.match import Game, Match, Mode, Scoring
from solver.omweso.position import OmwesoPosition, turn_text
from solver.omweso.rules import OmwesoRules

FORM = "abapa omweso match 1"
LARGEST = 1 << 20
"""Bytes of a file that is read at all; a game of a thousand turns has ten thousand."""


def save_match(path: Path, match: Match, game: Game | None, games: int) -> None:
    """Write a match, of which ``games`` have ended, and its game under way. Raises AbapaError."""
    saved: dict[str, Any] = {"form": FORM, "rules": match.rules.id, "scoring": match.scoring.id}
    saved |= {"mode": match.mode.value, "points": list(match.points), "starter": match.starter, "games": games}
    if game is not None:
        first = game.start
        saved["game"] = {
            "position": first.text,
            "first_turns": list(first.first_turns),
            "fresh": first.fresh,
            "turns": [turn_text(turn, match.rules) for turn in game.turns],
        }
    with replaced_file(path, force=True) as file:
        file.write(f"{json.dumps(saved)}\n".encode())


def load_match(path: Path) -> tuple[Match, Game | None, int]:
    """The match of a file, the game under way, and how many games have ended. Raises AbapaError."""
    try:
        with path.open("rb") as file:
            raw = file.read(LARGEST + 1)
    except OSError as error:
        raise AbapaError(f"cannot read {path}: {error.strerror}") from error
    try:
        if len(raw) > LARGEST:
            raise ValueError("it is larger than a match can be")
        return _read(json.loads(raw.decode()))
    except (ValueError, TypeError, KeyError, RecursionError, AbapaError) as error:
        raise AbapaError(f"{path} is no saved match ({error}): accepted are files written by --save") from error


def _read(saved: Any) -> tuple[Match, Game | None, int]:
    if not isinstance(saved, dict) or saved.get("form") != FORM:
        raise ValueError(f"it does not say {FORM!r}")
    rules, scoring = OmwesoRules.parse(saved["rules"]), Scoring.parse(saved["scoring"])
    mine, theirs = saved["points"]
    starter, games = saved["starter"], saved["games"]
    if any(type(number) is not int or number < 0 for number in (mine, theirs, starter, games)) or starter > 1:
        raise ValueError("points, starter and games are whole numbers")
    match = Match(rules, scoring, Mode(saved["mode"]), points=(mine, theirs), starter=starter)
    if match.winner is not None or "game" not in saved:
        return match, None, games
    held = saved["game"]
    mover, other = held["first_turns"]
    position = OmwesoPosition.parse(held["position"], rules)
    game = Game(replace(position, first_turns=(mover is True, other is True), fresh=held["fresh"] is True), scoring)
    for text in held["turns"]:
        game.play(str(text))
    return match, game, games
