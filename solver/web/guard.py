"""Who may ask, and what every answer says to browsers: stands before everything else.

A page of another site must not read or use the server through its visitor's browser. So the Host header must name this
machine (else a hostile name that resolves to 127.0.0.1 would do), requests that a browser calls cross-site are refused
unless somebody followed a link, and no answer allows another origin anything. The page may run its own scripts only.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Iterable
from functools import lru_cache
from typing import Protocol

from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from solver.web.errors import Refused
from solver.web.request import shown
from solver.web.response import refusal

LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(?::[0-9]{1,5})?")

HEADERS: list[tuple[bytes, bytes]] = [
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        b"font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
]
"""What every answer says: scripts and styles from here alone and none inline, no guessing, no referrer, no frames."""


class Hosts:
    """Which Host headers name this machine: its own names, and any address where it listens to other machines."""

    def __init__(self, bound: str = "127.0.0.1") -> None:
        self.names = LOCAL_NAMES | {bound.lower()}
        self.open = not _is_loopback(bound)
        if self.open:
            self.names |= {socket.gethostname().lower()}
        self.admit = lru_cache(maxsize=64)(self._admit)
        """Whether a Host header names this machine; the port is not looked at, since it may be forwarded."""

    def _admit(self, header: str) -> bool:
        match = _HOST.fullmatch(header)
        if match is None:
            return False
        name = match[1].strip("[]").lower()
        return name in self.names or (self.open and _is_address(name))


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_loopback(name: str) -> bool:
    return ipaddress.ip_address(name).is_loopback if _is_address(name) else name.lower() == "localhost"


class App(Protocol):
    """What stands behind the guard: an ASGI application that can answer some requests at once."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None: ...
    def waits_for_nothing(self, scope: Scope) -> bool: ...
    def at_once(self, scope: Scope) -> Response: ...


class Guard:
    """The application behind the checks and headers of this module."""

    def __init__(self, app: App, hosts: Hosts) -> None:
        self.app, self.hosts = app, hosts
        self.waits_for_nothing = app.waits_for_nothing

    def at_once(self, scope: Scope) -> Response:
        """The answer to a request that waits for nothing; :data:`HEADERS` are to be added."""
        refused = self._refused(scope["headers"])
        return self.app.at_once(scope) if refused is None else refusal(refused)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *HEADERS]
            await send(message)

        refused = self._refused(scope["headers"])
        answering = self.app if refused is None else refusal(refused)
        await answering(scope, receive, send_guarded)

    def _refused(self, headers: Iterable[tuple[bytes, bytes]]) -> Refused | None:
        """Why a request is refused by its headers, if it is."""
        hosts, site, mode = [], b"", b""
        for name, value in headers:
            if name == b"host":
                hosts.append(value.decode("latin-1"))
            elif name == b"sec-fetch-site":
                site = value
            elif name == b"sec-fetch-mode":
                mode = value
        if len(hosts) != 1 or not self.hosts.admit(hosts[0]):
            accepted = f"accepted are {', '.join(sorted(self.hosts.names))}"
            return Refused("bad-host", f"the Host header {shown(' '.join(hosts))!r} names another machine: {accepted}")
        if site in (b"cross-site", b"same-site") and mode != b"navigate":
            return Refused("cross-site", "another site's page may not ask: open the address itself")
        return None
