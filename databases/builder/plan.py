"""What a build will do and need, worked out before any work: tiers, boards, disk, memory, and whether it fits.

Memory is counted by :mod:`databases.builder.memory`; nothing is allocated here.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from databases.builder.captures import CAPTURE_SHARE, LEAST_CAPTURE, MOST_FORCED, VALUE, Cut
from databases.builder.cells import MOST_PITS, CellsForm
from databases.builder.memory import PACKING_MEMORY, TierMemory
from databases.builder.movetables import MOST_HALVES
from databases.builder.narrow import BareForm, BytesForm
from databases.builder.state import LARGEST_BYTE
from databases.builder.words import WordsForm
from databases.files.folder import find_checkpoints, find_parts
from databases.files.header import QUANTITIES
from databases.files.inmemory import IN_MEMORY, memory_room
from databases.files.writer import table_bytes
from databases.halfboards import half_count
from databases.machine import DiskSpeed, available_memory
from databases.tiers import MAX_SEEDS, tier_size
from databases.windows import WHOLE, Game
from solver.errors import AbapaError
from solver.oware.rules import Rules

ARCHIVE_SHARE = 0.4
"""Bytes of an archive per byte of the plain file, at most: docs/results.md has what tables took."""
ARCHIVE_ROOM = 64 << 10
"""Bytes that an archive takes besides: its attributes, and what small tiers take more."""


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
    archive: bool = False
    """Whether only archives are kept: the plain tables lie in memory while the build lasts."""

    @property
    def boards(self) -> int:
        """Boards in the tiers to be built."""
        return sum(tier_size(self.rules.pits, n) for n in self.missing)

    @property
    def steps(self) -> int:
        """Progress steps of the whole build: :meth:`told` and :meth:`packed` of each tier times its :meth:`effort`."""
        return sum((self.told(n) + self.packed(n)) * self.effort(n) for n in self.missing)

    def told(self, seeds: int) -> int:
        """Boards that a tier tells of: in every pass (``value``; the two bounds) each once, and some for captures."""
        boards = tier_size(self.rules.pits, seeds)
        return (boards + boards // CAPTURE_SHARE) * (1 + 2 * ("lower" in self.quantities))

    def packed(self, seeds: int) -> int:
        """What packing a tier counts as, in the same measure: about twice what building it does."""
        return 2 * self.told(seeds) if self.archive else 0

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
        """Bytes that the new files will take; of archives, the most that they took so far."""
        return sum(self._kept_bytes(n) for n in self.missing)

    def _kept_bytes(self, seeds: int) -> int:
        size = self._file_bytes(seeds)
        return ARCHIVE_ROOM + round(ARCHIVE_SHARE * size) if self.archive else size

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
        if self.archive:
            return 0
        size = sum(QUANTITIES[name].itemsize for name in self.quantities if name != "distance")
        return (self.ranks or 1) * sum(size * tier_size(self.rules.pits, n) for n in self.archived if n in self.needed)

    @property
    def whole_disk(self) -> int:
        """Bytes of disk that the build needs at most, checkpoints apart: it goes on without those."""
        return self.disk + self.scratch + self.unpacked

    def disk_above(self, seeds: int) -> int:
        """Bytes of disk that are still to be taken once the table of a tier has its room."""
        above = sum(self._kept_bytes(n) for n in self.missing if n > seeds)
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
        tier = TierMemory(self.rules, seeds, self.seeds, self.quantities, self.threads, committing, self.ranks)
        if self.archive:
            return self.plain_memory(seeds) + PACKING_MEMORY + max(tier.of_form(form), tier.in_packing())
        return tier.of_form(form)

    def plain_memory(self, seeds: int) -> int:
        """Bytes of the plain tables in memory while a tier is built or packed, where only archives are kept."""
        held = {n for n in (*self.missing, *self.archived) if n < seeds and n in self.needed}
        return sum(self._file_bytes(n) for n in (*held, seeds))

    @property
    def text(self) -> str:
        """The plan as lines a person reads."""
        there = len(self.tiers) - len(self.missing)
        tiers = f"{len(self.missing)} to build, {there} already there" if self.missing else "all there"
        if self.archived:
            tiers += f", {ranges_text(self.archived)} only packed"
        kept = " at most, as archives" if self.archive else ""
        each = "" if self.ranks is None else " for each rank"
        lines = [
            f"Plan: {self.rules.id}, tiers {ranges_text(self.tiers)} ({tiers}), {', '.join(self.quantities)}",
            f"  boards       {self.boards:>20,}",
            f"  disk         {self.disk:>20,} bytes{kept} ({size_text(self.disk)}), {size_text(self.free_disk)} free",
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
        if self.archive and self.missing and (plain := max(map(self.plain_memory, self.missing))) > memory_room():
            raise PlanError(
                f"no room in {IN_MEMORY}: plain tables take {plain:,} bytes there while archives are made, "
                f"{memory_room():,} are free; enlarge it, build without --archive, or build fewer seeds"
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
    archive: bool = False,
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
        archive=archive,
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
    if half_count(rules.pits, seeds) > MOST_HALVES:
        most = max(n for n in range(seeds) if half_count(rules.pits, n) <= MOST_HALVES)
        raise PlanError(f"{seeds} seeds on {2 * rules.pits} houses: accepted are 0 to {most}")
    if threads < 1:
        raise PlanError(f"{threads} threads: accepted are 1 and more")


def cells_traffic(pits: int, seeds: int, quantities: tuple[str, ...], stages: int | None = None) -> tuple[int, int]:
    """The most bytes that a tier in little memory writes, and reads: margins, for each side, and the table.

    Captures write the margins; each of the ``stages`` (default: n), and one scan after them, reads them all and writes
    back what it has changed, which is most of them; the table reads them once more and is written, hashed and counted.
    """
    boards = tier_size(pits, seeds)
    sides = 3 if "lower" in quantities else 1
    scans = (seeds if stages is None else stages) + 1
    return sides * boards * (scans + 2), sides * boards * (scans + 3)


def _windows_text(plan: Plan) -> str:
    """The windows of the tiers that have one: of the smallest, and of the largest."""
    game = plan.game
    assert game is not None
    cut = [n for n in plan.tiers if plan.window(n) != WHOLE]
    margin = "who wins" if game.margin == 1 else f"margins below {game.margin}"
    if not cut:
        return f"none: {margin} of {game.seeds} seeds needs full tiers"
    return f"{plan.window(cut[0])} at {cut[0]} seeds to {plan.window(cut[-1])} at {cut[-1]}, for {margin}"


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
