"""The files of the page: a fixed list, made when the server starts, of what lies in the package's own folder.

A request names one of the list or nothing; no path is ever made of what a request says.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "page"
FIRST = "index.html"
KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
}
"""What may be served, by the end of a file's name."""


@dataclass(frozen=True)
class PageFile:
    """One file of the page: its bytes, what they are, and a tag that changes with them."""

    content: bytes
    kind: str
    tag: str


def page_files(folder: Path = FOLDER) -> dict[str, PageFile]:
    """The files of the page by their paths below its folder; none where it is not there."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.suffix in KINDS:
            content = path.read_bytes()
            tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
            found[path.relative_to(folder).as_posix()] = PageFile(content, KINDS[path.suffix], tag)
    return found
