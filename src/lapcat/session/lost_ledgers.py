"""A ledger that was lost, or put back from an older copy: how a steward goes on, for a reason that stays on record.

`begin_anew` starts an empty ledger where there is none that can be read. `adopt` goes on with the one that is there. Both
say so in an entry of the ledger and in its witness. What the lost entries had spent is not known to either; so after
`adopt` every table is paused until the steward has decided about it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from lapcat.errors import BadQuery, IntegrityFailed
from lapcat.frontend.catalogue import read_ledger_settings
from lapcat.ledger.chain import GENESIS, Head
from lapcat.ledger.ledger import SQLLedger, require_reason
from lapcat.ledger.sqlite.store import has_header
from lapcat.ledger.store_urls import on_a_server
from lapcat.ledger.witness import Testimony, Witness
from lapcat.plan.schema import LedgerSettings
from lapcat.session.ledger_files import catalogue_text, open_ledger, opened, place_of, witness_of
from lapcat.stored.scopes import Scope

NOTHING = Testimony((), 0)
LOST = ("ledger-missing", "ledger-damaged")
"""Errors of a ledger that cannot be gone on with."""


@dataclass(frozen=True, slots=True)
class WatchedLedger:
    """Which ledger is meant, and who watches it."""

    books: LedgerSettings
    folder: Path
    witness: Witness | None

    @classmethod
    def by(cls, catalogue: str | Path, store: str | None) -> WatchedLedger:
        """The ledger of a catalogue, or one that a program opens by its place: lapcat.table(…, ledger=STORE)."""
        if store is None:
            books, folder = read_ledger_settings(catalogue_text(catalogue)), Path(catalogue).resolve().parent
        else:
            books, folder = LedgerSettings(store if on_a_server(store) else f"sqlite:{store}"), Path.cwd()
        return cls(books, folder, witness_of(books, folder))

    @property
    def place(self) -> Path | str:
        return place_of(self.books, self.folder)

    def said(self) -> Testimony:
        """What the witness says; nothing where there is none, or it was emptied."""
        if self.witness is None:
            return NOTHING
        try:
            return self.witness.read()
        except IntegrityFailed as error:
            if error.code != "witness-emptied":
                raise
            return NOTHING


@dataclass(frozen=True, slots=True)
class NewLedger:
    place: str
    before: Head | None
    set_aside: Path | None
    """Where the file that could not be read is now."""


@dataclass(frozen=True, slots=True)
class Adopted:
    entries: int
    known: Head | None
    paused: tuple[str, ...]


def begin_anew(catalogue: str | Path, reason: str, store: str | None = None) -> NewLedger:
    """Starts an empty ledger in the place of a lost one. One that can be read is refused: going on with it forgets less."""
    require_reason(reason, "ledger new")
    found = WatchedLedger.by(catalogue, store)
    known = _last(found.said())
    set_aside = _require_lost(found, known)
    with closing(opened(found.books, found.folder, None)) as ledger:
        ledger.begin(reason, known)
        _begin_witness(found.witness, ledger, reason, known)
        return NewLedger(ledger.place, known, set_aside)


def adopt(catalogue: str | Path, reason: str, store: str | None = None) -> Adopted:
    """Goes on with the ledger that is in the place, from now on for its witness too."""
    require_reason(reason, "ledger adopt")
    found = WatchedLedger.by(catalogue, store)
    if isinstance(found.place, Path) and not found.place.exists():
        open_ledger(found.books, found.folder).close()  # says that it is missing, or makes the first one
    said = found.said()
    with closing(opened(found.books, found.folder, None)) as ledger:
        facts, head = ledger.accepted() or {}, ledger.head()
        lost = _is_lost(said, ledger)
        if found.witness is None or not (lost or said.absent or said.silent):
            raise BadQuery(
                "nothing-to-adopt",
                f"the ledger {ledger.place} has no witness"
                if found.witness is None
                else f"the ledger {ledger.place} is the one that its witness has seen: nothing is lost",
                fix="lapcat ledger verify",
            )
        tables = _tables(facts) if lost else {}
        known = _last(said)
        ledger.adopt(reason, known, tuple(tables.values()))
        _begin_witness(found.witness, ledger, reason, known)
        return Adopted(head[0], known if lost else None, tuple(tables))


def _is_lost(said: Testimony, ledger: SQLLedger) -> bool:
    """Whether the witness has seen an entry that this ledger does not have, or another ledger."""
    own = None if said.begun is None else said.begun.ledger
    return (own is not None and own != ledger.identity) or any(
        (entry := ledger.entry(id)) is None or entry.hash != hash for id, hash in dict.fromkeys(said.heads)
    )


def _last(said: Testimony) -> Head | None:
    return None if said.last == GENESIS else said.last


def _require_lost(found: WatchedLedger, known: Head | None) -> Path | None:
    """Raises where there is a ledger that can be read. Where one is damaged: where it was moved to."""
    place = found.place
    try:
        with closing(opened(found.books, found.folder, found.witness)) as ledger:
            entries = ledger.head()[0]
    except IntegrityFailed as error:
        if error.code == "ledger-rolled-back":
            raise BadQuery(
                "ledger-exists",
                f"there is an older copy of the ledger, or another one, at {found.books.store.removeprefix('sqlite:')}",
                why="going on with it forgets less than an empty ledger does",
                fix='lapcat ledger adopt --reason "why the newest entries are lost"',
            ) from None
        if error.code not in LOST:
            raise
    else:
        if entries:
            raise BadQuery(
                "ledger-exists",
                f"there is a ledger with {entries} entries, and nothing is wrong with it",
                why="a new one in its place would forget what was spent",
                fix="lapcat ledger list",
            )
    if not isinstance(place, Path) or not place.exists():
        return None
    if known is None and not has_header(place):
        raise BadQuery(
            "ledger-exists",
            f"{place} is something else, and no ledger",
            fix='name another file in lapcat.toml: [ledger] store = "sqlite:lapcat.ledger"',
        )
    return _set_aside(place)


def _set_aside(place: Path) -> Path:
    """Moves a file that cannot be read, and its log, out of the way."""
    number = 1
    while (aside := place.with_name(f"{place.name}.lost-{number}")).exists():
        number += 1
    for end in ("-wal", "-shm"):
        if (beside := Path(f"{place}{end}")).exists():
            os.replace(beside, f"{aside}{end}")
    os.replace(place, aside)
    return aside


def _begin_witness(witness: Witness | None, ledger: SQLLedger, reason: str, known: Head | None) -> None:
    if witness is not None:
        witness.begin(ledger.begun(reason, before=known or GENESIS))


def _tables(facts: Mapping[str, object]) -> dict[str, str]:
    """The private tables that were accepted last, and by what each is paused."""
    tables = facts.get("tables")
    return {
        name: str(Scope.table(str(declared.get("booked_as", name))))
        for name, declared in (tables.items() if isinstance(tables, dict) else ())
        if isinstance(declared, dict)
    }
