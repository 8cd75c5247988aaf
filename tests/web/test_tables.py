"""Which tables there are, and what one holds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from starlette.testclient import TestClient

from databases.prober import open_tables
from databases.statistics import longest_distance
from databases.tiers import tier_size
from solver.oware.rules import AWARI, Rules
from solver.web.app import application
from solver.web.state import State
from solver.web.tables import _largest
from tests.web.asking import API, LOCAL, TABLES


def test_every_rule_set_and_tier_is_listed(client: TestClient) -> None:
    found = client.get(f"{API}/tables").json()
    assert found["folder_given"] is True
    assert {rules["id"]: rules["complete_to"] for rules in found["rules"]} == {name: top for name, top, _ in TABLES}
    for rules in found["rules"]:
        pits = Rules.parse(rules["id"]).pits
        for tier in rules["tiers"]:
            assert tier["boards"] == tier["wins"] + tier["draws"] + tier["losses"] == tier_size(pits, tier["seeds"])
            assert (tier["exact"] is not None) == ("lower" in tier["quantities"])
            assert tier["bytes"] > 0 and len(tier["sha256"]) == 64 and tier["window"] is None
    (packed,) = [tier for rules in found["rules"] for tier in rules["tiers"] if tier["packed"]]
    assert packed["seeds"] == 8


def test_a_tier_has_its_histogram_and_longest_distance(client: TestClient, folder: Path) -> None:
    listed = client.get(f"{API}/tables").json()["rules"]
    for rules in listed:
        for tier in rules["tiers"]:
            found = client.get(f"{API}/tables/{rules['id'].replace('+', '%2B')}/{tier['seeds']}").json()
            assert {name: found[name] for name in tier} == tier
            assert sum(count for _, count in found["histogram"]) == tier["boards"]
            assert [value for value, _ in found["histogram"]] == sorted(value for value, _ in found["histogram"])
            assert (found["longest"] is not None) == ("distance" in tier["quantities"] and not tier["packed"])
    with open_tables(folder, AWARI) as tables:
        longest = longest_distance(tables, 7)
    found = client.get(f"{API}/tables/awari/7").json()["longest"]
    assert longest == (found["distance"], tuple(found["position"]["board"]))


def test_the_largest_is_found_piece_by_piece(monkeypatch) -> None:
    import solver.web.tables

    monkeypatch.setattr(solver.web.tables, "PIECE", 7)
    numbers = np.random.default_rng(5).integers(0, 50, 100).astype(np.uint16)
    assert list(_largest(numbers))[-1] == (numbers.max(), numbers.argmax())


def test_without_a_folder_there_are_no_tables(tmp_path: Path) -> None:
    with TestClient(application(State(tmp_path / "absent", named=False)), base_url=LOCAL) as client:
        assert client.get(f"{API}/tables").json() == {"folder_given": False, "rules": []}
        assert client.get(f"{API}/tables/awari/3").json()["error"]["command"].startswith("abapa build --rules awari")
        assert client.get(f"{API}/oware/search", params={"depth": "2"}).is_success
