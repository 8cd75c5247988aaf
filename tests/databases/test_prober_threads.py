"""Many threads ask one prober, and close it meanwhile: right values or one clear error, in a process of its own.

In a process of its own since what is tested for ends it: kernels read maps by their machine addresses.
"""

from __future__ import annotations

import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from databases.builder.build import build_tables
from databases.files.archive import Archive
from databases.files.faults import ClosedTableError
from databases.files.folder import find_tables, table_path
from databases.files.packing import pack
from databases.files.table import Table
from databases.files.writer import TableWriter
from databases.prober import MissingTierError, open_tables
from solver.errors import AbapaError, RulesError
from solver.omweso.rules import OmwesoRules
from tests.databases.files.small_tables import SMALL
from tests.databases.table_files import write_tables

BOARD = (0, 1, 1, 1, 0, 2)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    write_tables(folder, SMALL, 7, ("value", "distance"))
    return folder


SCRIPT = """
import sys, threading
import numpy as np
from databases.files.faults import ClosedTableError
from databases.prober import open_tables
from databases.tiers import board_at, tier_size
from solver.oware.rules import Rules

RULES = Rules.parse("awari+pits=3")
boards = np.array([board_at(3, n, k) for n in range(8) for k in range(tier_size(3, n))], np.int8)
some = [tuple(board) for board in boards[::97].tolist()]


def ask(tables):
    return (
        tables.probe_many(boards).tobytes(), tables.probe_many(boards, "distance").tobytes(),
        tables.map(3).tobytes(), [(tables.probe(b), tables.moves(b), tables.line(b)) for b in some],
    )


def race(folder, closing):
    tables, barrier, found, left = open_tables(folder, RULES), threading.Barrier(16), [], []

    def run(number):
        barrier.wait()
        try:
            if closing and number == 7:
                tables.close()
            else:
                found.append(ask(tables))
        except ClosedTableError:
            left.append(number)
        except BaseException as error:
            found.append(repr(error))

    threads = [threading.Thread(target=run, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(one == right for one in found), [one for one in found if isinstance(one, str)]
    assert closing or len(found) == 16
    tables.close()


right = ask(open_tables(sys.argv[1], RULES))
for number in range(20):
    race(sys.argv[1], closing=number % 2 == 1)
for number in range(4):
    race(sys.argv[2], closing=number % 2 == 1)
print("right")
"""


def test_sixteen_threads_and_one_that_closes(folder: Path, tmp_path: Path) -> None:
    mixed = shutil.copytree(folder, tmp_path / "mixed")
    for seeds, path in find_tables(mixed, SMALL).items():
        if seeds in (5, 7):
            with Table.open(path) as table:
                pack(table)
            path.unlink()
    run = [sys.executable, "-c", SCRIPT, str(folder), str(mixed)]
    ran = subprocess.run(run, capture_output=True, text=True, timeout=300, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "right\n", "")


def test_what_is_closed_says_so_and_keeps_what_it_gave(folder: Path) -> None:
    tables = open_tables(folder, SMALL)
    numbers = tables.map(5)
    before = numbers.copy()
    tables.close()
    tables.close()
    assert (numbers == before).all() and repr(tables).endswith("closed>")
    for ask in (
        lambda: tables.probe(BOARD),
        lambda: tables.probe((0,) * 6),
        lambda: tables.get(BOARD, 7),
        lambda: tables.moves(BOARD),
        lambda: tables.line(BOARD),
        lambda: tables.probe_many([BOARD]),
        lambda: tables.map(5),
        lambda: tables.tiers,
        lambda: tables.mapped,
        lambda: tables.seeds,
    ):
        with pytest.raises(ClosedTableError, match="were closed: open them again"):
            ask()


def test_a_closed_file_says_so(folder: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(table_path(folder, SMALL, 5), tmp_path))
    with Table.open(path) as table:
        packed = pack(table)
    with Archive.open(packed) as archive:
        pass
    for closed in (table, archive):
        with pytest.raises(ClosedTableError, match="were closed"):
            closed.read("value", 3)
        with pytest.raises(ClosedTableError, match="were closed"):
            next(iter(closed.chunks("value")))
        with pytest.raises(ClosedTableError, match="were closed"):
            closed.check()


def test_a_prober_can_be_sent_to_another_process(folder: Path) -> None:
    with open_tables(folder, SMALL) as tables:
        value = tables.probe(BOARD).value
        with pickle.loads(pickle.dumps(tables)) as other:
            assert other.probe(BOARD).value == value


# -- what cannot be asked ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("quantity", "wrong"), [("value", 1000), ("value", -129), ("value", 1.5), ("distance", -1)])
def test_a_default_that_the_numbers_cannot_hold(folder: Path, quantity: str, wrong: int) -> None:
    with open_tables(folder, SMALL) as tables:
        with pytest.raises(AbapaError, match=f"default {wrong} for {quantity}: accepted are whole numbers from"):
            tables.probe_many([BOARD], quantity, default=wrong)
        far = np.full((1, 6), 9, np.int8)
        assert tables.probe_many(far, default=127).tolist() == [127]
        with pytest.raises(MissingTierError):
            tables.probe_many(far)


def test_rules_that_are_none(folder: Path) -> None:
    for wrong in ("awari", None, OmwesoRules):
        with pytest.raises(RulesError, match=r"is no rule set here: accepted is what Rules\.parse"):
            open_tables(folder, wrong)  # type: ignore[arg-type]
        with pytest.raises(RulesError, match="is no rule set"):
            build_tables(folder, wrong, 3)  # type: ignore[arg-type]
        with pytest.raises(RulesError, match="is no rule set"):
            find_tables(folder, wrong)  # type: ignore[arg-type]
        with pytest.raises(RulesError, match="is no rule set"):
            TableWriter(folder, wrong, 3)  # type: ignore[arg-type]
