"""The Mayer test, compiled: does one Omweso turn end, and if not, how long is its cycle?

:mod:`solver.omweso.kernels` tells the same of every turn at once; here one turn is sown in bounded portions, so that a
cycle of hundreds of millions of laps can show its progress and be given up. :func:`census` tells it of every
capture-free sowing of a number of seeds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from solver.kernels.compile import kernel
from solver.omweso.kernels import OmwesoGenerator, U, board_words, lane_of, prizes
from solver.omweso.position import MAX_CHOICES, OmwesoPosition, Turn

RUNNING, ENDED, ENDLESS = 0, 1, 2

OWN, OTHER, PRIZE, ORIGIN, HAND, SOWN, SPENT, CHOOSING = range(8)
ANCHOR_OWN, ANCHOR_OTHER, ANCHOR_ORIGIN, ANCHOR_LAPS = range(8, 12)
"""Words of a sowing under way; the names are those of :func:`solver.omweso.kernels.generate`."""

_ZERO, _ONE, _TWO, _THREE, _FOUR = U(0), U(1), U(2), U(3), U(4)
_CLOCKWISE = U(4 * 16 * 128)
_BYTE, _SHIFT_BITS, _NOWHERE = U(0xFF), U(63), U(2**64 - 1)
_MAX_CHOICES = U(MAX_CHOICES)


@kernel
def begin(
    state: np.ndarray,
    outer: np.uint64,
    inner: np.uint64,
    foe_outer: np.uint64,
    foe_inner: np.uint64,
    may_capture: bool,
    columns: np.uint64,
    start: np.uint64,
) -> None:
    """Set ``state`` (twelve words) to the sowing that starts in lane ``start`` of a board."""
    shift = (start << _THREE) & _SHIFT_BITS
    own, other = outer, inner
    if start < U(8):
        hand = (own >> shift) & _BYTE
        own ^= hand << shift
    else:
        hand = (other >> shift) & _BYTE
        other ^= hand << shift
    state[:] = _ZERO
    state[U(OWN)] = state[U(ANCHOR_OWN)] = own
    state[U(OTHER)] = state[U(ANCHOR_OTHER)] = other
    state[U(ORIGIN)] = state[U(ANCHOR_ORIGIN)] = start
    state[U(PRIZE)] = prizes(foe_outer, foe_inner, columns) if may_capture else _ZERO
    state[U(HAND)] = hand
    state[U(CHOOSING)] = _NOWHERE


@kernel
def sow_on(state: np.ndarray, choices: np.uint64, reentry: bool, declines: bool, laps: np.ndarray, budget: int) -> int:
    """Sow up to ``budget`` laps on; return RUNNING, ENDED or ENDLESS.

    ``state``: uint64, the twelve words named above, changed in place. ``choices``: bit i set where choice i of the
    turn is ``c`` or ``d``. ``laps``: :func:`solver.omweso.kernels.lap_table`.
    """
    own, other, prize = state[U(OWN)], state[U(OTHER)], state[U(PRIZE)]
    origin, hand, sown = state[U(ORIGIN)], state[U(HAND)], state[U(SOWN)]
    spent, choosing = state[U(SPENT)], state[U(CHOOSING)]
    anchor_own, anchor_other = state[U(ANCHOR_OWN)], state[U(ANCHOR_OTHER)]
    anchor_origin, anchor_laps = state[U(ANCHOR_ORIGIN)], state[U(ANCHOR_LAPS)]
    outcome = RUNNING
    for _ in range(budget):
        row = ((hand << _FOUR) | origin) << _TWO
        back = row + _CLOCKWISE
        shift = (laps[back + _TWO] << _THREE) & _SHIFT_BITS
        clockwise = False
        if (
            ((prize >> shift) & _BYTE & laps[back + _THREE] & choosing) != _ZERO
            and (((other + laps[back + _ONE]) >> shift) & _BYTE) >= _TWO
            and spent < _MAX_CHOICES
        ):
            clockwise = ((choices >> spent) & _ONE) != _ZERO
            spent += _ONE
            if clockwise:
                row = back
        own += laps[row]
        other += laps[row + _ONE]
        last, is_inner = laps[row + _TWO], laps[row + _THREE]
        shift = (last << _THREE) & _SHIFT_BITS
        landed = (((other & is_inner) | (own & ~is_inner)) >> shift) & _BYTE
        sown += _ONE
        if landed == _ONE:
            outcome = ENDED
            break
        gain = (prize >> shift) & _BYTE & is_inner
        if declines and gain != _ZERO and not clockwise and spent < _MAX_CHOICES:
            if ((choices >> spent) & _ONE) != _ZERO:
                gain = _ZERO
            spent += _ONE
        if gain != _ZERO:
            prize ^= gain << shift
            hand = gain
            choosing = _NOWHERE if clockwise or reentry else _ZERO
            anchor_own, anchor_laps = _NOWHERE, sown + _ONE
        else:
            lifted = landed << shift
            own -= lifted & ~is_inner
            other -= lifted & is_inner
            hand, origin, choosing = landed, last, _NOWHERE
            if sown == anchor_laps:
                anchor_own, anchor_other, anchor_origin = own, other, origin
            elif own == anchor_own and other == anchor_other and origin == anchor_origin:
                outcome = ENDLESS
                break
    state[U(OWN)], state[U(OTHER)], state[U(PRIZE)] = own, other, prize
    state[U(ORIGIN)], state[U(HAND)], state[U(SOWN)] = origin, hand, sown
    state[U(SPENT)], state[U(CHOOSING)] = spent, choosing
    state[U(ANCHOR_OWN)], state[U(ANCHOR_OTHER)] = anchor_own, anchor_other
    state[U(ANCHOR_ORIGIN)], state[U(ANCHOR_LAPS)] = anchor_origin, anchor_laps
    return outcome


@kernel
def census(seeds: int, pits: int, columns: int, laps: np.ndarray) -> tuple[int, int, int]:
    """Sow every capture-free start of ``seeds`` seeds from pit 0: how many starts, how many of them endless, and the
    laps of the longest that ends.

    Every side with two or more seeds in pit 0, which is every start up to rotation. ``laps``: a lap table.
    """
    spread = np.zeros(pits, np.int64)  # the seeds beyond the two of pit 0
    spread[0] = seeds - 2
    state = np.zeros(12, np.uint64)
    starts = endless = longest = 0
    while True:
        state[:] = _ZERO
        for pit in range(1, pits):
            word, lane = (OWN, pit) if pit < columns else (OTHER, pit - columns)
            state[word] |= U(spread[pit]) << U(8 * lane)
        state[U(HAND)] = U(spread[0] + 2)
        state[U(ANCHOR_OWN)], state[U(ANCHOR_OTHER)] = state[U(OWN)], state[U(OTHER)]
        starts += 1
        if sow_on(state, _ZERO, False, False, laps, 2**62) == ENDLESS:
            endless += 1
        else:
            longest = max(longest, int(state[U(SOWN)]))
        # The next spread, colexicographic: the first pit that holds seeds passes one on and the rest to pit 0.
        pit = 0
        while pit < pits - 1 and spread[pit] == 0:
            pit += 1
        if pit == pits - 1:
            return starts, endless, longest
        rest = spread[pit] - 1
        spread[pit] = 0
        spread[pit + 1] += 1
        spread[0] = rest


@dataclass(frozen=True, slots=True)
class MayerResult:
    """What is known of a turn: ``outcome`` ``ends``, ``endless`` or ``unknown`` (given up at the limit).

    ``laps``: laps of a turn that ends, or laps sown before giving up; for an endless one the laps before its cycle.
    ``cycle``: laps after which an endless relay comes back, else 0. ``captured``: seeds captured on the way.
    """

    outcome: str
    laps: int
    cycle: int
    captured: int


class MayerTest:
    """Sows one turn in portions until it ends, comes back, or reaches a limit. The rules' own lap cap is ignored."""

    def __init__(self, position: OmwesoPosition, turn: Turn, generator: OmwesoGenerator | None = None) -> None:
        rules = position.rules
        generator = generator or OmwesoGenerator(rules)
        self._choices = U(sum(1 << i for i, letter in enumerate(turn.choices) if letter in "cd"))
        self._arguments = (rules.reverse_fwd_reentry, rules.decline_capture, generator.laps)
        self._state = np.zeros(12, np.uint64)
        start = U(lane_of(turn.pit, rules.columns))
        begin(self._state, *board_words(position)[:4], position.may_capture, generator.columns, start)
        self._seeds = sum(position.side)

    def run(self, limit: int, portion: int = 1_000_000) -> Iterator[MayerResult]:
        """The outcome after each ``portion`` laps, ``unknown`` until the last, which comes by ``limit`` laps."""
        status = RUNNING
        while status == RUNNING:
            budget = min(portion, limit - int(self._state[SOWN]))
            if budget <= 0:
                return
            status = sow_on(self._state, self._choices, *self._arguments, budget)
            yield self._result(status)

    def result(self, limit: int) -> MayerResult:
        """The outcome within ``limit`` laps."""
        last = MayerResult("unknown", 0, 0, 0)
        for outcome in self.run(limit):
            last = outcome
        return last

    def _result(self, status: int) -> MayerResult:
        state = [int(word) for word in self._state]
        sown, anchor = state[SOWN], state[ANCHOR_LAPS]
        on_board = sum(state[OWN].to_bytes(8, "little") + state[OTHER].to_bytes(8, "little"))
        captured = on_board + (0 if status == ENDED else state[HAND]) - self._seeds
        if status == ENDLESS:
            return MayerResult("endless", anchor, sown - anchor, captured)
        return MayerResult("ends" if status == ENDED else "unknown", sown, 0, captured)
