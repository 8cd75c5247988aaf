"""What the server says of Oware positions, held against the prober and the rules."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from databases.prober import open_tables
from solver.oware.position import Position
from solver.oware.rules import Rules
from solver.oware.verdicts import bounded_verdict, move_verdict
from tests.web.asking import API, TABLES, positions

NUMBERS = ("value", "lower", "upper", "distance")


def ask(client: TestClient, position: Position, **fields: str) -> dict[str, Any]:
    """The answer about a position."""
    query = {"rules": position.rules.id, "position": position.text} | fields
    return client.get(f"{API}/oware", params=query).json()


@pytest.mark.parametrize(("rules_id", "seeds", "distance"), TABLES)
def test_values_are_the_probers(client: TestClient, folder: Path, rules_id: str, seeds: int, distance: bool) -> None:
    with open_tables(folder, Rules.parse(rules_id)) as tables:
        for position in positions(rules_id, seeds, 150, seed=1):
            found = ask(client, position)
            assert "error" not in found
            if position.ending is not None:
                assert found["certainty"] == "over" and found["moves"] == []
                assert tuple(found["final"]) == position.result()
                continue
            probe = tables.probe(position)
            assert [found[name] for name in NUMBERS] == [getattr(probe, name) for name in NUMBERS]
            assert found["certainty"] == ("exact" if probe.exact else "bounded")
            first = position.turn * position.rules.pits
            values = {position.letter(move.house + first): move for move in tables.moves(position)}
            assert {move["move"] for move in found["moves"]} == set(values)
            for move in found["moves"]:
                value = values[move["move"]]
                assert [move[name] for name in NUMBERS] == [getattr(value, name) for name in NUMBERS]
                assert move["captured"] == value.captured


@pytest.mark.parametrize(("rules_id", "seeds", "distance"), TABLES)
def test_moves_are_those_of_the_rules(client: TestClient, rules_id: str, seeds: int, distance: bool) -> None:
    for position in positions(rules_id, seeds, 80, seed=2):
        found = ask(client, position)
        for move in found["moves"]:
            after = position.play(move["move"])
            assert move["after"]["text"] == after.text
            assert move["after"] == ask(client, after)["position"]
            board = list(position.board)
            board[move["house"]] = 0
            for house in move["sowing"]:
                board[house] += 1
            assert sum(board[house] for house in move["captures"]) == move["captured"]
            for house in move["captures"]:
                board[house] = 0
            assert tuple(board) == after.board
            ending = None if after.ending is None else (after.ending, list(after.result() or ()))
            assert (move["ends"] and (move["ends"]["how"], move["ends"]["final"])) == ending
            if move["final"] is not None:
                assert sum(move["final"]) == position.total
        assert found["position"]["text"] == position.text


def test_a_verdict_names_the_winner_the_unit_and_the_final_seeds(client: TestClient) -> None:
    cases = {
        ("awari", "0-0-0-0-1-2-0-0-0-0-1-1-23-20-S"): "North wins by 2 seeds, 23-25",
        ("awari", "0-0-0-0-0-1-1-0-0-0-0-0-23-23-S"): "The game is over (South has no legal move): "
        "South wins by 2 seeds, 25-23",
        ("awari", "0-0-0-0-0-0-0-0-0-0-0-2-25-21-N"): "The game is over (a majority): South wins by 4 seeds, 25-21",
        ("awari", "0-0-0-0-0-0-0-0-0-0-0-1-24-23-S"): "The game is over (South has no legal move): A draw, 24-24",
        ("abapa", "0-0-0-0-1-1-0-0-0-0-1-1-22-22-S"): "Open: South can force 22-26, North can hold South to 26-22",
    }  # fmt: skip
    for (rules_id, text), verdict in cases.items():
        assert ask(client, Position.parse(text, Rules.parse(rules_id)))["verdict"] == verdict


def test_a_verdict_of_bounds_says_what_each_side_can_force() -> None:
    south = Position((1,) * 12, (10, 6))
    assert bounded_verdict(south, -2, 2) == (
        "South wins by 2 to 6 seeds: South can force 15-13, North can hold South to 17-11"
    )
    assert bounded_verdict(replace(south, turn=1), 5, 6) == (
        "North wins by 1 to 2 seeds: North can force 13.5-14.5, South can hold North to 13-15"
    )
    assert bounded_verdict(south, -6, -5).startswith("North wins by 1 to 2 seeds: South can force 13-15")
    assert bounded_verdict(south, -12, 0).startswith("Open: South can force 10-18")
    assert [move_verdict(*at) for at in ((2, 6), (-6, -2), (-4, 0), (0, 0), (3, 3), (-1, -1))] == [
        "wins by 2 to 6", "loses by 2 to 6", "between -4 and 0", "draws", "wins by 3", "loses by 1"
    ]  # fmt: skip


def test_a_majority_ends_the_game_and_values_count_on(client: TestClient) -> None:
    position = Position.parse("0-0-0-0-0-2-1-1-1-0-1-1-22-19-S", Rules.parse("awari"))
    (move,) = ask(client, position)["moves"]
    assert move["ends"] == {
        "how": "majority",
        "final": [26, 19],
        "words": "The game is over (a majority): South wins by 7 seeds, 26-19",
    }
    assert move["outcome"] == "win" and move["certainty"] == "exact" and sum(move["final"]) == position.total == 48
    over = Position.parse("0-0-0-0-1-2-0-0-0-0-1-1-26-12-S", Rules.parse("awari"))
    found = ask(client, over)
    assert found["over"]["how"] == "majority" and found["value"] == 0 and found["final"] == [26, 12]


def test_repetition_is_known_from_the_moves(client: TestClient) -> None:
    """A board that comes back ends the game, and a move that leads to one is worth what that gives."""
    start = Position((0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1), (23, 23), 0, Rules.parse("awari"))
    moves, position, checked = "", start, 0
    while position.ending is None:
        found = ask(client, start, moves=moves)
        assert found["history"] == len(position.seen) and not found["repeats"]
        assert found["game"] == {"start": start.text, "moves": list(moves)}
        for move in found["moves"]:
            after = position.play(move["move"])
            if after.ending == "repetition":
                checked += 1
                assert move["ends"]["how"] == "repetition" and move["certainty"] == "over"
                assert move["final"] == move["ends"]["final"] == list(after.result() or ())
                assert move["value"] == 0
        assert found["value"] == max(move["value"] for move in found["moves"])
        letter = found["moves"][0]["move"]
        moves, position = moves + letter, position.play(letter)
    found = ask(client, start, moves=moves)
    assert found["repeats"] == (position.ending == "repetition") and found["over"]["how"] == position.ending
    assert checked or position.ending != "repetition"


def test_a_missing_table_names_its_command_and_shows_the_board(client: TestClient, folder: Path) -> None:
    response = client.get(f"{API}/oware", params={"moves": "F"})
    found = response.json()
    assert response.status_code == 404
    error = found["error"]
    assert error["kind"] == "missing-tier" and error["seeds"] == 48 and str(folder) in error["command"]
    assert error["command"].startswith("abapa build --rules abapa --seeds 48")
    assert found["value"] is None and found["certainty"] is None and found["verdict"] is None
    assert [move["move"] for move in found["moves"]] == list("abcdef")
    assert all(move["value"] is None and move["outcome"] is None for move in found["moves"])
    assert set(found) - {"error"} == set(ask(client, Position.parse("1" + "-0" * 11)))


def test_rules_that_can_have_no_tables_show_the_board(client: TestClient) -> None:
    response = client.get(f"{API}/oware", params={"rules": "abapa+grand-slam=win-only"})
    assert response.status_code == 503 and response.json()["error"]["kind"] == "no-tables"
    assert len(response.json()["moves"]) == 6


def test_a_grand_slam_that_captures_nothing_is_told(client: TestClient) -> None:
    found = ask(client, Position.parse("0-0-0-0-0-2-1-1-0-0-0-0-20-20-S"))
    (move,) = found["moves"]
    assert move["slam"] and not move["captured"] and move["captures"] == []


def test_many_positions_are_answered_each_in_its_place(client: TestClient) -> None:
    asked: list[Any] = [{"position": position.text} for position in positions("abapa", 7, 256, seed=3)]
    asked[7], asked[9], asked[11] = {"position": "x"}, 5, {"moves": "Fx"}
    response = client.post(f"{API}/oware", json=asked)
    found = response.json()
    assert response.status_code == 200 and len(found) == 256
    assert [found[at]["error"]["kind"] for at in (7, 9, 11)] == ["bad-position", "bad-parameter", "bad-move"]
    for at in (0, 8, 255):
        assert found[at] == client.get(f"{API}/oware", params=asked[at]).json()


def test_a_line_is_the_probers_and_ends_with_the_game(client: TestClient, folder: Path) -> None:
    with open_tables(folder, Rules.parse("awari")) as tables:
        for position in positions("awari", 7, 40, seed=4):
            query = {"rules": "awari", "position": position.text, "limit": "20"}
            found = client.get(f"{API}/oware/line", params=query).json()
            if position.ending is not None:
                assert found["line"] == [] and found["end"] == "over"
                continue
            line = tables.line(position, 20)
            assert [step["value"] for step in found["line"]] == [m.value for m in line.moves[: len(found["line"])]]
            after = position
            for step in found["line"]:
                after = after.play(step["move"])
                assert step["after"]["text"] == after.text
            assert (found["end"] == "over") == (after.ending is not None)
            if found["end"] != "over":
                assert found["end"] == line.end


def test_tables_that_come_while_it_runs_are_found(client: TestClient, folder: Path, tmp_path: Path) -> None:
    from databases.builder.build import build_tables
    from solver.web.app import application
    from solver.web.state import State

    rules = Rules.parse("awari+pits=2")
    made = tmp_path / "later"
    with TestClient(application(State(made)), base_url="http://localhost") as later:
        query = {"rules": rules.id, "position": "1-0-0-1"}
        assert later.get(f"{API}/oware", params=query).status_code == 404
        build_tables(made, rules, 1, threads=1)
        assert later.get(f"{API}/oware", params=query).status_code == 404
        build_tables(made, rules, 2, threads=1)
        assert later.get(f"{API}/oware", params=query).status_code == 200
