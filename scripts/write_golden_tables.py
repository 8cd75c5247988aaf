"""Writes the golden tables: one small file per kind, in tests/data/tables/version-N, N the format version of today.

They are kept for ever, so that every later version is tested to read them (tests/databases/files/test_golden.py). Run
this once after FORMAT_VERSION was raised (docs/format.md says what raises it); files that exist are left alone.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from databases.builder.build import build_tables
from databases.files.folder import archive_path, table_path
from databases.files.header import FORMAT_VERSION
from databases.files.packing import pack
from databases.files.table import Table
from databases.omweso.solve import solve_small
from databases.omweso.tables import save_small
from solver.omweso.rules import OmwesoRules
from solver.oware.rules import Rules

TABLES = Path(__file__).resolve().parents[1] / "tests" / "data" / "tables"
OWARE = {"awari+pits=3": (5, False), "awari+pits=2": (5, True), "abapa+pits=3": (4, False)}
"""Rule id -> seeds, and whether with distances; abapa's tables have bounds."""
PACKED = "awari+pits=2"
OMWESO = ("tournament+columns=2", 4)


def make_golden(folder: Path) -> list[Path]:
    """Make every golden table of today's format in ``folder`` and return the files; smaller tiers lie beside them."""
    files = []
    for name, (seeds, distance) in OWARE.items():
        rules = Rules.parse(name)
        build_tables(folder, rules, seeds, distance=distance)
        files.append(table_path(folder, rules, seeds))
        if name == PACKED:
            with Table.open(files[-1]) as table:
                files.append(pack(table))
            assert files[-1] == archive_path(folder, rules, seeds)
    name, seeds = OMWESO
    return files + save_small(solve_small(OmwesoRules.parse(name), seeds), folder, 0.0)


def main() -> None:
    """Write those that are not there."""
    target = TABLES / f"version-{FORMAT_VERSION}"
    target.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder:
        for path in make_golden(Path(folder)):
            if not (target / path.name).exists():
                shutil.copy(path, target)
                print(f"wrote {target / path.name}")


if __name__ == "__main__":
    main()
