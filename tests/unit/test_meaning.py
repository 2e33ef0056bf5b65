"""What a loss means: the figures of the theory, in words that hold, and a clear no where nothing is protected."""

from __future__ import annotations

import itertools
import math
import re
import xml.dom.minidom
from fractions import Fraction

import pytest

import lapcat
from lapcat.drawing.icons import icons_svg
from lapcat.mechanisms.odds import power, worst_posterior
from lapcat.render.deployments import DEPLOYMENTS
from lapcat.render.meaning import CAP, Meaning, epsilon_for, explain

EPSILONS = (0.1, 0.5, 1, 2, 4, 8)


@pytest.mark.parametrize(
    "prior, shown",
    [
        (0.5, (52.5, 62.2, 73.1, 88.1, 98.2, 99.97)),
        (0.01, (1.1, 1.6, 2.7, 6.9, 35.5, 96.8)),
    ],
)
def test_the_worst_posteriors_are_those_of_the_theory(prior: float, shown: tuple[float, ...]) -> None:
    for epsilon, percent in zip(EPSILONS, shown, strict=True):
        digits = 2 if percent > 99 else 1
        side = explain(epsilon).sides[0]
        assert round(100 * side.posterior(prior), digits) == percent


def test_the_power_of_the_best_test_is_that_of_the_theory() -> None:
    for epsilon, percent in zip(EPSILONS, (5.5, 8.2, 13.6, 36.9, 98.3, 99.97), strict=True):
        side = explain(epsilon).sides[0]
        assert round(100 * side.power, 2 if percent > 99 else 1) == percent


@pytest.mark.parametrize("epsilon, delta", [*itertools.product((0.1, 1, 3), (0, 0.01))])
def test_no_test_of_a_finite_mechanism_does_better(epsilon: float, delta: float) -> None:
    """Randomised response with a chance of delta to tell all attains both promises: every threshold test on it keeps the bound,
    and some reach it."""
    p = (1 - delta) / (1 + math.exp(-epsilon))
    here = (delta, p, 1 - delta - p, 0.0)  # told, agreed, denied, told the contrary
    there = (0.0, 1 - delta - p, p, delta)
    tight = 0.0
    for size in range(5):
        for region in itertools.combinations(range(4), size):
            alarms, right = sum(there[i] for i in region), sum(here[i] for i in region)
            bound = power(epsilon, alarms, delta)
            assert right <= bound + 1e-12
            tight = max(tight, right / bound if bound else 0)
    assert tight > 1 - 1e-9


def test_a_value_is_protected_half_as_well_as_presence_under_add_remove_only() -> None:
    whether, which = explain(2).sides
    assert (whether.epsilon, which.epsilon) == (2, 4) and which.power == explain(4).sides[0].power
    (only,) = explain(2, relation="replace-one").sides
    assert only.epsilon == 2


def test_households_and_releases_add_up() -> None:
    assert explain("0.5", household=4).epsilon == 2 == explain("0.5", releases=4).epsilon
    assert explain("0.5", household=4, releases=3).epsilon == 6
    several = explain("0.1", delta="1e-9", household=2)
    assert several.epsilon == Fraction(1, 5) and several.delta > 2 * Fraction(1, 10**9)
    assert explain(rho="0.1", delta="1e-6", household=2).epsilon == explain(rho="0.4", delta="1e-6").epsilon


@pytest.mark.parametrize("epsilon", [10, 35, 1_000, 10_000])
def test_a_large_epsilon_is_called_what_it_is(epsilon: int) -> None:
    """V15: an epsilon between 1 000 and 10 000 protects nobody, whoever finds it appropriate."""
    text = str(explain(epsilon))
    assert text.startswith("This protects nobody") and "strong" not in text.lower()


def test_the_words_get_worse_and_never_better() -> None:
    words = [explain(e).verdict.split(":")[0].split(" ")[0] for e in (0.5, 1.5, 3, 7, 12)]
    assert words == ["Strong", "Moderate", "Weak", "Next", "This"]


def test_only_deployments_of_the_same_unit_are_set_beside_it() -> None:
    days = explain(1, unit="user-day").deployments
    assert len(days) == 3 and all(line.endswith("for each user-day") for line in days)
    assert explain(1, unit="order").deployments == ()
    assert all(
        deployment.unit and (deployment.epsilon is None) != (deployment.rho is None)
        for deployment in DEPLOYMENTS
    )


def test_what_is_not_protected_is_always_said_and_so_is_what_the_figure_is() -> None:
    for meaning in (explain("0.01"), explain(20, relation="replace-one"), explain(rho=1, delta="1e-5")):
        assert "what it does not protect" in str(meaning)
    assert "the cap over all questions" in str(explain(1, figure=CAP))
    assert "none of this holds" in str(explain(1, delta="1e-6"))


def test_the_reverse_gives_an_epsilon_that_keeps_the_wish_and_hardly_less() -> None:
    for posterior in ("0.6", "0.75", "0.99"):
        epsilon = epsilon_for(posterior=posterior)
        assert (
            worst_posterior(float(epsilon), 0.5)
            <= float(posterior)
            < worst_posterior(float(epsilon) + 1e-6, 0.5)
        )
    assert worst_posterior(float(epsilon_for(posterior="0.5", prior="0.01")), 0.01) <= 0.5
    wanted = epsilon_for(error=10)
    assert (
        lapcat.mechanisms.Laplace(1, wanted).margin()
        <= 10
        < lapcat.mechanisms.Laplace(1, wanted * Fraction(99, 100)).margin()
    )


@pytest.mark.parametrize(
    "call, code",
    [
        (lambda: explain(), "explain-loss"),
        (lambda: explain(1, rho=1), "explain-loss"),
        (lambda: explain(0), "epsilon-range"),
        (lambda: explain(rho=1), "explain-delta"),
        (lambda: explain(1, delta=2), "delta-range"),
        (lambda: explain(1, relation="other"), "relation-unknown"),
        (lambda: explain(1, household=0), "explain-count"),
        (lambda: epsilon_for(), "explain-loss"),
        (lambda: epsilon_for(posterior="0.4"), "posterior-range"),
    ],
)
def test_what_has_no_meaning_is_refused_with_something_that_has(call: object, code: str) -> None:
    with pytest.raises(lapcat.BadQuery) as caught:
        call()  # type: ignore[operator]
    assert caught.value.code == code and caught.value.fix


def test_pictures_are_well_formed_described_and_show_the_same_numbers() -> None:
    page = explain(1)._repr_html_()
    xml.dom.minidom.parseString(f"<div>{page}</div>")
    assert page.count("<title>") == 3 and "73 of 100" in page and "script" not in page
    assert icons_svg(0.731, "x").count("#d55e00") == 73
    assert re.search(r"73\.1 %.*13\.6 %", page)


def test_it_is_one_object_for_terminal_notebook_and_programs() -> None:
    meaning = lapcat.explain(1)
    assert isinstance(meaning, Meaning) and meaning.as_json()["verdict"] == meaning.verdict
    assert lapcat.epsilon_for(posterior="0.75") == epsilon_for(posterior="0.75")
