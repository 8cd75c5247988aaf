import errno
import os
import platform
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from databases.files.lock import LOCK_NAME, OWNER_NAME, BuildLock, LockedError

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


# -- file systems without locks ---------------------------------------------------------------------------------------


@pytest.fixture
def no_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    def flock(descriptor: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("databases.files.lock.fcntl.flock", flock)


@pytest.mark.usefixtures("no_locks")
def test_without_locks_a_file_keeps_others_out(tmp_path: Path) -> None:
    with BuildLock(tmp_path):
        with pytest.raises(
            LockedError, match=rf"is building in .* on {re.escape(platform.node())}; if it is not, delete"
        ) as caught:
            BuildLock(tmp_path).__enter__()
        assert caught.value.pid == os.getpid()
        assert (tmp_path / OWNER_NAME).exists()
    assert not list(tmp_path.iterdir())
    with BuildLock(tmp_path):
        pass


@pytest.mark.usefixtures("no_locks")
def test_without_locks_a_dead_process_keeps_nobody_out(tmp_path: Path) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    (tmp_path / OWNER_NAME).write_text(f"{dead.pid} {platform.node()}\n")
    with BuildLock(tmp_path):
        assert (tmp_path / OWNER_NAME).read_text().split()[0] == str(os.getpid())
    for other in (f"{dead.pid} another-machine\n", f"{os.getpid()} {platform.node()}\n", "", "nonsense\n"):
        (tmp_path / OWNER_NAME).write_text(other)
        with pytest.raises(LockedError, match=r"if it is not, delete abapa-build\.owner\*"):
            BuildLock(tmp_path).__enter__()
        assert (tmp_path / OWNER_NAME).read_text() == other and not list(tmp_path.glob("*.removal"))
