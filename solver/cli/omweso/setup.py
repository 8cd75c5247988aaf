"""``abapa omweso setup``: rate set-ups, suggest better ones."""

from __future__ import annotations

import json

import click

from solver.cli.omweso.options import read_rules, rules_options
from solver.cli.options import Seed, Whole, json_option
from solver.cli.progress import progress_bar
from solver.omweso.setups import fixed_setup, named_setups, parse_setup


@click.command(name="setup")
@click.argument("setups", nargs=-1, metavar="[SETUP]...")
@click.option("--against", multiple=True, metavar="SETUP", help="Rate against this set-up (repeat for several).")
@click.option("--depth", type=Whole(1, 30), default=8, show_default=True, help="Depth of the searches, in plies.")
@click.option(
    "--tries",
    type=Whole(0),
    default=100,
    show_default=True,
    help="Changes to try in the hunt for a better one.",
)
@click.option("--seed", type=Seed(), default=1, show_default=True, help="Seed of the hunt.")
@rules_options
@json_option
def command(
    setups: tuple[str, ...],
    against: tuple[str, ...],
    depth: int,
    tries: int,
    seed: int,
    rules: str,
    columns: int | None,
    as_json: bool,
) -> None:
    """Rate each SETUP (a name, or counts), the classic ones without any, and suggest a better one.

    A rating is the search's score for the owner of the set-up, in seeds, on the mean of playing first and second
    against every set-up of --against (the classic ones without). The suggestion starts from the best one rated and
    moves seeds about as long as that helps.
    """
    from solver.omweso.game import UNITS_A_SEED
    from solver.omweso.ratings import Rating, SetupRater

    parsed = read_rules(rules, columns)
    classic = named_setups(parsed)
    wanted = {text: parse_setup(text, parsed) for text in setups} or dict(classic)
    if (fixed := fixed_setup(parsed)) is not None:
        wanted, tries = {parsed.setup.value: fixed}, 0
    elif not setups and parsed.pit_cap is not None:
        wanted = {name: side for name, side in classic.items() if max(side) <= parsed.pit_cap}
    opponents = [parse_setup(text, parsed) for text in against] or list(classic.values())
    rater = SetupRater(parsed, opponents, depth)

    def show(name: str, rating: Rating) -> None:
        seeds = {"rating": rating.score, "first": rating.first, "second": rating.second}
        rounded = {kind: round(score / UNITS_A_SEED, 2) for kind, score in seeds.items()}
        if as_json:
            found = {"name": name, "setup": list(rating.setup), **rounded}
            click.echo(json.dumps(found, separators=(",", ":")))
        else:
            numbers = "".join(f"{value:>+9.1f}" for value in rounded.values())
            click.echo(f"{name:<24}{numbers}  {','.join(map(str, rating.setup))}")

    if not as_json:
        click.echo(f"{'set-up':<24}{'rating':>9}{'first':>9}{'second':>9}  (seeds; outer row, then inner row)")
    rated = {}
    for name, side in wanted.items():
        rated[name] = rater.rate(side)
        show(name, rated[name])
    if tries:
        best = max(rated.values(), key=lambda rating: rating.score)
        with progress_bar(tries, "try", "suggesting") as bar:
            for better in rater.climb(best.setup, tries, seed):
                best = better
                bar.set_postfix_str(f"{best.score / UNITS_A_SEED:+.1f}")
        show("suggestion", best)
