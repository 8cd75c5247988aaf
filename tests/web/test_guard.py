"""Who may ask, and what every answer tells a browser."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from solver.web.guard import Hosts
from solver.web.page import page_files
from tests.web.asking import API


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:8421", "localhost:1", "LOCALHOST", "[::1]:8421"])
def test_a_host_header_of_this_machine_is_admitted(client: TestClient, host: str) -> None:
    assert client.get(f"{API}/levels", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.", "", "a b", "127.0.0.1:x", "192.168.1.7", "[::2]"]
)
def test_any_other_is_refused(client: TestClient, host: str) -> None:
    response = client.get(f"{API}/levels", headers={"host": host})
    assert response.status_code == 421 and response.json()["error"]["kind"] == "bad-host"


def test_a_server_for_other_machines_admits_addresses_and_no_foreign_names() -> None:
    hosts = Hosts("0.0.0.0")
    assert hosts.admit("192.168.1.7:8421") and hosts.admit("[fe80::1]") and hosts.admit("localhost")
    assert not hosts.admit("evil.example")
    assert Hosts("box.example").admit("box.example:80") and not Hosts("127.0.0.1").admit("192.168.1.7")
    assert not Hosts("localhost").open and not Hosts("127.0.0.2").open


def test_pages_of_other_sites_may_not_ask(client: TestClient) -> None:
    for site, mode, status in (
        ("cross-site", "cors", 403),
        ("cross-site", "no-cors", 403),
        ("same-site", "cors", 403),
        ("cross-site", "navigate", 200),
        ("same-origin", "cors", 200),
        ("none", "navigate", 200),
    ):
        headers = {"sec-fetch-site": site, "sec-fetch-mode": mode, "origin": "http://evil.example"}
        response = client.get(f"{API}/levels", headers=headers)
        assert response.status_code == status
        assert not [name for name in response.headers if name.startswith("access-control")]


@pytest.mark.parametrize("path", [f"{API}/levels", f"{API}/oware?position=x", "/nothing", "/", f"{API}/oware/review"])
def test_every_answer_keeps_browsers_safe(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    parts = [part.strip().partition(" ") for part in headers["content-security-policy"].split(";")]
    policy = {name: value for name, _, value in parts}
    assert policy["default-src"] == "'none'" and policy["script-src"] == policy["style-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'" and "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "no-referrer"
    assert headers.get_list("content-security-policy") == [headers["content-security-policy"]]


def test_nothing_but_the_pages_files_is_served(client: TestClient, state) -> None:
    for name in (
        "../app.py",
        "%2e%2e/app.py",
        "..%2fapp.py",
        "/etc/passwd",
        "%2fetc%2fpasswd",
        "x%00y",
        "",
        ".",
        "a/b",
    ):
        assert client.get(f"/static/{name}").status_code == 404
    for name, file in state.page.items():
        response = client.get(f"/static/{name}")
        assert response.status_code == 200 and response.content == file.content
        assert response.headers["content-type"] == file.kind
        again = client.get(f"/static/{name}", headers={"if-none-match": response.headers["etag"]})
        assert again.status_code == 304 and not again.content
    assert client.get("/").status_code == (200 if "index.html" in state.page else 404)


def test_the_list_of_files_is_fixed_and_follows_no_links(tmp_path) -> None:
    (tmp_path / "lib").mkdir()
    for name in ("index.html", "lib/board.js", "style.css", "notes.txt", ".hidden"):
        (tmp_path / name).write_text(name)
    (tmp_path / "link.js").symlink_to("/etc/passwd")
    files = page_files(tmp_path)
    assert {name: file.kind.partition(";")[0] for name, file in files.items()} == {
        "index.html": "text/html",
        "lib/board.js": "text/javascript",
        "style.css": "text/css",
    }
    assert page_files(tmp_path / "absent") == {}
