"""``abapa verify-draw``: the starts that are cheap, every way of printing, and what happens when something is wrong."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from databases import published
from databases.files.folder import table_path
from databases.files.table import Table
from databases.published import KNOWN_STARTS
from databases.starts import Way, solve_starts, starts_within
from databases.sweeps import SweptTables
from databases.tiers import board_index, tier_size
from solver.oware.position import Position
from solver.oware.rules import AWARI
from tests.cli.command_line import abapa, refused
from tests.databases.table_files import write_tables
from tests.oware.brute_force import BruteTables


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where all of these build."""
    return tmp_path_factory.mktemp("starts")


def test_twelve_seeds(folder: Path) -> None:
    ran = abapa("verify-draw", "--per-pit", "1", "--tables", folder, "--json")
    assert ran.code == 0 and ran.err.startswith("Plan: awari, tiers 0..12")
    result = json.loads(ran.out)
    assert (result["value"], result["draw"], result["proved"], result["differences"]) == (0, True, True, [])
    moves = {move["move"]: move["value"] for move in result["moves"]}
    assert moves == dict(zip("ABCDEF", [-1, -8, -2, -2, -2, 0], strict=True))
    assert result["known"]["published"] is False
    assert result["known"]["moves"] == [moves[letter] for letter in "ABCDEF"]
    assert [tier["seeds"] for tier in result["tiers"]] == list(range(13)) and all(t["proved"] for t in result["tiers"])
    with Table.open(table_path(folder, AWARI, 12)) as table:
        assert result["tiers"][12]["sha256"] == {name: d.whole for name, d in table.header.digests.items()}
    position = Position.start(AWARI, 1)
    for step in result["line"]:
        letter, _, captured = step.partition("x")
        before = position.stores
        position = position.play(letter)
        assert sum(position.stores) - sum(before) == int(captured or 0)
    assert result["end"] == "over" and position.result() == (6, 6)


def test_sources_say_what_is_published_and_what_is_our_own() -> None:
    """Nothing is its own source, and the second program that is named is there."""
    by = {known.source: start for start, known in KNOWN_STARTS.items()}
    assert {start for start, known in KNOWN_STARTS.items() if known.published} == {(6, 3), (6, 4)}
    for source in by:
        assert "docs/results.md" not in source
        assert source.startswith(("Published: J. Romein and H. Bal", "Our own result: we know of no publication"))
    root = Path(published.__file__).parents[1]
    assert (root / "databases" / "sweeps.py").is_file() and "databases/sweeps.py" in KNOWN_STARTS[6, 1].source
    assert "sweeps.py" not in KNOWN_STARTS[6, 2].source  # it has not been run on 24 seeds


@pytest.mark.parametrize("pits", [1, 2, 3, 4])
def test_the_second_program_finds_what_is_recorded(pits: int) -> None:
    """Starts of tiers that take seconds; abapa verify --independent did all of them."""
    starts = starts_within(40_000, [pits], range(1, 7))
    rules, top = replace(AWARI, pits=pits), 2 * pits * starts[-1][1]
    swept = SweptTables(rules, top)
    for n in range(top + 1):
        swept.solve(n)
    for m, per_pit in starts:
        seeds = 2 * m * per_pit
        value = swept.numbers("value", seeds)[board_index((per_pit,) * (2 * m))]
        assert value == KNOWN_STARTS[m, per_pit].value


def test_text_and_markdown_say_the_same(folder: Path) -> None:
    text = abapa("verify-draw", "--per-pit", "1", "--tables", folder)
    assert text.code == 0 and "Awari with 1 seed per pit (12 seeds): a draw\n" in text.out
    assert "  moves      A -1  B -8  C -2  D -2  E -2  F 0\n" in text.out
    assert "every number of all 2,704,156 boards of 0 to 12 seeds proved by distance" in text.out
    markdown = abapa("verify-draw", "--per-pit", "1", "--tables", folder, "--markdown")
    assert markdown.out.startswith("### Awari with 1 seed per pit (12 seeds): a draw\n\n- **value**: 0 ")
    rows = [line for line in markdown.out.splitlines() if line.startswith("|")]
    assert len(rows) == 15 and all(line.count("|") == rows[0].count("|") for line in rows)


def test_more_starts_are_built_once(folder: Path) -> None:
    ran = abapa("verify-draw", "--pits", "2-3", "--per-pit", "1,2", "--tables", folder)
    assert ran.code == 0 and ran.out.count("Plan: ") == 2 and ran.out.count("Tables of awari+pits=") == 2
    assert [line for line in ran.out.splitlines() if line.startswith("Awari with")] == [
        "Awari with 1 seed per pit on 2 pits per side (4 seeds): a draw",
        "Awari with 2 seeds per pit on 2 pits per side (8 seeds): the first player wins by 2",
        "Awari with 1 seed per pit on 3 pits per side (6 seeds): a draw",
        "Awari with 2 seeds per pit on 3 pits per side (12 seeds): the first player wins by 3",
    ]


@pytest.mark.parametrize("pits", [1, 2, 3])
def test_starts_against_brute_force(folder: Path, pits: int) -> None:
    per_pit = [k for k in (1, 2, 3) if tier_size(pits, 2 * pits * k) < 2000]
    for result in solve_starts(folder, pits, per_pit):
        brute = BruteTables(result.rules, result.seeds)
        board = (result.per_pit,) * (2 * pits)
        assert (result.probe.value, result.probe.distance) == (brute.value[board], brute.distance[board])
        for move in result.moves:
            assert move.value == move.captured - brute.value[move.board]


@pytest.mark.parametrize(("pits", "margin"), [(1, 2), (2, 2), (3, 1)])
def test_starts_in_windows_against_brute_force(tmp_path: Path, pits: int, margin: int) -> None:
    per_pit = [k for k in (1, 2, 3) if tier_size(pits, 2 * pits * k) < 2000]
    for result in solve_starts(tmp_path, pits, per_pit, Way(windows=True, margin=margin, prove=True)):
        brute = BruteTables(result.rules, result.seeds)
        values = [(result.probe, brute.value[(result.per_pit,) * (2 * pits)])]
        values += [(move, move.captured - brute.value[move.board]) for move in result.moves]
        for answer, right in values:
            low, high = answer.reach
            assert low <= right <= high
            assert low == high or abs(right) >= margin  # after a capture margins may be known farther
            assert (answer.value > 0) == (right > 0) and (answer.value < 0) == (right < 0)
        assert result.proved and not result.differences
        assert [tier.seeds for tier in result.tiers] == [n for n in range(result.seeds + 1) if n != result.seeds - 1]


def test_windows_are_told_and_proved_when_asked(tmp_path: Path) -> None:
    draw = ["verify-draw", "--pits", "3", "--per-pit", "2", "--windows", "--tables", tmp_path]
    bare = abapa(*draw)
    assert bare.code == 0 and "(12 seeds): the first player wins by 1 or more\n" in bare.out
    assert "  moves      A -1 or less  B +3  C 0\n" in bare.out
    assert "agrees with what was recorded; tables hashed but NOT proved" in bare.out
    proved = abapa(*draw, "--prove", "--margin", "4")
    assert proved.code == 0 and "  moves      A -2  B +3  C 0\n" in proved.out
    boards = sum(tier_size(3, n) for n in range(13) if n != 11)
    said = f"the values of all {boards:,} boards of 0 to 12 seeds in the windows of their game proved by grounding"
    assert said in proved.out
    result = json.loads(abapa(*draw, "--json").out)
    assert result["beyond"] is None and result["value"] == 3  # the wider tables serve
    assert [tier["window"] for tier in result["tiers"] if tier["seeds"] == 12] == [4]


def test_values_without_distances_are_proved_when_asked(tmp_path: Path) -> None:
    draw = ["verify-draw", "--pits", "2", "--per-pit", "2", "--values-only", "--tables", tmp_path]
    assert "NOT proved" in abapa(*draw).out
    boards = sum(tier_size(2, n) for n in range(9))
    assert f"every number of all {boards} boards of 0 to 8 seeds proved by grounding" in abapa(*draw, "--prove").out


def test_a_wrong_window_is_found(tmp_path: Path) -> None:
    rules = replace(AWARI, pits=2)
    draw = ["verify-draw", "--pits", "2", "--per-pit", "2", "--windows", "--prove", "--tables", tmp_path]
    assert abapa(*draw).code == 0
    path = table_path(tmp_path, rules, 6, 3)
    with Table.open(path) as table:
        at = table.offsets["value"] + 5
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)
    ran = abapa(*draw)
    assert ran.code == 1 and "boards are not worth what their best move is" in ran.out and "has changed" in ran.out


def test_the_grid_agrees_with_what_is_known(folder: Path) -> None:
    ran = abapa("verify-draw", "--grid", "--limit", "2e5", "--per-pit", "1-6", "--tables", folder)
    assert ran.code == 0, ran.err
    rows = [line.split() for line in ran.out.splitlines()[1:]]
    starts = [(int(row[0]), int(row[1])) for row in rows]
    assert starts == starts_within(200_000, range(1, 9), range(1, 7)) and len(starts) == 18
    for (pits, per_pit), row in zip(starts, rows, strict=True):
        assert int(row[4]) == KNOWN_STARTS[pits, per_pit].value
        assert row[5 + pits : 7 + pits] == ["agrees", "proved"]
        assert row[-6:] == ["abapa", "verify-draw", "--pits", str(pits), "--per-pit", str(per_pit)]
    markdown = abapa(
        "verify-draw", "--grid", "--limit", "1000", "--pits", "1", "--per-pit", "1", "--tables", folder, "--markdown"
    )
    assert markdown.out.splitlines()[2].startswith("| 1 | 1 | 2 | 3 | +2 | . | agrees | proved | ")


def test_limits_of_the_grid() -> None:
    assert starts_within(10, [1]) == [(1, k) for k in range(1, 5)]
    assert starts_within(200_000_000, [4, 5, 6, 7, 8]) == [
        *((4, k) for k in range(1, 6)), (5, 1), (5, 2), (6, 1), (7, 1)
    ]  # fmt: skip
    assert (8, 1) in starts_within(tier_size(8, 16), [8])
    assert max(starts_within(10**9, [1])) == (1, 63)


def test_a_difference_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = replace(KNOWN_STARTS[3, 2], value=-1, moves=(0, 0, 0), only_best="A")
    monkeypatch.setitem(published.KNOWN_STARTS, (3, 2), known)
    ran = abapa("verify-draw", "--pits", "3", "--per-pit", "2", "--tables", folder)
    assert ran.code == 1 and ran.err == ""
    assert "DIFFERS: the start is worth 3, known -1; move " in ran.out and "known A alone" in ran.out
    grid = abapa("verify-draw", "--grid", "--pits", "3", "--per-pit", "2", "--tables", folder)
    assert grid.code == 1 and "DIFFERS" in grid.out
    assert abapa("verify-draw", "--json", "--pits", "3", "--per-pit", "2", "--tables", folder).code == 1


def test_a_wrong_table_is_found(tmp_path: Path) -> None:
    rules = replace(AWARI, pits=2)
    write_tables(tmp_path, rules, 4, ("value", "distance"))
    path = table_path(tmp_path, rules, 3)
    with Table.open(path) as table:
        at = table.offsets["value"] + 5
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)
    ran = abapa("verify-draw", "--pits", "2", "--per-pit", "1", "--tables", tmp_path)
    assert ran.code == 1
    assert "DIFFERS: tier 3: value: chunk 0 (boards 0 on) has changed" in ran.out and "break their equation" in ran.out


def test_values_only_are_not_proved(tmp_path: Path) -> None:
    ran = abapa("verify-draw", "--pits", "2", "--per-pit", "1", "--tables", tmp_path, "--values-only")
    assert ran.code == 0 and "NOT proved: they hold no distances" in ran.out
    result = json.loads(
        abapa("verify-draw", "--pits", "2", "--per-pit", "1", "--tables", tmp_path, "--values-only", "--json").out
    )
    assert result["proved"] is False and list(result["tiers"][0]["sha256"]) == ["value"]


def test_what_cannot_be_done_is_refused(tmp_path: Path) -> None:
    draw = ["verify-draw", "--tables", tmp_path]
    large = abapa(*draw, "--per-pit", "4", "--full-tables")
    refused(large, "no room in", "the build needs")
    assert large.out.startswith("Plan: awari, tiers 0..48 (49 to build, 0 already there), value, distance\n")
    assert "boards          1,399,358,844,975" in large.out
    for option, boards in (("--full-tables", "69,668,534,468"), ("--windows", "56,327,751,272")):
        planned = abapa(*draw, "--per-pit", "3", option, "--memory", "1GB")
        assert planned.code == 2 and re.search(rf"boards +{boards}\n", planned.out)
    assert (
        "windows      18 at 19 seeds" in abapa(*draw, "--per-pit", "3", "--memory", "1GB").out
    )  # large ones need no option
    refused(abapa(*draw, "--windows", "--values-only"), "--values-only and --windows exclude each other")
    refused(abapa(*draw, "--full-tables", "--margin", "2"), "--margin is for windows: accepted is --margin without")
    refused(abapa(*draw, "--per-pit", "1", "--margin", "2"), "these starts are solved with full tables: add --windows")
    refused(abapa(*draw, "--per-pit", "11"), "11 seeds per pit on 6 pits per side: accepted are 1 to 10")
    refused(abapa(*draw, "--pits", "9"), "9 pits per side: accepted are 1 to 8")
    refused(abapa(*draw, "--grid", "--limit", "2"), "no start has a tier within 2 boards")
    for grid in ([], ["--grid"]):
        ran = abapa(*draw, *grid, "--pits", "2", "--per-pit", "1", "--threads", "999")
        refused(ran, "999 threads: accepted are 1 to")
        assert ran.out == ""
    ran = abapa(*draw, "--grid", "--pits", "2", "--per-pit", "1", "--memory", "1KB")
    assert ran.code == 2 and ran.out == ""  # no heading where no row follows
    refused(
        abapa(*draw, "--pits", "1,6", "--per-pit", "1,60"), "60 seeds per pit on 6 pits per side: accepted are 1 to 10"
    )
    refused(abapa(*draw, "--per-pit", "1", "--limit", "2e5"), "--limit is for the tiers of a grid")
    for wrong in (["--per-pit", "0"], ["--per-pit", "x"], ["--limit", "many"], ["--json", "--markdown"]):
        assert abapa(*draw, *wrong).code == 2
    assert list(tmp_path.iterdir()) == []
