"""What the searching Omweso commands share: options, a searcher, lines of turns as text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from solver.cli.options import SEARCH_THREADS, Whole
from solver.omweso.match import Okutema
from solver.omweso.rules import OmwesoRules

if TYPE_CHECKING:
    from solver.omweso.position import OmwesoPosition
    from solver.search.searcher import Line, Searcher


def searcher_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """``--hash MIB`` and ``--threads N``, for :func:`open_searcher`."""
    function = click.option(
        "--threads", type=SEARCH_THREADS, default=1, show_default=True, help="Search on so many threads."
    )(function)
    return click.option(
        "--hash", "hash_mib", type=Whole(1), default=64, show_default=True, help="Transposition table, MiB."
    )(function)


def playing_rules(rules: OmwesoRules) -> OmwesoRules:
    """The rules with a practical lap cap where they set none: nobody waits at the board for 350 million laps."""
    from solver.omweso.kernels import PRACTICAL_LAPS

    return rules if rules.lap_cap is not None else replace(rules, lap_cap=PRACTICAL_LAPS)


def open_searcher(
    rules: OmwesoRules, hash_mib: int, threads: int, okutema: Okutema = Okutema.OFF
) -> Searcher[OmwesoPosition]:
    """A searcher of a rule set, compiled; says so on stderr where that takes a while. ``okutema``: as OmwesoGame."""
    from solver.omweso.game import OmwesoGame
    from solver.search.searcher import Searcher, compile_search

    game = OmwesoGame(rules, okutema=okutema)
    compile_search(game)
    return Searcher(game, hash_mib=hash_mib, threads=threads)


def line_texts(searcher: Searcher[OmwesoPosition], position: OmwesoPosition, line: Line) -> list[str]:
    """The turns of a principal variation as players write them."""
    texts = []
    for code in line.moves:
        if code not in searcher.game.legal(position):
            break
        texts.append(searcher.game.name(position, code))
        position = searcher.game.play(position, code)
    return texts
