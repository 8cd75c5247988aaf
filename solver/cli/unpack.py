"""``abapa unpack``: packed tables back in plain form."""

from __future__ import annotations

from pathlib import Path

import click

from solver.cli.options import Whole, rules_option, tables_option
from solver.cli.progress import progress_bar
from solver.errors import AbapaError
from solver.rules import Rules


@click.command
@rules_option
@tables_option
@click.option("--seeds", type=Whole(0), help="One tier; without it, all of the rule set.")
@click.option("--remove", is_flag=True, help="Remove each packed table once the plain one is on the disk.")
def command(rules: Rules, tables: Path, seeds: int | None, remove: bool) -> None:
    """Restore plain tables, RULES-SEEDS.h5, from packed ones, byte for byte; those that are there are kept."""
    from databases.archive import PackedTable, unpack
    from databases.folder import find_packed, find_tables
    from databases.lock import BuildLock

    plain = find_tables(tables, rules)
    chosen = {n: path for n, path in find_packed(tables, rules).items() if seeds in (None, n)}
    if not chosen:
        which = f"of {seeds} seeds " if seeds is not None else ""
        raise AbapaError(f"no packed {rules.id} table {which}in {tables}")
    with BuildLock(tables), progress_bar(sum(path.stat().st_size for path in chosen.values()), "B", "unpack") as bar:
        for n, path in chosen.items():
            with PackedTable.open(path) as packed:
                target = plain[n] if n in plain else unpack(packed)
            bar.update(path.stat().st_size)
            if remove:
                path.unlink()
            click.echo(f"{target}: {'there already' if n in plain else 'unpacked'}")
