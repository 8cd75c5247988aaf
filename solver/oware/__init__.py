"""Oware, 6x2: everything about this one game; the search itself is :mod:`solver.search`, tables are ``databases``.

Read in this order:

* :mod:`solver.oware.rules`, :mod:`solver.oware.position`: rule sets, and the rules as a person reads them.
* :mod:`solver.oware.kernels`: the same rules compiled, on packed boards.
* :mod:`solver.oware.game`: what the search needs to know of Oware, evaluation included.
* :mod:`solver.oware.proof`: values proven whatever boards repeat.
* :mod:`solver.oware.match`, :mod:`solver.oware.ogn`, :mod:`solver.oware.uci`: match scores, game records, the protocol.
* :mod:`solver.oware.analysis`, :mod:`solver.oware.benchmark`, :mod:`solver.oware.selfplay`: uses of the search.

``from solver.oware import Position, AWARI`` loads rules and position only, nothing compiled.
"""

from solver.oware.position import NORTH, SOUTH, Move, Position
from solver.oware.rules import ABAPA, AWARI, Cycle, GrandSlam, Rules

__all__ = ["ABAPA", "AWARI", "NORTH", "SOUTH", "Cycle", "GrandSlam", "Move", "Position", "Rules"]
