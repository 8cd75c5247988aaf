"""How often each value comes up among a quantity's int8 numbers: counted, written as attributes, read back.

Counts are int64 arrays of 256, value v at v + 128. What the histogram of a table must add up to is left to
:mod:`databases.files.header`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solver.kernels.compile import kernel


@kernel
def count_margins(values, counts):
    """Add the number of times each int8 value comes up to ``counts[value + 128]``.

    Four histograms in turn: neighbours are often equal, and adding to the same number twice in a row waits.
    """
    parts = np.zeros((4, 256), np.int64)
    whole = values.shape[0] & ~3
    for i in range(0, whole, 4):
        for part in range(4):
            parts[part, np.uint64(np.int64(values[np.uint64(i + part)]) + 128)] += 1
    for i in range(whole, values.shape[0]):
        parts[0, np.uint64(np.int64(values[np.uint64(i)]) + 128)] += 1
    counts += parts[0] + parts[1] + parts[2] + parts[3]


@kernel
def count_equal(lower, upper, counts, window):
    """The same over the places where two arrays agree inside the window: what lies beyond it may differ."""
    for i in range(lower.shape[0]):
        if lower[i] == upper[i] and -window < np.int64(lower[i]) < window:
            counts[np.uint64(np.int64(lower[i]) + 128)] += 1


def count_exact(lower: Iterable[NDArray[np.int8]], upper: Iterable[NDArray[np.int8]], window: int) -> NDArray[np.int64]:
    """How often each value comes up where two bounds agree; margins come in pieces of the same lengths."""
    counts = np.zeros(256, np.int64)
    for low, high in zip(lower, upper, strict=True):
        count_equal(low, high, counts, window)
    return counts


def write_histogram(place: Any, name: str, counts: NDArray[np.int64]) -> None:
    """Keep the values that occur, and how often, as attributes ``NAME_values`` and ``NAME_counts``."""
    values = np.flatnonzero(counts) - 128
    place.attrs[f"{name}_values"] = values.astype(np.int64)
    place.attrs[f"{name}_counts"] = counts[values + 128]


def read_histogram(attributes: Mapping[str, Any], name: str) -> dict[int, int]:
    """Value -> how often, from these attributes. Raises ValueError, KeyError or TypeError for what is no histogram."""
    values, counts = np.asarray(attributes[f"{name}_values"]), np.asarray(attributes[f"{name}_counts"])
    if values.shape != counts.shape or values.ndim != 1 or values.dtype.kind + counts.dtype.kind != "ii":
        raise ValueError(f"no histogram {name}")
    return {int(value): int(count) for value, count in zip(values, counts, strict=True)}


def histogram_fault(name: str, told: Mapping[int, int], counts: NDArray[np.int64]) -> str | None:
    """What is wrong with a histogram as it is told, given the counts of the data, in words; None if nothing is."""
    counted = {int(k) - 128: int(counts[k]) for k in np.flatnonzero(counts)}
    wrong = [value for value in sorted(counted.keys() | told.keys()) if counted.get(value) != told.get(value)]
    if not wrong:
        return None
    value = wrong[0]
    return (
        f"{name}: the data are right, their histogram is not: it has {told.get(value, 0):,} boards of {value:+d}, "
        f"counted {counted.get(value, 0):,}"
    )
