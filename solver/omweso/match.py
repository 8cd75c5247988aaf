"""Matches of Omweso: points, void games, modes of play and their clocks.

A *match* is a series of games played to a number of points (12). A game ends when a turn scores, when the player to
move has no turn, or without a winner; a void game is replayed. Positions and turns are
:mod:`solver.omweso.position`'s; this module judges turns, keeps the score and the time, and knows no player.

Source: B. Wernham's description of tournament play; see docs/omweso.md.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Any

from solver.errors import AbapaError, RulesError, quoted
from solver.numerals import read_whole
from solver.omweso.position import SIDES, OmwesoPosition, Side, Turn
from solver.omweso.rules import Endless, OmwesoRules
from solver.omweso.setups import check_setup
from solver.rule_ids import want_rules


class MatchError(AbapaError, ValueError):
    """A step that the match does not admit, such as taking back a move of the contract game."""


class Okutema(StrEnum):
    """What counts as okutema, "to cut" (emitwe-ebiri, two heads)."""

    END_COLUMNS = "end-columns"
    """Both end columns of the opponent captured in one turn."""
    FRONT_ROW = "front-row"
    """The opponent's front (inner) row left empty by a capturing turn."""
    END_PITS = "end-pits"
    """The opponent's four end pits all left empty by a capturing turn."""
    OFF = "off"
    """Nothing: the game goes on."""


POINTS = {"bulijo": 1, "okutema": 2, "akakyala": 2, "akawumbi": 12}
"""Points of each way to win a game, ``akawumbi`` by default; in scoring order they are akawumbi, okutema, akakyala,
bulijo."""


@dataclass(frozen=True, slots=True)
class Scoring:
    """How a match is scored: its target, what okutema is, whether akakyala was agreed, what akawumbi is worth.

    Raises :class:`~solver.errors.RulesError` for other values.
    """

    target: int = 12
    okutema: Okutema = Okutema.END_COLUMNS
    akakyala: bool = False
    akawumbi: int = 12

    def __post_init__(self) -> None:
        if self.target < 1:
            raise RulesError(f"target={self.target}: a match is played to 1 point or more")
        if self.akawumbi not in (6, 12):
            raise RulesError(f"akawumbi={self.akawumbi}: accepted are 12 and 6")

    @classmethod
    def parse(cls, text: str) -> Scoring:
        """Read a scoring id such as ``points``, ``points+target=6`` or ``points+okutema=front-row+akakyala=on``.

        Raises :class:`~solver.errors.RulesError` with the accepted forms.
        """
        accepted = (
            "points, then any of +target=COUNT, +okutema=end-columns|front-row|end-pits|off, +akakyala=on|off,"
            " +akawumbi=12|6"
        )
        name, *given = text.strip().split("+")
        readers: dict[str, Callable[[str], Any]] = {
            "target": read_whole,
            "okutema": Okutema,
            "akakyala": {"on": True, "off": False}.__getitem__,
            "akawumbi": read_whole,
        }
        changes: dict[str, Any] = {}
        for part in given:
            option, equals, value = part.partition("=")
            try:
                if not equals or option in changes:
                    raise KeyError(option)
                changes[option] = readers[option](value)
            except (KeyError, ValueError) as error:
                raise RulesError(
                    f"unknown field {quoted(part)} in scoring {quoted(text)}: accepted are {accepted}"
                ) from error
        if name != "points":
            raise RulesError(f"unknown scoring {quoted(text)}: accepted are {accepted}")
        return cls(**changes)

    @property
    def id(self) -> str:
        """The stable text that names this scoring; :meth:`parse` reads it back."""
        text, default = "points", Scoring()
        for part in fields(self):
            value = getattr(self, part.name)
            if value != getattr(default, part.name):
                text += f"+{part.name}={'on' if value is True else value}"
        return text


@dataclass(frozen=True, slots=True)
class GameEnd:
    """How a game ended: the win's ``name`` (or void, draw, time, resignation), the ``winner`` (0, 1, None), points."""

    name: str
    winner: int | None
    points: int


def turn_points(position: OmwesoPosition, turn: Turn, scoring: Scoring, strikes: tuple[int, int]) -> int:
    """Points that a turn scores at once for its mover, as :func:`score_turn` names the win; 0 for none."""
    name = score_turn(position, turn, scoring, strikes)
    return scoring.akawumbi if name == "akawumbi" else POINTS[name] if name else 0


def score_turn(position: OmwesoPosition, turn: Turn, scoring: Scoring, strikes: tuple[int, int]) -> str | None:
    """The name of the win that a turn, played out, scores for its mover, or None; ``bulijo`` is left to the position.

    ``strikes``: turns by which South and North had captured in this game before this one: akakyala's "two separate
    captures" are two turns, since the captures of one turn hang together. ``turn`` must carry its ``captures``, as the
    reference's do.
    """
    captures = turn.captures
    if not captures or not turn.ends:
        return None
    columns = position.rules.columns
    ends = {columns, 2 * columns - 1}
    if not any(turn.opponent) and captures[-1] in ends:
        return "akawumbi"
    if _cuts(turn, ends, columns, scoring.okutema):
        return "okutema"
    mover, other = position.turn, 1 - position.turn
    if scoring.akakyala and strikes[other] == 0 and strikes[mover] >= 1:
        return "akakyala"
    return None


def _cuts(turn: Turn, ends: set[int], columns: int, kind: Okutema) -> bool:
    if kind is Okutema.OFF:
        return False
    if kind is Okutema.END_COLUMNS:
        return ends <= set(turn.captures)
    if kind is Okutema.FRONT_ROW:
        return not any(turn.opponent[columns:])
    return not any(turn.opponent[pit] for pit in (0, columns - 1, *ends))


# -- modes of play ----------------------------------------------------------------------------------------------------


class Mode(StrEnum):
    """How a game is played against the clock."""

    EKYOKUBALA = "ekyokubala"
    """"Counting": no clock; moves may be taken back."""
    CONTRACT = "contract"
    """No clock; a move may not be taken back."""
    EKYOBUTABALA = "ekyobutabala"
    """"Without counting": blitz, three seconds a move; a move may not be taken back."""

    @property
    def seconds(self) -> float | None:
        """Seconds a move, or None without a clock."""
        return 3.0 if self is Mode.EKYOBUTABALA else None

    @property
    def may_take_back(self) -> bool:
        """Whether the last moves may be taken back."""
        return self is Mode.EKYOKUBALA


@dataclass
class MoveClock:
    """The clock of one move: starts with :meth:`start`, tells what is left, never stops by itself."""

    seconds: float | None
    now: Callable[[], float] = time.monotonic
    started: float = 0.0

    def start(self) -> None:
        """Begin the move."""
        self.started = self.now()

    @property
    def left(self) -> float | None:
        """Seconds left of this move, negative when overrun; None without a clock."""
        return None if self.seconds is None else self.seconds - (self.now() - self.started)

    @property
    def overrun(self) -> bool:
        """Whether the time for this move is over."""
        left = self.left
        return left is not None and left < 0


# -- games and matches ------------------------------------------------------------------------------------------------


@dataclass
class Game:
    """One game of a match: the position, the capturing turns of each side, the turns so far, and its end."""

    position: OmwesoPosition
    scoring: Scoring = Scoring()
    strikes: tuple[int, int] = (0, 0)
    turns: list[Turn] = field(default_factory=list)
    end: GameEnd | None = None
    _history: list[tuple[OmwesoPosition, tuple[int, int]]] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        self.end = self.end or self._end_without_score()

    @property
    def start(self) -> OmwesoPosition:
        """The position before the first turn."""
        return self._history[0][0] if self._history else self.position

    def play(self, turn: Turn | str) -> GameEnd | None:
        """Play a turn of the mover; return how the game ended, or None. Raises MatchError or PositionError."""
        if self.end is not None:
            raise MatchError(f"the game is over ({self.end.name})")
        position = self.position
        if isinstance(turn, str):
            turn = position.find(turn)
        after = position.play(turn)
        self._history.append((position, self.strikes))
        self.turns.append(turn)
        name = score_turn(position, turn, self.scoring, self.strikes)
        mover = position.turn
        if turn.captures:
            south, north = self.strikes
            self.strikes = (south + 1, north) if mover == 0 else (south, north + 1)
        self.position = after
        self.end = self._won(name, mover) if name else self._end_without_score()
        return self.end

    def lose_on_time(self) -> GameEnd:
        """The mover has overrun the clock: the game is the opponent's, at the price of a bulijo."""
        self.end = GameEnd("time", 1 - self.position.turn, POINTS["bulijo"])
        return self.end

    def resign(self) -> GameEnd:
        """The mover gives up: the game is the opponent's, at the price of a bulijo."""
        self.end = GameEnd("resignation", 1 - self.position.turn, POINTS["bulijo"])
        return self.end

    def take_back(self, plies: int = 1) -> None:
        """Undo the last turns. Raises :class:`MatchError` where there are not so many."""
        if plies > len(self._history):
            raise MatchError(f"cannot take back {plies} turns: {len(self._history)} have been played")
        for _ in range(plies):
            self.position, self.strikes = self._history.pop()
            self.turns.pop()
        self.end = None

    def _won(self, name: str, winner: int) -> GameEnd:
        points = self.scoring.akawumbi if name == "akawumbi" else POINTS[name]
        return GameEnd(name, winner, points)

    def _end_without_score(self) -> GameEnd | None:
        position = self.position
        ending = position.ending
        if ending is None:
            return None
        if ending == "nomove":
            return self._won("bulijo", 1 - position.turn)
        if ending == "endless" and position.rules.endless is Endless.MOVER_LOSES:
            return self._won("bulijo", position.turn)
        return GameEnd("void" if ending == "endless" else "draw", None, 0)


@dataclass
class Match:
    """A match: two players, called by their first game's sides, points, and who starts the next game.

    ``points``: of player 0 and player 1. ``starter``: the player who has the first turn of the next game, in which
    that player is South; it alternates after every game that counts, and a void game is replayed by the same starter.
    """

    rules: OmwesoRules
    scoring: Scoring = Scoring()
    mode: Mode = Mode.EKYOKUBALA
    points: tuple[int, int] = (0, 0)
    starter: int = 0
    ends: list[GameEnd] = field(default_factory=list)

    def __post_init__(self) -> None:
        want_rules(self.rules, OmwesoRules)

    def new_game(self, starters: Side, others: Side) -> Game:
        """The next game from two set-ups, the starter's first, checked by the rules.

        Raises MatchError when the match is over, PositionError for a set-up that the rules do not admit.
        """
        if self.winner is not None:
            raise MatchError(f"the match is over: player {self.winner} has {self.points[self.winner]} points")
        setups = (check_setup(side, self.rules) for side in (starters, others))
        return Game(OmwesoPosition.start(*setups, rules=self.rules), self.scoring)

    def player(self, side: int) -> int:
        """The player who plays a side (0 South, 1 North) of the game under way."""
        return side if self.starter == 0 else 1 - side

    def record(self, end: GameEnd) -> GameEnd:
        """Count a game's end, its ``winner`` being a side; return it with the winner as a player."""
        if end.winner is not None:
            winner = self.player(end.winner)
            end = replace(end, winner=winner)
            mine, theirs = self.points
            self.points = (mine + end.points, theirs) if winner == 0 else (mine, theirs + end.points)
        self.ends.append(end)
        if end.name != "void":
            self.starter = 1 - self.starter
        return end

    @property
    def winner(self) -> int | None:
        """The player who has reached the target, or None."""
        return next((player for player in (0, 1) if self.points[player] >= self.scoring.target), None)


def describe_end(end: GameEnd, names: tuple[str, str] = SIDES) -> str:
    """One line about a game's end."""
    if end.winner is None:
        return "void: the game is replayed" if end.name == "void" else "drawn"
    plural = "" if end.points == 1 else "s"
    return f"{names[end.winner]} wins by {end.name}: {end.points} point{plural}"
