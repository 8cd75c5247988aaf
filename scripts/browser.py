"""The server and a browser to look at its page with: for the tests of the page and for its pictures.

Chromium is Debian's, started without anything that would reach out; no browser is ever downloaded.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
ROOT = Path(__file__).resolve().parents[1]


def why_not() -> str | None:
    """Why there is no browser to be had here, or None."""
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return "playwright is not installed"
    return None if CHROMIUM.exists() else f"{CHROMIUM} is not there (Debian's package chromium)"


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@contextmanager
def serving(tables: Path, port: int = 0) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """``abapa serve`` in a process of its own: the address it prints, and the process. Ended after use."""
    command = [sys.executable, "-m", "solver", "serve", "--tables", str(tables), "--port", str(port)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            found = re.search(r"http://\S+", line)
            assert found, f"the server did not say where it is: {line!r}"
            yield found[0].rstrip("/"), process
        finally:
            process.terminate()
            process.wait(20)
