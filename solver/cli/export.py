"""``abapa export``: one quantity of a tier as raw bytes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from solver.cli.options import RealFile, Whole, rules_option, tables_option
from solver.errors import AbapaError
from solver.files import replaced_file
from solver.oware.rules import Rules

if TYPE_CHECKING:
    from databases.files.table import FinishedTable


@click.command
@rules_option
@tables_option
@click.option("--seeds", type=Whole(0), required=True, help="The tier to write.")
@click.option("--quantity", type=click.Choice(["value", "lower", "upper", "distance"]), default="value",
              show_default=True, help="Numbers to write.")  # fmt: skip
@click.option("--form", type=click.Choice(["abapa", "scores"]), default="abapa", show_default=True,
              help="Order of the boards. scores: that of the Vrije Universiteit's files scores.N.")  # fmt: skip
@click.option("-o", "--output", type=RealFile(),
              help="File to write (default: stdout).")  # fmt: skip
@click.option("--force", is_flag=True, help="Replace an existing file.")
def command(rules: Rules, tables: Path, seeds: int, quantity: str, form: str, output: Path | None, force: bool) -> None:
    """Write the numbers of a tier as raw bytes, in the order of the boards' indexes.

    Margins are int8, one byte per board; distances are uint16, little endian. docs/format.md says which board has which
    index.

    --form scores writes awari's values as a file that abapa import and abapa compare read (call it scores.N). It leaves
    out the boards whose opponent row has no empty house.
    """
    from databases.prober import MissingTierError, open_tables

    if force and output is None:
        raise click.UsageError("--force replaces a file: accepted is --force -o FILE")
    with open_tables(tables, rules) as opened:
        if seeds not in opened.tiers:
            raise MissingTierError(tables, rules, seeds)
        table = opened.tiers[seeds]
        if quantity not in table.quantities:
            raise AbapaError(f"{table.path} holds {', '.join(table.quantities)}, not {quantity}")
        write = _write
        if form == "scores":
            write = _write_scores
            if quantity != "value":
                raise AbapaError(f"--form scores holds value, not {quantity}")
            opened.want_full([seeds], "--form scores")
            if seeds not in opened.mapped:
                raise AbapaError(f"{table.path} is packed: abapa unpack restores the plain table")
        if output is None:
            if sys.stdout.isatty():
                raise click.UsageError(
                    "raw bytes are not written to a terminal: name a file with -o, or redirect stdout"
                )
            write(table, quantity, sys.stdout.buffer)
        else:
            with replaced_file(output, force=force) as out:
                write(table, quantity, out)


def _write(table: FinishedTable, quantity: str, out: BinaryIO) -> None:
    if quantity == "distance":
        for chunk in table.chunks(quantity):
            out.write(chunk)
    else:
        for margins in table.margins(quantity):
            out.write(margins.tobytes())
    out.flush()


def _write_scores(table: FinishedTable, quantity: str, out: BinaryIO) -> None:
    from databases.files.table import Table
    from databases.interchange import export_scores

    assert isinstance(table, Table)
    export_scores(table, out)
    out.flush()
