"""``abapa unpack``: restore plain tables from packed ones."""

from __future__ import annotations

from pathlib import Path

import click

from solver.cli.options import tiers_options
from solver.cli.progress import progress_bar
from solver.errors import AbapaError
from solver.oware.rules import Rules


@click.command
@tiers_options
@click.option("--remove", is_flag=True, help="Remove each packed table after the plain one has been written.")
def command(rules: Rules, tables: Path, seeds: int | None, remove: bool) -> None:
    """Restore plain tables, RULES-SEEDS.h5, from packed ones, byte for byte.

    Existing tables are kept. --remove removes a packed table only if the hashes of the plain one show the same numbers.
    """
    from databases.files.archive import Archive
    from databases.files.faults import TableError
    from databases.files.folder import existing_folder, find_archives, find_tables
    from databases.files.lock import BuildLock
    from databases.files.packing import unpack
    from databases.files.table import Table

    plain = find_tables(tables, rules)
    chosen = {n: path for n, path in find_archives(tables, rules).items() if seeds in (None, n)}
    if not chosen:
        which = f"of {seeds} seeds " if seeds is not None else ""
        raise AbapaError(f"no packed {rules.id} table {which}in {existing_folder(tables)}")
    with BuildLock(tables), progress_bar(sum(path.stat().st_size for path in chosen.values()), "B", "unpack") as bar:
        for n, path in chosen.items():
            with Archive.open(path) as packed:
                target = plain[n] if n in plain else unpack(packed)
                with Table.open(target) as table:
                    same = table.header.digests == packed.header.digests
                    faults = table.check() if same and remove and n in plain else []
            bar.update(path.stat().st_size)
            said = "unpacked" if n not in plain else "already there" if same else "already there, with other numbers"
            click.echo(f"{target}: {said}")
            if remove and not same:
                raise AbapaError(f"{path} is kept: {target} holds other numbers; remove the one you do not want")
            if faults:
                raise TableError(target, f"is damaged, so {path.name} is kept: {faults[0]}", "delete the plain table")
            if remove:
                path.unlink()
