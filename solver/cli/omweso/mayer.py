"""``abapa omweso mayer``: does a turn end?"""

from __future__ import annotations

import json
import sys

import click

from solver.cli.omweso.options import history_options, read_position, rules_options
from solver.cli.options import Whole, json_option
from solver.omweso.position import turn_text


@click.command(name="mayer")
@click.argument("position")
@click.argument("move", required=False)
@rules_options
@history_options
@click.option(
    "--limit",
    type=Whole(1),
    default=1_000_000_000,
    show_default=True,
    help="Laps after which to give a turn up.",
)
@json_option
@click.pass_context
def command(
    context: click.Context,
    position: str,
    move: str | None,
    rules: str,
    columns: int | None,
    first_turn: bool,
    fresh: bool,
    limit: int,
    as_json: bool,
) -> None:
    """Tell whether MOVE (or every turn) of POSITION ends, after how many laps, or the length of its cycle.

    The test is exact: a relay is endless when its own first state comes back. Cycles of hundreds of millions of laps
    exist; a progress bar shows the laps sown, and --limit gives up: exit code 1 if it leaves a turn undecided. The rule
    set's own lap cap is left aside.
    """
    from dataclasses import replace

    from tqdm import tqdm

    from solver.errors import PositionError
    from solver.omweso.kernels import PRACTICAL_LAPS, OmwesoGenerator
    from solver.omweso.mayer import MayerResult, MayerTest
    from solver.omweso.rules import Endless

    root = read_position(position, rules, columns, first_turn, fresh)
    root = replace(root, rules=replace(root.rules, lap_cap=None, endless=Endless.VOID))
    generator = OmwesoGenerator(root.rules, PRACTICAL_LAPS)
    turns = [turn for turn in generator.turns(root) if not turn.okukoneeza]
    if move is not None:
        named = [turn for turn in turns if turn_text(turn, root.rules) == move]
        named = named or [turn for turn in turns if turn_text(turn, root.rules).rstrip(">x") == move][:1]
        if not named:
            legal = " ".join(turn_text(turn, root.rules) for turn in turns) or "none, the mover has lost"
            raise PositionError(f"turn {move!r} is not legal here: legal turns are {legal}")
        turns = named
    undecided = False
    for turn in turns:
        text, result = turn_text(turn, root.rules), MayerResult("unknown", 0, 0, 0)
        if turn.ends:
            result = MayerResult("ends", turn.laps, 0, turn.captured)
        else:
            bar = tqdm(total=limit, unit=" laps", unit_scale=True, desc=text, disable=not sys.stderr.isatty())
            with bar:
                for step in MayerTest(root, turn, generator).run(limit):
                    result = step
                    bar.update(step.laps + step.cycle - bar.n)
        undecided |= result.outcome == "unknown"
        if as_json:
            found = {"turn": text, "outcome": result.outcome, "laps": result.laps}
            found |= {"cycle": result.cycle} if result.outcome == "endless" else {}
            click.echo(json.dumps(found | {"captured": result.captured}, separators=(",", ":")))
        else:
            click.echo(f"{text:<8}  {_sentence(result.outcome, result.laps, result.cycle, limit)}")
    if undecided:
        context.exit(1)


def _sentence(outcome: str, laps: int, cycle: int, limit: int) -> str:
    if outcome == "ends":
        return f"ends after {laps:,} lap{'' if laps == 1 else 's'}"
    if outcome == "endless":
        return f"never ends: after {laps:,} lap{'' if laps == 1 else 's'}, a cycle of {cycle:,} laps"
    return f"not decided: still sowing after {limit:,} laps (--limit)"
