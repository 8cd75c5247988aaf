"""The ``abapa`` command: a group whose commands are imported only when called, so that ``--help`` answers at once.

Each command has a file of its own, called as the command is; Omweso's are in :mod:`solver.cli.omweso`. What several
commands share is beside them: options (:mod:`solver.cli.options`, :mod:`solver.cli.engine`), lists of positions
(:mod:`solver.cli.lists`), what a process finds around it (:mod:`solver.cli.surroundings`), the searches of Oware
(:mod:`solver.cli.searching`), and how things are printed (:mod:`solver.cli.output`, :mod:`solver.cli.answers`,
:mod:`solver.cli.reports`, :mod:`solver.cli.counting`, :mod:`solver.cli.progress`).

Data goes to stdout, progress and errors to stderr. The exit codes are those of the README.
"""

from __future__ import annotations

import errno
import importlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

import click

from solver import __version__
from solver.cli.output import complain
from solver.cli.surroundings import checked_environment, settle_streams
from solver.cli.usage import usage_line
from solver.errors import AbapaError

COMMANDS: dict[str, str] = {
    "build": "Build the tables of a rule set up to a number of seeds.",
    "probe": "Show what a position and each of its moves are worth.",
    "moves": "List the moves of a position, best first.",
    "line": "Show best play from a position.",
    "stats": "Count the boards of each value.",
    "check": "Check the hashes of tables: are they as they were written?",
    "verify": "Prove that the numbers in tables are right.",
    "pack": "Compress tables, to store or to send them.",
    "unpack": "Restore packed tables, byte for byte.",
    "export": "Write the numbers of a tier as raw bytes.",
    "import": "Make awari tables from other people's files.",
    "compare": "Compare awari tables with other people's files.",
    "verify-draw": "Solve and prove the start positions of awari: are they draws?",
    "sample": "Draw positions with their values: data for training and testing programs.",
    "score": "Grade a list of moves by the seeds that they give away.",
    "search": "Search a position, one depth after another.",
    "solve": "Prove the exact value of a position.",
    "play": "Play against the engine in the terminal.",
    "selfplay": "Play games of the engine against itself.",
    "serve": "Open a page to look at perfect play, and a JSON interface.",
    "analyse": "Annotate recorded games: values, best moves, losses.",
    "bench": "Measure the search: its signature and its speed.",
    "uci": "Speak UCI, the engine protocol, with Oware programs.",
    "warm": "Compile the kernels of the searches beforehand.",
    "perft": "Count move sequences, to check and time the move generator.",
    "omweso": "Omweso: turns, perft, endless sowing, search, matches, set-ups, small boards.",
}
"""Every command and its one-line help, in the order of the help page; ``name`` lives in ``solver/cli/name.py``."""


_HELP_WANTED = getattr(click.exceptions, "NoArgsIsHelpError", ())
"""What newer versions of click raise for a group without a command: it shows its help."""


class LazyGroup(click.Group):
    """A click group that knows its commands by name and imports one only to run it or to show its own help.

    ``package`` is where the commands live; command ``a-b`` is the attribute ``command`` of module ``a_b``.
    """

    def __init__(self, *args: Any, package: str, lines: dict[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.package, self.lines = package, lines

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.lines)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.lines:
            return None
        return importlib.import_module(f"{self.package}.{cmd_name.replace('-', '_')}").command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self.lines:
            with formatter.section("Commands"):
                formatter.write_dl(list(self.lines.items()))


class PipeClosed(Exception):
    """The reader of our stdout went away."""


class Interrupted(Exception):
    """Ctrl-C."""


class Abapa(LazyGroup):
    """The outermost group: a closed pipe and Ctrl-C pass click, which has exit codes of its own for them."""

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        with _past_click():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        with _past_click():
            return super().invoke(ctx)


@contextmanager
def _past_click() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError as error:
        raise PipeClosed from error
    except KeyboardInterrupt as error:
        raise Interrupted from error


@click.group(
    cls=Abapa,
    package="solver.cli",
    lines=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="abapa")
def abapa() -> None:
    """Solve Oware and Omweso: build perfect-play tables, look positions up in them, search with them.

    Values are from the view of the player to move, in seeds.
    """


def main() -> NoReturn:
    """Run the command line. A person's error becomes one line and exit code 2; Ctrl-C becomes exit code 130."""
    try:
        code = _run()
        sys.stdout.flush()
    except BrokenPipeError:
        code = _drop_stdout(141)
    except OSError as error:  # a full disk behind stdout
        complain(_said(error))
        code = _drop_stdout(AbapaError.exit_code)
    sys.exit(code)


def _run() -> int:
    """Run the command that was named, and return the exit code."""
    try:
        settle_streams()
        with checked_environment():
            code = abapa.main(prog_name="abapa", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        if isinstance(error, _HELP_WANTED):
            error.show()
        else:
            complain(usage_line(error))
        return AbapaError.exit_code
    except (Interrupted, click.Abort, KeyboardInterrupt):
        complain("interrupted")
        return 130
    except AbapaError as error:
        complain(str(error))
        return error.exit_code
    except (PipeClosed, BrokenPipeError):  # not our fault, nothing to say
        return _drop_stdout(141)
    except OSError as error:  # a full disk behind stdout, a file that cannot be written
        complain(_said(error))
        return _drop_stdout(AbapaError.exit_code)
    return code if isinstance(code, int) else 0


def _said(error: OSError) -> str:
    """What an error of the system means, in words."""
    if error.errno == errno.EBADF and error.filename is None:
        return "stdin is closed: there is nothing to read"  # settle_streams has seen to the others
    return f"{error.strerror or error}{f': {os.fsdecode(error.filename)}' if error.filename else ''}"


def _drop_stdout(code: int) -> int:
    """Let what is still to be written go nowhere, and return the exit code."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code
