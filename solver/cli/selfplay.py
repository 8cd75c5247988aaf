"""``abapa selfplay``: games of the engine against itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from solver.cli.engine import limits_options
from solver.cli.options import Seed, Whole, json_option, root_option, was_given
from solver.cli.output import print_json
from solver.cli.progress import progress_bar
from solver.cli.searching import OpenSearcher, searcher_options
from solver.oware.position import Position

if TYPE_CHECKING:
    from solver.search.limits import Limits


@click.command(name="selfplay")
@click.option("--games", type=Whole(1), default=1, show_default=True, help="Number of games.")
@limits_options("depth", "nodes", "seconds", stop="Stop each search", depth=10)
@click.option("--random-plies", type=Whole(0), default=6, show_default=True,
              help="Random moves before the engine takes over.")  # fmt: skip
@click.option("--seed", type=Seed(), default=0, show_default=True, help="Seed of the random moves.")
@root_option
@searcher_options
@json_option
def command(
    games: int,
    limits: Limits,
    random_plies: int,
    seed: int,
    root: Position,
    open_searcher: OpenSearcher,
    as_json: bool,
) -> None:
    """Play games of the engine against itself, and print them in Oware Game Notation.

    With --json each game is one object. The same seed with the same depth or number of nodes gives the same games.
    """
    if not random_plies and was_given("seed"):
        raise click.UsageError("--seed: with --random-plies 0 nothing is random: accepted are 1 or more")
    from solver.oware.ogn import Record, dump
    from solver.oware.selfplay import play_game

    with open_searcher(root.rules, root.seeds) as searcher, progress_bar(games, "game", "selfplay") as bar:
        for number in range(games):
            positions, letters = play_game(searcher, root, limits, random_plies, seed + number)
            if as_json:
                game = _json(root, positions[-1], letters)
                print_json(game | {"random_plies": random_plies, "seed": seed + number})
            else:
                tags = {"Event": "selfplay", "Round": str(number + 1), "South": "Abapa", "North": "Abapa"}
                click.echo(("\n" if number else "") + dump([Record.of(positions, letters, **tags)]), nl=False)
            bar.update(1)


def _json(root: Position, last: Position, letters: list[str]) -> dict[str, Any]:
    """A game for ``--json``."""
    return {
        "rules": last.rules.id,
        "start": root.text,
        "moves": "".join(letters),
        "end": last.ending,
        "final": last.result(),
    }
