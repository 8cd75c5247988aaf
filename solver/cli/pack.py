"""``abapa pack``: tables in compressed form."""

from __future__ import annotations

from pathlib import Path

import click

from solver.cli.options import Whole, rules_option, tables_option
from solver.cli.progress import progress_bar
from solver.rules import Rules


@click.command
@rules_option
@tables_option
@click.option("--seeds", type=Whole(0), help="One tier; without it, all of the rule set.")
@click.option(
    "--compression",
    type=click.Choice(["gzip", "zstd"]),
    default="gzip",
    show_default=True,
    help="gzip is read by every HDF5 library; zstd is smaller and needs the extra abapa[zstd].",
)
@click.option("--remove", is_flag=True, help="Remove each plain table once its packed form is on the disk.")
def command(rules: Rules, tables: Path, seeds: int | None, compression: str, remove: bool) -> None:
    """Write tables in packed form, RULES-SEEDS.packed.h5, beside the plain ones.

    A packed table takes less than half the disk, answers abapa probe directly, more slowly, and is restored byte for
    byte by abapa unpack. The builder and the search need plain tables. Tiers that are packed already are passed over.
    """
    from databases.archive import PackedTable, pack
    from databases.folder import find_packed, find_tables
    from databases.lock import BuildLock
    from databases.prober import MissingTierError
    from databases.store import Table

    found, packed = find_tables(tables, rules), find_packed(tables, rules)
    chosen = {n: path for n, path in found.items() if seeds in (None, n)}
    if not chosen:
        raise MissingTierError(tables, rules, seeds or 0)
    with BuildLock(tables), progress_bar(sum(path.stat().st_size for path in chosen.values()), "B", "pack") as bar:
        for n, path in chosen.items():
            with Table.open(path) as table:
                target = packed[n] if n in packed else pack(table, compression=compression)
                quantities, positions = len(table.quantities), table.positions
            before, after = path.stat().st_size, target.stat().st_size
            if remove:
                PackedTable.open(target).close()
                path.unlink()
            bar.update(before)
            bits = 8 * after / positions / quantities
            said = "packed already" if n in packed else f"{before:,} bytes packed into {after:,}"
            click.echo(f"{target}: {said}, {bits:.2f} bits a number")
