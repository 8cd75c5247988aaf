"""Every address of the server, with what answers it; docs/http.md and ``/api/v1/`` are made of this table.

The first line of an endpoint's docstring says what it answers, the rest what its parameters are. Endpoints read the
request, ask, and answer; they know no rules.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from solver.errors import AbapaError
from solver.oware import ogn
from solver.web.errors import Refused, error_object
from solver.web.jobs import Job
from solver.web.omweso import answer as omweso_answer
from solver.web.omweso import search as omweso_searching
from solver.web.omweso.game import AskedGame, setups_object
from solver.web.omweso.game import read_rules as read_omweso_rules
from solver.web.oware import answer as oware_answer
from solver.web.oware import review as reviewing
from solver.web.oware import search as oware_searching
from solver.web.oware.game import MOST_MOVES, read_game, read_rules
from solver.web.oware.search import BY_NUMBER, LEVELS, Wanted, level_object, read_limits
from solver.web.page import FIRST
from solver.web.request import Fields, body_of, json_of, reading
from solver.web.response import Events, Json, JsonList, json_bytes
from solver.web.state import State
from solver.web.tables import one_tier, tables_object

API = "/api/v1"
MOST_POSITIONS = 256
MOST_BODY = 256 << 10
MOST_BATCH_MOVES = 8 * MOST_MOVES
TURN_SECONDS = 0.001
"""How long many positions are answered before others have their turn."""

Endpoint = Callable[[State, Request], Awaitable[Response]]
AtOnce = Callable[[State, bytes], Response]


@dataclass(frozen=True)
class Address:
    """One address: a method, a path (Starlette's pattern), the endpoint, and the sort of answer.

    ``at_once``: the same answer from the query alone, for what waits for nothing and is asked thousands of times.
    """

    method: str
    path: str
    endpoint: Endpoint
    answers: str = "application/json"
    at_once: AtOnce | None = None

    @property
    def words(self) -> str:
        """What it answers, in one line."""
        return (self.endpoint.__doc__ or "").strip().split("\n", 1)[0]


def _fields(request: Request) -> Fields:
    return Fields.of_query(request.scope["query_string"])


# -- Oware ------------------------------------------------------------------------------------------------------------


async def oware_position(state: State, request: Request) -> Response:
    """What a position is worth, and each move, best first.

    ``rules`` (abapa), ``position`` (start), ``moves``: letters played from there, so that repetition is known.
    """
    return look_up(state, request.scope["query_string"])


def look_up(state: State, query: bytes) -> Response:
    """The answer of :func:`oware_position`."""
    fields = Fields.of_query(query)
    game = read_game(fields)
    fields.close()
    return Json(oware_answer.answer(state, game))


async def oware_positions(state: State, request: Request) -> Response:
    """The same of up to 256 positions: a JSON array of objects with the same fields, answered each in its place.

    What cannot be answered is an object with ``error`` in its place. All ``moves`` together: up to 8,000.
    """
    _fields(request).close()
    asked = json_of(await body_of(request, MOST_BODY))
    if not isinstance(asked, list):
        raise Refused("bad-parameter", "the body: accepted is a JSON array of positions")
    if len(asked) > MOST_POSITIONS:
        raise Refused("too-large", f"{len(asked):,} positions: accepted are up to {MOST_POSITIONS}")
    if sum(len(item.get("moves") or "") for item in asked if _has_moves(item)) > MOST_BATCH_MOVES:
        raise Refused("too-large", f"accepted are up to {MOST_BATCH_MOVES:,} moves together")
    answers, clock = [], asyncio.get_running_loop().time
    since = clock()
    for item in asked:
        try:
            fields = Fields.of_object(item)
            game = read_game(fields)
            fields.close()
            answers.append(json_bytes(oware_answer.answer(state, game)))
        except AbapaError as error:
            answers.append(json_bytes(error_object(error)))
        if clock() - since > TURN_SECONDS:
            await asyncio.sleep(0)  # others are answered in between
            since = clock()
    return JsonList(answers)


def _has_moves(item: Any) -> bool:
    return isinstance(item, dict) and isinstance(item.get("moves"), str)


async def oware_line(state: State, request: Request) -> Response:
    """Best play by both sides from a position.

    ``rules``, ``position``, ``moves`` as above; ``limit``: most moves, 1 to 200 (60).
    """
    fields = _fields(request)
    game, limit = read_game(fields), fields.whole("limit", 1, 200, 60)
    fields.close()
    return Json(oware_answer.line(state, game, limit))


async def oware_search(state: State, request: Request) -> Response:
    """Search a position deeper and deeper: an event ``depth`` for each depth, then ``done``, or ``error``.

    ``rules``, ``position``, ``moves`` as above; ``seconds`` up to 30 (3); ``depth`` 1 to 100; ``multipv``: the best so
    many moves, 1 to 8 (1); ``tables``: on or off (on); ``level``: no more nodes than that level looks at. At most two
    searches run at once; one ends when its client goes.
    """
    fields = _fields(request)
    game, wanted = read_game(fields), Wanted.read(fields, 8)
    fields.close()
    return Events(oware_searching.search(state, game, wanted))


async def oware_play(state: State, request: Request) -> Response:
    """The engine's move at a level of strength, and how it was weakened.

    ``rules``, ``position``, ``moves`` as above; ``level`` 1 to 8 (8); ``seed``: of the level's errors, which are drawn
    anew without one.
    """
    fields = _fields(request)
    game, level = read_game(fields), fields.choice("level", BY_NUMBER, str(len(LEVELS)))
    seed = fields.whole("seed", 0, 2**53) if "seed" in fields else None
    fields.close()
    return Json(await oware_searching.play(state, game, level, seed))


async def levels(state: State, request: Request) -> Response:
    """The levels of strength, the weakest first."""
    _fields(request).close()
    return Json([level_object(level) for level in LEVELS])


async def oware_review(state: State, request: Request) -> Response:
    """What each move of a game was worth, what it lost, and which was best.

    The body is a game record (Oware Game Notation, text/plain, up to 64 KiB), or, as application/json, an object with
    ``start``, ``rules`` and ``moves``. A loss of 1 to 3 seeds is an inaccuracy, of 4 and more a mistake; one that
    changes who wins is a blunder. Where a value is an estimate, a loss of 1 to 3 seeds is always an inaccuracy.
    """
    _fields(request).close()
    body = await body_of(request, reviewing.MOST_RECORD)
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() == "application/json":
        record = reviewing.record_of(reviewing.game_of_object(json_of(body)))
    else:
        with reading("body"):
            record = reviewing.read_record(body.decode("utf-8", errors="replace"))
    return Json(await reviewing.review(state, record))


async def oware_record(state: State, request: Request) -> Response:
    """The game as a record in Oware Game Notation.

    ``rules``, ``position``, ``moves`` as above.
    """
    fields = _fields(request)
    game = read_game(fields)
    fields.close()
    headers = {"content-disposition": 'attachment; filename="game.ogn"', "cache-control": "no-store"}
    return Response(ogn.dump([reviewing.record_of(game)]), headers=headers, media_type="text/plain")


# -- tables -----------------------------------------------------------------------------------------------------------


async def tables(state: State, request: Request) -> Response:
    """Which tables there are: of each rule set the tiers, with counts, size and hash."""
    _fields(request).close()
    return Json(tables_object(state))


async def tier(state: State, request: Request) -> Response:
    """One tier: the same, with the histogram of its values and its longest distance.

    The path names the rule set and the number of seeds; a position with the longest distance comes with it.
    """
    _fields(request).close()
    fields = Fields(request.path_params)
    rules_id, seeds = fields.text("rules"), fields.whole("seeds", 0, 127)
    with reading("rules"):
        rules = read_rules(rules_id)
    return Json(await one_tier(state, rules, seeds))


# -- Omweso -----------------------------------------------------------------------------------------------------------


def _listed(state: State, make: Callable[[], dict[str, Any]]) -> Awaitable[dict[str, Any]]:
    """What lists turns, on the thread for it."""

    def work(job: Job[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        yield make()

    return state.listing(work)


async def omweso_position(state: State, request: Request) -> Response:
    """Every turn of an Omweso position, with its choices, what it captures and the board after it.

    ``rules`` (tournament); ``position``: counts, or names of set-ups (all-two); ``first_turn`` and ``fresh``, 0 or 1:
    whether the turn is the mover's first, and whether nobody has captured yet; ``moves``: turns played from there,
    separated by commas.
    """
    fields = _fields(request)
    asked = AskedGame.read(fields)
    fields.close()
    return Json(await _listed(state, lambda: omweso_answer.answer(asked)))


async def omweso_laps(state: State, request: Request) -> Response:
    """One turn lap by lap, the first 300 of them.

    As above, and ``turn``: the turn as it is written.
    """
    fields = _fields(request)
    asked, text = AskedGame.read(fields), fields.text("turn")
    fields.close()
    return Json(await _listed(state, lambda: omweso_answer.laps(asked, text)))


async def omweso_search(state: State, request: Request) -> Response:
    """Search an Omweso position deeper and deeper; scores are the mover's chances to win, 0 to 1.

    As above; ``seconds`` up to 30 (3); ``depth`` 1 to 100; ``multipv``: 1 to 8 (1).
    """
    fields = _fields(request)
    asked, limits = AskedGame.read(fields), read_limits(fields)
    multipv = fields.whole("multipv", 1, 8, 1)
    fields.close()
    return Events(await omweso_searching.search(state, asked, limits, multipv))


async def omweso_setups(state: State, request: Request) -> Response:
    """The named set-ups that fit a board, and the one that the rules prescribe, if any.

    ``rules`` (tournament).
    """
    fields = _fields(request)
    rules = read_omweso_rules(fields)
    fields.close()
    return Json(setups_object(rules))


# -- others -----------------------------------------------------------------------------------------------------------


async def index(state: State, request: Request) -> Response:
    """This list."""
    _fields(request).close()
    return Json([{"method": a.method, "path": a.path, "answers": a.answers, "words": a.words} for a in ADDRESSES])


async def page(state: State, request: Request) -> Response:
    """The page to look at positions and games."""
    return _page_file(state, request, FIRST)


async def static(state: State, request: Request) -> Response:
    """A file of the page, of a fixed list."""
    return _page_file(state, request, request.path_params["name"])


def _page_file(state: State, request: Request, name: str) -> Response:
    file = state.page.get(name)
    if file is None:
        raise Refused("not-found", "there is no such file of the page")
    headers = {"etag": file.tag, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == file.tag:
        return Response(status_code=304, headers=headers)
    return Response(file.content, headers=headers | {"content-type": file.kind})


EVENTS = "text/event-stream"
ADDRESSES: tuple[Address, ...] = (
    Address("GET", f"{API}/", index),
    Address("GET", f"{API}/oware", oware_position, at_once=look_up),
    Address("POST", f"{API}/oware", oware_positions),
    Address("GET", f"{API}/oware/line", oware_line),
    Address("GET", f"{API}/oware/search", oware_search, EVENTS),
    Address("GET", f"{API}/oware/play", oware_play),
    Address("POST", f"{API}/oware/review", oware_review),
    Address("GET", f"{API}/oware/record", oware_record, "text/plain"),
    Address("GET", f"{API}/levels", levels),
    Address("GET", f"{API}/tables", tables),
    Address("GET", f"{API}/tables/{{rules}}/{{seeds}}", tier),
    Address("GET", f"{API}/omweso", omweso_position),
    Address("GET", f"{API}/omweso/laps", omweso_laps),
    Address("GET", f"{API}/omweso/search", omweso_search, EVENTS),
    Address("GET", f"{API}/omweso/setups", omweso_setups),
    Address("GET", "/", page, "text/html"),
    Address("GET", "/static/{name:path}", static, "the file"),
)
"""Every address."""
