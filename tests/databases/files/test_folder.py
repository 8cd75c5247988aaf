"""Names of tables, and the folder that they lie in."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from databases.files.folder import TABLES_VARIABLE, TableName, find_tables, parse_name, table_path, tables_folder
from solver.oware.rules import AWARI, Rules
from tests.oware.strategies import table_rule_sets


@given(table_rule_sets, st.integers(0, 127))
def test_names_read_back(rules: Rules, seeds: int) -> None:
    assert parse_name(table_path(Path("x"), rules, seeds)) == TableName(rules.id, seeds)


def test_names_are_those_of_the_design(tmp_path: Path) -> None:
    assert table_path(Path(), AWARI, 12).name == "awari-12.h5"
    assert table_path(Path(), Rules.parse("abapa+cycle=even"), 8).name == "abapa+cycle=even-08.h5"
    assert table_path(Path(), Rules.parse("awari+pits=4"), 10).name == "awari+pits=4-10.h5"
    for name in ("awari-12.h5", "awari+pits=4-10.h5", "awari-03.h5", "awari-04.h5.part", "notes.txt"):
        (tmp_path / name).touch()
    assert list(find_tables(tmp_path, AWARI)) == [3, 12]
    assert find_tables(tmp_path / "absent", AWARI) == {}


def test_the_folder_is_the_option_the_variable_or_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TABLES_VARIABLE, "/from/variable")
    assert tables_folder("/from/option") == Path("/from/option")
    assert tables_folder() == Path("/from/variable")
    monkeypatch.delenv(TABLES_VARIABLE)
    assert tables_folder().parts[-2:] == ("abapa", "tables")
