"""lapcat accept: the steward appends a changed catalogue to the ledger, with a reason."""

from __future__ import annotations

import click

from lapcat.cli.options import catalogue_option, json_option, printing, reason_option, tell_note
from lapcat.errors import BadQuery

MEANING = (
    "Questions are answered under this catalogue now; the reason is in the ledger.",
    "A later change of budgets, units, bounds or keys waits for `lapcat accept` too.",
)


@click.command(short_help="Accept a changed catalogue (steward).")
@reason_option
@click.option(
    "--renamed",
    "renamed",
    metavar="OLD=NEW",
    multiple=True,
    help="The same data under another name: what OLD spent counts for NEW.",
)
@click.option(
    "--forget", metavar="TABLE", multiple=True, help="Give up a table that has spent; shown for ever."
)
@json_option
@catalogue_option
def command(
    reason: str, renamed: tuple[str, ...], forget: tuple[str, ...], as_json: bool, catalogue: str
) -> None:
    """Accept the catalogue as it is now (steward). Until then every question is refused.

    Budgets, units, bounds and keys decide what is promised to the people in the data. So a change of them holds once the steward
    accepts it, with a reason that stays in the ledger. What is spent stays spent.

    Where a table that has spent is gone and another appears, say which is which with --renamed, or give the old one up with
    --forget: the ledger and the privacy statement then show for ever what it had spent, and why it was given up.
    """
    from lapcat.session.files import open_deployment

    if not reason.strip():
        raise BadQuery(
            "reason-missing", "accept needs a reason, which stays in the ledger", fix='--reason "why"'
        )
    names = dict(_pair(each) for each in renamed)
    deployment = open_deployment(catalogue)
    tell_note(deployment)
    first = deployment.ledger.accepted() is None
    changes = deployment.accept(reason.strip(), renamed=names, forget=forget)
    with printing() as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            print_json({"accepted": first or bool(changes), "changes": changes})
        elif first:
            screen.say("accepted: this is the first catalogue of this ledger", *MEANING)
        elif changes:
            screen.say("accepted:", *(f"  {change}" for change in changes), *MEANING)
        else:
            screen.say("nothing to accept: the catalogue is as the ledger last accepted it")


def _pair(text: str) -> tuple[str, str]:
    old, mark, new = text.partition("=")
    if not (old and mark and new):
        raise click.UsageError("--renamed takes OLD=NEW, two names of tables")
    return old, new
