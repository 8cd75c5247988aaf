"""Generated command lines over every command and option: an exit code that is documented, no traceback, no hang.

A line is the cheap call of a command with some options more, each with a value of its type or a hostile one, and
sometimes hostile arguments. The seed is fixed. ``--full`` runs all 2,200.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
import pytest

from tests.cli.cheap_calls import BOARD, CALLS, TABLES
from tests.cli.command_line import COMMANDS, abapa

SEED = 20_261_130
SOME, ALL = 300, 2_200
SECONDS = 120
"""Time after which a line counts as hanging; compiling is in it."""
CODES = {0, 1, 2}
LEFT_OUT = {"--grid", "--compare", "--help"}
"""Options whose valid use takes long, whatever else is said."""
STDIN = ["", "quit\n", "help\nturns\nquit\n", f"{BOARD}\n# x\n1 2 x\n", "uci\nisready\nquit\n", "\ufffd\0\n" * 3]
HOSTILE = ["", " ", "-1", "0.5", "x", "nan", "1e999", "9" * 30, "\uff14", "a\nb", "\udcff\udcfe", "\u00e9", "--", "-",
           "../" * 400, "y" * 100_000, "/dev/zero", "/dev/full", "FIFO", "FOLDER", "FILE", "abapa+cycle=even",
           "awari+pits=3", "awari+pits=9", "tournament+columns=2", "comp424", "all-two", "start", BOARD]  # fmt: skip
SMALL = ["0", "1", "2", "3"]


def values(option: click.Parameter) -> list[str]:
    """Values that an option's type would take, small ones."""
    kind = option.type
    if isinstance(kind, click.Choice):
        return [str(choice) for choice in kind.choices]
    if isinstance(kind, click.Path):
        return ["FOLDER", "FILE", "FIFO", "new"]
    if kind.name in ("integer", "seconds", "count", "numbers"):
        return SMALL
    return HOSTILE


def line(chance: random.Random, path: tuple[str, ...]) -> list[str]:
    """A command line."""
    words = [*path, *CALLS[path]]
    options = [option for option in COMMANDS[path].params if isinstance(option, click.Option)]
    for option in chance.sample(options, chance.randrange(min(4, len(options) + 1))):
        name = chance.choice([*option.opts, *option.secondary_opts])
        if name not in LEFT_OUT:
            pool = HOSTILE if chance.random() < 0.4 else values(option)
            words += [name] if option.is_flag else [name, chance.choice(pool)]
    if chance.random() < 0.3:
        words.insert(chance.randrange(len(path), len(words) + 1), chance.choice(HOSTILE))
    return words


class Hung(BaseException):
    """A line took too long. No error that a command may take for one of a file (TimeoutError is an OSError)."""


@contextmanager
def alarm() -> Iterator[None]:
    """Raise :class:`Hung` where what is inside takes too long."""

    def late(*_: object) -> None:
        raise Hung

    heard = signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, heard)


@pytest.mark.parametrize("count", [SOME, pytest.param(ALL, marks=pytest.mark.full)])
def test_generated_command_lines(
    count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ABAPA_TABLES", str(tmp_path / "tables"))
    shutil.copytree(TABLES, tmp_path / "tables")
    (tmp_path / "tables" / "scores.0").write_bytes(b"\0")
    (tmp_path / "file").write_text("nothing\n")
    os.mkfifo(tmp_path / "fifo")
    places = {"TMP": "tables", "FOLDER": "tables", "FILE": "file", "FIFO": "fifo"}
    chance, codes = random.Random(SEED), Counter[int]()
    paths = list(CALLS)
    for number in range(count):
        words = line(chance, paths[number % len(paths)])
        for name, place in places.items():
            words = [word.replace(name, str(tmp_path / place)) for word in words]
        with alarm():
            try:
                ran = abapa(*words, stdin=chance.choice(STDIN))
            except (Exception, Hung) as error:
                raise AssertionError(f"{type(error).__name__}: {words}") from error
        assert ran.code in CODES, (words, ran.err)
        assert "Traceback" not in ran.err and (ran.code or "abapa: " not in ran.err), (words, ran.err)
        codes[ran.code] += 1
    with capsys.disabled():
        said = ", ".join(f"{times} with exit code {code}" for code, times in sorted(codes.items()))
        print(f"\n{count} command lines: {said}; none without a word of what was wrong")
    assert set(codes) >= {0, 2}
