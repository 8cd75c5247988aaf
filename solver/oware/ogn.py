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

from solver.errors import AbapaError, PositionError, RulesError, cut, quoted
from solver.oware.position import Position
from solver.oware.rules import ABAPA, ACCEPTED_IDS, Rules

ROSTER = ("Variant", "Event", "Site", "Date", "Round", "South", "North", "Result")
"""The tags that every game has, in this order; ``?`` where unknown."""

ABAPA_NAMES = ("Oware Abapa", "Abapa")
"""How a Variant tag names the rules of Abapa, besides their id; the first is what Auale writes, and we."""

WIDTH = 79
_UNKNOWN = ("", "?")
_SPACE = re.compile(r"\s*")
_NEXT_GAME = re.compile(r"\n[ \t\r]*+\n[ \t]*+(?=\[)")
_TAG = re.compile(r'\[\s*(\w+)\s+"([^"\\\n]*+(?:\\.[^"\\\n]*+)*+)"\s*\]')  # possessive: no memory for each letter
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
    place: str = field(default="", compare=False)
    """Where :func:`parse` found it, as in ``game 2, line 14``."""

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
            raise OgnError(f"game {self.title}: unknown Variant {quoted(named)}: {accepted}") from error

    @property
    def start(self) -> Position:
        """The position before the first move. Raises OgnError for a FEN tag that is none."""
        fen = self.tags.get("FEN")
        try:
            return Position.parse(fen, self.rules) if fen else Position.start(self.rules)
        except PositionError as error:
            raise OgnError(f"game {self.title}: {error}") from error

    def positions(self, *, past_the_end: bool = False) -> list[Position]:
        """Every position of the game, the first and the last included. Raises OgnError for a move against the rules.

        ``past_the_end``: leave out moves after the game has ended by its rules, which else are such moves too.
        """
        positions = [self.start]
        for number, letter in enumerate(self.moves):
            if past_the_end and positions[-1].result() is not None:
                break
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
        return f"{cut(self.player('South'))} - {cut(self.player('North'))}"

    def player(self, side: str) -> str:
        """The player of a side, ``South`` or ``North``, as the tag names them; ``?`` where it does not."""
        return self.tags.get(side, "").strip() or "?"


def variant_name(rules: Rules) -> str:
    """The Variant tag of a rule set: its id, but Auale's name for Abapa."""
    return ABAPA_NAMES[0] if rules == ABAPA else rules.id


def result_text(position: Position) -> str:
    """The Result tag of a position: final seeds of South and North, ``*`` while the game goes on."""
    result = position.result()
    return "*" if result is None else f"{result[0]:g}-{result[1]:g}"


# -- reading ----------------------------------------------------------------------------------------------------------


def parse(text: str, rules: Rules | None = None, refused: list[OgnError] | None = None) -> list[Record]:
    """Every game of a text, its moves played through. Raises OgnError, naming the game and the line.

    ``rules`` stand for those that the games name. What the moves show to be wrong is put right, and told of in the
    record's warnings: the Variant under other ``rules``, the Result of a game that ended by its rules, numbers of
    seeds captured, and moves after the end. With ``refused`` a bad game is left out, its error is put into that list,
    and reading goes on with the next game; then only a text without any game is an error.
    """
    reader = _Reader(text.removeprefix("\ufeff"))
    records: list[Record] = []
    number = 0
    while True:
        number += 1
        try:
            game = reader.game()
            if game is None:
                break
            if game.empty:
                number -= 1
                if records:
                    records[-1].remarks[-1] += game.record.remarks[0]  # remarks at the end of the file
                continue
            game.record.place = f"game {number}, line {reader.line(game.begins)}"
            _check(game, rules, reader)
            records.append(game.record)
        except OgnError as error:
            error = OgnError(f"game {number}, {error}")
            if refused is None:
                raise error from None
            refused.append(error)
            reader.next_game()
    if not records and not refused:
        raise OgnError('no game: expected tags such as [South "Ama"], or moves such as 1. F e')
    return records


@dataclass
class _Game:
    """A game as it was read: the record, and what it claims of its moves."""

    record: Record
    captured: list[int | None] = field(default_factory=list)
    at: list[int] = field(default_factory=list)
    """Where each move stands in the text."""
    begins: int = 0
    """Where the game does."""
    result: str | None = None
    """The result that ends the moves."""
    whole: bool = False
    """Whether it was read to its end."""

    @property
    def empty(self) -> bool:
        """Whether it is no game, only remarks."""
        return not self.record.tags and not self.record.moves and self.result is None


class _Reader:
    """Goes through a text once, game by game."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.tag_end = 0  # where the last tag ends
        self._counted = (0, 1)  # a place, and the line that it is in
        self._game: _Game | None = None

    def game(self) -> _Game | None:
        """The next game: to its result, or to where the tags of another begin; None at the end of the text."""
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at
        if self.at == len(self.text):
            return None
        game, tags_over = _Game(Record(), begins=self.at), False
        self._game = game
        while self.at < len(self.text):
            if self.text[self.at] == "[":
                if tags_over or not self._tag(game.record):
                    break
                continue
            if self._remark(game.record):
                continue
            match = _TOKEN.match(self.text, self.at)
            if match is None:
                word = self.text[self.at : self.at + 100].split(maxsplit=1)[0]
                raise OgnError(f"line {self.line(self.at)}: {quoted(word)} is no move: moves are A to F and a to f")
            self.at = match.end()
            tags_over |= match["space"] is None
            if match["move"]:
                game.record.moves.append(match["move"])
                game.at.append(match.start())
                game.record.remarks.append([])
                game.captured.append(int(match["captured"]) if match["captured"] else None)
            elif match["result"]:
                game.result = match["result"]
                self._rest_of_line(game.record)
                break
        game.whole = True
        return game

    def _tag(self, record: Record) -> bool:
        """Read a tag; False where, after an empty line, it belongs to another game: one that only has tags is over."""
        match = _TAG.match(self.text, self.at)
        if match is None:
            raise OgnError(f'line {self.line(self.at)}: a tag reads [Name "value"]')
        if match[1] in record.tags:
            before = self.text[self.tag_end : self.at].rstrip(" \t\r")
            if re.search(r"\n[ \t\r]*\n$", before):
                return False
            raise OgnError(f"line {self.line(self.at)}: the tag {cut(match[1])} stands in one game twice")
        record.tags[match[1]] = re.sub(r"\\(.)", r"\1", match[2])
        self.at = self.tag_end = match.end()
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
            raise OgnError(f"line {self.line(self.at)}: a comment that is not closed by }}")
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
        raise OgnError(f"line {self.line(self.at)}: a variation that is not closed by )")

    def _rest_of_line(self, record: Record) -> None:
        """Remarks that stand behind the result, in its line."""
        while self.at < len(self.text):
            while self.at < len(self.text) and self.text[self.at] in " \t\r":
                self.at += 1
            start = self.at
            if start == len(self.text) or not self._remark(record) or "\n" in self.text[start : self.at]:
                return

    def next_game(self) -> None:
        """Leave out what is left of a bad game: to the next empty line that a tag follows, or to the end.

        A game that was read to its end, and whose moves were found to be wrong after, has nothing left.
        """
        if self._game is None or self._game.whole:
            return
        match = _NEXT_GAME.search(self.text, self.at)
        self.at = match.end() if match else len(self.text)

    def line(self, at: int) -> int:
        """The line that a place is in. Counting goes on from the last place asked for, where that is before."""
        start, line = self._counted if self._counted[0] <= at else (0, 1)
        self._counted = at, line + self.text.count("\n", start, at)
        return self._counted[1]


def _check(game: _Game, rules: Rules | None, reader: _Reader) -> None:
    """Play a game through, and put right what its moves show to be wrong."""
    try:
        _play_through(game, rules)
    except OgnError as error:
        bad = re.search(r", ply ([0-9]+): ", str(error))
        at = game.at[int(bad[1]) - 1] if bad and int(bad[1]) <= len(game.at) else game.begins
        raise OgnError(f"line {reader.line(at)}: {error}") from error


def _play_through(game: _Game, rules: Rules | None) -> None:
    record = game.record
    if rules is not None:
        try:
            same = record.rules == rules or record.tags.get("Variant", "?") in _UNKNOWN
        except OgnError:
            same = False
        if not same:
            record.warnings.append(f"Variant {quoted(record.tags['Variant'])} is read as {rules.id}")
        record.tags["Variant"] = variant_name(rules)
    positions = record.positions(past_the_end=True)
    _leave_out(record, positions)
    for ply, claimed in enumerate(game.captured[: len(record.moves)]):
        captured = _captured(positions, ply)
        if claimed is not None and claimed != captured:
            record.warnings.append(f"ply {ply + 1}: {record.moves[ply]}+{claimed} captures {captured} seeds")
    _check_result(game, positions[-1])


def _leave_out(record: Record, positions: list[Position]) -> None:
    """Take moves after the end of the game out of a record, with a warning; a comment keeps them."""
    end = len(positions) - 1
    if end == len(record.moves):
        return
    rest = " ".join(record.moves[end:])
    record.warnings.append(
        f"the game ended after ply {end} by its rules ({positions[-1].ending}): the moves after it are left out"
    )
    del record.moves[end:], record.remarks[end + 1 :]
    record.remarks[end].append(Remark("comment", f"after the end: {rest}"))


def _check_result(game: _Game, last: Position) -> None:
    """Compare what the tag and the end of the moves say with how the game ended, if it did."""
    record, final = game.record, result_text(last)
    tag, end = record.tags.get("Result", "?"), game.result or "*"
    claims = [claim for claim in (tag, end) if claim not in (*_UNKNOWN, "*")]
    if final == "*":
        if len(set(claims)) > 1:
            record.warnings.append(f"the tag says Result {quoted(tag)}, the moves end with {end}: the tag is taken")
        if claims:
            record.tags["Result"] = claims[0]
        return
    for claim in dict.fromkeys(claims):
        if not _agrees(claim, last):
            record.warnings.append(
                f"Result {quoted(claim)} is wrong: the game ended by its rules, {final} ({last.ending})"
            )
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
