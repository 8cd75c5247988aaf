"""Levels of strength, from beginner to full: how much the engine looks at, and how it errs on purpose.

A level searches a stated number of positions and then misjudges each move: it adds an error to the move's score, drawn
from a normal distribution with a stated spread in seeds, and plays the move that then looks best. So a weak level loses
a few seeds often and many seldom, as people do. Only the strongest looks into endgame tables.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from itertools import pairwise

from solver.errors import AbapaError
from solver.oware.position import Position
from solver.search.limits import Limits
from solver.search.searcher import Report, Searcher


@dataclass(frozen=True)
class Level:
    """How strong an engine plays: ``nodes`` positions of search, ``error`` the spread of its misjudgement in seeds.

    ``elo``: its rating among the levels (:data:`LEVELS`).
    """

    level: int
    name: str
    nodes: int
    error: float
    elo: int
    tables: bool = False

    @property
    def words(self) -> str:
        """What the level does, in a sentence."""
        looks = f"Looks at about {self.nodes:,} positions per move"
        if self.tables:
            return f"{looks} and at the endgame tables, and plays the best move it finds."
        if not self.error:
            return f"{looks}, not at the endgame tables, and plays the best move it finds."
        return f"{looks}, and misjudges each move by about {self.error:.2g} seed{'' if self.error == 1 else 's'}."


LEVELS: tuple[Level, ...] = (
    Level(1, "beginner", 1_000, 9, 500),
    Level(2, "novice", 1_000, 4.6, 770),
    Level(3, "casual", 1_200, 2.7, 1190),
    Level(4, "steady", 3_000, 1.7, 1480),
    Level(5, "club", 8_000, 1.1, 1830),
    Level(6, "strong", 30_000, 0.7, 2100),
    Level(7, "expert", 200_000, 0.3, 2490),
    Level(8, "full", 5_000_000, 0, 3030, tables=True),
)
"""Every level, the weakest first.

Ratings are from matches between neighbours (``benchmarks/levels.py``, docs/page.md): 400 more are ten wins for each
loss. They say nothing of people: where the scale begins is our choice.
"""
LEAST_ELO, MOST_ELO = LEVELS[0].elo, LEVELS[-1].elo


def level_of(number: int) -> Level:
    """The level with a number. Raises AbapaError."""
    if not 1 <= number <= len(LEVELS):
        raise AbapaError(f"level {number}: accepted are 1 to {len(LEVELS)}")
    return LEVELS[number - 1]


def rated(elo: int) -> Level:
    """How an engine of a rating plays: between two levels, in nodes and in errors; the strongest as that level.

    Raises AbapaError.
    """
    if not LEAST_ELO <= elo <= MOST_ELO:
        raise AbapaError(f"rating {elo}: accepted are {LEAST_ELO} to {MOST_ELO}")
    if elo == MOST_ELO:
        return LEVELS[-1]
    weak, strong = next(pair for pair in pairwise(LEVELS) if pair[0].elo <= elo < pair[1].elo)
    part = (elo - weak.elo) / (strong.elo - weak.elo)
    nodes = round(weak.nodes * math.exp(part * math.log(strong.nodes / weak.nodes)))
    return Level(weak.level, f"rated {elo}", nodes, weak.error + part * (strong.error - weak.error), elo)


@dataclass(frozen=True)
class Choice:
    """The move that a level plays (the mover's house, 0..m-1) and the move that its search found best."""

    move: int
    best: int


def choose(searcher: Searcher[Position], position: Position, level: Level, chance: random.Random) -> Choice:
    """The move that a level plays in a game that goes on, its errors drawn from ``chance``.

    The searcher is one with tables where the level looks into them. Raises AbapaError when the game is over, and
    KeyboardInterrupt on Ctrl-C.
    """
    limits = Limits(nodes=level.nodes)
    if not level.error:
        best = searcher.choose(position, limits).best.moves[0]
        return Choice(best, best)
    report = searcher.search(position, limits, multipv=len(searcher.game.legal(position)) or 1)
    return Choice(misjudged(report, level, chance), report.best.moves[0])


def misjudged(report: Report, level: Level, chance: random.Random) -> int:
    """The move that looks best to a level, of a report that has a line for each move that it may play."""
    judged = {line.moves[0]: line.score + chance.gauss(0, level.error) for line in report.lines}
    return max(judged, key=lambda move: judged[move])
