"""A cap is reached exactly and never passed, in every scope at once."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ledger_kit import LOOSE, STAFF, ask, epsilons, keyed, kinds, laplace, own, spent, table

from lapcat.core.event import ExactRelease, JointRelease, KeyedRelease, ThresholdRelease
from lapcat.core.event_codec import event_from_json
from lapcat.core.exact import exact, exact_text
from lapcat.core.loss import ZCDP, ApproxDP, PureDP
from lapcat.errors import BudgetExceeded, Error, IntegrityFailed, Refused
from lapcat.ledger import Charge, Request, Spent, SQLLedger, affordable, left
from lapcat.ledger.filters import refusal
from lapcat.ledger.fixed_point import (
    DELTAS,
    EPSILONS,
    LARGEST,
    NOTHING,
    RHOS,
    FixedPointAmounts,
    cap_down,
    cost_of,
    cost_up,
)
from lapcat.plan.schema import SpendingLimit

fractions = st.fractions(min_value=0, max_value=20, max_denominator=10**12)


def refused(ledger: SQLLedger, request: Request) -> Error:
    with pytest.raises(Error) as caught:
        ledger.debit(request)
    return caught.value


@given(fractions)
def test_a_cost_is_rounded_up_and_a_cap_down_by_less_than_a_quantum(epsilon: Fraction) -> None:
    cost, cap = cost_up(PureDP(epsilon)), cap_down(SpendingLimit(epsilon=epsilon, rho=epsilon))
    assert (
        cost.epsilon is not None and cost.rho is not None and cap.epsilon is not None and cap.rho is not None
    )
    assert 0 <= Fraction(cost.epsilon, EPSILONS) - epsilon < Fraction(1, EPSILONS)
    assert 0 <= Fraction(cost.rho, RHOS) - epsilon**2 / 2 < Fraction(1, RHOS)
    assert 0 <= epsilon - Fraction(cap.epsilon, EPSILONS) < Fraction(1, EPSILONS)
    assert 0 <= epsilon - Fraction(cap.rho, RHOS) < Fraction(1, RHOS)


def test_a_loss_is_recorded_in_every_kind_that_a_theorem_gives() -> None:
    assert cost_up(PureDP(Fraction(1, 2))) == FixedPointAmounts(EPSILONS // 2, 0, RHOS // 8)
    assert cost_up(ZCDP(Fraction(1, 8))) == FixedPointAmounts(None, 0, RHOS // 8)
    assert cost_up(ApproxDP(Fraction(1), Fraction(1, 10**18))) == FixedPointAmounts(EPSILONS, 1, None)


def test_ten_tenths_reach_a_cap_of_one_and_nothing_fits_after(ledger: SQLLedger) -> None:
    for i in range(10):
        ledger.debit(ask(f"q{i}", "0.1", table("1")))
    assert spent(ledger) == 1
    assert refused(ledger, ask("q10", "0.000000001", table("1"))).code == "budget-exceeded"
    assert spent(ledger) == 1


def test_three_thirds_do_not_fit_into_one_because_each_is_rounded_up(ledger: SQLLedger) -> None:
    for i in range(2):
        ledger.debit(ask(f"q{i}", "1/3", table("1")))
    error = refused(ledger, ask("q2", "1/3", table("1")))
    assert isinstance(error, BudgetExceeded)
    assert error.message == "this question costs epsilon 0.333333334; staff has epsilon 0.333333332 left"
    assert error.fix == "epsilon=0.333333332"
    ledger.debit(ask("q2", error.fix.partition("=")[2], table("1")))
    assert spent(ledger) == 1


def test_the_proposed_epsilon_is_the_most_that_every_scope_allows(ledger: SQLLedger) -> None:
    people = Charge("population:people", "people", epsilons("0.4"))
    charges = (table("3"), people, own("ana", epsilons("1", per_query="0.25")))
    error = refused(ledger, ask("q", "0.5", *charges, analyst="ana"))
    assert (error.code, error.fix) == ("budget-exceeded", "epsilon=0.25")
    ledger.debit(ask("q", "0.25", *charges, analyst="ana"))
    assert refused(ledger, ask("r", "0.25", *charges, analyst="ana")).fix == "epsilon=0.15"


def test_no_scope_is_charged_when_one_refuses(ledger: SQLLedger) -> None:
    charges = (table("3"), table("3", "visits"), own("ana", "0.1"))
    assert refused(ledger, ask("q", "0.2", *charges, analyst="ana")).message == (
        "this question costs epsilon 0.2; ana on staff has epsilon 0.1 left"
    )
    assert [spent(ledger, charge.scope) for charge in charges] == [0, 0, 0]
    assert kinds(ledger) == []
    ledger.debit(ask("q", "0.1", *charges, analyst="ana"))
    assert [spent(ledger, charge.scope) for charge in charges] == [exact("0.1")] * 3


def test_one_question_may_not_cost_more_than_per_query(ledger: SQLLedger) -> None:
    limited = own("ana", epsilons("1", per_query="0.2"))
    error = refused(ledger, ask("q", "0.3", table("3"), limited, analyst="ana"))
    assert (error.code, error.fix) == ("per-query-exceeded", "epsilon=0.2")
    assert "costs epsilon 0.3; ana on staff allows epsilon 0.2 per question" in error.message
    ledger.debit(ask("q", "0.2", table("3"), limited, analyst="ana"))


def test_an_empty_budget_is_said_to_be_the_stewards_to_raise(ledger: SQLLedger) -> None:
    ledger.debit(ask("q", "0.4", table("3"), Charge("population:people", "people", epsilons("0.4"))))
    error = refused(ledger, ask("r", "4", table("3"), Charge("population:people", "people", epsilons("0.4"))))
    assert "raise the budget of people in lapcat.toml" in error.fix and "lapcat accept --reason" in error.fix


def test_a_question_that_costs_nothing_passes_an_empty_budget(ledger: SQLLedger) -> None:
    ledger.debit(ask("q", "1", table("1")))
    assert ledger.debit(ask("size", 0, table("1"))).loss == PureDP(Fraction(0))
    assert ledger.debit(
        ask("again", 0, table("0.5"))
    ).id  # also where the cap was lowered below what was spent


def test_an_epsilon_against_a_rho_budget_costs_half_its_square(ledger: SQLLedger) -> None:
    budget = table(SpendingLimit(rho=exact("0.1"), delta=exact("1e-7")))
    ledger.debit(ask("q", "0.4", budget))
    assert ledger.spent(STAFF).rho == exact("0.08")
    error = refused(ledger, ask("r", "0.4", budget))
    assert error.message == "this question costs rho 0.08; staff has rho 0.02 left"
    assert error.fix == "epsilon=0.2"
    ledger.debit(ask("r", "0.2", budget))
    assert ledger.spent(STAFF) == Spent(exact("0.6"), Fraction(0), exact("0.1"))


def test_what_was_spent_follows_a_budget_that_changes_its_kind(ledger: SQLLedger) -> None:
    ledger.debit(ask("q", "0.4", table("3")))
    assert refused(ledger, ask("r", "0.4", table(SpendingLimit(rho=exact("0.1"))))).code == "budget-exceeded"


def test_losses_of_another_kind_are_refused_not_guessed() -> None:
    approximate, concentrated = cost_up(ApproxDP(Fraction(1), Fraction(1, 10**6))), cost_up(ZCDP(Fraction(1)))
    for cost, limit in ((approximate, SpendingLimit(rho=Fraction(9))), (concentrated, epsilons(9))):
        error = refusal([table(limit)], cost, {})
        assert isinstance(error, Refused) and error.code == "loss-kind"
    before = {STAFF: NOTHING + approximate}
    assert refusal([table(SpendingLimit(rho=Fraction(9)))], cost_up(PureDP(Fraction(1))), before) is not None
    assert refusal([table("9")], cost_up(PureDP(Fraction(1))), before) is None


def test_delta_has_a_cap_of_its_own() -> None:
    cost = cost_up(ApproxDP(Fraction(1), exact("1e-6")))
    limit = SpendingLimit(epsilon=Fraction(3), delta=exact("1.5e-6"))
    assert refusal([table(limit)], cost, {}) is None
    error = refusal([table(limit)], cost, {STAFF: cost})
    assert error is not None
    assert (error.message, error.fix) == (
        "this question costs delta 0.000001; staff has delta 0.0000005 left",
        "delta=0.0000005",
    )
    assert refusal([table("3")], cost, {}) is not None


def test_private_groups_are_charged_their_epsilon_their_delta_and_half_the_square_of_the_epsilon(
    ledger: SQLLedger,
) -> None:
    by_epsilon, by_rho = table(LOOSE), table(SpendingLimit(rho=exact("0.13"), delta=exact("1e-6")), "visits")
    event = keyed("0.5")
    made = ledger.debit(ask("which cities", event, by_epsilon, by_rho))
    assert made.loss == event.loss and made.loss.epsilon == exact("0.5")  # the threshold's and the rest's
    for charge in (by_epsilon, by_rho):
        gone = ledger.spent(charge.scope)
        assert (gone.epsilon, gone.rho) == (exact("0.5"), exact("0.125"))
        assert 0 <= gone.delta - event.threshold.loss.delta < Fraction(1, DELTAS)
    error = refused(ledger, ask("which streets", event, by_epsilon, by_rho))
    assert error.message == "this question costs rho 0.125; visits has rho 0.005 left"
    assert error.fix == "epsilon=0.1"
    assert ledger.spent(STAFF).epsilon == exact("0.5")  # each in its own kind, all or none


def test_the_deltas_beside_a_rho_add_up_to_a_cap_of_their_own(ledger: SQLLedger) -> None:
    each = Fraction(cost_of(keyed("0.5")).delta, DELTAS)
    budget = table(SpendingLimit(rho=Fraction(9), delta=each * 5 / 2))
    for name in ("cities", "streets"):
        ledger.debit(ask(name, keyed("0.5"), budget))
    error = refused(ledger, ask("doors", keyed("0.5"), budget))
    assert error.code == "budget-exceeded" and "staff has delta" in error.message
    assert error.fix == f"delta={exact_text(each / 2)}"
    ledger.debit(ask("doors", keyed("0.5", tau=70), budget))


@pytest.mark.parametrize("limit", [epsilons("3"), SpendingLimit(rho=exact("0.5"))], ids=["epsilon", "rho"])
def test_a_budget_without_delta_shows_no_private_groups_and_says_what_to_add(
    ledger: SQLLedger, limit: SpendingLimit
) -> None:
    charges = (table(LOOSE), own("ana", limit))
    error = refused(ledger, ask("which cities", keyed("0.5"), *charges, analyst="ana"))
    assert (error.code, error.exit_code) == ("budget-without-delta", 4)
    assert "the budget of ana on staff has no delta" in error.message
    kind, cap = ("epsilon", "3") if limit.rho is None else ("rho", "0.5")
    assert f"{{ {kind} = {cap}, delta = 1e-7 }}" in error.fix
    assert kinds(ledger) == []


@given(
    st.fractions(Fraction(1, 10), 50, max_denominator=1000),
    st.integers(2, 200),
    st.fractions(Fraction(1, 100), 5, max_denominator=1000),
    st.integers(1, 4),
    st.sampled_from(["add-remove", "replace-one"]),
    st.booleans(),
)
def test_a_keyed_release_is_written_and_read_again_with_its_price(
    scale: Fraction, tau: int, epsilon: Fraction, keys: int, relation: str, bare: bool
) -> None:
    shown = ThresholdRelease("city", scale, tau, keys, relation)
    rest = (
        None
        if bare
        else JointRelease((laplace(epsilon), laplace(epsilon), ExactRelease("size")), max_affected=2)
    )
    event = KeyedRelease(shown, rest)
    assert event_from_json(event.as_json()) == event
    moved = keys * (1 if relation == "add-remove" else 2)
    whole = moved / scale + (0 if bare else 2 * epsilon)
    assert event.loss == ApproxDP(whole, shown.loss.delta)
    cost = cost_of(event)
    assert cost.rho is not None and 0 <= Fraction(cost.rho, RHOS) - whole**2 / 2 < Fraction(1, RHOS)


def test_parts_that_no_keyed_release_has_are_refused() -> None:
    honest = keyed("0.5").as_json()
    for part in ("threshold", "rest"):
        with pytest.raises(IntegrityFailed):
            event_from_json({**honest, part: laplace("0.5").as_json()})
    with pytest.raises(IntegrityFailed):
        event_from_json({**honest, "threshold": None})


def test_an_amount_that_does_not_fit_is_refused(ledger: SQLLedger) -> None:
    huge = table(SpendingLimit(epsilon=Fraction(10**12)))
    assert refused(ledger, ask("q", 10**11, huge)).code == "amount-too-large"
    with pytest.raises(Refused, match="amount-too-large"):
        ledger.find("q", laplace(10**11))


def test_a_rho_that_does_not_fit_is_unknown_and_a_budget_of_rho_refuses_it(ledger: SQLLedger) -> None:
    huge = table(SpendingLimit(epsilon=Fraction(10**6)))
    for i in range(3):
        ledger.debit(ask(f"q{i}", 3000, huge))  # rho 4.5 million each, of at most 9.2 million
    assert LARGEST < 3 * 4_500_000 * RHOS
    assert ledger.spent(STAFF).epsilon == 9000 and ledger.spent(STAFF).rho is None
    assert refused(ledger, ask("r", 1, table(SpendingLimit(rho=Fraction(1000))))).code == "loss-kind"


def test_one_source_under_two_names_pays_once_and_both_caps_bind(ledger: SQLLedger) -> None:
    twice = (Charge(STAFF, "staff", epsilons("3")), Charge(STAFF, "workers", epsilons("1")))
    ledger.debit(ask("q", "0.6", *twice))
    assert spent(ledger) == exact("0.6")
    error = refused(ledger, ask("r", "0.6", *twice))
    assert error.message == "this question costs epsilon 0.6; workers has epsilon 0.4 left"


@given(st.lists(st.tuples(fractions, fractions, st.booleans()), min_size=1, max_size=4), fractions)
def test_a_filter_never_passes_its_cap_and_its_proposal_always_fits(
    limits: list[tuple[Fraction, Fraction, bool]], epsilon: Fraction
) -> None:
    charges, before = [], {}
    for i, (cap, gone, is_rho) in enumerate(limits):
        charge = table(SpendingLimit(rho=cap) if is_rho else SpendingLimit(epsilon=cap), f"t{i}")
        charges.append(charge)
        before[charge.scope] = cost_up(PureDP(gone))
    loss = PureDP(epsilon)
    if refusal(charges, cost_up(loss), before) is None and epsilon > 0:
        for cap, gone, is_rho in limits:
            total = (gone**2 + epsilon**2) / 2 if is_rho else gone + epsilon
            assert total <= cap
    proposal = affordable(charges, before)
    assert proposal == 0 or refusal(charges, cost_up(PureDP(proposal)), before) is None
    above = cost_up(PureDP(proposal + Fraction(1, EPSILONS)))
    assert refusal(charges, above, before) is not None
    for charge in charges:
        assert left(charge.limit, Spent.of(before[charge.scope])) >= 0


def test_a_debit_keeps_the_event_from_which_its_cost_is_derived(ledger: SQLLedger) -> None:
    made = ledger.debit(ask("q", "1/3"))
    assert not made.free and made.answer is None and made.event == laplace("1/3")
    debit = ledger.find("q", laplace("1/3"))
    assert debit is not None
    assert (debit.id, debit.hash, debit.event, debit.memo) == (made.id, made.hash, made.event, made.memo)


def test_the_first_receipt_is_what_every_repeat_gives(ledger: SQLLedger) -> None:
    event = JointRelease((laplace("1/3"), laplace("0.5"), ExactRelease("size")), max_affected=2)
    memo = {"statistics": ("n", "s"), "unit": {"column": "person_id"}, "bounds": [0, 1.5, None]}
    request = Request("q", event, (table(),), (STAFF,), memo)
    first, again = ledger.debit(request), ledger.debit(request)
    assert first.event == again.event == event
    assert first.memo == again.memo == {**memo, "statistics": ["n", "s"]}
    assert (first.id, first.hash, first.loss) == (again.id, again.hash, PureDP(Fraction(5, 6)))
