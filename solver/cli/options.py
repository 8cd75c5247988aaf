"""Options and arguments that several commands share, defined once."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from solver.errors import AbapaError, PositionError
from solver.numerals import read_decimal, read_whole
from solver.oware.rules import MAX_PITS, Rules

_COUNT = re.compile(r"-?[0-9]+|[SNsn]")
LONGEST_SECONDS = 1e8


class Whole(click.IntRange):
    """A whole number of at least ``least`` and, where given, at most ``most``, in ASCII digits."""

    name = "integer"

    def __init__(self, least: int, most: int | None = None) -> None:
        super().__init__(least, most)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        least, most = int(self.min or 0), self.max
        try:
            number = read_whole(str(value))
        except ValueError:
            number = least - 1
        if number < least or (most is not None and number > most):
            within = f"of {least} or more" if most is None else f"from {least} to {int(most)}"
            self.fail(f"{str(value)!r}: accepted are whole numbers {within}", param, ctx)
        return number


class Seed(click.ParamType):
    """A whole number, negative ones too: the seed of a random generator."""

    name = "integer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            return read_whole(str(value))
        except ValueError:
            self.fail(f"{str(value)!r}: accepted are whole numbers of up to 18 digits", param, ctx)


class Seconds(click.ParamType):
    """A time in seconds: more than 0, and no more than a timer can hold."""

    name = "seconds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            seconds = read_decimal(str(value))
        except ValueError:
            seconds = 0.0
        if not 0 < seconds <= LONGEST_SECONDS:
            most = f"{LONGEST_SECONDS:,.0f}"
            self.fail(f"{str(value)!r}: accepted are seconds, more than 0 and up to {most}, as in 2 or 0.5", param, ctx)
        return seconds


DEPTH = Whole(1, 100)
"""Depth of a search in plies; the same as :data:`solver.search.searcher.MAX_DEPTH`, which takes long to import."""
NODES = Whole(1)
SEARCH_THREADS = Whole(1, 64)
"""As :data:`solver.search.searcher.MAX_THREADS`."""


def rules_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--rules`` and ``--pits``: the command gets one ``rules``, a :class:`~solver.oware.rules.Rules`."""

    @click.option(
        "--rules",
        "rules_id",
        metavar="RULES",
        default="abapa",
        show_default=True,
        help="Rule set: abapa or awari, fields overridden as in abapa+cycle=even or awari+pits=4.",
    )
    @click.option("--pits", type=Whole(1, MAX_PITS), help="Houses a side: another way to write +pits= in the rule set.")
    @functools.wraps(command)
    def with_rules(*args: Any, rules_id: str, pits: int | None, **kwargs: Any) -> Any:
        return command(*args, rules=Rules.parse(rules_id, pits), **kwargs)

    return with_rules


def rules_override_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--rules`` of a command whose games name their own: it gets ``rules``, None where the option is not given."""

    @click.option(
        "--rules",
        "rules_id",
        metavar="RULES",
        help="Read the games by this rule set, whatever they name: abapa, awari, ..",
    )
    @functools.wraps(command)
    def with_rules(*args: Any, rules_id: str | None, **kwargs: Any) -> Any:
        return command(*args, rules=None if rules_id is None else Rules.parse(rules_id), **kwargs)

    return with_rules


def tables_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--tables``: the command gets ``tables``, the folder as a :class:`~pathlib.Path`."""

    @click.option(
        "--tables",
        type=click.Path(path_type=Path, readable=False),
        metavar="DIR",
        help="Folder of tables; without it $ABAPA_TABLES, else the user's data folder.",
    )
    @functools.wraps(command)
    def with_folder(*args: Any, tables: Path | None, **kwargs: Any) -> Any:
        _check_that_databases_is_ours()
        from databases.files.folder import tables_folder

        return command(*args, tables=tables_folder(tables), **kwargs)

    return with_folder


def _check_that_databases_is_ours() -> None:
    """Another project on the public index is called ``databases`` too and overwrites ours without a word."""
    import databases

    if getattr(databases, "DISTRIBUTION", None) != "abapa":
        raise AbapaError(
            f"the package 'databases' at {databases.__file__} is another project's, installed over Abapa's: "
            "install abapa in an environment of its own"
        )


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, one object a line, for programs.")

POSITION_SETTINGS: dict[str, Any] = {"ignore_unknown_options": True}
"""Context settings of a command that takes positions: ``-1,0,..`` is a wrong position, not an unknown option."""


def positions_argument(command: Callable[..., Any]) -> Callable[..., Any]:
    """Positions as arguments or, without any, one a line on stdin: the command gets an iterator of their texts.

    Arguments that are all bare counts (and S or N) make one position together.
    """

    @click.argument("positions", nargs=-1, metavar="[POSITION]...")
    @functools.wraps(command)
    def with_positions(*args: Any, positions: tuple[str, ...], **kwargs: Any) -> Any:
        return command(*args, positions=_texts(positions), **kwargs)

    return with_positions


def _texts(arguments: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Each position's text, and where it came from as a prefix for errors."""
    for argument in arguments:
        if argument.startswith("-") and not re.match(r"-\s*[0-9]", argument):
            raise click.NoSuchOption(argument)
    if len(arguments) > 1 and all(_COUNT.fullmatch(argument) for argument in arguments):
        arguments = (" ".join(arguments),)
    if arguments:
        return ((argument, "") for argument in arguments)
    if sys.stdin.isatty():
        raise click.UsageError("no position given: as an argument, or one a line on stdin")
    return ((line.strip(), f"line {k}: ") for k, line in enumerate(sys.stdin, 1) if line.strip())


def parse_positions(texts: Iterator[tuple[str, str]], rules: Rules) -> Iterator[Any]:
    """Each text as a :class:`solver.oware.position.Position`; an error names the line it stands on."""
    from solver.oware.position import Position

    for text, where in texts:
        try:
            yield Position.parse(text, rules)
        except PositionError as error:
            raise PositionError(f"{where}{error}") from error
