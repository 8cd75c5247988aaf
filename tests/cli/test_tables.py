"""``abapa build | probe | moves | line | stats | check | export``: forms, sentences, what a person gets wrong."""

import json
import os
import resource
import shutil
import signal
import subprocess
import time
from pathlib import Path
from unittest.mock import patch

import h5py
import numpy as np
import pytest

import databases
from databases.files.folder import archive_path, table_path
from databases.files.lock import BuildLock
from databases.files.table import Table
from solver.oware.position import Position
from solver.oware.rules import ABAPA, AWARI
from tests.cli import command_line
from tests.cli.command_line import Ran, abapa, abapa_process, refused, unprivileged
from tests.conformance import load
from tests.databases.table_files import write_awari_and_abapa

BOARD = "0-0-0-0-1-1-0-0-1-0-0-1"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Awari with distances and abapa with bounds, tiers 0..5."""
    return write_awari_and_abapa(tmp_path_factory.mktemp("tables"), awari=5, abapa=5)


@pytest.fixture
def tables(made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ABAPA_TABLES", str(made))
    return made


@pytest.fixture
def copied(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy to damage."""
    folder = shutil.copytree(made, tmp_path / "tables")
    monkeypatch.setenv("ABAPA_TABLES", str(folder))
    return folder


# -- probe ------------------------------------------------------------------------------------------------------------


def test_probe_prints_board_words_and_moves(tables: Path) -> None:
    ran = abapa("probe", f"{BOARD}-20-24-N")
    assert ran == Ran(
        0,
        """\
          f    e    d    c    b    a
       +----+----+----+----+----+----+
 North |  1 |  0 |  0 |  1 |  0 |  0 |  store 24   to move
       +----+----+----+----+----+----+
 South |  0 |  0 |  0 |  0 |  1 |  1 |  store 20
       +----+----+----+----+----+----+
          A    B    C    D    E    F

North, to move, wins 4 more seeds than South: 28-20 from here
Exact: both can force it, whatever boards repeat

move  captured  value  lower  upper
   c         0     +4     +4     +4
   f         0     -2     -4      0
""",
        "",
    )


@pytest.mark.parametrize(
    ("position", "words"),
    [
        (f"{BOARD}-22-22-S", "South, to move, wins 4 fewer seeds than North: 22-26 from here"),
        (
            "0-0-0-0-1-1-0-0-0-0-1-1-20-24-N",
            "North, to move, and South win as many seeds as each other: 26-22 from here",
        ),
        ("0-0-0-0-0-1-2-0-0-0-0-1-20-24-S", "South, to move, wins 4 more seeds than North: 24-24 from here"),
        ("0-0-0-0-0-1-1-0-0-0-2-1-22-21-S", "South, to move, wins 1 more seed than North: 25-23 from here"),
        ("0-0-0-0-0-0-0-0-0-0-1-1-24-22-S", "The game is over (South has no legal move): South 24, North 24"),
        ("0-0-0-0-0-0-0-0-0-0-1-1-25-21-N", "The game is over (a majority): South 25, North 21"),
        ("0-0-0-0-0-0-0-0-0-0-0-0-24-24-N", "The game is over (North has no legal move): South 24, North 24"),
    ],
)
def test_the_words_tell_the_final_result(tables: Path, position: str, words: str) -> None:
    assert abapa("probe", "--rules", "awari", position).out.splitlines()[8] == words


def test_bounds_that_differ_are_told_with_their_scores(tables: Path) -> None:
    assert abapa("probe", "0-0-0-0-1-1-0-0-0-0-1-1").out.splitlines()[8:10] == [
        "South, to move, and North win as many seeds as each other: 2-2 from here (endless play split evenly)",
        "Whatever boards repeat: South can force -4 (0-4), North can hold South to +4 (4-0)",
    ]


def test_probe_json_has_the_form_of_the_issue(tables: Path) -> None:
    ran = abapa("probe", "--rules", "awari", "--json", f"{BOARD}-20-24-N")
    assert ran.out.count("\n") == 1 and " " not in ran.out
    assert json.loads(ran.out) == {
        "rules": "awari",
        "board": [0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 1],
        "value": 4,
        "distance": 18,
        "moves": [
            {"move": "c", "captured": 0, "value": 4, "distance": 18},
            {"move": "f", "captured": 0, "value": -2, "distance": 12},
        ],
    }
    assert list(json.loads(abapa("probe", "--json", BOARD).out)) == [
        "rules",
        "board",
        "value",
        "lower",
        "upper",
        "moves",
    ]


@pytest.mark.parametrize("rules", ["awari", "abapa"])
@pytest.mark.parametrize(
    ("position", "value", "over", "final"),
    [
        ("0-0-0-0-0-0-0-0-0-0-1-1-25-21-N", -4, "majority", [21, 25]),
        ("0-0-0-0-0-0-0-0-0-0-1-1-25-21-S", 4, "majority", [25, 21]),
        ("0-0-0-0-0-0-0-0-0-0-1-1-24-22-S", 0, "nomove", [24, 24]),
        ("0-0-0-0-0-0-0-0-0-0-1-1-0-0-S", -2, "nomove", [0, 2]),
        ("1-0-0-0-0-0-0-0-0-0-0-0-20-27-S", -7, "majority", [20, 27]),
        ("0-0-0-0-0-0-9-9-9-9-9-0-1-2-S", -46, "nomove", [1, 47]),
        ("0-0-0-0-0-0-0-0-0-0-0-0-24-24-N", 0, "nomove", [24, 24]),
    ],
)
def test_a_finished_game_is_worth_its_final_stores(
    tables: Path, rules: str, position: str, value: int, over: str, final: list[int]
) -> None:
    bounds = {"lower": value, "upper": value} if rules == "abapa" else {}
    numbers = {"value": value, **bounds, "distance": 0, "over": over, "final": final}
    probed = json.loads(abapa("probe", "--rules", rules, "--json", position).out)
    board = {"rules": rules, "board": probed["board"]}
    assert probed == board | numbers | {"moves": []}
    lined = json.loads(abapa("line", "--rules", rules, "--json", position).out)
    assert lined == board | numbers | {"line": [], "end": "over"}
    shown = abapa("probe", "--rules", rules, position).out
    assert "The game is over" in shown and shown.endswith("no legal moves\n")


def test_a_finished_game_with_empty_stores_is_what_a_table_says(tables: Path) -> None:
    """No majority is possible then; what the end rule gives is the table's value."""
    samples = [row for row in load("oware/awari_values_le5.csv") if row["seeds"] in (2, 3)]
    over = 0
    for row in samples:
        board = "-".join(str(row[f"p{i}"]) for i in range(12))
        if Position.parse(board, AWARI).result() is not None:
            found = json.loads(abapa("probe", "--rules", "awari", "--json", board).out)
            assert (found["value"], found["over"]) == (row["value"], "nomove")
            over += 1
    assert over > 10


def test_positions_come_in_every_form(tables: Path) -> None:
    counts = BOARD.split("-")
    expected = abapa("probe", "--rules", "awari", BOARD)
    assert expected.code == 0
    for form in ([" ".join(counts)], [",".join(counts)], counts, [*counts, "0", "0", "S"]):
        assert abapa("probe", "--rules", "awari", *form) == expected
    assert abapa("probe", "--rules", "awari", stdin=f"{BOARD}\n") == expected


def test_many_positions_on_stdin(tables: Path) -> None:
    samples = [row for row in load("oware/awari_values_le5.csv") if row["seeds"] == 3][:40]
    lines = "\n".join("-".join(str(row[f"p{i}"]) for i in range(12)) for row in samples)
    ran = abapa("probe", "--rules", "awari", "--json", stdin=f"\n{lines}\n\n")
    assert [json.loads(line)["value"] for line in ran.out.splitlines()] == [row["value"] for row in samples]


def test_a_wrong_line_on_stdin_is_named(tables: Path) -> None:
    ran = abapa("probe", "--rules", "awari", "--json", stdin=f"{BOARD}\n\n1 2 x\n")
    refused(ran, "line 3: position '1 2 x' has 'x' where a count belongs")


def test_a_bad_line_of_a_list_is_named_and_the_others_are_answered(tables: Path) -> None:
    bad = ["1 2 x", "9" * 1_000_000, "\ufffd\ufffd", "4-4-4-4-4-4-4-4-4-4-4-4", "0-" * 20]
    lines = [f"\ufeff{BOARD}", "# a comment", "", *bad, f"  {BOARD}-20-24-N", "#", BOARD]
    for command, field in (("probe", "value"), ("moves", "moves"), ("line", "line")):
        ran = abapa(command, "--rules", "awari", "--json", stdin="\n".join(lines))
        assert ran.code == 2 and len(ran.out.splitlines()) == 3
        assert all(field in json.loads(line) for line in ran.out.splitlines())
        said = ran.err.splitlines()
        assert [line.split(": ")[1] for line in said] == [f"line {number}" for number in (4, 5, 6, 7, 8)]
        assert all(line.startswith("abapa: ") and len(line) < 2000 for line in said)
    assert abapa("probe", "--rules", "awari", stdin="").out == ""


def test_a_line_without_an_end_is_given_up(tables: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solver.cli.lists.LONGEST_INPUT", 200_000)
    refused(abapa("probe", "--rules", "awari", stdin="0" * 300_000), "stdin is no list of positions")


def test_only_files_are_read_where_files_are_meant(tables: Path, tmp_path: Path) -> None:
    fifo = tmp_path / "scores.3"
    os.mkfifo(fifo)
    for path in (fifo, "/dev/zero"):
        refused(abapa("verify", "--rules", "awari", "--counts", path), "is no regular file: accepted are files")
        refused(abapa("compare", path), "is no regular file: accepted are files and folders")
        refused(abapa("import", path), "is no regular file: accepted are files and folders")
        refused(abapa("export", "--rules", "awari", "--seeds", "2", "--force", "-o", path), "is no regular file")
        assert abapa("probe", "--tables", path, BOARD).code == 2
        assert abapa("stats", "--plot", path).code == 2


def test_a_huge_field_of_published_counts_is_refused(tables: Path, tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    path.write_text(f"seeds,value,count\n1,{'1' * 200_000},1\n")
    refused(abapa("verify", "--rules", "awari", "--counts", path), "is no CSV file of numbers")


def test_an_option_that_would_not_be_used_is_refused(tables: Path, tmp_path: Path) -> None:
    refused(abapa("export", "--seeds", "2", "--force"), "accepted is --force -o FILE")
    ran = abapa("verify", "--rules", "awari", "--counts", tmp_path / "c.csv", "--threads", "1")
    refused(ran, "accepted is --threads with --independent")
    assert ran.out == ""


@pytest.mark.parametrize("command", ["probe", "moves", "line"])
@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["-1,0,0,0,0,0,0,0,0,0,0,0"], "negative"),
        (["-1", *["0"] * 11], "negative"),
        (["0", "-1", *["0"] * 10], "negative"),
        (["0-0-0--1-0-0-0-0-0-0-0-0"], "negative"),
        (["a,0,0,0,0,0,0,0,0,0,0,0"], "'a' where a count belongs"),
        (["1,0,0"], "has 3 counts: accepted are 12 counts"),
        (["--rules", "awari", *["1"] * 8], "has 8 counts"),
        (["--rules", "awari", "--pits", "4", *["1"] * 12], "has 12 counts: accepted are 8 counts"),
        (["--rules", "awari+pits=9", "1"], "pits=9: a side has 1 to 8 houses"),
        (["--rules", "awari+pits=4", "--pits", "3", "1"], "says 4 houses a side, the call says 3"),
        (["--rules", "bao", BOARD], "unknown rule set 'bao': accepted are a preset (abapa, awari)"),
        (["--rules", "abapa+grand-slam=win-only", BOARD], "value depends on the stores"),
        (["--rules", "awari", *["1"] * 12], "no awari table of 12 seeds in"),
        (["--rules", "awari", *["1"] * 12], "build it with: abapa build --rules awari --seeds 12 --tables"),
        (["--tables", "absent", BOARD], "no tables folder absent: abapa build makes one"),
    ],
)
def test_what_a_person_gets_wrong(tables: Path, command: str, arguments: list[str], text: str) -> None:
    refused(abapa(command, *arguments), text)


def test_a_wrong_option_is_an_option_error(tables: Path) -> None:
    refused(abapa("probe", "--foo", BOARD), "no such option --foo: accepted are --rules, --pits, --tables, --json")


# -- moves and line ---------------------------------------------------------------------------------------------------


def test_moves(tables: Path) -> None:
    shown = abapa("moves", BOARD).out.splitlines()
    assert shown[0].split() == ["move", "captured", "value", "lower", "upper"]
    assert shown == abapa("probe", BOARD).out.splitlines()[-len(shown) :]
    row = json.loads(abapa("moves", "--rules", "awari", "--json", BOARD).out)
    assert list(row) == ["rules", "board", "moves"]
    assert row["moves"] == json.loads(abapa("probe", "--rules", "awari", "--json", BOARD).out)["moves"]


def test_line(tables: Path) -> None:
    ran = abapa("line", "--rules", "awari", "0-0-0-0-1-1-0-0-0-0-1-1")
    assert ran.code == 0 and "after" in ran.out.splitlines()[0]
    row = json.loads(abapa("line", "--rules", "awari", "--json", "--limit", "3", "1-0-1-0-0-0-1-0-1-0-0-1").out)
    assert row["end"] in ("limit", "over") and len(row["line"]) <= 3
    assert [step["move"].isupper() for step in row["line"]] == [True, False, True][: len(row["line"])]
    over = abapa("line", "--rules", "awari", "0-0-0-0-0-0-0-0-0-0-1-1")
    assert over.out == "no legal moves\nno legal move is left: South 0, North 2\n"


def test_a_line_stops_at_a_majority(tables: Path) -> None:
    position = "0-0-0-0-0-1-1-0-0-0-0-2-23-21-S"
    row = json.loads(abapa("line", "--rules", "awari", "--json", position).out)
    assert row["line"][0] == {"move": "F", "captured": 2, "value": row["value"], "distance": 1}
    assert (len(row["line"]), row["end"]) == (1, "over")
    assert abapa("line", "--rules", "awari", position).out.endswith("by a majority: South 25, North 21\n")


# -- stats, check, export ----------------------------------------------------------------------------------------------


def test_stats(tables: Path) -> None:
    counts = {
        str(r["value"]): r["count"]
        for r in load("oware/awari_value_counts_0_12.csv")
        if r["stones"] == 5 and r["count"]
    }
    ran = abapa("stats", "--rules", "awari", "--seeds", "5", "--json")
    assert json.loads(ran.out) == {"rules": "awari", "seeds": 5, "boards": 4368, "values": counts}
    assert ran.out.startswith('{"rules":"awari","seeds":5,"boards":4368,"values":{"-5":')
    shown = abapa("stats", "--rules", "awari").out.splitlines()
    assert shown[0].split() == ["seeds", "boards", "wins", "draws", "losses", "holds"]  # no journal tells the seconds
    assert [line.split()[0] for line in shown[1:]] == ["0", "1", "2", "3", "4", "5"]
    assert len(abapa("stats", "--rules", "awari", "--json").out.splitlines()) == 6
    histogram = abapa("stats", "--rules", "awari", "--seeds", "5").out.splitlines()
    assert histogram[0].split() == ["margin", "value"]
    assert {row.split()[0].lstrip("+"): int(row.split()[1].replace(",", "")) for row in histogram[1:]} == counts


def test_stats_of_rules_with_bounds(tables: Path) -> None:
    published = {row["seeds"]: row for row in load("oware/abapa_exact_counts_0_10.json")}
    row = json.loads(abapa("stats", "--seeds", "5", "--json").out)
    assert row["exact"] == published[5]["histogram"]
    assert set(row) == {"rules", "seeds", "boards", "values", "lower", "upper", "exact"}
    assert "93.6 %" in abapa("stats").out


def test_stats_of_what_is_not_there(tables: Path, tmp_path: Path) -> None:
    refused(
        abapa("stats", "--rules", "awari", "--seeds", "6"), "no awari table of 6 seeds", "abapa build --rules awari"
    )
    for options in ([], ["--json"], ["--full"], ["--plot", str(tmp_path / "pictures")]):
        ran = abapa("stats", "--tables", tmp_path, *options)
        refused(ran, f"no abapa table of 0 seeds in {tmp_path}", "abapa build --rules abapa")
        assert ran.out == ""
    assert list(tmp_path.iterdir()) == []
    refused(abapa("stats", "--rules", "abapa+cycle=even"), "no abapa+cycle=even table of 0 seeds")
    refused(abapa("stats", "--json", "--markdown"), "--markdown and --json exclude each other")
    refused(abapa("stats", "--threads", "1"), "--threads goes with --full")
    assert abapa("stats", "--seeds", "-3").code == 2


def test_check_finds_a_flipped_bit(copied: Path) -> None:
    fine = abapa("check", "--rules", "awari")
    assert fine.code == 0 and fine.out.count(": right\n") == 6
    path = table_path(copied, AWARI, 4)
    with h5py.File(path) as file:
        dataset = file["value"]
        assert isinstance(dataset, h5py.Dataset)
        at = dataset.id.get_offset() + 1000
    data = bytearray(path.read_bytes())
    data[at] ^= 0x10
    path.write_bytes(data)
    ran = abapa("check", "--rules", "awari")
    remedy = "delete the file and run: abapa build --rules awari --seeds 4 --distance --tables "
    refused(ran, f"1 of 6 tables are damaged: {remedy}")
    assert f"{path}: value: chunk 0 (boards 0 on) has changed\n" in ran.out
    rows = [json.loads(line) for line in abapa("check", "--rules", "awari", "--json").out.splitlines()]
    assert [row["right"] for row in rows] == [True, True, True, True, False, True]
    assert abapa("check", "--rules", "awari", "--seeds", "3").code == 0
    refused(abapa("check", "--rules", "awari", "--seeds", "9"), "no awari table of 9 seeds")


def test_check_advises_to_delete_only_what_is_of_no_use(copied: Path) -> None:
    """What cannot be read, or is right under another name or in a newer version, may be all there is."""
    paths = [table_path(copied, ABAPA, n) for n in range(6)]
    paths[1].unlink()
    paths[1].mkdir()
    with h5py.File(paths[2], "r+") as file:
        file.attrs["format_version"] = 3
    shutil.copy(paths[4], paths[3])
    paths[5].unlink()
    paths[5].symlink_to(copied / "gone")
    ran = abapa("check")
    refused(ran, "4 of 6 could not be checked, and may be right: abapa-01.h5, abapa-02.h5, abapa-03.h5, abapa-05.h5")
    assert "delete the" not in ran.out + ran.err and "delete it" not in ran.out
    assert ran.out.splitlines() == [
        f"{paths[0]}: right",
        f"{paths[1]}: is a folder, not a table (move it away)",
        f"{paths[2]}: is in format version 3, newer than the 2 read here (update Abapa)",
        f"{paths[3]}: holds 4 seeds of abapa, not what its name says (give it its name back)",
        f"{paths[4]}: right",
        f"{paths[5]}: cannot be read: No such file or directory",
    ]
    states = [json.loads(line)["state"] for line in abapa("check", "--json").out.splitlines()]
    assert states == ["right", "unusable", "unusable", "unusable", "right", "unusable"]
    paths[4].write_bytes(b"damaged")
    both = abapa("check")
    refused(both, "1 of 6 tables are damaged: delete the file and run: abapa build --rules abapa --seeds 4 --tables ")
    assert "; 4 of 6 could not be checked, and may be right: " in both.err


def test_check_of_what_may_not_be_read(copied: Path) -> None:
    before = unprivileged()
    for folder in (copied, copied.parent):
        folder.chmod(0o755)
    path = table_path(copied, AWARI, 4)
    path.chmod(0)
    ran = abapa_process("check", "--rules", "awari", before=before)
    refused(ran, "abapa: 1 of 6 could not be checked, and may be right: awari-04.h5")
    assert f"\n{path}: cannot be read: Permission denied (ask for the right to read it)\n" in ran.stdout
    probed = abapa_process("probe", "--rules", "awari", "0-0-0-0-0-1-1-0-0-0-0-1", before=before)
    assert probed.returncode == 0, probed.stderr
    refused(
        abapa_process("probe", "--rules", "awari", BOARD, before=before), f"{path} cannot be read: Permission denied"
    )


def test_check_knows_the_shortest_way_back(copied: Path) -> None:
    """A damaged table whose other form is right is restored from that."""
    assert abapa("pack", "--rules", "awari").code == 0
    table_path(copied, AWARI, 4).write_bytes(b"damaged")
    where = f"--rules awari --tables {copied}"
    refused(
        abapa("check", "--rules", "awari"), f"1 of 12 tables are damaged: delete the file and run: abapa unpack {where}"
    )
    archive_path(copied, AWARI, 2).write_bytes(b"damaged")
    table_path(copied, AWARI, 5).write_bytes(b"damaged")
    archive_path(copied, AWARI, 5).write_bytes(b"damaged")
    ran = abapa("check", "--rules", "awari")
    refused(
        ran, f"4 of 12 tables are damaged: delete the files and run: abapa unpack {where} and abapa pack {where} and "
    )
    assert ran.err.endswith(f" and abapa build --rules awari --seeds 5 --distance --tables {copied}\n")


def test_check_looks_at_every_window_of_a_tier(tmp_path: Path) -> None:
    """Not only at the widest, which the other commands read."""
    for game in ("7", "8"):
        assert abapa("build", "--rules", "awari", "--game", game, "--tables", tmp_path).code == 0
    narrow, wide = tmp_path / "awari-07.w1.h5", tmp_path / "awari-06.w3.h5"
    assert abapa("check", "--rules", "awari", "--tables", tmp_path).out.count(": right") == 10
    with narrow.open("r+b") as file:
        file.seek(-2, 2)
        file.write(b"\x55\x55")
    where = f"--tables {tmp_path}"
    refused(
        abapa("check", "--rules", "awari", "--tables", tmp_path),
        f"1 of 10 tables are damaged: delete the file and run: abapa build --rules awari --game 7 {where}",
    )
    assert wide.exists()


@pytest.mark.parametrize("command", [["probe", BOARD], ["stats"], ["check"], ["build", "--seeds", "5", "--no-bounds"]])
@pytest.mark.parametrize("damage", ["truncated", "foreign", "text", "old", "renamed", "directory"])
def test_damaged_files(copied: Path, command: list[str], damage: str) -> None:
    path = table_path(copied, ABAPA, 4)
    if damage == "truncated":
        path.write_bytes(path.read_bytes()[:3000])
    elif damage == "foreign":
        path.unlink()
        with h5py.File(path, "x") as file:
            file["value"] = np.zeros(10)
    elif damage == "text":
        path.write_text("hello")
    elif damage == "old":
        with h5py.File(path, "r+") as file:
            file.attrs["format_version"] = 0
    elif damage == "renamed":
        path.unlink()
        table_path(copied, AWARI, 4).rename(path)
    else:
        path.unlink()
        path.mkdir()
    ran = abapa(*command)
    assert ran.code == 2 and "Traceback" not in ran.err
    assert str(path) in ran.out + ran.err


def test_export_writes_the_bytes(tables: Path, tmp_path: Path) -> None:
    with Table.open(table_path(tables, AWARI, 5)) as table:
        values, distances = table.map("value").tobytes(), table.map("distance").tobytes()
    ran = abapa_process("export", "--rules", "awari", "--seeds", "5", "-o", tmp_path / "values")
    assert (ran.returncode, ran.stdout) == (0, "")
    assert (tmp_path / "values").read_bytes() == values
    refused(
        abapa("export", "--rules", "awari", "--seeds", "5", "-o", tmp_path / "values"), "exists: --force replaces it"
    )
    again = ["export", "--rules", "awari", "--seeds", "5", "-o", tmp_path / "values", "--quantity", "distance"]
    assert abapa(*again, "--force").code == 0
    assert (tmp_path / "values").read_bytes() == distances
    assert abapa("export", "--rules", "awari", "--seeds", "5").out.encode("utf-8", "surrogateescape") == values
    refused(abapa(*again[:-3], tmp_path / "x", "--quantity", "lower"), "holds value, distance, not lower")
    refused(abapa(*again[:-3], tmp_path / "no" / "x"), "cannot write", "No such file")
    refused(abapa("export", "--rules", "awari", "--seeds", "7"), "no awari table of 7 seeds")


# -- build ------------------------------------------------------------------------------------------------------------


def test_build_then_ask(tmp_path: Path) -> None:
    arguments = ["--rules", "awari", "--seeds", "12", "--tables", tmp_path]
    ran = abapa("build", *arguments)
    assert ran.code == 0, ran.err
    assert ran.out.startswith("Plan: awari, tiers 0..12 (13 to build, 0 already there)")
    assert ran.out.count("\ntier ") == 13
    published = {
        str(r["value"]): r["count"]
        for r in load("oware/awari_value_counts_0_12.csv")
        if r["stones"] == 12 and r["count"]
    }
    stats = json.loads(abapa("stats", *arguments, "--json").out)
    assert stats == {"rules": "awari", "seeds": 12, "boards": 1352078, "values": published}
    moves = json.loads(abapa("moves", "--rules", "awari", "--tables", tmp_path, "--json", "1 " * 12).out)["moves"]
    assert {move["move"]: move["value"] for move in moves} == dict(zip("ABCDEF", [-1, -8, -2, -2, -2, 0], strict=True))
    assert abapa("check", "--rules", "awari", "--tables", tmp_path).code == 0
    again = abapa("build", *arguments)
    assert "(all there)" in again.out and "\ntier " not in again.out
    where = ["--rules", "awari", "--tables", tmp_path]
    timed = abapa("stats", *where).out
    assert timed.splitlines()[0].split()[-2:] == ["seconds", "holds"]
    assert abapa("pack", *where, "--remove").code == 0 and abapa("stats", *where).out == timed


def test_build_refuses_with_numbers(tmp_path: Path) -> None:
    refused(
        abapa("build", "--rules", "awari", "--seeds", "12", "--tables", tmp_path, "--memory", "1MB"),
        "are needed; the smallest that works is --memory",
        "1,000,000 bytes may be used",
    )
    refused(abapa("build", "--rules", "awari", "--seeds", "128", "--tables", tmp_path), "accepted are 0 to 127")
    refused(abapa("build", "--rules", "awari", "--seeds", "60", "--tables", tmp_path), "no room in")
    refused(
        abapa("build", "--rules", "abapa+grand-slam=win-only", "--seeds", "3", "--tables", tmp_path),
        "depends on the stores",
    )
    for wrong in (["--memory", "lots"], ["--seeds", "x"], ["--seeds", "-1"], ["--threads", "0"]):
        refused(abapa("build", "--seeds", "3", "--tables", tmp_path, *wrong), "invalid value for '--", "accepted are")
    refused(
        abapa("build", "--rules", "awari", "--seeds", "3", "--bounds", "--tables", tmp_path),
        "--bounds: awari splits endless play evenly",
        "accepted are rules with cycle=own-row",
    )
    dry = ["--seeds", "2", "--dry-run", "--tables", tmp_path]
    assert abapa("build", "--rules", "awari", "--no-bounds", *dry).code == 0
    plan = abapa("build", "--bounds", *dry).out
    assert "value, lower, upper" in plan
    assert plan == abapa("build", *dry).out
    assert list(tmp_path.iterdir()) == []


def test_two_builders_in_one_folder(tmp_path: Path) -> None:
    with BuildLock(tmp_path):
        refused(
            abapa("build", "--seeds", "2", "--tables", tmp_path), f"process {os.getpid()} is building in {tmp_path}"
        )
    assert abapa("build", "--seeds", "2", "--tables", tmp_path).code == 0


def test_a_read_only_folder(tmp_path: Path) -> None:
    before = unprivileged()
    folder = tmp_path / "tables"
    folder.mkdir(mode=0o555)
    refused(
        abapa_process("build", "--seeds", "2", "--tables", folder, before=before), "cannot write", "Permission denied"
    )
    refused(
        abapa_process("build", "--seeds", "2", "--tables", folder / "new", before=before),
        "cannot make",
        "Permission denied",
    )
    file = tmp_path / "file"
    file.touch()
    for folder in (file, file / "below"):
        refused(abapa("build", "--seeds", "2", "--tables", folder), f"{file} is a file: name a folder for the tables")
    for command in ("check", "pack", "unpack", "stats"):
        refused(abapa(command, "--tables", file), f"{file} is no folder of tables: abapa build makes one")
        refused(
            abapa(command, "--tables", tmp_path / "no"), f"no tables folder {tmp_path / 'no'}: abapa build makes one"
        )
    refused(abapa("check", "--tables", tmp_path), f"no abapa tables in {tmp_path}: abapa build makes them")


def test_a_disk_that_fills_up_during_a_build(tmp_path: Path) -> None:
    """A limit on file sizes stands for the full disk; the next run goes on."""
    code = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (4_400_000, resource.RLIM_INFINITY));"
    code += "from solver.cli import main; sys.argv = sys.argv[1:]; main()"
    arguments = ["abapa", "build", "--rules", "awari", "--seeds", "14", "--tables", str(tmp_path)]
    arguments += ["--checkpoint", "never"]  # on a busy machine one would be worth its while, and fill the disk first
    ran = subprocess.run([command_line.ABAPA[0], "-c", code, *arguments], capture_output=True, text=True, check=False)
    refused(ran, "awari-14.h5: File too large (it needs ", "finished tables are intact")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "abapa-build.jsonl", *(f"awari-{n:02d}.h5" for n in range(14))
    ]  # fmt: skip
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 4_400_000
    again = abapa(*arguments[1:])
    assert again.code == 0 and "(1 to build, 14 already there)" in again.out
    assert abapa("check", "--rules", "awari", "--tables", tmp_path).code == 0


def test_ctrl_c_keeps_finished_tiers_and_the_next_run_goes_on(tmp_path: Path) -> None:
    command = [*command_line.ABAPA, "build", "--rules", "awari", "--seeds", "22", "--tables", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as build:
        while not table_path(tmp_path, AWARI, 13).exists():
            assert build.poll() is None
            time.sleep(0.02)
        build.send_signal(signal.SIGINT)
        _, err = build.communicate()
    assert build.returncode == 130, err
    assert err.endswith("abapa: interrupted\n") and "Traceback" not in err
    assert not list(tmp_path.glob("*.part"))
    kept = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("*.h5")}
    finished = len(kept)
    assert set(kept) == {f"awari-{n:02d}.h5" for n in range(finished)} and 14 <= finished < 22
    again = abapa("build", "--rules", "awari", "--seeds", str(finished), "--tables", tmp_path)
    assert again.code == 0 and f"(1 to build, {finished} already there)" in again.out
    assert all((tmp_path / name).stat().st_mtime_ns == when for name, when in kept.items())


# -- the environment --------------------------------------------------------------------------------------------------


def test_a_namesake_of_databases_is_noticed(tables: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(databases, "DISTRIBUTION")
    refused(abapa("stats"), "the package 'databases' at ", "is another project's", "environment of its own")


def test_stdin_that_is_no_text(tables: Path) -> None:
    run = [*command_line.ABAPA, "probe", "--rules", "awari"]
    ran = subprocess.run(run, input=b"1-1\xff\xfe\n", capture_output=True, check=False)
    assert ran.returncode == 2 and ran.stderr.startswith(b"abapa: line 1: position ")


def test_a_folder_that_may_not_be_read(tmp_path: Path) -> None:
    before = unprivileged()
    folder = tmp_path / "tables"
    folder.mkdir(mode=0o100)
    refused(abapa_process("stats", "--tables", folder, before=before), "cannot be read: Permission denied")


def test_no_position_at_all(tables: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert abapa("probe") == Ran(0, "", "")
    with patch("solver.cli.lists.sys") as system:
        system.stdin.isatty.return_value = True
        ran = abapa("probe")
    assert ran.code == 2 and "no position given: accepted are arguments, or one position per line on stdin" in ran.err
