"""Whether tables are right, not only unchanged: three checks, each enough by itself.

That every value is the best of its moves is *not* enough: two boards that pass +2 and -2 back and forth are consistent
and wrong. What is enough:

1. *The proof by distance* (:func:`prove`). One pass over a tier checks at every board that

   - value = the best over the moves of (captured - value of the child), or the margin at the end;
   - distance = 0 where the value is 0 or there is no move; else 1 + the least (value > 0) or the largest (value < 0),
     over the best moves, of: 0 for a capture, the child's distance for a move that stays in the tier.

   Given right smaller tiers, these equations have exactly one solution. A player ahead who follows falling distances
   reaches the capture; a player behind has no best move whose distance does not fall too, and every other move loses
   more; so what is claimed is forced. And a player who holds a margin of 0 or more holds it for ever by the first
   equation. Hence any wrong number, a single bit of one, breaks an equation somewhere.

2. *The independent engine* (:func:`compare`): :mod:`databases.sweeps` solves the tiers again, and every number must be
   the same. The only check that covers ``lower`` and ``upper``.

3. *Published counts* (:func:`count`): how often each value comes up, against a file.

Values without distances are proved by :mod:`databases.grounding`. None shares anything with the builder but the order
of boards, on purpose (:mod:`databases.builder` says so too): what looks alike on both sides stays written twice. The
first is fast because for a fixed opponent's half every move is a step along one row of a table
(:mod:`databases.halfmoves`).
"""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import prange
from numpy.typing import NDArray

from databases.files.histograms import count_margins
from databases.halfmoves import HalfMoves, moves_of_outcome, raise_to
from databases.machine import available_memory
from databases.prober import Board, MissingTierError, Tables
from databases.sweeps import SweptTables, sweep_bytes
from databases.tiers import block_offsets, board_at
from solver.errors import AbapaError, cut
from solver.files import open_regular
from solver.kernels.compile import inline_kernel, parallel_kernel
from solver.kernels.intrinsics import fetch_add, load_int8
from solver.numerals import read_whole
from solver.oware.rules import Rules

Counts = dict[int, dict[int, int]]
"""Seeds -> value -> boards."""


@dataclass(frozen=True)
class Verdict:
    """What a check of one tier found."""

    seeds: int
    checked: tuple[str, ...]
    """The quantities that are right if nothing is wrong."""
    boards: int
    seconds: float
    faults: tuple[str, ...]
    """What is wrong, a line each; empty if nothing is."""

    @property
    def right(self) -> bool:
        """Whether nothing is wrong."""
        return not self.faults


# -- the proof by distance --------------------------------------------------------------------------------------------


def prove(tables: Tables, tiers: Sequence[int], threads: int = 1) -> Iterator[Verdict]:
    """Prove ``value`` and ``distance`` of each of ``tiers``, given that the smaller ones are right: prove those too.

    Raises :class:`~databases.prober.MissingTierError`, and :class:`~solver.errors.AbapaError` before any work for a
    tier that holds no distances.
    """
    for seeds in tiers:
        table = tables.plain(seeds)
        if "distance" not in table.quantities:
            raise AbapaError(
                f"{table.path} holds no distances to prove it by: build it with --distance, "
                "or verify it with --independent"
            )
    numba.set_num_threads(threads)
    moves = HalfMoves.of(tables.rules, max(tiers, default=0))
    for seeds in tiers:
        start = time.perf_counter()
        values = [tables.map(k) for k in range(seeds + 1)]
        wrong, first = prove_arrays(tables.rules, moves, values, tables.map(seeds, "distance"), threads)
        faults = (_explain(tables, seeds, wrong, first),) if wrong else ()
        boards = tables.tiers[seeds].positions
        yield Verdict(seeds, ("value", "distance"), boards, time.perf_counter() - start, faults)


def prove_arrays(
    rules: Rules, moves: HalfMoves, values: list[NDArray[np.int8]], distance: NDArray[np.uint16], threads: int
) -> tuple[int, int]:
    """Check a tier's equations: how many boards break theirs, and the index of the first (-1 if none does).

    ``values``: ``value`` of tiers 0..n, n being the tier to check; ``distance``: of tier n.
    """
    seeds, counts = len(values) - 1, moves.counts
    addresses = np.array([tier.ctypes.data for tier in values], np.uint64)
    units = _units(seeds, counts)
    widest = int((units[:, 2] * counts[seeds - units[:, 0]]).max())
    best = np.empty((threads, widest), np.int32)
    row = np.empty((threads, int(counts[seeds])), np.int32)
    found = np.zeros((threads, 2), np.int64)
    found[:, 1] = len(distance)
    ticket = np.zeros(1, np.int64)
    blocks = block_offsets(rules.pits, seeds)
    check_equations(
        seeds, counts, moves.own, moves.replies, blocks, units, addresses, values[seeds], distance,
        best, row, found, threads, ticket,
    )  # fmt: skip
    wrong = int(found[:, 0].sum())
    return wrong, int(found[:, 1].min()) if wrong else -1


_UNIT_BOARDS = 1 << 18
"""Boards that a thread works on at a time: their best moves, 4 bytes each, stay in the L2 cache."""


def _units(seeds: int, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The work: (seeds b of the opponent's half, rank of the first B, how many B), from b = n down."""
    units = []
    for b in range(seeds, -1, -1):
        step = min(64, max(4, _UNIT_BOARDS // int(counts[seeds - b])))
        rows = int(counts[b])
        units += [(b, first, min(step, rows - first)) for first in range(0, rows, step)]
    return np.array(units, np.int64)


_UNPLAYED = np.int32(-(1 << 30))
_VALUE_SHIFT = 17


@inline_kernel
def score(value, plies):
    """A value and its distance as one number: the better for the mover the larger, so the best move is a maximum."""
    ahead = np.int32(value > 0) - np.int32(value < 0)
    return (np.int32(value) << np.int32(_VALUE_SHIFT)) - ahead * np.int32(plies)


@parallel_kernel
def check_equations(
    seeds, counts, own, replies, blocks, units, tables, values, distances, best, row, found, threads, ticket
):
    """Check every board of a tier; ``found[thread]`` gets how many are wrong and the least index of one.

    ``blocks``: start of block a. ``tables[k]``: address of ``value`` of tier k (uint64). ``best``, ``row``: int32 room
    for each thread.
    """
    outcomes = own.first.shape[0] // counts.shape[0]
    for thread in prange(threads):
        while True:
            unit = fetch_add(ticket, 0, 1)
            if unit >= units.shape[0]:
                break
            b, start, rows = units[unit, 0], units[unit, 1], units[unit, 2]
            a = seeds - b
            columns = counts[a]
            for half in range(rows):
                line = best[thread, half * columns : (half + 1) * columns]
                line[:] = _UNPLAYED
                for outcome in range(min(outcomes, 2 * (a + 1))):
                    captured, after, first, last = moves_of_outcome(own, replies, outcomes, a, b, start + half, outcome)
                    if first == last:
                        continue
                    crossing = outcome // 2
                    width = counts[a - crossing]
                    target = after * width
                    if captured == 0:
                        child = blocks[b + crossing] + target
                        for i in range(width):
                            row[thread, i] = score(
                                -np.int32(values[np.uint64(child + i)]),
                                np.int32(distances[np.uint64(child + i)]) + np.int32(1),
                            )
                    else:
                        left = seeds - captured
                        child = block_start(counts, left, b + crossing - captured) + target
                        address = tables[left] + np.uint64(child)
                        for i in range(width):
                            row[thread, i] = score(
                                np.int32(captured) - np.int32(load_int8(address + np.uint64(i))), np.int32(1)
                            )
                    raise_to(own, first, last, row[thread], line)
            compare_unit(seeds, counts, blocks, b, start, rows, values, distances, best[thread], found[thread])


@inline_kernel
def block_start(counts, seeds, own):
    """Start of block ``own`` in the tier of ``seeds`` seeds."""
    start = np.int64(0)
    for k in range(own):
        start += counts[k] * counts[seeds - k]
    return start


@inline_kernel
def compare_unit(seeds, counts, blocks, b, start, rows, values, distances, best, found):
    """Compare what is stored with what the moves say, for the boards (A, B) of a few consecutive B."""
    a = seeds - b
    columns = counts[a]
    stuck = score(np.int32(seeds if a > 0 else -seeds), np.int32(0))
    for i in range(columns):
        at = blocks[a] + i * counts[b] + start
        for half in range(rows):
            value = np.int32(values[np.uint64(at + half)])
            plies = np.int32(distances[np.uint64(at + half)])
            should = best[np.uint64(half * columns + i)]
            if should == _UNPLAYED:
                wrong = (score(value, np.int32(0)) != stuck) | (plies != 0)
            else:
                wrong = (score(value, plies) != should) | ((value == 0) & (plies != 0))
            if wrong:
                found[0] += 1
                found[1] = min(found[1], at + half)


def _explain(tables: Tables, seeds: int, wrong: int, first: int) -> str:
    board = board_at(tables.rules.pits, seeds, first)
    probe, moves = tables.probe(board), tables.moves(board)
    says = f"value {moves[0].value}, distance {moves[0].distance}" if moves else "the game is over"
    return (
        f"{wrong:,} boards break their equation, first {board_text(board)}: it has value {probe.value}, "
        f"distance {probe.distance}; by its moves, {says}"
    )


def board_text(board: Board) -> str:
    """A board as the mover sees it, as ``abapa probe`` takes it."""
    return "-".join(map(str, board))


# -- the independent engine -------------------------------------------------------------------------------------------


def compare(tables: Tables, seeds: int, threads: int = 1) -> Iterator[Verdict]:
    """Solve tiers 0..``seeds`` again by sweeps and compare every number of those that are in ``tables``.

    Numbers are compared as far as a table's window goes.

    Raises :class:`~databases.prober.MissingTierError` for a tier that is not there, and
    :class:`~solver.errors.AbapaError` before any work where memory does not suffice.
    """
    resting = tables.resting(seeds)
    for n in resting:
        tables.plain(n)
    needed, free = sweep_bytes(tables.rules, seeds), available_memory()
    if needed > free:
        raise AbapaError(
            f"solving {seeds} seeds again takes {needed:,} bytes of memory, {free:,} are available: verify fewer seeds"
        )
    numba.set_num_threads(threads)
    swept = SweptTables(tables.rules, seeds, threads)
    for n in range(seeds + 1):
        start = time.perf_counter()
        swept.solve(n)
        if n not in resting:
            continue
        table = tables.tiers[n]
        found = (_difference(tables, n, name, swept.numbers(name, n)) for name in table.quantities)
        faults = tuple(fault for fault in found if fault)
        yield Verdict(n, table.quantities, table.positions, time.perf_counter() - start, faults)


def _difference(tables: Tables, seeds: int, quantity: str, numbers: NDArray[Any]) -> str | None:
    stored, window = tables.map(seeds, quantity, "pass"), tables.window(seeds)
    if quantity != "distance" and window < seeds:
        numbers = np.clip(numbers, -window, window)
    wrong = np.flatnonzero(stored != numbers)
    if not len(wrong):
        return None
    board = board_at(tables.rules.pits, seeds, int(wrong[0]))
    return (
        f"{quantity} of {len(wrong):,} boards is wrong, first {board_text(board)}: it has {stored[wrong[0]]}, "
        f"solved again {numbers[wrong[0]]}"
    )


# -- published counts -------------------------------------------------------------------------------------------------


def count(tables: Tables, tiers: Sequence[int], published: Counts) -> Iterator[Verdict]:
    """Count the values of each of ``tiers`` that ``published`` knows, in the data, and compare.

    Raises what :func:`check_counts` raises, before any work.
    """
    for seeds in check_counts(tables, tiers, published):
        start = time.perf_counter()
        counts = np.zeros(256, np.int64)
        for margins in tables.tiers[seeds].margins("value"):
            count_margins(margins, counts)
        counted = {int(k) - 128: int(counts[k]) for k in np.flatnonzero(counts)}
        known = _cut_counts(published[seeds], tables.window(seeds))
        faults = tuple(
            f"{counted.get(value, 0):,} boards have value {value}, published {known.get(value, 0):,}"
            for value in sorted(counted.keys() | known.keys())
            if counted.get(value, 0) != known.get(value, 0)
        )
        yield Verdict(seeds, ("counts",), tables.tiers[seeds].positions, time.perf_counter() - start, faults)


def _cut_counts(counts: dict[int, int], window: int) -> dict[int, int]:
    """Counts as a table in a window has them: its ends stand for all that lies beyond."""
    found: dict[int, int] = {}
    for value, boards in counts.items():
        end = min(max(value, -window), window)
        found[end] = found.get(end, 0) + boards
    return found


def check_counts(tables: Tables, tiers: Sequence[int], published: Counts) -> list[int]:
    """Those of ``tiers`` that ``published`` knows.

    Raises :class:`~databases.prober.MissingTierError` where one is not there, and :class:`~solver.errors.AbapaError`
    where there is none.
    """
    known = [seeds for seeds in tiers if seeds in published]
    if not known:
        there = ", ".join(map(str, sorted(published))) or "no"
        raise AbapaError(f"the published counts, of {there} seeds, have no counts for tiers {_span(tiers)}")
    for seeds in known:
        if seeds not in tables.tiers:
            raise MissingTierError(tables.directory, tables.rules, seeds)
    return known


def _span(tiers: Sequence[int]) -> str:
    return f"{min(tiers)}..{max(tiers)}" if tiers else "asked for"


def read_counts(path: Path) -> Counts:
    """Read published counts: CSV with the columns seeds (or stones), value, count.

    Raises :class:`~solver.errors.AbapaError` for a file that is not that.
    """
    published: Counts = {}
    try:
        with io.TextIOWrapper(open_regular(path), newline="", encoding="utf-8-sig") as lines:
            reader = csv.DictReader(lines)
            names = reader.fieldnames or []
            tier = next((name for name in ("seeds", "stones") if name in names), None)
            if tier is None or not {"value", "count"} <= set(names):
                raise AbapaError(f"{path} has the columns {cut(', '.join(names))}: accepted are seeds, value, count")
            for row in reader:
                seeds, value, boards = (read_whole((row[name] or "").strip()) for name in (tier, "value", "count"))
                if boards < 0:
                    raise ValueError(f"{boards} boards")
                if value in published.get(seeds, {}):
                    raise ValueError(f"the value {value} of {seeds} seeds stands there twice")
                if boards:
                    published.setdefault(seeds, {})[value] = boards
    except OSError as error:
        raise AbapaError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, TypeError, csv.Error) as error:
        raise AbapaError(
            f"{path} is no CSV file of numbers with the columns seeds, value, count: {cut(str(error))}"
        ) from error
    return published
