"""Bounds that nobody knew: found at a price, within a factor of what the values are, and written where they belong."""

from __future__ import annotations

import datetime
import itertools
import tomllib
from fractions import Fraction
from typing import TYPE_CHECKING, cast

import numpy as np
import pandas as pd
import pytest

import lapcat
from lapcat.session.bounds import ProposedBounds, find_bounds, number_edges, written_into

if TYPE_CHECKING:
    from lapcat.session.results import Answer

NO_ANSWER = cast("Answer", None)


@pytest.fixture(scope="module")
def db() -> lapcat.Session:
    dice = np.random.default_rng(3)
    n = 6_000
    days = [datetime.date(2021, 3, 1) + datetime.timedelta(days=int(d)) for d in dice.integers(0, 900, n)]
    rows = pd.DataFrame(
        {
            "person": np.repeat(np.arange(n // 3), 3),
            "pay": dice.uniform(25_000, 90_000, n),
            "change": dice.uniform(-0.8, 3.0, n),
            "age": dice.integers(18, 80, n),
            "day": days,
            "none": [None] * n,
            "name": ["x"] * n,
        }
    )
    return lapcat.table(
        rows,
        unit="person",
        rows_per_unit=5,
        epsilon=9,
        types={"day": "date", "none": "float", "name": "text"},
    )


@pytest.mark.parametrize(
    "column, low, high",
    [
        ("pay", "20000", "100000"),
        ("change", "-1", "5"),
        ("age", "10", "100"),
        ("day", "2021-01-01", "2023-12-31"),
    ],
)
def test_bounds_are_the_round_numbers_around_the_values(
    column: str, low: str, high: str, db: lapcat.Session
) -> None:
    """Every bucket holds hundreds of rows and the noise has a scale of 10, so none of them is missed; an empty one seems to
    hold somebody in one search of a thousand, and in both of these two in one of a million."""
    before = db.budget().as_json()
    searches = [find_bounds(db, f"data.{column}", epsilon) for epsilon in ("0.5", "0.500000001")]
    right = [proposal for proposal in searches if (proposal.low, proposal.high) == (low, high)]
    assert right and all(proposal.line is not None for proposal in searches)
    proposal = right[0]
    assert proposal.line is not None
    assert f"low = {low}, high = {high}" in proposal.line and proposal.heading == "tables.data.columns"
    assert db.budget().as_json() != before, "it is paid for"
    assert find_bounds(db, f"data.{column}", "0.5").answer.free


def test_rows_of_a_unit_are_what_nearly_every_unit_has(db: lapcat.Session) -> None:
    """An empty bucket seems to hold somebody in one search of a thousand, and in both of these two in one of a million."""
    searches = [find_bounds(db, "data.rows_per_unit", epsilon) for epsilon in ("1", "1.000000001")]
    proposal = next(proposal for proposal in searches if proposal.line == "rows_per_unit = 3")
    assert proposal.heading == "tables.data"


@pytest.mark.parametrize("units", [40, 133])
def test_rows_of_a_few_units_are_found_and_not_guessed(units: int) -> None:
    """Each of a few units has 3 rows: what is proposed is 3, or nothing. A wrong bucket in both searches: once in a million."""
    rows = pd.DataFrame({"u": [f"u{i % units}" for i in range(3 * units)], "x": 1})
    db = lapcat.table(rows, unit="u", rows_per_unit=9, epsilon=9)
    searches = [find_bounds(db, "data.rows_per_unit", epsilon).line for epsilon in ("1", "1.000000001")]
    assert "rows_per_unit = 3" in searches


def test_rows_of_most_units_are_proposed_and_not_those_of_a_few() -> None:
    rows = pd.DataFrame({"u": [i for i in range(3000) for _ in range(5 if i < 2910 else 400)], "x": 1})
    db = lapcat.table(rows, unit="u", rows_per_unit=9, epsilon=9)
    assert find_bounds(db, "data.rows_per_unit", "2").line == "rows_per_unit = 5"  # 97 in 100; noise of 0.5


def test_values_beyond_the_search_get_no_line_that_the_catalogue_would_refuse() -> None:
    for sign in (1, -1):
        db = lapcat.table(pd.DataFrame({"x": [sign * 1e300] * 500}), unit="row", epsilon=9)
        proposal = find_bounds(db, "data.x", "1")
        assert proposal.beyond and proposal.line is None and written_into("", proposal) is None
    mixed = lapcat.table(pd.DataFrame({"x": [1e300, 3e15] * 500}), unit="row", epsilon=9)
    proposal = find_bounds(mixed, "data.x", "1")
    assert (proposal.low, proposal.high) == ("2000000000000000", "5000000000000000")


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("SELECT MEDIAN(i) AS v FROM data GROUP BY ROLLUP (g, k)", 10),
        ("SELECT g, k, MAX(i) AS v FROM data GROUP BY CUBE (g, k)", 12),
    ],
)
def test_a_median_of_every_sub_total_is_answered(question: str, rows: int) -> None:
    frame = pd.DataFrame({"g": [0, 1, 2] * 100, "k": ["a", "b"] * 150, "i": range(300)})
    db = lapcat.table(
        frame,
        unit="row",
        epsilon=500,
        keys={"g": [0, 1, 2], "k": ["a", "b"]},
        bounds={"i": (0, 300)},
        i_understand="made-up rows",
    )
    answer_rows = db.sql(question).run(epsilon=50).rows
    assert len(answer_rows) == rows and all(0 <= row["v"] <= 300 for row in answer_rows)


def test_where_the_noise_hides_everything_nothing_is_found(db: lapcat.Session) -> None:
    searches = [find_bounds(db, "data.none", epsilon) for epsilon in ("0.5", "0.500000001")]
    proposal = next(
        proposal for proposal in searches if proposal.line is None
    )  # one search in a thousand sees somebody
    assert (proposal.low, proposal.high, proposal.line) == (None, None, None)
    assert proposal.as_json()["line"] is None and written_into("", proposal) is None


@pytest.mark.parametrize(
    "place, code",
    [
        ("data.name", "type-mismatch"),
        ("data.pya", "unknown-column"),
        ("dat.pay", "unknown-table"),
        ("pay", "unknown-table"),
    ],
)
def test_what_has_no_bounds_is_refused_before_anything_is_paid(
    place: str, code: str, db: lapcat.Session
) -> None:
    before = db.budget().as_json()
    with pytest.raises(lapcat.BadQuery) as refusal:
        find_bounds(db, place, "0.5")
    assert refusal.value.code == code and refusal.value.fix and db.budget().as_json() == before


def test_the_edges_cover_every_number_on_both_sides() -> None:
    edges = number_edges(whole=False)
    assert list(edges) == sorted(edges) and [-edge for edge in reversed(edges)] == list(edges)
    steps = [after / before for before, after in itertools.pairwise(edges) if before > 0]
    assert max(steps) == Fraction(5, 2)


# ------------------------------------------------------------------------------------------------ the catalogue

PAY = ProposedBounds("staff", "pay", "float", "0", "200000", NO_ANSWER)


@pytest.mark.parametrize(
    "line, changed",
    [
        ('pay = { type = "float" }', 'pay = { type = "float", low = 0, high = 200000 }'),
        ("pay = {}  # ?", "pay = { low = 0, high = 200000 }  # ?"),
        ("pay={low=1, high = 2.5, null=1}", "pay={low = 0, high = 200000, null=1}"),
    ],
)
def test_bounds_are_written_into_the_line_of_their_column(line: str, changed: str) -> None:
    text = "# all of it\n[tables.people.columns]\npay = {{}}\n\n[tables.staff.columns]\nage = {{}}\n{}\n"
    assert written_into(text.format(line), PAY) == text.format(changed)


def test_rows_per_unit_are_written_under_their_table() -> None:
    text = (
        '[tables.staff]\nunit = "person"\nrows_per_unit = 50 # a guess\n[tables.other]\nrows_per_unit = 9\n'
    )
    proposal = ProposedBounds("staff", "rows_per_unit", None, None, "7", NO_ANSWER)
    assert written_into(text, proposal) == text.replace("50", "7")


@pytest.mark.parametrize(
    "text",
    [
        "[tables.staff]\ncolumns = { pay = {} }\n",
        '[tables.staff.columns.pay]\ntype = "float"\n',
        "[tables.staff.columns]\nage = {}\n",
        '[tables.staff.columns]\npay = { type = "float", note = "}" }\n',
    ],
)
def test_a_line_that_cannot_be_changed_safely_is_left_alone(text: str) -> None:
    tomllib.loads(text)
    changed = written_into(text, PAY)
    assert changed is None or tomllib.loads(changed)["tables"]["staff"]["columns"]["pay"]["note"] == "}"
