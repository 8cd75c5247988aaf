"""Proving what a position is worth, turn and turn about in two ways until the proven bounds meet.

*Null windows*, deeper and deeper: each depth closes in on its value (A. Plaat's MTD(f), from the estimate of the depth
before); what each window leaves proven is kept, and the transposition table keeps it for every position below. This
finds what play that ends can force. *Fortresses* (:mod:`solver.search.fortress`): what can be held by going round for
ever, one question "at least t?" at a time from the estimate on. Each way gets as many nodes as all work before it, so
the whole costs a few times what the better one alone would have.

Under ``even`` a position has one value and the bounds always meet, given time and memory. Under an own-row rule the
value depends on what was played; what is proven are the margin that the mover can force and the one that the opponent
can hold them to (``lower`` and ``upper`` of the tables), and each is known to be the last word when the fortress that
stands against more is found.
"""

from __future__ import annotations

import json
import math
import stat
import sys
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solver.errors import AbapaError, cut
from solver.files import replaced_file
from solver.oware.position import Position
from solver.oware.rules import MAX_PITS, Cycle
from solver.search import fortress
from solver.search.fortress import Graph, Question, grown, new_graph, node_bytes
from solver.search.limits import LONGEST_SECONDS, MAX_DEPTH, MAX_NODES, Limits
from solver.search.searcher import Searcher, Session

FORMAT = "abapa proof 2"
GRAPH_MIB = 1024
"""The most memory for the graph of fortresses, by default."""
_FIRST_TURN = 2_000_000  # nodes of null windows before the first fortress is looked for
_SLICE = 100  # nodes to expand between two looks at the clock; more in a large graph, which each call walks
_SMALL_GRAPH = 1 << 12
_LOOK_AHEAD, _FURTHER = 18, 4  # plies by which the holder's moves are chosen; and how much more when the graph is full
_FURTHEST = 30
_MOST_HEAD, _HEADER = 1 << 16, 1 << 10  # bytes of a saved proof's head, and of the header of an array


@dataclass(frozen=True)
class Proof:
    """What is proven so far about a position: final margins of the mover in seeds, stores included.

    The mover can force ``low``, and no more than ``low_most``; the opponent can hold them to ``high``, and to no less
    than ``high_least``. Under ``even`` rules the two are one: ``low_most`` is ``high`` and ``high_least`` is ``low``.
    ``estimate`` is the score of the last depth finished, ``depth`` the depth that is searched next, ``nodes`` and
    ``seconds`` the work of all sittings. ``move`` is the code of the move that looks best, and once the proof is final
    of one proven to give ``low``; -1 for none. ``stuck`` says that the graph of fortresses had no room.
    """

    low: int
    high: int
    low_most: int
    high_least: int
    estimate: int = 0
    depth: int = 1
    nodes: int = 0
    seconds: float = 0.0
    move: int = -1
    stuck: bool = False

    @property
    def exact(self) -> bool:
        """Whether the value is proven."""
        return self.low == self.high

    @property
    def final(self) -> bool:
        """Whether nothing closer is true: the value is proven, or both bounds are the best that there are."""
        return self.low == self.low_most and self.high == self.high_least


def prove(
    searcher: Searcher[Position], position: Position, limits: Limits, start: Proof, graph_mib: int = GRAPH_MIB
) -> Iterator[Proof]:
    """Go on from ``start`` and yield whenever something was found; the last is the result.

    The position counts as fresh: no board of a game before it is held against it. Stops at ``limits``, or when
    nothing closer can be proven, or when null windows have gone to MAX_DEPTH and the graph has no room. Raises
    AbapaError when the game is over.
    """
    fresh, lead = replace(position, seen=frozenset()), searcher.game.lead(position)
    proof = replace(start, stuck=False)
    with searcher.session(fresh, limits) as session:
        session.end_in_tables()
        siege = _Siege(session, fresh, graph_mib)
        while not (proof.final or session.stopped):
            reached = session.nodes
            for found in _null_windows(session, fresh, lead, limits.depth, proof, max(reached, _FIRST_TURN)):
                yield _timed(proof := found, start, session)
            if proof.depth > limits.depth and (limits.depth < MAX_DEPTH or siege.full):
                break
            for found in siege.questions(proof, lead, max(session.nodes - reached, _FIRST_TURN)):
                yield _timed(proof := found, start, session)
        if proof.final:
            proof = siege.move(proof, lead, searcher.game.legal(fresh))
        yield _timed(replace(proof, stuck=siege.full), start, session)


def fresh_proof(searcher: Searcher[Any], position: Any, most: int) -> Proof:
    """Nothing proven but that the margin still to be won is no larger than ``most``, the seeds on the board."""
    lead = searcher.game.lead(position)
    return Proof(lead - most, lead + most, lead + most, lead - most, lead)


def _timed(proof: Proof, start: Proof, session: Session[Any]) -> Proof:
    """A proof with the work of this sitting added to that before it."""
    return replace(proof, nodes=start.nodes + session.nodes, seconds=start.seconds + session.seconds)


def _narrowed(proof: Proof, position: Position, low: int, high: int) -> Proof:
    """A proof with bounds that an alpha-beta search left: the mover can force ``low``, and be held to ``high``."""
    low, high = max(proof.low, low), min(proof.high, high)
    if position.rules.cycle is Cycle.EVEN:
        return replace(proof, low=low, high=high, low_most=high, high_least=low)
    return replace(proof, low=low, high=high, low_most=min(proof.low_most, high), high_least=max(proof.high_least, low))


# -- null windows -----------------------------------------------------------------------------------------------------


def _null_windows(
    session: Session[Position], position: Position, lead: int, deepest: int, proof: Proof, work: int
) -> Iterator[Proof]:
    """Finish depths until ``work`` nodes are spent; yields after each window."""
    enough = session.nodes + work
    session.place(position)
    while proof.depth <= deepest and not proof.exact and session.nodes < enough:
        floor, ceiling = proof.low, proof.high
        guess = min(max(proof.estimate, floor), ceiling)
        while floor < ceiling and not proof.exact:
            beta = guess + 1 if guess == floor else guess
            found = session.window(beta - lead - 1, beta - lead, proof.depth)
            if found is None:
                return
            guess = found.score + lead
            if guess < beta:
                ceiling = min(guess, ceiling)
            else:
                floor = max(guess, floor)
            # A move that only fails low names none, and keeps what an earlier window preferred.
            move = found.move if found.move >= 0 and (guess >= beta or proof.move < 0) else proof.move
            proof = replace(_narrowed(proof, position, found.low + lead, found.high + lead), move=move)
            yield proof
        proof = replace(proof, estimate=min(max(guess, proof.low), proof.high), depth=proof.depth + 1)
    yield proof


# -- fortresses -------------------------------------------------------------------------------------------------------


class _Siege:
    """The questions asked of one position: their graph, and how far the holder's moves are looked ahead."""

    def __init__(self, session: Session[Position], position: Position, mib: int) -> None:
        self.session, self.position, self.even = session, position, position.rules.cycle is Cycle.EVEN
        self.room = (mib << 20) // node_bytes()
        self.depth = _LOOK_AHEAD
        self.full = False
        """Whether the graph has no room, however far moves are looked ahead."""
        self.graph = self._empty()

    def _empty(self) -> Graph:
        return new_graph(min(_SMALL_GRAPH, self.room), self.even)

    def questions(self, proof: Proof, lead: int, work: int) -> Iterator[Proof]:
        """Settle one question after the other until ``work`` nodes are spent; yields after each."""
        enough = self.session.nodes + work
        while not (proof.final or self.full or self.session.stopped):
            if proof.low < proof.low_most:
                margin = _next(proof.low, proof.low_most, proof.estimate)
                forces = self._can_force(margin - lead, enough)
                if forces is None:
                    return
                proof = replace(proof, low=margin) if forces else replace(proof, low_most=margin - 1)
            else:
                margin = _next(proof.high_least, proof.high, proof.estimate)
                keeps = self._holds(Question(True, margin - lead), enough)
                if keeps is None:
                    return
                proof = replace(proof, high_least=margin) if keeps else replace(proof, high=margin - 1)
            proof = _narrowed(proof, self.position, proof.low, proof.low_most if self.even else proof.high)
            yield proof

    def move(self, proof: Proof, lead: int, codes: tuple[int, ...]) -> Proof:
        """The proof with one of the legal moves ``codes`` that is proven to give ``low``, or none (-1).

        None where the session ends, or the graph is full, before it is found.
        """
        question = Question.of_mover(proof.low - lead, self.even)
        work = _FIRST_TURN
        while not (self.full or self.session.stopped):
            for code in sorted(codes, key=lambda code: code != proof.move):
                if self._gives(code, question, self.session.nodes + work):
                    return replace(proof, move=code)
            work *= 4
        return replace(proof, move=-1)

    def _gives(self, code: int, question: Question, enough: int) -> bool:
        """Whether a move answers a question as the root is answered: the holder's holds, the attacker's breaks."""
        self.session.place(self.position)
        status, node, contrary = self.session.run(fortress.ask_after, self.graph, code, question)
        if status == fortress.OPEN:
            status = self._settled(node, enough)
        return status == (fortress.HELD if question.holder_moves != contrary else fortress.BROKEN)

    def _can_force(self, margin: int, enough: int) -> bool | None:
        """Whether the mover gets ``margin`` on the board by play that ends, or under ``even`` at all."""
        question = Question.of_mover(margin, self.even)
        held = self._holds(question, enough)
        return None if held is None else held == question.holder_moves

    def _holds(self, question: Question, enough: int) -> bool | None:
        """Whether the holder holds a margin at the root; None when it was not settled."""
        self.session.place(self.position)
        status = self._settled(self.session.run(fortress.ask, self.graph, question), enough)
        return None if status == fortress.OPEN else status == fortress.HELD

    def _settled(self, node: int, enough: int) -> int:
        """Work on a question until ``enough`` nodes are spent or there is no room; its status."""
        self.graph, ended = settle(self.session, self.graph, node, self.depth, enough, self.room)
        if ended == fortress.FULL:
            self._look_further()
            return fortress.OPEN
        return fortress.status_of(self.graph, node)

    def _look_further(self) -> None:
        """Begin a new graph, whose moves are chosen with more care, so that fewer are tried in vain."""
        self.depth += _FURTHER
        self.full = self.depth > _FURTHEST
        self.graph = self._empty()


def settle(
    session: Session[Any], graph: Graph, node: int, depth: int, enough: int = sys.maxsize, room: int = sys.maxsize
) -> tuple[Graph, int]:
    """Work on a question and on the debts that it comes to: the graph, which may have grown, and how it ended.

    RESOLVED; PAUSED when the session has searched ``enough`` nodes or is stopped; FULL when the graph would have more
    than ``room`` nodes. ``depth`` is how far the holder's moves are looked ahead.
    """
    debts = [node]
    while debts:
        if session.nodes >= enough or session.stopped:
            return graph, fortress.PAUSED
        work = max(_SLICE, int(graph.counters[fortress.NODES]) // 4)
        ended = session.run(fortress.besiege, graph, debts[-1], work, depth)
        if ended == fortress.RESOLVED:
            debts.pop()
        elif ended == fortress.OWES:
            debts.append(int(graph.counters[fortress.DEBT]))
        elif ended == fortress.FULL:
            if 2 * len(graph.margins) > room:
                return graph, fortress.FULL
            graph = grown(graph)
    return graph, fortress.RESOLVED


def _next(low: int, high: int, guess: int) -> int:
    """The next margin to ask about, of low < margin <= high: the guess, then away from it."""
    guess = min(max(guess, low), high)
    return guess if guess > low else low + 1


# -- going on later ---------------------------------------------------------------------------------------------------


def save_proof(path: Path, proof: Proof, searcher: Searcher[Any], about: dict[str, Any]) -> None:
    """Write a proof and the transposition table (beside the file, then renamed) so that it can go on.

    What fortresses settled is in the transposition table; the graph of one not finished is not kept. Raises AbapaError
    where the file cannot be written.

    ``about`` says what the proof is of (position, rules); :func:`load_proof` insists on the same.
    """
    entries = searcher.entries
    used = np.flatnonzero(entries.any(axis=1)) if entries is not None else np.zeros(0, np.int64)
    words = entries[used] if entries is not None else np.zeros((0, 8), np.uint64)
    buckets = 0 if entries is None else len(entries)
    head = {"format": FORMAT, "about": about, "proof": proof.__dict__, "buckets": buckets}
    with replaced_file(path, force=True) as file:
        np.savez(file, head=np.frombuffer(json.dumps(head).encode(), np.uint8), used=used, words=words)


def load_proof(path: Path, searcher: Searcher[Any], about: dict[str, Any], fresh: Proof) -> Proof:
    """Read what :func:`save_proof` wrote and put the transposition table back.

    A table of another size stays empty: nothing is lost but time. Raises AbapaError for a file that is none of ours,
    that is about something else, or that says more than ``fresh``, the proof of nothing yet, allows. No more of it is
    read than such a file can hold.
    """
    buckets = 0 if searcher.entries is None else len(searcher.entries)
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise ValueError("a file is wanted")
        with zipfile.ZipFile(path) as archive:
            head = json.loads(_array(archive, "head", np.uint8, (), _MOST_HEAD).tobytes())
            if head["format"] != FORMAT:
                raise ValueError(head["format"])
            if str(head["about"]) != str(about):
                raise AbapaError(f"{path} is a proof of {cut(str(head['about']))}, not of {about}")
            proof = Proof(**head["proof"])
            _check_proof(proof, fresh)
            if buckets and buckets == head["buckets"]:
                used = _array(archive, "used", np.int64, (), buckets)
                words = _array(archive, "words", np.uint64, (8,), buckets)
                if len(used) != len(words) or not ((used >= 0) & (used < buckets)).all():
                    raise ValueError("places outside the table")
                assert searcher.entries is not None
                searcher.entries[used] = words
    except OSError as error:
        raise AbapaError(f"cannot read {path}: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError, EOFError, RecursionError, NotImplementedError, RuntimeError, zlib.error,
            zipfile.BadZipFile, TokenError) as error:  # fmt: skip
        if isinstance(error, AbapaError):
            raise
        raise AbapaError(f"{path} is not a saved proof: solve --save writes one") from error
    return proof


def _array(
    archive: zipfile.ZipFile, name: str, kind: type[np.generic], shape: tuple[int, ...], most: int
) -> NDArray[Any]:
    """An array of up to ``most`` rows out of a saved proof. Raises ValueError for any other."""
    whole = archive.getinfo(f"{name}.npy")
    row = np.dtype(kind).itemsize * math.prod(shape)
    if max(whole.file_size, whole.compress_size) > _HEADER + most * row:  # room is made for either, whatever is there
        raise ValueError(f"{name}: {whole.file_size} bytes")
    with archive.open(whole) as file:
        version = np.lib.format.read_magic(file)
        if version != (1, 0):
            raise ValueError(f"{name}: version {version}")
        size, fortran, dtype = np.lib.format.read_array_header_1_0(file)
        data = file.read()
    if dtype != kind or fortran or size[1:] != shape or len(size) != 1 + len(shape) or len(data) != size[0] * row:
        raise ValueError(f"{name}: {dtype}{size}")
    return np.frombuffer(data, dtype).reshape(size)


def _check_proof(proof: Proof, fresh: Proof) -> None:
    """Raise ValueError or TypeError for numbers that no proof of this position can have."""
    whole = (proof.low, proof.high, proof.low_most, proof.high_least, proof.estimate, proof.depth, proof.nodes)
    if any(type(number) is not int for number in (*whole, proof.move)) or type(proof.stuck) is not bool:
        raise TypeError("numbers are wanted")
    if type(proof.seconds) not in (int, float) or not 0 <= proof.seconds <= LONGEST_SECONDS:
        raise ValueError(f"{proof.seconds} seconds")
    inner = (proof.low_most, proof.high_least)
    sound = fresh.low <= proof.low <= min(inner) <= max(inner) <= proof.high <= fresh.high
    sound &= fresh.low <= proof.estimate <= fresh.high and 1 <= proof.depth <= MAX_DEPTH + 1
    if not (sound and 0 <= proof.nodes <= MAX_NODES and -1 <= proof.move < MAX_PITS):
        raise ValueError(f"bounds {proof.low}..{proof.high}, depth {proof.depth}")
