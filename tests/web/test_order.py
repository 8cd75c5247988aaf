"""The order of moves: the one function that decides it."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from databases.prober import MoveValue, best_first
from solver.web.oware.order import by_outcome, outcome_of


@dataclass(frozen=True)
class Bounded:
    """A move with its final margin's bounds."""

    value: MoveValue
    least: int
    most: int


def moved(house: int, value: int, least: int, most: int, distance: int | None = None) -> Bounded:
    return Bounded(MoveValue(house, 0, (), value, least, most, distance), least, most)


def in_order(*moves: Bounded) -> list[Bounded]:
    best = sorted(moves, key=lambda move: best_first(move.value))
    return by_outcome([(outcome_of(move.least, move.most), move) for move in best])


def ordered(*moves: Bounded) -> list[int]:
    return [move.value.house for move in in_order(*moves)]


def test_outcomes() -> None:
    assert [outcome_of(1, 9), outcome_of(-9, -1), outcome_of(0, 0), outcome_of(-1, 1)] == [
        "win",
        "loss",
        "draw",
        "open",
    ]
    assert [outcome_of(0, 4), outcome_of(-4, 0)] == ["open", "open"]


def test_wins_come_first_and_losses_last_whatever_their_value() -> None:
    assert ordered(moved(0, -2, -2, -2), moved(1, 0, 0, 0), moved(2, 8, -1, 9), moved(3, 2, 1, 3)) == [3, 2, 1, 0]


def test_between_a_draw_and_an_open_move_the_better_goes_first() -> None:
    assert ordered(moved(0, 0, 0, 0), moved(1, 2, -4, 6)) == [1, 0]
    assert ordered(moved(0, -2, -4, 6), moved(1, 0, 0, 0)) == [1, 0]
    assert ordered(moved(0, 0, -4, 4), moved(1, 0, 0, 0)) == [1, 0]


def test_groups_stay_together() -> None:
    assert ordered(moved(0, 3, -9, 9), moved(1, 0, 0, 0), moved(2, -3, -9, 9)) == [0, 2, 1]


def test_ties_go_by_progress() -> None:
    assert ordered(moved(0, 4, 4, 4, 9), moved(1, 4, 4, 4, 3)) == [1, 0]
    assert ordered(moved(0, -4, -4, -4, 3), moved(1, -4, -4, -4, 9)) == [1, 0]


MOVES = st.lists(
    st.tuples(st.integers(-6, 6), st.integers(0, 4), st.integers(0, 4), st.none() | st.integers(0, 9)), max_size=8
)


@given(MOVES)
def test_every_group_is_whole_and_in_the_probers_order(numbers: list[tuple[int, int, int, int | None]]) -> None:
    moves = [moved(k, value, value - low, value + up, far) for k, (value, low, up, far) in enumerate(numbers)]
    found = in_order(*moves)
    assert sorted(found, key=lambda move: move.value.house) == moves
    outcomes = [outcome_of(move.least, move.most) for move in found]
    runs = [outcome for at, outcome in enumerate(outcomes) if not at or outcomes[at - 1] != outcome]
    assert len(runs) == len(set(runs))
    assert not {"win"} & set(runs[1:]) and not {"loss"} & set(runs[:-1])
    for outcome in runs:
        group = [best_first(move.value) for move in found if outcome_of(move.least, move.most) == outcome]
        assert group == sorted(group)
