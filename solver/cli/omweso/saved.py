"""A match in a file: what ``abapa omweso play --save`` writes after every turn, and goes on from.

One JSON object: rules, scoring and mode by name, the points, who starts, the games played and the game under way, each
as the position it began with and its turns. Reading plays the turns again, so nothing is believed that the rules do not
admit. :func:`load_games` reads the games alone, and those that ``abapa omweso selfplay --json`` prints.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from solver.cli.options import TextSource
from solver.errors import AbapaError, cut
from solver.files import open_regular, replaced_file
from solver.omweso.match import Game, Match, Mode, Scoring
from solver.omweso.position import OmwesoPosition, turn_text
from solver.omweso.rules import OmwesoRules

FORM = "abapa omweso match 1"
LARGEST = 1 << 20
"""Bytes of a file that is read at all; a game of a thousand turns has ten thousand."""


def save_match(path: Path, match: Match, game: Game | None, games: int, played: Sequence[Game] = ()) -> None:
    """Write a match, of which ``games`` have ended, its game under way, and those ``played``. Raises AbapaError."""
    saved: dict[str, Any] = {"form": FORM, "rules": match.rules.id, "scoring": match.scoring.id}
    saved |= {"mode": match.mode.value, "points": list(match.points), "starter": match.starter, "games": games}
    saved["played"] = [_record(each) for each in played]
    if game is not None:
        saved["game"] = _record(game)
    with replaced_file(path, force=True) as file:
        file.write(f"{json.dumps(saved)}\n".encode())


def _record(game: Game) -> dict[str, Any]:
    first = game.start
    return {
        "position": first.text,
        "first_turns": list(first.first_turns),
        "fresh": first.fresh,
        "turns": [turn_text(turn, first.rules) for turn in game.turns],
    }


class Loaded(NamedTuple):
    """What a file holds: the match, the game under way, how many have ended, and those of them that it has kept."""

    match: Match
    game: Game | None
    games: int
    played: list[Game]


def load_match(path: Path) -> Loaded:
    """The match of a file. Raises AbapaError."""
    text = _text_of(path)
    try:
        return _read(json.loads(text))
    except _DAMAGE as error:
        raise AbapaError(
            f"{path} is no saved match ({cut(str(error))}): accepted are files written by --save"
        ) from error


def load_games(source: TextSource, told: Callable[[AbapaError], object] | None = None) -> list[Game]:
    """The games of a saved match, or of the lines that selfplay has printed; at least one.

    ``told`` gets what is wrong with a line, and the others are read; without it that is raised. Raises AbapaError.
    """
    with source.opened() as file:
        text = file.read(LARGEST + 1)
    if len(text) > LARGEST:
        raise AbapaError(f"{source} holds no games: it has more than {LARGEST:,} characters")
    lines = [line for line in text.splitlines() if line.strip()]
    games: list[Game] = []
    faults = 0
    for number, line in enumerate(lines, 1):
        try:
            held = json.loads(line)
            if isinstance(held, dict) and "setups" in held:
                games.append(_selfplayed(held))
            else:
                loaded = _read(held)
                games += [*loaded.played, *([] if loaded.game is None else [loaded.game])]
        except _DAMAGE as error:
            wrong = AbapaError(
                f"{source}, line {number}, is no game ({cut(str(error))}): accepted are files that abapa omweso play "
                "--save has written, and what abapa omweso selfplay --json prints"
            )
            if told is None or len(lines) == 1:
                raise wrong from error
            faults += 1
            told(wrong)
    if not games and not faults:
        raise AbapaError(f"{source} holds no game: accepted are matches in which a game has begun")
    return games


_DAMAGE = (ValueError, TypeError, KeyError, RecursionError, AbapaError)


def _text_of(path: Path) -> str:
    try:
        with open_regular(path) as file:
            raw = file.read(LARGEST + 1)
    except OSError as error:
        raise AbapaError(f"cannot read {path}: {error.strerror}") from error
    if len(raw) > LARGEST:
        raise AbapaError(f"{path} is no saved match: it is larger than {LARGEST:,} bytes")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise AbapaError(f"{path} is no saved match: it is no text") from error


def _selfplayed(held: dict[str, Any]) -> Game:
    rules, scoring = OmwesoRules.parse(str(held["rules"])), Scoring.parse(str(held["scoring"]))
    first, second = (tuple(int(count) for count in side) for side in held["setups"])
    game = Match(rules, scoring).new_game(first, second)
    for text in held["turns"]:
        game.play(str(text))
    return game


def _read(saved: Any) -> Loaded:
    if not isinstance(saved, dict) or saved.get("form") != FORM:
        raise ValueError(f"it does not say {FORM!r}")
    rules, scoring = OmwesoRules.parse(saved["rules"]), Scoring.parse(saved["scoring"])
    mine, theirs = saved["points"]
    starter, games = saved["starter"], saved["games"]
    if any(type(number) is not int or number < 0 for number in (mine, theirs, starter, games)) or starter > 1:
        raise ValueError("points, starter and games are whole numbers")
    match = Match(rules, scoring, Mode(saved["mode"]), points=(mine, theirs), starter=starter)
    played = [_game(held, rules, scoring) for held in saved.get("played", [])]
    if match.winner is not None or "game" not in saved:
        return Loaded(match, None, games, played)
    return Loaded(match, _game(saved["game"], rules, scoring), games, played)


def _game(held: dict[str, Any], rules: OmwesoRules, scoring: Scoring) -> Game:
    mover, other = held["first_turns"]
    position = OmwesoPosition.parse(held["position"], rules)
    game = Game(replace(position, first_turns=(mover is True, other is True), fresh=held["fresh"] is True), scoring)
    for text in held["turns"]:
        game.play(str(text))
    return game
