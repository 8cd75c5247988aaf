"""Omweso as the search plays it: its kernels, its evaluation, and scores that count plies to a win.

A state is the four words of :mod:`solver.kernels.omweso`, the mover's two first; counts leave the top bit of a byte
free, and three of those bits hold the flags of the game's beginning. A state without a seed stands for a game that an
endless turn has ended.

**Scores**: a position lost in d plies is worth d - WON to the player to move, one won in d plies WON - d; all else is
an estimate within ESTIMATE_LIMIT, in units of UNITS_A_SEED to a seed. Seeds never leave the board, so no turn is
irreversible but the first capture, whose flag is part of the state; a position that comes back is a draw here
whatever the rules say of repetition.

A search keeps MAX_MOVES turns a position: those that lead to the same board are one, and of more than
:data:`RAW_TURNS` before that, or MAX_MOVES after it, the last are left out (positions of real games have up to 50).
Turns of more than :data:`~solver.kernels.omweso.PRACTICAL_LAPS` laps are taken for endless.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.errors import PositionError
from solver.kernels.compile import inline_kernel, kernel
from solver.kernels.omweso import (
    CAPTURED_SHIFT,
    ENDLESS_SHIFT,
    FIRST_TURN,
    FIRST_TURN_OF_OTHER,
    FRESH,
    INFO,
    PRACTICAL_LAPS,
    TURN_WORDS,
    OmwesoGenerator,
    board_words,
    child_flags,
    frame_words,
    startable,
)
from solver.kernels.omweso import generate as generate_turns
from solver.omweso.position import OmwesoPosition, Turn, turn_text
from solver.omweso.rules import Endless, OmwesoRules, Repetition
from solver.search import game as kernels
from solver.search import omweso_network
from solver.search.game import implements
from solver.search.omweso_network import FITTED_COLUMNS, Network, fitted, packed, seeds_and_haul
from solver.search.worker import MAX_BARRED, MAX_MOVES, SCRATCH_WORDS

WON = 2000
"""The score of a position won in no ply at all."""
ESTIMATE_LIMIT = 1500
"""Estimates lie within this on both sides; scores beyond it count plies."""
UNITS_A_SEED = 8
RAW_TURNS = (SCRATCH_WORDS - frame_words()) // TURN_WORDS
"""Turns generated for a position before those that lead to the same board are made one."""

_GAME = np.dtype(
    [
        ("options", np.uint64),
        ("columns", np.uint64),
        ("lap_limit", np.uint64),
        ("endless_loses", np.int64),
        ("reverse", np.uint64),  # bit lane: a clockwise lap may start here
        ("captures_first", np.uint64),  # 1: a player's first turn may capture
        ("laps", np.uint64, (2 * 128 * 16 * 4,)),
        *omweso_network.FIELDS,
    ],
    align=True,
)


class OmwesoKernels(NamedTuple):
    """What Omweso's kernels take as their game: one record of rules, the lap table and the network."""

    record: Any


# -- states -----------------------------------------------------------------------------------------------------------

_U = np.uint64
_ZERO, _ONE, _TWO, _THREE, _FOUR = (np.uint64(n) for n in range(5))
_TOP = np.uint64(1 << 63)
_COUNTS = np.uint64((1 << 63) - 1)
_FIRST, _OTHER, _FRESH = np.uint64(FIRST_TURN), np.uint64(FIRST_TURN_OF_OTHER), np.uint64(FRESH)
_FLAG_SHIFTS = (63, 62, 61)
_INFO, _ENDLESS, _CAPTURED = np.uint64(INFO), np.uint64(ENDLESS_SHIFT), np.uint64(CAPTURED_SHIFT)
_TURN = np.uint64(TURN_WORDS)
_BYTE, _SHIFT_BITS = np.uint64(0xFF), np.uint64(63)


@inline_kernel
def _with_flags(word, flags, flag):
    """A word of the state with its top bit set where ``flag`` is among ``flags``."""
    return word | (_TOP if (flags & flag) != _ZERO else _ZERO)


@inline_kernel
def _flags_of(first, second, third):
    """The flags in the top bits of a state's first three words."""
    return (first >> _U(63)) | ((second >> _U(63)) << _ONE) | ((third >> _U(63)) << _TWO)


@inline_kernel
def _words(worker, ply):
    """The board of ``state[ply]``: four words without flags."""
    here = np.uint64(ply)
    state = worker["state"]
    return (
        state[here, _ZERO] & _COUNTS, state[here, _ONE] & _COUNTS,
        state[here, _TWO] & _COUNTS, state[here, _THREE],
    )  # fmt: skip


# -- the kernels ------------------------------------------------------------------------------------------------------


@implements(kernels.generate, OmwesoKernels)
def _generate(game, worker, ply):
    """Large captures first; small ones, as often as not, are worth less than what the history table has seen work."""
    rules = game.record
    here = np.uint64(ply)
    outer, inner, foe_outer, foe_inner = _words(worker, ply)
    if (outer | inner | foe_outer | foe_inner) == _ZERO:
        return np.int64(0)
    flags = _flags_of(worker["state"][here, _ZERO], worker["state"][here, _ONE], worker["state"][here, _TWO])
    turns = worker["scratch"][: RAW_TURNS * TURN_WORDS]
    frames = worker["scratch"][RAW_TURNS * TURN_WORDS :]
    found = generate_turns(
        outer, inner, foe_outer, foe_inner, flags, rules["options"], rules["columns"], rules["laps"],
        rules["lap_limit"], turns, frames,
    )  # fmt: skip
    count = np.int64(0)
    child = worker["child"]
    for turn in range(np.int64(found)):
        base = np.uint64(turn) * _TURN
        info = turns[base + _INFO]
        captured = (info >> _CAPTURED) & _U(127)
        at = np.uint64(count)
        if (info >> _ENDLESS) & _ONE != _ZERO:
            child[here, at, _ZERO] = child[here, at, _ONE] = child[here, at, _TWO] = child[here, at, _THREE] = _ZERO
        else:
            after = child_flags(flags, captured)
            child[here, at, _ZERO] = _with_flags(turns[base + _TWO], after, _FIRST)
            child[here, at, _ONE] = _with_flags(turns[base + _THREE], after, _OTHER)
            child[here, at, _TWO] = _with_flags(turns[base], after, _FRESH)
            child[here, at, _THREE] = turns[base + _ONE]
        if _known(child, here, count):
            continue
        lane = info & _U(15)
        start = ((outer if lane < _U(8) else inner) >> ((lane << _THREE) & _SHIFT_BITS)) & _BYTE
        worker["gain"][here, at] = 0
        worker["move"][here, at] = count
        worker["slot"][here, at] = np.int64((lane << _U(7)) | start)
        worker["merit"][here, at] = np.int64(captured) << 7
        count += 1
        if count == MAX_MOVES:
            break
    return count


@inline_kernel
def _known(child, here, count):
    """Whether child ``count`` is the same state as one before it."""
    last = np.uint64(count)
    for k in range(count):
        at = np.uint64(k)
        if (
            child[here, at, _ZERO] == child[here, last, _ZERO]
            and child[here, at, _ONE] == child[here, last, _ONE]
            and child[here, at, _TWO] == child[here, last, _TWO]
            and child[here, at, _THREE] == child[here, last, _THREE]
        ):
            return True
    return False


@implements(kernels.key, OmwesoKernels)
def _key(game, worker, ply):
    """A multiplication a word, chained, then a finalizer; the flags ride on top bits."""
    here = np.uint64(ply)
    state = worker["state"]
    mixed = state[here, _ZERO] * _U(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> _U(32)) ^ state[here, _ONE]) * _U(0xC2B2AE3D27D4EB4F)
    mixed = (mixed ^ (mixed >> _U(29)) ^ state[here, _TWO]) * _U(0xD6E8FEB86659FD93)
    mixed = (mixed ^ (mixed >> _U(32)) ^ state[here, _THREE]) * _U(0xFF51AFD7ED558CCD)
    return mixed ^ (mixed >> _U(31))


@implements(kernels.final, OmwesoKernels)
def _final(game, worker, ply):
    """The mover has no turn and loses; or an endless turn has ended the game."""
    outer, inner, foe_outer, foe_inner = _words(worker, ply)
    if (outer | inner | foe_outer | foe_inner) == _ZERO:
        return np.int64(WON) if game.record["endless_loses"] != 0 else np.int64(0)
    return np.int64(-WON)


@implements(kernels.limit, OmwesoKernels)
def _limit(game, worker, ply):
    return np.int64(WON)


@implements(kernels.passed, OmwesoKernels)
def _passed(game, gain, score):
    """Negated; a win is a ply further away."""
    if score < -ESTIMATE_LIMIT:
        return -score - 1
    return -score + 1 if score > ESTIMATE_LIMIT else -score


@implements(kernels.handed, OmwesoKernels)
def _handed(game, gain, bound):
    """The least score that :func:`_passed` takes to ``bound`` or less."""
    if bound >= ESTIMATE_LIMIT:
        return -bound - 1
    return -bound + 1 if bound < -ESTIMATE_LIMIT else -bound


@implements(kernels.irreversible, OmwesoKernels)
def _irreversible(game, gain):
    return False


@implements(kernels.shortest_cycle, OmwesoKernels)
def _shortest_cycle(game):
    return np.int64(2)


@implements(kernels.cycle_score, OmwesoKernels)
def _cycle_score(game, worker, ply):
    return np.int64(0)


@implements(kernels.extends, OmwesoKernels)
def _extends(game, worker, ply, count):
    """An only turn is no decision."""
    return count == 1


@implements(kernels.probe, OmwesoKernels)
def _probe(game, worker, ply):
    return False, np.int64(0), np.int64(0), np.int64(0)


@implements(kernels.evaluate, OmwesoKernels)
def _evaluate(game, worker, ply):
    """The network's estimate; what has no turn has lost."""
    outer, inner, foe_outer, foe_inner = _words(worker, ply)
    if startable(outer, inner) == _ZERO:
        if (outer | inner | foe_outer | foe_inner) == _ZERO:
            return np.int64(WON) if game.record["endless_loses"] != 0 else np.int64(0)
        return np.int64(-WON)
    rules = game.record
    first = worker["state"][np.uint64(ply), _ZERO] >> _U(63)  # FIRST_TURN
    may_capture = first == _ZERO or rules["captures_first"] != _ZERO
    estimated = omweso_network.estimate(rules, outer, inner, foe_outer, foe_inner, may_capture)
    return min(max(estimated, np.int64(-ESTIMATE_LIMIT)), np.int64(ESTIMATE_LIMIT))


@kernel
def _root_key(game, worker):
    return kernels.key(game, worker, np.int64(0))


@kernel
def _root_children(game, worker):
    return kernels.generate(game, worker, np.int64(0))


# -- the Python side --------------------------------------------------------------------------------------------------


class OmwesoGame:
    """Omweso under one rule set: what :class:`solver.search.searcher.Searcher` searches.

    Move codes number the different children of a position, in the order of its turns. ``network`` replaces the
    evaluation's weights, which are those fitted where the board has eight columns.
    """

    def __init__(self, rules: OmwesoRules, network: Network | None = None) -> None:
        self.rules = rules
        self._generator = OmwesoGenerator(rules, PRACTICAL_LAPS)
        self._memory = np.zeros(1, _GAME)
        record = self._memory[0]
        record["options"], record["columns"] = self._generator.options, self._generator.columns
        record["lap_limit"], record["laps"] = self._generator.lap_limit, self._generator.laps
        record["endless_loses"] = rules.endless is Endless.MOVER_LOSES
        lanes = (pit if pit < rules.columns else 8 + pit - rules.columns for pit in rules.reverse_pits)
        record["reverse"] = sum(1 << lane for lane in lanes)
        record["captures_first"] = rules.first_turn_capture
        if network is None:
            network = fitted() if rules.columns == FITTED_COLUMNS else seeds_and_haul(UNITS_A_SEED)
        record["table"], record["thresholds"], record["outputs"] = packed(network)
        self.kernels = OmwesoKernels(record)

    def place(self, position: OmwesoPosition, worker: NDArray[np.void]) -> None:
        """Write the position and those that it must not come back to. Raises PositionError for other rules."""
        if position.rules != self.rules:
            raise PositionError(f"a position of {position.rules.id} given to a search of {self.rules.id}")
        record = worker[0]
        seen = position.past if self.rules.repetition is Repetition.DRAW else ()
        barred = seen[-MAX_BARRED:]
        for row, before in enumerate(barred):
            self._write(before, record)
            record["barred"][row] = _root_key(self.kernels, record)
            record["barred_side"][row] = before.turn != position.turn
        record["barred_count"] = len(barred)
        self._write(position, record)

    def _write(self, position: OmwesoPosition, record: np.void) -> None:
        *words, flags = map(int, board_words(position))
        for word, flag in enumerate((FIRST_TURN, FIRST_TURN_OF_OTHER, FRESH)):
            words[word] |= (1 << 63) if flags & flag else 0
        record["state"][0] = words

    def name(self, position: OmwesoPosition, code: int) -> str:
        """The turn as players write it."""
        return turn_text(self.turn(position, code), self.rules)

    def turn(self, position: OmwesoPosition, code: int) -> Turn:
        """The turn with this code: of those that lead to the same board the first."""
        return self._different(position)[code]

    def play(self, position: OmwesoPosition, code: int) -> OmwesoPosition:
        """The position after the turn with this code."""
        return position.after(self.turn(position, code))

    def legal(self, position: OmwesoPosition) -> tuple[int, ...]:
        """The codes of the turns that lead to different boards."""
        return tuple(range(min(len(self._different(position)), MAX_MOVES))) if not position.voided else ()

    def lead(self, position: OmwesoPosition) -> int:
        """Nothing: no seed is ever won for good."""
        return 0

    def _different(self, position: OmwesoPosition) -> list[Turn]:
        """The turns that lead to different boards, in order."""
        found: dict[object, Turn] = {}
        for turn in self._generator.turns(position):
            after = (turn.side, turn.opponent, position.fresh and not turn.captured) if turn.ends else None
            found.setdefault(after, turn)
        return list(found.values())


def plies_to_end(score: int) -> int | None:
    """Plies to the end that a score announces (won where it is positive), or None for an estimate."""
    return WON - abs(score) if abs(score) > ESTIMATE_LIMIT else None


def score_text(score: int) -> str:
    """A score for people, from the mover's view: ``won in 7``, ``lost in 4``, or seeds as in ``+3.2``."""
    plies = plies_to_end(score)
    if plies is None:
        return f"{score / UNITS_A_SEED:+.1f}"
    return f"{'won' if score > 0 else 'lost'} in {plies}"
