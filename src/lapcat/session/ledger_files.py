"""Opens the ledger that a catalogue names, with its guards, for writing or read-only.

folder/lapcat.toml          the catalogue
folder/lapcat.pub           the public key, if the ledger is signed: for verifying receipts
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
    """A read-only ledger and the facts of its last acceptance."""

    ledger: SQLLedger
    guards: Guards
    facts: dict[str, object]
    witness: str | None
    """The witness setting of the catalogue."""
    signed: bool
    """Whether the catalogue names a key or a public key exists."""

    def verified(self) -> Verified:
        """Verifies the ledger with the accepted witness: without it an older copy would pass."""
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
    """Opens the ledger read-only: needs the ledger and, if it is signed, lapcat.pub; neither the key nor the sources."""
    folder = Path(catalogue).resolve().parent
    settings = read_ledger_settings(catalogue_text(catalogue))
    public = folder / PUBLIC_KEY
    trusted = read_public(public) if public.exists() else ()
    place = place_of(settings, folder)
    guards = Guards(None, trusted, witness_of(settings, folder))
    ledger = open_read_only(place, guards)
    facts = ledger.accepted() or {}
    _require_speaking(facts, settings, guards.witness)
    return OpenLedger(ledger, guards, facts, settings.witness, bool(settings.key or trusted))


def back_up_ledger(catalogue: str | Path, to: Path) -> SQLLedger:
    """Writes a full copy of the ledger to a new file; returns the copy, opened read-only."""
    folder = Path(catalogue).resolve().parent
    settings = read_ledger_settings(catalogue_text(catalogue))
    return back_up(place_of(settings, folder), Guards(witness=witness_of(settings, folder)), to)


def open_ledger(settings: LedgerSettings, folder: Path) -> SQLLedger:
    """Opens the ledger for writing: with the signing key, if one is declared, and the witness."""
    ledger = opened(settings, folder, witness_of(settings, folder))
    _require_speaking(ledger.accepted() or {}, settings, ledger.witness)
    return ledger


def opened(settings: LedgerSettings, folder: Path, witness: Witness | None) -> SQLLedger:
    place, public = place_of(settings, folder), folder / PUBLIC_KEY
    if settings.key is None:
        require_unsigned(public)
        return ledger_at(place, guards=Guards(witness=witness))
    signer = open_signer(_path(settings.key, folder), public, ledger_folder(settings, folder))
    trusted = read_public(public) if public.exists() else ()
    ledger = ledger_at(place, guards=Guards(signer, trusted, witness))
    if not trusted:
        ledger.checkpoint()  # signs the entries written before the key existed
        publish(signer, public)
    return ledger


def _require_speaking(facts: Mapping[str, object], settings: LedgerSettings, witness: Witness | None) -> None:
    """Raises if an accepted witness is empty: it has recorded at least the acceptance, so it was emptied since."""
    named = elsewhere(settings.witness)
    if (
        witness is not None
        and named is not None
        and facts.get(WITNESS) == named
        and witness.read(RECENT).silent
    ):
        raise witness.emptied()


def ledger_of(place: str | os.PathLike[str]) -> SQLLedger:
    """The ledger of a table without a catalogue, with the default witness."""
    return ledger_at(place, guards=Guards(witness=state_witness(place, os.fspath(place))))


def ledger_folder(settings: LedgerSettings, folder: Path) -> Path:
    """The folder that source places are relative to: that of the ledger file; for a ledger on a server, the catalogue's."""
    place = place_of(settings, folder)
    return place.resolve().parent if isinstance(place, Path) else folder


def place_of(settings: LedgerSettings, folder: Path) -> Path | str:
    """The path of the ledger file, or the address of its server."""
    if not settings.store.startswith("sqlite:"):
        return settings.store
    return _path(settings.store.removeprefix("sqlite:"), folder)


def witness_of(settings: LedgerSettings, folder: Path) -> Witness | None:
    """The witness that the catalogue names; else the default one, unless it says none."""
    if settings.witness == NO_WITNESS:
        return None
    return (
        state_witness(place_of(settings, folder))
        if settings.witness is None
        else Witness(_path(settings.witness, folder))
    )


def _path(written: str, folder: Path) -> Path:
    return folder / os.path.expanduser(written)
