"""Writing answers: JSON, server-sent events, refusals."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

from starlette.responses import Response, StreamingResponse

from solver.errors import AbapaError
from solver.web.errors import RETRY_SECONDS, STATUS, error_object, kind_of

_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
"""ASCII only: whatever text came in, lone surrogates among it, goes out again."""


def json_bytes(value: Any) -> bytes:
    """A value as one line of JSON."""
    return _encode(value).encode("ascii")


class Json(Response):
    """An answer in JSON, which is not to be stored: tables may come and go."""

    media_type = "application/json"

    def __init__(self, content: Any, status_code: int = 200, headers: dict[str, str] | None = None) -> None:
        super().__init__(content, status_code, {"cache-control": "no-store", **(headers or {})})

    def render(self, content: Any) -> bytes:
        return json_bytes(content) + b"\n"


def refusal(error: AbapaError, headers: dict[str, str] | None = None) -> Json:
    """The answer to what is refused."""
    kind = kind_of(error)
    retry = {"retry-after": str(RETRY_SECONDS[kind])} if kind in RETRY_SECONDS else {}
    return Json(error_object(error), STATUS[kind], retry | (headers or {}))


def event(name: str, data: Any) -> bytes:
    """One server-sent event."""
    return b"event: %s\ndata: %s\n\n" % (name.encode("ascii"), json_bytes(data))


class Events(StreamingResponse):
    """Server-sent events as they come."""

    def __init__(self, events: AsyncIterator[bytes]) -> None:
        super().__init__(events, headers={"cache-control": "no-store"}, media_type="text/event-stream")
