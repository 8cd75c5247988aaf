"""The whole as one ASGI application: the addresses behind the guard, and errors as JSON."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from itertools import groupby

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from solver.errors import AbapaError
from solver.web.errors import Refused
from solver.web.guard import Guard, Hosts
from solver.web.response import refusal
from solver.web.routes import ADDRESSES, Address, Endpoint
from solver.web.state import State


def application(state: State, hosts: Hosts | None = None) -> Guard:
    """The application that answers from a state. ``hosts``: which Host headers it admits, those of 127.0.0.1 else."""
    app = Starlette(
        routes=[_route(list(addresses)) for _, addresses in groupby(ADDRESSES, key=lambda address: address.path)],
        exception_handlers={AbapaError: _refuse, HTTPException: _refuse_address, Exception: _own_fault},
    )
    app.router.redirect_slashes = False
    app.state.server = state
    return Guard(app, hosts or Hosts())


def _route(addresses: Sequence[Address]) -> Route:
    """One path, for all its methods."""
    endpoints = {address.method: address.endpoint for address in addresses}
    if len(addresses) == 1:
        return Route(addresses[0].path, addresses[0].endpoint, methods=list(endpoints))
    return Route(addresses[0].path, _by_method(endpoints), methods=list(endpoints))


def _by_method(endpoints: dict[str, Endpoint]) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        return await endpoints["GET" if request.method == "HEAD" else request.method](request)

    return endpoint


async def _refuse(request: Request, error: Exception) -> Response:
    assert isinstance(error, AbapaError)
    return refusal(error)


async def _refuse_address(request: Request, error: Exception) -> Response:
    """What the router finds no endpoint for."""
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        headers = {"allow": (error.headers or {}).get("Allow", "GET")}
        return refusal(Refused("bad-method", f"accepted here: {headers['allow']}"), headers)
    return refusal(Refused("not-found", "there is no such address: /api/v1/ lists them"))


async def _own_fault(request: Request, error: Exception) -> Response:
    """A fault of our own: told to whoever runs the server, not to who asked."""
    traceback.print_exception(error)
    return refusal(Refused("fault", "an error of the server's own: what it printed says more"))
