"""Ten thousand random and hostile requests: each is answered or refused, none is a fault of the server's own."""

from __future__ import annotations

import asyncio
import json
import random
from typing import Any
from urllib.parse import quote, quote_from_bytes

import pytest

from solver.web.app import application
from solver.web.errors import STATUS
from solver.web.routes import ADDRESSES
from solver.web.state import State
from tests.web.asking import positions

REQUESTS, PARTS = 10_000, 10

TEXTS = [
    "", "start", "0", "-1", "1e999", "nan", "inf", "9" * 400, "4" * 19, "\0", "\u202e", "\ud7ff", "\U0001f4a9",
    "\u0663", "../../etc/passwd", "%2e%2e", "<script>", "' or 1=1", "{}", "[]", "null", "true", "1_0", " 1", "1 ", "\n",
    "\r\n\r\n",
    "A" * 3000, "F" * 999, "Ff" * 40, "1-" * 24, "4-4-4-4-4-4-4-4-4-4-4-4-9999-9999-N", "255-0-0-0-0-0-0-0-0-0-0-0",
    "128-0-0-0-0-0-0-0-0-0-0-0-1-1-S", "0-0-0-0-0-0-0-0-0-0-0-0", "abapa+cycle=even", "awari+pits=8", "awari+pits=1",
    "abapa+grand-slam=win-only", "abapa+grand-slam=capture", "tournament", "comp424", "tournament+columns=2",
    "tournament+decline-capture=on", "all-two/outer-four", "i", "i<", "c*", "i,i,i",
    "127," * 15 + "0/" + "0," * 15 + "0",
    "4," * 15 + "4/" + "3," * 14 + "3,18",
]  # fmt: skip
NAMES = [
    "rules", "position", "moves", "limit", "depth", "multipv", "tables", "seed", "turn", "first_turn", "fresh", "x", "",
    "\0", "RULES", "position[]", "__proto__", "a" * 500,
]  # fmt: skip
RULES = ["abapa", "awari", "awari+pits=2", "abapa+pits=3"]
METHODS = ["GET"] * 12 + ["POST"] * 6 + ["HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "get", "FOO", ""]
HOSTS = [b"localhost"] * 30 + [b"127.0.0.1:8421", b"evil.example", b"", b"\xff", b"a" * 9000, b"localhost, localhost"]


class Attacker:
    """Makes requests from a seed."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.boards = [position.text for rules in RULES for position in positions(rules, 6, 20, seed)]

    def text(self) -> str:
        draw = self.chance.random()
        if draw < 0.5:
            return self.chance.choice(TEXTS)
        if draw < 0.8:
            return self.chance.choice(self.boards)
        return "".join(chr(self.chance.randrange(1, 0xD7FF)) for _ in range(self.chance.randrange(30)))

    def query(self) -> bytes:
        if self.chance.random() < 0.1:
            return self.chance.randbytes(self.chance.randrange(60))
        pairs = [(self.chance.choice(NAMES), self.text()) for _ in range(self.chance.randrange(5))]
        pairs += [("rules", self.chance.choice(RULES))] * (self.chance.random() < 0.5)
        pairs += [("position", self.chance.choice(self.boards))] * (self.chance.random() < 0.5)
        # bounded, so that ten thousand of them do not take all day
        pairs += [("seconds", self.chance.choice(["0.001", "0.001", "x", "1e9"])), ("depth", "1")]
        if self.chance.random() < 0.7:
            del pairs[-2:]
        self.chance.shuffle(pairs)
        return "&".join(f"{quote(name)}={quote(value)}" for name, value in pairs).encode()

    def path(self) -> str:
        draw = self.chance.random()
        if draw < 0.75:
            pattern = self.chance.choice(ADDRESSES).path
            seeds = self.chance.choice(["3", "0", "127", "128", "x", "-1"])
            filled = pattern.replace("{rules}", self.chance.choice(RULES)).replace("{seeds}", seeds)
            return filled.replace("{name:path}", self.text())
        if draw < 0.85:
            return "/" + self.chance.randbytes(self.chance.randrange(40)).decode("latin-1")
        return self.chance.choice(
            ["", "/", "//", "/api", "/api/v1", "*", "http://evil/", "/api/v1/oware/../tables"]
        ) + (self.text() if self.chance.random() < 0.5 else "")

    def value(self, depth: int = 0) -> Any:
        draw = self.chance.random()
        if draw < 0.3 and depth < 4:
            return [self.value(depth + 1) for _ in range(self.chance.randrange(6))]
        if draw < 0.7 and depth < 4:
            names = ["position", "rules", "moves", "start", "x", ""]
            return {self.chance.choice(names): self.value(depth + 1) for _ in range(self.chance.randrange(5))}
        return self.chance.choice([self.text(), 10**30, -1, 0.5, 1e308, True, None, "\ud800"])

    def body(self) -> bytes:
        draw = self.chance.random()
        if draw < 0.3:
            return json.dumps([self.value() for _ in range(self.chance.randrange(8))]).encode()
        if draw < 0.5:
            return json.dumps(self.value()).encode()
        if draw < 0.6:
            return self.chance.choice([b"[", b'{"a":', b"[[1],"]) * self.chance.randrange(1, 60_000)
        if draw < 0.65:
            return b"[" + b"9" * self.chance.randrange(1, 9000) + b"]"
        if draw < 0.7:
            return b'[{"moves":NaN},{"position":Infinity}]'
        if draw < 0.85:
            pieces = [
                "[South ",
                '"x"]',
                "1.",
                "F",
                "f+2",
                "{",
                "}",
                "(",
                ")",
                ";",
                "\n",
                "*",
                "$1",
                "!",
                "26-22",
                "[",
                "E",
            ]
            return " ".join(self.chance.choice(pieces) for _ in range(self.chance.randrange(30))).encode()
        return self.chance.randbytes(self.chance.randrange(3000))

    def scope(self, body: bytes) -> dict[str, Any]:
        method, path, query = self.chance.choice(METHODS), self.path(), self.query()
        if "play" in path or "review" in path:
            query = quote_from_bytes(query).encode() if self.chance.random() < 0.1 else b""
            query += f"&level={self.chance.choice(['1', '2', '0', 'x'])}".encode() if "play" in path else b""
        if path.endswith("search"):
            query = b"&".join(part for part in query.split(b"&") if not part.startswith((b"depth", b"seconds")))
            query += b"&seconds=0.001"
        headers = [(b"host", self.chance.choice(HOSTS)), (b"content-length", str(len(body)).encode())]
        if self.chance.random() < 0.1:
            headers.append((self.chance.choice([b"host", b"content-length", b"x", b"range"]), self.chance.randbytes(9)))
        if self.chance.random() < 0.3:
            headers.append((b"content-type", self.chance.choice([b"application/json", b"text/plain", b"\xff/\x00"])))
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "scheme": "http",
            "method": method,
            "path": path,
            "raw_path": path.encode("utf-8", "replace"),
            "query_string": query,
            "root_path": "",
            "headers": headers,
        }


async def ask(app: Any, scope: dict[str, Any], body: bytes) -> tuple[int, bytes]:
    """The status and the body of the answer. The client waits for it to the end."""
    parts, whole = [body[:70_000], body[70_000:]], asyncio.Event()
    status, answer = 0, b""

    async def receive() -> dict[str, Any]:
        if parts:
            return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}
        await whole.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        nonlocal status, answer
        if message["type"] == "http.response.start":
            status = message["status"]
        else:
            answer += message.get("body", b"")
            if not message.get("more_body"):
                whole.set()

    await app(scope, receive, send)
    return status, answer


@pytest.mark.parametrize("part", range(PARTS))
def test_no_request_is_a_fault(state: State, part: int) -> None:
    app, attacker = application(state), Attacker(part)
    seen: dict[int, int] = {}

    async def attack() -> None:
        for _ in range(REQUESTS // PARTS):
            body = attacker.body() if attacker.chance.random() < 0.4 else b""
            scope = attacker.scope(body)
            while state.searches.running:  # else most would only be told that two run
                await asyncio.sleep(0.001)
            status, answer = await ask(app, scope, body)
            seen[status] = seen.get(status, 0) + 1
            assert status in {200, 304, *STATUS.values()} - {500}, (scope, body)
            assert b"Traceback" not in answer
            if status >= 400 and scope["method"] != "HEAD":
                assert STATUS[json.loads(answer)["error"]["kind"]] == status

    asyncio.run(attack())
    assert {200, 400, 404, 405, 421} <= set(seen)
