"""Oware Game Notation: the PGN-like text of recorded games that the Auale program reads and writes.

A game is a list of tags, ``[South "Ama"]``, and its moves, ``1. F e+3 2. B a { a comment } 26-22``: letters as in the
rules, ``+n`` for seeds captured, comments in braces after a move (or before the first), variations in parentheses (read
over), at the end the result as seeds of South and North or ``*``. A ``FEN`` tag names another position than the start.
The ``Variant`` tag names the rules: Abapa, or the id of a rule set. A file may hold several games.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from solver.errors import AbapaError, PositionError, RulesError
from solver.oware import Position
from solver.rules import ABAPA, Rules

ROSTER = ("Variant", "Event", "Site", "Date", "Round", "South", "North", "Result")
"""The tags that every game has, in this order; ``?`` where unknown."""

WIDTH = 79
_TAG = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\\n]|\\.)*)"\s*\]')
_TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<number>\d+\.+)|(?P<result>\d+(?:\.5)?-\d+(?:\.5)?|1/2-1/2|\*)"
    r"|(?P<move>[A-Ha-h])(?:\+\d+)?(?=[\s{(;*!?$]|$)|(?P<glyph>[!?]+|\$\d+)|(?P<rest>;[^\n]*)"
)


class OgnError(AbapaError, ValueError):
    """A text that is no Oware Game Notation, or a game whose moves the rules do not admit; names the line."""


@dataclass
class Record:
    """One recorded game.

    ``tags`` by name; ``moves`` as letters; ``comments[k]`` belongs to move k - 1, ``comments[0]`` stands before the
    first move; empty where there is none. The position that it starts from and its rules come from the tags.
    """

    tags: dict[str, str] = field(default_factory=dict)
    moves: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=lambda: [""])

    @classmethod
    def of(cls, positions: Iterable[Position], moves: Iterable[str], **tags: str) -> Record:
        """The record of a game played from ``positions``' first to its last; Variant, FEN and Result are filled in."""
        positions, moves = list(positions), list(moves)
        first, last = positions[0], positions[-1]
        record = cls(tags=tags, moves=moves, comments=[""] * (len(moves) + 1))
        record.tags["Variant"] = "Abapa" if first.rules == ABAPA else first.rules.id
        if first != Position.start(first.rules):
            record.tags["FEN"] = first.text
        record.tags["Result"] = result_text(last)
        return record

    @property
    def rules(self) -> Rules:
        """The rule set that the Variant tag names; Abapa where it names none that is known."""
        try:
            return Rules.parse(self.tags.get("Variant", "abapa").strip().lower())
        except RulesError:
            return ABAPA

    @property
    def start(self) -> Position:
        """The position before the first move."""
        fen = self.tags.get("FEN")
        return Position.parse(fen, self.rules) if fen else Position.start(self.rules)

    def positions(self) -> list[Position]:
        """Every position of the game, the first and the last included. Raises OgnError for a move against the rules."""
        positions = [self.start]
        for number, letter in enumerate(self.moves):
            try:
                positions.append(positions[-1].play(letter))
            except PositionError as error:
                raise OgnError(f"game {self.title}, ply {number + 1}: {error}") from error
        return positions

    @property
    def title(self) -> str:
        """South and North as the tags name them."""
        return f"{self.tags.get('South', '?')} - {self.tags.get('North', '?')}"


def result_text(position: Position) -> str:
    """The Result tag of a position: final seeds of South and North, ``*`` while the game goes on."""
    result = position.result()
    return "*" if result is None else f"{result[0]:g}-{result[1]:g}"


# -- reading ----------------------------------------------------------------------------------------------------------


def parse(text: str) -> list[Record]:
    """Every game of a text, its moves played through. Raises OgnError, naming the line or the ply."""
    records: list[Record] = []
    at = 0
    text = text.removeprefix("\ufeff")
    while text[at:].strip():
        record, at = _read_game(text, at)
        record.positions()
        records.append(record)
    if not records:
        raise OgnError('no game: expected tags such as [South "Ama"], or moves such as 1. F e')
    return records


def _read_game(text: str, at: int) -> tuple[Record, int]:
    """One game from ``at`` on, and where it ends: at its result, or where the tags of another begin."""
    record = Record()
    while match := _TAG.match(text, at := _skip_space(text, at)):
        record.tags[match[1]] = re.sub(r"\\(.)", r"\1", match[2])
        at = match.end()
    while at < len(text):
        character = text[at]
        if character == "[":
            if not _TAG.match(text, at):
                raise OgnError(f'line {_line(text, at)}: a tag reads [Name "value"]')
            break
        if character in "{(":
            end = _closing(text, at)
            if character == "{":
                words = " ".join(text[at + 1 : end].split())
                record.comments[-1] = f"{record.comments[-1]} {words}".strip()
            at = end + 1
            continue
        match = _TOKEN.match(text, at)
        if match is None:
            word = text[at:].split(maxsplit=1)[0]
            raise OgnError(f"line {_line(text, at)}: {word!r} is no move: moves are A to F and a to f")
        at = match.end()
        if match["move"]:
            record.moves.append(match["move"])
            record.comments.append("")
        elif match["result"]:
            record.tags.setdefault("Result", match["result"])
            break
    return record, at


def _skip_space(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _closing(text: str, at: int) -> int:
    """Index of what closes the brace or parenthesis at ``at``; variations nest, and may hold comments."""
    if text[at] == "{":
        end = text.find("}", at)
        if end < 0:
            raise OgnError(f"line {_line(text, at)}: a comment that is not closed by }}")
        return end
    depth, start = 0, at
    while at < len(text):
        if text[at] == "{":
            at = _closing(text, at)
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return at
        at += 1
    raise OgnError(f"line {_line(text, start)}: a variation that is not closed by )")


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


# -- writing ----------------------------------------------------------------------------------------------------------


def dump(records: Iterable[Record]) -> str:
    """The games as text, tags in roster order and then by name, lines of at most 79 characters where words allow."""
    return "\n".join(_game_text(record) for record in records)


def _game_text(record: Record) -> str:
    positions = record.positions()
    tags = dict.fromkeys(ROSTER, "?") | {"Variant": "Abapa", "Result": result_text(positions[-1])} | record.tags
    names = [*ROSTER, *sorted(name for name in tags if name not in ROSTER)]
    lines = [f'[{name} "{_escaped(tags[name])}"]' for name in names]
    tokens = _comment_tokens(record.comments[0])
    for ply, letter in enumerate(record.moves):
        if ply % 2 == 0:
            tokens.append(f"{ply // 2 + 1}.")
        captured = sum(positions[ply + 1].stores) - sum(positions[ply].stores)
        tokens.append(f"{letter}+{captured}" if captured else letter)
        tokens += _comment_tokens(record.comments[ply + 1])
    tokens.append(tags["Result"] if tags["Result"] != "?" else "*")
    return "\n".join([*lines, "", *_wrapped(tokens)]) + "\n"


def _comment_tokens(comment: str) -> list[str]:
    words = comment.replace("}", ")").split()
    return ["{", *words, "}"] if words else []


def _wrapped(tokens: list[str]) -> list[str]:
    lines = [tokens[0]]
    for token in tokens[1:]:
        if len(lines[-1]) + 1 + len(token) <= WIDTH:
            lines[-1] += f" {token}"
        else:
            lines.append(token)
    return lines


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
