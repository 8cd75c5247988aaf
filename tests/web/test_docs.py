"""docs/http.md: every answer in it is what the application answers today."""

from __future__ import annotations

from scripts import write_http_docs
from solver.web.routes import ADDRESSES


def test_the_page_is_up_to_date() -> None:
    assert write_http_docs.PATH.read_text() == write_http_docs.text(), "run: python scripts/write_http_docs.py"


def test_every_address_of_the_interface_has_an_example() -> None:
    addresses = {(address.method, address.path) for address in ADDRESSES}
    assert addresses == set(write_http_docs.EXAMPLES)
    without = {path for (_, path), found in write_http_docs.EXAMPLES.items() if not found}
    assert without == {"/api/v1/", "/", "/static/{name:path}"}
