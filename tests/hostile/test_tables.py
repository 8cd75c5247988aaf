"""Damaged table files: plain, archives, Omweso's. Refused, or found by check, or right: never believed, never a crash.

The raw material are the golden files of tests/data/tables. Opening does not read numbers, so a damage of numbers is
found by check alone; what check calls right must have the numbers and histograms that it had before.
"""

from __future__ import annotations

import shutil
import zlib
from pathlib import Path
from typing import Any

import h5py
import pytest

from tests.hostile.courier import Judge, Trial, Worker, one_line
from tests.hostile.damage import (
    SECRET,
    Change,
    changed_attributes,
    changed_datasets,
    changed_histograms,
    damaged_bytes,
    every_page,
    other_files,
    stand_ins,
)

TABLES = Path(__file__).resolve().parents[1] / "data" / "tables"
PLAIN = ["version-1/awari+pits=2-05.h5", "version-1/abapa+pits=3-04.h5", "version-1-early/awari+pits=3-04.h5"]
PACKED = ["version-1/awari+pits=2-05.packed.h5", "version-1-early/awari+pits=3-04.packed.h5"]
HALF = "version-3/awari+pits=2-05.packed.h5"
OMWESO = ["version-1/tournament+columns=2-04.h5"]
EVERY = [*PLAIN, *PACKED, HALF, *OMWESO]
KIND = dict.fromkeys(PLAIN, "damaged tables") | dict.fromkeys(PACKED, "damaged archives")
KIND[HALF] = "damaged archives of half of the boards"
KIND |= dict.fromkeys(OMWESO, "damaged omweso tables")
COUNTS = [pytest.param(30, id="some"), pytest.param(1500, id="many", marks=pytest.mark.full)]


def bring_smaller(name: str, folder: Path) -> None:
    """Copy what a golden archive of half of the boards rests on."""
    for path in (TABLES / name).parent.glob("awari*") if name == HALF else ():
        shutil.copy(path, folder)


def judge(truth: dict[str, Any]) -> Judge:
    """Whether what check says of a file is true: right means the same numbers and histograms, and that it unpacks."""

    def wrong(answer: dict[str, Any]) -> str | None:
        if answer["faults"]:
            return None
        for key in ("numbers", "looked up", "unpacked", "histograms"):
            if answer.get(key) != truth.get(key):
                return f"check says right, but {key}: {str(answer.get(key))[:300]}"
        return None

    return wrong


def refused_or_found(trial: Trial, name: str, path: Path, truth: dict[str, Any], must_refuse: bool) -> None:
    """Bring a file. Where it must not be believed, opening or check must say so."""
    right = judge(truth)

    def must(answer: dict[str, Any]) -> str | None:
        return right(answer) or (None if answer["faults"] else "check says right")

    trial.case(name, "table", must if must_refuse else right, path=str(path))


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("name", EVERY)
def test_bytes(name: str, count: int, worker: Worker, tmp_path: Path) -> None:
    whole, path = TABLES / name, tmp_path / Path(name).name
    bring_smaller(name, tmp_path)
    shutil.copy(whole, path)
    trial, data = Trial(worker, KIND[name]), whole.read_bytes()
    truth = trial.truth("table", path=str(path))
    assert not truth["faults"]
    cases = [*damaged_bytes(data, zlib.crc32(name.encode()), count), *every_page(data), *other_files(data)]
    for case, damaged in cases:
        path.write_bytes(damaged)
        refused_or_found(trial, case, path, truth, must_refuse=False)
    trial.verdict()


def changes(path: Path, secret: Path) -> list[Change]:
    with h5py.File(path, "r") as file:
        packed = path.name.endswith(".packed.h5")
        return [*changed_histograms(file), *changed_datasets(file, secret, packed), *changed_attributes(file)]


@pytest.mark.parametrize(
    ("part", "parts"),
    [pytest.param(0, 6, id="some"), *(pytest.param(part, 6, marks=pytest.mark.full) for part in range(1, 6))],
)
@pytest.mark.parametrize("name", EVERY)
def test_hdf5(name: str, part: int, parts: int, worker: Worker, tmp_path: Path) -> None:
    """Made by HDF5 itself, so that no checksum of its own tells. In every run one attribute in six, all datasets."""
    whole, path = TABLES / name, tmp_path / Path(name).name
    bring_smaller(name, tmp_path)
    secret = tmp_path / "secret"
    secret.write_bytes(SECRET * 4096)
    shutil.copy(whole, path)
    trial = Trial(worker, KIND[name])
    truth = trial.truth("table", path=str(path))
    for number, change in enumerate(changes(whole, secret)):
        if number % parts != part if "@" in change.name else part:
            continue
        shutil.copy(whole, path)
        with h5py.File(path, "r+") as file:
            try:
                change.make(file)
            except (OSError, RuntimeError, TypeError, ValueError):  # HDF5 itself does not make such a file
                continue
        refused_or_found(trial, change.name, path, truth, change.must_refuse)
    trial.verdict()


@pytest.mark.parametrize("name", [PLAIN[0], PACKED[0], OMWESO[0]])
def test_things_in_place_of_a_table(name: str, worker: Worker, tmp_path: Path) -> None:
    trial, path = Trial(worker, "things in place of tables"), tmp_path / Path(name).name
    for what in stand_ins(path):
        trial.case(what, "table", lambda answer: None, must_refuse=True, path=str(path))
        if name == OMWESO[0]:
            continue
        for command in ("check", "stats", "unpack"):
            arguments = [command, "--rules", "awari+pits=2", "--tables", str(tmp_path)]
            trial.case(f"{what}, {command}", "command", one_line, arguments=arguments)
    trial.verdict()


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("name", [PLAIN[0], PACKED[0], HALF])
def test_asking_damaged_tables(name: str, count: int, worker: Worker, tmp_path: Path) -> None:
    """A prober looks at no hash: it may be told false numbers, but nothing else may go wrong."""
    whole, path = TABLES / name, tmp_path / Path(name).name
    bring_smaller(name, tmp_path)
    trial = Trial(worker, "damaged tables that were asked")
    shutil.copy(whole, path)
    trial.truth("asked", folder=str(tmp_path), rules="awari+pits=2", seeds=5)
    for case, damaged in damaged_bytes(whole.read_bytes(), 7, count):
        path.write_bytes(damaged)
        trial.case(case, "asked", lambda answer: None, folder=str(tmp_path), rules="awari+pits=2", seeds=5)
    trial.verdict()


@pytest.mark.parametrize("count", COUNTS)
def test_reading_damaged_omweso_boards(count: int, worker: Worker, tmp_path: Path) -> None:
    for name in ("tournament+columns=2-04.h5", "tournament+okukoneeza=off+columns=2-04.h5"):
        shutil.copy(TABLES / "version-1" / name, tmp_path)
    path, trial = tmp_path / "tournament+columns=2-04.h5", Trial(worker, "damaged omweso boards that were read")
    for case, damaged in damaged_bytes(path.read_bytes(), 8, count):
        path.write_bytes(damaged)
        trial.case(case, "omweso", lambda answer: None, folder=str(tmp_path), rules="tournament+columns=2", seeds=4)
    trial.verdict()


@pytest.mark.parametrize("count", [pytest.param(15, id="some"), pytest.param(400, id="many", marks=pytest.mark.full)])
@pytest.mark.parametrize("command", ["check", "stats", "unpack"])
def test_commands_on_damaged_tables(command: str, count: int, worker: Worker, tmp_path: Path) -> None:
    """As a person meets it: one line, and the exit code."""
    trial = Trial(worker, "commands on damaged tables")
    for name in (PLAIN[0], PACKED[0]):
        folder = tmp_path / name.replace("/", "-")
        folder.mkdir()
        path = folder / Path(name).name
        arguments = [command, "--rules", "awari+pits=2", "--tables", str(folder)]
        shutil.copy(TABLES / name, path)
        trial.truth("command", arguments=arguments)
        for case, damaged in damaged_bytes((TABLES / name).read_bytes(), 9, count):
            path.write_bytes(damaged)
            trial.case(f"{name} {case}", "command", one_line, arguments=arguments)
            (folder / "awari+pits=2-05.h5").unlink(missing_ok=True)
    trial.verdict()
