"""``abapa omweso play``: a match in the terminal, a person against the program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from solver.cli.answers import columns
from solver.cli.engine import limits_options
from solver.cli.omweso.options import rules_options
from solver.cli.omweso.saved import Loaded, load_match, save_match
from solver.cli.omweso.searching import OpenSearcher, playing_rules, searcher_options
from solver.cli.options import RealFile, was_given
from solver.cli.output import check_folder_of
from solver.errors import AbapaError
from solver.omweso.match import Game, GameEnd, Match, Mode, MoveClock, Scoring, describe_end, turn_points
from solver.omweso.position import OmwesoPosition, Side, Turn, draw_board, pit_letter, turn_text
from solver.omweso.rules import OmwesoRules, Setup
from solver.omweso.setups import admitted_setups, fixed_setup, parse_position, parse_setup

if TYPE_CHECKING:
    from solver.cli.omweso.player import Player
    from solver.search.limits import Limits

PERSON, PROGRAM = 0, 1
SPARE_SECONDS = 0.5
"""What the program leaves of the time for a turn."""
NAMES = ("you", "program")
HELP = """a turn    the letter of its start pit, then one symbol for each choice that the turn offers: m, i<, m><, c*
          <  run this lap clockwise (open from the four leftmost pits, if that very lap captures)
          >  run it counter-clockwise though it could run clockwise
          *  okukoneeza: sow three seeds as two and one, before the first capture of the game
          x  take a capture, -  decline it (only under decline-capture=on)
          Your pits have small letters, the program's capitals: a.. along the inner row, then along the outer row.
turns     list the turns you have: laps, seeds captured, points scored at once
hint      what the program would play for you
laps      replay the last turn lap by lap
board     show the board again
back      take back your last turn and the answer to it (not in blitz, nor in the contract game)
resign    give up this game (the opponent wins a bulijo)
quit      leave the match (with --save FILE you can go on from there)
help, ?   this page
A set-up is a name, or the counts of your pits: the outer row from left to right, then the inner row from right to left
(so 16 counts on 8 columns), as in 0,6,0,0,0,0,0,17,0,3,0,3,0,3,0,0."""


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
@click.option("--position", "position_text", metavar="POSITION",
              help="Begin each game here, the starter to move: no set-ups.")  # fmt: skip
@click.option("--save", type=RealFile(), metavar="FILE",
              help="Keep the match in this file, and go on from it if it exists.")  # fmt: skip
@limits_options("seconds", stop="The program stops thinking", seconds=2)
@rules_options
@searcher_options
def command(
    mode: str,
    scoring: str,
    setup_text: str | None,
    program_setup: str | None,
    program_starts: bool,
    position_text: str | None,
    save: Path | None,
    limits: Limits,
    rules: OmwesoRules,
    open_searcher: OpenSearcher,
) -> None:
    """Play a match against the program, to twelve points unless --scoring says otherwise.

    The board is shown as it lies between you, with your rows below. Type a turn, or "help". The program answers a
    set-up that it sees with the named one that does best against it in a short search.
    """
    from solver.cli.omweso.player import Player

    rules = playing_rules(rules)
    match = Match(rules, Scoring.parse(scoring), Mode(mode), starter=PROGRAM if program_starts else PERSON)
    game, games, ended = None, 0, []
    if save is not None:
        check_folder_of(save)
        if save.exists():
            match, game, games, ended = resumed(save, match)
            click.echo(f"match of {save}: you {match.points[PERSON]}, program {match.points[PROGRAM]}")
    check_time(limits, match.mode)
    start = position_text and parse_position(position_text, match.rules)
    if start and (setup_text or program_setup):
        raise AbapaError("--position begins games without set-ups: accepted is it, or --setup and --program-setup")
    for text in (setup_text, program_setup):
        if text is not None:
            parse_setup(text, match.rules)  # a wrong one is refused here, before the match begins
    player = Player(open_searcher(match.rules, match.scoring.okutema), limits)
    try:
        while match.winner is None:
            if game is None:
                game = Game(start, match.scoring) if start else arranged(match, player, setup_text, program_setup)
                if start and game.end is not None:
                    raise AbapaError(f"--position: the game is over ({game.end.name}): there is nothing to play")
            keeper = Keeper(save, match, games, ended)
            click.echo(f"\ngame {games + 1}: {'you start' if match.starter == PERSON else 'program starts'}")
            end = match.record(Table(match, game, player, keeper).play())
            ended.append(game)
            game, games = None, games + 1
            Keeper(save, match, games, ended)(None)
            click.echo(
                f"{describe_end(end, NAMES)}; match: you {match.points[PERSON]}, program {match.points[PROGRAM]}"
            )
        click.echo(f"{NAMES[match.winner]} won the match")
    except Quit:
        click.echo(f"match left: you {match.points[PERSON]}, program {match.points[PROGRAM]}")


@dataclass(frozen=True)
class Keeper:
    """Keeps a match in a file, if there is one to keep it in."""

    path: Path | None
    match: Match
    games: int
    ended: list[Game]
    """Those of the games that this file has kept."""

    def __call__(self, game: Game | None) -> None:
        """Write the match as it stands, and the game under way. Raises AbapaError."""
        if self.path is not None:
            save_match(self.path, self.match, game, self.games, self.ended)


def resumed(path: Path, asked: Match) -> Loaded:
    """The match of a file and its games. Raises AbapaError where options ask for another match."""
    loaded = load_match(path)
    match = loaded.match
    for options, there, wanted in (
        (("rules_id", "columns"), match.rules.id, asked.rules.id),
        (("scoring",), match.scoring.id, asked.scoring.id),
        (("mode",), match.mode.value, asked.mode.value),
    ):
        if any(map(was_given, options)) and there != wanted:
            raise AbapaError(f"{path} holds a match under {there}, not {wanted}: leave the option out")
    if was_given("program_starts") or was_given("position_text"):
        raise AbapaError(f"{path} holds a match under way: --program-starts and --position are for a new one")
    return loaded


def arranged(match: Match, player: Player, setup_text: str | None, program_setup: str | None) -> Game:
    """The next game from the set-ups of both. Raises Quit."""
    setups = choose_setups(match, player, setup_text, program_setup)
    return match.new_game(setups[match.starter], setups[1 - match.starter])


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
        return input(question).removeprefix("\ufeff").strip()  # a byte order mark, where a file is piped in
    except EOFError:
        raise Quit from None


def choose_setups(match: Match, player: Player, setup_text: str | None, program_setup: str | None) -> tuple[Side, Side]:
    """Your set-up and the program's; who starts arranges first, and the other sees it unless set-ups are hidden."""
    rules = match.rules
    if (fixed := fixed_setup(rules)) is not None:
        return fixed, fixed
    programs = parse_setup(program_setup, rules) if program_setup else favourite(rules)
    seen = rules.setup is not Setup.HIDDEN
    if match.starter == PROGRAM and seen:
        click.echo(f"the program arranges {','.join(map(str, programs))}")
    persons = parse_setup(setup_text, rules) if setup_text is not None else ask_setup(rules)
    if match.starter == PERSON and seen and not program_setup:
        programs = player.answer_to(persons, list(admitted_setups(rules).values()), rules)
        click.echo(f"the program answers with {','.join(map(str, programs))}")
    return persons, programs


def ask_setup(rules: OmwesoRules) -> Side:
    """The person's set-up; the program's favourite for an empty answer. Raises Quit."""
    admitted = admitted_setups(rules)
    usual = next(name for name, side in admitted.items() if side == favourite(rules))
    while True:
        text = ask(f"your set-up ({', '.join(admitted)}, or {rules.pits} counts; Enter for {usual}): ")
        if text.lower() == "quit":
            raise Quit
        if text.lower() in ("help", "?"):
            click.echo(HELP)
            continue
        try:
            setup = parse_setup(text or usual, rules)
        except AbapaError as error:
            click.echo(str(error))
            continue
        click.echo(f"you arrange {','.join(map(str, setup))}")
        return setup


def favourite(rules: OmwesoRules) -> Side:
    """The program's set-up: Murray's seventeen where it fits, else two in every pit."""
    admitted = admitted_setups(rules)
    return admitted.get("seventeen-six-threes") or admitted["all-two"]


class Table:
    """One game at the board: shows it, asks the person, asks the program."""

    def __init__(self, match: Match, game: Game, player: Player, keep: Callable[[Game], None]) -> None:
        self.match, self.game, self.player, self.keep = match, game, player, keep
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
        self.keep(self.game)
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
        self.keep(self.game)
        laps = f"{turn.laps} lap{'' if turn.laps == 1 else 's'}"
        what = f"captures {turn.captured}" if turn.captured else "captures nothing"
        who = NAMES[self.match.player(position.turn)]
        text = self.lettered(position, turn_text(turn, position.rules))
        click.echo(f"{who}: {text} ({laps}, {what if turn.ends else 'never ends'})")
        self.show(self.game.position)

    def lettered(self, position: OmwesoPosition, text: str) -> str:
        """A pit or turn of the mover as the board shows it: capitals for the program, whose rows lie at the top."""
        return text if self.match.player(position.turn) == PERSON else text[:1].upper() + text[1:]

    def ask_program(self) -> None:
        """The program's turn, on its clock."""
        self.make(self.player.choose(self.game))

    def ask_person(self) -> None:
        """The person's turn: questions first, then one turn, on the clock."""
        self.clock.start()
        while True:
            left = self.clock.left
            word = ask("your turn: " if left is None else f"your turn ({max(left, 0):.1f} s left): ")
            if self.clock.overrun:
                click.echo(f"too late: more than {self.match.mode.seconds:g} seconds")
                self.game.lose_on_time()
                return
            if self.obey(word):
                return

    def obey(self, word: str) -> bool:
        """Do what a word says, in any case; whether that ended the question."""
        word = word.lower()
        commands: dict[str, Callable[[], None]] = {
            "help": lambda: click.echo(HELP),
            "?": lambda: click.echo(HELP),
            "board": lambda: self.show(self.game.position),
            "turns": self.list_turns,
            "hint": self.hint,
            "laps": self.replay,
            "back": self.take_back,
        }
        if word == "quit":
            raise Quit
        if word == "resign":
            self.game.resign()
            return True
        if word in commands:
            commands[word]()
            return False
        return bool(word) and self.try_turn(word)

    def try_turn(self, word: str) -> bool:
        """Play the turn that a word names; whether there is one."""
        try:
            turn = self.game.position.find(word)
        except AbapaError as error:
            click.echo(HELP if word == "h" else f"{error} (help: how turns are written)")
            return False
        self.make(turn)
        return True

    def list_turns(self) -> None:
        """The person's turns, one per line, with what each does."""
        position = self.game.position
        rows = [["turn", "laps", "captures", "points"]]
        for turn in position.turns:
            points = turn_points(position, turn, self.game.scoring, self.game.strikes)
            laps = f"{turn.laps:,}" if turn.ends else "endless"
            rows.append([turn_text(turn, position.rules), laps, str(turn.captured), str(points or "")])
        click.echo(columns(rows))

    def hint(self) -> None:
        """What the program would play in the person's place."""
        click.echo(f"hint: {turn_text(self.player.choose(self.game), self.game.position.rules)}")

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
        self.keep(self.game)
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
            last = self.lettered(position, pit_letter(lap.last, position.rules))
            origin = self.lettered(position, pit_letter(lap.origin, position.rules))
            click.echo(f"lap {number}: {lap.seeds} seeds from {origin} {way}to {last}: {lap.then}")
            self.show(position, lap.side, lap.opponent)

    def show(self, position: OmwesoPosition, side: Side | None = None, opponent: Side | None = None) -> None:
        """The four rows as they lie, the person's below."""
        mover = side if side is not None else position.side
        other = opponent if opponent is not None else position.opponent
        persons = self.match.player(position.turn) == PERSON
        click.echo(draw_board(*((mover, other) if persons else (other, mover)), names=NAMES))
