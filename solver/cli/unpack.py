"""``abapa unpack``: packed tables back in plain form."""

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
@click.option("--remove", is_flag=True, help="Remove each packed table once the plain one is on the disk.")
def command(rules: Rules, tables: Path, seeds: int | None, remove: bool) -> None:
    """Restore plain tables, RULES-SEEDS.h5, from packed ones, byte for byte; those that are there are kept.

    With --remove a packed table goes only if the plain one holds the same numbers, by its hashes.
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
            said = "unpacked" if n not in plain else "there already" if same else "there already, with other numbers"
            click.echo(f"{target}: {said}")
            if remove and not same:
                raise AbapaError(f"{path} is kept: {target} holds other numbers; remove the one that you do not want")
            if faults:
                raise TableError(target, f"is damaged, so {path.name} is kept: {faults[0]}", "delete the plain table")
            if remove:
                path.unlink()
