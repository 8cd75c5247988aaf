"""What each move of a game was worth, what it lost, and which would have been best; game records in and out.

Each position is judged as if it stood fresh on the board. Where tables reach they alone say, without any search;
elsewhere :mod:`solver.oware.analysis` searches so many nodes and estimates.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from databases.prober import MissingTierError, MoveValue, Tables, open_tables
from solver.oware import ogn
from solver.oware.analysis import MoveNote, analyse, average_loss
from solver.oware.game import OwareGame
from solver.oware.position import NORTH, SOUTH, Position
from solver.oware.rules import Rules
from solver.search.limits import Limits
from solver.search.searcher import Searcher
from solver.web.errors import Refused
from solver.web.jobs import Job
from solver.web.oware.game import MOST_MOVES, Game, position_object, read_game
from solver.web.oware.moves import ended_value, lead_of
from solver.web.oware.search import HASH_MIB, final_of_score
from solver.web.request import Fields
from solver.web.response import SIDE_NAMES
from solver.web.state import State

MOST_RECORD = 64 << 10
"""Bytes of a game record."""
NODES, MOST_NODES = 40_000_000, 200_000
"""Nodes of all searches of a review together, and of each at most."""


async def review(state: State, record: ogn.Record) -> dict[str, Any]:
    """Every move of a record, judged. Raises Refused where as many searches run as may."""
    positions, rules = record.positions(), record.rules
    notes = await _tabled(state, rules, positions)
    open_plies = [ply for ply in range(len(positions) - 1) if ply not in notes]
    if open_plies:
        notes |= await _searched(state, rules, positions, open_plies)
    judged = [notes[ply] for ply in range(len(positions) - 1)]
    return {
        "title": record.title,
        "rules": rules.id,
        "start": position_object(positions[0]),
        "result": ogn.result_text(positions[-1]),
        "warnings": record.warnings,
        "moves": [_note_object(note, *around) for note, around in zip(judged, pairwise(positions), strict=True)],
        "average_loss": {SIDE_NAMES[side]: average_loss([of.note for of in judged], side) for side in (SOUTH, NORTH)},
    }


@dataclass(frozen=True)
class Judged:
    """A note and how sure it is: ``exact``, ``bounded`` (by tables) or ``estimate``; what tables prove of the move.

    ``lower`` and ``upper`` count the seeds on the board before the move, for who makes it.
    """

    note: MoveNote
    certainty: str
    lower: int | None = None
    upper: int | None = None


async def _tabled(state: State, rules: Rules, positions: list[Position]) -> dict[int, Judged]:
    """What tables say of the moves, by ply; those that no table tells are left out."""
    if not rules.has_tables or not state.folder.is_dir():
        return {}

    def work(job: Job[dict[int, Judged]]) -> Iterator[dict[int, Judged]]:
        found = {}
        with open_tables(state.folder, rules) as tables:  # its own: the server's are closed when the folder changes
            for ply, (before, after) in enumerate(pairwise(positions)):
                if job.stopped:
                    return
                with suppress(MissingTierError):
                    found[ply] = _by_tables(tables, ply, before, after)
        yield found

    return await state.listing(work)


def _by_tables(tables: Tables, ply: int, before: Position, after: Position) -> Judged:
    """A move judged by the tables alone. Raises MissingTierError."""
    lead, first = lead_of(before), before.turn * before.rules.pits
    moves = tables.moves(before.canonical)
    best = moves[0]
    house = next(move.house for move in before.playable if move.board == after.board)
    played = next(move for move in moves if move.house + first == house)
    if after.ending not in (None, "majority"):
        played = ended_value(before, after, played)
        best = max(best, played, key=lambda move: move.value)
    exact = all(not move.beyond and (not before.rules.has_bounds or _certain(move)) for move in (best, played))
    letters = [before.letter(move.house + first) for move in (played, best)]
    scores = [lead + move.value for move in (played, best)]
    note = MoveNote(ply, before.turn, letters[0], scores[0], exact, letters[1], scores[1], exact)
    bounds = (played.lower, played.upper) if before.rules.has_bounds else played.reach
    return Judged(note, "exact" if exact else "bounded", *bounds)


def _certain(move: MoveValue) -> bool:
    return move.lower is not None and move.lower == move.upper


async def _searched(state: State, rules: Rules, positions: list[Position], plies: list[int]) -> dict[int, Judged]:
    """What a search says of some of the moves. Raises Refused where as many searches run as may."""
    maps = state.maps(rules)
    limits = Limits(nodes=min(MOST_NODES, NODES // (2 * len(plies))))

    def work(job: Job[dict[int, Judged]]) -> Iterator[dict[int, Judged]]:
        searcher = Searcher(OwareGame(rules, maps), hash_mib=HASH_MIB)
        job.on_stop = searcher.stop
        found = {}
        for ply in plies:
            for note in analyse(searcher, positions[ply : ply + 2], limits):
                if job.stopped:
                    return
                found[ply] = _by_search(replace(note, ply=ply), positions[ply])
        yield found

    return await state.searches.result(work)


def _by_search(note: MoveNote, before: Position) -> Judged:
    value = note.score - lead_of(before) if note.exact else None
    return Judged(note, "exact" if note.exact and note.best_exact else "estimate", value, value)


def _note_object(judged: Judged, before: Position, after: Position) -> dict[str, Any]:
    """A judged move; its values count the seeds on the board before it, ``final`` the stores too."""
    note, lead = judged.note, lead_of(before)
    return {
        "ply": note.ply,
        "side": SIDE_NAMES[note.side],
        "move": note.move,
        "value": note.score - lead,
        "lower": judged.lower,
        "upper": judged.upper,
        "best": note.best,
        "best_value": note.best_score - lead,
        "loss": note.loss,
        "certainty": judged.certainty,
        "mistake": note.mistake,
        "final": final_of_score(before, note.score),
        "after": position_object(after),
    }


# -- records ----------------------------------------------------------------------------------------------------------


def read_record(text: str) -> ogn.Record:
    """The only game of a record. Raises OgnError or Refused."""
    records = ogn.parse(text)
    if len(records) > 1:
        raise Refused("bad-record", f"{len(records)} games: accepted is one")
    if len(records[0].moves) > MOST_MOVES:
        raise Refused("too-large", f"{len(records[0].moves):,} moves: accepted are up to {MOST_MOVES:,}")
    return records[0]


def record_of(game: Game) -> ogn.Record:
    """The record of a game."""
    return ogn.Record.of(game.positions, game.moves)


def game_of_object(given: Any) -> Game:
    """The game that a JSON object ``{"start", "rules", "moves"}`` tells. Raises Refused."""
    fields = Fields.of_object(given)
    told = {name: fields.take(name) for name in ("start", "rules", "moves")}
    fields.close()
    moves = told["moves"]
    if isinstance(moves, list) and all(isinstance(move, str) for move in moves):
        moves = "".join(moves)
    renamed = {"position": told["start"], "rules": told["rules"], "moves": moves}
    return read_game(Fields({name: value for name, value in renamed.items() if value is not None}))
