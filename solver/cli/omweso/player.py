"""The program as a player of matches: the search, and an eye for turns that score more than a win."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from solver.omweso.match import Game, turn_points
from solver.omweso.position import OmwesoPosition
from solver.search.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solver.omweso.position import Side, Turn
    from solver.omweso.rules import OmwesoRules
    from solver.search.searcher import Searcher


LEAST_SECONDS = 0.01
LOOK = Limits(depth=8, seconds=0.5)
"""How far the program looks at each set-up that it could answer with."""


class Player:
    """Plays a turn that scores at once where there is one, the most points first; else what the search finds best.

    A limit in seconds is for the whole answer: what listing the turns takes, on boards of long relays, is taken off.
    """

    def __init__(self, searcher: Searcher[OmwesoPosition], limits: Limits) -> None:
        self.searcher, self.limits = searcher, limits

    def answer_to(self, setup: Side, offered: Sequence[Side], rules: OmwesoRules) -> Side:
        """Of set-ups on offer, the one with which a short search sees the owner of ``setup``, who starts, worst off."""

        def score(own: Side) -> int:
            return self.searcher.search_through(OmwesoPosition.start(setup, own, rules), LOOK).best.score

        return min(offered, key=score)

    def choose(self, game: Game) -> Turn:
        """The turn to play in a game that goes on. Raises KeyboardInterrupt on Ctrl-C."""
        began = time.monotonic()
        position = game.position
        best, most = None, 0
        for turn in position.turns:
            points = turn_points(position, turn, game.scoring, game.strikes)
            if points > most:
                best, most = turn, points
        if best is not None:
            return best
        limits = self.limits
        if limits.seconds is not None:
            limits = replace(limits, seconds=max(limits.seconds - (time.monotonic() - began), LEAST_SECONDS))
        code = self.searcher.search_through(position, limits).best.moves[0]
        found = self.searcher.game.turn(position, code)  # type: ignore[attr-defined]
        return next(
            turn
            for turn in position.turns
            if (turn.pit, turn.choices, turn.okukoneeza) == (found.pit, found.choices, found.okukoneeza)
        )
