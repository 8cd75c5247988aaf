"""The plan's peak memory, held against what a build takes: a process of its own, looked at while it works."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from databases.builder.build import build_tables
from databases.builder.plan import Plan
from databases.files.folder import find_tables
from solver.oware.rules import ABAPA, AWARI, Rules

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="tells memory by /proc")


def private_bytes(process: int) -> int:
    """Anonymous memory of a process now: what the system cannot take back without swapping."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    found = re.search(r"RssAnon:\s+(\d+) kB", status)
    return int(found[1]) << 10 if found else 0


def largest_memory(folder: Path, rules: Rules, seeds: int, memory: int, *, distance: bool = False) -> int:
    """The most private memory of ``abapa build`` on two threads with this limit, looked at every few milliseconds."""
    command = [sys.executable, "-m", "solver", "build", "--rules", rules.id, "--seeds", str(seeds)]
    command += ["--tables", str(folder), "--threads", "2", "--memory", str(memory)]
    largest = 0
    with subprocess.Popen(command + ["--distance"] * distance, stdout=subprocess.DEVNULL) as build:
        while build.poll() is None:
            largest = max(largest, private_bytes(build.pid))
            time.sleep(0.005)
    assert build.returncode == 0
    return largest


def planned(folder: Path, rules: Rules, seeds: int, *, distance: bool = False, memory: int | None = None) -> Plan:
    return build_tables(folder, rules, seeds, threads=2, distance=distance, memory=memory, dry_run=True)


@pytest.mark.parametrize("cells", [False, True])
def test_a_build_stays_within_its_plan(tmp_path: Path, cells: bool) -> None:
    """In memory and from disk; the first build of each leaves the compiled kernels."""
    for folder in (tmp_path / "first", tmp_path / "second"):
        plan = planned(folder, AWARI, 13)
        limit = plan.least_memory if cells else plan.peak_memory
        assert limit < plan.peak_memory or not cells
        largest = largest_memory(folder, AWARI, 13, limit)
    assert plan.boards < largest <= limit  # pyright: ignore[reportPossiblyUnboundVariable]


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("distance", [False, True])
def test_large_tiers_stay_within_the_least_memory(tmp_path: Path, distance: bool) -> None:
    """The top tier alone, whose memory no commit of another shares."""
    seeds = 14 if distance else 16
    warm = tmp_path / "warm"  # a first build of this form leaves the compiled kernels
    largest_memory(warm, ABAPA, 12, planned(warm, ABAPA, 12, distance=distance).least_memory, distance=distance)
    build_tables(tmp_path, ABAPA, seeds - 1, distance=distance)
    assert len(find_tables(tmp_path, ABAPA)) == seeds
    plan = planned(tmp_path, ABAPA, seeds, distance=distance)
    largest = largest_memory(tmp_path, ABAPA, seeds, plan.least_memory, distance=distance)
    assert plan.least_memory * 0.85 < largest <= plan.least_memory
