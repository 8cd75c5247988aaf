"""Archives of half of the boards: the same answers as plain tables, and the same bytes when unpacked."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from databases.builder.build import build_tables
from databases.files.archive import Archive, HalfArchive
from databases.files.faults import TableError
from databases.files.folder import archive_path, find_archives, find_tables, table_path
from databases.files.header import HALF_VERSION
from databases.files.packing import pack, pack_half, unpack
from databases.files.table import Table
from databases.files.tiles import tiling
from databases.files.writer import TableWriter
from databases.prober import MissingTierError, open_tables
from databases.tiers import board_at, tier_size
from databases.windows import Game
from solver.errors import AbapaError
from solver.oware.rules import AWARI, Rules
from tests.databases.table_files import write_tables

RULES = Rules.parse("abapa+pits=4")
QUANTITIES = ("value", "lower", "upper", "distance")
TOP = 9


def packed_down(folder: Path, rules: Rules, keep: int = 0) -> None:
    """Pack every table in half, the largest first; those of ``keep`` seeds and more lose their plain form."""
    for seeds, path in sorted(find_tables(folder, rules).items(), reverse=True):
        with Table.open(path) as table:
            pack_half(table)
        if seeds >= keep:
            path.unlink()


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tiers 0..9 with every quantity."""
    folder = tmp_path_factory.mktemp("plain")
    write_tables(folder, RULES, TOP, QUANTITIES)
    return folder


@pytest.fixture(scope="module")
def made(plain: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same as archives of half of the boards, and none else."""
    folder = shutil.copytree(plain, tmp_path_factory.mktemp("half") / "tables")
    packed_down(folder, RULES)
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A copy to damage."""
    return shutil.copytree(made, tmp_path / "tables")


def test_unpacking_restores_every_byte(plain: Path, folder: Path) -> None:
    for n in (TOP, *range(TOP)):  # the largest by scratch files alone, the others from what is plain by then
        with Archive.open(archive_path(folder, RULES, n)) as table:
            assert isinstance(table, HalfArchive) and table.attributes["format_version"] == HALF_VERSION
            assert table.check() == []
            assert unpack(table).read_bytes() == table_path(plain, RULES, n).read_bytes()
    assert len(list(folder.iterdir())) == 2 * (TOP + 1)


@pytest.mark.parametrize(
    ("rules", "seeds"),
    [
        ("awari+pits=1", 7),
        ("awari+grand-slam=capture+pits=2", 9),
        ("abapa+grand-slam=forbidden+pits=3", 7),
        ("awari+grand-slam=forfeit+pits=3", 8),
        ("awari", 7),
        ("abapa+pits=8", 4),
    ],
)
def test_every_rule_set(rules: str, seeds: int, tmp_path: Path) -> None:
    """Packing reads everything back; the boards are those of the plain file."""
    chosen = Rules.parse(rules)
    build_tables(tmp_path, chosen, seeds, distance=True)
    before = {n: path.read_bytes() for n, path in find_tables(tmp_path, chosen).items()}
    packed_down(tmp_path, chosen)
    for n, path in find_archives(tmp_path, chosen).items():
        with Archive.open(path) as table:
            assert unpack(table).read_bytes() == before[n]


@pytest.mark.parametrize(
    ("rules", "game"), [("abapa+pits=3", Game(9, 2)), ("awari+pits=4", Game(10, 3)), ("awari+pits=2", Game(8))]
)
def test_windows(rules: str, game: Game, tmp_path: Path) -> None:
    """Margins of two to four bits, and of a byte, cut to their windows."""
    chosen = Rules.parse(rules)
    build_tables(tmp_path, chosen, game=game)
    before = {n: path.read_bytes() for n, path in find_tables(tmp_path, chosen).items()}
    with open_tables(tmp_path, chosen) as tables:
        boards = [
            board_at(chosen.pits, n, index) for n in game.tiers for index in range(0, tier_size(chosen.pits, n), 37)
        ]
        answers = [tables.probe(board) for board in boards]
    packed_down(tmp_path, chosen)
    with open_tables(tmp_path, chosen) as tables:
        assert [tables.probe(board) for board in boards] == answers
        assert tables.window(game.seeds) == game.window(game.seeds)
    for n, path in find_archives(tmp_path, chosen).items():
        with Archive.open(path) as table:
            assert table.check() == [] and unpack(table).read_bytes() == before[n]


def test_answers_are_those_of_the_plain_tables(plain: Path, made: Path) -> None:
    random = np.random.default_rng(1)
    boards = [board_at(4, n, int(index)) for n in range(TOP + 1) for index in random.integers(0, tier_size(4, n), 30)]
    with open_tables(plain, RULES) as those, open_tables(made, RULES) as halves:
        assert halves.seeds == TOP and not halves.mapped
        for board in boards:
            assert halves.probe(board) == those.probe(board)
            assert halves.moves(board) == those.moves(board)
        assert halves.line(boards[-1]) == those.line(boards[-1])
        for quantity in QUANTITIES:
            assert (halves.probe_many(boards, quantity) == those.probe_many(boards, quantity)).all()
        assert halves.tiers[TOP].histograms == those.tiers[TOP].histograms


@pytest.mark.parametrize("plain_ones", [range(0), range(3), range(5, TOP)])
def test_the_search_gets_the_numbers_of_the_plain_tables(plain: Path, folder: Path, plain_ones: range) -> None:
    for n in plain_ones:
        shutil.copy(table_path(plain, RULES, n), folder)
    told: list[int] = []
    with open_tables(plain, RULES) as right, open_tables(folder, RULES) as packed:
        wanted, found = right.searchable(), packed.searchable(TOP, told.append)
        assert told == [n for n in range(TOP + 1) if n not in plain_ones]
        assert list(found) == list(wanted) and list(packed.searchable()) == list(plain_ones)
        for n, tier in wanted.items():
            boards = int(tier.index.offsets[-1])
            for name, numbers in tier.arrays.items():
                assert np.array_equal(found[n].arrays[name][:boards], numbers[:boards])


def test_the_search_leaves_out_what_rests_on_a_missing_table(folder: Path) -> None:
    archive_path(folder, RULES, 3).unlink()
    with open_tables(folder, RULES) as tables:
        assert list(tables.searchable(TOP, lambda seeds: None)) == [0, 1, 2, 4]


def test_every_board_of_a_tier_read_by_itself(plain: Path, made: Path) -> None:
    for n in (0, 1, 2, 5, 6):
        with Table.open(table_path(plain, RULES, n)) as table, Archive.open(archive_path(made, RULES, n)) as half:
            everything = np.arange(table.positions)
            for quantity in QUANTITIES:
                numbers = table.map(quantity).tolist()
                assert [half.read(quantity, index) for index in range(half.positions)] == numbers
                assert half.read_many(quantity, everything).tolist() == numbers
                assert table.read_many(quantity, everything[::-1]).tolist() == numbers[::-1]


def test_more_tiles_than_are_kept(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("databases.files.archive.CACHED_BYTES", 1)
    with Archive.open(archive_path(made, RULES, TOP)) as half:
        assert isinstance(half, HalfArchive) and half.tiles.count > 2
        light = half.tiles.light
        first = [half.read("value", light), half.read("value", half.positions - 1), half.read("value", light)]
        assert first[0] == first[2] and len(half._decoded) == 1
        with pytest.raises(IndexError):
            half.read_many("value", np.array([half.positions]))


def test_a_number_takes_less_than_two_bits(tmp_path: Path) -> None:
    """awari 12 whole: 1.6 bits. The larger the tier the less do model and index take."""
    build_tables(tmp_path, AWARI, 12)
    with Table.open(table_path(tmp_path, AWARI, 12)) as table:
        half, whole = pack_half(table).stat().st_size, pack(table).stat().st_size
        assert 8 * half / table.positions < 1.9 and half < 0.55 * whole


def test_smaller_tiers_must_be_there(plain: Path, tmp_path: Path) -> None:
    for n in range(6, TOP + 1):
        shutil.copy(table_path(plain, RULES, n), tmp_path)
    with (
        Table.open(table_path(tmp_path, RULES, TOP)) as table,
        pytest.raises(AbapaError, match=r"no .* table of 0 seeds"),
    ):
        pack_half(table)
    assert len(list(tmp_path.iterdir())) == 4


def test_light_boards_need_smaller_tiers(folder: Path) -> None:
    for n in range(TOP):
        archive_path(folder, RULES, n).unlink()
    light = tiling(4, TOP).light
    with open_tables(folder, RULES) as tables:
        boards = [board_at(4, TOP, index) for index in range(0, tier_size(4, TOP), 11)]
        assert tables.probe(board_at(4, TOP, light)).value is not None
        answers = tables.probe_many(boards, default=99)
        assert (answers[-1] != 99) and (answers == 99).any() and (answers != 99).sum() > len(boards) // 2
        with pytest.raises(MissingTierError, match="build it with: abapa build"):
            tables.probe_many(boards)
    with Archive.open(archive_path(folder, RULES, TOP)) as half:
        with pytest.raises(AbapaError, match="needs those of smaller tiers beside it"):
            half.check()
        with pytest.raises(AbapaError, match="needs those of smaller tiers beside it"):
            unpack(half)


def test_smaller_tiers_that_know_too_little(tmp_path: Path) -> None:
    rules = Rules.parse("awari+pits=3")
    build_tables(tmp_path, rules, game=Game(8))
    build_tables(tmp_path / "full", rules, 8)
    shutil.copy(table_path(tmp_path / "full", rules, 8), tmp_path)
    with (
        Table.open(table_path(tmp_path, rules, 8)) as table,
        pytest.raises(AbapaError, match=r"5 seeds up to 5: .* up to 4"),
    ):
        pack_half(table)


def test_light_boards_that_do_not_follow_are_not_packed(plain: Path, tmp_path: Path) -> None:
    """A smaller tier of other numbers, itself right by its hashes."""
    folder = shutil.copytree(plain, tmp_path / "tables")
    table_path(folder, RULES, 4).unlink()
    with TableWriter(folder, RULES, 4, QUANTITIES) as writer:
        for name in QUANTITIES:
            writer.write(name, 0, np.zeros(tier_size(4, 4), "<u2" if name == "distance" else "i1"))
        writer.commit()
    with Table.open(table_path(folder, RULES, TOP)) as table, pytest.raises(TableError, match="does not follow from"):
        pack_half(table)
    assert not archive_path(folder, RULES, TOP).exists() and not list(folder.glob("*.part"))


@pytest.mark.parametrize("quantity", ["value", "distance"])
def test_a_changed_byte_is_found(folder: Path, quantity: str) -> None:
    path = archive_path(folder, RULES, TOP)
    data = path.read_bytes()
    with h5py.File(path) as file:
        dataset: Any = file[quantity]
        start, size = dataset.id.get_offset(), dataset.id.get_storage_size()
    for at in range(start, start + size, 1 + size // 12):
        wrong = bytearray(data)
        wrong[at] ^= 0x10
        path.write_bytes(wrong)
        with Archive.open(path) as table:
            assert any("tile" in fault for fault in table.check())
            with pytest.raises(TableError, match="is damaged: "):
                unpack(table)
    with open_tables(folder, RULES) as tables, pytest.raises(TableError, match=r"is damaged: .*tile"):
        tables.probe_many([board_at(4, TOP, index) for index in range(tier_size(4, TOP))], quantity)


@pytest.mark.parametrize("part", ["sizes", "checks", "contexts", "frequencies"])
@pytest.mark.parametrize("value", [0, 1, 255, 65535])
def test_a_changed_index_or_model_is_found(folder: Path, part: str, value: int) -> None:
    path = archive_path(folder, RULES, TOP)
    with h5py.File(path, "r+") as file:
        dataset: Any = file[f"tiles/value/{part}"]
        for at in (0, len(dataset) // 2, len(dataset) - 1):
            dataset[at] = value if int(dataset[at]) != value else value ^ 2
    with Archive.open(path) as table:
        assert table.check()


@pytest.mark.parametrize("part", ["sizes", "checks", "contexts", "frequencies"])
def test_parts_of_another_size(folder: Path, part: str) -> None:
    for wrong in (np.zeros(0, "<u2"), np.zeros(7, "<u2"), np.zeros((2, 2), "<u2"), np.zeros(4, "f8"), None):
        path = archive_path(folder, RULES, TOP)
        with h5py.File(path, "r+") as file:
            place: Any = file["tiles/value"]
            del place[part]
            if wrong is not None:
                place[part] = wrong
        with Archive.open(path) as table:
            assert table.check()


def test_another_tables_fault_is_not_laid_on_this_one(folder: Path) -> None:
    path = archive_path(folder, RULES, 5)
    with h5py.File(path, "r+") as file:
        dataset: Any = file["value"]
        dataset[len(dataset) // 2] ^= 1
    with (
        Archive.open(archive_path(folder, RULES, TOP)) as table,
        pytest.raises(
            AbapaError, match=r"09.packed.h5 cannot be checked: abapa\+pits=4-05.packed.h5 is damaged \(.*value"
        ),
    ):
        table.check()


def test_the_same_file_whatever_the_threads(plain: Path, made: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(plain, tmp_path / "tables")
    with Table.open(table_path(folder, RULES, TOP)) as table:
        assert pack_half(table, threads=3).read_bytes() == archive_path(made, RULES, TOP).read_bytes()


def test_what_is_closed_answers_no_more(made: Path) -> None:
    half = Archive.open(archive_path(made, RULES, TOP))
    last = half.positions - 1
    half.read("value", last)
    half.close()
    with pytest.raises(AbapaError, match="were closed"):
        half.read("value", last)
