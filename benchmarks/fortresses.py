"""How large the graphs of fortresses get, by how far the holder's moves are looked ahead.

Run ``.venv/bin/python benchmarks/fortresses.py [--depths 4,8,14,18]``. It builds awari tables of up to 13 seeds in a
temporary folder and settles two questions each about four boards of 10 to 14 seeds, with the tables of all fewer seeds:
is the value at least what it is, and is it at least one more? Prints a JSON object a depth: nodes in the graphs of all
eight questions, nodes searched, processor seconds.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

from databases.builder.build import build_tables
from databases.prober import open_tables
from databases.tiers import tier_index
from solver.oware.game import OwareGame, Tables, Tier
from solver.oware.position import Position
from solver.oware.proof import settle
from solver.oware.rules import AWARI
from solver.search import fortress
from solver.search.fortress import Question, new_graph
from solver.search.limits import Limits
from solver.search.searcher import Searcher

BOARDS = {
    "0-1-2-2-1-1-0-0-1-0-0-2-0-0-S": 4,
    "2-2-0-1-0-0-1-1-0-5-2-0-0-0-S": 0,
    "0-1-0-2-1-1-3-0-2-1-0-0-0-0-S": -2,
    "1-0-2-1-1-1-0-4-1-1-0-1-0-0-S": 0,
}
"""Boards and their values, which the answers are held against."""


def ask(searcher: Searcher[Position], position: Position, margin: int, depth: int) -> tuple[bool, int, int]:
    """Whether the value is at least ``margin``; nodes in the graph, nodes searched."""
    graph = new_graph(1 << 10, even=True)
    question = Question.of_mover(margin, even=True)
    with searcher.session(position, Limits()) as session:
        root = session.run(fortress.ask, graph, question)
        graph, _ = settle(session, graph, root, depth)
        held = fortress.status_of(graph, root) == fortress.HELD
        return held == question.holder_moves, int(graph.counters[fortress.NODES]), session.nodes


def measure(tables: Tables, depth: int) -> dict[str, float]:
    """All questions at one depth, each board with an empty transposition table."""
    graphs, searched, began = 0, 0, time.process_time()
    for text, value in BOARDS.items():
        position = Position.parse(text, AWARI)
        searcher = Searcher(OwareGame(AWARI, {n: tables[n] for n in range(position.seeds)}), hash_mib=64)
        for margin in (value, value + 1):
            holds, graph, nodes = ask(searcher, position, margin, depth)
            assert holds == (value >= margin), f"{text} at least {margin}: {holds}"
            graphs, searched = graphs + graph, searched + nodes
    return {"depth": depth, "graph": graphs, "searched": searched, "seconds": round(time.process_time() - began, 2)}


def main() -> None:
    """Build, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--depths", default="4,8,14,18")
    depths = [int(depth) for depth in parser.parse_args().depths.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        build_tables(Path(folder), AWARI, 13, threads=1)
        with open_tables(Path(folder), AWARI) as tables:
            maps = {n: Tier({"value": table.map("value")}, tier_index(6, n)) for n, table in tables.mapped.items()}
            measure(maps, 2)  # compiles
            for depth in depths:
                print(json.dumps(measure(maps, depth)), flush=True)


if __name__ == "__main__":
    main()
