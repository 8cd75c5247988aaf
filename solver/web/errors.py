"""What a request can be refused for: the kinds of error, and the one table from kind to status.

Every refusal is JSON with ``error.kind``, a message in one line, ``where`` (the parameter or part that was wrong), and
for a missing table its ``seeds``, the ``command`` that builds it and what that ``build`` needs.
Nothing outside this module decides a status.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from databases.files.faults import TableError
from databases.prober import MissingTierError
from solver.errors import AbapaError, PositionError, RulesError
from solver.oware.ogn import OgnError
from solver.web.missing import needs_of

STATUS: dict[str, int] = {
    "bad-position": 400,
    "bad-rules": 400,
    "bad-move": 400,
    "bad-parameter": 400,
    "bad-record": 400,
    "cross-site": 403,
    "missing-tier": 404,
    "not-found": 404,
    "bad-method": 405,
    "too-large": 413,
    "bad-host": 421,
    "too-many": 429,
    "fault": 500,
    "no-tables": 503,
    "damaged-table": 503,
    "busy": 503,
}
"""The kinds of error and the HTTP status of each."""

MEANING: dict[str, str] = {
    "bad-position": "the position is none, or its game is over where one is wanted that goes on",
    "bad-rules": "there is no such rule set",
    "bad-move": "a move of `moves` is not legal where it stands",
    "bad-parameter": "a parameter, or the body, is not what is accepted; an unknown or repeated one too",
    "bad-record": "the text is no game record",
    "cross-site": "another site's page asked",
    "missing-tier": "no table answers: `command` builds it",
    "not-found": "there is no such address",
    "bad-method": "the address is there, but not for this method",
    "too-large": "the body, or what it asks for, is larger than is accepted",
    "bad-host": "the Host header names another machine",
    "too-many": "as many searches run as may at once: try again after `Retry-After` seconds",
    "fault": "an error of the server's own",
    "no-tables": "these rules can have no tables",
    "damaged-table": "the table is there but cannot be read: `abapa check` says more",
    "busy": "the server has enough to do: try again after `Retry-After` seconds",
}
"""What each kind means, for docs/http.md."""

RETRY_SECONDS = {"too-many": 3, "busy": 1}
"""The ``Retry-After`` of what passes by itself."""


class Refused(AbapaError):
    """A request that is refused: its kind, what was wrong and where; ``answer`` is what can be said all the same."""

    def __init__(
        self, kind: str, message: str, where: str | None = None, *, answer: dict[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.kind, self.where, self.answer = kind, where, answer or {}


def kind_of(error: AbapaError) -> str:
    """The kind of an error that a person can cause."""
    if isinstance(error, Refused):
        return error.kind
    kinds: list[tuple[type[AbapaError], str]] = [
        (MissingTierError, "missing-tier"),
        (TableError, "damaged-table"),
        (OgnError, "bad-record"),
        (RulesError, "bad-rules"),
        (PositionError, "bad-position"),
    ]
    return next((kind for cls, kind in kinds if isinstance(error, cls)), "bad-parameter")


def error_object(error: AbapaError) -> dict[str, Any]:
    """What a refusal says: ``{"error": {...}}``, with what can be answered all the same beside it."""
    cause = error.__cause__ if isinstance(error.__cause__, MissingTierError) else error
    missing = cause if isinstance(cause, MissingTierError) else None
    answer = error.answer if isinstance(error, Refused) else {}
    return {
        "error": {
            "kind": kind_of(error),
            "message": " ".join(str(error).split()),
            "where": error.where if isinstance(error, Refused) else None,
            "command": missing.command if missing else None,
            "seeds": missing.seeds if missing else None,
            "build": asdict(needs_of(missing)) if missing else None,
        },
        **answer,
    }
