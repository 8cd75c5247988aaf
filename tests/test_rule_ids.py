"""Rule ids, whatever the game: a preset, then fields, each once."""

from __future__ import annotations

import pytest

from solver.errors import RulesError
from solver.rule_ids import split_id

ACCEPTED = "plain or fancy, then any of +size=N, +wild=yes|no"


def split(text: str) -> tuple[str, list[tuple[str, str]]]:
    preset, fields = split_id(text, "toy rule set", ("plain", "fancy"), ("size", "wild"), ACCEPTED)
    return preset, list(fields)


def test_a_preset_and_its_fields_in_their_order() -> None:
    assert split("plain") == ("plain", [])
    assert split(" fancy+wild=no+size=3 ") == ("fancy", [("wild", "no"), ("size", "3")])
    assert split("plain+size=") == ("plain", [("size", "")])  # what a value means is the game's affair
    assert split("plain+size=a=b") == ("plain", [("size", "a=b")])


def test_an_unknown_preset_is_refused_at_once() -> None:
    with pytest.raises(RulesError) as error:
        split_id("Plain+size=3", "toy rule set", ("plain", "fancy"), ("size", "wild"), ACCEPTED)
    assert str(error.value) == f"unknown toy rule set 'Plain+size=3': accepted are {ACCEPTED}"


@pytest.mark.parametrize("field", ["", "size", "Size=3", "colour=red", "wild=no"])
def test_an_unknown_or_repeated_field_is_refused_when_its_turn_comes(field: str) -> None:
    text = f"plain+wild=yes+{field}"
    preset, fields = split_id(text, "toy rule set", ("plain", "fancy"), ("size", "wild"), ACCEPTED)
    assert (preset, next(fields)) == ("plain", ("wild", "yes"))
    with pytest.raises(RulesError) as error:
        next(fields)
    assert str(error.value) == f"unknown or repeated field {field!r} in toy rule set {text!r}: accepted are {ACCEPTED}"
