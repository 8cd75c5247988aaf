"""Works out what 36 and 48 seeds of awari need on three machines, from the plan's formulas and a measured speed.

    python benchmarks/scale.py --words 20e6 --cells 12e6 --disk 400e6 800e6

``--words`` and ``--cells``: boards per second of this machine's two cores, as build_tables.py and a build from disk
print them where the disk is not waited for. ``--disk``: bytes per second that this machine's disk writes and reads;
without it they are measured in ``--folder``, as a build does. The other two machines were not there: their speeds are
what their makers say.

Memory and disk are those of the plan. Time is the larger of computing (boards over cores times speed a core, with a
share lost to every doubling of the threads) and of moving bytes. A tier is built in words where they fit in memory,
else in cells; then every stage reads the margins once and writes most of them back.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass
from pathlib import Path

from databases.builder.plan import cells_memory, cells_traffic, size_text, tier_memory
from databases.files.writer import table_bytes
from databases.machine import DiskSpeed, measure_disk
from databases.tiers import tier_size
from solver.oware.rules import AWARI

QUANTITIES = ("value",)


@dataclass
class Machine:
    """What a build needs to know of a machine."""

    name: str
    cores: int
    memory: float
    disk: DiskSpeed


MACHINES = [
    Machine("workstation: 16 cores, 64 GiB, NVMe 5 GB/s", 16, 60 * 2**30, DiskSpeed(5e9, 5e9)),
    Machine("cluster node: 64 cores, 512 GiB, NVMe 10 GB/s", 64, 500 * 2**30, DiskSpeed(10e9, 10e9)),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=float, required=True, help="boards per second on two cores, in memory")
    parser.add_argument("--cells", type=float, required=True, help="boards per second on two cores, in little memory")
    parser.add_argument("--disk", type=float, nargs=2, metavar="SPEED", help="bytes per second written, and read")
    parser.add_argument("--folder", type=Path, default=Path.cwd(), help="where the disk is measured without --disk")
    parser.add_argument("--loss", type=float, default=0.1, help="share of the speed lost at every doubling of threads")
    parser.add_argument("--seeds", type=int, nargs="+", default=[36, 48])
    args = parser.parse_args()
    print("| machine | seeds | boards | disk | form of the top tier | memory | moved bytes | time |")
    print("|---|---|---|---|---|---|---|---|")
    disk = DiskSpeed(*args.disk) if args.disk else measure_disk(args.folder)
    if disk is None:
        parser.error(f"{args.folder} cannot be written to")
    name = f"this machine: 2 cores, 24 GiB, disk {disk.written / 1e6:,.0f} and {disk.read / 1e6:,.0f} MB/s"
    for machine in [Machine(name, 2, 22 * 2**30, disk), *MACHINES]:
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
            form, speed, written, read = "words", words, size, size
        else:
            need = cells_memory(AWARI, n, seeds, QUANTITIES, machine.cores)
            form, speed = "cells", cells
            written, read = cells_traffic(6, n, QUANTITIES)
        if need > machine.memory:
            return (
                f"| {machine.name} | {seeds} | {boards:.2e} | {size_text(disk)} | does not fit: tier {n} "
                f"needs {size_text(need)} | | | |"
            )
        memory, moved = max(memory, need), moved + written + read
        seconds += max(size / (speed * scale), machine.disk.seconds(written, read))
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
