"""Searches of a position, as server-sent events, and the engine's reply at a level of strength.

A search is bounded in time and memory, runs on a thread of its own and ends when the client goes. Scores are final
margins, stores included, from the view of the player to move.
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from solver.errors import AbapaError
from solver.oware.game import OwareGame, Tables
from solver.oware.levels import LEVELS, Choice, Level, choose
from solver.oware.position import Position
from solver.oware.verdicts import Final, final_of
from solver.search.limits import MAX_DEPTH, Limits
from solver.search.searcher import Report, Searcher
from solver.web.errors import Refused, error_object
from solver.web.jobs import Job
from solver.web.oware.game import Game
from solver.web.oware.moves import lead_of
from solver.web.request import Fields
from solver.web.response import event
from solver.web.state import State

HASH_MIB = 64
MOST_SECONDS = 30.0
DEFAULT_SECONDS = 3.0
SWITCH = {"on": True, "off": False}
BY_NUMBER = {str(level.level): level for level in LEVELS}


@dataclass(frozen=True)
class Wanted:
    """What a search is asked for."""

    limits: Limits
    multipv: int
    tables: bool

    @classmethod
    def read(cls, fields: Fields, most_lines: int) -> Wanted:
        """From the fields ``seconds``, ``depth``, ``multipv``, ``tables`` and ``level``. Raises Refused."""
        level = fields.choice("level", BY_NUMBER | {"": None}, "")
        tables = fields.choice("tables", SWITCH, "off" if level and not level.tables else "on")
        return cls(read_limits(fields, level), fields.whole("multipv", 1, most_lines, 1), tables)


def read_limits(fields: Fields, level: Level | None = None) -> Limits:
    """The limits of the fields ``seconds`` and ``depth``; a level limits the nodes too. Raises Refused."""
    seconds = fields.decimal("seconds", MOST_SECONDS, DEFAULT_SECONDS)
    return Limits(fields.whole("depth", 1, MAX_DEPTH, MAX_DEPTH), seconds, level.nodes if level else None)


def check_going_on(position: Position) -> None:
    """Refuse a game that is over: there is nothing to search."""
    if position.ending is not None:
        raise Refused("bad-position", "the game is over: there is nothing to search", "position")


def search(state: State, game: Game, wanted: Wanted) -> AsyncIterator[bytes]:
    """The events of a search. Raises Refused where it cannot begin."""
    check_going_on(game.position)
    position = game.position
    maps = state.maps(position.rules) if wanted.tables else {}

    def work(job: Job[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
        searcher = _searcher(position, maps)
        job.on_stop = searcher.stop
        report = None
        for report in searcher.reports(position, wanted.limits, multipv=wanted.multipv):
            if report.finished:
                yield "depth", depth_object(position, report)
        assert report is not None
        yield "done", _done_object(position, report)

    return told(state.searches.start(work))


async def told(job: Job[tuple[str, Any]]) -> AsyncIterator[bytes]:
    """The events of a job, an error among them; the job ends when nobody listens any more."""
    async with aclosing(job.items()) as items:  # type: ignore[type-var]
        try:
            async for name, data in items:
                yield event(name, data)
        except AbapaError as error:
            yield event("error", error_object(error))


def _searcher(position: Position, maps: Tables) -> Searcher[Position]:
    return Searcher(OwareGame(position.rules, maps), hash_mib=HASH_MIB)


def depth_object(position: Position, report: Report) -> dict[str, Any]:
    """One depth of a search, its lines best first."""
    return {
        "depth": report.depth,
        "nodes": report.nodes,
        "seconds": round(report.seconds, 4),
        "nodes_per_second": report.nodes_per_second,
        "table_hits": report.table_hits,
        "certainty": _certainty(report),
        "lines": [_line_object(position, line.score, line.low, line.high, line.moves) for line in report.lines],
    }


def _line_object(position: Position, score: int, low: int, high: int, moves: tuple[int, ...]) -> dict[str, Any]:
    lead, letters = lead_of(position), position.line(moves)
    return {
        "move": letters[0],
        "score": score,
        "low": max(low, lead - position.seeds),
        "high": min(high, lead + position.seeds),
        "exact": low == high,
        "pv": letters,
    }


def _done_object(position: Position, report: Report) -> dict[str, Any]:
    score = report.best.score
    return {
        "best": position.line(report.best.moves)[0],
        "score": score,
        "certainty": _certainty(report),
        "final": final_of_score(position, score),
    }


def final_of_score(position: Position, score: int) -> Final:
    """The final seeds of South and North, if the mover's final margin is ``score``."""
    return final_of(position, score - lead_of(position))


def _certainty(report: Report) -> str:
    return "exact" if report.exact else "estimate"


# -- the engine's reply -----------------------------------------------------------------------------------------------


async def play(state: State, game: Game, level: Level, seed: int | None) -> dict[str, Any]:
    """The engine's move at a level, and how it was weakened; errors are drawn anew unless a seed is given."""
    check_going_on(game.position)
    position = game.position
    maps = state.maps(position.rules) if level.tables else {}

    def work(job: Job[Choice]) -> Iterator[Choice]:
        searcher = _searcher(position, maps)
        job.on_stop = searcher.stop
        yield choose(searcher, position, level, random.Random(seed))

    choice = await state.searches.result(work)
    first = position.turn * position.rules.pits
    move, best = position.letter(choice.move + first), position.letter(choice.best + first)
    return {"move": move, "level": level_object(level), "how": _how(level, move, best)}


def _how(level: Level, move: str, best: str) -> str:
    judged = f" It found {best} best and played {move}." if move != best else f" It found {move} best and played it."
    return f"{level.name.capitalize()}: {level.words[0].lower()}{level.words[1:]}{judged}"


def level_object(level: Level) -> dict[str, Any]:
    """A level as the answers show it."""
    return {"level": level.level, "name": level.name, "nodes": level.nodes, "words": level.words}
