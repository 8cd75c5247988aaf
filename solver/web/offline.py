"""One request answered without a server: ``abapa serve --get PATH``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from starlette.types import ASGIApp, Message


def get(app: ASGIApp, address: str, write: Callable[[bytes], Any]) -> int:
    """Answer GET of an address (path and query), hand the body on as it comes, and return the status."""
    return asyncio.run(_get(app, address, write))


async def _get(app: ASGIApp, address: str, write: Callable[[bytes], Any]) -> int:
    path, _, query = address.partition("?")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode("utf-8", "surrogateescape"),
        "query_string": query.replace(" ", "%20").encode("utf-8", "surrogateescape"),
        "root_path": "",
        "headers": [(b"host", b"localhost")],
        "client": None,
        "server": ("localhost", 80),
    }
    status = 0

    async def receive() -> Message:
        await asyncio.Event().wait()  # the one who asks stays to the end
        raise AssertionError

    async def send(message: Message) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]
        else:
            write(message.get("body", b""))

    await app(scope, receive, send)
    return status
