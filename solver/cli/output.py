"""Data on stdout: JSON, one compact object a line."""

from __future__ import annotations

import json
from typing import Any

import click


def print_json(data: Any) -> None:
    """Print one JSON value on one line, without spaces."""
    click.echo(json.dumps(data, separators=(",", ":"), ensure_ascii=False))
