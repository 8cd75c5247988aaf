"""``abapa solve``: prove the exact value of a position."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from solver.cli.options import DEPTH, Seconds, Whole, json_option
from solver.cli.output import check_folder_of, print_json, signed
from solver.cli.searching import OpenSearcher, searcher_options

if TYPE_CHECKING:
    from solver.oware.proof import Proof


@click.command(name="solve")
@click.argument("position")
@click.option("--time", "seconds", type=Seconds(), help="Give up after so many seconds.")
@click.option("--depth", type=DEPTH, help="Give up after null windows of this depth, in plies.")
@click.option("--save", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Go on from this file if it is there, and write it on the way out.")  # fmt: skip
@click.option("--graph", "graph_mib", type=Whole(1), default=1024, show_default=True, metavar="MIB",
              help="Most memory for the graph of boards that endless play may hold.")  # fmt: skip
@searcher_options
@json_option
@click.pass_context
def command(
    context: click.Context,
    position: str,
    seconds: float | None,
    depth: int | None,
    save: Path | None,
    graph_mib: int,
    open_searcher: OpenSearcher,
    as_json: bool,
) -> None:
    """Prove the value of POSITION ("start" is the start position): null windows against the tables, and fortresses.

    A fortress is a set of boards that a side need never leave; it proves the values that rest on endless play. Values
    are final margins in seeds from the view of the player to move, stores included. Under an own-row cycle rule what is
    proven is what the mover can force and what the opponent can hold them to; the game's history decides between.
    Ctrl-C stops; with --save what was settled is not lost. Exit code 1 when it stops before the proof is final.
    """
    from solver.oware.proof import fresh_proof, load_proof, prove, save_proof
    from solver.search.limits import MAX_DEPTH, Limits

    root = open_searcher.position(position)
    about = {"position": root.text, "rules": root.rules.id}
    limits = Limits(MAX_DEPTH if depth is None else depth, seconds)
    terminal = sys.stderr.isatty() and not as_json

    def show(proof: Proof) -> None:
        if terminal:
            bounds = f"{signed(proof.low)} to {signed(proof.high)}"
            text = f"depth {proof.depth}  proven {bounds}  {proof.nodes:,} nodes  {proof.seconds:.1f} s"
            click.echo(f"\r{text:<78}", err=True, nl=False)

    if save is not None:
        check_folder_of(save)
    with open_searcher() as searcher:
        resumed = save is not None and save.exists()
        if save is not None and resumed:
            proof = load_proof(save, searcher, about)
        else:
            proof = fresh_proof(searcher, root, root.seeds)
        try:
            for proof in prove(searcher, root, limits, proof, graph_mib):  # noqa: B020
                show(proof)
        except KeyboardInterrupt:  # between two windows; inside one the searcher takes it
            searcher.interrupted = True
        if terminal:
            click.echo("", err=True)
        best = root.line((proof.move,))[0] if proof.final and proof.move >= 0 else None
        if as_json:
            found = {"low": proof.low, "high": proof.high, "exact": proof.exact, "final": proof.final, "best": best}
            work = {"depth": proof.depth, "nodes": proof.nodes, "seconds": round(proof.seconds, 3)}
            print_json(found | work | about)
        else:
            click.echo(f"{_verdict(proof, best)}: {proof.nodes:,} nodes, {proof.seconds:.1f} s")
            if proof.stuck:
                click.echo(f"gave up: the graph of {graph_mib} MiB is full; --graph gives it more, and tables of more "
                           "seeds (abapa build) need less", err=True)  # fmt: skip
        if save is not None:
            save_proof(save, proof, searcher, about)
        if searcher.interrupted:
            context.exit(130)
        if not proof.final:
            context.exit(1)


def _verdict(proof: Proof, best: str | None) -> str:
    """What is proven, in words."""
    if proof.exact:
        return f"{signed(proof.low)} exact, best {best or 'move not proven'}"
    if proof.final:
        return f"{signed(proof.low)} to {signed(proof.high)} final, best {best or 'move not proven'}"
    return f"proven {signed(proof.low)} to {signed(proof.high)}, estimate {signed(proof.estimate)}"
