"""The search below one position: principal variation search, the same source for every game.

Everything a node needs is in the worker's record (:mod:`solver.search.worker`), one row a ply; the game's kernels are
those of :mod:`solver.search.game`. Iterative deepening, windows at the root and threads are left to
:mod:`solver.search.searcher`.

**Estimates and facts.** A node returns a score, which below the horizon rests on the evaluation, and leaves two bounds
in ``low[ply]`` and ``high[ply]`` that are *proven*: they follow from ends of games, from tables and from the seeds
left, and hold whatever was played before. A node's low is the best move's gain less the child's high, and so on; where
they meet the value is exact. A repetition on the path, a node cut off at the horizon or a move not searched proves
nothing but the seeds left. So nothing that depends on the path can enter a bound, and bounds may be kept in the
transposition table for good; this is how the graph history interaction is kept out of whatever is called exact. The
estimate of a node may depend on the path (a repetition found below it), as in every program of this kind.

One gap has to be closed by hand: tables know nothing of the game before the root, and the line that proves what they
say might run into a position of it, which ends the game. So while the game's own history can still come back
(``barred`` is not empty and no irreversible move was made since the root), bounds read from tables are not used as
facts, and a table does not end the search: it goes on to its depth, and finds the repetitions on the way. A table's
score is then what the horizon is worth. The same holds where a table's own bounds are open (lower < upper): its score
splits endless play evenly, which those rules do not, so the search goes on between the bounds. Proofs, which want
bounds alone, set ``tables_end``, and every table ends the search below it. A long history has keys of its own in the
transposition table (``past``), since estimates that knew less of it would hide a repetition.

**Progress.** A table says what a board is worth, not how to get it: a player who only keeps the value may wander until
the game's own history bars the way. With a ``salt`` the search looks for a line that *realises* a value: no tables and
no estimates until an irreversible move is made, all that is unresolved counts against the root's mover. What it learns
on the way is kept under keys of its own, since it holds for this root only.

With ``same_depth`` a score at depth d is the minimax value of depth d, whatever the table held, the windows or the
order of moves (below 2 * pits plies without a capture, where Oware knows no repetition). Without it, deeper entries
serve too, and a game may have late moves searched to less depth first. What is *proven* does not depend on it: a move
whose reduced search fails low keeps the bounds that this search has proven.
"""

from __future__ import annotations

import numpy as np

from solver.kernels.compile import inline_kernel, kernel
from solver.kernels.intrinsics import load_uint64, monotonic_time
from solver.search.game import (
    arrange,
    check,
    cycle_score,
    evaluate,
    extends,
    final,
    generate,
    generate_group,
    groups,
    handed,
    irreversible,
    key,
    limit,
    passed,
    probe,
    reduction,
    shortest_cycle,
    staged,
    wide,
)
from solver.search.transposition import (
    AT_LEAST,
    AT_MOST,
    BOTH,
    entry_age,
    entry_depth,
    entry_high,
    entry_kind,
    entry_low,
    entry_move,
    entry_score,
    find,
    pack_entry,
    store,
)
from solver.search.worker import INFINITY, MAX_PLY

_TABLE_MOVE = 1 << 30
_MERIT = 1 << 15  # of a unit of merit: one of 1024 and more outranks the history
_HISTORY_TOP = 1 << 22


@kernel
def negamax(game, worker, ply, alpha, beta, depth):
    """Search ``state[ply]`` to ``depth``; returns its score, fail-soft, and sets ``low[ply]`` and ``high[ply]``.

    ``worker`` is a record of dtype WORKER; the rest are int64, alpha < beta. A score <= alpha means that the value at
    this depth is at most that, one >= beta that it is at least that, one between is the value. ``line[ply]`` holds the
    principal variation where the score lies between. When the search was told to stop, ``aborted`` is set and what is
    returned means nothing.
    """
    here = np.uint64(ply)
    worker["nodes"] += 1
    worker["line_length"][here] = 0
    worker["patience"] -= 1
    if worker["patience"] <= 0 and _shall_stop(worker):
        return np.int64(0)

    # 1. What holds for the position as such: the seeds left, the repetition rule.
    most = limit(game, worker, ply)
    low, high = -most, most
    worker["low"][here], worker["high"][here] = low, high
    mark, proof = key(game, worker, ply), check(game, worker, ply)
    worker["key"][here, np.uint64(0)] = mark
    if wide(game):
        worker["key"][here, np.uint64(1)] = proof
    inside = worker["quiet"][here] >= ply  # no irreversible move since the root
    realising = worker["salt"] != np.uint64(0)
    if ply > 0:
        if _came_back(game, worker, ply, mark, proof):
            return _unresolved(ply, low, high) if realising else cycle_score(game, worker, ply)
        if low >= beta:
            return low
        if high <= alpha:
            return high
    trusted = not inside or realising or worker["barred_count"] == 0
    if inside and realising:  # what is unresolved counts against one side, so the sides need keys of their own
        mark ^= worker["salt"] + np.uint64(ply & 1)

    elif inside:
        mark ^= worker["past"]

    # 2. The endgame tables: where they may be wrong of this game, or leave open what endless play gives, search on.
    tabled, table_score = False, np.int64(0)
    if ply > 0 and not (inside and realising):
        tabled, table_low, table_score, table_high = probe(game, worker, ply)
        if tabled:
            worker["table_hits"] += 1
            if trusted:
                low, high = table_low, table_high
                worker["low"][here], worker["high"][here] = low, high
            if realising:
                return _unresolved(ply, low, high)
            if (trusted and low == high) or worker["tables_end"] != 0:
                return table_score
            if low >= beta:
                return low
            if high <= alpha:
                return high

    # 3. The horizon. (The transposition table has no entries of depth 0, and a look at it is a cache miss.)
    if (depth <= 0 and ply > 0) or ply >= MAX_PLY:
        if realising:
            return _unresolved(ply, low, high)
        worker["horizon"] = 1
        if tabled:
            return table_score
        return min(max(evaluate(game, worker, ply), low), high)

    # 4. The last ply, in games that can take its moves one by one. (A look at the transposition table before it would
    # save Omweso 3 % of its nodes and no time.)
    if staged(game) and depth == 1 and ply > 0 and beta - alpha == 1 and not realising:
        answered, score = _last_ply(game, worker, ply, beta)
        worker["horizon"] = 1
        if answered:
            return score

    # 5. The transposition table: facts of any depth, an estimate of this depth or more.
    table_move = np.int64(-1)
    if worker["entries"] != np.uint64(0):
        data = find(worker["entries"], worker["buckets"], mark, proof, wide(game))
        if data != np.uint64(0):
            table_move = entry_move(data)
            fits = entry_depth(data) == depth or (entry_depth(data) > depth and worker["same_depth"] == 0)
            if ply > 0:
                if trusted and (fits or worker["same_depth"] == 0):
                    low, high = max(low, entry_low(data)), min(high, entry_high(data))
                    worker["low"][here], worker["high"][here] = low, high
                    if low >= beta or low == high:
                        return low
                    if high <= alpha:
                        return high
                if fits and beta - alpha == 1:
                    score, kind = entry_score(data), entry_kind(data)
                    if (score >= beta and (kind & AT_LEAST) != 0) or (score <= alpha and (kind & AT_MOST) != 0):
                        if entry_depth(data) > depth or entry_age(data) != worker["age"]:
                            worker["horizon"] = 1  # it may rest on one that this depth has not met
                        return score

    # 6. The moves; without any the game is over.
    count = generate(game, worker, ply)
    if count == 0:
        score = final(game, worker, ply)
        worker["low"][here], worker["high"][here] = score, score
        return score
    arrange(game, worker, ply, count, depth)
    _rank(worker, ply, count, table_move)
    below = depth - 1 + np.int64(extends(game, worker, ply, count))

    # 7. Each in turn: the first with the whole window, the others only asked whether they are better, late ones at
    # first with less depth.
    best, best_move, best_index = np.int64(-INFINITY), np.int64(-1), np.int64(0)
    proven_low, proven_high, proven_move = np.int64(-INFINITY), np.int64(-INFINITY), np.int64(-1)
    reached = alpha
    cut = False
    for done in range(count):
        index = _pick(worker, ply, done, count)
        at = np.uint64(index)
        move = np.int64(worker["move"][here, at])
        if ply == 0 and (worker["excluded"] >> np.uint64(move & 63)) & np.uint64(1) != np.uint64(0):
            continue
        gain = np.int64(worker["gain"][here, at])
        _make(game, worker, ply, at, gain)
        floor, ceiling = handed(game, gain, beta), handed(game, gain, reached)
        if best_move < 0:
            score = passed(game, gain, negamax(game, worker, ply + 1, floor, ceiling, below))
        else:
            above = handed(game, gain, reached + 1)
            less = reduction(game, worker, ply, depth, done) if worker["same_depth"] == 0 else np.int64(0)
            score = passed(game, gain, negamax(game, worker, ply + 1, above, ceiling, below - less))
            if less > 0 and score > reached and worker["aborted"] == 0:
                score = passed(game, gain, negamax(game, worker, ply + 1, above, ceiling, below))
            if reached < score < beta and worker["aborted"] == 0:
                score = passed(game, gain, negamax(game, worker, ply + 1, floor, ceiling, below))
        if worker["aborted"] != 0:
            return np.int64(0)
        move_low = passed(game, gain, worker["high"][np.uint64(ply + 1)])
        move_high = passed(game, gain, worker["low"][np.uint64(ply + 1)])
        proven_high = max(proven_high, move_high)
        if ply == 0:
            worker["move_low"][np.uint64(move & 63)], worker["move_high"][np.uint64(move & 63)] = move_low, move_high
        if move_low > proven_low:
            proven_low, proven_move = move_low, move
        if score > best:
            best, best_move, best_index = score, move, index
            if score > reached:
                reached = score
                _extend_line(worker, ply, move)
                if score >= beta:
                    cut = True
                    break
        if proven_low >= high:  # nothing can be better
            cut = True
            break

    # 8. What was found: the estimate, the facts, and the move that was best.
    low = max(low, proven_low)
    if not cut:
        high = max(low, min(high, proven_high))
    worker["low"][here], worker["high"][here] = low, high
    best = min(max(best, low), high)
    if low == high and ply == 0 and proven_move >= 0 and proven_move != best_move and proven_low == low:
        best_move = proven_move
        worker["line"][here, 0], worker["line_length"][here] = proven_move, 1
    if best >= beta:
        kind = np.int64(AT_LEAST)
        _reward(worker, ply, best_index, depth)
    elif best <= alpha:
        kind = np.int64(AT_MOST)
    else:
        kind = np.int64(BOTH)
    if worker["entries"] != np.uint64(0) and (ply > 0 or worker["excluded"] == np.uint64(0)):
        data = pack_entry(best, low, high, depth, best_move, kind, worker["age"])
        store(worker["entries"], worker["buckets"], mark, proof, wide(game), data)
    return best


@inline_kernel
def _last_ply(game, worker, ply, beta):
    """A node of depth 1 with a null window, its moves evaluated as they are generated: (answered, the score).

    Three of four such nodes of Omweso are cut off, after 1.4 moves on the mean, so generating all would be wasted. Not
    answered is a node without moves, or with one that :func:`extends` may want searched deeper.
    """
    here = np.uint64(ply)
    todo = groups(game, worker, ply)
    if todo == np.uint64(0):
        return False, np.int64(0)
    best = np.int64(-INFINITY)
    first, different = np.uint64(0), False
    while todo != np.uint64(0):
        count, todo = generate_group(game, worker, ply, todo)
        for k in range(count):
            at = np.uint64(k)
            gain = np.int64(worker["gain"][here, at])
            _make(game, worker, ply, at, gain)
            worker["nodes"] += 1
            worker["patience"] -= 1
            mark, proof = key(game, worker, ply + 1), check(game, worker, ply + 1)
            if first == np.uint64(0):
                first = mark
            different |= mark != first
            if _came_back(game, worker, ply + 1, mark, proof):
                score = cycle_score(game, worker, ply + 1)
            else:
                most = limit(game, worker, ply + 1)
                score = min(max(evaluate(game, worker, ply + 1), -most), most)
            score = passed(game, gain, score)
            if score > best:
                best = score
                if best >= beta:
                    _remember(worker, ply, worker["slot"][here, at], 1)
                    return True, best
    return different, best


@inline_kernel
def _unresolved(ply, low, high):
    """What counts for nothing in a search for progress: the worst for the side to move at the root."""
    return low if (ply & 1) == 0 else high


@inline_kernel
def _shall_stop(worker):
    worker["patience"] = worker["interval"]
    if (
        worker["nodes"] >= worker["budget"]
        or load_uint64(worker["stop"]) != np.uint64(0)
        or (worker["deadline"] != 0 and monotonic_time() >= worker["deadline"])
    ):
        worker["aborted"] = 1
        return True
    return worker["aborted"] != 0


@inline_kernel
def _came_back(game, worker, ply, mark, proof):
    """Whether the position at ``ply`` stood before, on the path or in the game, with no irreversible move between."""
    quiet = worker["quiet"][np.uint64(ply)]
    back = ply - shortest_cycle(game)
    while back >= ply - quiet and back >= 0:
        if _same(game, worker["key"], back, mark, proof):
            return True
        back -= 2
    if quiet >= ply:
        for k in range(worker["barred_count"]):
            if _same(game, worker["barred"], k, mark, proof) and worker["barred_side"][np.uint64(k)] == (ply & 1):
                return True
    return False


@inline_kernel
def _same(game, keys, row, mark, proof):
    """Whether a row of ``keys`` is that of the position with this key and check."""
    at = np.uint64(row)
    return keys[at, np.uint64(0)] == mark and (not wide(game) or keys[at, np.uint64(1)] == proof)


@inline_kernel
def _rank(worker, ply, count, table_move):
    """Set ``merit`` to the order in which the moves are tried: the table's move, merits and history, then killers.

    Killers only break ties. Ranked above the history, as in chess, they cost Oware 57 % more nodes (22.7 against 14.5
    million over seven positions), halfway still 17 %: the same house, with other seeds in it, is another move. Omweso
    too needs 19 % more with them in front.
    """
    here, side = np.uint64(ply), np.uint64(ply & 1)
    for k in range(count):
        at = np.uint64(k)
        move = np.int64(worker["move"][here, at])
        if move == table_move:
            worker["merit"][here, at] = _TABLE_MOVE
            continue
        merit = np.int64(worker["merit"][here, at]) * _MERIT
        merit += 4 * np.int64(worker["history"][side, np.uint64(worker["slot"][here, at])])
        if move == worker["killer"][here, np.uint64(0)] - 1:
            merit += 2
        elif move == worker["killer"][here, np.uint64(1)] - 1:
            merit += 1
        worker["merit"][here, at] = min(merit, np.int64(_TABLE_MOVE - 1))


@inline_kernel
def _pick(worker, ply, done, count):
    """Bring the best move not tried yet to place ``done`` of the order and return its index."""
    here = np.uint64(ply)
    best, best_merit = np.int64(-1), np.int64(-1)
    for k in range(count):
        merit = np.int64(worker["merit"][here, np.uint64(k)])
        if merit > best_merit:
            best, best_merit = np.int64(k), merit
    worker["merit"][here, np.uint64(best)] = -1
    return best


@inline_kernel
def _make(game, worker, ply, at, gain):
    """Put the child that move ``at`` leads to at the next ply."""
    here, there = np.uint64(ply), np.uint64(ply + 1)
    for word in range(worker["state"].shape[1]):
        worker["state"][there, np.uint64(word)] = worker["child"][here, at, np.uint64(word)]
    worker["quiet"][there] = 0 if irreversible(game, gain) else worker["quiet"][here] + 1


@inline_kernel
def _extend_line(worker, ply, move):
    """The principal variation from here: this move, then the child's."""
    here, there = np.uint64(ply), np.uint64(ply + 1)
    length = worker["line_length"][there]
    worker["line"][here, np.uint64(0)] = move
    for k in range(length):
        worker["line"][here, np.uint64(k + 1)] = worker["line"][there, np.uint64(k)]
    worker["line_length"][here] = length + 1


@inline_kernel
def _reward(worker, ply, index, depth):
    """Remember a move that caused a cutoff: as a killer of its ply, and in the history of its slot."""
    here = np.uint64(ply)
    move = np.int16(worker["move"][here, np.uint64(index)]) + 1
    if worker["killer"][here, np.uint64(0)] != move:
        worker["killer"][here, np.uint64(1)] = worker["killer"][here, np.uint64(0)]
        worker["killer"][here, np.uint64(0)] = move
    _remember(worker, ply, worker["slot"][here, np.uint64(index)], depth)


@inline_kernel
def _remember(worker, ply, slot_number, depth):
    """Raise the history of a slot for a cutoff at ``depth``."""
    side, slot = np.uint64(ply & 1), np.uint64(slot_number)
    old = np.int64(worker["history"][side, slot])
    bonus = min(depth * depth, np.int64(400)) * 32
    worker["history"][side, slot] = old + bonus - (old * bonus) // _HISTORY_TOP  # never above _HISTORY_TOP
