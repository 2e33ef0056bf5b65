"""Numbers computed of several estimates: their values, their intervals, and what is known of them beforehand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lapcat.engines.evaluation import evaluate as specified
from lapcat.plan.aggregates import AVG, COUNT, Argument, Estimates
from lapcat.plan.compile import ComputedColumn, Query, ValueColumn, compile_program, prepare
from lapcat.plan.expressions import (
    Absolute,
    Arithmetic,
    Bucket,
    Case,
    Cast,
    Clamp,
    Coalesce,
    Column,
    Compare,
    DatePart,
    Expression,
    InList,
    IsNull,
    LeastOrGreatest,
    Like,
    Literal,
    Logic,
    Not,
    NullOutsideBounds,
    Rounded,
)
from lapcat.plan.linear import coefficients
from lapcat.plan.nodes import Scan
from lapcat.plan.released import After, tabulate
from lapcat.plan.released.computed import BLOCK, computed, estimates_of
from lapcat.plan.released.enclosures import between, enclose, foreign
from lapcat.plan.released.vectors import Vector, afterwards, evaluate
from lapcat.plan.schema import Relation, Type, Unit
from tests.engines.test_expression_cases import CASES

INT, FLOAT, TEXT, BOOL, DATE, MOMENT = Type
PEOPLE = Scan("people", "people", 1, Unit(), Relation.ADD_REMOVE, None)
NAMES = {"i": INT, "j": INT, "x": FLOAT, "y": FLOAT}


def lit(value: Any) -> Literal:
    kinds = {bool: BOOL, int: INT, float: FLOAT, str: TEXT}
    return Literal(value, kinds[type(value)])


# ------------------------------------------------------------------------------------------------ expressions

WHOLE = st.integers(-20, 20) | st.sampled_from([2**53 + 1, -(2**53) - 1, 2**62, -(2**62)])
REAL = st.sampled_from([0.0, -0.0, 0.5, -0.5, 2.5, 1e-300, 1e300, 0.49999999999999994]) | st.floats(
    -100, 100, allow_subnormal=False
)


def number(depth: int) -> st.SearchStrategy[Expression]:
    leaves: st.SearchStrategy[Expression] = st.one_of(
        st.sampled_from([Column(name, kind) for name, kind in NAMES.items()]), WHOLE.map(lit), REAL.map(lit)
    )
    if depth == 0:
        return leaves
    inner, test = number(depth - 1), condition(depth - 1)
    ends = st.tuples(st.integers(-9, 0), st.integers(1, 9))
    return st.one_of(
        leaves,
        st.builds(Arithmetic, st.sampled_from(["+", "-", "*", "/"]), inner, inner, st.just(FLOAT)),
        st.builds(lambda a, b: Arithmetic("*", small(a), small(b), INT), inner, inner),
        st.builds(
            lambda op, a, b: Arithmetic(op, small(a), small(b), INT), st.sampled_from("+-"), inner, inner
        ),
        st.builds(lambda a, b, c: Case(((a, b),), c, FLOAT), test, inner, inner | st.none()),
        st.builds(lambda a, b, c, d: Case(((a, b), (c, d)), None, FLOAT), test, inner, test, inner),
        inner.map(lambda a: Cast(a, FLOAT)),
        inner.map(lambda a: Cast(a, INT)),
        test.map(lambda a: Cast(a, INT)),
        st.builds(lambda a, r: Coalesce(a, lit(r), FLOAT), inner, REAL),
        st.builds(lambda a, e: Clamp(a, lit(float(e[0])), lit(float(e[1])), FLOAT), inner, ends),
        st.builds(lambda a, e: NullOutsideBounds(a, lit(e[0]), lit(e[1]), a.type), inner, ends),
        inner.map(lambda a: Absolute(a, a.type)),
        st.builds(Rounded, st.sampled_from(["floor", "ceil", "round"]), inner),
        st.builds(
            lambda how, parts: LeastOrGreatest(how, tuple(parts), FLOAT),
            st.sampled_from(["least", "greatest"]),
            st.lists(inner, min_size=2, max_size=3),
        ),
        st.builds(lambda a, e, n: Bucket(a, float(e[0]), float(e[1]), n), inner, ends, st.integers(1, 7)),
    )


def small(operand: Expression) -> Expression:
    """An INTEGER within a range in which its products are proved to fit."""
    whole = operand if operand.type is INT else Rounded("floor", operand)
    return Clamp(whole, lit(-(2**30)), lit(2**30), INT)


def condition(depth: int) -> st.SearchStrategy[Expression]:
    inner = number(max(depth - 1, 0))
    tests: st.SearchStrategy[Expression] = st.one_of(
        st.builds(Compare, st.sampled_from(["=", "<>", "<", "<=", ">", ">="]), inner, inner),
        inner.map(IsNull),
        st.builds(
            lambda a, v: InList(a, tuple(map(lit, v))), inner, st.lists(WHOLE | REAL, min_size=1, max_size=3)
        ),
    )
    if depth == 0:
        return tests
    more = condition(depth - 1)
    return tests | st.one_of(
        more.map(Not),
        more.map(IsNull),
        st.builds(
            lambda op, a: Logic(op, tuple(a)),
            st.sampled_from(["and", "or"]),
            st.lists(more, min_size=2, max_size=3),
        ),
        st.builds(lambda a, b, c: Case(((a, b),), c, BOOL), more, more, more | st.none()),
    )


POINTS = st.fixed_dictionaries({"i": WHOLE, "j": WHOLE, "x": REAL, "y": REAL})


def vectors(rows: list[Mapping[str, Any]]) -> dict[str, Vector]:
    kinds = {INT: np.int64, FLOAT: np.float64}
    return {
        name: Vector.of(np.array([row[name] for row in rows], dtype=kinds[kind]))
        for name, kind in NAMES.items()
    }


def same(result: Any, wanted: Any) -> bool:
    return result is wanted if wanted is None or isinstance(wanted, bool) else bool(result == wanted)


@given(number(3) | condition(3), st.lists(POINTS, min_size=1, max_size=5))
def test_a_column_at_a_time_means_what_the_reference_says_of_a_row(
    expression: Expression, rows: list[Mapping[str, Any]]
) -> None:
    vector = evaluate(expression, vectors(rows))
    data = np.broadcast_to(vector.data, len(rows)).tolist()
    null = np.broadcast_to(vector.null, len(rows)).tolist()
    for row, value, absent in zip(rows, data, null, strict=True):
        assert same(None if absent else value, specified(expression, row)), (row, value, absent)


AFTERWARDS = [case for case in CASES if afterwards(case[0]) is None]


@pytest.mark.parametrize("case", range(len(AFTERWARDS)))
def test_every_node_means_the_same_on_the_rows_where_engines_differ(case: int) -> None:
    expression, row, wanted = AFTERWARDS[case]
    kinds = {"n": INT, "i": INT, "x": FLOAT, "s": TEXT, "b": BOOL, "d": DATE, "m": MOMENT}
    columns = {}
    for name, kind in kinds.items():
        typed = specified(Column(name, kind), {name: row.get(name)})
        dtype: Any = {INT: np.int64, FLOAT: np.float64, BOOL: np.bool_}.get(kind, object)
        data = np.zeros(2, dtype=dtype)
        if typed is not None:
            data[:] = typed
        columns[name] = Vector(data, np.array([typed is None] * 2))
    vector = evaluate(expression, columns)
    null = np.broadcast_to(vector.null, 2)
    for place in range(2):
        result = None if null[place] else np.broadcast_to(vector.data, 2).tolist()[place]
        assert same(result, wanted)


def test_an_integer_that_leaves_63_bits_is_null() -> None:
    vector = evaluate(
        Arithmetic("*", Column("i", INT), Column("i", INT), INT),
        {"i": Vector.of(np.array([2**40, 3, -(2**31)], dtype=np.int64))},
    )
    assert vector.null.tolist() == [True, False, False] and vector.data.tolist()[1:] == [9, 2**62]


# ------------------------------------------------------------------------------------------------ intervals


@st.composite
def boxes(draw: st.DrawFn) -> tuple[dict[str, tuple[Any, Any]], list[dict[str, Any]]]:
    """Ends for each input, and points between them."""
    ends = {
        name: tuple(sorted(draw(WHOLE if kind is INT else REAL) + 0 for _ in range(2)))  # −0.0 + 0 is 0.0
        for name, kind in NAMES.items()
    }
    points = []
    for _ in range(4):
        point: dict[str, Any] = {}
        for name, (low, high) in ends.items():
            if NAMES[name] is INT:
                point[name] = draw(st.integers(low, high))
            else:
                point[name] = draw(st.floats(low, high) | st.sampled_from([low, high]))
        points.append(point)
    return ends, points


@given(number(3), boxes())
def test_an_interval_holds_the_value_of_every_point_inside_the_inputs_intervals(
    expression: Expression, box: tuple[dict[str, tuple[Any, Any]], list[dict[str, Any]]]
) -> None:
    ends, points = box
    enclosure = enclose(
        expression, {name: between(np.array([low]), np.array([high])) for name, (low, high) in ends.items()}
    )
    low, high, null = (
        np.broadcast_to(part, 1).tolist()[0] for part in (enclosure.low, enclosure.high, enclosure.null)
    )
    for point in points:
        value = specified(expression, point)
        if value is None:
            assert null
        else:
            assert low <= value <= high


@given(number(2), boxes())
def test_an_interval_that_is_not_open_is_no_wider_than_all_of_its_inputs_need(
    expression: Expression, box: tuple[dict[str, tuple[Any, Any]], list[dict[str, Any]]]
) -> None:
    """A point has no width: where the inputs are exact so is the result (within the integers that are doubles)."""
    _, points = box
    assume(all(abs(point[name]) < 2**53 for point in points for name in "ij"))
    for point in points:
        value = specified(expression, point)
        assume(value is not None and math.isfinite(value) and abs(value) < 2**53)
        enclosure = enclose(
            expression, {name: between(np.array([v]), np.array([v])) for name, v in point.items()}
        )
        if all(abs(c.value) < 2**53 for c in literals(expression)):
            assert np.broadcast_to(enclosure.low, 1)[0] == value == np.broadcast_to(enclosure.high, 1)[0]


def literals(expression: Any) -> list[Literal]:
    from lapcat.plan.expressions import children

    own = [expression] if isinstance(expression, Literal) else []
    return own + [literal for child in children(expression) for literal in literals(child)]


def test_a_ratio_to_an_interval_that_holds_zero_is_open() -> None:
    x, y = Column("x", FLOAT), Column("y", FLOAT)
    ratio = Arithmetic("/", x, y, FLOAT)
    inputs = {
        "x": Estimates(np.array([6.0, 6.0, 6.0]), np.array([5.0] * 3), np.array([7.0] * 3)),
        "y": Estimates(np.array([2.0, 0.0, 3.0]), np.array([1.0, -1.0, -1.0]), np.array([3.0, 1.0, 7.0])),
    }
    estimates = computed(ratio, inputs, 3)
    assert estimates.value.tolist() == [3.0, None, 2.0]
    assert estimates.low.tolist() == [5 / 3, None, None] and estimates.high.tolist() == [7.0, None, None]


def test_many_cells_are_computed_as_few_are() -> None:
    """Blocks leave no seam; the one NULL lies in the second of them."""
    cells = BLOCK + 3
    value = np.arange(cells, dtype=np.int64) - BLOCK - 1
    inputs = {"n": Estimates(value, value - 1, value + 1)}
    estimates = computed(Arithmetic("/", lit(6), Column("n", INT), FLOAT), inputs, cells)
    assert estimates.value[-3:].tolist() == [-6.0, None, 6.0] and estimates.value.mask.sum() == 1
    assert estimates.low[0] == 6 / (value[0] + 1) and estimates.high.mask.sum() == 3
    assert len(estimates.value) == len(estimates.low) == len(estimates.high) == cells


def test_what_is_no_number_has_no_interval() -> None:
    n = Column("n", INT)
    assert foreign(Case(((Compare(">", n, lit(3)), lit(1.0)),), None, FLOAT)) is None
    text_of = Cast(n, TEXT)
    assert foreign(Case(((Like(text_of, "1%"), lit(1)),), None, INT)) == Like(text_of, "1%")
    assert foreign(DatePart("year", Column("d", DATE))) is not None
    with pytest.raises(ValueError, match="must be a number computed from its inputs"):
        ComputedColumn("p", Arithmetic("+", n, Column("m", INT), INT), (counted("n"),))
    with pytest.raises(ValueError, match="must be a number computed from its inputs"):
        ComputedColumn("p", Compare(">", n, lit(3)), (counted("n"),))


def linear(depth: int) -> st.SearchStrategy[Expression]:
    constants = (st.integers(-9, 9) | st.sampled_from([0.5, -2.5])).map(lit)
    leaves = st.sampled_from([Column(name, kind) for name, kind in NAMES.items()]) | constants
    if depth == 0:
        return leaves
    inner = linear(depth - 1)
    return leaves | st.one_of(
        st.builds(Arithmetic, st.sampled_from(["+", "-"]), inner, inner, st.just(FLOAT)),
        st.builds(Arithmetic, st.sampled_from(["*", "/"]), inner, constants, st.just(FLOAT)),
        st.builds(Arithmetic, st.just("*"), constants, inner, st.just(FLOAT)),
        inner.map(lambda operand: Cast(operand, FLOAT)),
    )


@given(linear(4), st.sampled_from(list(NAMES)))
def test_coefficients_say_how_far_a_value_moves(expression: Expression, name: str) -> None:
    factors, start = coefficients(expression), {"i": 3, "j": -2, "x": 0.5, "y": 8.0}
    here, there = specified(expression, start), specified(expression, {**start, name: start[name] + 1})
    if here is None:  # something is divided by 0
        assert factors is None
        return
    assert factors is not None
    assert there - here == pytest.approx(factors.get(name, 0.0), abs=1e-9 * (1 + abs(here)))  # type: ignore[operator, arg-type]


# ------------------------------------------------------------------------------------------------ computed columns


def counted(name: str, test: Expression | None = None) -> ValueColumn:
    return ValueColumn(name, COUNT, Argument("*", None, test, None, "" if test is None else "…"))


def averaged(name: str, column: str) -> ValueColumn:
    value = Clamp(Column(column, FLOAT), lit(0.0), lit(10.0), FLOAT)
    return ValueColumn(name, AVG, Argument(column, value, None, None))


def ratio() -> ComputedColumn:
    """100.0 * COUNT(*) FILTER (WHERE b) / COUNT(*)"""
    share = Arithmetic("/", Column("a", INT), Column("n", INT), FLOAT)
    inputs = (counted("a", Column("b", BOOL)), counted("n"))
    return ComputedColumn("share", Arithmetic("*", lit(100.0), share, FLOAT), inputs)


def noisy_cells(program: Any, truth: Mapping[Any, int], runs: int, seed: int) -> Any:
    """The statistics of a question without keys, blurred again and again."""
    rng = np.random.default_rng(seed)
    cells = np.empty((len(program.plan.statistics), runs), dtype=np.int64)
    for row, (statistic, measurement) in enumerate(
        zip(program.plan.statistics, program.measurements, strict=True)
    ):
        tail = 1 - math.exp(-1 / float(measurement.mechanism.scale))
        noise = rng.geometric(tail, runs) - rng.geometric(tail, runs)  # discrete Laplace, for tests alone
        cells[row] = truth[statistic.filter] + noise
    return cells


@pytest.mark.parametrize("confidence", [Fraction(1, 2), Fraction(95, 100)])
def test_the_interval_of_a_ratio_covers_the_truth_as_often_as_it_says(confidence: Fraction) -> None:
    """20 000 runs: an honest interval fails this with probability below 1e-6 (Hoeffding: exp(−2·20 000·0.02²) = 1e-7)."""
    program = compile_program(prepare(Query(PEOPLE, (), (ratio(),))), Fraction(1, 10))
    cells = noisy_cells(program, {Column("b", BOOL): 300, None: 1_000}, 20_000, seed=7)
    estimates = estimates_of(program, cells, confidence)["share"]
    covered = (np.ma.filled(estimates.low, -np.inf) <= 30.0) & (np.ma.filled(estimates.high, np.inf) >= 30.0)
    assert covered.mean() >= float(confidence) - 0.02
    assert np.all((estimates.low <= estimates.value) & (estimates.value <= estimates.high))


def test_an_interval_half_as_wide_would_be_noticed() -> None:
    program = compile_program(prepare(Query(PEOPLE, (), (ratio(),))), Fraction(1, 10))
    cells = noisy_cells(program, {Column("b", BOOL): 300, None: 1_000}, 20_000, seed=7)
    estimates = estimates_of(program, cells, Fraction(1, 2))["share"]
    low, high = (estimates.low + estimates.value) / 2, (estimates.high + estimates.value) / 2
    low, high = (low + estimates.value) / 2, (high + estimates.value) / 2
    assert ((low <= 30.0) & (high >= 30.0)).mean() < 0.48


def test_inputs_are_measured_once_and_share_counts_with_other_columns() -> None:
    pay = averaged("pay", "x")
    alone = prepare(Query(PEOPLE, (), (pay, counted("n"))))
    both = Arithmetic("-", Column("p", FLOAT), Column("n", INT), FLOAT)
    also = ComputedColumn("d", both, (averaged("p", "x"), counted("n")))
    together = prepare(Query(PEOPLE, (), (pay, counted("n"), also)))
    hidden = prepare(Query(PEOPLE, (), (also,), after=After(limit=1)))
    assert alone.plan == together.plan == hidden.plan
    assert alone.identity == hidden.identity
    assert [column.name for column in together.values] == ["pay", "n", "d"]
    inputs = {
        reading.statistic for source in also.inputs for reading in source.aggregate.reads(source.argument)
    }
    assert inputs <= set(together.plan.statistics)


def test_a_margin_is_foreseen_where_a_column_is_linear_and_the_answer_keeps_it() -> None:
    n, a = Column("n", INT), Column("a", INT)
    half = Arithmetic("/", Arithmetic("-", n, Arithmetic("*", lit(3), a, FLOAT), FLOAT), lit(2), FLOAT)
    linear = ComputedColumn("half", half, (counted("n"), counted("a", Column("b", BOOL))))
    single = ComputedColumn("twice", Arithmetic("*", lit(2), n, FLOAT), (counted("n"),))
    asked = Query(PEOPLE, (), (linear, single, ratio(), counted("count")))
    program = compile_program(prepare(asked), Fraction(1))
    level = Fraction(95, 100)
    half_margin, twice, share, count = (foreseen.margin for foreseen in program.foresee(level))
    assert share is None and count is not None and twice == 2 * count
    finer = 1 - (1 - level) / 2
    margins = [
        source.aggregate.foresee(source.argument, program.noise(source), finer).margin
        for source in linear.inputs
    ]
    assert half_margin == 0.5 * margins[0] + 1.5 * margins[1]  # type: ignore[operator]
    estimates = estimates_of(program, np.array([[500], [900]]), level)["half"]
    assert estimates.high[0] - estimates.low[0] == pytest.approx(2 * half_margin)


def test_a_rounded_number_and_its_ends_are_integers() -> None:
    whole = Rounded("round", ratio().expression)
    column = ComputedColumn("percent", whole, ratio().inputs)
    program = compile_program(prepare(Query(PEOPLE, (), (column,))), Fraction(10))
    cells = noisy_cells(program, {Column("b", BOOL): 300, None: 1_000}, 3, seed=1)
    table = tabulate(program.plan, (column,), estimates_of(program, cells[:, :1], Fraction(95, 100)))
    assert [field.type for field in table.fields] == ["integer"] * 3
    assert all(part.dtype == np.int64 for part in table.values())  # type: ignore[union-attr]
