"""What is known of the start positions of awari, and from where: what our own results are held against.

Two things that must not be taken for each other: what others published and anyone can find, and what this project found
before, which a second program of its own confirmed.

A start has ``per_pit`` seeds in each of 2 x ``pits`` houses; margins are from the view of the player who starts, in
seeds. The tables these are compared with come from :mod:`databases.builder`; the comparison is
:mod:`databases.starts`.
"""

from __future__ import annotations

from dataclasses import dataclass

ROMEIN_BAL = (
    "Published: J. Romein and H. Bal, Awari is solved, ICGA Journal 25(3), 2002; their database: Vrije Universiteit "
    "Amsterdam, doi 10.48338/vu01-11wjke"
)
_OWN = "Our own result: we know of no publication that states it. "
_SWEPT = (
    "A second program of this repository, databases/sweeps.py, which shares nothing with the builder but the order of "
    "boards, found the same (abapa verify --independent)"
)
OWN = _OWN + _SWEPT
OWN_12 = (
    f"{OWN}; the tables have as many boards of each value as T. Lincke published for 0 to 12 seeds (ETH Zurich 2002, "
    "doi 10.3929/ethz-a-004442444)"
)
OWN_24 = (
    f"{_OWN}Those who have the database of the Vrije Universiteit (doi 10.48338/vu01-11wjke), which holds the boards "
    "after its moves, can look it up (abapa compare); we had not"
)


@dataclass(frozen=True)
class Known:
    """A start's margin, the margins of its moves in house order where they are known, and where that is from."""

    value: int
    source: str
    moves: tuple[int, ...] | None = None
    only_best: str | None = None
    """The letter of the one move that keeps the value, where a source says so."""

    @property
    def published(self) -> bool:
        """Whether others published it; if not, it is what this project found before."""
        return self.source == ROMEIN_BAL


_RECORDED = {
    1: (2, 0, 0, 0, 0, 0),
    2: (0, 2, 1, 0, 3, 0),
    3: (0, 3, 0, 0, 0, 0),
    4: (0, 0, -1),
    5: (0, 0),
    6: (0, 0),
}
"""Pits a side: margin of the start with 1, 2, .. seeds a pit."""

KNOWN_STARTS: dict[tuple[int, int], Known] = {
    (pits, per_pit): Known(value, OWN) for pits, values in _RECORDED.items() for per_pit, value in enumerate(values, 1)
} | {
    (6, 1): Known(0, OWN_12, (-1, -8, -2, -2, -2, 0)),
    (6, 2): Known(0, OWN_24),
    (6, 3): Known(0, ROMEIN_BAL),
    (6, 4): Known(0, ROMEIN_BAL, only_best="F"),
}
"""(pits a side, seeds a pit) -> what is known, under the rules of awari."""
