"""Kinds of mistakes: verdicts that change, and seeds lost; estimates are not so sure of a verdict."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from solver.oware.analysis import MoveNote

scores = st.integers(-48, 48)


def judged(score: int, best: int, exact: bool = True, best_exact: bool = True) -> str | None:
    return MoveNote(0, 0, "A", score, exact, "B", best, best_exact).mistake


def test_kinds_of_mistakes() -> None:
    assert judged(4, 4) is None and judged(-4, -4) is None
    assert judged(3, 4) == "inaccuracy" and judged(-3, -1) == "inaccuracy"
    assert judged(4, 8) == "mistake" and judged(-9, -4) == "mistake"
    assert judged(0, 1) == "blunder" and judged(-1, 1) == "blunder" and judged(-1, 0) == "blunder"


def test_an_estimate_near_a_draw_is_no_verdict() -> None:
    assert judged(-1, 1, exact=False) == judged(-1, 1, best_exact=False) == "inaccuracy"
    assert judged(-2, 2, False, False) == "blunder"


@given(scores, scores, st.booleans(), st.booleans())
def test_a_blunder_changes_the_verdict_and_no_other_kind_does_for_sure(
    score: int, best: int, exact: bool, best_exact: bool
) -> None:
    note = MoveNote(0, 0, "A", score, exact, "B", best, best_exact)
    changed = note.loss > 0 and note.verdict != note.best_verdict
    if exact and best_exact:
        assert (note.mistake == "blunder") == changed
    else:
        assert note.mistake != "blunder" or changed
    assert (note.mistake is None) == (note.loss <= 0)
