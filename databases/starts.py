"""What the start positions are worth, from tables that are proved first, beside what is known from elsewhere.

:func:`solve_starts` is the whole: build what is missing, prove every tier, ask, compare. Values are margins in seeds
from the view of the player who starts; a move's from the view of who makes it. Building is left to
:mod:`databases.builder`, proofs to :mod:`databases.verifier`, what is known to :mod:`databases.published`.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from databases.builder.build import Progress, build_tables
from databases.builder.plan import ranges_text
from databases.folder import find_packed, find_tables
from databases.machine import default_threads
from databases.prober import Line, MoveValue, Probe, Tables, open_tables
from databases.published import KNOWN_STARTS, Known
from databases.tiers import MAX_SEEDS, tier_size
from databases.verifier import Verdict, prove
from solver.errors import AbapaError
from solver.oware.rules import AWARI, Rules

LONGEST_LINE = 200
"""Moves of best play that are shown at most."""


@dataclass(frozen=True)
class ProvedTier:
    """One tier behind a result: its counts, its hashes, and whether it was proved (None: it holds no distances)."""

    seeds: int
    boards: int
    wins: int
    draws: int
    losses: int
    seconds: float | None
    """Time that its build took, where the folder's journal tells."""
    sha256: dict[str, str]
    """Of the bytes of each quantity."""
    verdict: Verdict | None
    changed: tuple[str, ...] = ()
    """Where the bytes no longer have their hash, a line each."""

    @property
    def proved(self) -> bool:
        """Whether it was proved, from bytes that have their hash."""
        return self.verdict is not None and self.verdict.right and not self.changed

    @property
    def faults(self) -> tuple[str, ...]:
        """What is wrong with it, a line each."""
        return self.changed + (self.verdict.faults if self.verdict else ())


@dataclass(frozen=True)
class StartResult:
    """What a start is worth."""

    rules: Rules
    per_pit: int
    probe: Probe
    moves: tuple[MoveValue, ...]
    """Best first."""
    line: Line
    tiers: tuple[ProvedTier, ...]
    known: Known | None

    @property
    def seeds(self) -> int:
        """Seeds on the board."""
        return 2 * self.rules.pits * self.per_pit

    @property
    def by_house(self) -> tuple[int | None, ...]:
        """The margin of each house's move, in house order; None where it is not legal."""
        values = {move.house: move.value for move in self.moves}
        return tuple(values.get(house) for house in range(self.rules.pits))

    @property
    def seconds(self) -> float | None:
        """Time that the tables took to build, or None where it is not known of one."""
        known = [tier.seconds for tier in self.tiers if tier.seconds is not None]
        return sum(known) if len(known) == len(self.tiers) else None

    @property
    def proved(self) -> bool:
        """Whether every tier was proved right."""
        return all(tier.proved for tier in self.tiers)

    @property
    def differences(self) -> tuple[str, ...]:
        """What is wrong: tiers that break their proof, and where the result is not the known one. A line each."""
        faults = [f"tier {tier.seeds}: {fault}" for tier in self.tiers for fault in tier.faults]
        known = self.known
        if known is None:
            return tuple(faults)
        if known.value != self.probe.value:
            faults.append(f"the start is worth {self.probe.value}, known {known.value}")
        for house, (mine, theirs) in enumerate(zip(self.by_house, known.moves or self.by_house, strict=True)):
            if mine != theirs:
                faults.append(f"move {chr(ord('A') + house)} is worth {mine}, known {theirs}")
        best = "".join(chr(ord("A") + house) for house, value in enumerate(self.by_house) if value == self.probe.value)
        if known.only_best not in (None, best):
            faults.append(f"the best moves are {best}, known {known.only_best} alone")
        return tuple(faults)


def starts_within(limit: int, pits: Sequence[int], per_pit: Sequence[int] | None = None) -> list[tuple[int, int]]:
    """Every (pits a side, seeds a pit) whose tier has at most ``limit`` boards, in order; ``per_pit`` chooses some.

    Seeds stop where a table's margins do, at 127.
    """
    starts = []
    for m in pits:
        most = MAX_SEEDS // (2 * m)
        for k in range(1, most + 1):
            if tier_size(m, 2 * m * k) <= limit and (per_pit is None or k in per_pit):
                starts.append((m, k))
    return starts


def check_start(pits: int, per_pit: int) -> None:
    """Refuse a start whose seeds no table can hold. Raises :class:`~solver.errors.AbapaError`."""
    most = MAX_SEEDS // (2 * pits)
    if not 1 <= per_pit <= most:
        raise AbapaError(f"{per_pit} seeds a pit on {pits} pits a side: accepted are 1 to {most}")


def solve_starts(
    directory: Path,
    pits: int,
    per_pit: Sequence[int],
    *,
    threads: int | None = None,
    memory: int | None = None,
    distance: bool = True,
    report: Callable[[str], object] = lambda line: None,
    progress: Progress | None = None,
) -> Iterator[StartResult]:
    """Solve the awari starts with each of ``per_pit`` seeds a pit: build, prove, ask; fewest seeds first.

    Missing tiers are built, with distances (without: nothing can be proved), after the plan has gone to ``report``.
    Raises what :func:`~databases.builder.build.build_tables` raises, before any work if the plan does not fit.
    """
    rules = Rules(AWARI.grand_slam, AWARI.cycle, pits)
    wanted = sorted(set(per_pit))
    for k in wanted:
        check_start(pits, k)
    top = 2 * pits * wanted[-1]
    threads = threads or default_threads()
    _want_plain(directory, rules, top)
    build_tables(
        directory, rules, top, threads=threads, memory=memory, distance=distance, report=report, progress=progress
    )
    with open_tables(directory, rules) as tables:
        provable = [n for n in range(top + 1) if "distance" in tables.mapped[n].quantities]
        verdicts: dict[int, Verdict] = {}
        if len(provable) == top + 1:
            verdicts = {verdict.seeds: verdict for verdict in prove(tables, range(top + 1), threads)}
        tiers = tuple(_proved_tier(tables, n, verdicts.get(n), threads) for n in range(top + 1))
        for k in wanted:
            yield _ask(tables, k, tiers[: 2 * pits * k + 1])


def _want_plain(directory: Path, rules: Rules, top: int) -> None:
    """Refuse tiers that are there only packed: the proof reads maps."""
    packed = [n for n in find_packed(directory, rules) if n <= top and n not in find_tables(directory, rules)]
    if packed:
        command = shlex.join(["abapa", "unpack", "--rules", rules.id, "--tables", str(directory)])
        raise AbapaError(
            f"{rules.id} tables of {ranges_text(packed)} seeds are there only packed, and a proof reads plain ones: "
            f"restore them with: {command}"
        )


def _ask(tables: Tables, per_pit: int, tiers: tuple[ProvedTier, ...]) -> StartResult:
    """One start, from tables whose proofs are done."""
    pits = tables.rules.pits
    board = (per_pit,) * (2 * pits)
    probe, moves, line = tables.probe(board), tables.moves(board), tables.line(board, LONGEST_LINE)
    return StartResult(tables.rules, per_pit, probe, tuple(moves), line, tiers, KNOWN_STARTS.get((pits, per_pit)))


def _proved_tier(tables: Tables, seeds: int, verdict: Verdict | None, threads: int) -> ProvedTier:
    table = tables.tiers[seeds]
    wins = sum(count for value, count in table.histogram.items() if value > 0)
    draws = table.histogram.get(0, 0)
    return ProvedTier(
        seeds,
        table.positions,
        wins,
        draws,
        table.positions - wins - draws,
        table.build_seconds,
        {name: digest.whole for name, digest in table.header.digests.items()},
        verdict,
        tuple(table.check(threads)),
    )
