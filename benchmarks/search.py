"""Times the search from the start position without tables: to a depth on one thread, and two threads against one.

    python benchmarks/search.py --depth 20 --hash 256

On a machine that others use, wall time says little: the processor's is given too. Two threads reach twice the nodes
per second when two processors are free and the nodes per second of processor time stay what they are with one.
"""

from __future__ import annotations

import argparse
import time

from solver.oware.game import OwareGame
from solver.oware.position import Position
from solver.oware.rules import ABAPA
from solver.search.limits import Limits
from solver.search.searcher import Searcher


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--depth", type=int, default=20)
    parser.add_argument("--hash", type=int, default=256)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    args = parser.parse_args()
    for threads in args.threads:
        searcher = Searcher(OwareGame(ABAPA), hash_mib=args.hash, threads=threads)
        searcher.clear()  # touches the table's pages once
        wall, processor = time.perf_counter(), time.process_time()
        report = searcher.search(Position.start(), Limits(args.depth))
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
        print(
            f"{threads} threads  depth {report.depth}  {report.nodes:>12,} nodes  wall {wall:6.2f} s  "
            f"processor {processor:6.2f} s  {report.nodes / wall / 1e6:5.2f} million per second, "
            f"{report.nodes / processor / 1e6:5.2f} of processor time"
        )


if __name__ == "__main__":
    main()
