"""How a search is shown while it runs, for both games: columns for people, JSON objects for programs.

What a game's scores and moves look like, its :class:`Notation` says: :mod:`solver.cli.searching` for Oware,
:mod:`solver.cli.omweso.searching` for Omweso.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol

import click

from solver.cli.output import print_json

if TYPE_CHECKING:
    from solver.search.searcher import Line, Report


class Notation(Protocol):
    """How one game writes what a search of a position finds, from the view of the player to move there."""

    tables: bool
    """Whether the game has tables that a search can hit."""
    board: str
    """What is printed above the columns: the board, or nothing."""

    def moves(self, line: Line) -> list[str]:
        """The principal variation as players write it; at least its first move."""
        ...

    def score(self, report: Report, line: Line) -> str:
        """The score of a line of a report, up to 13 characters."""
        ...

    def proven(self, report: Report) -> str:
        """What is proven where the value is not exact; nothing where the rules of the game say as much."""
        ...

    def verdict(self, report: Report) -> str:
        """The score of a search's last report, and how far it is to be trusted."""
        ...

    def objects(self, report: Report) -> Iterator[dict[str, Any]]:
        """The JSON objects of a report."""
        ...


class ReportPrinter:
    """Prints each report as it comes, under a heading that waits for the first one: no error follows it."""

    def __init__(self, notation: Notation, as_json: bool) -> None:
        self.notation, self.as_json = notation, as_json
        self.headed = False

    def __call__(self, report: Report) -> None:
        """Print a report."""
        if self.as_json:
            for found in self.notation.objects(report):
                print_json(found)
            return
        if not self.headed:
            self._print_heading()
        if report.finished:
            self._print_columns(report)

    def conclude(self, report: Report) -> None:
        """Print the best move of the last report; programs have it already."""
        if not self.as_json:
            click.echo(f"best: {self.notation.moves(report.best)[0]}, {self.notation.verdict(report)}")

    def _print_heading(self) -> None:
        self.headed = True
        if self.notation.board:
            click.echo(self.notation.board)
        hits = "  table hits" if self.notation.tables else ""
        click.echo(f"depth  score                 nodes    nodes/s{hits}  principal variation")

    def _print_columns(self, report: Report) -> None:
        hits = f"  {report.table_hits:>10,}" if self.notation.tables else ""
        depth, work = f"{report.depth:>5}", f"{report.nodes:>13,}  {report.nodes_per_second / 1e6:>7.2f}M{hits}"
        for line in report.lines:
            score, moves = self.notation.score(report, line), " ".join(self.notation.moves(line))
            click.echo(f"{depth}  {score:<13}{work}  {moves}")
            depth, work = " " * len(depth), " " * len(work)
        if proven := self.notation.proven(report):
            click.echo(f"{depth}  proven: {proven}")
