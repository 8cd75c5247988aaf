"""``abapa omweso perft``: count turn sequences, the standard check and speed measure of a turn generator."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import click

from solver.cli.omweso.options import history_options, read_position, rules_options
from solver.cli.options import Whole, json_option
from solver.omweso.position import OmwesoPosition, Turn, turn_text

if TYPE_CHECKING:
    from solver.omweso.kernels import OmwesoGenerator


@click.command(name="perft")
@click.argument("position")
@click.argument("depth", type=Whole(0, 40))
@rules_options
@history_options
@click.option("--divide", is_flag=True, help="Count below each turn separately.")
@json_option
def command(
    position: str,
    depth: int,
    rules: str,
    columns: int | None,
    first_turn: bool,
    fresh: bool,
    divide: bool,
    as_json: bool,
) -> None:
    """Count the sequences of exactly DEPTH turns from POSITION; each way to choose on the way counts.

    A game that has ended has no continuation; an endless turn can only be the last. Turns of more than 10,000 laps
    count as endless.
    """
    from solver.omweso.kernels import PRACTICAL_LAPS, OmwesoGenerator

    root = read_position(position, rules, columns, first_turn, fresh)
    generator = OmwesoGenerator(root.rules, PRACTICAL_LAPS)
    generator.perft(root, 1)  # compile or load the kernel outside the time taken
    began = time.perf_counter()
    counts = (
        {turn_text(turn, root.rules): _below(root, turn, generator, depth) for turn in generator.turns(root)}
        if divide and depth
        else {}
    )
    leaves = sum(counts.values()) if divide and depth else generator.perft(root, depth)
    seconds = time.perf_counter() - began
    if as_json:
        found: dict[str, object] = {"leaves": leaves, "depth": depth, "position": root.text, "rules": root.rules.id}
        if divide:
            found["turns"] = counts
        click.echo(json.dumps(found | {"seconds": round(seconds, 6)}, separators=(",", ":")))
        return
    for text, count in counts.items():
        click.echo(f"{text:<8}  {count:,}")
    rate = leaves / seconds / 1e6 if seconds > 0 else 0.0
    click.echo(f"{leaves:,} turn sequences at depth {depth} in {seconds:.3f} s ({rate:.1f} million turns a second)")


def _below(root: OmwesoPosition, turn: Turn, generator: OmwesoGenerator, depth: int) -> int:
    """Sequences below one turn."""
    if depth == 1:
        return 1
    return generator.perft(root.after(turn), depth - 1) if turn.ends else 0
