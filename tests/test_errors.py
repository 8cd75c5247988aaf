"""Errors that a person can cause: one line whatever they quote, and whole through pickle, as a pool sends them back."""

from __future__ import annotations

import importlib
import pickle
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import databases
import solver
from databases.files.faults import TruncatedTableError
from databases.files.lock import LockedError
from databases.prober import MissingTierError
from solver.errors import AbapaError, cut, quoted
from solver.oware.rules import AWARI


def kinds() -> Iterator[type[AbapaError]]:
    for package in (solver, databases):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    waiting = [AbapaError]
    while waiting:
        kind = waiting.pop()
        yield kind
        waiting += kind.__subclasses__()


def test_every_kind_of_error_is_pickled() -> None:
    found = set(kinds())
    assert {AbapaError, TruncatedTableError, MissingTierError, LockedError} <= found
    for kind in found:
        error = kind.__new__(kind, "text")
        error.args, error.__dict__["seeds"] = ("text",), 12
        back = pickle.loads(pickle.dumps(error))
        assert type(back) is kind and back.args == ("text",) and back.__dict__ == error.__dict__


@pytest.mark.parametrize(
    "error",
    [
        MissingTierError(Path("tables"), AWARI, 12),
        TruncatedTableError(Path("awari-12.h5"), "is truncated", "delete it"),
        LockedError(Path("tables"), 17),
    ],
)
def test_what_an_error_knows_comes_back(error: AbapaError) -> None:
    back = pickle.loads(pickle.dumps(error))
    assert (type(back), str(back), back.__dict__) == (type(error), str(error), error.__dict__)


@pytest.mark.parametrize("mark", ["\n", "\r", "\x0b", "\x0c", "\x1b", "\x7f", "\x85", "\u2028", "\u2029", "\0"])
def test_what_is_quoted_stays_in_one_line(mark: str) -> None:
    for shown in (cut(f"a{mark}b"), quoted(f"a{mark}b")):
        assert mark not in shown and len(shown.splitlines()) == 1
    assert cut("é – 種 🌱") == "é – 種 🌱" and cut("x" * 100) == "x" * 80 + "..."
