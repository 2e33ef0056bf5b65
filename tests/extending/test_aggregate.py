"""An aggregate from outside: skewness.py and one call of `register` put SKEWNESS through the suites of the built-in ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import lapcat
from lapcat.plan.aggregates import AGGREGATES, register
from lapcat.session import Session
from tests.engines.benches import BENCHES, Bench, bench_of
from tests.engines.family import seen
from tests.engines.golden_rows import golden_reference, golden_rows
from tests.extending.skewness import SKEWNESS
from tests.golden import test_golden
from tests.golden.corpus import Case, schema_of
from tests.laws import coverage_cases, test_coverage
from tests.neighbours.neighbour_kit import (
    PREDICATES,
    ROWS,
    TABLES,
    TYPES,
    VALUES,
    Pair,
    breaches,
    pair_of,
    prepared,
)
from tests.support import deploy, seeded

BASICS = Path(__file__).parent / "basics"
LOUD = "1e9"
"""An epsilon at which the noise is less than a millionth."""


@pytest.fixture(autouse=True, scope="module")
def registered() -> Iterator[None]:
    register(SKEWNESS)
    yield
    del AGGREGATES[SKEWNESS.name]


def skewness(y: NDArray[np.float64], x: object = None) -> float:
    return float(((y - y.mean()) ** 3).mean() / y.std() ** 3)


# ------------------------------------------------------------------------------------------------ golden


def test_the_question_becomes_what_is_written_down(request: pytest.FixtureRequest) -> None:
    test_golden.test_a_question_becomes_what_is_written_down(Case(BASICS / "skewness"), request)


def test_a_name_has_one_meaning() -> None:
    with pytest.raises(ValueError, match="skewness"):
        register(SKEWNESS)


def test_without_the_registration_sql_does_not_know_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(AGGREGATES, SKEWNESS.name)
    with pytest.raises(lapcat.BadQuery, match="SKEWNESS is not a supported aggregate"):
        schema_of("basics").prepared("SELECT SKEWNESS(salary) AS tilt FROM staff")


@pytest.mark.parametrize("argument", ["score", "region", "CLAMP(score, 0, 1e200)"])
def test_what_has_no_bounds_is_refused(argument: str) -> None:
    with pytest.raises(lapcat.Error) as refused:
        schema_of("basics").prepared(f"SELECT SKEWNESS({argument}) AS tilt FROM staff")
    assert not isinstance(refused.value, lapcat.Bug)


# ------------------------------------------------------------------------------------------------ engines


@pytest.fixture(scope="module", params=BENCHES)
def bench(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return bench_of(request.param, request, tmp_path_factory.mktemp("bench"))


def test_every_engine_has_the_specified_integers(bench: Bench) -> None:
    """Over made-up rows with NULL, NaN, infinities and people with more rows than may count."""
    schema = schema_of("basics")
    rows = golden_rows(schema.catalogue, seed=1)
    fitted = {table: (bench.fitted(own), *rest) for table, (own, *rest) in rows.items()}
    engine, specified = bench.over(fitted), golden_reference(fitted)  # type: ignore[arg-type]
    for text in (
        Case(BASICS / "skewness").question,
        "SELECT SKEWNESS(weight * lives) AS tilt FROM cats GROUP BY colour",
        "SELECT SKEWNESS(dose) AS tilt, AVG(dose) AS mean FROM clinic",
        "SELECT SKEWNESS(CLAMP(score, -1e-9, 2e-9)) AS tilt FROM staff GROUP BY floor",
    ):
        for look in schema.prepared(text).executed_plans:
            plan = bench.fitted(look)
            engine.ready(plan)
            assert seen(engine, plan) == seen(specified, plan)


# ------------------------------------------------------------------------------------------------ neighbours


@pytest.mark.parametrize("table", TABLES)
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_one_unit_moves_the_exact_integers_no_further_than_claimed(table: str, data: st.DataObject) -> None:
    value, condition = data.draw(VALUES), data.draw(PREDICATES)
    groups = data.draw(st.sampled_from(["", " GROUP BY k", " GROUP BY o, z"]))
    text = f"SELECT SKEWNESS({value}) AS s, SKEWNESS({value}) FILTER (WHERE {condition}) AS t FROM {table}{groups}"
    first, question = data.draw(st.integers(0, 2**32)), prepared(text)
    for seed in range(first, first + 3):
        assert breaches(question, pair_of(table, seed)) == [], f"{text}\npair_of({table!r}, {seed})"


@pytest.mark.parametrize("end", [-3.5, 10.3, float("-inf"), 1e308])
def test_a_person_with_many_rows_counts_for_as_many_as_declared(end: float) -> None:
    question = prepared("SELECT k, SKEWNESS(x) AS s FROM people_added GROUP BY k")
    nothing = dict.fromkeys(TYPES)
    others = [{**nothing, "x": 1.0, "k": "q", "person": who} for who in range(3)]
    person_rows = [{**nothing, "x": end, "k": "p", "person": 7} for _ in range(1000 * ROWS)]
    assert breaches(question, Pair([*others, *person_rows], others)) == []


# ------------------------------------------------------------------------------------------------ answers


@pytest.mark.parametrize("n", test_coverage.SMALL)
def test_the_interval_holds_the_true_number_also_where_rows_are_few(n: int) -> None:
    case = coverage_cases.Case(SKEWNESS, skewness, least=2)
    test_coverage.test_the_interval_holds_the_true_number_also_where_rows_are_few(case, n)


def test_the_interval_is_no_wider_than_it_must_be_where_rows_are_many() -> None:
    case = coverage_cases.Case(SKEWNESS, skewness, least=2)
    test_coverage.test_the_interval_is_no_wider_than_it_must_be_where_rows_are_many(case)


def test_without_noise_it_is_the_third_standardised_moment(tmp_path: Path) -> None:
    """And its sums are stored: a variance of the same rows is free afterwards."""
    values = np.random.default_rng(3).gamma(2.0, 1.5, 400)
    db = session(tmp_path, values)
    (row,) = db.sql("SELECT SKEWNESS(y) AS tilt FROM rows").run(epsilon=LOUD)
    truth = skewness(np.clip(values, 0, 10))
    assert row["tilt"] == pytest.approx(truth, rel=1e-5)
    assert row["tilt_low"] <= row["tilt"] <= row["tilt_high"] <= row["tilt_low"] + 1e-4
    assert db.sql("SELECT VAR_POP(y) AS v FROM rows").preview(epsilon=1).free


def test_one_value_has_no_skewness_and_open_ends(tmp_path: Path) -> None:
    (row,) = session(tmp_path, np.full(50, 4.0)).sql("SELECT SKEWNESS(y) AS tilt FROM rows").run(epsilon=1)
    assert (row["tilt_low"], row["tilt_high"]) == (None, None)


def session(folder: Path, values: NDArray[np.float64]) -> Session:
    catalogue = """
    [tables.rows]
    source = "rows.parquet"
    unit = "row"
    budget = { epsilon = 1e12, i_understand = "to see the exact figures" }
    [tables.rows.columns]
    y = { type = "float", low = 0, high = 10 }
    """
    return seeded(deploy(folder, catalogue, {"rows.parquet": {"y": values.tolist()}}))
