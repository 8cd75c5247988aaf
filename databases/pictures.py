"""Pictures of tables, by matplotlib (the extra ``abapa[plot]``): values of a tier, values by tier, distances.

Numbers are margins from the view of the player to move, in seeds. What the numbers are is left to
:mod:`databases.statistics` and the tables' own histograms.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np

from databases.files.table import FinishedTable
from databases.prober import Tables
from solver.errors import AbapaError


def write_pictures(tables: Tables, seeds: int | None, folder: Path) -> list[Path]:
    """Write PNG files into ``folder``, which is made: for one tier its values and distances; for all, values by tier.

    Returns their paths. Raises :class:`~solver.errors.AbapaError` without matplotlib and where nothing can be written.
    """
    if importlib.util.find_spec("matplotlib") is None:
        raise AbapaError("pictures need the package matplotlib: pip install 'abapa[plot]'")
    import matplotlib as mpl

    mpl.use("Agg")
    name = tables.rules.id
    figures = {f"{name}-values-by-tier.png": _values_by_tier(tables)}
    if seeds is not None:
        figures[f"{name}-{seeds:02d}-values.png"] = _values(tables.tiers[seeds])
        if "distance" in tables.tiers[seeds].quantities:
            figures[f"{name}-{seeds:02d}-distances.png"] = _distances(tables, seeds)
    paths = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file, figure in figures.items():
            figure.savefig(folder / file, dpi=150)
            paths.append(folder / file)
    except OSError as error:
        raise AbapaError(f"cannot write pictures into {folder}: {error.strerror}") from error
    return paths


def _figure(title: str, across: str, up: str) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.subplots()
    axes.set_title(title)
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _values(table: FinishedTable) -> Any:
    figure, axes = _figure(
        f"{table.rules.id}, {table.seeds} seeds: {table.positions:,} boards",
        "value: margin of the player to move, in seeds",
        "boards",
    )
    values = list(table.histogram)
    colours = ["tab:blue" if value > 0 else "tab:red" if value < 0 else "tab:gray" for value in values]
    axes.bar(values, list(table.histogram.values()), color=colours, width=0.9)
    return figure


def _values_by_tier(tables: Tables) -> Any:
    figure, axes = _figure(
        f"{tables.rules.id}: outcome for the player to move", "seeds on the board", "share of boards"
    )
    tiers = list(tables.tiers.values())
    below = np.zeros(len(tiers))
    for label, colour, sign in (("loses", "tab:red", -1), ("draws", "tab:gray", 0), ("wins", "tab:blue", 1)):
        share = np.array([_share(table, sign) for table in tiers])
        axes.bar([table.seeds for table in tiers], share, 0.9, below, label=label, color=colour)
        below += share
    axes.set_ylim(0, 1)
    axes.legend(loc="upper center", ncols=3)
    return figure


def _share(table: FinishedTable, sign: int) -> float:
    """The share of a tier's boards whose value has this sign."""
    return sum(count for value, count in table.histogram.items() if np.sign(value) == sign) / table.positions


def _distances(tables: Tables, seeds: int) -> Any:
    figure, axes = _figure(
        f"{tables.rules.id}, {seeds} seeds: how far the capture is that gives the value",
        "distance in plies",
        "boards",
    )
    counts = distance_counts(tables, seeds)
    axes.bar(np.arange(1, len(counts)), counts[1:], width=1.0, color="tab:blue")
    axes.set_yscale("log")
    return figure


def distance_counts(tables: Tables, seeds: int) -> Any:
    """How many boards have each distance."""
    distances = tables.map(seeds, "distance", "pass")
    counts = np.zeros(int(distances.max()) + 2, np.int64)
    portion = 1 << 24
    for start in range(0, len(distances), portion):
        counts += np.bincount(distances[start : start + portion], minlength=len(counts))
    return counts
