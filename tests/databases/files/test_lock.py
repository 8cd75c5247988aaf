import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from databases.files.lock import LOCK_NAME, BuildLock, LockedError

HOLDER = """
import sys, time
from pathlib import Path
from databases.files.lock import BuildLock
with BuildLock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_second_lock_names_the_process_that_holds_the_first(tmp_path: Path) -> None:
    with BuildLock(tmp_path), pytest.raises(LockedError, match=f"process {os.getpid()} is building in") as caught:
        BuildLock(tmp_path).__enter__()
    assert caught.value.pid == os.getpid()
    assert not (tmp_path / LOCK_NAME).exists()
    with BuildLock(tmp_path):
        assert (tmp_path / LOCK_NAME).read_text() == f"{os.getpid()}\n"


def test_a_killed_holder_leaves_nothing_that_blocks(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(tmp_path)], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None and other.stdout.readline() == "held\n"
        with pytest.raises(LockedError, match=f"process {other.pid} "):
            BuildLock(tmp_path).__enter__()
        other.send_signal(signal.SIGKILL)
    assert (tmp_path / LOCK_NAME).read_text() == f"{other.pid}\n"
    with BuildLock(tmp_path):
        assert (tmp_path / LOCK_NAME).read_text() == f"{os.getpid()}\n"


def test_a_full_disk_does_not_keep_the_lock_from_working(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("databases.files.lock.os.pwrite", full)
    with BuildLock(tmp_path), pytest.raises(LockedError), BuildLock(tmp_path):
        pass
    assert not list(tmp_path.iterdir())
