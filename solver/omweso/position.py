"""Omweso positions as a person reads them: the plain reference for every faster engine.

An :class:`OmwesoPosition` is immutable: parse one, print it, ask for its turns, play one, ask how the game stands. A
:class:`Turn` is a start pit and the choices made on the way; :meth:`OmwesoPosition.replay` gives its laps one by one.
Speed is left to :mod:`solver.omweso.kernels`; the two are compared by property tests. Points are left to
:mod:`solver.omweso.match`.

A player's pits are numbered 0..c-1 along the outer row from left to right as the owner sees it, then c..2c-1 along the
inner row from right to left (c columns, 8 by default); +1 is counter-clockwise. The side to move comes first,
everywhere. Source of the rules: docs/omweso.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from solver.errors import PositionError, quoted
from solver.omweso.rules import MAX_SEEDS, TOURNAMENT, Endless, OmwesoRules, Repetition
from solver.rule_ids import want_rules

Side = tuple[int, ...]
SOUTH, NORTH = 0, 1
SIDES = ("South", "North")

MAX_CHOICES = 64
"""Choices a turn may spend; laps after that run forward and captures are taken. Ordinary turns spend up to ten; only a
relay that would come back after thousands of laps can offer more."""

FORWARD, CLOCKWISE, TAKE, DECLINE = "f", "c", "t", "d"
SYMBOLS = {FORWARD: ">", CLOCKWISE: "<", TAKE: "x", DECLINE: "-"}
"""How a choice is written after the start pit's letter."""
OKUKONEEZA = "*"
"""Written after the start pit's letter for the opening sowing of three seeds, two and one."""


@dataclass(frozen=True, slots=True)
class Lap:
    """One lap: ``seeds`` sown from the pit after ``origin`` to the pit ``last``, and what happened then.

    ``then`` is ``end``, ``relay``, ``endless`` or ``capture N`` (N seeds). ``side`` and ``opponent``: the board after
    the capture or before the relay's lift.
    """

    origin: int
    seeds: int
    clockwise: bool
    last: int
    then: str
    side: Side
    opponent: Side


@dataclass(frozen=True, slots=True)
class Turn:
    """A whole turn: a start pit with the choices made on the way, and what it did.

    ``choices``: a letter a choice: where a clockwise lap was legal ``c`` (taken) or ``f`` (refused); where a capture
    may be declined ``t`` (taken) or ``d``. ``status``: ``end`` or ``endless``. ``laps``: laps sown; for an endless
    turn those up to the return of the relay's first state, or the lap cap. ``cycle``: laps after which an endless
    relay comes back; 0 where the turn ended or was capped. ``captured``: seeds captured. ``captures``: own pits where
    a lap captured, in order. ``side``, ``opponent``: the board after the turn, still from the mover's view; after an
    endless turn, which has no end, the board before it.
    """

    pit: int
    choices: str
    status: str
    laps: int
    cycle: int
    captured: int
    captures: tuple[int, ...]
    side: Side
    opponent: Side
    okukoneeza: bool = False

    @property
    def ends(self) -> bool:
        """Whether the sowing comes to an end."""
        return self.status == "end"


@dataclass(frozen=True)
class OmwesoPosition:
    """A game of Omweso at one moment.

    ``side``, ``opponent``: the counts of the 2c pits of the player to move and of the other, each in its owner's
    numbering. ``turn``: who moves, 0 South (drawn at the bottom) or 1 North. ``first_turns``: whether the mover's, and
    the other's, own first turn is still to come. ``fresh``: whether nobody has captured yet. ``plies``: turns played.
    ``past``: the positions before this one, first to last, for the repetition rule. ``voided``: whether the last turn
    was endless.
    A bare board has no first turns to come and is not fresh: it lies in the middle of a game.
    Raises :class:`~solver.errors.PositionError` for a board that the rules do not admit.
    """

    side: Side
    opponent: Side
    rules: OmwesoRules = TOURNAMENT
    turn: int = SOUTH
    first_turns: tuple[bool, bool] = (False, False)
    fresh: bool = False
    plies: int = 0
    past: tuple[OmwesoPosition, ...] = field(default=(), repr=False, compare=False)
    voided: bool = False

    def __post_init__(self) -> None:
        want_rules(self.rules, OmwesoRules)
        pits = self.rules.pits
        for side in (self.side, self.opponent):
            if len(side) != pits:
                raise PositionError(f"a side of {len(side)} pits: a side of {self.rules.columns} columns has {pits}")
            if min(side) < 0:
                raise PositionError("a pit holds a negative number of seeds: counts are 0 or more")
        if self.seeds > MAX_SEEDS:
            raise PositionError(f"{self.seeds} seeds on the board: accepted are up to {MAX_SEEDS}")
        if self.turn not in (SOUTH, NORTH):
            raise PositionError(f"turn {self.turn!r}: accepted are 0 (South) and 1 (North)")

    # -- text ---------------------------------------------------------------------------------------------------------

    @classmethod
    def start(cls, south: Sequence[int], north: Sequence[int], rules: OmwesoRules = TOURNAMENT) -> OmwesoPosition:
        """The first position of a game from two set-ups, South to move."""
        return cls(tuple(south), tuple(north), rules, first_turns=(True, True), fresh=True)

    @classmethod
    def parse(cls, text: str, rules: OmwesoRules = TOURNAMENT) -> OmwesoPosition:
        """Read the mover's counts, ``/``, the opponent's counts in their own numbering.

        Counts are separated by commas or spaces. Raises :class:`~solver.errors.PositionError`.
        """
        want_rules(rules, OmwesoRules)
        parts = text.split("/")
        if len(parts) != 2:
            raise PositionError(
                f"position {quoted(text)} has {len(parts) - 1} '/': accepted are {rules.pits} counts of the mover, '/' "
                f"and {rules.pits} of the opponent, separated by commas or spaces"
            )
        return cls(parse_side(parts[0], rules), parse_side(parts[1], rules), rules)

    @property
    def text(self) -> str:
        """The board as :meth:`parse` reads it."""
        return ",".join(map(str, self.side)) + "/" + ",".join(map(str, self.opponent))

    def draw(self) -> str:
        """The four rows as they lie between the players, North at the top, in a few lines of plain text."""
        return draw_board(*self.sides, names=self._names())

    def _names(self) -> tuple[str, str]:
        to_move = [name + (" to move" if side == self.turn else "") for side, name in enumerate(SIDES)]
        return to_move[SOUTH], to_move[NORTH]

    @property
    def sides(self) -> tuple[Side, Side]:
        """The counts of South and of North, each in its own numbering."""
        return (self.side, self.opponent) if self.turn == SOUTH else (self.opponent, self.side)

    @property
    def seeds(self) -> int:
        """Seeds on the board."""
        return sum(self.side) + sum(self.opponent)

    # -- turns --------------------------------------------------------------------------------------------------------

    @property
    def may_capture(self) -> bool:
        """Whether this turn may capture (a player's own first turn may not)."""
        return self.rules.first_turn_capture or not self.first_turns[0]

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        """Every turn that may be played, by start pit, ``f`` before ``c``, then the okukoneeza sowings.

        Turns that reach the same board by different choices are all listed. Empty when the mover has lost.
        """
        turns = [turn for pit, seeds in enumerate(self.side) if seeds >= 2 for turn in self._turns_from(pit)]
        if self.rules.endless is Endless.ILLEGAL:
            turns = [turn for turn in turns if turn.ends]
        return (*turns, *self.okukoneeza)

    @cached_property
    def okukoneeza(self) -> tuple[Turn, ...]:
        """The opening sowings of three seeds, two and one, where they may be played."""
        if not (self.fresh and self.rules.okukoneeza):
            return ()
        return tuple(self._sow_okukoneeza(pit) for pit, seeds in enumerate(self.side) if seeds == 3)

    def find(self, text: str) -> Turn:
        """The turn that a text names: ``i``, ``i<``, ``m><``, ``c*``. Raises :class:`~solver.errors.PositionError`.

        A start pit alone names its only turn, or the one that runs forward throughout.
        """
        named = [turn for turn in self.turns if turn_text(turn, self.rules) == text]
        if not named and len(text) == 1:
            plain = [t for t in self.turns if pit_letter(t.pit, self.rules) == text and set(t.choices) <= {"f", "t"}]
            named = [turn for turn in plain if not turn.okukoneeza][:1]
        if not named:
            legal = " ".join(turn_text(turn, self.rules) for turn in self.turns) or "none, the mover has lost"
            why = f"{why}; " if (why := self.why_not(text)) else ""
            raise PositionError(f"turn {quoted(text)} is not legal here: {why}legal turns are {legal}")
        return named[0]

    def why_not(self, text: str) -> str:
        """Why a text names no turn of this position, as a clause; nothing where it does not look like a turn."""
        letters = {pit_letter(pit, self.rules): pit for pit in range(self.rules.pits)}
        pit, choices = letters.get(text[:1]), text[1:]
        if pit is None or not set(choices) <= {*SYMBOLS.values(), OKUKONEEZA}:
            return ""
        seeds, letter = self.side[pit], text[0]
        if choices == OKUKONEEZA:
            return self._why_no_okukoneeza(letter, seeds)
        if seeds < 2:
            return f"pit {letter} holds {seeds or 'no'} seed{'' if seeds == 1 else 's'}, and a turn needs two or more"
        if choices == SYMBOLS[CLOCKWISE]:
            if pit not in self.rules.reverse_pits:
                able = " ".join(sorted(pit_letter(able, self.rules) for able in self.rules.reverse_pits)) or "no pit"
                return f"a clockwise lap may start from {able} alone, not from {letter}"
            if not self.may_capture:
                return "a first turn captures nothing, so no lap of it runs clockwise"
            return f"the clockwise lap from {letter} would capture nothing"
        found = " ".join(turn_text(turn, self.rules) for turn in self.turns if turn.pit == pit and not turn.okukoneeza)
        return f"what can be chosen from {letter} is {found}" if found else f"the turn from {letter} never ends"

    def _why_no_okukoneeza(self, letter: str, seeds: int) -> str:
        if not self.rules.okukoneeza:
            return "these rules have no okukoneeza"
        if not self.fresh:
            return "okukoneeza is played before the first capture of the game"
        return f"okukoneeza takes a pit of three seeds, and {letter} holds {seeds or 'none'}"

    def replay(self, turn: Turn) -> tuple[Lap, ...]:
        """The laps of a turn, in order."""
        return () if turn.okukoneeza else tuple(_Sowing(self, turn.pit, turn.choices).laps())

    def play(self, turn: Turn | str) -> OmwesoPosition:
        """The position after a turn, the other player to move.

        After an endless turn the board stays and the game is over. Raises :class:`~solver.errors.PositionError` where
        the game is over or the turn is not legal.
        """
        if self.ending is not None:
            named = quoted(turn) if isinstance(turn, str) else turn_text(turn, self.rules)
            raise PositionError(f"turn {named} cannot be played: the game is over ({self.ending})")
        if isinstance(turn, str):
            turn = self.find(turn)
        elif turn not in self.turns:
            raise PositionError(f"turn {turn_text(turn, self.rules)} does not belong to this position")
        return self.after(turn)

    def after(self, turn: Turn) -> OmwesoPosition:
        """As :meth:`play`, for a turn that is known to be one of this position's: nothing is checked."""
        return replace(
            self,
            side=turn.opponent,
            opponent=turn.side,
            turn=1 - self.turn,
            first_turns=(self.first_turns[1], False),
            fresh=self.fresh and not turn.captured,
            plies=self.plies + 1,
            past=(*self.past, replace(self, past=())),
            voided=not turn.ends,
        )

    # -- end ----------------------------------------------------------------------------------------------------------

    @cached_property
    def ending(self) -> str | None:
        """How the game ended: ``endless``, ``nomove``, ``repetition``, ``rounds``, or None while it goes on."""
        if self.voided:
            return "endless"
        if not self.turns:
            return "nomove"
        if self.rules.repetition is Repetition.DRAW and any(before._key == self._key for before in self.past):
            return "repetition"
        if self.rules.round_cap is not None and self.plies >= 2 * self.rules.round_cap:
            return "rounds"
        return None

    @property
    def result(self) -> int | None:
        """From the mover's view 1 won, 0 drawn or void, -1 lost; None while the game goes on."""
        ending = self.ending
        if ending is None:
            return None
        if ending == "endless":
            return 1 if self.rules.endless is Endless.MOVER_LOSES else 0
        return -1 if ending == "nomove" else 0

    @property
    def _key(self) -> object:
        return self.side, self.opponent, self.turn, self.first_turns, self.fresh

    # -- sowing -------------------------------------------------------------------------------------------------------

    def _turns_from(self, pit: int) -> Iterator[Turn]:
        """Every turn from one pit: each run follows a prefix of choices and notes where it could have gone else."""
        prefixes = [""]
        while prefixes:
            sowing = _Sowing(self, pit, prefixes.pop())
            yield sowing.turn()
            prefixes += sowing.untried

    def _sow_okukoneeza(self, pit: int) -> Turn:
        side = list(self.side)
        side[pit] = 0
        side[(pit + 1) % len(side)] += 2
        side[(pit + 2) % len(side)] += 1
        return Turn(pit, "", "end", 1, 0, 0, (), tuple(side), self.opponent, okukoneeza=True)


class _Sowing:
    """One turn under way: follows ``prefix`` at its first choices, then runs forward and takes what it may."""

    def __init__(self, position: OmwesoPosition, pit: int, prefix: str) -> None:
        self.position, self.rules = position, position.rules
        self.pit, self.prefix = pit, prefix
        self.side, self.opponent = list(position.side), list(position.opponent)
        self.choices = ""
        self.untried: list[str] = []
        self.captures: list[int] = []
        self.captured = self.sown = self.cycle = 0
        self.origin, self.hand = pit, self._lift(pit)
        self.anchor = self._state()
        self.anchor_laps = 0

    def turn(self) -> Turn:
        """Sow to the end, or until the sowing is known not to end."""
        then = "end"
        for lap in self.laps():
            then = lap.then
        ends = then == "end"
        board = (tuple(self.side), tuple(self.opponent)) if ends else (self.position.side, self.position.opponent)
        return Turn(
            self.pit, self.choices, then, self.sown, self.cycle, self.captured, tuple(self.captures), *board
        )  # fmt: skip

    def laps(self) -> Iterator[Lap]:
        """The laps, as they are sown; stops after a lap whose ``then`` is ``end`` or ``endless``."""
        may_choose = True  # not when re-sowing what a forward lap captured, unless the rules say so
        while True:
            clockwise = may_choose and self._clockwise_captures() and self._choose(FORWARD + CLOCKWISE) == CLOCKWISE
            origin, seeds = self.origin, self.hand
            last = self._sow(clockwise)
            self.sown += 1
            taken = self._capture(last, clockwise)
            if taken:
                then, may_choose = f"capture {taken}", clockwise or self.rules.reverse_fwd_reentry
                self.anchor = None
            else:
                then, may_choose = self._relay(last), True
            if then != "end" and self.sown == self.rules.lap_cap:
                then, self.cycle = "endless", 0
            side = list(self.side)
            if then in ("relay", "endless") and not taken:
                side[last] = self.hand
            yield Lap(origin, seeds, clockwise, last, then, tuple(side), tuple(self.opponent))
            if then in ("end", "endless"):
                return

    def _lift(self, pit: int) -> int:
        seeds, self.side[pit] = self.side[pit], 0
        return seeds

    def _sow(self, clockwise: bool) -> int:
        at, step = self.origin, -1 if clockwise else 1
        for _ in range(self.hand):
            at = (at + step) % len(self.side)
            self.side[at] += 1
        return at

    def _capture(self, last: int, clockwise: bool) -> int:
        """Capture where the landing admits it; the seeds in hand then start again from the same origin."""
        if not self._may_capture(last):
            return 0
        if not clockwise and self.rules.decline_capture and self._choose(TAKE + DECLINE) == DECLINE:
            return 0
        inner, outer = facing(last, self.rules)
        self.hand = self.opponent[inner] + self.opponent[outer]
        self.opponent[inner] = self.opponent[outer] = 0
        self.captured += self.hand
        self.captures.append(last)
        return self.hand

    def _may_capture(self, last: int) -> bool:
        """Whether a last seed just sown into ``last`` captures."""
        if not self.position.may_capture or last < self.rules.columns or self.side[last] < 2:
            return False
        inner, outer = facing(last, self.rules)
        return self.opponent[inner] > 0 and self.opponent[outer] > 0

    def _relay(self, last: int) -> str:
        """Lift the landing pit and sow on, unless it was empty; tell whether that has come back to where it began.

        Without captures a relay is one-to-one, so an endless one comes back to its own first state just after lifting.
        """
        if self.side[last] == 1:
            return "end"
        self.origin, self.hand = last, self._lift(last)
        if self.anchor is None:
            self.anchor, self.anchor_laps = self._state(), self.sown
        elif self._state() == self.anchor:
            self.cycle = self.sown - self.anchor_laps
            return "endless"
        return "relay"

    def _state(self) -> tuple[int, ...] | None:
        return (self.origin, *self.side)

    def _clockwise_captures(self) -> bool:
        """Whether the lap about to start may run clockwise: from one of the reverse pits, ending in a capture."""
        if self.origin not in self.rules.reverse_pits:
            return False
        side = self.side.copy()
        last = self._sow(clockwise=True)
        captures = self._may_capture(last)
        self.side = side
        return captures

    def _choose(self, letters: str) -> str:
        """The letter that the prefix names here, or the first one, the other then being noted as untried."""
        spent = len(self.choices)
        if spent == MAX_CHOICES:
            return letters[0]
        if spent < len(self.prefix):
            letter = self.prefix[spent]
            if letter not in letters:
                raise PositionError(f"choices {quoted(self.prefix)}: choice {spent + 1} is one of {', '.join(letters)}")
        else:
            letter = letters[0]
            self.untried.append(self.choices + letters[1])
        self.choices += letter
        return letter


# -- pits and texts ---------------------------------------------------------------------------------------------------


def facing(pit: int, rules: OmwesoRules) -> tuple[int, int]:
    """The opponent's inner and outer pit opposite an inner pit, in the opponent's own numbering."""
    return 3 * rules.columns - 1 - pit, pit - rules.columns


def pit_letter(pit: int, rules: OmwesoRules) -> str:
    """Wernham's letter: a.. for the inner row from left to right, then on along the outer row from left to right."""
    return chr(ord("a") + (rules.pits - 1 - pit if pit >= rules.columns else rules.columns + pit))


def turn_text(turn: Turn, rules: OmwesoRules) -> str:
    """A turn as players write it: the start pit's letter, then a symbol a choice (``<`` clockwise, ``>`` refused)."""
    symbols = OKUKONEEZA if turn.okukoneeza else "".join(SYMBOLS[letter] for letter in turn.choices)
    return pit_letter(turn.pit, rules) + symbols


def parse_side(text: str, rules: OmwesoRules) -> Side:
    """Read the counts of one side's pits, separated by commas or spaces.

    Raises :class:`~solver.errors.PositionError`.
    """
    tokens = re.split(r"\s*,\s*|\s+", text.strip()) if text.strip() else []
    for token in tokens:
        if not re.fullmatch(r"[0-9]{1,4}", token):
            raise PositionError(
                f"side {quoted(text.strip())} has {quoted(token)} where a count belongs: counts are 0 or more"
            )
    if len(tokens) != rules.pits:
        raise PositionError(
            f"side {quoted(text.strip())} has {len(tokens)} counts: accepted are {rules.pits}, the outer row from left "
            "to right, then the inner row from right to left, separated by commas or spaces"
        )
    return tuple(map(int, tokens))


def draw_board(south: Side, north: Side, names: tuple[str, str] = SIDES) -> str:
    """Four rows as they lie: North's outer and inner row, South's inner and outer row, with both sets of letters."""
    columns = len(south) // 2
    rows = [
        ("", north[:columns][::-1], [chr(ord("A") + columns + i) for i in reversed(range(columns))]),
        (names[1], north[columns:], [chr(ord("A") + columns - 1 - i) for i in range(columns)]),
        (names[0], south[columns:][::-1], [chr(ord("a") + i) for i in range(columns)]),
        ("", south[:columns], [chr(ord("a") + columns + i) for i in range(columns)]),
    ]
    width = max(map(len, names))
    line = " " * width + "  +" + "-----+" * columns
    drawn = [line]
    for name, counts, letters in rows:
        cells = "".join(f"{letter}{count or '.':>3} |" for letter, count in zip(letters, counts, strict=True))
        drawn += [f"{name:>{width}}  |{cells}", line]
    return "\n".join(drawn)
