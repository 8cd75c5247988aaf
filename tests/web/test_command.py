"""``abapa serve``: one request without a server, and what it refuses to start with."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from tests.cli.command_line import abapa, refused
from tests.web.asking import API, events


def test_one_request_is_answered_without_a_server(folder: Path) -> None:
    ran = abapa("serve", "--tables", folder, "--get", f"{API}/oware?rules=awari&position=1-0-0-0-0-0-1-0-0-0-0-0")
    assert ran.code == 0 and not ran.err
    assert json.loads(ran.out)["certainty"] == "exact"
    spaced = abapa("serve", "--tables", folder, "--get", f"{API}/oware?rules=awari&position=1 0 0 0 0 0 1 0 0 0 0 0")
    assert json.loads(spaced.out) == json.loads(ran.out)


def test_a_stream_is_printed_as_it_comes(folder: Path) -> None:
    ran = abapa("serve", "--tables", folder, "--get", f"{API}/oware/search?depth=3&tables=off")
    assert ran.code == 0 and [name for name, _ in events(ran.out)] == ["depth"] * 3 + ["done"]


@pytest.mark.parametrize(
    ("address", "code", "kind"),
    [
        ("/api/v1/oware?position=start", 1, "missing-tier"),
        ("/nothing", 1, "not-found"),
        ("/api/v1/oware?position=x", 2, "bad-position"),
        ("/api/v1/oware/review", 2, "bad-method"),
    ],
)
def test_the_exit_code_says_whether_there_is_an_answer(folder: Path, address: str, code: int, kind: str) -> None:
    ran = abapa("serve", "--tables", folder, "--get", address)
    assert ran.code == code and json.loads(ran.out)["error"]["kind"] == kind


def test_it_starts_with_nothing_that_cannot_be(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused(abapa("serve", "--tables", tmp_path / "absent"), "no tables folder")
    refused(abapa("serve", "--tables", folder / "awari-03.h5"), "is no folder of tables")
    refused(abapa("serve", "--tables", folder, "--get", "oware"), "accepted are addresses")
    refused(abapa("serve", "--tables", folder, "--host", "no such host"), "cannot listen on no such host")
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "uvicorn" else find(name))
    refused(abapa("serve", "--tables", folder), "pip install 'abapa[serve]'")
