"""The same question is paid once, and answered with the same bytes."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ledger_kit import STAFF, ask, epsilons, finish, keyed, kinds, laplace, own, spent, table

from lapcat.core.event import KeyedRelease
from lapcat.core.exact import exact
from lapcat.core.loss import ApproxDP
from lapcat.core.mechanisms.threshold import Threshold
from lapcat.errors import BudgetExceeded, Bug
from lapcat.ledger import Debit, SQLLedger


def paid_for_by(ledger: SQLLedger, analyst: str, question: str, epsilon: str, cap: str = "1") -> Debit:
    debit = ledger.debit(ask(question, epsilon, table(), own(analyst, cap), analyst=analyst))
    if debit.answer is None:
        finish(ledger, debit.id, f"{question} at {epsilon} for {analyst}".encode())
    return debit


def test_the_same_question_is_free_and_returns_the_same_bytes_and_receipt(ledger: SQLLedger) -> None:
    first = ledger.debit(ask("q", "0.5"))
    finish(ledger, first.id, b"17")
    for _ in range(3):
        again = ledger.debit(ask("q", "0.5"))
        assert again.free and again.answer == b"17"
        assert (again.id, again.hash, again.memo) == (first.id, first.hash, first.memo)
    assert spent(ledger) == exact("0.5")
    assert kinds(ledger) == ["debit", "looked", "answered"]


def test_a_smaller_epsilon_is_served_by_the_stored_better_answer(ledger: SQLLedger) -> None:
    better = ledger.debit(ask("q", "0.5"))
    finish(ledger, better.id, b"good")
    served = ledger.debit(ask("q", "0.2"))
    assert served.free and served.answer == b"good" and served.loss.epsilon == exact("0.5")
    assert spent(ledger) == exact("0.5")


def test_a_larger_epsilon_pays_in_full(ledger: SQLLedger) -> None:
    finish(ledger, ledger.debit(ask("q", "0.2")).id, b"poor")
    better = ledger.debit(ask("q", "0.5"))
    assert not better.free and better.answer is None
    assert spent(ledger) == exact("0.7")


def test_better_is_decided_by_exact_numbers_not_by_quanta(ledger: SQLLedger) -> None:
    finish(ledger, ledger.debit(ask("q", "1/3")).id)
    assert ledger.debit(ask("q", "0.333333333")).free
    assert not ledger.debit(ask("q", "0.333333334")).free  # the same number of quanta, and yet more was asked


def test_of_several_better_answers_the_best_is_served(ledger: SQLLedger) -> None:
    for epsilon in ("0.2", "0.4", "0.6"):
        finish(ledger, ledger.debit(ask("q", epsilon)).id, epsilon.encode())
    assert ledger.debit(ask("q", "0.1")).answer == b"0.6"


def test_a_retry_returns_what_it_returned_even_after_a_better_answer_exists(ledger: SQLLedger) -> None:
    for epsilon in ("0.2", "0.6"):
        finish(ledger, ledger.debit(ask("q", epsilon)).id, epsilon.encode())
    assert ledger.debit(ask("q", "0.2")).answer == b"0.2"


@pytest.mark.parametrize(
    ("asked", "free"),
    [
        (keyed("0.5", 60), True),
        (keyed("0.5", 61), True),  # less delta
        (keyed("0.5", 59), False),  # more delta, which would show more groups
        (
            keyed("0.4", 60),
            True,
        ),  # at the same threshold, less epsilon is more delta in name, and no better in anything
        (keyed("0.4", 59), False),
        (keyed("0.6", 70), False),
    ],
    ids=lambda value: (
        f"{value.loss.epsilon}-{value.threshold.tau}" if isinstance(value, KeyedRelease) else ""
    ),
)
def test_private_groups_are_served_to_whoever_asks_for_no_more_epsilon_and_no_more_delta(
    ledger: SQLLedger, asked: KeyedRelease, free: bool
) -> None:
    finish(ledger, ledger.debit(ask("which cities", keyed("0.5", 60))).id, b"cities")
    again = ledger.debit(ask("which cities", asked))
    assert again.free is free and again.answer == (b"cities" if free else None)
    assert again.event == (keyed("0.5", 60) if free else asked)


@given(st.fractions(Fraction(1, 100), 3), st.fractions(0, 1), st.integers(2, 10**12), st.integers(1, 10**6))
def test_no_more_epsilon_and_no_more_delta_is_never_a_lower_threshold(
    epsilon: Fraction, share: Fraction, one_in: int, times: int
) -> None:
    """Which is why `serves` may compare thresholds where people compare deltas."""
    delta, less = Fraction(1, one_in), Fraction(1, one_in * times)
    more = Threshold.calibrate(2, ApproxDP(epsilon, delta), "add-remove")
    fewer = Threshold.calibrate(2, ApproxDP(epsilon * (share + Fraction(1, 50)) / 2, less), "add-remove")
    assert fewer.tau >= more.tau


def test_an_unfinished_debit_is_taken_up_and_an_answer_is_preferred_to_it(ledger: SQLLedger) -> None:
    unfinished = ledger.debit(ask("q", "0.5"))
    assert ledger.debit(ask("q", "0.5")).id == unfinished.id
    assert ledger.debit(ask("q", "0.2")).id == unfinished.id
    finish(ledger, ledger.debit(ask("q", "0.6")).id, b"done")
    assert ledger.debit(ask("q", "0.2")).answer == b"done"
    assert spent(ledger) == exact("1.1")


def test_another_question_is_another_debit(ledger: SQLLedger) -> None:
    finish(ledger, ledger.debit(ask("q", "0.5")).id)
    assert not ledger.debit(ask("r", "0.5")).free
    assert ledger.find("s", laplace("0.5")) is None


def test_another_analysts_repeat_debits_that_analyst_only_and_once(ledger: SQLLedger) -> None:
    first = paid_for_by(ledger, "ana", "q", "0.5")
    for turn in range(3):
        repeat = paid_for_by(ledger, "bob", "q", "0.5")
        assert repeat.free and repeat.shared is (turn == 0) and repeat.id == first.id
        assert repeat.answer == b"q at 0.5 for ana"
    assert spent(ledger, STAFF) == exact("0.5")
    assert spent(ledger, "analyst:ana@staff.parquet") == exact("0.5")
    assert spent(ledger, "analyst:bob@staff.parquet") == exact("0.5")
    assert kinds(ledger) == ["debit", "looked", "answered", "share"]
    assert ledger.charged_to(first.id, "ana") and ledger.charged_to(first.id, "bob")
    assert not ledger.charged_to(first.id, "eve")


def test_a_share_costs_what_the_stored_answer_lost_not_what_was_asked(ledger: SQLLedger) -> None:
    paid_for_by(ledger, "ana", "q", "0.5")
    repeat = paid_for_by(ledger, "bob", "q", "0.1")
    assert repeat.shared and repeat.loss.epsilon == exact("0.5")
    assert spent(ledger, "analyst:bob@staff.parquet") == exact("0.5")


def test_an_analyst_never_pays_for_a_better_answer_when_retrying_their_own(ledger: SQLLedger) -> None:
    paid_for_by(ledger, "bob", "q", "0.2")
    paid_for_by(ledger, "ana", "q", "0.5")
    retry = paid_for_by(ledger, "bob", "q", "0.2")
    assert retry.answer == b"q at 0.2 for bob" and not retry.shared
    assert spent(ledger, "analyst:bob@staff.parquet") == exact("0.2")


def test_of_answers_yet_to_be_paid_the_analyst_gets_the_cheapest_that_is_good_enough(
    ledger: SQLLedger,
) -> None:
    for epsilon in ("0.2", "0.4", "0.6"):
        paid_for_by(ledger, "ana", "q", epsilon, cap="2")
    assert paid_for_by(ledger, "bob", "q", "0.3").loss.epsilon == exact("0.4")


def test_a_stored_answer_beyond_an_analysts_cap_does_not_bar_the_question(ledger: SQLLedger) -> None:
    paid_for_by(ledger, "ana", "q", "0.5")
    request = ask("q", "0.1", table(), own("bob", epsilons("0.3", per_query="0.2")), analyst="bob")
    assert ledger.find("q", laplace("0.1"), "bob", request.charges) is None
    own_debit = ledger.debit(request)
    assert not own_debit.free and own_debit.loss.epsilon == exact("0.1")
    assert spent(ledger) == exact("0.6")
    assert spent(ledger, "analyst:bob@staff.parquet") == exact("0.1")


def test_an_analyst_without_anything_left_gets_no_stored_answer(ledger: SQLLedger) -> None:
    paid_for_by(ledger, "ana", "q", "0.5")
    paid_for_by(ledger, "bob", "r", "0.3", cap="0.3")
    with pytest.raises(BudgetExceeded) as caught:
        paid_for_by(ledger, "bob", "q", "0.5", cap="0.3")
    assert "bob on staff" in caught.value.message
    assert not ledger.charged_to(1, "bob")


def test_two_answers_to_one_debit_are_both_the_first(ledger: SQLLedger) -> None:
    debit = ledger.debit(ask())
    ledger.executing(debit.id)
    assert ledger.answered(debit.id, b"first") == b"first"
    assert ledger.answered(debit.id, b"second") == b"first"
    ledger.executing(debit.id)  # a repeat that was on its way says nothing new
    assert ledger.debit(ask()).answer == b"first"
    assert kinds(ledger) == ["debit", "looked", "answered"]


def test_what_find_says_is_what_debit_does_and_it_charges_nothing(ledger: SQLLedger) -> None:
    paid_for_by(ledger, "ana", "q", "0.5")
    request = ask("q", "0.2", table(), own("bob", "1"), analyst="bob")
    before = kinds(ledger)
    debit = ledger.find("q", laplace("0.2"), "bob", request.charges)
    assert kinds(ledger) == before
    assert debit is not None and debit.shared
    assert ledger.debit(request) == debit
    assert ledger.find("q", laplace(1)) is None


def test_an_answer_to_nothing_or_without_a_look_is_a_bug(ledger: SQLLedger) -> None:
    debit = ledger.debit(ask())
    with pytest.raises(Bug, match="was never executed"):
        ledger.answered(debit.id, b"?")
    for act in (ledger.executing, ledger.failed):
        with pytest.raises(Bug, match="no debit 99"):
            act(99)
    assert ledger.debit(ask()).answer is None
