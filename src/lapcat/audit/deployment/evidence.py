"""Tamper evidence: hashes, signatures, the witness and receipts must expose modified copies of a ledger.

The audit writes its own ledger file, with a key and a witness, asks questions, and then edits, rewrites or rolls back copies of
the file; each copy must be refused. If the hashes can locate the damage, the refusal must name the entry.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path

from lapcat.audit.deployment.asking import charged_texts, in_rho, run_at
from lapcat.audit.deployment.check import PROVED, Check
from lapcat.audit.deployment.copies import Copy, copied
from lapcat.audit.deployment.fixtures import Family, neighbours_of
from lapcat.audit.deployment.questions import sums_of
from lapcat.audit.deployment.tampering import copy_ledger, edit_ledger, rewrite_ledger
from lapcat.core.exact import exact_text
from lapcat.errors import IntegrityFailed
from lapcat.ledger import SQLiteLedger
from lapcat.ledger.guards import Guards
from lapcat.ledger.receipts import check_in_ledger, check_receipt
from lapcat.ledger.signing import Signer, open_signer
from lapcat.ledger.witness import Witness
from lapcat.session.deployment import Deployment
from lapcat.session.ledger_files import OpenLedger

PRICE = Fraction(1, 8)
QUESTIONS = 3
NO_GUARDS = Guards()


@dataclass(frozen=True, slots=True)
class _Place:
    """The locations of a ledger, its key and its witness."""

    folder: Path

    @property
    def ledger(self) -> Path:
        return self.folder / "ledger" / "lapcat.ledger"

    @property
    def witness(self) -> Path:
        return self.folder / "elsewhere" / "witness"

    def copy(self, name: str) -> Path:
        """A copy of the ledger's current state."""
        return copy_ledger(self.ledger, self.folder / name / "lapcat.ledger")

    def made(self) -> Signer:
        """Creates the folders, an empty witness and a new key."""
        for file in (self.ledger, self.witness):
            file.parent.mkdir(parents=True)
        self.witness.touch()
        return open_signer(self.folder / "secret" / "key", self.folder / "lapcat.pub", self.ledger.parent)


def evidence(family: Family, folder: Path) -> Iterator[Check]:
    """A few questions, then attempts to tamper with the ledger."""
    place = _Place(folder)
    signer = place.made()
    guards = Guards(signer, (signer.public,), Witness(place.witness))
    with SQLiteLedger(place.ledger, guards=guards) as ledger:
        copy = copied(family, neighbours_of(family)[0].here, folder / "tables", ledger=ledger)
        try:
            for text, problem in _checked(copy, place, guards):
                yield Check("evidence", "any", "–", copy.engine, PROVED, text, problem)
        finally:
            copy.remove()


def _checked(copy: Copy, place: _Place, guards: Guards) -> Iterator[tuple[str, str]]:
    """Actions and their problems."""
    texts = charged_texts(copy, sums_of(copy.family, 0), PRICE, QUESTIONS)
    if not texts:
        return
    receipts, unwitnessed = [], ""
    older = place.copy("older")
    for text in texts:
        receipts.append(run_at(copy.session(), text, PRICE, rho=in_rho(copy)).receipt.as_json())
        if Witness(place.witness).read().last != copy.ledger.head():
            unwitnessed = "an answer was returned before the witness recorded its entry"
    copy.ledger.checkpoint()
    first, last = (int(str(receipt["id"])) for receipt in (receipts[0], receipts[-1]))
    yield "every answer is witnessed before it is returned", unwitnessed
    yield "the unmodified ledger", _refused_whole(place, guards)
    for what, statements in _damages(first):
        damaged = place.copy(what)
        edit_ledger(damaged, *statements)
        yield f"{what}, then the ledger is opened", _named(partial(_open, damaged), f"entry {first} ")
    yield "an entry removed from an open ledger", _removed_meanwhile(place, first)
    yield "a ledger rewritten with all its hashes", _rewritten(place, replace(guards, witness=None), first)
    yield (
        "an older copy in place of the ledger",
        _refused(lambda: _open(older, Guards(witness=guards.witness))),
    )
    yield "a ledger without its witness", _without_witness(copy, place, guards)
    yield "a write-ahead log left behind by a crash", _left_behind(copy, place)
    yield "a receipt, unmodified and with each of its fields changed", _forged(receipts[-1], guards.trusted)
    yield "a receipt checked against an older ledger", _not_in(older, receipts[-1])
    yield "the spending stated by a receipt", _unlike(copy, last, receipts[-1])


def _open(ledger: Path, guards: Guards = NO_GUARDS) -> None:
    """Opens a ledger as every command does."""
    SQLiteLedger(ledger, guards=guards).close()


def _refused(act: Callable[[], object]) -> str:
    """The problem if the action is not refused; empty if it is."""
    return _named(act, "")


def _named(act: Callable[[], object], entry: str) -> str:
    """The same, but the refusal must also name the entry."""
    try:
        act()
    except IntegrityFailed as error:
        return "" if entry in error.message else "it is refused, but the refusal does not name the entry"
    return "it is accepted"


# ------------------------------------------------------------------------------------------------ the ledger


def _damages(id: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Edits of an entry that leave the hashes unchanged."""
    yield "an entry edited", (f"UPDATE entries SET body = replace(body, '{{', '{{ ') WHERE id = {id}",)
    yield "an entry removed", (f"DELETE FROM entries WHERE id = {id}",)
    away, back = 10**6, id + 1
    yield (
        "two entries in another order",
        (
            f"UPDATE entries SET id = {away} WHERE id = {id}",
            f"UPDATE entries SET id = {id} WHERE id = {back}",
            f"UPDATE entries SET id = {back} WHERE id = {away}",
        ),
    )


def _refused_whole(place: _Place, guards: Guards) -> str:
    try:
        with SQLiteLedger(place.copy("whole"), guards=guards) as ledger:
            ledger.verify()
    except IntegrityFailed as error:
        return error.message
    return ""


def _removed_meanwhile(place: _Place, id: int) -> str:
    path = place.copy("open")
    with SQLiteLedger(path) as ledger:
        edit_ledger(path, f"DELETE FROM entries WHERE id = {id}")
        return _named(ledger.verify, f"entry {id} ")


def _rewritten(place: _Place, guards: Guards, id: int) -> str:
    """A rewrite without the key: the old checkpoint no longer fits, or is missing."""
    path = place.copy("rewritten")
    rewrite_ledger(path, lambda number, text: text.replace("{", "{ ", 1) if number == id else text)
    return _refused(lambda: _open(path, guards))


def _without_witness(copy: Copy, place: _Place, guards: Guards) -> str:
    """After a witness was accepted, the ledger must be refused under a catalogue that names none."""
    deployment = copy.deployment
    witnessed = replace(deployment.catalogue, witness=str(place.witness))
    Deployment(witnessed, deployment.tables, copy.ledger).accept("an audit has a witness")
    with SQLiteLedger(place.copy("witnessed"), guards=guards) as ledger:
        return _refused(OpenLedger(ledger, guards, ledger.accepted() or {}, None, signed=True).verified)


def _left_behind(copy: Copy, place: _Place) -> str:
    """After a crash a write-ahead log remains. Opening the ledger must checkpoint it into the file before trusting it."""
    left, alone = place.folder / "left" / "lapcat.ledger", place.folder / "alone" / "lapcat.ledger"
    for folder in (left.parent, alone.parent):
        folder.mkdir()
    for end in ("", "-wal"):
        shutil.copy(f"{place.ledger}{end}", f"{left}{end}")
    with SQLiteLedger(left) as ledger:
        shutil.copy(left, alone)
        head = ledger.head()
    written = None
    with closing(sqlite3.connect(alone)) as connection, suppress(sqlite3.Error):  # it may be empty
        written = connection.execute("SELECT id, hash FROM head").fetchone()
    if head != copy.ledger.head():
        return "its entries are lost"
    return "" if written == head else "it is trusted, but not written into the file"


# ------------------------------------------------------------------------------------------------ receipts


def _forged(receipt: dict[str, object], trusted: tuple[str, ...]) -> str:
    fields = json.loads(json.dumps(receipt))
    try:
        check_receipt(fields, trusted)
    except IntegrityFailed as error:
        return f"the unmodified receipt is refused: {error.message}"
    for field, value in fields.items():
        changed = {**fields, field: value + 1 if isinstance(value, int) else [value]}
        if _refused(partial(check_receipt, changed, trusted)):
            return f"it is accepted with another {field}"
    return ""


def _not_in(path: Path, receipt: dict[str, object]) -> str:
    with SQLiteLedger(path) as ledger:
        return _refused(lambda: check_in_ledger(receipt, ledger.head(), ledger.entry, ledger.answer))


def _unlike(copy: Copy, id: int, receipt: dict[str, object]) -> str:
    """Compares the spending in a receipt with the ledger; nothing was spent since."""
    entry = copy.ledger.entry(id)
    assert entry is not None
    spending = receipt.get("spent")
    by_scope = {amount["scope"]: amount for amount in spending} if isinstance(spending, list) else {}
    for charge in json.loads(entry.text)["charges"]:
        spent = copy.ledger.spent(charge["scope"])
        for kind, amount in (("epsilon", spent.epsilon), ("delta", spent.delta), ("rho", spent.rho)):
            expected = None if amount is None else exact_text(amount)
            if by_scope.get(charge["scope"], {}).get(kind, "nothing") != expected:
                return f"it states a wrong total for a budget that it debited ({kind})"
    return ""
