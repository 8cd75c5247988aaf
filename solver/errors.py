"""The error a person can cause: one class, one line of text, exit code 2.

Everything that bad input, a bad file or a full disk can lead to derives from :class:`AbapaError`; the command line
prints its text and leaves tracebacks to faults of our own. More specific errors live beside the code that raises them.
"""


class AbapaError(Exception):
    """Base of all errors that name what was wrong with the input and what is accepted, in one line."""

    exit_code = 2


class PositionError(AbapaError, ValueError):
    """A position text, board or move that the rules do not admit."""


class RulesError(AbapaError, ValueError):
    """An unknown or inconsistent rule set."""
