"""Fit the network of Omweso's evaluation (``solver.omweso.network``) on games of its own; write its weights.

Run ``.venv/bin/python scripts/fit/omweso.py [--positions N] [--depth D] [--seed S] [--epochs E] [--out FILE]``. Equal
players of a fixed depth play from random and classic set-ups after some random turns. Half of the positions are those
of the games, the other half lie a few turns off them, at least one of these random: a search meets mostly such. Each is
searched to the depth; its target is the chance of a win that this score stands for, in the games' own positions mixed
with the result. Adam minimises the cross entropy, on nine games of ten.

The players use the weights there are, with ``--scratch`` seeds and captures alone. What a player learns from its own
games makes a better teacher: ``--keep FILE`` keeps the positions, ``--add FILE`` fits on those kept before too, and
``--positions 0`` on them alone. To redo it all from nothing (the second run plays with what the first wrote):

    .venv/bin/python scripts/fit/omweso.py --scratch --keep round1.npz
    .venv/bin/python scripts/fit/omweso.py --add round1.npz

Prints, for the tenth, the bits left untold of the results, and of the scores' chances on and off the games: by the
lead in seeds, by the network's inputs without hidden units, by the network, by the scores themselves. Deterministic on
one machine for given arguments and weights to play with.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from textwrap import fill
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from solver.kernels.compile import kernel
from solver.omweso import weights
from solver.omweso.game import ESTIMATE_LIMIT, UNITS_A_SEED, OmwesoGame
from solver.omweso.kernels import FIRST_TURN, FIRST_TURN_OF_FOE, FRESH, pack, prizes
from solver.omweso.network import (
    FULL,
    GROUPS,
    LANES,
    LEAD_ROWS,
    LINEAR_BITS,
    OUTPUT_BITS,
    ROWS,
    STARTS,
    Network,
    fitted,
    hauls,
    packed,
    rows_text,
    seeds_and_haul,
)
from solver.omweso.rules import TOURNAMENT
from solver.omweso.setups import CLASSIC
from solver.search.game import final
from solver.search.game import generate as generate_children
from solver.search.negamax import negamax
from solver.search.transposition import allocate
from solver.search.worker import INFINITY, new_worker

U = np.uint64
COUNTS = U((1 << 63) - 1)
MOST_PLIES = 120
LOPSIDED = 200
"""Starts whose score is beyond this, in units, are mostly left out: their games are short and teach little."""
NO_RESULT = 2
UNITS_A_LOGIT = 80
"""Units of a score to a factor e in the odds; chosen so that scores of depth 5 tell results best."""
RESULT_SHARE = 0.3
"""How much the result counts in the target of a game's own position."""
BATCH = 4096
RATE = 3e-3

Floats = NDArray[np.floating]


class Samples(NamedTuple):
    """Positions: words uint64 [n, 4], scores int16 [n], the mover's result int8 [n] (1, 0, -1, NO_RESULT off the
    games), the number of the game int32 [n]."""

    boards: NDArray[np.uint64]
    scores: NDArray[np.int16]
    results: NDArray[np.int8]
    games: NDArray[np.int32]


# -- games ------------------------------------------------------------------------------------------------------------


@kernel
def search(game, worker, depth):
    """The score of ``state[0]`` and the code of the best turn."""
    score = negamax(game, worker, np.int64(0), np.int64(-INFINITY), np.int64(INFINITY), np.int64(depth))
    return score, np.int64(worker["line"][0, 0])


@kernel
def play_turn(worker, code):
    """Make the child with this code ``state[0]``."""
    for word in range(4):
        worker["state"][U(0), U(word)] = worker["child"][U(0), U(code), U(word)]


@kernel
def stray(game, worker, picks):
    """One to three turns from ``state[0]``, the first at random, later ones mostly good; whether play can go on."""
    for step in range(1 + picks[0] % 3):
        count = generate_children(game, worker, np.int64(0))
        if count == 0:
            return False
        code = picks[1 + step] % count
        if step > 0 and picks[4 + step] % 3 != 0:
            _, code = search(game, worker, 2)
            generate_children(game, worker, np.int64(0))
        play_turn(worker, code)
    return generate_children(game, worker, np.int64(0)) > 0


@kernel
def play_game(game, worker, depth, opening, picks, boards, scores, results):
    """Play from ``state[0]``, ``opening`` turns at random; write positions as in Samples; return their number.

    ``picks``: int64 [MOST_PLIES, 8], random. The arrays have room for 2 * MOST_PLIES positions.
    """
    state = worker["state"]
    for ply in range(opening):
        count = generate_children(game, worker, np.int64(0))
        if count == 0:
            return 0
        play_turn(worker, picks[ply, 0] % count)
    found, outcome = 0, 0
    for ply in range(MOST_PLIES):
        sign = 1 if ply % 2 == 0 else -1
        count = generate_children(game, worker, np.int64(0))
        if count == 0:
            outcome = sign * np.sign(final(game, worker, np.int64(0)))
            break
        score, code = search(game, worker, depth)
        if ply == 0 and abs(score) > LOPSIDED and picks[ply, 7] % 16 != 0:
            return 0
        if abs(score) > ESTIMATE_LIMIT:
            outcome = sign * np.sign(score)
            break
        here = state[0, 0], state[0, 1], state[0, 2], state[0, 3]
        if count > 1:  # an only turn is never left to the evaluation
            for word in range(4):
                boards[found, word] = here[word] & COUNTS
            scores[found], results[found] = score, sign
            found += 1
            if stray(game, worker, picks[ply]):
                for word in range(4):
                    boards[found, word] = state[U(0), U(word)] & COUNTS
                scores[found], _ = search(game, worker, depth)
                results[found] = NO_RESULT
                found += 1
        state[0, 0], state[0, 1], state[0, 2], state[0, 3] = here
        generate_children(game, worker, np.int64(0))
        play_turn(worker, code)
    for k in range(found):
        if results[k] != NO_RESULT:
            results[k] *= outcome
    return found


def random_setup(rng: np.random.Generator) -> tuple[int, ...]:
    """A classic set-up, or 32 seeds spread over some of the pits."""
    if rng.random() < 0.25:
        return list(CLASSIC.values())[rng.integers(len(CLASSIC))]
    return tuple(rng.multinomial(32, rng.dirichlet(np.full(16, rng.choice([0.3, 1.0, 5.0, 50.0])))).tolist())


def play_games(player: Network, positions: int, depth: int, seed: int) -> Samples:
    """Games until there are so many positions."""
    rng = np.random.default_rng(seed)
    game, worker, table, stop = OmwesoGame(TOURNAMENT, player), new_worker(), allocate(2), np.zeros(1, U)
    worker[0]["stop"], worker[0]["budget"] = stop.ctypes.data, 1 << 60
    worker[0]["entries"], worker[0]["buckets"] = table.ctypes.data, len(table)
    flags = [(1 << 63) if bit else 0 for bit in (FIRST_TURN, FIRST_TURN_OF_FOE, FRESH)]
    played: list[Samples] = []
    found = 0
    with tqdm(total=positions, unit=" positions", disable=None) as progress:
        while found < positions:
            south = random_setup(rng)
            north = south if rng.random() < 0.6 else random_setup(rng)
            words = [*pack(south), *pack(north)]
            worker[0]["state"][0] = [word | flag for word, flag in zip(words, [*flags, 0], strict=True)]
            boards, scores = np.zeros((2 * MOST_PLIES, 4), U), np.zeros(2 * MOST_PLIES, np.int16)
            results = np.zeros(2 * MOST_PLIES, np.int8)
            opening, picks = int(rng.integers(2, 6)), rng.integers(1 << 30, size=(MOST_PLIES, 8))
            count = play_game(game.kernels, worker[0], depth, opening, picks, boards, scores, results)
            numbers = np.full(count, len(played), np.int32)
            if count:
                played.append(Samples(boards[:count], scores[:count], results[:count], numbers))
            found += count
            progress.update(count)
    return joined(played)


def joined(parts: list[Samples]) -> Samples:
    """All in one, each game under the number that it had."""
    return Samples(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


# -- inputs and the network in floating point -------------------------------------------------------------------------


@kernel
def count_hauls(record, boards, found):
    """``hauls`` of every position's mover: int64 [n, 3]."""
    for k in range(boards.shape[0]):
        prize = prizes(boards[k, 2], boards[k, 3], record["columns"])
        best, second, strikes = hauls(record["laps"], record["reverse"], boards[k, 0], boards[k, 1], prize)
        found[k, 0], found[k, 1], found[k, 2] = best, second, strikes


def chosen_rows(boards: NDArray[np.uint64]) -> NDArray[np.int32]:
    """Which row of the table each input picks: int32 [n, INPUTS]."""
    pits = boards.view(np.uint8).reshape(-1, 32).astype(np.int64)
    captures = np.zeros((len(boards), 3), np.int64)
    count_hauls(OmwesoGame(TOURNAMENT, seeds_and_haul(UNITS_A_SEED)).kernels.record, boards, captures)
    lead = np.maximum(LEAD_ROWS // 2 * 2 + pits[:, :16].sum(axis=1) - pits[:, 16:].sum(axis=1), 0) >> 1
    values = np.column_stack([pits, lead, (captures[:, :2] + 1) >> 1, captures[:, 2]])
    return (np.minimum(values, np.array(GROUPS) - 1) + np.array(STARTS)).astype(np.int32)


@kernel
def add_rows(rows, chosen, sums):
    """Add to each ``sums[k]`` the rows that ``chosen[k]`` names; alike, because transposed: :func:`add_to_rows`."""
    for k in range(chosen.shape[0]):
        for at in range(chosen.shape[1]):
            row = np.uint64(chosen[k, at])
            for lane in range(rows.shape[1]):
                sums[k, lane] += rows[row, lane]


@kernel
def add_to_rows(rows, chosen, slopes):
    """Add each ``slopes[k]`` to the rows that ``chosen[k]`` names; alike, because transposed: :func:`add_rows`."""
    for k in range(chosen.shape[0]):
        for at in range(chosen.shape[1]):
            row = np.uint64(chosen[k, at])
            for lane in range(rows.shape[1]):
                rows[row, lane] += slopes[k, lane]


class Model:
    """The network of ``solver.omweso.network`` in float32, hidden units of 0..1 and an output in logits."""

    def __init__(self, lanes: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.rows = (rng.normal(size=(ROWS, lanes)) * 0.05).astype(np.float32)
        self.bias = np.full(lanes, 0.5, np.float32)
        self.outputs = (rng.normal(size=lanes - 1) * 0.3).astype(np.float32)
        self.rows[:, -1] = self.bias[-1] = 0
        self._moments = [(np.zeros_like(values), np.zeros_like(values)) for values in self._parameters()]
        self._steps = 0

    def _parameters(self) -> tuple[Floats, Floats, Floats]:
        return self.rows, self.bias, self.outputs

    def _forward(self, chosen: NDArray[np.int32]) -> tuple[Floats, Floats, Floats]:
        """The sums, the units and the output."""
        sums = np.tile(self.bias, (len(chosen), 1))
        add_rows(self.rows, chosen, sums)
        units = np.clip(sums[:, :-1], 0, 1)
        return sums, units, sums[:, -1] + (units * units) @ self.outputs

    def chances(self, chosen: NDArray[np.int32]) -> Floats:
        """The mover's chance to win."""
        parts = [self._forward(chosen[k : k + BATCH])[2] for k in range(0, len(chosen), BATCH)]
        return 1 / (1 + np.exp(-np.concatenate(parts)))

    def step(self, chosen: NDArray[np.int32], targets: Floats, rate: float) -> None:
        """One step of Adam (Kingma and Ba 2015) down the cross entropy of a batch."""
        sums, units, output = self._forward(chosen)
        slope = ((1 / (1 + np.exp(-output)) - targets) / len(targets)).astype(np.float32)
        slopes = np.empty_like(sums)
        slopes[:, -1] = slope
        inside = (sums[:, :-1] > 0) & (sums[:, :-1] < 1)
        slopes[:, :-1] = slope[:, None] * self.outputs * 2 * units * inside
        of_rows = np.zeros_like(self.rows)
        add_to_rows(of_rows, chosen, slopes)
        self._steps += 1
        gradients = of_rows, slopes.sum(axis=0), (units * units).T @ slope
        for values, (mean, square), gradient in zip(self._parameters(), self._moments, gradients, strict=True):
            mean[:] += 0.1 * (gradient - mean)
            square[:] += 0.001 * (gradient * gradient - square)
            scale = np.sqrt(square / (1 - 0.999**self._steps)) + 1e-8
            values[:] -= rate * (mean / (1 - 0.9**self._steps)) / scale

    def network(self) -> Network:
        """The weights in integers."""
        scale = np.full(LANES, FULL, np.float64)
        scale[-1] = UNITS_A_LOGIT << LINEAR_BITS
        outputs = np.zeros(LANES, np.int32)
        outputs[:-1] = np.rint(self.outputs * (UNITS_A_LOGIT * (1 << OUTPUT_BITS) / FULL**2))
        network = Network(
            np.rint(self.rows * scale).astype(np.int16), np.rint(self.bias * scale).astype(np.int32), outputs
        )
        packed(network)  # raises where it does not fit
        return network


def train(chosen: NDArray[np.int32], targets: Floats, lanes: int, epochs: int, seed: int) -> Model:
    """A model fitted to targets; the rate falls along half a cosine."""
    model, rng = Model(lanes, seed), np.random.default_rng(seed)
    batches = len(targets) // BATCH
    for epoch in tqdm(range(epochs), unit=" epochs", disable=None):
        order = rng.permutation(len(targets))
        for at in range(batches):
            batch = order[at * BATCH :][:BATCH]
            rate = RATE * (1 + np.cos(np.pi * (epoch + at / batches) / epochs)) / 2 + 1e-5
            model.step(chosen[batch], targets[batch], rate)
    return model


# -- the whole --------------------------------------------------------------------------------------------------------


def fit(samples: Samples, epochs: int, seed: int) -> tuple[Network, dict[str, dict[str, float]]]:
    """The network, and the bits that it and simpler models leave on the games kept out of the fit."""
    chosen = chosen_rows(samples.boards)
    promised = 1 / (1 + np.exp(-samples.scores.astype(np.float32) / UNITS_A_LOGIT))
    played, results = samples.results != NO_RESULT, (1 + samples.results.astype(np.float32)) / 2
    targets = np.where(played, RESULT_SHARE * results + (1 - RESULT_SHARE) * promised, promised)
    seen, held = samples.games % 10 != 0, samples.games % 10 == 0
    lead_alone = np.ascontiguousarray(chosen[:, [32]])
    lead = train(lead_alone[seen], targets[seen], 1, 1, seed)
    linear = train(chosen[seen], targets[seen], 1, 4, seed)
    network = train(chosen[seen], targets[seen], LANES, epochs, seed)
    left = {}
    for name, chances in (
        ("lead", lead.chances(lead_alone[held])),
        ("linear", linear.chances(chosen[held])),
        ("network", network.chances(chosen[held])),
        ("scores", promised[held]),
    ):
        on = played[held]
        left[name] = {
            "results": bits(chances[on], results[held][on]),
            "scores_of_games": bits(chances[on], promised[held][on]),
            "scores_off_games": bits(chances[~on], promised[held][~on]),
        }
    return network.network(), left


def bits(chances: Floats, targets: Floats) -> float:
    """Mean cross entropy in bits."""
    chances = np.clip(chances, 1e-6, 1 - 1e-6)
    return round(float(-(targets * np.log2(chances) + (1 - targets) * np.log2(1 - chances)).mean()), 4)


def write(network: Network, header: str, path: Path) -> None:
    """The module of weights."""
    text = rows_text(network.rows)
    lines = [
        f'"""Weights of Omweso\'s evaluation; not to be edited.\n\n{fill(header, 116)}\n"""\n\n# fmt: off\nROWS = (',
        *(f'    "{text[at : at + 110]}"' for at in range(0, len(text), 110)),
        f')\n"""int16 [{ROWS}, {LANES}], little-endian, deflated, in base 85."""\n',
        f"BIAS = (\n{number_lines(network.bias)})\n",
        f"OUTPUTS = (\n{number_lines(network.outputs)})\n",
    ]
    path.write_text("\n".join(lines))


def number_lines(numbers: NDArray[np.int32]) -> str:
    """Numbers, ten a line."""
    rows = [numbers[at : at + 10].tolist() for at in range(0, len(numbers), 10)]
    return "".join(f"    {', '.join(map(str, row))},\n" for row in rows)


def main() -> None:
    """Play, fit, report, write."""
    parser = argparse.ArgumentParser(description="Fit the network of Omweso's evaluation on games of its own.")
    parser.add_argument("--positions", type=int, default=2_000_000)
    parser.add_argument("--depth", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=16)
    parser.add_argument("--out", type=Path, default=Path(weights.__file__))
    parser.add_argument("--scratch", action="store_true", help="play without a network")
    parser.add_argument("--keep", type=Path, help="write the positions played to this file")
    parser.add_argument("--add", type=Path, nargs="*", default=[], help="fit on the positions of these files too")
    options = parser.parse_args()
    player = seeds_and_haul(UNITS_A_SEED) if options.scratch else fitted()
    parts = [Samples(**np.load(path)) for path in options.add]
    if options.positions:
        parts.append(play_games(player, options.positions, options.depth, options.seed))
        if options.keep:
            np.savez_compressed(options.keep, **parts[-1]._asdict())
    samples = joined(parts)
    network, left = fit(samples, options.epochs, options.seed)
    print(json.dumps({"positions": len(samples.games), "bits_left_by": left}))
    arguments = " ".join(f"--{name} {getattr(options, name)}" for name in ("positions", "depth", "seed", "epochs"))
    arguments += " --scratch" * options.scratch + " --add" * bool(options.add)
    found = left["network"]
    header = (
        f"Written by ``scripts/fit/omweso.py {' '.join([arguments, *(path.name for path in options.add)])}``:"
        f" {len(samples.games):,} positions; bits left on games not fitted: results {found['results']}, scores"
        f" {found['scores_of_games']} on the games, {found['scores_off_games']} off them."
    )
    write(network, header, options.out)


if __name__ == "__main__":
    main()
