"""The compiled Oware move generator against the readable reference: every rule set, every size, big houses, perft."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from solver.errors import PositionError
from solver.oware import kernels as oware
from solver.oware.position import NORTH, Position
from solver.oware.rules import ABAPA, AWARI, GrandSlam, Rules
from tests.conformance import load
from tests.oware.strategies import games, rule_sets, table_rule_sets


@st.composite
def boards(draw: st.DrawFn, rules: st.SearchStrategy[Rules] = rule_sets, seeds: int = 255) -> Position:
    """Any board, sparse or full, with houses of several laps; any stores; either side to move."""
    chosen = draw(rules)
    left, board = draw(st.integers(0, seeds)), []
    for _ in range(2 * chosen.pits):
        house = min(left, draw(st.one_of(st.integers(0, 3), st.integers(0, 20), st.integers(0, seeds))))
        board.append(house)
        left -= house
    order = draw(st.permutations(board))
    stores = draw(st.tuples(st.integers(0, 60), st.integers(0, 60)))
    return Position(tuple(order), stores, draw(st.sampled_from([0, 1])), chosen)


def moves_of_the_kernel(position: Position) -> dict[int, tuple[int, tuple[int, ...]]]:
    """House (0..2m-1) -> captured and board after (South first), of every legal move, by the packed kernel."""
    pits, rules = position.rules.pits, position.rules
    table, slam = oware.sowing_table(pits), oware.SLAM_CODES[rules.grand_slam]
    own, opp = map(np.uint64, oware.pack(position))
    need, _ = oware.needs(position)
    moves = {}
    for house in range(pits):
        if oware.unpack_row(int(own), pits)[house]:
            legal, captured, mine, theirs = oware.play(table, slam, need, own, opp, np.uint64(house))
            if legal:
                rows = oware.unpack_row(mine, pits), oware.unpack_row(theirs, pits)
                board = rows[0] + rows[1] if position.turn == 0 else rows[1] + rows[0]
                moves[house + position.turn * pits] = (int(captured), board)
    return moves


def moves_of_the_reference(position: Position) -> dict[int, tuple[int, tuple[int, ...]]]:
    return {move.house: (move.captured, move.board) for move in position.playable}


@settings(max_examples=400)
@given(boards())
@example(Position((23, 0, 0, 0, 0, 0) + (0,) * 6))
@example(Position((0, 0, 35, 0, 0, 0) + (1,) * 6, (0, 0)))
@example(Position((0, 0, 1, 0, 0, 2, 1, 1, 0, 0, 0, 0), rules=AWARI))
@example(Position((255,) + (0,) * 15, rules=Rules(pits=8)))
@example(Position((255, 0), rules=Rules(GrandSlam.CAPTURE, pits=1)))
def test_moves_on_any_board(position: Position) -> None:
    assert moves_of_the_kernel(position) == moves_of_the_reference(position)


@given(games())
def test_moves_through_random_games(game: list[Position]) -> None:
    for position in game:
        assert moves_of_the_kernel(position) == moves_of_the_reference(position)


@given(boards())
def test_counting_moves_is_making_them(position: Position) -> None:
    own, opp = map(np.uint64, oware.pack(position))
    slam = oware.SLAM_CODES[position.rules.grand_slam]
    count = oware.count_moves(oware.sowing_table(position.rules.pits), slam, own, opp)
    assert count == len(position.playable)


@given(boards(seeds=60))
def test_what_is_left_when_no_move_is_legal(position: Position) -> None:
    if position.ending == "nomove":
        south, north = position.result() or (0, 0)
        margin = (south - position.stores[0] - north + position.stores[1]) * (1 - 2 * position.turn)
        own, opp = map(np.uint64, oware.pack(position))
        assert oware.final_margin(oware.SLAM_CODES[position.rules.grand_slam], own, opp) == margin


@given(boards(table_rule_sets, seeds=127))
def test_children_as_arrays(position: Position) -> None:
    houses, captured, boards = oware.children(position.rules, np.array(position.canonical, np.int8))
    assert houses.dtype == captured.dtype == boards.dtype == np.int8
    pits = position.rules.pits
    reference = sorted(moves_of_the_reference(position).items())
    assert [house % pits for house, _ in reference] == houses.tolist()
    assert [seeds for _, (seeds, _) in reference] == captured.tolist()
    after = [Position(board, turn=1 - position.turn, rules=position.rules).canonical for _, (_, board) in reference]
    assert after == [tuple(board) for board in boards.tolist()]


@given(boards())
def test_told_moves_tell_what_the_reference_does(position: Position) -> None:
    pits, first = position.rules.pits, position.turn * position.rules.pits
    told = oware.told_moves(position.rules, position.canonical, oware.needs(position)[0])
    assert [move.house + first for move in told] == [move.house for move in position.playable]
    for move, expected in zip(told, position.playable, strict=True):
        after = position.after(expected)
        assert (move.captured, move.slam, move.board) == (expected.captured, expected.slam, after.canonical)
        assert tuple((house + first) % (2 * pits) for house in move.taken) == expected.taken
        assert move.answered == bool(after.playable)


@given(boards())
def test_rows_pack_and_unpack(position: Position) -> None:
    pits = position.rules.pits
    own, opp = oware.pack(position)
    assert oware.unpack_row(own, pits) + oware.unpack_row(opp, pits) == position.canonical
    assert oware.row_seeds(np.uint64(own)) + oware.row_seeds(np.uint64(opp)) == position.seeds


def test_what_does_not_fit_is_refused_by_name() -> None:
    with pytest.raises(PositionError, match="256 seeds on the board"):
        oware.pack(Position((200, 56) + (0,) * 10))
    with pytest.raises(PositionError, match="12 counts"):
        oware.children(ABAPA, np.zeros(10, np.int8))
    with pytest.raises(PositionError, match="depend on the stores"):
        oware.children(Rules(GrandSlam.WIN_ONLY), np.ones(12, np.int8))


# -- perft ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", load("oware/perft.json")["positions"], ids=lambda case: case["name"])
@pytest.mark.parametrize("rules", [ABAPA, AWARI], ids=str)
@pytest.mark.parametrize("bulk", [True, False], ids=["bulk", "every leaf"])
def test_perft_of_the_conformance_positions(case: dict, rules: Rules, bulk: bool) -> None:
    position = Position.parse(case["position"], rules)
    deepest = len(case[rules.id]) if bulk else 9
    counts = case[rules.id][:deepest]
    assert [oware.perft(position, depth, bulk=bulk) for depth in range(1, len(counts) + 1)] == counts


def plain_perft(position: Position, depth: int) -> int:
    return 1 if depth == 0 else sum(plain_perft(position.play(move), depth - 1) for move in position.legal_moves())


@settings(max_examples=60)
@given(games(max_plies=30), st.integers(0, 4), st.booleans())
def test_perft_of_any_rule_set(game: list[Position], depth: int, bulk: bool) -> None:
    assert oware.perft(game[-1], depth, bulk=bulk) == plain_perft(game[-1], depth)


@pytest.mark.parametrize("pits", [1, 2])
@pytest.mark.parametrize("slam", list(GrandSlam))
def test_perft_knows_repetition(pits: int, slam: GrandSlam) -> None:
    """Small boards repeat within the depth: a board that came back has no children."""
    for board in [(4, 0), (5, 4), (1, 9)] if pits == 1 else [(1, 1, 0, 1), (0, 1, 0, 4), (6, 0, 5, 4)]:
        position = Position(board, rules=Rules(slam, pits=pits), turn=NORTH)
        for depth in range(9):
            assert oware.perft(position, depth) == plain_perft(position, depth), (board, depth)


def test_some_board_of_one_house_repeats() -> None:
    position = Position((4, 0), rules=Rules(pits=1))
    assert position.play("A").play("a").ending == "repetition"
    assert oware.perft(position, 2) == 1
    assert oware.perft(position, 3) == 0
