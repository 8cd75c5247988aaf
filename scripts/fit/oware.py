"""Fit the weights of Oware's evaluation (solver/oware/game.py) and report the fit's error.

Least squares on the boards of self-play. What a board should be worth is the table's value where the board lies in
tables, else the score of the search that chose the move there, a few plies deeper than the evaluation sees. Prints the
weights as WEIGHTS wants them, with the error on games that were not used for the fit; beside it the error against the
margins that the games came to, which no evaluation can know.

To redo today's: build abapa's tables of 0..14 seeds with bounds (``abapa build``), run the line below, and put the last
line of its output in place of WEIGHTS, with the boards and errors it reports in the comment there. Weights are part of
the search: the node count of ``abapa bench`` changes with them.

    .venv/bin/python scripts/fit/oware.py --games 400 --tables DIR
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from databases.prober import Tables, open_tables
from solver.cli.options import rules_option, tables_option
from solver.oware.game import WEIGHTS, OwareGame, measure_boards
from solver.oware.kernels import pack, sowing_table
from solver.oware.position import Position
from solver.oware.rules import Rules
from solver.search.limits import Limits
from solver.search.searcher import Searcher

UNITS = 256  # of a weight, in one seed
Numbers = NDArray[np.float64]


@dataclass
class Sample:
    """One board of self-play: what the search or the table says it is worth, and what the game gave."""

    position: Position
    target: float
    outcome: float
    from_table: bool


def play(
    searcher: Searcher[Position], depth: int, tables: Tables | None, seeds: int, random: np.random.Generator
) -> list[Sample]:
    """The samples of one game, after 4 to 15 random plies."""
    position = Position.start(searcher.game.rules)  # type: ignore[attr-defined]
    samples: list[Sample] = []
    for ply in range(1000):
        if position.result() is not None:
            break
        if ply < 4 + random.integers(12):
            position = position.play(int(random.choice(position.legal_moves())))
            continue
        best = searcher.search_through(position, Limits(depth)).best
        known = tables.get(position) if tables is not None and position.seeds <= seeds else None
        target = best.score - searcher.game.lead(position) if known is None else known.value
        samples.append(Sample(position, target, 0.0, known is not None))
        position = searcher.game.play(position, best.moves[0])
    south, north = position.result() or position.stores
    for sample in samples:
        sign = 1 - 2 * sample.position.turn
        sample.outcome = (south - north) * sign - searcher.game.lead(sample.position)
    return samples


def measures(rules: Rules, samples: list[Sample]) -> Numbers:
    """The evaluation's measures of each sample, one row each."""
    rows = np.array([pack(sample.position) for sample in samples], np.uint64).reshape(-1, 2)
    out = np.empty((len(rows), len(WEIGHTS)), np.int64)
    measure_boards(sowing_table(rules.pits), rows, out)
    return out.astype(np.float64)


def report(name: str, x: Numbers, y: Numbers, weights: Numbers) -> None:
    """Error of rounded estimates, beside that of always saying the mean."""
    if len(y):
        error = y - np.floor(x @ weights / UNITS + 0.5)
        click.echo(f"{name:<36}{len(y):>8,} boards  rms {np.sqrt(np.mean(error**2)):5.2f} seeds, "
                   f"mean {np.mean(np.abs(error)):5.2f}; without evaluation rms {np.std(y):5.2f}")  # fmt: skip


@click.command()
@click.option("--games", default=1000, show_default=True, help="Games of self-play.")
@click.option("--depth", default=8, show_default=True, help="Depth of the searches in them.")
@click.option("--table-seeds", default=14, show_default=True, help="Use table values up to so many seeds.")
@click.option("--seed", default=1, show_default=True, help="Seed of the random moves.")
@rules_option
@tables_option
def main(games: int, depth: int, table_seeds: int, seed: int, rules: Rules, tables: Path) -> None:
    """Play, measure, fit, report."""
    random = np.random.default_rng(seed)
    searcher = Searcher(OwareGame(rules), hash_mib=16)
    opened = open_tables(tables, rules) if tables.is_dir() else None
    played = [play(searcher, depth, opened, table_seeds, random) for _ in range(games)]
    fitted = [sample for game in played[: games * 4 // 5] for sample in game]
    kept = [sample for game in played[games * 4 // 5 :] for sample in game]

    x, y = measures(rules, fitted), np.array([sample.target for sample in fitted])
    weights = np.round(np.linalg.lstsq(x, y, rcond=None)[0] * UNITS).astype(np.float64)
    report("used for the fit", x, y, weights)
    for name, vector in (("new", weights), ("today's", np.array(list(WEIGHTS.values()), np.float64))):
        for where, from_table in (("table values", True), ("search scores", False)):
            chosen = [sample for sample in kept if sample.from_table == from_table]
            x, y = measures(rules, chosen), np.array([sample.target for sample in chosen])
            report(f"not used, {where}, {name} weights", x, y, vector)
        report(f"not used, outcomes, {name} weights", measures(rules, kept),
               np.array([sample.outcome for sample in kept]), vector)  # fmt: skip
    click.echo("WEIGHTS = " + str({name: int(weight) for name, weight in zip(WEIGHTS, weights, strict=True)}))


if __name__ == "__main__":
    main()
