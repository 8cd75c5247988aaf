"""``abapa omweso``: the commands of the second game, each in a file of its own, as in :mod:`solver.cli`."""

from __future__ import annotations

import click

from solver.cli import LazyGroup

COMMANDS: dict[str, str] = {
    "moves": "List the turns of a position, with every choice on the way.",
    "perft": "Count turn sequences: checks and times the turn generator.",
    "mayer": "Tell whether a turn ends, after how many laps, or the length of its cycle.",
    "search": "Search a position: the best turn, a win in plies or an estimate.",
    "setup": "Rate set-ups, the classic ones too, and suggest a better one.",
    "play": "Play a match against the program in the terminal.",
    "selfplay": "Let the program play itself.",
    "solve": "Solve a small board whole: who wins every position, and the best set-ups.",
    "probe": "Say what a position of a solved board is worth, and each turn.",
}
"""Every command and its one-line help, in the order of the help page."""


@click.group(cls=LazyGroup, package="solver.cli.omweso", lines=COMMANDS)
def command() -> None:
    """Omweso (4x8): turns, perft, endless sowing, search, matches, set-ups.

    A POSITION is the mover's 16 pits, "/", the opponent's 16 in their own numbering (the outer row from left to right,
    then the inner row from right to left), counts separated by commas or spaces; or the name of a set-up, or two of
    them, for the first turn of a game: outer-four, all-two, seventeen-six-threes, seventeen-five-threes. A turn is
    the letter of its start pit (a..h the inner row from left to right, i..p the outer one) and a symbol for each
    choice: < clockwise, > not. Values are from the view of the player to move.
    """
