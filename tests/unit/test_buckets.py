"""Buckets of round width: where they begin, which value lies in which, and that no row decides it."""

from __future__ import annotations

import datetime
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapcat.engines.evaluation import evaluate
from lapcat.plan.buckets import bucketed, public_multiples, round_span, round_width
from lapcat.plan.calendar import public_moments
from lapcat.plan.expressions import Arithmetic, Column, Expression, Literal, NullOutsideBounds, Rounded
from lapcat.plan.schema import Type

INT, FLOAT, TEXT, BOOL, DATE, MOMENT = Type


def within(kind: Type, low: object, high: object) -> NullOutsideBounds:
    day = DATE if kind is MOMENT else kind
    return NullOutsideBounds(Column("x", kind), Literal(low, day), Literal(high, day), kind)  # type: ignore[arg-type]


def begins(operand: Expression, buckets: int) -> tuple[object, ...]:
    bucketing = bucketed(operand, buckets)
    assert bucketing is not None
    values = public_multiples(bucketing[0], 10**6)
    assert values is not None
    return values


@pytest.mark.parametrize(
    "about, whole, width",
    [
        ("0.3", True, "1"),  # a whole number has no half buckets
        ("1.4", True, "1"),  # 1.4 times 1, 2 is 1.43 times 1.4
        ("1.42", True, "2"),
        ("2.4", True, "2"),
        ("2.4", False, "2.5"),
        ("5.5", True, "5"),
        ("7.08", False, "10"),  # beyond the geometric mean of 5 and 10
        ("7.07", False, "5"),
        ("0.00031", False, "0.00025"),
        ("123456789", True, "100000000"),
    ],
)
def test_a_width_is_the_nearest_round_one(about: str, whole: bool, width: str) -> None:
    assert round_width(Fraction(about), whole=whole) == Fraction(width)


def test_whole_numbers_have_buckets_of_as_many_values_each() -> None:
    assert begins(within(INT, 0, 109), 20) == tuple(range(0, 110, 5))
    assert begins(within(INT, 18, 67), 10) == tuple(range(15, 70, 5))
    assert begins(within(INT, -7, 4), 6) == (-8, -6, -4, -2, 0, 2, 4)


def test_a_few_whole_numbers_are_buckets_of_their_own() -> None:
    operand = within(INT, 1, 5)
    assert bucketed(operand, 20) == (operand, "1")


def test_floats_have_no_bucket_for_their_upper_bound_alone() -> None:
    assert begins(within(FLOAT, 0.0, 5.0), 5) == (0, 1, 2, 3, 4)
    assert begins(within(FLOAT, 0.1, 0.3), 2) == (0.1, 0.2)
    assert begins(within(FLOAT, 20000.0, 200000.0), 20) == tuple(range(20000, 200000, 10000))


@given(st.integers(-300, 300), st.integers(1, 500), st.integers(0, 4), st.integers(1, 40), st.data())
def test_a_decimal_lies_between_where_its_bucket_begins_and_the_next(
    low: int, span: int, digits: int, buckets: int, data: st.DataObject
) -> None:
    """Also one that is written like a beginning, such as 0.29, whose double lies a little beside it."""
    ends = [float(Decimal(end).scaleb(-digits)) for end in (low, low + span)]
    bucketing = bucketed(within(FLOAT, *ends), buckets)
    assert bucketing is not None
    expression, width = bucketing[0], Fraction(bucketing[1])
    starts = begins(within(FLOAT, *ends), buckets)
    number = Decimal(data.draw(st.integers(10 * low, 10 * (low + span)))).scaleb(-digits - 1)
    start = evaluate(expression, {"x": float(number)})
    assert start in starts
    place = Fraction(str(start))
    last = start == starts[-1]
    assert place <= Fraction(number) < place + width or (last and Fraction(number) == place + width)


@given(
    st.floats(-8e307, 8e307),
    st.one_of(st.floats(5e-324, 1e307), st.floats(1e-9, 1e9)),
    st.integers(1, 50),
    st.floats(0, 1),
)
def test_every_value_within_any_bounds_lies_in_a_listed_bucket(
    low: float, span: float, buckets: int, share: float
) -> None:
    high = low + span
    if not low < high:
        return
    expression, _ = bucketed(within(FLOAT, low, high), buckets) or (None, "")
    assert expression is not None
    listed = begins(within(FLOAT, low, high), buckets)
    x = min(max(low + share * (high - low), low), high)
    assert evaluate(expression, {"x": x}) in listed


@pytest.mark.parametrize("outside", [None, float("nan"), float("inf"), -0.51, 1.01, 1e308])
def test_what_lies_outside_the_bounds_lies_in_no_bucket(outside: float | None) -> None:
    bucketing = bucketed(within(FLOAT, -0.5, 1.0), 15)
    assert bucketing is not None and evaluate(bucketing[0], {"x": outside}) is None


@pytest.mark.parametrize(
    "last, buckets, span",
    [
        ("2024-01-10", 20, "day"),
        ("2024-03-31", 12, "week"),
        ("2024-12-31", 12, "month"),
        ("2024-12-31", 20, "month"),  # 18.3 days lie nearer to 30.4 than to 7, by ratio
        ("2028-12-31", 20, "quarter"),
        ("2060-12-31", 20, "year"),
    ],
)
def test_dates_have_buckets_of_the_calendar(last: str, buckets: int, span: str) -> None:
    days = datetime.date(2024, 1, 1), datetime.date.fromisoformat(last)
    assert round_span(days, buckets, hours=False) == span
    bucketing = bucketed(within(DATE, *days), buckets)
    assert bucketing is not None and public_moments(bucketing[0]) is not None


def test_a_day_or_two_of_moments_have_buckets_of_hours() -> None:
    days = datetime.date(2024, 1, 1), datetime.date(2024, 1, 2)
    assert round_span(days, 20, hours=True) == "hour"
    bucketing = bucketed(within(MOMENT, *days), 20)
    assert bucketing is not None and len(public_moments(bucketing[0]) or ()) == 48


def test_without_bounds_there_are_no_buckets() -> None:
    for kind in (INT, FLOAT, DATE, MOMENT, TEXT):
        assert bucketed(Column("x", kind), 20) is None


def test_multiples_of_a_whole_number_are_listed_and_nothing_between_them() -> None:
    tens = Rounded("floor", Arithmetic("/", within(INT, 0, 39), Literal(10, INT), FLOAT))
    ten = Literal(10, INT)
    assert public_multiples(Arithmetic("*", tens, ten, INT), 100) == (0, 10, 20, 30)
    assert public_multiples(Arithmetic("*", ten, tens, INT), 100) == (0, 10, 20, 30)
    assert public_multiples(Arithmetic("/", tens, Literal(2, INT), FLOAT), 100) == (0.0, 0.5, 1.0, 1.5)
    assert public_multiples(Arithmetic("*", tens, ten, INT), 3) is None
    assert public_multiples(Arithmetic("*", tens, Literal(-10, INT), INT), 100) is None
    assert public_multiples(Arithmetic("*", Column("x", INT), ten, FLOAT), 100) is None


def test_no_group_is_listed_twice_where_doubles_cannot_tell_two_apart() -> None:
    large = within(INT, 2**53, 2**53 + 4)
    ones = Arithmetic("*", large, Literal(1.0, FLOAT), FLOAT)
    assert public_multiples(ones, 100) == (2.0**53, 2.0**53 + 2, 2.0**53 + 4)
    assert public_multiples(Arithmetic("/", large, Literal(2, INT), FLOAT), 100) == (
        2.0**52,
        2.0**52 + 1,
        2.0**52 + 2,
    )
