"""lapcat pause TABLE: refuses all questions about a table until it is resumed."""

from __future__ import annotations

import click

from lapcat.cli.naming import the_table
from lapcat.cli.options import catalogue_option, deployment_of, json_option, printing, reason_option


@click.command(short_help="Refuse every question about a table (steward).")
@click.argument("table")
@reason_option
@json_option
@catalogue_option
def command(table: str, reason: str, as_json: bool, catalogue: str) -> None:
    """Refuse every question about a table until `lapcat resume` (steward). Spending does not change."""
    deployment = deployment_of(catalogue)
    declared = the_table(deployment.catalogue, table)
    entry = deployment.ledger.pause(deployment.scope(declared), reason.strip())
    with printing() as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            print_json({"table": declared.name, "paused": reason.strip(), "entry": entry})
            return
        screen.say(f'{table} is paused; to resume it: lapcat resume {table} --reason "…"')
