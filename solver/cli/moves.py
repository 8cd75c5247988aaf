"""``abapa moves``: every legal move of a position and what it is worth, by the tables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from solver.cli.answers import board_json, move_table, moves_json
from solver.cli.options import (
    POSITION_SETTINGS,
    json_option,
    parse_positions,
    positions_argument,
    rules_option,
    tables_option,
)
from solver.cli.output import print_json
from solver.oware.rules import Rules


@click.command(context_settings=POSITION_SETTINGS)
@positions_argument
@rules_option
@tables_option
@json_option
def command(positions: Iterator[tuple[str, str]], rules: Rules, tables: Path, as_json: bool) -> None:
    """List the legal moves of a position, best first, each with its value for the player who makes it.

    Positions are written as for abapa probe. Order: value, shorter wins and longer losses, what is certain (lower,
    upper), larger captures, house order.
    """
    from databases.prober import open_tables

    with open_tables(tables, rules) as opened:
        for number, position in enumerate(parse_positions(positions, rules)):
            moves = [] if position.result() else opened.moves(position)
            if as_json:
                print_json(board_json(position) | {"moves": moves_json(position, moves)})
            else:
                click.echo(("\n" if number else "") + move_table(position, moves))
