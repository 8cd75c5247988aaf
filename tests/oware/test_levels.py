"""Levels of strength: stated, ordered, and errors drawn as they say."""

from __future__ import annotations

import random

import pytest

from solver.errors import AbapaError
from solver.oware.game import OwareGame
from solver.oware.levels import LEAST_ELO, LEVELS, MOST_ELO, Level, choose, level_of, rated
from solver.oware.position import Position
from solver.oware.rules import ABAPA
from solver.search.searcher import Searcher


def test_levels_rise() -> None:
    assert [level.level for level in LEVELS] == list(range(1, 9))
    assert (LEVELS[0].name, LEVELS[-1].name) == ("beginner", "full")
    assert [level.nodes for level in LEVELS] == sorted(level.nodes for level in LEVELS)
    assert [level.error for level in LEVELS] == sorted((level.error for level in LEVELS), reverse=True)
    assert [level.tables for level in LEVELS] == [False] * 7 + [True]
    assert [level.elo for level in LEVELS] == sorted({level.elo for level in LEVELS})
    for level in LEVELS:
        assert f"{level.nodes:,}" in level.words and level.words.endswith(".")
        assert ("misjudges" in level.words) == bool(level.error)


def test_a_number_that_is_no_level_is_refused() -> None:
    assert level_of(1) is LEVELS[0]
    for number in (0, 9, -1):
        with pytest.raises(AbapaError, match="accepted are 1 to 8"):
            level_of(number)


def test_a_rating_lies_between_two_levels() -> None:
    rising = [rated(elo) for elo in range(LEAST_ELO, MOST_ELO + 1)]
    assert [level.nodes for level in rising] == sorted(level.nodes for level in rising)
    assert [level.error for level in rising] == sorted((level.error for level in rising), reverse=True)
    for level in LEVELS:
        found = rising[level.elo - LEAST_ELO]
        assert (found.nodes, found.error, found.tables) == (level.nodes, level.error, level.tables)
    assert [level.elo for level in rising if level.tables] == [MOST_ELO]
    for elo in (LEAST_ELO - 1, MOST_ELO + 1):
        with pytest.raises(AbapaError, match=f"rating {elo}: accepted are {LEAST_ELO} to {MOST_ELO}"):
            rated(elo)


def test_a_level_errs_by_chance_and_the_same_chance_errs_the_same() -> None:
    searcher = Searcher(OwareGame(ABAPA), hash_mib=1)
    position = Position.start()

    def moves(level: Level) -> list[int]:
        found = []
        for seed in range(12):
            searcher.clear()
            choice = choose(searcher, position, level, random.Random(seed))
            assert choice.move in searcher.game.legal(position)
            found.append(choice.move)
        return found

    assert moves(LEVELS[0]) == moves(LEVELS[0])
    assert len(set(moves(LEVELS[0]))) > 2
    sound = Level(9, "sound", 1_000, 0, 0)
    assert len(set(moves(sound))) == 1


def test_a_level_without_error_plays_what_it_finds_best() -> None:
    searcher = Searcher(OwareGame(ABAPA), hash_mib=1)
    choice = choose(searcher, Position.start(), Level(9, "sound", 5_000, 0, 0), random.Random(1))
    assert choice.move == choice.best


def test_a_finished_game_is_refused() -> None:
    searcher = Searcher(OwareGame(ABAPA), hash_mib=1)
    for level in (LEVELS[0], LEVELS[6]):
        with pytest.raises(AbapaError, match="the game is over"):
            choose(searcher, Position((0,) * 12), level, random.Random(1))
