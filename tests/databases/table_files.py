"""Small table files for tests, written through the store from what the builder makes in memory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from databases.files.writer import TableWriter
from solver.oware.rules import ABAPA, AWARI, Rules
from tests.databases.tables_in_memory import Quantities, built


def write_tier(directory: Path, rules: Rules, seeds: int, quantities: Sequence[str], numbers: Quantities) -> Path:
    """Write one tier of what :func:`built` returned."""
    with TableWriter(directory, rules, seeds, quantities) as writer:
        for name in quantities:
            writer.write(name, 0, numbers[name][seeds])
        return writer.commit()


def write_tables(directory: Path, rules: Rules, seeds: int, quantities: Sequence[str] = ("value",)) -> Quantities:
    """Write tiers 0..seeds; returns what is in them."""
    numbers = built(rules, seeds, bounds="lower" in quantities, distance="distance" in quantities)
    for n in range(seeds + 1):
        write_tier(directory, rules, n, quantities, numbers)
    return numbers


def write_awari_and_abapa(directory: Path, awari: int, abapa: int) -> Path:
    """Write awari with distances and abapa with bounds, tiers 0 up to so many seeds; returns the folder."""
    write_tables(directory, AWARI, awari, ("value", "distance"))
    write_tables(directory, ABAPA, abapa, ("value", "lower", "upper"))
    return directory
