"""Failures and pauses, versions, the accepted catalogue, the secret."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest
from ledger_kit import STAFF, ask, finish, kinds, open_ledger, spent, table

from lapcat.core.exact import exact
from lapcat.errors import BadArgument, Refused
from lapcat.ledger import SQLiteLedger, SQLLedger
from lapcat.ledger.transaction import Transaction

VISITS = "table:visits.parquet"


def fail(ledger: SQLLedger, question: str = "q", analyst: str | None = None) -> None:
    debit = ledger.debit(ask(question, analyst=analyst))
    ledger.executing(debit.id)
    ledger.failed(debit.id, analyst)


def code_of(ledger: SQLLedger, analyst: str | None = None, question: str = "q") -> str | None:
    """The code of the refusal of a question, if it is refused."""
    try:
        ledger.debit(ask(question, analyst=analyst))
    except Refused as refused:
        return refused.code
    return None


def test_a_failure_refunds_nothing_and_the_question_finishes_under_the_same_debit(
    ledger: SQLLedger,
) -> None:
    fail(ledger)
    assert spent(ledger) == exact("0.1")
    ledger.resume(STAFF, "the disk was full")
    again = ledger.debit(ask("q"))
    assert again.free and again.answer is None
    assert finish(ledger, again.id, b"at last") == b"at last"
    assert spent(ledger) == exact("0.1")


def test_a_failure_pauses_who_asked_and_nobody_else(ledger: SQLLedger) -> None:
    fail(ledger, analyst="eve")
    for question in ("q", "another"):
        with pytest.raises(Refused) as caught:
            ledger.debit(ask(question, analyst="eve"))
        assert caught.value.code == "analyst-paused"
        assert caught.value.message == "staff is paused for eve after a failed question"
        assert "lapcat resume staff --analyst eve --reason" in caught.value.fix
    assert not ledger.paused(STAFF) and ledger.failed_analysts(STAFF) == ["eve"]
    assert code_of(ledger, "ana") is None and code_of(ledger) is None
    assert ledger.debit(ask("elsewhere", "0.1", table(name="visits"), analyst="eve")).id
    ledger.resume_analyst(STAFF, "eve", "the disk was full")
    assert code_of(ledger, "eve") is None and ledger.failed_analysts(STAFF) == []
    assert ledger.verify()


def test_however_often_one_analyst_fails_the_table_answers_others(ledger: SQLLedger) -> None:
    """Questions that were under way when the first of them failed."""
    debits = [ledger.debit(ask(f"q{n}", analyst="eve")).id for n in range(5)]
    for id in debits:
        ledger.executing(id)
    for id in debits:
        ledger.failed(id, "eve")
    assert not ledger.paused(STAFF) and ledger.failures(STAFF) == 1 and code_of(ledger, "ana") is None
    ledger.resume_analyst(STAFF, "eve", "looked into")
    assert ledger.failures(STAFF) == 0 and ledger.verify()


def test_the_analyst_who_asked_is_paused_not_the_one_who_paid(ledger: SQLLedger) -> None:
    debit = ledger.debit(ask("q", analyst="ana"))
    again = ledger.debit(ask("q", analyst="eve"))
    assert again.id == debit.id
    ledger.executing(debit.id)
    ledger.failed(debit.id, "eve")
    assert code_of(ledger, "eve") == "analyst-paused" and code_of(ledger, "ana") is None


def test_three_failures_pause_a_table_until_it_is_resumed(ledger: SQLLedger) -> None:
    """Of three analysts."""
    for analyst in ("ana", "bob"):
        fail(ledger, analyst=analyst)
    assert not ledger.paused(STAFF)
    fail(ledger, analyst=None)
    assert ledger.paused(STAFF)
    for question in ("q", "another"):
        with pytest.raises(Refused) as caught:
            ledger.debit(ask(question, analyst="dan"))
        assert caught.value.code == "table-paused" and "staff is paused" in caught.value.message
        assert "lapcat resume staff --reason" in caught.value.fix
    assert spent(ledger) == exact("0.1")
    assert not ledger.paused(VISITS)
    ledger.debit(ask("elsewhere", "0.1", table(name="visits")))
    ledger.resume(STAFF, "the disk was full")
    assert not ledger.paused(STAFF) and ledger.failed_analysts(STAFF) == []
    assert all(code_of(ledger, analyst) is None for analyst in ("ana", "bob", "dan", None))
    fail(ledger, analyst="ana")
    assert not ledger.paused(STAFF) and ledger.verify()


def test_to_resume_one_of_three_analysts_lets_the_table_answer_again(ledger: SQLLedger) -> None:
    for analyst in ("ana", "bob", "cy"):
        fail(ledger, analyst=analyst)
    ledger.resume_analyst(STAFF, "bob", "looked into")
    ledger.resume_analyst(STAFF, "bob", "again, which changes nothing")
    ledger.resume_analyst(STAFF, "dan", "who was never paused")
    assert [code_of(ledger, who) for who in ("ana", "bob", "cy", "dan")] == [
        "analyst-paused",
        None,
        "analyst-paused",
        None,
    ]
    assert ledger.verify()


def test_a_failure_of_before_0_2_means_what_it_meant(ledger: SQLLedger) -> None:
    """It names no analyst: one or two pause nobody, three pause the table."""
    id = ledger.debit(ask("q", analyst="ana")).id
    for count in (1, 2, 3):

        def failed(transaction: Transaction) -> None:
            transaction.append("failed", {"debit": id})
            transaction.connection.execute(
                "INSERT INTO failures (scope, count) VALUES (?, 1) "
                "ON CONFLICT (scope) DO UPDATE SET count = failures.count + 1",
                (STAFF,),
            )

        ledger._write(failed)
        assert ledger.failures(STAFF) == count and ledger.failed_analysts(STAFF) == []
        assert code_of(ledger, "ana") == (None if count < 3 else "table-paused")
        assert ledger.verify()
    ledger.resume(STAFF, "looked into")
    assert code_of(ledger, "ana") is None


def test_a_failure_counts_against_every_table_of_the_question(ledger: SQLLedger) -> None:
    for analyst in ("ana", "bob", "cy"):
        debit = ledger.debit(ask(f"join {analyst}", "0.1", table(), table(name="visits"), analyst=analyst))
        ledger.executing(debit.id)
        ledger.failed(debit.id, analyst)
    assert ledger.paused(STAFF) and ledger.paused(VISITS)
    ledger.resume(STAFF, "checked")
    assert not ledger.paused(STAFF) and ledger.paused(VISITS)


def test_a_reason_is_required_and_kept(ledger: SQLLedger) -> None:
    for act in (lambda: ledger.accept({}, "  "), lambda: ledger.resume(STAFF, "")):
        with pytest.raises(BadArgument) as caught:
            act()
        assert caught.value.code == "reason-missing"
    assert kinds(ledger) == []
    ledger.resume(STAFF, "the engine was upgraded")
    assert "the engine was upgraded" in next(ledger.entries()).text


def test_the_catalogue_that_was_accepted_last_is_returned(ledger: SQLLedger) -> None:
    assert ledger.accepted() is None
    ledger.accept({"tables": {"staff": {"budget": {"epsilon": "3"}}}}, "first")
    facts = {"tables": {"staff": {"budget": {"epsilon": "4"}}}}
    assert ledger.accept(facts, "raised") == 2
    assert ledger.accepted() == facts
    assert ledger.accept(facts, "as it is") == 2 and ledger.acceptance() == (2, facts)


def test_a_version_is_a_number_that_only_refreshed_advances(ledger: SQLLedger) -> None:
    assert ledger.version("staff.csv") == 0
    assert ledger.refreshed("staff.csv", {"table": "staff"}) == 1
    assert ledger.refreshed("visits.csv", {}) == 1
    assert ledger.refreshed("staff.csv", {}) == 2
    assert (ledger.version("staff.csv"), ledger.version("visits.csv")) == (2, 1)


def test_the_secret_is_made_once_and_is_in_no_entry(store: str) -> None:
    with open_ledger(store) as ledger:
        secret = ledger.secret()
        assert len(secret) == 32
        ledger.accept({}, "first")
        assert all(secret.hex() not in entry.text for entry in ledger.entries())
    with open_ledger(store) as ledger:
        assert ledger.secret() == secret
    with SQLiteLedger() as another:
        assert another.secret() != secret


@pytest.mark.parametrize("years", [-10, 10])
def test_a_clock_that_is_years_off_changes_nothing(store: str, years: int) -> None:
    def clock() -> datetime:
        return datetime.now(UTC) + timedelta(days=365 * years)

    with open_ledger(store) as ledger:
        finish(ledger, ledger.debit(ask("q", "0.5", table("1"))).id, b"17")
    with open_ledger(store, clock=clock) as ledger:
        assert ledger.debit(ask("q", "0.5", table("1"))).answer == b"17"
        assert ledger.debit(ask("r", "0.5", table("1"))).id == 4
        with pytest.raises(Exception, match="budget-exceeded"):
            ledger.debit(ask("s", "0.1", table("1")))
    with open_ledger(store) as ledger:
        assert ledger.debit(ask("r", "0.5", table("1"))).id == 4
        assert ledger.verify() == 4


def test_another_time_zone_changes_nothing(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_ledger(
        store, clock=lambda: datetime(2030, 1, 1, 12)
    ) as ledger:  # a clock without a zone is local time
        monkeypatch.setenv("TZ", "Pacific/Kiritimati")
        time.tzset()
        try:
            ledger.debit(ask())
            assert '"time":"2029-12-31T22:00:00+00:00"' in next(ledger.entries()).text
        finally:
            monkeypatch.undo()
            time.tzset()
        assert ledger.debit(ask()).free


def test_entries_after_the_debit_carry_no_time(ledger: SQLLedger) -> None:
    debit = ledger.debit(ask())
    finish(ledger, debit.id)
    ledger.failed(debit.id)
    texts = {entry.kind: entry.text for entry in ledger.entries()}
    assert "time" in texts["debit"]
    assert not any("time" in texts[kind] for kind in ("looked", "answered", "failed"))
