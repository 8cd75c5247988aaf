"""Keys and checks of Omweso's boards in the search: against a plain reference, apart for all boards of big samples."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from numpy.typing import NDArray

from solver.kernels.compile import kernel
from solver.omweso.game import OmwesoGame
from solver.omweso.position import OmwesoPosition
from solver.omweso.rules import TOURNAMENT
from solver.omweso.setups import CLASSIC
from solver.search.game import check, key
from solver.search.limits import Limits
from solver.search.searcher import Searcher
from solver.search.transposition import allocate, find, pack_entry, store
from solver.search.worker import new_worker
from tests.omweso.strategies import positions

WORD = 2**64 - 1
GAME = OmwesoGame(TOURNAMENT)


@kernel
def hash_states(game, worker, states, out):
    """``out[k]`` = key and check of ``states[k]``."""
    for k in range(states.shape[0]):
        for word in range(4):
            worker["state"][np.uint64(0), np.uint64(word)] = states[k, word]
        out[k, 0] = key(game, worker, np.int64(0))
        out[k, 1] = check(game, worker, np.int64(0))


def hashes(states: NDArray[np.uint64]) -> NDArray[np.uint64]:
    out = np.zeros((len(states), 2), np.uint64)
    hash_states(GAME.kernels, new_worker()[0], states, out)
    return out


def plain_hash(
    state: tuple[int, ...], order: tuple[int, ...], factors: tuple[int, ...], shifts: tuple[int, ...]
) -> int:
    """Words in an order, each multiplied in, folded by a shift before the next and at the end."""
    mixed = 0
    for turn, (word, factor) in enumerate(zip(order, factors, strict=True)):
        folded = mixed ^ (mixed >> shifts[turn - 1]) if turn else 0
        mixed = (folded ^ state[word]) * factor & WORD
    return mixed ^ (mixed >> shifts[-1])


def plain_hashes(state: tuple[int, ...]) -> list[int]:
    first = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93, 0xFF51AFD7ED558CCD)
    second = (0xA0761D6478BD642F, 0xE7037ED1A0B428DB, 0x8EBC6AF09C88C6E3, 0x589965CC75374CC3)
    return [
        plain_hash(state, (0, 1, 2, 3), first, (32, 29, 32, 31)),
        plain_hash(state, (2, 3, 0, 1), second, (31, 30, 33, 29)),
    ]


def state_of(position: OmwesoPosition) -> tuple[int, ...]:
    worker = new_worker()
    OmwesoGame(position.rules).place(position, worker)
    return tuple(worker[0]["state"][0].tolist())


@given(positions())
@settings(max_examples=200)
def test_the_kernels_are_the_reference(position: OmwesoPosition) -> None:
    state = state_of(position)
    assert hashes(np.array([state], np.uint64))[0].tolist() == plain_hashes(state)


@given(positions())
@settings(max_examples=60)
def test_sides_and_flags_count(position: OmwesoPosition) -> None:
    """The board seen from the other side, and each flag of the game's beginning, have keys and checks of their own."""
    rules, flags = position.rules, (position.first_turns, position.fresh)
    seen = {
        (side, other, first, fresh): hashes(np.array([state_of(board)], np.uint64))[0].tolist()
        for side, other in ((position.side, position.opponent), (position.opponent, position.side))
        for first, fresh in {flags, ((True, False), True), ((False, True), False), ((False, False), True)}
        for board in [OmwesoPosition(side, other, rules, first_turns=first, fresh=fresh)]
    }
    for part in (0, 1):
        assert len({found[part] for found in seen.values()}) == len(seen)


def packed(pits: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Boards of 32 pits, a byte a pit, as states without flags."""
    return np.ascontiguousarray(pits, np.uint8).view(np.uint64)


def neighbours(board: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Every board that the move of one seed makes of a board, itself among them."""
    sources = np.flatnonzero(board)
    moved = np.repeat(board[None], len(sources) * 32, axis=0)
    rows = np.arange(len(moved))
    moved[rows, np.repeat(sources, 32)] -= 1
    moved[rows, np.tile(np.arange(32), len(sources))] += 1
    return moved


def test_no_two_boards_share_a_key_or_a_check() -> None:
    """Random boards of 64 seeds, and near ones, a seed or two moved: no pair agrees even in one half."""
    random = np.random.default_rng(7)
    spread = random.multinomial(64, random.dirichlet(np.full(32, 0.7), 1000)[None], (150, 1000)).reshape(-1, 32)
    near = neighbours(np.full(32, 2, np.uint8))
    boards = np.concatenate([spread.astype(np.uint8), near, *map(neighbours, near[5:1000:10])])
    boards = np.array(sorted({row.tobytes() for row in boards})).view(np.uint8).reshape(-1, 32)
    assert len(boards) > 200_000
    found = hashes(packed(boards))
    for part in (0, 1):
        assert len(np.unique(found[:, part])) == len(boards)
    # The two are independent: half of one is half of the other as often as chance has it, hardly ever.
    low = np.uint64(0xFFFFFFFF)
    assert (found[:, 0] & low == found[:, 1] & low).sum() < 5
    # Every bit is set in half of them, and the bits that choose the bucket spread boards evenly.
    bits = np.unpackbits(found.view(np.uint8).reshape(-1, 16), axis=1)
    assert np.abs(bits.mean(axis=0) - 0.5).max() < 0.01
    buckets = np.bincount((found[:, 0] >> np.uint64(56)).astype(np.int64), minlength=256)
    assert np.abs(buckets / len(boards) * 256 - 1).max() < 0.2


@kernel
def stored(address, buckets, key, check, data):
    store(address, buckets, key, check, True, data)


@kernel
def looked_up(address, buckets, key, check):
    return find(address, buckets, key, check, True)


@kernel
def entry(score, depth):
    return pack_entry(np.int64(score), np.int64(-2000), np.int64(2000), np.int64(depth), np.int64(3), 3, np.uint64(1))


def test_all_128_bits_decide_whose_an_entry_is() -> None:
    """With one bit of key or check changed, wherever it stays in the bucket, the entry is not found; nor when torn."""
    entries = allocate(1)
    table = np.uint64(entries.ctypes.data), np.uint64(len(entries))
    mark, proof, data = 0x123456789ABCDEF0, 0x0FEDCBA987654321, entry(77, 9)
    stored(*table, np.uint64(mark), np.uint64(proof), data)
    assert looked_up(*table, np.uint64(mark), np.uint64(proof)) == data
    for bit in range(64):
        assert looked_up(*table, np.uint64(mark ^ 1 << bit), np.uint64(proof)) == 0
        assert looked_up(*table, np.uint64(mark), np.uint64(proof ^ 1 << bit)) == 0
    row = np.flatnonzero(entries.any(axis=1))[0]
    for word in (0, 1, 3):
        entries[row, word] ^= np.uint64(1 << 20)
        assert looked_up(*table, np.uint64(mark), np.uint64(proof)) == 0
        entries[row, word] ^= np.uint64(1 << 20)
    assert looked_up(*table, np.uint64(mark), np.uint64(proof)) == data


def test_a_bucket_keeps_the_deeper_entries() -> None:
    entries = allocate(1)
    table = np.uint64(entries.ctypes.data), np.uint64(len(entries))
    for check_word, depth in ((1, 9), (2, 4), (3, 6)):
        stored(*table, np.uint64(5), np.uint64(check_word), entry(depth, depth))
    kept = [check_word for check_word in (1, 2, 3) if looked_up(*table, np.uint64(5), np.uint64(check_word))]
    assert kept == [1, 3]


class Forged(OmwesoGame):
    """A game whose past positions have the right keys and wrong checks."""

    def place(self, position: OmwesoPosition, worker: NDArray[np.void]) -> None:
        super().place(position, worker)
        worker[0]["barred"][:, 1] ^= np.uint64(1)


def test_a_position_has_come_back_only_if_its_whole_key_has() -> None:
    position = OmwesoPosition.start(CLASSIC["all-two"], CLASSIC["all-two"])
    barred = replace(position, past=(replace(GAME.play(position, 0), past=()),))
    scores = {}
    for game in (GAME, Forged(TOURNAMENT)):
        report = Searcher(game, hash_mib=0).search(barred, Limits(depth=1), multipv=len(GAME.legal(position)))
        scores[game] = next(line.score for line in report.lines if line.moves[0] == 0)
    assert scores.pop(GAME) == 0 and 0 not in scores.values()
