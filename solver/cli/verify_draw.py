"""``abapa verify-draw``: what the start positions of awari are worth, solved, proved, and set beside what is known."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from solver.cli.answers import columns, numbers_json
from solver.cli.options import Size, Whole, json_option, tables_option, thread_count, threads_option
from solver.cli.output import markdown_table, print_json, signed
from solver.cli.progress import BuildProgress, progress_bar
from solver.errors import quoted
from solver.numerals import read_decimal

if TYPE_CHECKING:
    from databases.prober import MoveValue, Probe
    from databases.starts import ProvedTier, StartResult, Way

_ENDS = {
    "over": "no legal move is left",
    "endless": "from here boards repeat, which is a draw of what is left",
    "limit": "and so on",
}


DEFAULT_LIMIT = 200_000_000
"""Most boards in a tier of the grid."""


class NumbersType(click.ParamType):
    """Whole numbers such as 2, 1,2 or 1-6."""

    name = "numbers"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> list[int]:
        if isinstance(value, list):
            return value
        numbers: set[int] = set()
        for part in str(value).split(","):
            first, dash, last = part.strip().partition("-")
            if re.fullmatch(r"[0-9]{1,3}(-[0-9]{1,3})?", part.strip()) is None:
                self.fail(f"{quoted(str(value))}: accepted are whole numbers as in 1,2 or 1-6")
            numbers |= set(range(int(first), int(last if dash else first) + 1))
        if not numbers or min(numbers) < 1:
            self.fail(f"{quoted(str(value))}: accepted are numbers of 1 or more, as in 1,2 or 1-6")
        return sorted(numbers)


class CountType(click.ParamType):
    """A large number such as 200000000 or 2e8."""

    name = "count"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            count = int(read_decimal(str(value)))
        except ValueError:
            self.fail(f"{quoted(str(value))} is no number of boards: accepted are numbers such as 200000000 or 2e8")
        if count < 1:
            self.fail(f"{quoted(str(value))}: accepted are numbers of 1 or more")
        return count


@click.command
@click.option("--per-pit", type=NumbersType(), help="Seeds per pit, as in 1,2 (default: 1,2; with --grid: all).")
@click.option("--pits", type=NumbersType(), help="Pits per side, as in 6 or 1-8 (default: 6; with --grid: 1-8).")
@click.option("--grid", is_flag=True, help="Print one row for every start whose tier is within --limit.")
@click.option("--limit", type=CountType(), help="Most boards in a tier of the grid (default: 2e8).")
@tables_option
@click.option("--values-only", is_flag=True,
              help="Store no distances: a third of the disk and less memory.")  # fmt: skip
@click.option(
    "--windows/--full-tables",
    default=None,
    help="Build only what the game comes to, or full tables (default: by the size of the largest tier).",
)
@click.option("--margin", type=Whole(1), help="With windows: margins of the start below this are exact (default: 1).")
@click.option("--prove", "proved", is_flag=True, help="Prove tables without distances too (takes long).")
@threads_option
@click.option("--memory", type=Size(), help="Most memory to use, as in 8GiB.")
@click.option("--markdown", is_flag=True, help="Print Markdown.")
@json_option
@click.pass_context
def command(
    context: click.Context,
    per_pit: list[int] | None,
    pits: list[int] | None,
    grid: bool,
    limit: int | None,
    tables: Path,
    values_only: bool,
    windows: bool | None,
    margin: int | None,
    proved: bool,
    threads: int | None,
    memory: int | None,
    markdown: bool,
    as_json: bool,
) -> None:
    """Solve start positions of awari and say whether they are draws. The exit code is 1 if anything is wrong.

    \b
    The command
    - builds the missing tables, after printing the plan, which is refused if it does not fit;
    - proves every number of every tier that holds distances, and checks the hashes of the tables;
    - prints the margin of the start, the margin of each first move, and best play;
    - prints what is published, with its source, or else what this project recorded before.

    Margins are from the view of the player who starts, in seeds.

    A start whose tier has more than 2,000,000,000 boards is solved in windows: margins are told apart only as far as
    they decide the game (see abapa build --game). --per-pit 3 (36 seeds) then needs about 27 GB of disk. Such tables
    hold no distances. --prove proves their values.
    """
    if markdown and as_json:
        raise click.UsageError("--markdown and --json exclude each other")
    if limit is not None and not grid:
        raise click.UsageError("--limit is for the tiers of a grid: accepted is --grid --limit COUNT")
    if values_only and windows:
        raise click.UsageError("--values-only and --windows exclude each other: windows hold no distances anyway")
    if margin is not None and windows is False:
        raise click.UsageError("--margin is for windows: accepted is --margin without --full-tables")
    starts = _starts(pits, per_pit, (limit or DEFAULT_LIMIT) if grid else None)
    if threads is not None:
        thread_count(threads)

    from databases.starts import Way

    way = Way(threads, memory, not values_only, False if values_only else windows, margin or 1, proved)
    if margin is not None and not any(way.cuts(m, k) for m, k in starts):
        raise click.UsageError("--margin is for windows, and these starts are solved with full tables: add --windows")
    results = _solve(starts, tables, way, told=_tell if grid or as_json or markdown else None)
    if as_json:
        wrong = _print(results, lambda result: print_json(_json(result)))
    elif grid:
        wrong = _print_grid(results, markdown)
    else:
        wrong = _print_reports(list(results), _markdown if markdown else _text, markdown)
    if wrong:
        context.exit(1)


def _starts(pits: list[int] | None, per_pit: list[int] | None, limit: int | None) -> list[tuple[int, int]]:
    """Pits per side and seeds per pit of each start; ``limit``: those of a grid. Raises AbapaError if there is none."""
    from databases.starts import check_start, starts_within
    from solver.errors import AbapaError

    if limit is None:
        starts = [(m, k) for m in pits or [6] for k in per_pit or [1, 2]]
    else:
        starts = starts_within(limit, pits or range(1, 9), per_pit)
        if not starts:
            raise AbapaError(f"no start has a tier within {limit:,} boards: raise --limit, or name other pits")
    if unknown := [m for m, _ in starts if m > 8]:
        raise AbapaError(f"{unknown[0]} pits per side: accepted are 1 to 8")
    for m, k in starts:
        check_start(m, k)
    return starts


def _solve(
    starts: list[tuple[int, int]], tables: Path, way: Way, *, told: Callable[[str], object] | None
) -> Iterator[StartResult]:
    """Solve the starts, those of one size of board together; ``told`` gets the lines of the builds, else stdout."""
    from databases.starts import solve_starts

    for m in dict.fromkeys(m for m, _ in starts):
        with closing(BuildProgress()) as progress:
            chosen = [k for pits, k in starts if pits == m]
            yield from solve_starts(
                tables, m, chosen, way, report=told or progress.say, progress=progress, bar=progress_bar
            )


def _tell(line: str) -> None:
    click.echo(line, err=True)


def _print(results: Iterator[StartResult], show: Callable[[StartResult], object]) -> bool:
    """Show each result; whether anything differs."""
    wrong = False
    for result in results:
        show(result)
        wrong |= bool(result.differences)
    return wrong


def _print_reports(results: list[StartResult], form: Callable[[StartResult], str], markdown: bool) -> bool:
    """Every start, then the tiers behind them."""
    for result in results:
        click.echo(form(result) + "\n")
    for k, result in enumerate(results):
        last = k + 1 == len(results) or results[k + 1].rules != result.rules
        if last:
            click.echo(f"{'### ' if markdown else ''}Tables of {result.rules.id}\n")
            click.echo((markdown_table if markdown else columns)(_tier_rows(result.tiers)))
    return any(result.differences for result in results)


# -- a start ----------------------------------------------------------------------------------------------------------


def _title(result: StartResult) -> str:
    value = result.probe.value
    more = " or more" if result.probe.beyond else ""
    outcome = "a draw" if not value else f"the first player {'wins' if value > 0 else 'loses'} by {abs(value)}{more}"
    seeds = "seed" if result.per_pit == 1 else "seeds"
    pits = "" if result.rules.pits == 6 else f" on {result.rules.pits} pits per side"
    return f"Awari with {result.per_pit} {seeds} per pit{pits} ({result.seeds} seeds): {outcome}"


def _fields(result: StartResult) -> list[tuple[str, str]]:
    """The lines of a report: what, and what is found."""
    moves = sorted(result.moves, key=lambda move: move.house)
    known = result.known
    fields = [
        ("value", f"{_margin(result.probe)} (margin of the player who starts, of {result.seeds} seeds)"),
        ("moves", "  ".join(f"{_letter(move.house)} {_margin(move)}" for move in moves)),
    ]
    if all(move.distance is not None for move in moves):
        plies = "  ".join(f"{_letter(move.house)} {move.distance}" for move in moves if move.value)
        fields.append(("plies", f"to the capture or end that gives the margin: {plies or 'all moves draw'}"))
    fields.append(("best line", f"{_line(result)} ({_ENDS[result.line.end]})"))
    if known is None:
        fields.append(("known", "nothing"))
    else:
        said = [f"value {signed(known.value)}"]
        if known.moves is not None:
            said.append("moves " + " ".join(map(signed, known.moves)))
        if known.only_best is not None:
            said.append(f"only {known.only_best} keeps it")
        fields.append(("known" if known.published else "recorded", f"{', '.join(said)}. {known.source}"))
    fields.append(("verdict", _verdict(result)))
    return fields


def _margin(answer: Probe | MoveValue) -> str:
    """A margin in seeds, and whether a window ends at it."""
    return signed(answer.value) + {0: "", 1: " or more", -1: " or less"}[answer.beyond]


def _verdict(result: StartResult) -> str:
    if result.differences:
        return "DIFFERS: " + "; ".join(result.differences)
    boards = sum(tier.boards for tier in result.tiers)
    held = "the values" if result.windows else "every number"
    span = f"of 0 to {result.seeds} seeds" + (" in the windows of their game" if result.windows else "")
    proof = (
        f"{held} of all {boards:,} boards {span} proved by {'distance' if result.distances else 'grounding'}"
        if result.proved
        else "tables hashed but NOT proved: they hold no distances (--prove needs none)"
    )
    if result.known is None:
        return f"nothing to compare with; {proof}"
    return f"agrees with {'the publication' if result.known.published else 'what was recorded'}; {proof}"


def _letter(house: int) -> str:
    return chr(ord("A") + house)


def _line(result: StartResult) -> str:
    letters = []
    for ply, move in enumerate(result.line.moves):
        letter = _letter(move.house)
        captured = f"x{move.captured}" if move.captured else ""
        letters.append((letter.lower() if ply % 2 else letter) + captured)
    return " ".join(letters) or "no moves"


def _text(result: StartResult) -> str:
    return "\n".join([_title(result), *(f"  {name:<10} {said}" for name, said in _fields(result))])


def _markdown(result: StartResult) -> str:
    return "\n".join([f"### {_title(result)}", "", *(f"- **{name}**: {said}" for name, said in _fields(result))])


def _tier_rows(tiers: tuple[ProvedTier, ...]) -> list[list[str]]:
    rows = [["seeds", "boards", "wins", "draws", "losses", "seconds", "proof", "SHA-256 of the values"]]
    for tier in tiers:
        proof = "proved" if tier.proved else "WRONG" if tier.faults else "none"
        counts = [f"{count:,}" for count in (tier.boards, tier.wins, tier.draws, tier.losses)]
        rows.append([str(tier.seeds), *counts, _seconds(tier.seconds), proof, tier.sha256["value"]])
    return rows


def _seconds(seconds: float | None) -> str:
    """What a build took; nothing if the journal of the folder does not say."""
    return "" if seconds is None else f"{seconds:.2f}"


def _json(result: StartResult) -> dict[str, Any]:
    known = result.known
    data: dict[str, Any] = {
        "rules": result.rules.id,
        "per_pit": result.per_pit,
        "seeds": result.seeds,
        "value": result.probe.value,
        "beyond": result.probe.beyond or None,
        "draw": result.probe.value == 0,
        "moves": [
            {"move": _letter(move.house), "captured": move.captured} | numbers_json(move) for move in result.moves
        ],
        "line": _line(result).split(),
        "end": result.line.end,
        "known": None,
        "differences": list(result.differences),
        "proved": result.proved,
        "seconds": None if result.seconds is None else round(result.seconds, 3),
        "tiers": [
            {
                "seeds": tier.seeds,
                "boards": tier.boards,
                "wins": tier.wins,
                "draws": tier.draws,
                "losses": tier.losses,
                "window": tier.window if tier.window < tier.seeds else None,
                "seconds": tier.seconds,
                "proved": tier.proved,
                "sha256": tier.sha256,
            }
            for tier in result.tiers
        ],
    }
    if known is not None:
        data["known"] = {"value": known.value, "published": known.published, "source": known.source}
        if known.moves is not None:
            data["known"]["moves"] = list(known.moves)
    return data


# -- the grid ---------------------------------------------------------------------------------------------------------

_HEADINGS = ["pits", "per pit", "seeds", "boards", "value", "moves", "known", "proof", "seconds", "command"]
_WIDTHS = [4, 7, 5, 13, 5, 31, 7, 6, 8, 0]


def _print_grid(results: Iterator[StartResult], markdown: bool) -> bool:
    """One row per start, as soon as it is solved."""

    def show(cells: list[str]) -> None:
        if markdown:
            click.echo("| " + " | ".join(cells) + " |")
        else:
            click.echo("  ".join(cell.rjust(width) for cell, width in zip(cells, _WIDTHS, strict=True)))

    headed = False

    def show_row(result: StartResult) -> None:
        nonlocal headed
        if not headed:  # not before: a plan may be refused
            show(_HEADINGS)
            if markdown:
                show(["---"] * len(_HEADINGS))
            headed = True
        show(_grid_row(result, markdown))

    return _print(results, show_row)


def _grid_row(result: StartResult, markdown: bool) -> list[str]:
    known = "" if result.known is None else "DIFFERS" if result.differences else "agrees"
    proof = "proved" if result.proved else "none"
    arguments = ["--pits", str(result.rules.pits), "--per-pit", str(result.per_pit)]
    command = shlex.join(["abapa", "verify-draw", *arguments])
    return [
        str(result.rules.pits),
        str(result.per_pit),
        str(result.seeds),
        f"{result.tiers[-1].boards:,}",
        _margin(result.probe),
        " ".join("." if move is None else _margin(move) for move in result.by_house),
        known,
        "WRONG" if result.differences and not result.proved else proof,
        _seconds(result.seconds),
        f"`{command}`" if markdown else command,
    ]
