"""lapcat receipt verify: whether a receipt is genuine, by the public key alone or by the ledger."""

from __future__ import annotations

from pathlib import Path

import click

from lapcat.cli.options import json_option, printing
from lapcat.errors import BadQuery

DEFAULT_KEY = "lapcat.pub"


@click.group(short_help="Verify a receipt.")
def command() -> None:
    """Receipts: what was released, under which guarantee. `lapcat ask --receipt FILE` writes one."""


@command.command("verify", short_help="Whether a receipt is genuine.")
@click.argument("file")
@click.option(
    "--key", metavar="FILE", help="The public key; else ./lapcat.pub, if it is there. Nothing else is needed."
)
@click.option(
    "--ledger",
    metavar="CATALOGUE",
    help="Also check that its entry and answer are in the ledger of this catalogue.",
)
@json_option
def verified(file: str, key: str | None, ledger: str | None, as_json: bool) -> None:
    """Check a receipt: its entry, what it says of it, and the signature. Exit code 5 if anything was forged."""
    from lapcat.ledger.receipts import check_in_ledger, check_receipt, read_receipt
    from lapcat.ledger.signing import read_public

    receipt = read_receipt(_read(file))
    book = None
    place = Path(key) if key is not None else Path(DEFAULT_KEY)
    if ledger is not None:
        from lapcat.session.ledger_files import PUBLIC_KEY, open_ledger_read_only

        book = open_ledger_read_only(ledger)
        if key is None and book.guards.trusted:
            place = Path(ledger).parent / PUBLIC_KEY
    signed = receipt.get("signature") is not None
    by_key = key is not None or signed or book is None or book.signed
    if key is None and signed and not place.exists():
        raise BadQuery(
            "public-key-unnamed",
            "a receipt is verified with the public key of whoever gave it",
            why="the key inside it proves nothing: whoever forges a receipt writes their own there",
            fix=f"--key FILE with it, as {DEFAULT_KEY} has it beside the catalogue",
        )
    trusted = read_public(place) if by_key and signed else () if by_key else None
    entries = check_receipt(receipt, trusted)
    ids = [entry.id for entry in entries]
    if ledger is not None and book is not None:
        check_in_ledger(receipt, book.ledger.head(), book.ledger.entry, book.ledger.answer)
        if "derived_from" in receipt and not by_key:
            from lapcat.session.files import deployment_of
            from lapcat.session.rederived import require_rederived

            require_rederived(receipt, ids, deployment_of(ledger, book.ledger))
    with printing() as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            print_json({"verified": True, "entries": ids, "signed": by_key, "in_ledger": ledger is not None})
            return
        listed = ", ".join(map(str, ids))
        screen.say(f"genuine: {'entry' if len(ids) == 1 else 'entries'} {listed} of the ledger")
        if by_key:
            screen.say(f"signed by the key of {place}; nothing was changed since")
        else:
            screen.say("not signed: the ledger alone confirms it")
        if ledger is not None:
            screen.say(f"in the ledger of {ledger}")


def _read(file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise BadQuery(
            "receipt-file",
            f"there is no readable receipt at {file}",
            fix='lapcat ask "SELECT …" --epsilon 0.1 --receipt receipt.json writes one',
        ) from None
