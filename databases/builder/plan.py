"""What a build will do and need, worked out before any work: tiers, boards, disk, memory, and whether it fits.

The numbers come from the sizes of the arrays that the builder will allocate, by formula; nothing is allocated here.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from math import comb
from pathlib import Path
from typing import Protocol

from databases.builder.captures import CAPTURE_SHARE, LEAST_CAPTURE, MOST_FORCED, VALUE, Cut
from databases.builder.cells import BAND_BOARDS, MOST_PITS, CellsForm
from databases.builder.finish import COMMIT_MEMORY
from databases.builder.movetables import crossings_of
from databases.builder.narrow import BareForm, BytesForm
from databases.builder.peers import MOST_BYTES
from databases.builder.propagate import scratch_bytes
from databases.builder.state import GROUP, LARGEST_BYTE, MARKED
from databases.builder.transpose import BAND_BOARDS as TABLE_BAND
from databases.builder.words import WordsForm
from databases.files.folder import find_checkpoints, find_parts
from databases.files.header import QUANTITIES
from databases.files.writer import table_bytes
from databases.halfboards import half_count
from databases.machine import DiskSpeed, available_memory
from databases.tiers import MAX_SEEDS, tier_size
from databases.windows import WHOLE, Game
from solver.errors import AbapaError
from solver.oware.rules import Rules

BASE_MEMORY = 96 << 20
"""Measured: Python, numpy, numba and the compiled kernels, with what the C library keeps of their loading."""

MPI_MEMORY = 20 << 20
"""Measured: what MPI takes by itself."""


class PlanError(AbapaError):
    """A build that cannot be made here: it says what it needs and what there is."""


def quantities_of(rules: Rules, *, bounds: bool, distance: bool) -> tuple[str, ...]:
    """The quantities that a table of these rules will hold."""
    names = ["value"]
    if bounds and rules.has_bounds:
        names += ["lower", "upper"]
    return tuple([*names, "distance"] if distance else names)


@dataclass(frozen=True)
class Plan:
    """A build of the tiers that ``game`` comes to, or of 0..``seeds``; ``missing`` are to be made, ``archived`` are
    there only packed.
    """

    rules: Rules
    seeds: int
    game: Game | None
    """None: full tables."""
    quantities: tuple[str, ...]
    missing: tuple[int, ...]
    archived: tuple[int, ...]
    folder: Path
    threads: int
    free_disk: int
    memory: int
    """Bytes that may be used."""
    disk_speed: DiskSpeed | None = None
    """Of the folder, where the build works from it and it was measured."""
    ranks: int | None = None
    """Processes that share every tier over MPI; ``threads`` and ``memory`` are those of each. None: no MPI."""

    @property
    def boards(self) -> int:
        """Boards in the tiers to be built."""
        return sum(tier_size(self.rules.pits, n) for n in self.missing)

    @property
    def steps(self) -> int:
        """Progress steps of the whole build: :meth:`told` of each tier times its :meth:`effort`."""
        return sum(self.told(n) * self.effort(n) for n in self.missing)

    def told(self, seeds: int) -> int:
        """Boards that a tier tells of: in every pass (``value``; the two bounds) each once, and some for captures."""
        boards = tier_size(self.rules.pits, seeds)
        return (boards + boards // CAPTURE_SHARE) * (1 + 2 * ("lower" in self.quantities))

    def effort(self, seeds: int) -> int:
        """How long a board of a tier takes, against those of other tiers: a share for captures and every stage, where
        many stages take no longer than ten. Fitted to the build of the 36-seed game (docs/results.md).
        """
        disk = 2 if self.form(seeds) == CellsForm.name else 1
        return disk * (14 + min(self._stages(seeds), 10))

    @property
    def tiers(self) -> tuple[int, ...]:
        """The tiers that the build makes or finds, fewest seeds first."""
        return tuple(range(self.seeds + 1)) if self.game is None else self.game.tiers

    def window(self, seeds: int) -> int:
        """How far margins of a tier are to be known (:mod:`databases.windows`)."""
        return WHOLE if self.game is None else self.game.window(seeds)

    def form(self, seeds: int) -> str:
        """The form in which a tier is built: the fastest that fits the memory, else the smallest."""
        forms = self._forms(seeds)
        return next((form for form in forms if self._memory(seeds, form) <= self.memory), forms[-1])

    def _forms(self, seeds: int) -> list[str]:
        """The forms that a tier can be built in, fastest first."""
        stages = self._stages(seeds)
        narrow = stages <= LARGEST_BYTE and "distance" not in self.quantities
        forms = [BytesForm.name if narrow else WordsForm.name]
        if self.rules.pits <= MOST_PITS and "distance" not in self.quantities:
            forms.append(BareForm.name if stages <= 1 else CellsForm.name)
        return forms

    def _stages(self, seeds: int) -> int:
        """The stages of a tier: of ``value``, or of the bounds, which may have one more."""
        sides = (VALUE, MOST_FORCED) if "lower" in self.quantities else (VALUE,)
        return max(Cut.of(side, seeds, self.window(seeds)).most for side in sides)

    @property
    def in_cells(self) -> tuple[int, ...]:
        """Tiers that are built in little memory, their margins on the disk, since they do not fit otherwise."""
        return tuple(n for n in self.missing if self.form(n) == CellsForm.name)

    @property
    def disk(self) -> int:
        """Bytes that the new files will take."""
        return sum(self._file_bytes(n) for n in self.missing)

    def _file_bytes(self, seeds: int) -> int:
        return table_bytes(self.rules.pits, seeds, self.quantities, self.window(seeds))

    @property
    def scratch(self) -> int:
        """Bytes of scratch files at the largest tier that is built in little memory."""
        files = 2 if "lower" in self.quantities else 1
        return max((files * tier_size(self.rules.pits, n) for n in self.in_cells), default=0)

    @property
    def disk_seconds(self) -> float | None:
        """The most that the disk takes for the tiers that are built in little memory; None where it was not measured.

        Less, where the system has memory to keep the scratch files in.
        """
        if self.disk_speed is None:
            return None
        return sum(self.disk_speed.seconds(*self.traffic(n)) for n in self.in_cells)

    def traffic(self, seeds: int) -> tuple[int, int]:
        """The most bytes that a tier writes, and reads, if it is built in little memory."""
        return cells_traffic(self.rules.pits, seeds, self.quantities, self._stages(seeds))

    @property
    def needed(self) -> tuple[int, ...]:
        """Tiers whose numbers the build reads: those that a capture can lead to."""
        return tuple(range(max(self.missing, default=0) - LEAST_CAPTURE + 1))

    @property
    def unpacked(self) -> int:
        """Bytes of scratch files that packed tiers are unpacked to for as long as the build lasts."""
        size = sum(QUANTITIES[name].itemsize for name in self.quantities if name != "distance")
        return (self.ranks or 1) * sum(size * tier_size(self.rules.pits, n) for n in self.archived if n in self.needed)

    @property
    def whole_disk(self) -> int:
        """Bytes of disk that the build needs at most, checkpoints apart: it goes on without those."""
        return self.disk + self.scratch + self.unpacked

    def disk_above(self, seeds: int) -> int:
        """Bytes of disk that are still to be taken once the table of a tier has its room."""
        above = sum(self._file_bytes(n) for n in self.missing if n > seeds)
        return above + self.scratch + self.unpacked if above else 0

    @property
    def peak_memory(self) -> int:
        """Bytes of private memory at the largest tier, the commit of the one before included (:mod:`.finish`).

        Private is what the system cannot take back without swapping: RssAnon in ``/proc/PID/status``, Private_Dirty in
        ``smaps``. Pages of finished tiers and of program files, mapped and unchanged, come on top and can be evicted.
        Compiling the kernels, which the first build of an installation does, takes more; later ones load them.
        """
        return max((self.memory_of(n) for n in self.missing), default=0)

    def memory_of(self, seeds: int) -> int:
        """The same for one tier."""
        return self._memory(seeds, self.form(seeds))

    @property
    def least_memory(self) -> int:
        """The smallest memory that this build can be made in."""
        return max((self._memory(n, self._forms(n)[-1]) for n in self.missing), default=0)

    def _memory(self, seeds: int, form: str) -> int:
        committing = seeds - 1 in self.missing
        need = MEMORY[form]
        return need(
            self.rules, seeds, self.seeds, self.quantities, self.threads, committing=committing, ranks=self.ranks
        )

    @property
    def text(self) -> str:
        """The plan as lines a person reads."""
        kept = len(self.tiers) - len(self.missing)
        tiers = f"{len(self.missing)} to build, {kept} already there" if self.missing else "all there"
        if self.archived:
            tiers += f", {ranges_text(self.archived)} only packed"
        each = "" if self.ranks is None else " for each rank"
        lines = [
            f"Plan: {self.rules.id}, tiers {ranges_text(self.tiers)} ({tiers}), {', '.join(self.quantities)}",
            f"  boards       {self.boards:>20,}",
            f"  disk         {self.disk:>20,} bytes ({size_text(self.disk)}), {size_text(self.free_disk)} free",
            f"  peak memory  {self.peak_memory:>20,} bytes ({size_text(self.peak_memory)}), "
            f"{size_text(self.memory)} available{each}",
            f"  threads      {self.threads:>20}{each}",
            f"  folder       {self.folder}",
        ]
        if self.ranks is not None:
            lines.insert(5, f"  ranks        {self.ranks:>20}")
        if self.game is not None:
            lines.insert(1, f"  windows      {_windows_text(self):>20}")
        if self.unpacked:
            lines.insert(3, f"  unpacked     {self.unpacked:>20,} bytes of disk, for packed tiers, while it builds")
        if self.in_cells:
            tiers = ranges_text(self.in_cells)
            lines.insert(3, f"  scratch      {self.scratch:>20,} bytes of disk, to build tier {tiers} in little memory")
            if self.disk_speed is not None and self.disk_seconds is not None:
                speed = (
                    f"{self.disk_speed.written / 1e6:,.0f} MB/s written, {self.disk_speed.read / 1e6:,.0f} MB/s read"
                )
                lines.insert(4, f"  disk time    {self.disk_seconds:>20,.0f} s at most for that, at {speed} (measured)")
        return "\n".join(lines)

    def require(self) -> None:
        """Raise :class:`PlanError`, with the numbers, if the build does not fit."""
        disk = self.whole_disk
        if disk > self.free_disk:
            raise PlanError(
                f"no room in {self.folder}: the build needs {disk:,} bytes, {self.free_disk:,} are free; "
                "free some, name another folder with --tables, or build fewer seeds"
            )
        if self.missing and self.peak_memory > self.memory:
            least = -(-self.least_memory >> 20)
            raise PlanError(
                f"not enough memory: {self.memory:,} bytes may be used and {self.peak_memory:,} are needed; the "
                f"smallest that works is --memory {least}MiB, or build fewer seeds"
            )


def make_plan(
    folder: Path,
    rules: Rules,
    seeds: int,
    missing: tuple[int, ...],
    archived: tuple[int, ...] = (),
    *,
    game: Game | None = None,
    bounds: bool,
    distance: bool,
    threads: int,
    memory: int | None,
    ranks: int | None = None,
) -> Plan:
    """Work out the plan; ``memory`` limits the bytes used, by default what the machine has available."""
    return Plan(
        rules,
        seeds,
        game,
        quantities_of(rules, bounds=bounds, distance=distance),
        missing,
        archived,
        folder,
        threads,
        shutil.disk_usage(nearest_existing(folder)).free + _left_over(folder, rules),
        available_memory() if memory is None else memory,
        ranks=ranks,
    )


def _left_over(folder: Path, rules: Rules) -> int:
    """Bytes of disk in unfinished files and checkpoints of stopped builds, which the next build removes if need be."""
    total = 0
    for path in (*find_parts(folder, rules), *find_checkpoints(folder, rules).values()):
        with suppress(OSError):
            total += path.stat().st_blocks * 512
    return total


def check_request(rules: Rules, seeds: int, threads: int) -> None:
    """Refuse what can never be built. Raises :class:`PlanError`."""
    if not rules.has_tables:
        raise PlanError(
            f"no tables for {rules.id}: with grand-slam=win-only a capture depends on the stores, so a board has no "
            "single value; accepted are forfeit, forbidden and capture (search and play know win-only)"
        )
    if not 0 <= seeds <= MAX_SEEDS:
        raise PlanError(f"{seeds} seeds: accepted are 0 to {MAX_SEEDS} (values are one signed byte)")
    if threads < 1:
        raise PlanError(f"{threads} threads: accepted are 1 and more")


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
        halves, bits = sum(widths), self.wanted(_bitmap_bytes(widths))
        lists = (17 + 24 * self.wanted(self.ranks)) * halves
        return MPI_MEMORY + lists + bits + max(2 * min(bits, MOST_BYTES), 2 * self.of(band))


def tier_memory(
    rules: Rules,
    seeds: int,
    most_seeds: int,
    quantities: tuple[str, ...],
    threads: int,
    *,
    committing: bool = True,
    ranks: int | None = None,
) -> int:
    """Bytes of private memory to build one tier with move tables for ``most_seeds`` seeds.

    ``committing``: the tier before is built by the same build, and on several threads still being committed.
    ``ranks``: processes that share the tier; the bytes are those of one.
    """
    widths = [half_count(rules.pits, k) for k in range(seeds + 1)]
    part = RankPart.of_tier(widths, ranks)
    boards, widest = part.of(tier_size(rules.pits, seeds)), widths[-1]
    marks = part.of(8 * sum(widths[b] * -(-widths[seeds - b] // MARKED) for b in range(seeds + 1)))
    frontier = _frontier_bytes(widths, part)
    state, band = 2 * boards + marks, min(boards, max(TABLE_BAND, widest))
    scratch = scratch_bytes(boards, widest, rules.pits, threads) + part.exchange(widths, band)
    # Propagation has its frontiers, and when it is over the table goes out by bands.
    if "distance" in quantities:
        value = state + 2 * boards + max(4 * frontier + scratch, 2 * band)
    else:
        value = state + max(2 * frontier + scratch, band)
    bounds = 2 * state + max(2 * frontier + scratch, band) if "lower" in quantities else 0
    return _fixed_memory(rules, most_seeds, threads, committing) + max(value, bounds)


def bytes_memory(
    rules: Rules,
    seeds: int,
    most_seeds: int,
    quantities: tuple[str, ...],
    threads: int,
    *,
    committing: bool = True,
    ranks: int | None = None,
) -> int:
    """The same for a tier whose state is one byte a board (:mod:`databases.builder.narrow`)."""
    state = tier_size(rules.pits, seeds)
    working = _narrow_memory(rules, seeds, quantities, threads, state, 1, ranks)
    return _fixed_memory(rules, most_seeds, threads, committing) + working


def bare_memory(
    rules: Rules,
    seeds: int,
    most_seeds: int,
    quantities: tuple[str, ...],
    threads: int,
    *,
    committing: bool = True,
    ranks: int | None = None,
) -> int:
    """The same for a tier of a single stage, whose state is half a byte a board."""
    widths = [half_count(rules.pits, k) for k in range(seeds + 1)]
    state = sum(widths[seeds - a] * (widths[a] + 1) // 2 for a in range(seeds + 1))
    working = _narrow_memory(rules, seeds, quantities, threads, state, 2, ranks)
    return _fixed_memory(rules, most_seeds, threads, committing) + working


def _narrow_memory(
    rules: Rules, seeds: int, quantities: tuple[str, ...], threads: int, state: int, table_bands: int, ranks: int | None
) -> int:
    """Bytes of the states and of the largest phase; the table goes out by ``table_bands`` bands of bytes."""
    widths = [half_count(rules.pits, k) for k in range(seeds + 1)]
    part = RankPart.of_tier(widths, ranks)
    boards, widest = part.of(tier_size(rules.pits, seeds)), widths[-1]
    band = max(min(boards, BAND_BOARDS), *(min(GROUP, widths[b]) * widths[seeds - b] for b in range(seeds + 1)))
    out = min(boards, max(TABLE_BAND, widest))
    # One after the other: captures in a band of words, propagation, the table by bands.
    propagation = 2 * _frontier_bytes(widths, part) + scratch_bytes(boards, widest, rules.pits, threads)
    propagation += part.exchange(widths, out)
    # A band of the table goes out whole, joined to the numbers that did not fill a byte, and as bits.
    table = (table_bands + 2) * out
    sides = 2 if "lower" in quantities else 1
    return sides * part.of(state) + 8 * threads * widest + max(2 * band, propagation, table)


def cells_memory(
    rules: Rules,
    seeds: int,
    most_seeds: int,
    quantities: tuple[str, ...],
    threads: int,
    *,
    committing: bool = True,
    ranks: int | None = None,
) -> int:
    """The same for a tier that is built in little memory: cells of four bits, margins on the disk."""
    widths = [half_count(rules.pits, k) for k in range(seeds + 1)]
    part = RankPart.of_tier(widths, ranks)
    boards, widest = part.of(tier_size(rules.pits, seeds)), widths[-1]
    cells = part.of(sum(widths[seeds - a] * (widths[a] + 1) // 2 for a in range(seeds + 1)))
    band = max(min(boards, BAND_BOARDS), *(min(GROUP, widths[b]) * widths[seeds - b] for b in range(seeds + 1)))
    out = min(boards, max(BAND_BOARDS, widest))
    sides = 2 if "lower" in quantities else 1
    scratch = scratch_bytes(boards, widest, rules.pits, threads) + part.exchange(widths, out)
    # One after the other: captures in a band of words, propagation, the table by bands.
    phase = max(2 * band, 2 * _frontier_bytes(widths, part) + scratch, 2 * out)
    working = sides * (cells + band + 8 * threads * widest) + phase
    return _fixed_memory(rules, most_seeds, threads, committing) + working


def cells_traffic(pits: int, seeds: int, quantities: tuple[str, ...], stages: int | None = None) -> tuple[int, int]:
    """The most bytes that a tier in little memory writes, and reads: margins, for each side, and the table.

    Captures write the margins; each of the ``stages`` (default: n), and one scan after them, reads them all and writes
    back what it has changed, which is most of them; the table reads them once more and is written, hashed and counted.
    """
    boards = tier_size(pits, seeds)
    sides = 3 if "lower" in quantities else 1
    scans = (seeds if stages is None else stages) + 1
    return sides * boards * (scans + 2), sides * boards * (scans + 3)


def _frontier_bytes(widths: list[int], part: RankPart) -> int:
    """Bytes of the bitmap of a frontier, its list apart; ``widths``: half boards of each number of seeds."""
    return sum(widths) + part.of(_bitmap_bytes(widths))


def _bitmap_bytes(widths: list[int]) -> int:
    """Bytes of a bit a board, whole words a row."""
    return sum(width * 8 * -(-other // 64) for width, other in zip(widths, reversed(widths), strict=True))


class Memory(Protocol):
    """How much memory a form of state takes: :func:`tier_memory`."""

    def __call__(
        self,
        rules: Rules,
        seeds: int,
        most_seeds: int,
        quantities: tuple[str, ...],
        threads: int,
        *,
        committing: bool,
        ranks: int | None,
    ) -> int: ...


MEMORY: dict[str, Memory] = {
    WordsForm.name: tier_memory,
    BytesForm.name: bytes_memory,
    BareForm.name: bare_memory,
    CellsForm.name: cells_memory,
}
"""What each form of a state needs."""


def _windows_text(plan: Plan) -> str:
    """The windows of the tiers that have one: of the smallest, and of the largest."""
    game = plan.game
    assert game is not None
    cut = [n for n in plan.tiers if plan.window(n) != WHOLE]
    margin = "who wins" if game.margin == 1 else f"margins below {game.margin}"
    if not cut:
        return f"none: {margin} of {game.seeds} seeds needs full tiers"
    return f"{plan.window(cut[0])} at {cut[0]} seeds to {plan.window(cut[-1])} at {cut[-1]}, for {margin}"


def _fixed_memory(rules: Rules, most_seeds: int, threads: int, committing: bool) -> int:
    """What every tier needs beside its own arrays."""
    commit = COMMIT_MEMORY if committing and threads > 1 else 0
    return BASE_MEMORY + movetable_bytes(rules.pits, most_seeds) + commit


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


def nearest_existing(folder: Path) -> Path:
    """The folder itself or its closest parent that exists."""
    folder = folder.absolute()
    return next(path for path in (folder, *folder.parents) if path.exists())


def size_text(count: int) -> str:
    """Bytes in the largest binary unit that leaves a number of 1 or more."""
    size = float(count)
    for unit in ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB"):
        if size < 1024 or unit == "PiB":
            break
        size /= 1024
    return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"


def ranges_text(numbers: Sequence[int]) -> str:
    """Ascending numbers with runs as ranges: ``0..3, 7``."""
    runs = [[n for _, n in run] for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])]
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}..{run[-1]}" for run in runs)
