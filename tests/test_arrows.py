"""Which room may import which: the arrows of docs/architecture.md, held against every import in the code.

A room is a folder or a file; a module belongs to the room with the longest name that it begins with. An arrow that is
not allowed fails, and so does an allowed one that nothing uses any more: the map stays true both ways. No arrows go
round in a circle, neither between rooms nor between the modules of one.
"""

import ast
from collections.abc import Collection
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[1]
ALLOWED: dict[str, str] = {
    "solver": "",
    "solver.errors": "",
    "solver.files": "solver.errors",
    "solver.numerals": "",
    "solver.rule_ids": "solver.errors",
    "solver.kernels": "",
    "solver.search": "solver.errors solver.kernels",
    "solver.oware": "solver solver.errors solver.files solver.numerals solver.rule_ids solver.kernels solver.search",
    "solver.omweso": "solver.errors solver.numerals solver.rule_ids solver.kernels solver.search",
    "solver.web": "solver.errors solver.numerals solver.search solver.oware solver.omweso "
    "databases databases.files databases.tiers",
    "solver.cli": "solver solver.errors solver.files solver.numerals solver.search solver.oware solver.omweso "
    "solver.web databases databases.builder databases.files databases.halfboards databases.machine databases.omweso "
    "databases.starts databases.tiers databases.windows",
    "solver.__main__": "solver.cli",
    "databases": "solver.errors solver.files solver.numerals solver.rule_ids solver.kernels solver.oware "
    "databases.files databases.halfboards databases.halfmoves databases.machine databases.tiers databases.windows",
    "databases.starts": "solver.errors solver.oware databases databases.builder databases.files databases.machine "
    "databases.tiers databases.windows",
    "databases.builder": "solver.errors solver.files solver.rule_ids solver.kernels solver.oware "
    "databases.files databases.halfboards databases.machine databases.tiers databases.windows",
    "databases.omweso": "solver.errors solver.kernels solver.omweso "
    "databases.files databases.halfboards databases.tiers",
    "databases.files": "solver solver.errors solver.files solver.rule_ids solver.kernels solver.oware solver.omweso "
    "databases.halfboards databases.halfmoves databases.tiers databases.windows",
    "databases.halfmoves": "solver.kernels solver.oware databases.halfboards",
    "databases.windows": "solver.errors solver.kernels databases.tiers",
    "databases.tiers": "solver.errors solver.kernels databases.halfboards",
    "databases.halfboards": "solver.kernels",
    "databases.machine": "solver.errors",
}


SOURCES = [path for package in ("solver", "databases") for path in (ROOT / package).rglob("*.py")]


def room(module: str, rooms: Collection[str] = ALLOWED) -> str | None:
    """The one of ``rooms`` that a dotted name lies in; None for what is not ours."""
    return max((name for name in rooms if f"{module}.".startswith(f"{name}.")), key=len, default=None)


def dotted(path: Path) -> str:
    """The name by which a file is imported."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imported(path: Path) -> list[str]:
    """The dotted names that a file imports, wherever in it, relative imports not among them: there are none."""
    names = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}:{node.lineno}: relative import"
            names += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
    return names


def test_every_import_follows_an_allowed_arrow() -> None:
    drawn: dict[str, set[str]] = {name: set() for name in ALLOWED}
    for path in SOURCES:
        own = room(dotted(path))
        assert own
        drawn[own] |= {there for name in imported(path) if (there := room(name)) and there != own}
    assert drawn == {name: set(there.split()) for name, there in ALLOWED.items()}


def test_no_arrows_go_round() -> None:
    """graphlib.CycleError names those that do."""
    TopologicalSorter({name: there.split() for name, there in ALLOWED.items()}).prepare()
    modules = {dotted(path): path for path in SOURCES}
    TopologicalSorter(
        {name: {room(there, modules) or "" for there in imported(path)} - {name, ""} for name, path in modules.items()}
    ).prepare()


def test_no_test_file_imports_another() -> None:
    for path in (ROOT / "tests").rglob("*.py"):
        assert not [name for name in imported(path) if ".test_" in name], path
