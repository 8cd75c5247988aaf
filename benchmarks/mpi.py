"""Measures builds on several ranks against the threads of one process, and works out what many ranks would take.

    python benchmarks/mpi.py time --tables DIR --seeds 20 --repeat 3    # one process with 2 threads, 1 and 2 ranks
    python benchmarks/mpi.py memory --tables DIR --seeds 20 22 --ranks 1 2 4
    python benchmarks/mpi.py simulate --tables DIR --seeds 20 --ranks 8 64 512 --network 12e9 --latency 5e-6
    python benchmarks/mpi.py scale --ranks 4 8 16 --speed 7e6 --network 12e9     # 48 seeds on nodes of 64 GiB

Only the top tier is built: ``DIR`` has the smaller ones (``abapa build``); it is not written to. ``memory`` prints, for
each rank, the largest private memory, what it sent to others, and its share of the boards. ``simulate`` builds the tier
here and notes the waiting boards of every level. Then it works out, from who owns and wants which rows, what each rank
would send in every level; computing is taken from here, divided by the ranks, times the share of the largest.
``--network``: bytes per second that a rank can send while it receives as much. ``--latency``: seconds for a message.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from math import log2
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from databases.builder.build import build_tables
from databases.builder.exchange import Traffic
from databases.builder.movetables import MoveTables
from databases.builder.ownership import shares_of, wanted_rows
from databases.builder.peers import Alone
from databases.builder.plan import Plan, size_text
from databases.builder.propagate import SPARSE_SHARE, PhaseClock
from databases.builder.state import GROUP, Share, TierShape
from databases.files.folder import find_tables
from databases.tiers import tier_size
from databases.windows import Game
from solver.oware.rules import AWARI, Rules

SAMPLED = 0.01
"""Seconds between two looks at the memory."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["time", "memory", "simulate", "scale", "rank"])
    parser.add_argument("--tables", type=Path, help="folder with the smaller tiers")
    parser.add_argument("--rules", type=Rules.parse, default=AWARI)
    parser.add_argument("--seeds", type=int, nargs="+", default=[20])
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--network", type=float, default=12e9)
    parser.add_argument("--latency", type=float, default=5e-6)
    parser.add_argument("--speed", type=float, default=7e6, help="boards per second of one core")
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.what in ("time", "memory", "simulate") and args.tables is None:
        parser.error("--tables is needed: a folder with the smaller tiers")
    {"time": times, "memory": memory, "simulate": simulate, "scale": scale, "rank": rank}[args.what](args)


@contextmanager
def folder_below(tables: Path, rules: Rules, seeds: int) -> Iterator[Path]:
    """A folder beside the tables with links to those of fewer seeds."""
    with TemporaryDirectory(dir=tables) as made:
        folder = Path(made)
        for n, path in find_tables(tables, rules).items():
            if n < seeds:
                (folder / path.name).symlink_to(path.absolute())
        yield folder


def times(args: argparse.Namespace) -> None:
    """Seconds of one process with two threads, and of ranks with one thread each, in turn."""
    seeds, found = args.seeds[0], dict[str, list[float]]()
    for _ in range(args.repeat + 1):  # the first compiles, and is not counted
        found.setdefault("1 process, 2 threads", []).append(one_process(args, seeds, 2))
        found.setdefault("1 process, 1 thread", []).append(one_process(args, seeds, 1))
        for ranks in args.ranks:
            seconds = max(one["seconds"] for one in on_ranks(args, seeds, ranks))
            found.setdefault(f"{ranks} ranks, 1 thread each", []).append(seconds)
    base = min(found["1 process, 2 threads"][1:])
    for name, seconds in found.items():
        least = min(seconds[1:])
        print(f"{name:24s} {least:7.2f} s  {least / base:5.2f} of 2 threads   ({args.rules.id} {seeds})", flush=True)


def one_process(args: argparse.Namespace, seeds: int, threads: int) -> float:
    """Seconds of the threaded builder for the top tier."""
    with folder_below(args.tables, args.rules, seeds) as folder:
        begun = time.perf_counter()
        build_tables(folder, args.rules, seeds, threads=threads, checkpoint_share=0)
        return time.perf_counter() - begun


def on_ranks(args: argparse.Namespace, seeds: int, ranks: int) -> list[dict[str, Any]]:
    """What each rank of a job says of the top tier."""
    with folder_below(args.tables, args.rules, seeds) as folder:
        mpiexec = shutil.which("mpiexec", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
        if mpiexec is None:
            sys.exit("there is no mpiexec: pip install mpich")
        command = [mpiexec, "-n", str(ranks), sys.executable, __file__, "rank", "--rules", args.rules.id]
        ran = subprocess.run(
            [*command, "--seeds", str(seeds), "--folder", folder], check=True, capture_output=True, text=True
        )
        return json.loads(ran.stdout)


def rank(args: argparse.Namespace) -> None:
    """One rank of such a job: builds, and rank 0 prints what all of them took."""
    from mpi4py import MPI

    from databases.builder.ranks import build_on_ranks

    world, traffic, clock = MPI.COMM_WORLD, Traffic(), PhaseClock()
    build_on_ranks(args.folder / "warm", args.rules, 8, threads=1)  # kernels are loaded
    with largest_memory() as largest:
        begun = time.perf_counter()
        build_on_ranks(args.folder, args.rules, args.seeds[0], threads=1, traffic=traffic, clock=clock)
        seconds = time.perf_counter() - begun
    told = {"seconds": seconds, "memory": largest[0], "phases": clock.seconds, **vars(traffic)}
    everyone = world.gather(told)
    if world.rank == 0:
        print(json.dumps(everyone))


@contextmanager
def largest_memory() -> Iterator[list[int]]:
    """The largest private memory of this process meanwhile, in bytes."""
    largest, done = [0], threading.Event()

    def look() -> None:
        while not done.wait(SAMPLED):
            lines = Path("/proc/self/status").read_text().splitlines()
            now = sum(int(line.split()[1]) << 10 for line in lines if line.startswith("RssAnon"))
            largest[0] = max(largest[0], now)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield largest
    finally:
        done.set()
        thread.join()


def memory(args: argparse.Namespace) -> None:
    """Largest private memory and traffic of each rank."""
    print("| seeds | ranks | memory, largest rank | plan | sent per board | per dense level | work, largest / mean |")
    print("|---|---|---|---|---|---|---|")
    for seeds in args.seeds:
        for ranks in args.ranks:
            found = on_ranks(args, seeds, ranks)
            boards = tier_size(args.rules.pits, seeds)
            sent = sum(one["bitmap_bytes"] + one["list_bytes"] + one["table_bytes"] for one in found)
            level = sum(one["bitmap_bytes"] for one in found) / max(1, found[0]["dense_levels"]) / boards
            plan = Plan(args.rules, seeds, None, ("value",), (seeds,), (), Path(), 1, 0, 1 << 50, ranks=ranks)
            cells = [
                str(seeds), str(ranks), size_text(max(one["memory"] for one in found)), size_text(plan.peak_memory),
                f"{sent / boards:.1f} bytes", f"{level:.3f} bytes a board, {found[0]['dense_levels']} levels",
                f"{balance(args.rules, seeds, ranks):.3f}",
            ]  # fmt: skip
            print("| " + " | ".join(cells) + " |", flush=True)


def balance(rules: Rules, seeds: int, ranks: int) -> float:
    """Boards of the rank that has most, over the mean."""
    tables = MoveTables.build(rules, seeds)
    boards = [shape_of(tables, seeds, share).boards for share in shares_of(tables, seeds, ranks)]
    return max(boards) / (sum(boards) / ranks)


def shape_of(tables: MoveTables, seeds: int, share: Share) -> TierShape:
    return TierShape.of(tables.rules.pits, seeds, tables.counts, tables.firsts, share=share)


def simulate(args: argparse.Namespace) -> None:
    """Build the top tier here, and work out what it would take on many ranks."""
    seeds, waiting = args.seeds[0], list[int]()

    def noted(_alone: Alone, count: int) -> int:
        if count:
            waiting.append(count)
        return count

    Alone.total = noted  # type: ignore[method-assign]
    with folder_below(args.tables, args.rules, seeds) as folder:
        begun = time.perf_counter()
        build_tables(folder, args.rules, seeds, threads=1, checkpoint_share=0)
        here = time.perf_counter() - begun
    boards = tier_size(args.rules.pits, seeds)
    dense = [count for count in waiting if count > boards // SPARSE_SHARE]
    sparse = [count for count in waiting if count <= boards // SPARSE_SHARE]
    print(f"{args.rules.id} {seeds}: {boards:,} boards, {here:.2f} s on one thread here")
    print(f"{len(dense)} dense levels with {sum(dense):,} boards, {len(sparse)} sparse ones with {sum(sparse):,}\n")
    print("| ranks | rows wanted | sent per board | largest rank sends | computing | network | latency | speed-up |")
    print("|---|---|---|---|---|---|---|---|")
    tables = MoveTables.build(args.rules, seeds)
    for ranks in args.ranks:
        print("| " + " | ".join(simulated(args, tables, seeds, ranks, dense, sparse, here)) + " |", flush=True)


def simulated(
    args: argparse.Namespace, tables: MoveTables, seeds: int, ranks: int, dense: list[int], sparse: list[int],
    here: float,
) -> list[str]:  # fmt: skip
    """One line: so many ranks."""
    shares, boards = shares_of(tables, seeds, ranks), tier_size(args.rules.pits, seeds)
    largest = max(shape_of(tables, seeds, share).boards for share in shares) / boards
    sent, copies = words_sent(tables, seeds, shares)
    lists = sum(sparse) * 8 * (copies - 1 / ranks)
    everything = 8 * sent.sum() * len(dense) + lists + boards * (1 - 1 / ranks)
    most = 8 * sent.max() * len(dense) + (lists + boards) * largest
    computing, network = here * largest, most / args.network
    levels = len(dense) + len(sparse)
    latency = args.latency * (levels * (ranks + 2 * log2(ranks)) + len(sparse) * ranks)
    return [
        str(ranks), f"{copies:.2f}", f"{everything / boards:.1f} bytes", size_text(int(most)), f"{computing:.2f} s",
        f"{network:.2f} s", f"{latency:.2f} s", f"{here / (computing + network + latency):.1f}",
    ]  # fmt: skip


def words_sent(tables: MoveTables, seeds: int, shares: list[Share]) -> tuple[np.ndarray, float]:
    """Words that each rank sends to others in a dense level; and how many ranks want a row, on the mean."""
    firsts, counts = tables.firsts[: seeds + 2], tables.counts[: seeds + 1]
    wanted = np.array([np.diff(np.searchsorted(wanted_rows(tables, seeds, share), firsts)) for share in shares])
    others = wanted.sum(axis=0) - wanted  # rows of each block that the others want
    widths = np.array([(-(-(share.high - share.low) // GROUP))[::-1] for share in shares])
    words = -(-counts // GROUP)[::-1]
    return (others * widths).sum(axis=1), float((wanted.sum(axis=0) * words).sum() / (counts * words).sum())


def scale(args: argparse.Namespace) -> None:
    """48 seeds in windows on nodes of 64 GiB with 16 cores: a rank a node."""
    game, cores, memory = Game(48), 16, 62 << 30
    print("| nodes | largest tier in | memory per node | boards per node | sent per node | computing | network |")
    print("|---|---|---|---|---|---|---|")
    for nodes in args.ranks:
        plan = Plan(AWARI, 48, game, ("value",), game.tiers, (), Path(), cores, 0, memory, ranks=nodes)
        boards = plan.boards / nodes
        sent = sum(level_bytes(plan, n, nodes) for n in plan.tiers)
        fits = size_text(plan.peak_memory) + ("" if plan.peak_memory <= memory else ": too much")
        computing, network = boards / (args.speed * cores * 0.9 ** log2(cores)), sent / args.network
        cells = [
            str(nodes), plan.form(48), fits, f"{boards:.2e}", size_text(int(sent)), f"{computing / 60:.0f} minutes",
            f"{network / 60:.1f} minutes",
        ]  # fmt: skip
        print("| " + " | ".join(cells) + " |")


STAGE_LEVELS = 4.0
"""Dense levels a stage, about: 86 of tier 18 in its 18 stages, 25 with a single one (../docs/scale.md)."""


def level_bytes(plan: Plan, seeds: int, ranks: int) -> float:
    """Bytes that one rank sends for a tier: bitmaps of all dense levels, and its part of the table."""
    boards, window = tier_size(6, seeds), min(plan.window(seeds), seeds)
    levels = 21 + STAGE_LEVELS * window
    copies = min(ranks, 1 + 0.15 * log2(ranks))
    return boards / ranks * (levels * copies * (1 - 1 / ranks) / 8 + 1)


if __name__ == "__main__":
    main()
