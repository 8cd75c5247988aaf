"""What a file says of itself: every way in which that is not a table's."""

import shutil
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from databases.files.faults import (
    ForeignTableError,
    IncompleteTableError,
    TableError,
    TableVersionError,
    WrongTableError,
)
from databases.files.folder import table_path
from databases.files.table import Table
from databases.files.writer import TableWriter
from solver.oware.rules import ABAPA
from tests.databases.files.small_tables import SMALL


def change(path: Path, **attributes: object) -> None:
    with h5py.File(path, "r+") as file:
        for name, value in attributes.items():
            file.attrs[name] = value


@pytest.mark.parametrize(
    ("attributes", "kind", "text"),
    [
        ({"format": "someone else's"}, ForeignTableError, "not a table of Abapa's"),
        (
            {"format_version": 0},
            TableVersionError,
            "version 0, older than the 1 read here: delete it and build it again",
        ),
        ({"format_version": 3}, TableVersionError, "version 3, newer than the 2 read here: update Abapa"),
        ({"complete": False}, IncompleteTableError, "was not finished"),
        ({"rules": "abapa+cycle=even+pits=3"}, ForeignTableError, "contradict each other"),
        ({"rules": "bao"}, ForeignTableError, "unknown rule set 'bao'"),
        ({"seeds": 5}, ForeignTableError, "its attributes are damaged"),
        ({"quantities": "value lower"}, ForeignTableError, "holds no dataset lower: it is damaged"),
        ({"quantities": "distance"}, ForeignTableError, "says that it holds 'distance'"),
        ({"quantities": "value value"}, ForeignTableError, "says that it holds 'value value'"),
        ({"quantities": "value eggs"}, ForeignTableError, "says that it holds 'value eggs'"),
        ({"quantities": 3}, ForeignTableError, "has no attribute quantities as a table has it"),
        ({"game": [1, 2]}, ForeignTableError, "has no attribute game as a table has it"),
        ({"game": "chess"}, ForeignTableError, "is a table of 'chess'"),
        ({"pits": "three"}, ForeignTableError, "has no attribute pits as a table has it"),
        ({"seeds": [4, 4]}, ForeignTableError, "has no attribute seeds as a table has it"),
        ({"seeds": 10**12}, ForeignTableError, "its attributes are damaged"),
        ({"format": [1.5, 2.5]}, ForeignTableError, "not a table of Abapa's"),
        ({"index": "some other"}, ForeignTableError, "contradict each other"),
    ],
)
def test_wrong_attributes(folder: Path, attributes: dict[str, object], kind: type[TableError], text: str) -> None:
    path = table_path(folder, SMALL, 4)
    change(path, **attributes)
    with pytest.raises(kind, match=text) as caught:
        Table.open(path)
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)


def test_a_table_under_another_name(folder: Path) -> None:
    table_path(folder, SMALL, 4).replace(table_path(folder, SMALL, 5))
    with pytest.raises(WrongTableError, match=r"holds 4 seeds of awari\+pits=3"):
        Table.open(table_path(folder, SMALL, 5))
    table_path(folder, SMALL, 3).replace(table_path(folder, ABAPA, 3))
    with pytest.raises(WrongTableError, match=r"holds 3 seeds of awari\+pits=3"):
        Table.open(table_path(folder, ABAPA, 3))


@pytest.mark.parametrize("what", ["group", "link", "short", "wide", "hashes", "numbers", "histogram", "uncounted"])
def test_what_stands_in_for_a_dataset(folder: Path, what: str) -> None:
    """Nothing but numbers of the right kind in this very file will do, and everything else is said in one line."""
    path, texts = table_path(folder, SMALL, 4), {"group": "holds no dataset value", "link": "holds no dataset value"}
    shutil.copy(path, folder / "other.h5")
    with h5py.File(path, "r+") as file:
        attributes = dict(file["value"].attrs)
        hashes = "chunk_sha256/value"
        if what in ("group", "link", "short", "wide"):
            del file["value"]
        if what == "group":
            file.create_group("value").attrs.update(attributes)
        elif what == "link":
            file["value"] = h5py.ExternalLink("other.h5", "/value")
        elif what == "short":
            file.create_dataset("value", data=np.zeros(7, np.int8)).attrs.update(attributes)
        elif what == "wide":
            file.create_dataset("value", data=np.zeros(126, ">i2")).attrs.update(attributes)
        elif what in ("hashes", "numbers"):
            del file[hashes]
            file[hashes] = np.zeros(3, "S64") if what == "hashes" else np.zeros(1, np.int64)
        elif what == "histogram":
            file["value"].attrs["histogram_counts"] = np.zeros(2, np.int64)
        else:
            counts: Any = file["value"].attrs["histogram_counts"]
            file["value"].attrs["histogram_counts"] = counts + 1
    with pytest.raises(TableError, match=texts.get(what, "is damaged|holds no|has .* hashes|does not count")) as caught:
        Table.open(path)
    assert str(caught.value).startswith(f"{path} ") and "\n" not in str(caught.value)
    assert str(caught.value).count(str(path)) == 1


def test_an_unfinished_part_is_told_apart(folder: Path) -> None:
    path = table_path(folder, SMALL, 4)
    with TableWriter(folder, SMALL, 4) as writer:
        shutil.copy(writer.part, path)
    with pytest.raises(TableError, match=r"not a table|not finished"):
        Table.open(path)


def test_tables_of_earlier_versions_open(folder: Path) -> None:
    """They carried the seconds that their build took."""
    path = table_path(folder, SMALL, 4)
    with Table.open(path) as table:
        assert table.build_seconds is None
    change(path, seconds=1.5)
    with Table.open(path) as table:
        assert table.build_seconds == 1.5 and table.check() == []
