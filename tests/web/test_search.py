"""Searches as events, two at once, ended when nobody listens; the engine's reply."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from solver.oware.game import OwareGame
from solver.oware.levels import LEVELS
from solver.oware.position import Position
from solver.oware.rules import Rules
from solver.search.limits import Limits
from solver.search.searcher import Searcher
from solver.web.errors import Refused
from solver.web.jobs import NICE, Job, Jobs
from solver.web.state import SEARCHES, State
from tests.web.asking import API, events


def test_a_search_tells_each_depth_and_then_that_it_is_done(client: TestClient) -> None:
    response = client.get(f"{API}/oware/search", params={"depth": "7", "multipv": "2", "tables": "off"})
    assert response.status_code == 200 and response.headers["content-type"].startswith("text/event-stream")
    found = events(response.text)
    assert [name for name, _ in found] == ["depth"] * 7 + ["done"]
    report = Searcher(OwareGame(Rules())).search(Position.start(), Limits(depth=7), multipv=2)
    _, last = found[-2]
    assert last["depth"] == 7 and last["certainty"] == "estimate"
    assert [(line["score"], line["pv"]) for line in last["lines"]] == [
        (line.score, Position.start().line(line.moves)) for line in report.lines
    ]
    assert last["lines"][0]["low"] == -48 and last["lines"][0]["high"] == 48
    _, done = found[-1]
    assert done["best"] == last["lines"][0]["move"] and done["score"] == last["lines"][0]["score"]
    assert sum(done["final"]) == 48


def test_a_search_inside_tables_is_exact_and_agrees_with_them(client: TestClient) -> None:
    query = {"rules": "awari", "position": "0-1-0-0-1-0-1-0-1-0-0-2-20-22-N"}
    told = client.get(f"{API}/oware", params=query).json()
    done = events(client.get(f"{API}/oware/search", params=query).text)[-1][1]
    assert done["certainty"] == "exact" and done["final"] == told["final"]
    assert done["score"] == told["final"][1] - told["final"][0]


def test_a_search_is_bounded_in_time(client: TestClient) -> None:
    found = events(client.get(f"{API}/oware/search", params={"seconds": "0.3"}).text)
    assert found[-1][0] == "done" and all(data["seconds"] < 30 for name, data in found if name == "depth")


def test_no_more_searches_run_than_may(client: TestClient, state: State) -> None:
    release = threading.Event()

    def wait(job: Job[int]) -> Iterator[int]:
        release.wait()
        yield 1

    async def occupy() -> None:
        for _ in range(SEARCHES):
            state.searches.start(wait)

    assert client.portal is not None
    client.portal.call(occupy)
    try:
        for address in ("oware/search", "oware/play", "omweso/search"):
            response = client.get(f"{API}/{address}")
            assert response.status_code == 429 and response.json()["error"]["kind"] == "too-many"
            assert int(response.headers["retry-after"]) > 0
        assert client.post(f"{API}/oware/review", content=b"1. F f").status_code == 429
        assert client.get(f"{API}/oware", params={"rules": "awari", "position": "1-0-0-0-0-0-1-0-0-0-0-0"}).is_success
    finally:
        release.set()

    async def all_ended() -> None:
        while state.searches.running:
            await asyncio.sleep(0.01)

    client.portal.call(all_ended)
    assert client.get(f"{API}/oware/search", params={"depth": "2"}).status_code == 200


def test_a_job_ends_when_nobody_listens_any_more() -> None:
    ended = threading.Event()

    def count(job: Job[int]) -> Iterator[int]:
        stopped = threading.Event()
        job.on_stop = stopped.set
        try:
            yield 1
            stopped.wait()
            yield 2
        finally:
            ended.set()

    async def listen() -> list[int]:
        jobs = Jobs(1, "busy", "one runs")
        job, found = jobs.start(count), []
        with pytest.raises(Refused, match="one runs"):
            jobs.start(count)
        items = job.items()
        found.append(await anext(items))
        await items.aclose()  # type: ignore[attr-defined]
        while jobs.running:
            await asyncio.sleep(0.01)
        return found

    assert asyncio.run(listen()) == [1]
    assert ended.is_set()


def test_what_a_job_raises_comes_out_where_it_is_awaited() -> None:
    def fail(job: Job[int]) -> Iterator[int]:
        yield 1
        raise ZeroDivisionError

    async def run() -> None:
        await Jobs(1, "busy", "").result(fail)

    with pytest.raises(ZeroDivisionError):
        asyncio.run(run())


def test_a_client_that_goes_ends_its_search(state: State) -> None:
    """By the protocol between server and application: a disconnect in the middle of the events."""
    from solver.web.app import application

    app = application(state)
    sent: list[dict[str, Any]] = []

    async def run() -> None:
        first = asyncio.Event()

        async def receive() -> dict[str, Any]:
            await first.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)
            if message["type"] == "http.response.body":
                first.set()

        scope = {
            "type": "http", "method": "GET", "path": f"{API}/oware/search", "query_string": b"seconds=30",
            "headers": [(b"host", b"localhost")], "root_path": "", "http_version": "1.1",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
        }  # fmt: skip
        await asyncio.wait_for(app(scope, receive, send), 25)
        while state.searches.running:
            await asyncio.sleep(0.01)

    asyncio.run(run())
    assert sent[0]["status"] == 200 and not any(b"event: done" in m.get("body", b"") for m in sent)


def test_the_engine_plays_at_every_level_and_says_how(client: TestClient) -> None:
    levels = client.get(f"{API}/levels").json()
    assert [level["level"] for level in levels] == list(range(1, 9)) and levels[0]["name"] == "beginner"
    for level in levels[:6]:
        query = {"level": str(level["level"]), "seed": "1", "moves": "Ff"}
        found = client.get(f"{API}/oware/play", params=query).json()
        assert found["level"] == level and found["move"] in "ABCDE"
        assert level["name"].capitalize() in found["how"] and f"{level['nodes']:,}" in found["how"]
        assert found == client.get(f"{API}/oware/play", params=query).json()


def test_the_full_level_plays_a_best_move_of_the_tables(client: TestClient) -> None:
    query = {"rules": "awari", "position": "0-1-0-0-1-0-1-0-1-0-0-2-20-22-N"}
    best = client.get(f"{API}/oware", params=query).json()
    found = client.get(f"{API}/oware/play", params=query).json()
    assert found["level"]["level"] == len(LEVELS)
    assert found["move"] in [move["move"] for move in best["moves"] if move["value"] == best["value"]]


def test_work_steps_back_for_look_ups_and_for_nobody_else() -> None:
    """The thread of the work does, the one that answers does not."""

    def work(job: Job[int]) -> Iterator[int]:
        yield os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    async def told() -> int:
        return await Jobs(1, "busy", "").result(work)

    before = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    assert asyncio.run(told()) >= NICE
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == before
