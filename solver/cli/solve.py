"""``abapa solve``: prove the exact value of a position."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from solver.cli.options import json_option
from solver.cli.output import print_json
from solver.cli.searching import OpenSearcher, move_letters, searcher_options, signed


@click.command(name="solve")
@click.argument("position")
@click.option("--time", "seconds", type=float, help="Give up after so many seconds.")
@click.option("--depth", type=int, help="Give up after this depth, in plies.")
@click.option("--save", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Go on from this file if it is there, and write it on the way out.")  # fmt: skip
@searcher_options
@json_option
@click.pass_context
def command(
    context: click.Context,
    position: str,
    seconds: float | None,
    depth: int | None,
    save: Path | None,
    open_searcher: OpenSearcher,
    as_json: bool,
) -> None:
    """Prove the value of POSITION ("start" is the start position) with null windows against the tables.

    Values are final margins in seeds from the view of the player to move, stores included. What is proven holds
    whatever was played before; under an own-row cycle rule the two bounds may stay apart for ever. Ctrl-C stops;
    with --save nothing is lost. Exit code 1 when it stops before the bounds meet.
    """
    from solver.search.proof import Proof, fresh_proof, load_proof, prove, save_proof
    from solver.search.searcher import MAX_DEPTH, Limits

    root = open_searcher.position(position)
    about = {"position": root.text, "rules": root.rules.id}
    limits = Limits(MAX_DEPTH if depth is None else depth, seconds)
    terminal = sys.stderr.isatty() and not as_json

    def show(proof: Proof) -> None:
        if terminal:
            bounds = f"{signed(proof.low)} to {signed(proof.high)}"
            text = f"depth {proof.depth}  proven {bounds}  {proof.nodes:,} nodes  {proof.seconds:.1f} s"
            click.echo(f"\r{text:<78}", err=True, nl=False)

    with open_searcher() as searcher:
        resumed = save is not None and save.exists()
        if save is not None and resumed:
            proof = load_proof(save, searcher, about)
        else:
            proof = fresh_proof(searcher, root, root.seeds)
        try:
            for proof in prove(searcher, root, limits, proof):  # noqa: B020
                show(proof)
        finally:
            if save is not None:
                save_proof(save, proof, searcher, about)
            if terminal:
                click.echo("", err=True)
        best = move_letters(root, (proof.move,))[0] if proof.exact and proof.move >= 0 else None
        if as_json:
            found = {"low": proof.low, "high": proof.high, "exact": proof.exact, "best": best}
            work = {"depth": proof.depth, "nodes": proof.nodes, "seconds": round(proof.seconds, 3)}
            print_json(found | work | about)
        elif proof.exact:
            click.echo(f"{signed(proof.low)} exact, best {best}: {proof.nodes:,} nodes, {proof.seconds:.1f} s")
        else:
            bounds = f"proven {signed(proof.low)} to {signed(proof.high)}"
            click.echo(f"{bounds}, estimate {signed(proof.estimate)}: {proof.nodes:,} nodes, {proof.seconds:.1f} s")
        if searcher.interrupted:
            context.exit(130)
        if not proof.exact:
            context.exit(1)
