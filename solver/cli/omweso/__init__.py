"""``abapa omweso``: the commands of the second game, each in a file of its own, as in :mod:`solver.cli`.

What they share is in :mod:`solver.cli.omweso.options`, :mod:`solver.cli.omweso.searching` and
:mod:`solver.cli.omweso.player`, and what both games share in :mod:`solver.cli`.
"""

from __future__ import annotations

import click

from solver.cli import LazyGroup

COMMANDS: dict[str, str] = {
    "moves": "List the turns of a position, with every choice in them.",
    "perft": "Count turn sequences, to check and time the turn generator.",
    "mayer": "Tell whether a turn ends and after how many laps, or how long its cycle is.",
    "search": "Search a position: the best turn, a win in plies or an estimate.",
    "setup": "Rate set-ups and suggest a better one.",
    "play": "Play a match against the program in the terminal.",
    "selfplay": "Let the program play itself.",
    "analyse": "Annotate recorded games: what each turn was worth.",
    "solve": "Solve a small board completely: every position, and the best set-ups.",
    "probe": "Show what a position of a solved board and each of its turns are worth.",
}
"""Every command and its one-line help, in the order of the help page."""


@click.group(cls=LazyGroup, package="solver.cli.omweso", lines=COMMANDS)
def command() -> None:
    """Omweso (4x8): turns, perft, endless sowing, search, matches, set-ups.

    A POSITION is the mover's 16 pits, "/", and the opponent's 16 pits. Commas or spaces separate the counts. Each
    player's pits are in that player's own numbering: the outer row from left to right, then the inner row from right to
    left. For the first turn of a game, a POSITION may also be the name of a set-up, or two names with "/" between:

    \b
      outer-four, all-two, seventeen-six-threes, seventeen-five-threes

    A turn is the letter of its start pit and a symbol for each choice. The letters are a..h for the inner row from left
    to right and i..p for the outer row. The symbols are < for clockwise and > for not clockwise.

    Values are from the view of the player to move.
    """
