"""What an arrangement of seeds is worth: the search's opinion of it against others, and a hunt for better ones.

Set-ups themselves, their names and checks are :mod:`solver.omweso.setups`'s. A rating is a score of the search for the
owner of the set-up, in its units, the mean of playing first and second against each of some opponents' set-ups; wins
count as ESTIMATE_LIMIT, so that one lucky win does not outweigh the rest.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from solver.omweso.game import ESTIMATE_LIMIT, OmwesoGame
from solver.omweso.position import OmwesoPosition, Side
from solver.omweso.rules import OmwesoRules
from solver.omweso.setups import seeds_a_side
from solver.search.limits import Limits
from solver.search.searcher import Searcher


@dataclass(frozen=True, slots=True)
class Rating:
    """A set-up and its scores for its owner, in the search's units: mean, as first player, as second player."""

    setup: Side
    score: float
    first: float
    second: float


class SetupRater:
    """Rates set-ups under one rule set by searches of a fixed depth against fixed opponents' set-ups."""

    def __init__(self, rules: OmwesoRules, opponents: Sequence[Side], depth: int = 8) -> None:
        self.rules, self.opponents, self.depth = rules, tuple(opponents), depth
        self._searcher = Searcher(OmwesoGame(rules), hash_mib=16)

    def rate(self, setup: Side) -> Rating:
        """Rate one set-up."""
        first = [self.score(setup, other) for other in self.opponents]
        second = [-self.score(other, setup) for other in self.opponents]
        mean_first, mean_second = sum(first) / len(first), sum(second) / len(second)
        return Rating(setup, (mean_first + mean_second) / 2, mean_first, mean_second)

    def score(self, first: Side, second: Side) -> int:
        """The first player's score of a game from two set-ups, wins counted as ESTIMATE_LIMIT.

        Raises KeyboardInterrupt on Ctrl-C.
        """
        position = OmwesoPosition.start(first, second, self.rules)
        if not self._searcher.game.legal(position):
            return -ESTIMATE_LIMIT
        self._searcher.clear()
        score = self._searcher.search_through(position, Limits(depth=self.depth)).best.score
        return min(max(score, -ESTIMATE_LIMIT), ESTIMATE_LIMIT)

    def climb(self, start: Side, steps: int, seed: int = 1) -> Iterator[Rating]:
        """Improve a set-up by moving seeds from pit to pit: yields each better one. ``steps``: how many are tried."""
        rng = random.Random(seed)
        best = self.rate(start)
        yield best
        for _ in range(steps):
            changed = list(best.setup)
            for _ in range(rng.choice((1, 1, 2, 3))):
                source = rng.choice([pit for pit, seeds in enumerate(changed) if seeds])
                target = rng.randrange(len(changed))
                moved = rng.randint(1, changed[source])
                if self.rules.pit_cap is not None and changed[target] + moved > self.rules.pit_cap:
                    continue
                changed[source] -= moved
                changed[target] += moved
            rating = self.rate(tuple(changed))
            if rating.score > best.score:
                best = rating
                yield best

    def random_setup(self, seed: int = 1) -> Side:
        """Seeds spread at random, within the rules' cap: somewhere to climb from."""
        rng = random.Random(seed)
        counts = [0] * self.rules.pits
        for _ in range(seeds_a_side(self.rules)):
            open_pits = [p for p, n in enumerate(counts) if self.rules.pit_cap is None or n < self.rules.pit_cap]
            counts[rng.choice(open_pits)] += 1
        return tuple(counts)
