"""Asking tables: against brute force on every small board, and at the edges of what is built."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from databases.files.faults import TableError
from databases.files.folder import table_path
from databases.prober import Line, MissingTierError, MoveValue, Probe, Tables, best_first, open_tables
from databases.tiers import board_at, tier_size
from solver.errors import AbapaError, PositionError, RulesError
from solver.oware.kernels import told_moves
from solver.oware.position import Position
from solver.oware.rules import ABAPA, AWARI, Cycle, GrandSlam, Rules
from tests.conformance import load
from tests.databases.table_files import write_tables
from tests.oware.brute_force import BruteTables

BUILT, SOLVED = 5, 6
SMALL = [
    Rules(slam, cycle, pits)
    for slam in (GrandSlam.FORFEIT, GrandSlam.FORBIDDEN, GrandSlam.CAPTURE)
    for cycle in Cycle
    for pits in (1, 2, 3)
]


@cache
def solved(rules: Rules) -> BruteTables:
    return BruteTables(rules, SOLVED)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tiers 0..5 of every small rule set, with all quantities that the rules have, and awari with six houses."""
    folder = tmp_path_factory.mktemp("tables")
    for rules in SMALL:
        bounds = ("lower", "upper") if rules.has_bounds else ()
        write_tables(folder, rules, BUILT, ("value", *bounds, "distance"))
    write_tables(folder, AWARI, BUILT)
    return folder


def test_several_threads_may_ask_plain_tables(folder: Path) -> None:
    """From the first question on, when none is open yet."""
    rules = Rules.parse("abapa+pits=3")
    boards = [board_at(3, n, index) for n in range(BUILT + 1) for index in range(0, tier_size(3, n), 3)]

    def ask(tables: Tables) -> list[tuple[Probe, list[MoveValue]]]:
        return [(tables.probe(board), tables.moves(board)) for board in boards]

    with open_tables(folder, rules) as tables:
        alone = ask(tables)
    with open_tables(folder, rules) as tables, ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ask, [tables] * 4)) == [alone] * 4


@pytest.mark.parametrize("rules", SMALL, ids=str)
def test_every_board_is_worth_what_brute_force_says(folder: Path, rules: Rules) -> None:
    brute = solved(rules)
    with open_tables(folder, rules) as tables:
        for board in brute.value:
            expected = expected_probe(brute, rules, board)
            try:
                probe = tables.probe(board)
            except MissingTierError as error:
                assert error.seeds == SOLVED == sum(board) and any_move_needs_the_tier(rules, board)
                continue
            assert probe == expected
            assert tables.moves(board) == expected_moves(brute, rules, board)
            if sum(board) == SOLVED:
                assert not any_move_needs_the_tier(rules, board)


@given(st.sampled_from(SMALL), st.integers(0, SOLVED), st.data())
def test_a_look_up_is_the_probe_and_the_moves(folder: Path, rules: Rules, n: int, data: st.DataObject) -> None:
    """The first time one number after the other, from then on in one call."""
    board = board_at(rules.pits, n, data.draw(st.integers(0, tier_size(rules.pits, n) - 1)))
    with open_tables(folder, rules) as tables:
        try:
            first = tables.look_up(board)
        except MissingTierError:
            assert tables.get(board) is None
            return
        assert first == tables.look_up(board)
        assert (first.probe, first.moves) == (tables.probe(board), tables.moves(board))
        assert list(first.told.values()) == told_moves(rules, board) and list(first.told) == [
            move.house for move in first.told.values()
        ]


def test_a_look_up_in_tables_that_hold_different_quantities(tmp_path: Path) -> None:
    """Those are looked up one after the other, however often."""
    write_tables(tmp_path, AWARI, 5)
    (tmp_path / "distant").mkdir()
    write_tables(tmp_path / "distant", AWARI, 5, ("value", "distance"))
    for seeds in (2, 4):
        shutil.copy(table_path(tmp_path / "distant", AWARI, seeds), tmp_path)
    boards = [board_at(6, 4, index) for index in range(0, tier_size(6, 4), 7)]
    with open_tables(tmp_path, AWARI) as tables, open_tables(tmp_path, AWARI) as others:
        for board in boards * 2:
            looked_up = tables.look_up(board)
            assert (looked_up.probe, looked_up.moves) == (others.probe(board), others.moves(board))
            assert looked_up.probe.distance is not None


def expected_probe(brute: BruteTables, rules: Rules, board: tuple[int, ...]) -> Probe:
    lower, upper = (brute.lower(board), brute.upper(board)) if rules.has_bounds else (None, None)
    return Probe(rules, board, brute.value[board], lower, upper, brute.distance[board])


def expected_moves(brute: BruteTables, rules: Rules, board: tuple[int, ...]) -> list[MoveValue]:
    moves = []
    for move in Position(board, rules=rules).playable:
        after, captured = move.board[rules.pits :] + move.board[: rules.pits], move.captured
        value = captured - brute.value[after]
        bounds = (captured - brute.upper(after), captured - brute.lower(after)) if rules.has_bounds else (None, None)
        plies = 0 if not value else 1 if captured else 1 + brute.distance[after]
        moves.append(MoveValue(move.house, captured, after, value, *bounds, plies))
    return sorted(moves, key=best_first)


def any_move_needs_the_tier(rules: Rules, board: tuple[int, ...]) -> bool:
    after = [move.board for move in Position(board, rules=rules).playable if not move.captured]
    return any(Position(board, turn=1, rules=rules).playable for board in after)


def test_awari_conformance_boards(folder: Path) -> None:
    rows = load("oware/awari_values_le5.csv")
    boards = np.array([[row[f"p{i}"] for i in range(12)] for row in rows], np.int8)
    with open_tables(folder, AWARI) as tables:
        assert tables.probe_many(boards).tolist() == [row["value"] for row in rows]


# -- order ------------------------------------------------------------------------------------------------------------


def move(house: int, value: int, *, captured: int = 0, bounds: tuple[int, int] | None = None, plies: int | None = None):
    return MoveValue(house, captured, (), value, *(bounds or (None, None)), plies)


@pytest.mark.parametrize(
    "ordered",
    [
        [move(5, 2), move(0, 1), move(1, -1)],
        [move(2, 1, bounds=(1, 1)), move(1, 1, bounds=(0, 4)), move(0, 1, bounds=(0, 2))],
        [move(1, 1, bounds=(0, 2), plies=3), move(0, 1, bounds=(1, 1), plies=5)],
        [move(1, 3, plies=1), move(2, 3, plies=5), move(0, 3, plies=7)],
        [move(1, -3, plies=7), move(2, -3, plies=5), move(0, -3, plies=1)],
        [move(3, 3, plies=2), move(0, 3, captured=4, plies=3)],
        [move(1, 0, captured=3), move(2, 0, captured=2), move(0, 0)],
        [move(0, 0, plies=0), move(1, 0, plies=0), move(2, 0, plies=0)],
    ],
)
def test_the_order_of_moves(ordered: list[MoveValue]) -> None:
    backwards = ordered[::-1]
    assert sorted(backwards, key=best_first) == ordered


# -- what is missing, what is wrong -----------------------------------------------------------------------------------


def test_a_missing_tier_is_named_with_the_command_that_builds_it(folder: Path) -> None:
    board = (1,) * 12
    with open_tables(folder, AWARI) as tables:
        with pytest.raises(MissingTierError) as caught:
            tables.probe(board)
        assert caught.value.seeds == 12
        assert caught.value.command == f"abapa build --rules awari --seeds 12 --tables {folder}"
        assert str(caught.value) == (f"no awari table of 12 seeds in {folder}: build it with: {caught.value.command}")
        assert tables.get(board) is None and tables.get(board, 7) == 7
        assert tables.get((0,) * 12) == Probe(AWARI, (0,) * 12, 0)
        with pytest.raises(MissingTierError, match="tables go up to 127 seeds"):
            tables.probe((128, *[0] * 11))


def test_a_hole_in_the_tiers_is_named(folder: Path, tmp_path: Path) -> None:
    holed = shutil.copytree(folder, tmp_path / "holed")
    table_path(holed, AWARI, 2).unlink()
    capturing = (0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 2)
    with open_tables(holed, AWARI) as tables:
        assert tables.seeds == 1
        assert tables.probe(capturing).seeds == 4
        with pytest.raises(MissingTierError, match="table of 2 seeds"):
            tables.probe((1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
        with pytest.raises(MissingTierError, match="table of 2 seeds"):
            tables.moves(capturing)


def test_wrong_positions(folder: Path) -> None:
    with open_tables(folder, AWARI) as tables:
        for wrong, text in [
            ((1, 2, 3), "3 houses given: a board of awari has 12"),
            ((-1, *[0] * 11), "negative"),
            ((0.5, *[0] * 11), "is no board: accepted are whole numbers of seeds"),
            ("1" * 12, "is no board"),
            (12, "is no board"),
        ]:
            with pytest.raises(PositionError, match=text):
                tables.probe(wrong)  # type: ignore[arg-type]
        assert tables.probe(np.zeros(12, np.int8)).value == 0  # type: ignore[arg-type]
        with pytest.raises(RulesError, match="a position of abapa cannot be looked up in tables of awari"):
            tables.probe(Position.start(ABAPA))
        north = Position.parse("0-0-0-0-1-1-0-0-1-0-0-1-20-24-N", AWARI)
        assert tables.probe(north).board == (0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 1)


def test_wrong_folders_and_rules(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(AbapaError, match=r"no tables folder .*absent"):
        open_tables(tmp_path / "absent", AWARI)
    with pytest.raises(RulesError, match="value depends on the stores"):
        open_tables(folder, Rules(GrandSlam.WIN_ONLY))
    with open_tables(tmp_path, AWARI) as tables:
        assert tables.seeds == -1
        assert tables.probe((0,) * 12).value == 0
        assert tables.probe((0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0)).value == -3
    table_path(tmp_path, AWARI, 4).write_bytes(b"no table")
    with open_tables(tmp_path, AWARI) as tables, pytest.raises(TableError, match="is not an HDF5 file"):
        tables.probe((4, *[0] * 11))


def test_a_damaged_table_is_in_the_way_of_what_needs_it_and_of_nothing_else(folder: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(folder, tmp_path / "tables")
    table_path(copy, AWARI, 4).write_bytes(b"no table")
    table_path(copy, AWARI, 2).unlink()
    table_path(copy, AWARI, 2).mkdir()
    three, five = (0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1), (0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 2)
    with open_tables(folder, AWARI) as whole, open_tables(copy, AWARI) as tables:
        assert (tables.seeds, list(tables.tiers), list(tables.mapped)) == (5, [*range(6)], [*range(6)])
        assert repr(tables).endswith("6 tiers, complete to 5 seeds>")
        assert tables.probe(three) == whole.probe(three) and tables.probe(five) == whole.probe(five)
        assert tables.probe_many([five, three]).tolist() == whole.probe_many([five, three]).tolist()
        assert (tables.map(5) == whole.map(5)).all()
        boards = (board_at(6, 5, k) for k in range(tier_size(6, 5)))
        takes_three = next(board for board in boards if any(move.captured == 3 for move in whole.moves(board)))
        for ask in (
            lambda: tables.moves(takes_three),
            lambda: tables.map(4),
            lambda: tables.probe_many([(4, *[0] * 11), five]),
        ):
            with pytest.raises(TableError, match=r"awari-0[24]\.h5 (is a folder|is not an HDF5 file)"):
                ask()
        with pytest.raises(KeyError):
            tables.tiers[6]
        assert (6 in tables.tiers, 4 in tables.tiers, len(tables.tiers)) == (False, True, 6)


# -- many -------------------------------------------------------------------------------------------------------------


@given(st.sampled_from(SMALL), st.data())
def test_many_are_as_one(folder: Path, rules: Rules, data: st.DataObject) -> None:
    seeds = data.draw(st.lists(st.integers(0, BUILT), max_size=40))
    indexes = [data.draw(st.integers(0, tier_size(rules.pits, n) - 1)) for n in seeds]
    boards = [board_at(rules.pits, n, index) for n, index in zip(seeds, indexes, strict=True)]
    kind = data.draw(st.sampled_from([np.int8, np.uint8, np.int32, np.int64]))
    array = np.array(boards, kind).reshape(-1, 2 * rules.pits)
    with open_tables(folder, rules) as tables:
        for quantity in ("value", "lower", "upper", "distance"):
            if quantity in ("lower", "upper") and not rules.has_bounds and boards:
                with pytest.raises(AbapaError, match=f"holds value, distance, not {quantity}"):
                    tables.probe_many(array, quantity)
                continue
            if boards or rules.has_bounds:
                many = tables.probe_many(array, quantity)
                assert many.dtype == (np.uint16 if quantity == "distance" else np.int8)
                assert many.tolist() == [getattr(tables.probe(board), quantity) for board in boards]


def test_many_at_the_edges(folder: Path) -> None:
    above, stored, over = (1,) * 12, (0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 1), (0,) * 6 + (8,) * 6
    with open_tables(folder, AWARI) as tables:
        with pytest.raises(MissingTierError, match="12 seeds"):
            tables.probe_many([stored, above])
        value = tables.probe(stored).value
        assert tables.probe_many([stored, above, over], default=-100).tolist() == [value, -100, -48]
        for wrong, text in [
            (np.zeros((2, 11), np.int8), r"shape \(2, 11\)"),
            (np.zeros(12, np.int8), r"shape \(12,\)"),
            (np.zeros((2, 12)), "float64"),
            (np.array([[0] * 12, [0, -1, *[0] * 10]], np.int8), "board 1 has a negative"),
            (np.array([[0] * 12, [0, -1, *[0] * 10]]), "board 1 has a house outside 0..127"),
            (np.array([[200, *[0] * 11]]), "board 0 has a house outside 0..127"),
        ]:
            with pytest.raises(PositionError, match=text):
                tables.probe_many(wrong)
        with pytest.raises(AbapaError, match="unknown quantity 'margin'"):
            tables.probe_many([stored], "margin")


# -- lines ------------------------------------------------------------------------------------------------------------


def play(tables: Tables, board: tuple[int, ...], line: Line) -> None:
    """Play a line through the reference: every move legal, best, and worth what it says; then why it stops."""
    pits, seen = tables.rules.pits, [board]
    for step in line.moves:
        move = next(move for move in Position(board, rules=tables.rules).playable if move.house == step.house)
        after = move.board[pits:] + move.board[:pits]
        assert (step.captured, step.board) == (move.captured, after)
        assert step.value == tables.probe(board).value == step.captured - tables.probe(after).value
        board = after
        seen = [board] if step.captured else [*seen, board]
    if line.end == "over":
        assert not Position(board, rules=tables.rules).playable
    if line.end == "endless":
        assert tables.probe(board).value == 0 and board in seen[-3::-2]


@settings(max_examples=200)
@given(st.sampled_from(SMALL), st.integers(0, BUILT), st.data())
def test_lines_are_best_play_that_gets_somewhere(folder: Path, rules: Rules, n: int, data: st.DataObject) -> None:
    board = board_at(rules.pits, n, data.draw(st.integers(0, tier_size(rules.pits, n) - 1)))
    with open_tables(folder, rules) as tables:
        probe, line = tables.probe(board), tables.line(board)
        play(tables, board, line)
        assert line.end != "limit"
        captures = [ply for ply, step in enumerate(line.moves, 1) if step.captured]
        if probe.value:
            assert probe.distance == min([*captures, len(line.moves)])
        shorter = tables.line(board, limit=2)
        assert shorter.moves == line.moves[:2]
        assert shorter.end == line.end or (shorter.end == "limit" and len(line.moves) >= 2)


@settings(max_examples=60)
@given(st.integers(1, BUILT), st.data())
def test_lines_without_distances_get_somewhere_too(folder: Path, n: int, data: st.DataObject) -> None:
    board = board_at(6, n, data.draw(st.integers(0, tier_size(6, n) - 1)))
    with open_tables(folder, AWARI) as tables:
        assume(tables.probe(board).value)
        line = tables.line(board)
        assert all(step.distance is None for step in line.moves)
        play(tables, board, line)
        first = next((ply for ply, step in enumerate(line.moves) if step.captured), len(line.moves))
        boards = [board, *(step.board for step in line.moves[:first])]
        assert line.end != "limit" and len(set(boards)) == len(boards)
