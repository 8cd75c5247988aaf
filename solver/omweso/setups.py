"""Arrangements of the seeds before the first turn: named ones, those that rules fix, and the check of a player's own.

What a set-up is worth is left to the search (``abapa omweso setup``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from solver.errors import PositionError, quoted
from solver.omweso.position import OmwesoPosition, Side, parse_side
from solver.omweso.rules import MAX_SEEDS, OmwesoRules, Setup
from solver.rule_ids import want_rules

CLASSIC: dict[str, Side] = {
    "outer-four": (4,) * 8 + (0,) * 8,
    "all-two": (2,) * 16,
    "seventeen-six-threes": (0, 6, 0, 0, 0, 0, 0, 17, 0, 3, 0, 3, 0, 3, 0, 0),
    "seventeen-five-threes": (0, 0, 0, 0, 0, 0, 0, 17, 0, 3, 3, 3, 3, 3, 0, 0),
}
"""Named set-ups of 32 seeds on eight columns. Sources: Braunholtz 1931; Mweiso and Choro; Murray 1951, p. 217; the
winner of McGill's COMP 424 tournament, 2015."""


def seeds_a_side(rules: OmwesoRules) -> int:
    """Seeds that each player arranges unless told otherwise: four a column, 32 on eight columns."""
    return 4 * rules.columns


def named_setups(rules: OmwesoRules) -> dict[str, Side]:
    """The named set-ups that fit a board: all four on eight columns, the two even ones on any."""
    want_rules(rules, OmwesoRules)
    if rules.columns == 8:
        return dict(CLASSIC)
    columns = rules.columns
    return {"outer-four": (4,) * columns + (0,) * columns, "all-two": (2,) * (2 * columns)}


def admitted_setups(rules: OmwesoRules) -> dict[str, Side]:
    """The named set-ups that a player may choose under a rule set: those within its cap of seeds in a pit."""
    cap = rules.pit_cap
    return {name: side for name, side in named_setups(rules).items() if cap is None or max(side) <= cap}


def fixed_setup(rules: OmwesoRules) -> Side | None:
    """The set-up that the rules fix for both players, or None where they arrange their seeds."""
    return named_setups(rules)[rules.setup.value] if rules.setup in (Setup.OUTER_FOUR, Setup.ALL_TWO) else None


def check_setup(counts: Sequence[int], rules: OmwesoRules, seeds: int | None = None) -> Side:
    """The counts of one player's 2c pits as a set-up. Raises :class:`~solver.errors.PositionError`.

    ``seeds``: how many must be placed, four a column unless given. The rules' ``pit_cap`` and a fixed set-up hold.
    """
    want_rules(rules, OmwesoRules)
    side, wanted = tuple(counts), seeds_a_side(rules) if seeds is None else seeds
    if not 0 < 2 * wanted <= MAX_SEEDS:
        raise PositionError(f"{wanted} seeds a side: accepted are 1 to {MAX_SEEDS // 2}")
    if len(side) != rules.pits:
        raise PositionError(f"set-up of {len(side)} pits: a side of {rules.columns} columns has {rules.pits}")
    if min(side) < 0:
        raise PositionError("set-up with a negative count: counts are 0 or more")
    if sum(side) != wanted:
        raise PositionError(f"set-up of {sum(side)} seeds: each player places {wanted}")
    if rules.pit_cap is not None and max(side) > rules.pit_cap:
        raise PositionError(f"set-up with {max(side)} seeds in a pit: these rules admit up to {rules.pit_cap}")
    fixed = fixed_setup(rules)
    if fixed is not None and side != fixed:
        raise PositionError(f"these rules fix the set-up: {','.join(map(str, fixed))}")
    return side


def parse_setup(text: str, rules: OmwesoRules, seeds: int | None = None) -> Side:
    """A set-up by its name or its counts, checked. Raises :class:`~solver.errors.PositionError`."""
    named = named_setups(rules)
    if text in named:
        return check_setup(named[text], rules, seeds)
    if text[:1].isalpha():
        raise PositionError(f"unknown set-up {quoted(text)}: accepted are {', '.join(named)} and {rules.pits} counts")
    return check_setup(parse_side(text, rules), rules, seeds)


def parse_position(text: str, rules: OmwesoRules, *, first_turn: bool = False, fresh: bool = False) -> OmwesoPosition:
    """A position from counts (mover ``/`` opponent), or the first position of a game from named set-ups.

    ``outer-four`` gives both players that set-up, ``all-two/seventeen-five-threes`` one each, the first player's
    first. ``first_turn``: the turn is the mover's first; ``fresh``: nobody has captured yet (follows from
    ``first_turn``). Raises :class:`~solver.errors.PositionError`.
    """
    if text.strip()[:1].isalpha():
        south, _, north = text.partition("/")
        first = parse_setup(south.strip(), rules)
        return OmwesoPosition.start(first, parse_setup(north.strip(), rules) if north else first, rules)
    position = OmwesoPosition.parse(text, rules)
    return replace(position, first_turns=(first_turn, False), fresh=first_turn or fresh)
