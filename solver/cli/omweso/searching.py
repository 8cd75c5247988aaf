"""Omweso's searches: a searcher for its rules, and how scores and lines of turns read."""

from __future__ import annotations

import functools
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


class OmwesoNotation:
    """How searches of an Omweso position read; a :class:`~solver.cli.reports.Notation`.

    Scores are from the view of the player to move at the root: a win or a loss in plies, else an estimate in seeds.
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
        """``won in 7``, ``lost in 4``, or seeds."""
        from solver.omweso.game import score_text

        return score_text(line.score)

    def proven(self, report: Report) -> str:
        """Nothing: what is proven is a score that counts plies."""
        return ""

    def verdict(self, report: Report) -> str:
        """The score, and the depth that it is of."""
        return f"{self.score(report, report.best)} (depth {report.depth})"

    def objects(self, report: Report) -> Iterator[dict[str, Any]]:
        """One object per line, of depths that were searched to their end."""
        from solver.omweso.game import plies_to_end

        for line in report.lines if report.finished else ():
            yield {
                "depth": report.depth,
                "score": line.score,
                "plies_to_end": plies_to_end(line.score),
                "exact": line.exact,
                "nodes": report.nodes,
                "seconds": round(report.seconds, 4),
                "turns": self.moves(line),
            }
