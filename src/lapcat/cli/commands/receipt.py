"""lapcat receipt verify: verifies a receipt with the public key or the ledger."""

from __future__ import annotations

from pathlib import Path

import click

from lapcat.cli.options import json_option, printing
from lapcat.errors import BadQuery

DEFAULT_KEY = "lapcat.pub"


@click.group(short_help="Verify a receipt.")
def command() -> None:
    """Work with receipts: records of a release and its guarantee. `lapcat ask --receipt FILE` writes one."""


@command.command("verify", short_help="Verify a receipt.")
@click.argument("file")
@click.option("--key", metavar="FILE", help="Public key of the issuer; default ./lapcat.pub.")
@click.option(
    "--ledger",
    metavar="CATALOGUE",
    help="Also check its entry and answer in the ledger of this catalogue.",
)
@json_option
def verified(file: str, key: str | None, ledger: str | None, as_json: bool) -> None:
    """Verify a receipt: its entry, its fields and the signature. Exit code 5 if anything was forged."""
    from lapcat.ledger.receipts import check_in_ledger, check_receipt, read_receipt
    from lapcat.ledger.signing import read_public

    receipt = read_receipt(_read(file))
    opened = None
    place = Path(key) if key is not None else Path(DEFAULT_KEY)
    if ledger is not None:
        from lapcat.session.ledger_files import PUBLIC_KEY, open_ledger_read_only

        opened = open_ledger_read_only(ledger)
        if key is None and opened.guards.trusted:
            place = Path(ledger).parent / PUBLIC_KEY
    signed = receipt.get("signature") is not None
    by_key = key is not None or signed or opened is None or opened.signed
    if key is None and signed and not place.exists():
        raise BadQuery(
            "public-key-unnamed",
            "a receipt must be verified with the public key of its issuer",
            why="the key inside it proves nothing: a forger would put their own there",
            fix=f"--key FILE with that key, such as {DEFAULT_KEY} beside the catalogue",
        )
    trusted = read_public(place) if by_key and signed else () if by_key else None
    entries = check_receipt(receipt, trusted)
    ids = [entry.id for entry in entries]
    not_compared: tuple[str, ...] = ()
    if ledger is not None and opened is not None:
        check_in_ledger(receipt, opened.ledger.head(), opened.ledger.entry, opened.ledger.answer)
        if "derived_from" in receipt and not by_key:
            from lapcat.session.files import deployment_of
            from lapcat.session.rederived import require_rederived

            not_compared = require_rederived(receipt, ids, deployment_of(ledger, opened.ledger))
    with printing() as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            print_json(
                {
                    "verified": True,
                    "entries": ids,
                    "signed": by_key,
                    "in_ledger": ledger is not None,
                    "not_compared": list(not_compared),
                }
            )
            return
        listed = ", ".join(map(str, ids))
        screen.say(f"genuine: {'entry' if len(ids) == 1 else 'entries'} {listed} of the ledger")
        if by_key:
            screen.say(f"signed by the key in {place}; unchanged since")
        else:
            screen.say("not signed: only the ledger confirms it")
        if ledger is not None:
            screen.say(f"in the ledger of {ledger}")
        for field in not_compared:
            screen.say(f"not compared: {field}, notes in the words of lapcat {receipt['lapcat']}")


def _read(file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise BadQuery(
            "receipt-file",
            f"cannot read a receipt from {file}",
            fix='lapcat ask "SELECT …" --epsilon 0.1 --receipt receipt.json writes one',
        ) from None
