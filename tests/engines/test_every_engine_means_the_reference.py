"""Every engine says what engines/reference.py says, integer for integer, on rows made to break it."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lapcat.engines.evaluation import evaluate
from lapcat.plan.expressions import Arithmetic, Bucket, Cast, Column, Expression, Literal, Rounded
from lapcat.plan.nodes import Group, GroupKey, Kind, Statistic
from lapcat.plan.schema import Type
from tests.engines.benches import Bench
from tests.engines.family import OF_COLUMNS, OF_CONSTANTS, SCANS, declared_table, family, family_plans, seen
from tests.engines.family import TYPES as FAMILY_TYPES
from tests.engines.family import reference as family_reference
from tests.engines.holding import declared, looked, reference
from tests.engines.hostile import TYPES, expressions, hostile_rows, plans

FLOAT, INT, TEXT = Type.FLOAT, Type.INTEGER, Type.TEXT
BY_ROW, BY_UNIT = declared(TYPES), declared(TYPES, unit="who")
SEEDS = (1, 2, 3)


@pytest.fixture(scope="module")
def rows(server: Bench) -> list[dict[str, object]]:
    return server.fitted([dict(row) for row in hostile_rows(120)])


@pytest.fixture(scope="module")
def held(server: Bench, rows: list[dict[str, object]]) -> dict[str, Any]:
    """The engine over the hostile rows, by the name of the unit."""
    tables = {"row": BY_ROW, "who": BY_UNIT}
    return {unit: server.over({"t": (rows, table, TYPES)}) for unit, table in tables.items()}


@pytest.fixture(scope="module")
def families(server: Bench) -> dict[int, tuple[Any, Any]]:
    """For each seed the engine over several tables, and the reference."""
    engines = {}
    for seed in SEEDS:
        tables = server.fitted(family(seed))
        engine = server.over({n: (rows, declared_table(n), FAMILY_TYPES[n]) for n, rows in tables.items()})
        engines[seed] = engine, family_reference(tables)
    return engines


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_random_expressions_have_the_specified_value_on_every_row(
    server: Bench, held: dict[str, Any], rows: list[dict[str, object]], data: st.DataObject
) -> None:
    asked = [server.fitted(data.draw(expressions(kind))) for kind in Type]
    if server.enough("expressions", 8):
        return
    columns = server.values(held["row"], "t", asked)
    assert columns == [[evaluate(expression, row) for row in rows] for expression in asked]


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_random_questions_have_the_specified_integers(
    server: Bench, held: dict[str, Any], rows: list[dict[str, object]], data: st.DataObject
) -> None:
    unit = data.draw(st.sampled_from(["row", "who"]))
    table = BY_ROW if unit == "row" else BY_UNIT
    plan = server.fitted(data.draw(plans(table)))
    if server.enough("questions", 12):
        return
    assert looked(held[unit], plan).tolist() == looked(reference(rows, table), plan).tolist()


@settings(max_examples=120, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_random_plans_over_several_tables_have_the_specified_integers(
    server: Bench, families: dict[int, tuple[Any, Any]], data: st.DataObject
) -> None:
    engine, specified = families[data.draw(st.sampled_from(SEEDS))]
    plan = server.fitted(data.draw(family_plans()))
    if server.enough("plans", 20):
        return
    engine.ready(plan)
    assert seen(engine, plan) == seen(specified, plan)


def test_two_private_keys_may_be_the_same_expression(
    server: Bench, families: dict[int, tuple[Any, Any]]
) -> None:
    """Beside a key that is declared: a column that is named twice is ambiguous to some engines."""
    same = Column("b", Type.BOOLEAN)
    keys = (
        GroupKey("a", same, None),
        GroupKey("c", same, None),
        GroupKey("d", Column("i", INT), range(-1, 8)),
    )
    plan = Group(SCANS["orders"], keys, (Statistic(Kind.ROWS),))
    engine, specified = families[1]
    engine.ready(plan)
    assert seen(engine, plan) == seen(specified, plan)


@pytest.mark.parametrize("plan", [OF_COLUMNS, OF_CONSTANTS], ids=["columns", "constants"])
def test_a_listed_key_may_be_any_condition(
    server: Bench, families: dict[int, tuple[Any, Any]], plan: Group
) -> None:
    engine, specified = families[1]
    engine.ready(plan)
    assert seen(engine, plan) == seen(specified, plan)


@pytest.mark.slow
@settings(max_examples=1000, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_many_more_plans_over_several_tables_have_the_specified_integers(
    server: Bench, families: dict[int, tuple[Any, Any]], data: st.DataObject
) -> None:
    engine, specified = families[data.draw(st.sampled_from(SEEDS))]
    plan = server.fitted(data.draw(family_plans()))
    if server.enough("many plans", 300):
        return
    assert seen(engine, plan) == seen(specified, plan)


# ------------------------------------------------------------------------------------------------ doubles at their ends


def around(x: float) -> list[float]:
    return [math.nextafter(x, -math.inf), x, math.nextafter(x, math.inf)]


ENDS = [
    *(0.0, -0.0, 1.0, -1.0, 3.0, 0.1, math.inf, -math.inf, math.nan, 1e16, 1.7976931348623157e308, -1e308),
    *(5e-324, -5e-324, 1e-323, 2.2250738585072014e-308, 2.2250738585072009e-308),
    *itertools.chain.from_iterable(
        around(2.0**power)
        for power in (-1073, -1022, -537, -538, -500, -60, -50, 500, 511, 512, 900, 970, 1022, 1023)
    ),
    1.0000000000000002, 0.9999999999999999, 1.4142135623730951, 0.7071067811865476,
]  # fmt: skip


def test_doubles_add_multiply_and_divide_as_ieee_says_up_to_their_ends(bench: Bench) -> None:
    """Where PostgreSQL would raise and Spark might: overflow, underflow, ties on the way to zero, division by zero."""
    pairs = [{"x": x, "y": y} for x, y in itertools.product(ENDS, ENDS)]
    # products just above and below half of the least double, where only the last bits decide
    pairs += [
        {"x": x * 2.0**-537, "y": y * 2.0**-538}
        for x in around(1.4142135623730951) + around(1.0) + around(1.5)
        for y in around(0.7071067811865476) + around(1.0) + around(0.6666666666666666)
    ]
    rows = [{**pair, "n": n} for n, pair in enumerate(pairs)]
    types = {"x": FLOAT, "y": FLOAT, "n": INT}
    engine = bench.over({"t": (rows, declared(types), types)})
    x, y = Column("x", FLOAT), Column("y", FLOAT)
    asked: list[Expression] = [Arithmetic(op, x, y, FLOAT) for op in ("+", "-", "*", "/")]  # type: ignore[arg-type]
    for fixed in (3.0, 0.1, -1e308, 1e-320, 2.0**-537, 1.7976931348623157e308, 5e-324, -0.0):
        constant = Literal(fixed, FLOAT)
        asked += [Arithmetic(op, x, constant, FLOAT) for op in ("+", "-", "*", "/")]  # type: ignore[arg-type]
        asked += [Arithmetic(op, constant, y, FLOAT) for op in ("+", "-", "*", "/")]  # type: ignore[arg-type]
    asked += [Rounded(how, x) for how in ("floor", "ceil", "round")]  # type: ignore[arg-type]
    asked += [
        Cast(x, INT),
        Bucket(x, 0.0, 7.0, 10),
        Bucket(x, -1e308, 1e308, 1000),
        Bucket(x, 0.0, 5e-324, 3),
    ]
    for expression, column in zip(asked, bench.values(engine, "t", asked), strict=True):
        wrong = [
            (row["x"], row["y"], value)
            for row, value in zip(rows, column, strict=True)
            if value != evaluate(expression, row)
        ]
        assert not wrong, (expression, wrong[:5])


NUMERALS = [
    "1e308", "1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308", "-1.7976931348623159e308",
    "17976931348623158079372897140530341507e271", "1e309", "9e999", "-9e999", "4.9e-324", "2.5e-324", "2.4e-324",
    "2.4703282292062327e-324", "2.4703282292062328e-324", "-2e-324", "1e-999", "0e999", "0e-999", "+1E+2", "1e+0", ".5e1",
    "5.e1", "0000000000000000000000000000000000000001e5", "1" * 40 + "." + "9" * 40 + "e267", "inf", "+INFINITY", "-inf",
    "e5", "1e", "1e1000", "1.5e3.0", "0x1p3", "1e3 ", "\t1e3", "１e3",
]  # fmt: skip


def test_numerals_at_the_ends_of_doubles_are_read_as_the_nearest(bench: Bench) -> None:
    rows = [{"s": text, "n": n} for n, text in enumerate(NUMERALS)]
    types = {"s": TEXT, "n": INT}
    engine = bench.over({"t": (rows, declared(types), types)})
    asked: list[Expression] = [Cast(Column("s", TEXT), kind) for kind in (FLOAT, INT)]
    assert bench.values(engine, "t", asked) == [[evaluate(e, row) for row in rows] for e in asked]


def test_every_day_that_there_is_and_no_other_is_read_from_a_text(bench: Bench) -> None:
    years = ("0000", "0001", "0004", "1900", "1996", "2000", "2023", "2100", "9999")
    days = [
        f"{year}-{month:02}-{day:02}"
        for year in years
        for month in (0, 1, 2, 4, 9, 12, 13)
        for day in (0, 1, 28, 29, 30, 31, 32)
    ]
    texts = [*days, *(day + "T23:59:59.999999" for day in days), "2020-02-29 24:00:00", "2020-02-29 1:00:00"]
    rows = [{"s": text, "n": n} for n, text in enumerate(texts)]
    types = {"s": TEXT, "n": INT}
    engine = bench.over({"t": (rows, declared(types), types)})
    asked: list[Expression] = [Cast(Column("s", TEXT), kind) for kind in (Type.DATE, Type.TIMESTAMP)]
    assert bench.values(engine, "t", asked) == [[evaluate(e, row) for row in rows] for e in asked]
