"""A tier in little memory: half a byte a board in memory, the margins on the disk, read and written in order.

A level only needs to know of a board whether it is final, how many moves are open, and whether captures give it more
than a loss at the present stage: four bits, a *cell*. The best margin of captures, and in the end the value, is needed
only where a stage begins. So margins live in a scratch file, one byte a board, that each stage goes through once, in
bands; everything that is read or written at random stays in memory. The kernels of a level are those of the other form.

A margin byte is biased by 128. A live board has the best that captures give it, while that is more than the present
stage's loss, else 0. A board that became final at stage s is given its margin when stage s - 1 begins.
Half boards of more than six houses may have more open moves than a cell counts; they are built in the other form.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np
from numba import prange
from numpy.typing import NDArray

from databases.builder.captures import FinishedTiers, play_band
from databases.builder.checkpoint import Part, array_part
from databases.builder.dense import publish
from databases.builder.form import Form, Told
from databases.builder.propagate import Propagation
from databases.builder.state import (
    BETTER,
    BIAS,
    GROUP,
    LOST_CELL,
    LOW,
    TERMINAL,
    WON_CELL,
    Band,
    TierShape,
    group_rows,
    part_rows,
    parts_of,
)
from databases.builder.transpose import most_of_a_band, row_bands, transpose
from solver.errors import AbapaError
from solver.kernels.compile import inline_kernel, parallel_kernel
from solver.kernels.intrinsics import fetch_add

MOST_PITS = 6
"""Houses a side whose open moves a cell can count."""
BAND_BOARDS = 1 << 19
"""Boards of a band, for the disk to read at once; a band is at least one group of 64 rows."""


def bands_of(shape: TierShape) -> list[Band]:
    """The whole tier as bands, in order; ``shape`` is that of words."""
    ends = [
        int(shape.rows[b] + min(start + GROUP, shape.counts[b]) * shape.counts[shape.seeds - b])
        for b, start in zip(shape.group_block.tolist(), shape.group_first.tolist(), strict=True)
    ]
    bands: list[Band] = []
    first_group = first = 0
    for group, end in enumerate(ends):
        if group + 1 == len(ends) or ends[group + 1] - first > BAND_BOARDS:
            bands.append(Band(first_group, group + 1, first, end - first))
            first_group, first = group + 1, end
    return bands


def most_boards(bands: list[Band]) -> int:
    """Boards of the largest band: none where a process owns nothing of a tier."""
    return max((band.boards for band in bands), default=0)


class MarginFile:
    """One byte a board in a scratch file that nobody else sees; it is gone when it is closed, or the process dies."""

    def __init__(self, folder: Path, boards: int) -> None:
        self.boards = boards
        self._file = -1
        path = folder / f".abapa-margins-{os.getpid()}-{id(self)}"
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            path.unlink()
            os.posix_fallocate(self._file, 0, boards)
        except OSError as error:
            self.close()
            raise AbapaError(f"no scratch file of {boards:,} bytes in {folder}: {error.strerror}") from error

    def read(self, first: int, into: NDArray[np.uint8]) -> None:
        """Fill ``into`` with the bytes from board ``first`` on."""
        view = into.data
        while view:
            done = os.preadv(self._file, [view], first)
            view, first = view[done:], first + done

    def write(self, first: int, margins: NDArray[np.uint8]) -> None:
        """Store bytes from board ``first`` on."""
        view = margins.data
        while view:
            done = os.pwrite(self._file, view, first)
            view, first = view[done:], first + done

    def close(self) -> None:
        """Give the disk space back."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


@dataclass
class CellsState:
    """One side of a tier: cells in memory, margins in a file. ``words`` and ``cells`` name the two shapes."""

    words_shape: TierShape
    cells_shape: TierShape
    margins: MarginFile
    threads: int

    def __post_init__(self) -> None:
        self.bands = bands_of(self.words_shape)
        self.cells = np.zeros(int(self.cells_shape.rows[-1]) // 2, np.uint8)
        self.fresh = np.zeros((self.threads, int(self.words_shape.counts.max())), np.uint64)
        self.buffer = np.empty(most_boards(self.bands), np.uint8)

    def take_in(self, band: Band, words: NDArray[np.uint16]) -> None:
        """Turn the words of a band, as captures left them, into cells and margins."""
        margins = self.buffer[: band.boards]
        split_words(
            self.words_shape, self.cells_shape, band, words, self.cells, margins, self.threads, np.zeros(1, np.int64)
        )
        self.margins.write(band.first, margins)

    def begin(self, run: Propagation, margin: int, *, win: bool, loss: bool) -> None:
        """Give boards that became final at the last stage their margin, and find those that this stage begins with.

        With ``margin`` 0 the boards that never became final get 0. ``win``, ``loss``: which kinds to look for.
        """
        wins, losses = run.next
        win_bits, loss_bits = wins.as_bits(), losses.as_bits()
        found = np.zeros((3, self.threads), np.int64)
        for band in self.bands:
            margins = self.buffer[: band.boards]
            self.margins.read(band.first, margins)
            begin_band(
                self.words_shape, self.cells_shape, band, margins, self.cells, margin, win, loss, win_bits, loss_bits,
                run.fresh, self.fresh, found, self.threads, np.zeros(1, np.int64),
            )  # fmt: skip
            if found[2].any():
                self.margins.write(band.first, margins)
            run.add(wins, int(found[0].sum()))
            run.add(losses, int(found[1].sum()))

    def stored(self) -> Iterator[NDArray[np.uint8]]:
        """The margin bytes, band by band; each is valid until the next is asked for."""
        for band in self.bands:
            margins = self.buffer[: band.boards]
            self.margins.read(band.first, margins)
            yield margins

    def table(self, scale: int = 1, shift: int = 0) -> Iterator[tuple[int, NDArray[np.int8]]]:
        """The finished table in bands (:func:`~databases.builder.transpose.bands`): scale * margin + shift."""
        shape = self.words_shape
        room = max(BAND_BOARDS, int(shape.counts.max()))
        most = most_of_a_band(shape, room)
        strip, out = np.empty(most, np.uint8), np.empty(most, np.int8)
        for a, first, last, offset in row_bands(shape, room):
            b = shape.seeds - a
            rows, columns, start = int(shape.owned[b]), int(shape.counts[a]), shape.block_start(b)
            width = last - first
            if width == columns:
                self.margins.read(start, strip[: rows * width])
            else:
                for row in range(rows):
                    self.margins.read(start + row * columns + first, strip[row * width : (row + 1) * width])
            transpose(strip, 0, width, rows, 0, width, scale, shift, out, self.threads)
            yield offset, out[: rows * width].reshape(width, rows)


Side = TypeVar("Side")
"""One side of a tier, in one of the forms."""


@dataclass
class ScanStart(ABC, Generic[Side]):
    """Begins stages by one pass over each state: wins of one, losses of the other, or both of the same."""

    wins: Side
    losses: Side

    def begin(self, run: Propagation, margin: int, *, terminal: bool, level: int) -> None:
        """Find the boards of a stage; those without a legal move are found with the others."""
        if not terminal:
            one = self.losses is self.wins
            self.find(run, self.wins, margin, win=True, loss=one)
            if not one:
                self.find(run, self.losses, margin, win=False, loss=True)

    @abstractmethod
    def find(self, run: Propagation, side: Side, margin: int, *, win: bool, loss: bool) -> None:
        """Go through a state, and add the wins and losses that a stage begins with to ``run.next``."""

    def finish(self, run: Propagation) -> None:
        """Nothing is left to do."""


@dataclass
class CellsStart(ScanStart[CellsState]):
    """Begins stages from margin files."""

    def find(self, run: Propagation, side: CellsState, margin: int, *, win: bool, loss: bool) -> None:
        """Go through the file of a side."""
        side.begin(run, margin, win=win, loss=loss)

    def finish(self, run: Propagation) -> None:
        """Store the margins of the last stage, and 0 for what was never final."""
        self.begin(run, 0, terminal=False, level=0)


@dataclass
class CellsForm(Form):
    """Makes and handles such states; ``folder`` is where the scratch files go."""

    folder: Path
    name = "cells"

    def __post_init__(self) -> None:
        self.cells_shape = self.shape.in_cells()
        self._files: list[MarginFile] = []

    def new_state(self) -> CellsState:
        """Room for one side, with nothing in it yet."""
        self._files.append(MarginFile(self.folder, self.shape.boards))
        return CellsState(self.shape, self.cells_shape, self._files[-1], self.threads)

    def parts(self, state: CellsState) -> list[Part]:
        """What a checkpoint keeps of it."""
        return [array_part(state.cells), Part(self.shape.boards, state.stored, state.margins.write)]

    def play_captures(self, side: int, finished: FinishedTiers, state: CellsState, told: Told) -> None:
        """Fill it with what captures give, band by band."""
        words, no_marks = np.empty(most_boards(state.bands), np.uint16), np.empty(0, np.uint64)
        for band in state.bands:
            play_band(side, self.tables, self.shape, finished, band, words, no_marks, self.threads, self.cut(side))
            state.take_in(band, words)
            told(band.boards)

    def propagation(
        self, wins: CellsState, losses: CellsState, stages: int, distance: NDArray[np.uint16] | None
    ) -> Propagation:
        """The propagation over one state, or one for wins and one for losses; distances are for the other form."""
        if distance is not None:
            raise ValueError("distances are not kept in little memory")
        start = CellsStart(wins, losses)
        return Propagation(self.tables, self.cells_shape, wins.cells, losses.cells, start, self.threads, stages)

    def table(self, state: CellsState, scale: int = 1, shift: int = 0) -> Iterator[tuple[int, NDArray[np.int8]]]:
        """The finished table in bands: scale * margin + shift."""
        return state.table(scale, shift)

    def close(self) -> None:
        """Give the scratch files' space back."""
        for file in self._files:
            file.close()


@parallel_kernel
def split_words(words_shape, cells_shape, band, words, cells, margins, threads, ticket):
    """Split the words of a band into cells and margin bytes.

    Alike take_in_cells in :mod:`.narrow` on purpose: a parallel kernel takes no function for the work on a row.
    """
    for _thread in prange(threads):
        part = fetch_add(ticket, 0, 1)
        while part < parts_of(band):
            b, first, last = part_rows(words_shape, band, part)
            for half in range(first, last):
                row, cell_row, columns = row_places(words_shape, cells_shape, b, half)
                split_row(words, margins, row - band.first, columns, cells, cell_row)
            part = fetch_add(ticket, 0, 1)


@inline_kernel
def row_places(words_shape, cells_shape, b, half):
    """(start among the tier's boards, start among its cells, boards) of state row (b, half)."""
    a = words_shape.counts.shape[0] - 1 - b
    columns = words_shape.counts[a]
    return words_shape.rows[b] + half * columns, cells_shape.rows[b] + half * cells_shape.stride[a], columns


@inline_kernel
def split_row(words, margins, row, columns, cells, cell_row):
    """Split one row."""
    for i in range(columns):
        word = words[np.uint64(row + i)]
        margins[np.uint64(row + i)] = np.uint8(word & LOW)
        moves = np.uint8(0) if word >= TERMINAL else np.uint8(word >> np.uint16(8))
        put_cell(cells, cell_row + i, moves + (BETTER if word & LOW else np.uint8(0)))


@inline_kernel
def put_cell(cells, index, cell):
    """Write one cell."""
    at, shift = np.uint64(index) >> np.uint64(1), np.uint8((index & 1) << 2)
    cells[at] = (cells[at] & ~(np.uint8(15) << shift)) | np.uint8(cell << shift)


@inline_kernel
def get_cell(cells, index):
    """Read one cell."""
    return (cells[np.uint64(index) >> np.uint64(1)] >> np.uint8((index & 1) << 2)) & np.uint8(15)


@parallel_kernel
def begin_band(
    words_shape, cells_shape, band, margins, cells, stage, win, loss, wins, losses, fresh_wins, fresh_losses, found,
    threads, ticket,
):  # fmt: skip
    """Do the work of :meth:`CellsState.begin` on one band.

    Counts new wins and losses into ``found[0]`` and ``found[1]``; ``found[2]`` says whether a margin has changed.
    """
    no_distance = np.empty(0, np.uint16)
    for thread in prange(threads):
        my_wins, my_losses = fresh_wins[thread], fresh_losses[thread]
        new_wins, new_losses, changed = np.int64(0), np.int64(0), np.uint64(0)
        group = band.first_group + fetch_add(ticket, 0, 1)
        while group < band.last_group:
            b, first, last = group_rows(words_shape, group)
            anything = np.uint64(0)
            for half in range(first, last):
                row, cell_row, columns = row_places(words_shape, cells_shape, b, half)
                anything |= begin_row(
                    margins, row - band.first, columns, cells, cell_row, stage, win, loss, np.uint64(half - first),
                    my_wins, my_losses,
                )  # fmt: skip
            changed |= anything & np.uint64(4)
            if anything & np.uint64(1):
                new_wins += publish(words_shape, b, first, my_wins, wins, no_distance, 0)
            if anything & np.uint64(2):
                new_losses += publish(words_shape, b, first, my_losses, losses, no_distance, 0)
            group = band.first_group + fetch_add(ticket, 0, 1)
        found[0, thread], found[1, thread], found[2, thread] = new_wins, new_losses, np.int64(changed)


@inline_kernel
def begin_row(margins, row, columns, cells, cell_row, stage, win, loss, shift, fresh_wins, fresh_losses):
    """The same for one row; returns 1 for new wins, 2 for new losses and 4 for changed margins, added up."""
    up, down = np.uint8(BIAS + stage), np.uint8(BIAS - stage)
    anything = np.uint64(0)
    for i in range(columns):
        margin = margins[np.uint64(row + i)]
        cell = get_cell(cells, cell_row + i)
        if cell == WON_CELL:
            if margin <= up:
                margins[np.uint64(row + i)] = up + np.uint8(1)
                anything |= np.uint64(4)
        elif cell == LOST_CELL:
            if margin == 0:
                margins[np.uint64(row + i)] = down - np.uint8(1)
                anything |= np.uint64(4)
        elif stage == 0:
            margins[np.uint64(row + i)] = BIAS
            anything |= np.uint64(4)
        elif margin == up and win:
            put_cell(cells, cell_row + i, WON_CELL)
            fresh_wins[np.uint64(i)] |= np.uint64(1) << shift
            anything |= np.uint64(1)
        elif margin == down and loss:
            if cell == BETTER:  # no move is open
                put_cell(cells, cell_row + i, LOST_CELL)
                fresh_losses[np.uint64(i)] |= np.uint64(1) << shift
                anything |= np.uint64(2)
            else:
                put_cell(cells, cell_row + i, cell - BETTER)
                margins[np.uint64(row + i)] = 0
                anything |= np.uint64(4)
    return anything
