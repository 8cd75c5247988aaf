"""``abapa check``: whether tables are what was written, by hashing them again."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from solver.cli.options import json_option, tiers_options
from solver.cli.output import print_json
from solver.cli.progress import progress_bar
from solver.errors import AbapaError
from solver.oware.rules import Rules

if TYPE_CHECKING:
    from databases.files.archive import Archive
    from databases.files.folder import TableName
    from databases.files.table import Table


@click.command
@tiers_options
@json_option
def command(rules: Rules, tables: Path, seeds: int | None, as_json: bool) -> None:
    """Compute the hashes of tables again and compare them with the stored ones.

    This finds what a disk or a copy has done to a table. Whether its numbers are right is a question for abapa verify.
    The exit code is 2 if a table is damaged or cannot be read. The last line then says what to do.
    """
    from databases.files.archive import Archive
    from databases.files.folder import ARCHIVE_SUFFIX, existing_folder, find_files
    from databases.files.table import Table
    from databases.prober import MissingTierError

    files = [(name, path, Table) for name, path in find_files(tables, rules).items()]
    files += [(name, path, Archive) for name, path in find_files(tables, rules, ARCHIVE_SUFFIX).items()]
    chosen = sorted(
        ((name, path, kind) for name, path, kind in files if seeds in (None, name.seeds)), key=itemgetter(0)
    )
    if not chosen:
        if seeds is not None:
            raise MissingTierError(tables, rules, seeds)
        raise AbapaError(f"no {rules.id} tables in {existing_folder(tables)}: abapa build makes them")
    checked = []
    with progress_bar(total=sum(_size(path) for _, path, _ in chosen), unit="B", what="check") as bar:
        for name, path, kind in chosen:
            found = _check(name, path, kind)
            checked.append(found)
            bar.update(_size(path))
            if as_json:
                print_json({"rules": rules.id, "seeds": name.seeds, "file": str(path)} | found.json)
            else:
                click.echo(f"{path}: {found.words}")
    wrong = [found for found in checked if found.faults]
    if wrong:
        raise AbapaError("; ".join(_remedies(checked, rules, tables)))


@dataclass(frozen=True)
class Checked:
    """What was found of one file: no faults, or what they are and what to do about them."""

    name: TableName
    path: Path
    faults: tuple[str, ...] = ()
    remedy: str = ""
    quantities: tuple[str, ...] = ()
    """What it holds; nothing where it could not be opened."""
    packed: bool = False

    @property
    def damaged(self) -> bool:
        """Whether the file is of no use, so that deleting it loses nothing."""
        from databases.files.faults import REBUILD

        return self.remedy == REBUILD

    @property
    def words(self) -> str:
        """In a line, for people."""
        remedy = f" ({self.remedy})" if self.remedy and not self.damaged else ""
        return f"{'; '.join(self.faults)}{remedy}" if self.faults else "right"

    @property
    def json(self) -> dict[str, Any]:
        """For programs."""
        state = "right" if not self.faults else "damaged" if self.damaged else "unusable"
        return {"right": not self.faults, "state": state, "faults": list(self.faults)}


def _check(name: TableName, path: Path, kind: type[Table] | type[Archive]) -> Checked:
    from databases.files.archive import Archive
    from databases.files.faults import REBUILD, TableError

    packed = kind is Archive
    try:
        with kind.open(path) as table:
            faults = tuple(table.check())
            return Checked(name, path, faults, REBUILD if faults else "", table.quantities, packed)
    except TableError as error:
        return Checked(name, path, (error.fault,), error.remedy, packed=packed)
    except AbapaError as error:  # a filter that is not installed
        return Checked(name, path, (str(error).removeprefix(f"{path}: "),), packed=packed)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _remedies(checked: list[Checked], rules: Rules, tables: Path) -> list[str]:
    """What to do about files that are not right, shortest way first: a clause for each kind."""
    right = {(found.name, found.packed) for found in checked if not found.faults}
    damaged = [found for found in checked if found.damaged]
    twins = [found for found in damaged if (found.name, not found.packed) in right]
    lost = [found for found in damaged if found not in twins]
    where = ["--rules", rules.id, "--tables", str(tables)]
    commands = [["abapa", "pack" if packed else "unpack", *where]
                for packed in (False, True) if any(found.packed == packed for found in twins)]  # fmt: skip
    for option, some in _lost_by_option(lost):
        what = [option, str(max(number for number, _ in some))]
        options = _quantity_options([found for _, found in some], checked, rules)
        commands.append(["abapa", "build", *where[:2], *what, *options, *where[2:]])
    clauses = []
    if damaged:
        run = " and ".join(shlex.join(command) for command in commands)
        files = "the file" if len(damaged) == 1 else "the files"
        clauses.append(f"{len(damaged)} of {len(checked)} tables are damaged: delete {files} and run: {run}")
    if others := [found for found in checked if found.faults and not found.damaged]:
        names = ", ".join(found.path.name for found in others)
        clauses.append(f"{len(others)} of {len(checked)} could not be checked, and may be right: {names}")
    return clauses


def _lost_by_option(lost: list[Checked]) -> list[tuple[str, list[tuple[int, Checked]]]]:
    """Which option of abapa build makes which lost tables, with the number that each needs of it."""
    from databases.windows import WHOLE

    full = [(found.name.seeds, found) for found in lost if found.name.window == WHOLE]
    cut = [(found.name.seeds + found.name.window - 1, found) for found in lost if found.name.window != WHOLE]
    return [(option, some) for option, some in (("--seeds", full), ("--game", cut)) if some]


def _quantity_options(lost: list[Checked], checked: list[Checked], rules: Rules) -> list[str]:
    """The options of abapa build that make tables such as these were, or such as the others are."""
    names = {name for found in lost for name in found.quantities}
    names = names or {name for found in checked for name in found.quantities}
    options = ["--distance"] if "distance" in names else []
    return [*options, "--no-bounds"] if rules.has_bounds and names and "lower" not in names else options
