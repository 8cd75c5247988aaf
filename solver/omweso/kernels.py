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
from solver.kernels.lanes import (
    ALL,
    LANE,
    at_least_below_tops,
    count_at,
    lane_bits,
    shift_of,
    sum_of_lanes,
    whole_lanes,
)
from solver.omweso.position import MAX_CHOICES, OmwesoPosition, Turn
from solver.omweso.rules import MAX_SEEDS, Endless, OmwesoRules
from solver.rule_ids import want_rules

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

FIRST_TURN, FIRST_TURN_OF_FOE, FRESH = 1, 2, 4
"""Flags of a position: whether the mover's, the opponent's first turn is to come; whether nobody has captured yet."""

FIRST_TURN_CAPTURE, REENTRY, DECLINE, DROP_ENDLESS, OKUKONEEZA = 1, 2, 4, 8, 16
"""Rule options as bits."""

TURN_CAPACITY = 256
"""Turns that a search keeps a position; positions of a game have up to 50."""

_ROW, _LANES, _COUNTS = 4, 16, MAX_SEEDS + 1
CLOCKWISE = U(_ROW * _LANES * _COUNTS)
"""From the row of a forward lap in the lap table to that of the clockwise one."""
NOWHERE = ALL
"""No board's word: the outer row of an anchor, a relay's first state, that is not known yet."""
_ZERO, _ONE, _TWO, _THREE, _FOUR, _EIGHT = U(0), U(1), U(2), U(3), U(4), U(8)
_MAX_CHOICES = U(MAX_CHOICES)
_FLAG_FIRST, _FLAG_FRESH = U(FIRST_TURN), U(FRESH)
_OPT_FIRST, _OPT_REENTRY, _OPT_DECLINE = U(FIRST_TURN_CAPTURE), U(REENTRY), U(DECLINE)
_OPT_DROP, _OPT_OKUKONEEZA = U(DROP_ENDLESS), U(OKUKONEEZA)
_S_SPENT, _S_ENDLESS, _S_OKU, _S_CAPTURED, _S_CYCLE = map(
    U, (SPENT_SHIFT, ENDLESS_SHIFT, OKUKONEEZA_SHIFT, CAPTURED_SHIFT, CYCLE_SHIFT)
)
_TURN_WORDS = U(TURN_WORDS)
_W_OUTER, _W_INNER, _W_FOE_OUTER, _W_FOE_INNER, _W_CHOICES, _W_KINDS, _W_INFO, _W_LAPS = map(U, range(TURN_WORDS))

_FRAME = 12
"""Words of a frame: the state of a turn where another way was open."""
_FRAME_WORDS = U(_FRAME)
(
    _F_OUTER, _F_INNER, _F_PRIZE, _F_ORIGIN, _F_HAND, _F_SOWN, _F_CHOICES, _F_KINDS, _F_SPENT,
    _F_ANCHOR_OUTER, _F_ANCHOR_INNER, _F_DECLINED,
) = map(U, range(_FRAME))  # fmt: skip
# The last three words are a declined capture's: the anchor of its relay, and 0 (not declined) or 1, the anchor's origin
# from bit 1 on, its laps from bit 8 on.


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


# -- kernels of a board -----------------------------------------------------------------------------------------------


@inline_kernel
def occupied(
    word: np.uint64,
) -> np.uint64:
    """The top bit of every byte that is not 0 (bytes are at most 127)."""
    return at_least_below_tops(word, _ONE)


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
    return (foe_outer + facing) & whole_lanes(occupied(foe_outer) & occupied(facing))


@inline_kernel
def startable(
    outer: np.uint64,
    inner: np.uint64,
) -> np.uint64:
    """Bit ``lane`` set for every pit with two or more seeds: the pits that a turn may start from."""
    return lane_bits(at_least_below_tops(outer, _TWO)) | (lane_bits(at_least_below_tops(inner, _TWO)) << _EIGHT)


@inline_kernel
def lift(
    outer: np.uint64,
    inner: np.uint64,
    lane: np.uint64,
) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Take a pit's seeds in hand: the outer and the inner row without them, and how many they are."""
    shift = shift_of(lane)
    if lane < _EIGHT:
        hand = (outer >> shift) & LANE
        return outer ^ (hand << shift), inner, hand
    hand = (inner >> shift) & LANE
    return outer, inner ^ (hand << shift), hand


@inline_kernel
def child_flags(
    flags: np.uint64,
    captured: np.uint64,
) -> np.uint64:
    """Flags of the position after a turn that captured ``captured`` seeds, for the opponent to move."""
    return ((flags >> _ONE) & _FLAG_FIRST) | ((flags & _FLAG_FRESH) if captured == _ZERO else _ZERO)


@inline_kernel
def is_endless(
    info: np.uint64,
) -> bool:
    """Whether the turn with this word ``INFO`` is endless."""
    return ((info >> _S_ENDLESS) & _ONE) != _ZERO


@inline_kernel
def captured_by(
    info: np.uint64,
) -> np.uint64:
    """The seeds that the turn with this word ``INFO`` captured."""
    return (info >> _S_CAPTURED) & U(127)


# -- kernels of a lap -------------------------------------------------------------------------------------------------
# Where no types stand, all is uint64: numbers, and flat arrays of words.


@inline_kernel
def lap_row(
    hand: np.uint64,
    origin: np.uint64,
) -> np.uint64:
    """The row of the lap table for ``hand`` seeds sown forward from the pit after ``origin``."""
    return ((hand << _FOUR) | origin) << _TWO


@inline_kernel
def lap_gain(
    laps: np.ndarray,
    row: np.uint64,
    inner: np.uint64,
    prize: np.uint64,
) -> np.uint64:
    """What the lap of a row would capture, 0 if nothing; ``inner``: the inner row before it."""
    shift = shift_of(laps[row + _TWO])
    gain = (prize >> shift) & LANE & laps[row + _THREE]
    return gain if gain != _ZERO and (((inner + laps[row + _ONE]) >> shift) & LANE) >= _TWO else _ZERO


@inline_kernel
def sow(laps, row, outer, inner):
    """Sow the lap of a row: both rows after it, the lane of the last seed, all ones if that is inner (else 0), and what
    the pit then holds: 1 where the turn ends."""
    outer += laps[row]
    inner += laps[row + _ONE]
    last, is_inner = laps[row + _TWO], laps[row + _THREE]
    return outer, inner, last, is_inner, count_at((inner & is_inner) | (outer & ~is_inner), last)


@inline_kernel
def capture(
    prize: np.uint64,
    last: np.uint64,
) -> tuple[np.uint64, np.uint64]:
    """Take what an inner pit captures: the prizes left, and the seeds in hand, to be sown from the same origin."""
    shift = shift_of(last)
    gain = (prize >> shift) & LANE
    return prize ^ (gain << shift), gain


@inline_kernel
def relay(outer, inner, last, is_inner, landed):
    """Lift the pit that a lap ended in, to sow on from there: both rows after it."""
    lifted = landed << shift_of(last)
    return outer - (lifted & ~is_inner), inner - (lifted & is_inner)


@inline_kernel
def relay_and_test(outer, inner, last, is_inner, landed, sown, anchor_outer, anchor_inner, anchor_origin, anchor_laps):
    """As :func:`relay`, then the endless test: both rows, the *anchor*'s rows and origin, and whether it has come back.

    The anchor is the first state of this relay, just after the lift that follows ``anchor_laps`` laps; it is noted
    here. Without captures a relay is one-to-one, so an endless one comes back to it.
    """
    outer, inner = relay(outer, inner, last, is_inner, landed)
    if sown == anchor_laps:
        return outer, inner, outer, inner, last, False
    back = outer == anchor_outer and inner == anchor_inner and last == anchor_origin
    return outer, inner, anchor_outer, anchor_inner, anchor_origin, back


# -- kernels of a turn ------------------------------------------------------------------------------------------------


@inline_kernel
def _push(frames, depth, outer, inner, prize, origin, hand, sown, choices, kinds, spent):
    """Note the way not taken: the state before a clockwise lap, which is then taken."""
    frame = depth * _FRAME_WORDS
    frames[frame + _F_OUTER] = outer
    frames[frame + _F_INNER] = inner
    frames[frame + _F_PRIZE] = prize
    frames[frame + _F_ORIGIN] = origin
    frames[frame + _F_HAND] = hand
    frames[frame + _F_SOWN] = sown
    frames[frame + _F_CHOICES] = choices
    frames[frame + _F_KINDS] = kinds
    frames[frame + _F_SPENT] = spent
    frames[frame + _F_DECLINED] = _ZERO


@inline_kernel
def _push_relay(frames, depth, anchor_outer, anchor_inner, anchor_origin, anchor_laps):
    """Mark the frame just pushed as a declined capture: the relay goes on, and so does its endless test."""
    frame = depth * _FRAME_WORDS
    frames[frame + _F_ANCHOR_OUTER] = anchor_outer
    frames[frame + _F_ANCHOR_INNER] = anchor_inner
    frames[frame + _F_DECLINED] = _ONE | (anchor_origin << _ONE) | (anchor_laps << _EIGHT)


@inline_kernel
def _pop(frames, depth):
    """What :func:`_push` noted, and whether :func:`_push_relay` marked it."""
    frame = depth * _FRAME_WORDS
    return (
        frames[frame + _F_OUTER], frames[frame + _F_INNER], frames[frame + _F_PRIZE], frames[frame + _F_ORIGIN],
        frames[frame + _F_HAND], frames[frame + _F_SOWN], frames[frame + _F_CHOICES], frames[frame + _F_KINDS],
        frames[frame + _F_SPENT], frames[frame + _F_DECLINED] != _ZERO,
    )  # fmt: skip


@inline_kernel
def _pop_relay(frames, depth):
    """The anchor that :func:`_push_relay` noted."""
    frame = depth * _FRAME_WORDS
    word = frames[frame + _F_DECLINED]
    return frames[frame + _F_ANCHOR_OUTER], frames[frame + _F_ANCHOR_INNER], (word >> _ONE) & U(15), word >> _EIGHT


@inline_kernel
def _write_board(turns, at, outer, inner, foe_outer, foe_inner, columns, gone):
    """The board after a turn: the opponent loses the columns whose prizes are gone."""
    taken = whole_lanes(occupied(gone))
    turns[at + _W_OUTER] = outer
    turns[at + _W_INNER] = inner
    turns[at + _W_FOE_OUTER] = foe_outer & ~taken
    turns[at + _W_FOE_INNER] = foe_inner & ~mirrored(taken, columns)


@inline_kernel
def _write_facts(turns, at, start, choices, kinds, spent, sown, captured, endless, cycle):
    """The words of a turn after its board."""
    turns[at + _W_CHOICES] = choices
    turns[at + _W_KINDS] = kinds
    turns[at + _W_INFO] = (
        start | (spent << _S_SPENT) | (endless << _S_ENDLESS) | (captured << _S_CAPTURED) | (cycle << _S_CYCLE)
    )
    turns[at + _W_LAPS] = sown


@inline_kernel
def generate_from(starts, outer, inner, foe_outer, foe_inner, flags, options, columns, laps, lap_limit, turns, frames):
    """As :func:`generate` for the start pits whose lanes are bits of ``starts``, without the okukoneeza sowings."""
    count, capacity = _ZERO, U(turns.shape[0]) // _TURN_WORDS
    prize = prizes(foe_outer, foe_inner, columns)
    if (flags & _FLAG_FIRST) != _ZERO and (options & _OPT_FIRST) == _ZERO:
        prize = _ZERO
    while starts != _ZERO and count < capacity:
        start = count_trailing_zeros(starts)  # pyright: ignore[reportCallIssue]
        starts &= starts - _ONE
        count = _generate_pit(
            start, outer, inner, foe_outer, foe_inner, prize, options, columns, laps, lap_limit, turns, frames,
            count, capacity,
        )  # fmt: skip
    return count


@inline_kernel
def _generate_pit(
    start, first_outer, first_inner, foe_outer, foe_inner, first_prize, options, columns, laps, lap_limit, turns,
    frames, count, capacity,
):  # fmt: skip
    """Append the turns from one pit; return the new count.

    The laps of a turn run forward in the inner loop; wherever a choice is open, the other way is pushed on a stack of
    frames, and taken up when the turn has ended. The state is numbers, not tuples: with tuples of what belongs together
    the same laps took 2 to 8 % longer, since fewer stayed in registers.
    """
    reentry = ALL if (options & _OPT_REENTRY) != _ZERO else _ZERO
    declines, drops = (options & _OPT_DECLINE) != _ZERO, (options & _OPT_DROP) != _ZERO
    outer, inner, hand = lift(first_outer, first_inner, start)
    origin, prize, choosing = start, first_prize, ALL
    sown = choices = kinds = spent = _ZERO
    anchor_outer, anchor_inner, anchor_origin, anchor_laps = outer, inner, origin, _ZERO
    depth = endless = cycle = _ZERO
    while True:  # one turn a round
        while endless == _ZERO:  # one forward lap a round
            row = lap_row(hand, origin)
            if lap_gain(laps, row + CLOCKWISE, inner, prize & choosing) != _ZERO and spent < _MAX_CHOICES:
                bit = _ONE << spent
                spent += _ONE
                _push(frames, depth, outer, inner, prize, origin, hand, sown, choices | bit, kinds, spent)
                depth += _ONE
            outer, inner, last, is_inner, landed = sow(laps, row, outer, inner)
            sown += _ONE
            if landed == _ONE:
                break
            captures = (count_at(prize, last) & is_inner) != _ZERO
            if declines and captures and spent < _MAX_CHOICES:
                bit = _ONE << spent
                spent += _ONE
                kinds |= bit
                _push(frames, depth, outer, inner, prize, last, landed, sown, choices | bit, kinds, spent)
                _push_relay(frames, depth, anchor_outer, anchor_inner, anchor_origin, anchor_laps)
                depth += _ONE
            if captures:
                prize, hand = capture(prize, last)
                choosing = reentry
                anchor_outer, anchor_laps = NOWHERE, sown + _ONE
            else:
                outer, inner, anchor_outer, anchor_inner, anchor_origin, back = relay_and_test(
                    outer, inner, last, is_inner, landed, sown, anchor_outer, anchor_inner, anchor_origin, anchor_laps
                )
                hand, origin, choosing = landed, last, ALL
                if back:
                    endless, cycle = _ONE, sown - anchor_laps
            if sown == lap_limit:
                endless, cycle = _ONE, _ZERO
        if endless == _ZERO or not drops:
            if count == capacity:
                return count
            at = count * _TURN_WORDS
            gone = first_prize ^ prize
            if endless == _ZERO:
                _write_board(turns, at, outer, inner, foe_outer, foe_inner, columns, gone)
            else:
                _write_board(turns, at, first_outer, first_inner, foe_outer, foe_inner, columns, _ZERO)
            _write_facts(turns, at, start, choices, kinds, spent, sown, sum_of_lanes(gone), endless, cycle)
            count += _ONE
        if depth == _ZERO:
            return count
        depth -= _ONE
        outer, inner, prize, origin, hand, sown, choices, kinds, spent, declined = _pop(frames, depth)
        choosing = ALL
        endless = cycle = _ZERO
        if declined:  # the relay in place of the capture
            anchor_outer, anchor_inner, anchor_origin, anchor_laps = _pop_relay(frames, depth)
            outer, inner, anchor_outer, anchor_inner, anchor_origin, back = relay_and_test(
                outer, inner, origin, ALL, hand, sown, anchor_outer, anchor_inner, anchor_origin, anchor_laps
            )
            if back:
                endless, cycle = _ONE, sown - anchor_laps
        else:  # the clockwise lap and its capture
            outer, inner, last, _, _ = sow(laps, lap_row(hand, origin) + CLOCKWISE, outer, inner)
            prize, hand = capture(prize, last)
            sown += _ONE
            anchor_outer, anchor_laps = NOWHERE, sown + _ONE
        if sown == lap_limit:
            endless, cycle = _ONE, _ZERO


@inline_kernel
def board_after(turns, at):
    """The board after the turn at word ``at`` as the player to move then sees it, their rows first."""
    return turns[at + _W_FOE_OUTER], turns[at + _W_FOE_INNER], turns[at + _W_OUTER], turns[at + _W_INNER]


@kernel
def generate(outer, inner, foe_outer, foe_inner, flags, options, columns, laps, lap_limit, turns, frames):
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
def _okukoneeza(outer, inner, foe_outer, foe_inner, columns, laps, turns, count, capacity):
    """Append the opening sowings of three seeds, two and one; return the new count."""
    for start in range(16):
        lane = U(start)
        left_outer, left_inner, hand = lift(outer, inner, lane)
        if hand == _THREE and count < capacity:
            near, far = lap_row(_ONE, lane), lap_row(_TWO, lane)  # one seed to the next pit, once more with two
            at = count * _TURN_WORDS
            turns[at + _W_OUTER] = left_outer + laps[near] + laps[far]
            turns[at + _W_INNER] = left_inner + laps[near + _ONE] + laps[far + _ONE]
            turns[at + _W_FOE_OUTER] = foe_outer
            turns[at + _W_FOE_INNER] = foe_inner
            turns[at + _W_CHOICES] = _ZERO
            turns[at + _W_KINDS] = _ZERO
            turns[at + _W_INFO] = lane | (_ONE << _S_OKU)
            turns[at + _W_LAPS] = _ONE
            count += _ONE
    return count


@kernel
def count_lines(outer, inner, foe_outer, foe_inner, flags, depth, options, columns, laps, lap_limit, turns, frames):
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
        if not is_endless(info):
            board[ply + 1, 0], board[ply + 1, 1], board[ply + 1, 2], board[ply + 1, 3] = board_after(turns[ply], at)
            board[ply + 1, 4] = child_flags(board[ply, 4], captured_by(info))
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
        want_rules(rules, OmwesoRules)
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
    first, foe_first = position.first_turns
    flags = FIRST_TURN * first | FIRST_TURN_OF_FOE * foe_first | FRESH * position.fresh
    return (*map(U, (*pack(position.side), *pack(position.opponent))), U(flags))
