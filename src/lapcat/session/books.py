"""The ledger that a catalogue names, with its guards: opened to be written, or only to be looked at.

folder/lapcat.toml          the catalogue
folder/lapcat.pub           the public half of the signing key, where there is one: for whoever verifies receipts
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from lapcat.errors import BadQuery
from lapcat.frontend.catalogue import read_books
from lapcat.ledger import SQLLedger, ledger_at
from lapcat.ledger.guards import Guards, Verified
from lapcat.ledger.signing import open_signer, publish, read_public, require_unsigned
from lapcat.ledger.witness import Witness
from lapcat.plan.schema import Bookkeeping
from lapcat.session.acceptance import require_witness

PUBLIC_KEY = "lapcat.pub"


@dataclass(frozen=True, slots=True)
class Book:
    """A ledger to look at, and what its last accepted catalogue calls things."""

    ledger: SQLLedger
    guards: Guards
    facts: dict[str, object]
    witness: str | None
    """As the catalogue names it."""

    def verified(self) -> Verified:
        """What was found whole, by the witness that was accepted: without it an older copy would pass for the ledger."""
        require_witness(self.facts, self.witness)
        return self.ledger.verified()


def catalogue_text(path: str | Path) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise BadQuery(
            "catalogue-missing",
            f"there is no readable catalogue at {path}",
            fix="lapcat init FILE drafts one; -c or LAPCAT_CATALOGUE names another",
        ) from None


def open_book(catalogue: str | Path) -> Book:
    """For looking: needs the ledger and, where it is signed, lapcat.pub; neither the key nor the sources."""
    folder = Path(catalogue).resolve().parent
    books = read_books(catalogue_text(catalogue))
    public = folder / PUBLIC_KEY
    trusted = read_public(public) if public.exists() else ()
    guards = Guards(None, trusted, _witness(books, folder))
    place = _place(books, folder)
    if isinstance(place, Path) and not place.exists():
        raise BadQuery(
            "ledger-none",
            f"there is no ledger at {place} yet",
            why="it is made when the catalogue is first used",
            fix=f"lapcat tables -c {catalogue}",
        )
    ledger = ledger_at(place, guards=guards)
    return Book(ledger, guards, ledger.accepted() or {}, books.witness)


def open_ledger(books: Bookkeeping, folder: Path) -> SQLLedger:
    """For writing: with the key that signs, where one is declared, and the witness that must see every entry."""
    place, public = _place(books, folder), folder / PUBLIC_KEY
    witness = _witness(books, folder)
    if books.key is None:
        require_unsigned(public)
        return ledger_at(place, guards=Guards(witness=witness))
    signer = open_signer(_path(books.key, folder), public, ledger_folder(books, folder))
    trusted = read_public(public) if public.exists() else ()
    ledger = ledger_at(place, guards=Guards(signer, trusted, witness))
    if not trusted:
        ledger.checkpoint()  # what was written before the key is vouched for now, once
        publish(signer, public)
    return ledger


def ledger_folder(books: Bookkeeping, folder: Path) -> Path:
    """From where sources are seen: the folder of the ledger's file; of one on a server the catalogue's."""
    place = _place(books, folder)
    return place.resolve().parent if isinstance(place, Path) else folder


def _place(books: Bookkeeping, folder: Path) -> Path | str:
    """The file of the ledger, or the address of its server."""
    if not books.store.startswith("sqlite:"):
        return books.store
    return _path(books.store.removeprefix("sqlite:"), folder)


def _witness(books: Bookkeeping, folder: Path) -> Witness | None:
    return None if books.witness is None else Witness(_path(books.witness, folder))


def _path(written: str, folder: Path) -> Path:
    return folder / os.path.expanduser(written)
