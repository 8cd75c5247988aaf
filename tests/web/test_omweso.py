"""What the server says of Omweso, held against the reference."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from starlette.testclient import TestClient

from solver.omweso.game import ESTIMATE_LIMIT, WON
from solver.omweso.match import POINTS, Scoring, score_turn
from solver.omweso.position import OmwesoPosition, turn_text
from solver.omweso.rules import OmwesoRules
from solver.web.omweso.search import chance_of
from tests.web.asking import API, events

RULES = ("tournament", "tournament+columns=3", "tournament+columns=4+decline-capture=on", "comp424")


def boards(rules: OmwesoRules, count: int) -> list[OmwesoPosition]:
    """Random boards whose relays are short enough for the reference."""
    chance, found = random.Random(6), []
    while len(found) < count:
        sides = [[0] * rules.pits, [0] * rules.pits]
        for _ in range(chance.randint(3, 10)):
            sides[chance.randint(0, 1)][chance.randrange(rules.pits)] += 1
        found.append(OmwesoPosition(tuple(sides[0]), tuple(sides[1]), rules))
    return found


@pytest.mark.parametrize("rules_id", RULES)
def test_turns_are_those_of_the_reference(client: TestClient, rules_id: str) -> None:
    rules = OmwesoRules.parse(rules_id)
    for position in boards(rules, 40):
        found = client.get(f"{API}/omweso", params={"rules": rules_id, "position": position.text}).json()
        assert found["rules"]["id"] == rules.id and found["position"]["side"] == list(position.side)
        assert (found["over"] and found["over"]["how"]) == position.ending
        assert [turn["turn"] for turn in found["turns"]] == [turn_text(turn, rules) for turn in position.turns]
        for shown, turn in zip(found["turns"], position.turns, strict=True):
            after = position.after(turn)
            assert shown["after"]["side"] == list(after.side) and shown["after"]["opponent"] == list(after.opponent)
            assert (shown["captured"], shown["laps"], shown["status"]) == (turn.captured, turn.laps, turn.status)
            assert "".join(choice["symbol"] for choice in shown["choices"]) == shown["turn"][1:]
            name = score_turn(position, turn, Scoring(), (0, 0))
            assert shown["points"] == (None if name is None else {"name": name, "points": POINTS[name]})


@pytest.mark.parametrize("rules_id", RULES)
def test_laps_lead_from_the_board_to_the_board_after(client: TestClient, rules_id: str) -> None:
    rules = OmwesoRules.parse(rules_id)
    for position in boards(rules, 15):
        for turn in position.turns:
            query = {"rules": rules_id, "position": position.text, "turn": turn_text(turn, rules)}
            found = client.get(f"{API}/omweso/laps", params=query).json()
            side, opponent = list(position.side), list(position.opponent)
            for lap in found["laps"]:
                assert lap["lifted"] == len(lap["sown"])
                if lap["kind"] != "capture":
                    assert side[lap["pit"]] == lap["lifted"]
                    side[lap["pit"]] = 0
                for sown in lap["sown"]:
                    assert sown["side"] == "mover"
                    side[sown["pit"]] += 1
                for pit in lap["captured"]:
                    assert opponent[pit]
                    opponent[pit] = 0
                assert (lap["side"], lap["opponent"]) == (side, opponent)
            assert not found["truncated"] and len(found["laps"]) == turn.laps
            if turn.ends:
                assert (tuple(side), tuple(opponent)) == (turn.side, turn.opponent)


def test_the_opening_sowing_is_one_lap(client: TestClient) -> None:
    query = {"position": "seventeen-six-threes", "turn": "g*"}
    turns = client.get(f"{API}/omweso", params={"position": query["position"]}).json()["turns"]
    (opening,) = [turn for turn in turns if turn["turn"] == "g*"]
    (lap,) = client.get(f"{API}/omweso/laps", params=query).json()["laps"]
    assert lap["side"] == opening["after"]["opponent"] and [sown["pit"] for sown in lap["sown"]] == [10, 10, 11]


def test_a_long_turn_is_cut_off_and_an_endless_one_answered(client: TestClient) -> None:
    position = "2,0,1,0,1,0,1,0,1,0,1,0,1,0,2,1/0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0"
    found = client.get(f"{API}/omweso/laps", params={"position": position, "turn": "i"}).json()
    assert len(found["laps"]) == 128 and not found["truncated"]
    more = "4,3,5,1,2,0,3,3,2,0,4,1,5,2,1,3/1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0"
    turns = client.get(f"{API}/omweso", params={"position": more}).json()["turns"]
    longest = max(turns, key=lambda turn: turn["laps"])
    shown = client.get(f"{API}/omweso/laps", params={"position": more, "turn": longest["turn"]}).json()
    assert shown["truncated"] == (longest["laps"] > 300) and len(shown["laps"]) == min(300, longest["laps"])


def test_a_board_of_more_turns_than_can_be_listed_is_refused(client: TestClient) -> None:
    rules = "tournament+decline-capture=on+reverse-fwd-reentry=on"
    position = ",".join(["4"] * 16) + "/" + ",".join(["3"] * 15 + ["2"])
    response = client.get(f"{API}/omweso", params={"rules": rules, "position": position})
    if response.status_code == 200:
        assert len(response.json()["turns"]) <= 1024
    else:
        assert response.status_code == 400 and "1,024 turns" in response.json()["error"]["message"]


def test_turns_played_are_known_to_repetition(client: TestClient) -> None:
    position = "2,0,0,0/0,2,0,0"
    rules = "tournament+columns=2"
    game, moves = OmwesoPosition.parse(position, OmwesoRules.parse(rules)), []
    while game.ending is None and len(moves) < 60:
        turn = game.turns[0]
        moves.append(turn_text(turn, game.rules))
        game = game.after(turn)
    query = {"rules": rules, "position": position, "moves": ",".join(moves)}
    found = client.get(f"{API}/omweso", params=query).json()
    assert found["over"]["how"] == game.ending and found["turns"] == []
    response = client.get(f"{API}/omweso", params=query | {"moves": query["moves"] + ",a"})
    assert response.status_code == 400 and "the game is over" in response.json()["error"]["message"]


def test_a_search_gives_chances(client: TestClient) -> None:
    found = events(client.get(f"{API}/omweso/search", params={"depth": "3", "multipv": "2"}).text)
    assert [name for name, _ in found] == ["depth"] * 3 + ["done"]
    assert all(0 <= line["chance"] <= 1 for name, data in found if name == "depth" for line in data["lines"])
    won = "0,0,0,0,0,0,0,2,0,1,0,0,0,0,0,0/0,2,0,0,0,0,0,0,0,0,0,0,0,0,1,0"
    done = events(client.get(f"{API}/omweso/search", params={"position": won, "depth": "6"}).text)[-1][1]
    assert done["chance"] == 1.0 and done["plies_to_end"] is not None


def test_chances_rise_with_scores() -> None:
    chances = [chance_of(score) for score in (5 - WON, -ESTIMATE_LIMIT, -80, 0, 80, ESTIMATE_LIMIT, WON - 5)]
    assert chances == sorted(chances) and chances[0] == 0 and chances[3] == 0.5 and chances[-1] == 1
    assert chance_of(80) == pytest.approx(0.7311, abs=1e-4)


def test_setups(client: TestClient) -> None:
    found = client.get(f"{API}/omweso/setups").json()
    assert [setup["name"] for setup in found["setups"]][:2] == ["outer-four", "all-two"] and found["fixed"] is None
    fixed = client.get(f"{API}/omweso/setups", params={"rules": "tournament+setup=outer-four"}).json()
    assert fixed["fixed"] == [4] * 8 + [0] * 8
    start = client.get(f"{API}/omweso", params={"rules": "tournament+setup=outer-four"}).json()
    assert start["position"]["side"] == [4] * 8 + [0] * 8


def test_a_listed_position_is_the_references() -> None:
    from solver.web.omweso.game import ListedPosition

    for position in boards(OmwesoRules(), 30):
        listed = ListedPosition.of(replace(position, first_turns=(True, False), fresh=True))
        plain = replace(position, first_turns=(True, False), fresh=True)
        assert [replace(turn, captures=()) for turn in plain.turns] == list(listed.turns)
        assert listed.ending == plain.ending and listed.result == plain.result
