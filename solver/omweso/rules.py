"""Omweso rule sets and their ids.

An :class:`OmwesoRules` says which game is played: where clockwise laps may start, what an endless turn does, how the
first turns are restricted, how large the board is. How points are scored over a match is left to
:mod:`solver.omweso.match`; how a turn is played to :mod:`solver.omweso.position` (the readable reference) and
:mod:`solver.omweso.kernels` (the compiled one).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any, ClassVar

from solver.errors import RulesError, quoted
from solver.numerals import read_whole
from solver.rule_ids import split_id

MIN_COLUMNS, MAX_COLUMNS = 2, 8
MAX_SEEDS = 127
"""Most seeds a board may hold: a pit is a byte in the kernels, compared by its top bit."""


class Reverse(StrEnum):
    """The pits where a clockwise lap may start (numbers for eight columns)."""

    LEFTMOST = "leftmost-2x2"
    """The four leftmost pits: outer 0 and 1, inner 14 and 15."""
    OFF = "off"
    """None: every lap runs counter-clockwise."""
    RWANDA = "rwanda"
    """0, 7, 9 and 14."""
    MWEISO = "mweiso"
    """0 and 14."""


class Endless(StrEnum):
    """What a turn whose sowing never ends does."""

    VOID = "void"
    """The game is void and replayed; a search counts it as a draw."""
    MOVER_LOSES = "mover-loses"
    """The player who started it loses."""
    ILLEGAL = "illegal"
    """It may not be played."""


class Repetition(StrEnum):
    """What a position that comes back, with the same player to move, does."""

    DRAW = "draw"
    """The game is drawn."""
    OFF = "off"
    """Nothing; ``round_cap`` bounds the game."""


class Setup(StrEnum):
    """How the seeds are arranged before the first turn."""

    FREE = "free"
    """Each player arranges their seeds; the first player first, the second sees it."""
    HIDDEN = "hidden"
    """Each player arranges their seeds unseen."""
    OUTER_FOUR = "outer-four"
    """Four in each outer pit."""
    ALL_TWO = "all-two"
    """Two in every pit."""


@dataclass(frozen=True, slots=True)
class OmwesoRules:
    """One Omweso rule set; immutable, hashable, with a stable text :attr:`id`.

    The defaults are the preset ``tournament``. ``columns`` is 2..8; ``lap_cap``, ``round_cap`` and ``pit_cap`` are
    counts of 1 or more, or None for no limit: a turn that has not ended after ``lap_cap`` laps counts as endless, a
    game is drawn after ``round_cap`` turns of each player, a set-up holds at most ``pit_cap`` seeds in a pit.
    Raises :class:`~solver.errors.RulesError` for anything else. Sources of every rule: docs/omweso.md.
    """

    game: ClassVar[str] = "omweso"
    """What a table file calls the game."""
    meanings: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "value": "1 where the player to move wins, -1 where they lose, 0 where neither can be forced",
            "distance": "plies to the end under best play; 0 where the game is over or the value is 0",
        }
    )
    """What the numbers of each quantity of a table are, in words that its file repeats."""

    reverse: Reverse = Reverse.LEFTMOST
    reverse_fwd_reentry: bool = False
    """Whether seeds captured by a forward lap may be re-sown clockwise, where its origin admits that."""
    decline_capture: bool = False
    """Whether a capture by a forward lap may be declined: the landing then relays."""
    first_turn_capture: bool = False
    okukoneeza: bool = True
    """Whether, before the first capture of the game, three seeds may be sown two and one, ending the turn."""
    endless: Endless = Endless.VOID
    lap_cap: int | None = None
    repetition: Repetition = Repetition.DRAW
    round_cap: int | None = None
    setup: Setup = Setup.FREE
    pit_cap: int | None = None
    columns: int = 8

    def __post_init__(self) -> None:
        if not MIN_COLUMNS <= self.columns <= MAX_COLUMNS:
            raise RulesError(f"columns={self.columns}: an Omweso board has {MIN_COLUMNS} to {MAX_COLUMNS} columns")
        for name in ("lap_cap", "round_cap", "pit_cap"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise RulesError(f"{_option(name)}={value}: accepted are none and counts of 1 or more")

    @classmethod
    def parse(cls, text: str, columns: int | None = None) -> OmwesoRules:
        """Read a rule id such as ``tournament``, ``comp424+lap-cap=none`` or ``tournament+reverse=off+columns=4``.

        ``columns``, where given, overrides the default of 8 and must not contradict the id.
        Raises :class:`~solver.errors.RulesError` with the accepted forms.
        """
        options = {_option(name): name for name in _READERS}
        preset, given = split_id(text, "Omweso rule set", PRESETS, options, ACCEPTED_IDS)
        changes: dict[str, Any] = {}
        for option, value in given:
            name = options[option]
            try:
                changes[name] = _READERS[name](value)
            except ValueError as error:
                field = f"{option}={value}"
                raise RulesError(
                    f"unknown value in field {quoted(field)} of Omweso rule set {quoted(text)}: accepted are "
                    f"{ACCEPTED_IDS}"
                ) from error
        if columns is not None and changes.setdefault("columns", columns) != columns:
            raise RulesError(
                f"Omweso rule set {quoted(text)} says {changes['columns']} columns, the call says {columns}: name one"
            )
        return replace(PRESETS[preset], **changes)

    @property
    def preset(self) -> str:
        """The preset that the id starts with: the one with the fewest fields to override."""
        return min(PRESETS, key=lambda name: len(self._differences(name)))

    @property
    def id(self) -> str:
        """The one stable text that names these rules; :meth:`parse` reads it back."""
        preset = self.preset
        return "+".join([preset, *(f"{_option(name)}={_text(name, self)}" for name in self._differences(preset))])

    @property
    def pits(self) -> int:
        """Pits a player owns: two rows of ``columns``."""
        return 2 * self.columns

    @property
    def reverse_pits(self) -> frozenset[int]:
        """The own pits where a clockwise lap may start."""
        last = self.pits - 1
        return {
            Reverse.LEFTMOST: frozenset((0, 1, last - 1, last)),
            Reverse.OFF: frozenset[int](),
            Reverse.RWANDA: frozenset((0, self.columns - 1, self.columns + 1, last - 1)),
            Reverse.MWEISO: frozenset((0, last - 1)),
        }[self.reverse]

    def stated(self) -> dict[str, str | int]:
        """What a table file says of its rules: game, id, and the size of the board in words of its own."""
        return {"game": self.game, "rules": self.id, "columns": self.columns, "pits": self.pits}

    def _differences(self, preset: str) -> list[str]:
        return [f.name for f in fields(self) if getattr(self, f.name) != getattr(PRESETS[preset], f.name)]

    def __str__(self) -> str:
        return self.id


def _option(name: str) -> str:
    """The id's spelling of a field."""
    return name.replace("_", "-")


def _read_switch(on: str, off: str) -> Any:
    def read(text: str) -> bool:
        if text not in (on, off):
            raise ValueError(text)
        return text == on

    return read


def _read_cap(text: str) -> int | None:
    return None if text == "none" else read_whole(text)


_SWITCHES = {
    "reverse_fwd_reentry": ("on", "off"),
    "decline_capture": ("on", "off"),
    "first_turn_capture": ("yes", "no"),
    "okukoneeza": ("on", "off"),
}
_READERS: dict[str, Any] = {
    "reverse": Reverse,
    **{name: _read_switch(*words) for name, words in _SWITCHES.items()},
    "endless": Endless,
    "lap_cap": _read_cap,
    "repetition": Repetition,
    "round_cap": _read_cap,
    "setup": Setup,
    "pit_cap": _read_cap,
    "columns": read_whole,
}


def _text(name: str, rules: OmwesoRules) -> str:
    value = getattr(rules, name)
    if name in _SWITCHES:
        on, off = _SWITCHES[name]
        return on if value else off
    return "none" if value is None else str(value)


TOURNAMENT = OmwesoRules()
COMP424 = OmwesoRules(
    reverse=Reverse.OFF,
    okukoneeza=False,
    lap_cap=200,
    repetition=Repetition.OFF,
    round_cap=5000,
    setup=Setup.HIDDEN,
)

PRESETS: dict[str, OmwesoRules] = {"tournament": TOURNAMENT, "comp424": COMP424}
"""The named rule sets, the default first. Sources: Ugandan tournament play; McGill's COMP 424 course, 2015."""

ACCEPTED_IDS = (
    "a preset (tournament, comp424), then any of "
    "+reverse=leftmost-2x2|off|rwanda|mweiso, +reverse-fwd-reentry=on|off, +decline-capture=on|off, "
    "+first-turn-capture=yes|no, +okukoneeza=on|off, +endless=void|mover-loses|illegal, +lap-cap=none|COUNT, "
    "+repetition=draw|off, +round-cap=none|COUNT, +setup=free|hidden|outer-four|all-two, +pit-cap=none|COUNT, "
    f"+columns={MIN_COLUMNS}..{MAX_COLUMNS}"
)
