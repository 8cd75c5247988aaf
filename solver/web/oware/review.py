"""What each move of a game was worth, what it lost, and which would have been best; game records in and out.

:mod:`solver.oware.analysis` judges the moves, each position as if it stood fresh on the board. Where tables reach, they
say; elsewhere a search of so many nodes estimates.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from solver.oware import ogn
from solver.oware.analysis import MoveNote, analyse, average_loss
from solver.oware.game import OwareGame
from solver.oware.position import NORTH, SOUTH, Position
from solver.search.limits import Limits
from solver.search.searcher import Searcher
from solver.web.errors import Refused
from solver.web.jobs import Job
from solver.web.oware.answer import lead_of
from solver.web.oware.game import MOST_MOVES, SIDE_NAMES, Game, position_object, read_game
from solver.web.oware.search import HASH_MIB, final_of_score
from solver.web.request import Fields
from solver.web.state import State

MOST_RECORD = 64 << 10
"""Bytes of a game record."""
NODES, MOST_NODES = 40_000_000, 200_000
"""Nodes of all searches of a review together, and of each at most."""
MISTAKE = 4
"""Seeds of margin that make a loss a mistake; a smaller one is an inaccuracy, one that changes who wins a blunder."""


async def review(state: State, record: ogn.Record) -> dict[str, Any]:
    """Every move of a record, judged. Raises Refused where as many searches run as may."""
    positions = record.positions()
    maps, rules = state.maps(record.rules), record.rules
    limits = Limits(nodes=min(MOST_NODES, NODES // (2 * len(positions))))

    def work(job: Job[list[MoveNote]]) -> Iterator[list[MoveNote]]:
        searcher = Searcher(OwareGame(rules, maps), hash_mib=HASH_MIB)
        job.on_stop = searcher.stop
        notes: list[MoveNote] = []
        for note in analyse(searcher, positions, limits):
            if job.stopped:
                return
            notes.append(note)
        yield notes

    notes = await state.searches.result(work)
    return {
        "title": record.title,
        "rules": rules.id,
        "start": position_object(positions[0]),
        "result": ogn.result_text(positions[-1]),
        "warnings": record.warnings,
        "moves": [_note_object(note, *around) for note, around in zip(notes, pairwise(positions), strict=True)],
        "average_loss": {SIDE_NAMES[side]: average_loss(notes, side) for side in (SOUTH, NORTH)},
    }


def _note_object(note: MoveNote, before: Position, after: Position) -> dict[str, Any]:
    """A judged move; its values count the seeds on the board before it, ``final`` the stores too."""
    lead = lead_of(before)
    exact = note.exact and note.best_exact
    value = note.score - lead
    return {
        "ply": note.ply,
        "side": SIDE_NAMES[note.side],
        "move": note.move,
        "value": value,
        "lower": value if note.exact else None,
        "upper": value if note.exact else None,
        "best": note.best,
        "best_value": note.best_score - lead,
        "loss": note.loss,
        "certainty": "exact" if exact else "estimate",
        "mistake": mistake_of(note),
        "final": final_of_score(before, note.score),
        "after": position_object(after),
    }


def mistake_of(note: MoveNote) -> str | None:
    """What kind of mistake a move is, if any: a blunder changes who wins, or whether anybody does."""
    if note.loss <= 0:
        return None
    if _sign(note.score) != _sign(note.best_score):
        return "blunder"
    return "mistake" if note.loss >= MISTAKE else "inaccuracy"


def _sign(margin: int) -> int:
    return (margin > 0) - (margin < 0)


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
