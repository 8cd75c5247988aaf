"""The proof from values alone finds every wrong value, in full tables and in windows, and only wrong ones."""

from __future__ import annotations

import json
import shutil
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from databases.builder.build import build_tables
from databases.files.folder import find_tables, table_path
from databases.grounding import Findings, Stored, ground
from databases.halfmoves import HalfMoves
from databases.tiers import board_at, board_index, tier_size
from databases.windows import FULL, WHOLE, Coding, Game
from solver.oware.position import Position
from solver.oware.rules import ABAPA, AWARI, Cycle, Rules
from tests.cli.command_line import abapa, refused
from tests.databases.proofs import SMALL, TABLE_SLAMS, endless_circle, moves_of, spoil
from tests.databases.table_files import write_tables
from tests.databases.tables_in_memory import built

Values = list[NDArray[np.int8]]
"""Margins of tiers 0..n."""


# -- the two rules of the module's first lines, word for word ---------------------------------------------------------


class Claims:
    """Values of tiers 0..n, cut to windows, and what they say of the boards of tier n."""

    def __init__(self, rules: Rules, values: Values, window: int) -> None:
        self.rules, self.values, self.seeds, self.window = rules, values, len(values) - 1, window

    def value(self, board: tuple[int, ...]) -> int:
        return int(self.values[sum(board)][board_index(board)])

    def best_moves(self, board: tuple[int, ...]) -> tuple[int, list[tuple[int, tuple[int, ...]]]]:
        """The best value, and the moves that have it; without a move, the margin at the end."""
        moves = moves_of(self.rules, board)
        if not moves:
            south, north = Position(board, rules=self.rules).result() or (0, 0)
            return self.cut(int(south - north)), []
        worth = [self.cut(captured - self.value(child)) for captured, child in moves]
        return max(worth), [move for move, value in zip(moves, worth, strict=True) if value == max(worth)]

    def cut(self, margin: int) -> int:
        return max(-self.window, min(self.window, margin))

    def findings(self) -> Findings:
        boards = [board_at(self.rules.pits, self.seeds, at) for at in range(len(self.values[-1]))]
        best = [self.best_moves(board) for board in boards]
        unequal = [at for at, board in enumerate(boards) if best[at][0] != self.value(board)]
        if unequal:
            return Findings(len(unequal), unequal[0], 0, -1)
        grounded = [value == 0 or not moves for value, moves in best]
        while True:
            more = [
                done or self.grounded_by(value, moves, grounded)
                for done, (value, moves) in zip(grounded, best, strict=True)
            ]
            if more == grounded:
                bare = [at for at, done in enumerate(grounded) if not done]
                return Findings(0, -1, len(bare), bare[0] if bare else -1)
            grounded = more

    def grounded_by(self, value: int, moves: list[tuple[int, tuple[int, ...]]], grounded: list[bool]) -> bool:
        on_ground = [captured > 0 or grounded[board_index(child)] for captured, child in moves]
        return any(on_ground) if value > 0 else all(on_ground)


def settle(claims: Claims) -> bool:
    """Let the last tier follow its moves until nothing changes: another solution of the first rule, if any comes."""
    boards = [board_at(claims.rules.pits, claims.seeds, at) for at in range(len(claims.values[-1]))]
    for _ in range(40):
        found = np.array([claims.best_moves(board)[0] for board in boards], np.int8)
        if (found == claims.values[-1]).all():
            return True
        claims.values[-1][:] = found
    return False


def grounded(rules: Rules, values: Values, windows: list[int], threads: int = 1) -> Findings:
    return ground(rules, moves_up_to(rules, len(values) - 1), stored(values, windows), threads)


@cache
def moves_up_to(rules: Rules, seeds: int) -> HalfMoves:
    return HalfMoves.of(rules, seeds)


def stored(values: Values, windows: list[int]) -> list[Stored]:
    """Values as a table file holds them, its spare byte included."""
    tiers = []
    for margins, window in zip(values, windows, strict=True):
        coding = Coding.of(window) if window < WHOLE else FULL
        data = np.zeros(coding.size(len(margins)), np.uint8)
        encoded = coding.encode(margins)
        data[: len(encoded)] = encoded
        tiers.append(Stored(data, coding))
    return tiers


def cut_values(rules: Rules, seeds: int, windows: list[int]) -> Values:
    full = built(rules, seeds, bounds=False)["value"]
    return [np.clip(full[n], -window, window) for n, window in enumerate(windows)]


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(SMALL), st.integers(0, 6), st.data())
def test_it_finds_what_the_two_rules_find(rules: Rules, n: int, data: st.DataObject) -> None:
    game = data.draw(st.one_of(st.none(), st.builds(Game, st.integers(n, n + 4), st.integers(1, 2))))
    windows = [WHOLE if game is None else game.window(k) for k in range(n + 1)]
    claims = Claims(rules, cut_values(rules, n, windows), windows[n])
    most = min(n, windows[n])
    for _ in range(data.draw(st.integers(0, 4))):
        at = data.draw(st.integers(0, tier_size(rules.pits, n) - 1))
        claims.values[n][at] = data.draw(st.integers(-most, most))
    if data.draw(st.booleans()):
        settle(claims)
    expected = claims.findings()
    for threads in (1, 2):
        assert grounded(rules, claims.values, windows, threads) == expected
    for widest, few in ((-1, 1), (62, 10**9), (62, 1)):  # board by board; strips first; no strip but in the first pass
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("databases.grounding.WIDEST", widest)
            patch.setattr("databases.grounding.FEW", few)
            assert grounded(rules, claims.values, windows) == expected


@pytest.mark.parametrize(("pits", "seeds"), [(2, 62), (2, 63), (2, 100), (1, 127)])
def test_margins_that_no_byte_tells_apart_are_proved(pits: int, seeds: int) -> None:
    """Few houses and many seeds: a grade of such a margin takes more than a byte."""
    rules, chance = Rules.parse(f"awari+pits={pits}"), np.random.default_rng(seeds)
    tables = built(rules, seeds, bounds=False)["value"]
    values = [tables[n].copy() for n in range(seeds + 1)]
    windows = [WHOLE] * (seeds + 1)
    assert grounded(rules, values, windows) == Findings(0, -1, 0, -1)
    for at in chance.integers(0, len(values[seeds]), 5).tolist():
        right = int(values[seeds][at])
        values[seeds][at] = right - 1 if right > 0 else right + 1
        findings = grounded(rules, values, windows)
        assert findings.unequal or findings.groundless, at
        values[seeds][at] = right


@pytest.mark.parametrize("game", [None, Game(8), Game(9), Game(12)], ids=str)
def test_numbers_that_are_no_margins_are_found(game: Game | None) -> None:
    """Damage may store what no margin of the window is: such a board is wrong, and nothing else is believed."""
    windows = [WHOLE if game is None else game.window(n) for n in range(9)]
    tiers = stored(cut_values(AWARI, 8, windows), windows)
    data, coding = tiers[8].data, tiers[8].coding
    moves, random = moves_up_to(AWARI, 8), np.random.default_rng(8)
    strange = [-128, -100, -9, 9, 60, 127] if coding.bits == 8 else range(2 * coding.window + 1, 1 << coding.bits)
    for number in strange:
        at = int(random.integers(0, tier_size(6, 8)))
        before = data.copy()
        bit = at * coding.bits
        mask = (1 << coding.bits) - 1
        pair = int.from_bytes(bytes(data[bit // 8 : bit // 8 + 2]), "little")
        pair = pair & ~(mask << bit % 8) | (number & mask) << bit % 8
        data[bit // 8 : bit // 8 + 2] = np.frombuffer(pair.to_bytes(2, "little"), np.uint8)[: len(data) - bit // 8]
        assert ground(AWARI, moves, tiers, 2).unequal, (at, number)
        data[:] = before


def test_claims_that_live_on_each_other_are_found() -> None:
    """An endless circle worth +1 and -1 in turn, and all that follows: every value is that of a best move."""
    found = 0
    for rules in (Rules.parse("awari+pits=2"), Rules.parse("awari+pits=3")):
        for n in range(2, 6):
            windows = [WHOLE] * (n + 1)
            right = cut_values(rules, n, windows)
            for at in np.flatnonzero(right[n] == 0).tolist():
                claims = Claims(rules, [tier.copy() for tier in right], WHOLE)
                circle = circle_from(claims, board_at(rules.pits, n, at))
                for ply, board in enumerate(circle):
                    claims.values[n][board_index(board)] = 1 if ply % 2 else -1
                if circle and settle(claims) and (claims.values[n] != right[n]).any():
                    findings = grounded(rules, claims.values, windows)
                    assert findings.unequal == 0 and findings.groundless and findings == claims.findings()
                    found += 1
    assert found


def circle_from(claims: Claims, board: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Boards that lead to one another by moves that capture nothing, an even number of them; empty if none is met."""
    seen: list[tuple[int, ...]] = []
    while board not in seen:
        seen.append(board)
        quiet = [
            child for captured, child in moves_of(claims.rules, board) if not captured and claims.value(child) == 0
        ]
        if not quiet:
            return []
        board = quiet[0]
    circle = seen[seen.index(board) :]
    return circle if len(circle) % 2 == 0 else []


def test_a_circle_in_the_real_game_is_found() -> None:
    """Boards of awari that pass +2 and -2 back and forth."""
    values = list(built(AWARI, 4, bounds=False, distance=True)["value"].values())
    spoilt = [tier.copy() for tier in values]
    for ply, board in enumerate(endless_circle(dict(enumerate(values)))):
        spoilt[4][board_index(board)] = 2 if ply % 2 else -2
    findings = grounded(AWARI, spoilt, [WHOLE] * 5)
    assert findings.unequal or findings.groundless


@pytest.mark.parametrize("rules", [Rules(slam, cycle) for slam in TABLE_SLAMS for cycle in Cycle], ids=str)
def test_right_tables_are_proved_under_every_rule_set(rules: Rules) -> None:
    for game in (None, Game(9)):
        windows = [WHOLE if game is None else game.window(n) for n in range(8)]
        for n in range(8):
            values = cut_values(rules, n, windows[: n + 1])
            assert grounded(rules, values, windows[: n + 1], 2) == Findings(0, -1, 0, -1)


@pytest.mark.parametrize(
    ("rules", "game"),
    [
        (AWARI, None),
        (AWARI, Game(14)),
        pytest.param(AWARI, Game(12), marks=pytest.mark.full),
        pytest.param(ABAPA, Game(18), marks=pytest.mark.full),
    ],
    ids=str,
)
def test_any_changed_value_of_twelve_seeds_is_found(rules: Rules, game: Game | None) -> None:
    """200 random changes: full tables, and windows of 1, 3 and 7 (2 to 4 bits)."""
    windows = [WHOLE if game is None else game.window(n) for n in range(13)]
    values = cut_values(rules, 12, windows)
    tiers = stored(values, windows)
    moves, data, coding = moves_up_to(rules, 12), tiers[12].data, tiers[12].coding
    assert ground(rules, moves, tiers, 2) == Findings(0, -1, 0, -1)
    random = np.random.default_rng(12)
    boards, most = tier_size(6, 12), min(12, windows[12])
    for at in random.integers(0, boards, 200).tolist():
        right = int(values[12][at])
        wrong = int(random.choice([value for value in range(-most, most + 1) if value != right]))
        bit = at * coding.bits
        before = data[bit // 8 : bit // 8 + 2].copy()
        shift = 0 if coding.bits == 8 else coding.window
        change = ((right + shift) ^ (wrong + shift)) & 0xFF
        pair = (change << (bit % 8)).to_bytes(2, "little")
        data[bit // 8 : bit // 8 + 2] ^= np.frombuffer(pair, np.uint8)[: len(before)]
        findings = ground(rules, moves, tiers, 2)
        assert findings.unequal or findings.groundless, (at, right, wrong)
        data[bit // 8 : bit // 8 + 2] = before
    assert ground(rules, moves, tiers, 2) == Findings(0, -1, 0, -1)


# -- on files ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Awari and abapa in the windows of games of 11 and 7 seeds."""
    folder = tmp_path_factory.mktemp("games")
    build_tables(folder, AWARI, game=Game(11))
    build_tables(folder, ABAPA, game=Game(7))
    return folder


def test_tables_of_a_game_are_proved(games: Path) -> None:
    ran = abapa("verify", "--rules", "awari", "--tables", games, "--threads", "1")
    assert ran.code == 0 and ran.out.count("value proved by grounding, ") == 11
    rows = [
        json.loads(line) for line in abapa("verify", "--rules", "abapa", "--tables", games, "--json").out.splitlines()
    ]
    assert [(row["seeds"], row["method"], row["right"]) for row in rows] == [
        (n, "proved by grounding", True) for n in (0, 1, 2, 3, 4, 5, 7)
    ]


def test_each_tier_is_proved_by_what_it_holds(tmp_path: Path) -> None:
    write_tables(tmp_path, AWARI, 4, ("value", "distance"))
    build_tables(tmp_path, AWARI, 5)
    ran = abapa("verify", "--rules", "awari", "--tables", tmp_path)
    assert ran.code == 0
    assert [("distance" in line.split("proved")[1]) for line in ran.out.splitlines()] == [True] * 5 + [False]


def test_a_wrong_value_in_a_file_is_named(tmp_path: Path) -> None:
    write_tables(tmp_path, AWARI, 6)
    spoil(table_path(tmp_path, AWARI, 6), "value", 300, 1)
    ran = abapa("verify", "--rules", "awari", "--tables", tmp_path)
    refused(ran, f"awari tables in {tmp_path} are wrong")
    assert "awari  6: value WRONG: " in ran.out and "boards are not worth what their best move is, first " in ran.out


def test_a_smaller_window_than_a_proof_needs_is_refused(games: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(games, tmp_path / "games")
    build_tables(folder, AWARI, game=Game(8))
    (narrow,) = (path for n, path in find_tables(folder, AWARI).items() if n == 9)
    assert narrow.name == "awari-09.w3.h5"
    other = tmp_path / "other"
    build_tables(other, AWARI, game=Game(9))
    narrow.unlink()
    shutil.copy(find_tables(other, AWARI)[9], folder)
    refused(
        abapa("verify", "--rules", "awari", "--tables", folder),
        "awari-09.w1.h5 knows margins only up to 1, and a proof of 11 seeds needs them up to 3: build",
    )


def test_a_proof_is_refused_before_any_work_where_memory_does_not_suffice(
    games: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("databases.grounding.available_memory", lambda: 1000)
    ran = abapa("verify", "--rules", "awari", "--tables", games)
    refused(ran, "a proof of 11 seeds takes ")
    assert not ran.out


def test_a_game_verified_again_agrees(games: Path) -> None:
    assert abapa("verify", "--rules", "abapa", "--tables", games, "--independent").code == 0
