"""How much private memory a tier takes while it is built, in each form of its state.

The numbers come from the sizes of the arrays that the builder will allocate, by formula; nothing is allocated here.
Which form a tier is built in, and whether it fits, is left to :mod:`databases.builder.plan`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import comb

from databases.builder.cells import BAND_BOARDS, CellsForm
from databases.builder.finish import COMMIT_MEMORY
from databases.builder.movetables import crossings_of
from databases.builder.narrow import BareForm, BytesForm
from databases.builder.peers import MOST_BYTES
from databases.builder.propagate import scratch_bytes
from databases.builder.state import GROUP, MARKED
from databases.builder.transpose import BAND_BOARDS as TABLE_BAND
from databases.builder.words import WordsForm
from databases.files.header import QUANTITIES
from databases.halfboards import half_count
from databases.tiers import tier_size
from solver.oware.rules import Rules

BASE_MEMORY = 96 << 20
"""Measured: Python, numpy, numba and the compiled kernels, with what the C library keeps of their loading."""

PACKING_MEMORY = 144 << 20
"""Measured: what packing takes by itself, its kernels and what the C library keeps of it, in every later tier too."""
PACKING_SHARE = 1.5
"""Bytes per board that packing takes beside decoded numbers: streams of a quantity and what they were coded from."""

MPI_MEMORY = 20 << 20
"""Measured: what MPI takes by itself."""


@dataclass(frozen=True)
class TierMemory:
    """A tier to be built, as far as its memory goes: bytes in each form, of one process.

    ``most_seeds``: what the move tables are for. ``committing``: the tier before is built by the same build, and on
    several threads still being committed. ``ranks``: processes that share the tier over MPI, None without MPI.
    """

    rules: Rules
    seeds: int
    most_seeds: int
    quantities: tuple[str, ...]
    threads: int
    committing: bool = True
    ranks: int | None = None

    def of_form(self, form: str) -> int:
        """The bytes in the form of this name."""
        working = {
            WordsForm.name: self.in_words,
            BytesForm.name: self.in_bytes,
            BareForm.name: self.in_bare_cells,
            CellsForm.name: self.in_cells,
        }
        return working[form]()

    def in_words(self) -> int:
        """16 bits per board."""
        boards, widths = self._boards, self._widths
        marks = self._part.of(8 * sum(widths[b] * -(-widths[-1 - b] // MARKED) for b in range(len(widths))))
        state, band = 2 * boards + marks, min(boards, max(TABLE_BAND, widths[-1]))
        scratch = self._scratch(band)
        # Propagation has its frontiers, and when it is over the table goes out by bands.
        if "distance" in self.quantities:
            value = state + 2 * boards + max(4 * self._frontier + scratch, 2 * band)
        else:
            value = state + max(2 * self._frontier + scratch, band)
        bounds = 2 * state + max(2 * self._frontier + scratch, band) if self._sides == 2 else 0
        return self._fixed + max(value, bounds)

    def in_bytes(self) -> int:
        """A byte per board, for narrow windows."""
        return self._narrow(tier_size(self.rules.pits, self.seeds), 1)

    def in_bare_cells(self) -> int:
        """Half a byte per board, for a tier of a single stage."""
        return self._narrow(self._cells, 2)

    def in_cells(self) -> int:
        """Half a byte per board, and the margins on the disk."""
        out = min(self._boards, max(BAND_BOARDS, self._widths[-1]))
        # One after the other: captures in a band of words, propagation, the table by bands.
        phase = max(2 * self._band, 2 * self._frontier + self._scratch(out), 2 * out)
        state = self._part.of(self._cells) + self._band + 8 * self.threads * self._widths[-1]
        return self._fixed + self._sides * state + phase

    def in_packing(self) -> int:
        """What packing a table takes, and reading it back: whole quantities decoded, and the streams of tiles."""
        sizes = {"distance": QUANTITIES["distance"].itemsize}
        decoded = sum(sizes.get(name, 1) for name in self.quantities)
        return self._fixed + round((decoded + PACKING_SHARE) * self._boards)

    def _narrow(self, state: int, table_bands: int) -> int:
        """The states and the largest phase; the table goes out by ``table_bands`` bands of bytes."""
        out = min(self._boards, max(TABLE_BAND, self._widths[-1]))
        # One after the other: captures in a band of words, propagation, the table by bands.
        propagation = 2 * self._frontier + self._scratch(out)
        # A band of the table goes out whole, joined to the numbers that did not fill a byte, and as bits.
        table = (table_bands + 2) * out
        fresh = 8 * self.threads * self._widths[-1]
        return self._fixed + self._sides * self._part.of(state) + fresh + max(2 * self._band, propagation, table)

    @cached_property
    def _widths(self) -> list[int]:
        """Half boards of each number of seeds."""
        return [half_count(self.rules.pits, k) for k in range(self.seeds + 1)]

    @cached_property
    def _part(self) -> RankPart:
        return RankPart.of_tier(self._widths, self.ranks)

    @cached_property
    def _boards(self) -> int:
        """Boards that this process holds."""
        return self._part.of(tier_size(self.rules.pits, self.seeds))

    @cached_property
    def _cells(self) -> int:
        """Bytes of all cells of the tier."""
        widths = self._widths
        return sum(widths[-1 - a] * (widths[a] + 1) // 2 for a in range(len(widths)))

    @cached_property
    def _band(self) -> int:
        """Boards of the largest band that captures are played in."""
        widths = self._widths
        groups = (min(GROUP, widths[b]) * widths[-1 - b] for b in range(len(widths)))
        return max(min(self._boards, BAND_BOARDS), *groups)

    @cached_property
    def _frontier(self) -> int:
        """Bytes of the bitmap of a frontier, its list apart."""
        return sum(self._widths) + self._part.of(bitmap_bytes(self._widths))

    def _scratch(self, band: int) -> int:
        """Bytes of lists and slabs, and of what is exchanged; ``band``: boards of a band of the table."""
        lists = scratch_bytes(self._boards, self._widths[-1], self.rules.pits, self.threads)
        return lists + self._part.exchange(self._widths, band)

    @property
    def _sides(self) -> int:
        """States that are held at once."""
        return 2 if "lower" in self.quantities else 1

    @property
    def _fixed(self) -> int:
        """What every tier needs beside its own arrays."""
        commit = COMMIT_MEMORY if self.committing and self.threads > 1 else 0
        return BASE_MEMORY + movetable_bytes(self.rules.pits, self.most_seeds) + commit


@dataclass(frozen=True)
class RankPart:
    """How large the part of a tier is that one of several ranks holds, at most; ``groups``: of state rows, in all.

    Fitted to the shares of awari tiers of 16 to 32 seeds on 2 to 512 ranks (:mod:`databases.builder.ownership`), and
    never below one of them.
    """

    ranks: int
    groups: int
    shared: bool
    """False: one process without MPI."""

    @classmethod
    def of_tier(cls, widths: list[int], ranks: int | None) -> RankPart:
        """``widths``: half boards of each number of seeds. ``ranks`` None: one process without MPI."""
        return cls(ranks or 1, sum(-(-width // GROUP) for width in widths), ranks is not None)

    @property
    def _uneven(self) -> float:
        """How much the largest part is above the mean: groups are not divided, and equal work is not equal boards."""
        return 0.0 if self.ranks == 1 else 0.02 + 60 * self.ranks**1.15 / self.groups

    def of(self, amount: int) -> int:
        """The part of what is shared out by state rows."""
        return round(amount * min(self.ranks, 1 + self._uneven) / self.ranks)

    def wanted(self, amount: int) -> int:
        """The part of the frontier's rows that have predecessors in the own rows."""
        return round(amount * min(self.ranks, 1 + 0.11 * (self.ranks - 1) ** 0.75 + self._uneven) / self.ranks)

    def exchange(self, widths: list[int], band: int) -> int:
        """What the exchange takes: MPI, rows wanted by this rank, by all of them, messages; or strips of the table."""
        if not self.shared:
            return 0
        halves, bits = sum(widths), self.wanted(bitmap_bytes(widths))
        lists = (17 + 24 * self.wanted(self.ranks)) * halves
        return MPI_MEMORY + lists + bits + max(2 * min(bits, MOST_BYTES), 2 * self.of(band))


def bitmap_bytes(widths: list[int]) -> int:
    """Bytes of a bit a board, whole words a row; ``widths``: half boards of each number of seeds."""
    return sum(width * 8 * -(-other // 64) for width, other in zip(widths, reversed(widths), strict=True))


def movetable_bytes(pits: int, seeds: int) -> int:
    """Bytes of the move tables for up to ``seeds`` seeds, from the sizes that their parts have.

    Which replies capture is counted for sowings of one lap only; longer ones are few.
    """

    def halves(k: int, fewer: int = 0) -> int:
        """Ways to place at most k seeds in the houses, or in ``fewer`` less."""
        return comb(k + pits - fewer, pits - fewer) if k >= 0 else 0

    crossings = crossings_of(pits, seeds).tolist()
    ends = [t and outcome == t + t // pits - (t % pits == 0) for outcome, t in enumerate(crossings)]
    single = sum(halves(seeds - t) for t, over in zip(crossings, ends, strict=True) if over)
    starts = sum(halves(seeds - t) for t, over in zip(crossings, ends, strict=True) if not over)
    several = sum(halves(seeds - k, 1) for house in range(pits) for k in range(1, pits - house))
    stay = halves(seeds) + sum(halves(seeds - t) - sum(halves(seeds - t - v, 1) for v in (1, 2))
                               for t in crossings if 0 < t <= pits)  # fmt: skip
    mask = sum(halves(seeds - t) for t in crossings) // 8
    replies = sum(halves(seeds - t) for t in crossings)
    far = sum(halves(seeds - house - t) for t in crossings if t > pits for house in range(pits)) // pits
    origins = 4 * (halves(seeds) * (1 + pits) + single + starts + several + far) + mask
    return halves(seeds) + origins + 5 * replies + 4 * (halves(seeds) + stay)
