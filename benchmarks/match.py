"""Plays a match of Oware between any two engines that speak the engine protocol, at equal processor time.

    python benchmarks/match.py --a "abapa uci" --b-revision 56ad2d6 --ms 100 --pairs 100
    python benchmarks/match.py --a "abapa uci" --a-option OwnTables=false --b "abapa uci" --nodes 20000
    python benchmarks/match.py --a "abapa uci" --b "java -cp aalina Engine" --b-option "Hash=256" --sprt 0,50
    python benchmarks/match.py --make-openings 200 --seed 1 > benchmarks/openings/oware.jsonl

A is a command, or a revision of this repository, which is checked out beside; so is B. The openings are kept as data:
random moves from the start, drawn from a seed, that a search of 300,000 nodes calls level. Each is played twice, either
engine having either side once. One engine thinks at a time.

``--ms``: processor time per move, on the mean of a game. A busy machine gives an engine less than it asks for, so what
one has left is added to its next moves, and the time asked for is that divided by the share of a core that it got. A
move that took more than half as much again as its time, and 20 ms, is an *overrun*. ``--nodes`` gives nodes instead.

Two referees watch: the rules in Python (:mod:`solver.oware.position`) and the compiled ones
(:mod:`solver.oware.kernels`); the match ends with an error where they differ. An engine that plays an illegal move,
ends, or does not answer loses the game. ``--sprt LEAST,MOST`` stops when it is decided whether A is LEAST or MOST Elo
better. Values are points of A: a win 1, a draw 1/2.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from engines import Answer, Engine, EngineError, Player
from rating import SequentialTest, standing

from solver.oware.game import OwareGame
from solver.oware.kernels import told_moves
from solver.oware.position import NORTH, SOUTH, Position
from solver.oware.rules import Rules
from solver.search.limits import Limits
from solver.search.searcher import Searcher

ROOT = Path(__file__).resolve().parents[1]
OPENINGS = Path(__file__).with_name("openings") / "oware.jsonl"
RANDOM_PLIES = 8
LEVEL_NODES, LEVEL_SCORE = 300_000, 1
MOST_PLIES = 400
"""A game that is not over by then is a draw: with the rules of repetition none was."""
LATE, LATE_SECONDS = 1.5, 0.02
PATIENCE = 60.0
"""Seconds beyond its time after which an engine counts as dead."""


@dataclass
class Clock:
    """The processor time of one engine in one game: ``each`` seconds per move, on the mean."""

    each: float
    left: float = 0.0
    share: float = 1.0
    overruns: int = 0
    used: list[float] = field(default_factory=list)

    def ask(self) -> float:
        """Wall seconds to ask for at the next move."""
        return min(max(self.each + self.left, self.each / 2), 2 * self.each) / self.share

    def take(self, answer: Answer) -> None:
        """Note what a move took."""
        had = min(max(self.each + self.left, self.each / 2), 2 * self.each)
        self.overruns += answer.processor > LATE * had + LATE_SECONDS
        self.used.append(answer.processor)
        self.left += self.each - answer.processor
        if answer.wall > 0.005:
            self.share = min(1.0, max(0.2, (self.share + answer.processor / answer.wall) / 2))


@dataclass
class Game:
    """A game that was played: moves as letters, points of A, how it ended, and what each engine told of its moves."""

    opening: str
    a_side: str
    moves: str
    points: float
    ending: str
    plies: int
    answers: dict[str, list[Answer]]
    overruns: dict[str, int]

    @property
    def row(self) -> dict[str, object]:
        """What is kept of it as JSON."""
        kept = ("opening", "a_side", "moves", "points", "ending", "plies", "overruns")
        return {name: getattr(self, name) for name in kept}


def main() -> None:
    args = parse_arguments()
    if args.make_openings:
        for row in make_openings(args.rules, args.make_openings, args.seed):
            print(json.dumps(row), flush=True)
        return
    openings = [json.loads(line)["moves"] for line in args.openings.read_text().splitlines()][: args.pairs]
    test = SequentialTest(*map(float, args.sprt.split(","))) if args.sprt else None
    games: list[Game] = []
    with ExitStack() as stack:
        engines = {name: stack.enter_context(Engine(stack.enter_context(player(name, args)))) for name in ("a", "b")}
        for engine in engines.values():
            engine.go("startpos", "depth 6", PATIENCE)  # loads what is loaded once
        for opening in openings:
            games += [play(engines, args, opening, side) for side in (SOUTH, NORTH)]
            if args.games:
                with args.games.open("a") as file:
                    file.writelines(json.dumps(game.row) + "\n" for game in games[-2:])
            pairs = pair_points(games)
            if sys.stderr.isatty():
                print(f"\r{summary_line(pairs)}", end="", file=sys.stderr, flush=True)
            if test and test.verdict(pairs):
                break
    report(games, test, args)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("a", "b"):
        which = parser.add_mutually_exclusive_group()
        which.add_argument(f"--{name}", metavar="COMMAND", help=f"how engine {name.upper()} is started")
        which.add_argument(f"--{name}-revision", metavar="REF", help="or a revision of this repository")
        parser.add_argument(f"--{name}-option", action="append", default=[], metavar="NAME=VALUE", help="UCI option")
    parser.add_argument("--rules", type=Rules.parse, default=Rules.parse("abapa"), help="rule set")
    parser.add_argument("--ms", type=int, default=100, help="milliseconds of processor time per move")
    parser.add_argument("--nodes", type=int, help="nodes per move instead")
    parser.add_argument("--pairs", type=int, default=100, help="openings, each played twice")
    parser.add_argument("--openings", type=Path, default=OPENINGS, help="JSONL file")
    parser.add_argument("--games", type=Path, help="add every game to this JSONL file")
    parser.add_argument("--sprt", metavar="LEAST,MOST", help="stop when one of these Elo differences is shown")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--make-openings", type=int, metavar="N", help="print so many new openings instead")
    parser.add_argument("--seed", type=int, default=1, help="of new openings")
    args = parser.parse_args()
    if not args.make_openings:
        for name in ("a", "b"):
            if not (getattr(args, name) or getattr(args, f"{name}_revision")):
                parser.error(f"no engine {name.upper()}: accepted are --{name} COMMAND and --{name}-revision REF")
    return args


@contextmanager
def player(name: str, args: argparse.Namespace) -> Iterator[Player]:
    """The engine that the arguments name; a revision is there as long as the context is."""
    command, ref = getattr(args, name), getattr(args, f"{name}_revision")
    options = getattr(args, f"{name}_option")
    if command:
        yield Player.of(name.upper(), command, options)
        return
    with tempfile.TemporaryDirectory(prefix="abapa-match-") as folder:
        tree = Path(folder) / "tree"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(tree), ref], check=True)
        try:
            made = Player.of(name.upper(), f"{sys.executable} -m solver uci --rules {args.rules.id}", options)
            yield Player(made.name, made.command, made.options, tree, os.environ | {"PYTHONPATH": str(tree)})
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=False)


# -- a game -----------------------------------------------------------------------------------------------------------


def play(engines: dict[str, Engine], args: argparse.Namespace, opening: str, a_side: int) -> Game:
    """Play an opening, A having one side."""
    position = Position.start(args.rules)
    for letter in opening:
        position = position.play(letter)
    names = {a_side: "a", 1 - a_side: "b"}
    clocks = {name: Clock(args.ms / 1000) for name in engines}
    answers: dict[str, list[Answer]] = {name: [] for name in engines}
    moves, ending = opening, None
    for engine in engines.values():
        engine.new_game()
    while ending is None and position.result() is None and len(moves) < MOST_PLIES:
        name = names[position.turn]
        try:
            answer = ask(engines[name], clocks[name], moves, args)
        except EngineError as error:
            ending = lost_by(name, str(error))
            break
        answers[name].append(answer)
        if answer.move not in [position.letter(house) for house in legal(position)]:
            ending = lost_by(name, f"illegal move {answer.move}")
            break
        position = position.play(answer.move)
        moves += answer.move
    points, ending = settled(position, a_side, names, ending)
    overruns = {name: clock.overruns for name, clock in clocks.items()}
    side = "south" if a_side == SOUTH else "north"
    return Game(opening, side, moves, points, ending, len(moves), answers, overruns)


def ask(engine: Engine, clock: Clock, moves: str, args: argparse.Namespace) -> Answer:
    """The engine's move, and what it took."""
    text = f"startpos moves {moves}" if moves else "startpos"
    if args.nodes:
        return engine.go(text, f"nodes {args.nodes}", PATIENCE)
    seconds = clock.ask()
    answer = engine.go(text, f"movetime {max(1, round(1000 * seconds))}", seconds + PATIENCE)
    clock.take(answer)
    return answer


def lost_by(name: str, why: str) -> str:
    return f"{name}: {why}"


def settled(position: Position, a_side: int, names: dict[int, str], ending: str | None) -> tuple[float, str]:
    """Points of A, and how the game ended."""
    if ending is not None:
        return (0.0 if ending.startswith("a:") else 1.0), ending
    result = position.result()
    if result is None:
        return 0.5, "too long"
    margin = result[a_side] - result[1 - a_side]
    return 0.5 + 0.5 * ((margin > 0) - (margin < 0)), str(position.ending)


def legal(position: Position) -> tuple[int, ...]:
    """The legal moves, as both referees say. Raises RuntimeError where they differ."""
    pits, mine, theirs = position.rules.pits, {}, {}
    for move in position.playable:
        board = move.board if position.turn == NORTH else move.board[pits:] + move.board[:pits]
        mine[move.house % pits] = move.captured, board
    for move in told_moves(position.rules, position.canonical):
        theirs[move.house] = move.captured, move.board
    if mine != theirs:
        raise RuntimeError(f"the referees differ at {position.text}: {mine} and {theirs}")
    return tuple(position.legal_moves())


# -- what it says -----------------------------------------------------------------------------------------------------


def pair_points(games: Sequence[Game]) -> list[float]:
    return [games[i].points + games[i + 1].points for i in range(0, len(games), 2)]


def summary_line(pairs: Sequence[float]) -> str:
    found = standing(pairs)
    return f"A: {found.text}, pairs {' '.join(map(str, found.pairs))}"


def engine_figures(games: Sequence[Game], name: str) -> dict[str, float]:
    """Means per move of an engine; depth and nodes of those moves of which it told them."""
    answers = [answer for game in games for answer in game.answers[name]]
    deep = [answer.depth for answer in answers if answer.depth]
    told = [answer for answer in answers if answer.nodes]
    spent = sum(answer.processor for answer in told)
    return {
        "moves": len(answers),
        "processor_ms": round(1000 * statistics.fmean([answer.processor for answer in answers] or [0.0]), 2),
        "wall_ms": round(1000 * statistics.fmean([answer.wall for answer in answers] or [0.0]), 2),
        "depth": round(statistics.fmean(deep or [0]), 2),
        "nodes_per_second": round(sum(answer.nodes for answer in told) / spent) if spent else 0,
        "overruns": sum(game.overruns[name] for game in games),
    }


def report(games: Sequence[Game], test: SequentialTest | None, args: argparse.Namespace) -> None:
    """Print what came of the match."""
    pairs = pair_points(games)
    endings = Counter(f"{game.ending} {('lost', 'drawn', 'won')[round(2 * game.points)]}" for game in games)
    figures = {name: engine_figures(games, name) for name in ("a", "b")}
    verdict = None if test is None else test.verdict(pairs)
    if args.json:
        rest = {"endings": dict(sorted(endings.items())), "engines": figures}
        decided = {} if test is None else {"sprt": verdict, "evidence": round(test.evidence(pairs), 3)}
        print(json.dumps(asdict(standing(pairs)) | rest | decided))
        return
    print(summary_line(pairs))
    print("endings, as A sees them: " + ", ".join(f"{ending} {count}" for ending, count in sorted(endings.items())))
    for name, row in figures.items():
        print(
            f"{name.upper()}: {row['processor_ms']:.1f} ms of processor time per move ({row['wall_ms']:.1f} of wall), "
            f"depth {row['depth']:.1f}, {row['nodes_per_second']:,} nodes per second, {row['overruns']} overruns"
        )
    if test is not None:
        said = {"most": f"A is {test.most:g} Elo better", "least": f"A is {test.least:g} Elo better", None: "undecided"}
        print(f"sequential test of {test.least:g} against {test.most:g} Elo: {said[verdict]}")


# -- openings ---------------------------------------------------------------------------------------------------------


def make_openings(rules: Rules, count: int, seed: int) -> Iterator[dict[str, object]]:
    """Draw openings that a search calls level: no two lead to the same board."""
    searcher, seen, number = Searcher(OwareGame(rules), hash_mib=16), set(), 0
    while count:
        number += 1
        chance, position, moves = random.Random(f"{seed} {number}"), Position.start(rules), ""
        while position.result() is None and len(moves) < RANDOM_PLIES:
            letter = position.letter(chance.choice(position.legal_moves()))
            position, moves = position.play(letter), moves + letter
        if position.result() is not None or position.text in seen:
            continue
        seen.add(position.text)
        searcher.clear()
        found = searcher.choose(position, Limits(nodes=LEVEL_NODES))
        if abs(found.best.score) > LEVEL_SCORE:
            continue
        count -= 1
        yield {
            "seed": f"{seed} {number}",
            "moves": moves,
            "position": position.text,
            "score": found.best.score,
            "depth": found.depth,
            "nodes": found.nodes,
        }


if __name__ == "__main__":
    main()
