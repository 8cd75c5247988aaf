"""Abapa's Omweso searcher against a plain player: how many of 200 games does it win at equal time?

Run ``.venv/bin/python benchmarks/omweso_match.py [--games 200] [--depth 10]``. The plain player is what a student
writes in a weekend, compiled by the same compiler and on the same turn generator: alpha-beta to a fixed depth, captures
first, the score is seeds. Each start is played twice with sides changed: both players have the same set-up, random or
classic, and two to four random turns are played. Most positions of that kind are won for one side, whoever plays it,
and would only tell that 1 + 1 is 2; so a start is taken when a search of depth 10 thinks that neither side is more than
ten seeds ahead. Abapa gets, for each of its turns, the time that the plain player has taken for a turn in this game so
far, on the mean (wall time; one thread each). A win is 1, a draw or a void game 1/2.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from math import sqrt

import numpy as np

from solver.kernels.compile import kernel
from solver.kernels.omweso import (
    CAPTURED_SHIFT,
    ENDLESS_SHIFT,
    INFO,
    PRACTICAL_LAPS,
    TURN_CAPACITY,
    TURN_WORDS,
    OmwesoGenerator,
    board_words,
    child_flags,
    frame_words,
    generate,
    sum_of_bytes,
)
from solver.omweso.position import OmwesoPosition
from solver.omweso.rules import TOURNAMENT
from solver.omweso.setups import CLASSIC
from solver.search.omweso import UNITS_A_SEED, OmwesoGame
from solver.search.searcher import Limits, Searcher, compile_search

U = np.uint64
LOST = 1000
MOST_PLIES = 300


@kernel
def plain_search(outer, inner, foe_outer, foe_inner, flags, depth, alpha, beta, rules, turns, frames, chosen):
    """The score for the mover by alpha-beta to ``depth``; ``chosen[depth]`` is the index of the turn found best."""
    if depth == 0:
        own = np.int64(sum_of_bytes(outer) + sum_of_bytes(inner))
        return own - np.int64(sum_of_bytes(foe_outer) + sum_of_bytes(foe_inner))
    options, columns, laps, lap_limit = rules
    mine = turns[depth]
    count = np.int64(
        generate(outer, inner, foe_outer, foe_inner, flags, options, columns, laps, lap_limit, mine, frames)
    )
    if count == 0:
        return np.int64(-LOST - depth)
    best = np.int64(-(1 << 30))
    done = U(0)
    for _ in range(count):
        # The turn of the largest capture not tried yet; a tried one has its laps word cleared.
        pick, most = np.int64(-1), np.int64(-1)
        for k in range(count):
            at = U(k) * U(TURN_WORDS)
            captured = np.int64((mine[at + U(INFO)] >> U(CAPTURED_SHIFT)) & U(127))
            if mine[at + U(7)] != U(0) and captured > most:
                pick, most = np.int64(k), captured
        at = U(pick) * U(TURN_WORDS)
        mine[at + U(7)] = U(0)
        done += U(1)
        if (mine[at + U(INFO)] >> U(ENDLESS_SHIFT)) & U(1):
            score = np.int64(0)
        else:
            after = child_flags(flags, U(most))
            score = -plain_search(
                mine[at + U(2)], mine[at + U(3)], mine[at], mine[at + U(1)], after,
                depth - 1, -beta, -max(alpha, best), rules, turns, frames, chosen,
            )  # fmt: skip
        if score > best:
            best = score
            chosen[depth] = pick
            if best >= beta:
                break
    return best


class PlainPlayer:
    """Alpha-beta to a fixed depth, score: seeds."""

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.generator = OmwesoGenerator(TOURNAMENT, PRACTICAL_LAPS)
        self.turns = np.zeros((depth + 1, TURN_CAPACITY * TURN_WORDS), U)
        self.frames = np.zeros(frame_words(), U)
        self.chosen = np.zeros(depth + 1, np.int64)

    def choose(self, position: OmwesoPosition) -> OmwesoPosition:
        """The position after the turn it plays."""
        rules = self.generator.arguments
        limit = 1 << 29
        plain_search(
            *board_words(position), self.depth, -limit, limit, rules, self.turns, self.frames, self.chosen
        )  # fmt: skip
        return position.after(self.generator.turns(position)[self.chosen[self.depth]])


def start(rng: random.Random, game: OmwesoGame, searcher: Searcher) -> OmwesoPosition:
    """A first position with the same set-up on both sides, some random turns on, that looks balanced."""
    while True:
        if rng.random() < 0.5:
            side = rng.choice(list(CLASSIC.values()))
        else:
            counts = [0] * 16
            for _ in range(32):
                counts[rng.randrange(16)] += 1
            side = tuple(counts)
        position = OmwesoPosition.start(side, side)
        for _ in range(rng.randint(2, 4)):
            codes = game.legal(position)
            if not codes:
                break
            position = game.play(position, rng.choice(codes))
        if game.legal(position):
            searcher.clear()
            if abs(searcher.search(position, Limits(depth=10)).best.score) <= 10 * UNITS_A_SEED:
                return position


def play(
    position: OmwesoPosition, ours: int, plain: PlainPlayer, searcher: Searcher, game: OmwesoGame
) -> tuple[float, dict]:
    """Our result (1, 0.5, 0) as side ``ours``, and times taken."""
    searcher.clear()
    taken: list[float] = []
    spent: list[float] = []
    depths: list[int] = []
    budget = 0.05
    for _ in range(MOST_PLIES):
        if position.voided or any(before._key == position._key for before in position.past):
            return 0.5, {}
        if not game.legal(position):
            return float(position.turn != ours), {"taken": taken, "spent": spent, "depths": depths}
        began = time.perf_counter()
        if position.turn == ours:
            report = searcher.search(position, Limits(seconds=budget))
            position = game.play(position, report.best.moves[0])
            spent.append(time.perf_counter() - began)
            depths.append(report.depth)
        else:
            position = plain.choose(position)
            taken.append(time.perf_counter() - began)
            budget = max(0.001, sum(taken) / len(taken))
    return 0.5, {}


def main() -> None:
    """Play the match and print a JSON object now and then."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--depth", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    game = OmwesoGame(TOURNAMENT)
    compile_search(game)
    searcher, plain = Searcher(game, hash_mib=64), PlainPlayer(options.depth)
    rng = random.Random(options.seed)
    plain.choose(OmwesoPosition.start(CLASSIC["all-two"], CLASSIC["all-two"]))
    points, wins, draws = 0.0, 0, 0
    taken: list[float] = []
    spent: list[float] = []
    depths: list[int] = []
    first = start(rng, game, searcher)
    for number in range(options.games):
        if number and number % 2 == 0:
            first = start(rng, game, searcher)
        result, times = play(first, number % 2, plain, searcher, game)
        points += result
        wins += result == 1
        draws += result == 0.5
        taken += times.get("taken", [])
        spent += times.get("spent", [])
        depths += times.get("depths", [])
        if (number + 1) % 20 == 0:
            played = number + 1
            share = points / played
            print(
                json.dumps(
                    {
                        "games": played,
                        "wins": wins,
                        "draws": draws,
                        "share": round(share, 3),
                        "error": round(sqrt(share * (1 - share) / played), 3),
                        "plain_s_a_turn": round(float(np.mean(taken)), 4),
                        "ours_s_a_turn": round(float(np.mean(spent)), 4),
                        "our_depth": round(float(np.mean(depths)), 1),
                    }
                ),
                flush=True,
            )


if __name__ == "__main__":
    main()
