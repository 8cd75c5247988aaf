"""What a build tells of its work: all of it, whatever the form and the rules, and about in step with the time."""

from __future__ import annotations

from pathlib import Path

import pytest

from databases.builder.build import NoProgress, build_tables
from databases.builder.plan import Plan, make_plan
from databases.windows import Game
from solver.oware.rules import AWARI, Rules

SECONDS = {24: 25, 25: 38, 26: 53, 27: 81, 32: 261, 33: 358, 34: 418, 36: 656}
"""What tiers of the 36-seed game took (docs/results.md) where nothing else ran."""


class Count(NoProgress):
    """Adds up what is told, each board times the effort of its tier."""

    def start(self, plan: Plan) -> None:
        self.plan, self.done, self.seeds = plan, 0, -1

    def tier(self, seeds: int) -> None:
        self.seeds = seeds

    def advance(self, boards: int) -> None:
        assert boards >= 0
        self.done += boards * self.plan.effort(self.seeds)


@pytest.mark.parametrize("rules", ["awari+pits=3", "abapa+pits=3"])
@pytest.mark.parametrize("game", [None, Game(9), Game(9, 3)], ids=["full", "windows", "wider"])
@pytest.mark.parametrize("threads", [1, 2])
def test_all_of_the_work_is_told(rules: str, game: Game | None, threads: int, tmp_path: Path) -> None:
    count = Count()
    build_tables(tmp_path, Rules.parse(rules), None if game else 9, game=game, threads=threads, progress=count)
    assert count.done == count.plan.steps


def test_work_goes_with_the_time() -> None:
    """The share of the time that each tier took is its share of the work, within a seventh."""
    tiers, gib = tuple(SECONDS), 1 << 30
    plan = make_plan(Path(), AWARI, 36, tiers, game=Game(36), bounds=False, distance=False, threads=2, memory=23 * gib)
    for seeds, seconds in SECONDS.items():
        share = plan.told(seeds) * plan.effort(seeds) / plan.steps
        assert share == pytest.approx(seconds / sum(SECONDS.values()), rel=0.15)
