"""Omweso, 4x8: everything about this one game; the search itself is :mod:`solver.search`.

Read in this order:

* :mod:`solver.omweso.rules`, :mod:`solver.omweso.position`: rule sets, and the rules as a person reads them.
* :mod:`solver.omweso.setups`, :mod:`solver.omweso.match`: how a game begins, how it is scored.
* :mod:`solver.omweso.kernels`: the same rules compiled, on packed boards; :mod:`solver.omweso.mayer`: endless sowing.
* :mod:`solver.omweso.game`: what the search needs to know of Omweso; :mod:`solver.omweso.network` and
  :mod:`solver.omweso.weights`: its evaluation.
* :mod:`solver.omweso.ratings`: set-ups rated by the search.

The rules, with their sources, are in docs/omweso.md. ``from solver.omweso import OmwesoPosition, TOURNAMENT`` loads
rules and position only, nothing compiled.
"""

from solver.omweso.position import NORTH, SOUTH, OmwesoPosition, Turn
from solver.omweso.rules import COMP424, TOURNAMENT, Endless, OmwesoRules, Repetition, Reverse, Setup

__all__ = [
    "COMP424",
    "NORTH",
    "SOUTH",
    "TOURNAMENT",
    "Endless",
    "OmwesoPosition",
    "OmwesoRules",
    "Repetition",
    "Reverse",
    "Setup",
    "Turn",
]
