"""Oware rule sets and their ids.

A :class:`Rules` says which game is played: what a grand slam does, what endless play is worth, how many houses a side
has. Tables, searches and games carry its id, so that two rule sets are never mixed silently. How a move is played is
left to :mod:`solver.oware.position` (the readable reference) and :mod:`solver.oware.kernels` (the compiled one).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import ClassVar

from solver.errors import RulesError, quoted
from solver.numerals import read_whole
from solver.rule_ids import split_id

MAX_PITS = 8


class GrandSlam(StrEnum):
    """What a capture that would take every seed of the opponent's row does."""

    __hash__ = str.__hash__  # enum's own runs in Python, and rules are keys wherever tables are asked

    FORFEIT = "forfeit"
    """The move is legal, nothing is captured, all seeds stay."""
    FORBIDDEN = "forbidden"
    """A move that leaves the opponent without seeds is illegal while any other exists; if every move does so, the mover
    gets all seeds on the board."""
    CAPTURE = "capture"
    """The move is legal and captures normally."""
    WIN_ONLY = "win-only"
    """Captures only if that gives the mover a majority at once; otherwise as ``forfeit``."""


class Cycle(StrEnum):
    """What a board that comes back with the same player to move, no capture in between, is worth."""

    __hash__ = str.__hash__  # as above

    OWN_ROW = "own-row"
    """Each player takes the seeds on their own row."""
    EVEN = "even"
    """The seeds left are split in halves: the margin from there is 0."""


PRESETS: dict[str, tuple[GrandSlam, Cycle]] = {
    "abapa": (GrandSlam.FORFEIT, Cycle.OWN_ROW),
    "awari": (GrandSlam.FORBIDDEN, Cycle.EVEN),
}
"""The named rule sets, the default first. Sources: tournament play (abapa); Romein and Bal 2002 (awari)."""

ACCEPTED_IDS = (
    "a preset (abapa, awari), then any of +grand-slam=forfeit|forbidden|capture|win-only, +cycle=own-row|even, "
    f"+pits=1..{MAX_PITS}"
)


@dataclass(frozen=True, slots=True)
class Rules:
    """One Oware rule set; immutable, hashable, with a stable text :attr:`id`.

    ``pits`` is the number of houses a side, 1..8. Raises :class:`~solver.errors.RulesError` for anything else.
    """

    game: ClassVar[str] = "oware"
    """What a table file calls the game."""
    meanings: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "value": "seeds the player to move will still win minus seeds the opponent will, under perfect play by "
            "both; endless play splits the seeds left evenly (0)",
            "lower": "margin that the player to move can force by play that ends, whatever boards repeat",
            "upper": "margin that the opponent can hold the player to move to by play that ends, whatever boards "
            "repeat",
            "distance": "plies to the capture or end that realises the value under best play; 0 where the game is "
            "over or the value is 0",
        }
    )
    """What the numbers of each quantity of a table are, in words that its file repeats."""

    grand_slam: GrandSlam = GrandSlam.FORFEIT
    cycle: Cycle = Cycle.OWN_ROW
    pits: int = 6

    def __post_init__(self) -> None:
        if not 1 <= self.pits <= MAX_PITS:
            raise RulesError(f"pits={self.pits}: a side has 1 to {MAX_PITS} houses")

    @classmethod
    def parse(cls, text: str, pits: int | None = None) -> Rules:
        """Read a rule id such as ``awari``, ``abapa+cycle=even`` or ``awari+pits=4``.

        ``pits``, where given, overrides the default of 6 and must not contradict the id.
        Raises :class:`~solver.errors.RulesError` with the accepted forms.
        """
        preset, fields = split_id(text, "rule set", PRESETS, ("grand-slam", "cycle", "pits"), ACCEPTED_IDS)
        given = dict(fields)
        grand_slam, cycle = PRESETS[preset]
        try:
            grand_slam = GrandSlam(given.get("grand-slam", grand_slam))
            cycle = Cycle(given.get("cycle", cycle))
            named_pits = read_whole(given["pits"]) if "pits" in given else None
        except ValueError as error:
            raise RulesError(f"unknown value in rule set {quoted(text)}: accepted are {ACCEPTED_IDS}") from error
        if pits is not None and named_pits is not None and pits != named_pits:
            raise RulesError(f"rule set {quoted(text)} says {named_pits} houses a side, the call says {pits}")
        chosen = next((given for given in (named_pits, pits) if given is not None), 6)
        return cls(grand_slam, cycle, chosen)

    @property
    def preset(self) -> str:
        """The preset that the id starts with: the one with the fewest fields to override."""
        return min(PRESETS, key=lambda name: sum(x != y for x, y in zip(PRESETS[name], self._fields(), strict=True)))

    @property
    def id(self) -> str:
        """The one stable text that names these rules; :meth:`parse` reads it back."""
        preset = self.preset
        grand_slam, cycle = PRESETS[preset]
        text = preset
        if self.grand_slam is not grand_slam:
            text += f"+grand-slam={self.grand_slam.value}"
        if self.cycle is not cycle:
            text += f"+cycle={self.cycle.value}"
        return text if self.pits == 6 else f"{text}+pits={self.pits}"

    @property
    def has_tables(self) -> bool:
        """Whether a board's value is independent of the stores, so that tables exist."""
        return self.grand_slam is not GrandSlam.WIN_ONLY

    @property
    def has_bounds(self) -> bool:
        """Whether tables hold ``lower`` and ``upper`` beside ``value`` (endless play depends on history)."""
        return self.cycle is Cycle.OWN_ROW

    def stated(self) -> dict[str, str | int]:
        """What a table file says of its rules: game, id, and the fields of the id in words of their own."""
        slam, cycle = self.grand_slam.value, self.cycle.value
        return {"game": self.game, "rules": self.id, "grand_slam": slam, "cycle": cycle, "pits": self.pits}

    def _fields(self) -> tuple[GrandSlam, Cycle]:
        return self.grand_slam, self.cycle

    def __str__(self) -> str:
        return self.id


ABAPA = Rules()
AWARI = Rules(GrandSlam.FORBIDDEN, Cycle.EVEN)
