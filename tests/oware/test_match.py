"""Match formats: when they end and who wins."""

from __future__ import annotations

import pytest

from solver.errors import AbapaError
from solver.oware.match import FORMATS, Match


@pytest.mark.parametrize(
    ("name", "results", "winner"),
    [
        ("single", "", None),
        ("single", "=", 0),
        ("single", "-", -1),
        ("antigua", "++", None),
        ("antigua", "+++", 1),
        ("antigua", "+-+-+-+-+", None),
        ("antigua", "+-+-+-+-+-+", 1),
        ("antigua", "-=-+=--", -1),
        ("best-of-3", "+", None),
        ("best-of-3", "++", 1),
        ("best-of-3", "+-", None),
        ("best-of-3", "+-=", 0),
        ("best-of-3", "==-", -1),
        ("best-of-3", "+=", None),
        ("best-of-5", "---", -1),
        ("best-of-5", "++=", None),
        ("best-of-5", "++==", 1),
        ("best-of-5", "+--+=", 0),
        ("yoruba", "++-++", None),
        ("yoruba", "++=+", None),
        ("yoruba", "-+---", -1),
        ("yoruba", "===", None),
        ("kumasi", "+++=+", None),
        ("kumasi", "----++++-", -1),
    ],
)
def test_when_a_match_is_over(name: str, results: str, winner: int | None) -> None:
    match = Match.start(name)
    for result in results:
        match = match.record({"+": 1, "=": 0, "-": -1}[result])
    assert match.winner == winner
    assert match.over == (winner is not None)
    assert sum(match.score) == len(results)


def test_a_finished_match_takes_no_more_games() -> None:
    with pytest.raises(AbapaError, match="over"):
        Match.start("single").record(0).record(1)
    with pytest.raises(AbapaError, match="accepted are 1"):
        Match.start("kumasi").record(2)


def test_unknown_formats_are_named() -> None:
    with pytest.raises(AbapaError, match="unknown match format 'chess': accepted are single, antigua"):
        Match.start("chess")
    assert all(name == format_.name and format_.text for name, format_ in FORMATS.items())
