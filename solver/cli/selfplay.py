"""``abapa selfplay``: games of the engine against itself."""

from __future__ import annotations

import click

from solver.cli.options import DEPTH, NODES, Seconds, Seed, Whole, json_option
from solver.cli.output import print_json
from solver.cli.progress import progress_bar
from solver.cli.searching import OpenSearcher, searcher_options


@click.command(name="selfplay")
@click.option("--games", type=Whole(1), default=1, show_default=True, help="How many games.")
@click.option("--depth", type=DEPTH, help="Depth of each search, in plies; 10 without another limit.")
@click.option("--nodes", type=NODES, help="Nodes for each search.")
@click.option("--time", "seconds", type=Seconds(), help="Seconds for each search.")
@click.option("--random-plies", type=Whole(0), default=6, show_default=True,
              help="Random moves before the engine takes over.")  # fmt: skip
@click.option("--seed", type=Seed(), default=0, show_default=True, help="Seed of the random moves.")
@click.option("--position", default="start", show_default=True, help="Where the games begin.")
@searcher_options
@json_option
def command(
    games: int,
    depth: int | None,
    nodes: int | None,
    seconds: float | None,
    random_plies: int,
    seed: int,
    position: str,
    open_searcher: OpenSearcher,
    as_json: bool,
) -> None:
    """Play games of the engine against itself; Oware Game Notation, or with --json an object a game.

    The same seed and depth or nodes give the same games.
    """
    from solver.oware.ogn import Record, dump
    from solver.oware.selfplay import play_game
    from solver.search.limits import MAX_DEPTH, Limits

    if depth is None and nodes is None and seconds is None:
        depth = 10
    limits = Limits(MAX_DEPTH if depth is None else depth, seconds, nodes)
    start = open_searcher.position(position)
    with open_searcher() as searcher, progress_bar(games, "game", "selfplay") as bar:
        for number in range(games):
            positions, letters = play_game(searcher, start, limits, random_plies, seed + number)
            last = positions[-1]
            if as_json:
                print_json(
                    {
                        "rules": last.rules.id,
                        "start": start.text,
                        "moves": "".join(letters),
                        "end": last.ending,
                        "final": last.result(),
                        "random_plies": random_plies,
                        "seed": seed + number,
                    }
                )
            else:
                tags = {"Event": "selfplay", "Round": str(number + 1), "South": "Abapa", "North": "Abapa"}
                click.echo(("\n" if number else "") + dump([Record.of(positions, letters, **tags)]), nl=False)
            bar.update(1)
