"""``abapa import``: tables from other people's files."""

from __future__ import annotations

from pathlib import Path

import click

from solver.cli.options import Whole, tables_option


@click.command
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@tables_option
@click.option("--threads", type=Whole(1), help="Threads; without it, all cores.")
def command(files: tuple[Path, ...], tables: Path, threads: int | None) -> None:
    """Make awari tables of the Vrije Universiteit's files scores.N (doi 10.48338/vu01-11wjke).

    FILE is a file called scores.N, N being its seeds, or a folder of such files. They hold a signed byte a position,
    the margin of the player to move, and leave out boards whose opponent row has no empty house; those are worked out
    by one move, which needs the tables of fewer seeds: start with scores.0. Tables that are there are kept.
    """
    import time

    from databases.folder import find_tables
    from databases.interchange import find_scores, import_scores
    from databases.lock import BuildLock
    from databases.machine import check_threads, default_threads
    from databases.prober import open_tables
    from solver.errors import AbapaError
    from solver.oware.rules import AWARI

    threads = threads or default_threads()
    check_threads(threads)
    found = find_scores(list(files))
    try:
        tables.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AbapaError(f"cannot make the tables folder {tables}: {error.strerror}") from error
    with BuildLock(tables):
        for file in found:
            if file.seeds in find_tables(tables, AWARI):
                click.echo(f"{file.path}: awari {file.seeds} is there already, kept")
                continue
            start = time.perf_counter()
            with open_tables(tables, AWARI) as opened:
                path = import_scores(tables, file, opened, threads=threads)
            click.echo(f"{file.path}: {path} written in {time.perf_counter() - start:.2f} s")
