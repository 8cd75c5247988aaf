"""Plain searches to compare the compiled one with: minimax on readable positions, written from the rules alone."""

from __future__ import annotations

import numpy as np

from solver.oware.game import WEIGHTS
from solver.oware.position import Position
from solver.oware.rules import Cycle, GrandSlam, Rules


def evaluate(position: Position, weights: dict[str, int] = WEIGHTS) -> int:
    """The evaluation, counted house by house."""
    own, opp = position.row(position.turn), position.row(1 - position.turn)
    features = {
        "seeds": sum(own) - sum(opp),
        "capture": most_captured(position),
        "threat": most_captured(Position(position.board, turn=1 - position.turn, rules=position.rules)),
        "mobility": sum(map(bool, own)) - sum(map(bool, opp)),
        "weak": sum(house in (1, 2) for house in own) - sum(house in (1, 2) for house in opp),
        "big": sum(house >= 12 for house in own) - sum(house >= 12 for house in opp),
        "tempo": 1,
    }
    return (sum(weights[name] * features[name] for name in features) + 128) >> 8


def most_captured(position: Position) -> int:
    """The most seeds that one sowing captures, grand slams counted as captures, feeding not asked."""
    bare = Position(position.board, turn=position.turn, rules=Rules(GrandSlam.CAPTURE, pits=position.rules.pits))
    own = range(position.turn * position.rules.pits, (position.turn + 1) * position.rules.pits)
    return max((bare.sow(house).captured for house in own if position.board[house]), default=0)


def moves(position: Position) -> list[tuple[int, Position]]:
    """Every move by the rules but for majority and repetition: seeds captured, position after."""
    found = []
    for move in position.playable:
        stores = list(position.stores)
        stores[position.turn] += move.captured
        found.append((move.captured, Position(move.board, (stores[0], stores[1]), 1 - position.turn, position.rules)))
    return found


def ended(position: Position) -> int:
    """The mover's margin on the board when there is no move."""
    own, opp = sum(position.row(position.turn)), sum(position.row(1 - position.turn))
    if position.rules.grand_slam is GrandSlam.FORBIDDEN and own:
        return own + opp
    return own - opp


def minimax(position: Position, depth: int, path: tuple[Position, ...] = ()) -> int:
    """The margin on the board after ``depth`` plies of minimax; feeding an empty row does not count as a ply."""
    if any(before.board == position.board and before.turn == position.turn for before in path):
        own, opp = sum(position.row(position.turn)), sum(position.row(1 - position.turn))
        return 0 if position.rules.cycle is Cycle.EVEN else own - opp
    if depth <= 0:
        return max(-position.seeds, min(position.seeds, evaluate(position)))
    children = moves(position)
    if not children:
        return ended(position)
    below = depth - 1 + (not any(position.row(1 - position.turn)))
    return max(gain - minimax(child, below, () if gain else (*path, position)) for gain, child in children)


def random_positions(count: int, seed: int, rules: Rules, seeds: tuple[int, int] = (8, 48)) -> list[Position]:
    """Boards of random play from the start, and of random placing, that have moves; stores make the total 48."""
    random = np.random.default_rng(seed)
    found: list[Position] = []
    while len(found) < count:
        if random.integers(2):
            position = Position.start(rules)
            for _ in range(random.integers(1, 80)):
                if not (legal := position.legal_moves()):
                    break
                position = position.play(int(random.choice(legal)))
            position = Position(position.board, position.stores, position.turn, rules)
        else:
            houses = 2 * rules.pits
            number = int(random.integers(seeds[0], seeds[1] + 1))
            board = tuple(int(count) for count in random.multinomial(number, random.dirichlet(np.ones(houses))))
            position = Position(board, (0, 0), int(random.integers(2)), rules)
        if seeds[0] <= position.seeds <= seeds[1] and position.legal_moves():
            found.append(position)
    return found
