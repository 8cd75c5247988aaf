"""Runs ``abapa`` as a person does: in this process where that is enough, in one of its own where it is not."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import click
import pytest

from solver.cli import abapa as group
from solver.cli import main

ABAPA = [sys.executable, "-m", "solver"]


def commands(
    parent: click.Group = group, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command that runs, with the words that name it."""
    context = click.Context(parent)
    for name in parent.list_commands(context):
        command = parent.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


COMMANDS = dict(commands())


@dataclass(frozen=True)
class Ran:
    """What a run printed and its exit code."""

    code: int
    out: str
    err: str


def abapa(*arguments: str | Path, stdin: str = "") -> Ran:
    """Run a command in this process; an exception that is not one of ours comes out as it is."""
    printed, err = io.BytesIO(), io.StringIO()
    out = io.TextIOWrapper(printed, write_through=True)
    argv = ["abapa", *map(str, arguments)]
    code = None
    with (
        patch.object(sys, "argv", argv),
        patch.object(sys, "stdin", io.StringIO(stdin)),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as exit_:
            code = exit_.code
    assert isinstance(code, int)
    return Ran(code, printed.getvalue().decode("utf-8", "surrogateescape"), err.getvalue())


def abapa_process(*arguments: str | Path, before: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own, ``before`` being a program that starts it."""
    command = [*before, *ABAPA, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def refused(ran: Ran | subprocess.CompletedProcess[str], *texts: str) -> None:
    """One line on stderr that holds the texts, exit code 2, no traceback."""
    code, err = (ran.code, ran.err) if isinstance(ran, Ran) else (ran.returncode, ran.stderr)
    assert code == 2, err
    assert err.startswith("abapa: ") and err.count("\n") == 1
    for text in texts:
        assert text in err


def unprivileged() -> list[str]:
    """A program that takes away the superuser's right to read and write everything; skips the test without one."""
    if os.geteuid():
        return []
    if not shutil.which("setpriv"):
        pytest.skip("the superuser may read and write everything, and there is no setpriv to take that right away")
    return ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]
