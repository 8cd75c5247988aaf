"""How a game's kernels are bound to the search: chosen by class, cached on disk, never stale."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

TWO_GAMES = """
from typing import Any, NamedTuple
import numpy as np
from solver.kernels.compile import kernel
from solver.search.game import final, implements, limit
from solver.search.worker import new_worker

class First(NamedTuple):
    record: Any

class Second(NamedTuple):
    record: Any

@implements(final, First)
def first_final(game, worker, ply):
    return ply + 1

@implements(final, Second)
def second_final(game, worker, ply):
    return ply + CONSTANT

@kernel
def one_search(game, worker, ply):
    return 100 * final(game, worker, ply)
"""

RUN = """
from solver import two_games
worker, record = two_games.new_worker(), two_games.np.zeros(1, [("a", "i8"), ("b", "i8")])[0]
print(two_games.one_search(two_games.First(record), worker[0], 1))
print(two_games.one_search(two_games.Second(record), worker[0], 1))
stats = two_games.one_search.stats
print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""


def run(folder: Path) -> list[str]:
    environment = os.environ | {"ABAPA_CACHE": str(folder / "cache"), "PYTHONPATH": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", RUN], env=environment, cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_one_search_for_each_game_found_in_the_cache_and_compiled_again_when_a_game_changes(tmp_path: Path) -> None:
    for package in ("solver", "databases"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    module = tmp_path / "solver" / "two_games.py"
    module.write_text(TWO_GAMES.replace("CONSTANT", "2"))
    assert run(tmp_path) == ["200", "300", "0", "2"]
    assert run(tmp_path) == ["200", "300", "2", "0"]
    module.write_text(TWO_GAMES.replace("CONSTANT", "7"))
    assert run(tmp_path) == ["200", "800", "0", "2"]
