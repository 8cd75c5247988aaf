"""``abapa uci``: play for a program that speaks the Oware dialect of UCI."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
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
    """Answer UCI commands on stdin: the engine for the Auale board and its kin.

    Options Hash (MiB), Threads and OwnTables are set by the protocol.
    """
    from solver.cli.searching import OpenSearcher
    from solver.oware.uci import Engine

    @contextmanager
    def open_searcher(hash_mib: int, threads: int, own_tables: bool) -> Iterator[Searcher[Position]]:
        with OpenSearcher(rules, tables if own_tables else None, hash_mib, threads)() as searcher:
            yield searcher

    Engine(rules, open_searcher, sys.stdout).run(sys.stdin)
