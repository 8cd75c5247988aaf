"""The commands that search: search, solve, play, selfplay, analyse; with and without tables, bad input in one line."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from solver.cli import abapa as group
from solver.cli.analyse import OWN_COMMENT, comment
from solver.errors import AbapaError
from solver.oware.analysis import MoveNote, analyse
from solver.oware.game import OwareGame
from solver.oware.levels import LEVELS
from solver.oware.ogn import parse
from solver.oware.position import Position
from solver.oware.rules import ABAPA, AWARI, Rules
from solver.oware.selfplay import play_game
from solver.search.limits import Limits
from solver.search.searcher import Searcher
from tests.cli import command_line
from tests.cli.command_line import abapa, refused
from tests.databases.table_files import write_tables

SMALL = "0 1 0 0 1 0 0 0 0 0 2 0"


def run(*args: str, stdin: str | None = None) -> Result:
    result = CliRunner().invoke(group, list(args), input=stdin)
    if result.exception is not None and not isinstance(result.exception, (SystemExit, AbapaError)):
        raise result.exception
    return result


def rows(result: Result) -> list[dict]:
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    write_tables(folder, AWARI, 3)
    write_tables(folder, ABAPA, 3, ("value", "lower", "upper"))
    return folder


# -- search -----------------------------------------------------------------------------------------------------------


def test_a_line_a_depth(tables: Path) -> None:
    found = rows(run("search", "start", "--depth", "7", "--json", "--tables", str(tables)))
    assert [row["depth"] for row in found] == list(range(1, 8))
    position = Position.start()
    for letter in found[-1]["pv"]:
        position = position.play(letter)
    assert found[-1]["best"] == found[-1]["pv"][0]
    assert not any(row["exact"] for row in found)
    assert (found[0]["low"], found[0]["high"]) == (-48, 48)
    assert [row["nodes"] for row in found] == sorted(row["nodes"] for row in found)


def test_every_root_move_with_multipv() -> None:
    (row,) = rows(run("search", "start", "--depth", "5", "--multipv", "9", "--json", "--no-tables"))[-1:]
    assert sorted(move["move"] for move in row["moves"]) == list("ABCDEF")
    scores = [move["score"] for move in row["moves"]]
    assert scores == sorted(scores, reverse=True)
    assert row["score"] == scores[0]


def test_people_read_columns() -> None:
    result = run("search", SMALL, "--depth", "3", "--no-tables")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].split()[:3] == ["depth", "score", "nodes"]
    assert [line.split()[0] for line in lines[1:] if "estimate" in line or "exact" in line][:2] == ["1", "2"]
    assert lines[-1].startswith("best: ")


def test_exact_goes_on_until_it_is_proven(tables: Path) -> None:
    (row,) = rows(run("search", SMALL, "--rules", "awari", "--exact", "--json", "--tables", str(tables)))[-1:]
    assert row["exact"] and row["score"] == row["low"] == row["high"] == 4
    assert row["best"] == "B"
    with_stores = rows(run("search", "0-1-0-0-1-0-0-0-0-0-2-0-21-23-S", "--rules", "awari", "--exact", "--json",
                           "--tables", str(tables)))[-1]  # fmt: skip
    assert with_stores["score"] == 2


@pytest.mark.parametrize("limit", [["--depth", "2"], ["--nodes", "20"], ["--depth", "2", "--time", "30"]])
def test_exact_says_what_is_not_proven(limit: list[str]) -> None:
    ran = abapa("search", "0-0-0-0-1-1-0-0-0-0-1-1", "--exact", "--no-tables", *limit)
    assert (ran.code, ran.out.splitlines()[-1]) == (1, "not proven: the value lies from -4 to +4")
    ran = abapa("search", "0-0-0-0-1-1-0-0-0-0-1-1", "--exact", "--no-tables", "--json", *limit)
    assert (ran.code, json.loads(ran.out.splitlines()[-1])["exact"]) == (1, False)
    proven = abapa("search", "0-0-0-0-0-1-0-0-0-0-0-0", "--exact", "--no-tables", *limit)
    assert (proven.code, "not proven" in proven.out) == (0, False)


def test_tables_cut_the_tree(tables: Path) -> None:
    args = ("search", "0 0 0 1 1 1 1 0 0 0 1 0", "--depth", "9", "--json")
    plain, cut = rows(run(*args, "--no-tables"))[-1], rows(run(*args, "--tables", str(tables)))[-1]
    assert plain["table_hits"] == 0 < cut["table_hits"]
    assert cut["nodes"] < plain["nodes"]
    assert plain["low"] <= cut["low"] <= cut["high"] <= plain["high"]


def test_packed_tables_serve_the_search(tables: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(tables, tmp_path / "packed")
    assert run("pack", "--tables", str(folder), "--remove").exit_code == 0
    args = ("search", "0 0 0 1 1 1 1 0 0 0 1 0", "--depth", "9", "--json", "--tables")
    plain, packed = (rows(run(*args, str(one)))[-1] for one in (tables, folder))
    for name in ("nodes", "table_hits", "low", "high"):
        assert plain[name] == packed[name]
    assert plain["table_hits"] > 0


def test_tables_without_bounds_are_left_out_and_said_so(tmp_path: Path) -> None:
    write_tables(tmp_path, ABAPA, 2, ("value",))
    result = run("search", SMALL, "--depth", "6", "--json", "--tables", str(tmp_path))
    assert (
        result.stderr == "abapa: the search leaves out the tables of 0, 1, 2 seeds: they lack value or lower or upper\n"
    )
    assert rows(result)[-1]["table_hits"] == 0


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["search", "1 2 3"], "3 counts"),
        (["search", "start", "--depth", "0"], "'--depth': '0': accepted are whole numbers from 1 to 100"),
        (["search", "start", "--time", "0"], "'--time': '0': accepted are seconds, more than 0"),
        (["search", "start", "--nodes", "-4"], "'--nodes': '-4': accepted are whole numbers of 1 or more"),
        (["search", "start", "--multipv", "0"], "'--multipv': '0': accepted are whole numbers of 1 or more"),
        (["search", "start", "--threads", "0"], "'--threads': '0': accepted are whole numbers from 1 to 64"),
        (["search", "start", "--hash", "-1"], "'--hash': '-1': accepted are whole numbers of 0 or more"),
        (["search", "start", "--hash", "99999999"], "a transposition table of 99999999 MiB: accepted are 1 to"),
        (["selfplay", "--depth", "999"], "'--depth': '999': accepted are whole numbers from 1 to 100"),
        (
            ["solve", "start", "--save", "/nowhere/at/all"],
            "cannot write /nowhere/at/all: there is no folder /nowhere/at",
        ),
        (["play", "--match", "chess"], "unknown match format 'chess'"),
        (["play", "--match", "antigua", "--position", "0-0-0-0-0-0-0-0-0-0-0-0-24-24-S"], "the game is over"),
    ],
)
def test_bad_input_is_named(args: list[str], said: str) -> None:
    ran = abapa(*args, "--no-tables")
    refused(ran, said)
    assert ran.out == ""


def test_ctrl_c_prints_the_best_so_far() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "solver", "search", "start", "--time", "60", "--no-tables"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(8)]
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    rest, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert lines[0].startswith("depth")
    assert rest.splitlines()[-1].startswith("best: ")
    assert "Traceback" not in errors


# -- solve ------------------------------------------------------------------------------------------------------------


def test_solve_proves(tables: Path, tmp_path: Path) -> None:
    saved = tmp_path / "proof"
    args = ["solve", SMALL, "--rules", "awari", "--tables", str(tables), "--save", str(saved)]
    result = run(*args, "--depth", "2", "--json")
    first = json.loads(result.stdout)
    assert (result.exit_code, first["exact"]) == (1, False)
    assert first["low"] <= 4 <= first["high"]
    (second,) = rows(run(*args, "--json"))
    assert (second["low"], second["high"], second["exact"], second["best"]) == (4, 4, True, "B")
    assert second["nodes"] > first["nodes"]
    assert run(*args).stdout.startswith("+4 exact, best B")
    endless = "1-0-0-2-0-1-0-3-0-0-1-1-0-0-S"  # neither side can do better than go round for ever
    (nine,) = rows(run("solve", endless, "--rules", "awari", "--tables", str(tables), "--json"))
    assert (nine["low"], nine["high"], nine["exact"], nine["final"], nine["best"]) == (0, 0, True, True, "A")
    saved.write_bytes(b"garbage")
    garbage = run(*args)
    assert str(garbage.exception) == f"{saved} is not a saved proof: solve --save writes one"
    saved.unlink()
    run(*args)
    other = run("solve", "start", "--save", str(saved), "--no-tables")
    assert isinstance(other.exception, AbapaError) and "is a proof of" in str(other.exception)


# -- play -------------------------------------------------------------------------------------------------------------


def test_a_game_in_the_terminal() -> None:
    said = "A\nhint\nundo\nB\nz\nb\nboard\nhelp\nresign\n"
    result = run("play", "--depth", "3", "--no-tables", stdin=said)
    assert result.exit_code == 0
    for words in ("You play A", "The engine plays", "Hint: ", "Taken back", "You play B", "unknown house 'Z'",
                  "move B is not legal", "You resign", "Score: you 0, engine 1"):  # fmt: skip
        assert words in result.stdout, words


def test_undo_before_any_move_and_leaving() -> None:
    result = run("play", "--depth", "2", "--no-tables", "--side", "north", stdin="undo\n")
    assert "There is no move of yours to take back" in result.stdout
    assert result.stdout.rstrip().endswith("Good bye.")
    assert result.exit_code == 0


def test_a_match_counts_the_games_and_changes_sides() -> None:
    win = "0-0-0-0-0-1-1-0-0-0-0-1-24-21-S"  # F captures two and has a majority
    result = run("play", "--match", "best-of-3", "--position", win, "--depth", "4", "--no-tables", stdin="F\n\nF\n")
    assert "Game 1 (best of 3 games)" in result.stdout
    assert "Game over (a majority): South 26, North 21: you win." in result.stdout
    assert "Score: you 1, engine 0" in result.stdout
    assert "Game 2" in result.stdout and "You are North." in result.stdout
    assert "the engine wins." in result.stdout
    assert "Score: you 2, engine 1 - you win the match!" in result.stdout


def test_playing_a_level() -> None:
    said = run("play", "--level", "2", stdin="A\nhint\nquit\n").output
    assert "Level 2, novice. Looks at about 1,000 positions per move" in said
    assert "The engine plays" in said and "estimate" not in said and "Hint: " in said


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--level", f"{len(LEVELS) + 1}"], f"accepted are whole numbers from 1 to {len(LEVELS)}"),
        (["--level", "0"], f"accepted are whole numbers from 1 to {len(LEVELS)}"),
        (["--level", "3", "--depth", "4"], "--depth: a level says itself"),
        (["--level", "3", "--tables", "."], "--tables: level 3 does not look into tables"),
    ],
)
def test_what_a_level_does_not_go_with(more: list[str], said: str) -> None:
    ran = abapa("play", *more, stdin="quit\n")
    assert ran.code == 2 and said in ran.err


# -- selfplay and analyse ---------------------------------------------------------------------------------------------


def test_selfplay_repeats_itself() -> None:
    args = ("selfplay", "--games", "2", "--depth", "3", "--seed", "5", "--no-tables")
    one, two = run(*args), run(*args)
    assert one.stdout == two.stdout
    records = parse(one.stdout)
    assert len(records) == 2
    for record, game in zip(records, rows(run(*args, "--json")), strict=True):
        last = record.positions()[-1]
        assert last.ending == game["end"]
        assert "".join(record.moves) == game["moves"]
        assert list(last.result() or ()) == game["final"]


def test_selfplay_of_other_rules() -> None:
    (game,) = rows(run("selfplay", "--rules", "awari+pits=4", "--depth", "3", "--json", "--no-tables"))
    assert game["rules"] == "awari+pits=4"
    position = Position.start(Rules.parse(game["rules"]))
    for letter in game["moves"]:
        position = position.play(letter)
    assert list(position.result() or ()) == game["final"]


def test_final_seeds_are_halves_only_where_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    for start, final in (("1-0-0-0-0-0-0-0-0-0-0-1-0-0-S", "[1,1]"), ("1-0-0-0-0-0-0-0-1-0-0-1-0-0-S", "[1.5,1.5]")):
        position = Position.parse(start, AWARI)
        over = replace(position, seen=frozenset({(position.board, position.turn)}))
        monkeypatch.setattr("solver.oware.selfplay.play_game", lambda *_, over=over: ([over], []))
        ran = abapa("selfplay", "--rules", "awari", "--json", "--no-tables")
        assert f'"end":"repetition","final":{final},' in ran.out


GAME = '[Variant "awari"]\n[South "Ama"]\n[FEN "0-1-0-0-1-0-0-0-0-0-2-0-0-0-S"]\n1. E { as played } e 2. B *\n'


def test_analysis_names_the_best_move_and_the_loss(tables: Path, tmp_path: Path) -> None:
    game, out = tmp_path / "game.ogn", tmp_path / "out.ogn"
    game.write_text(GAME)
    (found,) = rows(run("analyse", str(game), "--depth", "12", "--json", "--tables", str(tables)))
    first = found["moves"][0]
    assert (first["move"], first["best"], first["best_score"], first["best_exact"]) == ("E", "B", 4, True)
    assert first["loss"] == first["best_score"] - first["score"] > 0
    assert found["average_loss"]["south"] > 0
    assert [move["side"] for move in found["moves"]] == ["south", "north", "south"]

    result = run("analyse", str(game), "--depth", "12", "--output", str(out), "--tables", str(tables))
    assert "Ama lost" in result.stderr and "seeds per move" in result.stderr
    (record,) = parse(out.read_text())
    assert record.moves == ["E", "e", "B"]
    ours, theirs = record.comments(1)
    assert theirs == "as played" and "best B +4, lost" in ours
    assert ours.endswith(first["mistake"]) or "blunder, a win becomes" in ours
    assert {"verdict", "best_verdict", "mistake"} <= set(first)
    assert run("analyse", "-", "--depth", "2", "--no-tables", stdin=GAME).stdout.startswith("[Variant")


def scores_of(text: str) -> list[str]:
    """Every score and loss as it stands in the JSON."""
    return re.findall(r'"(?:score|best_score|loss)":([^,}]+)', text)


@pytest.mark.parametrize("rules", ["awari", "abapa", "awari+pits=1", "abapa+grand-slam=win-only"])
def test_margins_are_whole(rules: str) -> None:
    """Whole wherever a game ends, also by a board that repeats with an odd number of seeds."""
    played = abapa("selfplay", "--rules", rules, "--depth", "3", "--random-plies", "4", "--no-tables")
    text = abapa("analyse", "-", "--depth", "2", "--json", "--no-tables", stdin=played.out).out
    assert len(scores_of(text)) > 3 and all(re.fullmatch("-?[0-9]+", score) for score in scores_of(text))
    (row,) = map(json.loads, text.splitlines())
    assert all(loss is None or isinstance(loss, float) for loss in row["average_loss"].values())


def test_the_margin_of_an_odd_split_is_whole() -> None:
    position = Position.parse("0-0-1-0-0-0-1-0-0-0-0-1-0-0-S", AWARI)
    before = replace(position, seen=frozenset({(position.play("C").board, 1)}))
    searcher = Searcher(OwareGame(AWARI), hash_mib=1)
    (note,) = analyse(searcher, [before, before.play("C")], Limits(2))
    assert before.play("C").result() == (1.5, 1.5)
    assert (note.score, type(note.score), note.exact, type(note.loss)) == (0, int, True, int)


def test_what_is_written_is_known_as_our_own() -> None:
    for score in (-12, 0, 7):
        for best in (score, score + 5):
            for exact in (False, True):
                note = MoveNote(0, 0, "A", score, exact, "f", best, exact)
                assert OWN_COMMENT.fullmatch(comment(note)), comment(note)
    for foreign in ("Abapa: a fine move", "+4 exact", "see Abapa: +4 exact", "Abapa: +4 exact!"):
        assert not OWN_COMMENT.fullmatch(foreign)


def test_annotating_again_replaces_what_was_ours() -> None:
    arguments = ("analyse", "-", "--no-tables", "--depth")
    game = '[FEN "4-4-4-4-4-4-4-4-4-4-4-4-0-0-N"]\n1... e! { mine } 2. F { theirs } (2. A) f *\n'
    once = abapa(*arguments, "3", stdin=game).out
    assert once.count("Abapa:") == 3
    (record,) = parse(once)
    assert [[it.kind for it in remarks] for remarks in record.remarks] == [
        [], ["glyph", "comment", "comment"], ["comment", "comment", "variation"], ["comment"],
    ]  # fmt: skip
    twice = abapa(*arguments, "3", stdin=once).out
    assert twice == once
    deeper = abapa(*arguments, "4", stdin=once).out
    assert deeper.count("Abapa:") == 3 and abapa(*arguments, "3", stdin=deeper).out == once


def test_a_wrong_result_is_told_and_put_right(tmp_path: Path) -> None:
    game = '[Result "20-28"]\n[FEN "0-0-0-0-0-1-1-0-0-0-0-1-24-21-S"]\n1. F+2 20-28\n'
    ran = abapa("analyse", "-", "--depth", "2", "--no-tables", stdin=game)
    said = "Result '20-28' is wrong: the game ended by its rules, 26-21 (majority)"
    assert (ran.code, ran.err.splitlines()[0]) == (0, f"abapa: game 1, line 1: {said}")
    assert '[Result "26-21"]' in ran.out and ran.out.rstrip().endswith(" 26-21")
    row = json.loads(abapa("analyse", "-", "--depth", "2", "--no-tables", "--json", stdin=game).out)
    assert (row["tags"]["Result"], row["warnings"]) == ("26-21", [said])


def test_rules_of_a_record(tmp_path: Path) -> None:
    arguments = ("analyse", "-", "--depth", "2", "--no-tables")
    game = '[Variant "Oware"]\n1. F e\n'
    refused(abapa(*arguments, stdin=game), "unknown Variant 'Oware': accepted are Oware Abapa, Abapa, or a preset")
    ran = abapa(*arguments, "--rules", "awari", stdin=game)
    assert (ran.code, ran.err.splitlines()[0]) == (0, "abapa: game 1, line 1: Variant 'Oware' is read as awari")
    assert '[Variant "awari"]' in ran.out
    assert json.loads(abapa(*arguments, "--json", stdin="1. F e").out)["rules"] == "abapa"
    refused(abapa(*arguments, "--rules", "chess", stdin=game), "unknown rule set 'chess'")


def test_where_nothing_can_be_written_nothing_is_searched(tmp_path: Path) -> None:
    game = tmp_path / "game.ogn"
    game.write_text("1. F e")
    for option in ("--output", "--plot"):
        refused(abapa("analyse", game, option, tmp_path / "no" / "x.png", "--json"), "there is no folder")
    pytest.importorskip("matplotlib", reason="the plot extra is not installed")
    ran = abapa("analyse", game, "--plot", tmp_path / "x.xyz", "--json")
    refused(ran, "x.xyz: accepted are files that end in .", ".png", ".svg")
    assert ran.out == ""


def test_records_that_are_no_text(tmp_path: Path) -> None:
    run = [*command_line.ABAPA, "analyse", "-", "--no-tables"]
    ran = subprocess.run(run, input=b"1. F \xff\xfe\n", capture_output=True, check=False)
    assert ran.returncode == 2 and ran.stderr.startswith(
        b"abapa: line 1 of stdin: byte FF is not UTF-8, it is read as Latin-1\n"
    )


def test_exact_where_tables_reach(tables: Path, tmp_path: Path) -> None:
    game = tmp_path / "game.ogn"
    game.write_text('[Variant "awari"]\n[FEN "0-0-0-0-1-0-0-1-0-0-0-1-20-25-S"]\n1. E b *\n'.replace("20-25", "20-22"))
    (found,) = rows(run("analyse", str(game), "--depth", "4", "--json", "--tables", str(tables)))
    assert all(move["exact"] and move["best_exact"] for move in found["moves"])


def test_the_plot(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the plot extra is not installed")
    game = tmp_path / "game.ogn"
    game.write_text(GAME)
    picture = tmp_path / "margin.png"
    assert run("analyse", str(game), "--depth", "2", "--plot", str(picture), "--no-tables").exit_code == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    wrong = run("analyse", str(game), "--depth", "2", "--plot", str(tmp_path / "margin.xyz"), "--no-tables")
    assert isinstance(wrong.exception, AbapaError)


def test_games_that_cannot_be_read(tmp_path: Path) -> None:
    game = tmp_path / "game.ogn"
    game.write_text("1. F F")
    result = run("analyse", str(game))
    assert isinstance(result.exception, AbapaError) and "ply 2" in str(result.exception)
    assert run("analyse", str(tmp_path / "absent.ogn")).exit_code == 2


def test_a_line_ends_with_the_game() -> None:
    """A search counts on after a majority; nobody plays those moves."""
    won = Position.parse("2-1-0-0-2-1-1-1-0-0-0-1-19-10-S", AWARI)
    over = won.play("E")
    assert over.result() is not None
    assert won.line((4, 5, 0)) == ["E"]
    assert Position.start(ABAPA).line((0, 5, 1)) == ["A", "f", "B"]


def test_what_ctrl_c_cuts_short_is_not_taken_for_a_result(monkeypatch: pytest.MonkeyPatch) -> None:
    from solver.oware import benchmark

    def interrupted(self: Searcher[Position], position: Position, *limits: object, **options: object) -> object:
        report = searched(self, position, Limits(1))
        self.interrupted = True
        return report

    searched = Searcher.search
    monkeypatch.setattr(Searcher, "search", interrupted)
    with pytest.raises(KeyboardInterrupt):
        benchmark.run(4)
    start = Position.start(ABAPA)
    with pytest.raises(KeyboardInterrupt):
        list(analyse(Searcher(OwareGame(ABAPA), hash_mib=1), [start, start.play("A")], Limits(4)))
    with pytest.raises(KeyboardInterrupt):
        play_game(Searcher(OwareGame(ABAPA), hash_mib=1), start, Limits(4), 0, 1)


def test_a_count_is_ended_by_ctrl_c_at_once() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "solver", "perft", "start", "20"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    for _ in range(120):
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        if process.poll() is not None:
            break
    out, _ = process.communicate(timeout=10)
    assert process.returncode in (-signal.SIGINT, 130)
    assert out == b""


# -- what was named, what is over, what is no record ------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments", [("search", "--depth", "2", "start"), ("solve", "--depth", "2", "start"), ("selfplay",), ("play",)]
)
def test_a_folder_that_was_named_and_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    refused(abapa(*arguments, "--tables", tmp_path / "none"), "no tables folder", "none")
    (tmp_path / "file").write_text("")
    refused(abapa(*arguments, "--tables", tmp_path / "file"), "is no folder of tables")
    monkeypatch.setenv("ABAPA_TABLES", str(tmp_path / "named"))
    refused(abapa(*arguments), "no tables folder", "named")


def test_a_named_folder_without_such_tables_is_told(tmp_path: Path) -> None:
    ran = abapa("search", "--depth", "2", "start", "--tables", tmp_path)
    assert ran.code == 0 and ran.err == f"abapa: no tables of abapa in {tmp_path}: the search goes without\n"
    ran = abapa("search", "--depth", "2", "start", "--rules", "abapa+grand-slam=win-only", "--tables", tmp_path)
    assert ran.code == 0 and "has no tables" in ran.err


def test_uci_tells_of_a_named_folder(tmp_path: Path) -> None:
    ran = abapa("uci", "--tables", tmp_path / "none", stdin="position startpos\ngo depth 1\n")
    assert ran.code == 0 and "info string no tables folder" in ran.out and "bestmove " in ran.out


@pytest.mark.parametrize("command", ["search", "solve"])
def test_a_finished_game_has_its_result(command: str) -> None:
    over = "0-0-0-0-0-0-0-0-0-0-0-0-24-24-S"
    ran = abapa(command, over)
    assert (ran.code, ran.out) == (0, "The game is over (South has no legal move): South 24, North 24\n")
    row = json.loads(abapa(command, over, "--json").out)
    assert (row["value"], row["over"], row["final"]) == (0, "nomove", [24, 24])


def test_one_bad_game_of_three() -> None:
    game = '[Event "a"]\n\n1. F f *\n\n[Event "b"]\n\n1. F F *\n\n[Event "c"]\n[South ""]\n\n1. F e *\n'
    ran = abapa("analyse", "--depth", "2", "--no-tables", "-", stdin=game)
    assert ran.code == 2 and ran.out.count("Abapa:") == 4
    assert "abapa: game 2, line 7: game ? - ?, ply 2: move F is not legal here" in ran.err
    assert "South lost" in ran.err and "\n lost" not in ran.err


def test_bytes_that_are_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "games.ogn"
    path.write_bytes(b'[Event "x"]\n[South "J\351r"]\n\n1. F f *\n')
    ran = abapa("analyse", "--depth", "1", "--no-tables", path)
    assert ran.code == 0 and 'South "J\u00e9r"' in ran.out
    assert f"abapa: line 2 of {path}: byte E9 is not UTF-8, it is read as Latin-1\n" in ran.err
    path.write_bytes(b'[North "N\xc3\xa9"]\n[South "J\xe9r"]\n\n1. F f *\n')
    ran = abapa("analyse", "--depth", "1", "--no-tables", path)
    assert ran.code == 0 and 'South "J\u00e9r"' in ran.out and 'North "N\u00e9"' in ran.out  # only that line is Latin-1
    path.write_bytes(b"\xef\xbb\xbf1. F f *\n")
    assert abapa("analyse", "--depth", "1", "--no-tables", path).code == 0


@pytest.mark.parametrize("device", ["/dev/full", "/dev/zero"])
def test_devices_are_no_records(device: str) -> None:
    refused(abapa("analyse", "--depth", "1", "--no-tables", device), "is no file of games")


def test_an_error_repeats_little_of_what_it_was_given() -> None:
    for arguments in (("search", "1" * 100_000), ("search", "start", "--rules", "x" * 100_000)):
        ran = abapa(*arguments)
        assert ran.code == 2 and len(ran.err) < 500


@pytest.mark.parametrize("command", [["search", "--depth", "2"], ["solve"]])
def test_tables_of_more_seeds_than_the_position_stay_closed(tables: Path, tmp_path: Path, command: list[str]) -> None:
    """A damaged one is in nobody's way."""
    folder = shutil.copytree(tables, tmp_path / "tables")
    largest = max(folder.glob("awari-*.h5"))
    largest.write_bytes(b"rubbish")
    position = "0 1 0 0 0 0 0 0 0 0 1 0"
    assert sum(map(int, position.split())) < int(largest.stem.split("-")[1])
    assert run(*command, position, "--rules", "awari", "--tables", str(folder)).exit_code == 0
