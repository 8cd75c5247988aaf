"""``abapa omweso selfplay``: the program plays itself."""

from __future__ import annotations

import json

import click

from solver.cli.omweso.options import read_rules, rules_options
from solver.cli.omweso.searching import open_searcher, playing_rules, searcher_options
from solver.cli.options import DEPTH, Seconds, Whole, json_option
from solver.omweso.match import Match, Scoring, describe_end
from solver.omweso.position import turn_text
from solver.omweso.setups import fixed_setup, parse_setup


@click.command(name="selfplay")
@click.option("--games", type=Whole(1), default=1, show_default=True, help="Games to play.")
@click.option("--setup", "first", help="Set-up of who starts; all-two without.")
@click.option("--other-setup", "second", help="Set-up of the other; the same without.")
@click.option("--time", "seconds", type=Seconds(), help="Seconds a turn.")
@click.option("--depth", type=DEPTH, help="Depth a turn; 8 without a limit.")
@click.option("--scoring", default="points", show_default=True, help="As in points+okutema=front-row+akakyala=on.")
@rules_options
@searcher_options
@json_option
def command(
    games: int,
    first: str | None,
    second: str | None,
    seconds: float | None,
    depth: int | None,
    scoring: str,
    rules: str,
    columns: int | None,
    hash_mib: int,
    threads: int,
    as_json: bool,
) -> None:
    """Play games between equal players and print each: its turns, how it ended, the points.

    The players alternate who starts. With a fixed depth and one thread a game can be repeated to the turn.
    """
    from solver.cli.omweso.player import Player
    from solver.search.limits import MAX_DEPTH, Limits

    parsed = playing_rules(read_rules(rules, columns))
    fixed = fixed_setup(parsed)
    south = parse_setup(first, parsed) if first is not None else fixed or parse_setup("all-two", parsed)
    north = parse_setup(second, parsed) if second is not None else south
    limits = Limits(depth or (MAX_DEPTH if seconds else 8), seconds)
    match = Match(parsed, Scoring.parse(scoring))
    player = Player(open_searcher(parsed, hash_mib, threads, match.scoring.okutema), limits)
    for number in range(games):
        if match.winner is not None:
            match = Match(parsed, match.scoring)
        game = match.new_game(south, north)
        player.searcher.clear()
        texts = []
        while game.end is None:
            turn = player.choose(game)
            texts.append(turn_text(turn, parsed))
            game.play(turn)
        end = game.end
        match.record(end)
        if as_json:
            found = {
                "game": number + 1,
                "setups": [list(south), list(north)],
                "turns": texts,
                "end": end.name,
                "winner": end.winner,
                "points": end.points,
                "match": list(match.points),
            }
            click.echo(json.dumps(found, separators=(",", ":")))
        else:
            click.echo(f"game {number + 1}: {' '.join(texts)}")
            click.echo(f"  {describe_end(end)}; match {match.points[0]} : {match.points[1]}")
