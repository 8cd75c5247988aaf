"""Progress bars: on stderr, only on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from databases.builder.plan import Plan


def progress_bar(total: int, unit: str, what: str, *, recent: float = 0.3) -> Any:
    """A tqdm bar over ``total`` units (a context manager with ``update``), silent unless stderr is a terminal.

    ``recent``: how much the speed of late counts in the time left, from 0 (the mean since the start) to 1.
    """
    from tqdm import tqdm

    return tqdm(
        total=total, unit=unit, unit_scale=True, desc=what, disable=None, leave=False, dynamic_ncols=True,
        smoothing=recent,
    )  # fmt: skip


class BuildProgress:
    """The bar of a build: boards settled so far of all boards in the plan, so that the time left is true.

    What :func:`databases.builder.build.build_tables` takes as ``progress``; to be closed in the end.
    """

    def __init__(self) -> None:
        self.bar: Any = None

    def start(self, plan: Plan) -> None:
        """Show the bar. Boards become final in bursts, so the time left is that of the mean speed."""
        self.bar = progress_bar(plan.steps, "board", "build", recent=0)

    def tier(self, seeds: int) -> None:
        """Name the tier that is being built."""
        self.bar.set_description(f"tier {seeds}")

    def advance(self, boards: int) -> None:
        """Move on."""
        self.bar.update(boards)

    def say(self, line: str) -> None:
        """Print a line to stdout, above the bar while there is one."""
        import click

        if self.bar is None:
            click.echo(line)
        else:
            with self.bar.external_write_mode():
                click.echo(line)

    def close(self) -> None:
        """Take the bar away."""
        if self.bar is not None:
            self.bar.close()
            self.bar = None
