"""The ledger in one SQLite file (or in memory, for as long as the process lives)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

from lapcat.core.event import Event
from lapcat.errors import BadArgument, Bug
from lapcat.ledger.base import Charge, Debit, Entry, Holding, Request, Spent, State, amounts_of
from lapcat.ledger.bodies import answered_body, debit_body, read_debit, share_body
from lapcat.ledger.chain import GENESIS, body_of, check_link, damaged, unsound
from lapcat.ledger.filters import refusal
from lapcat.ledger.quanta import Quanta, cost_of, epsilon_up
from lapcat.ledger.replay import Replay
from lapcat.ledger.sqlite.connection import Connection, connect
from lapcat.ledger.sqlite.entries import ENTRY, one_entry, read_entry, read_head
from lapcat.ledger.sqlite.opening import MEMORY
from lapcat.ledger.sqlite.rows import (
    as_debit,
    charge_scopes,
    compare,
    find_holdings,
    find_stored,
    is_charged_to,
    is_paused,
    own_caps,
    refuse_paused,
    share_cost,
    spent_by_scope,
    spent_from,
    state_of,
    version_of,
)
from lapcat.ledger.sqlite.store import SQLiteStore, Transaction

PAGE = 500  # entries read at once, so that a reader never holds the file for long


def now() -> datetime:
    return datetime.now(UTC)


class SQLiteLedger:
    """A ledger that survives the process, if it has a file. Thread-safe, fork-safe, and safe between processes.

    `connect`, `clock` and `wait` (seconds for which a locked file is waited for) are for tests; the clock is written
    into entries and never decides anything.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] = MEMORY,
        *,
        connect: Callable[[str], Connection] = connect,
        clock: Callable[[], datetime] = now,
        wait: float = 10.0,
    ) -> None:
        self._store = SQLiteStore(path, connect, wait)
        self._clock = clock

    @property
    def path(self) -> str:
        return self._store.path

    @property
    def lasts(self) -> bool:
        """Whether it survives the process."""
        return not self._store.in_memory

    def __repr__(self) -> str:
        return f"SQLiteLedger({self.path!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._store.close()

    # --- pay, look, blur --------------------------------------------------------------------------------------

    def debit(self, request: Request) -> Debit:
        """One durable payment for all scopes, or the stored one of the same question; or nothing and an error."""
        cost = cost_of(request.event)
        with self._store.writing() as transaction:
            connection = transaction.connection
            refuse_paused(connection, request.tables, request.charges)
            stored = find_stored(
                connection, request.question, request.event, request.analyst, request.charges
            )
            if stored is not None:
                if request.analyst is not None and not stored.charged:
                    cost = cost_of(stored.body.event)
                    self._share(transaction, stored.id, cost, request.analyst, request.charges)
                return as_debit(connection, stored)
            spent = spent_by_scope(connection, request.charges)
            refused = refusal(request.charges, cost, spent)
            if refused is not None:
                raise refused
            entry = transaction.append("debit", debit_body(request, cost, self._time()))
            connection.execute(
                "INSERT INTO debits (id, question, epsilon, state) VALUES (?, ?, ?, ?)",
                (
                    entry.id,
                    request.question,
                    epsilon_up(amounts_of(request.event)[0]),
                    State.DEBITED.value,
                ),
            )
            charge_scopes(connection, entry.id, request.analyst, spent, cost)
            for statistic in () if request.content is None else dict.fromkeys(request.content.statistics):
                connection.execute("INSERT INTO holdings VALUES (?, ?)", (statistic, entry.id))
            body = read_debit(entry)  # what every repeat will be given, so that the first receipt is the same
        return Debit(entry.id, entry.hash, body.event, body.memo, None, free=False)

    def looked(self, debit_id: int) -> None:
        """From here on the engine may have read rows. Said once; a retry under the same debit says nothing new."""
        with self._store.writing() as transaction:
            state, _ = state_of(transaction.connection, debit_id)
            if state is State.DEBITED:
                transaction.append("looked", {"debit": debit_id})
                transaction.connection.execute(
                    "UPDATE debits SET state = ? WHERE id = ?", (State.LOOKED.value, debit_id)
                )

    def answered(self, debit_id: int, answer: bytes) -> bytes:
        """Stores the answer unless there is one, and returns the one that is stored: the first writer wins."""
        with self._store.writing() as transaction:
            state, stored = state_of(transaction.connection, debit_id)
            if stored is not None:
                return stored
            if state is not State.LOOKED:
                raise Bug("ledger-order", f"debit {debit_id} has an answer, but nobody looked")
            transaction.append("answered", answered_body(debit_id, answer))
            transaction.connection.execute(
                "UPDATE debits SET state = ?, answer = ? WHERE id = ?",
                (State.ANSWERED.value, answer, debit_id),
            )
        return answer

    def failed(self, debit_id: int) -> None:
        """Counts a failure against the tables of a debit. The debit stands: a refund would tell that it failed."""
        with self._store.writing() as transaction:
            connection = transaction.connection
            state_of(connection, debit_id)
            tables = read_debit(one_entry(connection, debit_id)).tables
            transaction.append("failed", {"debit": debit_id})
            for table in tables:
                connection.execute(
                    "INSERT INTO failures (scope, count) VALUES (?, 1) "
                    "ON CONFLICT (scope) DO UPDATE SET count = count + 1",
                    (table,),
                )

    def share(
        self,
        debit_ids: Sequence[int],
        analyst: str | None,
        charges: Sequence[Charge],
        tables: Sequence[str],
    ) -> bool:
        """Charges stored answers to an analyst's own caps, each once and all or none; whether it charged anything."""
        with self._store.writing() as transaction:
            refuse_paused(transaction.connection, tables, charges)
            if analyst is None:
                return False
            costs, refused = share_cost(transaction.connection, debit_ids, analyst, charges)
            if refused is not None:
                raise refused
            for id, cost in costs.items():
                self._share(transaction, id, cost, analyst, charges)
        return bool(costs)

    def _share(
        self, transaction: Transaction, debit_id: int, cost: Quanta, analyst: str, charges: Sequence[Charge]
    ) -> None:
        own = own_caps(charges)
        transaction.append("share", share_body(debit_id, analyst, own, cost, self._time()))
        charge_scopes(
            transaction.connection, debit_id, analyst, spent_by_scope(transaction.connection, own), cost
        )

    # --- questions about the ledger ---------------------------------------------------------------------------

    def find(
        self, question: str, event: Event, analyst: str | None = None, charges: Sequence[Charge] = ()
    ) -> Debit | None:
        """What `debit` would return without charging the tables; None where it would charge them. Charges nothing."""
        with self._store.reading() as connection:
            stored = find_stored(connection, question, event, analyst, charges)
            return None if stored is None else as_debit(connection, stored)

    def holding(self, statistics: Sequence[str], analyst: str | None = None) -> list[Holding]:
        """The stored answers that hold any of these statistics, oldest first. Charges nothing."""
        with self._store.reading() as connection:
            return find_holdings(connection, statistics, analyst)

    def affordable(self, debit_ids: Sequence[int], analyst: str | None, charges: Sequence[Charge]) -> bool:
        """Whether `share` would be within the analyst's caps."""
        if analyst is None:
            return True
        with self._store.reading() as connection:
            return share_cost(connection, debit_ids, analyst, charges)[1] is None

    def answer(self, debit_id: int) -> bytes | None:
        """What was released under a debit, if it was."""
        with self._store.reading() as connection:
            return state_of(connection, debit_id)[1]

    def charged_to(self, debit_id: int, analyst: str) -> bool:
        """Whether this analyst has paid, by the debit or by a share of it, for what it released."""
        with self._store.reading() as connection:
            return is_charged_to(connection, debit_id, analyst)

    def spent(self, scope: str) -> Spent:
        with self._store.reading() as connection:
            return Spent.of(spent_from(connection, scope))

    def paused(self, table: str) -> bool:
        with self._store.reading() as connection:
            return is_paused(connection, table)

    def entries(self) -> Iterator[Entry]:
        """The book, oldest first."""
        last = 0
        while True:
            with self._store.reading() as connection:
                rows = connection.execute(
                    f"{ENTRY} WHERE id > ? ORDER BY id LIMIT ?", (last, PAGE)
                ).fetchall()
            if not rows:
                return
            yield from map(read_entry, rows)
            last = rows[-1][0]

    def verify(self) -> int:
        """Checks the whole chain and derives every table again; returns the number of entries, or raises."""
        with self._store.reading() as connection:
            head, replay = GENESIS, Replay()
            for row in connection.execute(f"{ENTRY} ORDER BY id"):
                entry = read_entry(row)
                head = check_link(head, entry)
                replay.apply(entry)
            if read_head(connection) != head:
                raise damaged(head[0], "is not the one that was written last")
            compare(connection, replay)
            if connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
                raise unsound("the entries of the ledger are whole, but the file around them is not")
            return head[0]

    # --- what the steward declares ----------------------------------------------------------------------------

    def accepted(self) -> dict[str, object] | None:
        """The facts of the catalogue that were accepted last."""
        with self._store.reading() as connection:
            last = connection.execute("SELECT max(id) FROM entries WHERE kind = 'accept'").fetchone()[0]
            if last is None:
                return None
            entry = one_entry(connection, last)
        match body_of(entry):
            case {"facts": dict(facts)}:
                return facts
        raise damaged(entry.id, "is not an acceptance that lapcat wrote")

    def accept(self, facts: Mapping[str, object], reason: str) -> int:
        body = {"facts": dict(facts), "reason": _said(reason, "accept"), "time": self._time()}
        with self._store.writing() as transaction:
            return transaction.append("accept", body).id

    def version(self, source: str) -> int:
        """The declared version of a source; 0 if it was never refreshed."""
        with self._store.reading() as connection:
            return version_of(connection, source)

    def refreshed(self, source: str, memo: Mapping[str, object]) -> int:
        """Declares the next version. The memo is public: no digest, size, time or row count of the data."""
        with self._store.writing() as transaction:
            version = version_of(transaction.connection, source) + 1
            transaction.append("refresh", {"source": source, "version": version, "memo": dict(memo)})
            transaction.connection.execute(
                "INSERT INTO versions (source, version) VALUES (?, ?) "
                "ON CONFLICT (source) DO UPDATE SET version = excluded.version",
                (source, version),
            )
            return version

    def resume(self, table: str, reason: str) -> int:
        """Lets a table that paused after failures be asked again."""
        body = {"table": table, "reason": _said(reason, "resume TABLE"), "time": self._time()}
        with self._store.writing() as transaction:
            transaction.connection.execute(
                "INSERT INTO failures (scope, count) VALUES (?, 0) ON CONFLICT (scope) DO UPDATE SET count = 0",
                (table,),
            )
            return transaction.append("resume", body).id

    def secret(self) -> bytes:
        """The key of the contribution index: 32 random bytes, made when the ledger was."""
        with self._store.reading() as connection:
            return bytes(connection.execute("SELECT value FROM secret").fetchone()[0])

    def _time(self) -> str:
        return self._clock().astimezone(UTC).isoformat(timespec="seconds")


def _said(reason: str, command: str) -> str:
    if not reason.strip():
        raise BadArgument(
            "reason-missing",
            f"{command.split()[0]} needs a reason, which stays in the ledger",
            fix=f'lapcat {command} --reason "why"',
        )
    return reason
