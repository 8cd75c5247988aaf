"""Options that several Omweso commands share, defined once and handed in as objects: ``rules``, ``root``."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click

from solver.cli.options import Whole
from solver.omweso.rules import MAX_COLUMNS, MIN_COLUMNS, OmwesoRules
from solver.omweso.setups import parse_position


def rules_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--rules`` and ``--columns``: the command gets one ``rules``, an OmwesoRules."""

    @click.option("--rules", "rules_id", metavar="RULES", default="tournament", show_default=True,
                  help="Rule set: tournament or comp424. Fields can be changed, as in "
                  "tournament+reverse=off+lap-cap=200.")  # fmt: skip
    @click.option("--columns", type=Whole(MIN_COLUMNS, MAX_COLUMNS),
                  help="Columns of the board (default: 8, or as the rule set says).")  # fmt: skip
    @functools.wraps(command)
    def with_rules(*args: Any, rules_id: str, columns: int | None, **kwargs: Any) -> Any:
        return command(*args, rules=OmwesoRules.parse(rules_id, columns), **kwargs)

    return with_rules


def root_argument(command: Callable[..., Any]) -> Callable[..., Any]:
    """POSITION, its rules, and what a bare position does not tell of its game: the command gets one ``root``.

    That is a :class:`~solver.omweso.position.OmwesoPosition`, which knows its rules.
    """

    @click.argument("position")
    @rules_options
    @click.option("--first-turn", is_flag=True,
                  help="This turn is the mover's first and may not capture (implies --no-capture-yet).")  # fmt: skip
    @click.option("--no-capture-yet", "fresh", is_flag=True,
                  help="Nobody has captured in this game yet, so okukoneeza may be played.")  # fmt: skip
    @functools.wraps(command)
    def with_root(*args: Any, position: str, rules: OmwesoRules, first_turn: bool, fresh: bool, **kwargs: Any) -> Any:
        root = parse_position(position, rules, first_turn=first_turn, fresh=fresh)
        return command(*args, root=root, **kwargs)

    return with_root
