"""Recovery from a lost or rolled-back ledger, with a recorded reason.

`begin_anew` starts an empty ledger if none can be read. `adopt` continues with the existing one. Both record it in a ledger
entry and in the witness. The amount spent by the lost entries is unknown, so after `adopt` every table is paused until the
steward resumes it.
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
"""Error codes of a ledger that cannot be continued."""


@dataclass(frozen=True, slots=True)
class WatchedLedger:
    """A ledger's settings and its witness."""

    settings: LedgerSettings
    folder: Path
    witness: Witness | None

    @classmethod
    def by(cls, catalogue: str | Path, store: str | None) -> WatchedLedger:
        """The ledger of a catalogue, or the one at `store`: lapcat.table(…, ledger=STORE)."""
        if store is None:
            settings, folder = (
                read_ledger_settings(catalogue_text(catalogue)),
                Path(catalogue).resolve().parent,
            )
        else:
            settings, folder = LedgerSettings(store if on_a_server(store) else f"sqlite:{store}"), Path.cwd()
        return cls(settings, folder, witness_of(settings, folder))

    @property
    def place(self) -> Path | str:
        return place_of(self.settings, self.folder)

    def testimony(self) -> Testimony:
        """The contents of the witness; empty if there is none, or if it was emptied."""
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
    """The new place of the unreadable file."""


@dataclass(frozen=True, slots=True)
class Adopted:
    entries: int
    known: Head | None
    paused: tuple[str, ...]


def begin_anew(catalogue: str | Path, reason: str, store: str | None = None) -> NewLedger:
    """Replaces a lost ledger by an empty one. Refused if the ledger can be read: continuing with it loses less."""
    require_reason(reason, "ledger new")
    watched = WatchedLedger.by(catalogue, store)
    known = _last(watched.testimony())
    set_aside = _require_lost(watched, known)
    with closing(opened(watched.settings, watched.folder, None)) as ledger:
        ledger.begin(reason, known)
        _begin_witness(watched.witness, ledger, reason, known)
        return NewLedger(ledger.place, known, set_aside)


def adopt(catalogue: str | Path, reason: str, store: str | None = None) -> Adopted:
    """Continues with the existing ledger, and restarts its witness there."""
    require_reason(reason, "ledger adopt")
    watched = WatchedLedger.by(catalogue, store)
    if isinstance(watched.place, Path) and not watched.place.exists():
        open_ledger(
            watched.settings, watched.folder
        ).close()  # raises that it is missing, or creates the first one
    testimony = watched.testimony()
    with closing(opened(watched.settings, watched.folder, None)) as ledger:
        facts, head = ledger.accepted() or {}, ledger.head()
        lost = _is_lost(testimony, ledger)
        if watched.witness is None or not (lost or testimony.absent or testimony.silent):
            raise BadQuery(
                "nothing-to-adopt",
                f"the ledger {ledger.place} has no witness"
                if watched.witness is None
                else f"the ledger {ledger.place} matches its witness: nothing is lost",
                fix="lapcat ledger verify",
            )
        tables = _tables(facts) if lost else {}
        known = _last(testimony)
        ledger.adopt(reason, known, tuple(tables.values()))
        _begin_witness(watched.witness, ledger, reason, known)
        return Adopted(head[0], known if lost else None, tuple(tables))


def _is_lost(testimony: Testimony, ledger: SQLLedger) -> bool:
    """Whether the witness has recorded an entry that this ledger lacks, or another ledger."""
    own = None if testimony.begun is None else testimony.begun.ledger
    return (own is not None and own != ledger.identity) or any(
        (entry := ledger.entry(id)) is None or entry.hash != hash
        for id, hash in dict.fromkeys(testimony.heads)
    )


def _last(testimony: Testimony) -> Head | None:
    return None if testimony.last == GENESIS else testimony.last


def _require_lost(watched: WatchedLedger, known: Head | None) -> Path | None:
    """Raises if there is a readable ledger. Returns the new place of a damaged one, if any."""
    place = watched.place
    try:
        with closing(opened(watched.settings, watched.folder, watched.witness)) as ledger:
            entries = ledger.head()[0]
    except IntegrityFailed as error:
        if error.code == "ledger-rolled-back":
            raise BadQuery(
                "ledger-exists",
                f"there is an older copy of the ledger, or another one, at {watched.settings.store.removeprefix('sqlite:')}",
                why="continuing with it loses fewer debits than an empty ledger",
                fix='lapcat ledger adopt --reason "why the newest entries are lost"',
            ) from None
        if error.code not in LOST:
            raise
    else:
        if entries:
            raise BadQuery(
                "ledger-exists",
                f"there is an intact ledger with {entries} entries",
                why="a new one in its place would forget all debits",
                fix="lapcat ledger list",
            )
    if not isinstance(place, Path) or not place.exists():
        return None
    if known is None and not has_header(place):
        raise BadQuery(
            "ledger-exists",
            f"{place} is not a ledger",
            fix='name another file in lapcat.toml: [ledger] store = "sqlite:lapcat.ledger"',
        )
    return _set_aside(place)


def _set_aside(place: Path) -> Path:
    """Moves an unreadable file and its log out of the way."""
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
    """The private tables accepted last, and the scope by which each is paused."""
    tables = facts.get("tables")
    return {
        name: str(Scope.table(str(declared.get("booked_as", name))))
        for name, declared in (tables.items() if isinstance(tables, dict) else ())
        if isinstance(declared, dict)
    }
