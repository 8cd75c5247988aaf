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
from solver.kernels.lanes import ALL, count_at
from solver.omweso.kernels import (
    CLOCKWISE,
    NOWHERE,
    OmwesoGenerator,
    U,
    board_words,
    capture,
    lane_of,
    lap_gain,
    lap_row,
    lift,
    prizes,
    relay_and_test,
    sow,
)
from solver.omweso.position import MAX_CHOICES, OmwesoPosition, Turn

RUNNING, ENDED, ENDLESS = 0, 1, 2

OUTER, INNER, PRIZE, ORIGIN, HAND, SOWN, SPENT, CHOOSING = range(8)
ANCHOR_OUTER, ANCHOR_INNER, ANCHOR_ORIGIN, ANCHOR_LAPS = range(8, 12)
"""Words of a sowing under way: the mover's rows and the rest of what :func:`solver.omweso.kernels.generate` keeps."""
STATE_WORDS = 12

_ZERO, _ONE = U(0), U(1)
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
    """Set ``state`` (STATE_WORDS words) to the sowing that starts in lane ``start`` of a board."""
    left_outer, left_inner, hand = lift(outer, inner, start)
    state[:] = _ZERO
    state[U(OUTER)] = state[U(ANCHOR_OUTER)] = left_outer
    state[U(INNER)] = state[U(ANCHOR_INNER)] = left_inner
    state[U(ORIGIN)] = state[U(ANCHOR_ORIGIN)] = start
    state[U(PRIZE)] = prizes(foe_outer, foe_inner, columns) if may_capture else _ZERO
    state[U(HAND)] = hand
    state[U(CHOOSING)] = ALL


@kernel
def sow_on(state: np.ndarray, choices: np.uint64, reentry: bool, declines: bool, laps: np.ndarray, budget: int) -> int:
    """Sow up to ``budget`` laps on; return RUNNING, ENDED or ENDLESS.

    ``state``: uint64, the words named above, changed in place. ``choices``: bit i set where choice i of the turn is
    ``c`` or ``d``. ``laps``: :func:`solver.omweso.kernels.lap_table`.
    """
    outer, inner, prize = state[U(OUTER)], state[U(INNER)], state[U(PRIZE)]
    origin, hand, sown = state[U(ORIGIN)], state[U(HAND)], state[U(SOWN)]
    spent, choosing = state[U(SPENT)], state[U(CHOOSING)]
    anchor_outer, anchor_inner = state[U(ANCHOR_OUTER)], state[U(ANCHOR_INNER)]
    anchor_origin, anchor_laps = state[U(ANCHOR_ORIGIN)], state[U(ANCHOR_LAPS)]
    outcome = RUNNING
    for _ in range(budget):
        row = lap_row(hand, origin)
        clockwise = False
        if lap_gain(laps, row + CLOCKWISE, inner, prize & choosing) != _ZERO and spent < _MAX_CHOICES:
            clockwise = ((choices >> spent) & _ONE) != _ZERO
            spent += _ONE
            if clockwise:
                row += CLOCKWISE
        outer, inner, last, is_inner, landed = sow(laps, row, outer, inner)
        sown += _ONE
        if landed == _ONE:
            outcome = ENDED
            break
        captures = (count_at(prize, last) & is_inner) != _ZERO
        if declines and captures and not clockwise and spent < _MAX_CHOICES:
            captures = ((choices >> spent) & _ONE) == _ZERO
            spent += _ONE
        if captures:
            prize, hand = capture(prize, last)
            choosing = ALL if clockwise or reentry else _ZERO
            anchor_outer, anchor_laps = NOWHERE, sown + _ONE
        else:
            hand, origin, choosing = landed, last, ALL
            outer, inner, anchor_outer, anchor_inner, anchor_origin, back = relay_and_test(
                outer, inner, last, is_inner, landed, sown, anchor_outer, anchor_inner, anchor_origin, anchor_laps
            )
            if back:
                outcome = ENDLESS
                break
    state[U(OUTER)], state[U(INNER)], state[U(PRIZE)] = outer, inner, prize
    state[U(ORIGIN)], state[U(HAND)], state[U(SOWN)] = origin, hand, sown
    state[U(SPENT)], state[U(CHOOSING)] = spent, choosing
    state[U(ANCHOR_OUTER)], state[U(ANCHOR_INNER)] = anchor_outer, anchor_inner
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
    state = np.zeros(STATE_WORDS, np.uint64)
    starts = endless = longest = 0
    while True:
        state[:] = _ZERO
        for pit in range(1, pits):
            word, lane = (OUTER, pit) if pit < columns else (INNER, pit - columns)
            state[word] |= U(spread[pit]) << U(8 * lane)
        state[U(HAND)] = U(spread[0] + 2)
        state[U(ANCHOR_OUTER)], state[U(ANCHOR_INNER)] = state[U(OUTER)], state[U(INNER)]
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
        self._state = np.zeros(STATE_WORDS, np.uint64)
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
        on_board = sum(state[OUTER].to_bytes(8, "little") + state[INNER].to_bytes(8, "little"))
        captured = on_board + (0 if status == ENDED else state[HAND]) - self._seeds
        if status == ENDLESS:
            return MayerResult("endless", anchor, sown - anchor, captured)
        return MayerResult("ends" if status == ENDED else "unknown", sown, 0, captured)
