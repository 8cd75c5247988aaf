"""Fortresses: proving that a side can hold a margin, for ever if need be.

Alpha-beta proves what ends: a path that comes back proves nothing there (:mod:`solver.search.negamax`). But a value may
*rest* on endless play: a side holds it because it can go round and round in boards that the other cannot break. Here
the boards are nodes of a graph, not ends of paths, and the proof is a set of boards that the holder need never leave.

**The question** of a node is (board, who is to move, margin s): can the *holder* keep a margin of at least s on this
board, when endless play is fine for them? The other side is the *attacker*. (:class:`Question` is the question without
its board.) A node is BROKEN when the attacker can get the holder below s in finitely many moves: all moves of the
holder, or one of the attacker, lead to broken nodes. It is HELD when the holder has a *fortress*: a set of open nodes
with one move of the holder's for each of theirs, and every move of the attacker for the others, that all stay in the
set or lead to held nodes. Play inside it either leaves it to where s is held or never ends. Being broken is a least
fixed point and being held the greatest, so every node is one of the two, and neither depends on a path: no repetition
is looked for and there is no graph history to interact with.

**Who holds.** Under ``even``, where endless play is worth 0 on the board, the side that may be content with 0 holds:
"the mover gets t" for t <= 0 is a question with the mover as holder and s = t; for t > 0 its contrary is one with the
opponent as holder and s = 1 - t. A capture moves s; where an attacker's capture would make it positive the child asks
the contrary question with the roles exchanged (a *debt* of the node, asked last). Captures cannot be undone, so
questions never go in a circle. Under an own-row rule ``lower`` and ``upper`` are asked for, in which endless play is
always worst for whoever forces: against "the mover can force t" the opponent holds, against "the opponent can hold the
mover below t" the mover does, and roles are never exchanged.

**How it is found.** Only one move of each holder's node is in the graph at a time, the best of an alpha-beta search;
when it breaks, the next is tried. Nodes that the present moves reach are expanded, breaks are carried back to the
parents at once, and now and then the reachable part is walked anew, so that work goes on only where it is needed. A
walk that meets nothing left to expand has found a fortress. The search before each choice pays: the 24-seed start of
awari, with tables of up to 22 seeds, is held in 380 nodes when 16 plies are looked ahead, and not in 32,000 with 10.

What is broken, and under ``even`` what is held, are facts about boards, and go into the transposition table too. Values
are from the view of the side that is named, in seeds on the board, without the stores. Which questions to ask is left
to :mod:`solver.oware.proof`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.kernels.compile import inline_kernel, kernel
from solver.search.game import check, final, generate, key, limit, probe, wide
from solver.search.negamax import negamax
from solver.search.transposition import entry_high, entry_low, find, tighten
from solver.search.worker import INFINITY, STATE_WORDS

OPEN, HELD, BROKEN = 0, 1, 2
"""What is known of a node."""
RESOLVED, OWES, PAUSED, FULL = 0, 1, 2, 3
"""Why :func:`besiege` returned."""

_STATUS = np.uint8(3)
_EXPANDED = np.uint8(4)
_HOLDER_MOVES = np.uint8(8)
_NONE = np.int32(-1)
_NO_ROOM, _FELL = -1, -2  # what a walk returns instead of a number
_MOST_MOVES = 64
_REWALK = 4  # the reachable part is walked anew when the graph has grown by a quarter
_PROMISED, _KNOWN = np.int64(1 << 40), np.int64(1 << 30)  # merits of the best move of a search, of one into the graph

NODES, EDGES, EPOCH, DEBT, EVEN, COUNTERS = 0, 1, 2, 3, 4, 5


class Question(NamedTuple):
    """Can the holder keep at least ``margin`` on a board, when endless play is fine for them?

    The margin is the holder's, in seeds on the board. Kernels take a question as it is.
    """

    holder_moves: bool
    margin: int

    def contrary(self) -> Question:
        """The question with the roles exchanged: held just when this holder cannot *force* ``margin``."""
        return Question(not self.holder_moves, 1 - self.margin)

    @classmethod
    def of_mover(cls, margin: int, even: bool) -> Question:
        """What settles whether the mover can force ``margin``: held says yes if the holder moves, else no.

        Under ``even`` endless play is worth 0, so to force no more than that is to hold it.
        """
        meant = cls(True, margin)
        return meant if even and margin <= 0 else meant.contrary()


class Graph(NamedTuple):
    """The nodes so far, in the order found; row n of every array is node n. Grown by :func:`grown`."""

    states: NDArray[np.uint64]  # [nodes, STATE_WORDS]
    margins: NDArray[np.int16]  # what the holder is to keep, in seeds on the board
    flags: NDArray[np.uint8]  # status, _EXPANDED, _HOLDER_MOVES
    chosen: NDArray[np.int32]  # the child that the holder's move leads to
    parents: NDArray[np.int32]  # first of the list of edges to the parents
    seen: NDArray[np.uint32]  # the walk (epoch) that last met it
    trail: NDArray[np.int32]  # nodes met by the last walk
    leaves: NDArray[np.int32]  # nodes to be expanded
    fallen: NDArray[np.int32]  # broken nodes whose parents have not heard of it
    edge_parent: NDArray[np.int32]  # [edges]; -2 - node where the parent asked the contrary question
    edge_next: NDArray[np.int32]
    slots: NDArray[np.int32]  # open addressing, a power of two
    counters: NDArray[np.int64]


def new_graph(capacity: int, even: bool) -> Graph:
    """An empty graph with room for ``capacity`` nodes."""
    slots = 1 << max(10, int(2 * capacity - 1).bit_length())
    counters = np.zeros(COUNTERS, np.int64)
    counters[EVEN] = even
    return Graph(
        np.zeros((capacity, STATE_WORDS), np.uint64),
        np.zeros(capacity, np.int16),
        np.zeros(capacity, np.uint8),
        np.zeros(capacity, np.int32),
        np.zeros(capacity, np.int32),
        np.zeros(capacity, np.uint32),
        np.zeros(capacity, np.int32),
        np.zeros(capacity, np.int32),
        np.zeros(capacity, np.int32),
        np.zeros(4 * capacity, np.int32),
        np.zeros(4 * capacity, np.int32),
        np.full(slots, _NONE, np.int32),
        counters,
    )


def grown(graph: Graph) -> Graph:
    """The same graph with room for twice the nodes and edges."""
    capacity = 2 * len(graph.margins)
    wider = new_graph(capacity, bool(graph.counters[EVEN]))
    for old, new in zip(graph, wider, strict=True):
        if new is not wider.slots:
            new[: len(old)] = old
    _fill_slots(wider)
    return wider


def node_bytes() -> int:
    """Memory of one node of a graph with its share of edges and slots, in bytes."""
    return sum(array.nbytes for array in new_graph(1 << 10, True)) >> 10


def status_of(graph: Graph, node: int) -> int:
    """OPEN, HELD or BROKEN."""
    return int(graph.flags[node] & _STATUS)


# -- boards and what is known of them without a graph -----------------------------------------------------------------

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_contrary = inline_kernel(Question.contrary)


@inline_kernel
def _after(graph, question, gain):
    """What a child is asked after a move of ``gain``, and whether it is the contrary of what the parent wants to know.

    After a move of the holder's it never is.
    """
    margin = question.margin - gain if question.holder_moves else question.margin + gain
    asked = Question(not question.holder_moves, margin)
    if graph.counters[EVEN] != 0 and margin > 0:  # endless play would not do: can the other side hold against it?
        return _contrary(asked), True
    return asked, False


@kernel
def _moves(game, worker):
    """The moves of ``state[0]``, see :func:`solver.search.game.generate`."""
    return generate(game, worker, np.int64(0))


@inline_kernel
def _take(worker, child):
    """Put a child of ``state[0]`` into ``state[1]``, where it is judged."""
    for word in range(STATE_WORDS):
        worker["state"][_ONE, np.uint64(word)] = worker["child"][_ZERO, np.uint64(child), np.uint64(word)]


@kernel
def _judge(game, worker, question):
    """The status of a question about ``state[1]`` as far as facts about the board tell.

    Facts are the seeds left, the tables and the proven bounds in the transposition table.
    """
    here = np.int64(1)
    high = limit(game, worker, here)
    low = -high
    found, table_low, _score, table_high = probe(game, worker, here)
    if found:  # where the bounds of a table differ, the upper is for a mover who holds, the lower for one who forces
        low = high = table_high if question.holder_moves else table_low
    elif worker["entries"] != _ZERO:
        mark, proof = key(game, worker, here), check(game, worker, here)
        data = find(worker["entries"], worker["buckets"], mark, proof, wide(game))
        if data != _ZERO:
            low, high = max(low, entry_low(data)), min(high, entry_high(data))
    return _compare(low, high, question)


@inline_kernel
def _compare(low, high, question):
    """The status of a question about a board whose mover is proven to get from ``low`` to ``high``."""
    if not question.holder_moves:
        low, high = -high, -low
    if low >= question.margin:
        return np.int64(HELD)
    return np.int64(BROKEN) if high < question.margin else np.int64(OPEN)


# -- nodes ------------------------------------------------------------------------------------------------------------


@inline_kernel
def _question(graph, node):
    """The question of a node, without its board."""
    row = np.uint64(node)
    return Question((graph.flags[row] & _HOLDER_MOVES) != 0, np.int64(graph.margins[row]))  # pyright: ignore[reportArgumentType]


@inline_kernel
def _slot_of(graph, state, question):
    """The slot where a question is, or would be put."""
    mixed = np.uint64(question.margin) * np.uint64(2) + np.uint64(question.holder_moves)
    for word in range(STATE_WORDS):
        mixed = (mixed ^ state[np.uint64(word)]) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    mask = np.uint64(graph.slots.shape[0] - 1)
    at = mixed & mask
    while True:
        node = graph.slots[at]
        if node < 0:
            return at
        row = np.uint64(node)
        there = _question(graph, node)
        same = there.margin == question.margin and there.holder_moves == question.holder_moves
        for word in range(STATE_WORDS):
            same &= graph.states[row, np.uint64(word)] == state[np.uint64(word)]
        if same:
            return at
        at = (at + _ONE) & mask


@kernel
def _fill_slots(graph):
    """Enter every node of a graph into its empty slots."""
    for node in range(graph.counters[NODES]):
        graph.slots[_slot_of(graph, graph.states[np.uint64(node)], _question(graph, node))] = node


@kernel
def _node_of(graph, state, question):
    """The node of a question about a state (uint64[STATE_WORDS]), put in if it is new; there must be room."""
    at = _slot_of(graph, state, question)
    node = np.int64(graph.slots[at])
    if node < 0:
        node = graph.counters[NODES]
        row = np.uint64(node)
        graph.slots[at] = node
        for word in range(STATE_WORDS):
            graph.states[row, np.uint64(word)] = state[np.uint64(word)]
        graph.margins[row] = question.margin
        graph.flags[row] = _HOLDER_MOVES if question.holder_moves else np.uint8(OPEN)
        graph.parents[row] = _NONE
        graph.counters[NODES] = node + 1
    return node


@inline_kernel
def _status(graph, node):
    return np.int64(graph.flags[np.uint64(node)] & _STATUS)


@inline_kernel
def _load(graph, node, worker, ply):
    for word in range(STATE_WORDS):
        worker["state"][np.uint64(ply), np.uint64(word)] = graph.states[np.uint64(node), np.uint64(word)]


@inline_kernel
def _link(graph, child, parent, contrary):
    """Let the child tell the parent when it is broken, or, of a contrary question, when it is held."""
    edge = graph.counters[EDGES]
    graph.edge_parent[np.uint64(edge)] = -2 - parent if contrary else parent
    graph.edge_next[np.uint64(edge)] = graph.parents[np.uint64(child)]
    graph.parents[np.uint64(child)] = edge
    graph.counters[EDGES] = edge + 1


@kernel
def _settle(game, worker, graph, node, status):
    """Write down what a node is, and what that says about its board as such."""
    row = np.uint64(node)
    graph.flags[row] |= np.uint8(status)
    if worker["entries"] == _ZERO or (status == HELD and graph.counters[EVEN] == 0):
        return
    _load(graph, node, worker, 1)
    question = _question(graph, node)
    most = limit(game, worker, np.int64(1))
    low, high = -most, most
    if status == HELD:
        low = question.margin
    else:
        high = question.margin - 1
    if not question.holder_moves:
        low, high = -high, -low
    mark, proof = key(game, worker, np.int64(1)), check(game, worker, np.int64(1))
    tighten(worker["entries"], worker["buckets"], mark, proof, wide(game), low, high, worker["age"])


@inline_kernel
def _ask_child(game, worker, graph, child, question):
    """What a child of ``state[0]``, of which ``question`` is asked, is asked itself: (status, node, whether contrary).

    The node is put in only if no fact settles the question (-1).
    """
    gain = np.int64(worker["gain"][_ZERO, np.uint64(child)])
    asked, contrary = _after(graph, question, gain)
    _take(worker, child)
    status, node = _judge(game, worker, asked), np.int64(-1)
    if status == OPEN:
        node = _node_of(graph, worker["state"][_ONE], asked)
        status = _status(graph, node)
    return status, node, contrary


# -- asking, for who owns the graph -----------------------------------------------------------------------------------


@kernel
def ask(game, worker, graph, question):
    """The node of a :class:`Question` about the position, ``state[0]``, put in if it is new; there must be room."""
    return _node_of(graph, worker["state"][_ZERO], question)


@kernel
def ask_after(game, worker, graph, code, question):
    """As :func:`_ask_child` of the child that move ``code`` leads to. There must be room; the move must be legal."""
    for child in range(_moves(game, worker)):
        if np.int64(worker["move"][_ZERO, np.uint64(child)]) == code:
            return _ask_child(game, worker, graph, child, question)
    return np.int64(OPEN), np.int64(-1), False


# -- the search -------------------------------------------------------------------------------------------------------


@kernel
def besiege(game, worker, graph, target, budget, depth):
    """Work on a node until it is settled (RESOLVED), ``budget`` nodes are expanded or the search is told to stop
    (PAUSED), a debt has to be settled first (OWES; it is in ``counters[DEBT]``) or there is no room (FULL).

    ``depth`` is that of the searches that choose the holder's moves.
    """
    while _status(graph, target) == OPEN:
        if budget <= 0 or worker["aborted"] != 0:
            return PAUSED
        leaves = _walk(game, worker, graph, target, depth)
        if leaves == _NO_ROOM:
            return FULL
        if leaves > 0:
            work = min(budget, max(np.int64(256), graph.counters[NODES] // _REWALK))
            expanded = _expand_leaves(game, worker, graph, target, leaves, work, depth)
            if expanded == _NO_ROOM:
                return FULL
            budget -= expanded
        elif leaves == 0 and graph.counters[DEBT] >= 0:
            return OWES
        elif leaves == 0:
            _hold_all(game, worker, graph, depth)
    return RESOLVED


@inline_kernel
def _full(graph):
    nodes, edges = graph.counters[NODES], graph.counters[EDGES]
    return nodes + _MOST_MOVES > graph.margins.shape[0] or edges + _MOST_MOVES > graph.edge_next.shape[0]


@kernel
def _walk(game, worker, graph, target, depth):
    """Meet every open node that the present moves reach: trail and leaves. Returns the number of leaves.

    ``counters[DEBT]`` is a debt among them, -1 if there is none. The trail is the nodes met, then -1. Returns _NO_ROOM
    when the graph is full, _FELL when a node turned out to be broken, so that the walk has to begin again.
    """
    graph.counters[EPOCH] += 1
    graph.counters[DEBT] = -1
    epoch = np.uint32(graph.counters[EPOCH])
    graph.trail[_ZERO] = target
    graph.seen[np.uint64(target)] = epoch
    met, done, leaves = np.int64(1), np.int64(0), np.int64(0)
    while done < met:
        node = np.int64(graph.trail[np.uint64(done)])
        row = np.uint64(node)
        done += 1
        if (graph.flags[row] & _EXPANDED) == 0:
            graph.leaves[np.uint64(leaves)] = node
            leaves += 1
        elif (graph.flags[row] & _HOLDER_MOVES) != 0:
            met = _meet(graph, np.int64(graph.chosen[row]), epoch, met)
        else:
            if _full(graph):
                return np.int64(_NO_ROOM)
            met = _meet_all(game, worker, graph, node, epoch, met)
            if met < 0:
                _fall(game, worker, graph, node, depth)
                return np.int64(_FELL)
    if met < graph.trail.shape[0]:
        graph.trail[np.uint64(met)] = _NONE
    return leaves


@inline_kernel
def _meet(graph, node, epoch, met):
    """Put an open node on the trail unless it is there."""
    row = np.uint64(node)
    if _status(graph, node) == OPEN and graph.seen[row] != epoch:
        graph.seen[row] = epoch
        graph.trail[np.uint64(met)] = node
        met += 1
    return met


@kernel
def _meet_all(game, worker, graph, node, epoch, met):
    """Put the open children of an attacker's node on the trail, and note a debt; -1 when a child breaks it after all.

    Facts come and go with the transposition table: they may settle a child that was open when its parent was expanded,
    and one that they settled then may have to be asked now.
    """
    _load(graph, node, worker, 0)
    question = _question(graph, node)
    for child in range(_moves(game, worker)):
        said, asked, contrary = _ask_child(game, worker, graph, child, question)
        if said == OPEN and contrary:
            graph.counters[DEBT] = asked
        elif said == OPEN:
            met = _meet(graph, asked, epoch, met)
        if said == (HELD if contrary else BROKEN):
            return np.int64(-1)
    return met


@inline_kernel
def _hold_all(game, worker, graph, depth):
    """The nodes of the trail are a fortress."""
    fallen = np.int64(0)
    for at in range(graph.trail.shape[0]):
        node = np.int64(graph.trail[np.uint64(at)])
        if node < 0:
            break
        _settle(game, worker, graph, node, HELD)
        fallen = _tell_contrary(game, worker, graph, node, fallen)
    _spread(game, worker, graph, fallen, depth)


@inline_kernel
def _tell_contrary(game, worker, graph, node, fallen):
    """A held node breaks the parents that asked the contrary; they join the fallen."""
    edge = np.int64(graph.parents[np.uint64(node)])
    while edge >= 0:
        parent = -2 - np.int64(graph.edge_parent[np.uint64(edge)])
        if parent >= 0 and _status(graph, parent) == OPEN:
            _settle(game, worker, graph, parent, BROKEN)
            graph.fallen[np.uint64(fallen)] = parent
            fallen += 1
        edge = np.int64(graph.edge_next[np.uint64(edge)])
    return fallen


@inline_kernel
def _fall(game, worker, graph, node, depth):
    """A node is broken: write it down, tell the parents."""
    _settle(game, worker, graph, node, BROKEN)
    graph.fallen[_ZERO] = node
    _spread(game, worker, graph, np.int64(1), depth)


@kernel
def _spread(game, worker, graph, fallen, depth):
    """Carry breaks back: an attacker's node falls with one child, a holder's when no move is left."""
    while fallen > 0:
        fallen -= 1
        node = np.int64(graph.fallen[np.uint64(fallen)])
        edge = np.int64(graph.parents[np.uint64(node)])
        while edge >= 0:
            parent = np.int64(graph.edge_parent[np.uint64(edge)])
            edge = np.int64(graph.edge_next[np.uint64(edge)])
            if parent < 0 or _status(graph, parent) != OPEN:
                continue
            row = np.uint64(parent)
            if (graph.flags[row] & _HOLDER_MOVES) != 0:
                if np.int64(graph.chosen[row]) != node:
                    continue
                status = _choose(game, worker, graph, parent, depth)
                if status == HELD:
                    _settle(game, worker, graph, parent, HELD)
                    fallen = _tell_contrary(game, worker, graph, parent, fallen)
                if status != BROKEN:
                    continue
            _settle(game, worker, graph, parent, BROKEN)
            graph.fallen[np.uint64(fallen)] = parent
            fallen += 1


@kernel
def _expand_leaves(game, worker, graph, target, leaves, work, depth):
    """Expand up to ``work`` leaves and what they lead to, the first found first; returns how many, _NO_ROOM if full.

    Breadth first finds the short refutations: the last found first took up to three hundred times the nodes.
    """
    epoch = np.uint32(graph.counters[EPOCH])
    expanded = np.int64(0)
    head = np.int64(0)
    while head < leaves and expanded < work and _status(graph, target) == OPEN and worker["aborted"] == 0:
        node = np.int64(graph.leaves[np.uint64(head)])
        head += 1
        row = np.uint64(node)
        if _status(graph, node) != OPEN or (graph.flags[row] & _EXPANDED) != 0:
            continue
        if _full(graph):
            return np.int64(_NO_ROOM)
        expanded += 1
        worker["nodes"] += 1
        graph.flags[row] |= _EXPANDED
        first = graph.counters[NODES]
        status = _expand(game, worker, graph, node, depth)
        if status == BROKEN:
            _fall(game, worker, graph, node, depth)
        elif status == HELD:
            _settle(game, worker, graph, node, HELD)
            _spread(game, worker, graph, _tell_contrary(game, worker, graph, node, np.int64(0)), depth)
        for new in range(first, graph.counters[NODES]):
            graph.seen[np.uint64(new)] = epoch
            graph.leaves[np.uint64(leaves)] = new
            leaves += 1
    return expanded


@kernel
def _expand(game, worker, graph, node, depth):
    """Put into the graph what a node leads to, if no fact settles it before; returns its status."""
    question = _question(graph, node)
    _load(graph, node, worker, 1)
    status = _judge(game, worker, question)
    if status != OPEN:
        return status
    _load(graph, node, worker, 0)
    if _moves(game, worker) == 0:
        score = final(game, worker, np.int64(0))
        return _compare(score, score, question)
    return _choose(game, worker, graph, node, depth) if question.holder_moves else _face_all(game, worker, graph, node)


@kernel
def _face_all(game, worker, graph, node):
    """The status of an attacker's node by its children, who are linked to it."""
    _load(graph, node, worker, 0)
    question = _question(graph, node)
    status = np.int64(HELD)
    for child in range(_moves(game, worker)):
        said, asked, contrary = _ask_child(game, worker, graph, child, question)
        if said == OPEN:
            status = np.int64(OPEN)
            _link(graph, asked, node, contrary)
        if said == (HELD if contrary else BROKEN):
            return np.int64(BROKEN)
    return status


@kernel
def _choose(game, worker, graph, node, depth):
    """Choose a holder's move that is not broken; the node's status by that.

    The move is the best of a search of ``depth`` plies, which may find the status too; where that promises less than
    the margin, a move into the graph, if there is one.
    """
    question = _question(graph, node)
    _load(graph, node, worker, 1)
    worker["quiet"][_ONE] = 0  # no board of a path is behind this one
    negamax(game, worker, np.int64(1), question.margin - 1, np.int64(INFINITY), depth)
    if worker["aborted"] != 0:  # what it found means nothing
        graph.flags[np.uint64(node)] &= ~_EXPANDED
        return np.int64(OPEN)
    status = _compare(worker["low"][_ONE], worker["high"][_ONE], question)
    if status != OPEN:
        return status
    promised = np.int64(worker["line"][_ONE, _ZERO]) if worker["line_length"][_ONE] > 0 else np.int64(-1)
    _load(graph, node, worker, 0)
    status, best = _best_child(game, worker, graph, question, promised)
    if status != OPEN:
        return status
    if _full(graph):  # in the middle of carrying breaks back: to be expanded again when there is room
        graph.flags[np.uint64(node)] &= ~_EXPANDED
        return np.int64(OPEN)
    _take(worker, best)
    asked, _ = _after(graph, question, np.int64(worker["gain"][_ZERO, np.uint64(best)]))
    chosen = _node_of(graph, worker["state"][_ONE], asked)
    graph.chosen[np.uint64(node)] = chosen
    _link(graph, chosen, node, False)
    return np.int64(OPEN)


@inline_kernel
def _best_child(game, worker, graph, question, promised):
    """Of the holder's moves in ``state[0]``: HELD if one holds, BROKEN if all break, else OPEN, and the best child.

    That is move ``promised`` of a search, or else one into the graph, or else the one that looks most promising.
    """
    best, best_merit = np.int64(-1), np.int64(-1)
    for child in range(_moves(game, worker)):
        at = np.uint64(child)
        asked, _ = _after(graph, question, np.int64(worker["gain"][_ZERO, at]))
        _take(worker, child)
        said = _judge(game, worker, asked)
        merit = np.int64(worker["merit"][_ZERO, at])
        if said == OPEN:
            known = np.int64(graph.slots[_slot_of(graph, worker["state"][_ONE], asked)])
            if known >= 0:
                said = _status(graph, known)
                merit += _KNOWN
        if said == HELD:
            return np.int64(HELD), best
        if np.int64(worker["move"][_ZERO, at]) == promised:
            merit += _PROMISED
        if said == OPEN and merit > best_merit:
            best, best_merit = np.int64(child), merit
    return np.int64(BROKEN) if best < 0 else np.int64(OPEN), best
