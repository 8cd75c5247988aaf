"""``abapa probe``: what a position is worth, by the tables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from solver.cli.answers import (
    board_json,
    final_verdict,
    move_table,
    moves_json,
    numbers_json,
    over_json,
    verdict,
)
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
    """Say what a position is worth under perfect play, and each move.

    A position is 12 counts, South's houses A..F then North's a..f, separated by spaces, commas or "-", South to move;
    or the counts, two stores and the side to move, as in 4-4-4-4-4-4-4-4-4-4-4-4-0-0-S. Without one, positions are
    read from stdin, one a line.

    Values are from the view of the player to move, in seeds still on the board; scores name the mover's seeds first
    and count the stores. Of a finished game the value is the margin of the final stores, and --json adds how it ended
    and the final seeds, the mover's first.
    """
    from databases.prober import open_tables

    with open_tables(tables, rules) as opened:
        for number, position in enumerate(parse_positions(positions, rules)):
            if position.result() is not None:  # what it is worth needs no tables
                numbers, said, moves = over_json(position), final_verdict(position), []
            else:
                found, moves = opened.probe(position), opened.moves(position)
                numbers, said = numbers_json(found), verdict(position, found)
            if as_json:
                print_json(board_json(position) | numbers | {"moves": moves_json(position, moves)})
                continue
            gap = "\n" if number else ""
            click.echo(f"{gap}{position.draw()}\n\n{said}\n\n{move_table(position, moves)}")
