"""Small tables for tests, written through the store from brute force, without the builder."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from databases.store import QUANTITIES, TableWriter
from databases.tiers import board_at, tier_size
from solver.rules import Rules
from tests.brute_force import BruteForce


@cache
def brute_force(rules: Rules, seeds: int) -> BruteForce:
    return BruteForce(rules, seeds)


def write_tier(directory: Path, rules: Rules, seeds: int, quantities: Sequence[str], solved: BruteForce) -> Path:
    boards = [board_at(rules.pits, seeds, index) for index in range(tier_size(rules.pits, seeds))]
    with TableWriter(directory, rules, seeds, quantities) as writer:
        for name in quantities:
            numbers = getattr(solved, name)
            writer.write(name, 0, np.array([numbers[board] for board in boards], QUANTITIES[name]))
        return writer.commit(seconds=0.0)


def write_tables(directory: Path, rules: Rules, seeds: int, quantities: Sequence[str] = ("value",)) -> BruteForce:
    """Write tiers 0..seeds; returns what is in them."""
    solved = brute_force(rules, seeds)
    for n in range(seeds + 1):
        write_tier(directory, rules, n, quantities, solved)
    return solved
