"""The prober misused from threads and processes: right values or an error of Abapa's, never a crash or a hang."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.hostile.courier import Trial, Worker

SEEDS = 8
SECONDS = 240


@pytest.fixture(scope="module")
def folder(worker: Worker, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Awari with six houses, tiers 0..SEEDS."""
    made = tmp_path_factory.mktemp("threads") / "tables"
    Trial(worker, "misuses").truth("build", folder=str(made), rules="awari", seeds=SEEDS)
    return made


@pytest.fixture(scope="module")
def archives(folder: Path, worker: Worker, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same as archives alone."""
    made = tmp_path_factory.mktemp("threads") / "archives"
    made.mkdir()
    for path in folder.glob("*.h5"):
        packed = Path(Trial(worker, "misuses").truth("packed", path=str(path)))
        packed.rename(made / packed.name)
    return made


def run(what: str, folder: Path, rounds: int) -> None:
    trial = Trial(Worker(), "misuses from threads and processes")
    command = [sys.executable, "-X", "faulthandler", "-m", "tests.hostile.misuse", what, str(folder), str(SEEDS)]
    root = Path(__file__).resolve().parents[2]
    try:
        ran = subprocess.run(
            [*command, str(rounds)], capture_output=True, text=True, timeout=SECONDS, cwd=root, check=False
        )
    except subprocess.TimeoutExpired:
        trial.count("hung")
        pytest.fail(f"{what}: not done in {SECONDS} s")
    right = ran.returncode == 0 and ran.stdout == "right\n"
    trial.count("right" if right else "crashed" if ran.returncode < 0 else "raised")
    assert right, f"exit code {ran.returncode}\n{ran.stdout[-500:]}\n{ran.stderr[-3000:]}"


ROUNDS = [pytest.param(5, id="some"), pytest.param(60, id="many", marks=pytest.mark.full)]


@pytest.mark.parametrize("rounds", ROUNDS)
@pytest.mark.parametrize("what", ["shared", "closed", "forked", "pooled"])
def test_plain_tables(what: str, rounds: int, folder: Path) -> None:
    run(what, folder, rounds)


@pytest.mark.parametrize("rounds", ROUNDS)
def test_archives(rounds: int, archives: Path) -> None:
    run("packed", archives, rounds)


def test_wrong_arguments(folder: Path) -> None:
    run("misused", folder, 1)
