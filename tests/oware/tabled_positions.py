"""Random boards of 10 to 16 seeds and what tables say of them: what proofs and exact scores are held against."""

from __future__ import annotations

from functools import cache

import numpy as np

from databases.tiers import board_at, board_index, tier_index, tier_size
from solver.oware.game import Tier
from solver.oware.position import Position
from solver.oware.rules import Rules
from tests.databases.tables_in_memory import built

FEWEST, MOST = 10, 16


@cache
def tables(rules: Rules, seeds: int = MOST) -> dict[int, Tier]:
    """Tiers as the search is handed them."""
    quantities = built(rules, MOST if rules.pits == 6 else seeds, bounds=rules.has_bounds)
    names = ("value", "lower", "upper") if rules.has_bounds else ("value",)
    return {n: Tier({name: quantities[name][n] for name in names}, tier_index(rules.pits, n)) for n in range(seeds + 1)}


def positions(rules: Rules, count: int, seed: int) -> list[Position]:
    """Random boards, uniform within a tier."""
    random = np.random.default_rng(seed)
    found: list[Position] = []
    while len(found) < count:
        seeds = int(random.integers(FEWEST, MOST + 1))
        position = Position(
            board_at(rules.pits, seeds, int(random.integers(tier_size(rules.pits, seeds)))), rules=rules
        )
        if position.legal_moves():
            found.append(position)
    return found


def truth(position: Position) -> tuple[int, int]:
    """The bounds that hold whatever was played before, from the table."""
    arrays, index = tables(position.rules)[position.seeds].arrays, board_index(position.canonical)
    if position.rules.has_bounds:
        return int(arrays["lower"][index]), int(arrays["upper"][index])
    return int(arrays["value"][index]), int(arrays["value"][index])
