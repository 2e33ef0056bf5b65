"""Whether what proves the spending holds: hashes, signatures, the witness and receipts, against copies that were tampered with.

A ledger of the audit's own, in a file, with a key and a witness: questions are asked of it, copies of the file are edited,
rewritten or taken back, and every one of them must be refused. Where hashes can tell, the entry is named.
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

from lapcat.audit.deployment.asking import in_rho, run_at, that_cost
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
    """Where a book lies, and elsewhere its key and its witness."""

    folder: Path

    @property
    def book(self) -> Path:
        return self.folder / "book" / "lapcat.ledger"

    @property
    def witness(self) -> Path:
        return self.folder / "elsewhere" / "witness"

    def copy(self, name: str) -> Path:
        """The book as it is now, in another place."""
        return copy_ledger(self.book, self.folder / name / "lapcat.ledger")

    def made(self) -> Signer:
        """The folders, an empty witness and a new key."""
        for file in (self.book, self.witness):
            file.parent.mkdir(parents=True)
        self.witness.touch()
        return open_signer(self.folder / "secret" / "key", self.folder / "lapcat.pub", self.book.parent)


def evidence(family: Family, folder: Path) -> Iterator[Check]:
    """A few questions, and what could be done to the book afterwards."""
    place = _Place(folder)
    signer = place.made()
    guards = Guards(signer, (signer.public,), Witness(place.witness))
    with SQLiteLedger(place.book, guards=guards) as ledger:
        copy = copied(family, neighbours_of(family)[0].here, folder / "tables", ledger=ledger)
        try:
            for text, problem in _checked(copy, place, guards):
                yield Check("evidence", "any", "–", copy.engine, PROVED, text, problem)
        finally:
            copy.remove()


def _checked(copy: Copy, place: _Place, guards: Guards) -> Iterator[tuple[str, str]]:
    """What was done, and what is wrong."""
    texts = that_cost(copy, sums_of(copy.family, 0), PRICE, QUESTIONS)
    if not texts:
        return
    receipts, unseen = [], ""
    older = place.copy("older")
    for text in texts:
        receipts.append(run_at(copy.session(), text, PRICE, rho=in_rho(copy)).receipt.as_json())
        if Witness(place.witness).read().last != copy.ledger.head():
            unseen = "an answer left before the witness had seen its entry"
    copy.ledger.checkpoint()
    first, last = (int(str(receipt["id"])) for receipt in (receipts[0], receipts[-1]))
    yield "every answer is witnessed before it leaves", unseen
    yield "the book as it was written", _refused_whole(place, guards)
    for what, statements in _damages(first):
        damaged = place.copy(what)
        edit_ledger(damaged, *statements)
        yield f"{what}, and the book is opened", _named(partial(_open, damaged), f"entry {first} ")
    yield "an entry removed from a book that is open", _removed_meanwhile(place, first)
    yield "a book rewritten with all its hashes", _rewritten(place, replace(guards, witness=None), first)
    yield (
        "an older copy in the place of the book",
        _refused(lambda: _open(older, Guards(witness=guards.witness))),
    )
    yield "a book whose witness is left out", _without_witness(copy, place, guards)
    yield "a log that was left behind", _left_behind(copy, place)
    yield "a receipt, as it is and with each of its fields changed", _forged(receipts[-1], guards.trusted)
    yield "a receipt against an older book", _not_in(older, receipts[-1])
    yield "what a receipt says was spent", _unlike(copy, last, receipts[-1])


def _open(book: Path, guards: Guards = NO_GUARDS) -> None:
    """As every command does."""
    SQLiteLedger(book, guards=guards).close()


def _refused(act: Callable[[], object]) -> str:
    """Why it should have been refused; empty where it was."""
    return _named(act, "")


def _named(act: Callable[[], object], entry: str) -> str:
    """The same; the refusal must also name the entry."""
    try:
        act()
    except IntegrityFailed as error:
        return "" if entry in error.message else "it is refused, but the entry is not named"
    return "it passes for the book that was written"


# ------------------------------------------------------------------------------------------------ the book


def _damages(id: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What somebody does to an entry who has an editor alone."""
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
    book = place.copy("open")
    with SQLiteLedger(book) as ledger:
        edit_ledger(book, f"DELETE FROM entries WHERE id = {id}")
        return _named(ledger.verify, f"entry {id} ")


def _rewritten(place: _Place, guards: Guards, id: int) -> str:
    """By somebody who has no key: the checkpoint that lies above stays as it was, or would be missing."""
    book = place.copy("rewritten")
    rewrite_ledger(book, lambda number, text: text.replace("{", "{ ", 1) if number == id else text)
    return _refused(lambda: _open(book, guards))


def _without_witness(copy: Copy, place: _Place, guards: Guards) -> str:
    """Where a witness was accepted, a book is not whole for a catalogue that names none."""
    deployment = copy.deployment
    witnessed = replace(deployment.catalogue, witness=str(place.witness))
    Deployment(witnessed, deployment.tables, copy.ledger).accept("an audit has a witness")
    with SQLiteLedger(place.copy("witnessed"), guards=guards) as ledger:
        return _refused(OpenLedger(ledger, guards, ledger.accepted() or {}, None, signed=True).verified)


def _left_behind(copy: Copy, place: _Place) -> str:
    """What a crash leaves: a log beside the file. Whoever opens it may not believe it before it is written into the file."""
    left, alone = place.folder / "left" / "lapcat.ledger", place.folder / "alone" / "lapcat.ledger"
    for folder in (left.parent, alone.parent):
        folder.mkdir()
    for end in ("", "-wal"):
        shutil.copy(f"{place.book}{end}", f"{left}{end}")
    with SQLiteLedger(left) as ledger:
        shutil.copy(left, alone)
        found = ledger.head()
    written = None
    with closing(sqlite3.connect(alone)) as connection, suppress(sqlite3.Error):  # there may be nothing in it
        written = connection.execute("SELECT id, hash FROM head").fetchone()
    if found != copy.ledger.head():
        return "what was in it is gone"
    return "" if written == found else "it is believed, and not written into the file"


# ------------------------------------------------------------------------------------------------ receipts


def _forged(receipt: dict[str, object], trusted: tuple[str, ...]) -> str:
    told = json.loads(json.dumps(receipt))
    try:
        check_receipt(told, trusted)
    except IntegrityFailed as error:
        return f"it does not pass as it is: {error.message}"
    for field, said in told.items():
        changed = {**told, field: said + 1 if isinstance(said, int) else [said]}
        if _refused(partial(check_receipt, changed, trusted)):
            return f"it passes with another {field}"
    return ""


def _not_in(book: Path, receipt: dict[str, object]) -> str:
    with SQLiteLedger(book) as ledger:
        return _refused(lambda: check_in_ledger(receipt, ledger.head(), ledger.entry, ledger.answer))


def _unlike(copy: Copy, id: int, receipt: dict[str, object]) -> str:
    """What each budget that was debited had spent by then: nothing has been spent since."""
    entry = copy.ledger.entry(id)
    assert entry is not None
    told = receipt.get("spent")
    said = {one["scope"]: one for one in told} if isinstance(told, list) else {}
    for charge in json.loads(entry.text)["charges"]:
        spent = copy.ledger.spent(charge["scope"])
        for kind, amount in (("epsilon", spent.epsilon), ("delta", spent.delta), ("rho", spent.rho)):
            expected = None if amount is None else exact_text(amount)
            if said.get(charge["scope"], {}).get(kind, "nothing") != expected:
                return f"it does not say what was spent, by then, of a budget that it debited ({kind})"
    return ""
