"""The options of an engine, shared by the commands of both games: when its searches stop, and how large it is.

Which game it plays and with which tables is left to :mod:`solver.cli.searching` and :mod:`solver.cli.omweso.searching`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from solver.cli.options import DEPTH, NODES, SEARCH_THREADS, Seconds, Whole
from solver.search.limits import Limits

if TYPE_CHECKING:
    from solver.search.game import Game
    from solver.search.searcher import Searcher

Position = TypeVar("Position")
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
Limit = Literal["depth", "seconds", "nodes"]


def limits_options(*offered: Limit, stop: str = "Stop", waived_by: str | None = None, **default: float) -> Decorator:
    """``--depth``, ``--time`` and ``--nodes``, as many as are offered: the command gets ``limits``.

    That is a :class:`~solver.search.searcher.Limits`. ``default`` is one of the limits, such as ``seconds=5``: it holds
    where no limit is given, nor the flag ``waived_by`` of the command. ``stop``: how the help says what a limit does.
    """

    def note(name: str) -> str:
        if name not in default:
            return ""
        return f" (default: {default[name]:g}{' if no other limit is given' if len(offered) > 1 else ''})"

    options = {
        "depth": click.option("--depth", type=DEPTH, help=f"{stop} after this depth, in plies{note('depth')}."),
        "seconds": click.option(
            "--time", "seconds", type=Seconds(), help=f"{stop} after this many seconds{note('seconds')}."
        ),
        "nodes": click.option("--nodes", type=NODES, help=f"{stop} after this many nodes{note('nodes')}."),
    }

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def with_limits(*args: Any, **kwargs: Any) -> Any:
            given = {name: kwargs.pop(name) for name in offered}
            given = {name: limit for name, limit in given.items() if limit is not None}
            if not given and not (waived_by and kwargs[waived_by]):
                given = default
            return command(*args, limits=Limits(**given), **kwargs)  # type: ignore[arg-type]

        function: Callable[..., Any] = with_limits
        for name in reversed(offered):
            function = options[name](function)
        return function

    return decorate


@dataclass(frozen=True)
class EngineSize:
    """What an engine may use: MiB of transposition table, 0 for none, and threads."""

    hash_mib: int
    threads: int

    def searcher(self, game: Game[Position]) -> Searcher[Position]:
        """A searcher of this size. Raises AbapaError for a table larger than the memory."""
        from solver.search.searcher import Searcher

        return Searcher(game, hash_mib=self.hash_mib, threads=self.threads)


def size_options(least_hash: int = 0) -> Decorator:
    """``--hash`` and ``--threads``: the command gets ``size``, an :class:`EngineSize`."""
    none = "" if least_hash else "; 0 for none"

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @click.option("--hash", "hash_mib", type=Whole(least_hash), default=64, show_default=True, metavar="MIB",
                      help=f"Size of the transposition table in MiB{none}.")  # fmt: skip
        @click.option("--threads", type=SEARCH_THREADS, default=1, show_default=True, help="Number of search threads.")
        @functools.wraps(command)
        def with_size(*args: Any, hash_mib: int, threads: int, **kwargs: Any) -> Any:
            return command(*args, size=EngineSize(hash_mib, threads), **kwargs)

        return with_size

    return decorate
