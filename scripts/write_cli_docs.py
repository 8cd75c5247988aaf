"""Writes docs/cli.md from the help pages; tests/test_docs.py checks that it is up to date."""

from __future__ import annotations

from pathlib import Path

import click

from solver.cli import COMMANDS, abapa

PATH = Path(__file__).resolve().parents[1] / "docs" / "cli.md"
WIDTH = 100


def page(command: click.Command, name: str) -> str:
    """One help page as a section."""
    context = click.Context(
        command, info_name=name, terminal_width=WIDTH, max_content_width=WIDTH, help_option_names=["-h", "--help"]
    )
    return f"## {name}\n\n```text\n{command.get_help(context)}\n```\n"


def text() -> str:
    """The whole of docs/cli.md."""
    context = click.Context(abapa, info_name="abapa")
    pages = [page(abapa, "abapa")]
    for name in COMMANDS:
        command = abapa.get_command(context, name)
        assert command is not None
        pages.append(page(command, f"abapa {name}"))
    title = "# The command line\n\nWritten by `scripts/write_cli_docs.py` from the help pages.\n"
    return "\n".join([title, *pages])


if __name__ == "__main__":
    PATH.write_text(text())
