"""Builds tables straight into arrays, as the builder does into files: what most tests of the builder look at."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numba
import numpy as np
from numpy.typing import NDArray

from databases.builder.captures import MOST_FORCED, VALUE, Cut, FinishedTier
from databases.builder.movetables import MoveTables
from databases.builder.tier import TierBuild
from databases.tiers import board_index
from databases.windows import WHOLE, Game
from solver.oware.rules import Rules

Quantities = dict[str, dict[int, NDArray]]


class ArrayWriter:
    """Collects the bands of each quantity."""

    def __init__(self, boards: int) -> None:
        self.boards = boards
        self.arrays: dict[str, NDArray] = {}
        self.written: dict[str, int] = {}

    def write(self, quantity: str, offset: int, values: NDArray) -> None:
        array = self.arrays.setdefault(quantity, np.empty(self.boards, values.dtype))
        array[offset : offset + len(values)] = values
        self.written[quantity] = self.written.get(quantity, 0) + len(values)

    def read(self, quantity: str, offset: int, count: int) -> NDArray:
        return self.arrays[quantity][offset : offset + count]


@cache
def built(
    rules: Rules,
    seeds: int,
    threads: int = 1,
    *,
    bounds: bool = True,
    distance: bool = False,
    scratch: Path | None = None,
    form: str = "words",
    game: Game | None = None,
) -> Quantities:
    """Every quantity of tiers 0..``seeds``: name -> seeds -> array; with ``scratch`` built in little memory.

    With ``game`` in its windows, in the ``form`` wanted where a tier's window is narrow enough for it.
    """
    numba.set_num_threads(threads)
    tables = MoveTables.build(rules, seeds)
    quantities: Quantities = {name: {} for name in ("value", "lower", "upper", "distance")}
    for n in range(seeds + 1):
        window = WHOLE if game is None else game.window(n)
        held = "cells" if scratch else form if fits(form, n, window, bounds) else "words"
        tier = TierBuild(
            tables, n, threads, writer := ArrayWriter(0), scratch=scratch or Path(), form=held, window=window
        )
        writer.boards = tier.shape.boards
        finished = {
            name: {k: FinishedTier(numbers) for k, numbers in some.items()} for name, some in quantities.items()
        }
        tier.build(finished, bounds=bounds, distance=distance)
        for name, array in writer.arrays.items():
            assert writer.written[name] == writer.boards
            quantities[name][n] = array
    return {name: tiers for name, tiers in quantities.items() if tiers}


def fits(form: str, seeds: int, window: int, bounds: bool) -> bool:
    """Whether a tier's margins go into a form of state."""
    stages = max(Cut.of(side, seeds, window).most for side in ((VALUE, MOST_FORCED) if bounds else (VALUE,)))
    return {"words": True, "cells": True, "bytes": stages <= 7, "bare cells": stages <= 1}[form]


def at(quantities: Quantities, name: str, board: tuple[int, ...]) -> int:
    """One number of a board, in a tier of its own seeds."""
    return int(quantities[name][sum(board)][board_index(board)])
