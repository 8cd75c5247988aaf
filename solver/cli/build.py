"""``abapa build``: make the tables of a rule set."""

from __future__ import annotations

import re
from pathlib import Path

import click

from solver.cli.options import Whole, rules_option, tables_option
from solver.errors import AbapaError
from solver.oware.rules import Rules

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_UNITS |= {f"{letter}i": 2 ** (10 * power) for power, letter in enumerate("KMGT", 1)}


CHECKPOINT_SHARES = {"auto": 0.03, "always": 1e9, "never": 0.0}
"""Share of the time since the last checkpoint that one may cost."""


class SizeType(click.ParamType):
    """A number of bytes such as 8GiB, 500MB or 1073741824."""

    name = "size"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        match = re.fullmatch(r"\s*([0-9]{1,18}(?:\.[0-9]+)?)\s*([KMGT]?i?)B?\s*", str(value), re.IGNORECASE | re.ASCII)
        unit = match and next((unit for unit in _UNITS if unit.lower() == match[2].lower()), None)
        if match is None or unit is None:
            self.fail(f"{value!r} is no size: accepted are bytes, or a number with KB, MB, GB, TB, KiB, MiB, GiB, TiB")
        return int(float(match[1]) * _UNITS[unit])


@click.command
@rules_option
@tables_option
@click.option("--seeds", type=Whole(0), required=True, help="Build the tiers of 0 to this many seeds.")
@click.option("--threads", type=Whole(1), help="Threads; without it, all cores. The tables are the same.")
@click.option(
    "--bounds/--no-bounds", default=None, help="With or without lower and upper; with, where the rules have any."
)
@click.option("--distance", is_flag=True, help="Also store plies to the capture or end that realises the value.")
@click.option(
    "--memory", type=SizeType(), help="Most memory to use, as in 8GiB; what needs more works from disk or is refused."
)
@click.option(
    "--checkpoint",
    type=click.Choice(list(CHECKPOINT_SHARES)),
    default="auto",
    show_default=True,
    help="When to keep the state inside a tier: auto if it costs under 3 % of the time since the last one.",
)
@click.option("--dry-run", is_flag=True, help="Only print the plan, and say whether it fits.")
def command(
    rules: Rules,
    tables: Path,
    seeds: int,
    threads: int | None,
    bounds: bool | None,
    distance: bool,
    memory: int | None,
    checkpoint: str,
    dry_run: bool,
) -> None:
    """Build the tables of a rule set up to a number of seeds, each tier once; tiers that are there are kept.

    The plan comes first (boards, disk, memory), and a plan that does not fit is refused before any work. A tier that is
    there only packed counts as there; it is unpacked to a scratch file while tiers above it are built. Ctrl-C keeps the
    finished tiers, waiting for one that is being written; the next run goes on from them.
    """
    from databases.builder.build import build_tables
    from solver.cli.progress import BuildProgress

    if bounds and not rules.has_bounds:
        raise AbapaError(
            f"--bounds: {rules.id} splits endless play evenly, so its values are exact and it has no bounds; "
            "accepted are rules with cycle=own-row, such as abapa"
        )
    with BuildProgress() as progress:
        build_tables(
            tables,
            rules,
            seeds,
            threads=threads,
            bounds=bounds is not False,
            distance=distance,
            memory=memory,
            checkpoint_share=CHECKPOINT_SHARES[checkpoint],
            dry_run=dry_run,
            report=progress.say,
            progress=progress,
        )
