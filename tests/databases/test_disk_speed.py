"""The speed of a disk, and what the plan of a build from disk makes of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from databases.builder.build import build_tables
from databases.builder.cells import MarginFile
from databases.builder.plan import Plan, cells_traffic
from databases.machine import DiskSpeed, measure_disk
from solver.oware.rules import ABAPA, AWARI, Rules


def test_a_disk_is_measured_and_nothing_stays(tmp_path: Path) -> None:
    found = measure_disk(tmp_path)
    assert found is not None and found.written > 0 and found.read > 0
    assert not list(tmp_path.iterdir())
    assert measure_disk(tmp_path / "nowhere") is None
    assert DiskSpeed(10.0, 100.0).seconds(50, 1000) == 15.0


def plan_of(folder: Path, rules: Rules, *, little: bool) -> Plan:
    plan = build_tables(folder, rules, 13, threads=1, dry_run=True)
    return build_tables(folder, rules, 13, threads=1, memory=plan.least_memory, dry_run=True) if little else plan


def test_only_a_build_from_disk_measures_it(tmp_path: Path) -> None:
    assert plan_of(tmp_path, AWARI, little=False).disk_seconds is None
    plan = plan_of(tmp_path, AWARI, little=True)
    assert plan.in_cells and plan.disk_speed is not None
    plan = replace(plan, disk_speed=DiskSpeed(50e6, 200e6))
    moved = [cells_traffic(6, n, plan.quantities) for n in plan.in_cells]
    wanted = sum(written for written, _ in moved) / 50e6 + sum(read for _, read in moved) / 200e6
    assert plan.disk_seconds == pytest.approx(wanted)
    assert f"disk time    {wanted:20,.0f} s at most for that, at 50 MB/s written, 200 MB/s read" in plan.text


@pytest.mark.parametrize("rules", [AWARI, ABAPA])
def test_a_build_moves_no_more_than_is_planned(tmp_path: Path, rules: Rules, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes of margin files, counted where they are moved, and of the tables; not much less either."""
    plan = plan_of(tmp_path, rules, little=True)
    moved = {"written": 0, "read": 0}

    def count(kind: type, name: str, key: str) -> None:
        whole = getattr(kind, name)

        def counted(self: object, *args: object) -> object:
            moved[key] += next(arg.nbytes for arg in reversed(args) if hasattr(arg, "nbytes"))  # type: ignore[attr-defined]
            return whole(self, *args)

        monkeypatch.setattr(kind, name, counted)

    count(MarginFile, "read", "read")
    count(MarginFile, "write", "written")
    build_tables(tmp_path, rules, 13, threads=1, memory=plan.least_memory, checkpoint_share=0)
    most = [sum(both) for both in zip(*(cells_traffic(6, n, plan.quantities) for n in plan.in_cells), strict=True)]
    assert moved["written"] <= most[0] and moved["read"] <= most[1]
    assert moved["written"] > most[0] / 3 and moved["read"] > most[1] / 2
