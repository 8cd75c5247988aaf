"""Every name of Abapa that the hostile suite asks, in one table: to try it on another revision, change this file alone.

Only the worker imports it: it takes numba along.
"""

from __future__ import annotations

from databases.builder.build import NoProgress, build_tables
from databases.files.archive import Archive
from databases.files.folder import table_path
from databases.files.packing import pack, unpack
from databases.files.table import Table
from databases.interchange import export_scores, find_scores, import_scores
from databases.omweso.tables import load_small
from databases.prober import open_tables
from databases.verifier import read_counts
from solver.cli import main
from solver.errors import AbapaError
from solver.omweso import network
from solver.omweso.rules import OmwesoRules
from solver.oware.game import OwareGame
from solver.oware.ogn import dump, parse
from solver.oware.position import Position
from solver.oware.proof import fresh_proof, load_proof, prove, save_proof
from solver.oware.rules import ABAPA, AWARI, Rules
from solver.search.limits import Limits
from solver.search.searcher import Searcher

__all__ = [
    "ABAPA",
    "AWARI",
    "AbapaError",
    "Archive",
    "Limits",
    "NoProgress",
    "OmwesoRules",
    "OwareGame",
    "Position",
    "Rules",
    "Searcher",
    "Table",
    "build_tables",
    "dump",
    "export_scores",
    "find_scores",
    "fresh_proof",
    "import_scores",
    "load_proof",
    "load_small",
    "main",
    "network",
    "open_tables",
    "pack",
    "parse",
    "prove",
    "read_counts",
    "save_proof",
    "table_path",
    "unpack",
]
