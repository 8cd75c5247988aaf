"""Tables written by earlier versions stay readable, and today's are the same files.

The files in tests/data/tables are kept for ever. ``version-N`` holds what scripts/write_golden_tables.py wrote when N
was the format version; ``version-1-early`` what the first Abapa wrote, with times and with strings of variable length.
"""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from databases.files.archive import Archive
from databases.files.header import FORMAT_VERSION, HALF_VERSION
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
    "version-3/abapa+pits=2-00.packed.h5": "9ca6fbae6b581ab43b1f2242f598d160246007a91d00b5b591b304cf5368c356",
    "version-3/abapa+pits=2-01.packed.h5": "47ccc6915042ff98b2b11b2235c0fcd75d6f8929b1f104ea1b9f7041bdbf56ca",
    "version-3/abapa+pits=2-02.packed.h5": "d2eaf7088dbef70dfcb937bb7ea759e2aca805965a073782c5947a1a1ddc94e9",
    "version-3/abapa+pits=2-03.packed.h5": "c98b9f2180af3a40a65d27cc4b93d520bdb984912524007f14043c61510d4711",
    "version-3/abapa+pits=2-04.packed.h5": "5ccd679d7e2942c352de033ba3215288c72553f36181010d0bd3bedc6e980526",
    "version-3/abapa+pits=2-06.w4.packed.h5": "90f0aa3b28a69177d49c27184e236fa30dc3eb9a1eb1870f4745eb6e94882887",
    "version-3/awari+pits=2-00.packed.h5": "85be7fca0391d99cb04dc11141c7733718cfa917bc42c0ca4b98afe65cc8bd8b",
    "version-3/awari+pits=2-01.packed.h5": "c122c7706e722fd89b8fe696695dd88124f12354e1d6ebf83f12c7e22084aba8",
    "version-3/awari+pits=2-02.packed.h5": "6fa968763a7f3ed1fa861376c8dc563f7f4bf94a3edeb2e264117475bf035833",
    "version-3/awari+pits=2-03.packed.h5": "76b1f4eeb2d994ec05df14c5d2a6c4b5398beadbb7ccbb68ed4ac6e2608100d1",
    "version-3/awari+pits=2-04.packed.h5": "0aeac0cfa07051e514656230e393ff8a243dc3f394f5827daaaa95afbfe910ad",
    "version-3/awari+pits=2-05.packed.h5": "53b9fa1a2acde360c181c71058ecd1465c68d07380de25d28dda1d336c43ecaa",
    "version-1-early/awari+pits=3-04.h5": "a87319a1b5e3f432971845f3a84157ac0c34ac1ee91dd8abc2ebafcfcced592c",
    "version-1-early/awari+pits=3-04.packed.h5": "861af606f8e6438db3600c28cba484a3d3c46adf04ceca9aed35f5ad6c8da969",
}

TWO_PITS = {(0, 0, 0, 5): (-5, 0), (0, 2, 2, 1): (5, 0), (0, 3, 1, 1): (5, 2), (1, 4, 0, 0): (-1, 1)}
WHO_WINS = {board: ((value > 0) - (value < 0),) for board, (value, _) in TWO_PITS.items()}
EARLY = {(0, 0, 0, 0, 0, 4): (-4, 0), (1, 0, 0, 1, 2, 0): (0, 0), (0, 2, 0, 0, 1, 1): (-2, 6)}
IN_WINDOW = {(0, 0, 0, 6): (-4, -4, -4), (0, 2, 2, 2): (-4, -4, -2), (1, 4, 1, 0): (4, 4, 4)}
OMWESO = {(0,) * 7 + (4,): (-1, 0), (0, 1, 1, 0, 0, 0, 1, 1): (-1, 0), (0, 4, 0, 0, 0, 0, 0, 0): (1, 1)}
NUMBERS: dict[str, dict[tuple[int, ...], tuple[int, ...]]] = {
    "version-1/abapa+pits=3-04.h5": {(0, 0, 0, 0, 0, 4): (-4, -4, -4), (1, 0, 0, 1, 2, 0): (-2, -4, 0)},
    "version-1/awari+pits=2-05.h5": TWO_PITS,
    "version-1/awari+pits=2-05.packed.h5": TWO_PITS,
    "version-1/awari+pits=3-05.h5": {(0, 0, 0, 0, 0, 5): (-5,), (0, 1, 1, 2, 1, 0): (3,), (1, 4, 0, 0, 0, 0): (-1,)},
    "version-1/tournament+columns=2-04.h5": OMWESO,
    "version-1/tournament+okukoneeza=off+columns=2-04.h5": OMWESO,
    "version-2/abapa+pits=2-06.w4.h5": IN_WINDOW,
    "version-2/awari+pits=2-05.w1.h5": WHO_WINS,
    "version-2/awari+pits=2-05.w1.packed.h5": WHO_WINS,
    "version-2/awari+pits=3-05.w3.h5": {(0, 0, 0, 0, 0, 5): (-3,), (0, 1, 1, 2, 1, 0): (3,), (1, 4, 0, 0, 0, 0): (-1,)},
    "version-3/abapa+pits=2-06.w4.packed.h5": IN_WINDOW,
    "version-3/awari+pits=2-05.packed.h5": TWO_PITS,
    "version-1-early/awari+pits=3-04.h5": EARLY,
    "version-1-early/awari+pits=3-04.packed.h5": EARLY,
}
"""Every quantity of some boards, in the order of ``quantities``."""
BENEATH = {name for name in HASHES if name.startswith("version-3/")} - NUMBERS.keys()
"""Smaller tiers that archives of half of the boards rest on."""


def opened(path: Path) -> FinishedTable:
    return Archive.open(path) if path.name.endswith(".packed.h5") else Table.open(path)


def test_every_golden_file_is_held_here_and_every_version_has_some() -> None:
    files = {str(path.relative_to(TABLES)) for path in TABLES.rglob("*.h5")}
    assert files == HASHES.keys() == NUMBERS.keys() | BENEATH
    for version in range(1, HALF_VERSION + 1):
        assert any(name.startswith(f"version-{version}/") for name in files)


@pytest.mark.parametrize("name", HASHES)
def test_a_golden_file_is_what_it_was_and_is_read(name: str) -> None:
    assert hashlib.sha256((TABLES / name).read_bytes()).hexdigest() == HASHES[name]
    with opened(TABLES / name) as table:
        assert table.check() == []
        for board, numbers in NUMBERS.get(name, {}).items():
            assert tuple(table.read(quantity, board_index(board)) for quantity in table.quantities) == numbers


@pytest.mark.parametrize("name", [name for name in NUMBERS if name.endswith(".packed.h5")])
def test_a_golden_archive_is_unpacked_to_its_table(name: str, tmp_path: Path) -> None:
    """The plain file is beside it, or one that an earlier version has."""
    folder = shutil.copytree((TABLES / name).parent, tmp_path / "tables")
    earlier = "version-[12]" if "version-3" in name else Path(name).parent
    (plain,) = TABLES.glob(f"{earlier}/{Path(name).name.replace('.packed', '')}")
    (folder / plain.name).unlink(missing_ok=True)
    with Archive.open(folder / Path(name).name) as archive:
        assert unpack(archive).read_bytes() == plain.read_bytes()


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
