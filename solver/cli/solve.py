"""``abapa solve``: prove the exact value of a position."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from solver.cli.answers import print_over
from solver.cli.engine import limits_options
from solver.cli.options import Whole, json_option, root_argument
from solver.cli.output import check_folder_of, print_json, signed, span
from solver.cli.searching import OpenSearcher, leave, searcher_options
from solver.oware.position import Position

if TYPE_CHECKING:
    from solver.oware.proof import Proof
    from solver.search.limits import Limits
    from solver.search.searcher import Searcher


@click.command(name="solve")
@root_argument
@limits_options("seconds", "depth", stop="Give up")
@click.option("--save", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Continue from this file if it exists, and write it at the end.")  # fmt: skip
@click.option("--graph", "graph_mib", type=Whole(1), default=1024, show_default=True, metavar="MIB",
              help="Most memory for the graph of boards that endless play may hold, in MiB.")  # fmt: skip
@searcher_options
@json_option
def command(
    root: Position,
    limits: Limits,
    save: Path | None,
    graph_mib: int,
    open_searcher: OpenSearcher,
    as_json: bool,
) -> None:
    """Prove the value of POSITION ("start" is the start position).

    The proof searches null windows that end in tables, and looks for fortresses. A fortress is a set of boards that a
    side never needs to leave. It proves the values that rest on endless play. Values are final margins in seeds from
    the view of the player to move; they include the stores. Under an own-row cycle rule two bounds are proven: what the
    mover can force, and what the opponent can hold the mover to. The history of the game decides between them.

    --depth limits the depth of the null windows. Ctrl-C stops the proof; with --save nothing that was settled is lost.
    The exit code is 1 if the proof stops before it is final. A finished game has a result, and nothing is proven.
    """
    from solver.oware.proof import fresh_proof, load_proof, save_proof

    about = {"position": root.text, "rules": root.rules.id}
    if root.result() is not None:
        print_over(root, as_json)
        return
    if save is not None:
        check_folder_of(save)
    with open_searcher(root.rules, root.seeds) as searcher:
        fresh = fresh_proof(searcher, root, root.seeds)
        proof = load_proof(save, searcher, about, fresh) if save is not None and save.exists() else fresh
        proof = _carry_on(searcher, root, limits, proof, graph_mib, sys.stderr.isatty() and not as_json)
        best = root.line((proof.move,))[0] if proof.final and proof.move >= 0 else None
        if as_json:
            print_json(_json(proof, best) | about)
        else:
            click.echo(f"{_verdict(proof, best)}: {proof.nodes:,} nodes, {proof.seconds:.1f} s")
            if proof.stuck:
                click.echo(
                    f"gave up: the graph of {graph_mib} MiB is full. Allow it more (--graph), or build tables of more "
                    "seeds (abapa build), so that it needs less.", err=True)  # fmt: skip
        if save is not None:
            save_proof(save, proof, searcher, about)
        leave(searcher, proof.final)


def _carry_on(
    searcher: Searcher[Position], root: Position, limits: Limits, start: Proof, graph_mib: int, shown: bool
) -> Proof:
    """Prove until the proof is final, a limit is reached or Ctrl-C is pressed; ``shown``: progress on stderr."""
    from solver.oware.proof import prove

    proof = start
    try:
        for proof in prove(searcher, root, limits, start, graph_mib):
            if shown:
                bounds = span(proof.low, proof.high)
                text = f"depth {proof.depth}  proven {bounds}  {proof.nodes:,} nodes  {proof.seconds:.1f} s"
                click.echo(f"\r{text:<78}", err=True, nl=False)
    except KeyboardInterrupt:  # between two windows; inside one the searcher takes it
        searcher.interrupted = True
    if shown:
        click.echo("", err=True)
    return proof


def _json(proof: Proof, best: str | None) -> dict[str, Any]:
    """The proof for ``--json``."""
    found = {"low": proof.low, "high": proof.high, "exact": proof.exact, "final": proof.final, "best": best}
    return found | {"depth": proof.depth, "nodes": proof.nodes, "seconds": round(proof.seconds, 3)}


def _verdict(proof: Proof, best: str | None) -> str:
    """What is proven, in words."""
    if proof.exact:
        return f"{signed(proof.low)} exact, best {best or 'move not proven'}"
    if proof.final:
        return f"{span(proof.low, proof.high)} final, best {best or 'move not proven'}"
    return f"proven {span(proof.low, proof.high)}, estimate {signed(proof.estimate)}"
