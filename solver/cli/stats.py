"""``abapa stats``: which tiers there are, and how often each value occurs in one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from solver.cli.answers import columns
from solver.cli.options import json_option, thread_count, threads_option, tiers_options
from solver.cli.output import markdown_table, print_json, signed
from solver.oware.rules import Rules

if TYPE_CHECKING:
    from databases.files.table import FinishedTable
    from databases.prober import Board, Tables
    from databases.statistics import Example, TierStatistics


@click.command
@tiers_options
@click.option("--full", is_flag=True, help="Read the boards themselves: extremes, distances, passing, greed.")
@click.option("--plot", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Write pictures to DIR.")
@threads_option
@click.option("--markdown", is_flag=True, help="Print Markdown tables.")
@json_option
def command(
    rules: Rules,
    tables: Path,
    seeds: int | None,
    full: bool,
    plot: Path | None,
    threads: int | None,
    markdown: bool,
    as_json: bool,
) -> None:
    """Count boards by value: a table of all tiers, or the histogram of one (--seeds).

    A value is the margin of the player to move: the seeds this player wins minus those the opponent wins. The counts
    come from the attributes of the tables; abapa check proves them.

    --full reads the boards; --threads goes with it. For all tiers it adds the least and the greatest value, the mean,
    and the longest distance. For one tier it adds the mean, the extremes with positions, and the longest distance; and
    it counts the boards where the mover has more seeds and loses, where the mover would rather pass, and where the
    largest capture is a mistake.

    --plot draws the values by tier and, with --seeds, the histograms of values and distances. It needs matplotlib (the
    extra abapa[plot]).
    """
    from databases.prober import MissingTierError, open_tables

    if markdown and as_json:
        raise click.UsageError("--markdown and --json exclude each other")
    if threads is not None and not full:
        raise click.UsageError("--threads goes with --full: accepted is --full --threads N")
    with open_tables(tables, rules) as opened:
        if not opened.tiers or (seeds is not None and seeds not in opened.tiers):
            raise MissingTierError(tables, rules, seeds or 0)
        chosen: list[FinishedTable] = [opened.tiers[seeds]] if seeds is not None else [*opened.tiers.values()]
        if plot is not None:  # first: nothing is printed where it cannot be done
            from databases.pictures import write_pictures

            for path in write_pictures(opened, seeds, plot):
                click.echo(f"wrote {path}", err=True)
        show = markdown_table if markdown else columns
        if full and seeds is not None:
            _print_full(opened, seeds, threads, show, as_json)
        elif as_json:
            for found in [_json(table) | (_summary_json(opened, table.seeds) if full else {}) for table in chosen]:
                print_json(found)
        elif seeds is not None:
            click.echo(show(_histogram_rows(chosen[0])))
        else:
            click.echo(show(_summary_rows(opened) if full else _tier_rows(chosen)))


def _json(table: FinishedTable) -> dict[str, Any]:
    data: dict[str, Any] = {"rules": table.rules.id, "seeds": table.seeds, "boards": table.positions}
    if table.window < table.seeds:
        data["window"] = table.window
    names = {"value": "values"}
    for quantity, histogram in table.histograms.items():
        data[names.get(quantity, quantity)] = {str(value): count for value, count in histogram.items()}
    return data


def _tier_rows(chosen: list[FinishedTable]) -> list[list[str]]:
    rows = [["seeds", "boards", "wins", "draws", "losses", "exact", "seconds", "window", "holds"]]
    for table in chosen:
        wins = sum(count for value, count in table.histogram.items() if value > 0)
        losses = sum(count for value, count in table.histogram.items() if value < 0)
        exact = table.histograms.get("exact")
        rows.append(
            [
                str(table.seeds),
                *(f"{count:,}" for count in (table.positions, wins, table.positions - wins - losses, losses)),
                "" if exact is None else f"{100 * sum(exact.values()) / table.positions:.1f} %",
                "" if table.build_seconds is None else f"{table.build_seconds:.2f}",
                str(table.window) if table.window < table.seeds else "",
                " ".join(table.quantities),
            ]
        )
    return rows


def _histogram_rows(table: FinishedTable) -> list[list[str]]:
    names = list(table.histograms)
    rows = [["margin", *names]]
    for margin in sorted({margin for histogram in table.histograms.values() for margin in histogram}, reverse=True):
        counts = [table.histograms[name].get(margin, 0) for name in names]
        rows.append([margin_text(margin, table.window, table.seeds), *(f"{count:,}" for count in counts)])
    return rows


def margin_text(margin: int, window: int, seeds: int) -> str:
    """A margin of a tier; at the ends of a window with the relation that it stands for."""
    relation = "" if abs(margin) < min(window, seeds) or window >= seeds else ">= " if margin > 0 else "<= "
    return f"{relation}{signed(margin)}"


# -- all tiers, in full -----------------------------------------------------------------------------------------------


def _summary_rows(opened: Tables) -> list[list[str]]:
    """One row per tier: outcomes, extremes, mean, share of exact boards, longest distance."""
    rows = [["seeds", "boards", "wins", "draws", "losses", "least", "greatest", "mean", "exact", "longest"]]
    for n, table in opened.tiers.items():
        histogram = table.histogram
        wins = sum(count for value, count in histogram.items() if value > 0)
        losses = sum(count for value, count in histogram.items() if value < 0)
        exact = table.histograms.get("exact")
        found = _summary_json(opened, n)
        rows.append(
            [
                str(n),
                *(f"{count:,}" for count in (table.positions, wins, table.positions - wins - losses, losses)),
                margin_text(found["least"], table.window, n),
                margin_text(found["greatest"], table.window, n),
                f"{found['mean']:+.3f}" if "mean" in found else "",
                "" if exact is None else f"{100 * sum(exact.values()) / table.positions:.1f} %",
                str(found.get("longest", "")),
            ]
        )
    return rows


def _summary_json(opened: Tables, seeds: int) -> dict[str, Any]:
    from databases.statistics import longest_distance

    table = opened.tiers[seeds]
    histogram = table.histogram
    data: dict[str, Any] = {
        "least": min(histogram),
        "greatest": max(histogram),
    }
    if table.window >= seeds:  # beyond a window there is no mean
        data["mean"] = round(sum(value * count for value, count in histogram.items()) / table.positions, 6)
    longest = longest_distance(opened, seeds)
    if longest is not None:
        data |= {"longest": longest[0], "longest_board": list(longest[1])}
    return data


# -- one tier, in full ------------------------------------------------------------------------------------------------


def _print_full(
    opened: Tables, seeds: int, threads: int | None, show: Callable[[list[list[str]]], str], as_json: bool
) -> None:
    from databases.statistics import tier_statistics

    found = tier_statistics(opened, seeds, thread_count(threads))
    if as_json:
        print_json(_json(opened.tiers[seeds]) | _full_json(found))
        return
    click.echo("\n".join(_full_lines(found)) + "\n")
    click.echo(show(_histogram_rows(opened.tiers[seeds])))


def _full_lines(found: TierStatistics) -> list[str]:
    boards, greed = found.boards, found.greed
    lines = [
        f"{found.rules.id}, {found.seeds} seeds: {boards:,} boards, margins of the player to move",
        f"  wins, draws, losses  {found.wins:,}  {found.draws:,} ({_share(found.draws, boards)})  {found.losses:,}",
        f"  mean                 {found.mean:+.3f}",
        f"  largest win          {_example(found.largest_win)}",
        f"  largest loss         {_example(found.largest_loss)}",
    ]
    if found.longest is not None:
        lines.append(f"  longest distance     {found.longest[0]} plies: {_board(found.longest[1])}")
    lines.append(
        f"  more seeds, yet lost {found.leads_lost:,} of the {found.leads:,} boards whose mover has more seeds "
        f"({_share(found.leads_lost, found.leads)})"
    )
    if found.against_the_seeds is not None:
        lines.append(f"    worst of them      {_example(found.against_the_seeds)}")
    lines += [
        f"  would rather pass    {found.would_pass:,} ({_share(found.would_pass, boards)})",
        f"  greed is wrong       on {greed.wrong:,} of the {greed.boards:,} boards with a capture "
        f"({_share(greed.wrong, greed.boards)}), by {greed.lost / max(greed.wrong, 1):.2f} seeds of margin on average",
    ]
    if greed.example is not None:
        lines.append(f"    worst of them      gives away {greed.worst}: {_board(greed.example)}")
    return lines


def _full_json(found: TierStatistics) -> dict[str, Any]:
    greed = found.greed
    data: dict[str, Any] = {
        "wins": found.wins,
        "draws": found.draws,
        "losses": found.losses,
        "mean": round(found.mean, 6),
        "largest_win": _example_json(found.largest_win),
        "largest_loss": _example_json(found.largest_loss),
        "more_seeds": found.leads,
        "more_seeds_lost": found.leads_lost,
        "more_seeds_worst": found.against_the_seeds and _example_json(found.against_the_seeds),
        "would_pass": found.would_pass,
        "greed": {
            "boards": greed.boards,
            "wrong": greed.wrong,
            "lost": greed.lost,
            "worst": greed.worst,
            "worst_board": greed.example and list(greed.example),
        },
        "mean_by_own_seeds": [round(mean, 6) for mean in found.mean_by_side],
    }
    if found.longest is not None:
        data |= {"longest": found.longest[0], "longest_board": list(found.longest[1])}
    return data


def _example_json(example: Example) -> dict[str, Any]:
    return {"value": example.value, "board": list(example.board)}


def _example(example: Example) -> str:
    own = f"{example.own} of {sum(example.board)} seeds on the mover's side"
    return f"{signed(example.value)}: {_board(example.board)} ({own})"


def _board(board: Board) -> str:
    return "-".join(map(str, board))


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f} %" if whole else "of none"
