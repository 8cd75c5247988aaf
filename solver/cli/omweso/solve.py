"""``abapa omweso solve``: solve a small board whole."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from solver.cli.omweso.options import read_rules, rules_options
from solver.cli.options import Whole, json_option, tables_option
from solver.cli.progress import progress_bar
from solver.errors import AbapaError

if TYPE_CHECKING:
    from databases.omweso_small import SmallBoard
    from solver.omweso.rules import OmwesoRules


@click.command(name="solve")
@click.option("--seeds", type=Whole(1, 127), required=True, help="Seeds on the board, both sides together.")
@click.option("--threads", type=Whole(1, 64), help="Threads; all that there are without.")
@click.option("--verify", is_flag=True, help="Prove every number by the positions after its turns.")
@click.option("--write/--no-write", default=True, show_default=True, help="Keep the tables.")
@rules_options
@tables_option
@json_option
def command(
    seeds: int,
    threads: int | None,
    verify: bool,
    write: bool,
    rules: str,
    columns: int | None,
    tables: Path,
    as_json: bool,
) -> None:
    """Solve every position of so many seeds on a board of --columns columns, and say what came out.

    Counts of wins, draws and losses (for the player to move), the longest win in plies, what the fixed set-ups are
    worth and which set-ups are best for who starts when the other sees them. Repetition and an endless turn that voids
    the game are draws. With okukoneeza the positions before the first capture are counted apart ("fresh"). Tables
    solved before are read again. Exit code 2 when --verify finds a number that is wrong.
    """
    from databases.machine import check_threads, default_threads
    from databases.omweso_small import load_small, save_small

    parsed = read_rules(rules, columns)
    threads = threads or default_threads()
    check_threads(threads)
    board = load_small(tables, parsed, seeds) if tables.is_dir() else None
    if board is None:
        began = time.perf_counter()
        board = _solve(parsed, seeds, threads)
        _check_rounds(board)
        seconds = time.perf_counter() - began
        if write:
            tables.mkdir(parents=True, exist_ok=True)
            save_small(board, tables, seconds)
    board.threads = threads
    found = _summary(board)
    if verify:
        found["faults"] = board.faults()
    if as_json:
        click.echo(json.dumps(found, separators=(",", ":")))
    else:
        _print(found)
    if found.get("faults"):
        raise AbapaError(f"{found['faults']:,} numbers of {parsed.id}, {seeds} seeds, are wrong: solve it again")


def _solve(rules: OmwesoRules, seeds: int, threads: int) -> SmallBoard:
    from databases.omweso_small import solve_small
    from databases.tiers import tier_size

    with progress_bar(tier_size(rules.pits, seeds) * (1 + rules.okukoneeza), "position", "solve") as bar:

        def report(layer: str, level: int, decided: int, still_open: int) -> None:
            bar.set_description(f"{layer}, {level} plies")
            bar.update(decided)

        return solve_small(rules, seeds, threads=threads, report=report)


def _check_rounds(board: SmallBoard) -> None:
    """A table knows no rounds: refuse a cap that would end games before they are won. Raises AbapaError."""
    from databases.omweso_small import take_census

    longest = max(take_census(layer).longest for layer in (board.settled, board.fresh))
    cap = board.rules.round_cap
    if cap is not None and longest > 2 * cap:
        least = (longest + 1) // 2
        raise AbapaError(f"round-cap={cap} ends games that take up to {longest} plies: accepted are {least} and more")


def _summary(board: SmallBoard) -> dict[str, Any]:
    """Everything that is printed, as one object."""
    from databases.omweso_small import best_setups, outcome, setup_rank, take_census

    rules, half = board.rules, board.seeds // 2
    found: dict[str, Any] = {"rules": rules.id, "columns": rules.columns, "seeds": board.seeds}
    found["positions"] = len(board.settled)
    layers = {"settled": board.settled} | ({} if board.fresh is board.settled else {"fresh": board.fresh})
    for name, layer in layers.items():
        census = take_census(layer)
        found[name] = {"wins": census.wins, "draws": census.draws, "losses": census.losses, "longest": census.longest}
    if board.seeds % 2 == 0:
        starts = board.starts()
        census = take_census(starts.ravel())
        found["starts"] = {"wins": census.wins, "draws": census.draws, "losses": census.losses}
        fixed = {}
        for name, per_pit in (("outer", (half // rules.columns, 0)), ("all", (half // rules.pits,) * 2)):
            side = (per_pit[0],) * rules.columns + (per_pit[1],) * rules.columns
            if sum(side) == half:
                rank = setup_rank(side)
                value, plies = outcome(int(starts[rank, rank]))
                fixed[name] = {"setup": list(side), "value": value, "plies": plies}
        found["fixed"] = fixed
        found["best"] = [
            {
                "setup": list(choice.setup),
                "reply": list(choice.reply),
                "value": outcome(choice.plies)[0],
                "plies": outcome(choice.plies)[1],
                "wins": choice.wins,
                "draws": choice.draws,
                "losses": choice.losses,
            }
            for choice in best_setups(board, starts)
        ]
    return found


def _print(found: dict[str, Any]) -> None:
    click.echo(
        f"{found['columns']} columns, {found['seeds']} seeds, {found['rules']}: {found['positions']:,} positions"
    )
    for name in ("settled", "fresh", "starts"):
        if name in found:
            layer = found[name]
            longest = f", longest win {layer['longest']} plies" if "longest" in layer else ""
            click.echo(f"{name:<8} {layer['wins']:,} won, {layer['draws']:,} drawn, {layer['losses']:,} lost{longest}")
    for name, fixed in found.get("fixed", {}).items():
        click.echo(f"fixed set-up, {name} pits {_pits(fixed['setup'])}: {_worth(fixed)}")
    for choice in found.get("best", []):
        click.echo(
            f"best set-up {_pits(choice['setup'])}: {_worth(choice)} against {_pits(choice['reply'])}; "
            f"of all replies {choice['wins']:,} won, {choice['draws']:,} drawn, {choice['losses']:,} lost"
        )
    if "faults" in found:
        click.echo("proved: every number follows from those after its turns" if not found["faults"] else
                   f"WRONG: {found['faults']:,} numbers do not follow from those after their turns")  # fmt: skip


def _pits(side: list[int]) -> str:
    return ",".join(map(str, side))


def _worth(found: dict[str, Any]) -> str:
    word = {1: "won", 0: "drawn", -1: "lost"}[found["value"]]
    return word if not found["value"] else f"{word} in {found['plies']} plies"
