"""Reading what is asked: fields of a query or a JSON object, and bodies, all of bounded size.

A field that nobody reads, or that stands there twice, is an error: what a caller named and is not used would mislead
them. What the fields mean is left to the answers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, TypeVar
from urllib.parse import parse_qsl

from starlette.requests import ClientDisconnect, Request

from solver.errors import AbapaError
from solver.numerals import read_decimal, read_whole
from solver.web.errors import Refused, kind_of

MOST_FIELDS = 32
LONGEST_TEXT = 4096
SHOWN = 60
"""Characters of what was given that an error repeats."""

Choice = TypeVar("Choice")


class reading:
    """Errors inside are refusals that name ``where``, of the kind of the error or of ``kind``."""

    def __init__(self, where: str, kind: str | None = None) -> None:
        self._where, self._kind = where, kind

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, Refused):
            error.where = error.where or self._where
        elif isinstance(error, AbapaError):
            raise Refused(self._kind or kind_of(error), str(error), self._where) from error


class Fields:
    """The named fields of a request, each to be read once; :meth:`close` refuses those left over."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given = dict(given)

    @classmethod
    def of_query(cls, raw: bytes) -> Fields:
        """The fields of a query string."""
        try:
            pairs = _pairs(raw.decode("ascii"))
        except ValueError as error:
            accepted = f"accepted are up to {MOST_FIELDS} fields of UTF-8, percent-encoded"
            raise Refused("bad-parameter", f"the query cannot be read: {accepted}") from error
        return cls(_once(pairs))

    @classmethod
    def of_object(cls, given: Any) -> Fields:
        """The fields of a JSON object."""
        if not isinstance(given, dict):
            raise Refused("bad-parameter", "accepted is a JSON object")
        return cls(given)

    def text(self, name: str, default: str | None = None) -> str:
        """A field of text; one that is missing is ``default``, or an error without one."""
        value = self._given.pop(name, default)
        if value is None:
            raise Refused("bad-parameter", f"{name} is missing", name)
        if not isinstance(value, str) or len(value) > LONGEST_TEXT:
            raise Refused("bad-parameter", f"{name}: accepted is text of up to {LONGEST_TEXT:,} characters", name)
        return value

    def whole(self, name: str, least: int, most: int, default: int | None = None) -> int:
        """A whole number from ``least`` to ``most``."""
        if default is not None and name not in self._given:
            return default
        text = self.text(name)
        with suppress(ValueError):
            number = read_whole(text)
            if least <= number <= most:
                return number
        raise Refused("bad-parameter", f"{name}={shown(text)}: accepted are whole numbers {least} to {most}", name)

    def decimal(self, name: str, most: float, default: float) -> float:
        """A number more than 0, up to ``most``."""
        if name not in self._given:
            return default
        text = self.text(name)
        with suppress(ValueError):
            number = read_decimal(text)
            if 0 < number <= most:
                return number
        raise Refused("bad-parameter", f"{name}={shown(text)}: accepted are numbers more than 0, up to {most:g}", name)

    def choice(self, name: str, choices: Mapping[str, Choice], default: str) -> Choice:
        """One of the named choices."""
        text = self.text(name, default)
        if text not in choices:
            raise Refused("bad-parameter", f"{name}={shown(text)}: accepted are {', '.join(choices)}", name)
        return choices[text]

    def take(self, name: str) -> Any:
        """A field as it was given, or None."""
        return self._given.pop(name, None)

    def __contains__(self, name: str) -> bool:
        return name in self._given

    def close(self) -> None:
        """Refuse fields that nothing has read."""
        for name in self._given:
            raise Refused("bad-parameter", f"unknown parameter {shown(name)}", shown(name))


def shown(text: str) -> str:
    """What was given, for an error: no longer than a line takes."""
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."


def _pairs(query: str) -> list[tuple[str, str]]:
    """The names and values of a query. Raises ValueError for too many, or bytes that are no UTF-8."""
    if "%" in query or "+" in query or query.count("&") >= MOST_FIELDS:
        return parse_qsl(query, keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS)
    parts = [part.partition("=") for part in query.split("&") if part]  # nothing to unquote: the same, and sooner
    return [(name, value) for name, _, value in parts]


def _once(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """The pairs as a dictionary. Raises Refused for a name that comes twice."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise Refused("bad-parameter", f"{shown(name)} is given twice", shown(name))
        found[name] = value
    return found


async def body_of(request: Request, most: int) -> bytes:
    """The body, no longer than ``most`` bytes: what is longer is refused as soon as that shows."""
    refusal = Refused("too-large", f"the body is larger than {most:,} bytes")
    length = request.headers.get("content-length", "0")
    if not length.isascii() or not length.isdigit() or len(length) > 18 or int(length) > most:
        raise refusal
    parts, size = [], 0
    try:
        async for part in request.stream():
            size += len(part)
            if size > most:
                raise refusal
            parts.append(part)
    except ClientDisconnect as error:
        raise Refused("bad-parameter", "the body broke off") from error
    return b"".join(parts)


def json_of(body: bytes) -> Any:
    """The JSON value of a body in UTF-8. Raises Refused for what is none, or nested beyond reading."""
    try:
        return json.loads(body.decode("utf-8"), object_pairs_hook=_once)
    except RecursionError as error:
        raise Refused("bad-parameter", "the body is nested too deep") from error
    except ValueError as error:
        raise Refused("bad-parameter", f"the body is no JSON: {shown(str(error))}") from error
