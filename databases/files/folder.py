"""Where tables lie: the option, ``ABAPA_TABLES``, or the user's data folder; and which file holds which tier.

File names are all that is looked at: nothing is opened here (:mod:`databases.files.table` does).
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

from platformdirs import user_data_path

from databases.files.faults import ForeignTableError
from databases.files.games import TableRules, want_table_rules
from databases.windows import WHOLE
from solver.errors import AbapaError

TABLES_VARIABLE = "ABAPA_TABLES"
SUFFIX = ".h5"
ARCHIVE_SUFFIX = ".packed.h5"
CHECKPOINT_SUFFIX = ".checkpoint"
_NAME = re.compile(
    r"(?P<rules>[^.]+)-(?P<seeds>[0-9]{2,3})(?:\.w(?P<window>[1-9][0-9]{0,2}))?(?P<suffix>\.h5|\.packed\.h5|\.checkpoint)"
)


class TableName(NamedTuple):
    """What a file's name claims: the id of the rules, the seeds, and the window (:mod:`databases.windows`)."""

    rules: str
    seeds: int
    window: int = WHOLE


def tables_folder(option: Path | str | None = None) -> Path:
    """The folder named by ``option``, else by ``$ABAPA_TABLES``, else ``tables`` in the user's data folder."""
    if option is not None:
        return Path(option)
    named = os.environ.get(TABLES_VARIABLE)
    return Path(named) if named else default_folder()


def default_folder() -> Path:
    """The folder where nobody names one: it need not be there."""
    return user_data_path("abapa") / "tables"


def existing_folder(directory: Path) -> Path:
    """The folder itself. Raises :class:`~solver.errors.AbapaError` where it is none, or not there."""
    if not directory.is_dir():
        what = f"{directory} is no folder of tables" if directory.exists() else f"no tables folder {directory}"
        raise AbapaError(f"{what}: abapa build makes one")
    return directory


def table_path(directory: Path, rules: TableRules, seeds: int, window: int = WHOLE) -> Path:
    """The file of one tier: ``DIR/awari-12.h5``, ``DIR/abapa+cycle=even-08.h5``; in a window ``DIR/awari-34.w3.h5``."""
    return _path(directory, rules, seeds, window, SUFFIX)


def archive_path(directory: Path, rules: TableRules, seeds: int, window: int = WHOLE) -> Path:
    """The archive of one tier: ``DIR/awari-12.packed.h5``."""
    return _path(directory, rules, seeds, window, ARCHIVE_SUFFIX)


def checkpoint_path(directory: Path, rules: TableRules, seeds: int, window: int = WHOLE) -> Path:
    """The state of a tier that is being built: ``DIR/awari-12.checkpoint``."""
    return _path(directory, rules, seeds, window, CHECKPOINT_SUFFIX)


def _path(directory: Path, rules: TableRules, seeds: int, window: int, suffix: str) -> Path:
    tag = "" if window == WHOLE else f".w{window}"
    return directory / f"{rules.id}-{seeds:02d}{tag}{suffix}"


def parse_name(path: Path, suffix: str = SUFFIX) -> TableName | None:
    """What a file name claims, or None where it is not a table's (or archive's) name."""
    match = _NAME.fullmatch(path.name)
    if match is None or match["suffix"] != suffix:
        return None
    window = int(match["window"] or WHOLE)
    if match["window"] and not window < int(match["seeds"]):
        return None
    return TableName(match["rules"], int(match["seeds"]), window)


def claimed(path: Path, suffix: str = SUFFIX) -> TableName:
    """What a table's name claims. Raises :class:`ForeignTableError` for another name."""
    name = parse_name(path, suffix)
    if name is None:
        raise ForeignTableError(path, f"is not named like a table (RULES-SEEDS{suffix}, as in awari-12{suffix})")
    return name


def find_tables(directory: Path, rules: TableRules) -> dict[int, Path]:
    """The files in ``directory`` that claim to be tables of ``rules``, by seeds, fewest first; nothing is opened.

    Of a tier that is there in several windows the widest counts: it serves wherever another one would.
    """
    return _find(directory, rules, SUFFIX)


def find_archives(directory: Path, rules: TableRules) -> dict[int, Path]:
    """The same for archives."""
    return _find(directory, rules, ARCHIVE_SUFFIX)


def find_checkpoints(directory: Path, rules: TableRules) -> dict[int, Path]:
    """The same for what builds that were stopped have left to go on from."""
    return _find(directory, rules, CHECKPOINT_SUFFIX)


def find_files(directory: Path, rules: TableRules, suffix: str = SUFFIX) -> dict[TableName, Path]:
    """Every file in ``directory`` that claims to be a table (by ``suffix``) of ``rules``, in order of seeds, window."""
    want_table_rules(rules)
    paths = _listed(directory) if directory.is_dir() else []
    named = ((parse_name(path, suffix), path) for path in paths)
    return dict(sorted((name, path) for name, path in named if name and name.rules == rules.id))


def find_parts(directory: Path, rules: TableRules) -> list[Path]:
    """Files of ``rules`` in ``directory`` whose writing is under way, or was when its process died."""
    paths = _listed(directory) if directory.is_dir() else []
    parts = [(path, path.with_name(path.name.removesuffix(".part"))) for path in paths if path.suffix == ".part"]
    suffixes = SUFFIX, ARCHIVE_SUFFIX, CHECKPOINT_SUFFIX
    names = [(path, parse_name(whole, suffix)) for path, whole in parts for suffix in suffixes]
    return [path for path, name in names if name and name.rules == rules.id]


def _find(directory: Path, rules: TableRules, suffix: str) -> dict[int, Path]:
    return {name.seeds: path for name, path in find_files(directory, rules, suffix).items()}  # the widest comes last


def _listed(directory: Path) -> list[Path]:
    try:
        return list(directory.iterdir())
    except OSError as error:
        raise AbapaError(f"the tables folder {directory} cannot be read: {error.strerror}") from error
