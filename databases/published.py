"""What is known of the start positions of awari from elsewhere, and from where: what our own results are held against.

A start has ``per_pit`` seeds in each of 2 x ``pits`` houses; margins are from the view of the player who starts, in
seeds. The tables these are compared with come from :mod:`databases.builder`; the comparison is
:mod:`databases.starts`.
"""

from __future__ import annotations

from dataclasses import dataclass

ROMEIN_BAL = (
    "J. Romein and H. Bal, Awari is solved, ICGA Journal 25(3), 2002; their database: Vrije Universiteit Amsterdam, "
    "doi 10.48338/vu01-11wjke"
)
TWO_PROGRAMS = "two independent programs written for this project, which share no code with it (docs/results.md)"


@dataclass(frozen=True)
class Known:
    """A start's margin, the margins of its moves in house order where they are known, and the source."""

    value: int
    source: str
    moves: tuple[int, ...] | None = None
    only_best: str | None = None
    """The letter of the one move that keeps the value, where a source says so."""


_BY_TWO_PROGRAMS = {
    1: (2, 0, 0, 0, 0, 0),
    2: (0, 2, 1, 0, 3, 0),
    3: (0, 3, 0, 0, 0, 0),
    4: (0, 0, -1),
    5: (0, 0),
    6: (0, 0),
}
"""Pits a side: margin of the start with 1, 2, .. seeds a pit."""

KNOWN_STARTS: dict[tuple[int, int], Known] = {
    (pits, per_pit): Known(value, TWO_PROGRAMS)
    for pits, values in _BY_TWO_PROGRAMS.items()
    for per_pit, value in enumerate(values, 1)
} | {
    (6, 1): Known(0, TWO_PROGRAMS, (-1, -8, -2, -2, -2, 0)),
    (6, 3): Known(0, ROMEIN_BAL),
    (6, 4): Known(0, ROMEIN_BAL, only_best="F"),
}
"""(pits a side, seeds a pit) -> what is known, under the rules of awari."""
