"""Fit the weights of Oware's evaluation (solver/search/oware.py) and report the fit's error.

Least squares on two kinds of boards: those of self-play, whose target is the margin that the rest of the game gave; and
those of self-play that fall into tables, whose target is the table's value. Prints the weights as WEIGHTS wants them,
with the error on games that were not used for the fit.

    scripts/fit_oware.py --games 400 --table-seeds 14
"""

from __future__ import annotations

import sys
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from databases.prober import open_tables
from solver.cli.options import rules_option, tables_option
from solver.kernels.oware import pack, sowing_table
from solver.oware import Position
from solver.rules import Rules
from solver.search.oware import WEIGHTS, OwareGame, measure_boards
from solver.search.searcher import Limits, Searcher

UNITS = 256  # of a weight, in one seed
RANDOM_PLIES = 12
RANDOM_MOVE = 0.05  # how often self-play leaves the engine's move, so that bad boards are seen too


def play(searcher: Searcher[Position], depth: int, random: np.random.Generator) -> tuple[list[Position], float]:
    """One game: its positions after the random opening, and South's final margin."""
    position = Position.start(searcher.game.rules)  # type: ignore[attr-defined]
    positions: list[Position] = []
    ply = 0
    while (result := position.result()) is None:
        if ply < RANDOM_PLIES or random.random() < RANDOM_MOVE:
            position = position.play(int(random.choice(position.legal_moves())))
        else:
            positions.append(position)
            best = searcher.search(position, Limits(depth)).best
            position = searcher.game.play(position, best.moves[0])
        ply += 1
    return positions, result[0] - result[1]


def measures(rules: Rules, positions: list[Position]) -> NDArray[np.float64]:
    """The evaluation's measures of each position, one row each."""
    rows = np.array([pack(position) for position in positions], np.uint64)
    out = np.empty((len(rows), len(WEIGHTS)), np.int64)
    measure_boards(sowing_table(rules.pits), rows, out)
    return out.astype(np.float64)


def report(name: str, x: NDArray[np.float64], y: NDArray[np.float64], weights: NDArray[np.float64]) -> None:
    """Error of rounded estimates, beside that of always saying the mean."""
    error = y - np.floor(x @ weights / UNITS + 0.5)
    click.echo(f"{name:<22}{len(y):>9,} boards   error {np.sqrt(np.mean(error**2)):.2f} seeds (rms), "
               f"{np.mean(np.abs(error)):.2f} (mean);  without evaluation {np.std(y):.2f}")  # fmt: skip


@click.command()
@click.option("--games", default=400, show_default=True, help="Games of self-play.")
@click.option("--depth", default=8, show_default=True, help="Depth of the searches in them.")
@click.option("--table-seeds", default=14, show_default=True, help="Use table values up to so many seeds.")
@click.option("--seed", default=1, show_default=True, help="Seed of the random moves.")
@rules_option
@tables_option
def main(games: int, depth: int, table_seeds: int, seed: int, rules: Rules, tables: Path) -> None:
    """Play, measure, fit, report."""
    random = np.random.default_rng(seed)
    searcher = Searcher(OwareGame(rules), hash_mib=16)
    played = [play(searcher, depth, random) for _ in range(games)]
    sets: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = []
    for chosen in (played[: games * 4 // 5], played[games * 4 // 5 :]):
        positions = [(position, margin) for game, margin in chosen for position in game]
        large = [(p, m * (1 - 2 * p.turn) - (p.stores[p.turn] - p.stores[1 - p.turn])) for p, m in positions
                 if p.seeds > table_seeds]  # fmt: skip
        sets.append((measures(rules, [p for p, _ in large]), np.array([m for _, m in large])))
        if tables.is_dir():
            with open_tables(tables, rules) as opened:
                small = [p for p, _ in positions if p.seeds <= min(table_seeds, opened.seeds)]
                if small:
                    values = [opened.probe(p).value for p in small]
                    sets.append((measures(rules, small), np.array(values, np.float64)))
    half = len(sets) // 2
    x = np.concatenate([x for x, _ in sets[:half]])
    y = np.concatenate([y for _, y in sets[:half]])
    weights = np.round(np.linalg.lstsq(x, y, rcond=None)[0] * UNITS).astype(np.float64)
    names = ["self-play", "tables"]
    for number, (x, y) in enumerate(sets):
        report(("fitted, " if number < half else "not used, ") + names[number % half], x, y, weights)
    current = np.array(list(WEIGHTS.values()), np.float64)
    for number, (x, y) in enumerate(sets[half:]):
        report(f"today's, {names[number]}", x, y, current)
    click.echo("WEIGHTS = " + str({name: int(weight) for name, weight in zip(WEIGHTS, weights, strict=True)}))


if __name__ == "__main__":
    main()
