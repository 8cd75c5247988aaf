"""What a build will do and need, worked out before any work: tiers, boards, disk, memory, and whether it fits.

The numbers come from the sizes of the arrays that the builder will allocate, by formula; nothing is allocated here.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from math import comb
from pathlib import Path

from databases.halfboards import half_count
from databases.store import table_bytes
from databases.tiers import MAX_SEEDS, tier_size
from solver.errors import AbapaError
from solver.rules import Rules

BASE_MEMORY = 190 << 20
"""Python, numpy, numba and the compiled kernels."""


class PlanError(AbapaError):
    """A build that cannot be made here: it says what it needs and what there is."""


def quantities_of(rules: Rules, *, bounds: bool, distance: bool) -> tuple[str, ...]:
    """The quantities that a table of these rules will hold."""
    names = ["value"]
    if bounds and rules.has_bounds:
        names += ["lower", "upper"]
    return tuple([*names, "distance"] if distance else names)


@dataclass(frozen=True)
class Plan:
    """A build of tiers 0..``seeds``, of which ``missing`` are to be made."""

    rules: Rules
    seeds: int
    quantities: tuple[str, ...]
    missing: tuple[int, ...]
    folder: Path
    threads: int
    free_disk: int
    memory: int
    """Bytes that may be used."""

    @property
    def boards(self) -> int:
        """Boards in the tiers to be built."""
        return sum(tier_size(self.rules.pits, n) for n in self.missing)

    @property
    def steps(self) -> int:
        """Progress steps: one a board and pass (``value``; the two bounds)."""
        return self.boards * (1 + 2 * ("lower" in self.quantities))

    @property
    def disk(self) -> int:
        """Bytes that the new files will take."""
        return sum(table_bytes(self.rules.pits, n, self.quantities) for n in self.missing)

    @property
    def peak_memory(self) -> int:
        """Bytes of working memory at the largest tier, without the mapped finished tiers (which can be evicted)."""
        return max((tier_memory(self.rules, n, self.seeds, self.quantities, self.threads) for n in self.missing),
                   default=0)  # fmt: skip

    @property
    def text(self) -> str:
        """The plan as lines a person reads."""
        kept = self.seeds + 1 - len(self.missing)
        tiers = f"{len(self.missing)} to build, {kept} already there" if self.missing else "all there"
        return "\n".join(
            [
                f"Plan: {self.rules.id}, tiers 0..{self.seeds} ({tiers}), {', '.join(self.quantities)}",
                f"  boards       {self.boards:>20,}",
                f"  disk         {self.disk:>20,} bytes ({size_text(self.disk)}), {size_text(self.free_disk)} free",
                f"  peak memory  {self.peak_memory:>20,} bytes ({size_text(self.peak_memory)}), "
                f"{size_text(self.memory)} available",
                f"  threads      {self.threads:>20}",
                f"  folder       {self.folder}",
            ]
        )

    def require(self) -> None:
        """Raise :class:`PlanError`, with the numbers, if the build does not fit."""
        if self.disk > self.free_disk:
            raise PlanError(
                f"no room in {self.folder}: the tables need {self.disk:,} bytes, {self.free_disk:,} are free; "
                "free some, name another folder with --tables, or build fewer seeds"
            )
        if self.missing and self.peak_memory > self.memory:
            raise PlanError(
                f"not enough memory: tier {max(self.missing)} needs {self.peak_memory:,} bytes "
                f"({size_text(self.peak_memory)}), {self.memory:,} are available; build fewer seeds"
            )


def make_plan(
    folder: Path,
    rules: Rules,
    seeds: int,
    missing: tuple[int, ...],
    *,
    bounds: bool,
    distance: bool,
    threads: int,
    memory: int | None,
) -> Plan:
    """Work out the plan; ``memory`` limits the bytes used, by default what the machine has available."""
    return Plan(
        rules,
        seeds,
        quantities_of(rules, bounds=bounds, distance=distance),
        missing,
        folder,
        threads,
        shutil.disk_usage(nearest_existing(folder)).free,
        available_memory() if memory is None else memory,
    )


def check_request(rules: Rules, seeds: int, threads: int) -> None:
    """Refuse what can never be built. Raises :class:`PlanError`."""
    if not rules.has_tables:
        raise PlanError(
            f"no tables for {rules.id}: with grand-slam=win-only a capture depends on the stores, so a board has no "
            "single value; accepted are forfeit, forbidden and capture (search and play know win-only)"
        )
    if not 0 <= seeds <= MAX_SEEDS:
        raise PlanError(f"{seeds} seeds: accepted are 0 to {MAX_SEEDS} (values are one signed byte)")
    if threads < 1:
        raise PlanError(f"{threads} threads: accepted are 1 and more")


def tier_memory(rules: Rules, seeds: int, most_seeds: int, quantities: tuple[str, ...], threads: int) -> int:
    """Bytes of working memory to build one tier with move tables for ``most_seeds`` seeds."""
    from databases.builder.propagate import scratch_bytes

    boards = tier_size(rules.pits, seeds)
    states = 2 if "lower" in quantities else 1
    value_words = 2 + 2 * ("distance" in quantities)
    frontiers = 4 if "distance" in quantities else 2
    working = max(
        value_words * boards + frontier_bytes(rules.pits, seeds, frontiers),
        2 * states * boards + frontier_bytes(rules.pits, seeds, 2),
    )
    return BASE_MEMORY + movetable_bytes(rules.pits, most_seeds) + working + scratch_bytes(boards, threads)


def frontier_bytes(pits: int, seeds: int, frontiers: int) -> int:
    """Bytes of the bitmaps and row flags of so many frontiers."""
    rows = [half_count(pits, c) for c in range(seeds + 1)]
    words = sum(rows[c] * ((rows[seeds - c] + 63) // 64) for c in range(seeds + 1))
    return frontiers * (8 * words + sum(rows))


def movetable_bytes(pits: int, seeds: int) -> int:
    """Bytes of the move tables, an upper estimate: halves times moves, both directions."""
    halves = comb(seeds + pits, pits)
    return halves * (26 + 20 * pits)


def nearest_existing(folder: Path) -> Path:
    """The folder itself or its closest parent that exists."""
    folder = folder.absolute()
    return next(path for path in (folder, *folder.parents) if path.exists())


def available_memory() -> int:
    """Bytes of memory that this machine can give without swapping."""
    try:
        with Path("/proc/meminfo").open() as lines:
            fields = dict(line.split(":", 1) for line in lines)
        return int(fields["MemAvailable"].split()[0]) << 10
    except (OSError, KeyError):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def size_text(count: int) -> str:
    """Bytes in the largest binary unit that leaves a number of 1 or more."""
    size = float(count)
    for unit in ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB"):
        if size < 1024 or unit == "PiB":
            break
        size /= 1024
    return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
