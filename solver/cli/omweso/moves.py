"""``abapa omweso moves``: every turn of a position."""

from __future__ import annotations

import click

from solver.cli.omweso.options import root_argument
from solver.cli.options import json_option
from solver.cli.output import print_json
from solver.omweso.position import OmwesoPosition, Turn, turn_text


@click.command(name="moves")
@root_argument
@json_option
def command(root: OmwesoPosition, as_json: bool) -> None:
    """List every turn of POSITION with what it captures and the board after it, from the mover's view.

    Whether a turn ends is decided exactly, however long its cycle is. A cycle of 350 million laps takes some seconds.
    With --json the okukoneeza sowings, which are not laps, are listed apart from the turns.
    """
    from solver.omweso.kernels import OmwesoGenerator

    turns = OmwesoGenerator(root.rules).turns(root)
    if as_json:
        print_json(as_object(turns, root))
        return
    click.echo(root.draw())
    if not turns:
        click.echo("no turn: the player to move has lost")
    for turn in turns:
        end = f"captures {turn.captured:2d}  {','.join(map(str, turn.side))}/{','.join(map(str, turn.opponent))}"
        cycle = f" (cycle of {turn.cycle:,} laps)" if turn.cycle else ""
        laps = f"{turn.laps:,} lap{'' if turn.laps == 1 else 's'}"
        click.echo(f"{turn_text(turn, root.rules):<8} {laps:>9}  {end if turn.ends else 'endless' + cycle}")


def as_object(turns: tuple[Turn, ...], position: OmwesoPosition) -> dict[str, list[dict[str, object]]]:
    """The turns as the JSON object that programs read; ``okukoneeza`` only where such a sowing is open."""
    sown = [turn_object(turn, position) for turn in turns if not turn.okukoneeza]
    opening = [turn_object(turn, position) for turn in turns if turn.okukoneeza]
    return {"turns": sown, "okukoneeza": opening} if opening else {"turns": sown}


def turn_object(turn: Turn, position: OmwesoPosition) -> dict[str, object]:
    """One turn; ``cycle`` only where it is endless and the length of its cycle known."""
    found: dict[str, object] = {
        "turn": turn_text(turn, position.rules),
        "pit": turn.pit,
        "choices": turn.choices,
        "status": turn.status,
        "laps": turn.laps,
        "captured": turn.captured,
        "side": list(turn.side),
        "opponent": list(turn.opponent),
    }
    return found | {"cycle": turn.cycle} if turn.cycle else found
