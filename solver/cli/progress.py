"""Progress bars: on stderr, only on a terminal."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from databases.builder.plan import Plan


_WITHOUT_COUNTS = "{desc}: {percentage:5.1f}%|{bar}| {elapsed}<{remaining}"


def progress_bar(
    total: int, unit: str, what: str, *, recent: float = 0.3, form: str | None = None, file: TextIO | None = None
) -> Any:
    """A tqdm bar over ``total`` units (a context manager with ``update``), silent unless stderr is a terminal.

    ``recent``: how much the speed of late counts in the time left, from 0 (the mean since the start) to 1. ``form``:
    how the bar reads, as tqdm takes it, if not as usual. ``file``: what it is written to instead of stderr.
    """
    from tqdm import tqdm

    return tqdm(
        total=total, unit=unit, unit_scale=True, desc=what, disable=None, leave=False, dynamic_ncols=True,
        smoothing=recent, bar_format=form, file=file,
    )  # fmt: skip


class BuildProgress:
    """The bar of a build: work done so far of all work in the plan, so that the time left is true.

    What :func:`databases.builder.build.build_tables` takes as ``progress``; to be closed in the end. ``file``: what the
    bar is written to instead of stderr.
    """

    def __init__(self, file: TextIO | None = None) -> None:
        self.file = file
        self.bar: Any = None
        self._effort: Callable[[int], int] = lambda seeds: 1
        self._here = 1

    def start(self, plan: Plan) -> None:
        """Show the bar. Boards become final in bursts, so the time left is that of the mean speed."""
        self._effort = plan.effort
        self.bar = progress_bar(plan.steps, "step", "build", recent=0, form=_WITHOUT_COUNTS, file=self.file)

    def tier(self, seeds: int) -> None:
        """Name the tier that is being built."""
        self._here = self._effort(seeds)
        self.bar.set_description(f"tier {seeds}")

    def advance(self, boards: int) -> None:
        """Move on."""
        self.bar.update(boards * self._here)

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
