"""The price is what was asked, and a program that contradicts its plan never runs."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from neighbour_kit import TABLES, prepared, questions

import lapcat
from lapcat.core.loss import ApproxDP
from lapcat.core.mechanisms.constant import Constant
from lapcat.core.mechanisms.laplace import Laplace
from lapcat.errors import Bug
from lapcat.plan.compile import Program, agree, compile_program

EPSILONS = st.one_of(
    st.sampled_from([Fraction(1), Fraction(1, 10), Fraction(1, 3), Fraction(1, 10**6), Fraction(9)]),
    st.fractions(Fraction(1, 1000), 5, max_denominator=1000),
)


PRICE = ApproxDP(Fraction(1), Fraction(0))


@pytest.mark.parametrize("table", TABLES)
@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_a_question_costs_exactly_what_was_asked_or_nothing_at_all(table: str, data: st.DataObject) -> None:
    question, epsilon = prepared(data.draw(questions(table))), data.draw(EPSILONS)
    try:
        program = compile_program(question, epsilon)
    except lapcat.BadQuery as refused:
        # noise that would leave 64 bits: at no usual price, and it costs nothing
        assert refused.code == "scale-too-large" and epsilon == Fraction(1, 10**6)
        return
    moves = bool(question.choices) or any(fact.sensitivity.l1 > 0 for fact in question.facts.statistics)
    assert program.loss.epsilon == (epsilon if moves else 0)
    for measurement, fact in zip(program.measurements, question.facts.statistics, strict=True):
        assert isinstance(measurement.mechanism, Laplace) == (fact.sensitivity.l1 > 0)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT COUNT(*) AS n FROM rows_added",
        "SELECT k, COUNT(*) AS n, SUM(x) AS s, AVG(y) AS m FROM people_added GROUP BY k",
        "SELECT COUNT(*) FILTER (WHERE x > 1) AS n, COUNT(*) FILTER (WHERE x < 0) AS m FROM rows_replaced",
    ],
)
def test_a_question_costs_what_was_asked(text: str) -> None:
    assert compile_program(prepared(text), Fraction(3, 10)).loss.epsilon == Fraction(3, 10)


QUESTION = "SELECT COUNT(*) FILTER (WHERE x > 1) AS n, SUM(y) AS s, COUNT(*) AS m FROM rows_added"


def program() -> Program:
    return compile_program(prepared(QUESTION), Fraction(1))


def with_measurement(tampered: Program, index: int, **changes: object) -> Program:
    measurements = list(tampered.measurements)
    measurements[index] = replace(measurements[index], **changes)  # type: ignore[arg-type]
    return replace(tampered, measurements=tuple(measurements))


def tamperings() -> dict[str, Program]:
    whole = program()
    first = whole.measurements[0]
    assert isinstance(first.mechanism, Laplace)
    few = replace(
        whole.prepared,
        facts=replace(whole.prepared.facts, max_affected=whole.prepared.facts.max_affected - 1),
    )
    half = first.sensitivity.times(Fraction(1, 2))
    return {
        "half the noise": with_measurement(whole, 0, mechanism=Laplace(first.mechanism.scale / 2)),
        "a sensitivity of half the size": with_measurement(
            whole, 0, sensitivity=half, mechanism=Laplace(first.mechanism.scale / 2)
        ),
        "no noise at all": with_measurement(whole, 0, mechanism=Constant(3)),
        "fewer statistics that move at once": replace(whole, prepared=few),
    }


@pytest.mark.parametrize("how", tamperings())
def test_a_program_that_contradicts_its_plan_is_a_bug(how: str) -> None:
    with pytest.raises(Bug) as caught:
        agree(tamperings()[how], PRICE)
    assert caught.value.code == "cost-differs"


def test_the_program_as_it_was_compiledagrees() -> None:
    agree(program(), PRICE)


def test_a_program_above_its_price_is_a_bug() -> None:
    with pytest.raises(Bug):
        agree(program(), ApproxDP(Fraction(99, 100), Fraction(0)))
