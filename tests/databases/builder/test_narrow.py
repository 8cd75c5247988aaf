"""Tiers in the windows of a game: the full tables cut to them, in every form of state and on any number of threads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from databases.builder.captures import LEAST_HELD, MOST_FORCED, VALUE, Cut, capture_margin
from databases.builder.narrow import scan_row
from databases.builder.state import BYTE_BIAS, PADDING
from databases.windows import Game
from solver.kernels.compile import kernel
from solver.oware.rules import ABAPA, AWARI, Rules
from tests.databases.tables_in_memory import Quantities, built

TOP = 8
RULES = (AWARI, ABAPA, Rules.parse("awari+pits=4"), Rules.parse("abapa+pits=3+grand-slam=forbidden"))


def cut(full: Quantities, game: Game) -> Quantities:
    """Full tables as the windows of a game have them."""
    return {
        name: {n: np.clip(numbers, -game.window(n), game.window(n)) for n, numbers in tiers.items()}
        for name, tiers in full.items()
    }


def assert_same(found: Quantities, wanted: Quantities) -> None:
    assert found.keys() == wanted.keys()
    for name, tiers in wanted.items():
        for n, numbers in tiers.items():
            assert np.array_equal(found[name][n], numbers), (name, n)


@pytest.mark.parametrize("margin", [1, 4])
@pytest.mark.parametrize("form", ["words", "bytes", "bare cells"])
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_a_window_is_the_full_table_cut(rules: Rules, form: str, margin: int) -> None:
    game = Game(TOP, margin)
    wanted = cut(built(rules, TOP), game)
    assert_same(built(rules, TOP, form=form, game=game), wanted)
    if margin == 1:
        assert_same(built(rules, TOP, 2, form=form, game=game), wanted)


@pytest.mark.parametrize("rules", [AWARI, ABAPA], ids=str)
def test_with_margins_on_the_disk(rules: Rules, tmp_path: Path) -> None:
    game = Game(TOP)
    assert_same(built(rules, TOP, scratch=tmp_path, game=game), cut(built(rules, TOP), game))


# -- captures into windows, against plain arithmetic -------------------------------------------------------------------


@kernel
def cut_capture(side, captured, left, stored, cut):
    return capture_margin(side, captured, left, stored, cut)


@given(some.data())
def test_a_capture_needs_its_child_only_as_far_as_its_window(data: some.DataObject) -> None:
    seeds = data.draw(some.integers(2, 40))
    window = data.draw(some.integers(1, seeds))
    captured = data.draw(some.integers(2, seeds))
    left = seeds - captured
    child_window = min(window + captured, left)
    margin = data.draw(some.integers(0, left)) * 2 - left  # the child's lower or upper, of the parity of its seeds
    stored = min(max(margin, -child_window), child_window)
    for side, sign in ((MOST_FORCED, -1), (LEAST_HELD, 1)):
        told = Cut.of(side, seeds, window)
        forced = captured + (left + sign * margin) // 2 if side == MOST_FORCED else (left + margin) // 2
        kept = min(max(forced - told.least, 0), told.most)
        assert cut_capture(side, captured, left, stored, told) == (kept if side == MOST_FORCED else -kept)
    told = Cut.of(VALUE, seeds, window)
    assert cut_capture(VALUE, captured, left, stored, told) == min(max(captured - margin, -window), window)


# -- the scan of bytes ------------------------------------------------------------------------------------------------


@kernel
def scan(state, row, columns, margin, win, loss, shift, wins, losses):
    return scan_row(state, row, columns, margin, win, loss, shift, wins, losses)


def scan_plainly(state: list[int], margin: int, win: bool, loss: bool) -> tuple[list[int], list[int], list[int]]:
    """The bytes after the scan, and the columns that became wins and losses."""
    after, wins, losses = list(state), [], []
    for i, byte in enumerate(state):
        moves, best = byte >> 4, (byte & 15) - BYTE_BIAS
        if win and moves < 15 and byte & 15 and best == margin:
            after[i], wins = 0xF0 | byte & 15, [*wins, i]
        elif loss and moves in (0, 14) and byte & 15 and best == -margin:
            after[i], losses = 0xF0 | byte & 15, [*losses, i]
    return after, wins, losses


@settings(max_examples=60)
@given(
    some.lists(some.integers(0, 255), min_size=1, max_size=150), some.integers(1, 7), some.booleans(), some.booleans()
)
def test_the_scan_is_the_plain_one(row: list[int], margin: int, win: bool, loss: bool) -> None:
    before = 5
    state = np.zeros(before + len(row) + PADDING, np.uint8)
    state[before : before + len(row)] = row
    wins, losses = np.zeros(len(row), np.uint64), np.zeros(len(row), np.uint64)
    told = scan(state.view(np.int8), before, len(row), margin, win, loss, np.uint64(3), wins, losses)
    after, won, lost = scan_plainly(row, margin, win, loss)
    assert state[before : before + len(row)].tolist() == after
    assert (np.flatnonzero(wins).tolist(), np.flatnonzero(losses).tolist()) == (won, lost)
    assert set(wins.tolist()) | set(losses.tolist()) <= {0, 8}
    assert told == bool(won) + 2 * bool(lost)
