"""``abapa pack``: write tables in packed (compressed) form."""

from __future__ import annotations

from pathlib import Path

import click

from solver.cli.options import tiers_options
from solver.cli.progress import progress_bar
from solver.errors import AbapaError
from solver.oware.rules import Rules


@click.command
@tiers_options
@click.option("--compression", type=click.Choice(["half", "gzip", "zstd"]), default="half", show_default=True,
              help="half: keep half of the boards; the others follow from them and from smaller tiers. "
              "gzip and zstd: keep all. Every HDF5 library reads gzip; zstd needs the extra abapa[zstd].")  # fmt: skip
@click.option("--remove", is_flag=True, help="Remove each plain table after its packed form has been written.")
def command(rules: Rules, tables: Path, seeds: int | None, compression: str, remove: bool) -> None:
    """Write tables in packed form, RULES-SEEDS.packed.h5, beside the plain ones.

    \b
    A packed table
    - takes a fifth of the disk (with gzip less than half);
    - needs the tables of the smaller tiers beside it, plain or packed (with gzip it needs none);
    - answers abapa probe directly, but more slowly;
    - counts as existing for abapa build; searches and builds unpack it for as long as they run;
    - is not read by the proofs of abapa verify;
    - is restored byte for byte by abapa unpack.

    Tiers that are already packed are skipped. --remove removes a plain table only after the whole packed form has been
    read back and found right.
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
        for n in reversed(chosen):  # so that smaller tiers are plain as long as larger ones rest on them
            target, said = packed.get(n), "already packed"
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
            click.echo(f"{target}: {said}, {bits:.2f} bits per number")


def _pack(path: Path, packed: Path | None, compression: str) -> tuple[Path, str]:
    """Pack a table unless it is packed already, with the same numbers; the packed file, and what was done."""
    from databases.files.archive import Archive
    from databases.files.packing import pack, pack_half
    from databases.files.table import Table

    with Table.open(path) as table:
        if packed is not None:
            with Archive.open(packed) as there:
                if there.header.digests == table.header.digests:
                    return packed, "already packed"
        target = pack_half(table) if compression == "half" else pack(table, compression=compression)
        return target, f"{path.stat().st_size:,} bytes packed into {target.stat().st_size:,}"
