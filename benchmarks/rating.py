"""What the results of a match say: points, Elo with its error, and when a sequential test may stop it.

An opening is played twice, each player having either side once, and such a *pair* is what is counted: its two games are
not independent, and a drawn opening gives each player a point. Points are 1 for a win and 1/2 for a draw.

Sources: the logistic scale of A. Elo; the sequential test of A. Wald (1945) in the normal approximation for pairs by M.
Van den Bergh ("Normalized Elo practical", 2020).
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from math import log, log10, sqrt


@dataclass(frozen=True)
class Standing:
    """A match so far, from the view of its first player.

    ``points``: the mean per game, 0 to 1. ``error``: its standard error, over pairs. ``elo``: the difference in rating
    that the points say, and its standard error; None where one player has all points. ``pairs``: how many pairs gave 0,
    1/2, 1, 3/2 and 2 points.
    """

    games: int
    points: float
    error: float
    elo: float | None
    elo_error: float | None
    pairs: tuple[int, ...]

    @property
    def text(self) -> str:
        """Points and Elo as a person reads them."""
        known = self.elo is not None and self.elo_error is not None
        elo = f"Elo {self.elo:+.0f} (standard error {self.elo_error:.0f})" if known else "no Elo: one has all points"
        return f"{100 * self.points:.1f} % of {self.games} games (standard error {100 * self.error:.1f}), {elo}"


def standing(pairs: Sequence[float]) -> Standing:
    """The standing after so many pairs, each given by the points of the first player, 0 to 2. Raises ValueError."""
    if not pairs:
        raise ValueError("no pair was played")
    means = [points / 2 for points in pairs]
    points = statistics.fmean(means)
    error = statistics.stdev(means) / sqrt(len(means)) if len(means) > 1 else 0.5
    counts = tuple(sum(1 for pair in pairs if pair == half / 2) for half in range(5))
    if not 0 < points < 1:
        return Standing(2 * len(pairs), points, error, None, None, counts)
    slope = 400 / log(10) / (points * (1 - points))
    return Standing(2 * len(pairs), points, error, -400 * log10(1 / points - 1), slope * error, counts)


def expected_points(elo: float) -> float:
    """Points per game of a player who is rated so much higher."""
    return 1 / (1 + 10 ** (-elo / 400))


@dataclass(frozen=True)
class SequentialTest:
    """Stops a match when it has decided between a difference of ``least`` Elo and one of ``most``.

    Either answer is wrong with a probability of ``risk``.
    """

    least: float
    most: float
    risk: float = 0.05

    def evidence(self, pairs: Sequence[float]) -> float:
        """The logarithm of how much likelier ``most`` is than ``least``; 0 of too few pairs to tell their spread."""
        if len(pairs) < 2:
            return 0.0
        means = [points / 2 for points in pairs]
        spread = max(statistics.variance(means), 1 / (2 * len(means)))  # so that a few equal results do not decide
        low, high = expected_points(self.least), expected_points(self.most)
        return len(means) * (high - low) * (2 * statistics.fmean(means) - low - high) / (2 * spread)

    def verdict(self, pairs: Sequence[float]) -> str | None:
        """``least`` or ``most``, whichever the pairs have shown; None while they have not."""
        bound = log((1 - self.risk) / self.risk)
        evidence = self.evidence(pairs)
        return "most" if evidence >= bound else "least" if evidence <= -bound else None
