"""Abapa's Omweso searcher against a plain player: how many of 200 games does it win at equal time?

Run ``.venv/bin/python benchmarks/omweso_match.py [--games 200] [--depth 10] [--starts balanced|own-setups]``. The plain
player is what a student writes in a weekend, compiled by the same compiler and on the same turn generator: alpha-beta
to a fixed depth, captures first, the score is seeds. Players change sides after every game.

``balanced``: the search alone. Both have the same set-up, random or classic, and two to four random turns are played;
most positions of that kind are won for one side, whoever plays it, and would only tell that 1 + 1 is 2, so a start is
taken when a search of depth 10 thinks that neither side is more than ten seeds ahead. Each is played from both sides.
``own-setups``: the whole game, from the arrangement on. Abapa arranges what ``abapa omweso setup`` rates best of the
classic set-ups, the plain player, who has no opinion, any classic set-up or one at random.

Abapa has for a game the time that the plain player takes for one on the mean, and shares it out itself. Both totals are
printed; they are CPU time, one thread each, emptying Abapa's transposition table before a game included, and Abapa's
share of it is set in nodes, so that a busy machine does not matter. A win is 1, a draw or a void game 1/2.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from dataclasses import dataclass
from math import sqrt

import numpy as np

from solver.kernels.compile import kernel
from solver.kernels.lanes import sum_of_lanes
from solver.omweso.game import UNITS_A_SEED, OmwesoGame, plies_to_end
from solver.omweso.kernels import (
    INFO,
    LAPS,
    PRACTICAL_LAPS,
    TURN_CAPACITY,
    TURN_WORDS,
    OmwesoGenerator,
    board_after,
    board_words,
    captured_by,
    child_flags,
    frame_words,
    generate,
    is_endless,
)
from solver.omweso.position import OmwesoPosition, Side
from solver.omweso.rules import TOURNAMENT
from solver.omweso.setups import CLASSIC
from solver.search.limits import Limits
from solver.search.searcher import Searcher, compile_search

U = np.uint64
LOST = 1000
MOST_PLIES = 300
SHARE = 0.2
"""Of the time left for the game, what a turn gets: games last some 15 turns a side, the first ones decide."""


@kernel
def plain_search(outer, inner, foe_outer, foe_inner, flags, depth, alpha, beta, rules, turns, frames, chosen):
    """The score for the mover by alpha-beta to ``depth``; ``chosen[depth]`` is the index of the turn found best."""
    if depth == 0:
        own = np.int64(sum_of_lanes(outer) + sum_of_lanes(inner))
        return own - np.int64(sum_of_lanes(foe_outer) + sum_of_lanes(foe_inner))
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
            captured = np.int64(captured_by(mine[at + U(INFO)]))
            if mine[at + U(LAPS)] != U(0) and captured > most:
                pick, most = np.int64(k), captured
        at = U(pick) * U(TURN_WORDS)
        mine[at + U(LAPS)] = U(0)
        done += U(1)
        if is_endless(mine[at + U(INFO)]):
            score = np.int64(0)
        else:
            after = child_flags(flags, U(most))
            score = -plain_search(
                *board_after(mine, at), after, depth - 1, -beta, -max(alpha, best), rules, turns, frames, chosen
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


OUR_SETUP = CLASSIC["seventeen-five-threes"]


def any_setup(rng: random.Random) -> Side:
    """A classic set-up, or one at random."""
    if rng.random() < 0.5:
        return rng.choice(list(CLASSIC.values()))
    counts = [0] * 16
    for _ in range(32):
        counts[rng.randrange(16)] += 1
    return tuple(counts)


def balanced_start(rng: random.Random, game: OmwesoGame, searcher: Searcher[OmwesoPosition]) -> OmwesoPosition:
    """A position a few random turns after a start with the same set-up on both sides, that looks balanced."""
    while True:
        side = any_setup(rng)
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


@dataclass
class Clock:
    """Time that both players have taken, in seconds, and what a game may cost us.

    A game's allowance is what the plain player takes for a game on the mean, so both take the same time in the long
    run. A turn gets a fixed share of what is left of it.
    """

    plain: float = 0.0
    ours: float = 0.0
    games: int = 0
    turns: int = 0
    nodes: int = 0

    @property
    def rate(self) -> float:
        """Our nodes per second."""
        return self.nodes / self.ours if self.ours > 1 else 1.5e6

    def allowance(self) -> float:
        """Seconds for a game: the plain player's mean, less a part of what we have taken too much so far."""
        if not self.games:
            return 0.3
        return max(0.05, self.plain / self.games + (self.plain - self.ours) / 5)


def play(
    position: OmwesoPosition, ours: int, plain: PlainPlayer, searcher: Searcher[OmwesoPosition], clock: Clock
) -> float:
    """Our result (1, 0.5, 0) as side ``ours``."""
    began = time.process_time()
    searcher.clear()
    clock.ours += time.process_time() - began
    left, result = clock.allowance(), 0.5
    for _ in range(MOST_PLIES):
        if position.voided or any(before._key == position._key for before in position.past):
            break
        if not searcher.game.legal(position):
            result = float(position.turn != ours)
            break
        began = time.process_time()
        if position.turn == ours:
            code, nodes = think(searcher, position, max(1000, int(SHARE * left * clock.rate)))
            position = searcher.game.play(position, code)
            clock.nodes += nodes
            taken = time.process_time() - began
            left -= taken
            clock.ours += taken
        else:
            position = plain.choose(position)
            clock.plain += time.process_time() - began
        clock.turns += 1
    clock.games += 1
    return result


def think(searcher: Searcher[OmwesoPosition], position: OmwesoPosition, nodes: int) -> tuple[int, int]:
    """The code of the turn we play, and nodes searched; a win or a loss seen to its end needs no more of them."""
    code, searched = 0, 0
    for report in searcher.reports(position, Limits(nodes=nodes)):
        code, searched = report.best.moves[0], report.nodes
        plies = plies_to_end(report.best.score)
        if plies is not None and plies <= report.depth:
            break
    return code, searched


def main() -> None:
    """Play the match and print a JSON object now and then."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--depth", type=int, default=10)
    parser.add_argument("--starts", choices=("balanced", "own-setups"), default="balanced")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    game = OmwesoGame(TOURNAMENT)
    compile_search(game)
    searcher, plain, clock = Searcher(game, hash_mib=16), PlainPlayer(options.depth), Clock()
    rng = random.Random(options.seed)
    plain.choose(OmwesoPosition.start(CLASSIC["all-two"], CLASSIC["all-two"]))
    results: list[float] = []
    first = balanced_start(rng, game, searcher)
    for number in range(options.games):
        if options.starts == "own-setups":
            theirs = any_setup(rng)
            south, north = (OUR_SETUP, theirs) if number % 2 == 0 else (theirs, OUR_SETUP)
            first = OmwesoPosition.start(south, north)
        elif number and number % 2 == 0:
            first = balanced_start(rng, game, searcher)
        results.append(play(first, number % 2, plain, searcher, clock))
        if (number + 1) % 20 == 0:
            share = sum(results) / len(results)
            found = {
                "games": len(results),
                "wins": results.count(1.0),
                "draws": results.count(0.5),
                "share": round(share, 3),
                "error": round(sqrt(share * (1 - share) / len(results)), 3),
                "plain_s_a_game": round(clock.plain / clock.games, 3),
                "ours_s_a_game": round(clock.ours / clock.games, 3),
                "our_nodes_a_second": round(clock.rate),
                "turns_a_game": round(clock.turns / clock.games, 1),
            }
            print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
