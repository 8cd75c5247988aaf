"""What a process finds around it: streams closed or full, its environment, a cache not writable, an early Ctrl-C."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.cheap_calls import BOARD, CALLS, SMALL, TABLES
from tests.cli.command_line import ABAPA, COMMANDS, unprivileged

CHEAP = [("probe",), ("check",), ("stats",), ("omweso", "moves")]
EVERY = [pytest.param(path, id=" ".join(path), marks=[] if path in CHEAP else [pytest.mark.full]) for path in CALLS]
CODES = {0, 1, 2, 141}


def test_every_command_has_a_call() -> None:
    assert set(CALLS) == set(COMMANDS)


def shell(script: str, path: tuple[str, ...], folder: Path) -> subprocess.CompletedProcess[bytes]:
    """Run a command, as "$@", in a line of the shell."""
    shutil.copytree(TABLES, folder, dirs_exist_ok=True)
    (folder / "scores.0").write_bytes(b"\0")
    words = [word.replace("TMP", str(folder)) for word in CALLS[path]]
    command = ["bash", "-c", script, "bash", *ABAPA, *path, *words]
    return subprocess.run(command, capture_output=True, check=False, timeout=600)


@pytest.mark.parametrize("path", EVERY)
def test_closed_and_full_streams(path: tuple[str, ...], tmp_path: Path) -> None:
    ran = shell('"$@" <&-', path, tmp_path)
    assert ran.returncode in CODES and b"Traceback" not in ran.stderr
    ran = shell('"$@" </dev/null >&-', path, tmp_path)
    assert (ran.returncode, ran.stderr) == (2, b"abapa: stdout is closed: there is nothing to print to\n")
    whole = shell('"$@" </dev/null', path, tmp_path)
    assert shell('"$@" </dev/null 2>&-', path, tmp_path).returncode == whole.returncode
    if whole.stdout:
        full = shell('"$@" </dev/null >/dev/full', path, tmp_path)
        assert full.returncode == 2 and full.stderr.splitlines()[-1] == b"abapa: No space left on device"
        assert b"Traceback" not in full.stderr and b"Exception ignored" not in full.stderr
        piped = shell('set -o pipefail; (sleep 0.2; "$@" </dev/null) | true', path, tmp_path)
        assert piped.returncode in (141, whole.returncode) and b"Traceback" not in piped.stderr


def test_a_closed_stdin_is_said(tmp_path: Path) -> None:
    ran = shell('"$1" "$2" "$3" "$4" "${@:6}" <&-', ("probe",), tmp_path)
    assert (ran.returncode, ran.stderr) == (2, b"abapa: stdin is closed: there is nothing to read\n")


def test_a_closed_pipe_is_exit_code_141(tmp_path: Path) -> None:
    for path in CHEAP:
        ran = shell('set -o pipefail; ("$@"; echo $? >&2) | true', path, tmp_path)
        assert ran.stderr in (b"141\n", b"0\n") and ran.returncode == 0  # 0 where all went into the pipe in time
        ran = shell('set -o pipefail; trap "" PIPE; ( sleep 1; "$@"; echo $? >&2 ) | :', path, tmp_path)
        assert ran.stderr == b"141\n"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("NUMBA_NUM_THREADS", value) for value in ("x", "0", "-1", "9999", "")],
        ("NUMBA_THREADING_LAYER", "banana"),
        ("OMP_NUM_THREADS", "x"),
        ("OMP_THREAD_LIMIT", "0"),
        ("OMP_WAIT_POLICY", "never"),
        ("NUMBA_DISABLE_JIT", "1"),
        ("NUMBA_BOUNDSCHECK", "x"),
        ("NUMBA_OPT", "x"),
    ],
)
def test_a_bad_variable_is_one_line(name: str, value: str) -> None:
    command = [*ABAPA, "probe", BOARD, *SMALL]
    ran = subprocess.run(command, capture_output=True, text=True, env=os.environ | {name: value}, check=False)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith(f"abapa: {name}={value}: ") and ran.stderr.count("\n") == 1


@pytest.mark.parametrize("module", ["click", "numba"])
def test_ctrl_c_while_importing(module: str, tmp_path: Path) -> None:
    (tmp_path / f"{module}.py").write_text(
        "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(5)\n"
    )
    paths = os.pathsep.join([str(tmp_path), str(Path(__file__).parents[2])])
    command = [*ABAPA, "probe", BOARD, *SMALL]
    ran = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": paths}, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, "", "abapa: interrupted\n")


IN_A_CALLBACK = """
import ctypes, signal, sys, time
import solver.cli, solver.__main__

def command():
    ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal(signal.SIGINT))()
    print("went on", flush=True)
    time.sleep(60)

solver.cli._run = command
signal.signal(signal.SIGINT, signal.default_int_handler)
solver.__main__.run()
"""


def test_ctrl_c_in_a_callback_of_a_library_is_heard() -> None:
    """Python only reports it there: a build that met it while its kernels were compiled went on to its end."""
    ran = subprocess.run([sys.executable, "-c", IN_A_CALLBACK], capture_output=True, text=True, timeout=50, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, "went on\n", "abapa: interrupted\n")


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        pytest.param({"PYTHONIOENCODING": "ascii"}, marks=pytest.mark.full),
        pytest.param({"PYTHONIOENCODING": "latin-1"}, marks=pytest.mark.full),
        {},
    ],
)
def test_a_folder_whose_name_is_no_text(environment: dict[str, str], tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/t\xff\xe9"
    shutil.copytree(TABLES, os.fsdecode(folder))
    command = [*ABAPA, "check", *SMALL[:2], "--tables", folder]
    for option in ([], ["--json"]):
        ran = subprocess.run([*command, *option], capture_output=True, env=os.environ | environment, check=False)
        assert (ran.returncode, ran.stderr) == (0, b"") and b"right" in ran.stdout
        assert option or folder in ran.stdout


# -- the cache of compiled kernels ------------------------------------------------------------------------------------

KERNEL = """
from solver.kernels.compile import kernel

@kernel
def double(x):
    return 2 * x

print(double(21))
"""


def run_kernel(script: Path, cache: str, *before: str) -> subprocess.CompletedProcess[str]:
    """Run a script with one kernel, the cache being there."""
    script.write_text(KERNEL)
    environment = os.environ | {"ABAPA_CACHE": cache, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [*before, sys.executable, str(script)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=script.parent, check=False)


def test_a_cache_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    file, folder = tmp_path / "file", tmp_path / "shut"
    file.touch()
    folder.mkdir(mode=0o555)
    for cache, before in ((str(file), []), ("/proc/none", []), (str(folder), unprivileged())):
        ran = run_kernel(tmp_path / "script.py", cache, *before)
        assert (ran.returncode, ran.stdout) == (0, "42\n")
        assert ran.stderr.startswith("abapa: compiled kernels cannot be kept in ") and ran.stderr.count("\n") == 1
        assert ran.stderr.endswith(": set ABAPA_CACHE to a folder that can be written\n")


def flipped(content: bytes) -> bytes:
    """The content with one bit of its middle changed."""
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 4]) + content[middle + 1 :]


def test_a_damaged_cache_is_compiled_again(tmp_path: Path) -> None:
    def kept() -> list[Path]:
        return sorted((tmp_path / "cache").rglob("*.nb?"))

    script = tmp_path / "script.py"
    assert run_kernel(script, "cache").stderr == ""  # a relative folder
    sound = {path: path.read_bytes() for path in kept()}
    assert len(sound) == 2
    for damages, (path, content) in zip(((0, 2), (1, 2, 3)), sound.items(), strict=True):
        for which in damages:
            path.write_bytes((b"", content[:40], flipped(content), b"\x80\x04garbage")[which])
            ran = run_kernel(script, "cache")
            assert (ran.returncode, ran.stdout, ran.stderr) == (0, "42\n", "")
