"""Writes docs/cli.md from the help pages; tests/test_docs.py checks that it is up to date."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from solver.cli import abapa

PATH = Path(__file__).resolve().parents[1] / "docs" / "cli.md"
WIDTH = 100


def pages(command: click.Command, name: str, level: int) -> Iterator[str]:
    """The help page of a command as a section, then those of its own commands, each a section within it."""
    context = click.Context(
        command, info_name=name, terminal_width=WIDTH, max_content_width=WIDTH, help_option_names=["-h", "--help"]
    )
    yield f"{'#' * level} {name}\n\n```text\n{command.get_help(context)}\n```\n"
    if isinstance(command, click.Group):
        for part in command.list_commands(context):
            found = command.get_command(context, part)
            assert found is not None
            yield from pages(found, f"{name} {part}", level + 1)


def text() -> str:
    """The whole of docs/cli.md: a section for ``abapa`` and each of its commands, those of a group within it."""
    title = "# The command line\n\nWritten by `scripts/write_cli_docs.py` from the help pages.\n"
    return "\n".join([title, *pages(abapa, "abapa", 2)])


if __name__ == "__main__":
    PATH.write_text(text())
