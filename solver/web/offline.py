"""One request answered without a server: ``abapa serve --get PATH``, and the examples of docs/http.md."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from starlette.types import ASGIApp, Message


def ask(app: ASGIApp, address: str, body: bytes | None = None) -> tuple[int, bytes]:
    """The status and body of an answer: to GET of an address (path and query), or to POST of JSON."""
    parts: list[bytes] = []
    return tell(app, address, parts.append, body), b"".join(parts)


def tell(app: ASGIApp, address: str, write: Callable[[bytes], Any], body: bytes | None = None) -> int:
    """The same, the body handed on as it comes; returns the status."""
    return asyncio.run(_tell(app, address, write, body))


async def _tell(app: ASGIApp, address: str, write: Callable[[bytes], Any], body: bytes | None) -> int:
    path, _, query = address.partition("?")
    raw = path.encode("utf-8", "surrogateescape")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "GET" if body is None else "POST",
        "scheme": "http",
        "path": unquote(path),
        "raw_path": raw,
        "query_string": query.replace(" ", "%20").encode("utf-8", "surrogateescape"),
        "root_path": "",
        "headers": [(b"host", b"localhost"), (b"content-type", b"application/json")],
        "client": None,
        "server": ("localhost", 80),
    }
    sent, status = False, 0

    async def receive() -> Message:
        nonlocal sent
        if sent:
            await asyncio.Event().wait()  # who asks stays to the end
        sent = True
        return {"type": "http.request", "body": body or b""}

    async def send(message: Message) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]
        else:
            write(message.get("body", b""))

    await app(scope, receive, send)
    return status
