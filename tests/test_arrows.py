"""Which room may import which: the arrows of docs/architecture.md, held against every import in the code.

A room is a folder or a file; a module belongs to the room with the longest name that it begins with. An arrow that is
not allowed fails, and so does an allowed one that nothing uses any more: the map stays true both ways.
"""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]
ALLOWED: dict[str, str] = {
    "solver": "",
    "solver.errors": "",
    "solver.numerals": "",
    "solver.kernels": "",
    "solver.search": "solver.errors solver.kernels",
    "solver.oware": "solver solver.errors solver.numerals solver.kernels solver.search",
    "solver.omweso": "solver.errors solver.numerals solver.kernels solver.search",
    "solver.cli": "solver solver.errors solver.numerals solver.search solver.oware solver.omweso "
    "databases databases.builder databases.machine databases.starts",
    "solver.__main__": "solver.cli",
    "databases": "solver solver.errors solver.numerals solver.kernels solver.oware solver.omweso databases.machine",
    "databases.builder": "solver.errors solver.kernels solver.oware databases databases.machine",
    "databases.machine": "solver.errors",
    "databases.starts": "solver.errors solver.oware databases databases.builder databases.machine",
}


def room(module: str) -> str | None:
    """The room that a dotted name lies in; None for what is not ours."""
    return max((name for name in ALLOWED if f"{module}.".startswith(f"{name}.")), key=len, default=None)


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
    for path in [path for package in ("solver", "databases") for path in (ROOT / package).rglob("*.py")]:
        own = room(".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))
        assert own
        drawn[own] |= {there for name in imported(path) if (there := room(name)) and there != own}
    assert drawn == {name: set(there.split()) for name, there in ALLOWED.items()}


def test_no_test_file_imports_another() -> None:
    for path in (ROOT / "tests").rglob("*.py"):
        assert not [name for name in imported(path) if ".test_" in name], path
