"""Times Oware's move generator: leaves of the start position, with every leaf's move made and with counting.

    python benchmarks/move_generation.py --depth 11

CPU time, one thread, the best of three.
"""

from __future__ import annotations

import argparse
import time

from solver.oware.kernels import perft
from solver.oware.position import Position
from solver.oware.rules import ABAPA, AWARI


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--depth", type=int, default=11)
    depth = parser.parse_args().depth
    for rules in (ABAPA, AWARI):
        position = Position.start(rules)
        perft(position, 2)
        for bulk, what in ((False, "every move made"), (True, "last ply counted")):
            best, leaves = float("inf"), 0
            for _ in range(3):
                began = time.process_time()
                leaves = perft(position, depth, bulk=bulk)
                best = min(best, time.process_time() - began)
            rate = leaves / best / 1e6
            print(f"{rules.id:<6} {what:<17} {leaves:>13,} leaves {best:7.3f} s {rate:7.1f} million per second")


if __name__ == "__main__":
    main()
