"""Builds on several processes over MPI: the same bytes as one process makes, and one line when a rank fails.

MPI runs in processes of its own, under ``mpiexec`` with a limit of time; the jobs are in ``rank_worker.py``.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from databases.builder.build import build_tables
from databases.windows import Game
from solver.oware.rules import ABAPA, AWARI, Rules

MPIEXEC = shutil.which("mpiexec", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
ROOT = Path(__file__).parents[3]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_NUM_THREADS": "2"}
ABAPA_COMMAND = (sys.executable, "-m", "solver")

pytestmark = pytest.mark.skipif(MPIEXEC is None, reason="there is no mpiexec: pip install mpich")

SMALL = Rules.parse("awari+pits=4")
BUILDS: dict[str, tuple[Rules, dict[str, Any]]] = {
    "awari": (AWARI, {"seeds": 9}),
    "bounds": (ABAPA, {"seeds": 7}),
    "distances": (AWARI, {"seeds": 7, "distance": True}),
    "windows": (AWARI, {"game": (11, 1)}),
    "wider windows": (AWARI, {"game": (10, 3)}),
    "bounds in windows": (ABAPA, {"game": (9, 1)}),
    "four houses": (SMALL, {"seeds": 12}),
}
"""What is built on each number of ranks: rules, and what is asked for."""
CHEAP = ("awari", "windows", "four houses")
"""Those for five ranks, which wait for each other a long time on two cores."""


def mpiexec(ranks: int, *command: str | Path, timeout: float = 240) -> subprocess.CompletedProcess[str]:
    """Run a job to its end."""
    assert MPIEXEC
    return subprocess.run(
        [MPIEXEC, "-n", str(ranks), *map(str, command)],
        check=False, capture_output=True, text=True, timeout=timeout, env=ENVIRONMENT, cwd=ROOT,
    )  # fmt: skip


def on_ranks(ranks: int, folder: Path, jobs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Have a job of so many ranks build all that is asked for."""
    (folder / "jobs.json").write_text(json.dumps(jobs))
    ran = mpiexec(ranks, sys.executable, "-m", "tests.databases.builder.rank_worker", folder / "jobs.json")
    assert ran.returncode == 0, ran.stderr + ran.stdout
    return [json.loads(line) for line in ran.stdout.splitlines()]


def files(folder: Path) -> dict[str, bytes]:
    """The tables in a folder."""
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.h5"))}


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, bytes]]:
    """What one process makes of each build."""
    made = {}
    for name, (rules, asked) in BUILDS.items():
        folder = tmp_path_factory.mktemp("alone")
        game = {"game": Game(*asked["game"])} if "game" in asked else {}
        build_tables(folder, rules, **{**asked, **game})
        made[name] = files(folder)
    return made


@pytest.mark.parametrize("ranks", [2, 3, 5])
def test_the_same_bytes(ranks: int, alone: dict[str, dict[str, bytes]], tmp_path: Path) -> None:
    """Small tiers have fewer groups of rows than there are ranks: some own nothing of them."""
    jobs = [
        {"folder": str(tmp_path / name), "rules": rules.id, "threads": 1 + (name == "windows" and ranks == 2), **asked}
        for name, (rules, asked) in BUILDS.items()
        if ranks < 5 or name in CHEAP
    ]
    jobs[0]["most_bytes"] = 4096  # so that every exchange takes many calls
    found = on_ranks(ranks, tmp_path, jobs)
    for name in (Path(job["folder"]).name for job in jobs):
        assert files(tmp_path / name) == alone[name], name
    for sent in found[0]["sent"]:
        assert sent["dense_levels"] and sent["sparse_levels"] and sent["bitmap_bytes"] and sent["list_bytes"]


# -- the command -------------------------------------------------------------------------------------------------------


def build_command(folder: Path, *more: str) -> tuple[str, ...]:
    return (*ABAPA_COMMAND, "build", "--rules", "awari", "--tables", str(folder), "--threads", "1", *more)


def test_the_command_with_scratch_and_little_memory(alone: dict[str, dict[str, bytes]], tmp_path: Path) -> None:
    """One plan, one line a tier; finished tiers are read from copies, tiers that do not fit work from the disk."""
    command = build_command(tmp_path / "t", "--seeds", "9", "--engine", "mpi", "--scratch", str(tmp_path / "near"))
    planned = mpiexec(2, *command, "--dry-run")
    assert planned.returncode == 0 and planned.stdout.count("Plan:") == 1 and " for each rank" in planned.stdout
    ran = mpiexec(2, *command)
    assert (ran.returncode, ran.stderr) == (0, "")
    lines = ran.stdout.splitlines()
    assert sum(line.startswith("Plan:") for line in lines) == 1
    assert [line.split(":")[0] for line in lines if line.startswith("tier")] == [f"tier {n:2d}" for n in range(10)]
    assert files(tmp_path / "t") == alone["awari"] and not list((tmp_path / "near").iterdir())


def test_little_memory(tmp_path: Path) -> None:
    """In cells, with the margins of each rank in a file of its own."""
    build_tables(tmp_path / "alone", AWARI, 13, threads=1)
    job = {"folder": str(tmp_path / "few"), "rules": "awari", "seeds": 13, "threads": 1}
    least = mpiexec(2, *build_command(tmp_path / "few", "--seeds", "13", "--engine", "mpi", "--memory", "1MB"))
    assert least.returncode == 2 and least.stderr.count("\n") == 1 and "not enough memory" in least.stderr
    smallest = int(least.stderr.split("--memory ")[1].split("MiB")[0]) << 20
    (found,) = on_ranks(2, tmp_path, [{**job, "memory": smallest}])
    assert "in little memory" in found["lines"][0]
    assert files(tmp_path / "few") == files(tmp_path / "alone")


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    return [int(number) for number in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_a_killed_rank_ends_the_job_and_the_next_goes_on(tmp_path: Path) -> None:
    """Within ten seconds, with one line and exit code 2; finished tiers stay; another number of ranks goes on."""
    assert MPIEXEC
    command = build_command(tmp_path, "--seeds", "15", "--engine", "mpi")
    job = subprocess.Popen(
        [MPIEXEC, "-n", "3", *command],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, cwd=ROOT,
    )  # fmt: skip
    assert job.stdout
    for line in job.stdout:
        if line.startswith("tier 11"):
            break
    proxies = children(job.pid)
    supervisors = [child for proxy in proxies for child in children(proxy)]
    workers = [child for supervisor in supervisors for child in children(supervisor)]
    assert len(workers) == 3
    begun = time.monotonic()
    os.kill(workers[1], signal.SIGKILL)
    out, err = job.communicate(timeout=60)
    assert time.monotonic() - begun < 10
    assert job.returncode == 2 and err.count("\n") == 1 and "SIGKILL" in err and "finished tables are intact" in err, (
        err
    )
    assert "BAD TERMINATION" not in out
    kept = files(tmp_path)
    assert "awari-11.h5" in kept and "awari-15.h5" not in kept
    ran = mpiexec(2, *build_command(tmp_path, "--seeds", "12", "--engine", "mpi"))
    assert ran.returncode == 0 and "already there" in ran.stdout
    build_tables(tmp_path / "alone", AWARI, 12, threads=1)
    made = files(tmp_path)
    assert all(made[name] == data for name, data in files(tmp_path / "alone").items())
    assert all(made[name] == data for name, data in kept.items())


FULL = """
import errno, os, sys
import databases.files.{module} as where
real = where.{name}
def full(descriptor, *rest):
    if {condition}:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    return real(descriptor, *rest)
where.{name} = full
sys.argv[0] = "abapa"
from solver.__main__ import run
run()
"""


@pytest.mark.parametrize(
    "where",
    [
        {"module": "writer", "name": "take_room", "condition": "rest[0] > 100_000"},
        {
            "module": "ranges",
            "name": "write_all",
            "condition": "os.environ['PMI_RANK'] == '1' and len(rest[0]) > 6_000",
        },
    ],
    ids=["laying a table out", "writing a range"],
)
def test_a_full_disk_ends_the_job(where: dict[str, str], tmp_path: Path) -> None:
    """On the rank that lays tables out, and on one that only writes; finished tables stay."""
    begun = time.monotonic()
    command = build_command(tmp_path, "--seeds", "9", "--engine", "mpi")[len(ABAPA_COMMAND) :]
    ran = mpiexec(3, sys.executable, "-c", FULL.format(**where), *command)
    assert ran.returncode == 2 and ran.stderr.count("\n") == 1 and "No space left" in ran.stderr, ran.stderr
    assert "BAD TERMINATION" not in ran.stdout and time.monotonic() - begun < 60
    build_tables(tmp_path / "alone", AWARI, 9, threads=1)
    made = files(tmp_path)
    assert 5 < len(made) < 10 and all(files(tmp_path / "alone")[name] == data for name, data in made.items())
    assert mpiexec(2, *build_command(tmp_path, "--seeds", "9", "--engine", "mpi")).returncode == 0
    assert files(tmp_path) == files(tmp_path / "alone") and not list(tmp_path.glob("*.part"))


def test_errors_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for ranks, more, said in (
        (2, ("--seeds", "200", "--engine", "mpi"), "200 seeds: accepted are 0 to 127"),
        (3, ("--seeds", "5", "--engine", "mpi", "--scratch", str(tmp_path / "file")), "--scratch: cannot make"),
    ):
        ran = mpiexec(ranks, *build_command(tmp_path, *more))
        assert ran.returncode == 2 and ran.stderr.count("\n") == 1 and said in ran.stderr, ran.stderr


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--engine", "mpi"), "accepted is mpiexec -n 4 abapa build"),
        (("--engine", "mpi", "--checkpoint", "always"), "--checkpoint: --engine mpi"),
        (("--scratch", "x"), "--scratch goes with --engine mpi"),
    ],
)
def test_what_does_not_go_together(more: tuple[str, ...], said: str, tmp_path: Path) -> None:
    command = build_command(tmp_path, "--seeds", "3", *more)
    plain = {name: value for name, value in ENVIRONMENT.items() if not name.startswith(("PMI", "OMPI", "SLURM", "MPI"))}
    ran = subprocess.run(command, check=False, capture_output=True, text=True, env=plain, cwd=ROOT, timeout=60)
    assert ran.returncode == 2 and ran.stderr.count("\n") == 1 and said in ran.stderr
