"""Does each level of strength beat the one below it? Plays every level against its neighbour and prints the points.

    python benchmarks/levels.py                       # levels 1 to 6, 20 openings each, both sides
    python benchmarks/levels.py --levels 5-7 --openings 10 --json

An opening is so many random legal moves from the start, drawn from ``--seed``; it is played twice, each level having
either side once. A win is a point, a draw half a one. The error is the standard error over openings, since the two
games of one are not independent. Nothing depends on time: a level looks at a stated number of positions, and its errors
are drawn from the seed. Each move is searched anew, as ``abapa serve`` does. Levels that look into tables have none.
The ratings of the levels (:data:`solver.oware.levels.LEVELS`) are the Elo of these matches, added up.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from dataclasses import asdict, dataclass

from rating import Standing, standing

from solver.oware.game import OwareGame
from solver.oware.levels import LEVELS, Level, choose, level_of
from solver.oware.position import NORTH, SOUTH, Position
from solver.oware.rules import Rules
from solver.search.searcher import Searcher

RANDOM_PLIES = 6
MOST_PLIES = 400
"""A game that is not over by then ends by the rule of a board that comes back, or is a draw."""
HASH_MIB = 4


@dataclass(frozen=True)
class Played:
    """Two levels played: what the stronger won, and its mean margin in seeds."""

    levels: tuple[int, int]
    won: Standing
    margin: float
    seconds: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", type=Rules.parse, default=Rules.parse("abapa"), help="rule set")
    parser.add_argument("--levels", default="1-6", help="the weakest and the strongest, as in 1-6")
    parser.add_argument("--openings", type=int, default=20, help="openings a pair, each played twice")
    parser.add_argument("--seed", type=int, default=1, help="of openings and errors")
    parser.add_argument("--json", action="store_true", help="one JSON object per line")
    args = parser.parse_args()
    weakest, _, strongest = args.levels.partition("-")
    for number in range(int(weakest), int(strongest or len(LEVELS))):
        played = play_pair(args.rules, level_of(number + 1), level_of(number), args.openings, args.seed)
        if args.json:
            rest = {"levels": played.levels, "margin": played.margin, "seconds": played.seconds}
            print(json.dumps({"rules": args.rules.id} | asdict(played.won) | rest), flush=True)
            continue
        print(
            f"level {number + 1} against {number}: {played.won.text}, {played.margin:+.1f} seeds a game, "
            f"{played.seconds:.0f} s",
            flush=True,
        )


def play_pair(rules: Rules, strong: Level, weak: Level, openings: int, seed: int) -> Played:
    """Play every opening from both sides."""
    began, pairs, margins = time.perf_counter(), [], []
    searcher = Searcher(OwareGame(rules), hash_mib=HASH_MIB)
    for number in range(openings):
        chance = random.Random(f"{seed} {number}")
        start = opening(rules, chance)
        found = [
            play(searcher, start, (strong, weak), SOUTH, chance),
            play(searcher, start, (weak, strong), NORTH, chance),
        ]
        margins += found
        pairs.append(sum(0.5 + 0.5 * ((margin > 0) - (margin < 0)) for margin in found))
    margin, seconds = round(statistics.mean(margins), 2), round(time.perf_counter() - began, 1)
    return Played((strong.level, weak.level), standing(pairs), margin, seconds)


def opening(rules: Rules, chance: random.Random) -> Position:
    """A position some random moves after the start, in which the game goes on."""
    while True:
        position = Position.start(rules)
        for _ in range(RANDOM_PLIES):
            position = position.play(chance.choice(position.legal_moves()))
        if position.ending is None:
            return position


def play(
    searcher: Searcher[Position], start: Position, levels: tuple[Level, Level], side: int, chance: random.Random
) -> float:
    """The final margin of one side in a game between the levels of South and North."""
    position = start
    for _ in range(MOST_PLIES):
        if position.ending is not None:
            break
        searcher.clear()
        choice = choose(searcher, position, levels[position.turn], chance)
        position = position.play(choice.move + position.turn * position.rules.pits)
    result = position.result() or (0, 0)
    return result[side] - result[1 - side]


if __name__ == "__main__":
    main()
