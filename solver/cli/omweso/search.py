"""``abapa omweso search``: search a position, one depth after another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from solver.cli.engine import limits_options
from solver.cli.omweso.options import root_argument
from solver.cli.omweso.searching import OmwesoNotation, OpenSearcher, searcher_options
from solver.cli.options import Whole, json_option
from solver.cli.reports import ReportPrinter
from solver.omweso.position import OmwesoPosition

if TYPE_CHECKING:
    from solver.search.limits import Limits


@click.command(name="search")
@root_argument
@limits_options("depth", "seconds", "nodes", seconds=3)
@click.option("--multipv", type=Whole(1), default=1, show_default=True, metavar="N", help="Score the N best turns.")
@searcher_options
@json_option
def command(root: OmwesoPosition, limits: Limits, multipv: int, open_searcher: OpenSearcher, as_json: bool) -> None:
    """Search POSITION and print one line per depth.

    Scores are from the view of the player to move. "won in 7" and "lost in 4" count plies; every other score is an
    estimate: in seeds, no more than are on the board, and as the chance of winning in percent, on boards of 8 columns.
    Turns of more than 10,000 laps count as endless. Endless turns and repetition count as draws.
    """
    searcher = open_searcher(root.rules)
    show = ReportPrinter(OmwesoNotation(searcher, root), as_json)
    show.conclude(searcher.search(root, limits, multipv=multipv, on_depth=show))
