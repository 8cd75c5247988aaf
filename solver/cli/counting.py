"""What ``abapa perft`` and ``abapa omweso perft`` share: an option, and how the counts are printed."""

from __future__ import annotations

from typing import Any, Protocol

import click

from solver.cli.output import print_json

divide_option = click.option("--divide", is_flag=True, help="Count separately below each move.")


class Counted(Protocol):
    """A position of either game."""

    @property
    def text(self) -> str: ...
    @property
    def rules(self) -> Any: ...


def print_counts(
    root: Counted,
    depth: int,
    leaves: int,
    below: dict[str, int] | None,
    seconds: float,
    *,
    move: str,
    leaf: str,
    as_json: bool,
) -> None:
    """Print the ``leaves`` of a count and, if asked for, how many lie ``below`` each move.

    ``move`` and ``leaf`` are the game's words for these, in the plural.
    """
    if as_json:
        found = {"leaves": leaves, "depth": depth, "position": root.text, "rules": root.rules.id}
        divided = {} if below is None else {move: below}
        print_json(found | divided | {"seconds": round(seconds, 6)})
        return
    width = max(map(len, below), default=0) if below else 0
    for text, count in (below or {}).items():
        click.echo(f"{text:<{width}}  {count:,}")
    rate = leaves / seconds / 1e6 if seconds > 0 else 0.0
    click.echo(f"{leaves:,} {leaf} at depth {depth} in {seconds:.3f} s ({rate:.1f} million per second)")
