"""Where tables lie: the option, ``ABAPA_TABLES``, or the user's data folder; and which file holds which tier."""

from __future__ import annotations

import os
import re
from pathlib import Path

from platformdirs import user_data_path

from solver.errors import AbapaError
from solver.omweso.rules import OmwesoRules
from solver.oware.rules import Rules

TABLES_VARIABLE = "ABAPA_TABLES"
SUFFIX = ".h5"
PACKED_SUFFIX = ".packed.h5"
_NAME = re.compile(r"(?P<rules>[^.]+)-(?P<seeds>[0-9]{2,3})(?P<suffix>\.h5|\.packed\.h5)")


def tables_folder(option: Path | str | None = None) -> Path:
    """The folder named by ``option``, else by ``$ABAPA_TABLES``, else ``tables`` in the user's data folder."""
    if option is not None:
        return Path(option)
    named = os.environ.get(TABLES_VARIABLE)
    return Path(named) if named else user_data_path("abapa") / "tables"


def existing_folder(directory: Path) -> Path:
    """The folder itself. Raises :class:`~solver.errors.AbapaError` where it is none, or not there."""
    if not directory.is_dir():
        what = f"{directory} is no folder of tables" if directory.exists() else f"no tables folder {directory}"
        raise AbapaError(f"{what}: abapa build makes one")
    return directory


def table_path(directory: Path, rules: Rules | OmwesoRules, seeds: int) -> Path:
    """The file of one tier: ``DIR/awari-12.h5``, ``DIR/abapa+cycle=even-08.h5``, ``DIR/awari+pits=4-10.h5``."""
    return directory / f"{rules.id}-{seeds:02d}{SUFFIX}"


def packed_path(directory: Path, rules: Rules | OmwesoRules, seeds: int) -> Path:
    """The packed file of one tier: ``DIR/awari-12.packed.h5``."""
    return directory / f"{rules.id}-{seeds:02d}{PACKED_SUFFIX}"


def parse_name(path: Path, suffix: str = SUFFIX) -> tuple[str, int] | None:
    """Rule id and seeds that a file name claims, or None where it is not a table's (or packed table's) name."""
    match = _NAME.fullmatch(path.name)
    return (match["rules"], int(match["seeds"])) if match and match["suffix"] == suffix else None


def find_tables(directory: Path, rules: Rules | OmwesoRules) -> dict[int, Path]:
    """The files in ``directory`` that claim to be tables of ``rules``, by seeds, fewest first; nothing is opened."""
    return _find(directory, rules, SUFFIX)


def find_packed(directory: Path, rules: Rules | OmwesoRules) -> dict[int, Path]:
    """The same for packed tables."""
    return _find(directory, rules, PACKED_SUFFIX)


def find_parts(directory: Path, rules: Rules | OmwesoRules) -> list[Path]:
    """Files of ``rules`` in ``directory`` whose writing is under way, or was when its process died."""
    paths = _listed(directory) if directory.is_dir() else []
    parts = [(path, path.with_name(path.name.removesuffix(".part"))) for path in paths if path.suffix == ".part"]
    names = [(path, parse_name(whole, suffix)) for path, whole in parts for suffix in (SUFFIX, PACKED_SUFFIX)]
    return [path for path, name in names if name and name[0] == rules.id]


def _find(directory: Path, rules: Rules | OmwesoRules, suffix: str) -> dict[int, Path]:
    paths = _listed(directory) if directory.is_dir() else []
    named = ((parse_name(path, suffix), path) for path in paths)
    return dict(sorted((name[1], path) for name, path in named if name and name[0] == rules.id))


def _listed(directory: Path) -> list[Path]:
    try:
        return list(directory.iterdir())
    except OSError as error:
        raise AbapaError(f"the tables folder {directory} cannot be read: {error.strerror}") from error
