"""The builder's numbers: published counts, conformance data, a brute-force solver; the same bytes on any threads."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from databases.builder import cells
from databases.builder.movetables import MOST_HALVES, RANK_BITS, RANK_MASK, crossings_of
from databases.builder.plan import PlanError, check_request
from databases.halfboards import half_count
from databases.sweeps import SweptTables
from databases.tiers import MAX_SEEDS, board_indexes
from solver.oware.position import Position
from solver.oware.rules import ABAPA, AWARI, MAX_PITS, Cycle, GrandSlam, Rules
from tests.conformance import load
from tests.databases.tables_in_memory import at, built
from tests.oware.brute_force import BruteTables

TABLE_RULES = [Rules(slam, cycle) for slam in GrandSlam if slam is not GrandSlam.WIN_ONLY for cycle in Cycle]


def histogram(values: NDArray) -> dict[int, int]:
    numbers, counts = np.unique(values, return_counts=True)
    return dict(zip(numbers.tolist(), counts.tolist(), strict=True))


def test_awari_counts_are_linckes() -> None:
    published: dict[int, dict[int, int]] = defaultdict(dict)
    for row in load("oware/awari_value_counts_0_12.csv"):
        if row["count"]:
            published[row["stones"]][row["value"]] = row["count"]
    values = built(AWARI, 12, bounds=False)["value"]
    assert {seeds: histogram(tier) for seeds, tier in values.items()} == published


@pytest.mark.parametrize("threads", [1, 2])
def test_every_awari_board_up_to_5_seeds(threads: int) -> None:
    values = built(AWARI, 5, threads, bounds=False)
    for row in load("oware/awari_values_le5.csv"):
        board = tuple(row[f"p{i}"] for i in range(12))
        assert at(values, "value", board) == row["value"], board


@pytest.mark.parametrize("name", ["oware/awari_samples.jsonl", "oware/awari_published_positions.json"])
def test_awari_samples_with_their_moves(name: str) -> None:
    values = built(AWARI, 12, bounds=False)
    for case in load(name):
        board = tuple(case["board"])
        if sum(board) > 12:
            continue  # the two published positions with more seeds are for the deep run
        assert at(values, "value", board) == case["value"]
        position = Position(board, rules=AWARI)
        moves: list[int | None] = [None] * 6
        for move in position.playable:
            moves[move.house] = move.captured - at(values, "value", move.board[6:] + move.board[:6])
        assert moves == case["move_values"], board


def test_abapa_bounds() -> None:
    tables = built(ABAPA, 12)
    for row in load("oware/abapa_bounds_le5.csv"):
        board = tuple(row[f"p{i}"] for i in range(12))
        assert (at(tables, "lower", board), at(tables, "upper", board)) == (row["lo"], row["hi"]), board
    for case in load("oware/abapa_bounds_samples.jsonl"):
        board = tuple(case["board"])
        assert (at(tables, "lower", board), at(tables, "upper", board)) == (case["lo"], case["hi"]), board
        assert list(Position(board).legal_moves()) == case["legal"]


def test_abapa_exact_boards() -> None:
    tables = built(ABAPA, 12)
    for case in load("oware/abapa_exact_counts_0_10.json"):
        lower, upper = tables["lower"][case["seeds"]], tables["upper"][case["seeds"]]
        assert len(lower) == case["positions"]
        assert int((lower == upper).sum()) == case["repetition_independent"]
        assert histogram(lower[lower == upper]) == {int(key): count for key, count in case["histogram"].items()}


SMALL_STARTS = {
    1: [2, 0, 0, 0, 0, 0],
    2: [0, 2, 1, 0, 3, 0],
    3: [0, 3, 0, 0, 0, 0],
    4: [0, 0, -1],
    5: [0, 0],
    6: [0, 0],
}
"""Value of the awari start, pits a side: 1, 2, .. seeds a pit (rules-oware.md)."""


@pytest.mark.parametrize("pits", SMALL_STARTS)
def test_small_awari_boards(pits: int) -> None:
    expected = SMALL_STARTS[pits]
    fits = [k for k in range(1, len(expected) + 1) if pits * k <= 12 or pits < 4]
    values = built(Rules.parse("awari", pits), 2 * pits * max(fits[:6] if pits < 4 else fits[:1]), bounds=False)
    for k in fits:
        if 2 * pits * k in values["value"]:
            assert at(values, "value", (k,) * (2 * pits)) == expected[k - 1]


@pytest.mark.parametrize("pits", [1, 2, 3])
@pytest.mark.parametrize("rules", TABLE_RULES, ids=str)
def test_brute_force_agrees_on_every_board(rules: Rules, pits: int) -> None:
    rules = Rules(rules.grand_slam, rules.cycle, pits)
    brute, tables = BruteTables(rules, 8), built(rules, 8, 2, distance=True)
    for n in range(9):
        boards = [board for board in brute.value if sum(board) == n]
        where = board_indexes(boards, pits, n)
        assert [brute.value[board] for board in boards] == tables["value"][n][where].tolist()
        assert [brute.distance[board] for board in boards] == tables["distance"][n][where].tolist()
        assert [brute.lower(board) for board in boards] == tables["lower"][n][where].tolist()
        assert [brute.upper(board) for board in boards] == tables["upper"][n][where].tolist()


@pytest.mark.parametrize("pits", [1, 2])
def test_brute_force_agrees_where_houses_hold_several_laps(pits: int) -> None:
    """Sowings that cross 14 seeds and more (a house of 24 and more with six pits; far fewer with one or two)."""
    rules = Rules(GrandSlam.FORFEIT, Cycle.OWN_ROW, pits)
    seeds = 30 if pits == 1 else 16
    brute, tables = BruteTables(rules, seeds), built(rules, seeds, 2, distance=True)
    for n in range(seeds + 1):
        boards = [board for board in brute.value if sum(board) == n]
        where = board_indexes(boards, pits, n)
        assert [brute.value[board] for board in boards] == tables["value"][n][where].tolist()
        assert [brute.lower(board) for board in boards] == tables["lower"][n][where].tolist()
        assert [brute.upper(board) for board in boards] == tables["upper"][n][where].tolist()


@pytest.mark.parametrize("distance", [False, True])
@pytest.mark.parametrize("rules", [AWARI, ABAPA], ids=str)
def test_the_same_bytes_whatever_the_thread_count(rules: Rules, distance: bool) -> None:
    one, two = (built(rules, 9, threads, distance=distance) for threads in (1, 2))
    for name, tiers in one.items():
        for n, values in tiers.items():
            assert values.tobytes() == two[name][n].tobytes(), (name, n)


@pytest.mark.parametrize(("pits", "seeds"), [(1, 127), (2, 48), (3, 42)])
def test_the_sweeps_agree_where_seeds_have_more_outcomes_than_five_bits(pits: int, seeds: int) -> None:
    """As awari with 48 seeds has; entries of 27 bits for the rank once led outside of the arrays."""
    assert len(crossings_of(pits, seeds)) > 32 and len(crossings_of(6, 48)) > 32
    rules = Rules(GrandSlam.FORBIDDEN, Cycle.EVEN, pits)
    tables, swept = built(rules, seeds, 2, bounds=False, distance=True), SweptTables(rules, seeds, 2)
    for n in range(seeds + 1):
        swept.solve(n)
        for quantity in ("value", "distance"):
            assert (tables[quantity][n] == swept.numbers(quantity, n)).all(), (quantity, n)


@pytest.mark.parametrize("pits", range(1, MAX_PITS + 1))
def test_an_entry_has_room_for_every_outcome_and_rank_of_a_request(pits: int) -> None:
    most = max(n for n in range(MAX_SEEDS + 1) if half_count(pits, n) <= MOST_HALVES)
    rules = Rules(GrandSlam.FORBIDDEN, Cycle.EVEN, pits)
    check_request(rules, most, 1)
    assert len(crossings_of(pits, most)) <= 1 << 32 - int(RANK_BITS) and int(RANK_MASK) + 1 >= MOST_HALVES
    if most < MAX_SEEDS:
        with pytest.raises(PlanError, match=f"{most + 1} seeds on {2 * pits} houses: accepted are 0 to {most}"):
            check_request(rules, most + 1, 1)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("rules", [AWARI, ABAPA, Rules(GrandSlam.CAPTURE, Cycle.OWN_ROW, 3)], ids=str)
def test_the_same_bytes_in_little_memory(
    rules: Rules, threads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cells, "BAND_BOARDS", 1000)
    plain, little = built(rules, 9), built(rules, 9, threads, scratch=tmp_path)
    for name, tiers in plain.items():
        for n, values in tiers.items():
            assert values.tobytes() == little[name][n].tobytes(), (name, n)
    assert not list(tmp_path.iterdir())


def test_values_do_not_depend_on_whether_distances_are_kept() -> None:
    with_distance, without = built(AWARI, 9, 2, bounds=False, distance=True), built(AWARI, 9, 2, bounds=False)
    for n in range(10):
        assert with_distance["value"][n].tobytes() == without["value"][n].tobytes()
