"""``abapa perft``: count move sequences, the standard check and speed measure of a move generator."""

from __future__ import annotations

import signal
import time

import click

from solver.cli.counting import divide_option, print_counts
from solver.cli.options import Whole, json_option, root_argument
from solver.oware.position import Position


@click.command(name="perft")
@root_argument
@click.argument("depth", type=Whole(0, 60))
@divide_option
@click.option(
    "--bulk/--no-bulk", default=True, show_default=True, help="Count the moves of the last ply without making them."
)
@json_option
def command(root: Position, depth: int, divide: bool, bulk: bool, as_json: bool) -> None:
    """Count the move sequences of exactly DEPTH plies from POSITION ("start" is the start position).

    A game that has ended (by a majority, no move or a repetition) has no continuation.
    """
    from solver.oware.kernels import perft

    perft(Position.start(root.rules, 1), 2, bulk=bulk)  # compile or load the kernel outside the time taken
    heard = signal.signal(signal.SIGINT, signal.SIG_DFL)  # a kernel cannot hear of Ctrl-C; there is nothing to keep
    began = time.perf_counter()
    moves = root.legal_moves() if divide and depth else ()
    below = {root.letter(move): perft(root.play(move), depth - 1, bulk=bulk) for move in moves}
    leaves = sum(below.values()) if divide and depth else perft(root, depth, bulk=bulk)
    seconds = time.perf_counter() - began
    signal.signal(signal.SIGINT, heard)
    print_counts(root, depth, leaves, below if divide else None, seconds, move="moves", leaf="leaves", as_json=as_json)
