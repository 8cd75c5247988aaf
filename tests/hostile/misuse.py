"""Misuse of the prober by threads and processes, each in a process of its own: ``python -m tests.hostile.misuse WHAT``.

Prints ``right`` and ends with exit code 0. All else, a crash of the interpreter first of all, is a fault.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tests.hostile import names

THREADS = 16


def _boards(seeds: int, count: int = 4000) -> Any:
    """Boards of every tier up to ``seeds``, from a fixed seed."""
    random = np.random.default_rng(seeds)
    boards = np.zeros((count, 12), np.int8)
    for board in boards:
        np.add.at(board, random.integers(0, 12, int(random.integers(seeds + 1))), 1)
    return boards


def _together(work: Callable[[int], None], threads: int = THREADS) -> list[BaseException]:
    """Run on threads that start at once; what they raised."""
    barrier, raised = threading.Barrier(threads), []

    def run(number: int) -> None:
        barrier.wait()
        try:
            work(number)
        except BaseException as error:
            raised.append(error)

    pool = [threading.Thread(target=run, args=(number,)) for number in range(threads)]
    for thread in pool:
        thread.start()
    for thread in pool:
        thread.join()
    return raised


def shared(folder: str, seeds: int, rounds: int) -> None:
    """Threads ask one prober that has opened nothing yet."""
    boards = _boards(seeds)
    with names.open_tables(folder, names.AWARI) as tables:
        truth = tables.probe_many(boards)
        single = [tables.probe(board.tolist()).value for board in boards[:200]]
    assert single == truth[:200].tolist()
    for number in range(rounds):
        with names.open_tables(folder, names.AWARI) as tables:
            found: dict[int, Any] = {}

            def ask(thread: int, tables: Any = tables, found: Any = found) -> None:
                if thread % 4 == 3:  # some ask one by one
                    found[thread] = np.array([tables.probe(board.tolist()).value for board in boards[:200]])
                else:
                    found[thread] = tables.probe_many(boards)

            raised = _together(ask)
            assert not raised, (number, raised[:3])
            for values in found.values():
                assert (values == truth[: len(values)]).all(), number


def closed(folder: str, seeds: int, rounds: int) -> None:
    """One thread closes the prober while the others ask: right values, or an AbapaError (a closed prober), no other."""
    boards = _boards(seeds)
    with names.open_tables(folder, names.AWARI) as tables:
        truth = tables.probe_many(boards)
    for number in range(rounds):
        tables = names.open_tables(folder, names.AWARI)

        def ask(thread: int, tables: Any = tables) -> None:
            if thread == 0:
                tables.close()
                return
            for _ in range(5):
                assert (tables.probe_many(boards) == truth).all()

        wrong = [error for error in _together(ask) if not isinstance(error, names.AbapaError)]
        assert not wrong, (number, wrong[:3])
        try:
            tables.probe(boards[0].tolist())
        except names.AbapaError:
            continue
        raise AssertionError("a closed prober answers")


def packed(folder: str, seeds: int, rounds: int) -> None:
    """Threads ask one prober of archives."""
    shared(folder, seeds, rounds)


def forked(folder: str, seeds: int, rounds: int) -> None:
    """Children that are forked after tables were opened ask them too, and so does the parent afterwards."""
    boards = _boards(seeds)
    with names.open_tables(folder, names.AWARI) as tables:
        truth = tables.probe_many(boards)
        for _ in range(rounds):
            child = os.fork()
            if child == 0:
                os._exit(0 if (tables.probe_many(boards) == truth).all() else 1)
            assert os.waitpid(child, 0)[1] == 0
        assert (tables.probe_many(boards) == truth).all()


def _ask_missing(folder: str) -> int:
    with names.open_tables(folder, names.AWARI) as tables:
        return tables.probe((4,) * 12).value


def _open_damaged(folder: str) -> int:
    with names.open_tables(folder, names.AWARI) as tables:
        return tables.tiers[2].positions


def _parse_wrong(text: str) -> int:
    return names.Rules.parse(text).pits


def _play_wrong(text: str) -> int:
    return names.Position.parse(text).seeds


def _read_game(text: str) -> int:
    return len(names.parse(text))


def pooled(folder: str, seeds: int, rounds: int) -> None:
    """Errors go through a pool of processes: they come out as what they were, and the pool does not wait for ever."""
    damaged = f"{folder}-damaged"
    Path(damaged).mkdir(exist_ok=True)
    (Path(damaged) / "awari-02.h5").write_bytes(b"no table")
    tasks: list[tuple[Any, str]] = [
        (_ask_missing, folder), (_open_damaged, damaged), (_ask_missing, f"{folder}/nowhere"),
        (_parse_wrong, "nonsense"), (_play_wrong, "1-2-3"), (_read_game, "1. Z z"),
    ]  # fmt: skip
    with multiprocessing.get_context("spawn" if rounds > 5 else "fork").Pool(1) as pool:
        for task, argument in tasks:
            try:
                task(argument)
            except names.AbapaError as error:
                here = error
            else:
                raise AssertionError(f"{task.__name__} was not refused")
            try:
                pool.apply_async(task, (argument,)).get(timeout=30 if rounds <= 5 else 120)
            except names.AbapaError as error:
                assert type(error) is type(here) and str(error) == str(here), (error, here)
                told = {key: str(value) for key, value in vars(error).items()}
                assert told == {key: str(value) for key, value in vars(here).items()}, told
            else:
                raise AssertionError(f"{task.__name__} was not refused in the pool")


def misused(folder: str, seeds: int, rounds: int) -> None:
    """Arguments of wrong kinds: an AbapaError, or Python's TypeError for what is no argument at all."""
    boards = _boards(seeds, 4)
    with names.open_tables(folder, names.AWARI) as tables:
        text: Any = "awari"
        halves: Any = (0.5,) * 12
        calls: list[Callable[[], Any]] = [
            lambda: tables.probe_many(boards, default=1000),
            lambda: tables.probe_many(boards.astype(float)),
            lambda: tables.probe_many(boards[:, :5]),
            lambda: tables.probe_many(boards[0]),
            lambda: tables.probe_many(np.full((3, 12), 100, np.int64)),
            lambda: tables.probe_many(-np.ones((3, 12), np.int8)),
            lambda: tables.probe_many(boards, "nonsense"),
            lambda: tables.probe((1, 2)),
            lambda: tables.probe(halves),
            lambda: tables.probe((-1,) * 12),
            lambda: tables.probe((10**30,) * 12),
            lambda: tables.probe(text),
            lambda: names.open_tables(folder, text),
            lambda: names.open_tables(f"{folder}/nowhere", names.AWARI),
        ]
        for number, call in enumerate(calls):
            try:
                found = call()
            except (names.AbapaError, TypeError) as error:
                assert len(str(error)) < 2000 and "\n" not in str(error), (number, error)
                continue
            # A default that no answer needed may be any number; nothing else may be taken.
            assert number == 0 and len(found) == len(boards), (number, found)


def main() -> None:
    """Run one misuse: WHAT FOLDER SEEDS ROUNDS."""
    what, folder, seeds, rounds = sys.argv[1:]
    globals()[what](folder, int(seeds), int(rounds))
    print("right")


if __name__ == "__main__":
    main()
