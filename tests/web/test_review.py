"""Games reviewed and written as records."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from solver.oware import ogn
from solver.oware.position import Position
from solver.oware.rules import Rules
from solver.web.oware import review as reviewing
from tests.web.asking import API

START = "0-1-0-0-1-0-1-0-1-0-0-2-20-22-N"


def played(letters: str) -> list[Position]:
    """The positions of a game from START."""
    found = [Position.parse(START, Rules.parse("awari"))]
    for letter in letters:
        found.append(found[-1].play(letter))
    return found


def test_a_review_inside_tables_is_what_the_tables_say(client: TestClient) -> None:
    positions = played("")
    letters = ""
    while positions[-1].ending is None and len(letters) < 12:  # the last legal move each time: some are mistakes
        letters += positions[-1].letter(positions[-1].legal_moves()[-1])
        positions = played(letters)
    game = {"start": START, "rules": "awari", "moves": letters}
    found = client.post(f"{API}/oware/review", json=game).json()
    assert [move["move"] for move in found["moves"]] == list(letters)
    assert found["start"]["text"] == START and found["rules"] == "awari"
    lost = {"south": [], "north": []}
    for number, move in enumerate(found["moves"]):
        told = client.get(f"{API}/oware", params={"rules": "awari", "position": positions[number].text}).json()
        values = {known["move"]: known["value"] for known in told["moves"]}
        assert move["value"] == values[move["move"]] and move["best_value"] == max(values.values())
        assert values[move["best"]] == move["best_value"] and move["loss"] == move["best_value"] - move["value"]
        assert move["certainty"] == "exact" and move["lower"] == move["upper"] == move["value"]
        assert move["ply"] == number and move["after"]["text"] == positions[number + 1].text
        lost[move["side"]].append(move["loss"])
    assert found["average_loss"] == {side: pytest.approx(sum(of) / len(of)) for side, of in lost.items()}


def test_inside_tables_nothing_is_searched(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds come as the tables hold them, and a move that ends the game is worth what it gave."""
    monkeypatch.setattr(reviewing, "Searcher", None)
    start, moves = Position.parse("0-1-0-0-1-0-1-0-1-0-0-1-21-21-S"), "BfEaCcFdAeBbD"
    positions = [start]
    for letter in moves:
        positions.append(positions[-1].play(letter))
    assert positions[-1].ending == "repetition"
    found = client.post(f"{API}/oware/review", json={"start": start.text, "moves": moves}).json()["moves"]
    asked = [{"position": before.text} for before in positions[:-1]]
    told = client.post(f"{API}/oware", json=asked).json()
    for move, answer in zip(found[:-1], told, strict=False):
        (played,) = (known for known in answer["moves"] if known["move"] == move["move"])
        assert [move[name] for name in ("value", "lower", "upper")] == [played[n] for n in ("value", "lower", "upper")]
        assert move["certainty"] in ("exact", "bounded") and move["best_value"] == answer["moves"][0]["value"]
    bounded = {"start": "0-0-0-0-1-0-0-0-0-0-0-1-23-23-S", "moves": "E"}
    assert client.post(f"{API}/oware/review", json=bounded).json()["moves"][0]["certainty"] == "bounded"
    south, north = positions[-1].result() or (0, 0)
    last = found[-1]
    assert last["final"] == [south, north] and last["lower"] == last["upper"] == last["value"]


def test_a_record_goes_out_and_comes_in(client: TestClient) -> None:
    query = {"rules": "awari", "position": START, "moves": "a"}
    response = client.get(f"{API}/oware/record", params=query)
    assert response.headers["content-type"].startswith("text/plain")
    assert "attachment" in response.headers["content-disposition"]
    (record,) = ogn.parse(response.text)
    assert record.moves == ["a"] and record.start.text == START
    found = client.post(f"{API}/oware/review", content=response.content).json()
    assert [move["move"] for move in found["moves"]] == ["a"] and found["result"] == "*"
    assert found["title"] == record.title


def test_a_review_outside_tables_estimates_and_warns_of_what_a_record_claims(client: TestClient) -> None:
    found = client.post(f"{API}/oware/review", content=b'[South "Ama"]\n1. F f+3 2. E').json()
    assert [move["certainty"] for move in found["moves"]] == ["estimate"] * 3
    assert found["title"] == "Ama - ?" and "captures 0" in found["warnings"][0]
    assert all(move["lower"] is None for move in found["moves"])
