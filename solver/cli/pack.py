"""``abapa pack``: tables in compressed form."""

from __future__ import annotations

from pathlib import Path

import click

from solver.cli.options import Whole, rules_option, tables_option
from solver.cli.progress import progress_bar
from solver.errors import AbapaError
from solver.oware.rules import Rules


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
    byte by abapa unpack. abapa build counts it as there; the search and the proofs need plain tables. Tiers that are
    packed already are passed over. With --remove a plain table goes once its packed form has been read back whole.
    """
    from databases.files.archive import Archive
    from databases.files.faults import TableError
    from databases.files.folder import existing_folder, find_archives, find_tables
    from databases.files.lock import BuildLock
    from databases.prober import MissingTierError

    plain, packed = find_tables(tables, rules), find_archives(tables, rules)
    chosen = [n for n in sorted(plain.keys() | packed.keys()) if seeds in (None, n)]
    if not chosen:
        if seeds is not None:
            raise MissingTierError(tables, rules, seeds)
        raise AbapaError(f"no {rules.id} tables in {existing_folder(tables)}: abapa build makes them")
    total = sum(plain[n].stat().st_size for n in chosen if n in plain)
    with BuildLock(tables), progress_bar(total, "B", "pack") as bar:
        for n in chosen:
            target, said = packed.get(n), "packed already"
            if n in plain:
                target, said = _pack(plain[n], target, compression)
            assert target is not None
            with Archive.open(target) as table:
                bits = 8 * target.stat().st_size / table.positions / len(table.quantities)
                faults = table.check() if remove and n in plain else []
            if faults:
                kept = f"is damaged, so {plain[n].name} is kept: {faults[0]}"
                raise TableError(target, kept, "delete the packed table")
            if n in plain:
                bar.update(plain[n].stat().st_size)
                if remove:
                    plain[n].unlink()
            click.echo(f"{target}: {said}, {bits:.2f} bits a number")


def _pack(path: Path, packed: Path | None, compression: str) -> tuple[Path, str]:
    """Pack a table unless it is packed already, with the same numbers; the packed file, and what was done."""
    from databases.files.archive import Archive
    from databases.files.packing import pack
    from databases.files.table import Table

    with Table.open(path) as table:
        if packed is not None:
            with Archive.open(packed) as there:
                if there.header.digests == table.header.digests:
                    return packed, "packed already"
        target = pack(table, compression=compression)
        return target, f"{path.stat().st_size:,} bytes packed into {target.stat().st_size:,}"
