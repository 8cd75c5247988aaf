"""``abapa bench``: the search's signature and its speed, and the ratio of two revisions."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

import click

from solver.cli.options import DEPTH, json_option
from solver.cli.output import print_json
from solver.errors import AbapaError, quoted

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = 3


@click.command(name="bench")
@click.option("--depth", type=DEPTH, help="Depth of the searches (default: the depth of the signature).")
@click.option(
    "--compare", metavar="REF", help="Also run this revision of the git repository, in turn, and print the ratio."
)
@json_option
def command(depth: int | None, compare: str | None, as_json: bool) -> None:
    """Search 40 fixed positions to a fixed depth, on one thread and without tables.

    This prints the number of nodes, the processor seconds, and the nodes per second. The number of nodes is the
    signature of the search: it changes only when the search plays differently.
    """
    if compare is not None:
        compare_with(compare, depth, as_json)
        return
    from solver.oware.benchmark import DEPTH, run

    show = None if as_json else lambda kind, position, nodes: click.echo(f"{nodes:>12,}  {kind:<12}{position.text}")
    outcome = run(depth or DEPTH, show)
    if as_json:
        rate = {"nodes_per_second": outcome.nodes_per_second}
        print_json({"depth": outcome.depth, "nodes": outcome.nodes, "seconds": round(outcome.seconds, 4)} | rate)
    else:
        click.echo(
            f"{outcome.nodes:>12,}  nodes to depth {outcome.depth} in {outcome.seconds:.2f} s: "
            f"{outcome.nodes_per_second / 1e6:.2f} million nodes per second"
        )


def compare_with(ref: str, depth: int | None, as_json: bool) -> None:
    """Check the revision out beside, run it and this tree in turn, and print the best time of each and the ratio."""
    with _ended_in_order(), tempfile.TemporaryDirectory(prefix="abapa-bench-") as folder:
        other = Path(folder) / "tree"
        try:
            _git("worktree", "add", "--detach", str(other), ref, error=f"no revision {quoted(ref)} to compare with")
            runs: dict[Path, list[dict]] = {ROOT: [], other: []}
            for _ in range(ROUNDS):
                for tree, found in runs.items():
                    found.append(_bench(tree, depth))
        finally:
            with suppress(AbapaError):  # it may never have been made
                _git("worktree", "remove", "--force", str(other), error="the worktree could not be removed")
    here, there = (min(found, key=lambda run: run["seconds"]) for found in runs.values())
    ratio = here["nodes_per_second"] / there["nodes_per_second"]
    if as_json:
        print_json({"here": here, "there": there, "ref": ref, "speed_ratio": round(ratio, 4)})
        return
    for name, found in (("here", here), (ref, there)):
        rate = found["nodes_per_second"] / 1e6
        click.echo(f"{name:<12}{found['nodes']:>12,} nodes  {found['seconds']:.2f} s  {rate:.2f} million per second")
    same = "same signature" if here["nodes"] == there["nodes"] else "DIFFERENT signature"
    click.echo(f"{same}; speed {ratio:.3f}, time {here['seconds'] / there['seconds']:.3f} of {ref}'s")


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end what runs as an exception does, so that it is tidied up, with their exit codes."""

    def end(number: int, _frame: FrameType | None) -> None:
        for each in heard:
            signal.signal(each, signal.SIG_IGN)
        raise SystemExit(128 + number)

    heard = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    for number in heard:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in heard.items():
            signal.signal(number, handler)


def _bench(tree: Path, depth: int | None) -> dict:
    arguments = [sys.executable, "-m", "solver", "bench", "--json", *(["--depth", str(depth)] if depth else [])]
    environment = os.environ | {"PYTHONPATH": str(tree)}
    done = subprocess.run(
        arguments, cwd=tree, env=environment, capture_output=True, encoding="utf-8", errors="replace", check=False
    )
    if done.returncode:
        raise AbapaError(f"bench failed in {tree}: {(done.stderr.strip() or 'no message').splitlines()[-1]}")
    return json.loads(done.stdout)


def _git(*arguments: str, error: str) -> None:
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=ROOT, capture_output=True, encoding="utf-8", errors="replace", check=False
        )
    except (OSError, ValueError) as problem:
        raise AbapaError(f"git cannot be run: {problem}") from problem
    if done.returncode:
        raise AbapaError(f"{error}: {(done.stderr.strip() or 'git failed').splitlines()[-1]}")
