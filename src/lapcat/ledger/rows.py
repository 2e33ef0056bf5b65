"""The tables that are derived from the entries: reading and updating their rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lapcat.core.event import Event
from lapcat.errors import Bug, Error, IntegrityFailed, Refused
from lapcat.ledger.base import CachedAnswer, Charge, Debit, DebitState, IdempotencyKey, Reservation
from lapcat.ledger.cache_lookup import Stored, by_preference
from lapcat.ledger.chain import damaged, payload_of, unsound
from lapcat.ledger.entries import ENTRY, one_entry, read_entry
from lapcat.ledger.filters import refusal
from lapcat.ledger.fixed_point import NOTHING, FixedPointAmounts
from lapcat.ledger.payload_codec import digest, read_charges, read_debit, read_reservation
from lapcat.ledger.prices import price_of
from lapcat.ledger.replay import Replay
from lapcat.ledger.store import Connection, SelectReader

LONGEST_HEAD = 128
"""Bytes that hold the first line of an answer."""


MAX_CACHED_ANSWERS = 50
"""So many stored answers are read to find those that a question follows from."""


def find_stored(
    connection: SelectReader,
    question: str,
    asked: Event,
    analyst: str | None,
    charges: Sequence[Charge],
) -> Stored | None:
    """The stored debit under which a question is answered without charging the tables, if there is one.

    A stored answer that is dearer than the analyst's own caps allow is passed over: the question is then paid for as
    if it were new, at the price that was asked. Otherwise one analyst could bar another from a question.
    """
    rows = connection.execute(
        "SELECT id, state FROM debits WHERE question = ? AND epsilon >= ? AND state <> 'voided'",
        (question, price_of(asked).epsilon),
    ).fetchall()
    stored = []
    for id, state in rows:
        entry = one_entry(connection, id)
        charged = analyst is None or is_charged_to(connection, id, analyst)
        stored.append(Stored(id, entry.hash, read_debit(entry), _as_state(id, state), charged))
    own = own_caps(charges)
    for one in by_preference(stored, asked):
        if (
            one.charged
            or refusal(own, price_of(one.body.event).cost, spent_by_scope(connection, own)) is None
        ):
            return one
    return None


def asked_before(connection: SelectReader, questions: Sequence[str]) -> set[str]:
    """Those of these questions of which there is a debit."""
    places = ", ".join("?" * len(questions))
    rows = connection.execute(f"SELECT question FROM debits WHERE question IN ({places})", tuple(questions))
    return {str(row[0]) for row in rows}


def is_kept(connection: SelectReader, key: IdempotencyKey, analyst: str | None) -> bool:
    """Whether anything was asked under this key before."""
    found = "SELECT 1 FROM keys WHERE analyst = ? AND key = ?"
    return connection.execute(found, (analyst or "", key.name)).fetchone() is not None


def find_keyed(connection: SelectReader, key: IdempotencyKey, analyst: str | None) -> Debit | None:
    """The debit that was made, or found, under this key before; raises where the key asked something else."""
    row = connection.execute(
        "SELECT asks, debit FROM keys WHERE analyst = ? AND key = ?", (analyst or "", key.name)
    ).fetchone()
    if row is None:
        return None
    asks, id = row
    if asks != key.asks:
        raise Refused(
            "key-reused",
            f"the key {key.name!r} was used for another question, price or version of the data",
            why="a key stands for one request, so that trying it again never asks anything twice; nothing was spent",
            fix="use a new key for a new question, for example one made by: uuidgen",
        )
    entry = one_entry(connection, id)
    state, _ = state_of(connection, id)
    return as_debit(connection, Stored(id, entry.hash, read_debit(entry), state, charged=True))


def void_scopes(connection: Connection, debit_id: int) -> None:
    """Takes back what a debit, and every share of it, charged; its keys may be used again."""
    debit = one_entry(connection, debit_id)
    charged: list[Mapping[str, FixedPointAmounts]] = [read_debit(debit).charged]
    for row in connection.execute(
        f"{ENTRY} WHERE id > ? AND kind = 'share' ORDER BY id", (debit_id,)
    ).fetchall():
        share = read_entry(row)
        match payload_of(share):
            case {"debit": int(id), "charges": list(charges)} if id == debit_id:
                charged.append(read_charges(share, charges))
    for paid in charged:
        for scope, cost in paid.items():
            _set_spent(connection, scope, spent_from(connection, scope) - cost)
    connection.execute("DELETE FROM keys WHERE debit = ?", (debit_id,))


def as_debit(connection: SelectReader, stored: Stored) -> Debit:
    _, answer = state_of(connection, stored.id)
    return Debit(
        stored.id,
        stored.hash,
        stored.body.event,
        stored.body.memo,
        answer,
        free=True,
        shared=not stored.charged,
    )


def find_cached_answers(
    connection: SelectReader, statistics: Sequence[str], analyst: str | None
) -> list[CachedAnswer]:
    """The answers that hold any of these statistics, oldest first; of very many those that paid most, the least noisy."""
    if not statistics:
        return []
    places = ", ".join("?" * len(statistics))
    rows = connection.execute(
        f"SELECT id, substr(answer, 1, {LONGEST_HEAD}) FROM debits WHERE answer IS NOT NULL AND id IN "
        f"(SELECT debit FROM holdings WHERE statistic IN ({places})) ORDER BY epsilon DESC, id LIMIT {MAX_CACHED_ANSWERS}",
        tuple(statistics),
    ).fetchall()
    found = []
    for id, start in sorted(rows):
        entry = one_entry(connection, id)
        body = read_debit(entry)
        charged = analyst is None or is_charged_to(connection, id, analyst)
        if body.content is not None:
            head = bytes(start).partition(b"\n")[0]
            found.append(CachedAnswer(id, entry.hash, body.event, body.content, head, charged))
    return found


def share_cost(
    connection: SelectReader, debit_ids: Sequence[int], analyst: str, charges: Sequence[Charge]
) -> tuple[dict[int, FixedPointAmounts], Error | None]:
    """What each of these answers would be charged to the analyst now, and why that cannot be, if it cannot.

    Each is held against the caps after those before it, so that all of them together stay within.
    """
    own, costs = own_caps(charges), {}
    spent = spent_by_scope(connection, own)
    for id in dict.fromkeys(debit_ids):
        if not is_charged_to(connection, id, analyst):
            costs[id] = price_of(read_debit(one_entry(connection, id)).event).cost
            refused = refusal(own, costs[id], spent)
            if refused is not None:
                return {}, refused
            spent = {scope: before + costs[id] for scope, before in spent.items()}
    return costs, None


def own_caps(charges: Sequence[Charge]) -> tuple[Charge, ...]:
    """The analyst's own caps among the charges."""
    return tuple(charge for charge in charges if charge.analyst)


def _set_spent(connection: Connection, scope: str, amount: FixedPointAmounts) -> None:
    connection.execute(
        "INSERT INTO spent (scope, epsilon, delta, rho) VALUES (?, ?, ?, ?) ON CONFLICT (scope) DO UPDATE "
        "SET epsilon = excluded.epsilon, delta = excluded.delta, rho = excluded.rho",
        (scope, amount.epsilon, amount.delta, amount.rho),
    )


def last_acceptance(connection: SelectReader) -> tuple[int, dict[str, object]] | None:
    """The entry of the last acceptance, and its facts."""
    last = _last_accepted(connection)
    if last is None:
        return None
    match payload_of(one_entry(connection, last)):
        case {"facts": dict(facts)}:
            return last, facts
    raise damaged(last, "is not an acceptance that lapcat wrote")


def refuse_outdated(connection: SelectReader, accepted: int | None) -> None:
    """A question is asked under the catalogue that holds now: a cap that was lowered binds whoever opened it before."""
    if accepted is not None and _last_accepted(connection) != accepted:
        raise IntegrityFailed(
            "catalogue-outdated",
            "another catalogue was accepted since this one was opened",
            why="its budgets, units and bounds are those that hold; nothing was spent",
            fix="open it again: lapcat.open(…)",
        )


def _last_accepted(connection: SelectReader) -> int | None:
    found = connection.execute("SELECT max(id) FROM entries WHERE kind = 'accept'").fetchone()[0]
    return None if found is None else int(found)


def spent_by_scope(connection: SelectReader, charges: Sequence[Charge]) -> dict[str, FixedPointAmounts]:
    return {charge.scope: spent_from(connection, charge.scope) for charge in charges}


def spent_from(connection: SelectReader, scope: str) -> FixedPointAmounts:
    row = connection.execute("SELECT epsilon, delta, rho FROM spent WHERE scope = ?", (scope,)).fetchone()
    return NOTHING if row is None else FixedPointAmounts(*row)


def version_of(connection: SelectReader, source: str) -> int:
    row = connection.execute("SELECT version FROM versions WHERE source = ?", (source,)).fetchone()
    return 0 if row is None else int(row[0])


def version_memo(connection: SelectReader, source: str, version: int) -> dict[str, object]:
    """What was noted when a version was declared; nothing where it never was."""
    for row in connection.execute(f"{ENTRY} WHERE kind = 'refresh' ORDER BY id DESC"):
        match payload_of(read_entry(row)):
            case {"source": str(of), "version": int(found), "memo": dict(memo)} if (of, found) == (
                source,
                version,
            ):
                if not memo.get("same_version"):
                    return memo
    return {}


def reservations(connection: SelectReader) -> list[Reservation]:
    """The numbers of versions that were ever taken, oldest first."""
    return [
        read_reservation(read_entry(row))
        for row in connection.execute(f"{ENTRY} WHERE kind = 'reserve' ORDER BY id")
    ]


def next_version(connection: SelectReader, source: str) -> int:
    """Above every version of a source that was declared, or only reserved."""
    taken = [each.version for each in reservations(connection) if each.source == source]
    return max([version_of(connection, source), *taken]) + 1


def is_charged_to(connection: SelectReader, debit_id: int, analyst: str) -> bool:
    found = "SELECT 1 FROM receivers WHERE debit = ? AND analyst = ?"
    return connection.execute(found, (debit_id, analyst)).fetchone() is not None


def state_of(connection: SelectReader, debit_id: int) -> tuple[DebitState, bytes | None]:
    row = connection.execute("SELECT state, answer FROM debits WHERE id = ?", (debit_id,)).fetchone()
    if row is None:
        raise Bug("debit-unknown", f"the ledger has no debit {debit_id}")
    return _as_state(debit_id, row[0]), None if row[1] is None else bytes(row[1])


def _as_state(debit_id: int, text: str) -> DebitState:
    try:
        return DebitState(text)
    except ValueError:
        raise damaged(debit_id, "is in a state that lapcat did not write") from None


def compare(connection: SelectReader, replay: Replay) -> None:
    """Raises at the first row of a derived table that does not follow from the entries."""
    debits = {
        id: (question, epsilon, state, digest(answer) if isinstance(answer, bytes) else answer)
        for id, question, epsilon, state, answer in connection.execute(
            "SELECT id, question, epsilon, state, answer FROM debits"
        )
    }
    for id in sorted(debits.keys() | replay.debits.keys()):
        paid = replay.debits.get(id)
        expected = paid and (paid.question, paid.epsilon, paid.state.value, paid.answer_digest)
        if debits.get(id) != expected:
            raise damaged(id, "does not agree with the question, state or answer that is kept for it")
    spent = {(scope, sum.epsilon, sum.delta, sum.rho) for scope, sum in replay.spent.items()}
    keys = {(*key, *kept) for key, kept in replay.keys.items()}
    for what, table, follows in (
        ("what was spent from", "spent", spent),
        ("who has paid for debit", "receivers", replay.receivers),
        ("which answers hold", "holdings", replay.holdings),
        ("the keys of", "keys", keys),
        ("the pause of", "pauses", set(replay.pauses.items())),
        ("the failures of", "failures", set(replay.failures.items())),
        ("the version of", "versions", set(replay.versions.items())),
    ):
        kept = {tuple(row) for row in connection.execute(f"SELECT * FROM {table}")}
        if kept != follows:
            subject = min(str(row[0]) for row in kept ^ follows)
            raise unsound(f"{what} {subject} does not follow from the entries of the ledger")
