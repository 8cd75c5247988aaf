"""Between OpenSpiel's game ``oware`` and :class:`~solver.oware.position.Position`; needs the extra ``openspiel``.

OpenSpiel's rules are those of ``abapa`` but for the end of a game. Where they differ, found by playing both:

* After a majority OpenSpiel adds the seeds left on the board to the stores of the players on whose rows they lie; here
  they stay on the board. Who has won is the same.
* ``returns()`` are 1, 0 or -1 for a win, a draw or a loss, not a margin in seeds.

A state of OpenSpiel is a game: it can only be reached by moves from the start. So a position is found by playing the
moves of the state again, which also gives it the boards that have been seen, for the repetition rule.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import Any

from solver.errors import AbapaError, RulesError
from solver.oware.position import Position
from solver.oware.rules import ABAPA, MAX_PITS, Rules
from solver.rule_ids import want_rules

NAME = "oware"


def load_game(rules: Rules = ABAPA, per_pit: int = 4) -> Any:
    """OpenSpiel's game with as many houses as ``rules`` and ``per_pit`` seeds in each.

    Raises :class:`~solver.errors.RulesError` for rules that OpenSpiel does not play, and AbapaError where OpenSpiel is
    not installed.
    """
    want_rules(rules, Rules)
    if (rules.grand_slam, rules.cycle) != (ABAPA.grand_slam, ABAPA.cycle):
        raise RulesError(f"OpenSpiel does not play {rules.id}: accepted are abapa and abapa+pits=N")
    parameters = {"num_houses_per_player": rules.pits, "num_seeds_per_house": per_pit}
    return _pyspiel().load_game(NAME, parameters)


def start_of(game: Any) -> Position:
    """The start position of an OpenSpiel game. Raises RulesError for another game, or more houses than we play."""
    if game.get_type().short_name != NAME:
        raise RulesError(f"a game of OpenSpiel's {game.get_type().short_name}: accepted is {NAME}")
    parameters = game.get_parameters()
    pits, per_pit = parameters.get("num_houses_per_player", 6), parameters.get("num_seeds_per_house", 4)
    if not 1 <= pits <= MAX_PITS:
        raise RulesError(f"{pits} houses a side: accepted are 1 to {MAX_PITS}")
    return Position.start(Rules.parse(ABAPA.id, pits), per_pit)


def position_of(state: Any) -> Position:
    """The position of an OpenSpiel state, with the boards seen on the way. Raises as :func:`start_of`.

    Of a game that ended by a majority, the stores are those of our rules: see the head of this module.
    """
    position = start_of(state.get_game())
    for action in state.history():
        position = position.play(house_of(action, position))
    return position


def state_after(moves: Iterable[str], game: Any = None) -> Any:
    """The OpenSpiel state after ``moves`` (letters) from the start of ``game``, by default that of :func:`load_game`.

    Raises :class:`~solver.errors.PositionError` for a move that is not legal.
    """
    game = load_game() if game is None else game
    state, position = game.new_initial_state(), start_of(game)
    for letter in moves:
        house = position.house(letter)
        position = position.play(house)
        state.apply_action(house % position.rules.pits)
    return state


def house_of(action: int, position: Position) -> int:
    """The house (0..2m-1) that an OpenSpiel action of the player to move means."""
    return action + position.turn * position.rules.pits


def action_of(move: str, position: Position) -> int:
    """The OpenSpiel action of a move's letter. Raises :class:`~solver.errors.PositionError`."""
    return position.house(move) % position.rules.pits


def _pyspiel() -> Any:
    try:
        return importlib.import_module("pyspiel")  # an extra, and without type hints
    except ImportError as error:
        raise AbapaError("OpenSpiel is not installed: pip install 'abapa[openspiel]'") from error
