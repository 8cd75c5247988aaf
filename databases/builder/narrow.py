"""Tiers in a narrow window, wholly in memory: a byte a board, or half a byte where a tier has a single stage.

Margins of at most 7 fit half a byte beside the open moves (:data:`~databases.builder.state.BYTE_BIAS`), so a state of
bytes is one of words in small. With a single stage a live board needs no margin at all: captures that win or that leave
no move have made the board final at once, and of the others it only matters whether they are better than a loss. That
is what a cell says, so the margins on the disk of :mod:`databases.builder.cells` are not needed either.

Captures are played into words, a band at a time, as in the other form of little memory, and each band is taken in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numba import prange
from numpy.typing import NDArray

from databases.builder.captures import FinishedTiers, play_band
from databases.builder.cells import ScanStart, bands_of, get_cell, most_boards, put_cell, row_places
from databases.builder.checkpoint import Part, array_part
from databases.builder.dense import publish
from databases.builder.form import Form, Told
from databases.builder.propagate import Propagation
from databases.builder.state import (
    BETTER,
    BIAS,
    FINAL_BYTE,
    LOST_CELL,
    LOW,
    LOW_BYTE,
    PADDING,
    TERMINAL,
    TERMINAL_BYTE,
    WON_CELL,
    Band,
    TierShape,
    byte_code,
    group_rows,
    part_rows,
    parts_of,
)
from databases.builder.transpose import BAND_BOARDS, bands, most_of_a_band, row_bands, transpose
from solver.kernels.compile import inline_kernel, parallel_kernel
from solver.kernels.intrinsics import count_trailing_zeros, fetch_add, match_bytes


def play_in_bands(form: Form, side: int, finished: FinishedTiers) -> Iterator[tuple[Band, NDArray[np.uint16]]]:
    """What captures give, as words, band by band; each is valid until the next is asked for."""
    parts = bands_of(form.shape)
    words, no_marks = np.empty(most_boards(parts), np.uint16), np.empty(0, np.uint64)
    for band in parts:
        play_band(side, form.tables, form.shape, finished, band, words, no_marks, form.threads, form.cut(side))
        yield band, words


# -- bytes ------------------------------------------------------------------------------------------------------------


@dataclass
class BytesStart(ScanStart[NDArray[np.int8]]):
    """Begins stages by going through the bytes."""

    def find(self, run: Propagation, side: NDArray[np.int8], margin: int, *, win: bool, loss: bool) -> None:
        """The boards whose captures give ``margin``, and those that have no move open and lose as much."""
        fresh, found = _room_of(run)
        scan_bytes(
            run.shape, side, margin, win, loss, run.next.wins.as_bits(), run.next.losses.as_bits(), run.fresh, fresh,
            found, run.threads, np.zeros(1, np.int64),
        )  # fmt: skip
        _add(run, found)


def _room_of(run: Propagation) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Rows for the fresh losses beside those for the wins; counts of wins and losses by thread."""
    return np.zeros_like(run.fresh), np.zeros((2, run.threads), np.int64)


def _add(run: Propagation, found: NDArray[np.int64]) -> None:
    """Note how many wins and losses have been found."""
    for frontier, counts in zip(run.next, found, strict=True):
        run.add(frontier, int(counts.sum()))


@dataclass
class BytesForm(Form):
    """Makes and handles states of bytes, int8."""

    name = "bytes"

    def new_state(self) -> NDArray[np.int8]:
        """Room for one side, with nothing in it yet."""
        return np.empty(self.shape.boards + PADDING, np.int8)

    def parts(self, state: NDArray[np.int8]) -> list[Part]:
        """What a checkpoint keeps of it."""
        return [array_part(state)]

    def play_captures(self, side: int, finished: FinishedTiers, state: NDArray[np.int8], told: Told) -> None:
        """Fill it with what captures give, band by band."""
        for band, words in play_in_bands(self, side, finished):
            take_in_bytes(words, band.boards, band.first, state, self.threads)
            told(band.boards)

    def propagation(
        self, wins: NDArray[np.int8], losses: NDArray[np.int8], stages: int, distance: NDArray[np.uint16] | None
    ) -> Propagation:
        """The propagation over one state, or one for wins and one for losses; distances need whole margins."""
        assert distance is None
        start = BytesStart(wins, losses)
        return Propagation(self.tables, self.shape, wins, losses, start, self.threads, stages)

    def table(self, state: NDArray[np.int8], scale: int = 1, shift: int = 0) -> Iterator[tuple[int, NDArray[np.int8]]]:
        """The finished table in bands: scale * margin + shift."""
        return bands(self.shape, state, self.threads, scale, shift)

    def close(self) -> None:
        """Nothing to give back but memory."""


@parallel_kernel
def take_in_bytes(words, boards, first, state, threads):
    """Turn ``boards`` words, as captures left them, into bytes from board ``first`` on."""
    for thread in prange(threads):
        for i in range(boards * thread // threads, boards * (thread + 1) // threads):
            word = words[np.uint64(i)]
            low = np.int64(word & LOW)
            best = byte_code(low - BIAS) if low else np.uint8(0)
            moves = TERMINAL_BYTE if word >= TERMINAL else np.uint8((word >> np.uint16(8)) << np.uint16(4))
            state[np.uint64(first + i)] = np.int8(moves | best)


@parallel_kernel
def scan_bytes(
    shape, state, margin, win, loss, wins, losses, fresh_wins, fresh_losses, found, threads, ticket
):  # fmt: skip
    """Begin a stage: make final every board whose captures give ``margin`` (if ``win``), and every one that has no move
    open and loses as much (if ``loss``).

    New boards go to the bitmaps, and are counted into ``found[0]`` and ``found[1]``. Alike :func:`gather_final` on
    purpose: a parallel kernel takes no function for the work on a row, and one with both would test for each board.
    """
    no_distance = np.empty(0, np.uint16)
    for thread in prange(threads):
        my_wins, my_losses = fresh_wins[thread], fresh_losses[thread]
        new_wins, new_losses = np.int64(0), np.int64(0)
        group = fetch_add(ticket, 0, 1)
        while group < shape.group_block.shape[0]:
            b, first, last = group_rows(shape, group)
            columns = shape.counts[shape.counts.shape[0] - 1 - b]
            anything = np.uint64(0)
            for half in range(first, last):
                row = shape.rows[b] + half * columns
                anything |= scan_row(
                    state, row, columns, margin, win, loss, np.uint64(half - first), my_wins, my_losses
                )
            if anything & np.uint64(1):
                new_wins += publish(shape, b, first, my_wins, wins, no_distance, 0)
            if anything & np.uint64(2):
                new_losses += publish(shape, b, first, my_losses, losses, no_distance, 0)
            group = fetch_add(ticket, 0, 1)
        found[0, thread], found[1, thread] = new_wins, new_losses


@inline_kernel
def scan_row(state, row, columns, margin, win, loss, shift, fresh_wins, fresh_losses):
    """The same for one row; returns 1 for new wins and 2 for new losses, added up."""
    won, lost = byte_code(margin), byte_code(-margin)
    everything = np.uint8(0xFF)
    anything = np.uint64(0)
    for start in range(0, columns, 64):
        at = np.uint64(row + start)
        inside = ~np.uint64(0)
        if columns - start < 64:
            inside = (np.uint64(1) << np.uint64(columns - start)) - np.uint64(1)
        if win:
            hits = inside & match_bytes(state, at, LOW_BYTE, won, FINAL_BYTE)
            if hits:
                anything |= np.uint64(1)
                finish_bytes(state, row + start, hits, FINAL_BYTE | won, start, shift, fresh_wins)
        if loss:
            hits = match_bytes(state, at, everything, lost, FINAL_BYTE)
            hits |= match_bytes(state, at, everything, TERMINAL_BYTE | lost, FINAL_BYTE)
            hits &= inside
            if hits:
                anything |= np.uint64(2)
                finish_bytes(state, row + start, hits, FINAL_BYTE | lost, start, shift, fresh_losses)
    return anything


@inline_kernel
def finish_bytes(state, row, hits, final, start, shift, fresh):
    """Make the boards of the set bits final, and note them."""
    while hits:
        column = count_trailing_zeros(hits)
        hits &= hits - np.uint64(1)
        state[np.uint64(row) + column] = np.int8(final)
        fresh[np.uint64(start) + column] |= np.uint64(1) << shift


# -- cells without margins --------------------------------------------------------------------------------------------


@dataclass
class BareCells:
    """One side of a tier with a single stage: cells, final as far as captures make them so."""

    words_shape: TierShape
    cells_shape: TierShape
    cells: NDArray[np.uint8]


@dataclass
class BareStart(ScanStart[BareCells]):
    """Begins the one stage: all boards that are final now are new."""

    def find(self, run: Propagation, side: BareCells, margin: int, *, win: bool, loss: bool) -> None:
        """The boards that captures, or the want of a move, have made final."""
        fresh, found = _room_of(run)
        gather_final(
            side.words_shape, side.cells_shape, side.cells, win, loss, run.next.wins.as_bits(),
            run.next.losses.as_bits(), run.fresh, fresh, found, run.threads, np.zeros(1, np.int64),
        )  # fmt: skip
        _add(run, found)


@dataclass
class BareForm(Form):
    """Makes and handles such states."""

    name = "bare cells"

    def __post_init__(self) -> None:
        self.cells_shape = self.shape.in_cells()

    def new_state(self) -> BareCells:
        """Room for one side, with nothing in it yet."""
        return BareCells(self.shape, self.cells_shape, np.zeros(int(self.cells_shape.rows[-1]) // 2, np.uint8))

    def parts(self, state: BareCells) -> list[Part]:
        """What a checkpoint keeps of it."""
        return [array_part(state.cells)]

    def play_captures(self, side: int, finished: FinishedTiers, state: BareCells, told: Told) -> None:
        """Fill it with what captures give, band by band."""
        for band, words in play_in_bands(self, side, finished):
            take_in_cells(
                self.shape, self.cells_shape, band, words, state.cells, self.threads, np.zeros(1, np.int64)
            )  # fmt: skip
            told(band.boards)

    def propagation(
        self, wins: BareCells, losses: BareCells, stages: int, distance: NDArray[np.uint16] | None
    ) -> Propagation:
        """The propagation over one state, or one for wins and one for losses; distances need whole margins."""
        assert distance is None and stages <= 1
        start = BareStart(wins, losses)
        return Propagation(self.tables, self.cells_shape, wins.cells, losses.cells, start, self.threads, stages)

    def table(self, state: BareCells, scale: int = 1, shift: int = 0) -> Iterator[tuple[int, NDArray[np.int8]]]:
        """The finished table in bands: scale * margin + shift."""
        shape = self.shape
        room = max(BAND_BOARDS, int(shape.counts.max()))
        most = most_of_a_band(shape, room)
        strip, out = np.empty(most, np.uint8), np.empty(most, np.int8)
        for a, first, last, offset in row_bands(shape, room):
            b = shape.seeds - a
            rows, width = int(shape.owned[b]), last - first
            margins_of_cells(
                state.cells, self.cells_shape.block_start(b), int(self.cells_shape.stride[a]), rows, first, width,
                strip, self.threads,
            )  # fmt: skip
            transpose(strip, 0, width, rows, 0, width, scale, shift, out, self.threads)
            yield offset, out[: rows * width].reshape(width, rows)

    def close(self) -> None:
        """Nothing to give back but memory."""


@parallel_kernel
def take_in_cells(words_shape, cells_shape, band, words, cells, threads, ticket):
    """Turn the words of a band, as captures left them, into cells: final where captures, or their want, decide.

    Alike split_words in :mod:`.cells` on purpose, which says why.
    """
    for _thread in prange(threads):
        part = fetch_add(ticket, 0, 1)
        while part < parts_of(band):
            b, first, last = part_rows(words_shape, band, part)
            for half in range(first, last):
                row, cell_row, columns = row_places(words_shape, cells_shape, b, half)
                for i in range(columns):
                    word = words[np.uint64(row - band.first + i)]
                    put_cell(cells, cell_row + i, bare_cell(word))
            part = fetch_add(ticket, 0, 1)


@inline_kernel
def bare_cell(word):
    """The cell of a word, where margins go from -1 to 1."""
    low = np.int64(word & LOW)
    moves = np.uint8(0) if word >= TERMINAL else np.uint8(word >> np.uint16(8))
    if low > BIAS:
        return WON_CELL
    if low == BIAS:
        return moves + BETTER
    return moves if moves else LOST_CELL


@parallel_kernel
def gather_final(
    words_shape, cells_shape, cells, win, loss, wins, losses, fresh_wins, fresh_losses, found, threads, ticket
):  # fmt: skip
    """Note every final board in the bitmaps, and count them into ``found[0]`` and ``found[1]``.

    Alike :func:`scan_bytes` on purpose, which says why.
    """
    no_distance = np.empty(0, np.uint16)
    for thread in prange(threads):
        my_wins, my_losses = fresh_wins[thread], fresh_losses[thread]
        new_wins, new_losses = np.int64(0), np.int64(0)
        group = fetch_add(ticket, 0, 1)
        while group < words_shape.group_block.shape[0]:
            b, first, last = group_rows(words_shape, group)
            anything = np.uint64(0)
            for half in range(first, last):
                _row, cell_row, columns = row_places(words_shape, cells_shape, b, half)
                bit = np.uint64(1) << np.uint64(half - first)
                for i in range(columns):
                    cell = get_cell(cells, cell_row + i)
                    if win and cell == WON_CELL:
                        my_wins[np.uint64(i)] |= bit
                        anything |= np.uint64(1)
                    elif loss and cell == LOST_CELL:
                        my_losses[np.uint64(i)] |= bit
                        anything |= np.uint64(2)
            if anything & np.uint64(1):
                new_wins += publish(words_shape, b, first, my_wins, wins, no_distance, 0)
            if anything & np.uint64(2):
                new_losses += publish(words_shape, b, first, my_losses, losses, no_distance, 0)
            group = fetch_add(ticket, 0, 1)
        found[0, thread], found[1, thread] = new_wins, new_losses


@parallel_kernel
def margins_of_cells(cells, start, stride, rows, first, width, strip, threads):
    """The margin bytes, biased as words are, of ``width`` columns from ``first`` on of every row of a block."""
    for thread in prange(threads):
        for row in range(rows * thread // threads, rows * (thread + 1) // threads):
            for i in range(width):
                cell = get_cell(cells, start + row * stride + first + i)
                won, lost = np.uint8(cell == WON_CELL), np.uint8(cell == LOST_CELL)
                strip[np.uint64(row * width + i)] = np.uint8(BIAS) + won - lost
