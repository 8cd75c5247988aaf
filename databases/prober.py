"""Asking finished tables: what a board is worth, what each move is worth, how play goes on.

::

    with open_tables("tables", Rules.parse("awari")) as tables:
        tables.probe((0, 0, 0, 0, 1, 2, 1, 0, 0, 0, 0, 2)).value

Values are margins in seeds from the view of the player to move; a *move's* value is from the view of the player who
makes it. A position is a canonical board (2m counts, the mover's houses first) or anything that knows its
:class:`Positioned` form. Tables are mapped: a probe reads a few bytes, never a table. How tables are stored is left to
:mod:`databases.files`, Omweso's tables to :mod:`databases.omweso`.

Threads: any number may ask one :class:`Tables` at a time, and one may close it meanwhile. A lock is taken where a table
is opened and inside archives, none where plain tables answer. Who asks keeps the maps that it reads, so closing takes
none away from under it; what is asked after closing raises :class:`~databases.files.faults.ClosedTableError`.

A table file that is made shorter in place while it is mapped ends the process (SIGBUS): replace tables by renaming.
"""

from __future__ import annotations

import shlex
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from operator import index
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, Self, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from databases.files.archive import Archive, HalfArchive
from databases.files.faults import ClosedTableError
from databases.files.folder import existing_folder, find_archives, find_tables
from databases.files.header import QUANTITIES, is_dense
from databases.files.table import Access, Margins, Table
from databases.halfboards import half_counts, rank_terms
from databases.halfmoves import HalfMoves
from databases.lookups import NUMBERS, MappedTiers
from databases.machine import available_memory
from databases.tiers import MAX_SEEDS, board_index, index_in_tier, offsets_of_tiers, tier_index
from databases.windows import FULL, WHOLE
from solver.errors import AbapaError, PositionError, RulesError, cut, quoted
from solver.kernels.compile import kernel
from solver.kernels.intrinsics import load_int8, load_uint16, prefetch_address
from solver.kernels.margins import load_margin
from solver.oware.game import Tier, searched_quantities
from solver.oware.kernels import SLAM_CODES, ToldMove, children, final_margin, houses_taken, pack_row, told_moves
from solver.oware.rules import Rules
from solver.rule_ids import want_rules

Board = tuple[int, ...]
AnyTable = TypeVar("AnyTable", bound=Table | Archive)
Default = TypeVar("Default")

_SEARCHED = 4096
"""Boards that :meth:`Tables.line` looks at in search of the next capture where no distance is stored."""


@runtime_checkable
class Positioned(Protocol):
    """What a position must tell: its rules, and its board with the mover's houses first."""

    @property
    def canonical(self) -> Board: ...
    @property
    def rules(self) -> Rules: ...


class MissingTierError(AbapaError, KeyError):
    """No table answers: :attr:`seeds` is the tier that is missing, :attr:`command` builds it in :attr:`directory`."""

    def __init__(self, directory: Path, rules: Rules, seeds: int) -> None:
        self.directory, self.rules, self.seeds = directory, rules, seeds
        where = ["--rules", rules.id, "--seeds", str(seeds), "--tables", str(directory)]
        self.command = shlex.join(["abapa", "build", *where])
        remedy = f"build it with: {self.command}" if seeds <= MAX_SEEDS else f"tables go up to {MAX_SEEDS} seeds"
        self.text = f"no {rules.id} table of {seeds} seeds in {directory}: {remedy}"
        super().__init__(self.text)

    def __str__(self) -> str:
        return self.text


class Probe(NamedTuple):
    """What a board is worth to the player to move, in seeds still on the board."""

    rules: Rules
    board: Board
    value: int
    """Seeds the mover will still win minus seeds the opponent will, endless play split evenly."""
    lower: int | None = None
    """What the mover can force by play that ends; None where the rule set or the table has no bounds."""
    upper: int | None = None
    """What the opponent can hold the mover to by play that ends; None as for ``lower``."""
    distance: int | None = None
    """Plies to the capture or end that gives the value under best play, 0 where there is none to wait for (game
    over, value 0), None where not stored."""
    beyond: int = 0
    """0: the value is ``value``. 1: it is that or more, -1: that or less, since a table's window ends there."""

    @property
    def seeds(self) -> int:
        """Seeds on the board."""
        return sum(self.board)

    @property
    def exact(self) -> bool:
        """Whether the value holds whatever boards repeat: always for an even split, else if the bounds agree.

        Never where a window ends at it.
        """
        return not self.beyond and (not self.rules.has_bounds or (self.lower is not None and self.lower == self.upper))

    @property
    def reach(self) -> tuple[int, int]:
        """The least and the most that the value can be, whatever boards repeat, as far as the table tells."""
        if self.rules.has_bounds and (self.lower is None or self.upper is None):
            return -self.seeds, self.seeds
        return _reach(self, self.seeds)


class MoveValue(NamedTuple):
    """A legal move and what it is worth to the player who makes it.

    ``house`` is counted from the mover's own first house, 0..m-1. ``board`` is the board after it, canonical (the
    opponent, now to move, first). ``value``, ``lower``, ``upper``, ``distance``, ``beyond`` as in :class:`Probe`.
    """

    house: int
    captured: int
    board: Board
    value: int
    lower: int | None = None
    upper: int | None = None
    distance: int | None = None
    beyond: int = 0

    @property
    def reach(self) -> tuple[int, int]:
        """The least and the most that the value can be, as far as tables tell: the bounds, where the rules have any."""
        return _reach(self, sum(self.board) + self.captured if self.beyond else 0)


class LookUp(NamedTuple):
    """A position in tables: what it is worth, its moves with their values, best first, and what each does, by house."""

    probe: Probe
    moves: list[MoveValue]
    told: dict[int, ToldMove]


class Line(NamedTuple):
    """Best play: the moves, alternately of the player to move and of the opponent, and why they stop."""

    moves: tuple[MoveValue, ...]
    end: Literal["over", "endless", "limit"]
    """``over``: no legal move. ``endless``: boards repeat from here. ``limit``: as many moves as were asked for."""


def best_first(move: MoveValue) -> tuple[int, ...]:
    """Sort key of moves, the one home of their order.

    By value (so much or more before so much, and that before so much or less); then by progress, a shorter win and a
    longer loss first (where distances are stored), so that playing the first move gets somewhere; then by what is
    certain (``lower``, then ``upper``); then the larger capture; then house order.
    """
    distance = move.distance or 0
    progress = distance if move.value > 0 else -distance
    return (-move.value, -move.beyond, progress, -(move.lower or 0), -(move.upper or 0), -move.captured, move.house)


def open_tables(directory: Path | str, rules: Rules) -> Tables:
    """The tables of ``rules`` in ``directory``. A tier that is there only in packed form is answered from that, slower.

    Each file is opened when an answer first needs it; then its size and attributes are checked, its data are not. So a
    damaged table is in the way of what needs it (a subclass of :class:`~databases.files.faults.TableError`; it is never
    passed over) and of nothing else. Raises :class:`~solver.errors.AbapaError` where there is no such folder, and
    :class:`~solver.errors.RulesError` for rules that have no tables.
    """
    directory = Path(directory)
    want_rules(rules, Rules)
    if not rules.has_tables:
        raise RulesError(f"{rules.id} has no tables: with grand-slam=win-only a board's value depends on the stores")
    return Tables(existing_folder(directory), rules)


class OpenOnDemand(Mapping[int, AnyTable]):
    """Tables by seeds, fewest first. Which there are is known; each is opened when it is first looked up."""

    def __init__(self, paths: Mapping[int, Path], open_one: Callable[[int], AnyTable]) -> None:
        self._paths, self._open = paths, open_one

    def __getitem__(self, seeds: int) -> AnyTable:
        if seeds not in self._paths:
            raise KeyError(seeds)
        return self._open(seeds)

    def __contains__(self, seeds: object) -> bool:
        return seeds in self._paths

    def __iter__(self) -> Iterator[int]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


class Tables:
    """The tables of one rule set; a context manager. :func:`open_tables` makes one.

    Any number of threads may ask, and close it meanwhile (see the module's head).
    """

    def __init__(self, directory: Path, rules: Rules) -> None:
        self.directory, self.rules = directory, rules
        self._plain = find_tables(directory, rules)
        packed = {n: path for n, path in find_archives(directory, rules).items() if n not in self._plain}
        self._paths = dict(sorted((self._plain | packed).items()))
        self._opened: dict[int, Table | Archive] = {}
        self._mapped = MappedTiers(rules, {})
        self._lock = threading.Lock()
        self._closed = False

    def __reduce__(self) -> tuple[type[Tables], tuple[Path, Rules]]:
        """Another process opens them for itself."""
        return Tables, (self.directory, self.rules)

    def __repr__(self) -> str:
        if self._closed:
            return f"<Tables {self.rules.id} in {self.directory}: closed>"
        return f"<Tables {self.rules.id} in {self.directory}: {len(self._paths)} tiers, complete to {self.seeds} seeds>"

    @property
    def tiers(self) -> Mapping[int, Table | Archive]:
        """The tables by seeds, plain or packed; looking one up opens it."""
        self._want_open()
        return OpenOnDemand(self._paths, self._open)

    @property
    def seeds(self) -> int:
        """The largest n for which every tier 0..n is there; -1 without a table of 0 seeds."""
        self._want_open()
        return next(n for n in range(-1, MAX_SEEDS + 1) if n + 1 not in self._paths)

    @property
    def mapped(self) -> Mapping[int, Table]:
        """The tables that can be mapped, by seeds: all but the packed ones; looking one up opens it."""
        self._want_open()
        return OpenOnDemand(self._plain, self._open_plain)

    def searchable(self, most: int = MAX_SEEDS, unpacked: Callable[[int], object] | None = None) -> dict[int, Tier]:
        """The tables of up to ``most`` seeds as the search takes them, by seeds: arrays and their index.

        Margins, from the mover's view in seeds. Plain tables are mapped. Packed ones are left out, unless ``unpacked``
        is given: then their numbers are unpacked, for as long as somebody holds them, and it is called with the seeds
        of each that has been. Left out as well are tables that lack one of
        :func:`~solver.oware.game.searched_quantities`, and those packed by half that rest on such.
        """
        needed, pits = searched_quantities(self.rules), self.rules.pits
        wanted = {seeds: self.mapped[seeds] for seeds in self.mapped if seeds <= most}  # larger ones stay closed
        tiers = {
            seeds: Tier({name: table.map(name, "lookups") for name in needed}, tier_index(pits, seeds), *table.coding)
            for seeds, table in wanted.items()
            if all(name in table.quantities for name in needed)
        }
        if unpacked is not None:
            packed = [seeds for seeds in self._paths if seeds <= most and seeds not in self._plain]
            for seeds, margins in self._unpacked(packed, needed, unpacked):
                arrays = {name: numbers.data.view(np.int8) for name, numbers in margins.items()}
                tiers[seeds] = Tier(arrays, tier_index(pits, seeds), window=self.tiers[seeds].window)
        return dict(sorted(tiers.items()))

    def _unpacked(
        self, packed: Sequence[int], needed: Sequence[str], told: Callable[[int], object]
    ) -> Iterator[tuple[int, Margins]]:
        """Those of the packed tiers that can be unpacked, with their margins; each is worked out once."""
        if not packed:
            return
        moves, below = HalfMoves.of(self.rules, max(packed)), list[Margins]()
        for seeds in range(max(packed) + 1):
            table = self.tiers.get(seeds)
            hangs = isinstance(table, HalfArchive) and not all(below[: max(seeds - 1, 0)])
            if table is None or hangs or not set(needed) <= set(table.quantities):
                below.append({})
                continue
            below.append(table.stored(needed, below, moves))
            if seeds in packed:
                told(seeds)
                yield seeds, below[seeds]

    # -- one position -------------------------------------------------------------------------------------------------

    def probe(self, position: Positioned | Sequence[int]) -> Probe:
        """What ``position`` is worth to the player to move.

        Boards that need no table (no legal move), and boards above the built tiers whose every move falls into built
        ones, are answered too. Raises :class:`MissingTierError`, :class:`~solver.errors.PositionError`, and
        :class:`~solver.errors.RulesError` for a position of other rules.
        """
        board = self._canonical(position)
        return self._stored(board) or self._derived(board, self._moves(board))

    def get(self, position: Positioned | Sequence[int], default: Default = None) -> Probe | Default:
        """As :meth:`probe`, but ``default`` where no table answers."""
        try:
            return self.probe(position)
        except MissingTierError:
            return default

    def moves(self, position: Positioned | Sequence[int]) -> list[MoveValue]:
        """Every legal move with its value for the mover, best first (:func:`best_first`). Raises as :meth:`probe`."""
        return self._moves(self._canonical(position))

    def look_up(self, position: Positioned | Sequence[int]) -> LookUp:
        """:meth:`probe` and :meth:`moves` together, in little more time than one of them. Raises as they do."""
        board = self._canonical(position)
        together = self._together(board)
        if together is not None:
            return together
        moves = self._moves_singly(board)
        told = {move.house: move for move in told_moves(self.rules, board)}
        return LookUp(self._stored(board) or self._derived(board, moves), moves, told)

    def line(self, position: Positioned | Sequence[int], limit: int = 200) -> Line:
        """Best play from ``position`` by both sides, up to ``limit`` moves. Raises as :meth:`probe`.

        It makes progress. Where distances are stored, a player who is ahead takes the shortest way to the capture that
        gives the value and the other one the longest. Elsewhere, and at value 0, it is a shortest sequence of best
        moves to the next capture or the end of the game; where there is none, play is endless and stops at the
        first board that repeats.
        """
        board, moves = self._canonical(position), []
        while len(moves) < limit:
            stretch, end = self._stretch(board, limit - len(moves))
            moves += stretch
            if end is not None:
                return Line(tuple(moves), end)
            board = moves[-1].board
        return Line(tuple(moves), "limit")

    # -- many positions -----------------------------------------------------------------------------------------------

    def probe_many(self, boards: ArrayLike, quantity: str = "value", *, default: int | None = None) -> NDArray[Any]:
        """One quantity of many canonical boards, at compiled speed; margins are cut to the window of their table.

        ``boards``: integers, int8 is fastest, shape (k, 2m), the mover's houses first. Returns shape (k,), int8
        (uint16 for ``distance``), margins from the mover's view. A board that no table answers is ``default``, or
        raises :class:`MissingTierError`. Raises :class:`~solver.errors.PositionError` for other shapes and negative
        counts and :class:`~solver.errors.AbapaError` for a quantity that the tables do not hold, or a ``default`` that
        its type does not.
        """
        array = self._checked(boards)
        if quantity not in QUANTITIES:
            raise AbapaError(f"unknown quantity {quoted(quantity)}: accepted are {', '.join(QUANTITIES)}")
        if default is not None:
            _check_default(default, quantity)
        out = np.zeros(len(array), QUANTITIES[quantity])
        seeds, indexes = self._locate(array)
        gather = _gather_distances if quantity == "distance" else _gather_margins
        needed = np.unique(seeds[indexes >= 0]).tolist()
        tables = {n: self._holding(n, quantity) for n in needed}
        maps = {n: table.map(quantity, "lookups") for n, table in tables.items() if isinstance(table, Table)}
        addresses = np.zeros(max(self._paths, default=0) + 1, np.int64)  # 0: packed, or not needed
        for n, numbers in maps.items():
            addresses[n] = numbers.ctypes.data  # valid as long as ``maps`` is there, whoever closes what meanwhile
        if any(is_dense(quantity, tables[n].coding) for n in maps):
            codings = np.array([tables[n].coding if n in tables else FULL for n in range(len(addresses))], np.int64)
            _gather_dense_margins(addresses, codings, seeds, indexes, out)
        else:
            gather(addresses, seeds, indexes, out)
        for n, table in tables.items():
            if isinstance(table, Archive):
                here = np.flatnonzero((seeds == n) & (indexes >= 0))
                try:
                    out[here] = table.read_many(quantity, indexes[here])
                except MissingTierError:  # its light boards need smaller tiers
                    if default is None:
                        raise
                    out[here] = [self._read_or(table, quantity, at, default) for at in indexes[here].tolist()]
        for at in np.flatnonzero(indexes < 0):
            out[at] = self._one_of_many(tuple(array[at].tolist()), quantity, default)
        return out

    def map(self, seeds: int, quantity: str = "value", access: Access = "mixed") -> NDArray[Any]:
        """A whole tier as a read-only map, in index order; ``access`` says how it will be read.

        In memory instead of mapped where a window makes numbers smaller than a byte. Margins are cut to the window
        (:meth:`window`). Raises :class:`MissingTierError`, KeyError for a quantity that the table does not hold, and
        :class:`~solver.errors.AbapaError` for a packed table.
        """
        table = self.plain(seeds)
        numbers = table.map(quantity, access)
        if not is_dense(quantity, table.coding):
            return numbers
        if table.positions > (free := available_memory()):
            raise AbapaError(f"{table.path} takes {table.positions:,} bytes of memory unpacked, {free:,} are available")
        return table.coding.decode(numbers, table.positions)

    def plain(self, seeds: int) -> Table:
        """The table of a tier that can be mapped.

        Raises :class:`MissingTierError`, and :class:`~solver.errors.AbapaError` for a packed table.
        """
        table = self._there(seeds)
        if isinstance(table, Archive):
            raise AbapaError(f"{table.path} is packed and cannot be mapped: abapa unpack restores the plain table")
        return table

    def window(self, seeds: int) -> int:
        """How far the margins of a tier are told apart: at its ends a number means so much or more.

        :data:`~databases.windows.WHOLE` for a full table. Raises :class:`MissingTierError`.
        """
        return self._there(seeds).window

    def cut(self, seeds: int) -> int | None:
        """The window of a tier that is there and cut to one; None for a full tier, and for one that is not there."""
        self._want_open()
        window = self._open(seeds).window if seeds in self._paths else WHOLE
        return window if window < seeds else None

    def resting(self, seeds: int) -> list[int]:
        """The tiers that numbers of up to ``seeds`` seeds rest on: all but, where it is not there, the one below the
        largest, since no capture takes one seed. (A game comes to it never, and ``abapa build --game`` leaves it out.)
        """
        below = seeds - 1 if seeds in self.tiers and seeds - 1 not in self.tiers else -1
        return [n for n in range(seeds + 1) if n != below]

    def want_full(self, tiers: Iterable[int], what: str) -> None:
        """Refuse tiers with a window where ``what`` needs whole margins. Raises :class:`~solver.errors.AbapaError`."""
        for seeds in tiers:
            if (window := self.cut(seeds)) is not None:
                raise AbapaError(
                    f"{self.tiers[seeds].path} knows margins only up to {window}: {what} needs full tables "
                    "(abapa build --seeds)"
                )

    # -- closing ------------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Let go of all tables; maps handed out stay valid. What is asked later raises an error."""
        with self._lock:
            self._closed = True
            opened, self._opened = self._opened, {}
            self._mapped = MappedTiers(self.rules, {})
        for table in opened.values():
            table.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- inside -------------------------------------------------------------------------------------------------------

    def _open(self, seeds: int) -> Table | Archive:
        table = self._opened.get(seeds)
        if table is None:
            with self._lock:
                self._want_open()
                table = self._opened.get(seeds)
                if table is None:
                    path = self._paths[seeds]
                    table = Table.open(path) if seeds in self._plain else Archive.open(path, self._there)
                    self._opened[seeds] = table
        return table

    def _there(self, seeds: int) -> Table | Archive:
        self._want_open()
        if seeds not in self._paths:
            raise MissingTierError(self.directory, self.rules, seeds)
        return self._open(seeds)

    def _want_open(self) -> None:
        if self._closed:
            raise ClosedTableError(self.directory)

    def _open_plain(self, seeds: int) -> Table:
        table = self._open(seeds)
        assert isinstance(table, Table)
        return table

    def _canonical(self, position: Positioned | Sequence[int]) -> Board:
        self._want_open()
        if not isinstance(position, tuple) and isinstance(position, Positioned):  # the second takes ten times as long
            if position.rules != self.rules:
                raise RulesError(f"a position of {position.rules.id} cannot be looked up in tables of {self.rules.id}")
            board = position.canonical
        else:
            try:
                board = tuple(map(index, position))
            except TypeError as error:
                raise PositionError(
                    f"{cut(repr(position))} is no board: accepted are whole numbers of seeds"
                ) from error
        if len(board) != 2 * self.rules.pits:
            raise PositionError(f"{len(board)} houses given: a board of {self.rules.id} has {2 * self.rules.pits}")
        if min(board) < 0:
            raise PositionError("a house holds a negative number of seeds: counts are 0 or more")
        if sum(board) > MAX_SEEDS:
            raise MissingTierError(self.directory, self.rules, sum(board))
        return board

    def _stored(self, board: Board) -> Probe | None:
        seeds = sum(board)
        return self._read(board, seeds, board_index(board)) if seeds in self._paths else None

    def _read(self, board: Board, seeds: int, at: int) -> Probe:
        """The answer for a board at an index of a tier that is there."""
        table = self._open(seeds)
        found = {quantity: table.read(quantity, at) for quantity in table.quantities}
        if table.coding.window < seeds:
            return _cut_probe(self.rules, board, table.coding.window, **found)
        return Probe(self.rules, board, **found)

    def _locate(self, boards: NDArray[np.int8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Seeds and index in its tier of each board; index -1 where the tier is not there. Raises PositionError."""
        seeds, indexes = np.empty(len(boards), np.int64), np.empty(len(boards), np.int64)
        negative = _locate(boards.ravel(), self.rules.pits, *self._geometry, seeds, indexes)
        if negative >= 0:
            raise PositionError(f"board {negative} has a negative number of seeds in a house: counts are 0 or more")
        return seeds, indexes

    def _over(self, board: Board) -> Probe | None:
        """The answer for a board without a legal move, which needs no table."""
        return None if _moves_of(self.rules, board) else self._probe_of(board, _margin_at_end(self.rules, board), 0)

    def _probe_of(self, board: Board, value: int, distance: int) -> Probe:
        bound = value if self.rules.has_bounds else None
        return Probe(self.rules, board, value, bound, bound, distance)

    def _derived(self, board: Board, moves: Sequence[MoveValue]) -> Probe:
        """The answer for a board of a tier that is not built, from its moves."""
        if not moves:
            return self._probe_of(board, _margin_at_end(self.rules, board), 0)
        value, beyond = _best_value(moves, sum(board))
        lower = _best([move.lower for move in moves])
        upper = _best([move.upper for move in moves])
        return Probe(self.rules, board, value, lower, upper, 1 if value and not beyond else 0, beyond)

    def _moves(self, board: Board) -> list[MoveValue]:
        self._want_open()
        together = self._together(board)
        return self._moves_singly(board) if together is None else together.moves

    def _together(self, board: Board) -> LookUp | None:
        """The answer for a board and its moves in one call; None unless all the tables that this takes are mapped."""
        mapped = self._mapped
        rows = mapped.rows(board)
        if rows is None:
            return None
        held = mapped.quantities[sum(board)]
        bounds, distances = "lower" in held, "distance" in held

        def named(value: int, lower: int, upper: int, distance: int) -> tuple[int, int | None, int | None, int | None]:
            return value, lower if bounds else None, upper if bounds else None, distance if distances else None

        moves, told = [], {}
        for house, captured, last, taken, slam, replies, *after, value, lower, upper, distance in rows[1:]:
            left = tuple(after)
            moves.append(MoveValue(house, captured, left, *named(value, lower, upper, distance)))
            told[house] = ToldMove(house, captured, left, houses_taken(last, taken), slam == 1, replies > 0)
        moves.sort(key=best_first)
        return LookUp(Probe(self.rules, board, *named(*rows[0][-len(NUMBERS) :])), moves, told)

    def _moves_singly(self, board: Board) -> list[MoveValue]:
        """The moves, looked up one after the other: opens the tables that it takes, in whatever form they are."""
        total = sum(board)
        stored = self._open(total) if total in self._paths else None
        known = stored is None or "distance" in stored.quantities
        moves = []
        for house, captured, after, seeds, at in self._located_moves(board):
            child = self._read(after, seeds, at) if at >= 0 else self._over(after)
            if child is None:
                raise MissingTierError(self.directory, self.rules, total if stored is None else seeds)
            value = captured - child.value
            lower = captured - child.upper if child.upper is not None else None
            upper = captured - child.lower if child.lower is not None else None
            distance = _distance_of(value, captured, child) if known else None
            moves.append(MoveValue(house, captured, after, value, lower, upper, distance, -child.beyond))
        self._map_opened()
        return sorted(moves, key=best_first)

    def _map_opened(self) -> None:
        """Have the tables that were opened since looked up together from now on."""
        if len(self._opened) > self._mapped.known:
            with self._lock:
                self._want_open()
                self._mapped = MappedTiers(self.rules, self._opened)

    def _located_moves(self, board: Board) -> Iterator[tuple[int, int, Board, int, int]]:
        """The legal moves: house, seeds captured, board after, its seeds, its index (-1: its tier is not there)."""
        houses, captured, after = children(self.rules, np.array(board, np.int8))
        columns = (houses, captured, after, *self._locate(after))
        return (
            (house, taken, tuple(left), seeds, at)
            for house, taken, left, seeds, at in zip(*(column.tolist() for column in columns), strict=True)
        )

    def _stretch(self, board: Board, limit: int) -> tuple[list[MoveValue], Literal["over", "endless"] | None]:
        """Best moves up to the next capture, or to the end if that comes first."""
        moves = self._moves(board)
        if not moves:
            return [], "over"
        stretch: list[MoveValue] = []
        if moves[0].value and moves[0].distance is not None:
            while moves and len(stretch) < limit:
                stretch.append(moves[0])
                if moves[0].captured:
                    break
                moves = self._moves(moves[0].board)
            return stretch, None
        return self._way_to_capture(board, limit) or self._endless(board, limit)

    def _way_to_capture(self, board: Board, limit: int) -> tuple[list[MoveValue], None] | None:
        """A shortest sequence of best moves to a capture or to the end of the game, or None."""
        came: dict[Board, tuple[Board, MoveValue] | None] = {board: None}
        queue = deque([board])
        while queue and len(came) < _SEARCHED:
            at = queue.popleft()
            moves = self._moves(at)
            for move in moves:
                if move.value < moves[0].value:
                    break
                if not move.captured and move.board in came:
                    continue
                if move.captured or not _moves_of(self.rules, move.board):
                    way, step = [move], came[at]
                    while step is not None:
                        way.append(step[1])
                        step = came[step[0]]
                    return way[::-1][:limit], None
                came[move.board] = (at, move)
                queue.append(move.board)
        return None

    def _endless(self, board: Board, limit: int) -> tuple[list[MoveValue], Literal["endless"] | None]:
        stretch: list[MoveValue] = []
        seen = {(board, 0)}
        while len(stretch) < limit:
            stretch.append(self._moves(board)[0])
            board = stretch[-1].board
            if (board, len(stretch) % 2) in seen:
                return stretch, "endless"
            seen.add((board, len(stretch) % 2))
        return stretch, None

    def _checked(self, boards: ArrayLike) -> NDArray[np.int8]:
        self._want_open()
        array = np.asarray(boards)
        if array.ndim != 2 or array.shape[1] != 2 * self.rules.pits or not np.issubdtype(array.dtype, np.integer):
            raise PositionError(
                f"boards of shape {array.shape} and type {array.dtype}: accepted are integers of shape "
                f"(k, {2 * self.rules.pits})"
            )
        if array.dtype != np.int8:
            if array.size and (array.max() > MAX_SEEDS or array.min() < 0):
                at = int(np.flatnonzero(((array > MAX_SEEDS) | (array < 0)).any(axis=1))[0])
                raise PositionError(f"board {at} has a house outside 0..{MAX_SEEDS} seeds")
            array = array.astype(np.int8)
        return np.ascontiguousarray(array)

    @cached_property
    def _geometry(self) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Which tiers are there, rank terms, half counts and block offsets of them all (one row a tier)."""
        top, pits = max(self._paths, default=0), self.rules.pits
        there = np.array([n in self._paths for n in range(top + 1)])
        return there, rank_terms(pits, top), half_counts(pits, top), offsets_of_tiers(pits, top)

    def _holding(self, seeds: int, quantity: str) -> Table | Archive:
        """A tier that is there. Raises :class:`~solver.errors.AbapaError` unless it holds the quantity."""
        table = self._open(seeds)
        if quantity not in table.quantities:
            raise AbapaError(
                f"the {self.rules.id} table of {seeds} seeds in {self.directory} holds {', '.join(table.quantities)}, "
                f"not {quantity}"
            )
        return table

    def _read_or(self, table: Archive, quantity: str, at: int, default: int) -> int:
        try:
            return table.read(quantity, at)
        except MissingTierError:
            return default

    def _one_of_many(self, board: Board, quantity: str, default: int | None) -> int:
        try:
            answer = getattr(self._derived(board, self._moves(board)), quantity)
        except MissingTierError:
            if default is None:
                raise
            return default
        if answer is None:
            raise AbapaError(f"tables of {self.rules.id} hold no {quantity}")
        return answer


def _check_default(default: int, quantity: str) -> None:
    """Refuse what an array of the quantity cannot hold."""
    least, most = (int(limit) for limit in (np.iinfo(QUANTITIES[quantity]).min, np.iinfo(QUANTITIES[quantity]).max))
    try:
        fits = least <= index(default) <= most
    except TypeError:
        fits = False
    if not fits:
        raise AbapaError(
            f"default {cut(repr(default))} for {quantity}: accepted are whole numbers from {least} to {most}"
        )


def _reach(answer: Probe | MoveValue, seeds: int) -> tuple[int, int]:
    """The reach of an answer; ``seeds``: the most that can lie beyond a window."""
    if answer.lower is not None and answer.upper is not None:
        return answer.lower, answer.upper
    least = answer.value if answer.beyond >= 0 else -seeds
    return least, answer.value if answer.beyond <= 0 else seeds


def _cut_probe(rules: Rules, board: Board, window: int, value: int, **found: int) -> Probe:
    """The answer of a table in a window: its ends are bounds, not values."""
    seeds, beyond = sum(board), (value >= window) - (value <= -window)
    lower, upper = found.get("lower"), found.get("upper")
    if lower is not None and lower <= -window:
        lower = -seeds
    if upper is not None and upper >= window:
        upper = seeds
    return Probe(rules, board, value, lower, upper, beyond=beyond)


def _best_value(moves: Sequence[MoveValue], most: int) -> tuple[int, int]:
    """The value of a board by its moves, and whether it is that, or more (1), or less (-1)."""
    least = max(move.value if move.beyond >= 0 else -most for move in moves)
    largest = max(move.value if move.beyond <= 0 else most for move in moves)
    if least == largest:
        return least, 0
    return (least, 1) if least > -most else (largest, -1)


def _best(bounds: list[int | None]) -> int | None:
    """The largest bound, or None where one move has none (tables built without)."""
    known = [bound for bound in bounds if bound is not None]
    return max(known) if len(known) == len(bounds) else None


def _distance_of(value: int, captured: int, child: Probe) -> int | None:
    """Plies from before a move to the capture or end that gives its value (0 for value 0)."""
    if not value:
        return 0
    if captured:
        return 1
    return None if child.distance is None else child.distance + 1


def _moves_of(rules: Rules, board: Board) -> list[tuple[int, int, Board]]:
    """Legal moves of a canonical board: house, seeds captured, canonical board after."""
    houses, captured, after = children(rules, np.array(board, np.int8))
    return list(zip(houses.tolist(), captured.tolist(), map(tuple, after.tolist()), strict=True))


def _margin_at_end(rules: Rules, board: Board) -> int:
    """The mover's margin on a board without a legal move."""
    own, opponent = (np.uint64(pack_row(row)) for row in (board[: rules.pits], board[rules.pits :]))
    return int(final_margin(SLAM_CODES[rules.grand_slam], own, opponent))


# -- kernels ----------------------------------------------------------------------------------------------------------

_AHEAD = 24
"""Look-ups between asking for a cache line and reading it."""


@kernel
def _locate(flat, pits, there, terms, counts, offsets, seeds, indexes):
    """Seeds and index in its tier of each board; index -1 where the tier is not there.

    ``flat``: int8 boards, one after the other. Returns the number of a board with a negative count, or -1.
    """
    houses = 2 * pits
    for k in range(seeds.shape[0]):
        total = np.int64(0)
        least = np.int64(0)
        for i in range(k * houses, k * houses + houses):
            count = np.int64(flat[np.uint64(i)])
            total += count
            least = min(least, count)
        if least < 0:
            return k
        seeds[k] = total
        indexes[k] = -1
        if total < there.shape[0] and there[total]:
            indexes[k] = index_in_tier(flat, k * houses, pits, terms, counts, offsets[total], total)
    return -1


@kernel
def _gather_margins(addresses, seeds, indexes, out):
    """``out[k]`` = the int8 at ``indexes[k]`` of the table at ``addresses[seeds[k]]``.

    Indexes -1 and tables without an address are passed over.
    """
    for k in range(-_AHEAD, out.shape[0]):
        ahead = k + _AHEAD
        if ahead < out.shape[0] and indexes[ahead] >= 0:
            prefetch_address(np.uint64(addresses[seeds[ahead]] + indexes[ahead]))
        if k >= 0 and indexes[k] >= 0 and addresses[seeds[k]]:
            out[k] = load_int8(np.uint64(addresses[seeds[k]] + indexes[k]))


@kernel
def _gather_dense_margins(addresses, codings, seeds, indexes, out):
    """The same where some tables have fewer bits a number: ``codings[n]`` is (bits, window) of tier n."""
    for k in range(-_AHEAD, out.shape[0]):
        ahead = k + _AHEAD
        if ahead < out.shape[0] and indexes[ahead] >= 0:
            n = seeds[ahead]
            prefetch_address(np.uint64(addresses[n] + ((indexes[ahead] * codings[n, 0]) >> 3)))
        if k >= 0 and indexes[k] >= 0 and addresses[seeds[k]]:
            n = seeds[k]
            out[k] = load_margin(np.uint64(addresses[n]), indexes[k], codings[n, 0], codings[n, 1])


@kernel
def _gather_distances(addresses, seeds, indexes, out):
    """The same for uint16."""
    for k in range(-_AHEAD, out.shape[0]):
        ahead = k + _AHEAD
        if ahead < out.shape[0] and indexes[ahead] >= 0:
            prefetch_address(np.uint64(addresses[seeds[ahead]] + 2 * indexes[ahead]))
        if k >= 0 and indexes[k] >= 0 and addresses[seeds[k]]:
            out[k] = load_uint16(np.uint64(addresses[seeds[k]] + 2 * indexes[k]))
