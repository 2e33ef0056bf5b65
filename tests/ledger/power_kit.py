"""What a test of power cuts and failing disks compares: all that a ledger acknowledged, and what is there afterwards."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from disk_shim import Fetched, Operation, Shimmed
from ledger_kit import spent

from lapcat.core.exact import exact
from lapcat.ledger import Entry, SQLiteLedger
from lapcat.ledger.chain import payload_of

NAME = "lapcat.ledger"
FAST = "/dev/shm" if os.path.isdir("/dev/shm") else None
"""Where thousands of commits take no time: durability is shown by a model of a disk, not by a disk."""
PRICE = "0.001"


class Small:
    """A connection whose log is copied into the main file every few pages, so that a short life sees that too."""

    def __init__(self, inner: Shimmed, pages: int) -> None:
        self.inner = inner
        inner.execute(f"PRAGMA wal_autocheckpoint = {pages}")

    @property
    def in_transaction(self) -> bool:
        return self.inner.in_transaction

    def execute(self, sql: str, parameters: Any = (), /) -> Fetched:
        return self.inner.execute(sql, parameters)

    def close(self) -> None:
        self.inner.close()


def lost(folder: Path, operations: Sequence[Operation], book: Sequence[Entry] | None = None) -> str | None:
    """What of all that was acknowledged a process with SQLite's own files no longer finds; None if all is well.

    With `book`, what is there must be the beginning of it.
    """
    facts = [operation[1:] for operation in operations if operation[0] == "acknowledged"]
    with SQLiteLedger(folder / NAME) as ledger:
        entries = list(ledger.entries())
        if book is not None and entries != book[: len(entries)]:
            return "the book is not the beginning of the one that was written"
        if ledger.verify() != len(entries):
            return "entries that verify does not count"
        about = {(entry.kind, payload_of(entry).get("debit")) for entry in entries}
        for fact in facts:
            match fact:
                case "opened", secret:
                    kept = ledger.secret() == secret
                case "debit", id, hash:
                    kept = len(entries) >= id and entries[id - 1].hash == hash
                case "charged", id, analyst:
                    kept = ledger.charged_to(id, analyst) or ("void", id) in about
                case "void", id:
                    kept = ("void", id) in about
                case "looked", id:
                    kept = ("looked", id) in about
                case "answered", id, answer:
                    kept = ledger.answer(id) == answer
                case _:
                    raise AssertionError(fact)
            if not kept:
                return f"lost: {fact[0]}"
        kinds = [entry.kind for entry in entries]
        if spent(ledger) != (kinds.count("debit") - kinds.count("void")) * exact(PRICE):
            return "the sum is not that of the debits"
    return None
