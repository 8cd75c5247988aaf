"""``abapa stats``: which tiers there are, and how often each value comes up in one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from solver.cli.answers import columns
from solver.cli.options import json_option, rules_option, tables_option
from solver.cli.output import print_json
from solver.rules import Rules

if TYPE_CHECKING:
    from databases.store import Table


@click.command
@rules_option
@tables_option
@click.option("--seeds", type=click.IntRange(0), help="One tier, with its histogram; without it, all tiers.")
@json_option
def command(rules: Rules, tables: Path, seeds: int | None, as_json: bool) -> None:
    """Count boards by value: a table of all tiers, or the histogram of one.

    A value is what the player to move wins more than the opponent, in seeds. Numbers come from the tables' attributes;
    abapa check proves them.
    """
    from databases.prober import MissingTierError, open_tables

    with open_tables(tables, rules) as opened:
        if seeds is not None and seeds not in opened.tiers:
            raise MissingTierError(tables, rules, seeds)
        chosen = [opened.tiers[seeds]] if seeds is not None else list(opened.tiers.values())
        if as_json:
            for table in chosen:
                print_json(_json(table))
        elif seeds is not None:
            click.echo(columns(_histogram_rows(chosen[0])))
        elif chosen:
            click.echo(columns(_tier_rows(chosen)))
        else:
            click.echo(f"no {rules.id} tables in {tables}")


def _json(table: Table) -> dict[str, Any]:
    data: dict[str, Any] = {"rules": table.rules.id, "seeds": table.seeds, "boards": table.positions}
    names = {"value": "values"}
    for quantity, histogram in table.histograms.items():
        data[names.get(quantity, quantity)] = {str(value): count for value, count in histogram.items()}
    return data


def _tier_rows(chosen: list[Table]) -> list[list[str]]:
    rows = [["seeds", "boards", "wins", "draws", "losses", "exact", "seconds", "holds"]]
    for table in chosen:
        wins = sum(count for value, count in table.histogram.items() if value > 0)
        losses = sum(count for value, count in table.histogram.items() if value < 0)
        exact = table.histograms.get("exact")
        rows.append(
            [
                str(table.seeds),
                *(f"{count:,}" for count in (table.positions, wins, table.positions - wins - losses, losses)),
                "" if exact is None else f"{100 * sum(exact.values()) / table.positions:.1f} %",
                f"{table.attributes['seconds']:.2f}",
                " ".join(table.quantities),
            ]
        )
    return rows


def _histogram_rows(table: Table) -> list[list[str]]:
    names = list(table.histograms)
    rows = [["margin", *names]]
    for margin in sorted({margin for histogram in table.histograms.values() for margin in histogram}, reverse=True):
        counts = [table.histograms[name].get(margin, 0) for name in names]
        rows.append([f"{margin:+d}" if margin else "0", *(f"{count:,}" for count in counts)])
    return rows
