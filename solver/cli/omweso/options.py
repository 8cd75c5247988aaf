"""Options that several Omweso commands share, defined once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from solver.cli.options import Whole
from solver.omweso.position import OmwesoPosition
from solver.omweso.rules import MAX_COLUMNS, MIN_COLUMNS, OmwesoRules
from solver.omweso.setups import parse_position


def rules_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """``--rules ID`` and ``--columns N``: the command takes both and calls :func:`read_rules`."""
    function = click.option(
        "--columns",
        type=Whole(MIN_COLUMNS, MAX_COLUMNS),
        help="Columns of the board, 8 unless the rule set says otherwise.",
    )(function)
    return click.option(
        "--rules",
        default="tournament",
        show_default=True,
        help="Rule set: tournament or comp424, fields overridden as in tournament+reverse=off+lap-cap=200.",
    )(function)


def history_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """``--first-turn`` and ``--no-capture-yet``: what a bare position does not tell of its game."""
    function = click.option(
        "--no-capture-yet",
        "fresh",
        is_flag=True,
        help="Nobody has captured yet in this game: okukoneeza may be played.",
    )(function)
    return click.option(
        "--first-turn",
        is_flag=True,
        help="The turn is the mover's first: it may not capture (implies --no-capture-yet).",
    )(function)


def read_rules(rules: str, columns: int | None) -> OmwesoRules:
    """The rule set of :func:`rules_options`. Raises :class:`~solver.errors.RulesError`."""
    return OmwesoRules.parse(rules, columns)


def read_position(
    text: str, rules: str, columns: int | None, first_turn: bool = False, fresh: bool = False
) -> OmwesoPosition:
    """The position of a command's argument and options. Raises PositionError or RulesError."""
    return parse_position(text, read_rules(rules, columns), first_turn=first_turn, fresh=fresh)
