"""The Vrije Universiteit's files: the order, round trips, comparisons; files come from a plain enumeration here."""

from __future__ import annotations

import io
import json
from functools import cache
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from databases.files.folder import table_path
from databases.files.table import Table
from databases.interchange import ScoresFile, export_scores, file_order, position_text, scores_count, scores_index
from databases.tiers import board_at, board_index
from solver.errors import AbapaError
from solver.oware.rules import ABAPA, AWARI
from tests.cli.command_line import abapa, refused
from tests.conformance import load
from tests.databases.table_files import write_tables
from tests.databases.tables_in_memory import built
from tests.oware.brute_force import Board, boards_of

MOST = 7
"""Seeds of the tiers made here: from 6 on some boards are left out."""


@cache
def enumerated(pits: int, seeds: int) -> list[Board]:
    """The boards of a file in its order, by nothing but the definition."""
    kept = [board for board in boards_of(2 * pits, seeds) if 0 in board[pits:]]
    return sorted(kept, key=lambda board: board[::-1])


def values_of(seeds: int) -> dict[Board, int]:
    """Every awari board of a tier and its margin: from an independent program up to 5 seeds."""
    if seeds <= 5:
        rows = [row for row in load("oware/awari_values_le5.csv") if row["seeds"] == seeds]
        return {tuple(row[f"p{i}"] for i in range(12)): row["value"] for row in rows}
    values = built(AWARI, MOST, distance=True)["value"][seeds]
    return {board: int(values[board_index(board)]) for board in boards_of(12, seeds)}


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files scores.0 .. scores.7, written here."""
    folder = tmp_path_factory.mktemp("scores")
    for seeds in range(MOST + 1):
        values = values_of(seeds)
        margins = [values[board] for board in enumerated(6, seeds)]
        (folder / f"scores.{seeds}").write_bytes(bytes(margin & 0xFF for margin in margins))
    return folder


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    write_tables(folder, AWARI, MOST, ("value", "distance"))
    return folder


@pytest.mark.parametrize(("pits", "most"), [(1, 9), (2, 9), (3, 7), (4, 6), (6, MOST)])
def test_the_order_is_the_enumeration(pits: int, most: int) -> None:
    for seeds in range(most + 1):
        boards = enumerated(pits, seeds)
        assert scores_count(seeds, pits) == len(boards)
        order = [int(index) for piece in file_order(pits, seeds, 100) for index in piece]
        assert [board_at(pits, seeds, index) for index in order] == boards
        assert [scores_index(board) for board in boards] == list(range(len(boards)))


def test_the_count_of_all_positions_is_the_published_one() -> None:
    start = 1  # counted in the publication, left out of the files
    assert sum(scores_count(seeds) for seeds in range(49) if seeds != 47) + start == 889_063_398_406
    assert scores_count(48) == comb(59, 11) - comb(53, 11)


@given(st.lists(st.integers(0, 8), min_size=12, max_size=12).filter(lambda board: 0 in board[6:]))
def test_the_next_board_of_a_large_file_is_one_further(counts: list[int]) -> None:
    """A rank is right if the first board has 0 and each board's successor one more (written out here once more)."""
    board = tuple(counts)
    following = list(board)
    while True:
        lowest = next((i for i, count in enumerate(following) if count), 11)
        if lowest == 11:
            return
        following[lowest + 1] += 1
        kept, following[lowest] = following[lowest] - 1, 0
        following[0] = kept
        if 0 in following[6:]:
            break
    assert scores_index(tuple(following)) == scores_index(board) + 1
    assert scores_index((sum(board), *[0] * 11)) == 0


def test_boards_that_no_move_leads_to_are_left_out() -> None:
    with pytest.raises(AbapaError, match="leave out boards whose opponent has no empty house"):
        scores_index((1,) * 12)


def test_import_makes_the_tables_that_the_builder_makes(scores: Path, tables: Path, tmp_path: Path) -> None:
    ran = abapa("import", scores, "--tables", tmp_path / "new")
    assert ran.code == 0, ran.err
    assert ran.out.count("written in") == MOST + 1
    for seeds in range(MOST + 1):
        with (
            Table.open(table_path(tmp_path / "new", AWARI, seeds)) as made,
            Table.open(table_path(tables, AWARI, seeds)) as own,
        ):
            assert np.array_equal(made.map("value"), own.map("value"))
            assert made.header.digests["value"] == own.header.digests["value"]
    again = abapa("import", scores / "scores.3", "--tables", tmp_path / "new")
    assert again.code == 0 and "the awari table of 3 seeds exists and is kept" in again.out


@pytest.mark.parametrize("seeds", range(MOST + 1))
def test_export_gives_the_files_back(scores: Path, tables: Path, tmp_path: Path, seeds: int) -> None:
    target = tmp_path / f"scores.{seeds}"
    ran = abapa(
        "export", "--rules", "awari", "--tables", tables, "--seeds", str(seeds), "--form", "scores", "-o", target
    )
    assert ran.code == 0, ran.err
    assert target.read_bytes() == (scores / target.name).read_bytes()
    with Table.open(table_path(tables, AWARI, seeds)) as table:
        out = io.BytesIO()
        assert export_scores(table, out) == len(out.getvalue()) == scores_count(seeds)


def test_compare(scores: Path, tables: Path, tmp_path: Path) -> None:
    ran = abapa("compare", scores, "--tables", tables)
    assert ran.code == 0 and ran.out.count("positions agree") == MOST + 1
    assert f"7 seeds: all {scores_count(7):,} positions agree" in ran.out

    data = bytearray((scores / "scores.6").read_bytes())
    data[500] ^= 1
    data[700] ^= 2
    (changed := tmp_path / "scores.6").write_bytes(data)
    ran = abapa("compare", changed, "--tables", tables)
    assert ran.code == 1 and ran.err == ""
    board = enumerated(6, 6)[500]
    assert f"2 of {scores_count(6):,} positions differ; the first is number 500 of the file" in ran.out
    assert position_text(board) in ran.out and "the file says" in ran.out
    row = json.loads(abapa("compare", changed, "--tables", tables, "--json").out)
    assert row["differing"] == 2 and row["first"]["board"] == list(board)
    assert row["first"]["table"] == values_of(6)[board] != row["first"]["file"]


def test_what_a_person_gets_wrong(scores: Path, tables: Path, tmp_path: Path) -> None:
    (tmp_path / "scores.4").write_bytes(b"\0" * 7)
    refused(abapa("compare", tmp_path / "scores.4", "--tables", tables), "has 7 bytes: a file of 4 seeds has 1,365")
    refused(abapa("compare", tmp_path / "scores", "--tables", tables), "not named like a scores file")
    refused(abapa("compare", tmp_path / "scores.5", "--tables", tables), "scores.5 cannot be read: No such file")
    refused(abapa("compare", tables, "--tables", tables), "holds no files scores.N")
    refused(abapa("import", scores / "scores.7", "--tables", tmp_path / "new"), "no awari table of 0 seeds")
    (tmp_path / "scores.0").write_bytes(b"\x05")
    refused(abapa("import", tmp_path / "scores.0", "--tables", tmp_path / "n"), "has margin 5", "between 0 and 0")
    (tmp_path / "scores.9").write_bytes(b"\0" * scores_count(9))
    refused(abapa("compare", tmp_path / "scores.9", "--tables", tables), "no awari table of 9 seeds")
    export = ["export", "--seeds", "3", "--tables", tables, "--form", "scores", "-o", tmp_path / "x"]
    refused(abapa(*export, "--rules", "awari", "--quantity", "distance"), "--form scores holds value, not distance")
    write_tables(tmp_path, AWARI, 0)
    assert ScoresFile.at(scores / "scores.2").seeds == 2


def test_export_in_their_form_is_for_awari_only(tmp_path: Path) -> None:
    write_tables(tmp_path, ABAPA, 1)
    ran = abapa("export", "--tables", tmp_path, "--seeds", "1", "--form", "scores", "-o", tmp_path / "x")
    refused(ran, "scores files hold awari with six houses a side, not abapa")
    assert not (tmp_path / "x").exists()
