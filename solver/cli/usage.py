"""A usage error in one line: what was wrong, and what is accepted.

click shows four lines, none of which says what is accepted; :func:`solver.cli.main` prints this line in their place.
"""

from __future__ import annotations

import click


def usage_line(error: click.ClickException) -> str:
    """The line for an error of click's, without the name of the program."""
    said = " ".join(error.format_message().split()).rstrip(".")
    context = error.ctx if isinstance(error, click.UsageError) else None
    if isinstance(error, click.NoSuchOption):
        said = f"no such option {error.option_name}"
    accepted = _accepted(error, context) if context is not None else ""
    return said[:1].lower() + said[1:] + (f": {accepted}" if accepted else "")


def _accepted(error: click.ClickException, context: click.Context) -> str:
    """What would have been right, where the message of click does not say so."""
    command = context.command
    if isinstance(error, click.NoSuchOption):
        options = [param for param in command.get_params(context) if isinstance(param, click.Option)]
        names = [name for option in options for name in (max(option.opts, key=len), *option.secondary_opts)]
        return f"accepted are {', '.join(names)}"
    if isinstance(error, click.MissingParameter):
        help_ = error.param.help if isinstance(error.param, click.Option) else None
        return " ".join(help_.split()).rstrip(".") if help_ else _form(context)
    if isinstance(error, (click.BadParameter, click.BadOptionUsage)):
        return ""  # the type, or click, has said it
    if isinstance(command, click.Group):
        return f"accepted are {', '.join(command.list_commands(context))}"
    return _form(context) if "extra argument" in error.format_message() else ""


def _form(context: click.Context) -> str:
    return f"accepted is {context.command_path} {' '.join(context.command.collect_usage_pieces(context))}"
