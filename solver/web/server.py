"""The application on a port: uvicorn, with limits that it does not have itself.

A request must be whole within :data:`REQUEST_SECONDS`, and its answer taken within as many; else its connection is
cut. A connection that asks nothing is closed after :data:`IDLE_SECONDS`; of more than :data:`CONNECTIONS` the one that
has longest kept the server waiting is cut for the newcomer. So slow or half requests can neither hang the server nor
fill it. Ctrl-C cuts all connections and ends at once.
"""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Iterable
from types import FrameType
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from solver.errors import AbapaError
from solver.web.app import application
from solver.web.guard import HEADERS, Hosts
from solver.web.state import State

REQUEST_SECONDS = 10.0
IDLE_SECONDS = 30
CONNECTIONS = 128
MOST_HEAD = 16 << 10
"""Bytes of a request's line and headers, where they come in parts."""
MOST_REFUSED = 1 << 20
"""Bytes of a body that are passed over when it has been refused."""


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens. Raises AbapaError where the port cannot be had."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(address)
            listening.listen(CONNECTIONS)
        except OSError:
            listening.close()
            raise
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise AbapaError(f"cannot listen on {host} port {port}: {reason}; --port takes another one") from error
    return listening


def address_of(listening: socket.socket) -> str:
    """The address to open in a browser."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def server_of(state: State, host: str) -> Server:
    """A server for what a state answers; ``run([socket])`` serves until Ctrl-C, which raises KeyboardInterrupt."""
    config = uvicorn.Config(
        application(state, Hosts(host)),
        http=Connection,
        loop="asyncio",
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=1,
    )
    return Server(config, state)


class Server(uvicorn.Server):
    """uvicorn's, but it waits for nobody when it is to end."""

    def __init__(self, config: uvicorn.Config, state: State) -> None:
        super().__init__(config)
        self._state = state

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End, whatever is under way."""
        super().handle_exit(sig, frame)
        self.force_exit = sig in (signal.SIGINT, signal.SIGTERM)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Cut every connection, stop what runs for them, and close."""
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        self._state.close()
        await super().shutdown(sockets)


class Gathered(asyncio.Transport):
    """A transport that sends together what is written in one turn of the event loop.

    uvicorn writes the head of an answer and its body one after the other, and each would be a call of the system and
    a packet: most of a look-up's time.
    """

    MOST = 64 << 10
    """Bytes held back at most."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self._transport, self._loop = transport, loop
        self._held: list[bytes] = []
        self.abort, self.is_closing = transport.abort, transport.is_closing
        self.get_extra_info, self.set_protocol = transport.get_extra_info, transport.set_protocol
        self.pause_reading, self.resume_reading = transport.pause_reading, transport.resume_reading

    def write(self, data: bytes) -> None:  # type: ignore[override]
        """Send, at the end of this turn of the event loop or before."""
        if not self._held:
            self._loop.call_soon(self._send)
        self._held.append(data)
        if sum(map(len, self._held)) > self.MOST:
            self._send()

    def _send(self) -> None:
        held, self._held = self._held, []
        if held and not self.is_closing():
            self._transport.write(b"".join(held))

    def write_now(self, data: bytes) -> None:
        """Send at once, after what is held back."""
        if self._held:
            self._held.append(data)
            self._send()
        elif not self.is_closing():
            self._transport.write(data)

    def close(self) -> None:
        """Send what is held back, then close."""
        self._send()
        self._transport.close()

    def get_write_buffer_size(self) -> int:
        """Bytes that the other side has not taken."""
        return sum(map(len, self._held)) + self._transport.get_write_buffer_size()


class Connection(HttpToolsProtocol):
    """uvicorn's connection, with limits for a request to come and for its answer to be taken.

    What waits for nothing it answers itself, without a task and messages of ASGI.
    """

    transport: Any  # Gathered

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._guard: Any = self.app
        self._reading = False
        """Whether what has come is being read."""
        self._due: RequestResponseCycle | None = None
        """A request to be answered as soon as that is read."""
        self._since = self.loop.time()
        """When the server began to wait for a request."""
        self._outside = 0
        """Bytes received since then that belong to no request under way."""
        self._deadline: asyncio.TimerHandle | None = None
        self._taken: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(Gathered(transport, self.loop))
        self._await_request()
        held = [other for other in self.connections if not other.transport.is_closing()]
        if len(held) > CONNECTIONS:
            others = (other for other in held if isinstance(other, Connection) and other is not self)
            waiting = [other for other in others if other._keeps_waiting]
            min(waiting, key=lambda other: other._since, default=self).transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        if self._taken is not None:
            self._taken.cancel()
        super().connection_lost(exc)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        if not cycle.keep_alive or not self._guard.waits_for_nothing(cycle.scope):
            super()._start_asgi_task(cycle, app)
        elif self._reading:
            self._due = cycle
        else:  # one of several that came together: others are answered in between
            self.loop.call_soon(self._answer_at_once, cycle)

    def _answer_at_once(self, cycle: RequestResponseCycle) -> None:
        if self.transport.is_closing():
            return
        if self.flow.write_paused:  # who asks does not take the answers: uvicorn's way is to wait
            super()._start_asgi_task(cycle, self._guard)
            return
        response = self._guard.at_once(cycle.scope)
        head = _lines(self.server_state.default_headers + response.raw_headers) + _GUARDS
        cycle.response_started = cycle.response_complete = True
        self.transport.write_now(b"%b%b\r\n%b" % (STATUS_LINE[response.status_code], head, response.body))
        self.on_response_complete()

    def on_response_complete(self) -> None:
        """As uvicorn's, but no more is read while requests wait: who sends on without end would fill the memory."""
        if self.pipeline and not self.transport.is_closing():
            self._start_asgi_task(*self.pipeline.pop())
        else:
            super().on_response_complete()

    def data_received(self, data: bytes) -> None:
        self._reading = True
        super().data_received(data)
        self._reading = False
        if self._deadline is None and self._keeps_waiting:  # a request that comes whole needs no clock
            self._await_request()
        if self._at_rest:
            self._outside += len(data)
            refused_body = self.cycle is not None and self.cycle.more_body  # answered before it was whole
            if self._outside > (MOST_REFUSED if refused_body else MOST_HEAD):
                self.transport.abort()
        else:
            self._outside = 0
            if not self.cycle.more_body:
                self._forget()
        if self._due is not None:
            due, self._due = self._due, None
            self._answer_at_once(due)

    @property
    def _at_rest(self) -> bool:
        """Whether no request is under way, so that what comes is the beginning of one."""
        return self.cycle is None or self.cycle.response_complete

    @property
    def _keeps_waiting(self) -> bool:
        """Whether no whole request is being answered."""
        return self._at_rest or self.cycle.more_body

    def _await_request(self) -> None:
        self._since = self.loop.time()
        self._deadline = self.loop.call_later(REQUEST_SECONDS, self._cut)

    def _forget(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _cut(self) -> None:
        self._deadline = None
        self.transport.abort()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._taken = self.loop.call_later(REQUEST_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._taken is not None:
            self._taken.cancel()
            self._taken = None

    def timeout_keep_alive_handler(self) -> None:
        """Closing would wait for what has not been taken."""
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            super().timeout_keep_alive_handler()


def _lines(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Headers as they are sent."""
    return b"".join([b"%b: %b\r\n" % header for header in headers])


_GUARDS = _lines(HEADERS)
