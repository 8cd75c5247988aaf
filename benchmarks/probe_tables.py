"""Times looking boards up: one at a time from Python, many at once in compiled code, and opening a set of tables.

    python benchmarks/probe_tables.py                            # builds awari 0..16 in a temporary folder
    python benchmarks/probe_tables.py --tables DIR --seeds 24    # asks tables that are there

Boards are drawn evenly from the top tiers, so that nearly every look-up misses the caches. CPU time, one thread.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from databases.builder.build import build_tables
from databases.files.archive import Archive
from databases.files.folder import find_tables
from databases.files.packing import pack_half
from databases.files.tiles import tiling
from databases.prober import open_tables
from databases.tiers import board_at, tier_size
from solver.oware.rules import Rules

MANY, FEW, COLD = 1_000_000, 5_000, 500


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", type=Rules.parse, default=Rules.parse("awari"), help="rule set")
    parser.add_argument("--seeds", type=int, default=16, help="the largest tier to ask")
    parser.add_argument("--tables", type=Path, help="folder of tables that are there")
    args = parser.parse_args()
    if args.tables:
        measure(args.tables, args.rules, args.seeds)
        return
    with tempfile.TemporaryDirectory() as folder:
        build_tables(Path(folder), args.rules, args.seeds, bounds=False)
        measure(Path(folder), args.rules, args.seeds)


def measure(folder: Path, rules: Rules, seeds: int) -> None:
    """Print the time of each way to ask."""
    print(f"{rules.id}, boards of {max(0, seeds - 3)} to {seeds} seeds")
    report("open_tables, and open every tier", 1, lambda: open_all(folder, rules))
    boards = draw(rules, seeds)
    few = [tuple(board) for board in boards[:FEW].tolist()]
    with open_tables(folder, rules) as tables:
        report("probe", FEW, lambda: [tables.probe(board) for board in few])
        report("moves", FEW, lambda: [tables.moves(board) for board in few])
        report("probe_many", MANY, lambda: tables.probe_many(boards))
    with tempfile.TemporaryDirectory() as packed:
        for path in find_tables(folder, rules).values():
            (Path(packed) / path.name).symlink_to(path.absolute())
        with open_tables(packed, rules) as tables:
            archive = pack_half(tables.plain(seeds))
        light, boards = tiling(rules.pits, seeds).light, tier_size(rules.pits, seeds)
        measure_archive(archive, np.random.default_rng(2003).integers(light, boards, FEW))


def measure_archive(path: Path, heavy: NDArray[np.int64]) -> None:
    """Print what a heavy board takes in an archive of half of the boards: its tile to be decoded, or decoded before."""
    indexes = heavy.tolist()

    def cold() -> None:
        with Archive.open(path) as archive:
            for index in indexes[:COLD]:
                archive.read("value", index)

    report("archive, tile decoded", COLD, cold)
    with Archive.open(path) as archive:
        report("archive, tile kept", FEW, lambda: [archive.read("value", index) for index in indexes])


def open_all(folder: Path, rules: Rules) -> None:
    """What a set of tables takes that is used whole; by itself each is opened when it is first needed."""
    with open_tables(folder, rules) as tables:
        for table in tables.tiers.values():
            table.close()


def draw(rules: Rules, seeds: int) -> NDArray[np.int8]:
    """Random boards of the four largest tiers, each board of a tier as likely as any other."""
    random = np.random.default_rng(2002)
    tiers = random.integers(max(0, seeds - 3), seeds + 1, FEW)
    boards = [board_at(rules.pits, n, int(random.integers(tier_size(rules.pits, n)))) for n in tiers.tolist()]
    some = np.array(boards, np.int8)
    # The rest are these with the houses exchanged: as random, and quickly made.
    return np.concatenate([some, *(random.permuted(some, axis=1) for _ in range(MANY // FEW - 1))])


def report(name: str, count: int, run: Callable[[], object]) -> None:
    """Print the best of three runs, after one that compiles."""
    run()
    seconds = []
    for _ in range(3):
        start = time.process_time()
        run()
        seconds.append(time.process_time() - start)
    each = min(seconds) / count
    print(f"  {name:24s}{1e6 * each:12.3f} us each {1 / each:14,.0f} per second")


if __name__ == "__main__":
    main()
