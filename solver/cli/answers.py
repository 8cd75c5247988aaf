"""How answers of tables read: sentences and columns for people, dictionaries for ``--json``.

Moves are letters of the side to move. Numbers are margins in seeds: a board's from the view of the player to move, a
move's from the view of the player who makes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from solver.cli.output import print_json, signed
from solver.oware.position import SIDES, SOUTH, Position
from solver.oware.verdicts import final_of, game_over, score

if TYPE_CHECKING:
    from databases.prober import MoveValue, Probe


def letter(position: Position, move: MoveValue) -> str:
    """The letter of a move of the side to move."""
    return position.letter(move.house + position.turn * position.rules.pits)


def final_score(position: Position, value: int) -> str:
    """The final seeds, the mover's first, if the mover wins ``value`` more of those on the board; halves as ``.5``."""
    south, north = final_of(position, value)
    return score((south, north) if position.turn == SOUTH else (north, south))


def final_verdict(position: Position) -> str:
    """How a finished game ended, in a sentence."""
    result = position.result()
    assert result is not None
    return f"{game_over(position)}: South {result[0]:g}, North {result[1]:g}"


def verdict(position: Position, probe: Probe) -> str:
    """What a probe of a game that goes on says, in a sentence or two."""
    mover, other = SIDES[position.turn], SIDES[1 - position.turn]
    final = final_score(position, probe.value)
    if probe.beyond > 0:
        text = f"{mover}, to move, wins at least {_more(probe.value)} than {other}: {final} or better from here"
    elif probe.beyond:
        text = f"{other} wins at least {_more(-probe.value)} than {mover}, to move: {final} or worse from here"
    elif probe.value == 0:
        text = f"{mover}, to move, and {other} win as many seeds as each other: {final} from here"
    else:
        text = f"{mover}, to move, wins {_more(probe.value)} than {other}: {final} from here"
    if not probe.rules.has_bounds or probe.lower is None or probe.upper is None:
        return text
    if probe.exact:
        return f"{text}\nExact: both can force it, whatever boards repeat"
    return (
        f"{text} (endless play split evenly)\n"
        f"Whatever boards repeat: {mover} can force {signed(probe.lower)} ({final_score(position, probe.lower)}), "
        f"{other} can hold {mover} to {signed(probe.upper)} ({final_score(position, probe.upper)})"
    )


def move_table(position: Position, moves: Sequence[MoveValue]) -> str:
    """Columns: the move, seeds captured, value, bounds and distance where there are any."""
    if not moves:
        return "no legal moves"
    rows = [["move", "captured", "value", "lower", "upper", "distance"]]
    for move in moves:
        rows.append(
            [letter(position, move), str(move.captured), value_text(move)]
            + ["" if margin is None else signed(margin) for margin in (move.lower, move.upper)]
            + ["" if move.distance is None else str(move.distance)]
        )
    return columns(rows)


def value_text(answer: Probe | MoveValue) -> str:
    """A value, and whether it is that, or more, or less: ``+3``, ``>= +1``."""
    relation = {0: "", 1: ">= ", -1: "<= "}[answer.beyond]
    return f"{relation}{signed(answer.value)}"


def columns(rows: list[list[str]]) -> str:
    """Right-aligned columns; those that are empty below their heading are left out."""
    kept = [column for column in zip(*rows, strict=True) if any(column[1:])]
    widths = [max(map(len, column)) for column in kept]
    lines = zip(*kept, strict=True)
    return "\n".join("  ".join(text.rjust(width) for text, width in zip(line, widths, strict=True)) for line in lines)


def over_json(position: Position) -> dict[str, Any]:
    """The numbers of a finished game: how it ended, the final seeds, mover first, and their difference as the value.

    Nothing is left to be won, so the table's value of the board says nothing: a majority leaves the seeds on the board
    where they are, and the end rule has given all others away. ``value`` (and the bounds, under rules that have any)
    is the margin of the final stores; with stores of 0 and no legal move it is what a table holds.
    """
    result = position.result()
    assert result is not None
    final = [result[position.turn], result[1 - position.turn]]
    value = int(final[0] - final[1])
    bounds = {"lower": value, "upper": value} if position.rules.has_bounds else {}
    return {"value": value, **bounds, "distance": 0, "over": position.ending, "final": final}


def print_over(position: Position, as_json: bool) -> None:
    """The answer of a search or a proof to a finished game: what :command:`abapa probe` says of it."""
    if as_json:
        print_json(board_json(position) | over_json(position) | {"moves": []})
    else:
        click.echo(final_verdict(position))


def board_json(position: Position) -> dict[str, Any]:
    """Which board it is, mover first, and under which rules."""
    return {"rules": position.rules.id, "board": list(position.canonical)}


def moves_json(position: Position, moves: Iterable[MoveValue]) -> list[dict[str, Any]]:
    """Each move: its letter, seeds captured, and numbers."""
    return [{"move": letter(position, move), "captured": move.captured} | numbers_json(move) for move in moves]


def numbers_json(answer: Probe | MoveValue) -> dict[str, int]:
    """Value, bounds and distance; those that do not apply are left out.

    ``beyond`` is there where a window ends at the value: 1 for so much or more, -1 for so much or less.
    """
    fields = {
        "value": answer.value,
        "beyond": answer.beyond or None,
        "lower": answer.lower,
        "upper": answer.upper,
        "distance": answer.distance,
    }
    return {name: number for name, number in fields.items() if number is not None}


def _more(value: int) -> str:
    seeds = "seed" if abs(value) == 1 else "seeds"
    return f"{abs(value)} {'more' if value > 0 else 'fewer'} {seeds}"
