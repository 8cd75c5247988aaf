"""``abapa uci``: play for a program that speaks the Oware dialect of UCI."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from solver.cli.options import rules_option, tables_option
from solver.oware.position import Position
from solver.oware.rules import Rules

if TYPE_CHECKING:
    from solver.search.searcher import Searcher


@click.command(name="uci")
@rules_option
@tables_option
def command(rules: Rules, tables: Path) -> None:
    """Answer UCI commands on stdin, as an engine for Auale and similar programs.

    The protocol sets the options Hash (in MiB), Threads, OwnTables, MultiPV, UCI_LimitStrength and UCI_Elo. A limited
    engine plays as the levels of abapa play do: it looks at fewer positions, misjudges moves on purpose, and looks into
    no tables. Kernels are compiled at the first search after an installation; abapa warm compiles them beforehand.
    """
    from solver.cli.engine import EngineSize
    from solver.cli.searching import OpenSearcher
    from solver.oware.uci import Engine

    def open_searcher(hash_mib: int, threads: int, own_tables: bool) -> AbstractContextManager[Searcher[Position]]:
        size = EngineSize(hash_mib, threads)
        return OpenSearcher(tables if own_tables else None, size)(
            rules, tell=lambda text: engine.say(f"info string {text}")
        )

    engine = Engine(rules, open_searcher, sys.stdout)
    engine.run(sys.stdin)
