"""The process that meets the damage: it takes a case a line, asks Abapa, and says what came of it, a line each.

A case names a function of :mod:`tests.hostile.asks` and its arguments. What comes of it is one of ``answer``,
``refused`` (an AbapaError and its text) and ``raised`` (any other exception, with the place). A crash or a hang says
nothing: the other side (:mod:`tests.hostile.courier`) notices. Before each case the memory that may be taken is bounded
(RLIMIT_AS), so that a file which asks for gigabytes is caught at it.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import traceback
from pathlib import Path
from typing import Any

ROOM = 512 << 20
"""Bytes of address space that a case may take."""


def main() -> None:
    """Serve until stdin ends. Answers go to what was stdout; what Abapa prints by itself goes to stderr."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    from tests.hostile import asks, names

    for line in sys.stdin:
        case = json.loads(line)
        _bound_memory()
        print(json.dumps(_outcome(asks, names, case)), file=answers, flush=True)


def _outcome(asks: Any, names: Any, case: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"answer": getattr(asks, case["ask"])(**case["arguments"])}
    except names.AbapaError as error:
        return {"refused": str(error)}
    except BaseException as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        return {"raised": f"{type(error).__name__}: {str(error)[:200]} ({Path(place.filename).name}:{place.lineno})"}


def _bound_memory() -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + ROOM, hard))


if __name__ == "__main__":
    main()
