"""Fit Omweso's evaluation (``WEIGHTS`` and ``PIT_WEIGHTS`` of ``solver.search.omweso``) from games of its own.

Run ``.venv/bin/python scripts/fit_omweso.py [GAMES] [DEPTH]``: it plays games between equal players of a fixed depth
from random and classic set-ups, with some random turns for variety, and finds by logistic regression which weights best
tell from a position who will win (a draw is half a win). It prints them, UNITS_A_LOGIT units to a factor e in the odds,
and how many bits of the result they leave untold on games that were not fitted. Paste them in. Deterministic for given
arguments and weights to play with.
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
from solver.search.omweso import ESTIMATE_LIMIT, PIT_CLASSES, WEIGHTS, OmwesoGame, features
from solver.search.worker import INFINITY, new_worker

U = np.uint64
COUNTS = U((1 << 63) - 1)
MOST_PLIES = 160
SKIPPED = 4
"""Plies at the start of a game that are not fitted: random turns, and no captures at first."""
UNITS_A_LOGIT = 80
RIDGE = 3.0
FEATURES = len(WEIGHTS)


@kernel
def play_game(game, worker, depth, picks, noise, rows, boards):
    """Play from ``state[0]``; write features and board words of every position (int64 and uint64, a row a ply).

    The first turns, and where ``noise`` says so later ones, are those that ``picks`` names. Returns how many positions
    were written and the outcome for the first mover: 1, 0 or -1. ``tempo`` is 1.
    """
    state, record = worker["state"], game.record
    for ply in range(MOST_PLIES):
        count = generate_children(game, worker, np.int64(0))
        if count == 0:
            score = final(game, worker, np.int64(0))
            outcome = 0 if score == 0 else (1 if score > 0 else -1)
            return ply, (outcome if ply % 2 == 0 else -outcome)
        for word in range(4):
            boards[ply, word] = state[U(0), U(word)] & COUNTS
        counted = features(
            record["laps"], record["columns"], record["reverse"],
            boards[ply, 0], boards[ply, 1], boards[ply, 2], boards[ply, 3],
        )  # fmt: skip
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
    if rng.random() < 0.15:
        return list(CLASSIC.values())[rng.integers(len(CLASSIC))]
    return tuple(rng.multinomial(32, rng.dirichlet(np.full(16, rng.choice([0.3, 1.0, 5.0])))).tolist())


def play_games(
    games: int, depth: int, seed: int = 1
) -> tuple[NDArray[np.floating], NDArray[np.floating], NDArray[np.int64]]:
    """What is fitted of every position, its mover's result (1, 0.5, 0) and the number of its game."""
    rng = np.random.default_rng(seed)
    game, worker = OmwesoGame(TOURNAMENT), new_worker()
    stop = np.zeros(1, U)
    worker[0]["stop"], worker[0]["budget"] = stop.ctypes.data, 1 << 60
    flags = [(1 << 63) if bit else 0 for bit in (FIRST_TURN, FIRST_TURN_OF_OTHER, FRESH)]
    found: list[NDArray[np.floating]] = []
    results: list[NDArray[np.floating]] = []
    for _ in range(games):
        south = random_setup(rng)
        north = south if rng.random() < 0.5 else random_setup(rng)
        words = [*pack(south), *pack(north)]
        worker[0]["state"][0] = [word | flag for word, flag in zip(words, [*flags, 0], strict=True)]
        noise = rng.random(MOST_PLIES) < 0.06
        noise[: rng.integers(2, 7)] = True
        rows, boards = np.zeros((MOST_PLIES, FEATURES), np.int64), np.zeros((MOST_PLIES, 4), U)
        picks = rng.integers(1 << 30, size=MOST_PLIES)
        count, outcome = play_game(game.kernels, worker[0], depth, picks, noise, rows, boards)
        if count > SKIPPED:
            pits = boards[SKIPPED:count].view(np.uint8).reshape(-1, 2, 16)
            classes = pit_classes(pits[:, 0]) - pit_classes(pits[:, 1])
            found.append(np.hstack([rows[SKIPPED:count], classes]).astype(np.float32))
            signs = np.where(np.arange(SKIPPED, count) % 2 == 0, outcome, -outcome)
            results.append((1 + signs) / 2)
    numbers = np.repeat(np.arange(len(found)), [len(rows) for rows in found])
    return np.concatenate(found), np.concatenate(results), numbers


def pit_classes(pits: NDArray[np.uint8]) -> NDArray[np.int8]:
    """Which class of PIT_WEIGHTS each of 16 pits is in: [positions, 16 * 8], 0 or 1."""
    kinds = np.array(PIT_CLASSES)[np.minimum(pits, len(PIT_CLASSES) - 1)]
    return (kinds[:, :, None] == np.arange(8)).reshape(len(pits), -1).astype(np.int8)


def fit(rows: NDArray[np.floating], results: NDArray[np.floating]) -> NDArray[np.floating]:
    """Logistic regression by Newton's method, with a ridge that the many rare pit classes need."""
    weights = np.zeros(rows.shape[1])
    for _ in range(30):
        chance = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (results - chance) - RIDGE * weights
        curve = (rows * (chance * (1 - chance))[:, None]).T @ rows + RIDGE * np.eye(rows.shape[1])
        step = np.linalg.solve(curve, slope)
        weights += step
        if np.abs(step).max() < 1e-6:
            break
    return weights


def loss(rows: NDArray[np.floating], results: NDArray[np.floating], weights: NDArray[np.floating]) -> float:
    """Mean cross entropy in bits."""
    chance = np.clip(1 / (1 + np.exp(-rows @ weights)), 1e-9, 1 - 1e-9)
    return float(-(results * np.log2(chance) + (1 - results) * np.log2(1 - chance)).mean())


def main() -> None:
    """Play, fit, print."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 20000
    depth = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    rows, results, numbers = play_games(games, depth)
    fitted = numbers % 10 != 0
    weights = fit(rows[fitted], results[fitted])
    seeds_only = np.zeros_like(weights)
    seeds_only[0] = fit(rows[fitted][:, :1], results[fitted])[0]
    scaled = np.round(weights * 256 * UNITS_A_LOGIT).astype(int)
    left = {name: round(loss(rows[~fitted], results[~fitted], w), 4) for name, w in
            (("nothing", 0 * weights), ("seeds", seeds_only), ("all", weights))}  # fmt: skip
    print(json.dumps({"games": games, "depth": depth, "positions": len(rows), "bits_left_by": left}))
    print("WEIGHTS = {")
    for name, weight in zip(WEIGHTS, scaled[:FEATURES], strict=True):
        print(f'    "{name}": {weight},')
    print("}\nPIT_WEIGHTS = (")
    for row in scaled[FEATURES:].reshape(16, 8).tolist():
        print(f"    {tuple(row)},")
    print(")")


if __name__ == "__main__":
    main()
