"""Times abapa serve: look-ups per second over one connection and how long each takes, alone and beside a search.

    python benchmarks/serve.py                                   # builds awari 0..12 in a temporary folder
    python benchmarks/serve.py --tables DIR --rules R --seeds N  # asks tables that are there
    python benchmarks/serve.py --json                            # one object per line, as benchmarks/history has them

The server has one core and this client another, where there are two. Boards are drawn evenly from the top four tiers;
each request asks for the value and every move of one board, all over one connection. ``in turn``: each request waits
for the answer before it; ``pipelined``: 16 requests are sent at a time; ``offered``: so many per second are sent,
whether answers have come or not, and times count from when a request was due. ``batch``: 256 boards per request. The
processor time is the server's, by the thread that answers, so that searches are left out.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from databases.builder.build import build_tables
from databases.tiers import board_at, tier_size
from solver.oware.rules import Rules

BATCH = 256
PIPELINED = 16

Printer = Callable[[dict[str, Any]], None]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", type=Rules.parse, default=Rules.parse("awari"), help="rule set")
    parser.add_argument("--seeds", type=int, default=12, help="the largest tier to ask")
    parser.add_argument("--tables", type=Path, help="folder of tables that are there")
    parser.add_argument("--requests", type=int, default=10_000, help="look-ups per line of output")
    parser.add_argument("--rate", type=int, default=2_000, help="requests offered per second")
    parser.add_argument("--json", action="store_true", help="one JSON object per line")
    args = parser.parse_args()
    printed = print_json if args.json else print_words
    if args.tables:
        measure(args.tables, args.rules, args.seeds, args.requests, args.rate, printed)
        return
    with tempfile.TemporaryDirectory() as folder:
        build_tables(Path(folder), args.rules, args.seeds, distance=True)
        measure(Path(folder), args.rules, args.seeds, args.requests, args.rate, printed)


def measure(folder: Path, rules: Rules, seeds: int, count: int, rate: int, printed: Printer) -> None:
    """Print a line for each way to ask."""
    boards = draw(rules, seeds, count)

    def report(way: str, process: subprocess.Popen[str], run: Callable[[], list[float]], each: int = 1) -> None:
        printed({"rules": rules.id, "seeds": [max(0, seeds - 3), seeds], "way": way} | measured(process, run, each))

    with serving(folder) as (process, port):
        client = Client(port)
        client.get(requests(rules, boards[:500]))
        wanted = requests(rules, boards)
        report("in turn", process, lambda: client.get(wanted))
        report("pipelined", process, lambda: client.pipeline(wanted))
        report(f"{rate:,} per second offered", process, lambda: client.offer(wanted, rate))
        with searching(port):
            report("in turn, beside a search", process, lambda: client.get(wanted))
            report("pipelined, beside a search", process, lambda: client.pipeline(wanted))
            report("offered, beside a search", process, lambda: client.offer(wanted, rate))
        report("batch", process, lambda: client.get(batches(rules, boards)), BATCH)


@contextmanager
def serving(folder: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A server on a core of its own, and its port."""
    cores = sorted(os.sched_getaffinity(0))
    command = [sys.executable, "-m", "solver", "serve", "--port", "0", "--tables", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    port = int(process.stdout.readline().split(":")[2].split("/")[0])
    if len(cores) > 1:
        os.sched_setaffinity(0, cores[1:])
    for thread in Path(f"/proc/{process.pid}/task").iterdir():
        os.sched_setaffinity(int(thread.name), cores[:1])
    try:
        yield process, port
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()


@contextmanager
def searching(port: int) -> Iterator[None]:
    """A search of the start that goes on as long as the block lasts."""
    over = threading.Event()

    def search() -> None:
        while not over.is_set():
            with socket.create_connection(("127.0.0.1", port)) as connection:
                connection.sendall(b"GET /api/v1/oware/search?seconds=30 HTTP/1.1\r\nHost: localhost\r\n\r\n")
                connection.settimeout(0.1)
                while not over.is_set():
                    try:
                        if b"event: done" in connection.recv(1 << 16):
                            break
                    except TimeoutError:
                        continue

    thread = threading.Thread(target=search)
    thread.start()
    time.sleep(1)
    yield
    over.set()
    thread.join()


class Client:
    """One connection, one request after the other."""

    def __init__(self, port: int) -> None:
        self.connection = socket.create_connection(("127.0.0.1", port))
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.received = b""

    def get(self, wanted: list[bytes]) -> list[float]:
        """Seconds that each request took."""
        taken = []
        for request in wanted:
            began = time.perf_counter()
            self.connection.sendall(request)
            self.answer()
            taken.append(time.perf_counter() - began)
        return taken

    def pipeline(self, wanted: list[bytes]) -> list[float]:
        """Seconds from when a request was sent to its answer, :data:`PIPELINED` of them sent at a time."""
        taken = []
        for start in range(0, len(wanted), PIPELINED):
            part = wanted[start : start + PIPELINED]
            began = time.perf_counter()
            self.connection.sendall(b"".join(part))
            for _ in part:
                self.answer()
                taken.append(time.perf_counter() - began)
        return taken

    def offer(self, wanted: list[bytes], rate: int) -> list[float]:
        """Seconds from when each request was due to its answer, ``rate`` of them due per second."""
        began = time.perf_counter()

        def send() -> None:
            for number, request in enumerate(wanted):
                time.sleep(max(0.0, began + number / rate - time.perf_counter()))
                self.connection.sendall(request)

        sending = threading.Thread(target=send)
        sending.start()
        taken = []
        for number in range(len(wanted)):
            self.answer()
            taken.append(time.perf_counter() - began - number / rate)
        sending.join()
        return taken

    def answer(self) -> None:
        """Read one answer."""
        while (end := self.received.find(b"\r\n\r\n")) < 0:
            self.more()
        head = self.received[:end]
        assert head.startswith(b"HTTP/1.1 200"), self.received[:400]
        whole = end + 4 + int(head.split(b"content-length: ")[1].split(b"\r\n")[0])
        while len(self.received) < whole:
            self.more()
        self.received = self.received[whole:]

    def more(self) -> None:
        """Read what has come."""
        part = self.connection.recv(1 << 20)
        assert part
        self.received += part


def draw(rules: Rules, seeds: int, count: int) -> list[str]:
    """Random boards of the four largest tiers, each board of a tier as likely as any other."""
    chance = random.Random(2002)
    tiers = [chance.randint(max(0, seeds - 3), seeds) for _ in range(count)]
    boards = [board_at(rules.pits, n, chance.randrange(tier_size(rules.pits, n))) for n in tiers]
    return ["-".join(map(str, board)) for board in boards]


def requests(rules: Rules, boards: list[str]) -> list[bytes]:
    """A request for each board."""
    head = f"GET /api/v1/oware?rules={quote(rules.id)}&position="
    return [f"{head}{board} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode() for board in boards]


def batches(rules: Rules, boards: list[str]) -> list[bytes]:
    """Requests for 256 boards each."""
    found = []
    for start in range(0, len(boards) - BATCH + 1, BATCH):
        asked = [{"rules": rules.id, "position": board} for board in boards[start : start + BATCH]]
        body = json.dumps(asked).encode()
        head = f"POST /api/v1/oware HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
        found.append(head.encode() + body)
    return found


def measured(process: subprocess.Popen[str], run: Callable[[], list[float]], boards: int) -> dict[str, Any]:
    """Look-ups per second, milliseconds per request, and microseconds of the server's processor time per look-up."""
    cpu, began = cpu_seconds(process), time.perf_counter()
    taken = sorted(run())
    seconds, cpu = time.perf_counter() - began, cpu_seconds(process) - cpu
    looked_up = boards * len(taken)
    times = [round(1e3 * taken[int(share * (len(taken) - 1))], 2) for share in (0.5, 0.99, 1)]
    return {
        "per_second": round(looked_up / seconds),
        "p50_ms": times[0],
        "p99_ms": times[1],
        "longest_ms": times[2],
        "processor_us": round(1e6 * cpu / looked_up),
        "seconds": round(seconds, 2),
        "load": round(os.getloadavg()[0], 1),
    }


def print_words(row: dict[str, Any]) -> None:
    """A row for people."""
    times = f"p50 {row['p50_ms']:.2f} ms, p99 {row['p99_ms']:.2f} ms, longest {row['longest_ms']:.2f} ms"
    print(
        f"  {row['way']:28s}{row['per_second']:7,} per second   {times}   processor {row['processor_us']} us each   "
        f"load {row['load']}"
    )


def print_json(row: dict[str, Any]) -> None:
    """A row for programs."""
    print(json.dumps(row), flush=True)


def cpu_seconds(process: subprocess.Popen[str]) -> float:
    """Processor time so far of the thread that answers."""
    return int(Path(f"/proc/{process.pid}/task/{process.pid}/schedstat").read_text().split()[0]) / 1e9


if __name__ == "__main__":
    main()
