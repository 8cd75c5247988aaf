"""Oware positions as a person reads them: the plain reference for every faster engine.

A :class:`Position` is immutable: parse one, print it, ask for its legal moves, play one, ask for the result. It knows
the whole game (stores, majority, repetition), which tables and kernels do not. Speed is left to
:mod:`solver.oware.kernels`; the two are compared by property tests.

Houses are numbered as in the rules: 0..m-1 South's, left to right (letters A..), m..2m-1 North's in sowing order
(letters a..). Sowing goes +1 modulo 2m.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from solver.errors import PositionError, quoted
from solver.oware.rules import ABAPA, Cycle, GrandSlam, Rules
from solver.rule_ids import want_rules

SOUTH, NORTH = 0, 1
SIDES = ("South", "North")
Board = tuple[int, ...]

_SEPARATOR = re.compile(r"\s*[,\s]\s*|(?<=[0-9])-")
_JOINED = re.compile(r"[0-9]{1,4}(?:-[0-9]{1,4})*(?:-[SN])?")
"""The usual form, which is quicker to read."""


@dataclass(frozen=True)
class Move:
    """What playing one house did: the house (0..2m-1), seeds captured, and the board after."""

    house: int
    captured: int
    board: Board
    feeds: bool
    """Whether a seed was sown on the opponent's row (a grand slam may take it away again)."""
    starves: bool
    """Whether the opponent is left without seeds."""
    taken: tuple[int, ...]
    """The houses captured, the one that the last seed fell into first."""
    slam: bool
    """Whether it is a grand slam that these rules let capture nothing."""


@dataclass(frozen=True)
class Position:
    """A game of Oware at one moment.

    ``board``: 2m counts, South's houses first. ``stores``: seeds won by South and North. ``turn``: 0 South, 1 North.
    ``seen``: boards since the last capture with the player who was to move, for the repetition rule.
    Values and margins anywhere in Abapa are from the mover's view, in seeds.
    Source of the rules: docs/rules.md.
    """

    board: Board
    stores: tuple[int, int] = (0, 0)
    turn: int = SOUTH
    rules: Rules = ABAPA
    seen: frozenset[tuple[Board, int]] = field(default=frozenset(), repr=False)

    def __post_init__(self) -> None:
        want_rules(self.rules, Rules)
        houses = 2 * self.rules.pits
        if len(self.board) != houses:
            raise PositionError(f"{len(self.board)} houses given: a board of {self.rules.id} has {houses}")
        if min(self.board) < 0 or min(self.stores) < 0:
            raise PositionError("a house or a store holds a negative number of seeds: counts are 0 or more")
        if self.turn not in (SOUTH, NORTH):
            raise PositionError(f"turn {self.turn!r}: accepted are 0 (South) and 1 (North)")

    # -- text ---------------------------------------------------------------------------------------------------------

    @classmethod
    def start(cls, rules: Rules = ABAPA, per_pit: int = 4) -> Position:
        """The start position: ``per_pit`` seeds in every house, South to move."""
        want_rules(rules, Rules)
        return cls((per_pit,) * (2 * rules.pits), rules=rules)

    @classmethod
    def parse(cls, text: str, rules: Rules = ABAPA) -> Position:
        """Read ``4-4-4-4-4-4-4-4-4-4-4-4-0-0-S`` (counts, stores, side to move) or 2m bare counts.

        Bare counts are separated by spaces, commas or ``-``; then the stores are 0 and South is to move.
        Raises :class:`~solver.errors.PositionError`.
        """
        want_rules(rules, Rules)
        houses = 2 * rules.pits
        form = (
            f"accepted are {houses} counts, or {houses} counts, two stores and S or N, joined with '-', ',' or spaces"
        )
        text = text.strip()
        usual = _JOINED.fullmatch(text) is not None
        tokens = text.split("-") if usual else _SEPARATOR.split(text) if text else []
        turn, sided = SOUTH, False
        if tokens and tokens[-1] in ("S", "s", "N", "n"):
            turn, sided = SOUTH if tokens.pop() in ("S", "s") else NORTH, True
            if len(tokens) == houses:
                raise PositionError(f"position {quoted(text)} names the side to move but no stores: {form}")
        for token in () if usual else tokens:
            if token.isascii() and token.isdigit() and len(token) <= 4:
                continue
            if re.fullmatch(r"-[0-9]+", token) or token == "":
                raise PositionError(
                    f"position {quoted(text)} has a negative or empty count: counts are 0 or more; {form}"
                )
            raise PositionError(f"position {quoted(text)} has {quoted(token)} where a count belongs: {form}")
        counts = tuple(map(int, tokens))
        if len(counts) != houses + 2 * sided:
            raise PositionError(f"position {quoted(text)} has {len(counts)} counts: {form}")
        south, north = counts[houses:] or (0, 0)
        return cls(counts[:houses], (south, north), turn, rules)

    @property
    def text(self) -> str:
        """The position as :meth:`parse` reads it, with stores and side to move."""
        return position_text(self.board, self.stores, self.turn)

    def draw(self) -> str:
        """The board as it lies between the players, North at the top, in a few lines of plain text."""
        pits = self.rules.pits
        rule = "       +" + "----+" * pits
        north = "|".join(f"{count:3d} " for count in reversed(self.board[pits:]))
        south = "|".join(f"{count:3d} " for count in self.board[:pits])
        letters = [self.letter(house) for house in range(2 * pits)]
        lines = [
            "        " + " ".join(f"{letter:>3} " for letter in reversed(letters[pits:])),
            rule,
            f" North |{north}|  store {self.stores[NORTH]}" + ("   to move" if self.turn == NORTH else ""),
            rule,
            f" South |{south}|  store {self.stores[SOUTH]}" + ("   to move" if self.turn == SOUTH else ""),
            rule,
            "        " + " ".join(f"{letter:>3} " for letter in letters[:pits]),
        ]
        return "\n".join(line.rstrip() for line in lines)

    def letter(self, house: int) -> str:
        """The letter of a house: A.. for South's, a.. for North's."""
        return chr(ord("A") + house) if house < self.rules.pits else chr(ord("a") + house - self.rules.pits)

    def line(self, codes: Iterable[int]) -> list[str]:
        """A line of the mover's house numbers (0..m-1), sides alternating, as letters, to the end of the game at most.

        A search counts on after a majority (:mod:`solver.oware.game`); nobody plays those moves.
        """
        letters: list[str] = []
        position = self
        for code in codes:
            if position.result() is not None:
                break
            house = code + position.turn * self.rules.pits
            letters.append(self.letter(house))
            position = position.play(house)
        return letters

    def house(self, letter: str) -> int:
        """The house index of a letter. Raises :class:`~solver.errors.PositionError`."""
        for house in range(2 * self.rules.pits):
            if self.letter(house) == letter:
                return house
        raise PositionError(
            f"unknown house {quoted(letter)}: accepted are {self.letter(0)}..{self.letter(self.rules.pits - 1)}"
            f" and {self.letter(self.rules.pits)}..{self.letter(2 * self.rules.pits - 1)}"
        )

    # -- seeds --------------------------------------------------------------------------------------------------------

    @cached_property
    def seeds(self) -> int:
        """Seeds on the board: the tier that the board belongs to."""
        return sum(self.board)

    @property
    def total(self) -> int:
        """All seeds of the game, on the board and in the stores."""
        return self.seeds + self.stores[SOUTH] + self.stores[NORTH]

    @property
    def canonical(self) -> Board:
        """The board with the mover's houses first: the form that tables and kernels use."""
        pits = self.rules.pits
        return self.board if self.turn == SOUTH else self.board[pits:] + self.board[:pits]

    def row(self, side: int) -> Board:
        """The houses of one side, in that side's sowing order."""
        pits = self.rules.pits
        return self.board[side * pits : (side + 1) * pits]

    # -- moves --------------------------------------------------------------------------------------------------------

    def sow(self, house: int) -> Move:
        """What playing ``house`` does, legal or not: sowing, capture, grand slam (``win-only`` needs the stores)."""
        pits, board = self.rules.pits, list(self.board)
        seeds, board[house] = board[house], 0
        first = pits - self.turn * pits
        beyond, at = first + pits, house
        before = sum(board[first:beyond])
        for at in self.sowing(house):
            board[at] += 1
        left = sum(board[first:beyond])
        feeds, taken, captured = left > before, [], 0
        while seeds and first <= at < beyond and board[at] in (2, 3):
            taken.append(at)
            captured += board[at]
            at -= 1
        slam = bool(captured) and captured == left and self._slam_keeps(captured)
        if slam:
            captured, taken = 0, []
        for pit in taken:
            board[pit] = 0
        return Move(house, captured, tuple(board), feeds, captured == left, tuple(taken), slam)

    def sowing(self, house: int) -> tuple[int, ...]:
        """The houses that the seeds of ``house`` fall into, in order: the house lifted from is skipped on each lap."""
        return _sowing(2 * self.rules.pits, house, self.board[house])

    def _slam_keeps(self, captured: int) -> bool:
        """Whether a grand slam of ``captured`` seeds captures nothing under these rules."""
        if self.rules.grand_slam is GrandSlam.WIN_ONLY:
            return 2 * (self.stores[self.turn] + captured) <= self.total
        return self.rules.grand_slam is GrandSlam.FORFEIT

    @cached_property
    def playable(self) -> tuple[Move, ...]:
        """The moves that the sowing, feeding and grand slam rules allow, whether or not the game has ended."""
        return tuple(self._allowed())

    def _allowed(self) -> Iterator[Move]:
        """The same one by one: whether there is any shows with the first."""
        own = range(self.turn * self.rules.pits, (self.turn + 1) * self.rules.pits)
        moves = (self.sow(house) for house in own if self.board[house])
        if self.rules.grand_slam is GrandSlam.FORBIDDEN:
            return (move for move in moves if not move.starves)
        if not any(self.row(1 - self.turn)):
            return (move for move in moves if move.feeds)
        return moves

    def _can_move(self) -> bool:
        """Whether any move is allowed. Mostly the counts show it: a sowing that stays at home starves nobody."""
        if any(self.row(1 - self.turn)):
            to_row_end = self.rules.pits
            for count in self.row(self.turn):
                if 0 < count < to_row_end:
                    return True
                to_row_end -= 1
        return next(self._allowed(), None) is not None

    def legal_moves(self) -> tuple[int, ...]:
        """The houses (0..2m-1) that may be played, in order; empty when the game is over."""
        return () if self.result() is not None else tuple(move.house for move in self.playable)

    def play(self, house: int | str) -> Position:
        """The position after playing a house, by index or letter. Raises :class:`~solver.errors.PositionError`."""
        if isinstance(house, str):
            house = self.house(house)
        if house not in self.legal_moves():
            legal = " ".join(self.letter(move) for move in self.legal_moves()) or "none, the game is over"
            raise PositionError(f"move {self.letter(house)} is not legal here: legal moves are {legal}")
        return self.after(next(move for move in self.playable if move.house == house))

    def after(self, move: Move) -> Position:
        """As :meth:`play`, for one of the :attr:`playable` moves of a game that goes on: nothing is checked."""
        return self.reached(move.captured, move.board)

    def reached(self, captured: int, board: Board) -> Position:
        """The position after a move that captured so many seeds and left this board: nothing is checked."""
        position = object.__new__(Position)  # the constructor's checks would take as long as all the rest
        position.__dict__.update(
            board=board,
            stores=self.stores_after(captured),
            turn=1 - self.turn,
            rules=self.rules,
            seen=frozenset() if captured else self.seen | {(self.board, self.turn)},
            seeds=self.seeds - captured,
        )
        return position

    def stores_after(self, captured: int) -> tuple[int, int]:
        """The stores after a move that captured so many seeds."""
        south, north = self.stores
        return (south + captured, north) if self.turn == SOUTH else (south, north + captured)

    # -- end ----------------------------------------------------------------------------------------------------------

    @cached_property
    def ending(self) -> str | None:
        """How the game ended: ``majority``, ``nomove``, ``repetition``, or None while it goes on."""
        if 2 * max(self.stores) > self.total:
            return "majority"
        if not self._can_move():
            return "nomove"
        return "repetition" if (self.board, self.turn) in self.seen else None

    def result(self) -> tuple[float, float] | None:
        """Final seeds of South and North, or None while the game goes on.

        After a majority the seeds left on the board stay there; with ``cycle=even`` they are halved, the odd one too:
        only there are the seeds of a player a half (float), elsewhere whole (int). Their margin is always whole.
        """
        ending = self.ending
        if ending is None:
            return None
        if ending == "majority":
            return self.stores
        south, north = sum(self.row(SOUTH)), sum(self.row(NORTH))
        if ending == "nomove" and self.rules.grand_slam is GrandSlam.FORBIDDEN and any(self.row(self.turn)):
            south, north = (south + north, 0) if self.turn == SOUTH else (0, south + north)
        if ending == "repetition" and self.rules.cycle is Cycle.EVEN:
            south = north = self.seeds / 2 if self.seeds % 2 else self.seeds // 2
        return self.stores[SOUTH] + south, self.stores[NORTH] + north


@lru_cache(maxsize=1 << 12)
def _sowing(houses: int, house: int, seeds: int) -> tuple[int, ...]:
    """The houses that ``seeds`` lifted from ``house`` fall into, on a board of so many houses."""
    lap = [(house + step) % houses for step in range(1, houses)]
    laps, rest = divmod(seeds, houses - 1)
    return (*(lap * laps), *lap[:rest])


def position_text(board: Board, stores: tuple[int, int], turn: int) -> str:
    """The text of a position (:attr:`Position.text`) by its parts."""
    counts = str((*board, *stores))  # all at once: number by number they take twice as long
    return f"{counts[1:-1].replace(', ', '-')}-{SIDES[turn][0]}"
