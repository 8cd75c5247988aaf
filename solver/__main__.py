"""``python -m solver`` and ``abapa``: the command, and what Ctrl-C does while it is still being imported."""

import os
import signal
import sys
from typing import NoReturn


def _leave(*_: object) -> NoReturn:
    """End at once: nothing has begun that would have to be kept."""
    try:
        os.write(2, b"abapa: interrupted\n")
    finally:
        os._exit(130)


def run() -> NoReturn:
    """Run the command line of this process; never returns."""
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
