"""The ledger that a catalogue names, with its guards: opened to be written, or only to be looked at.

folder/lapcat.toml          the catalogue
folder/lapcat.pub           the public half of the signing key, where there is one: for whoever verifies receipts
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lapcat.errors import BadQuery
from lapcat.frontend.catalogue import read_ledger_settings
from lapcat.ledger import SQLLedger, ledger_at
from lapcat.ledger.guards import Guards, Verified
from lapcat.ledger.signing import open_signer, publish, read_public, require_unsigned
from lapcat.ledger.store_urls import back_up, open_read_only, state_witness
from lapcat.ledger.witness import RECENT, Witness
from lapcat.plan.schema import NO_WITNESS, LedgerSettings
from lapcat.session.acceptance import WITNESS, elsewhere, require_witness

PUBLIC_KEY = "lapcat.pub"


@dataclass(frozen=True, slots=True)
class OpenLedger:
    """A ledger to look at, and what its last accepted catalogue calls things."""

    ledger: SQLLedger
    guards: Guards
    facts: dict[str, object]
    witness: str | None
    """As the catalogue names it."""
    signed: bool
    """Whether the catalogue names a key, or its public half is there."""

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


def open_ledger_read_only(catalogue: str | Path) -> OpenLedger:
    """For looking: needs the ledger and, where it is signed, lapcat.pub; neither the key nor the sources."""
    folder = Path(catalogue).resolve().parent
    books = read_ledger_settings(catalogue_text(catalogue))
    public = folder / PUBLIC_KEY
    trusted = read_public(public) if public.exists() else ()
    place = place_of(books, folder)
    guards = Guards(None, trusted, witness_of(books, folder))
    ledger = open_read_only(place, guards)
    facts = ledger.accepted() or {}
    _require_speaking(facts, books, guards.witness)
    return OpenLedger(ledger, guards, facts, books.witness, bool(books.key or trusted))


def back_up_ledger(catalogue: str | Path, to: Path) -> SQLLedger:
    """Writes a whole copy of the ledger to a new file; the copy, to look at."""
    folder = Path(catalogue).resolve().parent
    books = read_ledger_settings(catalogue_text(catalogue))
    return back_up(place_of(books, folder), Guards(witness=witness_of(books, folder)), to)


def open_ledger(books: LedgerSettings, folder: Path) -> SQLLedger:
    """For writing: with the key that signs, where one is declared, and the witness that must see every entry."""
    ledger = opened(books, folder, witness_of(books, folder))
    _require_speaking(ledger.accepted() or {}, books, ledger.witness)
    return ledger


def opened(books: LedgerSettings, folder: Path, witness: Witness | None) -> SQLLedger:
    place, public = place_of(books, folder), folder / PUBLIC_KEY
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


def _require_speaking(facts: Mapping[str, object], books: LedgerSettings, witness: Witness | None) -> None:
    """Raises where a witness that was accepted says nothing: it has seen at least that entry, and was emptied since."""
    named = elsewhere(books.witness)
    if (
        witness is not None
        and named is not None
        and facts.get(WITNESS) == named
        and witness.read(RECENT).silent
    ):
        raise witness.emptied()


def ledger_of(place: str | os.PathLike[str]) -> SQLLedger:
    """The ledger of a table that no catalogue declares, watched by the user's own witness."""
    return ledger_at(place, guards=Guards(witness=state_witness(place, os.fspath(place))))


def ledger_folder(books: LedgerSettings, folder: Path) -> Path:
    """From where sources are seen: the folder of the ledger's file; of one on a server the catalogue's."""
    place = place_of(books, folder)
    return place.resolve().parent if isinstance(place, Path) else folder


def place_of(books: LedgerSettings, folder: Path) -> Path | str:
    """The file of the ledger, or the address of its server."""
    if not books.store.startswith("sqlite:"):
        return books.store
    return _path(books.store.removeprefix("sqlite:"), folder)


def witness_of(books: LedgerSettings, folder: Path) -> Witness | None:
    """The file that the catalogue names; else the user's own, unless it says none."""
    if books.witness == NO_WITNESS:
        return None
    return (
        state_witness(place_of(books, folder))
        if books.witness is None
        else Witness(_path(books.witness, folder))
    )


def _path(written: str, folder: Path) -> Path:
    return folder / os.path.expanduser(written)
