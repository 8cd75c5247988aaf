"""Writes docs/http.md from the table of addresses and real answers; tests/web/test_docs.py checks that it is fresh.

Every address has an example, asked of the application itself over small tables built for it; every field that an answer
has is explained. Numbers that no two runs agree on are shown as ``T``.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from databases.builder.build import build_tables
from solver.oware.rules import Rules
from solver.web.app import application
from solver.web.errors import MEANING, RETRY_SECONDS, STATUS
from solver.web.offline import ask
from solver.web.routes import ADDRESSES, API, EVENTS, MOST_BODY, MOST_POSITIONS, Address
from solver.web.state import State

PATH = Path(__file__).resolve().parents[1] / "docs" / "http.md"
TABLES = (("awari+pits=2", 6), ("abapa+pits=2", 5))
"""The rule sets of the examples, with the seeds of their largest tiers; all with distances."""

INTRODUCTION = f"""# The HTTP interface

Written by `scripts/write_http_docs.py` from the server's table of addresses; every answer on this page is a real one.

`abapa serve --tables DIR` opens it on http://127.0.0.1:8421/, for this machine alone; `abapa serve --get PATH` answers
one request without a server. It needs the extra `abapa[serve]`.

- Values are margins in seeds from the view of the player to move; a move's are from its player's view.
- `value`, `lower` and `upper` count the seeds on the board. `final` and verdicts count the stores too and name South's
  seeds first; a `score` of a search is a final margin.
- `certainty` says what a value is: `exact`; `bounded`: what each side can force is known, but not one number for both;
  `estimate`: of a search; `over`: the game has ended. `window` is for tables that hold part of the values.
- A board is taken as fresh, as tables do, with one exception: a move that brings a board of the game back ends the
  game, and counts as that. `moves` tells the game.
- After a majority values count on, as everywhere in Abapa; `ends` and `over` tell the real result.
- Every answer has all its fields: null where one does not apply. Fields may be added in later versions.
- Parameters are percent-encoded: `+` is `%2B`, `<` is `%3C`. A parameter that is unknown, or comes twice, is an error.

**Limits.** {MOST_POSITIONS} positions and {MOST_BODY >> 10} KiB per request, two searches of up to 30 seconds at once,
each with 64 MiB. The Host header must name this machine; pages of other sites cannot ask.

## Errors

A refusal is `{{"error": {{"kind", "message", "where", "command", "seeds"}}}}`: `where` names the parameter, `command`
builds the table that is missing. `missing-tier` and `no-tables` of a position come with the whole answer beside them,
values null, so that the board can be shown and played on.

"""

EXAMPLES: dict[tuple[str, str], list[tuple[str, Any]]] = {
    ("GET", f"{API}/"): [],
    ("GET", f"{API}/oware"): [
        ("?rules=awari%2Bpits=2&position=2-1-3-0-3-3-S", None),
        ("?rules=abapa%2Bpits=2&position=1-1-0-2-4-4-N", None),
        ("?rules=awari%2Bpits=2&position=2-2-2-2", None),
    ],
    ("POST", f"{API}/oware"): [
        ("", [{"rules": "awari+pits=2", "position": "1-0-1-0"}, {"rules": "awari+pits=2", "position": "1-0"}])
    ],
    ("GET", f"{API}/oware/line"): [("?rules=awari%2Bpits=2&position=2-1-3-0-3-3-S&limit=4", None)],
    ("GET", f"{API}/oware/search"): [("?rules=awari%2Bpits=2&position=3-1-1-2&depth=3", None)],
    ("GET", f"{API}/oware/play"): [("?moves=Ff&level=1&seed=3", None)],
    ("POST", f"{API}/oware/review"): [("", {"rules": "awari+pits=2", "start": "2-1-3-0-3-3-S", "moves": "Ba"})],
    ("GET", f"{API}/oware/record"): [("?moves=FfE", None)],
    ("GET", f"{API}/levels"): [("", None)],
    ("GET", f"{API}/tables"): [("", None)],
    ("GET", f"{API}/tables/{{rules}}/{{seeds}}"): [("awari%2Bpits=2/6", None)],
    ("GET", f"{API}/omweso"): [
        ("?rules=tournament%2Bcolumns=2&position=2,0,1,1/1,2,0,1", None),
        ("?rules=tournament%2Bcolumns=2&position=1,0,1,1/1,2,0,1", None),
    ],
    ("GET", f"{API}/omweso/laps"): [("?rules=tournament%2Bcolumns=2&position=2,0,1,1/1,2,0,1&turn=c", None)],
    ("GET", f"{API}/omweso/search"): [("?rules=tournament%2Bcolumns=2&position=2,0,1,1/1,2,0,1&depth=2", None)],
    ("GET", f"{API}/omweso/setups"): [("?rules=tournament%2Bcolumns=3", None)],
    ("GET", "/"): [],
    ("GET", "/static/{name:path}"): [],
}
"""Of each address the examples: what follows it, and the body where it takes one."""

FIELDS: dict[str, str] = {
    "after": "the position after the move or turn",
    "average_loss": "mean seeds lost per move, by side; null without a move",
    "best": "the best move, as far as is known",
    "best_value": "what that is worth, as `value`",
    "board": "2m counts, South's houses first, each side's in sowing order",
    "boards": "boards in the tier; of a build, of all tiers that it makes",
    "build": "what the command that builds the missing table needs",
    "bounds": "whether tables hold `lower` and `upper`: endless play depends on the history",
    "bytes": "size of the file; of a build, of all files that it makes",
    "captured": "seeds captured; of a lap, the opponent's pits that were emptied",
    "captures": "houses captured, the last one sown first",
    "certainty": "what kind of answer it is (above)",
    "chance": "the mover's chance to win, 0 to 1, by the search",
    "choices": "the choices of the turn, each with its `symbol` and what it does",
    "clockwise": "whether the lap runs clockwise",
    "columns": "columns of the board",
    "command": "what builds the table that is missing",
    "complete_to": "every tier of 0 to so many seeds is there",
    "counts": "the seeds of a set-up, in the owner's numbering of pits",
    "cycle": "what endless play is worth (docs/rules.md)",
    "depth": "plies searched",
    "distance": "plies to the capture or end that gives the value, null where not stored",
    "draws": "boards worth 0",
    "end": "`over`, `endless` (boards repeat from here) or `limit`",
    "endless": "what a turn that never ends does (docs/omweso.md)",
    "ends": "how the move ends the game, with `final` and `words`; null where it goes on",
    "error": "why it is refused",
    "exact": "whether a line is proven; of a tier, the boards whose bounds agree",
    "final": "final seeds of South and North, stores included; null where no one number is known",
    "fixed": "the set-up that the rules prescribe, if any",
    "folder_given": "whether a folder of tables was named",
    "game": "where the game began, and its moves",
    "grand_slam": "what a grand slam does (docs/rules.md)",
    "high": "proven: the final margin is at most this",
    "histogram": "pairs: a value, and how many boards have it",
    "history": "boards since the last capture, which would end the game if they came back",
    "house": "its number: 0..m-1 South's, m..2m-1 North's",
    "how": "`majority`, `nomove`, `repetition`, of Omweso also `endless` and `rounds`; how the engine chose its move",
    "id": "the rule set's name",
    "kind": "of an error, above; of a lap, how it came about: `start`, `relay` or `capture`",
    "laps": "laps sown, their number or each by itself",
    "level": "the level of strength",
    "lifted": "seeds sown in the lap",
    "line": "the moves of best play, alternately of both sides",
    "lines": "the best moves of this depth, best first",
    "longest": "the longest distance, with a position that has it; null where none is stored",
    "loss": "seeds of margin lost by the move",
    "losses": "boards that the mover loses",
    "low": "proven: the final margin is at least this",
    "lower": "what the mover can force, whatever boards repeat; null under rules without bounds",
    "message": "the error in one line",
    "mistake": "`inaccuracy`, `mistake` or `blunder`; null for none",
    "move": "its letter: A.. South's, a.. North's; of Omweso the turn",
    "moves": "the legal moves, best first; of a game, its letters",
    "name": "its name",
    "nodes": "positions searched",
    "nodes_per_second": "positions searched per second",
    "opponent": "the other side's pits, in its own numbering",
    "order": "the order of the moves in words",
    "outcome": "`win`, `draw`, `loss` for its player, or `open`; null where not known",
    "over": "how the game ended; null while it goes on",
    "packed": "whether the tier is there in its packed form",
    "pit": "a pit of its owner, 0..2c-1",
    "pits": "houses per side; of Omweso pits per side",
    "plies_to_end": "plies to a forced end; null for an estimate",
    "ply": "moves before it",
    "points": "what the turn scores by itself in a match: `name` and `points`",
    "position": "the position asked about",
    "pv": "the principal variation: the moves of best play from here",
    "quantities": "what the table holds",
    "repeats": "whether this board occurred before in the game",
    "repetition": "what a position that comes back does (docs/omweso.md)",
    "result": "the result of the record: final seeds, or `*`",
    "reverse_pits": "pits where a clockwise lap may start",
    "rules": "the rule set",
    "score": "final margin in seeds, mover's view",
    "seconds": "time searched; of a build, roughly, with two cores",
    "seeds": "seeds on the board, or of the tier",
    "setup": "how a game begins (docs/omweso.md)",
    "setups": "the set-ups",
    "sha256": "hash of the table's values",
    "side": "`south` or `north`; of an Omweso position the mover's pits",
    "slam": "whether it is a grand slam that captures nothing",
    "south": "of South",
    "north": "of North",
    "sowing": "the houses that its seeds fall into, in order",
    "sown": "the pits that the lap's seeds fall into, in order",
    "start": "where the game began",
    "status": "`end` or `endless`",
    "stores": "seeds won by South and North",
    "symbol": "how a choice is written",
    "table_hits": "boards found in tables",
    "text": "the position as it is written",
    "tiers": "its tiers, fewest seeds first",
    "title": "the players, South first",
    "total": "all seeds of the game",
    "truncated": "whether more laps follow",
    "turn": "`south` or `north`, to move; of Omweso's turns, the turn as it is written",
    "turns": "every turn",
    "upper": "what the opponent can hold the mover to",
    "value": "the margin on the board, endless play split evenly (above)",
    "verdict": "the same in words",
    "warnings": "what the record claims and its moves refute",
    "where": "the parameter that was wrong",
    "window": "values beyond this size are not told apart; null: all are",
    "winner": "`south` or `north`, null for nobody",
    "wins": "boards that the mover wins",
    "words": "the same in a sentence",
}
"""What each field of an answer means."""

VOLATILE = [(r'"(seconds|nodes_per_second)":[0-9.e+]+', r'"\1":T')]


def text() -> str:
    """The whole of docs/http.md."""
    with tables():
        answered = {address: list(examples(address)) for address in ADDRESSES}
    sections = [section(address, found) for address, found in answered.items()]
    return "\n".join([INTRODUCTION + errors(), fields([found for of in answered.values() for found in of]), *sections])


@contextmanager
def tables() -> Iterator[None]:
    """The examples' tables, in ``tables`` in a folder of their own, in which the block runs."""
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for rules, seeds in TABLES:
                build_tables(Path("tables"), Rules.parse(rules), seeds, distance=True, threads=1)
            yield
        finally:
            os.chdir(here)


def errors() -> str:
    """The table of errors."""
    rows = [f"| `{kind}` | {status} | {MEANING[kind]} |" for kind, status in STATUS.items()]
    retried = " and ".join(f"`{kind}`" for kind in RETRY_SECONDS)
    return "\n".join(
        ["| kind | status | meaning |", "| --- | ---: | --- |", *rows, "", f"{retried} have `Retry-After`.\n"]
    )


def fields(answers: list[tuple[str, str]]) -> str:
    """The table of fields. Raises KeyError for one that is not explained, ValueError for an explanation of none."""
    used = {name for _, answer in answers for name in re.findall(r'"([a-z0-9_]+)":', answer)}
    if unused := set(FIELDS) - used:
        raise ValueError(f"fields that no example has: {unused}")
    rows = [f"| `{name}` | {FIELDS[name]} |" for name in sorted(used)]
    return "\n".join(["## Fields\n", "| field | meaning |", "| --- | --- |", *rows, ""])


def section(address: Address, examples: list[tuple[str, str]]) -> str:
    """An address: what it answers, its parameters, its examples."""
    said = (address.endpoint.__doc__ or "").strip().split("\n\n", 1)
    lines = [f"## {address.method} {address.path}\n", said[0].strip(), ""]
    if len(said) > 1:
        lines += [re.sub(r"\s*\n\s*", "\n", said[1].strip()), ""]
    text = "\n".join(lines).replace("``", "`")
    for asked, answer in examples:
        text += f"\n```console\n{asked}\n{answer}```\n"
    return text


def examples(address: Address) -> Iterator[tuple[str, str]]:
    """What is asked and answered, as a terminal shows it."""
    for rest, body in EXAMPLES[address.method, address.path]:
        asked = address.path.partition("{")[0] + rest
        state = State(Path("tables"))
        sent = None if body is None else json.dumps(body).encode()
        _, answer = ask(application(state), asked, sent)
        state.close()
        if sent is None:
            command = f"$ abapa serve --tables tables --get '{asked}'"
        else:
            command = f"$ curl -H 'Content-Type: application/json' http://127.0.0.1:8421{asked} -d '{json.dumps(body)}'"
        yield command, shown(address, answer.decode())


def shown(address: Address, answer: str) -> str:
    """An answer as the page shows it: JSON with a line for each field, and for each object of a list."""
    for pattern, replacement in VOLATILE:
        answer = re.sub(pattern, replacement, answer)
    return answer if address.answers in (EVENTS, "text/plain") else laid_out(json.loads(answer)) + "\n"


def laid_out(value: Any, depth: int = 0) -> str:
    """JSON over several lines: the outermost object by its fields, lists of objects by their items."""
    inner = "\n" + " " * (depth + 1)
    if isinstance(value, dict) and depth == 0:
        parts = [f"{json.dumps(name)}: {laid_out(part, depth + 1)}" for name, part in value.items()]
        return "{" + inner + f",{inner}".join(parts) + "\n}"
    if isinstance(value, list) and value and all(isinstance(part, dict) for part in value):
        return "[" + inner + f",{inner}".join(json.dumps(part) for part in value) + "\n" + " " * depth + "]"
    return json.dumps(value)


if __name__ == "__main__":
    PATH.write_text(text())
