"""Rule sets: ids are stable, unique and read back; anything else is refused with the accepted forms."""

from __future__ import annotations

import pytest
from hypothesis import given

from solver.errors import RulesError
from solver.oware.rules import ABAPA, AWARI, Cycle, GrandSlam, Rules
from tests.oware.strategies import rule_sets


@given(rule_sets)
def test_the_id_reads_back(rules: Rules) -> None:
    assert Rules.parse(rules.id) == rules


def test_every_rule_set_has_an_id_of_its_own() -> None:
    everything = [Rules(slam, cycle, pits) for slam in GrandSlam for cycle in Cycle for pits in range(1, 9)]
    assert len({rules.id for rules in everything}) == len(everything)


def test_the_ids_people_use() -> None:
    assert ABAPA.id == "abapa"
    assert AWARI.id == "awari"
    assert Rules.parse("abapa+cycle=even").id == "abapa+cycle=even"
    assert Rules.parse("awari", pits=4).id == "awari+pits=4"
    assert Rules.parse("abapa+grand-slam=forbidden+cycle=even") == AWARI


@pytest.mark.parametrize(
    "text",
    ["", "chess", "awari+", "awari+pits", "awari+pits=0", "awari+pits=9", "awari+pits=x", "awari+slam=none",
     "awari+cycle=odd", "awari+cycle=even+cycle=even", "Awari",
     "awari+pits=\uff14", "awari+pits=\u0664", "awari+pits= 4", "awari+pits=0_4"],
)  # fmt: skip
def test_other_texts_are_refused_in_one_line(text: str) -> None:
    with pytest.raises(RulesError) as error:
        Rules.parse(text)
    assert "\n" not in str(error.value)
    assert "1..8" in str(error.value) or "1 to 8" in str(error.value)


def test_an_id_and_a_call_that_disagree() -> None:
    with pytest.raises(RulesError, match="4 houses"):
        Rules.parse("awari+pits=4", pits=5)
