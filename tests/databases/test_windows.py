"""Windows: what a game needs of each tier, and margins of less than a byte, against plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from numpy.typing import NDArray

from databases.windows import SPARE, WHOLE, Coding, Decoder, Game, decoded
from solver.errors import AbapaError
from solver.kernels.compile import kernel
from solver.kernels.margins import load_margin

WINDOWS = (1, 2, 3, 5, 7, 8, 30, WHOLE)


def plainly(margins: list[int], coding: Coding) -> bytes:
    """Margins as one large number, the first in its lowest bits."""
    if not coding.dense:
        return bytes(margin % 256 for margin in margins)
    number = sum((margin + coding.window) << (at * coding.bits) for at, margin in enumerate(margins))
    return number.to_bytes(-(-len(margins) * coding.bits // 8), "little")


@kernel
def load_all(stored, bits, window, out):
    address = np.uint64(stored.ctypes.data)
    for i in range(out.shape[0]):
        out[i] = load_margin(address, np.int64(i), bits, window)


@some.composite
def margins_in_windows(draw: some.DrawFn) -> tuple[list[int], Coding]:
    coding = Coding.of(draw(some.sampled_from(WINDOWS)))
    return draw(some.lists(some.integers(-coding.window, coding.window), min_size=1, max_size=70)), coding


@given(margins_in_windows())
def test_bytes_are_the_plain_ones_and_come_back(case: tuple[list[int], Coding]) -> None:
    margins, coding = case
    array = np.array(margins, np.int8)
    stored = coding.encode(array)
    assert stored.tobytes() == plainly(margins, coding)
    assert len(stored) + SPARE * coding.dense == coding.size(len(margins))
    assert coding.decode(stored, len(array)).tolist() == margins


@given(margins_in_windows())
def test_a_margin_is_found_in_memory(case: tuple[list[int], Coding]) -> None:
    margins, coding = case
    stored = np.concatenate([coding.encode(np.array(margins, np.int8)), np.zeros(SPARE, np.uint8)])
    out = np.empty(len(margins), np.int64)
    load_all(stored, coding.bits, coding.window, out)
    assert out.tolist() == margins


@given(margins_in_windows(), some.lists(some.integers(1, 9), min_size=1, max_size=80))
def test_pieces_of_any_length(case: tuple[list[int], Coding], lengths: list[int]) -> None:
    margins, coding = case
    stored, pieces = coding.encode(np.array(margins, np.int8)).tobytes(), []
    for length in lengths:
        pieces.append(memoryview(stored[:length]))
        stored = stored[length:]
    pieces.append(memoryview(stored))
    found: list[NDArray[np.int8]] = list(decoded(pieces, coding, len(margins)))
    assert np.concatenate(found).tolist() == margins


def test_missing_bytes_are_an_error() -> None:
    coding = Coding.of(3)
    stored = coding.encode(np.zeros(20, np.int8))
    with pytest.raises(ValueError, match="missing"):
        list(decoded([stored[:-1].data], coding, 20))
    assert Decoder(coding, 20).take(stored.data).tolist() == [0] * 20


def test_a_game_decides_itself() -> None:
    game = Game(36)
    assert game.tiers == (*range(35), 36)
    assert [game.window(n) for n in (18, 19, 30, 31, 32, 33, 34, 36)] == [WHOLE, 18, 7, 6, 5, 4, 3, 1]
    assert Game(36, margin=4).window(36) == 4
    for n in range(2, 37):
        for captured in range(2, n + 1):  # what a capture needs is there
            assert game.window(n) == WHOLE or game.window(n - captured) >= min(game.window(n) + captured, n - captured)


@pytest.mark.parametrize(("seeds", "margin"), [(-1, 1), (128, 1), (12, 0)])
def test_what_is_no_game(seeds: int, margin: int) -> None:
    with pytest.raises(AbapaError, match="accepted are"):
        Game(seeds, margin)
