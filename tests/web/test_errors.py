"""Every way to be refused: its kind, its status, and what it says of where."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from databases.builder.plan import make_plan
from databases.files.folder import find_tables
from solver.oware.rules import Rules
from solver.web.app import application
from solver.web.errors import MEANING, RETRY_SECONDS, STATUS
from solver.web.oware import answer
from solver.web.state import State
from tests.web.asking import API

LONG = "F" * 1001
GET: list[tuple[str, int, str, str | None]] = [
    ("oware?position=1-2", 400, "bad-position", "position"),
    ("oware?position=256-0-0-0-0-0-0-0-0-0-0-0", 400, "bad-position", "position"),
    ("oware?position=" + "1-" * 300, 400, "bad-position", "position"),
    ("oware?position=%00", 400, "bad-position", "position"),
    ("oware?rules=chess", 400, "bad-rules", "rules"),
    ("oware?rules=awari%2Bpits=9", 400, "bad-rules", "rules"),
    ("oware?rules=" + "a" * 500, 400, "bad-rules", "rules"),
    ("oware?moves=Fx", 400, "bad-move", "moves"),
    ("oware?moves=FF", 400, "bad-move", "moves"),
    (f"oware?moves={LONG}", 413, "too-large", "moves"),
    ("oware?moves=" + "F" * 5000, 400, "bad-parameter", "moves"),
    ("oware?foo=1", 400, "bad-parameter", "foo"),
    ("oware?rules=awari&rules=awari", 400, "bad-parameter", "rules"),
    ("oware?position=%ff", 400, "bad-parameter", None),
    ("oware?" + "a=1&" * 40, 400, "bad-parameter", None),
    ("oware/line?limit=0", 400, "bad-parameter", "limit"),
    ("oware/line?limit=%EF%BC%94", 400, "bad-parameter", "limit"),
    ("oware/line?position=start", 404, "missing-tier", None),
    ("oware/search?seconds=31", 400, "bad-parameter", "seconds"),
    ("oware/search?seconds=nan", 400, "bad-parameter", "seconds"),
    ("oware/search?depth=101", 400, "bad-parameter", "depth"),
    ("oware/search?multipv=9", 400, "bad-parameter", "multipv"),
    ("oware/search?tables=maybe", 400, "bad-parameter", "tables"),
    ("oware/search?position=0-0-0-0-0-0-0-0-0-0-0-0", 400, "bad-position", "position"),
    ("oware/play?level=9", 400, "bad-parameter", "level"),
    ("oware/play?seed=-1", 400, "bad-parameter", "seed"),
    ("tables/awari/x", 400, "bad-parameter", "seeds"),
    ("tables/awari/99", 404, "missing-tier", None),
    ("tables/chess/3", 400, "bad-rules", "rules"),
    ("tables/abapa%2Bgrand-slam=win-only/3", 503, "no-tables", "rules"),
    ("omweso?rules=abapa", 400, "bad-rules", "rules"),
    ("omweso?position=1/2", 400, "bad-position", "position"),
    ("omweso?fresh=2", 400, "bad-parameter", "fresh"),
    ("omweso?moves=zz", 400, "bad-move", "moves"),
    ("omweso?moves=" + "i," * 500, 413, "too-large", "moves"),
    ("omweso/laps", 400, "bad-parameter", "turn"),
    ("omweso/laps?turn=zz", 400, "bad-move", "turn"),
    ("omweso/search?tables=on", 400, "bad-parameter", "tables"),
    ("nothing", 404, "not-found", None),
    ("oware/", 404, "not-found", None),
    ("oware/review", 405, "bad-method", None),
]  # fmt: skip


@pytest.mark.parametrize(("address", "status", "kind", "where"), GET, ids=[case[0][:40] for case in GET])
def test_a_bad_request_is_refused(client: TestClient, address: str, status: int, kind: str, where: str | None) -> None:
    response = client.get(f"{API}/{address}")
    error = response.json()["error"]
    assert (response.status_code, error["kind"], error["where"]) == (status, kind, where)
    assert set(error) == {"kind", "message", "where", "command", "seeds", "build"}
    assert error["message"] and "\n" not in error["message"] and len(error["message"]) < 1000


def test_a_missing_table_says_what_building_it_needs(folder: Path, tmp_path: Path) -> None:
    """The same numbers as the plan of the command itself, up to the room that a file may have left over."""

    def needed(tables: Path, rules: str, seeds: int) -> dict[str, int]:
        with TestClient(application(State(tables)), base_url="http://localhost") as asked:
            position = "-".join(map(str, [seeds, *[0] * 11]))
            error = asked.get(f"{API}/oware", params={"rules": rules, "position": position}).json()["error"]
        wanted = Rules.parse(rules)
        missing = tuple(n for n in range(error["seeds"] + 1) if n not in find_tables(tables, wanted))
        plan = make_plan(tables, wanted, error["seeds"], missing, bounds=True, distance=False, threads=1, memory=None)
        assert (error["kind"], error["build"]["boards"], error["build"]["bytes"]) == (
            "missing-tier", plan.boards, plan.disk,
        )  # fmt: skip
        return error["build"]

    small = needed(folder, "awari", 20)
    assert small["boards"] < needed(tmp_path, "awari", 20)["boards"], "the tables that are there are not built again"
    whole = needed(tmp_path, "abapa", 48)
    assert whole["boards"] > 10**12 and whole["bytes"] > 3 * 10**12 and whole["seconds"] > 24 * 3600
    assert 1 <= small["seconds"] < 60


BODIES: list[tuple[str, bytes, str, int, str]] = [
    ("oware", b"", "", 400, "bad-parameter"),
    ("oware", b"{}", "", 400, "bad-parameter"),
    ("oware", b"[" * 100_000, "", 400, "bad-parameter"),
    ("oware", b'[{"a":' * 20_000, "", 400, "bad-parameter"),
    ("oware", b"[" + b"9" * 5000 + b"]", "", 400, "bad-parameter"),
    ("oware", b'[{"rules":"awari","rules":"awari"}]', "", 400, "bad-parameter"),
    ("oware", b"\xff\xfe", "", 400, "bad-parameter"),
    ("oware", b"[" + b"{}," * 256 + b"{}]", "", 413, "too-large"),
    ("oware", json.dumps([{"moves": "F" * 1000}] * 9).encode(), "", 413, "too-large"),
    ("oware", b" " * 300_000, "", 413, "too-large"),
    ("oware/review", b"", "", 400, "bad-record"),
    ("oware/review", b"1. F f f", "", 400, "bad-record"),
    ("oware/review", b'[Variant "Chess"]\n1. F', "", 400, "bad-record"),
    ("oware/review", b"1. F f *\n1. F f *\n", "", 400, "bad-record"),
    ("oware/review", b"x" * 70_000, "", 413, "too-large"),
    ("oware/review", b"1. F", "application/json", 400, "bad-parameter"),
    ("oware/review", b'{"moves":"FF"}', "application/json", 400, "bad-move"),
    ("oware/review", b'{"moves":7}', "application/json", 400, "bad-parameter"),
    ("oware/review", b'{"position":"start"}', "application/json; charset=utf-8", 400, "bad-parameter"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "body", "kind_of_body", "status", "kind"), BODIES, ids=str)
def test_a_bad_body_is_refused(
    client: TestClient, path: str, body: bytes, kind_of_body: str, status: int, kind: str
) -> None:
    response = client.post(f"{API}/{path}", content=body, headers={"content-type": kind_of_body})
    assert (response.status_code, response.json()["error"]["kind"]) == (status, kind)


def test_a_wrong_method_says_which_are_accepted(client: TestClient) -> None:
    response = client.put(f"{API}/oware")
    assert response.status_code == 405 and set(response.headers["allow"].split(", ")) == {"GET", "HEAD", "POST"}
    assert client.request("HEAD", f"{API}/levels").status_code == 200


def test_a_damaged_table_is_told_and_in_nobody_elses_way(folder: Path, tmp_path: Path) -> None:
    for path in folder.glob("awari-*.h5"):
        shutil.copy(path, tmp_path)
    (tmp_path / "awari-03.h5").write_bytes(b"nothing")
    with TestClient(application(State(tmp_path)), base_url="http://localhost") as asked:
        damaged = asked.get(f"{API}/oware", params={"rules": "awari", "position": "1-1-0-0-0-0-1-0-0-0-0-0"})
        assert damaged.status_code == 503 and damaged.json()["error"]["kind"] == "damaged-table"
        whole = asked.get(f"{API}/oware", params={"rules": "awari", "position": "1-0-0-0-0-0-1-0-0-0-0-0"})
        assert whole.status_code == 200


def test_a_fault_of_our_own_is_told_without_its_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(answer, "answer", lambda *_: 1 / 0)
    quiet = TestClient(application(State(tmp_path)), base_url="http://localhost", raise_server_exceptions=False)
    response = quiet.get(f"{API}/oware")
    assert response.status_code == 500 and response.json()["error"]["kind"] == "fault"
    assert "Traceback" not in response.text and "ZeroDivisionError" in capsys.readouterr().err
    assert response.headers["x-content-type-options"] == "nosniff"


def test_every_kind_has_a_status_and_a_meaning() -> None:
    assert set(STATUS) == set(MEANING)
    assert set(RETRY_SECONDS) <= set(STATUS)
    assert sorted(STATUS.values()) == list(STATUS.values())
