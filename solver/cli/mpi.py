"""One job of several processes under ``mpiexec``: what a rank needs before MPI starts, and how an error ends all ranks.

A rank that fails while the others wait for it in a call of MPI must not wait for them: it says its line and leaves with
exit code 2, and ``mpiexec`` ends the others. A rank that is killed cannot say anything; so every rank has a parent that
waits for it. What the ranks do is :mod:`databases.builder.ranks`.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from solver.cli.output import complain
from solver.errors import AbapaError

_RANKS = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "MPI_LOCALRANKID", "SLURM_PROCID")
"""Where launchers tell a process its rank before MPI starts."""
_TURN = 0.1
"""Seconds that each rank lets the one before speak first, so that an error that all meet is told once."""
_LONGEST_TURN = 4.0
_GRACE = 5.0
"""Seconds in which the launcher ends this process, once it has been asked to end the job."""
_GENERATIONS = 4
"""Processes above a rank that may be the launcher: the one that supervises it, the launcher's proxy, the launcher."""


def require_launcher() -> int:
    """The rank of this process. Raises :class:`~solver.errors.AbapaError` where there is no MPI, or no launcher."""
    if importlib.util.find_spec("mpi4py") is None:
        raise AbapaError("--engine mpi needs mpi4py: install it with pip install 'abapa[mpi]'")
    given = next((os.environ[name] for name in _RANKS if name in os.environ), "")
    if not given.isdecimal():
        raise AbapaError(
            "--engine mpi is for several processes that mpiexec starts: accepted is mpiexec -n 4 abapa build .. "
            "--engine mpi (pip install mpich has an mpiexec); without mpiexec leave --engine out"
        )
    return int(given)


@contextmanager
def mpi_at_hand() -> Iterator[None]:
    """Around what starts MPI. Raises :class:`~solver.errors.AbapaError` where mpi4py finds no MPI that it can load."""
    try:
        yield
    except (ImportError, RuntimeError) as error:
        said = f"mpi4py finds no MPI ({error}): install one, as with pip install mpich"
        raise AbapaError(f"--engine mpi: {said}") from error


def supervise(rank: int) -> None:
    """Go on in a child process, whose parent waits for it, and says so if it is killed. Call it before MPI starts."""
    sys.stdout.flush()
    child = os.fork()
    if not child:
        _die_with_parent()
        return
    told: list[int] = []

    def pass_on(number: int, _frame: object) -> None:
        told.append(number)
        with suppress(ProcessLookupError):
            os.kill(child, number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, pass_on)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        if not told:  # else whoever ends the job ends this rank, too: the rank that began it has said why
            complain(f"rank {rank} was ended by {signal.Signals(-code).name}; finished tables are intact")
        code = AbapaError.exit_code
    if code:
        _end_the_job(code)
    os._exit(code)


def _end_the_job(code: int) -> None:
    """Have MPICH's launcher end the job with an exit code, as MPI_Abort in the rank that is gone would have done.

    It hears of it over the rank's line to it, in the words of PMI 1. Other launchers go by the exit code alone.
    """
    with suppress(OSError, ValueError, KeyError):
        os.write(int(os.environ["PMI_FD"]), f"cmd=abort exitcode={code}\n".encode())
        time.sleep(_GRACE)


def launcher_terminal() -> TextIO | None:
    """The terminal that the launcher's stderr is, if it runs on this machine: a rank's own is a pipe to the launcher.

    Linux tells where the stderr of the processes above this one goes.
    """
    pid = os.getppid()
    for _ in range(_GENERATIONS):
        with suppress(OSError, ValueError):
            terminal = Path(f"/proc/{pid}/fd/2").readlink()
            if str(terminal).startswith(("/dev/pts/", "/dev/tty")):
                return terminal.open("w")
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return None


def _die_with_parent() -> None:
    """Have the system end this process when its parent is killed, where it can (Linux)."""
    set_death_signal = 1
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)


@contextmanager
def one_job(rank: int) -> Iterator[None]:
    """Have an error of this rank end the job, with one line of the first rank that meets it. Never raises."""
    try:
        yield
    except KeyboardInterrupt:
        _leave(rank, "interrupted", 130)
    except AbapaError as error:
        _leave(rank, str(error), error.exit_code)
    except MemoryError:
        _leave(rank, f"rank {rank} has not enough memory: take more ranks, or less with --memory", AbapaError.exit_code)
    except OSError as error:
        _leave(rank, f"rank {rank}: {error.strerror or error}", AbapaError.exit_code)
    except BaseException:
        traceback.print_exc()
        _leave(rank, f"rank {rank} met a fault of Abapa", 1)


def _leave(rank: int, line: str, code: int) -> None:
    """Say a line and end this process at once: MPI would wait for the others."""
    time.sleep(min(rank * _TURN, _LONGEST_TURN))
    complain(line)
    with suppress(OSError, ValueError):
        sys.stdout.flush()
    os._exit(code)
