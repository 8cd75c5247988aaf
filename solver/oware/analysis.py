"""What each move of a finished game was worth, what was lost by it, and what kind of mistake that is.

Every position is searched as if it stood fresh on the board: the boards seen before it are not held against it, so that
its value is the table's where tables reach. A move that ended the game is worth what the game gave.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from solver.oware.position import Position
from solver.search.limits import Limits
from solver.search.searcher import Searcher

MISTAKE = 4
"""Seeds of margin that make a loss a mistake; a smaller one is an inaccuracy."""
VERDICTS = {1: "win", 0: "draw", -1: "loss"}
"""What a margin means, by its sign."""


@dataclass(frozen=True)
class MoveNote:
    """One move of a game: final margins in seeds from the view of the player who made it.

    ``score`` is what the move is worth, ``best_score`` what ``best`` (a letter) was worth. A score is ``exact`` when
    it is proven, else an estimate of the search. They are whole: an even split of an odd number of seeds gives each
    player a half, and so a margin without one.
    """

    ply: int
    side: int
    move: str
    score: int
    exact: bool
    best: str
    best_score: int
    best_exact: bool

    @property
    def loss(self) -> int:
        """Seeds of margin lost by the move."""
        return self.best_score - self.score

    @property
    def verdict(self) -> str:
        """What the move leads to for who made it, if it is worth its score: ``win``, ``draw`` or ``loss``."""
        return VERDICTS[_sign(self.score)]

    @property
    def best_verdict(self) -> str:
        """The same of the best move."""
        return VERDICTS[_sign(self.best_score)]

    @property
    def mistake(self) -> str | None:
        """What kind of mistake the move is: ``blunder``, ``mistake``, ``inaccuracy``, or None.

        A blunder changes who wins, or whether anybody does. Estimates are not so sure of that: where one of the scores
        is one, a loss below :data:`MISTAKE` is no more than an inaccuracy.
        """
        if self.loss <= 0:
            return None
        if self.verdict != self.best_verdict and (self.loss >= MISTAKE or (self.exact and self.best_exact)):
            return "blunder"
        return "mistake" if self.loss >= MISTAKE else "inaccuracy"


def _sign(margin: int) -> int:
    return (margin > 0) - (margin < 0)


def analyse(searcher: Searcher[Position], positions: Sequence[Position], limits: Limits) -> Iterator[MoveNote]:
    """A note for each move between consecutive positions of a game, searched under ``limits`` each.

    Raises KeyboardInterrupt on Ctrl-C.
    """
    for ply, (before, after) in enumerate(itertools.pairwise(positions)):
        fresh = replace(before, seen=frozenset())
        code = _code_of(before, after)
        report = searcher.search_through(fresh, limits)
        best = report.best.moves[0]
        best_score, best_exact = report.best.score, report.exact
        if code == best and after.result() is None:
            score, exact = best_score, best_exact
        else:
            score, exact = _worth(searcher, after, replace(limits, depth=max(report.depth - 1, 1)))
            if score > best_score or code == best:  # the search of the child saw further
                best, best_score, best_exact = code, score, exact
        letters = [before.letter(move + before.turn * before.rules.pits) for move in (code, best)]
        yield MoveNote(ply, before.turn, letters[0], score, exact, letters[1], best_score, best_exact)


def _code_of(before: Position, after: Position) -> int:
    """The mover's house that leads from one position to the next; each house leaves another board."""
    for move in before.playable:
        if move.board == after.board:
            return move.house % before.rules.pits
    raise ValueError("the positions do not follow each other")


def _worth(searcher: Searcher[Position], after: Position, limits: Limits) -> tuple[int, bool]:
    """The score of a move that led to ``after``, for who made it, and whether it is proven."""
    lead = after.stores[1 - after.turn] - after.stores[after.turn]
    result = after.result()
    if result is not None and (after.ending != "majority" or not after.rules.has_tables):
        return int(result[1 - after.turn] - result[after.turn]), True
    # A margin counts on after a majority (solver.oware.game), so the board is searched without its stores.
    fresh = replace(after, seen=frozenset(), stores=(0, 0) if after.rules.has_tables else after.stores)
    if not fresh.legal_moves():
        south, north = fresh.result() or (0, 0)
        return lead + int(south - north) * (2 * fresh.turn - 1), True
    report = searcher.search_through(fresh, limits)
    own = fresh.stores[1 - after.turn] - fresh.stores[after.turn]
    return lead - own - report.best.score, report.exact


def average_loss(notes: Sequence[MoveNote], side: int) -> float | None:
    """Mean seeds lost a move by one side (0 South, 1 North), None when it made none."""
    losses = [note.loss for note in notes if note.side == side]
    return sum(losses) / len(losses) if losses else None
