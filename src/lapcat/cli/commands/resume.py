"""lapcat resume TABLE: resumes a paused table, for everybody or for one analyst."""

from __future__ import annotations

import click

from lapcat.cli.naming import the_table
from lapcat.cli.options import catalogue_option, deployment_of, json_option, printing, reason_option


@click.command(short_help="Resume a paused table (steward).")
@click.argument("table")
@click.option(
    "--analyst",
    metavar="NAME",
    help="Resume only this analyst, who was paused by a failure; default everybody.",
)
@reason_option
@json_option
@catalogue_option
def command(table: str, analyst: str | None, reason: str, as_json: bool, catalogue: str) -> None:
    """Resume a table that was paused by the steward or after failures (steward)."""
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
            outcome = "is resumed" if was_paused else "was not paused; its failure count is reset"
            screen.say(f"{table} {outcome}")
            return
        still = "" if not ledger.paused(scope) else f", but {table} itself is paused: lapcat resume {table}"
        outcome = "may ask about" if was_paused else "was not paused on"
        screen.say(f"{analyst} {outcome} {table}{still}")
