"""Builds that are stopped anywhere go on and give the same bytes; checkpoints that do not fit are not believed."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import random
import shutil
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
from databases.builder.memory import TierMemory
from databases.builder.plan import make_plan, quantities_of
from databases.files.folder import table_path
from databases.files.table import Table
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
    [(AWARI, True, False), (ABAPA, False, False), (ABAPA, False, True)]
    + [pytest.param(*other, marks=pytest.mark.full)
       for other in ((AWARI, False, False), (ABAPA, True, False), (AWARI, False, True))],
)  # fmt: skip
def test_an_interrupted_tier_goes_on_from_its_checkpoint(
    rules: Rules, distance: bool, cells: bool, tmp_path: Path
) -> None:
    seeds = 7
    build_tables(tmp_path / "whole", rules, seeds, distance=distance)
    quantities = quantities_of(rules, bounds=True, distance=distance)
    tier = TierMemory(rules, seeds, seeds, quantities, 2)
    memory = tier.in_cells() if cells else tier.in_words()
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


def with_header(whole: bytes, stated: object) -> bytes:
    """A checkpoint with another header, under the hash that belongs to it."""
    text = (stated if isinstance(stated, str) else json.dumps(stated)).encode().ljust(4096 - 64)
    return hashlib.sha256(text).hexdigest().encode() + text + whole[4096:]


def test_no_byte_of_a_checkpoint_can_change(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path, AWARI, 8, share=EVERY_STAGE)
    checkpoint.save("value words", 5, [array_part(np.arange(50, dtype=np.uint8))])
    whole = checkpoint.path.read_bytes()
    assert len(whole) == 4096 + 50
    untouched = np.zeros(50, np.uint8)
    for at in (*range(0, 600, 7), *range(4000, len(whole))):
        checkpoint.path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :])
        assert checkpoint.restore("value words", [array_part(untouched)]) is None
    checkpoint.path.write_bytes(whole + b"0")
    checkpoint.refused = ""
    assert checkpoint.restore("value words", [array_part(untouched)]) is None
    assert not untouched.any() and "longer than it says" in checkpoint.refused


@pytest.mark.parametrize(
    "stated",
    [[], 1, "NaN", "null", "[" * 3000, "{" + '"a":{' * 600, {"margin": 5}, {}]
    + [{"margin": margin} for margin in (0, -1, 9, 10**30, 5.0, "5", None, True, [5], float("nan"))]
    + [{"hashes": hashes} for hashes in (None, 5, "", [], ["0" * 64], [[]], {})],
    ids=str,
)  # fmt: skip
def test_impossible_headers_are_not_believed_though_their_hash_fits(stated: object, tmp_path: Path) -> None:
    lines: list[str] = []
    checkpoint = Checkpoint(tmp_path, AWARI, 8, share=EVERY_STAGE, report=lines.append)
    checkpoint.save("value words", 5, [array_part(np.arange(50, dtype=np.uint8))])
    whole = checkpoint.path.read_bytes()
    right = json.loads(whole[64:4096])
    changed = right | stated if isinstance(stated, dict) and stated else stated
    checkpoint.path.write_bytes(with_header(whole, changed))
    untouched = np.zeros(50, np.uint8)
    found, same = checkpoint.restore("value words", [array_part(untouched)]), json.dumps(changed) == json.dumps(right)
    assert found == (5 if same else None) and untouched.any() == same
    checkpoint.report_refused()
    assert len(lines) == (not same) and all(line.endswith("tier 8 starts anew") for line in lines)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("kind", ["pipe", "folder", "device", "loop", "headers of version 1"])
def test_what_is_no_checkpoint_is_not_waited_for(kind: str, tmp_path: Path) -> None:
    lines: list[str] = []
    checkpoint = Checkpoint(tmp_path, AWARI, 8, share=EVERY_STAGE, report=lines.append)
    if kind == "pipe":
        os.mkfifo(checkpoint.path)
    elif kind == "folder":
        checkpoint.path.mkdir()
    elif kind == "headers of version 1":
        checkpoint.path.write_bytes(json.dumps({"format": "abapa-checkpoint 1", "margin": 5}).encode().ljust(5000))
    else:
        checkpoint.path.symlink_to("/dev/zero" if kind == "device" else checkpoint.path)
    assert checkpoint.restore("bounds words", [array_part(np.zeros(50, np.uint8))]) is None
    assert checkpoint.restore("value words", [array_part(np.zeros(50, np.uint8))]) is None
    checkpoint.report_refused()
    assert len(lines) == 1 and lines[0].startswith(f"{checkpoint.path} is not used (")


class StopPastACheckpoint(NoProgress):
    """Interrupts a build as soon as it has left a checkpoint."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def advance(self, boards: int) -> None:
        if any(self.folder.glob("*.checkpoint")):
            raise KeyboardInterrupt


def leave_a_checkpoint(folder: Path, seeds: int) -> Path:
    """A build of awari that is interrupted inside its last tier, past a checkpoint."""
    build_tables(folder, AWARI, seeds - 1)
    with pytest.raises(KeyboardInterrupt):
        build_tables(folder, AWARI, seeds, checkpoint_share=EVERY_STAGE, progress=StopPastACheckpoint(folder))
    (path,) = folder.glob("*.checkpoint")
    return path


def test_a_tier_with_a_damaged_checkpoint_starts_anew_and_one_line_says_so(tmp_path: Path) -> None:
    build_tables(tmp_path / "whole", AWARI, 8)
    path = leave_a_checkpoint(tmp_path / "parts", 8)
    data = bytearray(path.read_bytes())
    data[data.index(b'"margin": ') + 10] ^= 1
    path.write_bytes(data)
    lines: list[str] = []
    build_tables(tmp_path / "parts", AWARI, 8, report=lines.append)
    assert [line for line in lines if "checkpoint" in line] == [
        f"{path} is not used (its header is damaged, or of another version of Abapa): tier 8 starts anew"
    ]
    assert bytes_of(tmp_path / "parts", AWARI, 8) == bytes_of(tmp_path / "whole", AWARI, 8)


# -- no room ----------------------------------------------------------------------------------------------------------


def test_a_build_goes_on_without_checkpoints_where_they_have_no_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, usage = os.fsync, shutil.disk_usage(tmp_path)

    def full(descriptor: int) -> None:
        if any((tmp_path / "parts").glob("*.checkpoint.part")):
            raise OSError(errno.ENOSPC, "No space left on device")
        real(descriptor)

    build_tables(tmp_path / "whole", AWARI, 8)
    lines: list[str] = []
    with monkeypatch.context() as patch:
        patch.setattr("databases.builder.checkpoint.disk_usage", lambda _: usage._replace(free=1))
        build_tables(tmp_path / "parts", AWARI, 5, checkpoint_share=EVERY_STAGE, report=lines.append)
    said = [line for line in lines if "checkpoint" in line]
    assert len(said) == 1 and "no room: with the tables to come" in said[0]
    monkeypatch.setattr("databases.builder.checkpoint.os.fsync", full)
    lines.clear()
    build_tables(tmp_path / "parts", AWARI, 8, checkpoint_share=EVERY_STAGE, report=lines.append)
    said = [line for line in lines if "checkpoint" in line]
    assert len(said) == 1 and "No space left on device; the build goes on without checkpoints" in said[0]
    assert {path.suffix for path in (tmp_path / "parts").iterdir()} == {".h5", ".jsonl"}
    assert bytes_of(tmp_path / "parts", AWARI, 8) == bytes_of(tmp_path / "whole", AWARI, 8)


def test_leftovers_count_as_free_and_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = leave_a_checkpoint(tmp_path, 8)
    usage = shutil.disk_usage(tmp_path)
    half = path.with_name(path.name + ".part")
    half.write_bytes(bytes(100_000))
    (tmp_path / "abapa-08.checkpoint").write_bytes(bytes(100_000))  # other rules: none of ours
    left = sum(file.stat().st_blocks * 512 for file in (path, half))
    with monkeypatch.context() as patch:
        patch.setattr("databases.builder.plan.shutil.disk_usage", lambda _: usage)
        free = make_plan(tmp_path, AWARI, 8, (8,), bounds=True, distance=False, threads=1, memory=None).free_disk
    assert free == usage.free + left
    lines: list[str] = []
    build_tables(tmp_path, AWARI, 8, checkpoint_share=0, report=lines.append)  # never
    assert not half.exists() and not path.exists()
    assert not any("checkpoint" in line for line in lines)
    assert (tmp_path / "abapa-08.checkpoint").exists()


def test_a_checkpoint_gives_way_to_the_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = leave_a_checkpoint(tmp_path, 8)
    usage = shutil.disk_usage(tmp_path)
    needed = make_plan(tmp_path, AWARI, 8, (8,), bounds=True, distance=False, threads=1, memory=None).whole_disk
    lines: list[str] = []
    with monkeypatch.context() as patch:
        patch.setattr("databases.builder.build.disk_usage", lambda _: usage._replace(free=needed - 1))
        build_tables(tmp_path, AWARI, 8, report=lines.append)
    assert f"{path} is removed: the tables need its room, and its tier starts anew" in lines


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
