"""Lists, a thing per line, and positions as arguments or as a list on stdin: how they are read.

A line that is wrong, or that the tables cannot answer, is named on stderr; the others are answered. Empty lines and
lines that begin with ``#`` are passed over.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any, TextIO

import click

from solver.cli.options import rules_option
from solver.cli.output import complain
from solver.errors import AbapaError
from solver.oware.position import Position
from solver.oware.rules import Rules

POSITION_SETTINGS: dict[str, Any] = {"ignore_unknown_options": True}
"""Context settings of a command that takes positions: ``-1,0,..`` is a wrong position, not an unknown option."""

LONGEST_LINE = 10_000
"""Characters of a line; a position has fewer than a hundred."""
LONGEST_INPUT = 1 << 26
"""Characters without the end of a line after which stdin is no list."""
_COUNT = re.compile(r"-?[0-9]+|[SNsn]")


class Positions:
    """The positions that a command is asked about, under one rule set."""

    def __init__(self, arguments: tuple[str, ...], rules: Rules) -> None:
        self.rules, self.arguments = rules, _joined(arguments)
        if not arguments and sys.stdin.isatty():
            raise click.UsageError("no position given: accepted are arguments, or one position per line on stdin")

    def each(self, answer: Callable[[int, Position], None]) -> None:
        """Call ``answer`` with the number of answers before it and each position, in order.

        What is wrong with an argument is raised as it is, an AbapaError. What is wrong with a line is printed, and in
        the end the exit code is 2.
        """
        if self.arguments:
            for number, text in enumerate(self.arguments):
                answer(number, Position.parse(text, self.rules))
            return
        answered = failed = 0
        for number, line in numbered_lines(sys.stdin):
            try:
                answer(answered, Position.parse(whole_line(line), self.rules))
                answered += 1
            except AbapaError as error:
                failed += 1
                complain(f"line {number}: {error}")
        if failed:
            raise click.exceptions.Exit(AbapaError.exit_code)


def positions_argument(command: Callable[..., Any]) -> Callable[..., Any]:
    """Positions as arguments or, without any, one per line on stdin; and those of ``rules_option``.

    The command gets ``rules`` and ``positions``, a :class:`Positions`. Arguments that are all bare counts (and S or N)
    make one position together.
    """

    @click.argument("positions", nargs=-1, metavar="[POSITION]...")
    @rules_option
    @functools.wraps(command)
    def with_positions(*args: Any, positions: tuple[str, ...], rules: Rules, **kwargs: Any) -> Any:
        return command(*args, positions=Positions(positions, rules), rules=rules, **kwargs)

    return with_positions


def _joined(arguments: tuple[str, ...]) -> tuple[str, ...]:
    for argument in arguments:
        if argument.startswith("-") and not re.match(r"-\s*[0-9]", argument):
            raise click.NoSuchOption(argument)
    if len(arguments) > 1 and all(_COUNT.fullmatch(argument) for argument in arguments):
        return (" ".join(arguments),)
    return arguments


def numbered_lines(source: TextIO, name: str = "stdin") -> Iterator[tuple[int, str]]:
    """The lines of a list that say something, each with its number; of a huge line only the beginning.

    Raises AbapaError, with the ``name`` of the source, for what is no list.
    """
    number = 0
    while line := source.readline(LONGEST_LINE + 1):
        number += 1
        _pass_over_the_rest(line, source, name)
        text = line.removeprefix("\ufeff").strip() if number == 1 else line.strip()
        if text and not text.startswith("#"):
            yield number, line if len(line) > LONGEST_LINE else text


def _pass_over_the_rest(line: str, source: TextIO, name: str) -> None:
    """Read on to the end of a line of which ``line`` is the beginning. Raises AbapaError where it has none."""
    read = len(line)
    while line and not line.endswith("\n") and read > LONGEST_LINE:
        line = source.readline(1 << 16)
        read += len(line)
        if read > LONGEST_INPUT:
            raise AbapaError(f"{name} is no list of positions: it has a line of more than 64 MiB")


def whole_line(line: str) -> str:
    """A line of a list as it is. Raises AbapaError where only its beginning was read."""
    if len(line) > LONGEST_LINE:
        raise AbapaError(f"more than {LONGEST_LINE:,} characters: accepted is one position per line")
    return line
