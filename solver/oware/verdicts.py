"""Verdicts as sentences: who wins, by how many seeds, how a game ended, and the final seeds, South's first.

The one home of what the command line and the page say alike. Columns, and sentences with the mover's seeds first, are
left to :mod:`solver.cli.answers`.
"""

from __future__ import annotations

from functools import lru_cache

from solver.oware.position import SIDES, Position

Final = tuple[float, float]


def final_of(position: Position, value: int) -> Final:
    """The final seeds of South and North, stores included, if the mover wins ``value`` more of those on the board.

    With an odd number to share evenly both are halves.
    """
    seeds, (south, north) = position.seeds, position.stores
    margin = -value if position.turn else value
    if (seeds + margin) % 2:
        return south + (seeds + margin) / 2, north + (seeds - margin) / 2
    of_south = (seeds + margin) // 2
    return south + of_south, north + seeds - of_south


@lru_cache(maxsize=1 << 12)
def verdict(final: Final) -> str:
    """Who wins a game that ends so."""
    margin = final[0] - final[1]
    if not margin:
        return f"A draw, {score(final)}"
    return f"{SIDES[margin < 0]} wins by {seeds(abs(margin))}, {score(final)}"


def bounded_verdict(position: Position, lower: int, upper: int) -> str:
    """What each side can force, where that is not the same."""
    low, high = final_of(position, lower), final_of(position, upper)
    mover, other = SIDES[position.turn], SIDES[1 - position.turn]
    sign = 1 - 2 * position.turn
    least, most = (low[0] - low[1]) * sign, (high[0] - high[1]) * sign
    forced = f"{mover} can force {score(low)}, {other} can hold {mover} to {score(high)}"
    if least <= 0 <= most:
        return f"Open: {forced}"
    winner, fewest, largest = (mover, least, most) if least > 0 else (other, -most, -least)
    return f"{winner} wins by {fewest:g} to {seeds(largest)}: {forced}"


def over_words(position: Position) -> str:
    """How a finished game ended, and who won it."""
    result = position.result()
    assert result is not None
    return f"{game_over(position)}: {verdict(result)}"


def game_over(position: Position) -> str:
    """That a finished game is over, and why."""
    how = {
        "majority": "a majority",
        "nomove": f"{SIDES[position.turn]} has no legal move",
        "repetition": "the board repeats",
    }
    return f"The game is over ({how[position.ending or '']})"


@lru_cache(maxsize=1 << 12)
def move_verdict(least: float, most: float) -> str:
    """What a move leads to for its player, whose final margin is from ``least`` to ``most``."""
    if least == most:
        return "draws" if not least else f"{'wins' if least > 0 else 'loses'} by {abs(least):g}"
    if least > 0:
        return f"wins by {least:g} to {most:g}"
    if most < 0:
        return f"loses by {-most:g} to {-least:g}"
    return f"between {_signed(least)} and {_signed(most)}"


def score(final: Final) -> str:
    """Final seeds, South's first."""
    return f"{final[0]:g}-{final[1]:g}"


def seeds(count: float) -> str:
    """A number of seeds."""
    return f"{count:g} seed{'' if count == 1 else 's'}"


def _signed(margin: float) -> str:
    return f"{margin:+g}" if margin else "0"
