"""Builds, packing and imports killed at random moments: the next run ends with the same bytes, and leaves no rest."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.hostile.asks import sha
from tests.hostile.courier import Trial, Worker

pytestmark = pytest.mark.full
ROOT = Path(__file__).resolve().parents[2]


def killed(command: list[str], kills: int, seed: int) -> None:
    """Start a command so often and kill it, later and later at random; then let it end."""
    whole = [sys.executable, "-m", "solver", *command]
    chance = random.Random(seed)
    start = time.monotonic()
    trial = Trial(Worker(), "kills")
    for number in range(kills):
        process = subprocess.Popen(whole, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT)
        # Importing takes most of the time of a small build, so aim at what is past it.
        time.sleep(chance.uniform(0.2, 1.0 + (time.monotonic() - start) / (number + 1)))
        process.send_signal(signal.SIGKILL)
        process.wait()
        trial.count("right")
    ran = subprocess.run(whole, capture_output=True, text=True, cwd=ROOT, check=False)
    assert ran.returncode == 0, ran.stderr


def hashes(folder: Path) -> dict[str, str]:
    return {path.name: sha(path.read_bytes()) for path in folder.glob("*.h5")}


def leftovers(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.suffix not in (".h5", ".jsonl")]


@pytest.mark.parametrize(
    ("rules", "seeds", "options"),
    [("awari", 13, []), ("abapa", 12, []), ("awari", 12, ["--distance"]), ("awari+pits=3", 20, [])],
)
def test_builds(rules: str, seeds: int, options: list[str], worker: Worker, tmp_path: Path) -> None:
    command = ["build", "--rules", rules, "--seeds", str(seeds), "--checkpoint", "always", *options, "--tables"]
    whole = [sys.executable, "-m", "solver", *command, str(tmp_path / "whole")]
    subprocess.run(whole, check=True, capture_output=True, cwd=ROOT)
    killed([*command, str(tmp_path / "killed")], 15, seeds)
    assert hashes(tmp_path / "killed") == hashes(tmp_path / "whole")
    assert not leftovers(tmp_path / "killed")


def test_packing_and_unpacking(worker: Worker, tmp_path: Path) -> None:
    tables = tmp_path / "tables"
    where = ["--rules", "awari", "--tables", str(tables)]
    Trial(worker, "kills").truth("build", folder=str(tables), rules="awari", seeds=12)
    plain = hashes(tables)
    killed(["pack", *where, "--remove"], 10, 41)
    archives = hashes(tables)
    assert {name.replace(".packed", "") for name in archives} == plain.keys() and not leftovers(tables)
    killed(["unpack", *where, "--remove"], 10, 42)
    assert hashes(tables) == plain and not leftovers(tables)


def test_imports(worker: Worker, tmp_path: Path) -> None:
    files, whole = tmp_path / "files", tmp_path / "whole"
    Trial(worker, "kills").truth("exported", folder=str(tmp_path / "built"), seeds=9, target=str(files))
    subprocess.run(
        [sys.executable, "-m", "solver", "import", str(files), "--tables", str(whole)],
        check=True, capture_output=True, cwd=ROOT,
    )  # fmt: skip
    killed(["import", str(files), "--tables", str(tmp_path / "killed")], 10, 43)
    assert hashes(tmp_path / "killed") == hashes(whole) and not leftovers(tmp_path / "killed")
