"""Oware Game Notation: the PGN-like text of recorded games that the Auale program reads and writes.

A game is a list of tags, ``[South "Ama"]``, and its moves, ``1. F e+3 2. B! a { a comment } 26-22``: letters as in the
rules, ``+n`` for seeds captured, at the end the result as seeds of South and North or ``*``. Move numbers may be left
out or stand alone, with any dots (``1. ... e``, ``1... e``): they count pairs of moves from the first one, whoever
makes it, as Auale counts. Between moves may stand remarks: comments ``{ so }`` or ``; to the end of the line``, glyphs
``!``, ``?!``, ``$1``, and variations ``( 1. A f )``, which are kept as text. A file may hold several games. A ``FEN``
tag names another position than the start.

**Rules.** The ``Variant`` tag names them: ``Abapa``, or ``Oware Abapa`` as Auale writes it, or the id of a rule set. A
name that is none of these is an error, since another game's moves are no moves of this one. Auale always writes the tag
and plays no other rules, so a game without one (or with ``?``) is Abapa.

**Results.** Where the moves end the game by its rules, they say what the result is: a ``Result`` that says otherwise is
put right and :attr:`Record.warnings` tells of it. Where they do not (resigned, agreed, unfinished), it is taken as it
stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from solver.errors import AbapaError, PositionError, RulesError
from solver.oware.position import Position
from solver.oware.rules import ABAPA, ACCEPTED_IDS, Rules

ROSTER = ("Variant", "Event", "Site", "Date", "Round", "South", "North", "Result")
"""The tags that every game has, in this order; ``?`` where unknown."""

ABAPA_NAMES = ("Oware Abapa", "Abapa")
"""How a Variant tag names the rules of Abapa, besides their id; the first is what Auale writes, and we."""

WIDTH = 79
_UNKNOWN = ("", "?")
_TAG = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\\n]|\\.)*)"\s*\]')
_RESULT = r"[0-9]+(?:\.5)?-[0-9]+(?:\.5)?|1/2-1/2|\*"
_TOKEN = re.compile(
    rf"(?P<space>\s+)|(?P<result>{_RESULT})(?=[\s{{(;\[]|$)|(?P<number>[0-9]+\.*|\.+|…)"
    r"|(?P<move>[A-Ha-h])(?:\+(?P<captured>[0-9]{1,4}))?(?=[\s{(;*!?$\[]|$)|(?P<glyph>[!?]+|\$[0-9]+)"
)


class OgnError(AbapaError, ValueError):
    """A text that is no Oware Game Notation, or a game whose moves the rules do not admit; names the line."""


@dataclass(frozen=True)
class Remark:
    """What stands between moves and is none: a comment's words, a glyph, or a variation without its parentheses.

    White space is single blanks; a variation keeps the line break after a comment that runs to the end of its line.
    """

    kind: Literal["comment", "glyph", "variation"]
    text: str


@dataclass
class Record:
    """One recorded game.

    ``tags`` by name; ``moves`` as letters; ``remarks[k]`` belong to move k - 1, in order, ``remarks[0]`` stand before
    the first move. ``warnings`` say what was wrong in the text and was put right by :func:`parse`. The position that
    it starts from and its rules come from the tags.
    """

    tags: dict[str, str] = field(default_factory=dict)
    moves: list[str] = field(default_factory=list)
    remarks: list[list[Remark]] = field(default_factory=lambda: [[]])
    warnings: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, positions: Iterable[Position], moves: Iterable[str], **tags: str) -> Record:
        """The record of a game played from ``positions``' first to its last; Variant, FEN and Result are filled in."""
        positions, moves = list(positions), list(moves)
        first, last = positions[0], positions[-1]
        record = cls(tags=tags, moves=moves, remarks=[[] for _ in range(len(moves) + 1)])
        record.tags["Variant"] = variant_name(first.rules)
        if first != Position.start(first.rules):
            record.tags["FEN"] = first.text
        record.tags["Result"] = result_text(last)
        return record

    @property
    def rules(self) -> Rules:
        """The rule set that the Variant tag names, Abapa without one. Raises OgnError for a name that is unknown."""
        named = self.tags.get("Variant", "").strip()
        if named in _UNKNOWN or named.lower() in [name.lower() for name in ABAPA_NAMES]:
            return ABAPA
        try:
            return Rules.parse(named.lower())
        except RulesError as error:
            accepted = f"accepted are {', '.join(ABAPA_NAMES)}, or {ACCEPTED_IDS}"
            raise OgnError(f"game {self.title}: unknown Variant {named!r}: {accepted}") from error

    @property
    def start(self) -> Position:
        """The position before the first move. Raises OgnError for a FEN tag that is none."""
        fen = self.tags.get("FEN")
        try:
            return Position.parse(fen, self.rules) if fen else Position.start(self.rules)
        except PositionError as error:
            raise OgnError(f"game {self.title}: {error}") from error

    def positions(self) -> list[Position]:
        """Every position of the game, the first and the last included. Raises OgnError for a move against the rules."""
        positions = [self.start]
        for number, letter in enumerate(self.moves):
            try:
                positions.append(positions[-1].play(letter))
            except PositionError as error:
                raise OgnError(f"game {self.title}, ply {number + 1}: {error}") from error
        return positions

    def comments(self, after: int) -> list[str]:
        """The comments after so many moves."""
        return [remark.text for remark in self.remarks[after] if remark.kind == "comment"]

    def annotate(self, after: int, text: str, old: re.Pattern[str]) -> None:
        """Put a comment after so many moves, in the place of comments that ``old`` matches whole.

        Without any it comes before other comments: Auale keeps the last one of a move, which shall be a person's.
        """
        remarks = self.remarks[after]
        stale = [at for at, it in enumerate(remarks) if it.kind == "comment" and old.fullmatch(it.text)]
        place = stale[0] if stale else next((at for at, it in enumerate(remarks) if it.kind != "glyph"), len(remarks))
        kept = [it for at, it in enumerate(remarks) if at not in stale]
        self.remarks[after] = [*kept[:place], Remark("comment", " ".join(text.split())), *kept[place:]]

    @property
    def title(self) -> str:
        """South and North as the tags name them."""
        return f"{self.tags.get('South', '?')} - {self.tags.get('North', '?')}"


def variant_name(rules: Rules) -> str:
    """The Variant tag of a rule set: its id, but Auale's name for Abapa."""
    return ABAPA_NAMES[0] if rules == ABAPA else rules.id


def result_text(position: Position) -> str:
    """The Result tag of a position: final seeds of South and North, ``*`` while the game goes on."""
    result = position.result()
    return "*" if result is None else f"{result[0]:g}-{result[1]:g}"


# -- reading ----------------------------------------------------------------------------------------------------------


def parse(text: str, rules: Rules | None = None) -> list[Record]:
    """Every game of a text, its moves played through. Raises OgnError, naming the line or the ply.

    ``rules`` stand for those that the games name. What the moves show to be wrong is put right, and told of in the
    record's warnings: the Variant under other ``rules``, the Result of a game that ended by its rules, and numbers of
    seeds captured.
    """
    reader = _Reader(text.removeprefix("\ufeff"))
    records: list[Record] = []
    while (game := reader.game()) is not None:
        if game.empty and records:
            records[-1].remarks[-1] += game.record.remarks[0]  # remarks at the end of the file
        elif not game.empty:
            _check(game, rules)
            records.append(game.record)
    if not records:
        raise OgnError('no game: expected tags such as [South "Ama"], or moves such as 1. F e')
    return records


@dataclass
class _Game:
    """A game as it was read: the record, and what it claims of its moves."""

    record: Record
    captured: list[int | None] = field(default_factory=list)
    result: str | None = None
    """The result that ends the moves."""

    @property
    def empty(self) -> bool:
        """Whether it is no game, only remarks."""
        return not self.record.tags and not self.record.moves and self.result is None


class _Reader:
    """Goes through a text once, game by game."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    def game(self) -> _Game | None:
        """The next game: to its result, or to where the tags of another begin; None at the end of the text."""
        if not self.text[self.at :].strip():
            return None
        game, tags_over = _Game(Record()), False
        while self.at < len(self.text):
            if self.text[self.at] == "[":
                if tags_over or not self._tag(game.record):
                    break
                continue
            if self._remark(game.record):
                continue
            match = _TOKEN.match(self.text, self.at)
            if match is None:
                word = self.text[self.at :].split(maxsplit=1)[0]
                raise OgnError(f"line {self._line()}: {word!r} is no move: moves are A to F and a to f")
            self.at = match.end()
            tags_over |= match["space"] is None
            if match["move"]:
                game.record.moves.append(match["move"])
                game.record.remarks.append([])
                game.captured.append(int(match["captured"]) if match["captured"] else None)
            elif match["result"]:
                game.result = match["result"]
                self._rest_of_line(game.record)
                break
        return game

    def _tag(self, record: Record) -> bool:
        """Read a tag; False where, after an empty line, it belongs to another game: one that only has tags is over."""
        match = _TAG.match(self.text, self.at)
        if match is None:
            raise OgnError(f'line {self._line()}: a tag reads [Name "value"]')
        if match[1] in record.tags:
            before = self.text[: self.at].rstrip(" \t\r")
            if re.search(r"\n[ \t\r]*\n$", before):
                return False
            raise OgnError(f"line {self._line()}: the tag {match[1]} stands in one game twice")
        record.tags[match[1]] = re.sub(r"\\(.)", r"\1", match[2])
        self.at = match.end()
        return True

    def _remark(self, record: Record) -> bool:
        """Read a comment, a variation or a glyph, if one stands here."""
        character, start = self.text[self.at], self.at
        if character in "{;":
            words = self._comment()
            if words:
                record.remarks[-1].append(Remark("comment", words))
        elif character == "(":
            self.at += 1
            record.remarks[-1].append(Remark("variation", self._variation(start)))
        elif (match := _TOKEN.match(self.text, self.at)) and match["glyph"]:
            record.remarks[-1].append(Remark("glyph", match["glyph"]))
            self.at = match.end()
        return self.at > start

    def _comment(self) -> str:
        """The words of the comment that begins here."""
        start = self.at
        closing = "}" if self.text[start] == "{" else "\n"
        end = self.text.find(closing, start)
        if end < 0 and closing == "}":
            raise OgnError(f"line {self._line()}: a comment that is not closed by }}")
        end = len(self.text) if end < 0 else end
        self.at = min(end + 1, len(self.text))
        return " ".join(self.text[start + 1 : end].split())

    def _variation(self, start: int) -> str:
        """The rest of a variation that began at ``start``, up to its parenthesis; variations nest."""
        words: list[str] = []
        run, depth = self.at, 1
        while self.at < len(self.text):
            character = self.text[self.at]
            if character in "{;":
                words += self.text[run : self.at].split()
                words.append(_comment_text(self._comment()))
                run = self.at
                continue
            depth += {"(": 1, ")": -1}.get(character, 0)
            self.at += 1
            if depth == 0:
                words += self.text[run : self.at - 1].split()
                return " ".join(word for word in words if word)
        self.at = start
        raise OgnError(f"line {self._line()}: a variation that is not closed by )")

    def _rest_of_line(self, record: Record) -> None:
        """Remarks that stand behind the result, in its line."""
        while self.at < len(self.text):
            while self.at < len(self.text) and self.text[self.at] in " \t\r":
                self.at += 1
            start = self.at
            if start == len(self.text) or not self._remark(record) or "\n" in self.text[start : self.at]:
                return

    def _line(self) -> int:
        return self.text.count("\n", 0, self.at) + 1


def _check(game: _Game, rules: Rules | None) -> None:
    """Play a game through, and put right what its moves show to be wrong."""
    record = game.record
    if rules is not None:
        try:
            same = record.rules == rules or record.tags.get("Variant", "?") in _UNKNOWN
        except OgnError:
            same = False
        if not same:
            record.warnings.append(f"Variant {record.tags['Variant']!r} is read as {rules.id}")
        record.tags["Variant"] = variant_name(rules)
    positions = record.positions()
    for ply, claimed in enumerate(game.captured):
        captured = _captured(positions, ply)
        if claimed is not None and claimed != captured:
            record.warnings.append(f"ply {ply + 1}: {record.moves[ply]}+{claimed} captures {captured} seeds")
    _check_result(game, positions[-1])


def _check_result(game: _Game, last: Position) -> None:
    """Compare what the tag and the end of the moves say with how the game ended, if it did."""
    record, final = game.record, result_text(last)
    tag, end = record.tags.get("Result", "?"), game.result or "*"
    claims = [claim for claim in (tag, end) if claim not in (*_UNKNOWN, "*")]
    if final == "*":
        if len(set(claims)) > 1:
            record.warnings.append(f"the tag says Result {tag!r}, the moves end with {end}: the tag is taken")
        if claims:
            record.tags["Result"] = claims[0]
        return
    for claim in dict.fromkeys(claims):
        if not _agrees(claim, last):
            record.warnings.append(f"Result {claim!r} is wrong: the game ended by its rules, {final} ({last.ending})")
    record.tags["Result"] = final


def _agrees(claim: str, last: Position) -> bool:
    """Whether a result says how the game ended: in seeds, or as chess players write who won."""
    result = last.result()
    assert result is not None
    margin = result[0] - result[1]
    if claim == ("1-0" if margin > 0 else "0-1" if margin < 0 else "1/2-1/2"):
        return True
    south, _, north = claim.partition("-")
    try:
        return (float(south), float(north)) == result
    except ValueError:
        return False


def _captured(positions: list[Position], ply: int) -> int:
    """Seeds that the move of a ply captured."""
    return sum(positions[ply + 1].stores) - sum(positions[ply].stores)


# -- writing ----------------------------------------------------------------------------------------------------------


def dump(records: Iterable[Record]) -> str:
    """The games as text, tags in roster order and then by name, lines of at most 79 characters where words allow."""
    return "\n".join(_game_text(record) for record in records)


def _game_text(record: Record) -> str:
    positions = record.positions()
    final = result_text(positions[-1])
    tags = dict.fromkeys(ROSTER, "?") | {"Result": "*"} | record.tags
    if tags["Variant"].strip() in _UNKNOWN:
        tags["Variant"] = variant_name(record.rules)
    if final != "*":
        tags["Result"] = final
    names = [*ROSTER, *sorted(name for name in tags if name not in ROSTER)]
    lines = [f'[{name} "{_escaped(tags[name])}"]' for name in names]
    tokens = [token for remark in record.remarks[0] for token in _remark_tokens(remark)]
    for ply, letter in enumerate(record.moves):
        if ply % 2 == 0:
            tokens.append(f"{ply // 2 + 1}.")
        captured = _captured(positions, ply)
        move, remarks = f"{letter}+{captured}" if captured else letter, record.remarks[ply + 1]
        if remarks and remarks[0].kind == "glyph" and not remarks[0].text.startswith("$"):
            move, remarks = move + remarks[0].text, remarks[1:]
        tokens.append(move)
        tokens += [token for remark in remarks for token in _remark_tokens(remark)]
    tokens.append(tags["Result"] if re.fullmatch(_RESULT, tags["Result"]) else "*")
    return "\n".join([*lines, "", *_wrapped(tokens)]) + "\n"


def _remark_tokens(remark: Remark) -> list[str]:
    """The words of a remark; one that ends with a line break ends its line."""
    text = {
        "comment": _comment_text(remark.text),
        "glyph": remark.text,
        "variation": f"({remark.text})",
    }[remark.kind]
    *whole, last = text.split("\n")
    return [*(f"{line.strip()}\n" for line in whole), *last.split()]


def _comment_text(words: str) -> str:
    """A comment in braces; one that has a brace in it runs to the end of its line, which Auale does not read."""
    words = " ".join(words.split())
    if not words:
        return ""
    return f"; {words}\n" if "}" in words else f"{{ {words} }}"


def _wrapped(tokens: list[str]) -> list[str]:
    lines = [tokens[0]]
    for token in tokens[1:]:
        if lines[-1].endswith("\n") or len(lines[-1]) + 1 + len(token.rstrip()) > WIDTH:
            lines.append(token)
        else:
            lines[-1] += f" {token}"
    return [line.rstrip("\n") for line in lines]


def _escaped(value: str) -> str:
    return re.sub(r"[\r\n]", " ", value).replace("\\", "\\\\").replace('"', '\\"')
