"""What the worker asks of Abapa, a function a kind of case: paths and plain values in, plain values out.

Answers can be compared: hashes of numbers, not the numbers. What Abapa refuses comes out as its AbapaError.
"""

from __future__ import annotations

import hashlib
import io
import math
import sys
import zlib
from collections import deque
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from tests.hostile import names
from tests.hostile.damage import SECRET


def sha(data: Any) -> str:
    """A hash of bytes."""
    return hashlib.sha256(bytes(data)).hexdigest()[:16]


# -- tables -----------------------------------------------------------------------------------------------------------


def table(path: str) -> dict[str, Any]:
    """Open, check, and read everything; an archive is unpacked too. ``fault``: what contradicts what check says."""
    file = Path(path)
    packed = file.name.endswith(".packed.h5")
    with (names.Archive if packed else names.Table).open(file) as opened:
        answer: dict[str, Any] = {"faults": [_short(fault) for fault in opened.check()]}
        seconds = opened.build_seconds
        assert seconds is None or math.isfinite(seconds), seconds
        answer["histograms"] = {
            name: [[value, histogram[value]] for value in sorted(histogram)]
            for name, histogram in opened.histograms.items()
        }
        if answer["faults"]:
            return answer
        answer["numbers"] = {name: sha(b"".join(map(bytes, opened.chunks(name)))) for name in opened.quantities}
        ends = sorted({0, 1, opened.positions // 2, opened.positions - 1})
        answer["looked up"] = {name: [opened.read(name, index) for index in ends] for name in opened.quantities}
        if packed:
            answer["unpacked"] = _unpacked(opened)
    return answer


def _unpacked(archive: Any) -> str | dict[str, str]:
    """What an archive unpacks to: hashes of its numbers. What check calls right must be unpacked."""
    plain = archive.path.with_name(archive.path.name.replace(".packed", ""))
    plain.unlink(missing_ok=True)
    try:
        path = names.unpack(archive)
    except names.AbapaError as error:
        return f"refused, though check says right: {error}"
    try:
        if SECRET in path.read_bytes():
            return "another file's bytes"
        with names.Table.open(path) as opened:
            if faults := opened.check():
                return f"unpacked to a damaged table: {faults[0]}"
            return {name: sha(opened.map(name)) for name in opened.quantities}
    finally:
        path.unlink(missing_ok=True)


def _short(fault: str) -> str:
    assert "\n" not in fault and len(fault) < 1000, fault[:1200]
    return fault


def asked(folder: str, rules: str, seeds: int) -> dict[str, Any]:
    """What a prober says of the tier's boards: no hash is looked at, so only that it ends as it should."""
    with names.open_tables(folder, names.Rules.parse(rules)) as tables:
        numbers = tables.tiers[seeds].quantities
        boards = np.zeros((5, 2 * tables.rules.pits), np.int8)
        boards[:, 1] = np.arange(5)
        boards[:, -1] = seeds - boards[:, 1]
        found = {name: sha(tables.probe_many(boards, name)) for name in numbers}
        tables.probe(boards[1].tolist())
        return found


def omweso(folder: str, rules: str, seeds: int) -> dict[str, Any] | None:
    """A small Omweso board, read back whole."""
    board = names.load_small(Path(folder), names.OmwesoRules.parse(rules), seeds)
    return None if board is None else {"settled": sha(board.settled), "fresh": sha(board.fresh)}


def build_seconds(path: str) -> float | None:
    """What the journal says of a table."""
    with names.Table.open(Path(path)) as opened:
        seconds = opened.build_seconds
    assert seconds is None or (isinstance(seconds, float) and math.isfinite(seconds)), seconds
    return seconds


# -- builds -----------------------------------------------------------------------------------------------------------


class _Stop(names.NoProgress):
    """Counts what a build tells, and interrupts it after ``most`` of that."""

    def __init__(self, most: int = sys.maxsize) -> None:
        self.told, self.most = 0, most

    def advance(self, boards: int) -> None:
        self.told += 1
        if self.told >= self.most:
            raise KeyboardInterrupt


def build(folder: str, rules: str, seeds: int, most: int = sys.maxsize) -> dict[str, Any]:
    """Build tables, with a checkpoint after every stage, or interrupt it: hashes of the tables, names of the rest."""
    progress = _Stop(most)
    with suppress(KeyboardInterrupt):
        names.build_tables(
            Path(folder), names.Rules.parse(rules), seeds, threads=1, checkpoint_share=1e9, progress=progress
        )
    files = sorted(Path(folder).iterdir())
    tables = {path.name: sha(path.read_bytes()) for path in files if path.suffix == ".h5"}
    rest = [path.name for path in files if path.suffix not in (".h5", ".jsonl")]
    return {"tables": tables, "rest": rest, "told": progress.told}


def packed(path: str) -> str:
    """Pack a table; the archive's file."""
    with names.Table.open(Path(path)) as opened:
        return str(names.pack(opened))


# -- other people's files ---------------------------------------------------------------------------------------------


def exported(folder: str, seeds: int, target: str) -> int:
    """Build awari and write its scores files; how many."""
    names.build_tables(Path(folder), names.AWARI, seeds, threads=1)
    Path(target).mkdir(exist_ok=True)
    with names.open_tables(folder, names.AWARI) as tables:
        for n in range(seeds + 1):
            with (Path(target) / f"scores.{n}").open("wb") as file:
                names.export_scores(tables.mapped[n], file)
    return seeds + 1


def imported(folder: str, files: list[str]) -> dict[str, str]:
    """Import scores files: hashes of the tables' values, which must be possible ones and pass their own check."""
    made = {}
    Path(folder).mkdir(exist_ok=True)
    for file in names.find_scores([Path(name) for name in files]):
        with names.open_tables(folder, names.AWARI) as tables:
            path = names.import_scores(Path(folder), file, tables)
        with names.Table.open(path) as opened:
            assert not opened.check()
            values = opened.map("value")
            assert abs(values.astype(int)).max(initial=0) <= opened.seeds
            made[path.name] = sha(values)
    return made


def counts(path: str) -> int:
    """Read published counts; how many tiers."""
    found = names.read_counts(Path(path))
    assert all(isinstance(n, int) and isinstance(k, int) for row in found.values() for n, k in row.items())
    return len(found)


# -- proofs and records -----------------------------------------------------------------------------------------------


def _searcher(rules: Any) -> Any:
    return names.Searcher(names.OwareGame(rules), hash_mib=1)


def saved(path: str, position: str, nodes: int) -> list[int]:
    """Begin a proof without tables, and save it after so many nodes; its bounds."""
    root = names.Position.parse(position, names.AWARI)
    searcher = _searcher(names.AWARI)
    proof = _last(searcher, root, names.Limits(nodes=nodes), names.fresh_proof(searcher, root, root.seeds))
    names.save_proof(Path(path), proof, searcher, {"position": root.text, "rules": root.rules.id})
    return [proof.low, proof.high]


def proven(path: str | None, position: str) -> list[Any]:
    """Go on with a saved proof, or begin one, until it is final or 20 s are over: bounds, and whether it is final."""
    root = names.Position.parse(position, names.AWARI)
    searcher = _searcher(names.AWARI)
    start = names.fresh_proof(searcher, root, root.seeds)
    if path is not None:
        start = names.load_proof(Path(path), searcher, {"position": root.text, "rules": root.rules.id}, start)
    proof = _last(searcher, root, names.Limits(seconds=20), start)
    return [proof.low, proof.high, proof.final]


def _last(searcher: Any, root: Any, limits: Any, start: Any) -> Any:
    return deque(names.prove(searcher, root, limits, start), maxlen=1).pop()


def record(text: str, latin_1: bool = False) -> list[list[str]]:
    """Read games and write them again; what is written is read as the same games. ``latin_1``: bytes as a text."""
    if latin_1:
        text = text.encode("latin-1").decode("utf-8", "replace")
    games = names.parse(text)
    again = names.parse(names.dump(games))
    told = [[game.title, *game.moves] for game in games]
    assert [[game.title, *game.moves] for game in again] == told, "written games are read as others"
    return told


# -- commands ---------------------------------------------------------------------------------------------------------


def command(arguments: list[str], stdin: str = "") -> dict[str, Any]:
    """Run ``abapa`` in this process: exit code, what it printed. ``stdin`` is bytes as Latin-1."""
    printed, complained = io.BytesIO(), io.BytesIO()
    out = io.TextIOWrapper(printed, "utf-8", errors="surrogateescape", write_through=True)
    err = io.TextIOWrapper(complained, "utf-8", errors="backslashreplace", write_through=True)
    inside = io.TextIOWrapper(io.BytesIO(stdin.encode("latin-1")), "utf-8")
    code: Any = None
    with (
        patch.object(sys, "argv", ["abapa", *arguments]),
        patch.object(sys, "stdin", inside),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            names.main()
        except SystemExit as exit_:
            code = exit_.code
    return {
        "code": code,
        "out": printed.getvalue().decode("utf-8", "replace")[:10_000],
        "err": complained.getvalue().decode("utf-8", "replace")[:10_000],
    }


# -- weights ----------------------------------------------------------------------------------------------------------


def weights(text: str | None) -> str:
    """The rows of Omweso's network, from their text, or from another text in its place: a hash, or what it raised."""
    module = names.network.weights
    with patch.object(module, "ROWS", module.ROWS if text is None else text):
        try:
            return sha(names.network.fitted().rows)
        except (ValueError, zlib.error) as error:
            return f"raised {type(error).__name__}"


def weights_text() -> str:
    """The text of the weights."""
    return names.network.weights.ROWS
