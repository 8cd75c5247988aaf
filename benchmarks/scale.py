"""Works out what 36 and 48 seeds of awari need on three machines, from the plan's formulas and measured speeds.

    python benchmarks/scale.py --words 15e6 --bytes 17e6 --bare 20e6 --cells 12e6 --disk 400e6 800e6

``--words``, ``--bytes``, ``--bare``, ``--cells``: boards per second of this machine's two cores in each form of a
state, as builds print them where the disk is not waited for (docs/algorithm.md has the forms). ``--disk``: bytes per
second that this machine's disk writes and reads; without it they are measured in ``--folder``, as a build does. The
other machines were not there: their speeds are what their makers say. ``--bits``: bits per board of an archive of half
of the boards.

Memory, disk and forms are those of the plan. Time is, for each tier, the larger of computing (boards over cores times
speed a core, with a share lost to every doubling of the threads) and of moving bytes: the table is written once; in
cells every stage reads the margins once and writes most of them back; and where the smaller tiers do not fit into the
memory that is left, captures read all of them once.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from databases.builder.plan import Plan, size_text
from databases.files.writer import table_bytes
from databases.machine import DiskSpeed, measure_disk
from databases.tiers import tier_size
from databases.windows import Game
from solver.oware.rules import AWARI

QUANTITIES = ("value",)
HEADS = ("machine", "seeds", "tables", "boards", "disk", "packed", "top tier in", "memory", "moved bytes", "time")


@dataclass
class Machine:
    """What a build needs to know of a machine."""

    name: str
    cores: int
    memory: int
    disk: DiskSpeed


MACHINES = [
    Machine("workstation: 16 cores, 128 GiB, NVMe 5 GB/s", 16, 124 << 30, DiskSpeed(5e9, 5e9)),
    Machine("node: 64 cores, 256 GiB, NVMe 10 GB/s", 64, 250 << 30, DiskSpeed(10e9, 10e9)),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for form in ("words", "bytes", "bare", "cells"):
        parser.add_argument(f"--{form}", type=float, required=True, help=f"boards per second on two cores, {form}")
    parser.add_argument("--disk", type=float, nargs=2, metavar="SPEED", help="bytes per second written, and read")
    parser.add_argument("--folder", type=Path, default=Path.cwd(), help="where the disk is measured without --disk")
    parser.add_argument("--loss", type=float, default=0.1, help="share of the speed lost at every doubling of threads")
    parser.add_argument("--bits", type=float, default=1.6, help="bits per board of an archive")
    parser.add_argument("--seeds", type=int, nargs="+", default=[36, 48])
    args = parser.parse_args()
    disk = DiskSpeed(*args.disk) if args.disk else measure_disk(args.folder)
    if disk is None:
        parser.error(f"{args.folder} cannot be written to")
    speeds = {"words": args.words, "bytes": args.bytes, "bare cells": args.bare, "cells": args.cells}
    print("| " + " | ".join(HEADS) + " |\n" + "|---" * len(HEADS) + "|")
    name = f"this machine: 2 cores, 24 GiB, disk {disk.written / 1e6:,.0f} and {disk.read / 1e6:,.0f} MB/s"
    for machine in [Machine(name, 2, 23 << 30, disk), *MACHINES]:
        for seeds in args.seeds:
            for game in (None, Game(seeds)):
                plan = plan_of(machine, seeds, game)
                cells = [machine.name, str(seeds), "full" if game is None else "windows"]
                print("| " + " | ".join([*cells, *row(machine, plan, speeds, args.loss, args.bits)]) + " |")


def plan_of(machine: Machine, seeds: int, game: Game | None) -> Plan:
    """The plan of a build from nothing there."""
    tiers = tuple(range(seeds + 1)) if game is None else game.tiers
    return Plan(AWARI, seeds, game, QUANTITIES, tiers, (), Path(), machine.cores, 0, machine.memory)


def row(machine: Machine, plan: Plan, speeds: Mapping[str, float], loss: float, bits: float) -> list[str]:
    """The columns of one line that follow from a plan."""
    sizes = [f"{plan.boards:.2e}", size_text(plan.disk), size_text(int(plan.boards * bits / 8))]
    if plan.peak_memory > machine.memory:
        most = next(n for n in plan.tiers if plan.memory_of(n) > machine.memory)
        return [*sizes, f"does not fit: tier {most} needs {size_text(plan.memory_of(most))}", "", "", ""]
    scale = machine.cores / 2 * (1 - loss) ** math.log2(machine.cores / 2)
    moved, seconds = 0, 0.0
    for n in plan.tiers:
        written, read = traffic(machine, plan, n)
        moved += written + read
        computing = tier_size(6, n) / (speeds[plan.form(n)] * scale)
        seconds += max(computing, machine.disk.seconds(written, read))
    form, memory = plan.form(plan.tiers[-1]), size_text(plan.peak_memory)
    return [*sizes, form, memory, size_text(moved), duration(seconds)]


def traffic(machine: Machine, plan: Plan, seeds: int) -> tuple[int, int]:
    """Bytes that a tier writes to the disk, and reads."""
    size = table_bytes(6, seeds, QUANTITIES, plan.window(seeds))
    below = sum(table_bytes(6, n, QUANTITIES, plan.window(n)) for n in plan.tiers if n <= seeds - 2)
    written, read = (size, size) if plan.form(seeds) != "cells" else plan.traffic(seeds)
    return written, read + (below if below > machine.memory - plan.memory_of(seeds) else 0)


def duration(seconds: float) -> str:
    """Seconds in the unit that a person would use."""
    for size, unit in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"


if __name__ == "__main__":
    main()
