"""A cheap valid call of every command, on the golden tables."""

from __future__ import annotations

from pathlib import Path

TABLES = Path(__file__).parents[1] / "data" / "tables" / "version-1"
MATCH = TABLES.parents[1] / "omweso" / "match.json"
SMALL = ["--rules", "awari+pits=3", "--tables", str(TABLES)]
BOARD = "1-1-1-0-1-1"
TWO = "1,1,1,0/0,1,0,0"
NONE = ["--no-tables", "--depth", "1"]
CALLS: dict[tuple[str, ...], list[str]] = {
    ("build",): ["--seeds", "2", "--dry-run", "--tables", "TMP"],
    ("probe",): [BOARD, *SMALL],
    ("moves",): [BOARD, *SMALL],
    ("line",): [BOARD, *SMALL],
    ("stats",): SMALL,
    ("check",): SMALL,
    ("verify",): SMALL,
    ("pack",): [*SMALL[:2], "--tables", "TMP"],
    ("unpack",): ["--rules", "awari+pits=2", "--tables", "TMP"],
    ("export",): [*SMALL, "--seeds", "5"],
    ("import",): ["TMP/scores.0", "--tables", "TMP"],
    ("compare",): ["TMP/scores.0", "--tables", "TMP"],
    ("verify-draw",): ["--pits", "1", "--per-pit", "1", "--tables", "TMP"],
    ("sample",): [*SMALL, "--seeds", "2", "--count", "3"],
    ("score",): SMALL,
    ("search",): [BOARD, "--rules", "awari+pits=3", *NONE],
    ("solve",): [BOARD, "--rules", "awari+pits=3", *NONE],
    ("play",): NONE,
    ("selfplay",): ["--position", BOARD, "--rules", "awari+pits=3", *NONE],
    ("serve",): ["--get", "/api/v1/"],
    ("analyse",): ["-", *NONE],
    ("bench",): ["--depth", "1"],
    ("uci",): [],
    ("warm",): [],
    ("perft",): ["start", "2"],
    ("omweso", "moves"): ["all-two"],
    ("omweso", "perft"): ["all-two", "1"],
    ("omweso", "mayer"): ["all-two"],
    ("omweso", "search"): ["all-two", "--depth", "1"],
    ("omweso", "setup"): ["--depth", "1", "--tries", "0"],
    ("omweso", "play"): ["--time", "0.01"],
    ("omweso", "selfplay"): ["--depth", "1"],
    ("omweso", "analyse"): [str(MATCH), "--depth", "1"],
    ("omweso", "solve"): ["--columns", "2", "--seeds", "3", "--no-write"],
    ("omweso", "probe"): [TWO, "--columns", "2", "--tables", str(TABLES)],
}
"""A cheap valid call of every command; TMP is a folder that may be written."""
