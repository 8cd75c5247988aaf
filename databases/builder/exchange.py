"""How ranks pass boards to each other over MPI: bitmaps of a dense level, lists of a sparse one, strips of the table.

A row of a frontier is an own half C, its columns are the opponent's halves D. A board that became final lies with the
rank that owns the state row D; it is wanted by the ranks that own a B from which a move leads to C. So the exchange of
a level is a transposition: from every rank, for every rank, the own columns of the rows that it wants
(:func:`~databases.builder.ownership.wanted_rows`). Columns go by words of 64, so nothing is shifted.

All calls are collective, with buffers and no pickling; nothing is sent in pieces of more than
:data:`~databases.builder.peers.MOST_BYTES`. The communicator comes from :mod:`databases.builder.ranks`, which starts
MPI.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from databases.builder.frontier import HALF_BITS, HALF_MASK, Bitmap, Frontier
from databases.builder.movetables import MoveTables
from databases.builder.ownership import wanted_rows
from databases.builder.peers import MOST_BYTES
from databases.builder.state import GROUP, Share, TierShape
from solver.kernels.compile import kernel, parallel_kernel

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm, Request


class Wanted(NamedTuple):
    """The rows that each rank wants."""

    rows: list[NDArray[np.uint32]]
    """By rank: ids of the halves C, ascending."""
    first: NDArray[np.int64]
    """By id of C: where the ranks that want it start in ``ranks``; one more than halves."""
    ranks: NDArray[np.uint16]


class Message(NamedTuple):
    """The rows of one piece that one rank has for another: those from ``first[c]`` to ``last[c]`` of the wanted rows
    of block c, which lie from word ``offset[c]`` of the message on."""

    first: NDArray[np.int64]
    last: NDArray[np.int64]
    offset: NDArray[np.int64]


class Piece(NamedTuple):
    """The messages that one rank sends in one call, or those that it gets: by the other rank."""

    messages: list[Message]
    words: list[int]
    places: list[int]
    """Where each begins in their buffer."""


@dataclass
class Traffic:
    """What a rank has sent to others: for measurements."""

    bitmap_bytes: int = 0
    list_bytes: int = 0
    table_bytes: int = 0
    dense_levels: int = 0
    sparse_levels: int = 0
    calls: int = 0


@dataclass
class RankPeers:
    """The ranks that build one tier together (:class:`~databases.builder.peers.Peers`), seen from one of them."""

    comm: Intracomm
    tables: MoveTables
    shape: TierShape
    """Of the own share."""
    shares: list[Share]
    threads: int
    traffic: Traffic = field(default_factory=Traffic)
    most_bytes: int = MOST_BYTES

    def __post_init__(self) -> None:
        shape, rank = self.shape, self.comm.rank
        mine = wanted_rows(self.tables, shape.seeds, self.shares[rank])
        self.wanted = share_wanted(self.comm, mine, int(shape.firsts[-1]))
        self.widths = [-(-(share.high - share.low) // GROUP) for share in self.shares]
        self.inbox = inbox_for(mine, shape)
        pieces = piece_ends(self.wanted, self.widths, shape, self.most_bytes)
        others = range(self.comm.size)
        self._out = [self._piece([(rank, other) for other in others], *ids) for ids in pieces]
        self._in = [self._piece([(other, rank) for other in others], *ids) for ids in pieces]
        self._sent, self._received = room_for(self._out), room_for(self._in)

    def _piece(self, pairs: list[tuple[int, int]], first: int, last: int) -> Piece:
        """What each (sender, receiver) has for the other of the rows with ids ``first .. last - 1``."""
        messages, words = [], []
        ids = np.clip(self.shape.firsts, first, last)
        for sender, receiver in pairs:
            ends = np.searchsorted(self.wanted.rows[receiver], ids)
            sizes = np.diff(ends) * self.widths[sender][::-1]
            messages.append(Message(ends[:-1], ends[1:], np.cumsum(sizes) - sizes))
            words.append(int(sizes.sum()))
        return Piece(messages, words, starts_of(words))

    def total(self, count: int) -> int:
        """The sum of what all ranks give."""
        given, whole = np.array([count], np.int64), np.empty(1, np.int64)
        wait_for(self.comm.Iallreduce(given, whole))
        return int(whole[0])

    def bits(self, source: Frontier) -> Bitmap:
        """The waiting boards of all ranks that have predecessors in the own rows, as a bitmap."""
        own, inbox, rank = source.as_bits(), self.inbox, self.comm.rank
        low, firsts = self.shape.low, self.shape.firsts
        inbox.flags.fill(0)
        for out, back in zip(self._out, self._in, strict=True):
            for rows, message, words, place in zip(self.wanted.rows, *out, strict=True):
                if words:
                    pack_rows(own, low, firsts, rows, *message, self._sent[place:], self.threads)
            self._alltoall(self._sent, out.words, self._received, back.words)
            for share, widths, message, words, place in zip(self.shares, self.widths, *back, strict=True):
                if words:
                    place_rows(
                        inbox.bits, inbox.flags, inbox.places, self.wanted.rows[rank], *message, self._received[place:],
                        share.low, widths, self.threads,
                    )  # fmt: skip
            self.traffic.bitmap_bytes += 8 * (sum(out.words) - out.words[rank])
        self.traffic.dense_levels += 1
        return inbox

    def _alltoall(self, sent: NDArray[Any], out: list[int], received: NDArray[Any], back: list[int]) -> None:
        """Send ``out[i]`` elements to rank i, one after another, and take ``back[i]`` from it."""
        self.traffic.calls += 1
        wait_for(self.comm.Ialltoallv([sent, (out, starts_of(out))], [received, (back, starts_of(back))]))

    def lists(self, source: Frontier, threads: int) -> Iterator[NDArray[np.uint64]]:
        """The same as lists; takes the boards out of ``source``. Each list is valid until the next is asked for."""
        most = max(1, self.most_bytes // 8 // self.comm.size)
        waiting, left = np.empty(0, np.uint64), 1
        while left:
            if not len(waiting) and source.count:
                waiting = source.take(threads)
            now, waiting = waiting[:most], waiting[most:]
            left = self.total(len(waiting) + source.count)
            yield self._to_those_who_want(now)
        self.traffic.sparse_levels += 1

    def _to_those_who_want(self, boards: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Send each board to the ranks that own a predecessor; returns what came."""
        size, wanted, firsts = self.comm.size, self.wanted, self.shape.firsts
        places = np.zeros(size, np.int64)
        deal_boards(boards, firsts, wanted.first, wanted.ranks, places, np.empty(0, np.uint64))
        out, back = places.copy(), np.empty(size, np.int64)
        wait_for(self.comm.Ialltoall(out, back))
        places = np.cumsum(out) - out
        sent, received = np.empty(int(out.sum()), np.uint64), np.empty(int(back.sum()), np.uint64)
        deal_boards(boards, firsts, wanted.first, wanted.ranks, places, sent)
        self._alltoall(sent, out.tolist(), received, back.tolist())
        self.traffic.list_bytes += 8 * int(out.sum() - out[self.comm.rank])
        return received

    def whole_rows(self, offset: int, strip: NDArray[Any]) -> tuple[int, NDArray[Any]]:
        """Trade strips of a band of the table, (rows, own boards of a row), for whole rows.

        Returns where in the table the rows start that this rank is to write, and their boards, one row after another.
        """
        size, rank, shape = self.comm.size, self.comm.rank, self.shape
        cuts = [len(strip) * i // size for i in range(size + 1)]
        rows = cuts[rank + 1] - cuts[rank]
        b = shape.seeds - int(np.searchsorted(shape.blocks, offset, side="right") - 1)
        columns = [int(share.high[b] - share.low[b]) for share in self.shares]
        out = [(cuts[i + 1] - cuts[i]) * strip.shape[1] for i in range(size)]
        back = [rows * width for width in columns]
        received = np.empty(sum(back), strip.dtype)
        self._alltoall(strip, out, received, back)
        self.traffic.table_bytes += strip.itemsize * (sum(out) - out[rank])
        whole = np.empty((rows, sum(columns)), strip.dtype)
        for share, width, place in zip(self.shares, columns, starts_of(back), strict=True):
            whole[:, share.low[b] : share.high[b]] = received[place : place + rows * width].reshape(rows, width)
        return offset + cuts[rank] * whole.shape[1], whole.reshape(-1)


def wait_for(request: Request) -> None:
    """Wait for a call to end, and leave the core to others meanwhile.

    MPI by itself asks again and again. Where more ranks or threads run than there are cores, a rank that asks keeps
    from working the one that it waits for.
    """
    while not request.Test():
        os.sched_yield()


def share_wanted(comm: Intracomm, mine: NDArray[np.uint32], halves: int) -> Wanted:
    """Tell all ranks which rows this one wants."""
    counts = np.empty(comm.size, np.int64)
    comm.Allgather(np.array([len(mine)], np.int64), counts)
    everyone = np.empty(int(counts.sum()), np.uint32)
    comm.Allgatherv(mine, [everyone, (counts.tolist(), starts_of(counts.tolist()))])
    rows = np.split(everyone, np.cumsum(counts)[:-1])
    first = np.zeros(halves + 1, np.int64)
    np.cumsum(np.bincount(everyone, minlength=halves), out=first[1:])
    order = np.argsort(everyone, kind="stable")
    return Wanted(rows, first, np.repeat(np.arange(comm.size, dtype=np.uint16), counts)[order])


def inbox_for(rows: NDArray[np.uint32], shape: TierShape) -> Bitmap:
    """An empty bitmap of the rows wanted, with all their columns."""
    widths = shape.words[shape.seeds - blocks_of(rows, shape)]
    ends, halves = np.cumsum(widths), int(shape.firsts[-1])
    places = np.zeros(halves, np.int64)
    places[rows] = ends - widths
    bits, flags = np.zeros(int(widths.sum()), np.uint64), np.zeros(halves, np.uint8)
    return Bitmap(bits, flags, np.zeros_like(shape.words), shape.words, places)


def blocks_of(rows: NDArray[Any], shape: TierShape) -> NDArray[np.int64]:
    """The seeds of halves, by their ids."""
    return np.searchsorted(shape.firsts, rows, side="right") - 1


def piece_ends(
    wanted: Wanted, widths: list[NDArray[np.int64]], shape: TierShape, most_bytes: int
) -> list[tuple[int, int]]:
    """Ranges of ids of rows, of which no rank sends or receives more than so many bytes; a row is never cut."""
    copies = np.diff(wanted.first)
    block = blocks_of(np.arange(len(copies)), shape)
    widest = np.max(widths, axis=0)
    cost = 8 * np.maximum(copies * widest[::-1][block], shape.words[::-1][block])
    ends, first = np.cumsum(cost), 0
    pieces = []
    while first < len(cost):
        before = ends[first] - cost[first]
        last = max(first + 1, int(np.searchsorted(ends, before + most_bytes, side="right")))
        pieces.append((first, last))
        first = last
    return pieces


def room_for(pieces: list[Piece]) -> NDArray[np.uint64]:
    """A buffer for the messages of any piece, one after another. Made once: new memory costs more than the copying."""
    return np.empty(max((sum(piece.words) for piece in pieces), default=0), np.uint64)


def starts_of(sizes: list[int]) -> list[int]:
    """Where each of several things starts that lie one after another."""
    return (np.cumsum(sizes) - sizes).tolist()


@parallel_kernel
def pack_rows(own, low, firsts, rows, first, last, offset, message, threads):
    """Copy the own columns, from column ``low[d]`` on, of wanted rows into a message."""
    for thread in prange(threads):
        for c in range(first.shape[0]):
            d = first.shape[0] - 1 - c
            count, width, column = last[c] - first[c], own.widths[d], low[d] // GROUP
            for k in range(first[c] + count * thread // threads, first[c] + count * (thread + 1) // threads):
                place = own.starts[c] + (np.int64(rows[k]) - firsts[c]) * width + column
                at = offset[c] + (k - first[c]) * width
                for w in range(width):
                    message[np.uint64(at + w)] = own.bits[np.uint64(place + w)]


@parallel_kernel
def place_rows(bits, flags, places, rows, first, last, offset, message, low, widths, threads):
    """Copy a message into the columns of the rank that it came from, and flag the rows in which there is anything."""
    for thread in prange(threads):
        for c in range(first.shape[0]):
            d = first.shape[0] - 1 - c
            count, width, column = last[c] - first[c], widths[d], low[d] // GROUP
            for k in range(first[c] + count * thread // threads, first[c] + count * (thread + 1) // threads):
                half = np.uint64(rows[k])
                place = places[half] + column
                at = offset[c] + (k - first[c]) * width
                anything = np.uint64(0)
                for w in range(width):
                    word = message[np.uint64(at + w)]
                    bits[np.uint64(place + w)] = word
                    anything |= word
                if anything:
                    flags[half] = 1


@kernel
def deal_boards(boards, firsts, first, ranks, places, sent):
    """Count in ``places`` the boards for each rank; unless ``sent`` is empty, put them there too, from its place on."""
    for board in boards:
        c = np.int64(board >> np.uint64(2 * HALF_BITS))
        half = firsts[c] + np.int64((board >> np.uint64(HALF_BITS)) & HALF_MASK)
        for k in range(first[half], first[half + 1]):
            if sent.shape[0]:
                sent[places[ranks[k]]] = board
            places[ranks[k]] += 1
