"""What several releases cost together: the least valid figure, the theorem that gave it, and when it may be quoted."""

from __future__ import annotations

import math
import random
import sys
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lapcat
from lapcat.accounting import ACCOUNTANTS, PrivacyFilter, compose
from lapcat.accounting.base import BEFOREHAND, parts_of
from lapcat.accounting.renyi import pure_divergence
from lapcat.core.event import (
    EXPONENTIAL,
    ChoiceRelease,
    ExactRelease,
    GaussianRelease,
    JointRelease,
    LaplaceRelease,
)
from lapcat.core.exact import ln_up, sqrt_up
from lapcat.core.loss import ZCDP, ApproxDP, PureDP
from lapcat.core.zcdp import epsilon_of_zcdp, rounded_up
from lapcat.errors import BadArgument, BudgetExceeded

DELTA = Fraction(1, 10**6)
epsilons = st.builds(Fraction, st.integers(1, 300), st.just(100))
losses = st.one_of(
    epsilons.map(PureDP),
    epsilons.map(lambda e: ZCDP(e * e / 2)),
    st.builds(ApproxDP, epsilons, st.just(Fraction(1, 10**9))),
)


def test_v14_three_answers_add_up_and_a_family_of_four_pays_four_times() -> None:
    total = lapcat.compose(["0.1", "0.2", "0.3"])
    assert total.epsilon == Fraction(6, 10) and total.delta == 0
    assert total.theorem.startswith("basic composition") and not total.fixed_beforehand
    assert total.loss == PureDP(Fraction(6, 10)) and total.loss.group(4).epsilon == Fraction(24, 10)
    assert lapcat.group(epsilon=total.epsilon, size=4).epsilon == Fraction(24, 10)


@given(st.lists(losses, min_size=1, max_size=6), st.sampled_from([DELTA, Fraction(1, 10**5)]))
@settings(max_examples=40)
def test_no_figure_is_above_basic_composition_and_each_names_its_theorem(
    given_losses: list[PureDP | ZCDP | ApproxDP], delta: Fraction
) -> None:
    composition = compose(given_losses, delta=delta)
    basic = next(quote for quote in composition.quotes if quote.accountant == "basic")
    assert composition.epsilon <= basic.epsilon and composition.delta <= delta
    assert composition.theorem and composition.source
    assert {quote.accountant for quote in composition.quotes} <= {"basic", "advanced", "zcdp", "renyi"}
    pure = all(isinstance(loss, PureDP) for loss in given_losses)
    assert composition.fixed_beforehand == (not (pure and composition.best.accountant == "basic"))


@given(st.lists(epsilons, min_size=1, max_size=8))
@settings(max_examples=40)
def test_the_order_of_releases_and_their_form_do_not_matter(values: list[Fraction]) -> None:
    forms = [PureDP(e) for e in values]
    events = [LaplaceRelease("x", e, Fraction(1)) for e in reversed(values)]
    assert (
        compose(forms, delta=DELTA).epsilon
        == compose(events, delta=DELTA).epsilon
        == compose(values, delta=DELTA).epsilon
    )


def exact_delta_of_responses(epsilon: float, k: int, total: float) -> float:
    """δ(total) of k binary randomised responses at epsilon, by the binomial law: the worst that k pure releases do."""
    p = 1 / (1 + math.exp(-epsilon))
    return math.fsum(
        max(0.0, weight * (1 - math.exp(total - (k - 2 * lies) * epsilon)))
        for lies in range(k + 1)
        if (weight := math.comb(k, lies) * p ** (k - lies) * (1 - p) ** lies) > 0
        and (k - 2 * lies) * epsilon > total
    )


@pytest.mark.parametrize(("epsilon", "k"), [("0.1", 50), ("0.5", 20), ("0.01", 500), ("1", 5), ("2", 3)])
def test_no_figure_is_below_the_exact_composition_of_randomised_responses(epsilon: str, k: int) -> None:
    """A lower bound that needs no package: k randomised responses are themselves such releases."""
    composition = compose([epsilon] * k, delta=DELTA)
    for quote in composition.quotes:
        assert exact_delta_of_responses(float(epsilon), k, float(quote.epsilon)) <= float(DELTA) * (
            1 + 1e-9
        ), quote
    # and the best figure is not far from it: three quarters of its epsilon would break the promise
    assert exact_delta_of_responses(float(epsilon), k, 0.75 * float(composition.epsilon)) > float(DELTA)


def test_many_small_questions_cost_much_less_than_their_sum_and_say_on_which_condition() -> None:
    composition = compose(["0.01"] * 1000, delta=DELTA)
    assert composition.quotes[0].epsilon == 10 and composition.epsilon < 2
    assert composition.caveat == BEFOREHAND and "fixed beforehand" in str(composition)


def test_a_single_release_is_quoted_as_it_is() -> None:
    composition = compose(["0.5"], delta="1e-7")
    assert composition.epsilon == Fraction(1, 2) and composition.delta == 0 and not composition.caveat


@pytest.mark.parametrize("rho", ["0.0001", "0.005", "0.5", "3", "20"])
def test_the_conversion_of_rho_is_below_the_simple_one_and_above_the_gaussian_truth(rho: str) -> None:
    """The simple one: ρ + 2√(ρ ln(1/δ)), Bun & Steinke 2016, Proposition 1.3 (arXiv:1605.02065)."""
    value = Fraction(rho)
    tight = epsilon_of_zcdp(value, DELTA)
    assert 0 < tight <= value + 2 * sqrt_up(value * ln_up(1 / DELTA))
    # continuous Gaussian noise with sigma² = 1 / (2 rho) is rho-zCDP; its own delta at that epsilon is not larger
    sigma = math.sqrt(1 / (2 * float(value)))
    e = float(tight)
    phi = lambda x: math.erfc(-x / math.sqrt(2)) / 2  # noqa: E731
    assert phi(1 / (2 * sigma) - e * sigma) - math.exp(e) * phi(-1 / (2 * sigma) - e * sigma) <= float(DELTA)


@given(epsilons, st.builds(Fraction, st.integers(101, 5000), st.just(100)))
@settings(max_examples=60)
def test_the_divergence_of_a_pure_release_is_that_of_randomised_response_rounded_up(
    e: Fraction, a: Fraction
) -> None:
    p = 1 / (1 + math.exp(-float(e)))
    order = float(a)
    logs = [
        order * math.log(p) + (1 - order) * math.log(1 - p),
        order * math.log(1 - p) + (1 - order) * math.log(p),
    ]
    largest = max(logs)
    truth = (largest + math.log(sum(math.exp(x - largest) for x in logs))) / (order - 1)
    divergence = float(pure_divergence(e, a))
    assert truth * (1 - 1e-9) - 1e-12 <= divergence <= min(float(e), order * float(e) ** 2 / 2) * (1 + 1e-9)
    assert divergence <= truth * (1 + 1e-6) + 1e-12


def test_an_exponential_choice_enters_with_its_own_rho() -> None:
    choice = ChoiceRelease("day", EXPONENTIAL, Fraction(1))
    (part,) = parts_of([choice])
    assert part.rho == Fraction(1, 8)
    assert compose([choice] * 50, delta=DELTA).epsilon < compose(["1"] * 50, delta=DELTA).epsilon


def test_parallel_releases_cost_the_largest_or_the_two_largest() -> None:
    parts = ["0.1", "0.3", "0.2"]
    assert compose(parts, parallel="add-remove").epsilon == Fraction(3, 10)
    assert compose(parts, parallel="replace-one").epsilon == Fraction(5, 10)
    assert compose(["0.3"] * 5, parallel="replace-one").epsilon == Fraction(6, 10)
    rhos = [ZCDP(Fraction(1)), ZCDP(Fraction(2)), PureDP(Fraction(1))]
    assert compose(rhos, parallel="add-remove", delta=DELTA).epsilon == rounded_up(
        epsilon_of_zcdp(Fraction(2), DELTA)
    )
    approximate = [ApproxDP(Fraction(1), DELTA), PureDP(Fraction(2))]
    composition = compose(approximate, parallel="replace-one", delta=DELTA)
    assert (composition.epsilon, composition.delta) == (3, DELTA)
    with pytest.raises(BadArgument, match="no common measure"):
        compose([ZCDP(Fraction(1)), ApproxDP(Fraction(1), DELTA)], parallel="add-remove", delta=DELTA)
    with pytest.raises(BadArgument, match="'sideways'"):
        compose(parts, parallel="sideways")


def test_public_and_joint_releases_are_counted_by_their_own_loss() -> None:
    joint = JointRelease(
        (LaplaceRelease("a", Fraction(1), Fraction(2)), LaplaceRelease("b", Fraction(1), Fraction(4))), 1
    )
    assert compose([ExactRelease("n"), joint]).epsilon == Fraction(1, 2)
    assert compose([]).epsilon == 0


@pytest.mark.parametrize(
    ("releases", "delta", "message"),
    [
        ([ZCDP(Fraction(1))], 0, "cannot be converted into an epsilon at delta 0"),
        ([ApproxDP(Fraction(1), Fraction(1, 100))], "0.001", "delta of 0.001 is below"),
        (["0.1"], 1, "delta of 1 "),
        (["0.1"], -1, "delta of -1 "),
        (["0.1"], math.nan, "nan"),
        (["x"], 0, "'x'"),
        (["-1"], 0, "-1"),
        ("0.1", 0, "'0.1'"),
        (7, 0, "7"),
    ],
)
def test_bad_arguments_are_refused_with_the_value(releases: object, delta: object, message: str) -> None:
    with pytest.raises(BadArgument, match=message):
        compose(releases, delta=delta)  # type: ignore[arg-type]


def test_a_filter_admits_up_to_its_cap_and_says_what_is_left() -> None:
    spent = (
        PrivacyFilter(epsilon=Fraction(1), delta=DELTA)
        .spend(PureDP(Fraction(1, 2)))
        .spend(ApproxDP(Fraction(1, 4), DELTA))
    )
    assert spent.left == Fraction(1, 4)
    assert spent.spend(PureDP(Fraction(1, 4))).left == 0
    with pytest.raises(BudgetExceeded, match=r"exceeds the 0\.25 left"):
        spent.spend(PureDP(Fraction(1, 3)))
    with pytest.raises(BudgetExceeded, match="delta"):
        spent.spend(ApproxDP(Fraction(0), DELTA))
    with pytest.raises(BadArgument, match="never becomes a rho"):
        spent.spend(ZCDP(Fraction(1, 100)))


def test_a_filter_in_rho_counts_pure_losses_by_half_their_square() -> None:
    spent = PrivacyFilter(rho=Fraction(1)).spend(PureDP(Fraction(1))).spend(ZCDP(Fraction(1, 4)))
    assert spent.left == Fraction(1, 4)
    with pytest.raises(BadArgument, match="never becomes a rho"):
        spent.spend(ApproxDP(Fraction(1), DELTA))
    with pytest.raises(BadArgument):
        PrivacyFilter()


def test_the_written_tuple_is_what_compose_asks() -> None:
    assert {getattr(accountant, "__name__", "") for accountant in ACCOUNTANTS} == {
        "basic",
        "advanced",
        "zcdp",
        "renyi",
    }


EVENTS = (
    LaplaceRelease("a", Fraction(1), Fraction(10)),
    LaplaceRelease("b", Fraction(2), Fraction(5)),
    LaplaceRelease("c", Fraction(1), Fraction(1)),
    GaussianRelease("d", Fraction(1), Fraction(100)),
    GaussianRelease("e", Fraction(4), Fraction(64)),
)


def test_without_the_extra_it_is_named_and_nothing_else_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    with_extra = compose(["0.1"] * 10, delta=DELTA)
    for module in [name for name in sys.modules if name.split(".")[0] == "dp_accounting"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(
        sys.modules, "dp_accounting", None
    )  # importing it fails, as where it is not installed
    with pytest.raises(BadArgument, match=r"lapcat\[accounting\]"):
        compose(["0.1"] * 10, delta=DELTA, loss_distributions=True)
    assert compose(["0.1"] * 10, delta=DELTA) == with_extra


@pytest.mark.patient
@given(
    st.lists(st.sampled_from(EVENTS), min_size=1, max_size=12), st.sampled_from([DELTA, Fraction(1, 10**5)])
)
@settings(max_examples=30)
def test_no_figure_is_below_the_optimistic_loss_distribution_of_the_same_events(
    events: list[LaplaceRelease | GaussianRelease], delta: Fraction
) -> None:
    from dp_accounting.pld import privacy_loss_distribution as library

    total = None
    for event in events:
        if isinstance(event, LaplaceRelease):
            distribution = library.from_discrete_laplace_mechanism(
                float(1 / event.scale), int(event.l1), pessimistic_estimate=False
            )
        else:
            distribution = library.from_discrete_gaussian_mechanism(
                math.sqrt(event.sigma_squared), math.isqrt(int(event.l2_squared)), pessimistic_estimate=False
            )
        total = distribution if total is None else total.compose(distribution)
    assert total is not None
    optimistic = total.get_epsilon_for_delta(float(delta))
    composition = compose(events, delta=delta)
    assert all(quote.epsilon >= optimistic - 1e-6 for quote in composition.quotes if quote.delta)
    basic = next(quote for quote in composition.quotes if quote.accountant == "basic")
    assert optimistic - 1e-6 <= composition.epsilon <= basic.epsilon


def test_asked_for_loss_distributions_lie_between_the_optimistic_figure_and_what_is_known_without() -> None:
    from lapcat.accounting.loss_distribution import composed_epsilon

    rng = random.Random(7)
    for _ in range(12):
        pure = [PureDP(Fraction(rng.choice((1, 5, 10, 50, 100)), 100)) for _ in range(rng.randint(1, 30))]
        both = [*pure, *[ApproxDP(Fraction(1, 10), Fraction(1, 10**8))] * rng.randint(0, 2)]
        optimistic = composed_epsilon(parts_of(both), DELTA, pessimistic=False)
        own = compose(both, delta=DELTA)
        asked = compose(both, delta=DELTA, loss_distributions=True)
        assert optimistic - 1e-6 <= asked.epsilon <= own.epsilon <= own.quotes[0].epsilon
