"""``abapa sample``: a data set of positions with their values, for people who train or test programs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from solver.cli.options import Seed, Whole, rules_option, tables_option
from solver.cli.progress import progress_bar
from solver.errors import AbapaError, quoted
from solver.files import replaced_file
from solver.oware.rules import Rules

if TYPE_CHECKING:
    from databases.prober import Tables
    from databases.samples import Graded


class SeedCounts(click.ParamType):
    """A number of seeds, or a range of them: ``12``, ``8..12``."""

    name = "seeds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> range:
        least, _, most = str(value).partition("..")
        try:
            first, last = Whole(0, 127).convert(least, param, ctx), Whole(0, 127).convert(most or least, param, ctx)
        except click.BadParameter:
            first, last = 1, 0
        if first > last:
            self.fail(f"{quoted(str(value))}: accepted are a number of seeds or a range, as in 12 or 8..12", param, ctx)
        return range(first, last + 1)


@click.command
@rules_option
@tables_option
@click.option("--seeds", type=SeedCounts(), required=True, help="Seeds on the boards: 12, or a range as in 8..12.")
@click.option("--count", type=Whole(1), required=True, help="Number of positions.")
@click.option("--uniform", "how", flag_value="uniform", default=True,
              help="Draw every board of these tiers with the same chance (default).")  # fmt: skip
@click.option("--selfplay", "how", flag_value="selfplay", help="Draw boards that occur in games, one from each game.")
@click.option("--depth", type=Whole(1, 100), help="Depth of the search in games, in plies (default: 6).")
@click.option("--random-plies", type=Whole(0), help="Random moves at the start of each game (default: 10).")
@click.option("--seed", type=Seed(), default=0, show_default=True, help="Seed of the random choices.")
@click.option("--format", "form", type=click.Choice(["csv", "jsonl", "npz"]), default="csv", show_default=True,
              help="Form of the data set.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False),
              help="File to write (default: stdout).")  # fmt: skip
@click.option("--force", is_flag=True, help="Replace a file that exists.")
def command(
    rules: Rules,
    tables: Path,
    seeds: range,
    count: int,
    how: str,
    depth: int | None,
    random_plies: int | None,
    seed: int,
    form: str,
    output: Path | None,
    force: bool,
) -> None:
    """Write positions with their value, bounds and distance, and the value of every move.

    The same options give the same data set. Positions are boards with the player to move first. Values are margins in
    seeds: a board's from the view of the player to move, a move's from the view of the player who makes it. Draws are
    independent, so a position may come twice. docs/data.md describes each form.
    """
    from databases.prober import open_tables
    from databases.samples import grade

    if how == "uniform" and (depth is not None or random_plies is not None):
        raise click.UsageError("--depth and --random-plies are for games: accepted with --selfplay")
    with open_tables(tables, rules) as opened:
        _require(opened, seeds)
        plies = 10 if random_plies is None else random_plies
        boards = _drawn(rules, seeds, count, how, depth or 6, plies, seed)
        with _destination(output, form, force) as out, progress_bar(count, "position", "sample") as bar:
            write = {"csv": _write_csv, "jsonl": _write_jsonl, "npz": _write_npz}[form]
            write(rules, (_counted(grade(opened, piece), bar) for piece in boards), out)


def _require(tables: Tables, seeds: range) -> None:
    """Refuse tiers that are not there before anything is drawn."""
    from databases.prober import MissingTierError

    for n in seeds:
        if n not in tables.tiers:
            raise MissingTierError(tables.directory, tables.rules, seeds.stop - 1)


def _drawn(rules: Rules, seeds: range, count: int, how: str, depth: int, random_plies: int, seed: int) -> Iterator[Any]:
    """The boards, in pieces."""
    from databases.samples import PIECE, uniform_boards

    if how == "uniform":
        yield from uniform_boards(rules.pits, seeds, count, _positive(seed))
        return
    import numpy as np

    from solver.oware.game import OwareGame
    from solver.oware.position import Position
    from solver.oware.selfplay import boards_in_play
    from solver.search.limits import Limits
    from solver.search.searcher import Searcher

    start = Position.start(rules)
    if seeds.stop - 1 > start.seeds:
        raise AbapaError(f"--seeds {seeds.stop - 1}: accepted with --selfplay are 0 to {start.seeds}, as games begin")
    searcher = Searcher(OwareGame(rules), hash_mib=1)
    boards = boards_in_play(searcher, start, Limits(depth), random_plies, seeds, seed)
    for first in range(0, count, PIECE):
        yield np.array(list(islice(boards, min(PIECE, count - first))), np.int8)


def _positive(seed: int) -> int:
    """A generator's seed: another one for each whole number, negative ones too."""
    return 2 * seed if seed >= 0 else -2 * seed - 1


def _counted(graded: Graded, bar: Any) -> Graded:
    bar.update(len(graded))
    return graded


@contextmanager
def _destination(output: Path | None, form: str, force: bool) -> Iterator[Any]:
    """Where the bytes go: the file asked for, written beside and renamed, or stdout."""
    if output is not None:
        with replaced_file(output, force=force) as file:
            yield file
        return
    if form == "npz" and sys.stdout.isatty():
        raise click.UsageError("npz does not go to a terminal: name a file with -o, or redirect stdout")
    yield sys.stdout.buffer
    sys.stdout.buffer.flush()


def _write_csv(rules: Rules, pieces: Iterator[Graded], out: Any) -> None:
    """A heading, then a row per position; empty where a house may not be played."""
    heading = True
    for graded in pieces:
        letters = [chr(ord("A") + house) for house in range(rules.pits)]
        if heading:
            columns = [f"{name}_{letter}" for name in graded.moves if name != "distance" for letter in letters]
            out.write((",".join(["position", "seeds", *graded.numbers, "best", *columns]) + "\n").encode())
            heading = False
        rows = []
        for k in range(len(graded)):
            legal = (graded.captured[k] >= 0).tolist()
            numbers = [str(int(of_boards[k])) for of_boards in graded.numbers.values()]
            of_moves = {name: values[k].tolist() for name, values in graded.moves.items() if name != "distance"}
            best = [
                letter
                for letter, may, value in zip(letters, legal, of_moves["value"], strict=True)
                if may and value == graded.numbers["value"][k]
            ]
            cells = [
                str(value) if may else ""
                for values in of_moves.values()
                for may, value in zip(legal, values, strict=True)
            ]
            board = graded.boards[k].tolist()
            rows.append(",".join(["-".join(map(str, board)), str(sum(board)), *numbers, "".join(best), *cells]))
        out.write(("\n".join(rows) + "\n").encode())


def _write_jsonl(rules: Rules, pieces: Iterator[Graded], out: Any) -> None:
    """An object per position, as ``abapa probe --json`` prints it."""
    from solver.cli.answers import board_json, moves_json, over_json
    from solver.cli.output import json_line
    from solver.oware.position import Position

    for graded in pieces:
        for k in range(len(graded)):
            position = Position(tuple(graded.boards[k].tolist()), rules=rules)
            over = position.result() is not None
            numbers = over_json(position) if over else {name: int(of[k]) for name, of in graded.numbers.items()}
            moves = moves_json(position, graded.moves_of(k))
            out.write((json_line(board_json(position) | numbers | {"moves": moves}) + "\n").encode())


def _write_npz(rules: Rules, pieces: Iterator[Graded], out: Any) -> None:
    """Arrays: boards, numbers, captured, and ``move_`` with each quantity of the moves."""
    import numpy as np

    graded = list(pieces)
    arrays: dict[str, Any] = {"rules": np.array(rules.id), "boards": np.concatenate([one.boards for one in graded])}
    arrays["captured"] = np.concatenate([one.captured for one in graded])
    for name in graded[0].numbers:
        kind = np.uint16 if name == "distance" else np.int8
        arrays[name] = np.concatenate([one.numbers[name] for one in graded]).astype(kind)
        arrays[f"move_{name}"] = np.concatenate([one.moves[name] for one in graded]).astype(kind)
    np.savez_compressed(out, **arrays)
