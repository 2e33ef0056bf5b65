"""lapcat void ENTRY: voids a debit whose query was not executed."""

from __future__ import annotations

import click

from lapcat.cli.options import catalogue_option, deployment_of, json_option, printing, reason_option


@click.command(short_help="Void a debit whose query was not executed (steward).")
@click.argument("entry", type=int)
@reason_option
@json_option
@catalogue_option
def command(entry: int, reason: str, as_json: bool, catalogue: str) -> None:
    """Void a debit whose query was not executed (steward). Once the query may have been executed, the charge stands."""
    deployment = deployment_of(catalogue)
    written = deployment.ledger.void(entry, reason.strip())
    with printing() as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            print_json({"voided": entry, "entry": written})
            return
        screen.say(f"entry {entry} is voided by entry {written}: nothing is charged for it")
