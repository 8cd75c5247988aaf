"""``abapa omweso solve``: solve a small board completely."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from solver.cli.omweso.options import rules_options
from solver.cli.options import Whole, json_option, tables_option, thread_count, threads_option
from solver.cli.output import print_json
from solver.cli.progress import progress_bar
from solver.errors import AbapaError
from solver.omweso.rules import OmwesoRules

if TYPE_CHECKING:
    from databases.omweso.solve import Census, SmallBoard


@click.command(name="solve")
@click.option("--seeds", type=Whole(1, 127), required=True, help="Number of seeds on the board, both sides together.")
@threads_option
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
    rules: OmwesoRules,
    tables: Path,
    as_json: bool,
) -> None:
    """Solve every position of --seeds seeds on a board of --columns columns, and print what came out.

    \b
    Printed are
    - the counts of wins, draws and losses, for the player to move;
    - the longest win, in plies;
    - what the fixed set-ups are worth;
    - the best set-ups for the player who starts, if the other player sees them.

    Repetition is a draw, and so is an endless turn that voids the game. If the rules have okukoneeza, the positions
    before the first capture are counted apart, as "fresh". Existing tables are read, not solved again. The exit code is
    2 if --verify finds a wrong number.
    """
    from databases.omweso.tables import load_small, save_small

    threads = thread_count(threads)
    board = load_small(tables, rules, seeds) if tables.is_dir() else None
    if board is None:
        began = time.perf_counter()
        board = _solve(rules, seeds, threads)
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
        print_json(found)
    else:
        _print(found)
    if found.get("faults"):
        raise AbapaError(f"{found['faults']:,} numbers of {rules.id}, {seeds} seeds, are wrong: solve it again")


def _solve(rules: OmwesoRules, seeds: int, threads: int) -> SmallBoard:
    from databases.omweso.solve import solve_small
    from databases.tiers import tier_size

    with progress_bar(tier_size(rules.pits, seeds) * (1 + rules.okukoneeza), "position", "solve") as bar:

        def report(layer: str, level: int, decided: int, still_open: int) -> None:
            bar.set_description(f"{layer}, {level} plies")
            bar.update(decided)

        return solve_small(rules, seeds, threads=threads, report=report)


def _check_rounds(board: SmallBoard) -> None:
    """A table knows no rounds: refuse a cap that would end games before they are won. Raises AbapaError."""
    from databases.omweso.solve import take_census

    longest = max(take_census(layer).longest for layer in (board.settled, board.fresh))
    cap = board.rules.round_cap
    if cap is not None and longest > 2 * cap:
        least = (longest + 1) // 2
        raise AbapaError(f"round-cap={cap} ends games that take up to {longest} plies: accepted are {least} and more")


def _summary(board: SmallBoard) -> dict[str, Any]:
    """Everything that is printed, as one object."""
    from databases.omweso.solve import take_census

    found: dict[str, Any] = {"rules": board.rules.id, "columns": board.rules.columns, "seeds": board.seeds}
    found["positions"] = len(board.settled)
    layers = {"settled": board.settled} | ({} if board.fresh is board.settled else {"fresh": board.fresh})
    for name, layer in layers.items():
        census = take_census(layer)
        found[name] = _counts(census) | {"longest": census.longest}
    return found if board.seeds % 2 else found | _starts(board)


def _starts(board: SmallBoard) -> dict[str, Any]:
    """What the positions before the first turn are worth, when each side has half of the seeds."""
    from databases.halfboards import half_rank
    from databases.omweso.setups import best_setups, solve_starts
    from databases.omweso.solve import outcome, take_census

    rules, half = board.rules, board.seeds // 2
    starts = solve_starts(board)
    fixed = {}
    for name, per_pit in (("outer", (half // rules.columns, 0)), ("all", (half // rules.pits,) * 2)):
        side = (per_pit[0],) * rules.columns + (per_pit[1],) * rules.columns
        if sum(side) == half:
            rank = half_rank(side)
            value, plies = outcome(int(starts[rank, rank]))
            fixed[name] = {"setup": list(side), "value": value, "plies": plies}
    best = []
    for choice in best_setups(board, starts):
        value, plies = outcome(choice.plies)
        setups = {"setup": list(choice.setup), "reply": list(choice.reply)}
        best.append(setups | {"value": value, "plies": plies} | _counts(choice.replies))
    return {"starts": _counts(take_census(starts.ravel())), "fixed": fixed, "best": best}


def _counts(found: Census) -> dict[str, int]:
    return {"wins": found.wins, "draws": found.draws, "losses": found.losses}


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
