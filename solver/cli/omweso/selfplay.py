"""``abapa omweso selfplay``: the program plays itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from solver.cli.engine import limits_options
from solver.cli.omweso.options import rules_options
from solver.cli.omweso.searching import OpenSearcher, playing_rules, searcher_options
from solver.cli.options import Whole, json_option
from solver.cli.output import print_json
from solver.omweso.match import GameEnd, Match, Scoring, describe_end
from solver.omweso.position import Side, turn_text
from solver.omweso.rules import OmwesoRules
from solver.omweso.setups import fixed_setup, parse_setup

if TYPE_CHECKING:
    from solver.cli.omweso.player import Player
    from solver.search.limits import Limits


@click.command(name="selfplay")
@click.option("--games", type=Whole(1), default=1, show_default=True, help="Number of games.")
@click.option("--setup", "first", help="Set-up of the player who starts (default: all-two).")
@click.option("--other-setup", "second", help="Set-up of the other player (default: the same).")
@limits_options("seconds", "depth", stop="Each player stops thinking", depth=8)
@click.option("--scoring", default="points", show_default=True,
              help="Scoring, as in points+okutema=front-row+akakyala=on.")  # fmt: skip
@rules_options
@searcher_options
@json_option
def command(
    games: int,
    first: str | None,
    second: str | None,
    limits: Limits,
    scoring: str,
    rules: OmwesoRules,
    open_searcher: OpenSearcher,
    as_json: bool,
) -> None:
    """Play games between equal players. Print the turns of each game, how it ended, and the points.

    The players take turns in starting. With a fixed depth and one thread the same command gives the same games.
    """
    from solver.cli.omweso.player import Player

    rules = playing_rules(rules)
    setups = _setups(rules, first, second)
    match = Match(rules, Scoring.parse(scoring))
    player = Player(open_searcher(rules, match.scoring.okutema), limits)
    for number in range(1, games + 1):
        if match.winner is not None:
            match = Match(rules, match.scoring)
        texts, end = _play(match, setups, player)
        if as_json:
            print_json(_json(number, setups, texts, end, match))
        else:
            click.echo(f"game {number}: {' '.join(texts)}")
            click.echo(f"  {describe_end(end)}; match {match.points[0]} : {match.points[1]}")


def _setups(rules: OmwesoRules, first: str | None, second: str | None) -> tuple[Side, Side]:
    """The set-ups of who starts and of the other. Raises PositionError."""
    south = parse_setup(first, rules) if first is not None else fixed_setup(rules) or parse_setup("all-two", rules)
    return south, parse_setup(second, rules) if second is not None else south


def _play(match: Match, setups: tuple[Side, Side], player: Player) -> tuple[list[str], GameEnd]:
    """Play the next game of a match and record it: its turns, and how it ended, the winner being a side."""
    game = match.new_game(*setups)
    player.searcher.clear()
    texts = []
    while game.end is None:
        turn = player.choose(game)
        texts.append(turn_text(turn, match.rules))
        game.play(turn)
    match.record(game.end)
    return texts, game.end


def _json(number: int, setups: tuple[Side, Side], texts: list[str], end: GameEnd, match: Match) -> dict[str, Any]:
    """A game for ``--json``, and the score of the match after it."""
    return {
        "game": number,
        "rules": match.rules.id,
        "scoring": match.scoring.id,
        "setups": [list(side) for side in setups],
        "turns": texts,
        "end": end.name,
        "winner": end.winner,
        "points": end.points,
        "match": list(match.points),
    }
