"""Fit the weights of Omweso's evaluation (``solver.search.omweso.WEIGHTS``) from games of its own.

Run ``.venv/bin/python scripts/fit_omweso.py [GAMES] [DEPTH]``: it plays games between equal players of a fixed depth
from random and classic set-ups, with some random turns for variety, and finds by logistic regression which weights best
tell from a position who will win (a draw is half a win). It prints the weights, scaled so that a seed is worth
UNITS_A_SEED, and how well they tell on games that were not fitted. Paste them in; they are rounded, so a second run
with more games differs in the last digits. Deterministic for given arguments.
"""

from __future__ import annotations

import json
import sys

import numpy as np
from numpy.typing import NDArray

from solver.kernels.compile import kernel
from solver.kernels.omweso import FIRST_TURN, FIRST_TURN_OF_OTHER, FRESH, pack
from solver.omweso.rules import TOURNAMENT
from solver.omweso.setups import CLASSIC
from solver.search.game import final
from solver.search.game import generate as generate_children
from solver.search.negamax import negamax
from solver.search.omweso import ESTIMATE_LIMIT, UNITS_A_SEED, WEIGHTS, OmwesoGame, features
from solver.search.worker import INFINITY, new_worker

U = np.uint64
COUNTS = U((1 << 63) - 1)
MOST_PLIES = 160
FEATURES = len(WEIGHTS)


@kernel
def play_game(game, worker, depth, picks, noise, rows):
    """Play from ``state[0]``; write the features of every position to ``rows`` (int64 [plies, FEATURES]).

    The first turns, and where ``noise`` says so later ones, are those that ``picks`` names. Returns how many positions
    were written and the outcome for the first mover: 1, 0 or -1. ``tempo`` is 1.
    """
    state = worker["state"]
    for ply in range(MOST_PLIES):
        count = generate_children(game, worker, np.int64(0))
        if count == 0:
            score = final(game, worker, np.int64(0))
            outcome = 0 if score == 0 else (1 if score > 0 else -1)
            return ply, (outcome if ply % 2 == 0 else -outcome)
        outer, inner = state[U(0), U(0)] & COUNTS, state[U(0), U(1)] & COUNTS
        foe_outer, foe_inner = state[U(0), U(2)] & COUNTS, state[U(0), U(3)]
        record = game.record
        counted = features(record["laps"], record["columns"], record["reverse"], outer, inner, foe_outer, foe_inner)
        for i in range(len(counted)):
            rows[ply, i] = counted[i]
        rows[ply, FEATURES - 1] = 1
        if noise[ply]:
            code = picks[ply] % count
        else:
            score = negamax(game, worker, np.int64(0), np.int64(-INFINITY), np.int64(INFINITY), np.int64(depth))
            code = np.int64(worker["line"][0, 0])
            if abs(score) > ESTIMATE_LIMIT:
                return ply + 1, (1 if (score > 0) == (ply % 2 == 0) else -1)
            generate_children(game, worker, np.int64(0))
        for word in range(4):
            state[U(0), U(word)] = worker["child"][U(0), U(code), U(word)]
    return MOST_PLIES, 0


def random_setup(rng: np.random.Generator) -> tuple[int, ...]:
    """A classic set-up, or 32 seeds spread over some of the pits."""
    if rng.random() < 0.3:
        return list(CLASSIC.values())[rng.integers(len(CLASSIC))]
    return tuple(rng.multinomial(32, rng.dirichlet(np.full(16, rng.choice([0.3, 1.0, 5.0])))).tolist())


def play_games(
    games: int, depth: int, seed: int = 1
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Features of every position, its mover's result (1, 0.5, 0) and the number of its game."""
    rng = np.random.default_rng(seed)
    game, worker = OmwesoGame(TOURNAMENT), new_worker()
    stop = np.zeros(1, U)
    worker[0]["stop"], worker[0]["budget"] = stop.ctypes.data, 1 << 60
    flags = [(1 << 63) if bit else 0 for bit in (FIRST_TURN, FIRST_TURN_OF_OTHER, FRESH)]
    found: list[NDArray[np.int64]] = []
    results: list[NDArray[np.float64]] = []
    for _ in range(games):
        words = [*pack(random_setup(rng)), *pack(random_setup(rng))]
        worker[0]["state"][0] = [word | flag for word, flag in zip(words, [*flags, 0], strict=True)]
        noise = rng.random(MOST_PLIES) < 0.08
        noise[: rng.integers(2, 7)] = True
        rows = np.zeros((MOST_PLIES, FEATURES), np.int64)
        picks = rng.integers(1 << 30, size=MOST_PLIES)
        count, outcome = play_game(game.kernels, worker[0], depth, picks, noise, rows)
        if count > 4:
            found.append(rows[4:count])
            signs = np.where(np.arange(4, count) % 2 == 0, outcome, -outcome)
            results.append((1 + signs) / 2)
    numbers = np.repeat(np.arange(len(found)), [len(rows) for rows in found])
    return np.concatenate(found).astype(float), np.concatenate(results), numbers


def fit(rows: NDArray[np.float64], results: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logistic regression by Newton's method, a whiff of ridge."""
    weights = np.zeros(rows.shape[1])
    for _ in range(30):
        chance = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (results - chance) - 1e-3 * weights
        curve = (rows * (chance * (1 - chance))[:, None]).T @ rows + 1e-3 * np.eye(rows.shape[1])
        step = np.linalg.solve(curve, slope)
        weights += step
        if np.abs(step).max() < 1e-9:
            break
    return weights


def loss(rows: NDArray[np.float64], results: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    """Mean cross entropy in bits."""
    chance = np.clip(1 / (1 + np.exp(-rows @ weights)), 1e-9, 1 - 1e-9)
    return float(-(results * np.log2(chance) + (1 - results) * np.log2(1 - chance)).mean())


def main() -> None:
    """Play, fit, print."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    depth = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    rows, results, numbers = play_games(games, depth)
    fitted = numbers % 5 != 0
    weights = fit(rows[fitted], results[fitted])
    seeds_only = np.zeros_like(weights)
    seeds_only[0] = fit(rows[fitted][:, :1], results[fitted])[0]
    scale = 256 * UNITS_A_SEED / weights[0]
    print(
        json.dumps(
            {
                "games": games,
                "depth": depth,
                "positions": len(rows),
                "bits_untold": round(loss(rows[~fitted], results[~fitted], 0 * weights), 4),
                "bits_seeds_only": round(loss(rows[~fitted], results[~fitted], seeds_only), 4),
                "bits": round(loss(rows[~fitted], results[~fitted], weights), 4),
                "units_a_logit": round(scale / 256, 1),
                "weights": {name: round(w * scale) for name, w in zip(WEIGHTS, weights, strict=True)},
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
