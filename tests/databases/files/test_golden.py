"""Tables written by earlier versions stay readable, and today's are the same files.

The files in tests/data/tables are kept for ever. ``version-N`` holds what scripts/write_golden_tables.py wrote when N
was the format version; ``version-1-early`` what the first Abapa wrote, with times and with strings of variable length.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from databases.files.archive import Archive
from databases.files.header import FORMAT_VERSION, WINDOW_VERSION
from databases.files.packing import unpack
from databases.files.table import FinishedTable, Table
from databases.omweso.solve import outcome
from databases.omweso.tables import SmallTables
from databases.prober import open_tables
from databases.tiers import board_index
from scripts.write_golden_tables import TABLES, make_golden
from solver.omweso.position import OmwesoPosition
from solver.omweso.rules import OmwesoRules
from solver.oware.rules import Rules

HASHES = {
    "version-1/abapa+pits=3-04.h5": "fd1122f101f1bc74f15a70a5527cf1e7806a2c24f9691c9bd52479b1fe4af7f5",
    "version-1/awari+pits=2-05.h5": "e90ea5cb94159d0aab6806a1cd84ea129e3055f0b3f64f7e6023780328736ded",
    "version-1/awari+pits=2-05.packed.h5": "bf63f5bb03bff87241c16be9077b97a35851662a2fc9f2c8e0879e50c6784236",
    "version-1/awari+pits=3-05.h5": "1cb3a162a365251a73b8fb7650fb805fb0e1a77a93cb628c9ae3cc5e0c368dba",
    "version-1/tournament+columns=2-04.h5": "22f56cab216b7e15f4454e5308919629a550fb9a220496aba2d5370e00bb945d",
    "version-1/tournament+okukoneeza=off+columns=2-04.h5": (
        "cfafbc503464eac5c0012d1396ef139ba3e27ba0e9a3220c93d624ff2626707f"
    ),
    "version-2/abapa+pits=2-06.w4.h5": "bb8a99acfde7c0cad90e88259ef58fe943650bf0cf62faeab7ee45dc78b861a1",
    "version-2/awari+pits=2-05.w1.h5": "2492be799a75f21fc0451c221bc9a6b33ff8d62dcf0dbdc710b42c4036389a68",
    "version-2/awari+pits=2-05.w1.packed.h5": "8b0ef307fa9be11021dda919cd5bd7e0ed7e950de923f2a0df74918d0cef27ce",
    "version-2/awari+pits=3-05.w3.h5": "04bd37cc7d7d13017b2e73d3805138ce30dc19c3209619d8407183e057fc88fc",
    "version-1-early/awari+pits=3-04.h5": "a87319a1b5e3f432971845f3a84157ac0c34ac1ee91dd8abc2ebafcfcced592c",
    "version-1-early/awari+pits=3-04.packed.h5": "861af606f8e6438db3600c28cba484a3d3c46adf04ceca9aed35f5ad6c8da969",
}

TWO_PITS = {(0, 0, 0, 5): (-5, 0), (0, 2, 2, 1): (5, 0), (0, 3, 1, 1): (5, 2), (1, 4, 0, 0): (-1, 1)}
WHO_WINS = {board: ((value > 0) - (value < 0),) for board, (value, _) in TWO_PITS.items()}
EARLY = {(0, 0, 0, 0, 0, 4): (-4, 0), (1, 0, 0, 1, 2, 0): (0, 0), (0, 2, 0, 0, 1, 1): (-2, 6)}
OMWESO = {(0,) * 7 + (4,): (-1, 0), (0, 1, 1, 0, 0, 0, 1, 1): (-1, 0), (0, 4, 0, 0, 0, 0, 0, 0): (1, 1)}
NUMBERS: dict[str, dict[tuple[int, ...], tuple[int, ...]]] = {
    "version-1/abapa+pits=3-04.h5": {(0, 0, 0, 0, 0, 4): (-4, -4, -4), (1, 0, 0, 1, 2, 0): (-2, -4, 0)},
    "version-1/awari+pits=2-05.h5": TWO_PITS,
    "version-1/awari+pits=2-05.packed.h5": TWO_PITS,
    "version-1/awari+pits=3-05.h5": {(0, 0, 0, 0, 0, 5): (-5,), (0, 1, 1, 2, 1, 0): (3,), (1, 4, 0, 0, 0, 0): (-1,)},
    "version-1/tournament+columns=2-04.h5": OMWESO,
    "version-1/tournament+okukoneeza=off+columns=2-04.h5": OMWESO,
    "version-2/abapa+pits=2-06.w4.h5": {
        (0, 0, 0, 6): (-4, -4, -4),
        (0, 2, 2, 2): (-4, -4, -2),
        (1, 4, 1, 0): (4, 4, 4),
    },
    "version-2/awari+pits=2-05.w1.h5": WHO_WINS,
    "version-2/awari+pits=2-05.w1.packed.h5": WHO_WINS,
    "version-2/awari+pits=3-05.w3.h5": {(0, 0, 0, 0, 0, 5): (-3,), (0, 1, 1, 2, 1, 0): (3,), (1, 4, 0, 0, 0, 0): (-1,)},
    "version-1-early/awari+pits=3-04.h5": EARLY,
    "version-1-early/awari+pits=3-04.packed.h5": EARLY,
}
"""Every quantity of some boards, in the order of ``quantities``."""


def opened(path: Path) -> FinishedTable:
    return Archive.open(path) if path.name.endswith(".packed.h5") else Table.open(path)


def test_every_golden_file_is_held_here_and_every_version_has_some() -> None:
    files = {str(path.relative_to(TABLES)) for path in TABLES.rglob("*.h5")}
    assert files == HASHES.keys() == NUMBERS.keys()
    for version in range(1, WINDOW_VERSION + 1):
        assert any(name.startswith(f"version-{version}/") for name in files)


@pytest.mark.parametrize("name", HASHES)
def test_a_golden_file_is_what_it_was_and_is_read(name: str) -> None:
    assert hashlib.sha256((TABLES / name).read_bytes()).hexdigest() == HASHES[name]
    with opened(TABLES / name) as table:
        assert table.check() == []
        for board, numbers in NUMBERS[name].items():
            assert tuple(table.read(quantity, board_index(board)) for quantity in table.quantities) == numbers


@pytest.mark.parametrize("name", [name for name in HASHES if name.endswith(".packed.h5")])
def test_a_golden_archive_is_unpacked_to_its_table(name: str, tmp_path: Path) -> None:
    copy = tmp_path / Path(name).name
    copy.write_bytes((TABLES / name).read_bytes())
    with Archive.open(copy) as archive:
        assert unpack(archive).read_bytes() == (TABLES / name.replace(".packed", "")).read_bytes()


def test_golden_tables_are_asked_as_all_tables_are() -> None:
    with open_tables(TABLES / "version-1", Rules.parse("awari+pits=2")) as tables:
        for board, (value, distance) in TWO_PITS.items():
            assert (tables.probe(board).value, tables.probe(board).distance) == (value, distance)
    rules = OmwesoRules.parse("tournament+columns=2")
    small = SmallTables(TABLES / "version-1", rules, 4)
    for board, expected in OMWESO.items():
        assert outcome(small.plies(OmwesoPosition(board[:4], board[4:], rules))) == expected


def test_the_same_tables_are_the_same_files_today(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Byte for byte, under the name of the Abapa that wrote them.

    Of archives all is compared but the compressed streams, which depend on the zlib at hand.
    """
    with opened(next(TABLES.glob(f"version-{FORMAT_VERSION}/*.h5"))) as table:
        monkeypatch.setattr("databases.files.header.__version__", table.attributes["builder"].removeprefix("abapa "))
    for version, paths in make_golden(tmp_path).items():
        made = {path.name: path for path in paths}
        kept = {path.name: path for path in TABLES.glob(f"version-{version}/*.h5")}
        assert made.keys() == kept.keys()
        assert_same_files(made, kept)


def assert_same_files(made: dict[str, Path], kept: dict[str, Path]) -> None:
    for name, path in made.items():
        if not name.endswith(".packed.h5"):
            assert path.read_bytes() == kept[name].read_bytes(), name
            continue
        with Archive.open(path) as new, Archive.open(kept[name]) as old:
            assert new.header.digests == old.header.digests and new.offsets == old.offsets
            assert new.frame().tobytes() == old.frame().tobytes()
            assert {key: str(value) for key, value in new.attributes.items()} == {
                key: str(value) for key, value in old.attributes.items()
            }
