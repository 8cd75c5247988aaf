"""What the start positions are worth, from tables that are proved first, beside what is known from elsewhere.

:func:`solve_starts` is the whole: build what is missing, prove every tier, ask, compare. Values are margins in seeds
from the view of the player who starts; a move's from the view of who makes it. Building is left to
:mod:`databases.builder`, proofs to :mod:`databases.verifier`, what is known to :mod:`databases.published`.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from databases.builder.build import Progress, build_tables
from databases.builder.plan import ranges_text
from databases.files.folder import find_archives, find_tables
from databases.grounding import prove_each
from databases.machine import default_threads
from databases.prober import Line, MoveValue, Probe, Tables, open_tables
from databases.published import KNOWN_STARTS, Known
from databases.tiers import MAX_SEEDS, tier_size
from databases.verifier import Verdict
from databases.windows import Game
from solver.errors import AbapaError
from solver.oware.rules import AWARI, Rules

LONGEST_LINE = 200
"""Moves of best play that are shown at most."""
WINDOWS_ABOVE = 2_000_000_000
"""Boards in the tier of a start above which only what its game comes to is built, each tier in its window."""


@dataclass(frozen=True)
class ProvedTier:
    """One tier behind a result: its counts, its hashes, and what a proof of it found (None: there was none)."""

    seeds: int
    boards: int
    wins: int
    draws: int
    losses: int
    window: int
    """How far its margins are told apart (:mod:`databases.windows`)."""
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
    def by_house(self) -> tuple[MoveValue | None, ...]:
        """Each house's move, in house order; None where it is not legal."""
        moves = {move.house: move for move in self.moves}
        return tuple(moves.get(house) for house in range(self.rules.pits))

    @property
    def windows(self) -> bool:
        """Whether it was solved in the windows of its game."""
        return any(tier.window < tier.seeds for tier in self.tiers)

    @property
    def distances(self) -> bool:
        """Whether every tier holds distances."""
        return all("distance" in tier.sha256 for tier in self.tiers)

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
        if not _agrees(self.probe, known.value):
            faults.append(f"the start is worth {self.probe.value}, known {known.value}")
        for move in sorted(self.moves, key=lambda move: move.house):
            if known.moves is not None and not _agrees(move, theirs := known.moves[move.house]):
                faults.append(f"move {chr(ord('A') + move.house)} is worth {move.value}, known {theirs}")
        best = "".join(sorted(chr(ord("A") + move.house) for move in self.moves if move.value == self.probe.value))
        if known.only_best not in (None, best):
            faults.append(f"the best moves are {best}, known {known.only_best} alone")
        return tuple(faults)


def _agrees(answer: Probe | MoveValue, known: int) -> bool:
    """Whether a margin may be the known one: in a window, so much or more may."""
    return known == answer.value or (known - answer.value) * answer.beyond > 0


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
        raise AbapaError(f"{per_pit} seeds per pit on {pits} pits per side: accepted are 1 to {most}")


@dataclass(frozen=True)
class Way:
    """How starts are solved."""

    threads: int | None = None
    memory: int | None = None
    distance: bool = True
    """Whether full tables are built with distances, by which they are proved."""
    windows: bool | None = None
    """Whether a start is solved in the windows of its game; None: where its tier is large (:data:`WINDOWS_ABOVE`)."""
    margin: int = 1
    """Margins at the start that are smaller are exact, where it is solved in windows."""
    prove: bool = False
    """Whether tables without distances are proved too, by grounding."""

    def cuts(self, pits: int, per_pit: int) -> bool:
        """Whether a start is solved in windows."""
        return tier_size(pits, 2 * pits * per_pit) > WINDOWS_ABOVE if self.windows is None else self.windows


Bar = Callable[[int, str, str], Any]
"""Makes a progress bar of so many units of a name: a context with ``update``. The last is what is done."""


def solve_starts(
    directory: Path,
    pits: int,
    per_pit: Sequence[int],
    way: Way = Way(),
    *,
    report: Callable[[str], object] = lambda line: None,
    progress: Progress | None = None,
    bar: Bar = lambda total, unit, what: nullcontext(),
) -> Iterator[StartResult]:
    """Solve the awari starts with each of ``per_pit`` seeds a pit: build, prove, ask; fewest seeds first.

    Missing tiers are built after the plan has gone to ``report``; ``progress`` is that of the builds, ``bar`` that of
    proofs. Raises what :func:`~databases.builder.build.build_tables` raises, before any work of a build
    whose plan does not fit.
    """
    rules = Rules(AWARI.grand_slam, AWARI.cycle, pits)
    wanted = sorted(set(per_pit))
    for k in wanted:
        check_start(pits, k)
    whole = [k for k in wanted if not way.cuts(pits, k)]
    groups = [(whole, None)] if whole else []
    groups += [([k], Game(2 * pits * k, way.margin)) for k in wanted if k not in whole]
    for some, game in groups:
        top = 2 * pits * some[-1]
        _want_plain(directory, rules, range(top + 1) if game is None else game.tiers)
        build_tables(
            directory, rules, top if game is None else None, game=game, threads=way.threads, memory=way.memory,
            distance=way.distance and game is None, report=report, progress=progress,
        )  # fmt: skip
        with open_tables(directory, rules) as tables:
            tiers = _proved_tiers(tables, range(top + 1) if game is None else game.tiers, way, bar)
            for k in some:
                yield _ask(tables, k, tuple(tier for tier in tiers if tier.seeds <= 2 * pits * k))


def _proved_tiers(tables: Tables, tiers: Sequence[int], way: Way, bar: Bar) -> list[ProvedTier]:
    """Prove those that can be, and gather what stands behind a result."""
    threads = way.threads or default_threads()
    verdicts: dict[int, Verdict] = {}
    if way.prove or all("distance" in tables.mapped[n].quantities for n in tiers):
        with bar(sum(tables.mapped[n].positions for n in tiers), "board", "prove") as shown:
            told = () if shown is None else (shown.update,)
            verdicts = {verdict.seeds: verdict for verdict in prove_each(tables, tiers, threads, *told)}
    return [_proved_tier(tables, n, verdicts.get(n), threads) for n in tiers]


def _want_plain(directory: Path, rules: Rules, tiers: Sequence[int]) -> None:
    """Refuse tiers that are there only packed: the proof reads maps."""
    packed = [n for n in find_archives(directory, rules) if n in tiers and n not in find_tables(directory, rules)]
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
        table.window,
        table.build_seconds,
        {name: digest.whole for name, digest in table.header.digests.items()},
        verdict,
        tuple(table.check(threads)),
    )
