"""OpenSpiel's oware beside ours, in random games: the same but for what the module's head names."""

from __future__ import annotations

import random
import re
from collections import Counter
from typing import Any

import pytest

from solver.errors import PositionError, RulesError
from solver.oware.openspiel import action_of, load_game, position_of, state_after
from solver.oware.position import Position
from solver.oware.rules import ABAPA, AWARI, Rules

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (extra openspiel)")


def shown(state: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Board and stores as OpenSpiel prints them."""
    text = str(state)
    rows = [[int(count) for count in line.split()] for line in text.splitlines() if re.fullmatch(r"[ \d]*\d", line)]
    rows = [row for row in rows if len(row) > 1]
    stores = tuple(int(re.findall(rf"Player {side} score = (\d+)", text)[0]) for side in (0, 1))
    return (*rows[1], *reversed(rows[0])), stores


@pytest.mark.parametrize(("pits", "per_pit"), [(6, 4), (6, 1), (4, 3)])
def test_random_games_are_the_same(pits: int, per_pit: int) -> None:
    rules, endings = Rules.parse("abapa", pits), Counter[str]()
    for seed in range(150):
        chance, state = random.Random(seed), load_game(rules, per_pit).new_initial_state()
        position = Position.start(rules, per_pit)
        while position.result() is None:
            assert not state.is_terminal() and state.current_player() == position.turn
            assert shown(state) == (position.board, position.stores)
            legal = [action + position.turn * pits for action in state.legal_actions()]
            assert legal == list(position.legal_moves())
            house = chance.choice(legal)
            state.apply_action(action_of(position.letter(house), position))
            position = position.play(house)
        again = position_of(state)
        assert state.is_terminal() and again == position and again.seen == position.seen
        south, north = position.result() or (0, 0)
        assert state.returns() == [(south > north) - (south < north), (north > south) - (north < south)]
        kept = position.row(0), position.row(1)
        if position.ending == "majority":  # the seeds left on the board: here they stay there
            south, north = south + sum(kept[0]), north + sum(kept[1])
        assert shown(state)[1] == (south, north)
        endings[str(position.ending)] += 1
    assert len(endings) >= 2


def test_letters_lead_to_states() -> None:
    state = state_after("FfE")
    assert position_of(state) == Position.start().play("F").play("f").play("E")
    with pytest.raises(PositionError, match="not legal"):
        state_after("a")


def test_other_rules_and_games_are_refused() -> None:
    with pytest.raises(RulesError, match="does not play awari"):
        load_game(AWARI)
    with pytest.raises(RulesError, match="tic_tac_toe"):
        position_of(pyspiel.load_game("tic_tac_toe").new_initial_state())
    assert load_game(ABAPA).get_parameters()
