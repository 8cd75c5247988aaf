"""Times what the engine protocol costs beside the search: ``abapa uci`` as a program that plays meets it.

    python benchmarks/uci_overhead.py --tables DIR --movetime 100 --moves 20

It plays a game of the engine against itself by ``go movetime`` and prints medians, and the worst in brackets:
``first depth``, from ``go`` to the first ``info`` line; ``over``, by how much ``bestmove`` comes after the time given;
``depth 1``, a whole ``go depth 1``. Then the same of ``go movetime 1``, with the number of its ``info`` lines.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple


class Answer(NamedTuple):
    """What came of a ``go``: milliseconds to the first info line and to the move, how many info lines, and the move."""

    first: float
    last: float
    infos: int
    move: str


class Engine:
    """``abapa uci`` at the other end of two pipes."""

    def __init__(self, tables: Path | None) -> None:
        command = [sys.executable, "-m", "solver", "uci", *(["--tables", str(tables)] if tables else [])]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if tables is None:
            self.tell("setoption name OwnTables value false")
        self.tell("isready")
        while self.line() != "readyok":
            pass

    def tell(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def go(self, moves: str, how: str) -> Answer:
        """Search the position after so many moves from the start."""
        self.tell(f"position startpos{f' moves {moves}' if moves else ''}")
        begun, first, infos = time.perf_counter(), 0.0, 0
        self.tell(f"go {how}")
        while not (line := self.line()).startswith("bestmove"):
            if line.startswith("info depth"):
                infos += 1
                first = first or time.perf_counter() - begun
        return Answer(1000 * first, 1000 * (time.perf_counter() - begun), infos, line.split()[1])

    def close(self) -> None:
        self.tell("quit")
        self.process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=Path, help="folder of abapa tables (default: none)")
    parser.add_argument("--movetime", type=int, default=100, help="milliseconds")
    parser.add_argument("--moves", type=int, default=20)
    args = parser.parse_args()
    engine, moves = Engine(args.tables), ""
    rows: dict[str, list[float]] = {name: [] for name in ("first depth", "over", "depth 1", "movetime 1", "its infos")}
    engine.go(moves, "depth 8")  # loads what is loaded once
    for _ in range(args.moves):
        blink, shallow = engine.go(moves, "movetime 1"), engine.go(moves, "depth 1")
        full = engine.go(moves, f"movetime {args.movetime}")
        if full.move == "0000":
            break
        rows["first depth"].append(full.first)
        rows["over"].append(full.last - args.movetime)
        rows["depth 1"].append(shallow.last)
        rows["movetime 1"].append(blink.last)
        rows["its infos"].append(blink.infos)
        moves += full.move
    engine.close()
    for name, found in rows.items():
        unit = "" if name == "its infos" else " ms"
        print(f"{name:<12} {statistics.median(found):8.2f}{unit} ({max(found):.2f})")


if __name__ == "__main__":
    main()
