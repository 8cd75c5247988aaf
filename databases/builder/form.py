"""What the building of a tier asks of the form that its state has.

The forms themselves are :mod:`databases.builder.words` and :mod:`databases.builder.cells` (margins on the disk), and
for tiers in a narrow window :mod:`databases.builder.narrow`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from databases.builder.captures import Cut, FinishedTiers
from databases.builder.checkpoint import Part
from databases.builder.movetables import MoveTables
from databases.builder.propagate import Propagation
from databases.builder.state import TierShape

Told = Callable[[int], object]
"""Hears of so many boards more whose captures have been played."""


@dataclass
class Form(ABC):
    """Makes and handles states of one form, for one tier in a window. ``shape`` is that of words in every form."""

    tables: MoveTables
    shape: TierShape
    threads: int
    window: int

    name: ClassVar[str]

    @abstractmethod
    def new_state(self) -> Any:
        """Room for one side of the tier, with nothing in it yet."""

    @abstractmethod
    def parts(self, state: Any) -> list[Part]:
        """What a checkpoint keeps of it."""

    @abstractmethod
    def play_captures(self, side: int, finished: FinishedTiers, state: Any, told: Told) -> None:
        """Fill it with what captures give."""

    @abstractmethod
    def propagation(self, wins: Any, losses: Any, stages: int, distance: NDArray[np.uint16] | None) -> Propagation:
        """The propagation over one state, or one for wins and one for losses."""

    @abstractmethod
    def table(self, state: Any, scale: int = 1, shift: int = 0) -> Iterator[tuple[int, NDArray[np.int8]]]:
        """The finished table in bands (:func:`~databases.builder.transpose.bands`): scale * margin + shift."""

    def cut(self, side: int) -> Cut:
        """Which margins a state of this side tells apart."""
        return Cut.of(side, self.shape.seeds, self.window)

    @abstractmethod
    def close(self) -> None:
        """Give back what is not memory."""
