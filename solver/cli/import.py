"""``abapa import``: make tables from other people's files."""

from __future__ import annotations

from pathlib import Path

import click

from solver.cli.options import RealFile, tables_option, thread_count, threads_option


@click.command
@click.argument("files", nargs=-1, required=True, type=RealFile(folders=True), metavar="FILE...")
@tables_option
@threads_option
def command(files: tuple[Path, ...], tables: Path, threads: int | None) -> None:
    """Make awari tables from the Vrije Universiteit's files scores.N (doi 10.48338/vu01-11wjke).

    FILE is a file called scores.N, where N is its number of seeds, or a folder of such files. A file holds one signed
    byte per position, the margin of the player to move. It leaves out the boards whose opponent row has no empty house.
    These are computed by one move, which needs the tables of fewer seeds: start with scores.0. Existing tables are
    kept.
    """
    import time

    from databases.files.folder import find_tables
    from databases.files.lock import BuildLock
    from databases.interchange import find_scores, import_scores
    from databases.prober import open_tables
    from solver.errors import AbapaError
    from solver.oware.rules import AWARI

    threads = thread_count(threads)
    found = find_scores(list(files))
    try:
        tables.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AbapaError(f"cannot make the tables folder {tables}: {error.strerror}") from error
    with BuildLock(tables):
        for file in found:
            if file.seeds in find_tables(tables, AWARI):
                click.echo(f"{file.path}: the awari table of {file.seeds} seeds exists and is kept")
                continue
            start = time.perf_counter()
            with open_tables(tables, AWARI) as opened:
                path = import_scores(tables, file, opened, threads=threads)
            click.echo(f"{file.path}: {path} written in {time.perf_counter() - start:.2f} s")
