"""Writes the pictures of the page into docs/pictures, for docs/page.md: ``python scripts/take_screenshots.py``.

Builds the tables that the pictures show in a temporary folder, serves them, looks at the page with Chromium, and keeps
each picture small (a palette).
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scripts.browser import chromium, serving, why_not

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "pictures"
MOST_BYTES = 150_000
COLOURS = (160, 96, 64)
"""Sizes of palette to try, the largest first."""

SEEDS = 10
OPEN = "2-2-1-0-1-0-0-1-1-0-1-1-20-18-S"
GAME = "1-0-2-0-1-1-1-0-1-1-0-2-19-19-S"
MOVES = "CaDbEdFfAeCcDfEdAeAfFaBbAcDdCeBfEaF"


@dataclass(frozen=True)
class Picture:
    """One picture: its file's name, the address looked at, the screen, and what is done before it is taken."""

    name: str
    query: str
    width: int = 1440
    height: int = 900
    dark: bool = False
    hover: str | None = None
    click: str | None = None
    wait: str = "#board .worth:not(.none)"


PICTURES = (
    Picture("board", f"?position={OPEN}", hover='#moves a[data-move="B"]'),
    Picture("board-dark", f"?position={OPEN}", dark=True),
    Picture("game", f"?rules=awari&position={GAME}&moves={MOVES}&ply=9", height=1000, wait="#strip .margins"),
    Picture("search", "?position=start", wait="#board .worth.estimate", height=1000),
    Picture("edit", f"?position={OPEN}", click="#edit", width=768, height=860, wait="#board .worth:not(.none)"),
    Picture("phone", f"?position={OPEN}", width=360, height=780),
    Picture("phone-dark", f"?rules=awari&position={GAME}&moves={MOVES}&ply=9", width=360, height=780, dark=True),
    Picture("tablet", f"?rules=awari&position={GAME}&moves={MOVES}", width=768, height=1024, wait="#strip .margins"),
    Picture("tables", f"?view=tables&rules=awari&position={GAME}", height=1000, wait=".histogram"),
    Picture("omweso", "?view=omweso", height=860, click='#omweso-turns a[data-turn="j"]', wait="#omweso-turns a"),
    Picture("omweso-phone", "?view=omweso", width=360, height=780, wait="#omweso-turns a"),
)


@click.command()
@click.argument("names", nargs=-1)
@click.option(
    "--folder", type=click.Path(path_type=Path), default=FOLDER, show_default=True, help="Where to write them."
)
@click.option("--tables", type=click.Path(path_type=Path, exists=True), help="Existing tables, not built for this.")
def main(names: tuple[str, ...], folder: Path, tables: Path | None) -> None:
    """Write the pictures with these NAMES (default: all)."""
    reason = why_not()
    if reason:
        raise click.ClickException(reason)
    chosen = [picture for picture in PICTURES if not names or picture.name in names]
    with tempfile.TemporaryDirectory() as made:
        if tables is None:
            tables = Path(made)
            build(tables)
        folder.mkdir(parents=True, exist_ok=True)
        with serving(tables) as (address, _), chromium() as browser:
            take(chosen, browser, address, folder)


def build(tables: Path) -> None:
    """The tables that the pictures show."""
    from databases.builder.build import build_tables
    from solver.oware.rules import ABAPA, AWARI

    build_tables(tables, AWARI, SEEDS, distance=True)
    build_tables(tables, ABAPA, SEEDS)


def take(pictures: Iterable[Picture], browser: Browser, address: str, folder: Path) -> None:
    """Take the pictures and say how large each is."""
    for picture in pictures:
        context = browser.new_context(
            viewport={"width": picture.width, "height": picture.height},
            color_scheme="dark" if picture.dark else "light",
            reduced_motion="reduce" if "omweso" not in picture.name else "no-preference",
        )
        page = context.new_page()
        page.goto(f"{address}/{picture.query}")
        page.wait_for_selector(picture.wait, timeout=60_000)
        prepare(page, picture)
        path = folder / f"page-{picture.name}.png"
        page.screenshot(path=path)
        shrink(path)
        click.echo(f"{path.name}  {path.stat().st_size:,} bytes")
        context.close()


def prepare(page: Page, picture: Picture) -> None:
    """Bring the page into the state that the picture shows."""
    if picture.click:
        page.click(picture.click)
    if picture.hover:
        page.hover(picture.hover)
    page.wait_for_timeout(4_500 if "search" in picture.name or picture.name == "omweso" else 800)


def shrink(path: Path) -> None:
    """Keep a picture small, by fewer colours where it must be. Raises ClickException where that is not enough."""
    from PIL import Image

    with Image.open(path) as taken:
        picture = taken.convert("RGB")
    for colours in COLOURS:
        picture.quantize(colours, kmeans=2, dither=Image.Dither.NONE).save(path, optimize=True)
        if path.stat().st_size <= MOST_BYTES:
            return
    raise click.ClickException(f"{path.name}: {path.stat().st_size:,} bytes, at most {MOST_BYTES:,} are wanted")


if __name__ == "__main__":
    main()
