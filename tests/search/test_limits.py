"""When a search ends: what limits are accepted, and that to say so loads nothing heavy."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from solver.errors import AbapaError
from solver.search.limits import LONGEST_SECONDS, MAX_DEPTH, MAX_NODES, Limits


def test_limits_load_neither_numba_nor_numpy() -> None:
    look = "import sys, solver.search.limits; print(sorted({'numba', 'numpy', 'llvmlite'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_largest_limits_are_accepted() -> None:
    Limits(MAX_DEPTH, LONGEST_SECONDS, MAX_NODES)
    Limits(1, 1e-9, 1)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"depth": 0}, "depth 0: accepted are 1 to 100"),
        ({"depth": MAX_DEPTH + 1}, "depth 101: accepted are 1 to 100"),
        ({"seconds": 0.0}, "a time of 0 s: accepted is more than 0, up to 100,000,000"),
        ({"seconds": 2 * LONGEST_SECONDS}, "a time of 2e+08 s: accepted is more than 0, up to 100,000,000"),
        ({"seconds": float("nan")}, "a time of nan s: accepted is more than 0, up to 100,000,000"),
        ({"nodes": 0}, "0 nodes: accepted are 1 to 4,611,686,018,427,387,904"),
        ({"nodes": MAX_NODES + 1}, "4611686018427387905 nodes: accepted are 1 to 4,611,686,018,427,387,904"),
    ],
)
def test_other_limits_are_refused_in_one_line(wrong: dict, says: str) -> None:
    with pytest.raises(AbapaError, match=f"^{re.escape(says)}$"):
        Limits(**wrong)
