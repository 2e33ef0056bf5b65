"""The ledger over any store: every verb is one piece of work in a durable transaction, or one consistent view."""

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
    """A ledger that survives the process, if its store does. As safe between threads, forks and processes as the store.

    Whenever it is opened the whole book is checked (integrity_check.py). The clock is for tests; it is written into entries and
    never decides anything.
    """

    def __init__(
        self, store: Store, clock: Callable[[], datetime] = now, guards: Guards | None = None
    ) -> None:
        self._store = store
        self._clock = clock
        self._guards = guards if guards is not None else Guards()
        self._handed_over: set[int] = set()
        self._noting = threading.Lock()
        try:
            self.note = self._checked()
        except BaseException:
            store.close()
            raise

    def _checked(self) -> str | None:
        """Reads the whole book, and lets the witness watch it; what the steward should know of that."""
        witness = self._guards.witness
        said = witness.read(RECENT) if witness is not None else None
        with self._store.reading() as connection:
            head = check_integrity(connection, self._guards, said)
        if witness is None or said is None or self._store.reads_only:
            return None
        return witness.attend(said, self.begun(head=head))

    def begun(self, reason: str | None = None, head: Head | None = None, before: Head = GENESIS) -> Begun:
        """What a witness says that begins with this ledger as it is now."""
        return Begun(head or self.head(), self.identity, self.place, reason, self._time(), before)

    @property
    def identity(self) -> str:
        """Tells this ledger from others, and its secret to nobody."""
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
        with suppress(Error):  # what was handed over stays ANSWERED, which is safe
            if self._handed_over:
                self._write(lambda transaction: None)
        self._store.close()

    def _write(self, work: Callable[[Transaction], T], question: str | None = None) -> T:
        """Does the work durably, after a note of the answers that were handed over since the last entry; nothing of it is
        given to anybody before the witness, if there is one, has seen it."""
        with self._noting:
            handed_over = sorted(self._handed_over)

        def noted(transaction: Transaction) -> tuple[T, Head]:
            before = transaction.head
            for id in handed_over:
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
            self._handed_over.difference_update(handed_over)
            if not self._handed_over:
                _UNNOTED.discard(self)
        if self._guards.witness is not None:
            self._guards.witness.settle(max(head, self._store.newest))  # once for all who shared the commit
        return result

    def checkpoint(self) -> None:
        """Signs the book as it is now. An empty one needs none."""
        signer = self._guards.signer
        if signer is None:
            raise Bug("ledger-unsigned", "a ledger without a key cannot be signed")

        def work(transaction: Transaction) -> None:
            if transaction.head != GENESIS:
                transaction.append(KIND, checkpoint_payload(transaction.head, signer))

        self._write(work)

    # --- pay, look, blur --------------------------------------------------------------------------------------

    def debit(self, request: Request) -> Debit:
        """One durable payment for all scopes, or the stored one of the same question; or nothing and an error."""
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
        memo = json.loads(draft.memo)  # as every repeat reads it, so that the first receipt is the same
        return Debit(entry.id, entry.hash, request.event, memo, None, free=False)

    def keyed(self, key: IdempotencyKey, analyst: str | None = None) -> Debit | None:
        """The debit that was made, or found, under this key before; refused where the key asked something else."""
        with self._store.reading() as connection:
            return find_keyed(connection, key, analyst)

    def executing(self, debit_id: int) -> None:
        """From here on the engine may have read rows. Said once; a retry under the same debit says nothing new."""

        def work(transaction: Transaction) -> None:
            state, _ = state_of(transaction.about(debit_id), debit_id)
            if state is DebitState.VOIDED:
                raise Refused(
                    "debit-voided",
                    f"the steward has taken debit {debit_id} back before anybody looked",
                    why="what is no longer paid for is not answered; nothing was read",
                    fix="ask the question again: it pays anew",
                )
            if state is DebitState.DEBITED:
                transaction.append("looked", {"debit": debit_id})
                _set_state(transaction, debit_id, DebitState.LOOKED)

        self._write(work)

    def answered(self, debit_id: int, answer: bytes) -> bytes:
        """Stores the answer unless there is one, and returns the one that is stored: the first writer wins."""

        def work(transaction: Transaction) -> bytes:
            state, stored = state_of(transaction.about(debit_id), debit_id)
            if stored is not None:
                return stored
            if state is not DebitState.LOOKED and not (
                state is DebitState.DEBITED and _costs_nothing(transaction, debit_id)
            ):
                raise Bug("ledger-order", f"debit {debit_id} has an answer, but nobody looked")
            transaction.append_text("answered", said)
            transaction.update(
                "UPDATE debits SET state = ?, answer = ? WHERE id = ?",
                (DebitState.ANSWERED.value, answer, debit_id),
                about=debit_id,
            )
            return answer

        said = canonical(answered_payload(debit_id, answer))
        return self._write(work)

    def released(self, debit_id: int) -> None:
        """Notes that the answer was handed over; written with the next entry, or when the ledger is closed.

        By then the answer is stored and paid for: whether the note survives a crash changes nothing but the note.
        """
        with self._noting:
            self._handed_over.add(debit_id)
            _UNNOTED.add(self)

    def failed(self, debit_id: int, analyst: str | None = None) -> None:
        """Counts a failure of the analyst who asked against the tables of a debit, which somebody else may have paid. The debit
        stands: a refund would tell that it failed."""

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
        """Charges stored answers to an analyst's own caps, each once and all or none; whether it charged anything."""

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

    # --- questions about the ledger ---------------------------------------------------------------------------

    def find(
        self, question: str, event: Event, analyst: str | None = None, charges: Sequence[Charge] = ()
    ) -> Debit | None:
        """What `debit` would return without charging the tables; None where it would charge them. Charges nothing."""
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

    def scopes(self) -> list[str]:
        """Every scope that was ever charged."""
        with self._store.reading() as connection:
            return [str(row[0]) for row in connection.execute("SELECT scope FROM spent ORDER BY scope")]

    def paused(self, table: str) -> bool:
        """Whether nobody may ask about a table."""
        with self._store.reading() as connection:
            return why_paused(connection, table) is not None

    def why_paused(self, table: str, analyst: str | None = None) -> str | None:
        """Why an analyst may not ask about a table now, as it follows "is paused"; None where they may."""
        with self._store.reading() as connection:
            return why_paused_for(connection, table, analyst)

    def failures(self, table: str) -> int:
        """How many analysts have failed on a table since they, or it, were last resumed. For the steward alone."""
        with self._store.reading() as connection:
            return failures_of(connection, table)

    def failed_analysts(self, table: str) -> list[str | None]:
        """Who is paused on a table by a failure; None: those who ask without a name. For the steward alone."""
        with self._store.reading() as connection:
            return failed_analysts(connection, table)

    def paid(self, debit_id: int) -> tuple[Entry, bytes]:
        """The entry of a debit that was answered, and the answer: what a receipt is made of."""
        with self._store.reading() as connection:
            answer = state_of(connection, debit_id)[1]
            if answer is None:
                raise Bug("answer-format", f"debit {debit_id} has no answer")
            return one_entry(connection, debit_id), answer

    def entry(self, id: int) -> Entry | None:
        """One entry, if the book has it."""
        with self._store.reading() as connection:
            return one_entry(connection, id) if id <= read_head(connection)[0] else None

    def head(self) -> Head:
        """Number and hash of the last entry."""
        with self._store.reading() as connection:
            return read_head(connection)

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
        return self.verified().entries

    def verified(self) -> Verified:
        """What `verify` found whole: also the checkpoints, by the keys that are trusted, and all that the witness says."""
        witness = self._guards.witness
        said = witness.read() if witness is not None else None
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
            if witness is not None and said is not None:
                witness.check(said, head, lambda id: hash_of(connection, id))
        self._store.check()
        return Verified(head[0], watch.many, watch.last, said)

    # --- what the steward declares ----------------------------------------------------------------------------

    def accepted(self) -> dict[str, object] | None:
        """The facts of the catalogue that were accepted last."""
        found = self.acceptance()
        return None if found is None else found[1]

    def acceptance(self) -> tuple[int, dict[str, object]] | None:
        """The entry of the last acceptance, and its facts."""
        with self._store.reading() as connection:
            return last_acceptance(connection)

    def accept(self, facts: Mapping[str, object], reason: str) -> int:
        """Appends these facts, unless they are what was accepted last; returns the entry that says them."""
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
        """For one refresh, or pruning, at a time; `waits` is called where another runs. It ends with the process."""
        return self._store.alone(waits)

    def reserve(self, source: str, named: Callable[[int], Sequence[str]]) -> int:
        """Takes a number that no version of the source ever had or will have, and notes what its snapshots are called.

        It is written down before any row is, so that two that write at once never write under one name, and what a killed
        one left behind is known by its name.
        """

        while True:
            with self._store.reading() as connection:
                version = next_version(connection, source)
            body = {"source": source, "version": version, "snapshots": list(named(version))}
            if self._write(lambda transaction, body=body: _reserve(transaction, body)):  # type: ignore[misc]
                return version

    def reserved(self) -> list[Reservation]:
        """Every number that was ever taken, oldest first."""
        with self._store.reading() as connection:
            return reservations(connection)

    def refreshed(self, source: str, memo: Mapping[str, object], version: int | None = None) -> int:
        """Declares a version: one that was reserved, or the next. The memo is public: no digest, size, time or row count of
        the data."""

        def work(transaction: Transaction) -> int:
            declared = version_of(transaction.connection, source)
            new = next_version(transaction.connection, source) if version is None else version
            if new <= declared:
                raise EngineFailed(
                    "refresh-overtaken",
                    f"version {declared} was declared while version {new} was being written",
                    why="a version is never older than the one before it; nothing was declared",
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
        """What was noted when a version was declared; nothing where it never was."""
        with self._store.reading() as connection:
            return version_memo(connection, source, version)

    def written_again(self, source: str, memo: Mapping[str, object], reason: str) -> int:
        """Notes that the snapshot of the declared version is written now, for a reason; the version stays what it is."""
        said = {
            **memo,
            "same_version": True,
            "reason": require_reason(reason, "refresh TABLE --same-version"),
        }

        def work(transaction: Transaction) -> int:
            version = version_of(transaction.connection, source)
            transaction.append("refresh", {"source": source, "version": version, "memo": said})
            transaction.connection.execute(
                "INSERT INTO versions (source, version) VALUES (?, ?) "
                "ON CONFLICT (source) DO UPDATE SET version = excluded.version",
                (source, version),
            )
            return version

        return self._write(work)

    def pause(self, table: str, reason: str) -> int:
        """Refuses every question about a table until it is resumed."""
        said, time = require_reason(reason, "pause TABLE"), self._time()
        return self._write(lambda transaction: _pause(transaction, table, said, time))

    def resume(self, table: str, reason: str) -> int:
        """Lets a table be asked again that was paused, by the steward or after failures, by everybody."""
        body = {"table": table, "reason": require_reason(reason, "resume TABLE"), "time": self._time()}

        def work(transaction: Transaction) -> int:
            transaction.connection.execute("DELETE FROM pauses WHERE scope = ?", (table,))
            forget_failures(transaction.connection, table)
            return transaction.append("resume", body).id

        return self._write(work)

    def resume_analyst(self, table: str, analyst: str, reason: str) -> int:
        """Lets one analyst ask about a table again who was paused by a failure."""
        said = require_reason(reason, "resume TABLE --analyst NAME")
        body = {"table": table, "analyst": analyst, "reason": said, "time": self._time()}

        def work(transaction: Transaction) -> int:
            forget_failures_of(transaction.connection, table, analyst)
            return transaction.append("resume", body).id

        return self._write(work)

    def void(self, debit_id: int, reason: str) -> int:
        """Takes a debit back that nobody looked under: everyone who paid for it has paid nothing."""
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
                    f"debit {debit_id} is {state.value}: what was spent stays spent",
                    why="once somebody may have looked, a refund would tell what came of it; and a debit is taken "
                    "back once",
                    fix="to let analysts ask more, raise the budget in lapcat.toml and run: lapcat accept --reason "
                    '"why more may be spent"',
                )
            void_scopes(connection, debit_id)
            _set_state(transaction, debit_id, DebitState.VOIDED)
            return transaction.append("void", body).id

        return self._write(work)

    def begin(self, reason: str, before: Head | None) -> int:
        """The first entry of a ledger that takes the place of a lost one, whose last known entry is `before`."""
        body = {
            "reason": require_reason(reason, "ledger new"),
            "time": self._time(),
            "before": _known(before),
        }

        def work(transaction: Transaction) -> int:
            if transaction.head != GENESIS:
                raise Bug("ledger-order", "a ledger that has entries cannot begin")
            return transaction.append("begin", body).id

        return self._write(work)

    def adopt(self, reason: str, known: Head | None, tables: Sequence[str]) -> int:
        """Goes on with this ledger although its witness has seen another end, `known`; None where it says nothing.

        What the lost entries spent is not known, so these tables are paused: each is resumed by a decision of its own.
        """
        said, time = require_reason(reason, "ledger adopt"), self._time()

        def work(transaction: Transaction) -> int:
            last = transaction.head[0]
            id = transaction.append(
                "adopt", {"reason": said, "time": time, "known": _known(known), "last": last}
            ).id
            for table in tables:
                why = f"the ledger lost entries after entry {last}, and what they spent is not counted"
                _pause(transaction, table, why, time)
            return id

        return self._write(work)

    def secret(self) -> bytes:
        """The key of the contribution index: 32 random bytes, made when the ledger was."""
        with self._store.reading() as connection:
            return bytes(connection.execute("SELECT value FROM secret").fetchone()[0])

    def _time(self) -> str:
        return self._clock().astimezone(UTC).isoformat(timespec="seconds")


def _reserve(transaction: Transaction, body: Mapping[str, object]) -> bool:
    """Whether the number is still free, and now is taken."""
    if next_version(transaction.connection, str(body["source"])) != body["version"]:
        return False
    transaction.append("reserve", body)
    return True


def _charge(
    transaction: Transaction, debit_id: int, analyst: str | None, after: Mapping[str, FixedPointAmounts]
) -> None:
    """This is spent from every scope from now on; notes who paid."""
    transaction.charge(after)
    if analyst is not None:
        transaction.insert("receivers", (debit_id, analyst))


def _costs_nothing(transaction: Transaction, debit_id: int) -> bool:
    """Whether a debit is for numbers that are public, which are answered without a look."""
    found = transaction.connection.execute("SELECT epsilon FROM debits WHERE id = ?", (debit_id,)).fetchone()
    return bool(found[0] == 0)


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
    """The reason; raises where there is none."""
    if not reason.strip():
        raise BadArgument(
            "reason-missing",
            f"{command.split()[0]} needs a reason, which stays in the ledger",
            fix=f'lapcat {command} --reason "why"',
        )
    return reason


_UNNOTED: set[SQLLedger] = set()
"""Those with an answer that was handed over and not noted yet, held here so that they live until it is."""


@atexit.register
def _note_all() -> None:
    """A process that ends in an orderly way leaves no note behind."""
    for ledger in list(_UNNOTED):
        ledger.close()
