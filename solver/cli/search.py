"""``abapa search``: search a position, one depth after another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from solver.cli.answers import print_over
from solver.cli.engine import limits_options
from solver.cli.options import Whole, json_option, root_argument
from solver.cli.output import span
from solver.cli.reports import ReportPrinter
from solver.cli.searching import OpenSearcher, OwareNotation, leave, searcher_options
from solver.oware.position import Position

if TYPE_CHECKING:
    from solver.search.limits import Limits


@click.command(name="search")
@root_argument
@limits_options("depth", "seconds", "nodes", seconds=5, waived_by="exact")
@click.option("--exact", is_flag=True, help="Go on until the value is proven; exit code 1 if a limit comes first.")
@click.option("--multipv", type=Whole(1), default=1, show_default=True, metavar="N", help="Score the N best moves.")
@searcher_options
@json_option
def command(
    root: Position,
    limits: Limits,
    exact: bool,
    multipv: int,
    open_searcher: OpenSearcher,
    as_json: bool,
) -> None:
    """Search POSITION ("start" is the start position) and print one line per depth.

    Scores are final margins in seeds from the view of the player to move; they include the stores. An "exact" score is
    proven, from tables or from ends of games. Every other score is an "estimate", with the proven bounds where there
    are any. Ctrl-C ends the search and keeps what was found. A finished game has a result, and nothing is searched.

    --exact takes away the default limit. The exit code is 1 if the value is not proven at the end: a limit or depth 100
    came first, or the value rests on endless play, which abapa solve can prove and a search cannot.
    """
    if root.result() is not None:
        print_over(root, as_json)
        return
    notation = OwareNotation(root, multipv > 1)
    show = ReportPrinter(notation, as_json)
    with open_searcher(root.rules, root.seeds) as searcher:
        last = searcher.search(root, limits, multipv=multipv, on_depth=show)
        show.conclude(last)
        if exact and not last.exact and not as_json:
            click.echo(f"not proven: the value lies from {span(**notation.bounds(last))}")
        leave(searcher, last.exact or not exact)
