"""``abapa omweso mayer``: does a turn end?"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from solver.cli.omweso.options import root_argument
from solver.cli.options import Whole, json_option
from solver.cli.output import print_json
from solver.errors import PositionError, quoted
from solver.omweso.position import OmwesoPosition, Turn, turn_text

if TYPE_CHECKING:
    from solver.omweso.kernels import OmwesoGenerator
    from solver.omweso.mayer import MayerResult


@click.command(name="mayer")
@root_argument
@click.argument("move", required=False)
@click.option("--limit", type=Whole(1), default=1_000_000_000, show_default=True,
              help="Give a turn up after this many laps.")  # fmt: skip
@json_option
@click.pass_context
def command(context: click.Context, root: OmwesoPosition, move: str | None, limit: int, as_json: bool) -> None:
    """Tell whether MOVE (default: every turn) of POSITION ends and after how many laps, or how long its cycle is.

    The test is exact: a relay is endless when its own first state comes back. There are cycles of hundreds of millions
    of laps. A progress bar shows the laps sown. The exit code is 1 if --limit leaves a turn undecided. The lap cap of
    the rule set does not apply.
    """
    from dataclasses import replace

    from solver.omweso.kernels import PRACTICAL_LAPS, OmwesoGenerator
    from solver.omweso.rules import Endless

    root = replace(root, rules=replace(root.rules, lap_cap=None, endless=Endless.VOID))
    generator = OmwesoGenerator(root.rules, PRACTICAL_LAPS)
    undecided = False
    for turn in _chosen(root, generator, move):
        text = turn_text(turn, root.rules)
        found = _judge(root, turn, generator, limit)
        undecided |= found.outcome == "unknown"
        if as_json:
            print_json({"turn": text} | _json(found))
        else:
            click.echo(f"{text:<8}  {_sentence(found.outcome, found.laps, found.cycle, limit)}")
    if undecided:
        context.exit(1)


def _chosen(root: OmwesoPosition, generator: OmwesoGenerator, move: str | None) -> list[Turn]:
    """The turn that ``move`` names, with or without the symbols at its end; every turn if it is None."""
    turns = [turn for turn in generator.turns(root) if not turn.okukoneeza]
    texts = [turn_text(turn, root.rules) for turn in turns]
    if move is None:
        return turns
    named = [turn for turn, text in zip(turns, texts, strict=True) if text == move]
    named = named or [turn for turn, text in zip(turns, texts, strict=True) if text.rstrip(">x") == move][:1]
    if not named:
        legal = " ".join(texts) or "none, the mover has lost"
        why = f"{why}; " if (why := root.why_not(move)) else ""
        raise PositionError(f"turn {quoted(move)} is not legal here: {why}legal turns are {legal}")
    return named


def _judge(root: OmwesoPosition, turn: Turn, generator: OmwesoGenerator, limit: int) -> MayerResult:
    """Sow a turn until it ends, its cycle is found or ``limit`` laps are sown."""
    from tqdm import tqdm

    from solver.omweso.mayer import MayerResult, MayerTest

    if turn.ends:
        return MayerResult("ends", turn.laps, 0, turn.captured)
    found = MayerResult("unknown", 0, 0, 0)
    text = turn_text(turn, root.rules)
    with tqdm(total=limit, unit=" laps", unit_scale=True, desc=text, disable=not sys.stderr.isatty()) as bar:
        for found in MayerTest(root, turn, generator).run(limit):
            bar.update(found.laps + found.cycle - bar.n)
    return found


def _json(found: MayerResult) -> dict[str, Any]:
    """What was found of a turn for ``--json``; ``cycle`` only where it is endless."""
    cycle = {"cycle": found.cycle} if found.outcome == "endless" else {}
    return {"outcome": found.outcome, "laps": found.laps, **cycle, "captured": found.captured}


def _sentence(outcome: str, laps: int, cycle: int, limit: int) -> str:
    if outcome == "ends":
        return f"ends after {laps:,} lap{'' if laps == 1 else 's'}"
    if outcome == "endless":
        return f"never ends: after {laps:,} lap{'' if laps == 1 else 's'}, a cycle of {cycle:,} laps"
    return f"not decided: still sowing after {limit:,} laps (--limit)"
