"""Omweso's searches: a searcher for its rules, and how scores and lines of turns read."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from solver.cli.engine import EngineSize, size_options
from solver.omweso.match import Okutema
from solver.omweso.rules import OmwesoRules

if TYPE_CHECKING:
    from solver.omweso.position import OmwesoPosition
    from solver.search.searcher import Line, Report, Searcher


def searcher_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--hash`` and ``--threads``: the command gets ``open_searcher``, an :class:`OpenSearcher`."""

    @size_options(least_hash=1)
    @functools.wraps(command)
    def with_searcher(*args: Any, size: EngineSize, **kwargs: Any) -> Any:
        return command(*args, open_searcher=OpenSearcher(size), **kwargs)

    return with_searcher


class OpenSearcher:
    """Makes searchers of one size."""

    def __init__(self, size: EngineSize) -> None:
        self.size = size

    def __call__(self, rules: OmwesoRules, okutema: Okutema = Okutema.OFF) -> Searcher[OmwesoPosition]:
        """A searcher of a rule set; ``okutema`` as :class:`~solver.omweso.game.OmwesoGame` takes it."""
        from solver.omweso.game import OmwesoGame

        return self.size.searcher(OmwesoGame(rules, okutema=okutema))


def playing_rules(rules: OmwesoRules) -> OmwesoRules:
    """The rules with a practical lap cap where they set none: nobody waits at the board for 350 million laps."""
    from solver.omweso.kernels import PRACTICAL_LAPS

    return rules if rules.lap_cap is not None else replace(rules, lap_cap=PRACTICAL_LAPS)


UNITS_A_LOGIT = 80
"""Units of the search in which the network was fitted: a score of as many stands for odds of e to one on winning."""


def chance_to_win(score: int, rules: OmwesoRules) -> float | None:
    """The chance of winning that a score stands for, from the same view; None where no network was fitted."""
    from solver.omweso.game import plies_to_end
    from solver.omweso.network import FITTED_COLUMNS

    if plies_to_end(score) is not None:
        return float(score > 0)
    return 1 / (1 + math.exp(-score / UNITS_A_LOGIT)) if rules.columns == FITTED_COLUMNS else None


def _percent(chance: float) -> str:
    """A chance that nothing has proven: never 0 or 100."""
    whole = round(100 * chance)
    return "<1 %" if whole < 1 else ">99 %" if whole > 99 else f"{whole} %"


class OmwesoNotation:
    """How searches of an Omweso position read; a :class:`~solver.cli.reports.Notation`.

    Scores are from the view of the player to move at the root: a win or a loss in plies, else an estimate in seeds, no
    more than there are, and the chance of winning that it stands for.
    """

    tables = False

    def __init__(self, searcher: Searcher[OmwesoPosition], root: OmwesoPosition) -> None:
        self.game, self.root = searcher.game, root
        self.board = root.draw()

    def moves(self, line: Line) -> list[str]:
        """The turns; a line may go on past the end of the game, where nobody plays."""
        texts, position = [], self.root
        for code in line.moves:
            if code not in self.game.legal(position):
                break
            texts.append(self.game.name(position, code))
            position = self.game.play(position, code)
        return texts

    def score(self, report: Report, line: Line) -> str:
        """``won in 7``, ``lost in 4``, or seeds and the chance of winning."""
        from solver.omweso.game import plies_to_end, score_text

        if plies_to_end(line.score) is not None:
            return score_text(line.score)
        chance = chance_to_win(line.score, self.root.rules)
        return f"{self._seeds(line.score):+.1f}" + ("" if chance is None else f" {_percent(chance)}")

    def _seeds(self, score: int) -> float:
        """An estimate in seeds, no more than are on the board."""
        from solver.omweso.game import UNITS_A_SEED

        return max(-self.root.seeds, min(score / UNITS_A_SEED, self.root.seeds))

    def proven(self, report: Report) -> str:
        """Nothing: what is proven is a score that counts plies."""
        return ""

    def verdict(self, report: Report) -> str:
        """The score, and the depth that it is of."""
        return f"{self.score(report, report.best)} (depth {report.depth})"

    def objects(self, report: Report) -> Iterator[dict[str, Any]]:
        """One object per line, of depths that were searched to their end."""
        from solver.omweso.game import plies_to_end

        def estimate(score: int) -> dict[str, float]:
            chance = chance_to_win(score, self.root.rules)
            seeds = {} if plies_to_end(score) is not None else {"seeds": round(self._seeds(score), 2)}
            return seeds if chance is None else seeds | {"chance": round(chance, 4)}

        for line in report.lines if report.finished else ():
            yield {
                "depth": report.depth,
                "score": line.score,
                "plies_to_end": plies_to_end(line.score),
                **estimate(line.score),
                "exact": line.exact,
                "nodes": report.nodes,
                "seconds": round(report.seconds, 4),
                "turns": self.moves(line),
            }
