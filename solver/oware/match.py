"""Match formats of Oware: when a series of games is over, and who has won it.

A match is a tuple of results, one a finished game, from the view of its first player: 1 won, 0 drawn, -1 lost. The
games themselves are left to :mod:`solver.oware.position`. Sources of the formats: docs/rules.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from solver.errors import AbapaError, quoted

Results = tuple[int, ...]


def _first_to(wins: int, lead: int | None = None) -> Callable[[Results], int | None]:
    """Won by the first player with so many wins, or with so many more than the other."""

    def decide(results: Results) -> int | None:
        ours, theirs = results.count(1), results.count(-1)
        for side, won, lost in ((1, ours, theirs), (-1, theirs, ours)):
            if won >= wins or (lead is not None and won - lost >= lead):
                return side
        return None

    return decide


def _best_of(games: int) -> Callable[[Results], int | None]:
    """Over when the games left cannot change who leads, or after ``games`` games; level then is a drawn match."""

    def decide(results: Results) -> int | None:
        lead, left = sum(results), games - len(results)
        if abs(lead) > left:
            return 1 if lead > 0 else -1
        return 0 if left == 0 else None

    return decide


def _in_a_row(wins: int) -> Callable[[Results], int | None]:
    """Won by three wins without another result between them: a drawn game breaks the row too."""

    def decide(results: Results) -> int | None:
        last = results[-wins:]
        return last[0] if len(last) == wins and last[0] and len(set(last)) == 1 else None

    return decide


@dataclass(frozen=True)
class Format:
    """How a match is won: ``decide`` gives 1 or -1 (who won), 0 (drawn) or None while it goes on."""

    name: str
    text: str
    decide: Callable[[Results], int | None]


FORMATS: dict[str, Format] = {
    format_.name: format_
    for format_ in (
        Format("single", "one game", _best_of(1)),
        Format("antigua", "first to 6 wins, or a lead of 3 games", _first_to(6, lead=3)),
        Format("best-of-3", "best of 3 games", _best_of(3)),
        Format("best-of-5", "best of 5 games", _best_of(5)),
        Format("yoruba", "three wins in a row", _in_a_row(3)),
        Format("kumasi", "first to 5 wins", _first_to(5)),
    )
}
"""The formats by name."""


@dataclass(frozen=True)
class Match:
    """A match under way; immutable, :meth:`record` gives the next."""

    format: Format
    results: Results = ()

    @classmethod
    def start(cls, name: str) -> Match:
        """A new match of a format. Raises AbapaError for an unknown name, with those that are known."""
        if name not in FORMATS:
            raise AbapaError(f"unknown match format {quoted(name)}: accepted are {', '.join(FORMATS)}")
        return cls(FORMATS[name])

    def record(self, result: int) -> Match:
        """The match after one more game: 1, 0 or -1 for the first player. Raises AbapaError when it is over."""
        if self.over:
            raise AbapaError("the match is over: no more games count")
        if result not in (1, 0, -1):
            raise AbapaError(f"result {result}: accepted are 1 (won), 0 (drawn) and -1 (lost)")
        return replace(self, results=(*self.results, result))

    @property
    def winner(self) -> int | None:
        """1 the first player, -1 the second, 0 nobody (drawn), None while the match goes on."""
        return self.format.decide(self.results)

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return self.winner is not None

    @property
    def score(self) -> tuple[int, int, int]:
        """Games won by the first player, drawn, and won by the second."""
        return self.results.count(1), self.results.count(0), self.results.count(-1)
