"""The check at every opening of a ledger: every hash, the sums spent, the checkpoints and the recent lines of the witness.

One pass over the entries: about a second for a hundred thousand. `verify` also checks the other derived tables (states,
answers, receivers, versions) and the older lines of the witness.
"""

from __future__ import annotations

from json import JSONDecoder

from lapcat.ledger.base import Entry
from lapcat.ledger.chain import GENESIS, Head, check_link, damaged, entry_hash, payload_of, unsound
from lapcat.ledger.checkpoints import KIND, Watch
from lapcat.ledger.entries import ENTRY, hash_of, read_entry, read_head
from lapcat.ledger.fixed_point import LARGEST
from lapcat.ledger.guards import Guards
from lapcat.ledger.store import Connection
from lapcat.ledger.witness import Testimony

_CHARGES = '"charges":'
_read_json = JSONDecoder().raw_decode

Amounts = tuple[int | None, int, int | None]
"""Quanta of epsilon, delta and rho. A plain tuple, for speed."""


def check_integrity(connection: Connection, guards: Guards, testimony: Testimony | None) -> Head:
    """The head of an intact ledger; raises, naming the entry, if it is damaged. `testimony`: read from the witness before."""
    head, watch, sums = GENESIS, Watch(guards.trusted), SpentSums()
    for row in connection.execute(f"{ENTRY} ORDER BY id"):
        try:
            kind, text, previous, hash = (
                row[1].decode(),
                row[2].decode(),
                row[3].decode(),
                row[4].decode(),
            )
        except (UnicodeDecodeError, AttributeError):
            kind = text = previous = hash = ""
        id = row[0]
        if id != head[0] + 1 or previous != head[1] or entry_hash(id, kind, text, previous) != hash:
            check_link(head, read_entry(row))  # finds out what is wrong with it
            raise damaged(head[0] + 1, "is not what was written")
        if kind == KIND:
            watch.see(Entry(id, kind, text, previous, hash))
        elif kind in ("debit", "share", "void"):
            sums.add(Entry(id, kind, text, previous, hash))
        head = id, hash
    if read_head(connection) != head:
        raise damaged(head[0], "is not the one that was written last")
    watch.end(head)
    sums.compare(connection)
    if guards.witness is not None and testimony is not None:
        guards.witness.check(testimony, head, lambda id: hash_of(connection, id))
    return head


class SpentSums:
    """The amounts spent from each scope, summed from the charges alone."""

    def __init__(self) -> None:
        self.spent: dict[str, Amounts] = {}
        self.paid: dict[int, list[tuple[str, Amounts]]] = {}
        """Debit → the scopes charged for it, and the amounts."""

    def add(self, entry: Entry) -> None:
        debit = entry.id if entry.kind == "debit" else _debit(entry)
        if entry.kind == "void":
            for scope, cost in self.paid.pop(debit, []):
                self.spent[scope] = _plus(self.spent[scope], cost, -1)
            return
        paid = self.paid.setdefault(debit, [])
        try:
            # Canonical JSON escapes quotes inside strings, so this matches the key and nothing else.
            charges, _ = _read_json(entry.text, entry.text.index(_CHARGES) + len(_CHARGES))
            for charge in charges:
                scope, cost = charge["scope"], (charge["epsilon"], charge["delta"], charge["rho"])
                self.spent[scope] = _plus(self.spent.get(scope, (0, 0, 0)), cost, 1)
                paid.append((scope, cost))
        except (ValueError, TypeError, KeyError):
            raise damaged(entry.id, "has a charge that lapcat did not write") from None

    def compare(self, connection: Connection) -> None:
        rows = connection.execute("SELECT scope, epsilon, delta, rho FROM spent")
        kept = {row[0]: tuple(row[1:]) for row in rows}
        for scope in sorted(kept.keys() | self.spent.keys(), key=str):
            if kept.get(scope) != self.spent.get(scope):
                raise unsound(f"the amount spent from {scope} does not follow from the entries of the ledger")


def _plus(before: Amounts, cost: Amounts, sign: int) -> Amounts:
    """Adds or subtracts as fixed_point.py does: an unknown amount stays unknown, and so does a rho that does not fit."""
    epsilon = None if before[0] is None or cost[0] is None else before[0] + sign * cost[0]
    rho = None if before[2] is None or cost[2] is None else before[2] + sign * cost[2]
    return epsilon, before[1] + sign * cost[1], None if rho is None or rho > LARGEST else rho


def _debit(entry: Entry) -> int:
    match payload_of(entry):
        case {"debit": int(id)}:
            return id
    raise damaged(entry.id, "does not say which debit it is about")
