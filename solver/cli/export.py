"""``abapa export``: one quantity of a tier as raw numbers."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from solver.cli.options import rules_option, tables_option
from solver.errors import AbapaError
from solver.rules import Rules


@click.command
@rules_option
@tables_option
@click.option("--seeds", type=click.IntRange(0), required=True, help="The tier.")
@click.option(
    "--quantity",
    type=click.Choice(["value", "lower", "upper", "distance"]),
    default="value",
    show_default=True,
    help="What to write.",
)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="File to write; without it, stdout."
)
@click.option("--force", is_flag=True, help="Replace a file that exists.")
def command(rules: Rules, tables: Path, seeds: int, quantity: str, output: Path | None, force: bool) -> None:
    """Write a tier's numbers as they are: int8, a byte a board in index order (distance: uint16, little endian).

    docs/format.md says which board is where.
    """
    from databases.prober import open_tables

    with open_tables(tables, rules) as opened:
        table = opened.tiers.get(seeds)
        if table is not None and quantity not in table.quantities:
            raise AbapaError(f"{table.path} holds {', '.join(table.quantities)}, not {quantity}")
        numbers = opened.map(seeds, quantity).data.cast("B")
        if output is None:
            if sys.stdout.isatty():
                raise click.UsageError("raw bytes do not go to a terminal: name a file with -o, or redirect stdout")
            sys.stdout.buffer.write(numbers)
            sys.stdout.buffer.flush()
            return
        if output.exists() and not force:
            raise AbapaError(f"{output} exists: --force replaces it")
        part = output.with_name(output.name + ".part")
        try:
            part.write_bytes(numbers)
            part.replace(output)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise AbapaError(f"cannot write {output}: {error.strerror or error}") from error
