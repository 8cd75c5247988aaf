"""``abapa verify``: whether the numbers in tables are right."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from solver.cli.options import Whole, json_option, rules_option, tables_option
from solver.cli.output import print_json
from solver.errors import AbapaError
from solver.oware.rules import Rules

if TYPE_CHECKING:
    from databases.prober import Tables
    from databases.verifier import Counts, Verdict


@click.command
@rules_option
@tables_option
@click.option("--seeds", type=Whole(0), help="Verify the tiers of 0 to this many seeds; without it, all.")
@click.option("--independent", is_flag=True, help="Solve the tiers again with another engine and compare every number.")
@click.option(
    "--counts",
    type=click.Path(path_type=Path, readable=False),
    help="Compare with published counts: a CSV of seeds,value,count.",
)
@click.option("--threads", type=Whole(1), help="Threads; without it, all cores.")
@json_option
def command(
    rules: Rules,
    tables: Path,
    seeds: int | None,
    independent: bool,
    counts: Path | None,
    threads: int | None,
    as_json: bool,
) -> None:
    """Prove that tables are right, tier by tier; exit code 2 when one is not.

    Without --independent and --counts this is the proof by distance: one pass over tables built with --distance, tens
    of millions of boards a second, that finds any wrong value or distance. --independent takes far longer and covers
    lower and upper too. A tier is proved on the strength of the smaller ones, so all are verified.
    """
    from databases import verifier
    from databases.machine import check_threads, default_threads
    from databases.prober import MissingTierError, open_tables

    threads = threads or default_threads()
    check_threads(threads)
    published = verifier.read_counts(counts) if counts is not None else None
    with open_tables(tables, rules) as opened:
        top = seeds if seeds is not None else max(opened.tiers, default=-1)  # a gap below it is an error
        if top < 0:
            raise MissingTierError(tables, rules, 0)
        if published is not None:
            verifier.check_counts(opened, range(top + 1), published)  # before the long work of the other methods
        wrong = 0
        for method, verdict in _verdicts(opened, top, independent, published, threads):
            wrong += not verdict.right
            if as_json:
                print_json(_json(rules, method, verdict))
            else:
                click.echo(_line(rules, method, verdict))
    if wrong:
        raise AbapaError(
            f"{rules.id} tables in {tables} are wrong: see above; delete the first wrong one and build again"
        )


def _verdicts(
    tables: Tables, top: int, independent: bool, published: Counts | None, threads: int
) -> Iterator[tuple[str, Verdict]]:
    from databases import verifier

    if not independent and published is None:
        for verdict in verifier.prove(tables, range(top + 1), threads):
            yield "proved by distance", verdict
    if independent:
        for verdict in verifier.compare(tables, top, threads):
            yield "solved again", verdict
    if published is not None:
        for verdict in verifier.count(tables, range(top + 1), published):
            yield "as published", verdict


def _line(rules: Rules, method: str, verdict: Verdict) -> str:
    rate = verdict.boards / verdict.seconds / 1e6 if verdict.seconds else 0.0
    text = f"{rules.id} {verdict.seeds:2d}: {', '.join(verdict.checked)} "
    if verdict.right:
        return f"{text}{method}, {verdict.boards:,} boards in {verdict.seconds:.2f} s ({rate:.1f} million a second)"
    return f"{text}WRONG: {'; '.join(verdict.faults)}"


def _json(rules: Rules, method: str, verdict: Verdict) -> dict[str, object]:
    return {
        "rules": rules.id,
        "seeds": verdict.seeds,
        "method": method,
        "checked": list(verdict.checked),
        "boards": verdict.boards,
        "right": verdict.right,
        "faults": list(verdict.faults),
        "seconds": round(verdict.seconds, 6),
    }
