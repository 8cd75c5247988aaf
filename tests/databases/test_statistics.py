"""``abapa stats --full`` and ``--plot``: every number counted again, board by board."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from databases.prober import open_tables
from databases.statistics import tier_statistics
from solver.oware.position import Position
from solver.oware.rules import ABAPA, AWARI, Rules
from tests.cli.command_line import abapa, refused
from tests.databases.table_files import write_awari_and_abapa, write_tables
from tests.oware.brute_force import boards_of

SMALL = [AWARI, ABAPA, Rules.parse("awari+pits=2"), Rules.parse("abapa+grand-slam=capture+pits=3")]


def own(board: tuple[int, ...]) -> int:
    return sum(board[: len(board) // 2])


@pytest.mark.parametrize("rules", SMALL, ids=str)
@pytest.mark.parametrize("seeds", [0, 1, 4, 5])
def test_every_number_against_counting(rules: Rules, seeds: int, tmp_path: Path) -> None:
    write_tables(tmp_path, rules, seeds, ("value", "distance"))
    pits = rules.pits
    with open_tables(tmp_path, rules) as tables:
        found = tier_statistics(tables, seeds, 2)
        probes = {board: tables.probe(board) for board in boards_of(2 * pits, seeds)}
        values = {board: probe.value for board, probe in probes.items()}
        assert found.boards == len(values) and sum(found.counts.values()) == len(values)
        assert found.mean == pytest.approx(sum(values.values()) / len(values))
        assert found.wins == sum(value > 0 for value in values.values())
        assert found.losses == sum(value < 0 for value in values.values())
        for a, mean in enumerate(found.mean_by_side):
            side = [value for board, value in values.items() if own(board) == a]
            assert mean == pytest.approx(sum(side) / len(side))

        most, least = max(values.values()), min(values.values())
        assert found.largest_win.value == values[found.largest_win.board] == most
        assert found.largest_win.own == min(own(board) for board, value in values.items() if value == most)
        assert found.largest_loss.value == values[found.largest_loss.board] == least
        assert found.largest_loss.own == max(own(board) for board, value in values.items() if value == least)
        assert found.longest is not None
        assert found.longest[0] == probes[found.longest[1]].distance == max(p.distance or 0 for p in probes.values())

        leads = [board for board in values if 2 * own(board) > seeds]
        lost = [(values[board], -own(board)) for board in leads if values[board] < 0]
        assert (found.leads, found.leads_lost) == (len(leads), len(lost))
        worst = found.against_the_seeds
        assert (worst and (values[worst.board], -worst.own)) == min(lost, default=None)
        assert found.would_pass == sum(values[b] < -values[b[pits:] + b[:pits]] for b in values)

        losses = {}
        for board, best in values.items():
            moves = [(move.captured, move.value) for move in tables.moves(board)]
            largest = max((captured for captured, _ in moves), default=0)
            if largest:
                losses[board] = best - max(value for captured, value in moves if captured == largest)
        greed = found.greed
        assert greed.boards == len(losses) and greed.lost == sum(losses.values())
        assert greed.wrong == sum(loss > 0 for loss in losses.values())
        assert greed.worst == max(losses.values(), default=0)
        assert greed.example is None if not greed.worst else greed.example and losses[greed.example] == greed.worst


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_awari_and_abapa(tmp_path_factory.mktemp("tables"), awari=8, abapa=4)


def test_full_of_one_tier(made: Path) -> None:
    arguments = ["stats", "--rules", "awari", "--tables", made, "--seeds", "8", "--full"]
    ran = abapa(*arguments)
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert lines[0] == "awari, 8 seeds: 75,582 boards, margins of the player to move"
    assert "37,767  8,351 (11.05 %)  29,464" in lines[1]
    data = json.loads(abapa(*arguments, "--json", "--threads", "1").out)
    assert data == json.loads(abapa(*arguments, "--json").out) and data["boards"] == 75582
    board = "-".join(map(str, data["greed"]["worst_board"]))
    assert f"gives away {data['greed']['worst']}: {board}" in ran.out
    assert Position.parse("-".join(map(str, data["longest_board"])), AWARI).seeds == 8
    assert "| margin | value |\n| ---: | ---: |\n| +8 |" in abapa(*arguments, "--markdown").out


def test_full_of_all_tiers(made: Path) -> None:
    rows = [line.split() for line in abapa("stats", "--rules", "awari", "--tables", made, "--full").out.splitlines()]
    assert rows[0] == ["seeds", "boards", "wins", "draws", "losses", "least", "greatest", "mean", "longest"]
    assert rows[9][:7] == ["8", "75,582", "37,767", "8,351", "29,464", "-8", "+8"] and len(rows) == 10
    row = json.loads(abapa("stats", "--rules", "awari", "--tables", made, "--full", "--json").out.splitlines()[8])
    assert str(row["longest"]) == rows[9][-1] and sum(row["longest_board"]) == 8
    assert "93.6 %" not in abapa("stats", "--tables", made, "--full").out.splitlines()[1]
    assert abapa("stats", "--tables", made, "--full", "--markdown").out.count("\n") == 7


def test_what_full_needs(made: Path, tmp_path: Path) -> None:
    refused(abapa("stats", "--rules", "awari", "--tables", made, "--seeds", "9", "--full"), "no awari table of 9 seeds")
    refused(abapa("stats", "--tables", made, "--seeds", "4", "--full", "--threads", "999"), "999 threads")


def test_pictures(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib", reason="the extra abapa[plot] is not installed")
    ran = abapa("stats", "--rules", "awari", "--tables", made, "--seeds", "8", "--plot", tmp_path / "new")
    assert ran.code == 0, ran.err
    names = ["awari-08-distances.png", "awari-08-values.png", "awari-values-by-tier.png"]
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == names
    for path in (tmp_path / "new").iterdir():
        assert path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size > 5000
        assert f"wrote {path}\n" in ran.err
    (tmp_path / "file").touch()
    refused(abapa("stats", "--tables", made, "--plot", tmp_path / "file" / "x"), "cannot write pictures into")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    refused(abapa("stats", "--tables", made, "--plot", tmp_path), "pip install 'abapa[plot]'")
