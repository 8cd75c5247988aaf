"""What the documents say is run: the API page, the reader for strangers, the help pages, the README's commands."""

from __future__ import annotations

import ast
import doctest
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import h5py
import pytest

from databases.builder.build import build_tables
from databases.files.folder import table_path
from databases.files.packing import pack_half
from databases.files.table import Table
from databases.files.tiles import tiling
from databases.prober import open_tables
from databases.tiers import board_at, tier_size
from databases.windows import Game
from scripts import write_cli_docs
from solver.oware.rules import AWARI, Rules
from tests.cli.command_line import abapa
from tests.databases.table_files import write_tables
from tests.databases.tables_in_memory import at
from tests.pages import DOCS, ROOT, blocks, run_sessions

SMALL = Rules.parse("awari+pits=2")
PAGES = [path for folder in (ROOT, DOCS, ROOT / "benchmarks") for path in sorted(folder.glob("*.md"))]
"""Every document for people."""


def anchors(page: Path) -> set[str]:
    """What the headings of a page are called in links: lower case, without punctuation, with hyphens for spaces."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if link.startswith("https:"):
            continue
        file, _, heading = link.partition("#")
        target = (page.parent / file).resolve() if file else page
        assert target.exists() and target.is_relative_to(ROOT), link
        assert not heading or heading in anchors(target), link


def test_the_index_names_every_page() -> None:
    index = (DOCS / "README.md").read_text()
    assert [page.name for page in PAGES if page.parent == DOCS and f"({page.name})" not in index] == ["README.md"]


def test_every_measured_figure_says_when_and_how_it_was_measured() -> None:
    files = sorted((ROOT / "benchmarks" / "history").glob("*.jsonl"))
    assert files
    for path in files:
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        assert [row["date"] for row in rows] == sorted(row["date"] for row in rows), path
        for row in rows:
            assert re.fullmatch(r"20\d\d-\d\d-\d\d", row["date"]) and re.fullmatch(r"[0-9a-f]{7,40}", row["revision"])
            assert row["command"] and row["machine"] and row["seconds"] > 0


def allowed_arrows() -> dict[str, str]:
    """The dictionary of tests/test_arrows.py, which no other test file may import, read from its source."""
    tree = ast.parse((ROOT / "tests" / "test_arrows.py").read_text())
    (value,) = (
        node.value
        for node in tree.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == "ALLOWED"
    )
    assert value is not None
    return ast.literal_eval(value)


def test_the_map_says_of_every_room_what_it_is_for() -> None:
    page = (DOCS / "architecture.md").read_text()
    (named,) = re.findall(r"^\| room \|.*?\n\n", page, re.MULTILINE | re.DOTALL)
    rooms = {name: name.replace(".", "/") for name in allowed_arrows()}
    unnamed = [name for name, path in rooms.items() if f"`{path}/`" not in named and f"`{path}.py`" not in named]
    assert unnamed == ["solver", "solver.__main__"]  # the two doors


def test_the_map_has_the_arrows_that_the_imports_are_held_against() -> None:
    allowed = allowed_arrows()
    width = max(map(len, allowed))
    arrows = "".join(f"{room:<{width}} -> {', '.join(there.split()) or 'nothing'}\n" for room, there in allowed.items())
    (drawn,) = blocks(DOCS / "architecture.md", "arrows")
    assert drawn == arrows, f"put into docs/architecture.md:\n{arrows}"


def test_the_api_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_sessions(DOCS / "api.md") > 25


@pytest.mark.parametrize("rules", [AWARI, Rules.parse("abapa+pits=3")], ids=str)
def test_a_stranger_reads_a_table(tmp_path: Path, rules: Rules) -> None:
    """With nothing but the code in docs/format.md, which imports h5py and the standard library."""
    quantities = ("value", "lower", "upper") if rules.has_bounds else ("value", "distance")
    numbers = write_tables(tmp_path, rules, 4, quantities)
    code, *_ = blocks(DOCS / "format.md", "python")
    lines = [line for line in code.splitlines() if line]
    assert set(re.findall(r"(?:from|import) (\w+)", code)) == {"math", "comb", "h5py"} and len(lines) <= 12
    namespace: dict = {}
    exec(code, namespace)
    from tests.oware.brute_force import boards_of

    for board in boards_of(2 * rules.pits, 4):
        for quantity in quantities:
            read = namespace["read"](tmp_path / f"{rules.id}-04.h5", board, quantity)
            assert read == at(numbers, quantity, board)


def test_a_stranger_reads_a_table_in_a_window(tmp_path: Path) -> None:
    namespace: dict = {}
    exec("\n".join(blocks(DOCS / "format.md", "python")), namespace)
    for game in (Game(4), Game(9, margin=2), Game(12)):
        build_tables(tmp_path, SMALL, game=game, threads=1)
        with open_tables(tmp_path, SMALL) as tables:
            for n in game.tiers:
                path = table_path(tmp_path, SMALL, n, game.window(n))
                for index, margin in enumerate(tables.map(n)) if game.window(n) < n else ():
                    assert namespace["read_in_window"](path, index) == margin
    assert {window for n in Game(12).tiers if (window := Game(12).window(n)) < n} == {1, 3, 4, 5, 6}


@pytest.mark.parametrize(("rules", "seeds"), [("abapa+pits=3", 7), ("awari", 5), ("awari+pits=2", 6)])
def test_a_stranger_reads_an_archive_of_half_of_the_boards(tmp_path: Path, rules: str, seeds: int) -> None:
    chosen = Rules.parse(rules)
    quantities = ("value", "lower", "upper") if chosen.has_bounds else ("value",)
    numbers = write_tables(tmp_path, chosen, seeds, quantities)
    with Table.open(table_path(tmp_path, chosen, seeds)) as table:
        path = pack_half(table)
    namespace: dict = {}
    exec("\n".join(blocks(DOCS / "format.md", "python")), namespace)
    for index in range(tier_size(chosen.pits, seeds) - 1, tiling(chosen.pits, seeds).light - 1, -7):
        for quantity in quantities:
            board = board_at(chosen.pits, seeds, index)
            assert namespace["read_heavy"](path, board, quantity) == at(numbers, quantity, board)


def test_the_format_page_names_every_attribute(tmp_path: Path) -> None:
    rules = Rules.parse("abapa+pits=2")
    write_tables(tmp_path, rules, 3, ("value", "lower", "upper", "distance"))
    build_tables(tmp_path, rules, game=Game(4), threads=1)
    text = (DOCS / "format.md").read_text()
    with Table.open(table_path(tmp_path, rules, 3)) as table, h5py.File(pack_half(table)) as half:
        value: Any = half["value"]
        group: Any = half["tiles/value"]
        assert [name for name in [*half.attrs, *value.attrs] if f"`{name}" not in text] == []
        assert all(f"`{name}" in text or f"/{name}" in text for name in [*half, *group])
    with h5py.File(tmp_path / f"{rules.id}-03.h5") as file, h5py.File(tmp_path / f"{rules.id}-04.w1.h5") as cut:
        names = [*file.attrs, *file.keys(), *cut.attrs]
        for quantity in ("value", "lower", "upper", "distance"):
            dataset = file[quantity]
            names += dataset.attrs
    assert [name for name in names if f"`{name}" not in text] == []


def test_the_help_pages_are_up_to_date() -> None:
    assert write_cli_docs.PATH.read_text() == write_cli_docs.text(), "run: python scripts/write_cli_docs.py"


def listed(*words: str) -> Iterator[str]:
    """The names of ``abapa`` and every command below it, as the help pages list them."""
    yield " ".join(["abapa", *words])
    _, _, commands = abapa(*words, "--help").out.partition("\nCommands:\n")
    for name in re.findall(r"^  ([a-z-]+)  ", commands, re.MULTILINE):
        yield from listed(*words, name)


def test_every_command_has_its_page() -> None:
    """Counted in two ways that do not know the generator: the lists that users see, and the modules on disk."""
    pages = re.findall(
        r"^#+ (abapa.*)\n\n```text\nUsage: (abapa.*?) \[OPTIONS\]", write_cli_docs.PATH.read_text(), re.M
    )
    assert all(heading == usage for heading, usage in pages)
    assert [heading for heading, _ in pages] == list(listed())
    modules = [path for path in (ROOT / "solver" / "cli").rglob("*.py") if "\ndef command(" in path.read_text()]
    assert len(pages) == len(modules) + 1 > 30  # one more: that of abapa itself


VOLATILE = [
    (r" +[\d.]+ s +[\d,]+ per second", " T s R per second"),
    (r"[\d.]+ [KMGT]iB (free|available)", r"X \1"),
    (r"threads +\d+", "threads N"),
    (r"peak memory +[\d,]+ bytes \([\d.]+ MiB\)", "peak memory P"),
    (r" +\d+\.\d\d  value", " S  value"),
    (r"in [\d.]+ s \([\d.]+ million per second\)", "in T s"),
    (r"nodes, [\d.]+ s", "nodes, T s"),
]
"""What no two runs agree on: times, speeds, free room, threads."""


def steady(text: str) -> str:
    """The text without what differs from run to run."""
    for pattern, replacement in VOLATILE:
        text = re.sub(pattern, replacement, text)
    return text


def test_the_commands_of_the_readme_print_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ABAPA_TABLES", raising=False)
    session = "".join(blocks(ROOT / "README.md", "console"))
    commands = re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]
    assert len(commands) >= 5
    for command in commands:
        line, expected = command.split("\n", 1)
        program, *arguments = shlex.split(line)
        assert program == "abapa"
        ran = abapa(*arguments)
        assert ran.code == 0, ran.err
        checker = doctest.OutputChecker()
        assert checker.check_output(steady(expected), steady(ran.out), doctest.ELLIPSIS), f"{line}\n{ran.out}"
