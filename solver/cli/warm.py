"""``abapa warm``: compile the kernels of the searches, so that no first search has to."""

from __future__ import annotations

import click


@click.command(name="warm")
def command() -> None:
    """Compile the kernels of the searches of Oware and Omweso into the cache folder.

    It takes some seconds once after each installation, and a blink after that. Programs that start abapa uci and allow
    little time for its first answer find it ready.
    """
    from solver.omweso.game import OmwesoGame
    from solver.omweso.rules import OmwesoRules
    from solver.oware.game import OwareGame
    from solver.oware.rules import ABAPA
    from solver.search.searcher import Searcher

    Searcher(OwareGame(ABAPA), hash_mib=0)
    Searcher(OmwesoGame(OmwesoRules()), hash_mib=0)
    click.echo("The kernels of the searches are compiled.")
