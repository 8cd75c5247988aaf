"""Other people's tables: the raw files of the Vrije Universiteit's awari database.

``scores.N`` holds the awari boards of N seeds that a move can lead to, a signed byte each: the margin of the player to
move, in seeds. A move empties the house it starts from, so the opponent of the player to move has an empty house;
boards whose opponent row has none (a start position is one) are left out. The boards kept are in lexicographic order of
their twelve counts read backwards, the opponent's last house first: (p11, p10, .., p0), p0..p5 being the mover's
houses. So there are C(N+11, 11) - C(N+5, 11) of them. In the files of 0..46 and 48 seeds (47 cannot be reached: nobody
captures a single seed) and with the start itself that makes the 889,063,398,406 positions of the publication.

Source of the order: the reader that the university published with its data, github.com/keesverstoep/Awari; the data:
doi 10.48338/vu01-11wjke; J. Romein and H. Bal, *Solving Awari with Parallel Retrograde Analysis*, IEEE Computer 36(10),
2003. Our own index is left to :mod:`databases.tiers`, our own files to :mod:`databases.files`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import comb
from pathlib import Path
from typing import BinaryIO

import numba
import numpy as np
from numba import prange
from numpy.typing import NDArray

from databases.files.table import Table
from databases.files.writer import TableWriter
from databases.halfboards import half_counts, half_firsts, list_halves, rank_terms
from databases.prober import Board, MissingTierError, Tables
from databases.tiers import block_offsets, board_at, index_in_tier, tier_size
from solver.errors import AbapaError
from solver.files import open_regular
from solver.kernels.compile import kernel, parallel_kernel
from solver.kernels.intrinsics import load_int8
from solver.kernels.lanes import count_at
from solver.kernels.ranks import row_rank
from solver.oware.kernels import NO_MAJORITY, SLAM_CODES, final_margin, pack_row, play, row_seeds, sowing_table
from solver.oware.rules import AWARI, Rules

PITS = 6
"""Houses a side of the published files. The functions below take other boards too, by the same rule."""

_PORTION = 1 << 20
"""Boards that are looked at in one go."""


class ScoresError(AbapaError):
    """A scores file that cannot be used. The text names the file and what is wrong with it."""


# -- the order --------------------------------------------------------------------------------------------------------


def scores_count(seeds: int, pits: int = PITS) -> int:
    """The number of boards in ``scores.N``: those with an empty house in the opponent's row."""
    left_out = comb(seeds + pits - 1, 2 * pits - 1) if seeds >= pits else 0
    return tier_size(pits, seeds) - left_out


def scores_index(board: Board) -> int:
    """Where a canonical board lies in the file of its seeds.

    Counts, house by house from the opponent's last one, the boards that agree so far and have fewer seeds there.
    Raises :class:`~solver.errors.AbapaError` for a board that the files leave out.
    """
    pits = len(board) // 2
    if all(board[pits:]):
        raise AbapaError(f"{position_text(board)}: the files leave out boards whose opponent has no empty house")
    index, left, full = 0, sum(board), True
    for house in range(len(board) - 1, 0, -1):
        for fewer in range(board[house]):
            rest = left - fewer
            index += comb(rest + house - 1, house - 1)
            if full and fewer and house >= pits:
                still = house - pits  # houses of the opponent that would all have to be filled
                index -= comb(rest - still + house - 1, house - 1) if rest >= still else 0
        left -= board[house]
        full = full and board[house] > 0 and house >= pits
    return index


def file_order(pits: int, seeds: int, portion: int = _PORTION) -> Iterator[NDArray[np.int64]]:
    """Our index of every board of the file of ``seeds`` seeds, in the file's order, in pieces (one buffer for all)."""
    board = np.zeros(2 * pits, np.int64)
    board[0] = seeds
    buffer = np.empty(min(portion, scores_count(seeds, pits)), np.int64)
    geometry = rank_terms(pits, seeds), half_counts(pits, seeds), block_offsets(pits, seeds)
    left = scores_count(seeds, pits)
    while left:
        piece = buffer[: min(left, len(buffer))]
        next_indexes(board, pits, seeds, *geometry, piece)
        yield piece
        left -= len(piece)


@kernel
def next_indexes(board, pits, seeds, terms, counts, offsets, out):
    """Fill ``out`` with our indexes of the boards from ``board`` on, in the files' order; ``board`` is moved on."""
    houses = 2 * pits
    found = 0
    while found < out.shape[0]:
        empty = False
        for i in range(pits, houses):
            empty |= board[i] == 0
        if empty:
            out[found] = index_in_tier(board, 0, pits, terms, counts, offsets, seeds)
            found += 1
        lowest = 0
        while lowest < houses and board[lowest] == 0:
            lowest += 1
        if lowest < houses - 1:  # one seed up, what stood here back to the start
            board[lowest + 1] += 1
            kept = board[lowest] - 1
            board[lowest] = 0
            board[0] = kept


# -- files ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ScoresFile:
    """A file ``scores.N`` whose name and size fit each other."""

    path: Path
    seeds: int

    @classmethod
    def at(cls, path: Path) -> ScoresFile:
        """Check name and size. Raises :class:`ScoresError`."""
        match = re.fullmatch(r"scores\.([0-9]{1,3})", path.name)
        if match is None:
            raise ScoresError(f"{path} is not named like a scores file: accepted is scores.N, N being its seeds")
        seeds = int(match[1])
        try:
            with open_regular(path) as file:
                size = os.fstat(file.fileno()).st_size
        except OSError as error:
            raise ScoresError(f"{path} cannot be read: {error.strerror}") from error
        if size != scores_count(seeds):
            raise ScoresError(
                f"{path} has {size:,} bytes: a file of {seeds} seeds has {scores_count(seeds):,}, one a position"
            )
        return cls(path, seeds)

    def pieces(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int8]]]:
        """Our indexes and the file's margins, piece by piece."""
        try:
            with open_regular(self.path) as file:
                for indexes in file_order(PITS, self.seeds):
                    data = file.read(len(indexes))
                    if len(data) != len(indexes):
                        raise ScoresError(f"{self.path} became shorter while it was read")
                    yield indexes, np.frombuffer(data, np.int8)
        except OSError as error:
            raise ScoresError(f"{self.path} cannot be read: {error.strerror}") from error


def find_scores(paths: list[Path]) -> list[ScoresFile]:
    """The scores files among ``paths`` and in those of them that are folders, fewest seeds first."""
    found = {}
    for path in paths:
        inside = (
            [child for child in path.iterdir() if re.fullmatch(r"scores\.[0-9]+", child.name)] if path.is_dir() else []
        )
        if path.is_dir() and not inside:
            raise ScoresError(f"{path} holds no files scores.N")
        for child in inside or [path]:
            file = ScoresFile.at(child)
            found[file.seeds] = file
    return [found[seeds] for seeds in sorted(found)]


# -- export, compare, import ------------------------------------------------------------------------------------------


def export_scores(table: Table, out: BinaryIO) -> int:
    """Write a table's ``value`` in the files' order; returns the bytes written. Raises :class:`ScoresError`."""
    _check_rules(table.rules)
    values, written = table.map("value"), 0
    for indexes in file_order(PITS, table.seeds):
        written += out.write(values[indexes].data)
    return written


@dataclass(frozen=True)
class Comparison:
    """How a file and a table differ: positions compared, how many differ, and the first of them."""

    seeds: int
    positions: int
    differing: int
    first: int = -1
    """Its number in the file, from 0."""
    board: Board = ()
    in_file: int = 0
    in_table: int = 0

    @property
    def words(self) -> str:
        """What was found, in a sentence."""
        if not self.differing:
            return f"{self.seeds} seeds: all {self.positions:,} positions agree"
        return (
            f"{self.seeds} seeds: {self.differing:,} of {self.positions:,} positions differ; the first is number "
            f"{self.first:,} of the file, {position_text(self.board)}: the file says {_worth(self.in_file)}, "
            f"the table {_worth(self.in_table)}"
        )


def compare_scores(table: Table, file: ScoresFile) -> Comparison:
    """Compare every position of a file with a full table of as many seeds, in the file's order."""
    _check_rules(table.rules)
    values, passed, differing = table.map("value"), 0, 0
    first: tuple[int, int, int, int] | None = None
    for indexes, scores in file.pieces():
        mine = values[indexes]
        wrong = np.flatnonzero(mine != scores)
        if len(wrong) and first is None:
            at = int(wrong[0])
            first = passed + at, int(indexes[at]), int(scores[at]), int(mine[at])
        differing += len(wrong)
        passed += len(indexes)
    if first is None:
        return Comparison(file.seeds, passed, 0)
    number, index, in_file, in_table = first
    return Comparison(file.seeds, passed, differing, number, board_at(PITS, file.seeds, index), in_file, in_table)


def import_scores(directory: Path, file: ScoresFile, tables: Tables, *, threads: int = 1) -> Path:
    """Write the table of a scores file; what the file leaves out follows from its positions by one move.

    ``tables`` are the awari tables of fewer seeds in ``directory``, needed for captures. Raises :class:`ScoresError`
    for margins that cannot be, :class:`~databases.prober.MissingTierError` for a tier that is not there.
    """
    _check_rules(tables.rules)
    seeds = file.seeds
    values = np.zeros(tier_size(PITS, seeds), np.int8)
    passed = 0
    for indexes, scores in file.pieces():
        large = np.flatnonzero(np.abs(scores.astype(np.int16)) > seeds)
        if len(large):
            at = int(large[0])
            board = board_at(PITS, seeds, int(indexes[at]))
            raise ScoresError(
                f"{file.path}: position {passed + at:,}, {position_text(board)}, has margin {int(scores[at])}: "
                f"with {seeds} seeds it is between {-seeds} and {seeds}"
            )
        values[indexes] = scores
        passed += len(indexes)
    fill_left_out(AWARI, values, seeds, tables, threads)
    with TableWriter(directory, AWARI, seeds, ("value",)) as writer:
        writer.write("value", 0, values)
        return writer.commit(extra={"origin": f"imported from {file.path.name}"})


def fill_left_out(rules: Rules, values: NDArray[np.int8], seeds: int, tables: Tables, threads: int = 1) -> None:
    """Work out the boards of a tier that the files leave out, from those they hold and from smaller ``tables``."""
    pits = rules.pits
    if seeds < pits:
        return
    for fewer in range(seeds - 1):  # nobody captures a single seed
        if fewer not in tables.tiers:
            raise MissingTierError(tables.directory, rules, fewer)
    tables.want_full(range(seeds - 1), "working out what a file leaves out")
    addresses = np.zeros(seeds + 1, np.uint64)
    maps = [tables.map(fewer) for fewer in range(seeds - 1)]  # kept: the kernel reads them by their addresses
    addresses[: seeds - 1] = [numbers.ctypes.data for numbers in maps]
    addresses[seeds] = values.ctypes.data
    blocks = np.zeros((seeds + 1, seeds + 2), np.int64)
    for n in range(seeds + 1):
        blocks[n, : n + 2] = block_offsets(pits, n)
    counts_of = list_halves(pits, seeds)
    halves = np.array([pack_row(half) for half in counts_of.tolist()], np.uint64)
    full = (counts_of > 0).all(axis=1)
    geometry = half_firsts(pits, seeds), half_counts(pits, seeds), rank_terms(pits, seeds), blocks
    numba.set_num_threads(threads)
    slam = SLAM_CODES[rules.grand_slam]
    value_by_moves(seeds, sowing_table(pits), slam, halves, full, *geometry, addresses, values, threads)


@parallel_kernel
def value_by_moves(seeds, table, slam, halves, full, firsts, counts, terms, blocks, addresses, values, threads):
    """``value`` of every board whose opponent half is ``full``: the best of captured - value of the child."""
    for thread in prange(threads):
        for b in range(seeds + 1):
            a = seeds - b
            for column in range(thread, counts[b], threads):
                opponent = halves[firsts[b] + column]
                if not full[firsts[b] + column]:
                    continue
                for row in range(counts[a]):
                    own = halves[firsts[a] + row]
                    best = np.int64(-1000)
                    for house in range(terms.shape[0]):
                        if count_at(own, np.uint64(house)):
                            legal, captured, after, left = play(
                                table, slam, np.int64(NO_MAJORITY), own, opponent, np.uint64(house)
                            )
                            if legal:
                                n, theirs = seeds - captured, row_seeds(left)
                                child = blocks[n, theirs] + row_rank(left, terms) * counts[n - theirs]
                                child += row_rank(after, terms)
                                value = np.int64(load_int8(addresses[n] + np.uint64(child)))
                                best = max(best, captured - value)
                    if best == -1000:
                        best = final_margin(slam, own, opponent)
                    values[blocks[seeds, a] + row * counts[b] + column] = best


# -- words ------------------------------------------------------------------------------------------------------------


def position_text(board: Board) -> str:
    """A canonical board in words: ``A..F = 0 1 0 2 0 0, a..f = 0 0 0 0 3 1, A..F to move``."""
    pits = len(board) // 2
    upper, lower = f"A..{chr(ord('A') + pits - 1)}", f"a..{chr(ord('a') + pits - 1)}"
    own, opponent = (" ".join(map(str, row)) for row in (board[:pits], board[pits:]))
    return f"{upper} = {own}, {lower} = {opponent}, {upper} to move"


def _worth(margin: int) -> str:
    if not margin:
        return "a draw (0)"
    return f"the mover {'wins' if margin > 0 else 'loses'} by {abs(margin)}"


def _check_rules(rules: object) -> None:
    if rules != AWARI:
        raise ScoresError(f"scores files hold awari with six houses a side, not {rules}: give --rules awari")
