"""A rule set given as text, or of the other game: every public door names what is accepted."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest

from solver.errors import RulesError
from solver.omweso import setups
from solver.omweso.game import OmwesoGame
from solver.omweso.kernels import OmwesoGenerator
from solver.omweso.match import Match
from solver.omweso.position import OmwesoPosition
from solver.omweso.rules import TOURNAMENT
from solver.oware.game import OwareGame
from solver.oware.openspiel import load_game
from solver.oware.position import Position
from solver.oware.rules import AWARI
from solver.oware.uci import Engine

OWARE: list[Callable[..., object]] = [
    Position.start,
    lambda rules: Position.parse("4-4-4-4-4-4-4-4-4-4-4-4-0-0-S", rules),
    lambda rules: Position((4,) * 12, rules=rules),
    OwareGame,
    load_game,
    lambda rules: Engine(rules, lambda *_: pytest.fail("opened"), io.StringIO()),
]
OMWESO: list[Callable[..., object]] = [
    lambda rules: OmwesoPosition.start((2,) * 16, (2,) * 16, rules),
    lambda rules: OmwesoPosition.parse(f"{'2,' * 15}2/{'2,' * 15}2", rules),
    OmwesoGame,
    OmwesoGenerator,
    Match,
    setups.named_setups,
    lambda rules: setups.parse_setup("all-two", rules),
    lambda rules: setups.check_setup((2,) * 16, rules),
]


@pytest.mark.parametrize("wrong", ["awari", None, TOURNAMENT])
def test_what_is_no_rule_set_of_oware_is_refused(wrong: object) -> None:
    for door in OWARE:
        with pytest.raises(RulesError, match=r"is no rule set here: accepted is what Rules\.parse\(\.\.\.\) returns"):
            door(wrong)


@pytest.mark.parametrize("wrong", ["tournament", None, AWARI])
def test_what_is_no_rule_set_of_omweso_is_refused(wrong: object) -> None:
    for door in OMWESO:
        with pytest.raises(RulesError, match=r"is no rule set here: accepted is what OmwesoRules\.parse"):
            door(wrong)
