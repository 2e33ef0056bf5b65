"""Failures and pauses, versions, the accepted catalogue, the secret."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest
from ledger_kit import STAFF, ask, finish, kinds, open_ledger, spent, table

from lapcat.core.exact import exact
from lapcat.errors import BadArgument, Refused
from lapcat.ledger import SQLiteLedger, SQLLedger

VISITS = "table:visits.parquet"


def fail(ledger: SQLLedger, question: str = "q") -> None:
    debit = ledger.debit(ask(question))
    ledger.looked(debit.id)
    ledger.failed(debit.id)


def test_a_failure_refunds_nothing_and_the_question_finishes_under_the_same_debit(
    ledger: SQLLedger,
) -> None:
    fail(ledger)
    assert spent(ledger) == exact("0.1")
    again = ledger.debit(ask("q"))
    assert again.free and again.answer is None
    assert finish(ledger, again.id, b"at last") == b"at last"
    assert spent(ledger) == exact("0.1")


def test_three_failures_pause_a_table_until_it_is_resumed(ledger: SQLLedger) -> None:
    for _ in range(2):
        fail(ledger)
    assert not ledger.paused(STAFF)
    fail(ledger)
    assert ledger.paused(STAFF)
    for question in ("q", "another"):
        with pytest.raises(Refused) as caught:
            ledger.debit(ask(question))
        assert caught.value.code == "table-paused" and "staff is paused" in caught.value.message
        assert "lapcat resume staff --reason" in caught.value.fix
    assert spent(ledger) == exact("0.1")
    assert not ledger.paused(VISITS)
    ledger.debit(ask("elsewhere", "0.1", table(name="visits")))
    ledger.resume(STAFF, "the disk was full")
    assert not ledger.paused(STAFF)
    fail(ledger)
    assert not ledger.paused(STAFF)


def test_a_failure_counts_against_every_table_of_the_question(ledger: SQLLedger) -> None:
    for i in range(3):
        debit = ledger.debit(ask(f"join {i}", "0.1", table(), table(name="visits")))
        ledger.looked(debit.id)
        ledger.failed(debit.id)
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
