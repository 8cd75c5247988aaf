"""``abapa build``: build the tables of a rule set."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from solver.cli.mpi import launcher_terminal, mpi_at_hand, one_job, require_launcher, supervise
from solver.cli.options import Size, Whole, rules_option, tables_option, threads_option, was_given
from solver.cli.progress import BuildProgress
from solver.errors import AbapaError
from solver.oware.rules import Rules

if TYPE_CHECKING:
    from databases.windows import Game

CHECKPOINT_SHARES = {"auto": 0.03, "always": 1e9, "never": 0.0}
"""Share of the time since the last checkpoint that one may cost."""


@click.command
@rules_option
@tables_option
@click.option("--seeds", type=Whole(0), help="Build the tiers of 0 to this many seeds.")
@click.option(
    "--game",
    "game_seeds",
    type=Whole(0),
    help="Build what a game of this many seeds needs: each tier only as far as it decides who wins.",
)
@click.option(
    "--margin",
    type=Whole(1),
    help="With --game: also tell margins at the start apart that are smaller than this (default: 1, who wins).",
)
@threads_option
@click.option(
    "--bounds/--no-bounds", default=None, help="Store lower and upper or not (default: yes, if the rules have bounds)."
)
@click.option("--distance", is_flag=True, help="Also store the plies to the capture or end that gives the value.")
@click.option(
    "--memory",
    type=Size(),
    help="Most memory to use, as in 8GiB. A tier that needs more works from disk or is refused.",
)
@click.option(
    "--checkpoint",
    type=click.Choice(list(CHECKPOINT_SHARES)),
    default="auto",
    show_default=True,
    help="When to save the state inside a tier; auto: if that takes less than 3 % of the time since the last save.",
)
@click.option(
    "--engine",
    type=click.Choice(["threads", "mpi"]),
    default="threads",
    show_default=True,
    help="Threads of one process, or the processes that mpiexec has started: mpiexec -n 4 abapa build .. --engine mpi.",
)
@click.option(
    "--scratch",
    type=click.Path(path_type=Path),
    help="With --engine mpi: a folder on each machine's own disk, to read finished tiers from.",
)
@click.option("--archive", is_flag=True, help="Keep each finished tier in packed form alone.")
@click.option("--dry-run", is_flag=True, help="Print the plan and whether it fits, and build nothing.")
def command(
    rules: Rules,
    tables: Path,
    seeds: int | None,
    game_seeds: int | None,
    margin: int | None,
    threads: int | None,
    bounds: bool | None,
    distance: bool,
    memory: int | None,
    checkpoint: str,
    engine: str,
    scratch: Path | None,
    archive: bool,
    dry_run: bool,
) -> None:
    """Build the tables of a rule set up to a number of seeds, or for one game, each tier once.

    A game of N seeds has N - n in the stores when n are left. So tier n is needed only from -W to W, W = N - n + 1,
    where W stands for W or more: its window. Such tables are smaller and faster to build; they say who wins, and not
    always by how much. A full table, or one with a wider window, serves as well.

    Existing tiers are kept. A tier that exists only in packed form counts as existing; it is unpacked to a scratch file
    while tiers above it are built.

    With --archive each finished tier is packed as abapa pack does, and only that is kept: about a quarter of the disk.
    The plain tables that larger tiers need lie in memory meanwhile. Plain tables that exist already stay as they are.

    The plan (boards, disk, memory) is printed first. A plan that does not fit is refused before any work. The tables
    are the same whatever the number of threads.

    Ctrl-C keeps the finished tiers and waits for a tier that is being written. The next run continues from them.

    With --engine mpi every process holds a part of each tier; --threads and --memory are for each of them. All of them
    see the tables folder. The tables are the same again.
    """
    if (seeds is None) == (game_seeds is None):
        raise click.UsageError("what is to be built: accepted is --seeds N or --game N, one of them")
    if margin is not None and game_seeds is None:
        raise click.UsageError("--margin goes with --game: accepted is --game N --margin M")
    if distance and game_seeds is not None:
        raise click.UsageError("--distance goes with --seeds: tables of a game keep no distances")
    if bounds and not rules.has_bounds:
        raise AbapaError(
            f"--bounds: {rules.id} splits endless play evenly, so its values are exact and it has no bounds: "
            "accepted are rules with cycle=own-row, such as abapa"
        )
    if dry_run and was_given("checkpoint"):
        raise click.UsageError("--checkpoint: --dry-run builds nothing: accepted is one of the two")
    if engine == "mpi" and was_given("checkpoint"):
        raise click.UsageError("--checkpoint: --engine mpi saves nothing inside a tier: accepted is one of the two")
    if engine == "mpi" and archive:
        raise click.UsageError("--archive: --engine mpi keeps plain tables: accepted is one of the two")
    if engine != "mpi" and scratch is not None:
        raise click.UsageError("--scratch goes with --engine mpi: without it tables are read where they are")
    wanted: dict[str, Any] = {
        "threads": threads, "bounds": bounds is not False, "distance": distance, "memory": memory, "dry_run": dry_run,
    }  # fmt: skip
    if engine == "mpi":
        _build_on_ranks(tables, rules, seeds, game_seeds, margin, {**wanted, "scratch": scratch})
        return
    from databases.builder.build import build_tables

    with closing(BuildProgress()) as progress:
        build_tables(
            tables,
            rules,
            seeds,
            game=_game(game_seeds, margin),
            archive=archive,
            checkpoint_share=CHECKPOINT_SHARES[checkpoint],
            report=progress.say,
            progress=progress,
            **wanted,
        )


def _build_on_ranks(
    tables: Path, rules: Rules, seeds: int | None, game_seeds: int | None, margin: int | None, wanted: dict[str, Any]
) -> None:
    """Build as one rank of a job; rank 0 speaks."""
    rank = require_launcher()
    supervise(rank)
    with one_job(rank), closing(BuildProgress(launcher_terminal())) as progress:
        with mpi_at_hand():
            from databases.builder.ranks import build_on_ranks

        build_on_ranks(
            tables, rules, seeds, game=_game(game_seeds, margin), report=progress.say, progress=progress, **wanted
        )


def _game(seeds: int | None, margin: int | None) -> Game | None:
    from databases.windows import Game

    return None if seeds is None else Game(seeds, margin or 1)
