"""Fortresses against brute force on every small board, against tables on larger ones, and their graphs by hand."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.oware.game import OwareGame
from solver.oware.kernels import unpack_row
from solver.oware.position import Board, Position
from solver.oware.proof import settle
from solver.oware.rules import ABAPA, AWARI, Cycle, GrandSlam, Rules
from solver.search import fortress
from solver.search.fortress import BROKEN, HELD, OPEN, Graph, Question, new_graph, status_of
from solver.search.limits import Limits
from solver.search.searcher import Searcher
from tests.oware.brute_force import BruteTables, boards_of
from tests.oware.tabled_positions import positions, tables, truth

FEW = 7
SMALL = [
    Rules(grand_slam, cycle, pits)
    for pits in (1, 2, 3)
    for grand_slam in (GrandSlam.FORFEIT, GrandSlam.FORBIDDEN, GrandSlam.CAPTURE)
    for cycle in Cycle
]


@cache
def brute(rules: Rules) -> BruteTables:
    return BruteTables(rules, FEW)


def bounds(position: Position) -> tuple[int, int]:
    """What the mover can force and be held to, by brute force."""
    board = position.canonical
    if position.rules.cycle is Cycle.EVEN:
        return brute(position.rules).value[board], brute(position.rules).value[board]
    return brute(position.rules).lower(board), brute(position.rules).upper(board)


def settled(
    searcher: Searcher[Position],
    position: Position,
    question: Question,
    *,
    depth: int = 4,
    room: int = 128,
) -> tuple[Graph, int]:
    """Settle one question from an empty graph: the graph and the question's node."""
    graph = new_graph(room, position.rules.cycle is Cycle.EVEN)
    with searcher.session(position, Limits()) as session:
        root = session.run(fortress.ask, graph, question)
        graph, ended = settle(session, graph, root, depth)
    assert ended == fortress.RESOLVED
    return graph, root


def questions(low: int, high: int, even: bool, seeds: int) -> list[tuple[Question, bool]]:
    """Every question about a board worth low..high, and whether it is held."""
    found = []
    for margin in range(-seeds, 1 if even else seeds + 1):
        found.append((Question(True, margin), high >= margin))
        found.append((Question(False, margin), -low >= margin))
    return found


@pytest.mark.parametrize("rules", SMALL, ids=str)
@pytest.mark.parametrize("hash_mib", [0, 1])
def test_every_question_of_small_boards(rules: Rules, hash_mib: int) -> None:
    """Where it can be asked of the holder (margins up to 0 under even), the answer is brute force's."""
    random = np.random.default_rng(rules.pits)
    boards = [board for seeds in range(1, FEW + 1) for board in boards_of(2 * rules.pits, seeds)]
    searcher = Searcher(OwareGame(rules), hash_mib=hash_mib)
    asked = 0
    for index in random.permutation(len(boards))[:25]:
        position = Position(boards[index], rules=rules)
        if not position.legal_moves():
            continue
        low, high = bounds(position)
        for question, held in questions(low, high, rules.cycle is Cycle.EVEN, position.seeds):
            graph, root = settled(searcher, position, question, depth=int(random.integers(1, 6)))
            assert status_of(graph, root) == (HELD if held else BROKEN), (position.text, question)
            asked += 1
    assert asked > 50


@pytest.mark.parametrize("rules", [AWARI, ABAPA], ids=str)
@pytest.mark.parametrize("fewer", [1, 3])
def test_questions_of_larger_boards_with_tables_below(rules: Rules, fewer: int) -> None:
    """The margins next to the table's, where a fortress is hard to find or to break."""
    for position in positions(rules, 12, 100 + fewer):
        if position.seeds > 10 + (fewer == 1):
            continue
        searcher = Searcher(OwareGame(rules, {n: tables(rules)[n] for n in range(position.seeds - fewer + 1)}))
        low, high = truth(position)
        near = {low, low + 1, high, high + 1, 0}
        for question, held in questions(low, high, rules.cycle is Cycle.EVEN, position.seeds):
            if (question if question.holder_moves else question.contrary()).margin in near:
                graph, root = settled(searcher, position, question, depth=14, room=1024)
                assert status_of(graph, root) == (HELD if held else BROKEN), (position.text, question)


# -- a graph looked at from the rules alone ---------------------------------------------------------------------------


@st.composite
def small_questions(draw: st.DrawFn) -> tuple[Position, Question]:
    """A board of 2 or 3 houses a side with moves, and a question about it."""
    rules = draw(st.sampled_from([rules for rules in SMALL if rules.pits > 1]))
    seeds = draw(st.integers(1, FEW))
    board = draw(st.sampled_from(list(boards_of(2 * rules.pits, seeds))))
    margin = draw(st.integers(-seeds, 0 if rules.cycle is Cycle.EVEN else seeds))
    return Position(board, rules=rules), Question(draw(st.booleans()), margin)


@given(small_questions())
def test_what_is_held_is_a_closed_set_by_the_rules(asked: tuple[Position, Question]) -> None:
    """Read the graph with the readable rules: a held node has a held way on, a broken one no way out.

    Without a transposition table, and with no ply looked ahead, everything the answer rests on is in the graph, in ends
    of games and in the seeds left on the board.
    """
    position, question = asked
    if not position.legal_moves():
        return
    graph, root = settled(Searcher(OwareGame(position.rules), hash_mib=0), position, question, depth=0)
    known = {_asked(graph, node, position.rules): status_of(graph, node) for node in range(_nodes(graph))}
    assert known[(position.canonical, question)] == status_of(graph, root) != OPEN
    for (board, of_board), status in known.items():
        if status != OPEN:
            answers = [
                _answer(child, below, contrary, known, position.rules)
                for child, below, contrary in _children(board, of_board, position.rules)
            ]
            own = _answer(board, of_board, False, {}, position.rules)
            if own is not None:
                assert own == status
            elif (status == HELD) == of_board.holder_moves:  # the holder's move that holds, the attacker's that breaks
                assert status in answers
            else:
                assert set(answers) == {status}


Asked = tuple[Board, Question]


def _nodes(graph: Graph) -> int:
    return int(graph.counters[fortress.NODES])


def _asked(graph: Graph, node: int, rules: Rules) -> Asked:
    board = unpack_row(int(graph.states[node, 0]), rules.pits) + unpack_row(int(graph.states[node, 1]), rules.pits)
    return board, Question(bool(graph.flags[node] & 8), int(graph.margins[node]))


def _children(board: Board, question: Question, rules: Rules) -> list[tuple[Board, Question, bool]]:
    """What the moves ask of their boards, and whether it is the contrary: as the kernel, written anew on purpose."""
    found = []
    for move in Position(board, rules=rules).playable:
        child = move.board[rules.pits :] + move.board[: rules.pits]
        after = question.margin + move.captured * (-1 if question.holder_moves else 1)
        if rules.cycle is Cycle.EVEN and after > 0:
            found.append((child, Question(False, 1 - after), True))
        else:
            found.append((child, Question(not question.holder_moves, after), False))
    return found


def _answer(board: Board, question: Question, contrary: bool, known: dict[Asked, int], rules: Rules) -> int | None:
    """The status of a child as its parent sees it, by the seeds left, by the end of the game or by the graph."""
    status = known.get((board, question))
    if question.margin <= -sum(board):
        status = HELD
    elif question.margin > sum(board):
        status = BROKEN
    elif status is None and not (position := Position(board, rules=rules)).playable:
        result = position.result()
        assert result is not None
        kept = (result[0] - result[1]) * (1 if question.holder_moves else -1)
        status = HELD if kept >= question.margin else BROKEN
    if status is None or status == OPEN or not contrary:
        return status
    return HELD + BROKEN - status


@given(st.integers(-9, 9), st.booleans())
def test_exchanging_the_roles_twice_changes_nothing(margin: int, holder_moves: bool) -> None:
    question = Question(holder_moves, margin)
    assert question.contrary().contrary() == question != question.contrary()


@pytest.mark.parametrize("rules", SMALL, ids=str)
def test_the_question_of_what_the_mover_can_force(rules: Rules) -> None:
    """Asked of the side that endless play suits, and answered by brute force's value, or its lower bound."""
    random = np.random.default_rng(rules.pits)
    boards = list(boards_of(2 * rules.pits, FEW))
    for index in random.permutation(len(boards))[:5]:
        position = Position(boards[index], rules=rules)
        if not position.legal_moves():
            continue
        low, _ = bounds(position)
        for margin in {low, low + 1, 0, 1}:
            question = Question.of_mover(margin, rules.cycle is Cycle.EVEN)
            graph, root = settled(Searcher(OwareGame(rules), hash_mib=1), position, question)
            assert (status_of(graph, root) == HELD) == ((low >= margin) == question.holder_moves), position.text


def test_win_only_far_from_a_majority_is_forfeit() -> None:
    forfeit, win_only = AWARI, Rules(GrandSlam.WIN_ONLY, Cycle.EVEN)
    forfeit = replace(forfeit, grand_slam=GrandSlam.FORFEIT)
    board = (0, 1, 0, 2, 0, 0, 1, 0, 0, 2, 0, 0)
    for holder_moves in (True, False):
        for margin in range(-6, 1):
            statuses = set()
            for rules, stores in ((forfeit, (0, 0)), (win_only, (11, 11))):
                position = Position(board, stores, rules=rules)
                graph, root = settled(Searcher(OwareGame(rules), hash_mib=1), position, Question(holder_moves, margin))
                statuses.add(status_of(graph, root))
            assert len(statuses) == 1
