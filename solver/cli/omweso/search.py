"""``abapa omweso search``: search a position deeper and deeper."""

from __future__ import annotations

import json

import click

from solver.cli.omweso.options import history_options, read_position, rules_options
from solver.cli.omweso.searching import line_texts, open_searcher, searcher_options
from solver.cli.options import DEPTH, NODES, Seconds, Whole, json_option

DEFAULT_SECONDS = 3.0


@click.command(name="search")
@click.argument("position")
@click.option("--depth", type=DEPTH, help="Stop after this depth, in plies.")
@click.option(
    "--time", "seconds", type=Seconds(), help=f"Stop after so many seconds; {DEFAULT_SECONDS:g} without a limit."
)
@click.option("--nodes", type=NODES, help="Stop after so many nodes.")
@click.option("--multipv", type=Whole(1), default=1, show_default=True, metavar="N", help="Score the N best turns.")
@rules_options
@history_options
@searcher_options
@json_option
def command(
    position: str,
    depth: int | None,
    seconds: float | None,
    nodes: int | None,
    multipv: int,
    rules: str,
    columns: int | None,
    first_turn: bool,
    fresh: bool,
    hash_mib: int,
    threads: int,
    as_json: bool,
) -> None:
    """Search POSITION and print a line a depth.

    Scores are from the view of the player to move: "won in 7" and "lost in 4" count plies; all else is an estimate, in
    seeds. Turns of more than 10,000 laps are taken for endless, endless turns and repetition for draws.
    """
    from solver.omweso.game import plies_to_end, score_text
    from solver.search.limits import MAX_DEPTH, Limits
    from solver.search.searcher import Report

    root = read_position(position, rules, columns, first_turn, fresh)
    if depth is None and seconds is None and nodes is None:
        seconds = DEFAULT_SECONDS
    limits = Limits(MAX_DEPTH if depth is None else depth, seconds, nodes)
    searcher = open_searcher(root.rules, hash_mib, threads)

    headed = as_json

    def show(report: Report) -> None:
        nonlocal headed
        if not headed:  # with the first report: no error follows it
            click.echo(root.draw())
            click.echo("depth  score             nodes  nodes/s  principal variation")
            headed = True
        if not report.finished:
            return
        for line in report.lines:
            texts = line_texts(searcher, root, line)
            if as_json:
                found: dict[str, object] = {
                    "depth": report.depth,
                    "score": line.score,
                    "plies_to_end": plies_to_end(line.score),
                    "exact": line.exact,
                    "nodes": report.nodes,
                    "seconds": round(report.seconds, 4),
                    "turns": texts,
                }
                click.echo(json.dumps(found, separators=(",", ":")))
            else:
                click.echo(
                    f"{report.depth:>5}  {score_text(line.score):<10}{report.nodes:>13,}"
                    f"{report.nodes_per_second / 1e6:>8.2f}M  {' '.join(texts)}"
                )

    last = searcher.search(root, limits, multipv=multipv, on_depth=show)
    if not as_json:
        best = line_texts(searcher, root, last.best)[:1]
        click.echo(f"best: {' '.join(best)}, {score_text(last.best.score)} (depth {last.depth})")
