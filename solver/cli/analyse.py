"""``abapa analyse``: what each move of recorded games was worth."""

from __future__ import annotations

import importlib
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from solver.cli.options import DEPTH, NODES, Seconds, json_option
from solver.cli.output import print_json
from solver.cli.progress import progress_bar
from solver.cli.searching import OpenSearcher, searcher_options, signed
from solver.errors import AbapaError
from solver.oware import SIDES

if TYPE_CHECKING:
    from solver.records.ogn import Record
    from solver.search.analysis import MoveNote


@click.command(name="analyse")
@click.argument("game", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path))
@click.option("--depth", type=DEPTH, help="Depth of each search, in plies; 14 without another limit.")
@click.option("--time", "seconds", type=Seconds(), help="Seconds for each search.")
@click.option("--nodes", type=NODES, help="Nodes for each search.")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write the annotated games here, not to stdout.")  # fmt: skip
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Draw the margin over the game (.png, .svg, .pdf); needs the plot extra.")  # fmt: skip
@searcher_options
@json_option
def command(
    game: Path,
    depth: int | None,
    seconds: float | None,
    nodes: int | None,
    output: Path | None,
    plot: Path | None,
    open_searcher: OpenSearcher,
    as_json: bool,
) -> None:
    """Annotate each move of the games in GAME (Oware Game Notation, - is stdin) with its value and what it lost.

    Values are final margins in seeds from the view of the player who moved, exact where tables or the end of the game
    decide, each position as if it stood fresh on the board. The rules are those that the game names.
    """
    from solver.records.ogn import dump, parse
    from solver.search.analysis import analyse
    from solver.search.searcher import MAX_DEPTH, Limits

    text = sys.stdin.read() if str(game) == "-" else game.read_text(encoding="utf-8", errors="replace")
    if depth is None and seconds is None and nodes is None:
        depth = 14
    limits = Limits(MAX_DEPTH if depth is None else depth, seconds, nodes)
    records = parse(text)
    annotated: list[tuple[Record, list[MoveNote]]] = []
    with progress_bar(sum(len(record.moves) for record in records), "move", "analyse") as bar:
        for record in records:
            with open_searcher(record.rules) as searcher:
                notes = []
                for note in analyse(searcher, record.positions(), limits):
                    notes.append(note)
                    bar.update(1)
            annotated.append((record, notes))
    for record, notes in annotated:
        for note in notes:
            said = record.comments[note.ply + 1]
            record.comments[note.ply + 1] = f"{said} {comment(note)}".strip()
        if as_json:
            print_json(game_json(record, notes))
    if plot is not None:
        draw(plot, annotated)
    if output is not None:
        output.write_text(dump([record for record, _ in annotated]), encoding="utf-8")
    elif not as_json:
        click.echo(dump([record for record, _ in annotated]), nl=False)
    for record, notes in annotated:
        click.echo(summary(record, notes), err=True)


def comment(note: MoveNote) -> str:
    """What is written after a move: its value, and the best move where it was another."""
    value = f"{signed(note.score)} {'exact' if note.exact else 'estimate'}"
    if note.loss <= 0:
        return value
    return f"{value}, best {note.best} {signed(note.best_score)}, lost {note.loss:g}"


def summary(record: Record, notes: list[MoveNote]) -> str:
    """Both players' average loss, in a line."""
    from solver.search.analysis import average_loss

    parts = []
    for side, name in enumerate(SIDES):
        loss = average_loss(notes, side)
        player = record.tags.get(name, "?")
        if loss is not None:
            parts.append(f"{name if player == '?' else player} lost {loss:.2f} seeds a move")
    return "; ".join(parts) or "no moves"


def game_json(record: Record, notes: list[MoveNote]) -> dict[str, Any]:
    """A game for ``--json``."""
    from solver.search.analysis import average_loss

    return {
        "tags": record.tags,
        "rules": record.rules.id,
        "average_loss": {name.lower(): average_loss(notes, side) for side, name in enumerate(SIDES)},
        "moves": [asdict(note) | {"side": SIDES[note.side].lower(), "loss": note.loss} for note in notes],
    }


def draw(path: Path, annotated: list[tuple[Record, list[MoveNote]]]) -> None:
    """South's expected final margin after each move, a line a game; filled dots are exact."""
    try:
        importlib.import_module("matplotlib").use("Agg")  # no window: a file is wanted
        pyplot = importlib.import_module("matplotlib.pyplot")
    except ImportError as error:
        raise AbapaError("--plot needs matplotlib: install abapa[plot]") from error
    figure, axes = pyplot.subplots(figsize=(9, 4.5), layout="constrained")
    for record, notes in annotated:
        plies = [note.ply + 1 for note in notes]
        margins = [note.score if note.side == 0 else -note.score for note in notes]
        (line,) = axes.plot(plies, margins, linewidth=1.2, label=record.title)
        exact = [(ply, margin) for ply, margin, note in zip(plies, margins, notes, strict=True) if note.exact]
        axes.plot([ply for ply, _ in exact], [margin for _, margin in exact], "o", markersize=3, color=line.get_color())
    axes.axhline(0, color="0.6", linewidth=0.8)
    axes.set(xlabel="ply", ylabel="final margin of South, seeds", title="Margin over the game (dots: exact)")
    if any(record.title != "? - ?" for record, _ in annotated):
        axes.legend(loc="best", fontsize="small")
    try:
        figure.savefig(path)
    except (OSError, ValueError) as error:
        raise AbapaError(f"cannot draw {path}: {error}") from error
    finally:
        pyplot.close(figure)
