"""``abapa search``: search a position deeper and deeper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from solver.cli.options import DEPTH, NODES, Seconds, Whole, json_option
from solver.cli.output import print_json, signed
from solver.cli.searching import OpenSearcher, bounds_json, line_json, searcher_options
from solver.oware.position import Position

if TYPE_CHECKING:
    from solver.search.searcher import Report

DEFAULT_SECONDS = 5.0


@click.command(name="search")
@click.argument("position")
@click.option("--depth", type=DEPTH, help="Stop after this depth, in plies.")
@click.option(
    "--time", "seconds", type=Seconds(), help=f"Stop after so many seconds; {DEFAULT_SECONDS:g} without a limit."
)
@click.option("--nodes", type=NODES, help="Stop after so many nodes.")
@click.option("--exact", is_flag=True, help="Go on until the value is proven; exit code 1 if a limit comes first.")
@click.option("--multipv", type=Whole(1), default=1, show_default=True, metavar="N", help="Score the N best moves.")
@searcher_options
@json_option
@click.pass_context
def command(
    context: click.Context,
    position: str,
    depth: int | None,
    seconds: float | None,
    nodes: int | None,
    exact: bool,
    multipv: int,
    open_searcher: OpenSearcher,
    as_json: bool,
) -> None:
    """Search POSITION ("start" is the start position) and print a line a depth.

    Scores are final margins in seeds from the view of the player to move, stores included. "exact" is proven, from
    tables or ends of games; all else is an "estimate", with the proven bounds where there are any. Ctrl-C ends the
    search and keeps what was found. With --exact the exit code is 1 where the value is not proven in the end: a limit
    or depth 100 came first, or the value rests on endless play, which abapa solve can prove and a search cannot.
    """
    from solver.search.limits import MAX_DEPTH, Limits

    root = open_searcher.position(position)
    if depth is None and seconds is None and nodes is None and not exact:
        seconds = DEFAULT_SECONDS
    limits = Limits(MAX_DEPTH if depth is None else depth, seconds, nodes)
    show = (lambda report: print_json(report_json(root, report))) if as_json else Printer(root, multipv > 1)
    with open_searcher() as searcher:
        last = searcher.search(root, limits, multipv=multipv, on_depth=show)
        if not as_json:
            best = root.line(last.best.moves)[0]
            how = "exact" if last.exact else f"estimate of depth {last.depth}"
            click.echo(f"best: {best}, {signed(last.best.score)} ({how})")
            if exact and not last.exact:
                bounds = bounds_json(root, last.low, last.high)
                click.echo(f"not proven: the value lies from {signed(bounds['low'])} to {signed(bounds['high'])}")
        if searcher.interrupted:
            context.exit(130)
        if exact and not last.exact:
            context.exit(1)


class Printer:
    """Prints each report for people, as columns under a heading, which comes with the first: no error follows it."""

    def __init__(self, position: Position, moves_apart: bool) -> None:
        self.position, self.moves_apart = position, moves_apart
        self.headed = False

    def __call__(self, report: Report) -> None:
        if not self.headed:
            click.echo("depth  score                 nodes    nodes/s  table hits  principal variation")
            self.headed = True
        if not report.finished:
            return
        for number, line in enumerate(report.lines):
            exact = line.exact if self.moves_apart else report.exact
            score = f"{signed(line.score)} {'exact' if exact else 'estimate'}"
            letters = " ".join(self.position.line(line.moves))
            if number == 0:
                work = f"{report.nodes:>13,}  {report.nodes_per_second / 1e6:>7.2f}M  {report.table_hits:>10,}"
                click.echo(f"{report.depth:>5}  {score:<13}{work}  {letters}")
            else:
                click.echo(f"{'':>5}  {score:<13}{'':>37}{letters}")
        bounds = bounds_json(self.position, report.low, report.high)
        if not report.exact and bounds != bounds_json(self.position, -9999, 9999):
            click.echo(f"{'':>5}  proven: {signed(bounds['low'])} to {signed(bounds['high'])}")


def report_json(position: Position, report: Report) -> dict[str, Any]:
    """A depth for ``--json``."""
    return {
        "depth": report.depth,
        "finished": report.finished,
        "score": report.best.score,
        "exact": report.exact,
        **bounds_json(position, report.low, report.high),
        "nodes": report.nodes,
        "nps": report.nodes_per_second,
        "seconds": round(report.seconds, 6),
        "table_hits": report.table_hits,
        "best": position.line(report.best.moves)[0],
        "pv": position.line(report.best.moves),
        "moves": [line_json(position, line) for line in report.lines],
        "position": position.text,
        "rules": position.rules.id,
    }
