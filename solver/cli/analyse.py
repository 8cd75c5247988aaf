"""``abapa analyse``: what each move of recorded games was worth."""

from __future__ import annotations

import importlib
import os
import re
import stat
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from solver.cli.engine import limits_options
from solver.cli.options import json_option, rules_override_option
from solver.cli.output import check_folder_of, print_json, signed
from solver.cli.progress import progress_bar
from solver.cli.searching import OpenSearcher, searcher_options
from solver.errors import AbapaError
from solver.oware.position import SIDES

if TYPE_CHECKING:
    from solver.oware.analysis import MoveNote
    from solver.oware.ogn import OgnError, Record
    from solver.oware.rules import Rules
    from solver.search.limits import Limits


@click.command(name="analyse")
@click.argument("game", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path))
@limits_options("depth", "seconds", "nodes", stop="Stop each search", depth=14)
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write the annotated games to this file (default: stdout).")  # fmt: skip
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Draw the margin over the game (.png, .svg, .pdf). Needs the extra abapa[plot].")  # fmt: skip
@rules_override_option
@searcher_options
@json_option
def command(
    game: Path,
    limits: Limits,
    output: Path | None,
    plot: Path | None,
    rules: Rules | None,
    open_searcher: OpenSearcher,
    as_json: bool,
) -> None:
    """Annotate each move of the games in GAME with its value and with what it lost.

    GAME is a file in Oware Game Notation, of 64 MiB at most; "-" is stdin. Values are final margins in seeds from the
    view of the player who moved. They are exact where tables or the end of the game decide. Each position is judged as
    if it stood fresh on the board.

    A move that loses 1 to 3 seeds of margin is an inaccuracy, one that loses more a mistake. A move that gives a win or
    a draw away is a blunder. Where a value is an estimate, only a loss of 4 seeds or more counts as one.

    The Variant tag of a game names its rules; a game without one is read as Abapa. An unknown name is an error unless
    --rules says by which rules to read the games.

    Existing remarks are kept; Abapa's own annotations are replaced. A Result tag that is not how the moves end the game
    is corrected, with a warning. Moves after the end of a game are put into a comment, with a warning. A game that
    cannot be read is left out; an error names its number and line, and the exit code is 2. A line that is not UTF-8 is
    read as Latin-1, with a warning.
    """
    from solver.oware.ogn import dump, parse

    for path in (output, plot):
        if path is not None:
            check_folder_of(path)
    if plot is not None:
        check_plot(plot)
    refused: list[OgnError] = []
    records = parse(read_games(game), rules, refused)
    if not records:
        raise refused[0]
    for record in records:
        for warning in record.warnings:
            named = "" if record.title == "? - ?" else f" ({record.title})"
            click.echo(f"abapa: {record.place}{named}: {warning}", err=True)
    annotated = annotate(records, limits, open_searcher)
    if as_json:
        for record, notes in annotated:
            print_json(game_json(record, notes))
    if plot is not None:
        draw(plot, annotated)
    if output is not None:
        output.write_text(dump(records), encoding="utf-8")
    elif not as_json:
        click.echo(dump(records), nl=False)
    for record, notes in annotated:
        click.echo(summary(record, notes), err=True)
    for error in refused:
        click.echo(f"abapa: {error}", err=True)
    if refused:
        click.get_current_context().exit(AbapaError.exit_code)


MOST_BYTES = 64 << 20
"""The largest file of games that is read: 64 MiB."""


def read_games(path: Path) -> str:
    """The text of a file or pipe, ``-`` for stdin: UTF-8, and lines that are none as Latin-1, with a warning.

    Raises AbapaError for more than MOST_BYTES, and for what is neither a file nor a pipe: a device may never end.
    """
    if str(path) == "-":
        source = getattr(sys.stdin, "buffer", None)
        data = source.read(MOST_BYTES + 1) if source is not None else sys.stdin.read(MOST_BYTES + 1).encode()
    else:
        try:
            data = _bytes_of(path)
        except OSError as error:
            raise AbapaError(f"cannot read {path}: {error.strerror or error}") from error
    if len(data) > MOST_BYTES:
        raise AbapaError(f"{path}: more than {MOST_BYTES >> 20} MiB, the most that is read of a file of games")
    return _text_of(data, "stdin" if str(path) == "-" else str(path))


def _text_of(data: bytes, name: str) -> str:
    """UTF-8, but lines that are none as Latin-1: games of several programs may stand in one file."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        first, byte = data.count(b"\n", 0, error.start) + 1, data[error.start]
    lines, others = [], 0
    for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        try:
            lines.append(line.decode("utf-8"))
        except UnicodeDecodeError:
            lines.append(line.decode("latin-1"))
            others += 1
    which = "it is" if others == 1 else f"it and {others - 1:,} more are"
    click.echo(f"abapa: line {first} of {name}: byte {byte:02X} is not UTF-8, {which} read as Latin-1", err=True)
    return "\n".join(lines)


def _bytes_of(path: Path) -> bytes:
    """Up to MOST_BYTES and one more. A pipe that nobody writes to is empty, and not waited for."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
        kind = os.fstat(file.fileno()).st_mode
        if not (stat.S_ISREG(kind) or stat.S_ISFIFO(kind)):
            raise AbapaError(f"{path} is no file of games: accepted are files and pipes")
        os.set_blocking(file.fileno(), True)
        return file.read(MOST_BYTES + 1)


def annotate(records: list[Record], limits: Limits, open_searcher: OpenSearcher) -> list[tuple[Record, list[MoveNote]]]:
    """Search every position of the games, write what was found into the records, and return both."""
    from solver.oware.analysis import analyse

    annotated: list[tuple[Record, list[MoveNote]]] = []
    with progress_bar(sum(len(record.moves) for record in records), "move", "analyse") as bar:
        for record in records:
            notes = []
            with open_searcher(record.rules, record.start.seeds) as searcher:
                for note in analyse(searcher, record.positions(), limits):
                    notes.append(note)
                    bar.update(1)
            annotated.append((record, notes))
    for record, notes in annotated:
        for note in notes:
            record.annotate(note.ply + 1, comment(note), OWN_COMMENT)
    return annotated


OWN_COMMENT = re.compile(
    r"Abapa: (?:0|[+-][0-9]+) (?:exact|estimate)(?:, best [A-Ha-h] (?:0|[+-][0-9]+), lost [0-9]+"
    r"(?:: (?:inaccuracy|mistake|blunder, a (?:win|draw) becomes a (?:draw|loss)))?)?"
)
"""What :func:`comment` writes, to be replaced when a game is annotated again."""


def comment(note: MoveNote) -> str:
    """What is written after a move: its value; where another was better, that one and the kind of mistake."""
    value = f"Abapa: {signed(note.score)} {'exact' if note.exact else 'estimate'}"
    if note.loss <= 0:
        return value
    kind = f"{note.mistake}"
    if note.mistake == "blunder":
        kind += f", a {note.best_verdict} becomes a {note.verdict}"
    return f"{value}, best {note.best} {signed(note.best_score)}, lost {note.loss}: {kind}"


def summary(record: Record, notes: list[MoveNote]) -> str:
    """Both players' average loss and their mistakes, the blunders with their plies, in one line."""
    from solver.oware.analysis import average_loss

    parts = []
    for side, name in enumerate(SIDES):
        loss = average_loss(notes, side)
        player = record.player(name)
        if loss is not None:
            lost = f"{name if player == '?' else player} lost {loss:.2f} seeds per move"
            parts.append(", ".join([lost, *mistakes([note for note in notes if note.side == side])]))
    return "; ".join(parts) or "no moves"


def mistakes(notes: list[MoveNote]) -> list[str]:
    """How many of each kind there are, the worst first, as in ``1 blunder (ply 12)``."""
    counted = []
    for kind, several in (("blunder", "blunders"), ("mistake", "mistakes"), ("inaccuracy", "inaccuracies")):
        plies = [note.ply + 1 for note in notes if note.mistake == kind]
        if plies:
            where = f" (ply {', '.join(map(str, plies))})" if kind == "blunder" else ""
            counted.append(f"{len(plies)} {kind if len(plies) == 1 else several}{where}")
    return counted


def game_json(record: Record, notes: list[MoveNote]) -> dict[str, Any]:
    """A game for ``--json``."""
    from solver.oware.analysis import average_loss

    return {
        "tags": record.tags,
        "rules": record.rules.id,
        "warnings": record.warnings,
        "average_loss": {name.lower(): average_loss(notes, side) for side, name in enumerate(SIDES)},
        "moves": [move_json(note) for note in notes],
    }


def move_json(note: MoveNote) -> dict[str, Any]:
    """A move for ``--json``."""
    judged = {"loss": note.loss, "verdict": note.verdict, "best_verdict": note.best_verdict, "mistake": note.mistake}
    return asdict(note) | {"side": SIDES[note.side].lower()} | judged


def load_pyplot() -> Any:
    """matplotlib's pyplot, without a window: a file is wanted. Raises AbapaError where it is not installed."""
    try:
        importlib.import_module("matplotlib").use("Agg")
        return importlib.import_module("matplotlib.pyplot")
    except ImportError as error:
        raise AbapaError("--plot needs matplotlib: install abapa[plot]") from error


def check_plot(path: Path) -> None:
    """Refuse what :func:`draw` cannot do, before the long work. Raises AbapaError."""
    load_pyplot()
    kinds = importlib.import_module("matplotlib.backend_bases").FigureCanvasBase.get_supported_filetypes()
    if path.suffix.lower()[1:] not in kinds:
        raise AbapaError(
            f"cannot draw {path}: accepted are files that end in {', '.join(f'.{kind}' for kind in kinds)}"
        )


def draw(path: Path, annotated: list[tuple[Record, list[MoveNote]]]) -> None:
    """South's expected final margin after each move, one line per game; filled dots are exact."""
    pyplot = load_pyplot()
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
