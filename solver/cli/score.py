"""``abapa score``: how good a program's moves are, by the tables."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from solver.cli.lists import LONGEST_LINE, numbered_lines, whole_line
from solver.cli.options import TextFile, TextSource, json_option, rules_option, tables_option
from solver.cli.output import print_json, signed
from solver.errors import AbapaError, PositionError
from solver.oware.position import Position
from solver.oware.rules import Rules

if TYPE_CHECKING:
    from databases.prober import Tables


@dataclass(frozen=True)
class Grade:
    """A move and what it gave away, in seeds, from the view of the player who made it.

    ``value`` is the move's, ``best_value`` the position's; with bounds, ``sure_loss`` is what it lost whatever boards
    repeat. ``turned`` says whether the final result got worse: a win that is none any more, a draw lost.
    """

    line: int
    position: Position
    move: str
    value: int
    best: str
    best_value: int
    sure_loss: int
    turned: bool

    @property
    def loss(self) -> int:
        """Seeds given away: 0 for a perfect move."""
        return self.best_value - self.value


@click.command
@click.argument("file", type=TextFile(), default="-")
@rules_option
@tables_option
@click.option("--each", is_flag=True, help="Print every move with its loss, not only the sums.")
@json_option
@click.pass_context
def command(context: click.Context, file: TextSource, rules: Rules, tables: Path, each: bool, as_json: bool) -> None:
    """Grade a list of moves by the seeds that they give away.

    FILE has one position and one move per line: "POSITION MOVE", as in "0-1-0-0-1-2-1-0-1-0-0-2 B"; or CSV with a
    heading that names the columns position and move; or a JSON object per line with these names. Without FILE, stdin
    is read. Empty lines and lines that begin with # are passed over. A line that cannot be graded is named on stderr,
    the others are graded, and the exit code is 2.

    Values are from the view of the player who makes the move, in seeds. Under rules whose endless play depends on the
    game's history, a loss is that of the value with endless play split evenly.
    """
    from databases.prober import open_tables

    grades, failed = [], 0
    with open_tables(tables, rules) as opened, file.opened() as lines:
        for number, text, move in _read(lines, str(file)):
            try:
                grade = _grade(opened, rules, number, text, move)
            except AbapaError as error:
                click.echo(f"abapa: line {number}: {error}", err=True)
                failed += 1
                continue
            grades.append(grade)
            if each:
                _print_one(grade, as_json)
    if not grades and not failed:
        raise AbapaError(f"{file} holds no moves: accepted is a position and a move per line")
    _print_sums(rules, grades, failed, as_json)
    if failed:
        context.exit(AbapaError.exit_code)


def _read(source: TextIO, name: str) -> Iterator[tuple[int, str, str]]:
    """Line number, position and move of each line; what cannot be told apart has an empty move."""
    columns: tuple[int, int] | None = None
    for number, text in numbered_lines(source, name):
        if len(text) > LONGEST_LINE:
            yield number, text, "?"
        elif text.startswith("{"):
            position, move = _from_json(text)
            yield number, position, move
        elif columns is None and {"position", "move"} <= set(cells := next(csv.reader([text]))):
            columns = cells.index("position"), cells.index("move")
        elif columns is not None:
            cells = next(csv.reader([text]))
            position, move = (cells[at] if at < len(cells) else "" for at in columns)
            yield number, position, move
        else:
            position, _, move = text.replace("\t", " ").rpartition(" ")
            yield number, position, move


def _from_json(text: str) -> tuple[str, str]:
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError):
        return "", ""
    position = found.get("position", found.get("board", ""))
    if isinstance(position, list):
        position = " ".join(map(str, position))
    return str(position), str(found.get("move", ""))


def _grade(tables: Tables, rules: Rules, number: int, text: str, move: str) -> Grade:
    """One move, graded. Raises AbapaError: a wrong position, an illegal move, a missing table."""
    if not text or not move:
        raise PositionError("no position with a move: accepted is POSITION MOVE")
    position = Position.parse(whole_line(text), rules)
    if position.result() is not None:
        raise PositionError(f"the game of {position.text} is over: there is no move to grade")
    house = position.house(move)
    if house not in position.legal_moves():
        position.play(house)  # says which moves are legal
    moves = tables.moves(position)
    best = moves[0]
    made = next(one for one in moves if one.house == house - position.turn * rules.pits)
    sure = max((one.lower if one.lower is not None else one.value) for one in moves) - (
        made.upper if made.upper is not None else made.value
    )
    lead = position.stores[position.turn] - position.stores[1 - position.turn]
    turned = _sign(lead + best.value) > _sign(lead + made.value)
    letter = position.letter(best.house + position.turn * rules.pits)
    return Grade(number, position, move, made.value, letter, best.value, max(0, sure), turned)


def _sign(margin: int) -> int:
    return (margin > 0) - (margin < 0)


def _print_one(grade: Grade, as_json: bool) -> None:
    if as_json:
        print_json({"line": grade.line, "position": grade.position.text, "move": grade.move, "value": grade.value}
                   | _numbers(grade))  # fmt: skip
    else:
        click.echo(f"line {grade.line}: {grade.position.text} {grade.move} {signed(grade.value)}, "
                   f"best {grade.best} {signed(grade.best_value)}, loss {grade.loss}")  # fmt: skip


def _numbers(grade: Grade) -> dict[str, Any]:
    bounds = {"sure_loss": grade.sure_loss} if grade.position.rules.has_bounds else {}
    return {"best": grade.best, "best_value": grade.best_value, "loss": grade.loss, **bounds, "turned": grade.turned}


def _print_sums(rules: Rules, grades: list[Grade], failed: int, as_json: bool) -> None:
    count, perfect = len(grades), sum(grade.loss == 0 for grade in grades)
    losses = sum(grade.loss for grade in grades)
    worst = max(grades, key=lambda grade: grade.loss, default=None)
    turned = sum(grade.turned for grade in grades)
    if as_json:
        found: dict[str, Any] = {"rules": rules.id, "moves": count, "failed": failed, "perfect": perfect}
        found["perfect_share"] = round(perfect / count, 6) if count else None
        found["mean_loss"] = round(losses / count, 6) if count else None
        found["results_worsened"] = turned
        if rules.has_bounds:
            found["mean_sure_loss"] = round(sum(grade.sure_loss for grade in grades) / count, 6) if count else None
        if worst is not None:
            found["worst"] = {"line": worst.line, "position": worst.position.text, "move": worst.move} | _numbers(worst)
        print_json(found)
        return
    click.echo(f"moves graded      {count:>9,}")
    if count and worst is not None:
        click.echo(f"perfect moves     {perfect:>9,}  {100 * perfect / count:.1f} %")
        click.echo(f"mean loss         {losses / count:>9.3f}  seeds per move")
        click.echo(f"results worsened  {turned:>9,}  {100 * turned / count:.1f} %")
        if worst.loss:
            where = f"line {worst.line}: {worst.position.text} {worst.move}, best {worst.best}"
            click.echo(f"largest loss      {worst.loss:>9}  seeds, {where}")
    if failed:
        click.echo(f"lines not graded  {failed:>9,}")
