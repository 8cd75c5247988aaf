"""``abapa omweso``: what its commands print, in text and as JSON; errors in one line with exit code 2."""

from __future__ import annotations

import json

import pytest

from solver.cli import main
from tests.conformance import load, load_beside


def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str) -> tuple[int, str, str]:
    monkeypatch.setattr("sys.argv", ["abapa", "omweso", *words])
    with pytest.raises(SystemExit) as stop:
        main()
    said = capsys.readouterr()
    return int(stop.value.code or 0), said.out, said.err


def text(side: list[int], opponent: list[int], separator: str = ",") -> str:
    return separator.join(map(str, side)) + "/" + separator.join(map(str, opponent))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("forward", ["--rules", "comp424"]),
        ("no_capture", ["--first-turn"]),
        ("reverse", []),
        ("reverse_fwd_reentry", ["--rules", "tournament+reverse-fwd-reentry=on"]),
        ("rwanda4", ["--rules", "tournament+reverse=rwanda+reverse-fwd-reentry=on"]),
    ],
)
def test_moves_as_json(
    name: str, options: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for case in load("omweso/random_turns.jsonl.gz")[:12]:
        position = text(case["side"], case["opp"], " ")
        code, out, err = run(capsys, monkeypatch, "moves", position, *options, "--json")
        assert (code, err) == (0, "")
        turns = json.loads(out)["turns"]
        assert [[t["pit"], t["choices"], t["status"], t["side"], t["opponent"]] for t in turns] == case[name]
        before = sum(case["side"])
        assert all(sum(t["side"]) == before + t["captured"] and t["laps"] >= 1 for t in turns)
        symbols = str.maketrans("cf", "<>")
        assert all(t["turn"][1:] == t["choices"].translate(symbols) for t in turns)


def test_moves_shows_the_board(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, _ = run(capsys, monkeypatch, "moves", "seventeen-six-threes/all-two")
    assert code == 0
    assert "South to move  |a  . |b  . |c  3 |" in out
    assert "c*" in out and "p " in out


def test_okukoneeza_sowings_come_apart(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    steps = load("omweso/okukoneeza_opening.json")["steps"]
    position = text(steps[0]["position"], [2] * 16)
    _, out, _ = run(capsys, monkeypatch, "moves", position, "--first-turn", "--json")
    found = {turn["turn"]: turn["side"] for turn in json.loads(out)["okukoneeza"]}
    assert found["c*"] == steps[1]["position"]
    _, out, _ = run(capsys, monkeypatch, "moves", position, "--json")
    assert "okukoneeza" not in json.loads(out)


def test_perft(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    _, out, _ = run(capsys, monkeypatch, "perft", "seventeen-six-threes", "3", "--divide", "--json")
    found = json.loads(out)
    assert sum(found["turns"].values()) == found["leaves"]
    _, again, _ = run(capsys, monkeypatch, "perft", "seventeen-six-threes", "3", "--json")
    assert json.loads(again)["leaves"] == found["leaves"]
    _, shown, _ = run(capsys, monkeypatch, "perft", "seventeen-six-threes", "3")
    assert shown.startswith(f"{found['leaves']:,} turn sequences at depth 3")


def test_mayer(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    case = load("omweso/endless_positions.json")["positions"][0]
    position = text(case["side"], [0] * 16)
    _, out, _ = run(capsys, monkeypatch, "mayer", position, "i")
    assert out == "i         never ends: after 0 laps, a cycle of 128 laps\n"
    _, out, _ = run(capsys, monkeypatch, "mayer", position, "--json", "--limit", "200")
    rows = [json.loads(line) for line in out.splitlines()]
    assert {row["turn"] for row in rows} == {"i", "b"}
    assert {"turn": "i", "outcome": "endless", "laps": 0, "cycle": 128, "captured": 0} in rows


def test_mayer_of_a_long_cycle(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    case = load_beside("omweso/comp424_endless.json")[0]
    position = text(case["mover"], case["other"])
    _, out, _ = run(capsys, monkeypatch, "mayer", position, "i", "--rules", "comp424")
    assert out == f"i         never ends: after 0 laps, a cycle of {case['cycle']:,} laps\n"
    _, out, _ = run(capsys, monkeypatch, "mayer", position, "i", "--rules", "comp424", "--limit", "1000000")
    assert out == "i         not decided: still sowing after 1,000,000 laps (--limit)\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["moves", "1,2,3"], "0 '/'"),
        (["moves", "nonsense"], "unknown set-up 'nonsense': accepted are outer-four"),
        (["moves", "all-two", "--rules", "abapa"], "unknown Omweso rule set 'abapa': accepted are"),
        (["moves", "all-two", "--columns", "9"], "9 is not in the range 2<=x<=8"),
        (["moves", "all-two", "--rules", "tournament+columns=4", "--columns", "5"], "says 4 columns"),
        (["mayer", "all-two", "z"], "turn 'z' is not legal here: legal turns are"),
        (["perft", "all-two", "99"], "99 is not in the range"),
    ],
)
def test_bad_input_is_one_line_and_code_2(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, err = run(capsys, monkeypatch, *words)
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err
