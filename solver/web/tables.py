"""What tables there are: of each rule set the tiers, of one tier the histogram and the longest distance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from databases.files.archive import Archive
from databases.files.table import FinishedTable
from databases.prober import MissingTierError, Tables
from databases.tiers import board_at
from solver.oware.position import Position
from solver.oware.rules import Rules
from solver.web.jobs import Job
from solver.web.oware.game import position_object
from solver.web.state import State

PIECE = 1 << 24
"""Distances looked at between two chances to stop."""


def tables_object(state: State) -> dict[str, Any]:
    """All tables in the folder, by rule set. Raises a TableError for one that is damaged."""
    found = []
    for rules in state.rule_sets():
        tables = state.tables(rules, 0)
        tiers = [tier_object(table) for table in tables.tiers.values()]
        found.append({"id": rules.id, "complete_to": tables.seeds, "tiers": tiers})
    return {"folder_given": state.named, "rules": found}


def tier_object(table: FinishedTable) -> dict[str, Any]:
    """One tier; ``exact``: boards whose bounds agree, null where there are none."""
    wins = sum(count for value, count in table.histogram.items() if value > 0)
    losses = sum(count for value, count in table.histogram.items() if value < 0)
    exact = table.histograms.get("exact")
    return {
        "seeds": table.seeds,
        "window": table.window if table.window < table.seeds else None,
        "boards": table.positions,
        "wins": wins,
        "draws": table.positions - wins - losses,
        "losses": losses,
        "exact": None if exact is None else sum(exact.values()),
        "quantities": table.quantities,
        "packed": isinstance(table, Archive),
        "bytes": table.path.stat().st_size,
        "sha256": table.header.digests["value"].whole,
    }


async def one_tier(state: State, rules: Rules, seeds: int) -> dict[str, Any]:
    """One tier with its histogram and its longest distance. Raises MissingTierError."""
    tables = state.tables(rules, seeds)
    if seeds not in tables.tiers:
        raise MissingTierError(state.folder, rules, seeds)
    table = tables.tiers[seeds]
    histogram = [[value, count] for value, count in sorted(table.histogram.items())]
    return tier_object(table) | {"histogram": histogram, "longest": await _longest(state, tables, seeds)}


async def _longest(state: State, tables: Tables, seeds: int) -> dict[str, Any] | None:
    """The longest distance of a plain table and the first board that has it; found once, then remembered."""
    table, rules = tables.tiers[seeds], tables.rules
    if "distance" not in table.quantities or isinstance(table, Archive):
        return None
    mark = table.header.digests["distance"].whole
    if mark not in state.longest:
        distances = tables.map(seeds, "distance")

        def work(job: Job[tuple[int, int]]) -> Iterator[tuple[int, int]]:
            for found in _largest(distances):  # the last is that of the whole
                if not job.stopped:
                    yield found

        distance, index = await state.listing(work)
        position = Position(board_at(rules.pits, seeds, index), rules=rules)
        state.longest[mark] = {"distance": distance, "position": position_object(position)}
    return state.longest[mark]


def _largest(numbers: NDArray[np.uint16]) -> Iterator[tuple[int, int]]:
    """The largest number so far and its first index, after each piece."""
    largest, index = -1, 0
    for start in range(0, len(numbers), PIECE):
        piece = numbers[start : start + PIECE]
        at = int(np.argmax(piece))
        if piece[at] > largest:
            largest, index = int(piece[at]), start + at
        yield largest, index
