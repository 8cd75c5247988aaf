"""Packed Omweso boards and their compiled turn generator.

A row of pits is one 64-bit word, a byte a pit: outer pit i in byte i of the *outer* word, inner pit c+i (c columns) in
byte i of the *inner* word. A board is four words, the mover's two first. A pit's *lane* is its number 0..15 in the pair
of words: i for an outer pit, 8+i for an inner one.

A lap is two additions: for every lane and every number of seeds a table row holds the two words to add and the lane of
the last seed, so a lap costs the same whatever its length. What an own inner pit would capture is kept in one word, the
*prize*: byte i holds the seeds of the opponent's column that faces inner lane 8+i, or 0 where either of its pits is
empty; a capture clears the byte, and the opponent's rows are only written when the turn has ended.

Left to others: the rules in words and lap by lap (:mod:`solver.omweso.position`, compared with this by property tests),
the search (:mod:`solver.search`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from solver.kernels.compile import inline_kernel, kernel
from solver.kernels.intrinsics import byte_swap, count_trailing_zeros
from solver.omweso.position import MAX_CHOICES, OmwesoPosition, Turn
from solver.omweso.rules import MAX_SEEDS, Endless, OmwesoRules

U = np.uint64

PRACTICAL_LAPS = 10_000
"""Laps after which a search takes a turn for endless. The longest finite relay known has 3,261."""
NO_LIMIT = 2**63
"""A lap limit that is never reached: the endless test is then exact."""

# -- words of a turn, of flags and of options -------------------------------------------------------------------------

OUTER, INNER, FOE_OUTER, FOE_INNER, CHOICES, KINDS, INFO, LAPS = range(8)
"""Words of one turn: the board after it (still the mover's view), choices (bit i: choice i was ``c`` or ``d``), their
kinds (bit i: a capture, not a direction), ``INFO`` and the number of laps."""
TURN_WORDS = 8
LANE_SHIFT, SPENT_SHIFT, ENDLESS_SHIFT, OKUKONEEZA_SHIFT, CAPTURED_SHIFT, CYCLE_SHIFT = 0, 4, 11, 12, 13, 20
"""Fields of ``INFO``: start lane (4 bits), choices spent (7), endless, okukoneeza, seeds captured (7), cycle (44)."""

FIRST_TURN, FIRST_TURN_OF_OTHER, FRESH = 1, 2, 4
"""Flags of a position: whether the mover's, the other's first turn is to come; whether nobody has captured yet."""

FIRST_TURN_CAPTURE, REENTRY, DECLINE, DROP_ENDLESS, OKUKONEEZA = 1, 2, 4, 8, 16
"""Rule options as bits."""

TURN_CAPACITY = 256
"""Turns that a search keeps a position; positions of a game have up to 50."""

_ROW, _LANES, _COUNTS = 4, 16, MAX_SEEDS + 1
_CLOCKWISE = U(_ROW * _LANES * _COUNTS)  # where the clockwise half of the lap table starts
_FRAME = 12
_ZERO, _ONE, _TWO, _THREE, _FOUR, _SEVEN, _EIGHT = U(0), U(1), U(2), U(3), U(4), U(7), U(8)
_BYTE, _SHIFT_BITS = U(0xFF), U(63)
_EVERY_LOW = U(0x0101010101010101)
_EVERY_TOP = U(0x8080808080808080)
_EVERY_BELOW_TOP = U(0x7F7F7F7F7F7F7F7F)
_EVERY_TWO_UP = U(0xFEFEFEFEFEFEFEFE)
_SUM_SHIFT = U(56)
_MAX_CHOICES = U(MAX_CHOICES)
_FRAME_WORDS = U(_FRAME)
_TURN_WORDS = U(TURN_WORDS)
_NOWHERE = U(2**64 - 1)  # no board's word: a relay whose first state is not known yet
_FLAG_FIRST, _FLAG_OTHER, _FLAG_FRESH = U(FIRST_TURN), U(FIRST_TURN_OF_OTHER), U(FRESH)
_OPT_FIRST, _OPT_REENTRY, _OPT_DECLINE = U(FIRST_TURN_CAPTURE), U(REENTRY), U(DECLINE)
_OPT_DROP, _OPT_OKUKONEEZA = U(DROP_ENDLESS), U(OKUKONEEZA)
_S_SPENT, _S_ENDLESS, _S_OKU, _S_CAPTURED, _S_CYCLE = map(
    U, (SPENT_SHIFT, ENDLESS_SHIFT, OKUKONEEZA_SHIFT, CAPTURED_SHIFT, CYCLE_SHIFT)
)
_W_CHOICES, _W_KINDS, _W_INFO, _W_LAPS = U(CHOICES), U(KINDS), U(INFO), U(LAPS)


# -- packing ----------------------------------------------------------------------------------------------------------


def pack(side: Sequence[int]) -> tuple[int, int]:
    """The outer and the inner word of one side's pits (2c counts, c = 2..8, each at most 127)."""
    columns = len(side) // 2
    return int.from_bytes(side[:columns], "little"), int.from_bytes(side[columns:], "little")


def unpack(outer: int, inner: int, columns: int = 8) -> tuple[int, ...]:
    """The 2c counts that two words hold."""
    return tuple(int(outer).to_bytes(8, "little")[:columns] + int(inner).to_bytes(8, "little")[:columns])


def lane_of(pit: int, columns: int) -> int:
    """The lane of a pit."""
    return pit if pit < columns else 8 + pit - columns


def pit_of(lane: int, columns: int) -> int:
    """The pit of a lane."""
    return lane if lane < 8 else columns + lane - 8


def lap_table(rules: OmwesoRules) -> np.ndarray:
    """Every lap: uint64, a row of four words at ``((clockwise * 128 + seeds) * 16 + origin lane) * 4``.

    A row is: what to add to the outer word, to the inner word, the lane of the last seed, all ones if that lane is
    inner else 0. Where a clockwise lap may not start, the last word is 0, so that it never seems to capture.
    """
    pits, columns = rules.pits, rules.columns
    table = np.zeros((2, _COUNTS, _LANES, _ROW), np.uint64)
    for clockwise, step in enumerate((1, -1)):
        for origin in range(pits):
            sown, at = [0] * pits, origin
            for seeds in range(1, _COUNTS):
                at = (at + step) % pits
                sown[at] += 1
                inner = at >= columns and (not clockwise or origin in rules.reverse_pits)
                row = (*pack(sown), lane_of(at, columns), 2**64 - 1 if inner else 0)
                table[clockwise, seeds, lane_of(origin, columns)] = row
    return table.reshape(-1)


def option_word(rules: OmwesoRules) -> int:
    """The options of a rule set that the kernels read, as bits."""
    return (
        FIRST_TURN_CAPTURE * rules.first_turn_capture
        | REENTRY * rules.reverse_fwd_reentry
        | DECLINE * rules.decline_capture
        | DROP_ENDLESS * (rules.endless is Endless.ILLEGAL)
        | OKUKONEEZA * rules.okukoneeza
    )


# -- kernels ----------------------------------------------------------------------------------------------------------


@inline_kernel
def occupied(
    word: np.uint64,
) -> np.uint64:
    """The top bit of every byte that is not 0 (bytes are at most 127)."""
    return (word + _EVERY_BELOW_TOP) & _EVERY_TOP


@inline_kernel
def mirrored(
    word: np.uint64,
    columns: np.uint64,
) -> np.uint64:
    """A row with its ``columns`` bytes in reverse order: own inner order to the order that faces it, and back."""
    return byte_swap(word) >> ((_EIGHT - columns) << _THREE)  # pyright: ignore[reportCallIssue]


@inline_kernel
def prizes(
    foe_outer: np.uint64,
    foe_inner: np.uint64,
    columns: np.uint64,
) -> np.uint64:
    """By inner lane, the seeds of the facing column, 0 unless both its pits are occupied."""
    facing = mirrored(foe_inner, columns)
    both = occupied(foe_outer) & occupied(facing)
    return (foe_outer + facing) & ((both >> _SEVEN) * _BYTE)


@inline_kernel
def sum_of_bytes(
    word: np.uint64,
) -> np.uint64:
    """The sum of the bytes of a word, if below 256."""
    return (word * _EVERY_LOW) >> _SUM_SHIFT


@inline_kernel
def startable(
    outer: np.uint64,
    inner: np.uint64,
) -> np.uint64:
    """Bit ``lane`` set for every pit with two or more seeds: the pits that a turn may start from."""
    low = occupied(outer & _EVERY_TWO_UP) >> _SEVEN
    high = occupied(inner & _EVERY_TWO_UP) >> _SEVEN
    gather = U(0x0102040810204080)
    return ((low * gather) >> _SUM_SHIFT) | (((high * gather) >> _SUM_SHIFT) << _EIGHT)


@inline_kernel
def child_flags(
    flags: np.uint64,
    captured: np.uint64,
) -> np.uint64:
    """Flags of the position after a turn that captured ``captured`` seeds, for the other player to move."""
    return ((flags >> _ONE) & _FLAG_FIRST) | ((flags & _FLAG_FRESH) if captured == _ZERO else _ZERO)


@inline_kernel
def _push(
    frames: np.ndarray,
    depth: np.uint64,
    own: np.uint64,
    other: np.uint64,
    prize: np.uint64,
    origin: np.uint64,
    hand: np.uint64,
    sown: np.uint64,
    choices: np.uint64,
    kinds: np.uint64,
    spent: np.uint64,
) -> None:
    """Note the way not taken: the state before a clockwise lap, which is then taken."""
    frame = depth * _FRAME_WORDS
    frames[frame] = own
    frames[frame + U(1)] = other
    frames[frame + U(2)] = prize
    frames[frame + U(3)] = origin
    frames[frame + U(4)] = hand
    frames[frame + U(5)] = sown
    frames[frame + U(6)] = choices
    frames[frame + U(7)] = kinds
    frames[frame + U(8)] = spent
    frames[frame + U(11)] = _ZERO


@inline_kernel
def _push_relay(
    frames: np.ndarray,
    depth: np.uint64,
    anchor_own: np.uint64,
    anchor_other: np.uint64,
    anchor_origin: np.uint64,
    anchor_laps: np.uint64,
) -> None:
    """Mark the frame just pushed as a declined capture: the relay goes on, and so does its endless test."""
    frame = depth * _FRAME_WORDS
    frames[frame + U(9)] = anchor_own
    frames[frame + U(10)] = anchor_other
    frames[frame + U(11)] = _ONE | (anchor_origin << _ONE) | (anchor_laps << U(8))


@inline_kernel
def _write_board(
    turns: np.ndarray,
    at: np.uint64,
    own: np.uint64,
    other: np.uint64,
    foe_outer: np.uint64,
    foe_inner: np.uint64,
    gone: np.uint64,
    columns: np.uint64,
) -> None:
    """The board after a turn: the opponent loses the columns whose prizes are gone."""
    taken = (occupied(gone) >> _SEVEN) * _BYTE
    turns[at] = own
    turns[at + U(1)] = other
    turns[at + U(2)] = foe_outer & ~taken
    turns[at + U(3)] = foe_inner & ~mirrored(taken, columns)


@inline_kernel
def generate_from(
    starts: np.uint64,
    outer: np.uint64,
    inner: np.uint64,
    foe_outer: np.uint64,
    foe_inner: np.uint64,
    flags: np.uint64,
    options: np.uint64,
    columns: np.uint64,
    laps: np.ndarray,
    lap_limit: np.uint64,
    turns: np.ndarray,
    frames: np.ndarray,
) -> np.uint64:
    """As :func:`generate` for the start pits whose lanes are bits of ``starts``, without the okukoneeza sowings.

    The laps of a turn run forward in the inner loop; wherever a choice is open, the other way is pushed on a stack of
    frames, and taken up when the turn has ended.
    """
    capacity = U(turns.shape[0]) // _TURN_WORDS
    count = _ZERO
    first_prize = prizes(foe_outer, foe_inner, columns)
    if (flags & _FLAG_FIRST) != _ZERO and (options & _OPT_FIRST) == _ZERO:
        first_prize = _ZERO
    reentry = _NOWHERE if (options & _OPT_REENTRY) != _ZERO else _ZERO
    declines = (options & _OPT_DECLINE) != _ZERO
    drops = (options & _OPT_DROP) != _ZERO
    while starts != _ZERO:
        start = count_trailing_zeros(starts)  # pyright: ignore[reportCallIssue]
        starts &= starts - _ONE
        shift = (start << _THREE) & _SHIFT_BITS
        own, other, prize = outer, inner, first_prize
        if start < _EIGHT:
            hand = (own >> shift) & _BYTE
            own ^= hand << shift
        else:
            hand = (other >> shift) & _BYTE
            other ^= hand << shift
        origin = start
        sown = _ZERO
        choices = kinds = spent = _ZERO
        anchor_own, anchor_other, anchor_origin, anchor_laps = own, other, origin, _ZERO
        choosing = _NOWHERE
        depth = _ZERO
        endless = cycle = _ZERO
        while True:  # one turn a round
            while endless == _ZERO:  # one forward lap a round
                row = ((hand << _FOUR) | origin) << _TWO
                # A clockwise lap is open here if it starts in a reverse pit and ends in a capture: push it.
                back = row + _CLOCKWISE
                shift = (laps[back + _TWO] << _THREE) & _SHIFT_BITS
                if (
                    ((prize >> shift) & _BYTE & laps[back + _THREE] & choosing) != _ZERO
                    and (((other + laps[back + _ONE]) >> shift) & _BYTE) >= _TWO
                    and spent < _MAX_CHOICES
                ):
                    bit = _ONE << spent
                    spent += _ONE
                    _push(frames, depth, own, other, prize, origin, hand, sown, choices | bit, kinds, spent)
                    depth += _ONE
                own += laps[row]
                other += laps[row + _ONE]
                last = laps[row + _TWO]
                is_inner = laps[row + _THREE]
                shift = (last << _THREE) & _SHIFT_BITS
                landed = (((other & is_inner) | (own & ~is_inner)) >> shift) & _BYTE
                sown += _ONE
                if landed == _ONE:
                    break
                gain = (prize >> shift) & _BYTE & is_inner
                if declines and gain != _ZERO and spent < _MAX_CHOICES:
                    bit = _ONE << spent
                    spent += _ONE
                    kinds |= bit
                    _push(frames, depth, own, other, prize, last, landed, sown, choices | bit, kinds, spent)
                    _push_relay(frames, depth, anchor_own, anchor_other, anchor_origin, anchor_laps)
                    depth += _ONE
                if gain != _ZERO:
                    prize ^= gain << shift
                    hand = gain
                    choosing = reentry
                    anchor_own, anchor_laps = _NOWHERE, sown + _ONE
                else:
                    lifted = landed << shift
                    own -= lifted & ~is_inner
                    other -= lifted & is_inner
                    hand = landed
                    origin = last
                    choosing = _NOWHERE
                    if sown == anchor_laps:
                        anchor_own, anchor_other, anchor_origin = own, other, origin
                    elif own == anchor_own and other == anchor_other and origin == anchor_origin:
                        endless, cycle = _ONE, sown - anchor_laps
                if sown == lap_limit:
                    endless, cycle = _ONE, _ZERO
            if endless == _ZERO or not drops:
                if count == capacity:
                    return count
                at = count * _TURN_WORDS
                gone = first_prize ^ prize
                if endless == _ZERO:
                    _write_board(turns, at, own, other, foe_outer, foe_inner, gone, columns)
                else:
                    _write_board(turns, at, outer, inner, foe_outer, foe_inner, _ZERO, columns)
                turns[at + _W_CHOICES] = choices
                turns[at + _W_KINDS] = kinds
                turns[at + _W_INFO] = (
                    start | (spent << _S_SPENT) | (endless << _S_ENDLESS) | (sum_of_bytes(gone) << _S_CAPTURED)
                    | (cycle << _S_CYCLE)
                )  # fmt: skip
                turns[at + _W_LAPS] = sown
                count += _ONE
            if depth == _ZERO:
                break
            depth -= _ONE
            frame = depth * _FRAME_WORDS
            own = frames[frame]
            other = frames[frame + U(1)]
            prize = frames[frame + U(2)]
            origin = frames[frame + U(3)]
            hand = frames[frame + U(4)]
            sown = frames[frame + U(5)]
            choices = frames[frame + U(6)]
            kinds = frames[frame + U(7)]
            spent = frames[frame + U(8)]
            choosing = _NOWHERE
            endless = cycle = _ZERO
            declined = frames[frame + U(11)]
            if declined == _ZERO:  # the clockwise lap and its capture
                back = (((hand << _FOUR) | origin) << _TWO) + _CLOCKWISE
                own += laps[back]
                other += laps[back + _ONE]
                shift = (laps[back + _TWO] << _THREE) & _SHIFT_BITS
                hand = (prize >> shift) & _BYTE
                prize ^= hand << shift
                sown += _ONE
                anchor_own, anchor_laps = _NOWHERE, sown + _ONE
            else:  # the relay in place of the capture
                lifted = hand << ((origin << _THREE) & _SHIFT_BITS)
                other -= lifted
                anchor_own = frames[frame + U(9)]
                anchor_other = frames[frame + U(10)]
                anchor_origin = (declined >> _ONE) & U(15)
                anchor_laps = declined >> U(8)
                if sown == anchor_laps:
                    anchor_own, anchor_other, anchor_origin = own, other, origin
                elif own == anchor_own and other == anchor_other and origin == anchor_origin:
                    endless, cycle = _ONE, sown - anchor_laps
            if sown == lap_limit:
                endless, cycle = _ONE, _ZERO
    return count


@kernel
def generate(
    outer: np.uint64,
    inner: np.uint64,
    foe_outer: np.uint64,
    foe_inner: np.uint64,
    flags: np.uint64,
    options: np.uint64,
    columns: np.uint64,
    laps: np.ndarray,
    lap_limit: np.uint64,
    turns: np.ndarray,
    frames: np.ndarray,
) -> np.uint64:
    """Write every turn of a position to ``turns`` and return how many there are.

    All numbers are uint64. The board: four words, the mover's first; ``flags``, ``options``: see the constants;
    ``laps``: :func:`lap_table`; ``lap_limit``: a turn that has not ended after so many laps counts as endless.
    ``turns``: uint64, TURN_WORDS a turn, flat; when it is full the rest is left out, and its capacity returned.
    ``frames``: uint64 scratch of at least :func:`frame_words` words. Turns come by pit, ``f`` before ``c`` and ``t``
    before ``d``, then the okukoneeza sowings.
    """
    count = generate_from(
        startable(outer, inner), outer, inner, foe_outer, foe_inner, flags, options, columns, laps, lap_limit, turns,
        frames,
    )  # fmt: skip
    capacity = U(turns.shape[0]) // _TURN_WORDS
    if (flags & _FLAG_FRESH) != _ZERO and (options & _OPT_OKUKONEEZA) != _ZERO:
        count = _okukoneeza(outer, inner, foe_outer, foe_inner, columns, laps, turns, count, capacity)
    return count


@inline_kernel
def _okukoneeza(
    outer: np.uint64,
    inner: np.uint64,
    foe_outer: np.uint64,
    foe_inner: np.uint64,
    columns: np.uint64,
    laps: np.ndarray,
    turns: np.ndarray,
    count: np.uint64,
    capacity: np.uint64,
) -> np.uint64:
    """Append the opening sowings of three seeds, two and one; return the new count."""
    for start in range(16):
        lane = U(start)
        shift = (lane << _THREE) & _SHIFT_BITS
        if (((outer if lane < _EIGHT else inner) >> shift) & _BYTE) == _THREE and count < capacity:
            near = ((_ONE << _FOUR) | lane) << _TWO  # one seed to the next pit, once more with two
            far = ((_TWO << _FOUR) | lane) << _TWO
            lifted = _THREE << shift
            at = count * _TURN_WORDS
            turns[at] = outer - (lifted if lane < _EIGHT else _ZERO) + laps[near] + laps[far]
            turns[at + U(1)] = inner - (_ZERO if lane < _EIGHT else lifted) + laps[near + _ONE] + laps[far + _ONE]
            turns[at + U(2)] = foe_outer
            turns[at + U(3)] = foe_inner
            turns[at + _W_CHOICES] = _ZERO
            turns[at + _W_KINDS] = _ZERO
            turns[at + _W_INFO] = lane | (_ONE << _S_OKU)
            turns[at + _W_LAPS] = _ONE
            count += _ONE
    return count


@kernel
def count_lines(
    outer: np.uint64,
    inner: np.uint64,
    foe_outer: np.uint64,
    foe_inner: np.uint64,
    flags: np.uint64,
    depth: int,
    options: np.uint64,
    columns: np.uint64,
    laps: np.ndarray,
    lap_limit: np.uint64,
    turns: np.ndarray,
    frames: np.ndarray,
) -> np.uint64:
    """Sequences of exactly ``depth`` turns; an endless turn can only be the last of one.

    ``turns``: uint64 [depth, words]; as :func:`generate` otherwise. A ply whose row is full is cut short.
    """
    board = np.empty((depth, 5), np.uint64)
    counts = np.zeros(depth, np.uint64)
    nexts = np.zeros(depth, np.uint64)
    board[0, 0], board[0, 1], board[0, 2], board[0, 3], board[0, 4] = outer, inner, foe_outer, foe_inner, flags
    total = _ZERO
    ply = 0
    entering = True
    while ply >= 0:
        if entering:
            counts[ply] = generate(
                board[ply, 0], board[ply, 1], board[ply, 2], board[ply, 3], board[ply, 4],
                options, columns, laps, lap_limit, turns[ply], frames,
            )  # fmt: skip
            nexts[ply] = _ZERO
            if ply == depth - 1:
                total += counts[ply]
                nexts[ply] = counts[ply]
            entering = False
        if nexts[ply] == counts[ply]:
            ply -= 1
            continue
        at = nexts[ply] * _TURN_WORDS
        nexts[ply] += _ONE
        info = turns[ply, at + _W_INFO]
        if ((info >> _S_ENDLESS) & _ONE) == _ZERO:
            captured = (info >> _S_CAPTURED) & U(127)
            board[ply + 1, 0] = turns[ply, at + U(2)]
            board[ply + 1, 1] = turns[ply, at + U(3)]
            board[ply + 1, 2] = turns[ply, at]
            board[ply + 1, 3] = turns[ply, at + U(1)]
            board[ply + 1, 4] = child_flags(board[ply, 4], captured)
            ply += 1
            entering = True
    return total


# -- from positions and back ------------------------------------------------------------------------------------------


def frame_words() -> int:
    """Words of scratch that :func:`generate` needs for turns under way."""
    return _FRAME * (MAX_CHOICES + 1)


class OmwesoGenerator:
    """The compiled generator for one rule set: turns of a position, perft.

    ``lap_limit``: laps after which a turn counts as endless where the rules set no cap of their own (None: the exact
    test, which may take seconds for a cycle of hundreds of millions of laps).
    """

    def __init__(self, rules: OmwesoRules, lap_limit: int | None = None) -> None:
        self.rules = rules
        self.laps = lap_table(rules)
        self.options = U(option_word(rules))
        self.columns = U(rules.columns)
        limits = [limit for limit in (rules.lap_cap, lap_limit) if limit is not None]
        self.lap_limit = U(min(limits, default=NO_LIMIT))
        self.frames = np.zeros(frame_words(), np.uint64)

    def turns(self, position: OmwesoPosition, most: int | None = None) -> tuple[Turn, ...]:
        """Every turn of a position, in the order of :attr:`OmwesoPosition.turns`; ``most``: no more than so many.

        :attr:`Turn.captures` is left empty: the pits of the captures are the reference's to tell.
        """
        capacity = TURN_CAPACITY
        while True:
            capacity = capacity if most is None else min(capacity, most)
            words = np.zeros(capacity * TURN_WORDS, np.uint64)
            count = int(generate(*board_words(position), *self.arguments, words, self.frames))
            if count < capacity or capacity == most:
                break
            capacity *= 2
        return tuple(self._turn(row, position) for row in words.reshape(-1, TURN_WORDS)[:count].tolist())

    def perft(self, position: OmwesoPosition, depth: int) -> int:
        """Sequences of exactly ``depth`` turns; an endless turn can only be the last of one."""
        if depth == 0:
            return 1
        turns = np.zeros((depth, TURN_WORDS * 4096), np.uint64)
        return int(count_lines(*board_words(position), depth, *self.arguments, turns, self.frames))

    @property
    def arguments(self) -> tuple[np.uint64, np.uint64, np.ndarray, np.uint64]:
        """What :func:`generate` takes between a position and its outputs."""
        return self.options, self.columns, self.laps, self.lap_limit

    def _turn(self, row: list[int], position: OmwesoPosition) -> Turn:
        columns, info = self.rules.columns, row[INFO]
        spent = (info >> SPENT_SHIFT) & 127
        letters = ((row[CHOICES] >> i & 1) + 2 * (row[KINDS] >> i & 1) for i in range(spent))
        return Turn(
            pit=pit_of(info & 15, columns),
            choices="".join("fctd"[letter] for letter in letters),
            status="endless" if (info >> ENDLESS_SHIFT) & 1 else "end",
            laps=row[LAPS],
            cycle=info >> CYCLE_SHIFT,
            captured=(info >> CAPTURED_SHIFT) & 127,
            captures=(),
            side=unpack(row[OUTER], row[INNER], columns),
            opponent=unpack(row[FOE_OUTER], row[FOE_INNER], columns),
            okukoneeza=bool((info >> OKUKONEEZA_SHIFT) & 1),
        )


def board_words(position: OmwesoPosition) -> tuple[np.uint64, ...]:
    """A position as the kernels take it: four words, the mover's first, and its flags."""
    flags = (
        FIRST_TURN * position.first_turns[0] | FIRST_TURN_OF_OTHER * position.first_turns[1] | FRESH * position.fresh
    )
    return (*map(U, (*pack(position.side), *pack(position.opponent))), U(flags))
