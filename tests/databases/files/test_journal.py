"""What a build took, beside the tables."""

from pathlib import Path

from databases.files.folder import table_path
from databases.files.journal import JOURNAL_NAME, write_down
from databases.files.table import Table
from tests.databases.files.small_tables import SMALL


def test_what_a_build_took_is_in_the_journal(folder: Path) -> None:
    path = table_path(folder, SMALL, 4)
    with Table.open(path) as table:
        sha256 = table.header.digests["value"].whole
    write_down(folder, SMALL.id, 4, "another table", 7.0, 1)
    write_down(folder, SMALL.id, 4, sha256, 2.25, 1)
    write_down(folder, SMALL.id, 5, sha256, 9.0, 1)
    with (folder / JOURNAL_NAME).open("a") as journal:
        journal.write('[]\n{"rules": "awari+pi')
    with Table.open(path) as table:
        assert table.build_seconds == 2.25
