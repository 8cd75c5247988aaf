"""Writing answers: JSON, server-sent events, refusals."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any

import orjson
from starlette.responses import Response, StreamingResponse

from solver.errors import AbapaError
from solver.web.errors import RETRY_SECONDS, STATUS, error_object, kind_of

SIDE_NAMES = ("south", "north")
"""How answers call the sides, 0 and 1."""

_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
"""ASCII only: whatever text came in, lone surrogates among it, goes out again."""


def json_bytes(value: Any) -> bytes:
    """A value as one line of JSON, in UTF-8."""
    try:
        return orjson.dumps(value)
    except orjson.JSONEncodeError:  # a lone surrogate, or a number of more than 64 bits, that an error repeats
        return _encode(value).encode("ascii")


class Json(Response):
    """An answer in JSON, which is not to be stored: tables may come and go."""

    media_type = "application/json"

    def init_headers(self, headers: Mapping[str, str] | None = None) -> None:
        """The same few for every answer, without a look at what each is."""
        self.raw_headers = [(b"content-length", b"%d" % len(self.body)), *_FIXED]
        if headers:
            self.raw_headers += [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]

    def render(self, content: Any) -> bytes:
        return json_bytes(content) + b"\n"


class JsonList(Json):
    """An answer in JSON whose items are JSON already: values of many answers at once would keep the collector busy."""

    def render(self, content: Iterable[bytes]) -> bytes:
        return b"[%b]\n" % b",".join(content)


_FIXED = ((b"content-type", b"application/json"), (b"cache-control", b"no-store"))


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
