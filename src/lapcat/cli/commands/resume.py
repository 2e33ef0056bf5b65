"""lapcat resume TABLE: the steward lets a table answer again that was paused."""

from __future__ import annotations

import click

from lapcat.cli.naming import the_table
from lapcat.cli.options import catalogue_option, deployment_of, json_option, printing, reason_option


@click.command(short_help="Let a paused table answer again (steward).")
@click.argument("table")
@reason_option
@json_option
@catalogue_option
def command(table: str, reason: str, as_json: bool, catalogue: str) -> None:
    """Let a table answer again that was paused, by the steward or after failures (steward)."""
    deployment = deployment_of(catalogue)
    declared = the_table(deployment.catalogue, table)
    scope = deployment.scope(declared)
    was_paused = deployment.ledger.paused(scope)
    deployment.ledger.resume(scope, reason.strip())
    with printing() as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            print_json({"table": declared.name, "was_paused": was_paused})
            return
        screen.say(
            f"{table} answers again" if was_paused else f"{table} was not paused; its failures are forgotten"
        )
