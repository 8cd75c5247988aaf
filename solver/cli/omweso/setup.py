"""``abapa omweso setup``: rate set-ups, suggest better ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from solver.cli.omweso.options import rules_options
from solver.cli.options import Seed, Whole, json_option, was_given
from solver.cli.output import print_json
from solver.cli.progress import progress_bar
from solver.omweso.position import Side
from solver.omweso.rules import OmwesoRules
from solver.omweso.setups import admitted_setups, fixed_setup, named_setups, parse_setup

if TYPE_CHECKING:
    from solver.omweso.ratings import Rating


@click.command(name="setup")
@click.argument("setups", nargs=-1, metavar="[SETUP]...")
@click.option("--against", multiple=True, metavar="SETUP", help="Rate against this set-up; may be repeated "
              "(default: the classic ones).")  # fmt: skip
@click.option("--depth", type=Whole(1, 30), default=8, show_default=True, help="Depth of the searches, in plies.")
@click.option("--tries", type=Whole(0), default=100, show_default=True,
              help="Number of changes to try in the search for a better set-up.")  # fmt: skip
@click.option("--seed", type=Seed(), default=1, show_default=True, help="Seed of the random changes.")
@rules_options
@json_option
def command(
    setups: tuple[str, ...],
    against: tuple[str, ...],
    depth: int,
    tries: int,
    seed: int,
    rules: OmwesoRules,
    as_json: bool,
) -> None:
    """Rate each SETUP (a name, or counts; default: the classic ones) and suggest a better one.

    A rating is the score that the search gives to the owner of the set-up, in seeds: the mean of playing first and
    playing second against every set-up of --against. The suggestion starts from the best rated set-up and moves seeds
    about as long as that helps.
    """
    from solver.omweso.game import UNITS_A_SEED
    from solver.omweso.ratings import SetupRater

    fixed = fixed_setup(rules) is not None
    if fixed and (was_given("tries") or was_given("seed")):
        raise click.UsageError(f"--tries, --seed: {rules.id} fixes the set-up, so there is none to suggest")
    if not tries and was_given("seed"):
        raise click.UsageError("--seed: with --tries 0 nothing is random: accepted are --tries of 1 or more")
    wanted = wanted_setups(rules, setups)
    opponents = [parse_setup(text, rules) for text in against] or list(named_setups(rules).values())
    rater = SetupRater(rules, opponents, depth)
    if not as_json:
        click.echo(f"{'set-up':<24}{'rating':>9}{'first':>9}{'second':>9}  (seeds; outer row, then inner row)")
    rated = []
    for name, side in wanted.items():
        rated.append(rater.rate(side))
        show(name, rated[-1], as_json)
    if tries and not fixed:
        best = max(rated, key=lambda rating: rating.score)
        with progress_bar(tries, "try", "suggesting") as bar:
            for better in rater.climb(best.setup, tries, seed):
                best = better
                bar.set_postfix_str(f"{best.score / UNITS_A_SEED:+.1f}")
        show("suggestion", best, as_json)


def wanted_setups(rules: OmwesoRules, texts: tuple[str, ...]) -> dict[str, Side]:
    """The set-ups to rate, by name: those named, else the classic ones that the rules admit. Raises PositionError."""
    named = {text: parse_setup(text, rules) for text in texts}
    if (fixed := fixed_setup(rules)) is not None:
        return {rules.setup.value: fixed}
    return named or admitted_setups(rules)


def show(name: str, rating: Rating, as_json: bool) -> None:
    """Print a rating, in seeds."""
    from solver.omweso.game import UNITS_A_SEED

    seeds = {"rating": rating.score, "first": rating.first, "second": rating.second}
    rounded = {kind: round(score / UNITS_A_SEED, 2) for kind, score in seeds.items()}
    if as_json:
        print_json({"name": name, "setup": list(rating.setup), **rounded})
    else:
        numbers = "".join(f"{value:>+9.1f}" for value in rounded.values())
        click.echo(f"{name:<24}{numbers}  {','.join(map(str, rating.setup))}")
