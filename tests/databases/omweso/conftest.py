"""A solved board."""

from __future__ import annotations

import pytest

from databases.omweso.solve import SmallBoard, solve_small
from solver.omweso.rules import OmwesoRules


@pytest.fixture(scope="session")
def solved() -> SmallBoard:
    """Two columns, 16 seeds; tests change copies only."""
    return solve_small(OmwesoRules(columns=2), 16)
