"""Numbers as a person writes them in rule ids, options, records and protocols.

Python's own ``int`` and ``float`` also take digits of other scripts, underscores, blanks, ``inf`` and ``nan``, none of
which anybody means; these take ASCII digits and nothing else, and only what fits 64 bits. What a number may be, and the
words for one that is wrong, are left to the caller.
"""

from __future__ import annotations

import re

_WHOLE = re.compile(r"-?[0-9]{1,18}")
_DECIMAL = re.compile(r"-?(?:[0-9]{1,18}(?:\.[0-9]{0,18})?|\.[0-9]{1,18})(?:[eE][+-]?[0-9]{1,2})?")


def read_whole(text: str) -> int:
    """A whole number of at most 18 digits. Raises ValueError for anything else."""
    if _WHOLE.fullmatch(text) is None:
        raise ValueError(f"{text!r} is no whole number")
    return int(text)


def read_decimal(text: str) -> float:
    """A finite number such as ``2``, ``0.5``, ``.5`` or ``2e8``. Raises ValueError for anything else."""
    if _DECIMAL.fullmatch(text) is None:
        raise ValueError(f"{text!r} is no number")
    return float(text)
