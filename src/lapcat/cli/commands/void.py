"""lapcat void ENTRY: the steward takes a debit back that nobody looked under."""

from __future__ import annotations

import click

from lapcat.cli.options import catalogue_option, deployment_of, json_option, printing, reason_option


@click.command(short_help="Take back a debit that nobody looked under (steward).")
@click.argument("entry", type=int)
@reason_option
@json_option
@catalogue_option
def command(entry: int, reason: str, as_json: bool, catalogue: str) -> None:
    """Take back a debit that nobody looked under (steward). Once somebody may have looked, what was spent stays spent."""
    deployment = deployment_of(catalogue)
    written = deployment.ledger.void(entry, reason.strip())
    with printing() as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            print_json({"voided": entry, "entry": written})
            return
        screen.say(f"entry {entry} is taken back by entry {written}: nobody has paid for it")
