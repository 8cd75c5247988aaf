"""How the id of a rule set is read, the same in every game: a preset, then fields that override it.

``awari+cycle=own-row+pits=4``: which presets and fields there are, and what the values mean, is left to each game's
rules (:mod:`solver.oware.rules`, :mod:`solver.omweso.rules`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from solver.errors import RulesError, cut, quoted


def want_rules(rules: object, *kinds: type) -> None:
    """Refuse what is no rule set of ``kinds``, such as the text of an id. Raises :class:`~solver.errors.RulesError`."""
    if not isinstance(rules, kinds):
        names = " or ".join(f"{kind.__name__}.parse(...)" for kind in kinds)
        raise RulesError(f"{cut(repr(rules))} is no rule set here: accepted is what {names} returns")


def split_id(
    text: str, kind: str, presets: Collection[str], names: Collection[str], accepted: str
) -> tuple[str, Iterator[tuple[str, str]]]:
    """The preset of a rule id, and the names and values of its fields one by one, in their order.

    ``kind`` is what an error calls the id, ``accepted`` what it says is accepted. Raises
    :class:`~solver.errors.RulesError` for an unknown preset at once, for an unknown or repeated field when its turn
    comes.
    """
    preset, *fields = text.strip().split("+")
    if preset not in presets:
        raise RulesError(f"unknown {kind} {quoted(text)}: accepted are {accepted}")

    def read() -> Iterator[tuple[str, str]]:
        seen: set[str] = set()
        for field in fields:
            name, equals, value = field.partition("=")
            if not equals or name not in names or name in seen:
                raise RulesError(
                    f"unknown or repeated field {quoted(field)} in {kind} {quoted(text)}: accepted are {accepted}"
                )
            seen.add(name)
            yield name, value

    return preset, read()
