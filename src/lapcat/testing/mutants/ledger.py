"""Mutants of the ledger: debits, integrity checks, receipts, witnesses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lapcat.testing.mutants.mutant import Mutant, put, used


def _log_believed() -> None:
    from lapcat.ledger.sqlite import opening, store

    for module in (opening, store):
        put(module, "write_log_anew", lambda connection, wait, **how: True)


def _refund() -> None:
    from lapcat.ledger.ledger import SQLLedger
    from lapcat.ledger.transaction import Transaction

    def failed(ledger: SQLLedger, debit_id: int, analyst: str | None = None) -> None:
        def work(transaction: Transaction) -> None:
            transaction.append("failed", {"debit": debit_id, "analyst": analyst})
            transaction.connection.execute("UPDATE spent SET epsilon = 0, rho = 0")

        ledger._store.write(work)

    put(SQLLedger, "failed", failed)


def _paused_by_one() -> None:
    from lapcat.ledger import pauses

    put(pauses, "FAILURES_ALLOWED", 1)


def _seeded_noise_taken_for_real() -> None:
    from lapcat.session import cache_plan

    put(cache_plan, "is_cryptographic", lambda head: True)


def _derived_for_nobody() -> None:
    from lapcat.ledger.ledger import SQLLedger

    put(SQLLedger, "share", lambda *of: False)


def _signature_not_checked() -> None:
    from lapcat.ledger import receipts

    put(receipts, "is_signed", lambda value, signature, public: True)


def _answer_digest_not_compared() -> None:
    from lapcat.ledger import receipts

    class Equal(str):
        __hash__ = str.__hash__

        def __eq__(self, other: object) -> bool:
            return True

        def __ne__(self, other: object) -> bool:
            return False

    put(receipts, "digest", lambda stored: Equal("0" * 64))


def _checkpoint_not_checked() -> None:
    from lapcat.ledger import checkpoints

    put(checkpoints, "is_signed", lambda value, signature, public: True)


def _removed_entry_unseen() -> None:
    from lapcat.ledger import ledger
    from lapcat.ledger.chain import check_self

    def each_by_itself(head: Any, entry: Any) -> Any:
        check_self(entry)
        return entry.id, entry.hash

    put(ledger, "check_link", each_by_itself)


def _opened_unchecked() -> None:
    from lapcat.ledger import ledger
    from lapcat.ledger.entries import read_head

    put(ledger, "check_integrity", lambda connection, guards, testimony: read_head(connection))


def _empty_witness_agrees() -> None:
    from lapcat.ledger.state_witness import StateWitness
    from lapcat.ledger.witness import Testimony, Witness

    put(Testimony, "silent", False)
    read = Witness.read
    put(
        StateWitness,
        "read",
        lambda self, max_bytes=None: (
            read(self, max_bytes) if self.path.exists() else Testimony((), 0, None, True)
        ),
    )


def _lost_ledger_begins_silently() -> None:
    from lapcat.ledger.state_witness import StateWitness
    from lapcat.ledger.witness import Witness

    put(Witness, "missing", lambda self, place: None)
    put(Witness, "check", lambda self, testimony, head, hash_of: None)
    put(StateWitness, "attend", lambda self, testimony, begun: None)


def _witness_ignored() -> None:
    from lapcat.ledger.witness import Witness

    put(Witness, "check", lambda self, testimony, head, hash_of: None)


def _witness_not_awaited() -> None:
    from lapcat.ledger.witness import Witness

    put(Witness, "settle", lambda self, head: None)


def _spent_left_out() -> None:
    from lapcat.ledger import receipts

    put(receipts, "read_after", lambda entry, charges: {})


def _void_after_a_look() -> None:
    from lapcat.ledger import ledger
    from lapcat.ledger.base import DebitState

    honest = used(ledger, "state_of")

    def forgetful(connection: Any, debit_id: int) -> Any:
        state, answer = honest(connection, debit_id)
        return (DebitState.DEBITED if state is DebitState.LOOKED else state), answer

    put(ledger, "state_of", forgetful)


def _key_taken_at_its_name() -> None:
    from lapcat.ledger import ledger

    honest = used(ledger, "find_keyed")

    def trusting(connection: Any, key: Any, analyst: Any) -> Any:
        kept = connection.execute("SELECT asks FROM keys WHERE key = ?", (key.name,)).fetchone()
        return honest(connection, key if kept is None else replace(key, asks=kept[0]), analyst)

    put(ledger, "find_keyed", trusting)


def _old_catalogue_goes_on() -> None:
    from lapcat.ledger import ledger

    put(ledger, "refuse_outdated", lambda connection, accepted: None)


def _queued_debits_unseen() -> None:
    from lapcat.ledger.transaction import Transaction

    put(Transaction, "is_new", lambda transaction, question: question in transaction._new)


def _queued_spending_unseen() -> None:
    from lapcat.ledger.rows import spent_from
    from lapcat.ledger.transaction import Transaction

    put(Transaction, "_spent_from", lambda transaction, scope: spent_from(transaction._connection, scope))


def _head_not_held() -> None:
    from lapcat.ledger.postgres import store

    put(store, "HOLD", used(store, "HOLD").replace(" FOR UPDATE", ""))


def _view_of_before_the_wait() -> None:
    from lapcat.ledger.postgres import store

    put(store, "HOLD", used(store, "HOLD").replace("READ COMMITTED", "REPEATABLE READ"))


def _commit_taken_at_its_word() -> None:
    from lapcat.ledger.postgres.connection import PostgresConnection

    honest = PostgresConnection.execute

    def trusting(connection: Any, sql: str, parameters: Any = (), /) -> Any:
        return connection._inner.execute(sql) if sql == "COMMIT" else honest(connection, sql, parameters)

    put(PostgresConnection, "execute", trusting)


def _commit_under_way_not_awaited() -> None:
    from lapcat.ledger.postgres import store

    def hasty(ledger_store: Any, head: Any) -> bool:
        ledger_store._drop()
        return store._has(ledger_store._begun(used(store, "READ")), head)

    put(store.PostgresStore, "_is_there", hasty)


def _dropped_witness_unmissed() -> None:
    from lapcat.session import ledger_files

    put(ledger_files, "require_witness", lambda accepted, witness: None)


MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "refund",
        "a failure refunds the debit",
        "tests/ledger/test_ledger_steward.py::test_a_failure_refunds_nothing_and_the_question_finishes_under_the_same_debit[sqlite]",
        _refund,
    ),
    Mutant(
        "table-paused-by-one",
        "one analyst's failure pauses the table for everybody",
        "tests/ledger/test_ledger_steward.py::test_a_failure_pauses_who_asked_and_nobody_else[sqlite]",
        _paused_by_one,
    ),
    Mutant(
        "log-believed",
        "a log whose last sync failed is trusted on reopening",
        "tests/ledger/test_ledger_faults.py::test_a_disk_may_fail_at_any_operation[closed-until-it-works]",
        _log_believed,
    ),
    Mutant(
        "seeded-noise-taken-for-real",
        "answers with seeded noise are accepted where real noise is required",
        "tests/unit/test_answers_from_cache.py::test_seeded_noise_and_real_noise_are_never_mixed",
        _seeded_noise_taken_for_real,
    ),
    Mutant(
        "derived-for-nobody",
        "an analyst receives an answer charged to another, without a debit",
        "tests/unit/test_answers_from_cache.py::test_an_analyst_is_debited_once_for_what_another_paid",
        _derived_for_nobody,
    ),
    Mutant(
        "void-after-a-look",
        "a debit is voided although the query may have been executed",
        "tests/ledger/test_ledger_verbs.py::test_after_a_look_what_was_spent_stays_spent[sqlite]",
        _void_after_a_look,
    ),
    Mutant(
        "key-taken-at-its-name",
        "another question under a known idempotency key gets the first one's answer",
        "tests/ledger/test_ledger_verbs.py::test_something_else_under_the_same_key_is_refused_and_free[sqlite-other0]",
        _key_taken_at_its_name,
    ),
    Mutant(
        "old-catalogue-goes-on",
        "a lowered cap does not apply to sessions that are already open",
        "tests/unit/test_outdated.py::test_a_cap_that_was_lowered_binds_a_session_that_was_open_before",
        _old_catalogue_goes_on,
    ),
    Mutant(
        "signature-not-checked",
        "a receipt changed after signing verifies",
        "tests/ledger/test_receipts.py::test_every_kind_of_forgery_is_named[another answer]",
        _signature_not_checked,
    ),
    Mutant(
        "answer-digest-not-compared",
        "the ledger confirms a receipt of a different answer than it stores",
        "tests/ledger/test_receipts.py::test_a_ledger_without_a_key_finds_every_kind_of_forgery[another answer]",
        _answer_digest_not_compared,
    ),
    Mutant(
        "checkpoint-not-checked",
        "a rewritten ledger keeps checkpoints that sign other entries",
        "tests/ledger/test_ledger_guards.py::test_a_book_rewritten_below_a_checkpoint_is_found_at_start_up",
        _checkpoint_not_checked,
    ),
    Mutant(
        "removed-entry-unseen",
        "each entry is checked against its own hash, but not against its predecessor",
        "tests/ledger/test_ledger_evidence.py::test_an_entry_that_is_removed_while_the_ledger_is_open_is_named_by_verify",
        _removed_entry_unseen,
    ),
    Mutant(
        "opened-unchecked",
        "opening a ledger checks only its last entry",
        "tests/ledger/test_ledger_guards.py::test_an_edited_removed_or_reordered_entry_is_named_at_start_up",
        _opened_unchecked,
    ),
    Mutant(
        "empty-witness-agrees",
        "an emptied witness is accepted",
        "tests/e2e/test_lost_ledger.py::test_an_emptied_or_replaced_witness_does_not_agree",
        _empty_witness_agrees,
    ),
    Mutant(
        "lost-ledger-begins-silently",
        "a deleted ledger is silently recreated with nothing spent",
        "tests/e2e/test_lost_ledger.py::test_a_lost_older_or_shortened_ledger_is_refused_and_the_fix_works",
        _lost_ledger_begins_silently,
    ),
    Mutant(
        "witness-ignored",
        "a ledger that is older than its witness is opened",
        "tests/ledger/test_ledger_guards.py::test_an_older_copy_of_the_ledger_is_refused_at_start_up",
        _witness_ignored,
    ),
    Mutant(
        "witness-not-awaited",
        "answers are released before the witness has their entries",
        "tests/ledger/test_ledger_guards.py::test_every_commit_is_witnessed_before_it_returns",
        _witness_not_awaited,
    ),
    Mutant(
        "spent-left-out",
        "a receipt omits the total spent so far",
        "tests/ledger/test_receipts.py::test_a_receipt_says_what_was_asked_what_it_cost_and_what_was_spent_by_then",
        _spent_left_out,
    ),
    Mutant(
        "queued-debits-unseen",
        "two identical questions in one group commit are both debited",
        "tests/ledger/test_ledger_turns.py::test_a_question_that_is_asked_twice_in_one_group_is_paid_once[sqlite]",
        _queued_debits_unseen,
    ),
    Mutant(
        "queued-spending-unseen",
        "debits in one group commit do not see each other's spending",
        "tests/ledger/test_ledger_turns.py::test_together_they_stay_within_the_cap[sqlite]",
        _queued_spending_unseen,
    ),
    Mutant(
        "head-not-held",
        "on a server, the spent total is read before the head is locked",
        "tests/ledger/test_ledger_server.py::test_nothing_is_read_before_the_head_is_held",
        _head_not_held,
    ),
    Mutant(
        "view-of-before-the-wait",
        "on a server, a transaction that waited for the head reads a snapshot from before the wait",
        "tests/ledger/test_ledger_server.py::test_whoever_waited_sees_what_was_spent_meanwhile",
        _view_of_before_the_wait,
    ),
    Mutant(
        "commit-taken-at-its-word",
        "a COMMIT that the server answers with ROLLBACK counts as committed",
        "tests/ledger/test_ledger_server.py::test_a_debit_whose_commit_the_server_turned_into_a_rollback_is_not_acknowledged",
        _commit_taken_at_its_word,
    ),
    Mutant(
        "commit-under-way-not-awaited",
        "a COMMIT whose session was lost counts as failed while the server still processes it",
        "tests/ledger/test_ledger_server.py::test_a_commit_that_is_still_under_way_is_waited_for",
        _commit_under_way_not_awaited,
    ),
    Mutant(
        "dropped-witness-unmissed",
        "`ledger verify` passes although the catalogue omits the accepted witness",
        "tests/e2e/test_evidence.py::test_a_witness_is_dropped_or_exchanged_only_with_a_reason",
        _dropped_witness_unmissed,
    ),
)
