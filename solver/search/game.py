"""What a game is to the search: a score of kernels and one Python object.

**How one search serves two games at no cost.** :func:`solver.search.negamax.negamax` is written once and calls the
kernels below by name. Each takes the *game* as its first argument: a NamedTuple class of the game's own, holding one
NumPy record (lookup tables, options). A game implements a kernel with :func:`implements`, which makes it numba's
overload for that class. So numba compiles the search once for each game, picks the kernels while it infers types, and
LLVM puts their bodies in line: nothing is looked up at run time. The class is part of the compiled function's
signature, so the disk cache holds both specialisations side by side and finds them in later processes; and because the
cache folder is named by a hash of all sources (:mod:`solver.kernels.compile`), a changed kernel of a game is never
missed, which numba's own check would not see. ``tests/search/test_game.py`` tries both.

**To add a game**: a module ``solver/NAME/game.py`` with the NamedTuple class, one function decorated with
``@implements(KERNEL, CLASS)`` for each kernel below (or :func:`answers`, where it is a constant), and a class that
fulfils :class:`Game`. Read :mod:`solver.oware.game` as the example.

A position is ``worker["state"][ply]``: STATE_WORDS words, laid out as the game likes, from the view of the player to
move. Scores are int64 from the mover's view, between -2039 and 2039. All kernel arguments ``ply`` and scores are int64;
index with ``np.uint64``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

# The kernels: stubs all alike, for what counts is their names, arguments and meanings. Only compiled code calls them.


def generate(game: Any, worker: Any, ply: Any) -> Any:
    """Write every legal move of ``worker.state[ply]`` and return how many there are.

    For move i: ``child[ply, i]`` the state after it (the opponent to move), ``gain[ply, i]`` what it adds to the
    mover's score at once (seeds captured; 0 where a game has no such thing), ``move[ply, i]`` its code (0..254, the
    same for the same move of the same position always), ``slot[ply, i]`` its slot in the history table (0..2047),
    ``merit[ply, i]`` how promising it looks (0..32767, higher first; 1024 and more for what shall come before the
    history). A kernel whose work can be much more than usual takes some of it off ``patience`` (see worker).
    """
    raise NotImplementedError


def staged(game: Any) -> bool:
    """Whether the game generates moves group by group for nodes of depth 1, where most end at the first: a constant."""
    raise NotImplementedError


def groups(game: Any, worker: Any, ply: Any) -> Any:
    """The moves of ``state[ply]`` in groups, each a bit of a uint64; 0 where they are to be generated all at once.

    May rank the groups in ``merit[ply]``, which nothing else writes until all are generated. Asked of staged games.
    """
    raise NotImplementedError


def generate_group(game: Any, worker: Any, ply: Any, todo: Any) -> Any:
    """Write the moves of the most promising group in ``todo``, as :func:`generate` but for codes and merits.

    Returns (how many, the groups left). The same move may come twice. Asked of staged games.
    """
    raise NotImplementedError


def key(game: Any, worker: Any, ply: Any) -> Any:
    """A uint64 hash of all of ``state[ply]`` that a score may depend on; its upper half indexes the table."""
    raise NotImplementedError


def wide(game: Any) -> bool:
    """Whether :func:`key` needs :func:`check` beside it: a constant of the game, so that neither costs one without."""
    raise NotImplementedError


def check(game: Any, worker: Any, ply: Any) -> Any:
    """A second uint64 hash of the same things as :func:`key` and independent of it; 0 of games not wide."""
    raise NotImplementedError


def final(game: Any, worker: Any, ply: Any) -> Any:
    """The score of ``state[ply]`` when :func:`generate` has found no move there."""
    raise NotImplementedError


def evaluate(game: Any, worker: Any, ply: Any) -> Any:
    """An estimate of ``state[ply]``."""
    raise NotImplementedError


def limit(game: Any, worker: Any, ply: Any) -> Any:
    """The largest size that the score of ``state[ply]`` can have, for either side (seeds left to win)."""
    raise NotImplementedError


def passed(game: Any, gain: Any, score: Any) -> Any:
    """A child's score as its parent sees it after a move of ``gain``; never rising in ``score``."""
    raise NotImplementedError


def handed(game: Any, gain: Any, bound: Any) -> Any:
    """A parent's bound as its child sees it: strictly falling, and score >= handed(b) just when passed(score) <= b."""
    raise NotImplementedError


def irreversible(game: Any, gain: Any) -> bool:
    """Whether after a move of this ``gain`` no earlier position can come back."""
    raise NotImplementedError


def shortest_cycle(game: Any) -> Any:
    """The fewest plies, an even number, after which a position can come back."""
    raise NotImplementedError


def cycle_score(game: Any, worker: Any, ply: Any) -> Any:
    """The score of ``state[ply]`` when the repetition rule ends the game there."""
    raise NotImplementedError


def probe(game: Any, worker: Any, ply: Any) -> Any:
    """Ask the endgame tables about ``state[ply]``: (found, low, score, high), low <= score <= high, the bounds proven.

    Such a node is not searched further.
    """
    raise NotImplementedError


def extends(game: Any, worker: Any, ply: Any, count: Any) -> bool:
    """Whether the ``count`` moves just generated are so forced that the ply shall not count as depth."""
    raise NotImplementedError


def arrange(game: Any, worker: Any, ply: Any, count: Any, depth: Any) -> None:
    """Better the ``merit`` of the ``count`` moves just generated for a search to ``depth``.

    May overwrite ``state[ply + 1]``, as the search itself does next.
    """
    raise NotImplementedError


def reduction(game: Any, worker: Any, ply: Any, depth: Any, done: Any) -> Any:
    """By how many plies less, 0 to ``depth - 1``, the move tried after ``done`` others is searched at first.

    It is searched to the full depth only if that finds it better than the others. Not asked under ``same_depth``. A
    game that never reduces has scores that are the minimax values of their depth.
    """
    raise NotImplementedError


Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def implements(stub: Callable[..., Any], game: type) -> Callable[[Kernel], Kernel]:
    """Declare the decorated function to be kernel ``stub`` (of this module) for games of NamedTuple class ``game``.

    It takes the arguments of the stub, under the stub's names, and is put in line where the search calls it.
    """

    def declare(function: Kernel) -> Kernel:
        def pick(kind: Any) -> Kernel | None:
            return function if getattr(kind, "instance_class", None) is game else None

        # numba compares argument names, so choose by a function that has them.
        choose = _with_arguments_of(stub, f"pick({_arguments(stub)[0]})", pick=pick)
        overload(stub, jit_options={"forceinline": True, "error_model": "numpy"})(choose)
        return function

    return declare


def answers(stub: Callable[..., Any], game: type, answer: Any) -> None:
    """Declare kernel ``stub`` to give ``answer``, whatever it is asked, for games of class ``game``; it costs nothing.

    For what a game has no use for: a kernel of one line that says something is better written out.
    """
    implements(stub, game)(_with_arguments_of(stub, "answer", answer=answer))


def _arguments(stub: Callable[..., Any]) -> tuple[str, ...]:
    return stub.__code__.co_varnames[: stub.__code__.co_argcount]


def _with_arguments_of(stub: Callable[..., Any], expression: str, **scope: Any) -> Callable[..., Any]:
    """A function of a stub's arguments that returns an expression in them and in ``scope``."""
    exec(f"def function({', '.join(_arguments(stub))}):\n    return {expression}", scope)
    return scope["function"]


Position = TypeVar("Position")


class Game(Protocol[Position]):
    """The Python side of a game: what the driver (:mod:`solver.search.searcher`) needs beside the kernels."""

    @property
    def kernels(self) -> Any:
        """The NamedTuple that the kernels take. Its memory lives as long as this object."""
        ...

    def place(self, position: Position, worker: NDArray[np.void]) -> None:
        """Write a position into the worker (array of length 1): ``state[0]``, and its history into ``barred``."""
        ...

    def name(self, position: Position, code: int) -> str:
        """How a person writes the move with this code in this position."""
        ...

    def play(self, position: Position, code: int) -> Position:
        """The position after the move with this code."""
        ...

    def legal(self, position: Position) -> tuple[int, ...]:
        """The codes of the legal moves, empty when the game is over."""
        ...

    def lead(self, position: Position) -> int:
        """What is to be added to the search's scores: seeds already won by the mover less those of the opponent."""
        ...


@runtime_checkable
class Tabled(Protocol):
    """A game that has endgame tables, besides :class:`Game`: what playing for progress needs."""

    def tabled(self, position: Any) -> bool:
        """Whether the endgame tables at hand know this very position."""
        ...
