"""Proofs find every wrong number, and only wrong ones."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from databases.builder.build import build_tables
from databases.files.folder import table_path
from databases.halfmoves import HalfMoves
from databases.prober import open_tables
from databases.sweeps import SweptTables
from databases.tiers import board_at, board_index, tier_size
from databases.verifier import compare, prove, prove_arrays
from solver.errors import AbapaError
from solver.oware.position import Position
from solver.oware.rules import ABAPA, AWARI, Cycle, GrandSlam, Rules
from tests.cli.command_line import abapa, refused
from tests.conformance import DATA
from tests.databases.proofs import SMALL, TABLE_SLAMS, endless_circle, moves_of, spoil
from tests.databases.table_files import write_tables
from tests.databases.tables_in_memory import built

QUANTITIES = ("value", "lower", "upper", "distance")


# -- the equations ----------------------------------------------------------------------------------------------------


def breaks_its_equation(rules: Rules, board: tuple[int, ...], at: Callable[[str, tuple[int, ...]], int]) -> bool:
    """The equations of the module's first lines, word for word."""
    value, distance = at("value", board), at("distance", board)
    moves = moves_of(rules, board)
    if not moves:
        south, north = Position(board, rules=rules).result() or (0, 0)
        return value != south - north or distance != 0
    worth = [captured - at("value", child) for captured, child in moves]
    plies = [0 if captured else at("distance", child) for captured, child in moves]
    best = [ply for margin, ply in zip(worth, plies, strict=True) if margin == max(worth)]
    should = 0 if value == 0 else 1 + (min(best) if value > 0 else max(best))
    return value != max(worth) or distance != should


@settings(max_examples=150)
@given(st.sampled_from(SMALL), st.integers(0, 6), st.data())
def test_the_pass_finds_exactly_the_boards_that_break_their_equation(rules: Rules, n: int, data: st.DataObject) -> None:
    numbers = built(rules, n, bounds=False, distance=True)
    values, distance = [tier.copy() for tier in numbers["value"].values()], numbers["distance"][n].copy()
    size = tier_size(rules.pits, n)
    for _ in range(data.draw(st.integers(0, 4))):
        at = data.draw(st.integers(0, size - 1))
        values[n][at] = data.draw(st.one_of(st.integers(-n, n), st.integers(-128, 127)))
        distance[at] = data.draw(st.one_of(st.integers(0, 5), st.integers(0, 65535)))

    def read(quantity: str, board: tuple[int, ...]) -> int:
        tier = values[sum(board)] if quantity == "value" else distance
        return int(tier[board_index(board)])

    wrong = [at for at in range(size) if breaks_its_equation(rules, board_at(rules.pits, n, at), read)]
    found = prove_arrays(rules, HalfMoves.of(rules, n), values, distance, data.draw(st.integers(1, 2)))
    assert found == (len(wrong), wrong[0] if wrong else -1)


@pytest.mark.parametrize("rules", [AWARI, ABAPA, Rules(GrandSlam.CAPTURE, Cycle.EVEN)], ids=str)
@pytest.mark.parametrize("quantity", ["value", "distance"])
def test_any_changed_byte_of_ten_seeds_is_found(rules: Rules, quantity: str) -> None:
    numbers = built(rules, 10, 2, bounds=False, distance=True)
    moves = HalfMoves.of(rules, 10)
    values, distance = [tier.copy() for tier in numbers["value"].values()], numbers["distance"][10].copy()
    assert prove_arrays(rules, moves, values, distance, 2) == (0, -1)
    random = np.random.default_rng(10)
    data = (values[10] if quantity == "value" else distance).view(np.uint8)
    for at, flip in zip(random.integers(0, len(data), 200), random.integers(1, 256, 200), strict=True):
        data[at] ^= flip
        wrong, first = prove_arrays(rules, moves, values, distance, 2)
        assert wrong and 0 <= first < len(distance), (at, flip)
        data[at] ^= flip
    assert prove_arrays(rules, moves, values, distance, 2) == (0, -1)


def test_a_circle_that_lives_on_its_own_claims_is_found() -> None:
    """Boards of an endless circle valued +2 and -2 in turn: consistent as values, whatever distances they claim."""
    numbers = built(AWARI, 4, bounds=False, distance=True)
    moves = HalfMoves.of(AWARI, 4)
    circle = endless_circle(numbers["value"])
    for plies in ([5] * len(circle), range(1, len(circle) + 1), range(len(circle), 0, -1)):
        values, distance = [tier.copy() for tier in numbers["value"].values()], numbers["distance"][4].copy()
        for at, (board, ply) in enumerate(zip(circle, plies, strict=True)):
            values[4][board_index(board)] = 2 if at % 2 else -2
            distance[board_index(board)] = ply
        assert prove_arrays(AWARI, moves, values, distance, 1)[0]


# -- the independent engine -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", [Rules(slam, cycle) for slam in TABLE_SLAMS for cycle in Cycle], ids=str)
def test_the_sweeps_find_the_builders_numbers(rules: Rules) -> None:
    check_sweeps(rules, 7)


@pytest.mark.parametrize("rules", [*SMALL, Rules(pits=3), Rules(pits=8)], ids=str)
def test_the_sweeps_agree_on_other_boards(rules: Rules) -> None:
    check_sweeps(rules, 12 if rules.pits < 5 else 5)


def check_sweeps(rules: Rules, seeds: int) -> None:
    numbers = built(rules, seeds, bounds=rules.has_bounds, distance=True)
    swept = SweptTables(rules, seeds, threads=2)
    for n in range(seeds + 1):
        swept.solve(n)
        for quantity, tiers in numbers.items():
            assert (swept.numbers(quantity, n) == tiers[n]).all(), (n, quantity)


# -- on files ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Abapa on three houses a side with everything, awari up to 7 seeds with distances, tiers 0..7."""
    folder = tmp_path_factory.mktemp("made")
    write_tables(folder, Rules.parse("abapa+pits=3"), 7, QUANTITIES)
    write_tables(folder, AWARI, 7, ("value", "distance"))
    return folder


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_a_wrong_number_in_a_file_is_named(made: Path, tmp_path: Path, quantity: str) -> None:
    rules, folder = Rules.parse("abapa+pits=3"), shutil.copytree(made, tmp_path / "tables")
    index = 300
    spoil(table_path(folder, rules, 6), quantity, index, 1)
    board = "-".join(map(str, board_at(3, 6, index)))
    where = ["--rules", rules.id, "--tables", folder]
    ran = abapa("verify", *where, "--independent")
    refused(ran, f"{rules.id} tables in {folder} are wrong")
    assert f"{rules.id}  6: {', '.join(QUANTITIES)} WRONG: {quantity} of 1 boards is wrong, first {board}: " in ran.out
    assert ran.out.count("solved again, ") == 7
    if quantity in ("value", "distance"):
        ran = abapa("verify", *where, "--seeds", "6")
        refused(ran, "are wrong")
        assert f"{rules.id}  6: value, distance WRONG: " in ran.out and "break their equation, first" in ran.out
        assert abapa("verify", *where, "--seeds", "5").code == 0


def test_right_tables_are_proved(made: Path) -> None:
    ran = abapa("verify", "--rules", "awari", "--tables", made)
    assert ran.code == 0 and ran.out.count("value, distance proved by distance, ") == 8
    rows = [
        json.loads(line) for line in abapa("verify", "--rules", "awari", "--tables", made, "--json").out.splitlines()
    ]
    assert [(row["seeds"], row["right"], row["boards"]) for row in rows] == [
        (n, True, tier_size(6, n)) for n in range(8)
    ]
    with open_tables(made, AWARI) as tables:
        assert all(verdict.right for verdict in prove(tables, range(8), threads=2))
        assert all(verdict.checked == ("value", "distance") for verdict in compare(tables, 5, threads=2))


def test_counts(made: Path, tmp_path: Path) -> None:
    where = ["--rules", "awari", "--tables", made]
    published = DATA / "oware" / "awari_value_counts_0_12.csv"
    ran = abapa("verify", *where, "--counts", published)
    assert ran.code == 0 and ran.out.count("counts as published, ") == 8
    wrong = tmp_path / "wrong.csv"
    marked = tmp_path / "marked.csv"
    marked.write_text("\ufeffseeds,value,count\n1,1,5\n1,-1,7\n", encoding="utf-8")
    assert abapa("verify", *where, "--counts", marked).code == 0
    wrong.write_text("seeds,value,count\n1,1,5\n1,-1,7\n2,2,26\n2,0,12\n2,-2,40\n")
    ran = abapa("verify", *where, "--counts", wrong, "--independent")
    refused(ran, "are wrong")
    assert "25 boards have value 2, published 26" in ran.out and ran.out.count("WRONG") == 1
    for text, message in [
        ("a,b\n1,2\n", "has the columns a, b: accepted are seeds, value, count"),
        ("seeds,value,count\n1,x,3\n", "is no CSV file of numbers"),
        ("seeds,value,count\n1,2\n", "is no CSV file of numbers"),
        ("seeds,value,count\n1,1,\uff15\n", "is no CSV file of numbers"),
        ("seeds,value,count\n1,1,1_0\n", "is no CSV file of numbers"),
        ("seeds,value,count\n1,1,6\n1,1,5\n", "the value 1 of 1 seeds stands there twice"),
        ("seeds,value,count\n1,1,-5\n", "-5 boards"),
        ("seeds,value,count\n40,1,3\n", "the published counts, of 40 seeds, have no counts for tiers 0..7"),
    ]:
        wrong.write_text(text)
        for methods in ([], ["--independent"]):  # refused before a method that takes long begins
            ran = abapa("verify", *where, *methods, "--counts", wrong)
            refused(ran, message)
            assert ran.out == ""
    refused(abapa("verify", *where, "--counts", tmp_path / "absent.csv"), "cannot be read: No such file")


def test_what_cannot_be_verified(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused(abapa("verify", "--tables", tmp_path), "no abapa table of 0 seeds")
    refused(abapa("verify", "--rules", "awari", "--tables", made, "--seeds", "9"), "no awari table of 8 seeds")
    write_tables(tmp_path, AWARI, 2)
    with open_tables(tmp_path, AWARI) as tables, pytest.raises(AbapaError, match="holds no distances to prove it by"):
        next(prove(tables, [2]))
    assert abapa("verify", "--rules", "awari", "--tables", tmp_path, "--independent").code == 0
    monkeypatch.setattr("databases.verifier.available_memory", lambda: 1000)
    refused(abapa("verify", "--rules", "awari", "--tables", tmp_path, "--independent"), "1,000 are available")


def test_a_tier_above_a_gap_is_not_passed_over(tmp_path: Path) -> None:
    build_tables(tmp_path, AWARI, 4, distance=True)
    table_path(tmp_path, AWARI, 2).unlink()
    ran = abapa("verify", "--rules", "awari", "--tables", str(tmp_path))
    assert ran.code == 2 and "no awari table of 2 seeds" in ran.err
