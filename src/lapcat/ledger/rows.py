"""Reads and updates the tables derived from the entries."""

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
"""Bytes that are enough for the first line of an answer."""


MAX_CACHED_ANSWERS = 50
"""Maximum number of stored answers considered for an answer from cache."""


def find_stored(
    connection: SelectReader,
    question: str,
    asked: Event,
    analyst: str | None,
    charges: Sequence[Charge],
) -> Stored | None:
    """The stored debit that answers a question without charging the tables, if any.

    A stored answer that costs more than the analyst's own caps allow is skipped: the question is then charged as a new one,
    at the requested price. Otherwise one analyst could block a question for another.
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
    for debit in by_preference(stored, asked):
        if (
            debit.charged
            or refusal(own, price_of(debit.body.event).cost, spent_by_scope(connection, own)) is None
        ):
            return debit
    return None


def asked_before(connection: SelectReader, questions: Sequence[str]) -> set[str]:
    """The subset of `questions` that already has a debit."""
    places = ", ".join("?" * len(questions))
    rows = connection.execute(f"SELECT question FROM debits WHERE question IN ({places})", tuple(questions))
    return {str(row[0]) for row in rows}


def is_kept(connection: SelectReader, key: IdempotencyKey, analyst: str | None) -> bool:
    """Whether this key was used before."""
    sql = "SELECT 1 FROM keys WHERE analyst = ? AND key = ?"
    return connection.execute(sql, (analyst or "", key.name)).fetchone() is not None


def find_keyed(connection: SelectReader, key: IdempotencyKey, analyst: str | None) -> Debit | None:
    """The debit made or found earlier under this key; raises if the key was used for another request."""
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
            why="a key stands for one request, so that a retry is never a second request; nothing was spent",
            fix="use a new key for a new question, for example one made by: uuidgen",
        )
    entry = one_entry(connection, id)
    state, _ = state_of(connection, id)
    return as_debit(connection, Stored(id, entry.hash, read_debit(entry), state, charged=True))


def void_scopes(connection: Connection, debit_id: int) -> None:
    """Reverses the charges of a debit and of all its shares; its keys may be used again."""
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
    """The answers that hold any of these statistics, oldest first; if there are too many, those with the largest epsilon."""
    if not statistics:
        return []
    places = ", ".join("?" * len(statistics))
    rows = connection.execute(
        f"SELECT id, substr(answer, 1, {LONGEST_HEAD}) FROM debits WHERE answer IS NOT NULL AND id IN "
        f"(SELECT debit FROM holdings WHERE statistic IN ({places})) ORDER BY epsilon DESC, id LIMIT {MAX_CACHED_ANSWERS}",
        tuple(statistics),
    ).fetchall()
    answers = []
    for id, start in sorted(rows):
        entry = one_entry(connection, id)
        body = read_debit(entry)
        charged = analyst is None or is_charged_to(connection, id, analyst)
        if body.content is not None:
            head = bytes(start).partition(b"\n")[0]
            answers.append(CachedAnswer(id, entry.hash, body.event, body.content, head, charged))
    return answers


def share_cost(
    connection: SelectReader, debit_ids: Sequence[int], analyst: str, charges: Sequence[Charge]
) -> tuple[dict[int, FixedPointAmounts], Error | None]:
    """The cost of each of these answers to the analyst's caps, and the refusal, if any.

    The answers are checked one after the other, each with the ones before it added, so that together they stay within.
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
    """The entry id and the facts of the last acceptance."""
    last = _last_accepted(connection)
    if last is None:
        return None
    match payload_of(one_entry(connection, last)):
        case {"facts": dict(facts)}:
            return last, facts
    raise damaged(last, "is not an acceptance that lapcat wrote")


def refuse_outdated(connection: SelectReader, accepted: int | None) -> None:
    """Refuses a question under an older catalogue: a lowered cap also applies to sessions opened before."""
    if accepted is not None and _last_accepted(connection) != accepted:
        raise IntegrityFailed(
            "catalogue-outdated",
            "a newer catalogue was accepted since this one was opened",
            why="the budgets, units and bounds of the newer one apply; nothing was spent",
            fix="open it again: lapcat.open(…)",
        )


def _last_accepted(connection: SelectReader) -> int | None:
    last = connection.execute("SELECT max(id) FROM entries WHERE kind = 'accept'").fetchone()[0]
    return None if last is None else int(last)


def spent_by_scope(connection: SelectReader, charges: Sequence[Charge]) -> dict[str, FixedPointAmounts]:
    return {charge.scope: spent_from(connection, charge.scope) for charge in charges}


def spent_from(connection: SelectReader, scope: str) -> FixedPointAmounts:
    row = connection.execute("SELECT epsilon, delta, rho FROM spent WHERE scope = ?", (scope,)).fetchone()
    return NOTHING if row is None else FixedPointAmounts(*row)


def version_of(connection: SelectReader, source: str) -> int:
    row = connection.execute("SELECT version FROM versions WHERE source = ?", (source,)).fetchone()
    return 0 if row is None else int(row[0])


def version_memo(connection: SelectReader, source: str, version: int) -> dict[str, object]:
    """The memo of a declared version; empty if it was never declared."""
    for row in connection.execute(f"{ENTRY} WHERE kind = 'refresh' ORDER BY id DESC"):
        match payload_of(read_entry(row)):
            case {"source": str(of), "version": int(declared), "memo": dict(memo)} if (of, declared) == (
                source,
                version,
            ):
                if not memo.get("same_version"):
                    return memo
    return {}


def reservations(connection: SelectReader) -> list[Reservation]:
    """All reservations of version numbers, oldest first."""
    return [
        read_reservation(read_entry(row))
        for row in connection.execute(f"{ENTRY} WHERE kind = 'reserve' ORDER BY id")
    ]


def next_version(connection: SelectReader, source: str) -> int:
    """The next version number, above every declared or reserved one of the source."""
    taken = [each.version for each in reservations(connection) if each.source == source]
    return max([version_of(connection, source), *taken]) + 1


def is_charged_to(connection: SelectReader, debit_id: int, analyst: str) -> bool:
    sql = "SELECT 1 FROM receivers WHERE debit = ? AND analyst = ?"
    return connection.execute(sql, (debit_id, analyst)).fetchone() is not None


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
            raise damaged(id, "does not match the question, state or answer stored for it")
    spent = {(scope, sum.epsilon, sum.delta, sum.rho) for scope, sum in replay.spent.items()}
    keys = {(*key, *kept) for key, kept in replay.keys.items()}
    for what, table, follows in (
        ("the amount spent from", "spent", spent),
        ("the list of analysts charged for debit", "receivers", replay.receivers),
        ("the index of answers that hold", "holdings", replay.holdings),
        ("the keys of", "keys", keys),
        ("the pause of", "pauses", set(replay.pauses.items())),
        ("the failures of", "failures", set(replay.failures.items())),
        ("the version of", "versions", set(replay.versions.items())),
    ):
        kept = {tuple(row) for row in connection.execute(f"SELECT * FROM {table}")}
        if kept != follows:
            subject = min(str(row[0]) for row in kept ^ follows)
            raise unsound(f"{what} {subject} does not follow from the entries of the ledger")
