"""Works out what 36 and 48 seeds of awari need on three machines, from the plan's formulas and a measured speed.

    python benchmarks/scale.py --words 20e6 --cells 12e6      # boards a second of this machine's two cores, measured

Memory and disk are those of the plan. Time is the larger of computing (boards over cores times speed a core, with a
share lost to every doubling of the threads) and of moving bytes at the machine's disk speed. A tier is built in words
where they fit in memory, else in cells; then every stage reads the margins once and writes most of them back.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass

from databases.builder.plan import cells_memory, size_text, tier_memory
from databases.store import table_bytes
from databases.tiers import tier_size
from solver.oware.rules import AWARI

QUANTITIES = ("value",)


@dataclass
class Machine:
    """What a build needs to know of a machine; disk speed in bytes a second."""

    name: str
    cores: int
    memory: float
    disk_speed: float


MACHINES = [
    Machine("this machine: 2 cores, 24 GiB, 1 GB/s disk", 2, 22 * 2**30, 1e9),
    Machine("workstation: 16 cores, 64 GiB, NVMe 5 GB/s", 16, 60 * 2**30, 5e9),
    Machine("cluster node: 64 cores, 512 GiB, NVMe 10 GB/s", 64, 500 * 2**30, 10e9),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=float, required=True, help="boards a second on two cores, in memory")
    parser.add_argument("--cells", type=float, required=True, help="boards a second on two cores, in little memory")
    parser.add_argument("--loss", type=float, default=0.1, help="share of the speed lost at every doubling of threads")
    parser.add_argument("--seeds", type=int, nargs="+", default=[36, 48])
    args = parser.parse_args()
    print("| machine | seeds | boards | disk | form of the top tier | memory | moved bytes | time |")
    print("|---|---|---|---|---|---|---|---|")
    for machine in MACHINES:
        for seeds in args.seeds:
            print(row(machine, seeds, args.words, args.cells, args.loss))


def row(machine: Machine, seeds: int, words: float, cells: float, loss: float) -> str:
    """One line of the table."""
    scale = machine.cores / 2 * (1 - loss) ** math.log2(machine.cores / 2)
    boards = sum(tier_size(6, n) for n in range(seeds + 1))
    disk = sum(table_bytes(6, n, QUANTITIES) for n in range(seeds + 1))
    memory, moved, seconds, form = 0, 0, 0.0, ""
    for n in range(seeds + 1):
        size = tier_size(6, n)
        need = tier_memory(AWARI, n, seeds, QUANTITIES, machine.cores)
        if need <= machine.memory:
            form, speed, io = "words", words, 2 * size
        else:
            need = cells_memory(AWARI, n, seeds, QUANTITIES, machine.cores)
            form, speed, io = "cells", cells, (2 * n + 5) * size
        if need > machine.memory:
            return (
                f"| {machine.name} | {seeds} | {boards:.2e} | {size_text(disk)} | does not fit: tier {n} "
                f"needs {size_text(need)} | | | |"
            )
        memory, moved = max(memory, need), moved + io
        seconds += max(size / (speed * scale), io / machine.disk_speed)
    columns = [machine.name, str(seeds), f"{boards:.2e}", size_text(disk), form, size_text(memory), size_text(moved)]
    return "| " + " | ".join([*columns, duration(seconds)]) + " |"


def duration(seconds: float) -> str:
    """Seconds in the unit that a person would use."""
    for size, unit in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"


if __name__ == "__main__":
    main()
