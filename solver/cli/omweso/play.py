"""``abapa omweso play``: a match in the terminal, a person against the program."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from solver.cli.engine import limits_options
from solver.cli.omweso.options import rules_options
from solver.cli.omweso.searching import OpenSearcher, playing_rules, searcher_options
from solver.errors import AbapaError
from solver.omweso.match import Game, GameEnd, Match, Mode, MoveClock, Scoring, describe_end
from solver.omweso.position import OmwesoPosition, Side, Turn, draw_board, pit_letter, turn_text
from solver.omweso.rules import OmwesoRules, Setup
from solver.omweso.setups import fixed_setup, named_setups, parse_setup

if TYPE_CHECKING:
    from solver.cli.omweso.player import Player
    from solver.search.limits import Limits

PERSON, PROGRAM = 0, 1
SPARE_SECONDS = 0.5
"""What the program leaves of the time for a turn."""
NAMES = ("you", "program")
HELP = """a turn    the letter of its start pit and one symbol per choice: m, i<, m><
turns     list the turns you have
laps      replay the last turn lap by lap
board     show the board again
back      take back your last turn and the answer to it (not in blitz, nor in the contract game)
resign    give up this game (the opponent wins a bulijo)
quit      leave the match"""


class Quit(Exception):
    """The person leaves."""


@click.command(name="play")
@click.option(
    "--mode",
    type=click.Choice([mode.value for mode in Mode]),
    default="ekyokubala",
    show_default=True,
    help="ekyokubala: no clock. contract: no clock, no turn taken back. ekyobutabala: 3 seconds per turn.",
)
@click.option("--scoring", default="points", show_default=True, help="Scoring, as in points+target=6+akakyala=on.")
@click.option("--setup", "setup_text", help="Your set-up, a name or counts (default: you are asked).")
@click.option("--program-setup", help="The program's set-up (default: its favourite).")
@click.option("--program-starts", is_flag=True, help="The program has the first turn of the first game.")
@limits_options("seconds", stop="The program stops thinking", seconds=2)
@rules_options
@searcher_options
def command(
    mode: str,
    scoring: str,
    setup_text: str | None,
    program_setup: str | None,
    program_starts: bool,
    limits: Limits,
    rules: OmwesoRules,
    open_searcher: OpenSearcher,
) -> None:
    """Play a match against the program, to twelve points unless --scoring says otherwise.

    The board is shown as it lies between you, with your rows below. Type a turn, or "help".
    """
    from solver.cli.omweso.player import Player

    rules = playing_rules(rules)
    check_time(limits, Mode(mode))
    for text in (setup_text, program_setup):
        if text is not None:
            parse_setup(text, rules)  # a wrong one is refused here, before the match begins
    match = Match(rules, Scoring.parse(scoring), Mode(mode), starter=PROGRAM if program_starts else PERSON)
    player = Player(open_searcher(rules, match.scoring.okutema), limits)
    try:
        while match.winner is None:
            setups = choose_setups(match, setup_text, program_setup)
            starters = (setups[match.starter], setups[1 - match.starter])
            table = Table(match, match.new_game(*starters), player)
            click.echo(f"\ngame {len(match.ends) + 1}: {'you start' if match.starter == PERSON else 'program starts'}")
            end = match.record(table.play())
            click.echo(
                f"{describe_end(end, NAMES)}; match: you {match.points[PERSON]}, program {match.points[PROGRAM]}"
            )
        click.echo(f"{NAMES[match.winner]} won the match")
    except Quit:
        click.echo(f"match left: you {match.points[PERSON]}, program {match.points[PROGRAM]}")


def check_time(limits: Limits, mode: Mode) -> None:
    """Refuse searches that the clock of the mode would not let the program finish. Raises AbapaError."""
    assert limits.seconds is not None
    if mode.seconds is not None and limits.seconds > mode.seconds - SPARE_SECONDS:
        raise AbapaError(
            f"--time {limits.seconds:g}: {mode.value} gives {mode.seconds:g} seconds per turn, "
            f"accepted is up to {mode.seconds - SPARE_SECONDS:g}"
        )


def ask(question: str) -> str:
    """A line from the person. Raises Quit at the end of the input."""
    try:
        return input(question).strip()
    except EOFError:
        raise Quit from None


def choose_setups(match: Match, setup_text: str | None, program_setup: str | None) -> tuple[Side, Side]:
    """Your set-up and the program's; who starts arranges first, and the other sees it unless set-ups are hidden."""
    rules = match.rules
    if (fixed := fixed_setup(rules)) is not None:
        return fixed, fixed
    programs = parse_setup(program_setup, rules) if program_setup else favourite(rules)
    if match.starter == PROGRAM and rules.setup is not Setup.HIDDEN:
        click.echo(f"the program arranges {','.join(map(str, programs))}")
    if setup_text is not None:
        return parse_setup(setup_text, rules), programs
    while True:
        text = ask(f"your set-up ({', '.join(named_setups(rules))}, or {rules.pits} counts): ")
        if text == "quit":
            raise Quit
        try:
            return parse_setup(text or "all-two", rules), programs
        except AbapaError as error:
            click.echo(str(error))


def favourite(rules: OmwesoRules) -> Side:
    """The program's set-up: Murray's seventeen where it fits, else two in every pit."""
    named = named_setups(rules)
    setup = named.get("seventeen-six-threes", named["all-two"])
    return setup if rules.pit_cap is None or max(setup) <= rules.pit_cap else named["all-two"]


class Table:
    """One game at the board: shows it, asks the person, asks the program."""

    def __init__(self, match: Match, game: Game, player: Player) -> None:
        self.match, self.game, self.player = match, game, player
        self.clock = MoveClock(match.mode.seconds)
        self.last: tuple[OmwesoPosition, Turn] | None = None
        self.player.searcher.clear()

    @property
    def persons_turn(self) -> bool:
        """Whether the person is to move."""
        return self.match.player(self.game.position.turn) == PERSON

    def play(self) -> GameEnd:
        """Play the game to its end and return how it ended."""
        self.show(self.game.position)
        while self.game.end is None:
            if self.persons_turn:
                self.ask_person()
            else:
                self.ask_program()
        return self.game.end

    def make(self, turn: Turn) -> None:
        """Play a turn and show what it did."""
        position = self.game.position
        self.last = (position, turn)
        self.game.play(turn)
        laps = f"{turn.laps} lap{'' if turn.laps == 1 else 's'}"
        what = f"captures {turn.captured}" if turn.captured else "captures nothing"
        who = NAMES[self.match.player(position.turn)]
        click.echo(f"{who}: {turn_text(turn, position.rules)} ({laps}, {what if turn.ends else 'never ends'})")
        self.show(self.game.position)

    def ask_program(self) -> None:
        """The program's turn, on its clock."""
        self.make(self.player.choose(self.game))

    def ask_person(self) -> None:
        """The person's turn: questions first, then one turn, on the clock."""
        self.clock.start()
        while True:
            word = ask("your turn: ")
            if self.clock.overrun:
                click.echo(f"too late: more than {self.match.mode.seconds:g} seconds")
                self.game.lose_on_time()
                return
            if self.obey(word):
                return

    def obey(self, word: str) -> bool:
        """Do what a word says; whether that ended the question."""
        position = self.game.position
        if word == "quit":
            raise Quit
        if word == "help":
            click.echo(HELP)
        elif word == "board":
            self.show(position)
        elif word == "turns":
            click.echo(" ".join(turn_text(turn, position.rules) for turn in position.turns))
        elif word == "laps":
            self.replay()
        elif word == "resign":
            self.game.resign()
            return True
        elif word == "back":
            self.take_back()
        elif word:
            try:
                turn = position.find(word)
            except AbapaError as error:
                click.echo(str(error))
                return False
            self.make(turn)
            return True
        return False

    def take_back(self) -> None:
        """Undo the person's last turn and the program's answer."""
        if not self.match.mode.may_take_back:
            click.echo(f"turns may not be taken back in {self.match.mode.value}")
            return
        try:
            self.game.take_back(2)
        except AbapaError as error:
            click.echo(str(error))
            return
        self.last = None
        self.show(self.game.position)

    def replay(self) -> None:
        """The last turn lap by lap, the board after each."""
        if self.last is None:
            click.echo("no turn has been played")
            return
        position, turn = self.last
        if turn.okukoneeza:
            click.echo("okukoneeza: two seeds to the next pit, one to the one after, and the turn ends")
        for number, lap in enumerate(position.replay(turn), 1):
            way = "clockwise " if lap.clockwise else ""
            last = pit_letter(lap.last, position.rules)
            origin = pit_letter(lap.origin, position.rules)
            click.echo(f"lap {number}: {lap.seeds} seeds from {origin} {way}to {last}: {lap.then}")
            self.show(position, lap.side, lap.opponent)

    def show(self, position: OmwesoPosition, side: Side | None = None, opponent: Side | None = None) -> None:
        """The four rows as they lie, the person's below."""
        mover = side if side is not None else position.side
        other = opponent if opponent is not None else position.opponent
        persons = self.match.player(position.turn) == PERSON
        click.echo(draw_board(*((mover, other) if persons else (other, mover)), names=NAMES))
