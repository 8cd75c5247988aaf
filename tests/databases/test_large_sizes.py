"""The index arithmetic of every engine at 36 seeds: more than 2^34 boards, without building any.

Arrays are files with nothing in them, so only the pages that are written take room. A few numbers are put where the
plain index says that boards lie; each engine is run on the groups of rows or units of work that hold these boards, and
must find just those numbers.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from databases import interchange, lookups, verifier
from databases.builder.captures import VALUE, Cut, FinishedTier, play_band
from databases.builder.frontier import HALF_BITS, Frontier, pack_board
from databases.builder.movetables import MoveTables
from databases.builder.propagate import Propagation
from databases.builder.state import (
    BIAS,
    BYTE_BIAS,
    FINAL,
    FINAL_BYTE,
    GROUP,
    PADDING,
    WON_CELL,
    Band,
    News,
    TierShape,
)
from databases.builder.transpose import transpose
from databases.files.light import light_numbers
from databases.files.tiles import tiling
from databases.grounding import _Tier
from databases.halfboards import half_count, half_counts, half_firsts, half_rank, list_halves, rank_terms, unrank_half
from databases.halfmoves import HalfMoves
from databases.tiers import block_offsets, board_at, board_index, board_indexes, offsets_of_tiers, tier_index, tier_size
from databases.windows import FULL, WHOLE, Coding, Game, Stored
from solver.oware.game import OwareGame, Tier
from solver.oware.kernels import SLAM_CODES, children, sowing_table
from solver.oware.position import Position
from solver.oware.rules import AWARI
from solver.search.limits import Limits
from solver.search.searcher import Searcher

SEEDS, PITS = 36, 6
BOARDS = tier_size(PITS, SEEDS)
Board = tuple[int, ...]
Make = Callable[..., NDArray[Any]]


@pytest.fixture(scope="module")
def move_tables() -> MoveTables:
    return MoveTables.build(AWARI, SEEDS)


@pytest.fixture(scope="module")
def shape(move_tables: MoveTables) -> TierShape:
    return TierShape.of(PITS, SEEDS, move_tables.counts, move_tables.firsts)


@pytest.fixture(scope="module")
def half_moves() -> HalfMoves:
    return HalfMoves.of(AWARI, SEEDS)


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Make]:
    """Makes arrays of zeros in files with holes."""
    made: list[Path] = []

    def make(size: int, kind: Any = np.int8) -> NDArray[Any]:
        path = tmp_path / f"{len(made)}"
        made.append(path)
        with path.open("wb") as file:
            file.truncate(size * np.dtype(kind).itemsize)
        return np.asarray(np.memmap(path, kind, "r+"))

    yield make
    for path in made:
        path.unlink()


def boards(count: int, wanted: Callable[[Board], bool] = lambda board: True) -> list[Board]:
    """Boards from all over the tier, most of them beyond 2^32."""
    chance = random.Random(36)
    found: list[Board] = []
    while len(found) < count:
        board = board_at(PITS, SEEDS, chance.randrange(BOARDS))
        if wanted(board):
            found.append(board)
    return found


def moves_of(board: Board) -> list[tuple[int, Board]]:
    """Seeds captured and the canonical board after it, of each legal move."""
    _houses, captured, after = children(AWARI, np.array(board, np.int8))
    return [(int(seeds), tuple(child)) for seeds, child in zip(captured, after.tolist(), strict=True)]


def quiet_moves(board: Board) -> list[Board]:
    """The boards after the moves that capture nothing."""
    return [child for captured, child in moves_of(board) if not captured]


def halves(board: Board) -> tuple[int, int, int]:
    """Seeds of the mover's half, its rank, the rank of the other half."""
    return sum(board[:PITS]), half_rank(board[:PITS]), half_rank(board[PITS:])


def place(shape: TierShape, board: Board) -> int:
    """Where a board lies in a state."""
    own, row, column = halves(board)
    return int(shape.rows[SEEDS - own] + column * shape.stride[own]) + row


def group_of(shape: TierShape, board: Board) -> int:
    """The group of 64 state rows that a board lies in."""
    own, _row, column = halves(board)
    return int(np.searchsorted(shape.group_block, SEEDS - own)) + column // GROUP


def put(tier: FinishedTier, index: int, margin: int) -> None:
    """Write a margin into a table, however it is coded."""
    if tier.coding.bits == 8:
        tier.numbers.view(np.int8)[index] = margin
        return
    at, shift = divmod(index * tier.coding.bits, 8)
    word = int(tier.numbers[at]) | int(tier.numbers[at + 1]) << 8
    word &= ~(((1 << tier.coding.bits) - 1) << shift)
    word |= (margin + tier.coding.window) << shift
    tier.numbers[at], tier.numbers[at + 1] = word & 255, word >> 8


def tier_of(empty: Make, seeds: int, window: int) -> FinishedTier:
    coding = Coding.of(window)
    size = tier_size(PITS, seeds)
    return FinishedTier(
        empty(size, np.int8) if coding.bits == 8 else empty(size * coding.bits // 8 + 2, np.uint8), coding
    )


@pytest.mark.parametrize("seeds", [36, 40, 48])
def test_boards_have_their_index_in_larger_tiers(seeds: int) -> None:
    chance = random.Random(seeds)
    size = tier_size(PITS, seeds)
    indexes = [0, size - 1, *(chance.randrange(size) for _ in range(300))]
    found = [board_at(PITS, seeds, index) for index in indexes]
    assert [board_index(board) for board in found] == indexes
    assert board_indexes(found, PITS, seeds).tolist() == indexes


@pytest.mark.parametrize("game", [None, Game(SEEDS)], ids=["full", "windows"])
def test_captures(game: Game | None, move_tables: MoveTables, shape: TierShape, empty: Make) -> None:
    """Every board of the sample has the best of its captures and one open move for each other move."""
    chance = random.Random(1)
    finished = {n: tier_of(empty, n, WHOLE if game is None else game.window(n)) for n in range(SEEDS - 1)}
    cut = Cut.of(VALUE, SEEDS, WHOLE if game is None else game.window(SEEDS))
    for board in boards(8, lambda board: any(captured for captured, _ in moves_of(board))):
        own, _row, column = halves(board)
        group, columns = group_of(shape, board), int(shape.counts[own])
        first = int(shape.rows[SEEDS - own]) + column // GROUP * GROUP * columns
        rows = min(GROUP, int(shape.counts[SEEDS - own]) - column // GROUP * GROUP)
        beside = [board, *(unrank_half(PITS, own, chance.randrange(columns)) + board[PITS:] for _ in range(8))]
        worth: dict[Board, int] = {}
        for one in beside:
            for captured, child in moves_of(one):
                if captured and child not in worth:
                    tier = finished[sum(child)]
                    window = min(tier.coding.window, sum(child))
                    worth[child] = chance.randint(-window, window)
                    put(tier, board_index(child), worth[child])
        words = np.empty(rows * columns, np.uint16)
        band = Band(group, group + 1, first, rows * columns)
        play_band(VALUE, move_tables, shape, finished, band, words, np.empty(0, np.uint64), 2, cut)
        for one in beside:
            gains = [captured - worth[child] for captured, child in moves_of(one) if captured]
            best = [min(max(gain, -cut.most), cut.most) + BIAS for gain in gains]
            assert words[place(shape, one) - first] == (len(quiet_moves(one)) << 8) + max(best, default=0)


FORMS = {"words": np.uint16, "bytes": np.int8, "cells": np.uint8}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("way", ["bitmap", "list"])
def test_levels(form: str, way: str, move_tables: MoveTables, shape: TierShape, empty: Make) -> None:
    """The predecessors of lost boards are won, and those that come out are predecessors."""
    if form == "cells":
        shape = shape.in_cells()
    size = int(shape.rows[-1])
    state = empty(size // 2 if form == "cells" else size + PADDING, FORMS[form])
    parents = boards(12, lambda board: bool(quiet_moves(board)))
    for board in parents:
        at, open_moves = place(shape, board), len(quiet_moves(board))
        if form == "words":
            state[at] = open_moves << 8
        elif form == "bytes":
            state[at] = open_moves << 4
        else:
            state[at // 2] |= open_moves << 4 * (at % 2)
    lost = {quiet_moves(board)[0] for board in parents}
    groups = sorted({group_of(shape, board) for board in parents})
    some = shape._replace(group_block=shape.group_block[groups], group_first=shape.group_first[groups])
    run = Propagation(move_tables, shape, state, state, None, 2, 1)  # type: ignore[arg-type]
    told, news = np.array([int(pack_board.py_func(*halves(child))) for child in lost], np.uint64), News(1, True, 0)
    if way == "list":
        run._tell_list(told, run.waiting.wins, news)
    else:
        source: Frontier = run.waiting.losses
        source.extend(told, 1)
        source.as_bits()
        run.shape = some
        run._tell_bits(source.as_bits(), run.waiting.wins, news)
        run.waiting.wins.listed = False
    mask = (1 << HALF_BITS) - 1
    won = set()
    for item in run.waiting.wins.take(2).tolist():
        own, row, column = item >> 2 * HALF_BITS, item >> HALF_BITS & mask, item & mask
        won.add(unrank_half(PITS, own, row) + unrank_half(PITS, SEEDS - own, column))
    assert won >= set(parents) and all(lost & set(quiet_moves(board)) for board in won)
    for board in parents:
        at = place(shape, board)
        if form == "words":
            assert state[at] == FINAL + BIAS + 1
        elif form == "bytes":
            assert state.view(np.uint8)[at] == FINAL_BYTE | BYTE_BIAS + 1
        else:
            assert state[at // 2] >> 4 * (at % 2) & 15 == WON_CELL


@pytest.mark.full
def test_the_table_goes_out(shape: TierShape, empty: Make) -> None:
    state = empty(BOARDS + PADDING, np.uint16)
    for board in boards(6, lambda board: 8 <= sum(board[:PITS]) <= 28):
        own, row, column = halves(board)
        state[place(shape, board)] = FINAL + BIAS - 5
        rows, columns = half_count(PITS, SEEDS - own), half_count(PITS, own)
        out = np.empty(rows, np.int8)
        transpose(state, int(shape.rows[SEEDS - own]), columns, rows, row, row + 1, 1, 0, out, 2)
        assert (out[column], np.count_nonzero(out)) == (-5, 1)
        state[place(shape, board)] = 0


def worths(empty: Make, some: list[Board], chance: random.Random) -> list[Stored]:
    """Values of tiers 0..36, those of the children of some boards any, the rest 0."""
    tiers = [tier_of(empty, n, WHOLE) for n in range(SEEDS + 1)]
    for board in some:
        for _captured, child in moves_of(board):
            put(tiers[sum(child)], board_index(child), chance.randint(-3, 3))
    return [Stored(tier.numbers.view(np.uint8), FULL) for tier in tiers]


def best_of(values: list[Stored], board: Board) -> int:
    """What the moves of a board say that it is worth."""
    found = [
        captured - int(values[sum(child)].data.view(np.int8)[board_index(child)]) for captured, child in moves_of(board)
    ]
    return max(found) if found else SEEDS if any(board[:PITS]) else -SEEDS


def unit_of(own: int, start: int, rows: int) -> tuple[list[Board], tuple[int, int, int]]:
    """The boards of a unit of the proofs, and how it is named."""
    mine = list_halves(PITS, SEEDS)[half_firsts(PITS, SEEDS)[own] : half_firsts(PITS, SEEDS)[own + 1]].tolist()
    theirs = [unrank_half(PITS, SEEDS - own, rank) for rank in range(start, start + rows)]
    return [(*half, *other) for half in mine for other in theirs], (SEEDS - own, start, rows)


UNITS = [(9, half_count(PITS, 27) - 8), (11, 65_528), (12, 100_000)]
"""Seeds on the mover's row, rank of the first opponent's half: few boards, far apart."""


@pytest.mark.full
def test_the_proof_by_distance(half_moves: HalfMoves, empty: Make) -> None:
    chance = random.Random(2)
    counts, blocks = half_moves.counts, block_offsets(PITS, SEEDS)
    for own, start in UNITS:
        unit, named = unit_of(own, start, 1)
        values = worths(empty, chance.sample(unit, 20), chance)
        wrong = [board for board in unit if best_of(values, board) != 0]
        found, distances = np.array([[0, 2**62]]), empty(BOARDS, np.uint16)
        addresses = np.array([tier.data.ctypes.data for tier in values], np.uint64)
        best, row = np.empty((2, 1, int(counts[SEEDS])), np.int32)
        verifier.check_equations(
            SEEDS, counts, half_moves.own, half_moves.replies, blocks, np.array([named]), addresses,
            values[SEEDS].data.view(np.int8), distances, best, row, found, 1, np.zeros(1, np.int64),
        )  # fmt: skip
        assert wrong and found.tolist() == [[len(wrong), min(map(board_index, wrong))]]


@pytest.mark.full
def test_the_proof_by_grounding(half_moves: HalfMoves, empty: Make) -> None:
    chance = random.Random(3)
    for own, start in UNITS:
        unit, named = unit_of(own, start, min(32, half_count(PITS, SEEDS - own) - start))
        values = worths(empty, chance.sample(unit, 20), chance)
        tier = _Tier(PITS, half_moves, values, 1)
        tier.units = np.array([named])
        tier.remaining = tier.boards = np.array([len(unit)])
        wrong = [board for board in unit if best_of(values, board) != 0]
        assert tier.first_pass(lambda boards: None) == (len(wrong), min(map(board_index, wrong)))


def test_look_ups(empty: Make) -> None:
    chance = random.Random(4)
    held, addresses = np.ones(SEEDS + 1, np.int64), np.zeros((SEEDS + 1, len(lookups.NUMBERS)), np.int64)
    tiers = [tier_of(empty, n, WHOLE) for n in range(SEEDS + 1)]
    for n, tier in enumerate(tiers):
        addresses[n, lookups.VALUE] = tier.numbers.ctypes.data
    index = rank_terms(PITS, SEEDS), half_counts(PITS, SEEDS), offsets_of_tiers(PITS, SEEDS)
    moving = sowing_table(PITS), SLAM_CODES[AWARI.grand_slam]
    for board in boards(20):
        worth = {child: chance.randint(-9, 9) for _captured, child in moves_of(board)}
        for child, value in worth.items():
            put(tiers[sum(child)], board_index(child), value)
        rows = np.empty((1 + PITS, lookups.TOLD + 2 * PITS + len(lookups.NUMBERS)), np.int32)
        count = lookups.look_up(np.array(board, np.uint8), *moving, held, addresses, *index, rows)
        told = rows[1 : count + 1, lookups.TOLD + 2 * PITS + lookups.VALUE].tolist()
        assert told == [captured - worth[child] for captured, child in moves_of(board)]


def test_the_search(empty: Make) -> None:
    chance = random.Random(5)
    numbers = empty(BOARDS, np.int8)
    game = OwareGame(AWARI, {SEEDS: Tier({"value": numbers}, tier_index(PITS, SEEDS))})
    searcher = Searcher(game, hash_mib=1)
    for board in boards(10, lambda board: len(quiet_moves(board)) == len(moves_of(board)) > 0):
        worth = {child: chance.randint(-9, 9) for child in quiet_moves(board)}
        for child, value in worth.items():
            numbers[board_index(child)] = value
        numbers[board_index(board)] = best = -min(worth.values())
        searcher.clear()
        assert searcher.search(Position(board, (0, 0), 0, AWARI), Limits(depth=2)).best.score == best


def test_the_files_of_others() -> None:
    """Their order, and ours of the same boards; where they have no number it is worked out."""
    first = (6, 3, 3, 3, 3, 3, 0, 3, 3, 3, 3, 3)
    start, out = np.array(first, np.int64), np.empty(400, np.int64)
    interchange.next_indexes(
        start, PITS, SEEDS, rank_terms(PITS, SEEDS), half_counts(PITS, SEEDS), block_offsets(PITS, SEEDS), out
    )
    theirs = [interchange.scores_index(board_at(PITS, SEEDS, index)) for index in out.tolist()]
    assert theirs == list(range(theirs[0], theirs[0] + len(theirs))) and max(out.tolist()) > 2**32


def test_archives_of_half_of_the_boards(empty: Make) -> None:
    """Heavy boards lie in their tiles; light ones follow from their children."""
    chance, tiles = random.Random(6), tiling(PITS, SEEDS)
    tiers = [tier_of(empty, n, WHOLE) for n in range(SEEDS + 1)]
    heavy = tiers[SEEDS].numbers[tiles.light :]
    for board in boards(20, lambda board: 2 * sum(board[:PITS]) >= SEEDS):
        number = board_index(board) - tiles.light
        heavy[number] = worth = chance.randint(-9, 9)
        tile, at = tiles.place(number)
        assert tiles.cut(heavy, tile)[at] == worth
        assert [int(one[0]) for one in tiles.places(np.array([number]))] == [tile, at]
        tiles.paste(tiles.cut(heavy, tile) + 1, tile, heavy)
        assert heavy[number] == worth + 1

    def look(_quantity: str, seeds: int, indexes: NDArray[np.int64]) -> NDArray[Any]:
        return tiers[seeds].numbers[indexes]

    light = boards(20, lambda board: 2 * sum(board[:PITS]) < SEEDS and bool(moves_of(board)))
    for board in light:
        worth_of = {child: chance.randint(-9, 9) for _captured, child in moves_of(board)}
        for child, worth in worth_of.items():
            put(tiers[sum(child)], board_index(child), worth)
        found = light_numbers(AWARI, SEEDS, WHOLE, "value", np.array([board_index(board)]), look)
        assert found.tolist() == [max(captured - worth_of[child] for captured, child in moves_of(board))]
