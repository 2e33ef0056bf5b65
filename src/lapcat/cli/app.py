"""The command group. The module of a command is imported only when it is called."""

from __future__ import annotations

import difflib
import importlib
import os
from collections.abc import Sequence

import click

from lapcat.cli.failing import Guard
from lapcat.errors import BadQuery
from lapcat.version import __version__

COMMANDS = {
    "demo": "lapcat.cli.commands.demo",
    "init": "lapcat.cli.commands.init",
    "check": "lapcat.cli.commands.check",
    "accept": "lapcat.cli.commands.accept",
    "refresh": "lapcat.cli.commands.refresh",
    "snapshots": "lapcat.cli.commands.snapshots",
    "pause": "lapcat.cli.commands.pause",
    "resume": "lapcat.cli.commands.resume",
    "void": "lapcat.cli.commands.void",
    "tables": "lapcat.cli.commands.tables",
    "schema": "lapcat.cli.commands.schema",
    "preview": "lapcat.cli.commands.preview",
    "ask": "lapcat.cli.commands.ask",
    "sensitivity": "lapcat.cli.commands.sensitivity",
    "budget": "lapcat.cli.commands.budget",
    "ledger": "lapcat.cli.commands.ledger",
    "receipt": "lapcat.cli.commands.receipt",
    "bounds": "lapcat.cli.commands.bounds",
    "epsilon": "lapcat.cli.commands.epsilon",
    "statement": "lapcat.cli.commands.statement",
    "size": "lapcat.cli.commands.size",
    "local": "lapcat.cli.commands.local",
    "audit": "lapcat.cli.commands.audit",
    "attack": "lapcat.cli.commands.attack",
    "error": "lapcat.cli.commands.error",
}
"""Name → module with a `command`. A new command is one file there and one line here."""

_COMPLETION = "_LAPCAT_COMPLETE"


class Commands(click.Group):
    """A group that lists its commands without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(COMMANDS[cmd_name]).command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            close = difflib.get_close_matches(args[0], COMMANDS, 1)
            raise BadQuery(
                "usage",
                f"no command {args[0]!r}" + (f"; did you mean {close[0]}?" if close else ""),
                fix=f"lapcat {close[0]} …" if close else "lapcat --help",
            )
        return super().resolve_command(ctx, args)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="lapcat", message="%(prog)s %(version)s")
def cli() -> None:
    """Query private tables under differential privacy, with error bars and a budget.

    \b
    Quick tour:      lapcat demo
    Your own data:   lapcat init staff.csv, fill in lapcat.toml, then
                     lapcat check; lapcat refresh; lapcat tables
                     lapcat preview "SELECT COUNT(*) AS n FROM staff" --epsilon 0.1
                     lapcat ask     "SELECT COUNT(*) AS n FROM staff" --epsilon 0.1

    \b
    Exit codes: 0 success, 2 invalid usage, question or catalogue, 3 refused by a privacy rule,
    4 budget, 5 integrity, 130 Ctrl-C, 1 anything else. `lapcat error CODE` explains an error.

    \b
    Shell completion (bash; zsh and fish alike):
      eval "$(_LAPCAT_COMPLETE=bash_source lapcat)"
    """


def run(arguments: Sequence[str]) -> int:
    """Runs a command and returns its exit code. Errors are printed, never raised."""
    with Guard(arguments) as guard:
        if instruction := os.environ.get(_COMPLETION):
            from click.shell_completion import shell_complete

            return shell_complete(cli, {}, "lapcat", _COMPLETION, instruction)
        with cli.make_context("lapcat", list(arguments)) as context:
            cli.invoke(context)
    return guard.exit_code
