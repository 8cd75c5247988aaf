"""Levels of strength, from beginner to full: how much the engine looks at, and how it errs on purpose.

A level searches a stated number of positions and then misjudges each move: it adds an error to the move's score, drawn
from a normal distribution with a stated spread in seeds, and plays the move that then looks best. So a weak level loses
a few seeds often and many seldom, as people do. Only the strongest looks into endgame tables.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from solver.errors import AbapaError
from solver.oware.position import Position
from solver.search.limits import Limits
from solver.search.searcher import Searcher


@dataclass(frozen=True)
class Level:
    """How strong an engine plays: ``nodes`` positions of search, ``error`` the spread of its misjudgement in seeds."""

    level: int
    name: str
    nodes: int
    error: float
    tables: bool = False

    @property
    def words(self) -> str:
        """What the level does, in a sentence."""
        looks = f"Looks at about {self.nodes:,} positions per move"
        if self.tables:
            return f"{looks} and at the endgame tables, and plays the best move it finds."
        if not self.error:
            return f"{looks}, not at the endgame tables, and plays the best move it finds."
        return f"{looks}, and misjudges each move by about {self.error:g} seed{'' if self.error == 1 else 's'}."


LEVELS: tuple[Level, ...] = (
    Level(1, "beginner", 1_000, 9),
    Level(2, "novice", 1_000, 6),
    Level(3, "casual", 2_000, 4),
    Level(4, "steady", 5_000, 2.5),
    Level(5, "club", 20_000, 1.5),
    Level(6, "strong", 100_000, 0.7),
    Level(7, "expert", 500_000, 0),
    Level(8, "full", 5_000_000, 0, tables=True),
)
"""Every level, the weakest first."""


def level_of(number: int) -> Level:
    """The level with a number. Raises AbapaError."""
    if not 1 <= number <= len(LEVELS):
        raise AbapaError(f"level {number}: accepted are 1 to {len(LEVELS)}")
    return LEVELS[number - 1]


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
    judged = {line.moves[0]: line.score + chance.gauss(0, level.error) for line in report.lines}
    return Choice(max(judged, key=lambda move: judged[move]), report.best.moves[0])
