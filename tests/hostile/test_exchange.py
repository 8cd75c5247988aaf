"""Damaged tables and scores files as commands meet them: export, compare, import, verify, probe, line, stats, sample.

What becomes of a file itself is in :mod:`tests.hostile.test_tables` and :mod:`tests.hostile.test_records`. Here a
command must end in order, and must not say of a false table that it is right.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.hostile.asks import sha
from tests.hostile.courier import Judge, Trial, Worker, one_line
from tests.hostile.damage import damaged_bytes, every_page, other_files
from tests.hostile.names import AWARI, AbapaError, Table, table_path

TOP = 4
COUNTS = [pytest.param(20, id="some"), pytest.param(600, id="many", marks=pytest.mark.full)]


@pytest.fixture(scope="module")
def whole(worker: Worker, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Awari's tables and scores files of 0 to TOP seeds, in one folder."""
    folder = tmp_path_factory.mktemp("whole")
    Trial(worker, "exchange").truth("exported", folder=str(folder), seeds=TOP, target=str(folder))
    return folder


def numbers(path: Path) -> str | None:
    """A hash of a table's values; None where it cannot be opened."""
    try:
        with Table.open(path) as table:
            return sha(table.map("value"))
    except AbapaError:
        return None


def told_right(path: Path, truth: str | None) -> Judge:
    """A command that ends with exit code 0 has found the values right: they must be those of the whole table."""

    def wrong(ran: dict[str, Any]) -> str | None:
        if ran["code"] == 0 and numbers(path) != truth:
            return f"said to be right: {ran['out'][-200:]}"
        return one_line(ran)

    return wrong


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("command", ["verify", "compare", "export"])
def test_commands_on_a_damaged_table(command: str, count: int, whole: Path, worker: Worker, tmp_path: Path) -> None:
    """verify solves again and compare has the file: both must see every false number."""
    folder = tmp_path / "tables"
    shutil.copytree(whole, folder)
    path = table_path(folder, AWARI, TOP)
    data, truth, trial = path.read_bytes(), numbers(path), Trial(worker, "damaged tables on the command line")
    tables = ["--tables", str(folder)]
    arguments = {
        "verify": ["--rules", "awari", *tables, "--independent"],
        "compare": [str(folder / f"scores.{TOP}"), *tables],
        "export": ["--rules", "awari", *tables, "--seeds", str(TOP), "-o", str(tmp_path / "out"), "--force"],
    }[command]
    call: dict[str, Any] = {"arguments": [command, *arguments]}
    assert trial.truth("command", **call)["code"] == 0
    judge = one_line if command == "export" else told_right(path, truth)
    for case, damaged in [*damaged_bytes(data, 31, count), *list(every_page(data))[:: 1 if count > 20 else 4]]:
        path.write_bytes(damaged)
        trial.case(case, "command", judge, **call)
    trial.verdict()


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("command", ["import", "compare"])
def test_commands_on_a_damaged_scores_file(
    command: str, count: int, whole: Path, worker: Worker, tmp_path: Path
) -> None:
    folder = tmp_path / "tables"
    shutil.copytree(whole, folder)
    file, table = folder / f"scores.{TOP}", table_path(folder, AWARI, TOP)
    data, trial = file.read_bytes(), Trial(worker, "damaged scores files on the command line")
    call: dict[str, Any] = {"arguments": [command, str(file), "--tables", str(folder)]}
    assert trial.truth("command", **call)["code"] == 0

    def found(ran: dict[str, Any]) -> str | None:
        if ran["code"] == 0 and file.read_bytes() != data:
            return f"agrees, they say: {ran['out'][-200:]}"
        return one_line(ran)

    for case, damaged in [*damaged_bytes(data, 32, count), *other_files(data)]:
        file.write_bytes(damaged)
        if command == "import":
            table.unlink(missing_ok=True)
        trial.case(case, "command", found if command == "compare" else one_line, **call)
    trial.verdict()


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("command", ["probe", "line", "stats", "sample"])
def test_asking_a_damaged_table(command: str, count: int, whole: Path, worker: Worker, tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    shutil.copytree(whole, folder)
    path, trial = table_path(folder, AWARI, TOP), Trial(worker, "damaged tables that were asked by a command")
    tables = ["--rules", "awari", "--tables", str(folder)]
    board = "0-0-0-0-1-1-0-0-0-0-1-1"
    more = {"probe": [board], "line": [board], "stats": ["--seeds", str(TOP)], "sample": ["--seeds", str(TOP)]}[command]
    call: dict[str, Any] = {"arguments": [command, *tables, *more, *(["--count", "5"] if command == "sample" else [])]}
    assert trial.truth("command", **call)["code"] == 0
    data = path.read_bytes()
    for case, damaged in damaged_bytes(data, 33, count):
        path.write_bytes(damaged)
        trial.case(case, "command", one_line, **call)
    trial.verdict()
