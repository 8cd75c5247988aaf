"""What a table file says of itself: format, rules, tier, quantities, hashes; stated by a writer, checked by a reader.

docs/format.md describes the attributes for strangers. A header that is read is checked against the file's name and in
itself; the numbers are not looked at. Plain tables and archives have the same header and differ in ``format`` and in
how the numbers lie, which is left to :mod:`databases.files.table` and :mod:`databases.files.archive`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from databases.files.faults import (
    REBUILD,
    ForeignTableError,
    IncompleteTableError,
    TableVersionError,
    WrongTableError,
)
from databases.files.games import GAMES, TableRules
from databases.files.hashes import CHUNK, Digest
from databases.files.hdf5 import own_attributes, own_dataset
from databases.files.histograms import read_histogram
from databases.tiers import INDEX_SCHEME, MAX_SEEDS, tier_size
from solver import __version__
from solver.errors import RulesError, cut, quoted

FORMAT = "abapa-table"
FORMAT_VERSION = 1
"""docs/format.md says what raises it."""

QUANTITIES: dict[str, np.dtype[Any]] = {
    "value": np.dtype("<i1"),
    "lower": np.dtype("<i1"),
    "upper": np.dtype("<i1"),
    "distance": np.dtype("<u2"),
}
"""Every quantity a table can hold and how its numbers are stored; ``value`` is always there."""


@dataclass(frozen=True)
class Header:
    """What a finished table says about itself, checked against its name; its numbers are not."""

    rules: TableRules
    attributes: dict[str, Any]
    histograms: dict[str, dict[int, int]]
    """Of each int8 quantity, and of ``exact`` (boards whose bounds agree): how often each value comes up."""
    digests: dict[str, Digest]
    largest: int | None = None
    """The largest ``distance``; None where there is none, or the file does not say."""

    @property
    def quantities(self) -> tuple[str, ...]:
        """What the table holds."""
        return tuple(self.digests)


# -- stating ----------------------------------------------------------------------------------------------------------


def stated_attributes(rules: TableRules, seeds: int, quantities: Sequence[str]) -> dict[str, str | int]:
    """The attributes of a plain table, in the order in which they are written; ``complete`` comes last, by itself."""
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        **rules.stated(),
        "seeds": seeds,
        "positions": tier_size(rules.pits, seeds),
        "index": INDEX_SCHEME,
        "quantities": " ".join(quantities),
        "builder": f"abapa {__version__}",
        "chunk_bytes": CHUNK,
    }


# -- reading and checking ---------------------------------------------------------------------------------------------

_ATTRIBUTES = {
    "game": str, "rules": str, "pits": int, "seeds": int, "positions": int, "index": str, "quantities": str,
}  # fmt: skip


def read_header(path: Path, file: h5py.File, kind: str, version: int, name: tuple[str, int]) -> Header:
    """Read and check everything but the numbers of a table of format ``kind``, which should be called ``name``."""
    attributes = {key: _plain(value) for key, value in own_attributes(file).items()}
    _check_format(path, attributes, kind, version)
    rules = _rules_of(path, attributes)
    seeds, positions, quantities = attributes["seeds"], attributes["positions"], attributes["quantities"].split()
    if not 0 <= seeds <= MAX_SEEDS or positions != tier_size(rules.pits, seeds):
        raise ForeignTableError(path, f"says {positions} boards of {seeds} seeds: its attributes are damaged", REBUILD)
    if (rules.id, seeds) != name:
        raise WrongTableError(
            path, f"holds {seeds} seeds of {rules.id}, not what its name says", "give it its name back"
        )
    if quantities != [quantity for quantity in QUANTITIES if quantity in quantities] or "value" not in quantities:
        raise ForeignTableError(path, f"says that it holds {quoted(attributes['quantities'])}: it is damaged", REBUILD)
    histograms: dict[str, dict[int, int]] = {}
    digests: dict[str, Digest] = {}
    largest: int | None = None
    for quantity in quantities:
        dataset = own_dataset(path, file, quantity, packed=kind != FORMAT)
        told = own_attributes(dataset)
        stored = own_dataset(path, file, f"chunk_sha256/{quantity}")
        if dataset.shape != (positions,) or dataset.dtype != QUANTITIES[quantity]:
            raise ForeignTableError(
                path, f"holds no {positions} numbers of {quantity} in {QUANTITIES[quantity]}", REBUILD
            )
        if quantity != "distance":
            histograms[quantity] = read_histogram(told, "histogram")
            if sum(histograms[quantity].values()) != positions:
                raise ForeignTableError(path, f"does not count every board in its histogram of {quantity}", REBUILD)
        elif "largest" in told:
            largest = int(told["largest"])
        if stored.shape != (-(-dataset.nbytes // CHUNK),) or stored.dtype != np.dtype("S64"):
            raise ForeignTableError(path, f"has {stored.shape} hashes of chunks of {quantity}", REBUILD)
        chunks = [text.decode("ascii", "replace") for text in stored[:].tolist()]
        digests[quantity] = Digest(str(_plain(told["sha256"])), chunks)
    if "exact_values" in attributes:
        histograms["exact"] = read_histogram(attributes, "exact")
    return Header(rules, attributes, histograms, digests, largest)


def _check_format(path: Path, attributes: Mapping[str, Any], kind: str, known: int) -> None:
    form = attributes.get("format")
    if not isinstance(form, str) or form != kind:
        raise ForeignTableError(
            path, f"is an HDF5 file, but not a table of Abapa's (no format = {kind!r})", "move it away"
        )
    version = attributes.get("format_version")
    if not isinstance(version, int) or version < known:
        raise TableVersionError(
            path, f"is in format version {shown(version)}, older than the {known} read here", REBUILD
        )
    if version > known:
        raise TableVersionError(
            path, f"is in format version {shown(version)}, newer than the {known} read here", "update Abapa"
        )
    if attributes.get("complete") is not True:
        raise IncompleteTableError(path, "was not finished", REBUILD)
    for name, type_ in _ATTRIBUTES.items():
        if not isinstance(attributes.get(name), type_):
            raise ForeignTableError(path, f"has no attribute {name} as a table has it: it is damaged", REBUILD)


def _rules_of(path: Path, attributes: Mapping[str, Any]) -> TableRules:
    kind = GAMES.get(attributes["game"])
    if kind is None:
        raise ForeignTableError(path, f"is a table of {quoted(attributes['game'])}; accepted are {' and '.join(GAMES)}")
    try:
        rules = kind.parse(attributes["rules"])
    except RulesError as error:
        raise ForeignTableError(path, f"has wrong rules: {error}") from error
    stated = rules.stated()
    if {name: attributes.get(name) for name in stated} != stated or attributes["index"] != INDEX_SCHEME:
        raise ForeignTableError(path, "has attributes that contradict each other", REBUILD)
    return rules


def _plain(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def shown(value: object) -> str:
    """An attribute of any kind as a message repeats it: in one line, cut where it is long."""
    return cut(" ".join(str(value).split()))
