"""What building a missing table asks for: boards, bytes on disk, and roughly the time, without building anything.

The command itself stands in :class:`~databases.prober.MissingTierError`. The exact plan for this machine, its memory
included, is what the command prints first.
"""

from __future__ import annotations

from dataclasses import dataclass

from databases.files.folder import find_archives, find_tables
from databases.files.writer import table_bytes
from databases.prober import MissingTierError
from databases.tiers import tier_size

BOARDS_PER_SECOND = 10_000_000
"""In one pass, on a machine with two cores, rounded down (docs/performance.md)."""
SECONDS_PER_TIER = 0.1
"""What a tier takes, however small."""


@dataclass(frozen=True)
class Needs:
    """Boards and bytes of the tables that the command makes, and roughly its seconds."""

    boards: int
    bytes: int
    seconds: int


def needs_of(missing: MissingTierError) -> Needs:
    """What the command of a missing tier has to make beside the tables that are there."""
    rules, quantities = missing.rules, ["value"]
    if rules.has_bounds:
        quantities += ["lower", "upper"]
    there: set[int] = set()
    if missing.directory.is_dir():
        there = set(find_tables(missing.directory, rules)) | set(find_archives(missing.directory, rules))
    tiers = [seeds for seeds in range(missing.seeds + 1) if seeds not in there]
    boards = sum(tier_size(rules.pits, seeds) for seeds in tiers)
    size = sum(table_bytes(rules.pits, seeds, quantities) for seeds in tiers)
    seconds = len(tiers) * SECONDS_PER_TIER + boards * len(quantities) / BOARDS_PER_SECOND
    return Needs(boards, size, max(1, round(seconds)))
