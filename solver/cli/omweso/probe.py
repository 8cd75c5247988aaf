"""``abapa omweso probe``: what a position of a solved board is worth."""

from __future__ import annotations

import json
from pathlib import Path

import click

from solver.cli.omweso.options import history_options, read_position, rules_options
from solver.cli.options import json_option, tables_option
from solver.omweso.position import turn_text


@click.command(name="probe")
@click.argument("position")
@rules_options
@history_options
@tables_option
@json_option
def command(
    position: str, rules: str, columns: int | None, first_turn: bool, fresh: bool, tables: Path, as_json: bool
) -> None:
    """Say what POSITION, of a board solved by abapa omweso solve, is worth, and each turn, best first.

    1 the player to move wins, -1 loses, 0 neither; with the plies to the end under best play. A turn's value is for
    the player who makes it.
    """
    from databases.omweso.solve import outcome
    from databases.omweso.tables import SmallTables, fold_plies

    root = read_position(position, rules, columns, first_turn, fresh)
    found = SmallTables(tables, root.rules, root.seeds)
    value, plies = outcome(found.plies(root))
    rows = []
    for turn, after in found.turns(root):
        worth, distance = outcome(fold_plies([after]))
        rows.append((-worth, distance if worth > 0 else -distance, turn_text(turn, root.rules), worth, distance))
    turns = [{"turn": text, "value": worth, "plies": distance} for _, _, text, worth, distance in sorted(rows)]
    if as_json:
        click.echo(json.dumps({"value": value, "plies": plies, "turns": turns}, separators=(",", ":")))
        return
    click.echo(root.draw())
    click.echo(f"value {value:+d}" + (f", {plies} plies" if value else ""))
    for turn in turns:
        click.echo(f"  {turn['turn']:<8} {turn['value']:+d}" + (f" {turn['plies']:>4} plies" if turn["value"] else ""))
