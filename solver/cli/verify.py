"""``abapa verify``: whether the numbers in tables are right."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from solver.cli.options import RealFile, Whole, json_option, rules_option, tables_option, thread_count, threads_option
from solver.cli.output import print_json
from solver.cli.progress import progress_bar
from solver.errors import AbapaError
from solver.oware.rules import Rules

if TYPE_CHECKING:
    from databases.prober import Tables
    from databases.verifier import Counts, Verdict


@click.command
@rules_option
@tables_option
@click.option("--seeds", type=Whole(0), help="Verify the tiers of 0 to this many seeds (default: all).")
@click.option("--independent", is_flag=True, help="Solve the tiers again with another engine and compare every number.")
@click.option(
    "--counts",
    type=RealFile(),
    help="Compare with published counts: a CSV file of seeds,value,count.",
)
@threads_option
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
    """Prove that tables are right, tier by tier. The exit code is 2 if one is wrong.

    Tables built with --distance are proved by distance: one pass that finds any wrong value or distance. Other tables,
    those of one game too, are proved by grounding: passes over the values that find any wrong value. --independent
    takes far longer and also covers lower and upper. The proof of a tier rests on the smaller ones, so all of them are
    verified.
    """
    from databases import verifier
    from databases.prober import MissingTierError, open_tables

    if threads is not None and counts is not None and not independent:
        raise click.UsageError("--threads: counting takes one thread: accepted is --threads with --independent")
    threads = thread_count(threads)
    published = verifier.read_counts(counts) if counts is not None else None
    with open_tables(tables, rules) as opened:
        top = seeds if seeds is not None else max(opened.tiers, default=-1)  # a gap below it is an error
        if top < 0:
            raise MissingTierError(tables, rules, 0)
        if published is not None:
            verifier.check_counts(opened, opened.resting(top), published)  # before the long work of the other methods
        wrong = 0
        for method, verdict in _verdicts(opened, top, independent, published, threads):
            wrong += not verdict.right
            if as_json:
                print_json(_json(rules, method, verdict))
            else:
                click.echo(_line(rules, method, verdict))
    if wrong:
        raise AbapaError(
            f"{rules.id} tables in {tables} are wrong, see above: delete the first wrong one and build it again"
        )


def _verdicts(
    tables: Tables, top: int, independent: bool, published: Counts | None, threads: int
) -> Iterator[tuple[str, Verdict]]:
    from databases import verifier

    if not independent and published is None:
        yield from _proofs(tables, tables.resting(top), threads)
    if independent:
        for verdict in verifier.compare(tables, top, threads):
            yield "solved again", verdict
    if published is not None:
        for verdict in verifier.count(tables, tables.resting(top), published):
            yield "as published", verdict


def _proofs(tables: Tables, tiers: list[int], threads: int) -> Iterator[tuple[str, Verdict]]:
    """Prove each tier by what it holds, with a bar of the boards settled so far."""
    from databases.grounding import prove_each

    boards = sum(tables.plain(n).positions for n in tiers)
    with progress_bar(boards, "board", "verify") as bar:
        proofs = prove_each(tables, tiers, threads, bar.update)
        for n in tiers:
            bar.set_description(f"tier {n}")
            verdict = next(proofs)
            with bar.external_write_mode():
                yield f"proved by {'distance' if 'distance' in verdict.checked else 'grounding'}", verdict


def _line(rules: Rules, method: str, verdict: Verdict) -> str:
    rate = verdict.boards / verdict.seconds / 1e6 if verdict.seconds else 0.0
    text = f"{rules.id} {verdict.seeds:2d}: {', '.join(verdict.checked)} "
    if verdict.right:
        return f"{text}{method}, {verdict.boards:,} boards in {verdict.seconds:.2f} s ({rate:.1f} million per second)"
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
