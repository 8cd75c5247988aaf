"""Damaged texts of other people: game records, score lists, scores files; and the text of Omweso's weights."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.hostile.courier import Trial, Worker, equals, one_line
from tests.hostile.damage import clear, damaged_bytes, stand_ins

GAMES = Path(__file__).resolve().parents[1] / "data" / "oware" / "abapa_games.jsonl"
COUNTS = [pytest.param(150, id="some"), pytest.param(4000, id="many", marks=pytest.mark.full)]
MANY = [pytest.param(3000, id="some"), pytest.param(60_000, id="many", marks=pytest.mark.full)]


# -- game records -----------------------------------------------------------------------------------------------------


def record(moves: str, remarks: bool) -> str:
    """A game as Auale writes one."""
    words = ["{ before }" if remarks else ""]
    for ply in range(0, len(moves), 2):
        words += [f"{ply // 2 + 1}.", *moves[ply : ply + 2]]
        if remarks and ply % 6 == 0:
            words += ["!?", "{ so }", "( 1. A f ; to the end\n )"]
    return f'[Event "one"]\n[South "A \\"b\\" c"]\n[North "é"]\n\n{" ".join(words)} *\n\n'


def games(count: int) -> str:
    with GAMES.open() as lines:
        texts = [
            record(json.loads(line)["moves"][:24], number % 2 == 0)
            for number, line in zip(range(count), lines, strict=False)
        ]
    return "".join(texts)


def as_argument(data: bytes) -> dict[str, Any]:
    return {"text": data.decode("latin-1"), "latin_1": True}


@pytest.mark.parametrize("count", COUNTS)
def test_bytes_of_game_records(count: int, worker: Worker) -> None:
    """Refused, or read as some games that are the same when they are written and read again."""
    trial = Trial(worker, "damaged game records")
    whole = games(3).encode()
    assert len(trial.truth("record", **as_argument(whole))) == 3
    for name, data in damaged_bytes(whole, 21, count):
        trial.case(name, "record", lambda answer: None, **as_argument(data))
    trial.verdict()


def token_soup(seed: int, count: int) -> Iterator[str]:
    chance = random.Random(seed)
    tokens = [
        "F",
        "f",
        "A+3",
        "a+9999",
        "1.",
        "1...",
        "…",
        "*",
        "26-22",
        "1/2-1/2",
        "0.5-47.5",
        "{",
        "}",
        "{ x }",
        ";",
        "(",
        ")",
        "( F ( f ) )",
        "!?",
        "$1",
        "$999999999999",
        "[",
        "]",
        '[Event "x"]',
        '[FEN "0-0-0-0-0-1-0-0-0-0-0-1"]',
        '[Variant "awari"]',
        '[Variant "?"]',
        '[Result "1-0"]',
        "\n",
        "\n\n",
        "\r\n",
        "\ufeff",
        "\0",
        "\u2028",
        "\x85",
        "é",
        "\U0001f600",
        '[A "\\"]',
        "9" * 5000,
        "X",
        "--",
        "Z+1",
    ]
    for _ in range(count):
        yield " ".join(chance.choice(tokens) for _ in range(chance.randrange(1, 14)))


@pytest.mark.parametrize("count", COUNTS)
def test_soups_of_tokens(count: int, worker: Worker) -> None:
    trial = Trial(worker, "soups of tokens")
    for text in token_soup(22, count):
        trial.case(repr(text[:80]), "record", lambda answer: None, text=text)
    trial.verdict()


@pytest.mark.parametrize("count", MANY)
def test_long_records_take_time_by_their_length(count: int, worker: Worker) -> None:
    """What grows faster than the text hangs in full runs; errors do not hand the text back."""
    trial = Trial(worker, "long game records")
    texts = {
        "games of tags alone": '[Event "x"]\n\n' * count,
        "games": "1. F f *\n" * (count // 20),
        "tags": "".join(f'[T{number} "x"]\n' for number in range(count)) + "\n1. F *\n",
        "comments": "1. F " + "{ so } " * count + "*\n",
        "open comments": "1. F " + "{ so " * count,
        "variations": "1. F " + "( f ) " * count + "*\n",
        "nested variations": "1. F " + "( " * count + ") " * count + "*\n",
        "open variations": "1. F " + "( " * count,
        "glyphs": "1. F " + "! " * count + "*\n",
        "numbers": "1. " * count + "F *\n",
        "one number": "9" * 20 * count,
        "one word": "x" * 50 * count,
        "one tag": '[Event "' + "x" * 50 * count + '"]\n\n1. F *\n',
        "an open tag": '[Event "' + "x" * 50 * count,
        "backslashes": '[Event "' + "\\" * 20 * count + '"]\n',
        "one name": f'[South "{"x" * 50 * count}"]\n\n1. Z *\n',
        "a variant": f'[Variant "{"x" * 50 * count}"]\n\n1. F *\n',
        "a FEN": f'[FEN "{"1-" * 20 * count}"]\n\n1. F *\n',
        "blanks": " " * 100 * count,
        "lines": "\n" * 100 * count,
    }
    for name, text in texts.items():
        trial.case(name, "record", lambda answer: None, text=text)
    trial.verdict()


ANALYSE = ["analyse", "--depth", "1", "--no-tables"]


def ran(worker: Worker, data: bytes) -> dict[str, Any]:
    return Trial(worker, "records").truth("command", arguments=[*ANALYSE, "-"], stdin=data.decode("latin-1"))


def test_one_bad_game_spoils_no_other(worker: Worker) -> None:
    text = '[Event "a"]\n\n1. F f *\n\n[Event "b"]\n\n1. F F *\n\n[Event "c"]\n\n1. F e *\n'
    found = ran(worker, text.encode())
    assert found["code"] not in (0, None)
    assert '[Event "a"]' in found["out"] and '[Event "c"]' in found["out"] and found["out"].count("{ Abapa: ") >= 4
    assert "game 2" in found["err"] and "line" in found["err"] and "Traceback" not in found["err"]


def test_moves_after_the_end_are_left_out(worker: Worker) -> None:
    text = '[FEN "0-0-0-0-0-1-0-0-0-0-0-1-23-23-S"]\n\n1. F f 2. A a 3. B b 4. C c 5. D d 6. E e 7. F *\n'
    found = ran(worker, text.encode())
    assert found["out"].count("{ Abapa: ") >= 1 and "Traceback" not in found["err"]
    assert found["err"].startswith("abapa: ")


def test_bytes_that_are_not_utf_8_are_not_lost_in_silence(worker: Worker) -> None:
    found = ran(worker, b'[Event "x"]\n[South "J\351r"]\n\n1. F f *\n')
    assert "J\ufffdr" not in found["out"] or "\\xef\\xbf\\xbd" not in ascii(found["out"].encode())
    assert "Jér" in found["out"] or "UTF-8" in found["err"]
    assert found["err"].startswith("abapa: ")


@pytest.mark.parametrize("device", ["/dev/full", "/dev/zero"])
def test_a_device_is_not_read_for_ever(device: str, worker: Worker, tmp_path: Path) -> None:
    trial = Trial(worker, "devices as input")
    trial.case(device, "command", one_line, must_refuse=False, arguments=[*ANALYSE, device])
    trial.verdict()


# -- score lists ------------------------------------------------------------------------------------------------------


def odd_lists() -> Iterator[tuple[str, bytes]]:
    head = b"seeds,value,count\n"
    for text in (
        b"1,1",
        b"1,1,1,1",
        b",,",
        b"1,x,1",
        b"1,1.5,1",
        b"1,1,-1",
        b"1e3,1,1",
        b"1,1," + b"9" * 5000,
        b"\xff,1,1",
        "١,1,1".encode(),
        b'"1\n",1,1',
        b'"1,1,1',
        b"\0,1,1",
        b"1_0,1,1",
        b"+1, 1 ,1",
        b"-5,1,1",
        b"999,1,1",
    ):
        yield f"row {text[:20]!r}", head + text + b"\n"
    for mark in ("\x0b", "\x0c", "\x1b[2J", "\x85", "\u2028", "\r", "\t"):
        yield f"a column named with {mark!r}", f"seeds,value{mark}x,count\n1,1,1\n".encode()
    yield "a field of 200,000 characters", head + b"1,1," + b"1" * 200_000 + b"\n"
    yield "a name of 200,000 characters", b"x" * 200_000 + b",value,count\n1,1,1\n"
    yield "100,000 columns", b"seeds,value,count" + b",x" * 100_000 + b"\n1,1,1\n"
    yield "names twice", b"seeds,seeds,value,count\n1,2,1,1\n"
    yield "byte order mark", b"\xef\xbb\xbf" + head + b"1,1,1\n"
    yield "UTF-16", (head + b"1,1,1\n").decode().encode("utf-16")
    yield "a quote that is not closed", head + b'"' + b"1,1,1\n" * 60_000
    yield "carriage returns", head.replace(b"\n", b"\r") + b"1,1,1\r"
    yield "no rows", head


@pytest.mark.parametrize("count", COUNTS)
def test_score_lists(count: int, worker: Worker, tmp_path: Path) -> None:
    trial, path = Trial(worker, "damaged score lists"), tmp_path / "counts.csv"
    whole = b"seeds,value,count\n" + b"".join(b"%d,%d,%d\n" % (n, n - 3, 7 * n + 1) for n in range(12))
    for name, data in [*odd_lists(), *damaged_bytes(whole, 23, count)]:
        path.write_bytes(data)
        trial.case(name, "counts", lambda answer: None, path=str(path))
    for name in stand_ins(path):
        if name != "FIFO":  # a list may come out of a pipe: it is waited for
            trial.case(name, "counts", lambda answer: None, path=str(path))
    trial.verdict()


# -- scores files -----------------------------------------------------------------------------------------------------

TOP = 4


@pytest.fixture(scope="module")
def scores(worker: Worker, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """scores.0 to scores.TOP of awari."""
    folder = tmp_path_factory.mktemp("scores")
    Trial(worker, "scores").truth("exported", folder=str(folder / "tables"), seeds=TOP, target=str(folder / "files"))
    return folder / "files"


def copies(scores: Path, folder: Path) -> list[str]:
    folder.mkdir()
    paths = [folder / f"scores.{n}" for n in range(TOP + 1)]
    for path in paths:
        path.write_bytes((scores / path.name).read_bytes())
    return [str(path) for path in paths]


@pytest.mark.parametrize("count", [pytest.param(20, id="some"), pytest.param(400, id="many", marks=pytest.mark.full)])
def test_scores_files(count: int, scores: Path, worker: Worker, tmp_path: Path) -> None:
    """Of a wrong margin nothing can be told but whether it is possible; sizes, names and kinds of file can."""
    trial, files = Trial(worker, "damaged scores files"), copies(scores, tmp_path / "in")
    trial.truth("imported", folder=str(tmp_path / "whole"), files=files)
    last = Path(files[-1])
    number = 0

    def bring(name: str, paths: list[str], must_refuse: bool = False) -> None:
        nonlocal number
        number += 1
        target = str(tmp_path / f"out{number}")
        trial.case(name, "imported", lambda answer: None, must_refuse=must_refuse, folder=target, files=paths)
        clear(Path(target))

    data = last.read_bytes()
    for name, damaged in damaged_bytes(data, 24, count):
        last.write_bytes(damaged)
        bring(name, files, must_refuse=len(damaged) != len(data))
    for margin in (TOP + 1, 100, 128, 255 - TOP):
        last.write_bytes(bytes([margin]) + data[1:])
        bring(f"margin byte {margin}", files, must_refuse=True)
    last.write_bytes(data)
    for name in ("scores.5", "scores.49", "scores.999", "scores.99999999999999", "scores.٤", "scores.4 ", "scores.04"):
        other = last.with_name(name)
        os.link(last, other)
        bring(name, [*files[:-1], str(other)], must_refuse=name != "scores.04")
        other.unlink()
    for at in (0, 3, TOP):
        path = Path(files[at])
        kept = path.read_bytes()
        for name in stand_ins(path):
            bring(f"{name} as {path.name}", [files[at]], must_refuse=True)
        path.write_bytes(kept)
    bring("a tier is missing below", [files[-1]])  # below six seeds no board is left out: the file says it all
    trial.verdict()


# -- weights ----------------------------------------------------------------------------------------------------------


def test_weights(worker: Worker) -> None:
    """They are part of the program, so that damage may end it; but it must not play with other weights in silence."""
    trial = Trial(worker, "damaged texts of weights")
    right, text = trial.truth("weights", text=None), trial.truth("weights_text").encode()

    def judge(answer: str) -> str | None:
        return None if answer.startswith("raised ") else equals(right)(answer)

    for name, data in damaged_bytes(text, 25, 60):
        trial.case(name, "weights", judge, text=data.decode("latin-1"))
    trial.verdict()
