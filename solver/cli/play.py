"""``abapa play``: a person against the engine, in the terminal."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import click

from solver.cli.engine import limits_options
from solver.cli.options import Whole, root_option, was_given
from solver.cli.output import signed
from solver.cli.searching import OpenSearcher, searcher_options
from solver.errors import AbapaError
from solver.oware.position import NORTH, SIDES, SOUTH, Position

if TYPE_CHECKING:
    from solver.oware.levels import Level
    from solver.oware.match import Match
    from solver.search.limits import Limits
    from solver.search.searcher import Searcher

HELP = "A move is a letter under or over your houses. Other commands: undo, hint, board, resign, quit, help."


class Left(Exception):
    """The person leaves the table, the game unfinished."""


@click.command(name="play")
@click.option("--side", type=click.Choice(["south", "north"]), default="south", show_default=True,
              help="Your side in the first game. South begins.")  # fmt: skip
@click.option("--level", "number", type=Whole(1, 8),
              help="Strength of the engine, from 1 (beginner) to 8 (full), in place of a limit.")  # fmt: skip
@limits_options("depth", "seconds", stop="The engine stops thinking", waived_by="number", seconds=1)
@click.option("--match", "format_name", default="single", show_default=True,
              help="Match format: single, antigua, best-of-3, best-of-5, yoruba, kumasi.")  # fmt: skip
@root_option
@searcher_options
def command(
    side: str, number: int | None, limits: Limits, format_name: str, root: Position, open_searcher: OpenSearcher
) -> None:
    """Play against the engine: one game, or a match in which the sides change after each game.

    A move is a letter. "undo" takes your last move back, "hint" asks the engine, "resign" gives the game up. A limit
    sets how long the engine thinks. A level sets how well it plays: each looks at a stated number of positions, and
    levels 1 to 7 misjudge moves on purpose. Only level 8 looks into tables.
    """
    from solver.oware.match import Match

    match = Match.start(format_name)
    level = None if number is None else _level(number)
    if level is not None and not level.tables:
        open_searcher = OpenSearcher(None, open_searcher.size)
    if root.result() is not None:
        raise AbapaError("the game is over: accepted are positions in which a move can be played")
    person = SOUTH if side == "south" else NORTH
    with open_searcher(root.rules, root.seeds) as searcher:
        click.echo(HELP)
        if level is not None:
            click.echo(f"Level {level.level}, {level.name}. {level.words}")
        try:
            while not match.over:
                if format_name != "single":
                    click.echo(f"\nGame {len(match.results) + 1} ({match.format.text})")
                searcher.clear()
                match = match.record(Table(searcher, limits, root, person, level).game())
                click.echo(score_text(match))
                person = 1 - person
        except Left:
            click.echo("Good bye.")


def _level(number: int) -> Level:
    """The level with a number, where no option says otherwise."""
    from solver.oware.levels import level_of

    level = level_of(number)
    for name, option in (("depth", "--depth"), ("seconds", "--time")):
        if was_given(name):
            raise click.UsageError(f"{option}: a level says itself how much it looks at: accepted is one of the two")
    if was_given("tables") and not level.tables:
        raise click.UsageError(f"--tables: level {number} does not look into tables: accepted is --level 8 with them")
    return level


def score_text(match: Match) -> str:
    """The running score of a match, and who has won it."""
    ours, drawn, theirs = match.score
    text = f"Score: you {ours}, engine {theirs}" + (f", drawn {drawn}" if drawn else "")
    if not match.over or match.format.name == "single":
        return text
    return (
        text
        + {1: " - you win the match!", -1: " - the engine wins the match.", 0: " - a drawn match."}[match.winner or 0]
    )


class Table:
    """One game between a person and the engine."""

    def __init__(
        self, searcher: Searcher[Position], limits: Limits, start: Position, person: int, level: Level | None = None
    ) -> None:
        self.searcher, self.limits, self.person, self.level = searcher, limits, person, level
        self.chance = random.Random()
        self.positions = [start]

    def game(self) -> int:
        """Play to the end: 1, 0 or -1 for the person. Raises Left when the person leaves."""
        click.echo(f"You are {SIDES[self.person]}.\n\n{self.now.draw()}")
        while self.now.result() is None:
            if self.now.turn != self.person:
                self._engine_moves()
            elif self._person_moves():
                click.echo(f"You resign: the engine wins as {SIDES[1 - self.person]}.")
                return -1
        return self._end()

    @property
    def now(self) -> Position:
        """The position on the board."""
        return self.positions[-1]

    def _play(self, letter: str) -> str:
        """Play a move; what it captured, in words."""
        before = self.now
        self.positions.append(before.play(letter))
        captured = sum(self.now.stores) - sum(before.stores)
        return f" and captures {captured}" if captured else ""

    def _engine_moves(self) -> None:
        letter, score = self._ask() if self.level is None else (self._at_level(self.level)[0], "")
        captures = self._play(letter)
        click.echo(f"\nThe engine plays {letter}{captures}{f' ({score})' if score else ''}.\n\n{self.now.draw()}")

    def _at_level(self, level: Level) -> tuple[str, str]:
        """The move that a level plays here, and the one that its search found best."""
        from solver.oware.levels import choose

        try:
            choice = choose(self.searcher, self.now, level, self.chance)
        except KeyboardInterrupt:
            raise Left from None
        return self.now.line((choice.move,))[0], self.now.line((choice.best,))[0]

    def _ask(self) -> tuple[str, str]:
        """The engine's move here, and its score in words, from the view of the player to move."""
        try:
            report = self.searcher.choose(self.now, self.limits)
        except KeyboardInterrupt:
            raise Left from None
        letter = self.now.line(report.best.moves)[0]
        return letter, f"{signed(report.best.score)} {'exact' if report.exact else 'estimate'}"

    def _person_moves(self) -> bool:
        """Ask until a move is played or taken back; whether the person resigns."""
        while True:
            try:
                said = click.prompt(f"\n{SIDES[self.person]}", prompt_suffix="> ").removeprefix("\ufeff").strip()
            except click.Abort as error:
                click.echo()
                raise Left from error
            word = said.lower()
            if word in ("quit", "exit"):
                raise Left
            if word == "resign":
                return True
            if word in ("help", "?"):
                click.echo(HELP)
            elif word == "board":
                click.echo(self.now.draw())
            elif word == "hint":
                click.echo(f"Hint: {self._hint()}")
            elif word == "undo":
                self._undo()
                return False
            else:
                try:
                    captures = self._play(self._letter(said))
                except AbapaError as error:
                    click.echo(str(error))
                    continue
                click.echo(f"You play {self._letter(said)}{captures}.\n\n{self.now.draw()}")
                return False

    def _hint(self) -> str:
        if self.level is not None:
            return self._at_level(self.level)[1]
        letter, score = self._ask()
        return f"{letter} ({score})"

    def _letter(self, said: str) -> str:
        """A letter of either case means the person's own house."""
        if len(said) == 1 and said.isalpha():
            return said.upper() if self.person == SOUTH else said.lower()
        return said

    def _undo(self) -> None:
        """Take back to the person's move before."""
        moves = [at for at, position in enumerate(self.positions[:-1]) if position.turn == self.person]
        if not moves:
            click.echo("There is no move of yours to take back.")
            return
        del self.positions[moves[-1] + 1 :]
        click.echo(f"Taken back.\n\n{self.now.draw()}")

    def _end(self) -> int:
        south, north = self.now.result() or (0, 0)
        how = {"majority": "a majority", "nomove": "no move left", "repetition": "the board repeats"}
        margin = (south - north) * (1 - 2 * self.person)
        verdict = "you win" if margin > 0 else "the engine wins" if margin < 0 else "a draw"
        click.echo(f"\nGame over ({how[self.now.ending or '']}): South {south:g}, North {north:g}: {verdict}.")
        return (margin > 0) - (margin < 0)
