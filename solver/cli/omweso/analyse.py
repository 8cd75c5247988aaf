"""``abapa omweso analyse``: what each turn of recorded games was worth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from solver.cli.engine import limits_options
from solver.cli.omweso.saved import load_games
from solver.cli.omweso.searching import OmwesoNotation, OpenSearcher, chance_to_win, searcher_options
from solver.cli.options import TextFile, TextSource, json_option
from solver.cli.output import complain, print_json
from solver.cli.progress import progress_bar
from solver.errors import AbapaError
from solver.omweso.match import Game, describe_end
from solver.omweso.position import SIDES, OmwesoPosition, turn_text

if TYPE_CHECKING:
    from solver.search.limits import Limits
    from solver.search.searcher import Line, Report, Searcher


@click.command(name="analyse")
@click.argument("file", type=TextFile(), metavar="FILE")
@limits_options("depth", "seconds", "nodes", stop="Stop each search", depth=8)
@searcher_options
@json_option
@click.pass_context
def command(
    context: click.Context, file: TextSource, limits: Limits, open_searcher: OpenSearcher, as_json: bool
) -> None:
    """Annotate each turn of the games in FILE with its score, and with the best turn where that is another.

    FILE ("-" for stdin) is a match that abapa omweso play --save has written, or what abapa omweso selfplay --json
    prints. Scores are from the view of the player whose turn it is, as abapa omweso search gives them: "won in 7" and
    "lost in 4" count plies; every other score is an estimate in seeds, with the chance of winning on boards of 8
    columns. The searches do not know the points of a match.

    A line that holds no game is named on stderr, the other games are annotated, and the exit code is 2.
    """
    faults: list[AbapaError] = []
    games = load_games(file, faults.append)
    for fault in faults:
        complain(str(fault))
    with progress_bar(sum(len(game.turns) for game in games), "turn", "analyse") as bar:
        for number, game in enumerate(games, 1):
            notes = []
            for note in annotate(game, limits, open_searcher):
                notes.append(note)
                bar.update(1)
            if as_json:
                print_json(_json(game, notes))
            else:
                _print(number, game, notes)
    if faults:
        context.exit(AbapaError.exit_code)


@dataclass(frozen=True)
class TurnNote:
    """One turn of a game: its score and the best turn's, from the view of the side that made it (0 South, 1 North)."""

    side: int
    turn: str
    score: int
    words: str
    best: str
    best_score: int
    best_words: str
    chance: float | None
    best_chance: float | None


def annotate(game: Game, limits: Limits, open_searcher: OpenSearcher) -> Iterator[TurnNote]:
    """A note for each turn, searched under ``limits`` each. Raises KeyboardInterrupt on Ctrl-C."""
    searcher = open_searcher(game.start.rules, game.scoring.okutema)
    position = game.start
    for turn in game.turns:
        before, position = position, position.after(turn)
        report = searcher.search_through(before, limits)
        notation = OmwesoNotation(searcher, before)
        code = _code_of(searcher, before, position)
        best = played = report.best
        if code not in (None, best.moves[0]):
            played = searcher.search(before, limits, only=(code,)).best
            if searcher.interrupted:
                raise KeyboardInterrupt
            if played.score > best.score:  # the second search saw further
                best = played
        yield _note(notation, report, before, turn_text(turn, before.rules), played, best)


def _code_of(searcher: Searcher[OmwesoPosition], before: OmwesoPosition, after: OmwesoPosition) -> int | None:
    """The turn that leads to a board, as the search numbers it; None for one that it leaves out."""
    game = searcher.game
    return next((code for code in game.legal(before) if game.play(before, code) == after), None)


def _note(
    notation: OmwesoNotation, report: Report, before: OmwesoPosition, text: str, played: Line, best: Line
) -> TurnNote:
    scores = [(line.score, notation.score(report, line)) for line in (played, best)]
    chances = [chance_to_win(line.score, before.rules) for line in (played, best)]
    name = text if played is best else notation.moves(best)[0]
    return TurnNote(before.turn, text, *scores[0], name, *scores[1], *chances)


def _print(number: int, game: Game, notes: list[TurnNote]) -> None:
    """A game as a table, a line a turn."""
    end = "under way" if game.end is None else describe_end(game.end)
    click.echo(f"game {number}, {game.position.rules.id}, from {game.start.text}")
    click.echo(f"{'':>4}  {'side':<5}  {'turn':<8}  {'score':<14}  best")
    for ply, note in enumerate(notes, 1):
        best = "" if note.turn == note.best else f"{note.best} {note.best_words}"
        click.echo(f"{ply:4d}  {SIDES[note.side]:<5}  {note.turn:<8}  {note.words:<14}  {best}".rstrip())
    click.echo(end)


def _json(game: Game, notes: list[TurnNote]) -> dict[str, Any]:
    """A game for ``--json``."""
    return {
        "rules": game.position.rules.id,
        "position": game.start.text,
        "turns": [_turn_json(note) for note in notes],
        "end": None if game.end is None else game.end.name,
        "winner": None if game.end is None or game.end.winner is None else SIDES[game.end.winner].lower(),
    }


def _turn_json(note: TurnNote) -> dict[str, Any]:
    from solver.omweso.game import plies_to_end

    def told(name: str, score: int, chance: float | None) -> dict[str, Any]:
        return {
            f"{name}score": score,
            f"{name}plies_to_end": plies_to_end(score),
            f"{name}chance": None if chance is None else round(chance, 4),
        }

    return {
        "side": SIDES[note.side].lower(),
        "turn": note.turn,
        **told("", note.score, note.chance),
        "best": note.best,
        **told("best_", note.best_score, note.best_chance),
    }
