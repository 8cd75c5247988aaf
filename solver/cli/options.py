"""Options and arguments that several commands share, defined once."""

from __future__ import annotations

import click

from solver.rules import Rules


class RulesType(click.ParamType):
    """A rule set id, read by :meth:`solver.rules.Rules.parse` (whose error names the accepted forms)."""

    name = "rules"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Rules:
        return value if isinstance(value, Rules) else Rules.parse(str(value))


rules_option = click.option(
    "--rules",
    type=RulesType(),
    default="abapa",
    show_default=True,
    help="Rule set: abapa or awari, fields overridden as in abapa+cycle=even or awari+pits=4.",
)

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, one object a line, for programs.")
