"""``python -m solver`` and ``abapa``: the command, and what Ctrl-C does while it is still being imported."""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import NoReturn

_SOON = 0.05
"""Seconds after which a Ctrl-C is raised again: by then the callback that dropped it has mostly returned."""


def _leave(*_: object) -> NoReturn:
    """End at once: nothing has begun that would have to be kept."""
    try:
        os.write(2, b"abapa: interrupted\n")
    finally:
        os._exit(130)


def _raise_again(dropped: sys.UnraisableHookArgs) -> None:
    """Raise a Ctrl-C again that Python drops because it came inside a callback of a C library, as numba's compiler."""
    if not issubclass(dropped.exc_type, KeyboardInterrupt):
        return sys.__unraisablehook__(dropped)
    main = threading.main_thread().ident
    again = threading.Timer(_SOON, signal.pthread_kill, (main, signal.SIGINT))
    again.daemon = True
    again.start()


def run() -> NoReturn:
    """Run the command line of this process; never returns."""
    sys.unraisablehook = _raise_again
    heard = signal.getsignal(signal.SIGINT)
    if heard is signal.default_int_handler:  # not where the caller has had Ctrl-C ignored
        signal.signal(signal.SIGINT, _leave)
    from solver.cli import main

    signal.signal(signal.SIGINT, heard)
    try:
        main()
    except KeyboardInterrupt:  # between two statements of main
        _leave()
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Python is taking itself down: the exit code is settled
    sys.exit(0)


if __name__ == "__main__":
    run()
