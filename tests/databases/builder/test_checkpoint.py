"""Builds that are stopped anywhere go on and give the same bytes; checkpoints that do not fit are not believed."""

from __future__ import annotations

import errno
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from databases.builder.build import NoProgress, build_tables
from databases.builder.cells import MarginFile
from databases.builder.checkpoint import Checkpoint, array_part
from databases.builder.plan import cells_memory, quantities_of, tier_memory
from databases.store import Table, table_path
from solver.errors import AbapaError
from solver.oware.rules import ABAPA, AWARI, Rules

EVERY_STAGE = 1e9


def bytes_of(folder: Path, rules: Rules, seeds: int) -> dict[str, bytes]:
    with Table.open(table_path(folder, rules, seeds)) as table:
        return {name: table.map(name).tobytes() for name in table.quantities}


class StopAt(NoProgress):
    """Interrupts a build after so many steps."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def advance(self, boards: int) -> None:
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("rules", "distance", "cells"),
    [(AWARI, False, False), (AWARI, True, False), (ABAPA, False, False), (ABAPA, True, False), (AWARI, False, True),
     (ABAPA, False, True)],
)  # fmt: skip
def test_an_interrupted_tier_goes_on_from_its_checkpoint(
    rules: Rules, distance: bool, cells: bool, tmp_path: Path
) -> None:
    seeds = 9
    build_tables(tmp_path / "whole", rules, seeds, distance=distance)
    quantities = quantities_of(rules, bounds=True, distance=distance)
    memory = cells_memory(rules, seeds, seeds, quantities, 2) if cells else tier_memory(
        rules, seeds, seeds, quantities, 2)  # fmt: skip
    steps, runs, went_on = 30, 0, 0
    while not table_path(tmp_path / "parts", rules, seeds).exists():
        runs += 1
        went_on += any((tmp_path / "parts").glob("*.checkpoint"))
        try:
            build_tables(
                tmp_path / "parts", rules, seeds, threads=2, distance=distance, memory=memory,
                checkpoint_share=EVERY_STAGE, progress=StopAt(steps),
            )  # fmt: skip
        except KeyboardInterrupt:
            steps += 15
    assert runs > 3 and went_on > 1
    for n in range(seeds + 1):
        assert bytes_of(tmp_path / "parts", rules, n) == bytes_of(tmp_path / "whole", rules, n)
    assert {path.suffix for path in (tmp_path / "parts").iterdir()} == {".h5", ".jsonl"}


def kill_until_done(folder: Path, seeds: int, kills: int, longest: float) -> None:
    command = [sys.executable, "-m", "solver", "build", "--rules", "awari", "--seeds", str(seeds), "--tables",
               str(folder), "--checkpoint", "always"]  # fmt: skip
    chance = random.Random(seeds)
    for _ in range(kills):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        time.sleep(chance.uniform(0.3, longest))
        process.send_signal(signal.SIGKILL)
        process.wait()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


@pytest.mark.parametrize(
    ("seeds", "kills", "longest"), [(12, 5, 2.0), pytest.param(16, 20, 6.0, marks=pytest.mark.full)]
)
def test_killed_at_random_moments(seeds: int, kills: int, longest: float, tmp_path: Path) -> None:
    build_tables(tmp_path / "whole", AWARI, seeds)
    kill_until_done(tmp_path / "killed", seeds, kills, longest)
    for n in range(seeds + 1):
        assert bytes_of(tmp_path / "killed", AWARI, n) == bytes_of(tmp_path / "whole", AWARI, n)


def test_a_checkpoint_reads_back_and_nothing_else_does(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path, AWARI, 8, share=EVERY_STAGE)
    numbers = np.arange(1000, dtype=np.uint16)
    checkpoint.save("value words", 5, [array_part(numbers)])
    back = np.zeros_like(numbers)
    assert checkpoint.restore("value words", [array_part(back)]) == 5
    assert (back == numbers).all()
    assert checkpoint.restore("bounds words", [array_part(back)]) is None
    assert checkpoint.restore("value words", [array_part(back[1:])]) is None
    assert Checkpoint(tmp_path, AWARI, 9).restore("value words", [array_part(back)]) is None
    whole = checkpoint.path.read_bytes()
    untouched = np.zeros_like(numbers)
    for damaged in (whole[:-1], whole[:-1] + b"!", b"", b"rubbish" * 1000):
        checkpoint.path.write_bytes(damaged)
        assert checkpoint.restore("value words", [array_part(untouched)]) is None
        assert not untouched.any()


def test_a_checkpoint_waits_until_it_is_worth_its_time(tmp_path: Path) -> None:
    parts = [array_part(np.zeros(1_000_000, np.uint8))]
    assert not Checkpoint(tmp_path, AWARI, 8, speed=1e6).worth(parts)
    assert Checkpoint(tmp_path, AWARI, 8, speed=1e6, last=time.monotonic() - 40).worth(parts)
    assert not Checkpoint(tmp_path, AWARI, 8, share=0).worth([])


def test_a_full_disk_at_a_checkpoint_is_said_and_leaves_no_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("databases.builder.checkpoint.os.fsync", full)
    with pytest.raises(AbapaError, match=r"cannot write the checkpoint .* No space left on device"):
        Checkpoint(tmp_path, AWARI, 8).save("value words", 5, [array_part(np.zeros(10, np.uint8))])
    assert not list(tmp_path.iterdir())


def test_an_interrupt_at_a_checkpoint_leaves_no_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("databases.builder.checkpoint.os.fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        Checkpoint(tmp_path, AWARI, 8).save("value words", 5, [array_part(np.zeros(10, np.uint8))])
    assert not list(tmp_path.iterdir())


def test_a_full_disk_at_the_scratch_file_is_said_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int, offset: int, size: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("databases.builder.cells.os.posix_fallocate", full)
    with pytest.raises(AbapaError, match=r"no scratch file of 1,000 bytes in .* No space left on device"):
        MarginFile(tmp_path, 1000)
    assert not list(tmp_path.iterdir())
