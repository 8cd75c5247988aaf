"""Omweso as the search plays it: its kernels, its evaluation, and scores that count plies to a win.

A state is the four words of :mod:`solver.omweso.kernels`, the mover's two first; counts leave the top bit of a byte
free, and three of those bits hold the flags of the game's beginning. A state without a seed stands for a game that an
endless turn has ended.

**Scores**: a position lost in d plies is worth d - WON to the player to move, one won in d plies WON - d; all else is
an estimate within ESTIMATE_LIMIT, in units of UNITS_A_SEED to a seed. Seeds never leave the board, so no turn is
irreversible but the first capture, whose flag is part of the state; a position that comes back is a draw here
whatever the rules say of repetition.

A search keeps MAX_MOVES turns a position: those that lead to the same board are one, and of more than
:data:`RAW_TURNS` before that, or MAX_MOVES after it, the last are left out (positions of real games have up to 50).
Turns of more than :data:`~solver.omweso.kernels.PRACTICAL_LAPS` laps are taken for endless.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.errors import PositionError
from solver.kernels.compile import inline_kernel, kernel
from solver.kernels.intrinsics import count_trailing_zeros
from solver.kernels.lanes import TOPS, count_at
from solver.omweso import network
from solver.omweso.kernels import (
    FIRST_TURN,
    FIRST_TURN_OF_FOE,
    FOE_INNER,
    FOE_OUTER,
    FRESH,
    INFO,
    INNER,
    LAPS,
    OUTER,
    PRACTICAL_LAPS,
    TURN_WORDS,
    OmwesoGenerator,
    board_words,
    captured_by,
    child_flags,
    frame_words,
    generate_from,
    is_endless,
    lane_of,
    lap_gain,
    lap_row,
    lift,
    occupied,
    pack,
    prizes,
    startable,
)
from solver.omweso.kernels import generate as generate_turns
from solver.omweso.match import Okutema
from solver.omweso.network import FITTED_COLUMNS, Network, fitted, packed, seeds_and_haul
from solver.omweso.position import OmwesoPosition, Turn, turn_text
from solver.omweso.rules import Endless, OmwesoRules, Repetition
from solver.rule_ids import want_rules
from solver.search import game as kernels
from solver.search.game import implements
from solver.search.worker import MAX_BARRED, MAX_MOVES, SCRATCH_WORDS

WON = 2000
"""The score of a position won in no ply at all."""
ESTIMATE_LIMIT = 1500
"""Estimates lie within this on both sides; scores beyond it count plies."""
UNITS_A_SEED = 8
RAW_TURNS = (SCRATCH_WORDS - frame_words()) // TURN_WORDS
"""Turns generated for a position before those that lead to the same board are made one."""

_REDUCED = 32  # from this depth and this many moves on reductions stay the same


def _reductions() -> NDArray[np.int64]:
    """Late-move reductions [depth, moves tried before]: 0.3 + 0.8 ln(depth) ln(tried + 1) plies, from depth 3 on.

    Found by what a search of fixed time loses by its choice of turn, as full searches of depth 12 see it (182
    positions, 20 ms each): 0.0077 of a win, against 0.0167 without reductions; half or one and a half times as much
    loses more. Letting the opponent move twice (null moves) lost 0.004 to 0.011 more, cutting the last three plies by
    the evaluation and a margin gained nothing that could be measured. All of that was with a linear evaluation.
    """
    depth, tried = np.arange(_REDUCED)[:, None], np.arange(_REDUCED)[None, :]
    plies = np.floor(0.3 + 0.8 * np.log(np.maximum(depth, 1)) * np.log(tried + 1)).astype(np.int64)
    return np.where((depth < 3) | (tried < 1), 0, np.minimum(plies, depth - 1))


_GAME = np.dtype(
    [
        ("options", np.uint64),
        ("columns", np.uint64),
        ("lap_limit", np.uint64),
        ("endless_loses", np.int64),
        ("reverse", np.uint64),  # bit lane: a clockwise lap may start here
        ("reductions", np.int64, (_REDUCED, _REDUCED)),  # plies, by depth and moves tried before
        ("captures_first", np.uint64),  # 1: a player's first turn may capture
        ("cutting", np.uint64),  # 0: no turn wins at once; 1: one that leaves ``cut`` empty; 2: and captures all of it
        ("cut", np.uint64, (2,)),  # bytes of the opponent's outer and inner row
        ("laps", np.uint64, (2 * 128 * 16 * 4,)),
        *network.FIELDS,
    ],
    align=True,
)


class OmwesoKernels(NamedTuple):
    """What Omweso's kernels take as their game: one record of rules, the lap table and the network."""

    record: Any


# -- states -----------------------------------------------------------------------------------------------------------

_U = np.uint64
_ZERO, _ONE, _TWO, _THREE = (np.uint64(n) for n in range(4))
_TOP = np.uint64(1 << 63)
_COUNTS = np.uint64((1 << 63) - 1)
_FIRST, _FOE_FIRST, _FRESH = np.uint64(FIRST_TURN), np.uint64(FIRST_TURN_OF_FOE), np.uint64(FRESH)
_FLAG_SHIFTS = (63, 62, 61)
_OUTER, _INNER, _FOE_OUTER, _FOE_INNER = map(np.uint64, (OUTER, INNER, FOE_OUTER, FOE_INNER))
_INFO, _LAPS, _TURN = np.uint64(INFO), np.uint64(LAPS), np.uint64(TURN_WORDS)
_ARRANGED = 4  # from this depth on moves are ordered by the evaluation


@inline_kernel
def _with_flags(word, flags, flag):
    """A word of the state with its top bit set where ``flag`` is among ``flags``."""
    return word | (_TOP if (flags & flag) != _ZERO else _ZERO)


@inline_kernel
def _flags(worker, ply):
    """The flags of ``state[ply]``, from the top bits of its first three words."""
    here = np.uint64(ply)
    state = worker["state"]
    first, second, third = state[here, _ZERO], state[here, _ONE], state[here, _TWO]
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
    outer, inner, foe_outer, foe_inner = _words(worker, ply)
    if (outer | inner | foe_outer | foe_inner) == _ZERO:
        return np.int64(0)
    turns = worker["scratch"][: RAW_TURNS * TURN_WORDS]
    frames = worker["scratch"][RAW_TURNS * TURN_WORDS :]
    found = generate_turns(
        outer, inner, foe_outer, foe_inner, _flags(worker, ply), rules["options"], rules["columns"], rules["laps"],
        rules["lap_limit"], turns, frames,
    )  # fmt: skip
    return _children(rules, worker, ply, found, True)


@inline_kernel
def _children(rules, worker, ply, found, single):
    """Write the children that the first ``found`` turns of the scratch lead to, the same only once if ``single``."""
    here = np.uint64(ply)
    outer, inner, foe_outer, foe_inner = _words(worker, ply)
    flags = _flags(worker, ply)
    cutting = _may_cut(rules, foe_outer, foe_inner)
    turns = worker["scratch"]
    count = np.int64(0)
    for turn in range(np.int64(found)):
        base = np.uint64(turn) * _TURN
        info = turns[base + _INFO]
        worker["patience"] -= np.int64(turns[base + _LAPS] >> _U(6))  # a node is worth some fifty laps
        at = np.uint64(count)
        _write_child(rules, worker["child"], here, at, turns, base, flags, cutting)
        if single and _known(worker["child"], here, count):
            continue
        lane = info & _U(15)
        worker["gain"][here, at] = 0
        worker["move"][here, at] = count
        worker["slot"][here, at] = np.int64((lane << _U(7)) | count_at(outer if lane < _U(8) else inner, lane))
        if single:  # else merit ranks the groups
            worker["merit"][here, at] = np.int64(captured_by(info)) << 7
        count += 1
        if count == MAX_MOVES:
            break
    return count


@inline_kernel
def _may_cut(rules, foe_outer, foe_inner):
    """Whether a capture that empties ``cut`` wins at once."""
    cut_outer, cut_inner = rules["cut"][_ZERO], rules["cut"][_ONE]
    full = occupied(foe_outer & cut_outer) == cut_outer & TOPS and occupied(foe_inner & cut_inner) == cut_inner & TOPS
    return rules["cutting"] == _ONE or (rules["cutting"] == _TWO and full)


@inline_kernel
def _write_child(rules, child, here, at, turns, base, flags, cutting):
    """Write the state that a turn leads to: without a seed after an endless one, lost for the opponent after a cut."""
    info = turns[base + _INFO]
    captured = captured_by(info)
    left = (turns[base + _FOE_OUTER] & rules["cut"][_ZERO]) | (turns[base + _FOE_INNER] & rules["cut"][_ONE])
    if is_endless(info):
        child[here, at, _ZERO] = child[here, at, _ONE] = child[here, at, _TWO] = child[here, at, _THREE] = _ZERO
    elif cutting and captured != _ZERO and left == _ZERO:
        child[here, at, _ZERO] = child[here, at, _ONE] = child[here, at, _THREE] = _ZERO
        child[here, at, _TWO] = _ONE
    else:
        after = child_flags(flags, captured)
        child[here, at, _ZERO] = _with_flags(turns[base + _FOE_OUTER], after, _FIRST)
        child[here, at, _ONE] = _with_flags(turns[base + _FOE_INNER], after, _FOE_FIRST)
        child[here, at, _TWO] = _with_flags(turns[base + _OUTER], after, _FRESH)
        child[here, at, _THREE] = turns[base + _INNER]


@implements(kernels.staged, OmwesoKernels)
def _staged(game):
    return True


@implements(kernels.groups, OmwesoKernels)
def _groups(game, worker, ply):
    """A group is a start pit: those that capture with their first lap come first, then as the history says."""
    here, side = np.uint64(ply), np.uint64(ply & 1)
    outer, inner, foe_outer, foe_inner = _words(worker, ply)
    starts = startable(outer, inner)
    if (starts & (starts - _ONE)) == _ZERO or (worker["state"][here, _TWO] & _TOP) != _ZERO:
        return _ZERO
    laps = game.record["laps"]
    prize = prizes(foe_outer, foe_inner, game.record["columns"])
    if (worker["state"][here, _ZERO] & _TOP) != _ZERO and game.record["captures_first"] == _ZERO:
        prize = _ZERO
    todo = starts
    while todo != _ZERO:
        lane = count_trailing_zeros(todo)
        todo &= todo - _ONE
        _, left, hand = lift(outer, inner, lane)
        gain = lap_gain(laps, lap_row(hand, lane), left, prize)
        rank = (np.int64(gain) << 22) + 4 * np.int64(worker["history"][side, (lane << _U(7)) | hand])
        worker["merit"][here, lane] = min(rank, np.int64(1 << 30))
    return starts


@implements(kernels.generate_group, OmwesoKernels)
def _generate_group(game, worker, ply, todo):
    """The turns from one pit."""
    rules = game.record
    here = np.uint64(ply)
    best, most = _ZERO, np.int64(-1)
    left = todo
    while left != _ZERO:
        lane = count_trailing_zeros(left)
        left &= left - _ONE
        if worker["merit"][here, lane] > most:
            best, most = lane, np.int64(worker["merit"][here, lane])
    outer, inner, foe_outer, foe_inner = _words(worker, ply)
    turns = worker["scratch"][: RAW_TURNS * TURN_WORDS]
    frames = worker["scratch"][RAW_TURNS * TURN_WORDS :]
    bit = _ONE << best
    found = generate_from(
        bit, outer, inner, foe_outer, foe_inner, _flags(worker, ply), rules["options"], rules["columns"],
        rules["laps"], rules["lap_limit"], turns, frames,
    )  # fmt: skip
    return _children(rules, worker, ply, found, False), todo & ~bit


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


_KEY_ORDER, _KEY_SHIFTS = (_ZERO, _ONE, _TWO, _THREE), (_U(32), _U(29), _U(32), _U(31))
_KEY_FACTORS = (_U(0x9E3779B97F4A7C15), _U(0xC2B2AE3D27D4EB4F), _U(0xD6E8FEB86659FD93), _U(0xFF51AFD7ED558CCD))
_CHECK_ORDER, _CHECK_SHIFTS = (_TWO, _THREE, _ZERO, _ONE), (_U(31), _U(30), _U(33), _U(29))
_CHECK_FACTORS = (_U(0xA0761D6478BD642F), _U(0xE7037ED1A0B428DB), _U(0x8EBC6AF09C88C6E3), _U(0x589965CC75374CC3))


@inline_kernel
def _mixed(worker, ply, order, factors, shifts):
    """A multiplication a word, chained, then a finalizer; the flags ride on top bits."""
    here, state = np.uint64(ply), worker["state"]
    mixed = state[here, order[0]] * factors[0]
    mixed = (mixed ^ (mixed >> shifts[0]) ^ state[here, order[1]]) * factors[1]
    mixed = (mixed ^ (mixed >> shifts[1]) ^ state[here, order[2]]) * factors[2]
    mixed = (mixed ^ (mixed >> shifts[2]) ^ state[here, order[3]]) * factors[3]
    return mixed ^ (mixed >> shifts[3])


@implements(kernels.key, OmwesoKernels)
def _key(game, worker, ply):
    return _mixed(worker, ply, _KEY_ORDER, _KEY_FACTORS, _KEY_SHIFTS)


@implements(kernels.wide, OmwesoKernels)
def _wide(game):
    """64 seeds on 32 pits make 10^25 boards: no 64 bits tell them apart for sure enough."""
    return True


@implements(kernels.check, OmwesoKernels)
def _check(game, worker, ply):
    """As :func:`_key` with other constants, the opponent's words first."""
    return _mixed(worker, ply, _CHECK_ORDER, _CHECK_FACTORS, _CHECK_SHIFTS)


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


@implements(kernels.arrange, OmwesoKernels)
def _arrange(game, worker, ply, count, depth):
    """In deep nodes by what the evaluation says of each child: 20 % fewer nodes and 10 to 19 % less time at depth 10.

    With reductions the better order gains as much again. Nearer to the leaves it costs more than it gives, and the
    captures counted beside it make it worse.
    """
    if depth < _ARRANGED or count < 2:
        return
    here, there = np.uint64(ply), np.uint64(ply + 1)
    for k in range(count):
        at = np.uint64(k)
        for word in range(4):
            worker["state"][there, np.uint64(word)] = worker["child"][here, at, np.uint64(word)]
        score = kernels.evaluate(game, worker, ply + 1)
        score = min(max(score, np.int64(-ESTIMATE_LIMIT)), np.int64(ESTIMATE_LIMIT))
        worker["merit"][here, at] = 4 * (ESTIMATE_LIMIT - score)


@implements(kernels.reduction, OmwesoKernels)
def _reduction(game, worker, ply, depth, done):
    last = np.int64(_REDUCED - 1)
    return game.record["reductions"][np.uint64(min(depth, last)), np.uint64(min(done, last))]


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
    estimated = network.estimate(rules, outer, inner, foe_outer, foe_inner, may_capture)
    return min(max(estimated, np.int64(-ESTIMATE_LIMIT)), np.int64(ESTIMATE_LIMIT))


@kernel
def _root_key(game, worker):
    """Key and check of ``state[0]``."""
    return kernels.key(game, worker, np.int64(0)), kernels.check(game, worker, np.int64(0))


@kernel
def _root_children(game, worker):
    return kernels.generate(game, worker, np.int64(0))


# -- the Python side --------------------------------------------------------------------------------------------------


class OmwesoGame:
    """Omweso under one rule set: what :class:`solver.search.searcher.Searcher` searches.

    Move codes number the different children of a position, in the order of its turns. ``network`` replaces the
    evaluation's weights, which are those fitted where the board has eight columns. ``okutema``: what ends the game at
    once, as in a match; without it only who cannot move has lost.
    """

    def __init__(self, rules: OmwesoRules, network: Network | None = None, *, okutema: Okutema = Okutema.OFF) -> None:
        want_rules(rules, OmwesoRules)
        self.rules, self.okutema = rules, okutema
        self._generator = OmwesoGenerator(rules, PRACTICAL_LAPS)
        self._memory = np.zeros(1, _GAME)
        record = self._memory[0]
        record["options"], record["columns"] = self._generator.options, self._generator.columns
        record["lap_limit"], record["laps"] = self._generator.lap_limit, self._generator.laps
        record["endless_loses"] = rules.endless is Endless.MOVER_LOSES
        record["reverse"] = sum(1 << lane_of(pit, rules.columns) for pit in rules.reverse_pits)
        record["reductions"] = _reductions()
        record["captures_first"] = rules.first_turn_capture
        record["cutting"], record["cut"] = _cutting(okutema, rules.columns)
        if network is None:
            network = fitted() if rules.columns == FITTED_COLUMNS else seeds_and_haul(UNITS_A_SEED)
        record["table"], record["thresholds"], record["outputs"] = packed(network)
        self.kernels = OmwesoKernels(record)
        self._latest: tuple[OmwesoPosition, list[Turn]] | None = None

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
        for word, flag in enumerate((FIRST_TURN, FIRST_TURN_OF_FOE, FRESH)):
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
        """The turns that lead to different boards, in order; kept for the next question about the same position."""
        if self._latest is not None and self._latest[0] is position:
            return self._latest[1]
        found: dict[object, Turn] = {}
        for turn in self._generator.turns(position):
            if not turn.ends:
                after = None
            elif turn.captured and self.okutema is not Okutema.OFF and self._cuts(position, turn):
                after = "won"
            else:
                after = (turn.side, turn.opponent, position.fresh and not turn.captured)
            found.setdefault(after, turn)
        self._latest = position, list(found.values())
        return self._latest[1]

    def _cuts(self, position: OmwesoPosition, turn: Turn) -> bool:
        """Whether a capturing turn is okutema."""
        record = self._memory[0]
        cutting, cut = int(record["cutting"]), [int(word) for word in record["cut"]]
        emptied = not any(word & row for word, row in zip(cut, pack(turn.opponent), strict=True))
        lanes = zip(cut, pack(position.opponent), strict=True)
        full = all(not (word >> 8 * n & 255) or (row >> 8 * n & 255) for word, row in lanes for n in range(8))
        return emptied and (cutting == 1 or (cutting == 2 and full))


def _cutting(okutema: Okutema, columns: int) -> tuple[int, tuple[int, int]]:
    """The fields ``cutting`` and ``cut`` of the game's record."""
    ends = 0xFF | (0xFF << 8 * (columns - 1))
    if okutema is Okutema.OFF:
        return 0, (0, 0)
    if okutema is Okutema.FRONT_ROW:
        return 1, (0, (1 << 8 * columns) - 1)
    return (2 if okutema is Okutema.END_COLUMNS else 1), (ends, ends)


def plies_to_end(score: int) -> int | None:
    """Plies to the end that a score announces (won where it is positive), or None for an estimate."""
    return WON - abs(score) if abs(score) > ESTIMATE_LIMIT else None


def score_text(score: int) -> str:
    """A score for people, from the mover's view: ``won in 7``, ``lost in 4``, or seeds as in ``+3.2``."""
    plies = plies_to_end(score)
    if plies is None:
        return f"{score / UNITS_A_SEED:+.1f}"
    return f"{'won' if score > 0 else 'lost'} in {plies}"
