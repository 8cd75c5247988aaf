"""``abapa serve``: a local page to look at positions and games, and a JSON interface for programs."""

from __future__ import annotations

import gc
import importlib.util
import sys
from pathlib import Path

import click
from click.core import ParameterSource

from solver.cli.options import Whole, tables_option, was_given
from solver.errors import AbapaError

NEEDED = ("starlette", "uvicorn", "httptools", "orjson")
SWITCH_SECONDS = 0.001
"""How long a search's thread may keep the interpreter lock while a look-up waits for it; Python's default is 5 ms."""


@click.command
@tables_option
@click.option("--port", type=Whole(0, 65535), default=8421, show_default=True, help="Port; 0 for any that is free.")
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS",
              help="Address to listen on; others than the default let other machines in.")  # fmt: skip
@click.option("--get", "address", metavar="PATH", help="Answer one request, as in '/api/v1/oware?position=start'.")
@click.pass_context
def command(context: click.Context, tables: Path, port: int, host: str, address: str | None) -> None:
    """Open a page to look at perfect play, and a JSON interface, for this machine alone.

    The page is at the address printed, the interface under /api/v1/ (docs/http.md); Ctrl-C ends it. Without tables the
    page plays and searches all the same, and says which command builds the table that is missing.

    --get prints the answer to one request and opens no port; exit code 0 where there is an answer, 2 for a request that
    asks for what cannot be, else 1.
    """
    if address is not None and (was_given("host") or was_given("port")):
        raise click.UsageError("--host, --port: --get opens no port: accepted is --get without them")
    for package in NEEDED:
        if importlib.util.find_spec(package) is None:
            raise AbapaError(f"serve needs {package}: pip install 'abapa[serve]'")
    from databases.files.folder import existing_folder
    from solver.web.state import State

    named = context.get_parameter_source("tables") is not ParameterSource.DEFAULT
    if named:
        existing_folder(tables)
    state = State(tables, named=named)
    if address is not None:
        context.exit(_get(state, address))
    _serve(state, host, port)


def _get(state: object, address: str) -> int:
    """Print the answer to one request; the exit code."""
    from solver.web.app import application
    from solver.web.offline import tell
    from solver.web.state import State

    if not address.startswith("/"):
        raise click.UsageError(f"--get {address}: accepted are addresses such as /api/v1/oware?position=start")
    assert isinstance(state, State)

    def write(part: bytes) -> None:
        sys.stdout.buffer.write(part)
        sys.stdout.buffer.flush()

    status = tell(application(state), address, write)
    if status < 300:
        return 0
    return AbapaError.exit_code if status in (400, 405, 413) else 1


def _serve(state: object, host: str, port: int) -> None:
    """Listen, say where, and serve until Ctrl-C."""
    from solver.oware.game import OwareGame
    from solver.oware.rules import ABAPA
    from solver.search.searcher import compile_search
    from solver.web.oware.answer import warm
    from solver.web.server import address_of, listen, server_of
    from solver.web.state import State

    assert isinstance(state, State)
    listening = listen(host, port)
    compile_search(OwareGame(ABAPA))  # now, not while the first search keeps somebody waiting
    warm(state)
    gc.freeze()  # what lives as long as the server is not gone through again and again
    sys.setswitchinterval(SWITCH_SECONDS)
    click.echo(f"Abapa is at {address_of(listening)} (Ctrl-C ends it)")
    sys.stdout.flush()
    server_of(state, host).run([listening])
