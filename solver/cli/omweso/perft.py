"""``abapa omweso perft``: count turn sequences, the standard check and speed measure of a turn generator."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from solver.cli.counting import divide_option, print_counts
from solver.cli.omweso.options import root_argument
from solver.cli.options import Whole, json_option
from solver.omweso.position import OmwesoPosition, Turn, turn_text

if TYPE_CHECKING:
    from solver.omweso.kernels import OmwesoGenerator


@click.command(name="perft")
@root_argument
@click.argument("depth", type=Whole(0, 40))
@divide_option
@json_option
def command(root: OmwesoPosition, depth: int, divide: bool, as_json: bool) -> None:
    """Count the sequences of exactly DEPTH turns from POSITION. Each way to choose within a turn counts.

    A game that has ended has no continuation. An endless turn can only be the last one. Turns of more than 10,000 laps
    count as endless.
    """
    from solver.omweso.kernels import PRACTICAL_LAPS, OmwesoGenerator

    generator = OmwesoGenerator(root.rules, PRACTICAL_LAPS)
    generator.perft(root, 1)  # compile or load the kernel outside the time taken
    began = time.perf_counter()
    turns = generator.turns(root) if divide and depth else ()
    below = {turn_text(turn, root.rules): _below(root, turn, generator, depth) for turn in turns}
    leaves = sum(below.values()) if divide and depth else generator.perft(root, depth)
    print_counts(
        root, depth, leaves, below if divide else None, time.perf_counter() - began,
        move="turns", leaf="turn sequences", as_json=as_json,
    )  # fmt: skip


def _below(root: OmwesoPosition, turn: Turn, generator: OmwesoGenerator, depth: int) -> int:
    """Sequences below one turn."""
    if depth == 1:
        return 1
    return generator.perft(root.after(turn), depth - 1) if turn.ends else 0
