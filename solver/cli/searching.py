"""What the commands that search share: their options, a searcher with the tables at hand, how scores and lines read."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from solver.cli.options import SEARCH_THREADS, Whole, rules_option, tables_option
from solver.oware.position import Position
from solver.oware.rules import ABAPA, Rules

if TYPE_CHECKING:
    from solver.oware.game import Tier
    from solver.search.searcher import Line, Searcher


def searcher_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--rules`` and those of :func:`engine_options`: the command gets ``open_searcher``, a context manager.

    Called with nothing it opens the tables and gives a :class:`~solver.search.searcher.Searcher`; ``.rules`` are its
    rules.
    """

    @rules_option
    @engine_options
    @functools.wraps(command)
    def with_rules(*args: Any, rules: Rules, open_searcher: OpenSearcher, **kwargs: Any) -> Any:
        open_searcher.rules = rules
        return command(*args, open_searcher=open_searcher, **kwargs)

    return with_rules


def engine_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--tables --no-tables --hash --threads``: the command gets ``open_searcher``, which it calls with rules."""

    @tables_option
    @click.option("--no-tables", is_flag=True, help="Search without endgame tables.")
    @click.option("--hash", "hash_mib", type=Whole(0), default=64, show_default=True, metavar="MIB",
                  help="Size of the transposition table in MiB; 0 for none.")  # fmt: skip
    @click.option("--threads", type=SEARCH_THREADS, default=1, show_default=True, help="Threads that search.")
    @functools.wraps(command)
    def with_searcher(*args: Any, tables: Path, no_tables: bool, hash_mib: int, threads: int, **kwargs: Any) -> Any:
        folder = None if no_tables else tables
        return command(*args, open_searcher=OpenSearcher(ABAPA, folder, hash_mib, threads), **kwargs)

    return with_searcher


class OpenSearcher:
    """Opens a searcher as the options say; see :func:`searcher_options`."""

    def __init__(self, rules: Rules, folder: Path | None, hash_mib: int, threads: int) -> None:
        self.rules, self.folder, self.hash_mib, self.threads = rules, folder, hash_mib, threads

    @contextmanager
    def __call__(self, rules: Rules | None = None) -> Iterator[Searcher[Position]]:
        """A searcher for ``rules`` (those of the options by default) with every table that is there for them."""
        from solver.oware.game import OwareGame
        from solver.search.searcher import Searcher

        chosen = rules or self.rules
        with table_maps(chosen, self.folder) as tables:
            yield Searcher(OwareGame(chosen, tables), hash_mib=self.hash_mib, threads=self.threads)

    def position(self, text: str) -> Position:
        """A position of these rules; ``start`` is the start position."""
        return Position.start(self.rules) if text == "start" else Position.parse(text, self.rules)


@contextmanager
def table_maps(rules: Rules, folder: Path | None) -> Iterator[dict[int, Tier]]:
    """The tables of ``rules`` in ``folder`` as the search takes them, by their seeds: mapped arrays with their index.

    Empty where there is no such folder, none of these rules, or tables that lack what the search needs.
    """
    if folder is None or not folder.is_dir() or not rules.has_tables:
        yield {}
        return
    from databases.prober import open_tables
    from databases.tiers import tier_index
    from solver.oware.game import Tier

    needed = ("value", "lower", "upper") if rules.has_bounds else ("value",)
    with open_tables(folder, rules) as tables:
        maps = {
            seeds: Tier({quantity: table.map(quantity) for quantity in needed}, tier_index(rules.pits, seeds))
            for seeds, table in tables.mapped.items()
            if all(quantity in table.quantities for quantity in needed)
        }
        if left_out := sorted(set(tables.tiers) - set(maps)):
            seeds = ", ".join(map(str, left_out))
            click.echo(f"the search leaves out the tables of {seeds} seeds: they lack {' or '.join(needed)}", err=True)
        yield maps


def line_json(position: Position, line: Line) -> dict[str, Any]:
    """A root move for ``--json``."""
    letters = position.line(line.moves)
    return {
        "move": letters[0],
        "score": line.score,
        "exact": line.exact,
        **bounds_json(position, line.low, line.high),
        "pv": letters,
    }


def bounds_json(position: Position, low: int, high: int) -> dict[str, int]:
    """Proven bounds, no wider than the seeds left allow."""
    lead = position.stores[position.turn] - position.stores[1 - position.turn]
    return {"low": max(low, lead - position.seeds), "high": min(high, lead + position.seeds)}
