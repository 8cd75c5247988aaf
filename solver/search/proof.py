"""Proving the value of a position: null windows, deeper and deeper, until the proven bounds meet.

Each depth closes in on its value by null windows (A. Plaat's MTD(f), from the estimate of the depth before); the proven
bounds that each window leaves are kept, and the transposition table keeps those of every position below. What can be
proven are the bounds that hold whatever boards repeat (:mod:`solver.search.negamax`): under an own-row cycle rule they
may stay apart for ever.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from solver.errors import AbapaError
from solver.search.searcher import MAX_DEPTH, Limits, Searcher

FORMAT = "abapa proof 1"


@dataclass(frozen=True)
class Proof:
    """What is proven so far about a position: final margins of the mover in seeds, stores included.

    ``estimate`` is the score of the last depth finished, ``depth`` the depth that is searched next, ``nodes`` and
    ``seconds`` the work of all sittings, ``move`` the code of the best move, -1 before there is one.
    """

    low: int
    high: int
    estimate: int = 0
    depth: int = 1
    nodes: int = 0
    seconds: float = 0.0
    move: int = -1

    @property
    def exact(self) -> bool:
        """Whether the value is proven."""
        return self.low == self.high


def prove(searcher: Searcher[Any], position: Any, limits: Limits, start: Proof) -> Iterator[Proof]:
    """Go on from ``start`` and yield after every window; the last is the result. Stops at ``limits`` or when exact."""
    proof, began = start, time.perf_counter()
    lead = searcher.game.lead(position)
    with searcher.session(position, limits) as session:
        while proof.depth <= limits.depth and not proof.exact:
            floor, ceiling = proof.low, proof.high
            guess = min(max(proof.estimate, floor), ceiling)
            while floor < ceiling and not proof.exact:
                beta = guess + 1 if guess == floor else guess
                found = session.window(beta - lead - 1, beta - lead, proof.depth)
                nodes, seconds = start.nodes + session.nodes, start.seconds + time.perf_counter() - began
                if found is None:
                    yield replace(proof, nodes=nodes, seconds=seconds)
                    return
                guess = found.score + lead
                if guess < beta:
                    ceiling = min(guess, ceiling)
                else:
                    floor = max(guess, floor)
                low, high = max(proof.low, found.low + lead), min(proof.high, found.high + lead)
                # A move that only fails low names none, and keeps what an earlier window preferred.
                move = found.move if found.move >= 0 and (guess >= beta or proof.move < 0) else proof.move
                proof = replace(proof, low=low, high=high, nodes=nodes, seconds=seconds, move=move)
                yield proof
            proof = replace(proof, estimate=min(max(guess, proof.low), proof.high), depth=proof.depth + 1)
        yield proof


def fresh_proof(searcher: Searcher[Any], position: Any, most: int) -> Proof:
    """Nothing proven but that the margin still to be won is no larger than ``most``, the seeds on the board."""
    lead = searcher.game.lead(position)
    return Proof(lead - most, lead + most, lead)


# -- going on later ---------------------------------------------------------------------------------------------------


def save_proof(path: Path, proof: Proof, searcher: Searcher[Any], about: dict[str, Any]) -> None:
    """Write a proof and the transposition table (compressed, through a temporary file) so that it can go on.

    ``about`` says what the proof is of (position, rules); :func:`load_proof` insists on the same.
    """
    entries = searcher.entries
    used = np.flatnonzero(entries.any(axis=1)) if entries is not None else np.zeros(0, np.int64)
    words = entries[used] if entries is not None else np.zeros((0, 8), np.uint64)
    buckets = 0 if entries is None else len(entries)
    head = {"format": FORMAT, "about": about, "proof": proof.__dict__, "buckets": buckets}
    part = path.with_name(path.name + ".part")
    with part.open("wb") as file:
        np.savez_compressed(file, head=np.frombuffer(json.dumps(head).encode(), np.uint8), used=used, words=words)
    part.replace(path)


def load_proof(path: Path, searcher: Searcher[Any], about: dict[str, Any]) -> Proof:
    """Read what :func:`save_proof` wrote and put the transposition table back.

    A table of another size stays empty: nothing is lost but time. Raises AbapaError for a file that is none of ours or
    that is about something else.
    """
    try:
        with np.load(path) as data:
            head = json.loads(data["head"].tobytes())
            used, words = data["used"], data["words"]
        if head["format"] != FORMAT:
            raise ValueError(head["format"])
        proof = Proof(**head["proof"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise AbapaError(f"{path} is not a saved proof: solve --save writes one ({error})") from error
    if head["about"] != about:
        raise AbapaError(f"{path} is a proof of {head['about']}, not of {about}")
    if not (1 <= proof.depth <= MAX_DEPTH + 1 and proof.low <= proof.high):
        raise AbapaError(f"{path} is damaged: bounds {proof.low}..{proof.high}, depth {proof.depth}")
    if searcher.entries is not None and len(searcher.entries) == head["buckets"]:
        searcher.entries[used] = words
    return proof
