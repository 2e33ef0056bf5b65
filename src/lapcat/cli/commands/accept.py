"""lapcat accept: the steward appends a changed catalogue to the ledger, with a reason."""

from __future__ import annotations

import click

from lapcat.cli.options import catalogue_option, json_option, printing, reason_option, tell_note
from lapcat.errors import BadQuery


@click.command(short_help="Accept a changed catalogue (steward).")
@reason_option
@json_option
@catalogue_option
def command(reason: str, as_json: bool, catalogue: str) -> None:
    """Accept the catalogue as it is now (steward). Until then a changed promise is refused."""
    from lapcat.session.files import open_deployment

    if not reason.strip():
        raise BadQuery(
            "reason-missing", "accept needs a reason, which stays in the ledger", fix='--reason "why"'
        )
    deployment = open_deployment(catalogue)
    tell_note(deployment)
    first = deployment.ledger.accepted() is None
    changes = deployment.accept(reason.strip())
    with printing() as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            print_json({"accepted": first or bool(changes), "changes": changes})
        elif first:
            screen.say("accepted: this is the first catalogue of this ledger")
        elif changes:
            screen.say("accepted:", *(f"  {change}" for change in changes))
        else:
            screen.say("nothing to accept: the catalogue is as the ledger last accepted it")
