"""Variances, correlations and lines: SQL's numbers, made total, from statistics that are shared."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

import lapcat
from lapcat.core.mechanisms.laplace import Laplace
from lapcat.plan.accuracy import Noise, margin_of_combination
from lapcat.plan.aggregates import AGGREGATES
from lapcat.plan.aggregates.equations import ASIDE, Equations
from lapcat.plan.aggregates.of_moments import OfMoments
from lapcat.session import Session
from lapcat.testing.coins import SeededCoins
from tests.golden.corpus import schema_of
from tests.laws.coverage_cases import CASES, Case, clamped, covered, fewest, rows_of
from tests.support import deploy, seeded

MOMENTS = [aggregate for aggregate in AGGREGATES.values() if isinstance(aggregate, OfMoments)]
OF_ONE = [aggregate.name for aggregate in MOMENTS if aggregate.arguments == 1]
OF_TWO = [aggregate.name for aggregate in MOMENTS if aggregate.arguments == 2]
ALL = [f"{name}(y) AS {name}" for name in OF_ONE] + [f"{name}(y, x) AS {name}" for name in OF_TWO]
LOUD = "1e9"
"""An epsilon at which the noise is less than a millionth."""

CATALOGUE = """
[tables.rows]
source = "rows.parquet"
unit = "row"
budget = {{ epsilon = 1e12, i_understand = "to see the exact figures" }}
{relation}
[tables.rows.columns]
g = {{ type = "integer", keys = {{ from = 0, to = 9 }} }}
y = {{ type = "float", low = 0, high = 10 }}
x = {{ type = "integer", low = -5, high = 24 }}
z = {{ type = "float", low = 0, high = 10, null = 0 }}
small = {{ type = "float", low = 1e-12, high = 3e-12 }}
far = {{ type = "float", low = 1e15, high = 1000000000000016 }}
flag = {{ type = "boolean" }}
"""


def table(groups: dict[int, list[tuple[float | None, int | None]]]) -> dict[str, list[object]]:
    """Pairs (y, x) by group."""
    pairs = [(g, y, x) for g, members in groups.items() for y, x in members]
    return {
        "g": [g for g, _, _ in pairs],
        "y": pa.array([y for _, y, _ in pairs], pa.float64()),
        "x": pa.array([x for _, _, x in pairs], pa.int64()),
        "z": pa.array([y for _, y, _ in pairs], pa.float64()),
        "small": pa.array([None if y is None else 1e-12 + y * 2e-13 for _, y, _ in pairs], pa.float64()),
        "far": pa.array([None if y is None else 1e15 + round(y) for _, y, _ in pairs], pa.float64()),
        "flag": pa.array([None if x is None else x > 5 for _, _, x in pairs], pa.bool_()),
    }


def many() -> list[tuple[float | None, int | None]]:
    dice = np.random.default_rng(5)
    x = dice.integers(-9, 30, 400)
    y = np.round(3 + 0.2 * x + dice.normal(0, 1, 400), 2)
    return [(None if i % 7 == 0 else float(y[i]), None if i % 5 == 0 else int(x[i])) for i in range(len(x))]


GROUPS: dict[int, list[tuple[float | None, int | None]]] = {
    0: many(),
    1: [(2.0, 3), (6.0, 9)],
    2: [(4.0, 7)],
    3: [(5.0, 8)] * 50,
    4: [(None, None)] * 5,
    5: [(None, 4), (3.0, None), (8.0, None)],
}


def asked(folder: Path, relation: str = "") -> Session:
    return seeded(deploy(folder, CATALOGUE.format(relation=relation), {"rows.parquet": table(GROUPS)}))


def by_duckdb(question: str) -> dict[str, float]:
    """The same question to the clamped values, without privacy."""
    rows = pa.table(table(GROUPS))
    clamp = "SELECT g, CASE WHEN y IS NOT NULL THEN LEAST(GREATEST(y, 0), 10) END AS y, CASE WHEN small < 1e-12 THEN 1e-12 WHEN small > 3e-12 THEN 3e-12 ELSE small END * 1e12 AS small, GREATEST(far, CASE WHEN far > 0 THEN 1e15 END) AS far, flag::INT AS flag, COALESCE(LEAST(GREATEST(z, 0), 10), 0) AS z, CASE WHEN x IS NOT NULL THEN LEAST(GREATEST(x, -5), 24) END AS x FROM rows"
    relation = duckdb.sql(f"SELECT {question} FROM ({clamp})")
    assert len(rows) > 0
    (values,) = relation.fetchall()
    return dict(zip(relation.columns, values, strict=True))


@pytest.mark.patient
@pytest.mark.parametrize("pair", ["y, x", "x, y", "z, x", "x, z", "z, y", "y, y", "flag, y", "y, flag"])
def test_without_noise_they_are_what_sql_says(tmp_path: Path, pair: str) -> None:
    """In rows in which one of a pair is NULL the other counts for nothing; a value of one expression counts."""
    first = pair.split(", ")[0]
    columns = [f"{name}({first}) AS {name}" for name in OF_ONE] + [
        f"{name}({pair}) AS {name}" for name in OF_TWO
    ]
    (row,) = asked(tmp_path).sql(f"SELECT {', '.join(columns)} FROM rows WHERE g = 0").run(epsilon=LOUD)
    wanted = by_duckdb(_filtered(columns))
    for name, value in wanted.items():
        assert row[name] == pytest.approx(value, rel=1e-5, abs=1e-6), name
        assert row[f"{name}_low"] <= row[name] <= row[f"{name}_high"]
        assert row[f"{name}_high"] - row[f"{name}_low"] < 1e-4 * (1 + abs(value))


def _filtered(columns: list[str]) -> str:
    return ", ".join(column.replace(") AS", ") FILTER (WHERE g = 0) AS") for column in columns)


@pytest.mark.parametrize("column", ["small", "far"])
def test_bounds_that_are_tiny_or_far_from_zero_lose_no_digits_that_matter(
    tmp_path: Path, column: str
) -> None:
    (row,) = asked(tmp_path).sql(f"SELECT VAR_POP({column}) AS v FROM rows WHERE g = 0").run(epsilon=LOUD)
    written = {"small": "small", "far": "far - 1e15"}
    wanted = by_duckdb(f"VAR_POP({written[column]}) FILTER (WHERE g = 0) AS v")
    assert row["v"] * (1e24 if column == "small" else 1) == pytest.approx(wanted["v"], rel=1e-4)


def test_too_few_rows_give_the_middle_of_what_is_possible_with_all_of_it(tmp_path: Path) -> None:
    answer = asked(tmp_path).sql(f"SELECT g, {', '.join(ALL)} FROM rows GROUP BY g").run(epsilon=LOUD)
    rows = {row["g"]: row for row in answer}

    def shown(group: int, name: str) -> tuple[object, ...]:
        return tuple(rows[group][f"{name}{end}"] for end in ("", "_low", "_high"))

    for nobody in (4, 9):
        assert shown(nobody, "var_pop") == (12.5, 0, 25)
        assert shown(nobody, "var_samp") == (25, 0, 50)
        assert shown(nobody, "stddev_pop") == pytest.approx((12.5**0.5, 0, 5))
        assert shown(nobody, "covar_pop") == (0, -72.5, 72.5)
        assert shown(nobody, "covar_samp") == (0, -145, 145)
        assert shown(nobody, "corr") == (0, -1, 1)
        assert shown(nobody, "regr_slope") == (0, None, None)
        assert shown(nobody, "regr_intercept") == (5, None, None)
    assert shown(2, "var_samp") == (25, 0, 50)  # one row is no sample
    assert shown(2, "var_pop")[0] == pytest.approx(0, abs=1e-6)
    assert shown(1, "var_samp")[0] == pytest.approx(8) and shown(1, "corr")[0] == pytest.approx(1)
    assert shown(1, "regr_slope")[0] == pytest.approx(4 / 6)
    assert shown(5, "covar_pop") == (0, -72.5, 72.5)  # there are values, and no pair
    assert shown(5, "var_pop")[0] == pytest.approx(6.25)


def test_what_is_computed_of_an_open_end_has_an_open_end(tmp_path: Path) -> None:
    question = "SELECT 2 * REGR_SLOPE(y, x) AS twice, 1 + CORR(y, x) AS r FROM rows WHERE g = 4"
    (row,) = asked(tmp_path).sql(question).run(epsilon=LOUD)
    assert (row["twice"], row["twice_low"], row["twice_high"]) == (0, None, None)
    assert (row["r"], row["r_low"], row["r_high"]) == (1, 0, 2)


def test_a_variance_below_zero_is_shown_as_zero_and_said(tmp_path: Path) -> None:
    question = "SELECT STDDEV_POP(y) AS sd, VAR_POP(y) / 2 AS half FROM rows WHERE g = 3"
    notes = set()
    for seed in range(8):
        path = deploy(tmp_path / str(seed), CATALOGUE.format(relation=""), {"rows.parquet": table(GROUPS)})
        answer = seeded(path, seed).sql(question).run(epsilon=1)
        (row,) = answer
        assert row["sd"] >= 0 and row["sd_low"] >= 0 and row["half"] >= 0
        remarks = [note for note in answer.notes if "negative" in note]
        assert bool(remarks) == (row["sd"] == 0 == row["half"])
        notes.update(remarks)
    text = "the noisy variance was negative and is shown as 0"
    assert notes == {f"sd: {text}", f"half: {text}"}


def test_a_public_number_of_rows_has_no_noise(tmp_path: Path) -> None:
    rows = sum(map(len, GROUPS.values()))
    public = asked(tmp_path, f'relation = "replace-one"\nunits = {rows}')
    preview = public.sql("SELECT VAR_POP(z) AS v FROM rows").preview(epsilon=1)
    assert "count(*): public, no noise" in preview.statistics
    assert set(preview.columns[0].assuming) == {rows}
    assert (
        "count(*): public, no noise"
        not in public.sql("SELECT VAR_POP(y) AS v FROM rows").preview(epsilon=1).statistics
    )


@pytest.mark.parametrize(
    ("outputs", "statistics"),
    [
        ("COUNT(weight), AVG(weight), VAR_POP(weight), STDDEV(weight)", 3),
        ("AVG(weight), AVG(lives), VAR_POP(weight), VAR_POP(lives)", 6),
        (
            "COVAR_POP(weight, lives), CORR(lives, weight), REGR_SLOPE(weight, lives), REGR_INTERCEPT(lives, weight)",
            6,
        ),
        ("COVAR_POP(weight, weight), AVG(weight)", 3),
        ("AVG(weight), CORR(weight, CLAMP(COALESCE(lives, 0), -9, 9))", 6),
    ],
)
def test_what_is_read_twice_is_paid_once(outputs: str, statistics: int) -> None:
    plan = schema_of("basics").prepared(f"SELECT {outputs} FROM cats").plan
    assert len(plan.statistics) == statistics


def test_a_sum_that_is_read_twice_has_one_noise() -> None:
    """COVAR(x, x) is a variance, and its interval knows that both of its means are the same number."""
    case = next(case for case in CASES if case.aggregate.name == "covar_pop")

    class Twice(Case):
        @property
        def argument(self) -> object:  # type: ignore[override]
            from lapcat.plan.aggregates import Argument

            return Argument("y", clamped("y"), None, None, second=clamped("y"), second_text="y")

    rows = rows_of(3_000)
    rows = {
        "y": 9 + rows["y"] / 10,
        "x": rows["x"],
    }  # far from the middle, so that the means' noise is what matters
    twice = Twice(case.aggregate, lambda y, x: float(y.var()))
    answer, _ = twice.asked({"y": rows["y"], "x": rows["y"]}, 10_000, Fraction(1), 9)
    assert covered(answer, twice.value({"y": rows["y"], "x": rows["y"]})) >= fewest(10_000, 1e-7)


@pytest.mark.parametrize("aggregate", MOMENTS, ids=lambda aggregate: aggregate.name)
def test_what_may_fail_adds_up_to_what_is_asked(
    aggregate: OfMoments, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each statement about something else takes its part, and the one about the answer has what is left."""
    statements: list[Fraction] = []
    honest = Equations.noise_of

    def counted(equations: Equations, coefficients: object, cells: int, failure: Fraction) -> object:
        statements.append(failure)
        return honest(equations, coefficients, cells, failure)  # type: ignore[arg-type]

    monkeypatch.setattr(Equations, "noise_of", counted)
    case = next(case for case in CASES if case.aggregate == aggregate)
    case.asked(rows_of(50), 1, Fraction(1), 1)
    *others, last = statements[::2]  # each is solved twice
    assert statements[::2] == statements[1::2]
    assert set(others) == {Fraction(5, 100) * ASIDE} and sum(others) + last == Fraction(5, 100)


SUMS: list[Callable[[], list[float]]] = [
    lambda: [1.0, 1.0],
    lambda: [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    lambda: [3.0, 0.5, 0.001, 0.0],
    lambda: [1.0, 0.99, 0.98, 2.0, 1.99],
]


@pytest.mark.parametrize("scale", [Fraction(3), Fraction(1000)])
@pytest.mark.parametrize("coefficients", SUMS)
def test_the_margin_of_a_sum_of_noises_covers_it(
    scale: Fraction, coefficients: Callable[[], list[float]]
) -> None:
    factors = np.array(coefficients())[:, None]
    noises = [Noise(Laplace(scale).law(), Fraction(1)) for _ in factors]
    (margin,) = margin_of_combination(noises, factors, Fraction(95, 100))
    times = 100_000
    total: NDArray[np.float64] = np.zeros(times)
    for number, factor in enumerate(factors[:, 0]):
        total += factor * Laplace(scale).draw(np.zeros(times, np.int64), SeededCoins(number))
    assert int((np.abs(total) <= margin).sum()) >= fewest(times, 1e-7)
    narrowed = 0.9 if scale > 100 else 0.75  # on a coarse lattice half a step of each is added
    assert int((np.abs(total) <= narrowed * margin).sum()) < fewest(times, 1e-7)
    assert margin_of_combination(noises, 1.1 * factors, Fraction(95, 100))[0] > margin


def test_weights_do_not_depend_on_the_unit_of_measure() -> None:
    """A length in centimetres has noise a hundred times as large, which weighs a hundredth."""
    for aggregate in MOMENTS[:4]:
        weights = []
        for times in ("1", "100"):
            plan = schema_of("basics").prepared(f"SELECT {aggregate.name}(weight * {times}) AS v FROM cats")
            column = plan.asked.columns[0]
            weights.append(column.aggregate.weights(column.argument))  # type: ignore[union-attr]
        assert weights[0] == pytest.approx([w * f for w, f in zip(weights[1], (1, 100, 10_000), strict=True)])


@pytest.mark.parametrize("case", CASES[4:], ids=lambda case: case.aggregate.name)
def test_every_statistic_has_a_weight_so_that_none_is_left_without_a_share(case: Case) -> None:
    weights = case.aggregate.weights(case.argument)
    sizes = [
        float(reading.step) * abs(reading.statistic.high) for reading in case.aggregate.reads(case.argument)
    ]
    assert min(w * size for w, size in zip(weights, sizes, strict=True)) > 0.05


def test_measures_in_python_are_those_of_sql() -> None:
    db = schema_of("basics").session()
    built = db.table("cats").agg(
        v=lapcat.var("weight"),
        s=lapcat.std("weight", where="lives > 3"),
        c=lapcat.covar("weight", "lives"),
        r=lapcat.corr("weight", "lives"),
        b=lapcat.slope("weight", "lives"),
        a=lapcat.intercept("weight", "lives"),
    )
    written = db.sql(
        "SELECT VAR_SAMP(weight) AS v, STDDEV(weight) FILTER (WHERE lives > 3) AS s, COVAR_SAMP(weight, lives) AS c, "
        "CORR(weight, lives) AS r, REGR_SLOPE(weight, lives) AS b, REGR_INTERCEPT(weight, lives) AS a FROM cats"
    )
    assert built.sensitivity().as_json() == written.sensitivity().as_json()
    assert [c.name for c in built.preview(epsilon=1).columns] == list("vscrba")
    assert built.preview(epsilon=1).as_json() == written.preview(epsilon=1).as_json()
