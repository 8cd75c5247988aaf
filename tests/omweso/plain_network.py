"""Omweso's evaluation counted pit by pit: what the kernel of solver.omweso.network is compared with."""

from __future__ import annotations

from functools import cache

import numpy as np

from solver.omweso.game import ESTIMATE_LIMIT, UNITS_A_SEED
from solver.omweso.network import FULL, GROUPS, MOST_LAPS, STARTS, Network, fitted, seeds_and_haul
from solver.omweso.position import OmwesoPosition, Side, facing


def haul(position: OmwesoPosition, pit: int, clockwise: bool) -> int:
    """What a turn from a pit captures within MOST_LAPS laps, taking every capture; only its first lap may be clockwise.

    0 for a clockwise lap that is not allowed: one that does not capture.
    """
    rules = position.rules
    side, taken, caught = list(position.side), set[int](), 0
    origin, hand, side[pit] = pit, side[pit], 0
    for lap in range(MOST_LAPS + clockwise):  # laps are counted from the one after a clockwise one
        backwards = clockwise and lap == 0
        at = origin
        for _ in range(hand):
            at = (at + (-1 if backwards else 1)) % rules.pits
            side[at] += 1
        if side[at] == 1:
            break
        gain = 0
        if at >= rules.columns and at not in taken and position.may_capture:
            pair = [position.opponent[other] for other in facing(at, rules)]
            gain = sum(pair) if all(pair) else 0
        if gain:
            taken.add(at)
            caught, hand = caught + gain, gain
        elif backwards:
            return 0
        else:
            origin, hand, side[at] = at, side[at], 0
    return caught


def plain_hauls(position: OmwesoPosition) -> tuple[int, int, int]:
    """The most, the second most, and the number of starts that capture."""
    found = []
    for pit, seeds in enumerate(position.side):
        if seeds >= 2:
            backwards = haul(position, pit, True) if pit in position.rules.reverse_pits else 0
            found.append(max(haul(position, pit, False), backwards))
    best, second, *_ = sorted([*found, 0, 0], reverse=True)
    return best, second, sum(caught > 0 for caught in found)


def plain_inputs(position: OmwesoPosition) -> list[int]:
    """The numbers that describe a position, before they are limited to the rows there are."""

    def by_lane(side: Side) -> list[int]:
        columns = position.rules.columns
        gap = [0] * (8 - columns)
        return [*side[:columns], *gap, *side[columns:], *gap]

    best, second, strikes = plain_hauls(position)
    lead = sum(position.side) - sum(position.opponent)
    pits = [*by_lane(position.side), *by_lane(position.opponent)]
    return [*pits, max(0, (64 + lead) // 2), (best + 1) // 2, (second + 1) // 2, strikes]


@cache
def network_of(columns: int) -> Network:
    """The weights that the search uses on a board of so many columns."""
    return fitted() if columns == 8 else seeds_and_haul(UNITS_A_SEED)


def plain_estimate(position: OmwesoPosition) -> int:
    """The evaluation, from the mover's view, where the mover has a turn."""
    network = network_of(position.rules.columns)
    sums = network.bias.astype(int)
    for start, size, value in zip(STARTS, GROUPS, plain_inputs(position), strict=True):
        sums = sums + network.rows[start + min(value, size - 1)]
    units = np.clip(sums[:-1], 0, FULL)
    total = int((units**2 * network.outputs[:-1]).sum()) + int(sums[-1]) * 2**18
    return max(-ESTIMATE_LIMIT, min(ESTIMATE_LIMIT, (total + 2**19) // 2**20))
