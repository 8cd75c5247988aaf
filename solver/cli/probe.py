"""``abapa probe``: what a position is worth, by the tables."""

from __future__ import annotations

from pathlib import Path

import click

from solver.cli.answers import board_json, final_verdict, move_table, moves_json, numbers_json, over_json, verdict
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
    """Show what a position and each of its moves are worth under perfect play.

    A position is 12 counts: South's houses A..F, then North's a..f. Spaces, commas or "-" separate them; South is to
    move. The two stores and the side to move may follow, as in 4-4-4-4-4-4-4-4-4-4-4-4-0-0-S. If no position is given,
    positions are read from stdin, one per line. There, empty lines and lines that begin with # are passed over. A line
    that is wrong is named on stderr and the others are answered; the exit code is then 2.

    Values are from the view of the player to move, in seeds still on the board. Scores name the mover's seeds first and
    include the stores. The value of a finished game is the margin of the final stores; --json adds how the game ended
    and the final seeds, the mover's first.
    """
    from databases.prober import open_tables

    with open_tables(tables, rules) as opened:

        def answer(number: int, position: Position) -> None:
            if position.result() is not None:  # what it is worth needs no tables
                numbers, said, moves = over_json(position), final_verdict(position), []
            else:
                found, moves = opened.probe(position), opened.moves(position)
                numbers, said = numbers_json(found), verdict(position, found)
            if as_json:
                print_json(board_json(position) | numbers | {"moves": moves_json(position, moves)})
            else:
                gap = "\n" if number else ""
                click.echo(f"{gap}{position.draw()}\n\n{said}\n\n{move_table(position, moves)}")

        positions.each(answer)
