"""``abapa sample | score``: forms, sums, what a person gets wrong."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path

import numpy as np
import pytest

from solver.oware.rules import ABAPA, AWARI
from tests.cli.command_line import abapa, refused
from tests.databases.table_files import write_tables

BOARD = "0-1-0-0-1-2-0-0-1-0-0-2"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tables")
    write_tables(path, AWARI, 8, ("value", "distance"))
    write_tables(path, ABAPA, 7, ("value", "lower", "upper"))
    return path


def sample(folder: Path, *words: str, rules: str = "awari") -> str:
    ran = abapa("sample", "--rules", rules, "--tables", folder, *words)
    assert ran.code == 0, ran.err
    return ran.out


def probed(folder: Path, rules: str, text: str) -> dict:
    return json.loads(abapa("probe", "--rules", rules, "--tables", folder, "--json", text).out)


def test_jsonl_is_what_probe_prints(folder: Path) -> None:
    for rules, seeds in (("awari", "6..8"), ("abapa", "7")):
        lines = sample(folder, "--seeds", seeds, "--count", "40", "--format", "jsonl", rules=rules).splitlines()
        assert len(lines) == 40
        for line in lines:
            board = "-".join(map(str, json.loads(line)["board"]))
            assert json.loads(line) == probed(folder, rules, board)


def test_csv_says_the_same(folder: Path) -> None:
    text = sample(folder, "--seeds", "7", "--count", "30", "--seed", "-4", rules="abapa")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 30 and text == sample(folder, "--seeds", "7", "--count", "30", "--seed", "-4", rules="abapa")
    assert text != sample(folder, "--seeds", "7", "--count", "30", "--seed", "4", rules="abapa")
    for row in rows:
        found = probed(folder, "abapa", row["position"])
        assert [int(row[name]) for name in ("value", "lower", "upper")] == [
            found[name] for name in ("value", "lower", "upper")
        ]
        moves = {move["move"]: move for move in found["moves"]}
        for letter in "ABCDEF":
            assert row[f"value_{letter}"] == (str(moves[letter]["value"]) if letter in moves else "")
            assert row[f"upper_{letter}"] == (str(moves[letter]["upper"]) if letter in moves else "")
        assert set(row["best"]) == {letter for letter, move in moves.items() if move["value"] == found["value"]}


def test_npz_holds_the_same(folder: Path, tmp_path: Path) -> None:
    path, words = tmp_path / "set.npz", ("--seeds", "8", "--count", "50", "--format", "npz")
    assert sample(folder, *words, "-o", str(path)) == ""
    first = path.read_bytes()
    sample(folder, *words, "-o", str(path), "--force")
    assert path.read_bytes() == first
    rows = list(csv.DictReader(io.StringIO(sample(folder, "--seeds", "8", "--count", "50"))))
    arrays = np.load(path)
    assert str(arrays["rules"]) == "awari" and arrays["boards"].dtype == np.int8
    assert arrays["value"].tolist() == [int(row["value"]) for row in rows]
    assert arrays["distance"].tolist() == [int(row["distance"]) for row in rows]
    assert [[bool(row[f"value_{letter}"]) for letter in "ABCDEF"] for row in rows] == (arrays["captured"] >= 0).tolist()


def test_positions_of_play(folder: Path) -> None:
    words = ("--selfplay", "--depth", "2", "--seeds", "8", "--count", "5")
    text = sample(folder, *words)
    assert text == sample(folder, *words) and len(text.splitlines()) == 6


def test_what_sample_refuses(folder: Path, tmp_path: Path) -> None:
    words = ("sample", "--rules", "awari", "--tables", folder)
    refused(abapa(*words, "--seeds", "9", "--count", "1"), "no awari table of 9 seeds", "abapa build")
    refused(abapa(*words, "--seeds", "8..7", "--count", "1"), "'8..7'", "8..12")
    refused(abapa(*words, "--seeds", "x", "--count", "1"), "'x'")
    refused(abapa(*words, "--seeds", "8", "--count", "1", "--depth", "3"), "--selfplay")
    (tmp_path / "old").write_text("kept")
    refused(abapa(*words, "--seeds", "8", "--count", "1", "-o", tmp_path / "old"), "--force")
    assert (tmp_path / "old").read_text() == "kept" and len(list(tmp_path.iterdir())) == 1
    refused(abapa(*words, "--seeds", "8", "--count", "1", "-o", tmp_path / "no" / "file"), "cannot write")


def score(folder: Path, text: str, *words: str, rules: str = "awari") -> tuple[int, str, str]:
    ran = abapa("score", "--rules", rules, "--tables", folder, *words, stdin=text)
    return ran.code, ran.out, ran.err


def test_moves_are_graded(folder: Path) -> None:
    moves = {move["move"]: move["value"] for move in probed(folder, "awari", BOARD)["moves"]}
    best = max(moves.values())
    lines = "".join(f"{BOARD} {letter}\n" for letter in moves)
    code, out, _ = score(folder, lines, "--json")
    found = json.loads(out)
    assert code == 0 and found["moves"] == len(moves)
    assert found["perfect"] == sum(value == best for value in moves.values())
    assert found["mean_loss"] == round(sum(best - value for value in moves.values()) / len(moves), 6)
    assert found["results_worsened"] == sum((best > 0) - (best < 0) > (v > 0) - (v < 0) for v in moves.values())
    assert found["worst"]["loss"] == best - min(moves.values())


def test_every_form_of_a_list(folder: Path) -> None:
    counts = BOARD.split("-")
    forms = [
        f"# a comment\n\n{BOARD} B\n",
        f"{' '.join(counts)} B\n",
        f"move,position\nB,{BOARD}\n",
        json.dumps({"board": list(map(int, counts)), "move": "B"}) + "\n",
        "\ufeff" + json.dumps({"position": BOARD, "move": "B"}) + "\n",
    ]
    outs = {score(folder, text, "--each", "--json") for text in forms}
    graded = [json.loads(out.splitlines()[0]) for _, out, _ in outs]
    assert {code for code, _, _ in outs} == {0}
    assert len({json.dumps(grade | {"line": 0}) for grade in graded}) == 1


def test_a_bad_line_is_named_and_the_rest_is_graded(folder: Path) -> None:
    code, out, err = score(folder, f"{BOARD} B\nnonsense\n{BOARD} A\n{BOARD} B\n", rules="abapa")
    assert code == 2 and "moves graded              2" in out and "lines not graded          2" in out
    assert "line 2: " in err and "line 3: move A is not legal here" in err and err.count("\n") == 2
    refused(abapa("score", "--tables", folder, stdin="\n"), "stdin holds no moves")
    empty = folder / "empty.txt"
    empty.write_text("\n")
    refused(abapa("score", "--tables", folder, str(empty)), f"{empty} holds no moves")


def test_a_huge_line_counts_once_and_an_endless_one_is_no_list(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, err = score(folder, f"{BOARD} B\n{'x' * 100_000}\n{BOARD} B\n{BOARD} A\n", rules="abapa")
    assert code == 2 and "moves graded              2" in out and "lines not graded          2" in out
    assert "line 2: more than 10,000 characters" in err and "line 4: move A is not legal here" in err
    monkeypatch.setattr("solver.cli.lists.LONGEST_INPUT", 200_000)
    for command in ("score", "probe", "moves", "line"):
        refused(abapa(command, "--tables", folder, stdin="\0" * 1_000_000), "stdin is no list of positions")


def test_stores_decide_whether_a_result_turned(folder: Path) -> None:
    moves = sorted(probed(folder, "awari", BOARD)["moves"], key=lambda move: move["value"])
    worst, best = moves[0], moves[-1]
    assert worst["value"] < best["value"]
    lead = 1 - best["value"]  # with it the best move wins by one
    south, north = (24 + lead, 24) if lead < 0 else (24, 24 - lead)
    won = f"{BOARD}-{south - 4}-{north - 4}-S {worst['move']}"
    assert json.loads(score(folder, won + "\n", "--json")[1])["results_worsened"] == 1
    lost = f"{BOARD}-0-20-S {worst['move']}"
    assert json.loads(score(folder, lost + "\n", "--json")[1])["results_worsened"] == 0


def test_scoring_waits_for_no_pipe_and_reads_no_device(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for file, said in ((tmp_path / "pipe", "Is no regular file"), ("/dev/zero", "Is no regular file"),
                       (tmp_path, "Is a folder"), (tmp_path / "none", "No such file or directory")):  # fmt: skip
        refused(abapa("score", str(file)), f"'{file}': {said}")
