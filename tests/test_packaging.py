"""What is handed out is what was tested: the source distribution, the wheel, and a fresh environment with only that.

The wheel is built from the source distribution, and is the same as one from the tree. Nothing is fetched: the build
tools are those of the ``test`` extra, and the fresh environment borrows the dependencies of this one, not Abapa itself.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from email.parser import Parser
from pathlib import Path, PurePosixPath

import pytest

from scripts.write_constraints import constraints
from solver import __version__
from tests.cli.command_line import abapa
from tests.pages import ROOT

pytest.importorskip("build", reason="the extra abapa[test] is not installed")

LEFT_OUT = (".ci", ".github")
"""What the repository has and the source distribution has not."""


def run(*command: str | Path, cwd: Path) -> str:
    """What a command prints; the test fails with all of it if the command does."""
    done = subprocess.run(list(map(str, command)), cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The source distribution, and the wheel that is built from it."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return sdist, wheel


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def metadata(wheel: Path) -> tuple[dict[str, str], str]:
    """The fields (the last of each name) and the long description."""
    (text,) = (data.decode() for name, data in contents(wheel).items() if name.endswith(".dist-info/METADATA"))
    message = Parser().parsestr(text)
    return dict(message.items()), str(message.get_payload())


def test_the_source_distribution_holds_what_the_repository_does(built: tuple[Path, Path]) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    with tarfile.open(built[0]) as archive:
        names = {str(PurePosixPath(*PurePosixPath(member.name).parts[1:])) for member in archive if member.isfile()}
    kept = set(run("git", "ls-files", cwd=ROOT).splitlines())
    deleted = set(run("git", "ls-files", "--deleted", cwd=ROOT).splitlines())
    missing = {name for name in kept - deleted - names if not name.startswith(tuple(f"{top}/" for top in LEFT_OUT))}
    assert not missing
    assert not {name for name in names if name.startswith((*LEFT_OUT, ".venv"))}


def test_the_wheel_is_the_same_from_the_tree_and_from_the_source_distribution(
    built: tuple[Path, Path], tmp_path: Path
) -> None:
    run(sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", tmp_path, ROOT, cwd=tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    assert contents(wheel) == contents(built[1])


def test_the_wheel_holds_the_packages_and_nothing_else(built: tuple[Path, Path]) -> None:
    names = contents(built[1])
    assert {name.split("/")[0] for name in names} == {"solver", "databases", f"abapa-{__version__}.dist-info"}
    assert {"solver/py.typed", "databases/py.typed"} <= set(names)
    files = [path for package in ("solver", "databases") for path in (ROOT / package).rglob("*.py")]
    sources = {path.relative_to(ROOT).as_posix() for path in files}
    assert sources <= set(names)


def test_the_long_description_has_no_link_that_leads_nowhere(built: tuple[Path, Path]) -> None:
    fields, description = metadata(built[1])
    assert (fields["Name"], fields["Version"], fields["License-Expression"]) == ("abapa", __version__, "MIT")
    assert fields["Description-Content-Type"] == "text/markdown"
    assert "# Abapa" in description and "docs/algorithm.md" in description
    assert [link for link in re.findall(r"\]\(([^)]*)\)", description) if not link.startswith("https:")] == []


@pytest.fixture(scope="module")
def environment(built: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a fresh environment, outside the checkout, with the wheel in it."""
    folder = tmp_path_factory.mktemp("fresh")
    programs = folder / "environment" / "bin"
    run(sys.executable, "-m", "venv", "--without-pip", programs.parent, cwd=folder)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", programs / "python"]
    run(*pip, "install", "--quiet", "--no-deps", "--no-index", built[1], cwd=folder)
    packages = run(programs / "python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder)
    # The dependencies are this environment's. Its own editable Abapa is not among them: that hangs on a .pth file,
    # which counts in site-packages only. The kernel cache goes with the folder.
    lines = [sysconfig.get_path("purelib"), f"import os; os.environ['ABAPA_CACHE'] = {str(folder / 'cache')!r}"]
    (Path(packages.strip()) / "borrowed.pth").write_text("\n".join(lines) + "\n")
    return programs


@pytest.fixture(autouse=True)
def no_checkout_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)


def asked(abapa: Path, tables: Path, folder: Path) -> dict:
    """What ``abapa probe`` says of one board."""
    board = "0-0-0-0-0-1-1-0-0-0-0-1"
    return json.loads(run(abapa, "probe", "--rules", "awari", "--tables", tables, "--json", board, cwd=folder))


def test_a_fresh_environment_has_it_from_the_wheel(environment: Path, tmp_path: Path) -> None:
    printed = "import solver, databases; print(solver.__file__, databases.__file__)"
    files = run(environment / "python", "-c", printed, cwd=tmp_path).split()
    assert len(files) == 2 and all(Path(name).is_relative_to(environment.parent) for name in files)
    assert run(environment / "abapa", "--version", cwd=tmp_path).strip() == f"abapa, version {__version__}"


def test_a_fresh_environment_answers(environment: Path, tmp_path: Path) -> None:
    built_here = abapa("build", "--rules", "awari", "--seeds", "3", "--tables", tmp_path / "tables")
    assert built_here.code == 0, built_here.err
    answer = asked(environment / "abapa", tmp_path / "tables", tmp_path)
    assert (answer["rules"], answer["value"]) == ("awari", 3)


@pytest.mark.full
def test_a_fresh_environment_builds_tables_and_answers(environment: Path, tmp_path: Path) -> None:
    """The same with tables of its own: half a minute and more, since it compiles all of the builder."""
    program, tables = environment / "abapa", tmp_path / "tables"
    run(program, "build", "--rules", "awari", "--seeds", "3", "--tables", tables, cwd=tmp_path)
    assert asked(program, tables, tmp_path)["value"] == 3


def test_constraints_are_the_lower_bounds() -> None:
    project = """
        [project]
        name = "it"
        dependencies = ["b>=1.2", "a-a>=3"]
        [project.optional-dependencies]
        mpi = ["d>=4.1"]
        plot = ["c>=4.5.6"]
        zstd = []
        test = ["it[plot]", "c>=4.5.6"]
        dev = ["linter>=9"]
    """
    assert constraints(project) == ["a-a==3", "b==1.2", "c==4.5.6", "d==4.1"]
    with pytest.raises(ValueError, match="'b': accepted is name>=version"):
        constraints(project.replace('"b>=1.2"', '"b"'))


def test_every_dependency_has_a_lower_bound() -> None:
    lines = constraints((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert {"numba", "numpy", "h5py", "click", "pytest"} <= {line.split("==")[0] for line in lines}
