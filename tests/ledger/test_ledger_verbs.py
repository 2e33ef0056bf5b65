"""Keys of requests, notes of release, pauses and voids: what they do, and what they never do."""

from __future__ import annotations

from dataclasses import replace

import pytest
from ledger_kit import STAFF, ask, finish, kinds, open_ledger, own, spent, table

from lapcat.core.exact import exact
from lapcat.errors import BadArgument, Refused
from lapcat.ledger import Request, SQLLedger
from lapcat.ledger.base import DebitState, IdempotencyKey


def under(key: str, request: Request, asks: str = "") -> Request:
    return replace(request, key=IdempotencyKey(key, asks or f"{request.question} at {request.event.loss}"))


def state(ledger: SQLLedger, debit_id: int) -> DebitState:
    with ledger._store.reading() as connection:
        row = connection.execute("SELECT state FROM debits WHERE id = ?", (debit_id,)).fetchone()
    return DebitState(row[0])


# ------------------------------------------------------------------------------------------------ keys


def test_a_request_tried_again_under_its_key_is_the_same_debit(ledger: SQLLedger) -> None:
    asked = under("monday", ask("q", "0.5"))
    first = ledger.debit(asked)
    again = ledger.debit(asked)
    assert (again.id, again.hash, again.free) == (first.id, first.hash, True) and spent(ledger) == exact(
        "0.5"
    )
    finish(ledger, first.id, b"answer")
    kept = ledger.keyed(IdempotencyKey("monday", asked.key.asks if asked.key else ""))
    assert kept is not None and kept.answer == b"answer" == ledger.debit(asked).answer
    assert spent(ledger) == exact("0.5")


@pytest.mark.parametrize("other", [ask("another", "0.5"), ask("q", "0.4"), ask("q", "0.6")])
def test_something_else_under_the_same_key_is_refused_and_free(ledger: SQLLedger, other: Request) -> None:
    ledger.debit(under("monday", ask("q", "0.5")))
    before = kinds(ledger)
    for act in (ledger.debit, lambda request: ledger.keyed(request.key)):
        with pytest.raises(Refused) as caught:
            act(under("monday", other))
        assert caught.value.code == "key-reused"
    assert spent(ledger) == exact("0.5") and kinds(ledger) == before


def test_a_key_holds_its_answer_even_when_a_better_one_is_stored(ledger: SQLLedger) -> None:
    first = ledger.debit(under("monday", ask("q", "0.1")))
    finish(ledger, first.id, b"coarse")
    finish(ledger, ledger.debit(ask("q", "0.5")).id, b"fine")
    assert ledger.debit(under("monday", ask("q", "0.1"))).answer == b"coarse"


def test_a_key_may_name_a_stored_answer_and_costs_nothing(ledger: SQLLedger) -> None:
    finish(ledger, ledger.debit(ask("q", "0.5")).id, b"stored")
    assert ledger.debit(under("tuesday", ask("q", "0.1"))).answer == b"stored"
    assert spent(ledger) == exact("0.5") and kinds(ledger)[-1] == "key"


def test_analysts_have_keys_of_their_own(ledger: SQLLedger) -> None:
    for analyst in ("ana", "bob"):
        request = ask(f"of {analyst}", "0.1", table(), own(analyst, "1"), analyst=analyst)
        assert not ledger.debit(under("monday", request)).free


def test_a_refused_request_leaves_its_key_free(ledger: SQLLedger) -> None:
    with pytest.raises(Exception, match="left"):
        ledger.debit(under("monday", ask("q", "4")))
    assert not ledger.debit(under("monday", ask("q", "1"))).free


# ------------------------------------------------------------------------------------------------ released


def test_a_release_is_noted_with_the_next_entry_and_once(ledger: SQLLedger) -> None:
    debit = ledger.debit(ask("q"))
    finish(ledger, debit.id)
    for _ in range(2):
        ledger.released(debit.id)
    assert state(ledger, debit.id) is DebitState.ANSWERED
    ledger.debit(ask("next"))
    assert state(ledger, debit.id) is DebitState.RELEASED and kinds(ledger).count("released") == 1
    ledger.released(debit.id)
    ledger.debit(ask("and next"))
    assert kinds(ledger).count("released") == 1


def test_a_release_is_noted_when_the_ledger_is_closed(store: str) -> None:
    with open_ledger(store) as ledger:
        debit = ledger.debit(ask("q"))
        finish(ledger, debit.id)
        ledger.released(debit.id)
    with open_ledger(store) as ledger:
        assert state(ledger, debit.id) is DebitState.RELEASED
        assert ledger.debit(ask("q")).answer == b"42"
        ledger.verify()


def test_what_was_released_still_comes_before_what_has_no_answer_yet(ledger: SQLLedger) -> None:
    first = ledger.debit(ask("q", "0.2"))
    finish(ledger, first.id, b"coarse")
    ledger.released(first.id)
    assert not ledger.debit(ask("q", "0.5")).free
    assert state(ledger, first.id) is DebitState.RELEASED
    assert ledger.debit(ask("q", "0.1")).answer == b"coarse"


def test_a_note_survives_a_refusal_that_rolled_it_back(ledger: SQLLedger) -> None:
    debit = ledger.debit(ask("q"))
    finish(ledger, debit.id)
    ledger.released(debit.id)
    with pytest.raises(Exception, match="left"):
        ledger.debit(ask("too much", "9"))
    assert state(ledger, debit.id) is DebitState.ANSWERED
    ledger.debit(ask("next"))
    assert state(ledger, debit.id) is DebitState.RELEASED


# ------------------------------------------------------------------------------------------------ pause


def test_a_paused_table_answers_nobody_until_it_is_resumed(ledger: SQLLedger) -> None:
    finish(ledger, ledger.debit(ask("stored")).id)
    ledger.pause(STAFF, "the source is being moved")
    for question in ("stored", "new"):
        with pytest.raises(Refused, match="staff is paused by the steward: the source is being moved"):
            ledger.debit(ask(question))
    assert ledger.paused(STAFF) and spent(ledger) == exact("0.1")
    ledger.resume(STAFF, "moved")
    assert not ledger.paused(STAFF) and ledger.debit(ask("stored")).free


# ------------------------------------------------------------------------------------------------ void


def test_a_debit_that_nobody_looked_under_is_taken_back_from_all_who_paid(ledger: SQLLedger) -> None:
    charges = (table(), own("ana", "1"))
    debit = ledger.debit(ask("q", "0.5", *charges, analyst="ana"))
    ledger.debit(ask("q", "0.5", table(), own("bob", "1"), analyst="bob"))  # shares what is not answered yet
    ledger.debit(ask("other", "0.25", *charges, analyst="ana"))
    ledger.void(debit.id, "asked by mistake")
    assert spent(ledger) == exact("0.25") == spent(ledger, charges[1].scope)
    assert spent(ledger, own("bob", "1").scope) == 0
    assert state(ledger, debit.id) is DebitState.VOIDED
    with pytest.raises(Refused) as caught:
        ledger.executing(debit.id)
    assert caught.value.code == "debit-voided"
    again = ledger.debit(ask("q", "0.5", *charges, analyst="ana"))
    assert not again.free and again.id != debit.id and spent(ledger) == exact("0.75")


def test_after_a_look_what_was_spent_stays_spent(ledger: SQLLedger) -> None:
    debit = ledger.debit(ask("q"))
    ledger.executing(debit.id)
    for step in (lambda: None, lambda: ledger.failed(debit.id), lambda: ledger.answered(debit.id, b"42")):
        step()
        with pytest.raises(Refused) as caught:
            ledger.void(debit.id, "too late")
        assert caught.value.code == "void-late"
    assert spent(ledger) == exact("0.1") and "void" not in kinds(ledger)


def test_a_debit_is_taken_back_once_and_its_key_is_free_again(ledger: SQLLedger) -> None:
    debit = ledger.debit(under("monday", ask("q")))
    ledger.void(debit.id, "a mistake")
    with pytest.raises(Refused):
        ledger.void(debit.id, "again")
    assert spent(ledger) == 0
    assert not ledger.debit(under("monday", ask("another"))).free


def test_only_a_debit_is_taken_back_and_only_with_a_reason(ledger: SQLLedger) -> None:
    debit = ledger.debit(ask("q"))
    ledger.executing(debit.id)
    for id in (debit.id + 1, 99):
        with pytest.raises(BadArgument) as caught:
            ledger.void(id, "what is this")
        assert caught.value.code == "no-debit"
    for act in (lambda: ledger.void(debit.id, " "), lambda: ledger.pause(STAFF, "")):
        with pytest.raises(BadArgument) as caught:
            act()
        assert caught.value.code == "reason-missing"
