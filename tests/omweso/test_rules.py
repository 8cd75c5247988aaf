"""Omweso rule sets: ids are stable, unique and read back; anything else is refused with the accepted forms."""

from __future__ import annotations

import pytest
from hypothesis import given

from solver.errors import RulesError
from solver.omweso.rules import COMP424, TOURNAMENT, OmwesoRules, Reverse
from tests.omweso.strategies import rule_sets


@given(rule_sets)
def test_the_id_reads_back(rules: OmwesoRules) -> None:
    assert OmwesoRules.parse(rules.id) == rules


@given(rule_sets, rule_sets)
def test_different_rules_have_different_ids(one: OmwesoRules, other: OmwesoRules) -> None:
    assert (one.id == other.id) == (one == other)


def test_the_ids_people_use() -> None:
    assert TOURNAMENT.id == "tournament"
    assert COMP424.id == "comp424"
    assert OmwesoRules.parse("tournament+reverse=off").id == "tournament+reverse=off"
    assert OmwesoRules.parse("comp424+lap-cap=none").id == "comp424+lap-cap=none"
    assert OmwesoRules.parse("tournament", columns=4).id == "tournament+columns=4"
    assert OmwesoRules.parse("tournament+reverse-fwd-reentry=on+decline-capture=on").decline_capture


def test_the_pits_of_clockwise_laps() -> None:
    pits = {reverse: set(OmwesoRules(reverse=reverse).reverse_pits) for reverse in Reverse}
    assert pits == {
        Reverse.LEFTMOST: {0, 1, 14, 15},
        Reverse.OFF: set(),
        Reverse.RWANDA: {0, 7, 9, 14},
        Reverse.MWEISO: {0, 14},
    }


@pytest.mark.parametrize(
    "text",
    ["", "abapa", "tournament+", "tournament+reverse", "tournament+reverse=left", "tournament+columns=1",
     "tournament+columns=9", "tournament+columns=x", "tournament+lap-cap=0", "tournament+lap_cap=5", "Tournament",
     "tournament+okukoneeza=yes", "tournament+pits=8", "tournament+endless=void+endless=void"],
)  # fmt: skip
def test_other_texts_are_refused_in_one_line(text: str) -> None:
    with pytest.raises(RulesError) as error:
        OmwesoRules.parse(text)
    assert "\n" not in str(error.value)
    assert "accepted are" in str(error.value) or "2 to 8 columns" in str(error.value)


def test_an_id_and_a_call_that_disagree() -> None:
    with pytest.raises(RulesError, match="4 columns"):
        OmwesoRules.parse("tournament+columns=4", columns=5)
