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
from databases.files.folder import TableName
from databases.files.games import GAMES, TableRules
from databases.files.hashes import CHUNK, Digest
from databases.files.hdf5 import own_attributes, own_dataset
from databases.files.histograms import read_histogram
from databases.tiers import INDEX_SCHEME, MAX_SEEDS, tier_size
from databases.windows import FULL, WHOLE, Coding
from solver import __version__
from solver.errors import RulesError, cut, quoted

FORMAT = "abapa-table"
FORMAT_VERSION = 1
"""docs/format.md says what raises it."""
WINDOW_VERSION = 2
"""The version of tables with a window, which readers of version 1 would take for full ones."""
HALF_VERSION = 3
"""The version of archives that hold heavy boards alone (:mod:`databases.files.halves`), with a window or without."""

QUANTITIES: dict[str, np.dtype[Any]] = {
    "value": np.dtype("<i1"),
    "lower": np.dtype("<i1"),
    "upper": np.dtype("<i1"),
    "distance": np.dtype("<u2"),
}
"""Every quantity a table can hold and the type of its numbers; ``value`` is always there."""


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
    coding: Coding = FULL
    """How the margins are coded, and how far they are known."""

    @property
    def quantities(self) -> tuple[str, ...]:
        """What the table holds."""
        return tuple(self.digests)


def bits_of(quantity: str, coding: Coding) -> int:
    """Bits of a number of a quantity in a plain table; a window is one of margins, not of distances."""
    size = QUANTITIES[quantity].itemsize
    return coding.bits if size == 1 else 8 * size


def is_dense(quantity: str, coding: Coding) -> bool:
    """Whether the numbers of a quantity take less than a byte each."""
    return bits_of(quantity, coding) < 8


def stored_as(quantity: str, boards: int, coding: Coding) -> tuple[np.dtype[Any], int]:
    """Type and number of the elements of a quantity's dataset in a plain table of so many boards."""
    return (np.dtype("u1"), coding.size(boards)) if is_dense(quantity, coding) else (QUANTITIES[quantity], boards)


def is_half(attributes: Mapping[str, Any]) -> bool:
    """Whether an archive holds heavy boards alone."""
    return attributes["format_version"] == HALF_VERSION


def stored_bytes(quantity: str, boards: int, coding: Coding) -> int:
    """Bytes of a quantity in a plain table."""
    kind, count = stored_as(quantity, boards, coding)
    return kind.itemsize * count


# -- stating ----------------------------------------------------------------------------------------------------------


def stated_attributes(
    rules: TableRules, seeds: int, quantities: Sequence[str], coding: Coding = FULL
) -> dict[str, str | int]:
    """The attributes of a plain table, in the order in which they are written; ``complete`` comes last, by itself."""
    window = {} if coding == FULL else {"window": coding.window, "bits": coding.bits}
    return {
        "format": FORMAT,
        "format_version": WINDOW_VERSION if window else FORMAT_VERSION,
        **rules.stated(),
        "seeds": seeds,
        "positions": tier_size(rules.pits, seeds),
        "index": INDEX_SCHEME,
        "quantities": " ".join(quantities),
        **window,
        "builder": f"abapa {__version__}",
        "chunk_bytes": CHUNK,
    }


def meaning_of(rules: TableRules, quantity: str, coding: Coding) -> str:
    """What the numbers of a quantity are, in words."""
    meaning = rules.meanings[quantity]
    if coding == FULL or QUANTITIES[quantity].itemsize > 1:
        return meaning
    return f"{meaning}; cut to -{coding.window}..{coding.window}, whose ends mean so much or more"


# -- reading and checking ---------------------------------------------------------------------------------------------

_ATTRIBUTES = {
    "game": str, "rules": str, "pits": int, "seeds": int, "positions": int, "index": str, "quantities": str,
}  # fmt: skip


def read_header(path: Path, file: h5py.File, kind: str, name: TableName) -> Header:
    """Read and check everything but the numbers of a table of format ``kind``, which should be called ``name``."""
    attributes = {key: _plain(value) for key, value in own_attributes(file).items()}
    _check_format(path, attributes, kind)
    rules = _rules_of(path, attributes)
    seeds, positions, quantities = attributes["seeds"], attributes["positions"], attributes["quantities"].split()
    if not 0 <= seeds <= MAX_SEEDS or positions != tier_size(rules.pits, seeds):
        raise ForeignTableError(path, f"says {positions} boards of {seeds} seeds: its attributes are damaged", REBUILD)
    coding = _coding_of(path, attributes)
    if TableName(rules.id, seeds, coding.window) != name:
        window = "" if coding == FULL else f" in a window of {coding.window}"
        raise WrongTableError(
            path, f"holds {seeds} seeds of {rules.id}{window}, not what its name says", "give it its name back"
        )
    if quantities != [quantity for quantity in QUANTITIES if quantity in quantities] or "value" not in quantities:
        raise ForeignTableError(path, f"says that it holds {quoted(attributes['quantities'])}: it is damaged", REBUILD)
    histograms: dict[str, dict[int, int]] = {}
    digests: dict[str, Digest] = {}
    largest: int | None = None
    for quantity in quantities:
        coded = is_half(attributes)
        dataset = own_dataset(path, file, quantity, packed=kind != FORMAT and not coded)
        told = own_attributes(dataset)
        stored = own_dataset(path, file, f"chunk_sha256/{quantity}")
        plain, count = stored_as(quantity, positions, coding)
        kept, numbers = (plain, count) if kind == FORMAT else (QUANTITIES[quantity], positions)
        if coded and (dataset.ndim != 1 or dataset.dtype != np.uint8):
            raise ForeignTableError(path, f"holds no streams of {quantity}", REBUILD)
        if not coded and (dataset.shape != (numbers,) or dataset.dtype != kept):
            raise ForeignTableError(path, f"holds no {numbers} numbers of {quantity} in {kept}", REBUILD)
        if quantity != "distance":
            histograms[quantity] = read_histogram(told, "histogram")
            if sum(histograms[quantity].values()) != positions:
                raise ForeignTableError(path, f"does not count every board in its histogram of {quantity}", REBUILD)
        elif "largest" in told:
            largest = int(told["largest"])
        if stored.shape != (-(-plain.itemsize * count // CHUNK),) or stored.dtype != np.dtype("S64"):
            raise ForeignTableError(path, f"has {stored.shape} hashes of chunks of {quantity}", REBUILD)
        chunks = [text.decode("ascii", "replace") for text in stored[:].tolist()]
        digests[quantity] = Digest(str(_plain(told["sha256"])), chunks)
    if {"lower", "upper"} <= set(quantities):
        if "exact_values" not in attributes:
            raise ForeignTableError(path, "does not count its exact boards: its attributes are damaged", REBUILD)
        histograms["exact"] = read_histogram(attributes, "exact")
    return Header(rules, attributes, histograms, digests, largest, coding)


def _coding_of(path: Path, attributes: Mapping[str, Any]) -> Coding:
    """The window that a table states, in the bits that belong to it, in the version that belongs to it."""
    window, bits = attributes.get("window", WHOLE), attributes.get("bits", FULL.bits)
    version = attributes["format_version"]
    cut = version == WINDOW_VERSION or (version == HALF_VERSION and "window" in attributes)
    if window is True or not isinstance(window, int) or not 1 <= window <= (attributes["seeds"] - 1 if cut else WHOLE):
        raise ForeignTableError(path, f"states a window of {shown(window)}: its attributes are damaged", REBUILD)
    coding = Coding.of(window)
    if bits != coding.bits or cut != (window != WHOLE):
        raise ForeignTableError(path, f"states a window of {window} in {shown(bits)} bits: it is damaged", REBUILD)
    return coding


def _check_format(path: Path, attributes: Mapping[str, Any], kind: str) -> None:
    form = attributes.get("format")
    if not isinstance(form, str) or form != kind:
        raise ForeignTableError(
            path, f"is an HDF5 file, but not a table of Abapa's (no format = {kind!r})", "move it away"
        )
    version = attributes.get("format_version")
    if not isinstance(version, int) or version < FORMAT_VERSION:
        raise TableVersionError(
            path, f"is in format version {shown(version)}, older than the {FORMAT_VERSION} read here", REBUILD
        )
    newest = WINDOW_VERSION if kind == FORMAT else HALF_VERSION
    if version > newest:
        raise TableVersionError(
            path, f"is in format version {shown(version)}, newer than the {newest} read here", "update Abapa"
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
