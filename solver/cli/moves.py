"""``abapa moves``: every legal move of a position and what it is worth, by the tables."""

from __future__ import annotations

from pathlib import Path

import click

from solver.cli.answers import board_json, move_table, moves_json
from solver.cli.lists import POSITION_SETTINGS, Positions, positions_argument
from solver.cli.options import json_option, tables_option
from solver.cli.output import print_json
from solver.oware.position import Position
from solver.oware.rules import Rules


@click.command(context_settings=POSITION_SETTINGS)
@positions_argument
@tables_option
@json_option
def command(positions: Positions, rules: Rules, tables: Path, as_json: bool) -> None:
    """List the legal moves of a position, best first, each with its value for the player who makes it.

    Positions are written as for abapa probe. The order is decided by the value; then by the distance (shorter wins,
    longer losses); then by what is certain (lower, upper); then by the capture, the larger first; then by the house.
    """
    from databases.prober import open_tables

    with open_tables(tables, rules) as opened:

        def answer(number: int, position: Position) -> None:
            moves = [] if position.result() else opened.moves(position)
            if as_json:
                print_json(board_json(position) | {"moves": moves_json(position, moves)})
            else:
                click.echo(("\n" if number else "") + move_table(position, moves))

        positions.each(answer)
