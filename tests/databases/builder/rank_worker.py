"""Builds tables as one rank of an MPI job: what the tests start under ``mpiexec``, so that pytest itself knows no MPI.

``mpiexec -n 3 python -m tests.databases.builder.rank_worker JOBS.json``: the file has a list of builds, each with a
folder, a rule id, and the arguments of ``build_on_ranks``. Rank 0 prints one JSON value on every build. What every rank
held and sent is in it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from mpi4py import MPI

from databases.builder import ranks
from databases.builder.exchange import RankPeers, Traffic
from databases.builder.ranks import build_on_ranks
from databases.windows import Game
from solver.oware.rules import Rules


def build(job: dict[str, Any]) -> dict[str, Any]:
    """Build what a job asks for; what it took."""
    world, traffic = MPI.COMM_WORLD, Traffic()
    most = job.pop("most_bytes", None)
    if most:
        ranks.RankPeers = lambda *made: RankPeers(*made, most_bytes=most)  # type: ignore[misc, assignment]
    folder, rules, game = Path(job.pop("folder")), Rules.parse(job.pop("rules")), job.pop("game", None)
    lines: list[str] = []
    build_on_ranks(
        folder, rules, game=None if game is None else Game(*game), report=lines.append, traffic=traffic, **job
    )
    ranks.RankPeers = RankPeers  # type: ignore[misc]
    return {"lines": lines, "sent": world.gather(vars(traffic))}


def main() -> None:
    for job in json.loads(Path(sys.argv[1]).read_text()):
        found = build(job)
        if MPI.COMM_WORLD.rank == 0:
            print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
