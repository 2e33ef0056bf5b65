"""Where spans of the calendar begin, and which of them a question may group by."""

from __future__ import annotations

import datetime
import doctest
from typing import get_args

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapcat.errors import BadQuery, Refused
from lapcat.frontend.catalogue import read_catalogue
from lapcat.frontend.sql import understand
from lapcat.plan import calendar
from lapcat.plan.calendar import STEPS, how_many, public_moments, start
from lapcat.plan.expressions import Cast, Column, DateTrunc, Expression, Literal, NullOutsideBounds, Span
from lapcat.plan.nodes import GroupKey, Public, Scan
from lapcat.plan.schema import Relation, Table, Type, Unit

SPANS: tuple[Span, ...] = get_args(Span)
CATALOGUE = """
[tables.visits]
source = "visits.parquet"
unit   = "row"
budget = { epsilon = 3 }

[tables.visits.columns]
day   = { type = "date", low = 2023-11-15, high = 2024-02-02 }
seen  = { type = "timestamp", low = 2024-02-28, high = 2024-03-01 }
born  = { type = "date" }
since = { type = "timestamp", low = 0001-01-01, high = 9999-12-31 }
"""


def keys_of(grouping: str) -> GroupKey:
    def scan(table: Table) -> Scan:
        return Scan(table.name, table.source, 1, Unit(), Relation.ADD_REMOVE, None)

    catalogue = read_catalogue(CATALOGUE, lambda source: {})
    no_public = lambda table: Public(table.name, table.source, 1)  # noqa: E731
    return understand(
        f"SELECT {grouping} AS k, COUNT(*) AS n FROM visits GROUP BY k", catalogue, scan, no_public
    ).keys[0]


def test_examples_in_docstrings_run() -> None:
    results = doctest.testmod(calendar)
    assert results.attempted > 0 and results.failed == 0


@pytest.mark.patient
@given(st.datetimes(), st.sampled_from(SPANS))
def test_a_span_begins_where_duckdb_says(moment: datetime.datetime, span: Span) -> None:
    sql = "SELECT date_trunc($1, $2::TIMESTAMP), date_trunc($1, $3::DATE)::DATE"
    with duckdb.connect() as connection:
        wanted = connection.execute(sql, [span, moment, moment.date()]).fetchone()
    assert (start(span, moment), start(span, moment.date())) == wanted


DAYS = st.dates(datetime.date(1, 1, 1), datetime.date(9999, 12, 31))


@given(DAYS, st.integers(0, 900), st.sampled_from(SPANS), st.sampled_from([Type.DATE, Type.TIMESTAMP]))
def test_the_public_moments_are_those_of_all_moments_between_the_bounds(
    first: datetime.date, days: int, span: Span, kind: Type
) -> None:
    shorter = {"minute": days % 3, "second": 0}.get(span, days)
    last = first + min(datetime.timedelta(shorter), datetime.date.max - first)
    between = NullOutsideBounds(Column("d", kind), Literal(first, Type.DATE), Literal(last, Type.DATE), kind)
    cut: Expression = DateTrunc(span, between, kind)
    every = [first + datetime.timedelta(n) for n in range((last - first).days + 1)]
    if kind is Type.TIMESTAMP:
        step = STEPS.get(span, 12 * 3600)
        midnights = [datetime.datetime(day.year, day.month, day.day) for day in every]
        every = [
            night + datetime.timedelta(0, second) for night in midnights for second in range(0, 86_400, step)
        ]
    wanted = tuple(dict.fromkeys(start(span, moment) for moment in every))
    assert public_moments(cut) == wanted
    assert len(wanted) <= how_many(cut) <= len(wanted) * 31 / 28 + 2  # type: ignore[operator]


def test_months_between_declared_bounds_are_groups() -> None:
    key = keys_of("DATE_TRUNC('month', day)")
    assert key.values == tuple(
        datetime.date(*ymd) for ymd in [(2023, 11, 1), (2023, 12, 1), (2024, 1, 1), (2024, 2, 1)]
    )
    assert key.type is Type.DATE
    assert keys_of("date_trunc(WEEK, day)").values[0] == datetime.date(2023, 11, 13)  # type: ignore[index]


def test_a_timestamp_is_grouped_by_days_hours_and_months() -> None:
    days = tuple(datetime.datetime(*ymd) for ymd in [(2024, 2, 28), (2024, 2, 29), (2024, 3, 1)])
    assert keys_of("DATE_TRUNC('day', seen)").values == days
    assert keys_of("CAST(seen AS DATE)").values == tuple(day.date() for day in days)
    assert keys_of("DATE_TRUNC('month', CAST(seen AS DATE))").values == (
        datetime.date(2024, 2, 1), datetime.date(2024, 3, 1),
    )  # fmt: skip
    assert keys_of("CAST(DATE_TRUNC('month', seen) AS DATE)").values == (
        datetime.date(2024, 2, 1), datetime.date(2024, 3, 1),
    )  # fmt: skip
    hours = keys_of("DATE_TRUNC('hour', seen)").values
    assert hours is not None and len(hours) == 72 and hours[-1] == datetime.datetime(2024, 3, 1, 23)
    assert keys_of("CAST(day AS TIMESTAMP)").values[0] == datetime.datetime(2023, 11, 15)  # type: ignore[index]
    assert keys_of("YEAR(CAST(seen AS DATE))").values == range(2024, 2025)


def test_a_cast_of_a_date_to_a_timestamp_has_its_midnights() -> None:
    day = Literal(datetime.date(2024, 2, 28), Type.DATE)
    within = NullOutsideBounds(Column("d", Type.DATE), day, day, Type.DATE)
    assert public_moments(Cast(within, Type.TIMESTAMP)) == (datetime.datetime(2024, 2, 28),)


@pytest.mark.parametrize("grouping", ["DATE_TRUNC('month', born)", "CAST(born AS TIMESTAMP)", "seen"])
def test_dates_without_public_bounds_make_no_groups(grouping: str) -> None:
    with pytest.raises(Refused, match="keys-missing"):
        keys_of(grouping)


def test_too_many_hours_are_refused_before_they_are_made() -> None:
    with pytest.raises(Refused, match="too-many-groups"):
        keys_of("DATE_TRUNC('hour', since)")


@pytest.mark.parametrize(
    "grouping", ["DATE_TRUNC('hour', day)", "DATE_TRUNC('month', 3)", "DATE_TRUNC('month', 'May')"]
)
def test_only_a_timestamp_has_hours_and_only_dates_are_cut(grouping: str) -> None:
    with pytest.raises(BadQuery, match="type-mismatch"):
        keys_of(grouping)


@pytest.mark.parametrize("grouping", ["DATE_TRUNC('decade', day)", "DATE_TRUNC(day, seen, 'UTC')"])
def test_a_span_that_is_not_known_is_refused(grouping: str) -> None:
    with pytest.raises(BadQuery):
        keys_of(grouping)
