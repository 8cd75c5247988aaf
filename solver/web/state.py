"""What lives as long as the server: the folder of tables, the work under way, the files of the page.

Tables are opened when they are first asked for, and looked for again when the folder has changed, so that a tier built
while the server runs is found. All of it belongs to the event loop's thread.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

from databases.files.folder import ARCHIVE_SUFFIX, SUFFIX, parse_name
from databases.prober import MissingTierError, Tables, open_tables
from solver.errors import RulesError
from solver.oware.game import Tier
from solver.oware.rules import Rules
from solver.web.errors import Refused
from solver.web.jobs import Jobs
from solver.web.page import page_files

SEARCHES = 2
LISTINGS = 8
"""Requests that may wait for the thread which lists Omweso's turns and scans tables."""


class State:
    """The server's own. ``folder`` need not be there: then every table is missing, until it is."""

    def __init__(self, folder: Path, *, named: bool = True) -> None:
        self.folder, self.named = folder, named
        self._place = os.fspath(folder)
        self.page = page_files()
        self.searches = Jobs(SEARCHES, "too-many", f"{SEARCHES} searches run already")
        self.listings = Jobs(1, "busy", "a list of turns is being made already")
        self.longest: dict[str, Any] = {}
        """The longest distance of each table that was asked for it, by the table's hash."""
        self._waiting = 0
        self._listing = asyncio.Lock()
        self._opened: dict[Rules, Tables] = {}
        self._changed: int | None = None

    def tables(self, rules: Rules, seeds: int) -> Tables:
        """The tables of a rule set, to be asked of a board of so many seeds.

        Raises :class:`~databases.prober.MissingTierError` where there is no folder of tables, and Refused for rules
        that can have none.
        """
        self._look_again()
        opened = self._opened.get(rules)
        if opened is None:
            if not rules.has_tables:
                message = f"{rules.id} can have no tables: a board's value depends on the stores"
                raise Refused("no-tables", message, "rules")
            if not self.folder.is_dir():
                raise MissingTierError(self.folder, rules, seeds)
            opened = self._opened[rules] = open_tables(self.folder, rules)
        return opened

    def maps(self, rules: Rules) -> dict[int, Tier]:
        """The plain tables of a rule set as the search takes them, by their seeds; none will do."""
        if not rules.has_tables or not self.folder.is_dir():
            return {}
        return self.tables(rules, 0).searchable()

    def rule_sets(self) -> list[Rules]:
        """The rule sets of Oware that the folder claims to have tables of, by id."""
        names = (parse_name(path, suffix) for path in self._paths() for suffix in (SUFFIX, ARCHIVE_SUFFIX))
        found = set()
        for name in names:
            try:
                rules = Rules.parse(name[0]) if name else None
            except RulesError:  # Omweso's, or nobody's
                continue
            if rules is not None and rules.has_tables:
                found.add(rules)
        return sorted(found, key=lambda rules: rules.id)

    async def listing(self, work: Any) -> Any:
        """Do what may take a moment on the one thread for it, in turn. Raises Refused where too many wait."""
        if self._waiting >= LISTINGS:
            raise Refused("busy", f"{LISTINGS} requests for long lists wait already")
        self._waiting += 1
        try:
            async with self._listing:
                while self.listings.running:  # one whose caller went away is ending
                    await asyncio.sleep(0.005)
                return await self.listings.result(work)
        finally:
            self._waiting -= 1

    def close(self) -> None:
        """Stop what runs and let go of the tables."""
        self.searches.stop()
        self.listings.stop()
        self._forget()

    def _paths(self) -> list[Path]:
        try:
            return list(self.folder.iterdir())
        except OSError:
            return []

    def _look_again(self) -> None:
        """Forget the tables at hand where files have come or gone. A search keeps the maps that it was given."""
        try:
            changed = os.stat(self._place).st_mtime_ns  # noqa: PTH116  # at every look-up: a Path takes twice as long
        except OSError:
            changed = None
        if changed != self._changed:
            self._forget()
            self._changed = changed

    def _forget(self) -> None:
        for tables in self._opened.values():
            tables.close()
        self._opened.clear()
