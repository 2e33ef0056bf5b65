"""lapcat accept: records a changed catalogue in the ledger, with a reason."""

from __future__ import annotations

import click

from lapcat.cli.options import catalogue_option, json_option, printing, reason_option, show_note
from lapcat.errors import BadQuery

MEANING = (
    "This catalogue now applies; the reason is in the ledger.",
    "Later changes of budgets, units, bounds or keys also need `lapcat accept`.",
)


@click.command(short_help="Accept a changed catalogue (steward).")
@reason_option
@click.option(
    "--renamed",
    "renamed",
    metavar="OLD=NEW",
    multiple=True,
    help="Same data under a new name: the spending of OLD counts for NEW.",
)
@click.option(
    "--forget",
    metavar="TABLE",
    multiple=True,
    help="Give up a table with spending; this is shown permanently.",
)
@json_option
@catalogue_option
def command(
    reason: str, renamed: tuple[str, ...], forget: tuple[str, ...], as_json: bool, catalogue: str
) -> None:
    """Accept a changed catalogue (steward). Until then every question is refused.

    Budgets, units, bounds and keys define the guarantee for the people in the data. A change takes effect when the steward
    accepts it, with a reason that stays in the ledger. Past spending remains.

    If a table with spending disappeared and another appeared, use --renamed if they are the same data, or give up the old one
    with --forget: the ledger and the privacy statement then show permanently what it had spent, and why it was given up.
    """
    from lapcat.session.files import open_deployment

    if not reason.strip():
        raise BadQuery(
            "reason-missing", "accept needs a reason, which stays in the ledger", fix='--reason "why"'
        )
    names = dict(_pair(option) for option in renamed)
    deployment = open_deployment(catalogue)
    show_note(deployment)
    first = deployment.ledger.accepted() is None
    changes = deployment.accept(reason.strip(), renamed=names, forget=forget)
    with printing() as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            print_json({"accepted": first or bool(changes), "changes": changes})
        elif first:
            screen.say("accepted as the first catalogue of this ledger", *MEANING)
        elif changes:
            screen.say("accepted:", *(f"  {change}" for change in changes), *MEANING)
        else:
            screen.say("nothing to accept: the catalogue has not changed since it was last accepted")


def _pair(text: str) -> tuple[str, str]:
    old, mark, new = text.partition("=")
    if not (old and mark and new):
        raise click.UsageError("--renamed takes OLD=NEW, two table names")
    return old, new
