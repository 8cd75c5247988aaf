"""Times what the engine protocol costs beside the search: ``abapa uci`` as a program that plays meets it.

    python benchmarks/uci_overhead.py --tables DIR --movetime 100 --moves 20

It plays a game of the engine against itself by ``go movetime`` and prints medians, and the worst in brackets:
``first depth``, from ``go`` to the first ``info`` line; ``over``, by how much ``bestmove`` comes after the time given;
``depth 1``, a whole ``go depth 1``. Then the same of ``go movetime 1``, with the number of its ``info`` lines.
"""

from __future__ import annotations

import argparse
import shlex
import statistics
import sys
from pathlib import Path

from engines import Engine, Player

WITHIN = 600.0
"""Seconds after which an engine counts as dead: the first search may compile kernels."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=Path, help="folder of abapa tables (default: none)")
    parser.add_argument("--movetime", type=int, default=100, help="milliseconds")
    parser.add_argument("--moves", type=int, default=20)
    args = parser.parse_args()
    tables = f" --tables {shlex.quote(str(args.tables))}" if args.tables else ""
    options = [] if args.tables else ["OwnTables=false"]
    moves, rows = "", {name: [] for name in ("first depth", "over", "depth 1", "movetime 1", "its infos")}
    with Engine(Player.of("abapa", f"{shlex.quote(sys.executable)} -m solver uci{tables}", options)) as engine:
        engine.go("startpos", "depth 8", WITHIN)  # loads what is loaded once
        for _ in range(args.moves):
            position = f"startpos moves {moves}" if moves else "startpos"
            blink, shallow = (engine.go(position, how, WITHIN) for how in ("movetime 1", "depth 1"))
            full = engine.go(position, f"movetime {args.movetime}", WITHIN)
            if full.move == "0000":
                break
            rows["first depth"].append(1000 * full.first)
            rows["over"].append(1000 * full.wall - args.movetime)
            rows["depth 1"].append(1000 * shallow.wall)
            rows["movetime 1"].append(1000 * blink.wall)
            rows["its infos"].append(blink.infos)
            moves += full.move
    for name, found in rows.items():
        unit = "" if name == "its infos" else " ms"
        print(f"{name:<12} {statistics.median(found):8.2f}{unit} ({max(found):.2f})")


if __name__ == "__main__":
    main()
