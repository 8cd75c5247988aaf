"""How kernels are compiled: one decorator, one cache folder keyed by the sources.

numba's on-disk cache notices when a kernel's own file changes, but not when a function it calls in another module, or a
global it read, does: old answers would come back. So the cache folder's name is a hash of all our sources and of the
versions that shape the code, set before any kernel is declared. Every kernel of both packages is declared with
:func:`kernel` or :func:`parallel_kernel` from here and with nothing else.

A cache that cannot be written costs time and nothing else: kernels are then compiled anew in every run, and one line on
stderr says which variable would help. An entry that is damaged is compiled again: each is kept under a hash.

Kernels index with unsigned integers and are not bounds-checked; ``NUMBA_BOUNDSCHECK=1`` checks them all (and has a
cache of its own).
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import os
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

# Threads of a parallel kernel wait a tenth of a millisecond for the next loop and then sleep. Spinning on is a little
# faster on an idle machine and ruinous on a busy one; sleeping at once costs more than a small level. The OpenMP
# runtime reads this when it loads, so it must be set before numba starts threads.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
os.environ.setdefault("GOMP_SPINCOUNT", "3000")

import llvmlite
import numba
import numpy as np
from numba import njit
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile
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
    """The folder of compiled kernels: ``$ABAPA_CACHE`` or the user cache folder, then the source hash; absolute.

    Where there is neither a variable nor a home it lies below the root, where only the superuser may write.
    """
    base = os.environ.get(CACHE_VARIABLE)
    found = Path(base).absolute() if base else user_cache_path("abapa")
    return (found if found.is_absolute() else Path("/var/cache/abapa")) / f"kernels-{source_hash()}"


FOLDER = cache_folder()


def _announce() -> None:
    """Tell a person at a terminal, before the first compilation, how long it takes."""
    try:
        FOLDER.mkdir(parents=True, exist_ok=True)
        if sys.stderr.isatty() and not any(FOLDER.iterdir()):
            print("Compiling kernels; this takes half a minute, once.", file=sys.stderr)
    except OSError:
        pass  # said when the first kernel cannot be kept: until then nothing is lost


_announce()


class _Locator:
    """Where the kernels of one source file are kept, in the form that numba asks for."""

    def __init__(self, source: str, line: int) -> None:
        self._py_file, self._line = source, line  # numba names the file in a warning

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _Locator:
        return cls(py_file, py_func.__code__.co_firstlineno)

    def get_cache_path(self) -> str:
        where = Path(self._py_file).absolute().parent
        return str(FOLDER / f"{where.name}_{hashlib.sha1(os.fsencode(where)).hexdigest()}")

    def ensure_cache_path(self) -> None:
        Path(self.get_cache_path()).mkdir(parents=True, exist_ok=True)

    def get_source_stamp(self) -> bytes:
        return _file_hash(self._py_file)

    def get_disambiguator(self) -> str:
        return str(self._line)


@functools.cache
def _file_hash(path: str) -> bytes:
    return hashlib.sha256(Path(path).read_bytes()).digest()


class _Implementation(CompileResultCacheImpl):
    _locator_classes: ClassVar[list[Any]] = [_Locator]


class _SealedFile(IndexDataCacheFile):
    """Entries of a cache, each with a hash of what it is and of which kernel: nothing else is ever run."""

    def save(self, key: Any, data: Any) -> None:
        body = self._dump(data)
        super().save(key, (_seal(key, body), body))

    def load(self, key: Any) -> Any:
        found = super().load(key)
        if found is None:
            return None
        seal, body = found
        return pickle.loads(body) if seal == _seal(key, body) else None


def _seal(key: Any, body: bytes) -> bytes:
    return hashlib.sha256(repr(key).encode() + b"\0" + body).digest()


class KernelCache(FunctionCache):
    """One function's kernels on disk. What cannot be read is compiled again; what cannot be written is not kept."""

    _impl_class = _Implementation
    writable: ClassVar[bool] = True

    def __init__(self, py_func: Callable[..., Any]) -> None:
        super().__init__(py_func)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _SealedFile(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # a damaged pickle raises nearly anything
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        if not KernelCache.writable:
            return
        try:
            self._save(sig, data)
        except OSError as error:
            KernelCache.writable = False  # one line is enough, and the next kernel would fare no better
            _complain(error)

    def _save(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError:
            raise
        except Exception:  # the index there is damaged: begin a new one
            self.flush()
            super().save_overload(sig, data)


def _complain(error: OSError) -> None:
    if sys.stderr is not None:
        why = error.strerror or error
        text = f"abapa: compiled kernels cannot be kept in {FOLDER} ({why}), so every run compiles them again: "
        print(f"{text}set {CACHE_VARIABLE} to a folder that can be written", file=sys.stderr)


def _compiled(function: Callable[..., Any], **options: Any) -> Any:
    """A function compiled with ``options`` and kept on disk."""
    dispatcher = _njit(nogil=True, error_model="numpy", **options)(function)
    if Path(inspect.getfile(function)).exists():
        dispatcher._cache = KernelCache(function)
    return dispatcher


_njit: Any = njit  # its stubs do not know all options


def kernel(function: Callable[..., Any]) -> Any:
    """Declare a compiled kernel: cached on disk, free of the interpreter lock, C division."""
    return _compiled(function)


def inline_kernel(function: Callable[..., Any]) -> Any:
    """Declare a small function that only kernels call; LLVM is told to put its body at every call.

    It counts no references (its arrays belong to the kernel that calls it) and so cannot allocate: otherwise every call
    would count each array it is handed, up and down, atomically.
    """
    return _compiled(function, forceinline=True, _nrt=False)


def parallel_kernel(function: Callable[..., Any]) -> Any:
    """Declare a kernel with ``prange`` loops, one iteration a thread. Never enter two from two Python threads."""
    return _compiled(function, parallel=True)
