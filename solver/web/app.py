"""The whole as one ASGI application: the addresses behind the guard, and errors as JSON."""

from __future__ import annotations

import traceback
from collections.abc import Awaitable, Callable
from itertools import groupby

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from solver.errors import AbapaError
from solver.web.errors import Refused
from solver.web.guard import Guard, Hosts
from solver.web.response import refusal
from solver.web.routes import ADDRESSES, Address
from solver.web.state import State

Answering = Callable[[Request], Awaitable[Response]]


def application(state: State, hosts: Hosts | None = None) -> Guard:
    """The application that answers from a state. ``hosts``: which Host headers it admits, those of 127.0.0.1 else."""
    return Guard(Addresses(state), hosts or Hosts())


class Addresses:
    """Finds what answers: fixed addresses in a dictionary, which is quicker, all others by Starlette's router."""

    def __init__(self, state: State) -> None:
        answering = {address: _bound(address, state) for address in ADDRESSES}
        self._fixed = {
            (address.method, address.path): answers for address, answers in answering.items() if "{" not in address.path
        }
        self._state = state
        self._at_once = {("GET", address.path): address.at_once for address in ADDRESSES if address.at_once}
        self._router = Starlette(
            routes=[
                Route(path, _by_method({address.method: answering[address] for address in addresses}), methods=methods)
                for path, addresses, methods in _by_path()
            ],
            exception_handlers={AbapaError: _tell, HTTPException: _refuse_address, Exception: _tell},
        )
        self._router.router.redirect_slashes = False

    def waits_for_nothing(self, scope: Scope) -> bool:
        """Whether :meth:`at_once` answers a request."""
        return (scope["method"], scope["path"]) in self._at_once

    def at_once(self, scope: Scope) -> Response:
        """The answer to a request, without the ceremony of ASGI, which would take as long as a look-up."""
        try:
            return self._at_once[scope["method"], scope["path"]](self._state, scope["query_string"])
        except Exception as error:
            return _told(error)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        answers = self._fixed.get((scope["method"], scope["path"])) if scope["type"] == "http" else None
        if answers is None:
            await self._router(scope, receive, send)
            return
        if self.waits_for_nothing(scope):
            response = self.at_once(scope)
        else:
            try:
                response = await answers(Request(scope, receive))
            except Exception as error:
                response = _told(error)
        await response(scope, receive, send)


def _bound(address: Address, state: State) -> Answering:
    """The endpoint of an address, answering from a state."""

    async def answers(request: Request) -> Response:
        return await address.endpoint(state, request)

    return answers


def _by_path() -> list[tuple[str, list[Address], list[str]]]:
    """Every path, with its addresses and their methods."""
    found = [(path, list(addresses)) for path, addresses in groupby(ADDRESSES, key=lambda address: address.path)]
    return [(path, addresses, [address.method for address in addresses]) for path, addresses in found]


def _by_method(answering: dict[str, Answering]) -> Answering:
    async def answers(request: Request) -> Response:
        return await answering["GET" if request.method == "HEAD" else request.method](request)

    return answers


async def _refuse_address(request: Request, error: Exception) -> Response:
    """What the router finds no endpoint for."""
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        headers = {"allow": (error.headers or {}).get("Allow", "GET")}
        return refusal(Refused("bad-method", f"accepted here: {headers['allow']}"), headers)
    return refusal(Refused("not-found", "there is no such address: /api/v1/ lists them"))


async def _tell(request: Request, error: Exception) -> Response:
    return _told(error)


def _told(error: Exception) -> Response:
    """The answer where one could not be given; a fault of our own is told to whoever runs the server alone."""
    if isinstance(error, AbapaError):
        return refusal(error)
    traceback.print_exception(error)
    return refusal(Refused("fault", "an error of the server's own: what it printed says more"))
