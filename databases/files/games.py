"""Which games have tables: one entry per game, and what files ask of its rule set.

A table says in its attribute ``game`` which class reads its rule id. Nothing else in :mod:`databases.files` knows a
game; what the rules do is left to :mod:`solver`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Protocol, Self

from solver.omweso.rules import OmwesoRules
from solver.oware.rules import Rules
from solver.rule_ids import want_rules


class TableRules(Protocol):
    """A rule set that tables can be of: immutable, equal to another one where :attr:`id` is."""

    game: ClassVar[str]
    """The attribute ``game`` of its files."""
    meanings: ClassVar[Mapping[str, str]]
    """What the numbers of each quantity are, in words; the quantities that its tables may hold."""

    @property
    def id(self) -> str:
        """The stable text that names it; file names begin with it."""
        ...

    @property
    def pits(self) -> int:
        """Houses a player owns."""
        ...

    @classmethod
    def parse(cls, text: str, /) -> Self:
        """Read an :attr:`id`. Raises :class:`~solver.errors.RulesError`."""
        ...

    def stated(self) -> dict[str, str | int]:
        """The attributes by which a file says whose it is: :attr:`game`, ``rules`` (the id), and its fields."""
        ...


GAMES: dict[str, type[TableRules]] = {kind.game: kind for kind in (Rules, OmwesoRules)}
"""The attribute ``game`` -> the class of its rules."""


def want_table_rules(rules: object) -> None:
    """Refuse what is no rule set of a game with tables. Raises :class:`~solver.errors.RulesError`."""
    want_rules(rules, *GAMES.values())
