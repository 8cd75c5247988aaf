"""``abapa line``: best play from a position, by the tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from solver.cli.answers import board_json, columns, moves_json, numbers_json, over_json
from solver.cli.lists import POSITION_SETTINGS, Positions, positions_argument
from solver.cli.options import Whole, json_option, tables_option
from solver.cli.output import print_json
from solver.oware.position import Position
from solver.oware.rules import Rules

if TYPE_CHECKING:
    from databases.prober import Line

_ENDS = {
    "over": "no legal move is left",
    "endless": "from here boards repeat",
    "limit": "the line goes on (--limit)",
}


@click.command(context_settings=POSITION_SETTINGS)
@positions_argument
@tables_option
@click.option("--limit", type=Whole(1), default=200, show_default=True, help="Most moves to show.")
@json_option
def command(positions: Positions, rules: Rules, tables: Path, limit: int, as_json: bool) -> None:
    """Show best play by both sides from a position: each move, what it captures, its value for its player.

    Positions are written as for abapa probe. The line makes progress. If the tables hold distances, the player ahead
    takes the shortest way to the capture that gives the value, and the other player the longest. If not, both take
    the shortest way of best moves to the next capture.
    """
    from databases.prober import open_tables

    with open_tables(tables, rules) as opened:

        def answer(number: int, start: Position) -> None:
            steps, end = _play(start, opened.line(start, limit)) if start.result() is None else ([], "over")
            if as_json:
                moves = [step for step, _ in steps]
                numbers = numbers_json(opened.probe(start)) if start.result() is None else over_json(start)
                print_json(board_json(start) | numbers | {"line": moves, "end": end})
            else:
                click.echo(("\n" if number else "") + _table(steps))
                click.echo(_last_words(steps[-1][1] if steps else start, end))

        positions.each(answer)


def _play(start: Position, found: Line) -> tuple[list[tuple[dict[str, Any], Position]], str]:
    """Each move of the line and the position after it; a majority ends it, of which the tables know nothing."""
    steps, position = [], start
    for move in found.moves:
        step = moves_json(position, [move])[0]
        position = position.play(move.house + position.turn * position.rules.pits)
        steps.append((step, position))
        if position.ending == "majority":
            return steps, "over"
    return steps, found.end


def _table(steps: list[tuple[dict[str, Any], Position]]) -> str:
    fields = ["move", "captured", "value", "distance"]
    rows = [["", *fields, "after"]]
    for ply, (step, position) in enumerate(steps, 1):
        rows.append([str(ply), *(str(step.get(field, "")) for field in fields), position.text])
    return columns(rows) if steps else "no legal moves"


def _last_words(last: Position, end: str) -> str:
    result = last.result()
    if end == "over" and result is not None:
        how = "by a majority" if last.ending == "majority" else _ENDS[end]
        return f"{how}: South {result[0]:g}, North {result[1]:g}"
    return _ENDS[end]
