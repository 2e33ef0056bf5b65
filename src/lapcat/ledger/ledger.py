"""The ledger over any store: every method is one work in a durable transaction, or one consistent read."""

from __future__ import annotations

import atexit
import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from datetime import UTC, datetime
from types import TracebackType
from typing import Self, TypeVar

from lapcat.core.event import Event
from lapcat.errors import BadArgument, Bug, EngineFailed, Error, Refused
from lapcat.ledger.base import (
    CachedAnswer,
    Charge,
    Debit,
    DebitState,
    Entry,
    IdempotencyKey,
    Request,
    Reservation,
    Spent,
)
from lapcat.ledger.chain import GENESIS, Head, canonical, check_link, damaged
from lapcat.ledger.checkpoints import KIND, Watch, checkpoint_payload, is_due
from lapcat.ledger.entries import ENTRY, hash_of, one_entry, read_entry, read_head
from lapcat.ledger.filters import refusal
from lapcat.ledger.fixed_point import FixedPointAmounts
from lapcat.ledger.guards import Guards, Verified
from lapcat.ledger.integrity_check import check_integrity
from lapcat.ledger.pauses import (
    count_failure,
    failed_analysts,
    failures_of,
    forget_failures,
    forget_failures_of,
    refuse_paused,
    why_paused,
    why_paused_for,
)
from lapcat.ledger.payload_codec import Draft, answered_payload, key_payload, read_debit, share_text
from lapcat.ledger.prices import price_of
from lapcat.ledger.replay import Replay
from lapcat.ledger.rows import (
    as_debit,
    compare,
    find_cached_answers,
    find_keyed,
    find_stored,
    is_charged_to,
    is_kept,
    last_acceptance,
    next_version,
    own_caps,
    refuse_outdated,
    reservations,
    share_cost,
    spent_from,
    state_of,
    version_memo,
    version_of,
    void_scopes,
)
from lapcat.ledger.signing import Signer
from lapcat.ledger.store import Store
from lapcat.ledger.transaction import Transaction
from lapcat.ledger.witness import RECENT, Begun, Witness

T = TypeVar("T")
PAGE = 500  # entries read at once, so that a reader never holds the store for long


def now() -> datetime:
    return datetime.now(UTC)


class SQLLedger:
    """A ledger, as durable as its store and as safe between threads, forks and processes.

    Opening it checks the whole ledger (integrity_check.py). The clock is a parameter for tests; its time is written into
    entries and decides nothing.
    """

    def __init__(
        self, store: Store, clock: Callable[[], datetime] = now, guards: Guards | None = None
    ) -> None:
        self._store = store
        self._clock = clock
        self._guards = guards if guards is not None else Guards()
        self._returned: set[int] = set()
        self._noting = threading.Lock()
        try:
            self.note = self._checked()
        except BaseException:
            store.close()
            raise

    def _checked(self) -> str | None:
        """Checks the whole ledger and attaches the witness; returns its note for the steward."""
        witness = self._guards.witness
        testimony = witness.read(RECENT) if witness is not None else None
        with self._store.reading() as connection:
            head = check_integrity(connection, self._guards, testimony)
        if witness is None or testimony is None or self._store.reads_only:
            return None
        return witness.attend(testimony, self.begun(head=head))

    def begun(self, reason: str | None = None, head: Head | None = None, before: Head = GENESIS) -> Begun:
        """The line of a witness that starts at the current head of this ledger."""
        return Begun(head or self.head(), self.identity, self.place, reason, self._time(), before)

    @property
    def identity(self) -> str:
        """Identifies this ledger without revealing its secret."""
        return hashlib.sha256(b"witness of " + self.secret()).hexdigest()[:32]

    @property
    def place(self) -> str:
        return self._store.place

    @property
    def lasts(self) -> bool:
        """Whether it survives the process."""
        return self._store.lasts

    @property
    def witness(self) -> Witness | None:
        return self._guards.witness

    @property
    def signer(self) -> Signer | None:
        return self._guards.signer

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.place!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        _UNNOTED.discard(self)
        with suppress(Error):  # an answer that was returned stays ANSWERED, which is safe
            if self._returned:
                self._write(lambda transaction: None)
        self._store.close()

    def _write(self, work: Callable[[Transaction], T], question: str | None = None) -> T:
        """Does the work durably, first recording the answers returned since the last entry. Returns nothing before the witness,
        if there is one, has seen the new head."""
        with self._noting:
            returned = sorted(self._returned)

        def noted(transaction: Transaction) -> tuple[T, Head]:
            before = transaction.head
            for id in returned:
                if state_of(transaction.about(id), id)[0] is DebitState.ANSWERED:
                    transaction.append("released", {"debit": id})
                    _set_state(transaction, id, DebitState.RELEASED)
            result = work(transaction)
            signer = self._guards.signer
            if signer is not None and is_due(before, transaction.head):
                transaction.append(KIND, checkpoint_payload(transaction.head, signer))
            return result, transaction.head

        result, head = self._store.write(noted, question)
        with self._noting:
            self._returned.difference_update(returned)
            if not self._returned:
                _UNNOTED.discard(self)
        if self._guards.witness is not None:
            self._guards.witness.settle(max(head, self._store.newest))  # once per group commit
        return result

    def checkpoint(self) -> None:
        """Signs the current head. An empty ledger needs no checkpoint."""
        signer = self._guards.signer
        if signer is None:
            raise Bug("ledger-unsigned", "a ledger without a key cannot be signed")

        def work(transaction: Transaction) -> None:
            if transaction.head != GENESIS:
                transaction.append(KIND, checkpoint_payload(transaction.head, signer))

        self._write(work)

    # --- debit, execute, add noise ----------------------------------------------------------------------------

    def debit(self, request: Request) -> Debit:
        """A durable debit of all scopes, or the stored debit of the same question; otherwise an error and no debit."""
        draft = Draft(request, self._time())
        return self._write(lambda transaction: self._debit(transaction, draft), request.question)

    def _debit(self, transaction: Transaction, draft: Draft) -> Debit:
        request = draft.request
        refuse_outdated(transaction.known, request.accepted)
        refuse_paused(transaction.known, request.tables, request.charges, request.analyst)
        key = request.key and (request.analyst or "", request.key.name)
        if request.key is not None and is_kept(transaction.about(key), request.key, request.analyst):
            kept = find_keyed(transaction.connection, request.key, request.analyst)
            if kept is not None:
                return kept
        debit = self._stored(transaction, draft) or self._new(transaction, draft)
        if request.key is not None:
            transaction.append("key", key_payload(debit.id, request.key, request.analyst))
            name = request.key.name
            transaction.insert("keys", (request.analyst or "", name, request.key.asks, debit.id), key)
        return debit

    def _stored(self, transaction: Transaction, draft: Draft) -> Debit | None:
        request = draft.request
        if transaction.is_new(request.question):
            return None
        connection = transaction.connection
        stored = find_stored(connection, request.question, request.event, request.analyst, request.charges)
        if stored is None:
            return None
        if request.analyst is not None and not stored.charged:
            cost = price_of(stored.body.event).cost
            self._share(transaction, stored.id, cost, request.analyst, request.charges)
        return as_debit(connection, stored)

    def _new(self, transaction: Transaction, draft: Draft) -> Debit:
        request, price = draft.request, draft.price
        spent = transaction.spent(request.charges)
        refused = refusal(request.charges, price.cost, spent)
        if refused is not None:
            raise refused
        after = {scope: before + price.cost for scope, before in spent.items()}
        entry = transaction.append_text("debit", draft.text(after))
        row = (entry.id, request.question, price.epsilon, DebitState.DEBITED.value)
        transaction.insert("debits", row, about=request.question)
        _charge(transaction, entry.id, request.analyst, after)
        for statistic in () if request.content is None else request.content.held:
            transaction.insert("holdings", (statistic, entry.id))
        memo = json.loads(draft.memo)  # as every repeat reads it, so that the first receipt is identical
        return Debit(entry.id, entry.hash, request.event, memo, None, free=False)

    def keyed(self, key: IdempotencyKey, analyst: str | None = None) -> Debit | None:
        """The debit made or found earlier under this key; refused if the key was used for another request."""
        with self._store.reading() as connection:
            return find_keyed(connection, key, analyst)

    def executing(self, debit_id: int) -> None:
        """Records that the engine may read rows from now on. Written once per debit; a retry writes nothing."""

        def work(transaction: Transaction) -> None:
            state, _ = state_of(transaction.about(debit_id), debit_id)
            if state is DebitState.VOIDED:
                raise Refused(
                    "debit-voided",
                    f"the steward voided debit {debit_id} before the query executed",
                    why="a voided debit is not answered; nothing was read",
                    fix="ask the question again: it is charged as a new one",
                )
            if state is DebitState.DEBITED:
                transaction.append("looked", {"debit": debit_id})
                _set_state(transaction, debit_id, DebitState.LOOKED)

        self._write(work)

    def answered(self, debit_id: int, answer: bytes) -> bytes:
        """Stores the answer unless one exists; returns the stored one: the first writer wins."""

        def work(transaction: Transaction) -> bytes:
            state, stored = state_of(transaction.about(debit_id), debit_id)
            if stored is not None:
                return stored
            if state is not DebitState.LOOKED and not (
                state is DebitState.DEBITED and _costs_nothing(transaction, debit_id)
            ):
                raise Bug("ledger-order", f"debit {debit_id} has an answer, but was never executed")
            transaction.append_text("answered", body)
            transaction.update(
                "UPDATE debits SET state = ?, answer = ? WHERE id = ?",
                (DebitState.ANSWERED.value, answer, debit_id),
                about=debit_id,
            )
            return answer

        body = canonical(answered_payload(debit_id, answer))
        return self._write(work)

    def released(self, debit_id: int) -> None:
        """Notes that the answer was returned; written with the next entry, or when the ledger is closed.

        By then the answer is stored and charged, so losing the note in a crash is harmless.
        """
        with self._noting:
            self._returned.add(debit_id)
            _UNNOTED.add(self)

    def failed(self, debit_id: int, analyst: str | None = None) -> None:
        """Counts a failure of `analyst` on the tables of a debit, which another analyst may have made. The debit stands: a refund
        would reveal the failure."""

        def work(transaction: Transaction) -> None:
            connection = transaction.connection
            state_of(connection, debit_id)
            tables = read_debit(one_entry(connection, debit_id)).tables
            transaction.append("failed", {"debit": debit_id, "analyst": analyst})
            for table in tables:
                count_failure(connection, table, analyst)

        self._write(work)

    def share(
        self,
        debit_ids: Sequence[int],
        analyst: str | None,
        charges: Sequence[Charge],
        tables: Sequence[str],
        accepted: int | None = None,
    ) -> bool:
        """Charges stored answers to an analyst's own caps, each once, all or none. Returns whether anything was charged."""

        def work(transaction: Transaction) -> bool:
            refuse_outdated(transaction.connection, accepted)
            refuse_paused(transaction.connection, tables, charges, analyst)
            if analyst is None:
                return False
            costs, refused = share_cost(transaction.connection, debit_ids, analyst, charges)
            if refused is not None:
                raise refused
            for id, cost in costs.items():
                self._share(transaction, id, cost, analyst, charges)
            return bool(costs)

        return self._write(work)

    def _share(
        self,
        transaction: Transaction,
        debit_id: int,
        cost: FixedPointAmounts,
        analyst: str,
        charges: Sequence[Charge],
    ) -> None:
        own = own_caps(charges)
        after = {scope: before + cost for scope, before in transaction.spent(own).items()}
        transaction.append_text("share", share_text(debit_id, analyst, own, cost, after, self._time()))
        _charge(transaction, debit_id, analyst, after)

    # --- reading ----------------------------------------------------------------------------------------------

    def find(
        self, question: str, event: Event, analyst: str | None = None, charges: Sequence[Charge] = ()
    ) -> Debit | None:
        """The debit that `debit` would return without charging the tables, or None if it would charge them. Charges nothing."""
        with self._store.reading() as connection:
            stored = find_stored(connection, question, event, analyst, charges)
            return None if stored is None else as_debit(connection, stored)

    def find_cached_answers(
        self, statistics: Sequence[str], analyst: str | None = None
    ) -> list[CachedAnswer]:
        """The stored answers that hold any of these statistics, oldest first. Charges nothing."""
        with self._store.reading() as connection:
            return find_cached_answers(connection, statistics, analyst)

    def affordable(self, debit_ids: Sequence[int], analyst: str | None, charges: Sequence[Charge]) -> bool:
        """Whether `share` would be within the analyst's caps."""
        if analyst is None:
            return True
        with self._store.reading() as connection:
            return share_cost(connection, debit_ids, analyst, charges)[1] is None

    def answer(self, debit_id: int) -> bytes | None:
        """The answer released under a debit, if any."""
        with self._store.reading() as connection:
            return state_of(connection, debit_id)[1]

    def charged_to(self, debit_id: int, analyst: str) -> bool:
        """Whether this analyst was charged for the debit's answer, by the debit or by a share."""
        with self._store.reading() as connection:
            return is_charged_to(connection, debit_id, analyst)

    def spent(self, scope: str) -> Spent:
        with self._store.reading() as connection:
            return Spent.of(spent_from(connection, scope))

    def scopes(self) -> list[str]:
        """Every scope that was ever charged."""
        with self._store.reading() as connection:
            return [str(row[0]) for row in connection.execute("SELECT scope FROM spent ORDER BY scope")]

    def paused(self, table: str) -> bool:
        """Whether a table is paused for everybody."""
        with self._store.reading() as connection:
            return why_paused(connection, table) is not None

    def why_paused(self, table: str, analyst: str | None = None) -> str | None:
        """Why a table is paused for an analyst, phrased to follow "is paused"; None if it is not."""
        with self._store.reading() as connection:
            return why_paused_for(connection, table, analyst)

    def failures(self, table: str) -> int:
        """Number of analysts who have failed on a table since they, or it, were last resumed. For the steward only."""
        with self._store.reading() as connection:
            return failures_of(connection, table)

    def failed_analysts(self, table: str) -> list[str | None]:
        """The analysts paused on a table by a failure; None stands for unnamed ones. For the steward only."""
        with self._store.reading() as connection:
            return failed_analysts(connection, table)

    def paid(self, debit_id: int) -> tuple[Entry, bytes]:
        """The entry and the answer of an answered debit: the contents of a receipt."""
        with self._store.reading() as connection:
            answer = state_of(connection, debit_id)[1]
            if answer is None:
                raise Bug("answer-format", f"debit {debit_id} has no answer")
            return one_entry(connection, debit_id), answer

    def entry(self, id: int) -> Entry | None:
        """The entry with this id, if it exists."""
        with self._store.reading() as connection:
            return one_entry(connection, id) if id <= read_head(connection)[0] else None

    def head(self) -> Head:
        """Id and hash of the last entry."""
        with self._store.reading() as connection:
            return read_head(connection)

    def entries(self) -> Iterator[Entry]:
        """All entries, oldest first."""
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
        """Checks the whole chain and rebuilds every derived table; returns the number of entries, or raises."""
        return self.verified().entries

    def verified(self) -> Verified:
        """The result of a full verification, including the checkpoints of trusted keys and the whole witness."""
        witness = self._guards.witness
        testimony = witness.read() if witness is not None else None
        with self._store.reading() as connection:
            head, replay, watch = GENESIS, Replay(), Watch(self._guards.trusted)
            for row in connection.execute(f"{ENTRY} ORDER BY id"):
                entry = read_entry(row)
                head = check_link(head, entry)
                replay.apply(entry)
                watch.see(entry)
            if read_head(connection) != head:
                raise damaged(head[0], "is not the one that was written last")
            watch.end(head)
            compare(connection, replay)
            if witness is not None and testimony is not None:
                witness.check(testimony, head, lambda id: hash_of(connection, id))
        self._store.check()
        return Verified(head[0], watch.many, watch.last, testimony)

    # --- the steward's acts -----------------------------------------------------------------------------------

    def accepted(self) -> dict[str, object] | None:
        """The catalogue facts accepted last."""
        acceptance = self.acceptance()
        return None if acceptance is None else acceptance[1]

    def acceptance(self) -> tuple[int, dict[str, object]] | None:
        """The entry id and the facts of the last acceptance."""
        with self._store.reading() as connection:
            return last_acceptance(connection)

    def accept(self, facts: Mapping[str, object], reason: str) -> int:
        """Appends these facts unless they equal the ones accepted last; returns the id of the entry that holds them."""
        body = {"facts": dict(facts), "reason": require_reason(reason, "accept"), "time": self._time()}

        def work(transaction: Transaction) -> int:
            last = last_acceptance(transaction.connection)
            if last is not None and canonical(last[1]) == canonical(body["facts"]):
                return last[0]
            return transaction.append("accept", body).id

        return self._write(work)

    def version(self, source: str) -> int:
        """The declared version of a source; 0 if it was never refreshed."""
        with self._store.reading() as connection:
            return version_of(connection, source)

    def alone(self, waits: Callable[[], None] = lambda: None) -> AbstractContextManager[None]:
        """Mutual exclusion of refreshes and pruning; `waits` is called if another one is running. Ends with the process."""
        return self._store.alone(waits)

    def reserve(self, source: str, named: Callable[[int], Sequence[str]]) -> int:
        """Reserves a version number that the source never uses again, and records the names of its snapshots.

        It is recorded before any row is written, so concurrent refreshes never share a name, and the leftovers of a killed
        one can be identified by name.
        """

        while True:
            with self._store.reading() as connection:
                version = next_version(connection, source)
            body = {"source": source, "version": version, "snapshots": list(named(version))}
            if self._write(lambda transaction, body=body: _reserve(transaction, body)):  # type: ignore[misc]
                return version

    def reserved(self) -> list[Reservation]:
        """All reservations, oldest first."""
        with self._store.reading() as connection:
            return reservations(connection)

    def refreshed(self, source: str, memo: Mapping[str, object], version: int | None = None) -> int:
        """Declares a version: a reserved one, or the next. The memo is public: it holds no digest, size, time or row count of the
        data."""

        def work(transaction: Transaction) -> int:
            declared = version_of(transaction.connection, source)
            new = next_version(transaction.connection, source) if version is None else version
            if new <= declared:
                raise EngineFailed(
                    "refresh-overtaken",
                    f"version {declared} was declared while version {new} was being written",
                    why="version numbers only increase; nothing was declared",
                    fix="lapcat refresh",
                )
            transaction.append("refresh", {"source": source, "version": new, "memo": dict(memo)})
            transaction.connection.execute(
                "INSERT INTO versions (source, version) VALUES (?, ?) "
                "ON CONFLICT (source) DO UPDATE SET version = excluded.version",
                (source, new),
            )
            return new

        return self._write(work)

    def version_memo(self, source: str, version: int) -> dict[str, object]:
        """The memo of a declared version; empty if it was never declared."""
        with self._store.reading() as connection:
            return version_memo(connection, source, version)

    def written_again(self, source: str, memo: Mapping[str, object], reason: str) -> int:
        """Records that the snapshot of the declared version is written again, with a reason; the version does not change."""
        noted = {
            **memo,
            "same_version": True,
            "reason": require_reason(reason, "refresh TABLE --same-version"),
        }

        def work(transaction: Transaction) -> int:
            version = version_of(transaction.connection, source)
            transaction.append("refresh", {"source": source, "version": version, "memo": noted})
            transaction.connection.execute(
                "INSERT INTO versions (source, version) VALUES (?, ?) "
                "ON CONFLICT (source) DO UPDATE SET version = excluded.version",
                (source, version),
            )
            return version

        return self._write(work)

    def pause(self, table: str, reason: str) -> int:
        """Refuses every question about a table until it is resumed."""
        text, time = require_reason(reason, "pause TABLE"), self._time()
        return self._write(lambda transaction: _pause(transaction, table, text, time))

    def resume(self, table: str, reason: str) -> int:
        """Ends all pauses of a table: the steward's and those after failures."""
        body = {"table": table, "reason": require_reason(reason, "resume TABLE"), "time": self._time()}

        def work(transaction: Transaction) -> int:
            transaction.connection.execute("DELETE FROM pauses WHERE scope = ?", (table,))
            forget_failures(transaction.connection, table)
            return transaction.append("resume", body).id

        return self._write(work)

    def resume_analyst(self, table: str, analyst: str, reason: str) -> int:
        """Ends the pause of one analyst on a table after a failure."""
        text = require_reason(reason, "resume TABLE --analyst NAME")
        body = {"table": table, "analyst": analyst, "reason": text, "time": self._time()}

        def work(transaction: Transaction) -> int:
            forget_failures_of(transaction.connection, table, analyst)
            return transaction.append("resume", body).id

        return self._write(work)

    def void(self, debit_id: int, reason: str) -> int:
        """Voids a debit before execution: everything charged for it is returned."""
        body = {"debit": debit_id, "reason": require_reason(reason, "void ENTRY"), "time": self._time()}

        def work(transaction: Transaction) -> int:
            connection = transaction.connection
            if connection.execute("SELECT 1 FROM debits WHERE id = ?", (debit_id,)).fetchone() is None:
                raise BadArgument(
                    "no-debit", f"entry {debit_id} of the ledger is no debit", fix="lapcat ledger list"
                )
            state, _ = state_of(connection, debit_id)
            if state is not DebitState.DEBITED:
                raise Refused(
                    "void-late",
                    f"debit {debit_id} is {state.value} and cannot be voided",
                    why="once rows may have been read, a refund would reveal the outcome; and a debit is voided only "
                    "once",
                    fix="to let analysts ask more, raise the budget in lapcat.toml and run: lapcat accept --reason "
                    '"why more may be spent"',
                )
            void_scopes(connection, debit_id)
            _set_state(transaction, debit_id, DebitState.VOIDED)
            return transaction.append("void", body).id

        return self._write(work)

    def begin(self, reason: str, before: Head | None) -> int:
        """Writes the first entry of a ledger that replaces a lost one, whose last known entry is `before`."""
        body = {
            "reason": require_reason(reason, "ledger new"),
            "time": self._time(),
            "before": _known(before),
        }

        def work(transaction: Transaction) -> int:
            if transaction.head != GENESIS:
                raise Bug("ledger-order", "only an empty ledger can begin")
            return transaction.append("begin", body).id

        return self._write(work)

    def adopt(self, reason: str, known: Head | None, tables: Sequence[str]) -> int:
        """Continues with this ledger although its witness has seen another head, `known`; None if the witness is empty.

        The amount spent by the lost entries is unknown, so these tables are paused; the steward resumes each of them.
        """
        text, time = require_reason(reason, "ledger adopt"), self._time()

        def work(transaction: Transaction) -> int:
            last = transaction.head[0]
            id = transaction.append(
                "adopt", {"reason": text, "time": time, "known": _known(known), "last": last}
            ).id
            for table in tables:
                why = f"the ledger lost entries after entry {last}, and what they spent is not counted"
                _pause(transaction, table, why, time)
            return id

        return self._write(work)

    def secret(self) -> bytes:
        """The key of the contribution index: 32 random bytes, created with the ledger."""
        with self._store.reading() as connection:
            return bytes(connection.execute("SELECT value FROM secret").fetchone()[0])

    def _time(self) -> str:
        return self._clock().astimezone(UTC).isoformat(timespec="seconds")


def _reserve(transaction: Transaction, body: Mapping[str, object]) -> bool:
    """Reserves the number; False if it was taken meanwhile."""
    if next_version(transaction.connection, str(body["source"])) != body["version"]:
        return False
    transaction.append("reserve", body)
    return True


def _charge(
    transaction: Transaction, debit_id: int, analyst: str | None, after: Mapping[str, FixedPointAmounts]
) -> None:
    """Sets the amounts spent, and records the analyst charged."""
    transaction.charge(after)
    if analyst is not None:
        transaction.insert("receivers", (debit_id, analyst))


def _costs_nothing(transaction: Transaction, debit_id: int) -> bool:
    """Whether a debit is for public numbers, which are answered without reading rows."""
    row = transaction.connection.execute("SELECT epsilon FROM debits WHERE id = ?", (debit_id,)).fetchone()
    return bool(row[0] == 0)


def _pause(transaction: Transaction, table: str, reason: str, time: str) -> int:
    transaction.connection.execute(
        "INSERT INTO pauses (scope, reason) VALUES (?, ?) "
        "ON CONFLICT (scope) DO UPDATE SET reason = excluded.reason",
        (table, reason),
    )
    return transaction.append("pause", {"table": table, "reason": reason, "time": time}).id


def _known(head: Head | None) -> dict[str, object] | None:
    return None if head is None else {"id": head[0], "hash": head[1]}


def _set_state(transaction: Transaction, debit_id: int, state: DebitState) -> None:
    sql = "UPDATE debits SET state = ? WHERE id = ?"
    transaction.update(sql, (state.value, debit_id), about=debit_id)


def require_reason(reason: str, command: str) -> str:
    """The reason; raises if it is empty."""
    if not reason.strip():
        raise BadArgument(
            "reason-missing",
            f"{command.split()[0]} needs a reason, which stays in the ledger",
            fix=f'lapcat {command} --reason "why"',
        )
    return reason


_UNNOTED: set[SQLLedger] = set()
"""Ledgers with answers returned but not yet noted, kept alive until they are."""


@atexit.register
def _note_all() -> None:
    """At a regular exit, writes all pending notes."""
    for ledger in list(_UNNOTED):
        ledger.close()
