"""One tier from finished smaller ones: captures, propagation, transposition into the table file.

:meth:`TierBuild.build` and the two methods below it read as the table of contents of the algorithm. Which tiers are
built, and where they go, is left to :mod:`databases.builder.build`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from databases.builder.captures import CAPTURE_SHARE, LEAST_HELD, MOST_FORCED, VALUE, FinishedTiers
from databases.builder.cells import CellsForm
from databases.builder.checkpoint import Checkpoint, Part, array_part
from databases.builder.form import Form
from databases.builder.movetables import MoveTables
from databases.builder.narrow import BareForm, BytesForm
from databases.builder.peers import Alone, Peers
from databases.builder.propagate import PhaseClock, Propagation
from databases.builder.state import Share, TierShape
from databases.builder.transpose import distance_bands
from databases.builder.words import WordsForm
from databases.windows import WHOLE

FORMS: dict[str, type[Form]] = {form.name: form for form in (WordsForm, BytesForm, BareForm, CellsForm)}
"""The forms that a state can have, by name."""


class Writer(Protocol):
    """What a finished quantity is handed to: :class:`databases.files.writer.TableWriter`, or an array in tests."""

    def write(self, quantity: str, offset: int, values: NDArray) -> None:
        """Take the elements of ``quantity`` from ``offset`` on."""
        ...

    def read(self, quantity: str, offset: int, count: int) -> NDArray:
        """Give back elements that have been written."""
        ...


@dataclass
class TierBuild:
    """The building of one tier: its shape, the tables it stands on, and where its numbers go.

    ``form``: one of :data:`FORMS`, how its state is held; ``scratch``: a folder for the margins of "cells".
    ``window``: how far margins are told apart (:mod:`databases.windows`). ``checkpoint``: where to keep the state now
    and then, and to go on from. ``share``: the rows of this process, if it builds the tier together with ``peers``;
    ``tables`` are then those of the share, too (:meth:`~databases.builder.movetables.MoveTables.of_share`).
    """

    tables: MoveTables
    seeds: int
    threads: int
    writer: Writer
    advance: Callable[[int], object] = lambda boards: None
    clock: PhaseClock = field(default_factory=PhaseClock)
    scratch: Path = Path()
    checkpoint: Checkpoint | None = None
    form: str = WordsForm.name
    window: int = WHOLE
    share: Share | None = None
    peers: Peers = field(default_factory=Alone)

    def __post_init__(self) -> None:
        rules, tables = self.tables.rules, self.tables
        self.shape = TierShape.of(rules.pits, self.seeds, tables.counts, tables.firsts, share=self.share)

    def build(self, finished: Mapping[str, FinishedTiers], *, bounds: bool = False, distance: bool = False) -> None:
        """Write every quantity; ``finished`` has each quantity of all smaller tiers."""
        if bounds and self._build_bounds(finished, distance=distance, resume=True):
            return
        self._build_value(finished, distance=distance)
        if bounds:
            self._build_bounds(finished, distance=distance, resume=False)

    def _build_value(self, finished: Mapping[str, FinishedTiers], *, distance: bool) -> None:
        """Write ``value`` (endless play 0), and ``distance`` if asked for."""
        plies = np.zeros(self.shape.boards, np.uint16) if distance else None
        with closing(self._form()) as form:
            state = form.new_state()
            parts = form.parts(state) + ([] if plies is None else [array_part(plies)])
            first = self._restore(f"value {form.name}", parts)
            if first is None:
                if self.checkpoint is not None:
                    self.checkpoint.report_refused()
                self._play_captures(form, VALUE, finished["value"], state)
            run = form.propagation(state, state, form.cut(VALUE).most, plies)
            self._propagate(run, first, f"value {form.name}", parts)
            self._write("value", form.table(state))
        if plies is not None:
            self._write("distance", distance_bands(self.shape, plies, self.threads))

    def _build_bounds(self, finished: Mapping[str, FinishedTiers], *, distance: bool, resume: bool) -> bool:
        """Write ``lower`` and ``upper``: what each side can force by play that ends.

        With ``resume`` only if a checkpoint was left on the way, in which ``value`` is finished; returns whether.
        """
        with closing(self._form()) as form:
            forced, held = form.new_state(), form.new_state()
            written = [self._written_part(name) for name in (["value", "distance"] if distance else ["value"])]
            parts = [*written, *form.parts(forced), *form.parts(held)]
            first = self._restore(f"bounds {form.name}", parts) if resume else None
            if resume and first is None:
                return False
            if not resume:
                self._play_captures(form, MOST_FORCED, finished["upper"], forced)
                self._play_captures(form, LEAST_HELD, finished["lower"], held)
            cut = form.cut(MOST_FORCED)
            run = form.propagation(forced, held, cut.most, None)
            self._propagate(run, first, f"bounds {form.name}", parts)
            # M = least + margin found on the win side, N = least minus that on the loss side;
            # lower = 2M - n, upper = n - 2N.
            self._write("lower", self._in_window(form.table(forced, 2, 2 * cut.least - self.seeds)))
            self._write("upper", self._in_window(form.table(held, 2, self.seeds - 2 * cut.least)))
            return True

    def _form(self) -> Form:
        made = self.tables, self.shape, self.threads, self.window
        return CellsForm(*made, self.scratch) if self.form == CellsForm.name else FORMS[self.form](*made)

    def _play_captures(self, form: Form, side: int, finished: FinishedTiers, state: Any) -> None:
        with self.clock("captures"):
            form.play_captures(side, finished, state, lambda boards: self.advance(boards // CAPTURE_SHARE))

    def _propagate(self, run: Propagation, first: int | None, phase: str, parts: list[Part]) -> None:
        def keep(margin: int) -> None:
            if self.checkpoint is not None and margin and self.checkpoint.worth(parts):
                with self.clock("checkpoints"):
                    self.checkpoint.save(phase, margin, parts)

        run.advance, run.clock, run.after_stage, run.peers = self.advance, self.clock, keep, self.peers
        run.run(first)

    def _restore(self, phase: str, parts: list[Part]) -> int | None:
        return None if self.checkpoint is None else self.checkpoint.restore(phase, parts)

    def _written_part(self, quantity: str) -> Part:
        """A quantity that has been handed to the writer, as a checkpoint keeps it: a byte or two a number."""
        step, kind = 1 << 23, np.dtype("<u2" if quantity == "distance" else "<i1")
        boards = self.shape.boards

        def pieces() -> Iterator[NDArray[Any]]:
            for offset in range(0, boards, step):
                yield self.writer.read(quantity, offset, min(step, boards - offset))

        def fill(offset: int, piece: NDArray[np.uint8]) -> None:
            self.writer.write(quantity, offset // kind.itemsize, piece.view(kind))

        return Part(boards * kind.itemsize, pieces, fill)

    def _write(self, quantity: str, parts: Iterator[tuple[int, NDArray]]) -> None:
        while True:
            with self.clock("transpose"):
                part = next(parts, None)
            if part is None:
                return
            with self.clock("write"):
                self.writer.write(quantity, *self.peers.whole_rows(*part))

    def _in_window(self, parts: Iterator[tuple[int, NDArray[np.int8]]]) -> Iterator[tuple[int, NDArray[np.int8]]]:
        """Bounds, which the stages tell apart to one beyond the window where its parity is not that of the seeds."""
        for offset, numbers in parts:
            if self.window < self.seeds:
                np.clip(numbers, -self.window, self.window, out=numbers)
            yield offset, numbers
