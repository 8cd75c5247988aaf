"""The turns of an Omweso position with what they do, and one turn lap by lap.

Points are those of a match by the default scoring (:mod:`solver.omweso.match`), for the turn alone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from solver.errors import PositionError
from solver.omweso.match import POINTS, Scoring, score_turn
from solver.omweso.position import CLOCKWISE, DECLINE, FORWARD, SYMBOLS, TAKE, Lap, OmwesoPosition, Turn, turn_text
from solver.omweso.position import facing as opposing_pits
from solver.web.errors import Refused
from solver.web.omweso.game import AskedGame, position_object, rules_object, shown_error
from solver.web.response import SIDE_NAMES

MOST_LAPS = 300
"""Laps shown of a turn."""

_CHOICE_WORDS = {
    FORWARD: "runs forward, though it could run clockwise",
    CLOCKWISE: "runs clockwise and captures",
    TAKE: "captures",
    DECLINE: "declines the capture and sows on",
}
_OKUKONEEZA = {"symbol": "*", "words": "sows three seeds two and one, which ends the turn"}
_OVER = {
    "endless": "the last turn never ends",
    "nomove": "the player to move has no turn",
    "repetition": "the position came before",
    "rounds": "the rounds are used up",
}


def answer(asked: AskedGame) -> dict[str, Any]:
    """Every turn of the position of a game. May take a moment."""
    position = asked.position()
    with_turns = _over_object(position)  # asks for the turns: too many are an error
    turns = () if with_turns is not None else position.turns
    return {
        "rules": rules_object(position.rules),
        "position": position_object(position),
        "over": with_turns,
        "turns": [_turn_object(position, turn) for turn in turns],
    }


def _over_object(position: OmwesoPosition) -> dict[str, Any] | None:
    """How a finished game ended and who won, null for nobody."""
    try:
        ending, result = position.ending, position.result
    except PositionError as error:
        raise Refused("bad-position", str(error), "position") from error
    if ending is None:
        return None
    winner = None if not result else SIDE_NAMES[position.turn if result > 0 else 1 - position.turn]
    won = f"{winner.capitalize()} wins" if winner else "nobody wins"
    return {"how": ending, "winner": winner, "words": f"The game is over ({_OVER[ending]}): {won}"}


def _turn_object(position: OmwesoPosition, turn: Turn) -> dict[str, Any]:
    return {
        "turn": turn_text(turn, position.rules),
        "pit": turn.pit,
        "choices": _choices(turn),
        "status": turn.status,
        "captured": turn.captured,
        "laps": turn.laps,
        "after": position_object(position.after(turn)),
        "points": _points_object(position, turn),
    }


def _choices(turn: Turn) -> list[dict[str, str]]:
    if turn.okukoneeza:
        return [_OKUKONEEZA]
    return [{"symbol": SYMBOLS[letter], "words": _CHOICE_WORDS[letter]} for letter in turn.choices]


def _points_object(position: OmwesoPosition, turn: Turn) -> dict[str, Any] | None:
    """What a turn scores by itself in a match, if anything; turns too long to replay are passed over."""
    if not turn.captured or not turn.ends or turn.laps > MOST_LAPS:
        return None
    laps = _replay(position, turn)
    captures = tuple(lap.last for lap in laps if lap.then.startswith("capture"))
    name = score_turn(position, replace(turn, captures=captures), Scoring(), (0, 0))
    return None if name is None else {"name": name, "points": POINTS[name]}


# -- lap by lap -------------------------------------------------------------------------------------------------------


def laps(asked: AskedGame, text: str) -> dict[str, Any]:
    """One turn lap by lap, the first :data:`MOST_LAPS` of them. Raises Refused for a turn that is not legal."""
    position = asked.position()
    if _over_object(position) is not None:
        raise Refused("bad-move", "the game is over: there is no turn to show", "turn")
    try:
        turn = position.find(text)
    except PositionError as error:
        raise Refused("bad-move", shown_error(error), "turn") from error
    if turn.okukoneeza:
        return {"laps": [_okukoneeza_object(position, turn)], "truncated": False}
    shown = _replay(position, turn)
    objects, before = [], "start"
    opponent = position.opponent
    for lap in shown:
        objects.append(_lap_object(position, lap, before, opponent))
        before, opponent = ("capture" if lap.then.startswith("capture") else "relay"), lap.opponent
    return {"laps": objects, "truncated": turn.laps > len(shown)}


def _replay(position: OmwesoPosition, turn: Turn) -> tuple[Lap, ...]:
    """The first laps of a turn, by the reference, which would else follow a turn to its end."""
    cap = min(MOST_LAPS, position.rules.lap_cap or MOST_LAPS)
    return replace(position, rules=replace(position.rules, lap_cap=cap)).replay(turn)


def _lap_object(position: OmwesoPosition, lap: Lap, kind: str, before: tuple[int, ...]) -> dict[str, Any]:
    """A lap: where it was lifted, where it was sown, what it captured, and the board after it.

    ``kind``: how it came about: the ``start``, a ``relay``, or the seeds of a ``capture`` sown again.
    """
    pits, step = position.rules.pits, -1 if lap.clockwise else 1
    sown = [(lap.origin + step * k) % pits for k in range(1, lap.seeds + 1)]
    captured = []
    if lap.then.startswith("capture"):
        captured = [pit for pit in opposing_pits(lap.last, position.rules) if before[pit]]
    return {
        "pit": lap.origin,
        "lifted": lap.seeds,
        "clockwise": lap.clockwise,
        "sown": [{"side": "mover", "pit": pit} for pit in sown],
        "captured": captured,
        "kind": kind,
        "side": lap.side,
        "opponent": lap.opponent,
    }


def _okukoneeza_object(position: OmwesoPosition, turn: Turn) -> dict[str, Any]:
    """The opening sowing of two seeds and one, as one lap."""
    pits = [(turn.pit + step) % position.rules.pits for step in (1, 1, 2)]
    return {
        "pit": turn.pit,
        "lifted": 3,
        "clockwise": False,
        "sown": [{"side": "mover", "pit": pit} for pit in pits],
        "captured": [],
        "kind": "start",
        "side": turn.side,
        "opponent": turn.opponent,
    }
