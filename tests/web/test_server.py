"""The server on a port: slow, half and huge requests, clients that go or do not read, Ctrl-C."""

from __future__ import annotations

import json
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from solver.web import server
from solver.web.state import State
from tests.cli.command_line import ABAPA

ASKED = b"GET /api/v1/oware?rules=awari&position=1-0-0-0-0-0-1-0-0-0-0-0 HTTP/1.1\r\nHost: localhost\r\n\r\n"
PATIENCE = 60
"""Seconds after which a test gives up: on a busy machine all takes long."""

Connect = Callable[[], socket.socket]


@pytest.fixture
def connect(state: State, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connect]:
    """Connects to a server in this process that waits for half a second and holds eight connections."""
    monkeypatch.setattr(server, "REQUEST_SECONDS", 0.5)
    monkeypatch.setattr(server, "CONNECTIONS", 8)
    listening = server.listen("127.0.0.1", 0)
    running = server.server_of(state, "127.0.0.1")
    thread = threading.Thread(target=running.run, args=([listening],))
    thread.start()
    opened: list[socket.socket] = []

    def connect() -> socket.socket:
        opened.append(socket.create_connection(listening.getsockname()[:2], timeout=PATIENCE))
        return opened[-1]

    yield connect
    running.should_exit = True
    thread.join()
    for connection in opened:
        connection.close()


def answer(connection: socket.socket) -> tuple[int, bytes]:
    """The status and body of the next answer."""
    head, body = answers(connection, 1)[0]
    return int(head.split()[1]), body


def answers(connection: socket.socket, count: int) -> list[tuple[bytes, bytes]]:
    """The heads and bodies of the next answers."""
    found, received = [], b""
    while len(found) < count:
        head, end, rest = received.partition(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length:")[1].split()[0]) if end else 0
        if end and len(rest) >= length:
            found.append((head, rest[:length]))
            received = rest[length:]
        else:
            received += more(connection)
    return found


def more(connection: socket.socket) -> bytes:
    part = connection.recv(1 << 16)
    assert part, "the connection was closed"
    return part


def is_cut(connection: socket.socket) -> bool:
    """Whether the server cuts the connection; waits for it, passing over what it says before."""
    try:
        while connection.recv(1 << 20):
            pass
    except ConnectionError:
        pass
    return True


def still_answers(connect: Connect) -> None:
    connection = connect()
    connection.sendall(ASKED)
    status, body = answer(connection)
    assert status == 200 and json.loads(body)["value"] is not None


def test_one_connection_serves_many_requests(connect: Connect) -> None:
    connection = connect()
    for _ in range(20):
        connection.sendall(ASKED)
        assert answer(connection)[0] == 200
    connection.sendall(ASKED * 3)  # one after the other, without waiting
    received = b""
    while received.count(b"HTTP/1.1 200") < 3:
        received += more(connection)


def test_one_connection_serves_requests_of_more_bytes_than_a_head_may_have(connect: Connect) -> None:
    connection = connect()
    for _ in range(server.MOST_HEAD // len(ASKED) + 20):
        connection.sendall(ASKED)
        assert answer(connection)[0] == 200


def test_answers_come_in_the_order_of_the_requests(connect: Connect) -> None:
    """Also where some are given at once and others wait."""
    paths = [f"/api/v1/oware?rules=awari&position={n}-0-0-0-0-0-1-0-0-0-0-0" for n in range(6)]
    paths[2:2] = ["/api/v1/levels", "/api/v1/oware?position=x", "/api/v1/omweso/setups"]
    requests = [f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode() for path in paths]
    alone = []
    for request in requests:
        connection = connect()
        connection.sendall(request)
        alone += answers(connection, 1)
        connection.close()
    together = connect()
    together.sendall(b"".join(requests))
    assert [body for _, body in answers(together, len(requests))] == [body for _, body in alone]


def test_an_answer_at_once_is_uvicorns_to_the_byte(connect: Connect) -> None:
    """Which who asks for the connection to be closed gets."""
    for request in (ASKED, ASKED.replace(b"awari", b"chess"), ASKED.replace(b"localhost", b"elsewhere")):
        closing = request.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
        told = []
        for asked in (request, closing):
            connection = connect()
            connection.sendall(asked)
            ((head, body),) = answers(connection, 1)
            told.append((re.sub(rb"date: [^\r]*\r\n|\r\nconnection: close", b"", head), body))
        assert told[0] == told[1]


def test_a_client_that_asks_on_and_takes_nothing_is_cut(connect: Connect) -> None:
    greedy = connect()
    with pytest.raises(ConnectionError):
        for _ in range(100 * PATIENCE):
            greedy.sendall(ASKED * 1000)
    still_answers(connect)


def test_a_half_request_is_cut(connect: Connect) -> None:
    for part in (
        b"",
        b"GET /api",
        ASKED[:-2],
        b"POST /api/v1/oware HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n[",
    ):
        slow = connect()
        slow.sendall(part)
        still_answers(connect)
        assert is_cut(slow)


def test_a_request_that_trickles_in_is_cut(connect: Connect) -> None:
    """Also the second one of a connection."""
    for before in (b"", ASKED):
        slow = connect()
        slow.sendall(before)
        if before:
            answer(slow)
        with pytest.raises(ConnectionError):
            for byte in ASKED * 100:
                slow.sendall(bytes([byte]))
                time.sleep(0.02)
        still_answers(connect)


def test_slow_clients_do_not_keep_others_out(connect: Connect) -> None:
    slow = [connect() for _ in range(40)]
    for connection in slow[-6:]:
        connection.sendall(b"GET /")
    still_answers(connect)
    assert all(is_cut(connection) for connection in slow)
    still_answers(connect)


def test_a_client_that_does_not_take_its_answer_is_cut(connect: Connect) -> None:
    body = json.dumps([{"rules": "awari", "position": "1-1-1-1-1-0-1-1-0-0-0-0"}] * 256).encode()
    greedy = connect()
    head = b"POST /api/v1/oware HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body)
    greedy.sendall((head + body) * 4)
    with pytest.raises(ConnectionError):
        for _ in range(100 * PATIENCE):
            greedy.sendall(b"G")
            time.sleep(0.01)
    still_answers(connect)


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET / HTTP/1.1\r\nHost: a\r\nHost: localhost\r\n\r\n", 421),
        (b"GET / HTTP/1.1\r\n\r\n", 421),
        (b"GET /api/v1/levels HTTP/1.0\r\n\r\n", 421),
        (b"POST /api/v1/oware HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n", 413),
        (b"POST /api/v1/oware HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n", 400),
        (b"GET /api/v1/levels\x00 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400),
    ],
)  # fmt: skip
def test_what_is_no_request_is_refused(connect: Connect, sent: bytes, status: int) -> None:
    connection = connect()
    connection.sendall(sent)
    received = b""
    while b"\r\n" not in received:
        received += more(connection)
    assert int(received.split()[1]) == status
    still_answers(connect)


@pytest.mark.parametrize("begun", [b"GET /", b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ", b""])
def test_a_head_without_end_is_cut(connect: Connect, begun: bytes) -> None:
    connection = connect()
    with suppress(ConnectionError):
        connection.sendall(begun)
        for _ in range(100):
            connection.sendall(b"X: a\r\n" * 10_000 if not begun else b"a" * 100_000)
    assert is_cut(connection)
    still_answers(connect)


def test_a_body_without_end_is_refused_as_soon_as_it_is_too_large(connect: Connect) -> None:
    connection = connect()
    connection.sendall(b"POST /api/v1/oware HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    for _ in range(6):
        connection.sendall(chunk)
    assert answer(connection)[0] == 413
    assert is_cut(connection)


def test_random_bytes_hurt_nobody(connect: Connect) -> None:
    chance = random.Random(7)
    for _ in range(150):
        broken = bytearray(ASKED)
        for _ in range(chance.randrange(1, 6)):
            broken[chance.randrange(len(broken))] = chance.randrange(256)
        connection = connect()
        connection.sendall(bytes(broken))
        connection.close()
    still_answers(connect)


def test_a_client_that_goes_ends_its_search(connect: Connect, state: State) -> None:
    connection = connect()
    connection.sendall(b"GET /api/v1/oware/search?seconds=30 HTTP/1.1\r\nHost: localhost\r\n\r\n")
    received = b""
    while b"event: depth" not in received:
        received += more(connection)
    assert state.searches.running
    still_answers(connect)
    connection.close()
    began = time.monotonic()
    while state.searches.running and time.monotonic() < began + 25:
        time.sleep(0.01)
    assert not state.searches.running


# -- the command in a process of its own ------------------------------------------------------------------------------


@pytest.fixture
def running(folder: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """``abapa serve`` on a free port, and that port."""
    command = [*ABAPA, "serve", "--port", "0", "--tables", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    said = process.stdout.readline()
    assert said.startswith("Abapa is at http://127.0.0.1:"), said
    yield process, int(said.split(":")[2].split("/")[0])
    if process.poll() is None:
        process.kill()
    process.communicate()


def test_ctrl_c_ends_it_at_once_whatever_is_under_way(running: tuple[subprocess.Popen[str], int]) -> None:
    process, port = running
    streaming, half, idle = (socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) for _ in range(3))
    streaming.sendall(b"GET /api/v1/oware/search?seconds=30 HTTP/1.1\r\nHost: localhost\r\n\r\n")
    received = b""
    while b"event: depth" not in received:
        received += more(streaming)
    half.sendall(b"GET /api")
    idle.sendall(ASKED)
    answer(idle)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)  # the search alone would go on for 30 s
    assert process.returncode == 130 and err.strip() == "abapa: interrupted" and out == ""
    for connection in (streaming, half, idle):
        assert is_cut(connection)
        connection.close()


def test_sigterm_ends_it_too(running: tuple[subprocess.Popen[str], int]) -> None:
    process, _ = running
    process.terminate()
    out, err = process.communicate(timeout=20)
    assert process.returncode == -signal.SIGTERM and not out + err


def test_it_listens_on_this_machine_alone_and_says_when_a_port_is_taken(
    running: tuple[subprocess.Popen[str], int],
) -> None:
    _, port = running
    addresses = {found[4][0] for found in socket.getaddrinfo(socket.gethostname(), port, socket.AF_INET)}
    for address in addresses - {"127.0.0.1"}:
        if not str(address).startswith("127."):
            with pytest.raises(OSError):
                socket.create_connection((str(address), port), timeout=5)
    command = [sys.executable, "-m", "solver", "serve", "--port", str(port)]
    second = subprocess.run(command, capture_output=True, text=True, check=False)
    assert second.returncode == 2 and second.stderr.count("\n") == 1
    assert f"port {port}" in second.stderr and "--port" in second.stderr
