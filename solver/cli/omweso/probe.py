"""``abapa omweso probe``: what a position of a solved board is worth."""

from __future__ import annotations

from pathlib import Path

import click

from solver.cli.omweso.options import root_argument
from solver.cli.options import json_option, tables_option
from solver.cli.output import print_json
from solver.omweso.position import OmwesoPosition, turn_text


@click.command(name="probe")
@root_argument
@tables_option
@json_option
def command(root: OmwesoPosition, tables: Path, as_json: bool) -> None:
    """Show what POSITION and each of its turns are worth, on a board that abapa omweso solve has solved.

    Value 1 means that the player to move wins, -1 that this player loses, 0 neither. Plies are those to the end under
    best play. The value of a turn is from the view of the player who makes it. The best turn comes first.
    """
    from databases.omweso.solve import outcome
    from databases.omweso.tables import SmallTables, fold_plies

    found = SmallTables(tables, root.rules, root.seeds)
    value, plies = outcome(found.plies(root))
    rows = []
    for turn, after in found.turns(root):
        worth, distance = outcome(fold_plies([after]))
        rows.append((-worth, distance if worth > 0 else -distance, turn_text(turn, root.rules), worth, distance))
    turns = [{"turn": text, "value": worth, "plies": distance} for _, _, text, worth, distance in sorted(rows)]
    if as_json:
        print_json({"value": value, "plies": plies, "turns": turns})
        return
    click.echo(root.draw())
    click.echo(f"value {value:+d}" + (f", {plies} plies" if value else ""))
    for turn in turns:
        click.echo(f"  {turn['turn']:<8} {turn['value']:+d}" + (f" {turn['plies']:>4} plies" if turn["value"] else ""))
