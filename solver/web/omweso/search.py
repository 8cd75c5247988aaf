"""Searches of an Omweso position as server-sent events; scores are chances to win, or plies to the end."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Iterator
from typing import Any

from solver.omweso.game import OmwesoGame, plies_to_end
from solver.omweso.position import OmwesoPosition
from solver.search.limits import Limits
from solver.search.searcher import Line, Report, Searcher
from solver.web.errors import Refused
from solver.web.jobs import Job
from solver.web.omweso.game import AskedGame
from solver.web.oware.search import HASH_MIB, told
from solver.web.state import State

UNITS_A_LOGIT = 80
"""Of a score: the network is fitted so that the mover's chance is 1 / (1 + exp(-score / 80)), scripts/fit_omweso.py."""


async def search(state: State, asked: AskedGame, limits: Limits, multipv: int) -> AsyncIterator[bytes]:
    """The events of a search. Raises Refused where it cannot begin."""

    def legal(job: Job[tuple[OmwesoPosition, bool]]) -> Iterator[tuple[OmwesoPosition, bool]]:
        position = asked.position()
        yield position, position.ending is None

    position, goes_on = await state.listing(legal)
    if not goes_on:
        raise Refused("bad-position", "the game is over: there is nothing to search", "position")

    def work(job: Job[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
        game = OmwesoGame(position.rules)
        searcher = Searcher(game, hash_mib=HASH_MIB)
        job.on_stop = searcher.stop
        report = None
        for report in searcher.reports(position, limits, multipv=multipv):
            if report.finished:
                yield "depth", _depth_object(game, position, report)
        assert report is not None
        best = _line_object(game, position, report.best)
        done = {"best": best["move"], "chance": best["chance"], "plies_to_end": best["plies_to_end"]}
        yield "done", done | {"certainty": _certainty(report.best)}

    return told(state.searches.start(work))


def chance_of(score: int) -> float:
    """The mover's chance to win, 0 to 1, that a score of the search stands for."""
    if plies_to_end(score) is not None:
        return float(score > 0)
    return round(1 / (1 + math.exp(-score / UNITS_A_LOGIT)), 4)


def _depth_object(game: OmwesoGame, position: OmwesoPosition, report: Report) -> dict[str, Any]:
    return {
        "depth": report.depth,
        "nodes": report.nodes,
        "seconds": round(report.seconds, 4),
        "nodes_per_second": report.nodes_per_second,
        "certainty": _certainty(report.best),
        "lines": [_line_object(game, position, line) for line in report.lines],
    }


def _line_object(game: OmwesoGame, position: OmwesoPosition, line: Line) -> dict[str, Any]:
    """A line: its turns as players write them, and the chance, or the plies to a forced end."""
    turns = []
    for code in line.moves:
        if code not in game.legal(position):
            break
        turns.append(game.name(position, code))
        position = game.play(position, code)
    return {
        "move": turns[0],
        "chance": chance_of(line.score),
        "plies_to_end": plies_to_end(line.score),
        "exact": line.exact,
        "pv": turns,
    }


def _certainty(line: Line) -> str:
    return "exact" if line.exact else "estimate"
