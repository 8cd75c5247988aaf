"""The small tables that most tests of files look at: awari of 3 houses, with distances."""

from __future__ import annotations

from solver.oware.rules import Rules
from tests.databases.tables_in_memory import Quantities, built

SMALL = Rules.parse("awari+pits=3")


def numbers() -> Quantities:
    """Tiers 0..5, ``value`` and ``distance``."""
    return built(SMALL, 5, bounds=False, distance=True)
