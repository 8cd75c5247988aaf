"""Solved Omweso tiers as table files: written, read back whole, and asked for a position.

A layer is one table with ``value`` and ``distance``; the file itself is left to :mod:`databases.files`. A prober of its
own, since unlike Oware's (:mod:`databases.prober`) a position's history decides which table answers.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from databases.files.folder import table_path
from databases.files.journal import write_down
from databases.files.lock import BuildLock
from databases.files.table import Table
from databases.files.writer import TableWriter
from databases.omweso.levels import DRAWN
from databases.omweso.solve import SmallBoard, SmallBoardError
from databases.tiers import board_index
from solver.omweso.kernels import OmwesoGenerator
from solver.omweso.position import OmwesoPosition, Turn
from solver.omweso.rules import Endless, OmwesoRules

_PIECE = 16 << 20
"""Positions that are turned into numbers of a table at a time."""


def layer_rules(rules: OmwesoRules, fresh: bool) -> OmwesoRules:
    """The rules in whose name a layer is stored: with okukoneeza the fresh one, without it the settled one.

    Once somebody has captured, the two rule sets are one game, and share its table.
    """
    return replace(rules, okukoneeza=fresh and rules.okukoneeza)


def save_small(board: SmallBoard, directory: Path, seconds: float) -> list[Path]:
    """Write a solved tier: a table a layer, ``value`` and ``distance``. Returns the files.

    ``directory`` must exist; ``seconds``, which solving took, go to its journal. Raises
    :class:`~databases.files.faults.TableWriteError`, and :class:`~databases.files.lock.LockedError` while others write
    there.
    """
    layers = {layer_rules(board.rules, fresh=False): board.settled, layer_rules(board.rules, fresh=True): board.fresh}
    paths = []
    for rules, layer in layers.items():
        with BuildLock(directory), TableWriter(directory, rules, board.seeds, ("value", "distance")) as writer:
            for start in range(0, layer.size, _PIECE):
                plies = layer[start : start + _PIECE]
                drawn = plies == DRAWN
                odd = np.where(plies & 1, 1, -1)
                writer.write("value", start, np.where(drawn, 0, odd).astype(np.int8))
                writer.write("distance", start, np.where(drawn, 0, plies).astype(np.uint16))
            paths.append(writer.commit())
            with Table.open(paths[-1]) as table:
                sha256 = table.header.digests["value"].whole
            write_down(directory, rules.id, board.seeds, sha256, seconds, board.threads)
    return paths


def load_small(directory: Path, rules: OmwesoRules, seeds: int) -> SmallBoard | None:
    """A tier solved before, or None where a table is missing. Raises :class:`~databases.files.faults.TableError`."""
    layers = []
    for fresh in (False, True):
        path = table_path(directory, layer_rules(rules, fresh), seeds)
        if not path.is_file():
            return None
        with Table.open(path) as table:
            values, distances = table.map("value", "pass"), table.map("distance", "pass")
            layers.append(np.where(values == 0, DRAWN, distances).astype(np.uint8))
        if not rules.okukoneeza:
            return SmallBoard(rules, seeds, layers[0], layers[0])
    return SmallBoard(rules, seeds, *layers)


class SmallTables:
    """The stored tables of one rule set and number of seeds, mapped: what a position is worth.

    Raises :class:`SmallBoardError` where a table is missing, naming the command that makes it.
    """

    def __init__(self, directory: Path, rules: OmwesoRules, seeds: int) -> None:
        self.rules, self.seeds = rules, seeds
        self._tables: dict[bool, Table] = {}
        for fresh in (False, True):
            path = table_path(directory, layer_rules(rules, fresh), seeds)
            if not path.is_file():
                remedy = f"abapa omweso solve --rules {rules.id} --seeds {seeds} --tables {directory}"
                raise SmallBoardError(f"no table {path}: build it with: {remedy}")
            self._tables[fresh] = Table.open(path)
        self._generator = OmwesoGenerator(rules)

    def plies(self, position: OmwesoPosition) -> int:
        """Plies of a position, as in :class:`~databases.omweso.solve.SmallBoard`.

        While first turns are to come, they are worked out from the positions after its turns.
        """
        if position.rules != self.rules or position.seeds != self.seeds:
            raise SmallBoardError(
                f"a position of {position.seeds} seeds under {position.rules.id}: "
                f"the tables hold {self.seeds} seeds under {self.rules.id}"
            )
        if position.voided:
            return 1 if self.rules.endless is Endless.MOVER_LOSES else DRAWN
        if any(position.first_turns):
            return fold_plies([plies for _, plies in self.turns(position)])
        table = self._tables[position.fresh]
        index = board_index(position.side + position.opponent)
        return table.read("distance", index) if table.read("value", index) else DRAWN

    def turns(self, position: OmwesoPosition) -> list[tuple[Turn, int]]:
        """Every turn of a position with the plies of the position after it."""
        return [(turn, self.plies(position.after(turn))) for turn in self._generator.turns(position)]


def fold_plies(children: list[int]) -> int:
    """Plies of a position from those after its turns: :func:`databases.omweso.levels.fold` in Python."""
    lost = [plies for plies in children if plies != DRAWN and not plies & 1]
    if lost:
        return min(lost) + 1
    return DRAWN if DRAWN in children else max(children, default=-1) + 1
