"""Writes the lowest versions that pyproject.toml declares as pip constraints: scripts/setup with ABAPA_LOWEST=1.

python3 scripts/write_constraints.py pyproject.toml > constraints.txt

What the package needs and what its tests need are held to their lower bounds; the tools of the ``dev`` extra (linters,
type checker) say nothing about the package and are left alone. Needs the standard library only, since it runs before
anything is installed.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

EXTRAS = ("mpi", "plot", "zstd", "test")
"""The extras whose lower bounds are tried."""
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)>=([0-9][0-9.]*)")


def constraints(pyproject: str) -> list[str]:
    """``name==lowest`` for each requirement of a project file's text, sorted, each once.

    Requirements are ``name>=version``; extras of the project itself are passed over. Raises ValueError for any other
    form, since it has no lower bound that could be tried.
    """
    project = tomllib.loads(pyproject)["project"]
    wanted = list(project["dependencies"])
    for extra in EXTRAS:
        wanted += project["optional-dependencies"][extra]
    found = set()
    for requirement in wanted:
        if requirement.startswith(f"{project['name']}["):
            continue
        match = _REQUIREMENT.fullmatch(requirement)
        if match is None:
            raise ValueError(f"{requirement!r}: accepted is name>=version")
        found.add(f"{match[1]}=={match[2]}")
    return sorted(found)


if __name__ == "__main__":
    print("\n".join(constraints(Path(sys.argv[1]).read_text(encoding="utf-8"))))
