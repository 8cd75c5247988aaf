"""Table files in windows: read, checked, packed, asked and searched like full ones, and never taken for them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import h5py
import numpy as np
import pytest

from databases.builder.build import build_tables
from databases.files.archive import Archive
from databases.files.faults import ForeignTableError, TableError, WrongTableError
from databases.files.folder import TableName, find_tables, parse_name, table_path
from databases.files.packing import pack, unpack
from databases.files.table import Table
from databases.prober import Tables, open_tables
from databases.tiers import board_at
from databases.windows import WHOLE, Game
from solver.errors import AbapaError
from solver.oware.game import OwareGame
from solver.oware.position import Position
from solver.oware.rules import ABAPA, AWARI, Rules
from solver.search.limits import Limits
from solver.search.searcher import Searcher

TOP = 9
GAME = Game(TOP, margin=2)


@pytest.fixture(scope="module", params=[AWARI, ABAPA], ids=str)
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Tables, Tables]]:
    """Tables of a game in its windows, and full ones."""
    rules: Rules = request.param
    folder = tmp_path_factory.mktemp("windows")
    build_tables(folder / "cut", rules, game=GAME)
    build_tables(folder / "full", rules, TOP)
    with open_tables(folder / "cut", rules) as cut, open_tables(folder / "full", rules) as full:
        yield cut, full


def in_windows(tables: Tables) -> list[int]:
    return [n for n in tables.tiers if tables.window(n) < n]


def test_names() -> None:
    assert parse_name(Path("awari-34.w3.h5")) == TableName("awari", 34, 3)
    assert parse_name(Path("awari-34.h5")) == TableName("awari", 34, WHOLE)
    assert parse_name(Path("awari-34.w34.h5")) is None  # that would be all of it
    assert parse_name(Path("awari-34.w0.h5")) is None
    assert table_path(Path(), AWARI, 34, 3).name == "awari-34.w3.h5"


def test_every_number_is_the_full_one_cut(both: tuple[Tables, Tables]) -> None:
    cut, full = both
    assert in_windows(cut) == [6, 7, 9]
    for n, table in cut.tiers.items():
        assert table.check() == []
        for name in table.quantities:
            wanted = np.clip(full.map(n, name), -table.window, table.window)
            assert np.array_equal(np.concatenate(list(table.margins(name))), wanted)
            assert np.array_equal(cut.map(n, name), wanted)
            at = [0, 1, 7, 8, len(wanted) // 2, len(wanted) - 1]
            assert [table.read(name, k % len(wanted)) for k in at] == [wanted[k % len(wanted)] for k in at]
        assert sum(table.histogram.values()) == table.positions


def test_outcomes_are_counted_as_in_full_tables(both: tuple[Tables, Tables]) -> None:
    for n, table in both[0].tiers.items():
        found, wanted = ([0, 0, 0], [0, 0, 0])
        for counts, histogram in ((found, table.histogram), (wanted, both[1].tiers[n].histogram)):
            for value, boards in histogram.items():
                counts[(value > 0) - (value < 0)] += boards
        assert found == wanted


def test_a_probe_never_calls_the_end_of_a_window_exact(both: tuple[Tables, Tables]) -> None:
    cut, full = both
    seen = set()
    for n in in_windows(cut):
        size, window = cut.tiers[n].positions, cut.window(n)
        for index in range(0, size, max(size // 300, 1)):
            board = board_at(6, n, index)
            mine, right = cut.probe(board), full.probe(board)
            seen.add(mine.beyond)
            assert mine.value == min(max(right.value, -window), window)
            assert mine.beyond == (right.value >= window) - (right.value <= -window)
            assert not (mine.exact and not right.exact) and not (mine.exact and mine.beyond)
            if right.lower is not None and right.upper is not None:
                assert mine.lower is not None and mine.upper is not None
                assert mine.lower <= right.lower <= right.upper <= mine.upper
                if max(abs(right.lower), abs(right.upper)) < window:
                    assert (mine.lower, mine.upper) == (right.lower, right.upper)
            for move, known in zip(sorted(cut.moves(board), key=lambda move: move.house),
                                   sorted(full.moves(board), key=lambda move: move.house), strict=True):  # fmt: skip
                difference = known.value - move.value
                assert difference == 0 if not move.beyond else difference * move.beyond >= 0
    assert seen == {-1, 0, 1}


def test_many_at_once(both: tuple[Tables, Tables]) -> None:
    cut, full = both
    rng = np.random.default_rng(1)
    for n in (5, *in_windows(cut)):
        boards = np.array([board_at(6, n, int(k)) for k in rng.integers(0, cut.tiers[n].positions, 200)], np.int8)
        for name in cut.tiers[n].quantities:
            wanted = np.clip(full.probe_many(boards, name), -cut.window(n), cut.window(n))
            assert np.array_equal(cut.probe_many(boards, name), wanted)


def test_a_search_inside_a_window_proves_no_more_than_is_true(both: tuple[Tables, Tables]) -> None:
    cut, full = both
    rng = np.random.default_rng(2)
    searcher = Searcher(OwareGame(cut.rules, cut.searchable()), hash_mib=1)
    for n in (*in_windows(cut), 8):  # no table of 8 seeds: the search leads into those below
        for _ in range(30):
            board = board_at(6, n, int(rng.integers(0, full.tiers[n].positions)))
            position = Position(board, (0, 0), 0, cut.rules)
            if position.result() is not None:
                continue
            report = searcher.search(position, Limits(depth=6))
            right = full.probe(board)
            low = right.value if right.lower is None else right.lower
            high = right.value if right.upper is None else right.upper
            assert report.low <= low and high <= report.high


def test_packed_and_back(both: tuple[Tables, Tables], tmp_path: Path) -> None:
    for n in in_windows(both[0]):
        source = find_tables(both[0].directory, both[0].rules)[n]
        copy = tmp_path / source.name
        copy.write_bytes(source.read_bytes())
        with Table.open(copy) as table:
            packed = pack(table)
        copy.unlink()
        with Archive.open(packed) as archive:
            assert archive.check() == [] and archive.window == both[0].window(n)
            with open_tables(tmp_path, both[0].rules) as tables:
                for index in range(0, archive.positions, 997):
                    board = board_at(6, n, index)
                    assert tables.probe(board) == both[0].probe(board)
            assert unpack(archive) == copy
        assert copy.read_bytes() == source.read_bytes()


def test_what_needs_whole_margins_says_so(both: tuple[Tables, Tables]) -> None:
    with pytest.raises(AbapaError, match="knows margins only up to 2: greed needs full tables"):
        both[0].want_full([9], "greed")


# -- a build uses what is there ---------------------------------------------------------------------------------------


def test_wider_tables_serve_and_narrower_ones_do_not(tmp_path: Path) -> None:
    build_tables(tmp_path, AWARI, 6)
    plan = build_tables(tmp_path, AWARI, game=Game(10))
    assert plan.missing == (7, 8, 10)
    assert build_tables(tmp_path, AWARI, game=Game(10)).missing == ()
    assert build_tables(tmp_path, AWARI, game=Game(10, margin=2)).missing == (7, 8, 10)
    names = sorted(path.name for path in tmp_path.glob("awari-10*.h5"))
    assert names == ["awari-10.w1.h5", "awari-10.w2.h5"]
    assert find_tables(tmp_path, AWARI)[10].name == "awari-10.w2.h5"  # the widest serves
    assert build_tables(tmp_path, AWARI, game=Game(10)).missing == ()


def test_the_same_bytes_from_any_sources(tmp_path: Path) -> None:
    """Whatever the threads, the memory and the tables that are there: full ones, or those of another game."""
    build_tables(tmp_path / "plain", AWARI, game=Game(10), threads=1)
    build_tables(tmp_path / "full", AWARI, 8)
    build_tables(tmp_path / "wide", AWARI, game=Game(10, margin=3))
    for n in (9, 10):
        for path in (tmp_path / "wide").glob(f"awari-{n:02d}*"):
            path.unlink()
    wanted = (tmp_path / "plain" / "awari-10.w1.h5").read_bytes()
    for folder, little in (("full", False), ("wide", False), ("full", True)):
        found = tmp_path / folder / "awari-10.w1.h5"
        found.unlink(missing_ok=True)
        plan = build_tables(tmp_path / folder, AWARI, game=Game(10), threads=2, dry_run=True)
        memory = plan.least_memory if little else None
        build_tables(tmp_path / folder, AWARI, game=Game(10), threads=2, memory=memory)
        assert found.read_bytes() == wanted


def test_distances_are_refused(tmp_path: Path) -> None:
    with pytest.raises(AbapaError, match="keep no distances"):
        build_tables(tmp_path, AWARI, game=Game(8), distance=True)


# -- damage -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"), [("window", 3), ("window", 0), ("bits", 2), ("bits", 8), ("format_version", 1)]
)
def test_a_header_that_contradicts_itself(tmp_path: Path, name: str, value: int) -> None:
    build_tables(tmp_path, AWARI, game=Game(6, margin=2))
    path = tmp_path / "awari-06.w2.h5"
    with h5py.File(path, "r+") as file:
        file.attrs[name] = value
    with pytest.raises((ForeignTableError, WrongTableError)):
        Table.open(path)


def test_a_window_under_another_name(tmp_path: Path) -> None:
    build_tables(tmp_path, AWARI, game=Game(6, margin=2))
    path = tmp_path / "awari-06.w2.h5"
    for name in ("awari-06.h5", "awari-06.w3.h5"):
        with pytest.raises(WrongTableError, match="in a window of 2"):
            Table.open(path.rename(tmp_path / name))
        (tmp_path / name).rename(path)


def test_a_flipped_bit_is_found(tmp_path: Path) -> None:
    build_tables(tmp_path, AWARI, game=Game(6))
    path = tmp_path / "awari-06.w1.h5"
    with Table.open(path) as table:
        at = table.offsets["value"]
    data = bytearray(path.read_bytes())
    data[at + 100] ^= 4
    path.write_bytes(data)
    with Table.open(path) as table:
        assert "value: chunk 0" in table.check()[0]
    data[at + 100] ^= 4
    path.write_bytes(data[: at + 50])
    with pytest.raises(TableError):
        Table.open(path)
