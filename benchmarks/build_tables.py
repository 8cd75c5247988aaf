"""Times the builder: seconds by phase, boards per second on one and more threads, peak memory, tier by tier.

    python benchmarks/build_tables.py --to 20                    # awari and abapa, 1 and 2 threads
    python benchmarks/build_tables.py --rules awari --threads 2 --to 24

Tables go to a temporary folder, in a process of its own for each run, after one small build that warms the kernel
cache. Boards per second count each board of a tier once, whatever quantities are built. Seconds of a tier end where the
next one begins, those of the last when it is on the disk. Of hashing and flushing the column "write" has what the
builder waited for; on several threads the rest goes on while the next tier is built. Memory is the largest private
(anonymous) memory of the process, beside what the plan said; mapped tables are not in it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

PHASES = ("captures", "scan", "dense levels", "sparse levels", "transpose", "write")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--rules", nargs="+", default=["awari", "abapa"], help="rule sets (bounds where they have them)"
    )
    parser.add_argument("--from", dest="first", type=int, default=12, help="first tier to print")
    parser.add_argument("--to", dest="last", type=int, default=16, help="last tier to build")
    parser.add_argument("--threads", type=lambda text: [int(part) for part in text.split(",")], default=[1, 2])
    parser.add_argument("--distance", action="store_true", help="also build distance")
    parser.add_argument("--folder", help="where the temporary folders are made")
    parser.add_argument("--json", action="store_true", help="print one JSON object a tier and run instead")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        run_in_this_process(Path(args.worker), args.rules[0], args.last, args.threads[0], args.distance)
        return
    for rules in args.rules:
        runs = {threads: measure(args, rules, threads) for threads in args.threads}
        print_json(runs, rules) if args.json else print_table(runs, rules, args.first)


def run_in_this_process(folder: Path, rules_id: str, seeds: int, threads: int, distance: bool) -> None:
    """Build tables 0..``seeds`` and print one JSON line a tier."""
    from databases.builder.build import NoProgress, build_tables
    from databases.builder.memory import TierMemory
    from databases.builder.plan import quantities_of
    from databases.builder.propagate import PhaseClock
    from databases.files.journal import JOURNAL_NAME
    from databases.tiers import tier_size
    from solver.oware.rules import Rules

    rules, clock = Rules.parse(rules_id), PhaseClock()

    class Watch(NoProgress):
        def __init__(self) -> None:
            self.rows: list[tuple[dict[str, float], int]] = []
            self.peak = 0

        def tier(self, seeds: int) -> None:
            if seeds:
                self.close()
            clock.seconds.clear()
            self.peak = 0

        def advance(self, boards: int) -> None:
            self.peak = max(self.peak, private_bytes())

        def close(self) -> None:
            self.rows.append((dict(clock.seconds), self.peak))

    quantities = quantities_of(rules, bounds=True, distance=distance)
    watch = Watch()
    build_tables(folder, rules, seeds, threads=threads, distance=distance, progress=watch, clock=clock)
    with (folder / JOURNAL_NAME).open() as journal:
        took = {line["seeds"]: line["seconds"] for line in map(json.loads, journal)}
    for n, (phases, peak) in enumerate(watch.rows):
        planned = TierMemory(rules, n, seeds, quantities, threads).in_words()
        row = {"seeds": n, "boards": tier_size(rules.pits, n), "seconds": took[n], "phases": phases}
        print(json.dumps({**row, "memory": peak, "planned": planned}))


def private_bytes() -> int:
    """Anonymous memory of this process now."""
    with Path("/proc/self/status").open() as lines:
        return next((int(line.split()[1]) << 10 for line in lines if line.startswith("RssAnon")), 0)


def measure(args: argparse.Namespace, rules: str, threads: int) -> list[dict]:
    """Build in a fresh process and folder; one record a tier."""
    for seeds in (min(9, args.last), args.last):  # the first run fills the kernel cache
        with tempfile.TemporaryDirectory(dir=args.folder) as folder:
            command = [sys.executable, __file__, "--worker", folder, "--rules", rules, "--to", str(seeds)]
            command += ["--threads", str(threads), *(["--distance"] if args.distance else [])]
            output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [json.loads(line) for line in output.splitlines()]


def print_json(runs: dict[int, list[dict]], rules: str) -> None:
    for threads, rows in runs.items():
        for row in rows:
            print(json.dumps({"rules": rules, "threads": threads, **row}))


def print_table(runs: dict[int, list[dict]], rules: str, first: int) -> None:
    print(f"\n{rules}")
    print(f"{'tier':>4} {'boards':>13} {'thr':>3} {'seconds':>8} {'M/s':>6} ", end="")
    print(" ".join(f"{phase:>13}" for phase in PHASES), f"{'B/board':>8} {'of plan':>7} {'speed-up':>8}")
    for threads, rows in runs.items():
        for row in rows[first:]:
            one = runs.get(1, rows)[row["seeds"]]["seconds"]
            print(
                f"{row['seeds']:4d} {row['boards']:13,} {threads:3d} {row['seconds']:8.2f} "
                f"{row['boards'] / row['seconds'] / 1e6:6.1f} "
                + " ".join(f"{row['phases'].get(phase, 0):13.2f}" for phase in PHASES)
                + f" {row['memory'] / row['boards']:8.2f} {row['memory'] / row['planned']:7.2f} "
                + f"{one / row['seconds']:8.2f}"
            )
        total, boards = sum(row["seconds"] for row in rows), sum(row["boards"] for row in rows)
        print(
            f" 0..{len(rows) - 1}: {boards:,} boards in {total:.2f} s on {threads} thread(s), {boards / total:,.0f}/s"
        )


if __name__ == "__main__":
    main()
