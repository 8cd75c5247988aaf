"""``abapa perft``: count move sequences, the standard check and speed measure of a move generator."""

from __future__ import annotations

import json
import signal
import time

import click

from solver.cli.options import Whole, json_option, rules_option
from solver.oware.position import Position
from solver.oware.rules import Rules


@click.command(name="perft")
@click.argument("position")
@click.argument("depth", type=Whole(0, 60))
@rules_option
@click.option("--divide", is_flag=True, help="Count below each move separately.")
@click.option(
    "--bulk/--no-bulk", default=True, show_default=True, help="Count the last ply's moves without making them."
)
@json_option
def command(position: str, depth: int, rules: Rules, divide: bool, bulk: bool, as_json: bool) -> None:
    """Count the move sequences of exactly DEPTH plies from POSITION; "start" is the start position.

    A game that has ended (majority, no move, repetition) has no continuation.
    """
    from solver.oware.kernels import perft

    root = Position.start(rules) if position == "start" else Position.parse(position, rules)
    perft(Position.start(rules, 1), 2, bulk=bulk)  # compile or load the kernel outside the time taken
    heard = signal.signal(signal.SIGINT, signal.SIG_DFL)  # a kernel cannot hear of Ctrl-C; there is nothing to keep
    began = time.perf_counter()
    moves: dict[str, int] = {}
    if divide and depth:
        for move in root.legal_moves():
            moves[root.letter(move)] = perft(root.play(move), depth - 1, bulk=bulk)
    leaves = sum(moves.values()) if divide and depth else perft(root, depth, bulk=bulk)
    seconds = time.perf_counter() - began
    signal.signal(signal.SIGINT, heard)
    rate = leaves / seconds if seconds > 0 else 0.0
    if as_json:
        found: dict[str, object] = {"leaves": leaves, "depth": depth, "position": root.text, "rules": rules.id}
        if divide:
            found["moves"] = moves
        click.echo(json.dumps(found | {"seconds": round(seconds, 6)}, separators=(",", ":")))
        return
    for letter, count in moves.items():
        click.echo(f"{letter}  {count:,}")
    click.echo(f"{leaves:,} leaves at depth {depth} in {seconds:.3f} s ({rate / 1e6:.1f} million a second)")
