"""``abapa omweso``: what its commands print, in text and as JSON; errors in one line with exit code 2."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from solver.cli import main
from solver.cli.omweso.searching import OmwesoNotation, chance_to_win
from solver.omweso.game import WON, OmwesoGame
from solver.omweso.position import OmwesoPosition
from solver.omweso.rules import TOURNAMENT, OmwesoRules
from solver.omweso.setups import CLASSIC
from solver.search.limits import Limits
from solver.search.searcher import Searcher
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


def test_search(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    _, out, _ = run(capsys, monkeypatch, "search", "all-two", "--depth", "3", "--json")
    rows = [json.loads(line) for line in out.splitlines()]
    assert [row["depth"] for row in rows] == [1, 2, 3]
    assert rows[-1]["plies_to_end"] is None and len(rows[-1]["turns"]) >= 3
    won = "0,0,0,0,0,0,0,2,0,1,0,0,0,0,0,0/0,2,0,0,0,0,0,0,0,0,0,0,0,0,1,0"
    _, out, _ = run(capsys, monkeypatch, "search", won, "--depth", "4")
    assert out.splitlines()[-1].startswith("best: p, won in 1")


def test_selfplay_scores_games(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    _, out, _ = run(capsys, monkeypatch, "selfplay", "--games", "2", "--depth", "2", "--json")
    rows = [json.loads(line) for line in out.splitlines()]
    assert len(rows) == 2
    for row in rows:
        assert row["end"] in ("bulijo", "okutema", "akawumbi", "draw", "void")
        position = OmwesoPosition.start(*row["setups"])
        for text_ in row["turns"]:
            position = position.play(text_)
    assert sum(rows[-1]["match"]) == sum(row["points"] for row in rows)


def test_setup_rates_and_suggests(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    _, out, _ = run(capsys, monkeypatch, "setup", "--depth", "2", "--tries", "5", "--json")
    rows = [json.loads(line) for line in out.splitlines()]
    assert [row["name"] for row in rows][-1] == "suggestion"
    assert rows[-1]["rating"] == max(row["rating"] for row in rows)
    assert all(sum(row["setup"]) == 32 for row in rows)


def test_a_match_in_the_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    said = iter(["nine", "all-two", "help", "turns", "zz", "m", "laps", "back", "m", "resign", "quit"])
    monkeypatch.setattr("builtins.input", lambda question: next(said))
    words = ["--time", "0.01", "--scoring", "points+target=2", "--program-setup", "all-two"]
    code, out, _ = run(capsys, monkeypatch, "play", *words)
    assert code == 0
    assert "unknown set-up 'nine'" in out
    assert "turn 'zz' is not legal here" in out
    assert "you: m (7 laps, captures nothing)" in out
    assert "okukoneeza: sow three seeds" in out and "the outer row from left to right, then the inner row" in out
    assert "laps  captures" in out
    assert "lap 1: " in out
    assert "program wins by resignation: 1 point; match: you 0, program 1" in out
    assert "match left: you 0, program 1" in out


def played(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, said: list[str], *words: str
) -> tuple[int, str, str]:
    """A match of someone who says these things and then leaves."""
    answers = iter([*said, "quit"])
    monkeypatch.setattr("builtins.input", lambda question: next(answers))
    return run(capsys, monkeypatch, "play", "--time", "0.01", *words)


def test_the_program_plays_capitals_and_answers_what_it_sees(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, _ = played(capsys, monkeypatch, ["", "?", "HELP", "HINT", "J", "laps"])
    assert code == 0
    assert "you arrange 0,6,0,0,0,0,0,17,0,3,0,3,0,3,0,0" in out
    assert "the program answers with " in out and out.count("hint      what the program") == 2
    turn = next(line for line in out.splitlines() if line.startswith("program: ")).split()[1]
    assert turn[0].isupper() and turn[0].lower() in "abcdefghijklmnop"
    assert "hint: " in out
    assert "okukoneeza: two seeds" in out if "*" in turn else f"seeds from {turn[0]} " in out


def test_a_match_is_kept_and_gone_on_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "match.json"
    words = ["--save", str(file), "--setup", "all-two", "--program-setup", "all-two"]
    _, first, _ = played(capsys, monkeypatch, ["m"], *words, "--scoring", "points+target=2")
    held = json.loads(file.read_text())
    assert len(held["game"]["turns"]) == 2 and "program: " in first
    _, then, _ = played(capsys, monkeypatch, ["resign"], "--save", str(file), "--setup", "all-two")
    assert first.splitlines()[-3] in then and "program wins by resignation" in then
    _, again, _ = played(capsys, monkeypatch, [], "--save", str(file))
    assert f"match of {file}: you 0, program 1" in again
    code, _, err = played(capsys, monkeypatch, [], "--save", str(file), "--mode", "contract")
    assert code == 2 and "holds a match under ekyokubala, not contract" in err
    sound = file.read_text()
    for damaged in ("", "[]", "{}", sound[:-9], "[" * 100_000, sound.replace("[0, 1]", "[0]"), "\0" * (1 << 21)):
        file.write_text(damaged)
        code, out, err = played(capsys, monkeypatch, [], "--save", str(file))
        assert (code, out) == (2, "") and "is no saved match" in err and err.count("\n") == 1


def test_a_match_from_a_position(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    won = "0,0,0,0,0,0,0,2,0,1,0,0,0,0,0,0/0,2,0,0,0,0,0,0,0,0,0,0,0,0,1,0"
    _, out, _ = played(capsys, monkeypatch, ["p"], "--position", won, "--scoring", "points+target=1")
    assert out.endswith("you won the match\n")
    code, _, err = played(capsys, monkeypatch, [], "--position", won, "--setup", "all-two")
    assert code == 2 and "begins games without set-ups" in err


def test_an_estimate_is_no_more_than_the_seeds_and_a_chance() -> None:
    assert chance_to_win(0, TOURNAMENT) == 0.5 and chance_to_win(WON - 3, TOURNAMENT) == 1.0
    assert chance_to_win(80, OmwesoRules(columns=4)) is None
    root = OmwesoPosition.start(CLASSIC["all-two"], CLASSIC["all-two"])
    searcher = Searcher(OmwesoGame(TOURNAMENT), hash_mib=1)
    notation = OmwesoNotation(searcher, root)
    report = searcher.search(root, Limits(depth=1))
    shown = {score: notation.score(report, replace(report.best, score=score)) for score in (1490, -1490, 8, 4 - WON)}
    assert shown == {1490: "+64.0 >99 %", -1490: "-64.0 <1 %", 8: "+1.0 52 %", 4 - WON: "lost in 4"}
    found = next(notation.objects(replace(report, lines=(replace(report.best, score=1490),))))
    assert (found["score"], found["seeds"], found["chance"]) == (1490, 64, 1.0)


def test_the_blitz_has_a_clock(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]

    def slow(question: str) -> str:
        now[0] += 4.0
        return "m"

    monkeypatch.setattr("builtins.input", slow)
    monkeypatch.setattr("solver.omweso.match.MoveClock.left", property(lambda clock: clock.seconds - now[0]))
    words = ["play", "--mode", "ekyobutabala", "--setup", "all-two", "--scoring", "points+target=1", "--time", "0.01"]
    _, out, _ = run(capsys, monkeypatch, *words)
    assert "too late: more than 3 seconds" in out
    assert out.endswith("program won the match\n")


def test_a_small_board_solved_and_probed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["--columns", "2", "--tables", str(tmp_path)]
    _, out, _ = run(capsys, monkeypatch, "solve", "--seeds", "8", *words, "--verify", "--json")
    found = json.loads(out)
    assert (found["positions"], found["faults"]) == (6435, 0)
    assert sum(found["settled"][name] for name in ("wins", "draws", "losses")) == 6435
    _, shown, _ = run(capsys, monkeypatch, "solve", "--seeds", "8", *words)
    assert "2 columns, 8 seeds, tournament+columns=2: 6,435 positions" in shown
    best = found["best"][0]
    position = text(best["setup"], best["reply"])
    _, out, _ = run(capsys, monkeypatch, "probe", position, *words, "--json")
    assert json.loads(out)["value"] in (-1, 0, 1)
    _, _, err = run(capsys, monkeypatch, "probe", "1,2,0,0/0,0,0,0", *words)
    assert "build it with: abapa omweso solve" in err


def test_a_wrong_board_fails_its_proof(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("databases.omweso.solve.SmallBoard.faults", lambda board: 7)
    words = ["solve", "--columns", "2", "--seeds", "4", "--tables", str(tmp_path), "--verify"]
    code, out, err = run(capsys, monkeypatch, *words)
    assert (code, out.splitlines()[-1]) == (2, "WRONG: 7 numbers do not follow from those after their turns")
    assert err == "abapa: 7 numbers of tournament+columns=2, 4 seeds, are wrong: solve it again\n"


def test_a_turn_that_is_given_up_is_exit_code_1(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    circle = "2 0 1 0 1 0 1 0 1 0 1 0 1 0 2 1 / 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"
    code, out, _ = run(capsys, monkeypatch, "mayer", circle, "i")
    assert (code, "never ends" in out) == (0, True)
    for json_ in ([], ["--json"]):
        code, out, _ = run(capsys, monkeypatch, "mayer", circle, "i", "--limit", "10", *json_)
        assert (code, "not decided" in out or '"outcome":"unknown"' in out) == (1, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["moves", "1,2,3"], "0 '/'"),
        (["moves", "nonsense"], "unknown set-up 'nonsense': accepted are outer-four"),
        (["moves", "all-two", "--rules", "abapa"], "unknown Omweso rule set 'abapa': accepted are"),
        (["moves", "all-two", "--columns", "9"], "'9': accepted are whole numbers from 2 to 8"),
        (["moves", "all-two", "--rules", "tournament+columns=4", "--columns", "5"], "says 4 columns"),
        (["mayer", "all-two", "z"], "turn 'z' is not legal here: legal turns are"),
        (["moves", "all-two", "--rules", "tournament+lap-cap=\uff15"], "unknown value in field"),
        (["moves", "all-two", "--rules", "tournament+columns=1_0"], "unknown value in field"),
        (["moves", "\uff12," * 16 + "/" + "2," * 15 + "2"], "where a count belongs"),
        (["play", "--scoring", "points+target=\uff15"], "unknown field"),
        (["play", "--setup", "nine"], "unknown set-up 'nine'"),
        (["play", "--setup", "all-two", "--program-setup", "ten", "--program-starts"], "unknown set-up 'ten'"),
        (["play", "--setup", "nine", "--program-starts"], "unknown set-up 'nine'"),
        (["play", "--setup", "outer-four", "--rules", "tournament+setup=all-two"], "these rules fix the set-up"),
        (["play", "--mode", "ekyobutabala", "--time", "10"], "gives 3 seconds per turn, accepted is up to 2.5"),
        (["selfplay", "--setup", "outer-four", "--rules", "tournament+setup=all-two"], "these rules fix the set-up"),
        (["selfplay", "--other-setup", "nine"], "unknown set-up 'nine'"),
        (["setup", "--seed", "3", "--tries", "0"], "--seed: with --tries 0 nothing is random"),
        (["setup", "--rules", "tournament+setup=all-two", "--tries", "3"], "fixes the set-up"),
        (["perft", "all-two", "99"], "'99': accepted are whole numbers from 0 to 40"),
    ],
)
def test_bad_input_is_one_line_and_code_2(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, err = run(capsys, monkeypatch, *words)
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err


def test_a_cap_on_rounds_that_a_table_cannot_keep_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["solve", "--columns", "2", "--seeds", "8", "--tables", str(tmp_path)]
    code, out, err = run(capsys, monkeypatch, *words, "--rules", "tournament+round-cap=3")
    assert (code, out) == (2, "")
    assert err.startswith("abapa: round-cap=3 ends games that take up to ") and err.endswith(" and more\n")
    assert not any(tmp_path.iterdir())
    assert run(capsys, monkeypatch, *words, "--rules", "tournament+round-cap=500")[0] == 0


def test_a_finished_game_is_refused_before_anything_is_printed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    over = "1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0/2,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0"
    code, out, err = run(capsys, monkeypatch, "search", over)
    assert (code, out, err) == (2, "", "abapa: the game is over: there is nothing to search\n")


def test_ctrl_c_ends_games_and_ratings(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from solver.search.limits import Limits
    from solver.search.searcher import Searcher

    def interrupted(self: Searcher[OmwesoPosition], position: OmwesoPosition, *limits: object) -> object:
        report = searched(self, position, Limits(1))
        self.interrupted = True
        return report

    searched = Searcher.search
    monkeypatch.setattr(Searcher, "search", interrupted)
    for words in (["selfplay"], ["setup", "--tries", "1"]):
        code, _, err = run(capsys, monkeypatch, *words)
        assert (code, "interrupted" in err) == (130, True)
