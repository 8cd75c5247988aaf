"""``abapa check``: whether tables are what was written, by hashing them again."""

from __future__ import annotations

from operator import itemgetter
from pathlib import Path

import click

from solver.cli.options import Whole, json_option, rules_option, tables_option
from solver.cli.output import print_json
from solver.cli.progress import progress_bar
from solver.rules import Rules


@click.command
@rules_option
@tables_option
@click.option("--seeds", type=Whole(0), help="One tier; without it, all of the rule set.")
@json_option
def command(rules: Rules, tables: Path, seeds: int | None, as_json: bool) -> None:
    """Hash tables again and compare with the hashes stored in them.

    This finds what a disk or a copy did to a table; that its numbers are right is for abapa verify. Exit code 2 when a
    table is damaged.
    """
    from databases.archive import PackedTable
    from databases.folder import find_packed, find_tables
    from databases.prober import MissingTierError
    from databases.store import Table, TableError

    files = [(n, path, Table) for n, path in find_tables(tables, rules).items()]
    files += [(n, path, PackedTable) for n, path in find_packed(tables, rules).items()]
    chosen = sorted(((n, path, kind) for n, path, kind in files if seeds in (None, n)), key=itemgetter(0))
    if not chosen:
        raise MissingTierError(tables, rules, seeds or 0)
    damaged = []
    with progress_bar(total=sum(path.stat().st_size for _, path, _ in chosen), unit="B", what="check") as bar:
        for n, path, kind in chosen:
            try:
                with kind.open(path) as table:
                    faults = table.check()
            except TableError as error:
                faults = [str(error)]
            bar.update(path.stat().st_size)
            if faults:
                damaged.append(n)
            if as_json:
                print_json({"rules": rules.id, "seeds": n, "file": str(path), "right": not faults, "faults": faults})
            else:
                click.echo(f"{path}: {'; '.join(faults) or 'right'}")
    if damaged:
        remedy = f"delete the file and run: abapa build --rules {rules.id} --seeds {max(damaged)} --tables {tables}"
        raise TableError(f"{len(damaged)} of {len(chosen)} tables are damaged: {remedy}")
