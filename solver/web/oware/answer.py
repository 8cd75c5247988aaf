"""What a position of a game is worth, by the tables, and each of its moves, best first; best play from it.

A value counts the seeds on the board, as tables do: what the player to move will still win less what the opponent will.
Like theirs it takes the board as fresh, with two exceptions. A move that ends the game by repetition is worth what that
gives, and then the position is worth what its moves are. A majority ends the game, but values count on beyond it, as
everywhere in Abapa (docs/search.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from databases.prober import MissingTierError, MoveValue, Probe, Tables
from databases.windows import WHOLE
from solver.oware import verdicts
from solver.oware.position import Move, Position
from solver.web.errors import Refused
from solver.web.oware.game import Game, position_object, rules_object
from solver.web.oware.order import RULE, UNVALUED, Outcome, in_order, outcome_of
from solver.web.state import State

Number = dict[str, Any]


@dataclass(slots=True)
class ShownMove:
    """A legal move, the position after it, how that ends the game, and, where known, what it is worth to its player.

    ``least`` and ``most``: what the final margin can be, stores included, as far as tables tell.
    """

    move: Move
    after: Position
    ending: str | None
    value: MoveValue | None = None
    least: int = 0
    most: int = 0

    @property
    def outcome(self) -> Outcome:
        """The outcome for its player; a majority wins, whatever values count on to."""
        return "win" if self.ending == "majority" else outcome_of(self.least, self.most)


def answer(state: State, game: Game) -> dict[str, Any]:
    """What is known of the position of a game.

    Raises Refused, with all that needs no table in its answer, where no table answers.
    """
    position = game.position
    if position.ending is not None:
        return _whole(game, _over_numbers(position), [], RULE)
    moves = _moves(position)
    try:
        tables = state.tables(position.rules, position.seeds)
        probe, moves = _valued(position, moves, tables)
    except MissingTierError as error:
        raise Refused("missing-tier", str(error), answer=_unvalued(game, moves)) from error
    except Refused as error:
        error.answer = _unvalued(game, moves)
        raise
    window = tables.window(position.seeds) if position.seeds in tables.tiers else WHOLE
    return _whole(game, _numbers(position, probe, window if window < position.seeds else None), moves, RULE)


def _moves(position: Position) -> list[ShownMove]:
    """The legal moves of a game that goes on, in house order."""
    shown = []
    for move in position.playable:
        after = position.after(move)
        shown.append(ShownMove(move, after, after.ending))
    return shown


def _valued(position: Position, moves: list[ShownMove], tables: Tables) -> tuple[Probe, list[ShownMove]]:
    """What the tables say of a position and its moves, best first. Raises MissingTierError."""
    board, first = position.canonical, position.turn * position.rules.pits
    probe, lead = tables.probe(board), lead_of(position)
    values = {value.house + first: value for value in tables.moves(board)}
    for shown in moves:
        shown.value = values[shown.move.house]
        if shown.ending == "repetition":
            shown.value = ended_value(position, shown.after, shown.value)
        shown.least, shown.most = _margins(position, lead, shown.value)
    if any(shown.ending == "repetition" for shown in moves):
        probe = _folded(probe, [shown.value for shown in moves if shown.value])
    return probe, in_order(moves, lambda shown: shown.outcome, lambda shown: shown.value)  # type: ignore[return-value]


def ended_value(position: Position, after: Position, value: MoveValue) -> MoveValue:
    """What a move is worth that ends the game as the position after it says, no majority."""
    result = after.result()
    assert result is not None
    margin = int(result[position.turn] - result[1 - position.turn]) - lead_of(position)
    bound = margin if position.rules.has_bounds else None
    distance = None if value.distance is None else int(margin != 0)
    return replace(value, value=margin, lower=bound, upper=bound, distance=distance, beyond=0)


def _folded(probe: Probe, moves: Sequence[MoveValue]) -> Probe:
    """What a position is worth whose moves are worth what these say."""
    best = max(moves, key=lambda move: move.value)
    if probe.lower is None or probe.upper is None:
        distance = None if probe.distance is None else best.distance
        return replace(probe, value=best.value, distance=distance, beyond=best.beyond)
    lower = max(move.lower for move in moves if move.lower is not None)
    upper = max(move.upper for move in moves if move.upper is not None)
    return replace(probe, value=best.value, lower=lower, upper=upper, distance=None, beyond=best.beyond)


def lead_of(position: Position) -> int:
    """Seeds in the mover's store less those in the opponent's."""
    return position.stores[position.turn] - position.stores[1 - position.turn]


def _margins(position: Position, lead: int, value: MoveValue) -> tuple[int, int]:
    """The least and most that the final margin of a move can be for its player, as far as tables tell."""
    if position.rules.has_bounds and (value.lower is None or value.upper is None):
        return lead - position.seeds, lead + position.seeds
    least, most = value.reach
    return lead + least, lead + most


# -- as JSON ----------------------------------------------------------------------------------------------------------


def _whole(game: Game, numbers: Number, moves: list[ShownMove], order: str) -> dict[str, Any]:
    position = game.position
    ending = position.ending
    return {
        "rules": rules_object(game.rules),
        "position": position_object(position),
        "game": {"start": game.start.text, "moves": list(game.moves)},
        **numbers,
        "over": _end_object(position) if ending is not None else None,
        "repeats": (position.board, position.turn) in position.seen,
        "history": len(position.seen),
        "order": order,
        "moves": [_move_object(position, shown) for shown in moves],
    }


def _unvalued(game: Game, moves: list[ShownMove]) -> dict[str, Any]:
    return _whole(game, _NO_NUMBERS | {"verdict": None}, moves, UNVALUED)


_NO_NUMBERS: Number = dict.fromkeys(("certainty", "value", "lower", "upper", "window", "distance", "final"))


def _bounds(answer: Probe | MoveValue) -> Number:
    """The bounds of a value: those of the rules, or where a window ends at it what lies beyond."""
    lower, upper = answer.reach if answer.beyond else (answer.lower, answer.upper)
    return {"lower": lower, "upper": upper}


def _numbers(position: Position, probe: Probe, window: int | None) -> Number:
    exact = probe.exact
    final = verdicts.final_of(position, probe.value) if exact else None
    if final is not None:
        verdict = verdicts.verdict(final)
    elif probe.rules.has_bounds and (probe.lower is None or probe.upper is None):
        verdict = f"Endless play split evenly: {verdicts.verdict(verdicts.final_of(position, probe.value))}"
    else:
        verdict = verdicts.bounded_verdict(position, *probe.reach)
    return {
        "certainty": "exact" if exact else "bounded",
        "value": probe.value,
        **_bounds(probe),
        "window": window,
        "distance": probe.distance,
        "final": final,
        "verdict": verdict,
    }


def _over_numbers(position: Position) -> Number:
    """A finished game: its value is what the end gives of the seeds on the board, nothing after a majority."""
    result = position.result()
    assert result is not None
    margin = int(result[position.turn] - result[1 - position.turn]) - lead_of(position)
    bound = margin if position.rules.has_bounds else None
    numbers = {"value": margin, "lower": bound, "upper": bound, "distance": 0}
    return _NO_NUMBERS | numbers | {"certainty": "over", "final": result, "verdict": verdicts.over_words(position)}


def _end_object(position: Position) -> dict[str, Any]:
    return {"how": position.ending, "final": position.result(), "words": verdicts.over_words(position)}


def _move_object(position: Position, shown: ShownMove) -> dict[str, Any]:
    move, after = shown.move, shown.after
    return {
        "move": position.letter(move.house),
        "house": move.house,
        "captured": move.captured,
        "sowing": position.sowing(move.house),
        "captures": move.taken,
        "slam": move.slam,
        "after": position_object(after),
        "ends": None if shown.ending is None else _end_object(after),
        **_move_numbers(position, shown),
    }


def _move_numbers(position: Position, shown: ShownMove) -> Number:
    value = shown.value
    if value is None:
        return _ended_numbers(position, shown) if shown.ending is not None else _NO_MOVE_NUMBERS
    exact = not value.beyond and (
        not position.rules.has_bounds or (value.lower is not None and value.lower == value.upper)
    )
    over = shown.ending is not None and shown.ending != "majority"
    return {
        "outcome": shown.outcome,
        "certainty": "over" if over else "exact" if exact else "bounded",
        "value": value.value,
        **_bounds(value),
        "window": None,
        "distance": value.distance,
        "final": verdicts.final_of(position, value.value) if exact else None,
        "verdict": verdicts.move_verdict(shown.least, shown.most),
    }


_NO_MOVE_NUMBERS: Number = _NO_NUMBERS | {"outcome": None, "verdict": None}


def _ended_numbers(position: Position, shown: ShownMove) -> Number:
    """A move that ends the game, where no table is needed to say what it leads to."""
    result = shown.after.result()
    assert result is not None
    margin = int(result[position.turn] - result[1 - position.turn])
    bound = margin - lead_of(position) if position.rules.has_bounds else None
    numbers = {"value": margin - lead_of(position), "lower": bound, "upper": bound, "final": result}
    known = {
        "certainty": "over",
        "outcome": outcome_of(margin, margin),
        "verdict": verdicts.move_verdict(margin, margin),
    }
    return _NO_MOVE_NUMBERS | numbers | known


# -- best play --------------------------------------------------------------------------------------------------------

_LINE_ENDS = {"over": "The game is over", "endless": "From here boards repeat", "limit": "The line goes on"}


def line(state: State, game: Game, limit: int) -> dict[str, Any]:
    """Best play by both sides, at most ``limit`` moves. Raises Refused, or MissingTierError where no table answers."""
    position, end, steps = game.position, "over", []
    if position.ending is None:
        found = state.tables(position.rules, position.seeds).line(position, limit)
        end = found.end
        for move in found.moves:
            letter = position.letter(move.house + position.turn * position.rules.pits)
            position = position.play(letter)
            step = {"move": letter, "captured": move.captured, "value": move.value, "distance": move.distance}
            steps.append(step | {"after": position_object(position)})
            if position.ending is not None:
                end = "over"
                break
    said = verdicts.over_words(position) if position.ending is not None else _LINE_ENDS[end]
    return {
        "rules": rules_object(game.rules),
        "position": position_object(game.position),
        "line": steps,
        "end": end,
        "words": said,
    }
