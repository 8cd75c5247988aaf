"""The form of a tier's state that is fastest: 16-bit words, wholly in memory (:mod:`databases.builder.state`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from databases.builder.captures import FinishedTiers, play_band
from databases.builder.checkpoint import Part, array_part
from databases.builder.dense import scan_margin
from databases.builder.form import Form, Told
from databases.builder.propagate import Propagation
from databases.builder.state import PADDING, News, whole_tier
from databases.builder.transpose import bands


class WordsState(NamedTuple):
    """One side of a tier."""

    words: NDArray[np.uint16]
    marks: NDArray[np.uint64]
    """Where captures give which margin: :func:`~databases.builder.state.mark_row`."""


@dataclass
class WordsStart:
    """Begins stages by scanning the marked parts: wins of one state, losses of the other (or the same)."""

    wins: WordsState
    losses: WordsState

    def begin(self, run: Propagation, margin: int, *, terminal: bool, level: int) -> None:
        """Scan the marked parts of the states."""
        for frontier, side, win in ((run.next.wins, self.wins, True), (run.next.losses, self.losses, False)):
            found, ticket = np.zeros(run.threads, np.int64), np.zeros(1, np.int64)
            news, bitmap = News(margin, win, level), frontier.as_bits()
            scan_margin(run.shape, side, news, terminal, bitmap, run.fresh, run.levels, found, run.threads, ticket)
            run.add(frontier, int(found.sum()))

    def finish(self, run: Propagation) -> None:
        """Nothing is left to do."""


@dataclass
class WordsForm(Form):
    """Makes and handles such states."""

    name = "words"

    def new_state(self) -> WordsState:
        """Room for one side, with nothing in it yet."""
        shape = self.shape
        return WordsState(np.empty(shape.boards + PADDING, np.uint16), np.zeros(int(shape.marks[-1]), np.uint64))

    def parts(self, state: WordsState) -> list[Part]:
        """What a checkpoint keeps of it."""
        return [array_part(state.words), array_part(state.marks)]

    def play_captures(self, side: int, finished: FinishedTiers, state: WordsState, told: Told) -> None:
        """Fill it with what captures give."""
        band = whole_tier(self.shape)
        cut = self.cut(side)
        play_band(side, self.tables, self.shape, finished, band, state.words, state.marks, self.threads, cut)
        told(band.boards)

    def propagation(
        self, wins: WordsState, losses: WordsState, stages: int, distance: NDArray[np.uint16] | None
    ) -> Propagation:
        """The propagation over one state, or one for wins and one for losses."""
        start = WordsStart(wins, losses)
        return Propagation(self.tables, self.shape, wins.words, losses.words, start, self.threads, stages, distance)

    def table(self, state: WordsState, scale: int = 1, shift: int = 0) -> Iterator[tuple[int, NDArray[np.int8]]]:
        """The finished table in bands: scale * margin + shift."""
        return bands(self.shape, state.words, self.threads, scale, shift)

    def close(self) -> None:
        """Nothing to give back but memory."""
