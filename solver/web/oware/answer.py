"""What a position of a game is worth, by the tables, and each of its moves, best first; best play from it.

A value counts the seeds on the board, as tables do: what the player to move will still win less what the opponent will.
Like theirs it takes the board as fresh, with two exceptions. A move that ends the game by repetition is worth what that
gives, and then the position is worth what its moves are. A majority ends the game, but values count on beyond it, as
everywhere in Abapa (docs/search.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from databases.prober import MissingTierError, MoveValue, Probe, Tables, best_first
from solver.errors import AbapaError
from solver.oware import verdicts
from solver.oware.kernels import needs, told_moves
from solver.oware.position import Position
from solver.web.errors import Refused
from solver.web.oware.game import Game, position_object, rules_object
from solver.web.oware.moves import NO_NUMBERS, Moves, Numbers, bounds_of, end_object, ended_value, final_margin, lead_of
from solver.web.oware.order import RULE, UNVALUED, by_outcome
from solver.web.state import State


def answer(state: State, game: Game) -> dict[str, Any]:
    """What is known of the position of a game.

    Raises Refused, with all that needs no table in its answer, where no table answers.
    """
    position = game.position
    if position.ending is not None:
        return _whole(game, _over_numbers(position), [], RULE)
    try:
        return _tabled(game, state.tables(position.rules, position.seeds))
    except MissingTierError as error:
        raise Refused("missing-tier", str(error), answer=_untabled(game)) from error
    except Refused as error:
        error.answer = _untabled(game)
        raise


def warm(state: State) -> None:
    """Compile what answers need, or load it: some seconds once, then a blink."""
    with suppress(AbapaError):
        answer(state, Game((Position.start(),), ""))


def _tabled(game: Game, tables: Tables) -> dict[str, Any]:
    """The answer of tables, moves best first. Raises MissingTierError."""
    position = game.position
    probe, values, told = tables.look_up(position.canonical)
    moves = Moves(position)
    ends = {house: ended for house, move in told.items() if (ended := moves.ended(move)) is not None}
    if any(ended.ending == "repetition" for ended in ends.values()):
        probe, values = _with_repetitions(position, ends, probe, values)
    shown = by_outcome([moves.valued(told[value.house], value, ends.get(value.house)) for value in values])
    return _whole(game, _numbers(position, probe, tables.cut(position.seeds)), shown, RULE)


def _untabled(game: Game) -> dict[str, Any]:
    """The answer where no table tells, moves in house order."""
    position = game.position
    moves = Moves(position)
    told = told_moves(position.rules, position.canonical, needs(position)[0])
    return _whole(game, NO_NUMBERS | {"verdict": None}, [moves.unvalued(move) for move in told], UNVALUED)


def _with_repetitions(
    position: Position, ends: Mapping[int, Position], probe: Probe, values: Sequence[MoveValue]
) -> tuple[Probe, list[MoveValue]]:
    """What a position and its moves are worth, best first, where some of ``ends`` end the game by repetition."""
    repeated = {house: ended for house, ended in ends.items() if ended.ending == "repetition"}
    worth = [
        ended_value(position, repeated[value.house], value) if value.house in repeated else value for value in values
    ]
    return _folded(probe, worth), sorted(worth, key=best_first)


def _folded(probe: Probe, moves: Sequence[MoveValue]) -> Probe:
    """What a position is worth whose moves are worth what these say."""
    best = max(moves, key=lambda move: move.value)
    if probe.lower is None or probe.upper is None:
        distance = None if probe.distance is None else best.distance
        return probe._replace(value=best.value, distance=distance, beyond=best.beyond)
    lower = max(move.lower for move in moves if move.lower is not None)
    upper = max(move.upper for move in moves if move.upper is not None)
    return probe._replace(value=best.value, lower=lower, upper=upper, distance=None, beyond=best.beyond)


# -- as JSON ----------------------------------------------------------------------------------------------------------


def _whole(game: Game, numbers: Numbers, moves: list[dict[str, Any]], order: str) -> dict[str, Any]:
    position = game.position
    shown = position_object(position)
    return {
        "rules": rules_object(game.rules),
        "position": shown,
        "game": {"start": game.start.text if game.moves else shown["text"], "moves": list(game.moves)},
        **numbers,
        "over": None if position.ending is None else end_object(position),
        "repeats": (position.board, position.turn) in position.seen,
        "history": len(position.seen),
        "order": order,
        "moves": moves,
    }


def _numbers(position: Position, probe: Probe, window: int | None) -> Numbers:
    exact = probe.exact
    final = verdicts.final_of(position, probe.value) if exact else None
    if final is not None:
        verdict = verdicts.verdict(final)
    elif probe.rules.has_bounds and (probe.lower is None or probe.upper is None):
        verdict = f"Endless play split evenly: {verdicts.verdict(verdicts.final_of(position, probe.value))}"
    else:
        verdict = verdicts.bounded_verdict(position, *probe.reach)
    lower, upper = bounds_of(probe)
    return {
        "certainty": "exact" if exact else "bounded",
        "value": probe.value,
        "lower": lower,
        "upper": upper,
        "window": window,
        "distance": probe.distance,
        "final": final,
        "verdict": verdict,
    }


def _over_numbers(position: Position) -> Numbers:
    """A finished game: its value is what the end gives of the seeds on the board, nothing after a majority."""
    margin = final_margin(position, position) - lead_of(position)
    bound = margin if position.rules.has_bounds else None
    numbers = {"value": margin, "lower": bound, "upper": bound, "distance": 0}
    said = {"certainty": "over", "final": position.result(), "verdict": verdicts.over_words(position)}
    return NO_NUMBERS | numbers | said


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
