"""Writes the golden tables: one small file per kind, in tests/data/tables/version-N for each format version N of today.

They are kept for ever, so that every later version is tested to read them (tests/databases/files/test_golden.py). Run
this once after a version was raised (docs/format.md says what raises it); files that exist are left alone.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from databases.builder.build import build_tables
from databases.files.folder import archive_path, find_tables, table_path
from databases.files.header import FORMAT_VERSION, HALF_VERSION, WINDOW_VERSION
from databases.files.packing import pack, pack_half
from databases.files.table import Table
from databases.omweso.solve import solve_small
from databases.omweso.tables import save_small
from databases.windows import Game
from solver.omweso.rules import OmwesoRules
from solver.oware.rules import Rules

TABLES = Path(__file__).resolve().parents[1] / "tests" / "data" / "tables"
OWARE = {"awari+pits=3": (5, False), "awari+pits=2": (5, True), "abapa+pits=3": (4, False)}
"""Rule id -> seeds, and whether with distances; abapa's tables have bounds."""
PACKED = "awari+pits=2"
GAMES = {"awari+pits=2": Game(5), "awari+pits=3": Game(5, margin=3), "abapa+pits=2": Game(6, margin=4)}
"""Rule id -> the game whose largest tier is kept, in a window of 2, 3 and 4 bits."""
HALF_GAME = "abapa+pits=2"
OMWESO = ("tournament+columns=2", 4)


def make_golden(folder: Path) -> dict[int, list[Path]]:
    """Make every golden table of today's in folders below ``folder``: files by version; smaller tiers lie beside."""
    full, cut, half = folder / "full", folder / "cut", folder / "half"
    return {FORMAT_VERSION: _make_full(full), WINDOW_VERSION: _make_cut(cut), HALF_VERSION: _make_half(half)}


def _make_half(folder: Path) -> list[Path]:
    """Archives of half of the boards, with the smaller tiers that they rest on: with distances, and in windows."""
    full, game = Rules.parse(PACKED), Rules.parse(HALF_GAME)
    build_tables(folder, full, OWARE[PACKED][0], distance=True)
    build_tables(folder, game, game=GAMES[HALF_GAME])
    files = []
    for rules in (full, game):
        for path in reversed(find_tables(folder, rules).values()):
            with Table.open(path) as table:
                files.append(pack_half(table))
    return files


def _make_cut(folder: Path) -> list[Path]:
    files = []
    for name, game in GAMES.items():
        rules = Rules.parse(name)
        build_tables(folder, rules, game=game)
        files.append(table_path(folder, rules, game.seeds, game.window(game.seeds)))
        if name == PACKED:
            with Table.open(files[-1]) as table:
                files.append(pack(table))
    return files


def _make_full(folder: Path) -> list[Path]:
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
    with TemporaryDirectory() as folder:
        for version, paths in make_golden(Path(folder)).items():
            target = TABLES / f"version-{version}"
            target.mkdir(parents=True, exist_ok=True)
            for path in paths:
                if not (target / path.name).exists():
                    shutil.copy(path, target)
                    print(f"wrote {target / path.name}")


if __name__ == "__main__":
    main()
