"""Oware's searches: a searcher with the tables at hand, and how scores and lines read."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from solver.cli.engine import EngineSize, size_options
from solver.cli.options import tables_option, was_given
from solver.cli.output import signed, span
from solver.cli.progress import progress_bar
from solver.oware.position import Position
from solver.oware.rules import Rules

if TYPE_CHECKING:
    from solver.oware.game import Tier
    from solver.search.searcher import Line, Report, Searcher


def searcher_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--tables --no-tables --hash --threads``: the command gets ``open_searcher``, which it calls with rules."""

    @tables_option
    @click.option("--no-tables", is_flag=True, help="Search without endgame tables.")
    @size_options()
    @functools.wraps(command)
    def with_searcher(*args: Any, tables: Path, no_tables: bool, size: EngineSize, **kwargs: Any) -> Any:
        if no_tables and was_given("tables"):
            raise click.UsageError("--tables: with --no-tables it is not used: accepted is one of the two")
        return command(*args, open_searcher=OpenSearcher(None if no_tables else tables, size), **kwargs)

    return with_searcher


Tell = Callable[[str], None]
"""Tells a person something that is no error."""


def warn(text: str) -> None:
    """Tell it on stderr."""
    click.echo(f"abapa: {text}", err=True)


class OpenSearcher:
    """Opens searchers as the options say: with the tables of a folder, if any, and of one size."""

    def __init__(self, folder: Path | None, size: EngineSize) -> None:
        self.folder, self.size = folder, size

    @contextmanager
    def __call__(self, rules: Rules, most: int | None = None, tell: Tell = warn) -> Iterator[Searcher[Position]]:
        """A searcher for ``rules`` with the tables that are there for them, to be used inside a ``with``.

        ``most``: the most seeds of a table that can be reached, where that is known; ``tell`` says what is left out.
        """
        from solver.oware.game import OwareGame

        with table_maps(rules, self.folder, most, tell) as tables:
            yield self.size.searcher(OwareGame(rules, tables))


def leave(searcher: Searcher[Position], done: bool) -> None:
    """End a command: with exit code 130 after Ctrl-C, with 1 if what it was to prove is not proven."""
    if searcher.interrupted or not done:
        click.get_current_context().exit(130 if searcher.interrupted else 1)


@contextmanager
def table_maps(
    rules: Rules, folder: Path | None, most: int | None = None, tell: Tell = warn
) -> Iterator[dict[int, Tier]]:
    """The tables of ``rules`` in ``folder`` as the search takes them, by their seeds: arrays with their index.

    Packed tables are unpacked first, which may take a while: about a second per 20 million boards.

    None of more than ``most`` seeds is opened. Empty where nobody named a folder and the default one is not there;
    ``tell`` says so where a folder has none of these rules, or tables that lack what the search needs. Raises
    AbapaError for a named folder that is not there.
    """
    from databases.files.folder import default_folder, existing_folder

    named = folder is not None and folder != default_folder()
    if folder is None or (not named and not folder.is_dir()):
        yield {}
        return
    existing_folder(folder)
    if not rules.has_tables:
        if named:
            tell(f"{rules.id} has no tables: those in {folder} are not used")
        yield {}
        return
    from databases.prober import open_tables
    from databases.tiers import MAX_SEEDS, tier_size
    from solver.oware.game import searched_quantities

    with open_tables(folder, rules) as tables:
        reached = [seeds for seeds in tables.tiers if most is None or seeds <= most]
        packed = [seeds for seeds in reached if seeds not in tables.mapped]
        with progress_bar(sum(tier_size(rules.pits, seeds) for seeds in packed), "board", "unpack") as bar:
            maps = tables.searchable(
                MAX_SEEDS if most is None else most, lambda seeds: bar.update(tier_size(rules.pits, seeds))
            )
        needed = " or ".join(searched_quantities(rules))
        if lacking := sorted(set(reached) - set(packed) - set(maps)):
            tell(f"the search leaves out the tables of {_numbers(lacking)} seeds: they lack {needed}")
        if lacking := sorted(set(packed) - set(maps)):
            why = f"they lack {needed}, or tables that they rest on do"
            tell(f"the search leaves out the packed tables of {_numbers(lacking)} seeds: {why}")
        if named and not tables.tiers:
            tell(f"no tables of {rules.id} in {folder}: the search goes without")
        yield maps


def _numbers(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))


class OwareNotation:
    """How searches of an Oware position read; a :class:`~solver.cli.reports.Notation`.

    Scores are final margins in seeds from the view of the player to move, stores included. ``lines_apart``: each line
    is exact or not by itself, as ``multipv`` gives them, not as the whole report is.
    """

    tables = True
    board = ""

    def __init__(self, root: Position, lines_apart: bool) -> None:
        self.root, self.lines_apart = root, lines_apart

    def moves(self, line: Line) -> list[str]:
        """The letters of the moves."""
        return self.root.line(line.moves)

    def score(self, report: Report, line: Line) -> str:
        """A margin, and whether it is exact."""
        exact = line.exact if self.lines_apart else report.exact
        return f"{signed(line.score)} {'exact' if exact else 'estimate'}"

    def proven(self, report: Report) -> str:
        """The proven bounds, where they say more than the seeds do and the value is not exact."""
        bounds = self.bounds(report)
        return "" if report.exact or bounds == self._bounds(-9999, 9999) else span(**bounds)

    def verdict(self, report: Report) -> str:
        """The margin: exact, or an estimate of some depth."""
        return f"{signed(report.best.score)} ({'exact' if report.exact else f'estimate of depth {report.depth}'})"

    def objects(self, report: Report) -> Iterator[dict[str, Any]]:
        """One object, in it one for each line."""
        pv = self.moves(report.best)
        yield {
            "depth": report.depth,
            "finished": report.finished,
            "score": report.best.score,
            "exact": report.exact,
            **self.bounds(report),
            "nodes": report.nodes,
            "nps": report.nodes_per_second,
            "seconds": round(report.seconds, 6),
            "table_hits": report.table_hits,
            "best": pv[0],
            "pv": pv,
            "moves": [self._line(line) for line in report.lines],
            "position": self.root.text,
            "rules": self.root.rules.id,
        }

    def bounds(self, found: Report | Line) -> dict[str, int]:
        """Proven bounds, no wider than the seeds left allow."""
        return self._bounds(found.low, found.high)

    def _bounds(self, low: int, high: int) -> dict[str, int]:
        lead = self.root.stores[self.root.turn] - self.root.stores[1 - self.root.turn]
        return {"low": max(low, lead - self.root.seeds), "high": min(high, lead + self.root.seeds)}

    def _line(self, line: Line) -> dict[str, Any]:
        pv = self.moves(line)
        return {"move": pv[0], "score": line.score, "exact": line.exact, **self.bounds(line), "pv": pv}
