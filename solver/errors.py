"""The error a person can cause: one class, one line of text, exit code 2.

Everything that bad input, a bad file or a full disk can lead to derives from :class:`AbapaError`; the command line
prints its text and leaves tracebacks to faults of our own. More specific errors live beside the code that raises them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unicodedata import category

MOST_QUOTED = 80
"""The most characters of a person's text that a message repeats."""


def quoted(text: str, most: int = MOST_QUOTED) -> str:
    """A person's text as a message repeats it: in quotation marks, in one line, and cut where it is long."""
    return repr(text) if len(text) <= most else f"{text[:most]!r}..."


def cut(text: str, most: int = MOST_QUOTED) -> str:
    """The same without quotation marks."""
    return in_one_line(text[:most]) + ("" if len(text) <= most else "...")


def in_one_line(text: str) -> str:
    """A text with line breaks and other control characters as escapes: a terminal obeys those, whoever wrote them."""
    return "".join(repr(c)[1:-1] if category(c) in ("Cc", "Zl", "Zp") else c for c in text)


class AbapaError(Exception):
    """Base of all errors that name what was wrong with the input and what is accepted, in one line."""

    exit_code = 2

    def __reduce__(self) -> tuple[Callable[..., AbapaError], tuple[Any, ...]]:
        """Pickled as what it holds: most of its kinds are not made from their text, as pickle takes for granted.

        A pool of processes that cannot read an error back waits for ever.
        """
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: type[AbapaError], args: tuple[Any, ...], attributes: dict[str, Any]) -> AbapaError:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(attributes)
    return error


class PositionError(AbapaError, ValueError):
    """A position text, board or move that the rules do not admit."""


class RulesError(AbapaError, ValueError):
    """An unknown or inconsistent rule set."""
