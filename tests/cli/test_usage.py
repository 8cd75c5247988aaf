"""What every command does with options it cannot use: one line on stderr that says what is accepted, exit code 2."""

from __future__ import annotations

import pathlib

import click
import pytest

from solver.cli.options import Seconds, Seed, Whole
from solver.cli.verify_draw import NumbersType
from tests.cli.cheap_calls import CALLS, TABLES
from tests.cli.command_line import COMMANDS, abapa, refused

Path = tuple[str, ...]
NUMERIC = (click.types.IntParamType, click.types.FloatParamType, Seconds, Seed)
NUMBERS = [
    pytest.param(path, option, id=" ".join([*path, option.opts[0]]))
    for path, command in COMMANDS.items()
    for option in command.params
    if isinstance(option, click.Option) and isinstance(option.type, NUMERIC)
]
"""Every option of every command that takes one number."""


def test_every_kind_of_command_is_here() -> None:
    assert {("search",), ("omweso", "play"), ("verify-draw",)} < set(COMMANDS)
    assert len(NUMBERS) > 50


@pytest.mark.parametrize(("path", "option"), NUMBERS)
def test_what_is_no_number_is_refused(path: Path, option: click.Option) -> None:
    assert isinstance(option.type, (Whole, Seed, Seconds))
    for value in ("inf", "-inf", "nan", "1e999", "x", "", "4x", "\uff14", "1_0", "9" * 30, "0.5.5"):
        refused(abapa(*path, option.opts[0], value), f"invalid value for '{option.opts[0]}'", "accepted are ")


@pytest.mark.parametrize(("path", "option"), NUMBERS)
def test_what_is_out_of_range_is_refused(path: Path, option: click.Option) -> None:
    if isinstance(option.type, Seconds):
        wrong = ["0", "0.0", "-1", "-0.5", "1e9"]
    elif isinstance(option.type, Whole):
        wrong = ["-1", "0.5", str(int(option.type.min or 0) - 1)]
        wrong += [str(int(option.type.max) + 1)] if option.type.max is not None else []
    else:
        wrong = ["0.5"]
    for value in wrong:
        refused(abapa(*path, option.opts[0], value), f"'{option.opts[0]}': '{value}': accepted are ")


# -- usage errors -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_an_unknown_option_names_those_accepted(path: Path) -> None:
    names = [max(option.opts, key=len) for option in COMMANDS[path].params if isinstance(option, click.Option)]
    refused(abapa(*path, "--foo"), "no such option --foo: accepted are ", *names, "--help")


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_option_wants_its_value(path: Path) -> None:
    for option in COMMANDS[path].params:
        if isinstance(option, click.Option):
            name = option.opts[0]
            if option.is_flag:
                refused(abapa(*path, f"{name}=1"), f"option '{name}' does not take a value")
            else:
                refused(abapa(*path, name), f"option '{name}' requires an argument")


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_what_is_missing_is_named(path: Path) -> None:
    if any(param.required for param in COMMANDS[path].params):
        refused(abapa(*path), "missing ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["foo"], "no such command 'foo': accepted are build, probe, moves"),
        (["omweso", "foo"], "no such command 'foo': accepted are moves, perft, mayer"),
        (["--foo"], "no such option --foo: accepted are --version, --help"),
        (["search", "a", "b", "c"], "unexpected extra arguments (b c): accepted is abapa search [OPTIONS] POSITION"),
        (["uci", "a\nb"], "unexpected extra argument (a b): accepted is abapa uci [OPTIONS]"),
        (["play", "--side", "west"], "invalid value for '--side': 'west' is not one of 'south', 'north'"),
        (["build"], "what is to be built: accepted is --seeds N or --game N, one of them"),
        (["build", "--seeds", "2", "--game", "2"], "accepted is --seeds N or --game N, one of them"),
        (["build", "--seeds", "2", "--margin", "2"], "--margin goes with --game: accepted is --game N --margin M"),
        (["build", "--game", "2", "--distance"], "--distance goes with --seeds: tables of a game keep no distances"),
        (["build", "--game", "128"], "a game of 128 seeds: accepted are 0 to 127"),
        (["search"], "missing argument 'POSITION': accepted is abapa search [OPTIONS] POSITION"),
        (["build", "--no-bound", "--seeds", "2"], "--bounds, --no-bounds"),
        (["perft", "start", "x"], "invalid value for 'DEPTH': 'x': accepted are whole numbers from 0 to 60"),
        (["perft", "start", "\uff14"], "accepted are whole numbers from 0 to 60"),
        (["analyse", "absent.ogn"], "'absent.ogn' does not exist"),
        (["build", "--seeds", "2", "--memory", "9" * 500 + "TB"], "is no size"),
        (["build", "--seeds", "2", "--memory", "\uff18GiB"], "is no size"),
        (["build", "--seeds", "2", "--memory", "8\u212aiB"], "is no size"),
        (["verify-draw", "--per-pit", "\u00b2"], "accepted are whole numbers as in 1,2 or 1-6"),
        (["verify-draw", "--pits", "\uff11"], "accepted are whole numbers as in 1,2 or 1-6"),
        (["verify-draw", "--grid", "--limit", "nan"], "is no number of boards"),
        (["verify-draw", "--grid", "--limit", "1e999"], "is no number of boards"),
        (["play", "--match", "a\nb"], "unknown match format 'a\\nb'"),
        (["stats", "--tables", "no\nfolder"], "no tables folder no folder"),
    ],
)  # fmt: skip
def test_a_usage_error_is_one_line(arguments: list[str], said: str) -> None:
    refused(abapa(*arguments), said)


@pytest.mark.parametrize("path", [path for path in COMMANDS if "--no-tables" in CALLS[path]], ids=" ".join)
def test_a_folder_that_would_not_be_used_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Named on the command line; one named by the surroundings is for other commands too."""
    refused(abapa(*path, *CALLS[path], "--tables", TABLES), "--tables: with --no-tables it is not used")
    monkeypatch.setenv("ABAPA_TABLES", str(TABLES))
    said = abapa(*path, *CALLS[path]).err
    assert "--tables" not in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["serve", "--get", "/api/v1/", "--port", "0"], "--host, --port: --get opens no port"),
        (["serve", "--get", "/api/v1/", "--host", "127.0.0.1"], "--host, --port: --get opens no port"),
        (["build", "--seeds", "2", "--dry-run", "--checkpoint", "never"], "--checkpoint: --dry-run builds nothing"),
        (["build", "--rules", "awari", "--seeds", "2", "--bounds"], "--bounds: awari splits endless play evenly"),
        (["selfplay", "--no-tables", "--seed", "3", "--random-plies", "0"], "--seed: with --random-plies 0"),
        (["verify", "--counts", "COUNTS", "--threads", "1"], "--threads: counting takes one thread"),
        (["verify-draw", "--limit", "100"], "--limit is for the tiers of a grid"),
        (["omweso", "setup", "--tries", "0", "--seed", "3"], "--seed: with --tries 0 nothing is random"),
        (
            ["omweso", "setup", "--rules", "tournament+setup=all-two", "--tries", "3"],
            "fixes the set-up, so there is none to suggest",
        ),
    ],
)
def test_an_option_that_another_makes_idle_is_refused(arguments: list[str], said: str, tmp_path: pathlib.Path) -> None:
    counts = tmp_path / "counts"
    counts.write_text("seeds,value,count\n")
    refused(abapa(*(str(counts) if word == "COUNTS" else word for word in arguments)), said)


HUGE = "x" * 1_000_000


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_a_huge_input_is_not_echoed(path: Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As an argument, as the value of each option, as an option, in words and in one."""
    monkeypatch.setenv("ABAPA_TABLES", str(TABLES))
    call = [word.replace("TMP", str(tmp_path)) for word in CALLS[path]]
    lines = [[f"--{HUGE}"], [HUGE, "y" * 500_000, "z"], [" ".join("x" * 500_000)]]
    for option in COMMANDS[path].params:
        if isinstance(option, click.Option) and not option.is_flag:
            lines.append([option.opts[0], HUGE])  # --tables beside --no-tables is refused as well
        elif isinstance(option, click.Argument):
            lines.append([*call[1:], HUGE])
    for words in lines:
        ran = abapa(*path, *([] if isinstance(words[0], str) and words[0] == HUGE else call), *words)
        if (path, words[0]) != (("uci",), "--tables"):  # a program is told by an info string, when it searches
            refused(ran)
        assert len(ran.err.encode()) < 500, ran.err


def test_a_bare_group_shows_its_help() -> None:
    for arguments in ([], ["omweso"]):
        ran = abapa(*arguments)
        assert ran.code == 2 and "Commands:" in ran.err


def test_numbers_of_a_grid() -> None:
    kind = NumbersType()
    assert kind.convert("1-3, 6", None, None) == [1, 2, 3, 6]
    for wrong in ("", "0", "3-1", "1-", "-2", "1,,2", "1-2-3"):
        with pytest.raises(click.BadParameter):
            kind.convert(wrong, None, None)
