"""A signed and witnessed ledger, and somebody who forges it with an editor and a calculator."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ledger_kit import ask, finish, own, raw, table

from lapcat.ledger import SQLiteLedger
from lapcat.ledger.chain import GENESIS, entry_hash
from lapcat.ledger.guards import Guards
from lapcat.ledger.signing import Signer, open_signer, publish, read_public
from lapcat.ledger.witness import Witness


@dataclass(frozen=True)
class Place:
    """Where everything lies: the ledger, and elsewhere the key and the witness."""

    folder: Path

    @property
    def ledger(self) -> Path:
        return self.folder / "books" / "lapcat.ledger"

    @property
    def key(self) -> Path:
        return self.folder / "secret" / "key"

    @property
    def public(self) -> Path:
        return self.folder / "books" / "lapcat.pub"

    @property
    def witness(self) -> Path:
        return self.folder / "elsewhere" / "lapcat.witness"

    def signer(self) -> Signer:
        return open_signer(self.key, self.public, self.ledger.parent)

    def guards(self, *, signed: bool = True, witnessed: bool = True) -> Guards:
        signer = self.signer() if signed else None
        if signer is not None and not self.public.exists():
            publish(signer, self.public)
        trusted = read_public(self.public) if signed else ()
        return Guards(signer, trusted, Witness(self.witness) if witnessed else None)

    def open(self, *, signed: bool = True, witnessed: bool = True) -> SQLiteLedger:
        return SQLiteLedger(self.ledger, guards=self.guards(signed=signed, witnessed=witnessed))


def made(folder: Path) -> Place:
    place = Place(folder)
    for file in (place.ledger, place.witness):
        file.parent.mkdir()
    place.witness.touch()
    return place


CELLS = b"lapcat-cells 1 1 1 cryptographic\n"
"""How a stored answer begins."""


def asked(ledger: SQLiteLedger, *questions: str, analyst: str = "ana") -> list[int]:
    """Debits that were answered."""
    ids = []
    for question in questions:
        debit = ledger.debit(ask(question, "0.01", table(), own(analyst, "2"), analyst=analyst))
        if debit.answer is None:
            finish(ledger, debit.id, CELLS + question.encode() * 10)
        ids.append(debit.id)
    return ids


Rows = list[tuple[int, str, str]]
"""Number, kind and body of each entry."""


def forge(path: Path, change: Callable[[Rows], Rows], *, spent: bool = True) -> None:
    """Rewrites a ledger as somebody does who knows how it is made, but has no key: hashes, head, sums and all."""
    connection = raw(str(path))
    rows = [tuple(row) for row in connection.execute("SELECT id, kind, body FROM entries ORDER BY id")]
    forged = change(rows)  # type: ignore[arg-type]
    connection.execute("DELETE FROM entries")
    id, previous = GENESIS
    sums: dict[str, list[int]] = {}
    for id, (_, kind, body) in enumerate(forged, start=1):
        hash = entry_hash(id, kind, body, previous)
        connection.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?)", (id, kind, body, previous, hash))
        previous = hash
        for charge in json.loads(body).get("charges", []):
            amounts = sums.setdefault(charge["scope"], [0, 0, 0])
            for place, name in enumerate(("epsilon", "delta", "rho")):
                amounts[place] += charge[name]
    connection.execute("UPDATE head SET id = ?, hash = ?", (id, previous))
    if spent:
        connection.execute("DELETE FROM spent")
        for scope, amounts in sums.items():
            connection.execute("INSERT INTO spent VALUES (?, ?, ?, ?)", (scope, *amounts))
    connection.close()
