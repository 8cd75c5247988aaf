"""How fast Omweso turns are generated: complete turns and laps per second, on one thread, on random boards of 64 seeds.

Run ``python benchmarks/omweso_turns.py``. Two kinds of boards: 64 seeds thrown at random into the 32 pits, 32 a side,
and boards on the way through random games from random set-ups. Every turn of each is generated, with every reverse
choice, and its board written out; turns that share laps share the work. Time is CPU time of the process.
"""

from __future__ import annotations

import json
import time

import numpy as np

from solver.kernels.compile import kernel
from solver.omweso.kernels import (
    ENDLESS_SHIFT,
    FOE_INNER,
    FOE_OUTER,
    INFO,
    INNER,
    LAPS,
    OUTER,
    PRACTICAL_LAPS,
    TURN_CAPACITY,
    TURN_WORDS,
    OmwesoGenerator,
    generate,
    pack,
)
from solver.omweso.rules import COMP424, TOURNAMENT, OmwesoRules

U = np.uint64


@kernel
def generate_all(boards, options, columns, laps, lap_limit, turns, frames):
    """Generate every board's turns; return the number of turns."""
    total = U(0)
    for i in range(boards.shape[0]):
        total += generate(
            boards[i, 0], boards[i, 1], boards[i, 2], boards[i, 3], U(0), options, columns, laps, lap_limit,
            turns, frames,
        )  # fmt: skip
    return total


@kernel
def count_laps(boards, options, columns, laps, lap_limit, turns, frames):
    """Laps of every turn of every board, those shared by turns counted once for each."""
    total = U(0)
    for i in range(boards.shape[0]):
        count = generate(
            boards[i, 0], boards[i, 1], boards[i, 2], boards[i, 3], U(0), options, columns, laps, lap_limit,
            turns, frames,
        )  # fmt: skip
        for at in range(count):
            total += turns[U(at) * U(TURN_WORDS) + U(LAPS)]
    return total


def random_boards(count: int, rng: np.random.Generator) -> np.ndarray:
    """``count`` boards of 32 seeds a side, each seed in a random pit: uint64 [count, 4]."""
    sides = rng.multinomial(32, [1 / 16] * 16, size=(count, 2))
    return np.array([[*pack(sides[i, 0].tolist()), *pack(sides[i, 1].tolist())] for i in range(count)], U)


def game_boards(count: int, rng: np.random.Generator) -> np.ndarray:
    """``count`` boards met in random games from random set-ups under the tournament rules: uint64 [count, 4]."""
    generator = OmwesoGenerator(TOURNAMENT, PRACTICAL_LAPS)
    boards: list[list[int]] = []
    turns = np.zeros(TURN_CAPACITY * TURN_WORDS, U)
    while len(boards) < count:
        board = random_boards(1, rng)[0]
        for _ in range(60):
            boards.append(board.tolist())
            found = int(generate(*board, U(0), *generator.arguments, turns, generator.frames))
            if not found:
                break
            turn = turns[TURN_WORDS * rng.integers(found) :][:TURN_WORDS]
            if int(turn[INFO]) >> ENDLESS_SHIFT & 1:
                break
            board = turn[[FOE_OUTER, FOE_INNER, OUTER, INNER]]
    return np.array(boards[:count], U)


def measure(name: str, boards: np.ndarray, rules: OmwesoRules, rounds: int = 5) -> None:
    """Print one JSON object: the best of some rounds."""
    generator = OmwesoGenerator(rules, PRACTICAL_LAPS)
    turns = np.zeros(TURN_CAPACITY * TURN_WORDS, U)
    arguments = (*generator.arguments, turns, generator.frames)
    laps = int(count_laps(boards, *arguments))
    generate_all(boards[:10], *arguments)
    best, count = float("inf"), 0
    for _ in range(rounds):
        begin = time.process_time()
        count = int(generate_all(boards, *arguments))
        best = min(best, time.process_time() - begin)
    print(
        json.dumps(
            {
                "boards": name,
                "rules": rules.id,
                "turns": count,
                "laps_a_turn": round(laps / count, 2),
                "turns_a_second": round(count / best),
                "laps_a_second": round(laps / best),
                "ns_a_turn": round(best / count * 1e9, 1),
            }
        )
    )


def main() -> None:
    rng = np.random.default_rng(20240501)
    for name, boards in (("random", random_boards(50_000, rng)), ("games", game_boards(50_000, rng))):
        for rules in (TOURNAMENT, COMP424):
            measure(name, boards, rules)


if __name__ == "__main__":
    main()
