"""Options and arguments that several commands share, each defined once and handed in as what it stands for.

A decorator adds the options and gives the command objects: ``rules``, ``root``, ``tables``. The types of numbers are
here too. What engines take (limits, hash, threads) is in :mod:`solver.cli.engine`; Lists of positions are read in
:mod:`solver.cli.lists`, Omweso's rules and positions in :mod:`solver.cli.omweso.options`.
"""

from __future__ import annotations

import functools
import io
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO, cast

import click

from solver.errors import AbapaError, quoted
from solver.files import open_regular
from solver.numerals import read_decimal, read_whole
from solver.oware.position import Position
from solver.oware.rules import MAX_PITS, Rules
from solver.search.limits import LONGEST_SECONDS, MAX_DEPTH, MAX_THREADS

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_UNITS |= {f"{letter}i": 2 ** (10 * power) for power, letter in enumerate("KMGT", 1)}


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
            self.fail(f"{quoted(str(value))}: accepted are whole numbers {within}", param, ctx)
        return number


class Seed(click.ParamType):
    """A whole number, negative ones too: the seed of a random generator."""

    name = "integer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            return read_whole(str(value))
        except ValueError:
            self.fail(f"{quoted(str(value))}: accepted are whole numbers of up to 18 digits", param, ctx)


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
            self.fail(
                f"{quoted(str(value))}: accepted are seconds, more than 0 and up to {most}, as in 2 or 0.5", param, ctx
            )
        return seconds


class Size(click.ParamType):
    """A number of bytes such as 8GiB, 500MB or 1073741824."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        match = re.fullmatch(r"\s*([0-9]{1,18}(?:\.[0-9]+)?)\s*([KMGT]?i?)B?\s*", str(value), re.IGNORECASE | re.ASCII)
        unit = match and next((unit for unit in _UNITS if unit.lower() == match[2].lower()), None)
        if match is None or unit is None:
            self.fail(
                f"{quoted(str(value))} is no size: accepted are bytes, or a number with KB, MB, GB, TB, KiB, MiB, GiB, "
                "TiB"
            )
        return int(float(match[1]) * _UNITS[unit])


class RuleSet(click.ParamType):
    """The id of a rule set of Oware; raises RulesError for others."""

    name = "rules"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Rules:
        return Rules.parse(str(value))


class RealFile(click.Path):
    """A file (or, with ``folders``, a folder) that is there or will be: no pipe and no device, which may never end."""

    def __init__(self, *, folders: bool = False) -> None:
        super().__init__(path_type=Path, readable=False)
        self.folders = folders

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = super().convert(value, param, ctx)
        assert isinstance(path, Path)
        try:
            mode = path.stat().st_mode
        except (OSError, ValueError):
            return path  # who reads it says that it is not there
        if not (stat.S_ISREG(mode) or (self.folders and stat.S_ISDIR(mode))):
            accepted = "files and folders" if self.folders else "files"
            self.fail(
                f"{quoted(str(path))} is no regular file: accepted are {accepted}, no pipes or devices", param, ctx
            )
        return path


@dataclass(frozen=True)
class TextSource:
    """A file of text that was found to be one, or stdin."""

    name: str

    @contextmanager
    def opened(self) -> Iterator[TextIO]:
        """The text, for reading, without a byte order mark."""
        if self.name == "-":
            with click.open_file("-", encoding="utf-8-sig", errors="replace") as stdin:
                yield cast("TextIO", stdin)
            return
        with io.TextIOWrapper(open_regular(Path(self.name)), encoding="utf-8-sig", errors="replace") as file:
            yield file

    def __str__(self) -> str:
        return "stdin" if self.name == "-" else self.name


class TextFile(click.ParamType):
    """A file of text to read, or stdin for ``-``: no pipe and no device by its name, which may never end."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        try:
            if value != "-":
                open_regular(Path(value)).close()  # opened again when it is read: what else is wrong comes first
        except OSError as error:
            self.fail(f"{quoted(value)}: {error.strerror}", param, ctx)
        except ValueError as error:
            self.fail(f"{quoted(value)}: {error}", param, ctx)
        return TextSource(value)


def was_given(name: str) -> bool:
    """Whether the option whose parameter is ``name`` stands on the command line, or its default is used."""
    source = click.get_current_context().get_parameter_source(name)
    return source is click.core.ParameterSource.COMMANDLINE


DEPTH = Whole(1, MAX_DEPTH)
"""Depth of a search in plies."""
NODES = Whole(1)
SEARCH_THREADS = Whole(1, MAX_THREADS)


def rules_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--rules`` and ``--pits``: the command gets one ``rules``, a :class:`~solver.oware.rules.Rules`."""

    @click.option(
        "--rules",
        "rules_id",
        metavar="RULES",
        default="abapa",
        show_default=True,
        help="Rule set: abapa or awari. Fields can be changed, as in abapa+cycle=even or awari+pits=4.",
    )
    @click.option("--pits", type=Whole(1, MAX_PITS), help="Houses per side (default: 6, or as the rule set says).")
    @functools.wraps(command)
    def with_rules(*args: Any, rules_id: str, pits: int | None, **kwargs: Any) -> Any:
        return command(*args, rules=Rules.parse(rules_id, pits), **kwargs)

    return with_rules


rules_override_option = click.option(
    "--rules", type=RuleSet(), metavar="RULES", help="Read the games by this rule set, whatever they name."
)
"""``--rules`` of a command whose games name their own: it gets ``rules``, None where the option is not given."""


def root_argument(command: Callable[..., Any]) -> Callable[..., Any]:
    """POSITION and those of :func:`rules_option`: the command gets one ``root``, a Position that knows its rules."""
    return _with_root(click.argument("position"), command)


def root_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """As :func:`root_argument`, the position being an option: games begin there."""
    return _with_root(
        click.option("--position", default="start", show_default=True, help="Position in which each game begins."),
        command,
    )


def _with_root(parameter: Callable[..., Any], command: Callable[..., Any]) -> Callable[..., Any]:
    @parameter
    @rules_option
    @functools.wraps(command)
    def with_root(*args: Any, position: str, rules: Rules, **kwargs: Any) -> Any:
        root = Position.start(rules) if position == "start" else Position.parse(position, rules)
        return command(*args, root=root, **kwargs)

    return with_root


def tables_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--tables``: the command gets ``tables``, the folder as a :class:`~pathlib.Path`."""

    @click.option(
        "--tables",
        type=click.Path(readable=False),
        metavar="DIR",
        help="Folder of tables (default: $ABAPA_TABLES, else the user's data folder).",
    )
    @functools.wraps(command)
    def with_folder(*args: Any, tables: str | None, **kwargs: Any) -> Any:
        if tables == "":
            raise click.UsageError("--tables '': accepted is the name of a folder")
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


def tiers_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Those of :func:`rules_option` and :func:`tables_option`, and ``--seeds``: which tables a command is about.

    The command gets ``rules``, ``tables``, and ``seeds``, the one tier or None for all.
    """
    one = click.option("--seeds", type=Whole(0), help="One tier (default: all tiers of the rule set).")
    return rules_option(tables_option(one(command)))


threads_option = click.option("--threads", type=Whole(1), help="Number of threads (default: all cores).")


def thread_count(threads: int | None) -> int:
    """The number that :data:`threads_option` stands for. Raises AbapaError for more than this machine has."""
    from databases.machine import check_threads, default_threads

    threads = threads or default_threads()
    check_threads(threads)
    return threads


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, one object per line, for programs.")
