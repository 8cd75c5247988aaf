"""What a tier looks like: values over the sides, extremes with a position each, longest distance, passing, greed.

One or two passes over a table that is there; nothing is solved here. Values are margins from the view of the player to
move, in seeds. Printing is left to the command line, pictures to :mod:`databases.pictures`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numba
import numpy as np
from numba import prange
from numpy.typing import NDArray

from databases.files.histograms import count_margins
from databases.halfboards import half_counts, half_firsts, list_halves, rank_terms
from databases.prober import Board, MissingTierError, Tables
from databases.tiers import block_offsets, board_at
from solver.kernels.compile import parallel_kernel
from solver.kernels.intrinsics import load_int8
from solver.kernels.lanes import count_at
from solver.kernels.ranks import row_rank
from solver.oware.kernels import NO_MAJORITY, SLAM_CODES, pack_row, play, row_seeds, sowing_table
from solver.oware.rules import Rules

_OFFSET = 128


@dataclass(frozen=True)
class Example:
    """A board of a tier, with what it is worth to the player to move."""

    board: Board
    value: int

    @property
    def own(self) -> int:
        """Seeds on the mover's side."""
        return sum(self.board[: len(self.board) // 2])


@dataclass(frozen=True)
class Greed:
    """How often the largest capture is the wrong move. Counts are of boards where a capture is legal."""

    boards: int
    wrong: int
    """Where no capture of the largest size keeps the value."""
    lost: int
    """Seeds of margin given away on all of these."""
    worst: int
    """Seeds of margin given away on the worst of them."""
    example: Board | None
    """The first such."""

    @property
    def share(self) -> float:
        """The share of boards with a capture where greed is wrong."""
        return self.wrong / self.boards if self.boards else 0.0


@dataclass(frozen=True)
class TierStatistics:
    """One tier; ``by_side[a, v + 128]`` is how many boards with a seeds on the mover's side have value v."""

    rules: Rules
    seeds: int
    by_side: NDArray[np.int64]
    largest_win: Example
    """Of the boards with the largest value, one with the fewest seeds on the mover's side."""
    largest_loss: Example
    """Of the boards with the least value, one with the most seeds on the mover's side."""
    against_the_seeds: Example | None
    """The largest loss of a mover whose side has more seeds, with the largest lead among equals; None without one."""
    longest: tuple[int, Board] | None
    """The longest distance in plies and a board; None where the table holds no distances."""
    would_pass: int
    """Boards where the mover would rather pass: worth less than the same board with the other player to move."""
    greed: Greed

    @property
    def boards(self) -> int:
        """Boards in the tier."""
        return int(self.by_side.sum())

    @cached_property
    def counts(self) -> dict[int, int]:
        """How many boards have each value, least first."""
        total = self.by_side.sum(axis=0)
        return {int(k) - _OFFSET: int(total[k]) for k in np.flatnonzero(total)}

    @property
    def wins(self) -> int:
        """Boards that the mover wins."""
        return sum(count for value, count in self.counts.items() if value > 0)

    @property
    def losses(self) -> int:
        """Boards that the mover loses."""
        return sum(count for value, count in self.counts.items() if value < 0)

    @property
    def draws(self) -> int:
        """Boards worth 0."""
        return self.counts.get(0, 0)

    @property
    def mean(self) -> float:
        """The mean value."""
        return sum(value * count for value, count in self.counts.items()) / self.boards

    @property
    def mean_by_side(self) -> list[float]:
        """The mean value of the boards with 0, 1, .. seeds on the mover's side."""
        values = np.arange(-_OFFSET, _OFFSET)
        return [float((row * values).sum() / row.sum()) for row in self.by_side]

    @property
    def leads_lost(self) -> int:
        """Boards whose mover has more seeds on their side than the opponent, and loses."""
        return int(self.by_side[self.seeds // 2 + 1 :, :_OFFSET].sum())

    @property
    def leads(self) -> int:
        """Boards whose mover has more seeds on their side than the opponent."""
        return int(self.by_side[self.seeds // 2 + 1 :].sum())


def tier_statistics(tables: Tables, seeds: int, threads: int = 1) -> TierStatistics:
    """All of a tier's statistics. Needs the smaller tiers too (captures lead there).

    Raises :class:`~databases.prober.MissingTierError`, and :class:`~solver.errors.AbapaError` for packed tables.
    """
    for n in range(seeds + 1):
        if n not in tables.tiers:
            raise MissingTierError(tables.directory, tables.rules, n)
    tables.want_full(range(seeds + 1), "the full statistics of a tier")
    rules, values = tables.rules, tables.map(seeds)
    by_side = np.zeros((seeds + 1, 256), np.int64)
    for a, block in enumerate(_blocks(rules.pits, seeds, tables.map(seeds, access="pass"))):
        count_margins(block.reshape(-1), by_side[a])
    total = by_side.sum(axis=0)
    most, least = (int(np.flatnonzero(total)[end]) for end in (-1, 0))
    richest_loss = _side_with(by_side, least, last=True)
    return TierStatistics(
        rules,
        seeds,
        by_side,
        _example(rules.pits, seeds, values, _side_with(by_side, most, last=False), most - _OFFSET),
        _example(rules.pits, seeds, values, richest_loss, least - _OFFSET),
        _against_the_seeds(rules.pits, seeds, values, by_side),
        longest_distance(tables, seeds),
        _count_would_pass(rules.pits, seeds, values),
        measure_greed(tables, seeds, threads),
    )


def longest_distance(tables: Tables, seeds: int) -> tuple[int, Board] | None:
    """The longest distance of a tier, in plies, and the first board that has it; None where none are stored."""
    if "distance" not in tables.tiers[seeds].quantities:
        return None
    distances = tables.map(seeds, "distance", "pass")
    at = int(np.argmax(distances))
    return int(distances[at]), board_at(tables.rules.pits, seeds, at)


def _blocks(pits: int, seeds: int, values: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """The tier as matrices, one for each number of seeds on the mover's side: own half by opponent's half."""
    counts, offsets = half_counts(pits, seeds), block_offsets(pits, seeds)
    for a in range(seeds + 1):
        yield values[offsets[a] : offsets[a + 1]].reshape(counts[a], counts[seeds - a])


def _side_with(by_side: NDArray[np.int64], column: int, *, last: bool) -> int:
    """The first or last number of seeds on the mover's side that has a board in a column."""
    return int(np.flatnonzero(by_side[:, column])[-1 if last else 0])


def _example(pits: int, seeds: int, values: NDArray[np.int8], own: int, value: int) -> Example:
    """The first board with ``own`` seeds on the mover's side and this value."""
    offsets = block_offsets(pits, seeds)
    at = int(np.argmax(values[offsets[own] : offsets[own + 1]] == value))
    return Example(board_at(pits, seeds, int(offsets[own]) + at), value)


def _against_the_seeds(pits: int, seeds: int, values: NDArray[np.int8], by_side: NDArray[np.int64]) -> Example | None:
    ahead = by_side.copy()
    ahead[: seeds // 2 + 1] = 0
    lost = np.flatnonzero(ahead[:, :_OFFSET].sum(axis=0))
    if not len(lost):
        return None
    least = int(lost[0])
    return _example(pits, seeds, values, _side_with(ahead, least, last=True), least - _OFFSET)


def _count_would_pass(pits: int, seeds: int, values: NDArray[np.int8]) -> int:
    """Boards worth less to the mover than minus their worth to the other player, were it their turn."""
    blocks = list(_blocks(pits, seeds, values))
    portion, found = 1024, 0
    for a, block in enumerate(blocks):
        other = blocks[seeds - a]
        for start in range(0, len(block), portion):
            mine = block[start : start + portion].astype(np.int16)
            found += int((mine + other[:, start : start + portion].T < 0).sum())
    return found


# -- greed ------------------------------------------------------------------------------------------------------------


def measure_greed(tables: Tables, seeds: int, threads: int = 1) -> Greed:
    """Play the largest capture on every board of a tier that has one, and see what it gives away."""
    rules, pits = tables.rules, tables.rules.pits
    maps = [tables.map(n) for n in range(seeds + 1)]  # kept: the kernel reads them by their addresses
    addresses = np.array([numbers.ctypes.data for numbers in maps], np.uint64)
    blocks = np.zeros((seeds + 1, seeds + 2), np.int64)
    for n in range(seeds + 1):
        blocks[n, : n + 2] = block_offsets(pits, n)
    halves = np.array([pack_row(half) for half in list_halves(pits, seeds).tolist()], np.uint64)
    found = np.zeros((threads, 5), np.int64)
    found[:, 4] = -1
    numba.set_num_threads(threads)
    play_greedily(
        seeds, sowing_table(pits), SLAM_CODES[rules.grand_slam], halves, half_firsts(pits, seeds),
        half_counts(pits, seeds), rank_terms(pits, seeds), blocks, addresses, maps[seeds], threads, found,
    )  # fmt: skip
    worst = int(found[:, 3].max())
    examples = found[(found[:, 3] == worst) & (found[:, 4] >= 0), 4]
    example = board_at(pits, seeds, int(examples.min())) if worst else None
    boards, wrong, lost = (int(count) for count in found[:, :3].sum(axis=0))
    return Greed(boards, wrong, lost, worst, example)


@parallel_kernel
def play_greedily(seeds, table, slam, halves, firsts, counts, terms, blocks, addresses, values, threads, found):
    """Into ``found[thread]``: boards with a capture, wrong ones, margin lost, most lost on one, its least index.

    Of several captures of the largest size the best counts. ``addresses[n]``: where ``value`` of tier n lies.
    """
    for thread in prange(threads):
        for a in range(seeds + 1):
            b = seeds - a
            for row in range(thread, counts[a], threads):
                own = halves[firsts[a] + row]
                for column in range(counts[b]):
                    opponent = halves[firsts[b] + column]
                    largest, best = np.int64(0), np.int64(0)
                    for house in range(terms.shape[0]):
                        if count_at(own, np.uint64(house)):
                            legal, captured, after, left = play(
                                table, slam, np.int64(NO_MAJORITY), own, opponent, np.uint64(house)
                            )
                            if legal and captured > 0 and captured >= largest:
                                n, theirs = seeds - captured, row_seeds(left)
                                child = blocks[n, theirs] + row_rank(left, terms) * counts[n - theirs]
                                child += row_rank(after, terms)
                                value = captured - np.int64(load_int8(addresses[n] + np.uint64(child)))
                                best = value if captured > largest else max(best, value)
                                largest = captured
                    if largest > 0:
                        board = blocks[seeds, a] + row * counts[b] + column
                        lost = np.int64(values[board]) - best
                        found[thread, 0] += 1
                        if lost > 0:
                            found[thread, 1] += 1
                            found[thread, 2] += lost
                            if lost > found[thread, 3]:
                                found[thread, 3], found[thread, 4] = lost, board
