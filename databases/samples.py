"""Boards drawn from tiers and graded by tables: data for people who train programs or test them.

Draws and grades many boards at once, in compiled code. Values are margins in seeds from the view of the player to
move; a move's are from the view of the player who makes it. Boards that occur in play come from
:mod:`solver.oware.selfplay`; how a data set is written is left to the command line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from databases.prober import MoveValue, Tables, best_first
from databases.tiers import tier_size
from solver.kernels.compile import kernel
from solver.oware.kernels import NO_MAJORITY, SLAM_CODES, legal_children, sowing_table

PIECE = 4096
"""Boards that are drawn and graded at a time, so that a data set of any size takes little memory."""
ILLEGAL = -1
"""``captured`` of a house that may not be played."""


def uniform_boards(pits: int, tiers: Sequence[int], count: int, seed: int) -> Iterator[NDArray[np.int8]]:
    """``count`` canonical boards in pieces, int8 of shape (:data:`PIECE` or fewer, 2 * pits).

    Each board of ``tiers`` is as likely as any other. Draws are independent, so a board may come twice. The same
    arguments give the same boards.
    """
    random = np.random.default_rng(seed)
    sizes = np.array([float(tier_size(pits, n)) for n in tiers])
    for first in range(0, count, PIECE):
        chosen = random.choice(np.array(tiers), size=min(PIECE, count - first), p=sizes / sizes.sum())
        boards = np.empty((len(chosen), 2 * pits), np.int8)
        for n in tiers:
            here = np.flatnonzero(chosen == n)
            boards[here] = _compositions(random, n, 2 * pits, len(here))
        yield boards


def _compositions(random: np.random.Generator, seeds: int, houses: int, count: int) -> NDArray[np.int8]:
    """Ways to place ``seeds`` in ``houses``, each as likely: 2m - 1 bars drawn among seeds and bars in a row."""
    places = seeds + houses - 1
    bars = np.sort(np.argsort(random.random((count, places)), axis=1)[:, : houses - 1], axis=1)
    edges = np.concatenate([np.full((count, 1), -1), bars, np.full((count, 1), places)], axis=1)
    return (np.diff(edges, axis=1) - 1).astype(np.int8)


@dataclass(frozen=True)
class Graded:
    """Boards with what tables say of them and of each of their moves.

    ``boards``: int8 (k, 2m), canonical. ``numbers``: quantity -> (k,), the quantities that all tables hold, margins in
    seeds from the mover's view and ``distance`` in plies. ``captured``: int8 (k, m), :data:`ILLEGAL` where a house may
    not be played. ``moves``: quantity -> (k, m) from the mover's view, 0 where a house may not be played.
    """

    boards: NDArray[np.int8]
    numbers: dict[str, NDArray[np.int64]]
    captured: NDArray[np.int8]
    children: NDArray[np.int8]
    moves: dict[str, NDArray[np.int64]]

    def __len__(self) -> int:
        return len(self.boards)

    def moves_of(self, k: int) -> list[MoveValue]:
        """The legal moves of board k, best first (:func:`databases.prober.best_first`)."""
        found = []
        for house in np.flatnonzero(self.captured[k] != ILLEGAL).tolist():
            numbers = {name: int(of_moves[k, house]) for name, of_moves in self.moves.items()}
            after = tuple(self.children[k, house].tolist())
            found.append(MoveValue(house, int(self.captured[k, house]), after, **numbers))
        return sorted(found, key=best_first)


def grade(tables: Tables, boards: NDArray[np.int8]) -> Graded:
    """Look up ``boards`` (int8, shape (k, 2m), canonical) and the boards after all of their moves.

    Raises :class:`~databases.prober.MissingTierError` where a table is missing.
    """
    rules, names = tables.rules, _held(tables)
    tables.want_full(np.unique(boards.sum(axis=1)).tolist(), "a list of values")
    captured = np.empty((len(boards), rules.pits), np.int8)
    children = np.zeros((len(boards), rules.pits, 2 * rules.pits), np.int8)
    _play_all(sowing_table(rules.pits), SLAM_CODES[rules.grand_slam], boards, captured, children)
    numbers = {name: tables.probe_many(boards, name).astype(np.int64) for name in names}
    legal = captured != ILLEGAL
    after = {name: np.zeros(captured.shape, np.int64) for name in names}
    for name in names:
        after[name][legal] = tables.probe_many(children[legal], name)
    return Graded(boards, numbers, captured, children, _of_moves(captured, legal, after))


def _held(tables: Tables) -> list[str]:
    """The quantities that every table holds."""
    held = [set(table.quantities) for table in tables.tiers.values()]
    return [name for name in ("value", "lower", "upper", "distance") if held and all(name in some for some in held)]


def _of_moves(
    captured: NDArray[np.int8], legal: NDArray[np.bool_], after: dict[str, NDArray[np.int64]]
) -> dict[str, NDArray[np.int64]]:
    """What each move is worth to its player, from what the board after it is worth to the opponent."""
    moves = {"value": np.where(legal, captured - after["value"], 0)}
    if "lower" in after and "upper" in after:
        moves["lower"] = np.where(legal, captured - after["upper"], 0)
        moves["upper"] = np.where(legal, captured - after["lower"], 0)
    if "distance" in after:
        plies = np.where(captured > 0, 1, after["distance"] + 1)
        moves["distance"] = np.where(legal & (moves["value"] != 0), plies, 0)
    return moves


@kernel
def _play_all(table, slam, boards, captured, children):
    """Every legal move of every board: seeds captured and the board after it, by house."""
    pits = captured.shape[1]
    houses, taken = np.empty(pits, np.int8), np.empty(pits, np.int8)
    after = np.empty((pits, 2 * pits), np.int8)
    captured[:] = ILLEGAL
    for k in range(boards.shape[0]):
        for j in range(legal_children(table, slam, np.int64(NO_MAJORITY), boards[k], houses, taken, after)):
            house = np.int64(houses[j])
            captured[k, house] = taken[j]
            children[k, house] = after[j]
