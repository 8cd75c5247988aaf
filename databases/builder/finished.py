"""The finished tiers that a build reads: where each lies, and maps of its numbers, which stay open until it ends.

How tables and archives are opened is left to :mod:`databases.files`, what is read of them to
:mod:`databases.builder.captures`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path

from databases.builder.captures import FinishedTier, FinishedTiers
from databases.builder.plan import Plan
from databases.files.archive import Archive, Neighbours
from databases.files.folder import find_archives, find_tables
from databases.files.packing import unpack, unpacked_map
from databases.files.table import Table


class FinishedMaps(dict[str, FinishedTiers]):
    """Maps of the quantities of all finished tiers that the build reads, kept open until it ends."""

    def __init__(
        self,
        plan: Plan,
        cleanup: ExitStack,
        nearer: Callable[[Path], Path] = lambda path: path,
        in_memory: Path | None = None,
    ) -> None:
        super().__init__({name: {} for name in ("value", "lower", "upper")})
        self.plan, self.cleanup, self.nearer, self.in_memory = plan, cleanup, nearer, in_memory

    def add(self, seeds: int) -> None:
        """Map a tier that is finished; one that is there only packed is unpacked for it.

        ``nearer`` says where to read a table: a copy of it, if that is on a faster disk. With ``in_memory`` all tables
        are read from there.
        """
        if seeds not in self.plan.needed:
            return
        table = self.cleanup.enter_context(self._opened(seeds))
        for name, tiers in self.items():
            if name in self.plan.quantities:
                plain = isinstance(table, Table)
                numbers = table.map(name) if plain else unpacked_map(table, name, self.plan.folder)
                tiers[seeds] = FinishedTier(numbers, table.coding)

    def _opened(self, seeds: int) -> Table | Archive:
        plan, in_memory = self.plan, self.in_memory
        path = find_tables(in_memory or plan.folder, plan.rules).get(seeds)
        if in_memory is not None and path is None:
            path = self._brought(in_memory, seeds)
        if seeds in plan.archived and in_memory is None:
            return Archive.open(find_archives(plan.folder, plan.rules)[seeds])
        assert path is not None
        return Table.open(self.nearer(path))

    def _brought(self, in_memory: Path, seeds: int) -> Path:
        """Have a table that was there before the build in memory: unpacked, or a name that leads to it."""
        plan = self.plan
        if seeds not in plan.archived:
            there = find_tables(plan.folder, plan.rules)[seeds]
            name = in_memory / there.name
            name.symlink_to(there.absolute())
            return name
        packed = find_archives(plan.folder, plan.rules)[seeds]
        with closing(Neighbours(in_memory, plan.rules)) as smaller, Archive.open(packed, smaller) as archive:
            return unpack(archive, in_memory)
