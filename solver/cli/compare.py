"""``abapa compare``: compare tables with other people's files, position by position."""

from __future__ import annotations

from pathlib import Path

import click

from solver.cli.options import RealFile, json_option, tables_option
from solver.cli.output import print_json


@click.command
@click.argument("files", nargs=-1, required=True, type=RealFile(folders=True), metavar="FILE...")
@tables_option
@json_option
@click.pass_context
def command(context: click.Context, files: tuple[Path, ...], tables: Path, as_json: bool) -> None:
    """Compare awari tables with the Vrije Universiteit's files scores.N. The exit code is 1 if a position differs.

    FILE is a file called scores.N, where N is its number of seeds, or a folder of such files. The first position that
    differs is printed with both margins, from the view of the player to move, in seeds.
    """
    from databases.interchange import compare_scores, find_scores
    from databases.prober import MissingTierError, open_tables
    from solver.oware.rules import AWARI

    differing = 0
    with open_tables(tables, AWARI) as opened:
        scores = find_scores(list(files))
        for file in scores:
            opened.want_full([file.seeds], "abapa compare")
            if file.seeds not in opened.mapped:
                raise MissingTierError(tables, AWARI, file.seeds)
        for file in scores:
            found = compare_scores(opened.mapped[file.seeds], file)
            differing += found.differing
            if as_json:
                data = {"file": str(file.path), "seeds": found.seeds, "positions": found.positions}
                data["differing"] = found.differing
                if found.differing:
                    data["first"] = {
                        "number": found.first,
                        "board": list(found.board),
                        "file": found.in_file,
                        "table": found.in_table,
                    }
                print_json(data)
            else:
                click.echo(f"{file.path}: {found.words}")
    if differing:
        context.exit(1)
