"""The evaluation's kernel agrees with the plain reference, under every rule set; its weights fit the packed form."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from solver.kernels.compile import kernel
from solver.omweso.game import WON, OmwesoGame
from solver.omweso.network import LANES, ROWS, Network, fitted, packed, rows_text, seeds_and_haul
from solver.omweso.position import OmwesoPosition
from solver.omweso.rules import TOURNAMENT
from solver.omweso.setups import CLASSIC
from solver.search.game import evaluate
from solver.search.worker import new_worker
from tests.omweso.plain_network import plain_estimate, plain_hauls
from tests.omweso.strategies import positions


@kernel
def evaluated(game, worker):
    return evaluate(game, worker, np.int64(0))


def estimate(position: OmwesoPosition, network: Network | None = None) -> int:
    game, worker = OmwesoGame(position.rules, network), new_worker()
    game.place(position, worker)
    return int(evaluated(game.kernels, worker[0]))


@given(positions())
@settings(max_examples=300)
def test_the_kernel_is_the_reference(position: OmwesoPosition) -> None:
    if max(position.side) >= 2:
        assert estimate(position) == plain_estimate(position)


@given(positions())
def test_who_has_no_turn_has_lost(position: OmwesoPosition) -> None:
    if sum(position.side) + sum(position.opponent) > 0 and max(position.side) < 2:
        assert estimate(position) == -WON


def test_what_turns_capture() -> None:
    position = OmwesoPosition((0,) * 6 + (2, 0) + (1,) + (0,) * 7, (3,) + (0,) * 14 + (4,))
    assert position.find("o").captured == 7
    assert plain_hauls(position) == (7, 0, 1)


def test_without_a_network_seeds_and_captures_count() -> None:
    position = OmwesoPosition((3, 4) + (0,) * 14, (1,) + (0,) * 14 + (2,))
    assert estimate(position, seeds_and_haul(8)) == 8 * (7 - 3)
    start = OmwesoPosition.start(CLASSIC["all-two"], CLASSIC["all-two"])
    assert estimate(start, seeds_and_haul(8)) == 0  # nothing is captured on a first turn


def test_the_fitted_network_prefers_seeds() -> None:
    """Not a stub: more of everything is better, whoever fitted it."""
    poor, rich = (2,) + (0,) * 15, (2,) * 8 + (0,) * 8  # and no captures at hand
    assert estimate(OmwesoPosition(rich, poor, TOURNAMENT)) > 100
    assert estimate(OmwesoPosition(poor, rich, TOURNAMENT)) < -100


def test_packed_rows_hold_their_sums_or_are_refused() -> None:
    network = fitted()
    table, thresholds, outputs = packed(network)
    assert table.shape == (ROWS * LANES // 4,) and thresholds.shape == outputs.shape == (LANES,)
    rows = np.zeros((ROWS, LANES), np.int16)
    rows[0], rows[1] = 32767, -32768
    packed(network._replace(rows=rows))
    rows[16] = 1
    with pytest.raises(ValueError, match="rows that add up to 65536"):
        packed(network._replace(rows=rows))


def test_rows_as_text_come_back() -> None:
    import zlib
    from base64 import b85decode

    rows = fitted().rows
    assert zlib.decompress(b85decode(rows_text(rows))) == rows.astype("<i2").tobytes()
