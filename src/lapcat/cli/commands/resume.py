"""lapcat resume TABLE: the steward lets a table answer again that was paused, to everybody or to one analyst."""

from __future__ import annotations

import click

from lapcat.cli.naming import the_table
from lapcat.cli.options import catalogue_option, deployment_of, json_option, printing, reason_option


@click.command(short_help="Let a paused table answer again (steward).")
@click.argument("table")
@click.option(
    "--analyst", metavar="NAME", help="Only this analyst, who was paused by a failure; else everybody."
)
@reason_option
@json_option
@catalogue_option
def command(table: str, analyst: str | None, reason: str, as_json: bool, catalogue: str) -> None:
    """Let a table answer again that was paused, by the steward or after failures (steward)."""
    deployment = deployment_of(catalogue)
    declared = the_table(deployment.catalogue, table)
    scope, ledger = deployment.scope(declared), deployment.ledger
    failed = ledger.failed_analysts(scope)
    was_paused = ledger.paused(scope) or bool(failed) if analyst is None else analyst in failed
    if analyst is None:
        ledger.resume(scope, reason.strip())
    else:
        ledger.resume_analyst(scope, analyst, reason.strip())
    with printing() as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            whom = {} if analyst is None else {"analyst": analyst}
            print_json({"table": declared.name, **whom, "was_paused": was_paused})
            return
        if analyst is None:
            said = "answers again" if was_paused else "was not paused; its failures are forgotten"
            screen.say(f"{table} {said}")
            return
        still = "" if not ledger.paused(scope) else f", but {table} itself is paused: lapcat resume {table}"
        said = "may ask about" if was_paused else "was not paused on"
        screen.say(f"{analyst} {said} {table}{still}")
