"""Proofs by null windows: the table's value, the same in one sitting or two, and files that are refused."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from databases.tiers import board_at, tier_size
from solver.errors import AbapaError
from solver.oware.game import OwareGame
from solver.oware.position import Position
from solver.oware.proof import FORMAT, Proof, fresh_proof, load_proof, prove, save_proof
from solver.oware.rules import ABAPA, AWARI, Rules
from solver.search.limits import Limits
from solver.search.searcher import Searcher
from tests.oware.tabled_positions import positions, tables, truth

ABOUT = {"position": "x", "rules": "awari"}
FRESH = Proof(-3, 3, 3, -3)


def searcher_below(rules: Rules, seeds: int) -> Searcher[Position]:
    return Searcher(OwareGame(rules, {n: tables(rules)[n] for n in range(seeds)}), hash_mib=4)


def last(proofs: object) -> Proof:
    *_, proof = proofs  # type: ignore[misc]
    return proof


@pytest.mark.parametrize("rules", [AWARI, ABAPA], ids=str)
def test_a_proof_closes_in_on_the_table(rules: Rules) -> None:
    """Every proof is final, with the table's bounds and a move that gives the lower; on the way nothing false."""
    proven = 0
    for position in positions(rules, 8, 6):
        searcher = searcher_below(rules, position.seeds)
        start = proof = fresh_proof(searcher, position, position.seeds)
        lower, upper = truth(position)
        assert (proof.low, proof.high) == (-position.seeds, position.seeds)
        for proof in prove(searcher, position, Limits(nodes=10_000_000), start):
            assert proof.low <= lower <= proof.low_most
            assert proof.high_least <= upper <= proof.high
        if proof.final:
            proven += 1
            assert (proof.low, proof.high, proof.exact) == (lower, upper, lower == upper)
            after = position.play(proof.move)
            assert lower == (after.stores[0] - after.stores[1]) - truth(bare(after))[1]
    assert proven >= (3 if rules is AWARI else 1)


def bare(position: Position) -> Position:
    """The board alone, the mover in the south."""
    return Position(position.canonical, rules=position.rules)


@pytest.mark.parametrize("rules", [AWARI, ABAPA], ids=str)
def test_small_boards_are_proven_without_tables(rules: Rules) -> None:
    """Values that rest on endless play too."""
    random = np.random.default_rng(3)
    for seeds in (5, 6, 7, 8):
        position = Position(board_at(6, seeds, int(random.integers(tier_size(6, seeds)))), rules=rules)
        if position.legal_moves():
            searcher = Searcher(OwareGame(rules), hash_mib=8)
            proof = last(prove(searcher, position, Limits(), fresh_proof(searcher, position, seeds)))
            assert (proof.low, proof.high, proof.final) == (*truth(position), True)


def test_the_start_of_twelve_seeds_is_a_draw_by_tables_of_ten() -> None:
    """The mover holds 0 by endless play, and so does the opponent; of the moves only F draws (Lincke 2002)."""
    position = Position((1,) * 12, rules=AWARI)
    searcher = Searcher(OwareGame(AWARI, {n: tables(AWARI)[n] for n in range(11)}), hash_mib=16)
    proof = last(prove(searcher, position, Limits(), fresh_proof(searcher, position, 12)))
    assert (proof.low, proof.high, proof.move) == (0, 0, 5)


def test_a_graph_without_room_gives_up_and_claims_nothing() -> None:
    position = Position((1,) * 12, rules=AWARI)
    searcher = Searcher(OwareGame(AWARI, {n: tables(AWARI)[n] for n in range(9)}), hash_mib=16)
    *_, proof = prove(searcher, position, Limits(), fresh_proof(searcher, position, 12), graph_mib=1)
    assert proof.final or proof.stuck
    assert proof.low <= 0 <= proof.high


def test_stores_are_part_of_the_margin() -> None:
    board = (0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 2, 0)
    searcher = Searcher(OwareGame(AWARI, {n: tables(AWARI)[n] for n in range(5)}), hash_mib=1)
    bare = Position(board, rules=AWARI)
    full = Position(board, (24, 20), rules=AWARI)
    one, other = (last(prove(searcher, p, Limits(), fresh_proof(searcher, p, p.seeds))) for p in (bare, full))
    assert one.exact and other.low == one.low + 4
    assert one.low == truth_of_small(bare)


def truth_of_small(position: Position) -> int:
    from databases.tiers import board_index

    return int(tables(AWARI)[position.seeds].arrays["value"][board_index(position.canonical)])


def test_a_saved_proof_goes_on(tmp_path: Path) -> None:
    position = next(p for p in positions(AWARI, 40, 9) if p.seeds == 12)
    limits = Limits(depth=12)
    whole = last(prove(s := searcher_below(AWARI, 10), position, limits, fresh_proof(s, position, 12)))

    first = searcher_below(AWARI, 10)
    half = last(prove(first, position, Limits(depth=6), fresh_proof(first, position, 12)))
    save_proof(tmp_path / "proof", half, first, ABOUT)
    second = searcher_below(AWARI, 10)
    again = load_proof(tmp_path / "proof", second, ABOUT, fresh_proof(second, position, 12))
    assert again == half
    assert second.entries is not None and first.entries is not None
    assert np.array_equal(second.entries, first.entries)
    done = last(prove(second, position, limits, again))
    assert done.nodes > half.nodes
    assert (done.low, done.high) == (whole.low, whole.high)
    assert not (tmp_path / "proof.part").exists()


def test_what_is_no_saved_proof_is_refused(tmp_path: Path) -> None:
    searcher = searcher_below(AWARI, 2)
    (tmp_path / "text").write_text("not a proof")
    with pytest.raises(AbapaError, match="is not a saved proof"):
        load_proof(tmp_path / "text", searcher, ABOUT, FRESH)
    with pytest.raises(AbapaError, match=r"cannot read .*absent: No such file"):
        load_proof(tmp_path / "absent", searcher, ABOUT, FRESH)
    save_proof(tmp_path / "proof", Proof(-3, 3, 3, -3), searcher, ABOUT)
    with pytest.raises(AbapaError, match="is a proof of"):
        load_proof(tmp_path / "proof", searcher, {"position": "y", "rules": "awari"}, FRESH)


@pytest.mark.parametrize(
    "proof",
    [
        Proof(-9, 3, 3, -3),
        Proof(2, 1, 2, 1),
        Proof(-3, 3, 3, -3, depth=10**9),
        Proof(-3, 3, 3, -3, nodes=-1),
        Proof(-3, 3, 3, -3, estimate=10**30),
        Proof(-3, 3, 3, -3, seconds=float("nan")),
        Proof(-3, 3, 3, -3, move=200),
        Proof(-3, 3, True, -3),
        Proof(-3, 3, 3, "x"),  # type: ignore[arg-type]
        Proof(-3, 3, [[[]]], -3),  # type: ignore[arg-type]
    ],
)
def test_impossible_numbers_of_a_saved_proof_are_refused(tmp_path: Path, proof: Proof) -> None:
    searcher = searcher_below(AWARI, 2)
    save_proof(tmp_path / "proof", proof, searcher, ABOUT)
    with pytest.raises(AbapaError, match="is not a saved proof"):
        load_proof(tmp_path / "proof", searcher, ABOUT, FRESH)


def test_a_saved_proof_is_not_read_beyond_its_bounds(tmp_path: Path) -> None:
    searcher = searcher_below(AWARI, 2)
    path = tmp_path / "proof"
    head = np.frombuffer(json.dumps({"format": FORMAT, "deep": "x"}).encode(), np.uint8)
    places = np.arange(1 << 20)
    for arrays in (
        {"head": np.zeros(1 << 22, np.uint8)},
        {"head": np.frombuffer(b"[" * 60_000, np.uint8)},
        {"head": head, "used": places},
    ):
        with path.open("wb") as file:
            np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
        with pytest.raises(AbapaError, match="is not a saved proof"):
            load_proof(path, searcher, ABOUT, FRESH)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(AbapaError, match="is not a saved proof"):
        load_proof(tmp_path / "pipe", searcher, ABOUT, FRESH)
    save_proof(path, FRESH, searcher, ABOUT)
    whole = path.read_bytes()
    for at in range(0, len(whole), 37):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        try:
            assert load_proof(path, searcher, ABOUT, FRESH).low == FRESH.low
        except AbapaError as error:
            assert "is not a saved proof" in str(error) or "is a proof of" in str(error)
