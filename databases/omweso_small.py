"""Small Omweso boards solved whole: who wins every position of a number of seeds, and in how many plies.

No seed ever leaves an Omweso board, so all positions of n seeds on c columns are one tier that depends on no other:
C(n + 4c - 1, 4c - 1) of them, indexed as in :mod:`databases.tiers` with 2c pits a side. Repetition, and an endless
turn that voids the game, are draws. The tier is solved level by level: a position without a turn is lost in 0 plies;
at level d what can move to a position lost in d-1 is won in d (d odd), and what can only move to positions won in less
is lost in d (d even); what no level reaches is drawn.

The first turns of a game, which may not capture, and okukoneeza, which ends with the first capture, depend on history;
so there are two *layers*: positions after the first capture, and *fresh* ones before it. :meth:`SmallBoard.starts`
adds the two first turns. Turns come from :mod:`solver.omweso.kernels`; the file is :mod:`databases.store`'s.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import comb
from pathlib import Path

import numba
import numpy as np
from numba import prange
from numpy.typing import NDArray

from databases.folder import table_path
from databases.halfboards import half_counts, half_firsts, list_halves, rank_terms, unrank_half
from databases.journal import write_down
from databases.lock import BuildLock
from databases.store import CHUNK, Table, TableWriter
from databases.tiers import block_offsets, board_index, tier_size
from solver.errors import AbapaError
from solver.kernels.compile import inline_kernel, parallel_kernel
from solver.kernels.lanes import sum_of_lanes
from solver.kernels.ranks import rows_rank
from solver.omweso.kernels import (
    CAPTURED_SHIFT,
    ENDLESS_SHIFT,
    FIRST_TURN,
    FIRST_TURN_OF_FOE,
    FRESH,
    INFO,
    TURN_WORDS,
    OmwesoGenerator,
    frame_words,
    generate,
)
from solver.omweso.position import OmwesoPosition, Turn
from solver.omweso.rules import Endless, OmwesoRules

U = np.uint64
DRAWN = 255
"""Plies of a position that nobody can win."""
DEEPEST = 253
"""Most plies of a win or a loss that a byte holds."""
CAPACITY = 4096
"""Turns a position may have: on small boards every turn counts, so running out is an error, not a cut."""

_TURN, _INFO, _ENDLESS, _CAPTURED = U(TURN_WORDS), U(INFO), U(ENDLESS_SHIFT), U(CAPTURED_SHIFT)


class SmallBoardError(AbapaError):
    """A board that is too large, or whose play is too long, to be solved whole."""


@dataclass(frozen=True)
class Halves:
    """The sides of a tier: packed words of every half board by id, and what ranks and indexes need."""

    outer: NDArray[np.uint64]
    inner: NDArray[np.uint64]
    firsts: NDArray[np.int64]
    counts: NDArray[np.int64]
    offsets: NDArray[np.int64]
    terms: NDArray[np.int64]

    @classmethod
    def of(cls, columns: int, seeds: int) -> Halves:
        """The halves of all boards of ``seeds`` seeds on ``columns`` columns."""
        pits = 2 * columns
        lanes = np.zeros((int(half_firsts(pits, seeds)[-1]), 2, 8), np.uint8)
        lanes[:, :, :columns] = list_halves(pits, seeds).reshape(-1, 2, columns)
        words = lanes.view("<u8").reshape(-1, 2)
        return cls(
            np.ascontiguousarray(words[:, 0]),
            np.ascontiguousarray(words[:, 1]),
            half_firsts(pits, seeds),
            half_counts(pits, seeds),
            block_offsets(pits, seeds),
            rank_terms(pits, seeds),
        )

    @property
    def arrays(self) -> tuple[NDArray[np.uint64] | NDArray[np.int64], ...]:
        """The arrays in the order that kernels take them."""
        return self.outer, self.inner, self.firsts, self.counts, self.offsets, self.terms


@inline_kernel
def index_words(outer, inner, foe_outer, foe_inner, columns, seeds, counts, offsets, terms):
    """Index of a packed board in its tier."""
    own = np.int64(sum_of_lanes(outer) + sum_of_lanes(inner))
    row = rows_rank(outer, inner, columns, terms)
    column = rows_rank(foe_outer, foe_inner, columns, terms)
    return offsets[U(own)] + row * counts[U(seeds - own)] + column


@inline_kernel
def fold(turns, count, loses, columns, seeds, counts, offsets, terms, layer, settled):
    """Plies of a position from those after its turns: a capture leads to ``settled``, other turns stay in ``layer``."""
    shortest, longest, drawn = np.int64(DRAWN), np.int64(-1), False
    for at in range(count):
        base = U(at) * _TURN
        info = turns[base + _INFO]
        if (info >> _ENDLESS) & U(1):
            plies = np.int64(1) if loses else np.int64(DRAWN)
        else:
            child = U(
                index_words(
                    turns[base + U(2)], turns[base + U(3)], turns[base], turns[base + U(1)],
                    columns, seeds, counts, offsets, terms,
                )
            )  # fmt: skip
            plies = np.int64(settled[child] if (info >> _CAPTURED) & U(127) else layer[child])
        if plies == DRAWN:
            drawn = True
        elif plies & 1:
            longest = max(longest, plies)
        else:
            shortest = min(shortest, plies)
    if shortest < DRAWN:
        return shortest + 1
    return np.int64(DRAWN) if drawn else longest + 1


@parallel_kernel
def sweep(
    level, layer, settled, flags, options, loses, columns, seeds, laps, lap_limit,
    outer, inner, firsts, counts, offsets, terms, turns, frames, found,
):  # fmt: skip
    """Decide what can be decided at ``level``: writes ``level`` into ``layer``; ``found[t]``: how many by thread t.

    With ``level`` -1 nothing is written: ``found[t]`` then counts the positions whose number differs from the fold of
    the numbers after their turns. Reads of ``layer`` cannot mistake what other threads write meanwhile: ``level``
    itself never decides anything at this level. ``found[t]`` is -1 where ``turns`` was too small for a position.
    """
    threads = found.shape[0]
    capacity = U(turns.shape[1]) // _TURN
    for thread in prange(threads):
        new = np.int64(0)
        full = False
        mine, scratch = turns[thread], frames[thread]
        for own in range(seeds + 1):
            others = counts[seeds - own]
            first = firsts[seeds - own]
            for row in range(thread, counts[own], threads):
                a = U(firsts[own] + row)
                base = offsets[own] + row * others
                for column in range(others):
                    at = U(base + column)
                    if level >= 0 and layer[at] != DRAWN:
                        continue
                    b = U(first + column)
                    count = generate(
                        outer[a], inner[a], outer[b], inner[b], flags, options, U(columns), laps, lap_limit,
                        mine, scratch,
                    )  # fmt: skip
                    full |= count == capacity
                    plies = fold(
                        mine, np.int64(count), loses, columns, seeds, counts, offsets, terms, layer, settled
                    )  # fmt: skip
                    if level < 0:
                        new += plies != layer[at]
                    elif plies == level:
                        layer[at] = level
                        new += 1
        found[thread] = -1 if full else new


@parallel_kernel
def fold_starts(
    plies, side, layer, settled, options, loses, columns, seeds, laps, lap_limit,
    outer, inner, firsts, counts, offsets, terms, turns, frames,
):  # fmt: skip
    """Plies of the first position of a game for every pair of set-ups of ``side`` seeds: ``plies[first, second]``.

    The two first turns are played out; ``turns``: two rows a thread.
    """
    threads = frames.shape[0]
    for thread in prange(threads):
        mine, replies, scratch = turns[2 * thread], turns[2 * thread + 1], frames[thread]
        for row in range(thread, counts[side], threads):
            a = U(firsts[side] + row)
            for column in range(counts[side]):
                b = U(firsts[side] + column)
                count = generate(
                    outer[a], inner[a], outer[b], inner[b], U(FIRST_TURN | FIRST_TURN_OF_FOE | FRESH), options,
                    U(columns), laps, lap_limit, mine, scratch,
                )  # fmt: skip
                shortest, longest, drawn = np.int64(DRAWN), np.int64(-1), False
                for at in range(count):
                    base = U(at) * _TURN
                    info = mine[base + _INFO]
                    if (info >> _ENDLESS) & U(1):
                        after = np.int64(1) if loses else np.int64(DRAWN)
                    else:
                        captured = (info >> _CAPTURED) & U(127)
                        below = settled if captured else layer
                        number = generate(
                            mine[base + U(2)], mine[base + U(3)], mine[base], mine[base + U(1)],
                            U(FIRST_TURN) if captured else U(FIRST_TURN | FRESH), options,
                            U(columns), laps, lap_limit, replies, scratch,
                        )  # fmt: skip
                        after = fold(
                            replies, np.int64(number), loses, columns, seeds, counts, offsets, terms, below, settled
                        )  # fmt: skip
                    if after == DRAWN:
                        drawn = True
                    elif after & 1:
                        longest = max(longest, after)
                    else:
                        shortest = min(shortest, after)
                if shortest < DRAWN:
                    plies[row, column] = shortest + 1
                else:
                    plies[row, column] = DRAWN if drawn else longest + 1


# -- solving ----------------------------------------------------------------------------------------------------------


@dataclass
class SmallBoard:
    """A tier solved whole. ``settled``, ``fresh``: plies of every position after and before the first capture.

    Plies are uint8 in the order of :mod:`databases.tiers`: even, the mover loses in so many; odd, the mover wins;
    :data:`DRAWN`. Without okukoneeza both layers are one array.
    """

    rules: OmwesoRules
    seeds: int
    settled: NDArray[np.uint8]
    fresh: NDArray[np.uint8]
    threads: int = 1
    _halves: Halves | None = field(default=None, repr=False)

    @property
    def halves(self) -> Halves:
        """The sides of the tier."""
        self._halves = self._halves or Halves.of(self.rules.columns, self.seeds)
        return self._halves

    def faults(self) -> int:
        """Positions whose number is not the fold of those after their turns: 0 proves the tier.

        By induction on plies every win and loss is then forced, and from a drawn position each side can go on for ever.
        """
        layers = [(self.settled, 0)] if self.fresh is self.settled else [(self.settled, 0), (self.fresh, FRESH)]
        return sum(_sweep(self, -1, layer, flags) for layer, flags in layers)

    def starts(self) -> NDArray[np.uint8]:
        """Plies of the first position of a game, for every pair of set-ups of half the seeds: uint8 [first, second].

        Rows and columns are ranks of half boards. The first player, to move, is the row's.
        """
        if self.seeds % 2:
            raise SmallBoardError(f"{self.seeds} seeds cannot be shared evenly: a game starts from an even number")
        halves, side = self.halves, self.seeds // 2
        size = int(halves.counts[side])
        plies = np.empty((size, size), np.uint8)
        arguments = _arguments(self)
        turns = np.zeros((2 * self.threads, CAPACITY * TURN_WORDS), np.uint64)
        numba.set_num_threads(self.threads)
        fold_starts(
            plies, side, self.fresh, self.settled, *arguments, *halves.arrays, turns, _frames(self.threads)
        )  # fmt: skip
        return plies


def solve_small(
    rules: OmwesoRules,
    seeds: int,
    *,
    threads: int = 1,
    report: Callable[[str, int, int, int], object] = lambda layer, level, decided, open_: None,
) -> SmallBoard:
    """Solve every position of ``seeds`` seeds on a board of ``rules.columns`` columns.

    ``report`` is told after each level: the layer's name, the level in plies, how many positions it decided and how
    many are still open. Raises :class:`SmallBoardError` for a tier that does not fit or play that is too long.
    """
    positions = tier_size(rules.pits, seeds)
    if positions > 2**33:
        raise SmallBoardError(f"{positions:,} positions: a board solved whole has up to {2**33:,}")
    try:
        settled = np.full(positions, DRAWN, np.uint8)
        fresh = np.full(positions, DRAWN, np.uint8) if rules.okukoneeza else settled
    except MemoryError as error:
        raise SmallBoardError(f"{positions:,} positions do not fit into memory, one or two bytes each") from error
    board = SmallBoard(rules, seeds, settled, fresh, threads)
    _solve_layer(board, settled, 0, "settled", 0, report)
    if fresh is not settled:
        deepest = int(settled[settled != DRAWN].max(initial=0))
        _solve_layer(board, fresh, FRESH, "fresh", deepest, report)
    return board


def _solve_layer(
    board: SmallBoard,
    layer: NDArray[np.uint8],
    flags: int,
    name: str,
    deepest: int,
    report: Callable[[str, int, int, int], object],
) -> None:
    """Level after level, until one decides nothing and no number of the layer below can decide anything later."""
    still_open = layer.size
    for level in range(DEEPEST + 2):
        decided = _sweep(board, level, layer, flags)
        still_open -= decided
        report(name, level, decided, still_open)
        if (not decided and level > max(deepest + 1, 2)) or not still_open:
            return
    raise SmallBoardError(f"a win takes more than {DEEPEST} plies: a byte a position is too small")


def _sweep(board: SmallBoard, level: int, layer: NDArray[np.uint8], flags: int) -> int:
    threads = board.threads
    turns = np.zeros((threads, CAPACITY * TURN_WORDS), np.uint64)
    found = np.zeros(threads, np.int64)
    numba.set_num_threads(threads)
    sweep(
        level, layer, board.settled, U(flags), *_arguments(board), *board.halves.arrays, turns, _frames(threads), found
    )  # fmt: skip
    if found.min() < 0:
        raise SmallBoardError(f"a position has {CAPACITY} turns or more: too many choices to solve it whole")
    return int(found.sum())


def _arguments(board: SmallBoard) -> tuple[np.uint64, bool, int, int, NDArray[np.uint64], np.uint64]:
    """What the kernels take of the rules: options, whether an endless turn loses, columns, seeds, laps, lap limit."""
    rules = board.rules
    generator = OmwesoGenerator(rules)
    loses = rules.endless is Endless.MOVER_LOSES
    return generator.options, loses, rules.columns, board.seeds, generator.laps, generator.lap_limit


def _frames(threads: int) -> NDArray[np.uint64]:
    return np.zeros((threads, frame_words()), np.uint64)


# -- what it tells ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Census:
    """Positions of a layer by outcome for the mover, and the longest win in plies (0 where there is none)."""

    wins: int
    draws: int
    losses: int
    longest: int


def take_census(layer: NDArray[np.uint8]) -> Census:
    """Count a layer."""
    counts = np.bincount(layer, minlength=256)
    decided = counts[:DRAWN]
    wins = decided[1::2]
    longest = 2 * int(np.flatnonzero(wins).max()) + 1 if wins.any() else 0
    return Census(int(wins.sum()), int(counts[DRAWN]), int(decided[0::2].sum()), longest)


def outcome(plies: int) -> tuple[int, int]:
    """Value (1 won, 0 drawn, -1 lost, from the mover's view) and distance in plies (0 for a draw)."""
    if plies == DRAWN:
        return 0, 0
    return (1 if plies & 1 else -1), plies


def preference(plies: NDArray[np.uint8]) -> NDArray[np.int16]:
    """A number that orders outcomes for the mover: quick wins first, then draws, then losses, the slowest first."""
    signed = plies.astype(np.int16)
    return np.where(plies == DRAWN, 0, np.where(signed & 1, 1000 - signed, signed - 1000)).astype(np.int16)


def setup_rank(side: Sequence[int]) -> int:
    """The rank of a set-up: its row and column in :meth:`SmallBoard.starts`."""
    return sum(comb(sum(side[: i + 1]) + i, i + 1) for i in range(len(side) - 1))


@dataclass(frozen=True)
class SetupChoice:
    """A first player's set-up, the outcome against the best reply, and how many of all replies it wins, draws, loses.

    ``plies`` as in :class:`SmallBoard`, from the first player's view, who is to move.
    """

    setup: tuple[int, ...]
    reply: tuple[int, ...]
    plies: int
    wins: int
    draws: int
    losses: int


def best_setups(board: SmallBoard, starts: NDArray[np.uint8], count: int = 3) -> list[SetupChoice]:
    """The first player's best set-ups where the second player sees them: by the best reply, then by wins of all."""
    likes = preference(starts)
    worst = likes.min(axis=1)
    wins = (likes > 0).sum(axis=1)
    order = np.lexsort((np.arange(len(worst)), -wins, -worst))[:count]
    side, pits = board.seeds // 2, board.rules.pits
    return [
        SetupChoice(
            unrank_half(pits, side, int(row)),
            unrank_half(pits, side, int(likes[row].argmin())),
            int(starts[row, likes[row].argmin()]),
            int(wins[row]),
            int((likes[row] == 0).sum()),
            int((likes[row] < 0).sum()),
        )
        for row in order
    ]


# -- files ------------------------------------------------------------------------------------------------------------


def layer_rules(rules: OmwesoRules, fresh: bool) -> OmwesoRules:
    """The rules in whose name a layer is stored: with okukoneeza the fresh one, without it the settled one.

    Once somebody has captured, the two rule sets are one game, and share its table.
    """
    return replace(rules, okukoneeza=fresh and rules.okukoneeza)


def save_small(board: SmallBoard, directory: Path, seconds: float) -> list[Path]:
    """Write a solved tier: a table a layer, ``value`` and ``distance``. Returns the files.

    ``directory`` must exist; ``seconds``, which solving took, go to its journal. Raises
    :class:`~databases.store.TableWriteError`, and :class:`~databases.lock.LockedError` while others write there.
    """
    layers = {layer_rules(board.rules, fresh=False): board.settled, layer_rules(board.rules, fresh=True): board.fresh}
    paths = []
    for rules, layer in layers.items():
        with BuildLock(directory), TableWriter(directory, rules, board.seeds, ("value", "distance")) as writer:
            for start in range(0, layer.size, CHUNK):
                plies = layer[start : start + CHUNK]
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
    """A tier solved before, or None where a table is missing. Raises :class:`~databases.store.TableError`."""
    layers = []
    for fresh in (False, True):
        path = table_path(directory, layer_rules(rules, fresh), seeds)
        if not path.is_file():
            return None
        with Table.open(path) as table:
            layers.append(np.where(table.map("value") == 0, DRAWN, table.map("distance")).astype(np.uint8))
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
        """Plies of a position, as in :class:`SmallBoard`; while first turns are to come, from those after its turns."""
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
        return int(table.map("distance")[index]) if table.map("value")[index] else DRAWN

    def turns(self, position: OmwesoPosition) -> list[tuple[Turn, int]]:
        """Every turn of a position with the plies of the position after it."""
        return [(turn, self.plies(position.after(turn))) for turn in self._generator.turns(position)]


def fold_plies(children: list[int]) -> int:
    """Plies of a position from those of the positions after its turns; see :func:`fold`."""
    lost = [plies for plies in children if plies != DRAWN and not plies & 1]
    if lost:
        return min(lost) + 1
    return DRAWN if DRAWN in children else max(children, default=-1) + 1
