"""Progress bars: on stderr, only on a terminal."""

from __future__ import annotations

from typing import Any


def progress_bar(total: int, unit: str, what: str) -> Any:
    """A tqdm bar over ``total`` units (a context manager with ``update``), silent unless stderr is a terminal."""
    from tqdm import tqdm

    return tqdm(total=total, unit=unit, unit_scale=True, desc=what, disable=None, leave=False, dynamic_ncols=True)
