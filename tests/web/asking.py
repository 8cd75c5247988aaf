"""What tests of the server share: which tables there are, boards to ask about, events apart."""

from __future__ import annotations

import json
import random
from typing import Any

from databases.tiers import board_at, tier_size
from solver.oware.position import Position
from solver.oware.rules import Rules

LOCAL = "http://127.0.0.1:8421"
API = "/api/v1"
TABLES = (("awari", 7, True), ("abapa", 7, False), ("awari+pits=2", 6, True), ("abapa+pits=3", 8, True))
"""Rule set, seeds of the largest tier, whether with distances."""


def positions(rules_id: str, seeds: int, count: int, seed: int) -> list[Position]:
    """Random boards of up to so many seeds, some with stores, some with North to move."""
    chance, rules = random.Random(seed), Rules.parse(rules_id)
    found = []
    for _ in range(count):
        n = chance.randint(0, seeds)
        board = board_at(rules.pits, n, chance.randrange(tier_size(rules.pits, n)))
        stores = (chance.randint(0, 9), chance.randint(0, 9)) if chance.random() < 0.7 else (0, 0)
        found.append(Position(board, stores, chance.randint(0, 1), rules))
    return found


def events(text: str) -> list[tuple[str, Any]]:
    """Server-sent events: their names and data."""
    found = []
    for block in text.split("\n\n")[:-1]:
        name, data = block.split("\n")
        found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found
