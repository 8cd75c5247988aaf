"""What a process finds around it, checked before any command runs: its three streams and its environment variables.

A stream that was closed is opened again on something that answers as a closed one does, so that no file ever gets its
number. Values of environment variables that numba or the OpenMP runtime would answer with a traceback, or with nothing,
are refused.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from solver.errors import AbapaError, cut
from solver.numerals import read_whole

MOST_THREADS = 1024
"""Threads that NUMBA_NUM_THREADS and the like may name."""
LAYERS = ("default", "safe", "threadsafe", "forksafe", "tbb", "omp", "workqueue")
ON_OFF = ("true", "false", "1", "0")
WORDS = {
    "NUMBA_THREADING_LAYER": LAYERS,
    "OMP_WAIT_POLICY": ("active", "passive"),
    "OMP_DYNAMIC": ON_OFF,
    "OMP_PROC_BIND": (*ON_OFF, "master", "primary", "close", "spread"),
}
"""Variables that take one of these words, in any case."""
COUNTS = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OMP_THREAD_LIMIT")


def settle_streams() -> None:
    """Open closed streams and let every file name be printed. Raises AbapaError where stdout was closed."""
    lacking = [number for number in (0, 1, 2) if not _is_open(number)]
    for number in lacking:  # reading from the first, and writing to the second, fails as with a closed one
        os.open(os.devnull, (os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)[number])
    if sys.stdin is None:
        sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
        raise AbapaError("stdout is closed: there is nothing to print to")
    codecs.register_error("abapa", _as_it_was)
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # what is no text is no input either, and is said to be none
    if isinstance(sys.stdout, io.TextIOWrapper):
        ascii_only = codecs.lookup(sys.stdout.encoding).name == "ascii"  # a foreign locale; click takes UTF-8 there too
        sys.stdout.reconfigure(encoding="utf-8" if ascii_only else None, errors="abapa")


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def _as_it_was(error: UnicodeError) -> tuple[str | bytes, int]:
    """Bytes of file names come out as they were; letters that an encoding lacks, as Python writes them."""
    with suppress(UnicodeError):
        return codecs.lookup_error("surrogateescape")(error)
    return codecs.lookup_error("backslashreplace")(error)


@contextmanager
def checked_environment() -> Iterator[None]:
    """Run a command in an environment of sound variables. Raises AbapaError with the name of one that is not."""
    for name in COUNTS:
        _check_count(name)
    for name, words in WORDS.items():
        value = os.environ.get(name)
        if value is not None and value.strip().lower() not in words:
            raise AbapaError(f"{name}={cut(value)}: accepted are {', '.join(words)}")
    if (value := os.environ.get("NUMBA_DISABLE_JIT", "0")).strip() not in ("", "0"):
        raise AbapaError(f"NUMBA_DISABLE_JIT={cut(value)}: Abapa's kernels run compiled: unset it")
    if os.environ.get("NUMBA_THREADING_LAYER", "default").lower() != "default":
        _check_layer()
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "Environment variable 'NUMBA_", RuntimeWarning)  # numba's, with a traceback
        try:
            yield
        except RuntimeWarning as error:
            name = str(error).split("'")[1]
            raise AbapaError(f"{name}={cut(os.environ.get(name, ''))}: numba does not accept this value") from error


def _check_count(name: str) -> None:
    value = os.environ.get(name)
    if value is None:
        return
    try:
        counts = [read_whole(part.strip()) for part in value.split(",")]  # OMP_NUM_THREADS has one for each level
    except ValueError:
        counts = [0]
    if not all(1 <= count <= MOST_THREADS for count in counts) or (len(counts) > 1 and name != "OMP_NUM_THREADS"):
        raise AbapaError(f"{name}={cut(value)}: accepted are whole numbers from 1 to {MOST_THREADS}")


def _check_layer() -> None:
    """A layer of threads that is named must be there."""
    import numba

    try:
        numba.get_num_threads()
    except (ValueError, RuntimeError) as error:
        value = os.environ["NUMBA_THREADING_LAYER"]
        raise AbapaError(f"NUMBA_THREADING_LAYER={cut(value)}: numba finds no such layer here: unset it") from error
