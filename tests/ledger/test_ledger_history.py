"""The book as people read it, and what all of it costs by other theorems."""

from __future__ import annotations

from fractions import Fraction

from evidence_kit import asked
from ledger_kit import STAFF, ask, finish, keyed, own, table

from lapcat.accounting import ACCOUNTANTS
from lapcat.core.exact import exact
from lapcat.ledger import SQLiteLedger
from lapcat.ledger.history import charged, history
from lapcat.ledger.reaccounting import BY, accounts

ANA, BOB = "analyst:ana@staff.parquet", "analyst:bob@staff.parquet"


def test_an_act_is_one_line_with_how_far_it_has_come(ledger: SQLiteLedger) -> None:
    asked(ledger, "a")
    ledger.executing(ledger.debit(ask("b")).id)
    taken_back = ledger.debit(ask("c")).id
    ledger.void(taken_back, "a slip")
    ledger.released(1)
    asked(ledger, "a", analyst="bob")
    ledger.pause(STAFF, "a look at the disk")
    lines = history(ledger.entries())
    assert [(line.entry.kind, line.analyst, line.state) for line in lines] == [
        ("debit", "ana", "released"),
        ("debit", None, "looked"),
        ("debit", None, "voided"),
        ("void", None, ""),
        ("share", "bob", ""),
        ("pause", None, ""),
    ]
    assert all(line.of_table("staff.parquet", ["staff.parquet"]) for line in lines)
    assert not any(line.of_table("other.parquet", ["other.parquet"]) for line in lines)


def test_what_was_charged_to_a_budget_is_what_it_has_spent(ledger: SQLiteLedger) -> None:
    asked(ledger, "a", "b")
    asked(ledger, "a", analyst="bob")
    ledger.void(ledger.debit(ask("c", "0.5", table(), own("ana", "2"), analyst="ana")).id, "a slip")
    events = charged(history(ledger.entries()))
    for scope in (STAFF, ANA, BOB):
        spent = ledger.spent(scope).epsilon
        assert sum((event.loss.epsilon for event in events[scope]), Fraction(0)) == spent  # type: ignore[union-attr]
    assert [len(events[scope]) for scope in (STAFF, ANA, BOB)] == [2, 2, 1]


def test_history_is_accounted_for_by_every_theorem_that_covers_it(ledger: SQLiteLedger) -> None:
    asked(ledger, *(f"q{i}" for i in range(30)))
    (staff, ana) = accounts(history(ledger.entries()), ACCOUNTANTS, exact("1e-6"), str)
    assert (staff.scope, ana.scope, staff.many) == (STAFF, ANA, 30) and staff.quotes == ana.quotes
    quotes = {quote.accountant: quote for quote in staff.quotes}
    assert quotes["basic"].epsilon == exact("0.3") and not quotes["basic"].caveat
    assert quotes["zcdp"].epsilon < exact("0.3") and "fixed beforehand" in quotes["zcdp"].caveat
    (only, _) = accounts(history(ledger.entries()), BY["pld"], exact("1e-6"), str)
    assert [quote.accountant for quote in only.quotes] == ["loss distribution"]
    assert only.quotes[0].epsilon <= quotes["zcdp"].epsilon


def test_below_the_deltas_that_were_spent_there_is_nothing_to_say(ledger: SQLiteLedger) -> None:
    finish(ledger, ledger.debit(ask("groups", keyed("0.5"))).id)
    (account,) = accounts(history(ledger.entries()), ACCOUNTANTS, exact("1e-30"), str)
    assert account.quotes == () and account.needs == keyed("0.5").loss.delta  # type: ignore[union-attr]
