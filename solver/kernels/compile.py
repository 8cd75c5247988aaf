"""How kernels are compiled: one decorator, one cache folder keyed by the sources.

numba's on-disk cache notices when a kernel's own file changes, but not when a function it calls in another module, or a
global it read, does: old answers would come back. So the cache folder's name is a hash of all our sources and of the
versions that shape the code, set before any kernel is declared. Every kernel of both packages is declared with
:func:`kernel` or :func:`parallel_kernel` from here and with nothing else.

Kernels index with unsigned integers and are not bounds-checked; ``NUMBA_BOUNDSCHECK=1`` checks them all (and has a
cache of its own).
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Threads of a parallel kernel wait a tenth of a millisecond for the next loop and then sleep. Spinning on is a little
# faster on an idle machine and ruinous on a busy one; sleeping at once costs more than a small level. The OpenMP
# runtime reads this when it loads, so it must be set before numba starts threads.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
os.environ.setdefault("GOMP_SPINCOUNT", "3000")

import llvmlite
import numba
import numpy as np
from numba import njit
from numba.core import config
from platformdirs import user_cache_path

CACHE_VARIABLE = "ABAPA_CACHE"
_PACKAGES = ("solver", "databases")
_NOT_COMPILED = {"cli", "web"}  # they declare no kernels and no constants that kernels read


def source_hash() -> str:
    """Hash of every source file that compiled code can depend on, and of the compiler's versions (16 hex digits)."""
    digest = hashlib.sha256()
    root = Path(__file__).resolve().parents[2]
    for package in _PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            if _NOT_COMPILED.isdisjoint(path.relative_to(root).parts):
                digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes() + b"\0")
    bounds = os.environ.get("NUMBA_BOUNDSCHECK", "")
    digest.update(
        repr((sys.version_info[:3], numba.__version__, llvmlite.__version__, np.__version__, bounds)).encode()
    )
    return digest.hexdigest()[:16]


def cache_folder() -> Path:
    """The folder of compiled kernels: ``$ABAPA_CACHE`` or the user cache folder, then the source hash."""
    base = os.environ.get(CACHE_VARIABLE)
    return (Path(base) if base else user_cache_path("abapa")) / f"kernels-{source_hash()}"


def _point_numba_at_our_cache() -> None:
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if sys.stderr.isatty() and not any(folder.iterdir()):
            print("Compiling kernels; this takes half a minute, once.", file=sys.stderr)
    except OSError:
        return  # numba falls back to its own choice, or compiles afresh: slower, never wrong
    config.CACHE_DIR = str(folder)  # pyright: ignore[reportAttributeAccessIssue]


_point_numba_at_our_cache()


_njit: Any = njit  # its stubs do not know all options


def kernel(function: Callable[..., Any]) -> Any:
    """Declare a compiled kernel: cached on disk, free of the interpreter lock, C division."""
    return njit(cache=True, nogil=True, error_model="numpy")(function)


def inline_kernel(function: Callable[..., Any]) -> Any:
    """Declare a small function that only kernels call; LLVM is told to put its body at every call.

    It counts no references (its arrays belong to the kernel that calls it) and so cannot allocate: otherwise every call
    would count each array it is handed, up and down, atomically.
    """
    return _njit(cache=True, nogil=True, error_model="numpy", forceinline=True, _nrt=False)(function)


def parallel_kernel(function: Callable[..., Any]) -> Any:
    """Declare a kernel with ``prange`` loops, one iteration a thread. Never enter two from two Python threads."""
    return njit(cache=True, nogil=True, error_model="numpy", parallel=True)(function)
