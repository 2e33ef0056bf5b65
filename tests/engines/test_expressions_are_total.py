"""No expression fails on any row, and each has the value that engines/reference.py says: at the ends of every type, alone
and nested, of columns and of constants, as a value, a condition and a key."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from sqlglot import exp

import lapcat
from lapcat.engines.base.dialect import Dialect
from lapcat.engines.base.expressions import Writer
from lapcat.engines.duckdb.dialect import DUCKDB
from lapcat.engines.evaluation import evaluate
from lapcat.engines.postgres.dialect import POSTGRES
from lapcat.engines.spark.dialect import SPARK
from lapcat.plan.calendar import longest_text
from lapcat.plan.expressions import (
    Absolute,
    Arithmetic,
    Bucket,
    Case,
    Cast,
    Column,
    Compare,
    Concat,
    DateText,
    Expression,
    IsNull,
    LeastOrGreatest,
    Length,
    Like,
    Literal,
    Position,
    Replace,
    Rounded,
    Sides,
    SplitPart,
    Trim,
    children,
)
from lapcat.plan.limits import DEFAULT_LIMITS, LONGEST_INTEGER
from lapcat.plan.nodes import (
    Filter,
    Grid,
    Group,
    GroupKey,
    Kind,
    PerUnit,
    Statistic,
    Union,
    UnionBranch,
    UnitAggregate,
    UnitColumn,
)
from lapcat.plan.schema import Type
from lapcat.session.files import open_deployment, refresh
from tests.engines.benches import Bench, PostgresBench
from tests.engines.holding import declared, looked, reference, scan
from tests.engines.hostile import FLOATS, TYPES, expressions, hostile_rows
from tests.engines.on_postgres import address, put
from tests.postgres_cluster import Cluster
from tests.unit.test_like import HOSTILE

FLOAT, INT = Type.FLOAT, Type.INTEGER
TABLE = declared(TYPES)
X, Y, N, B = (Column(name, TYPES[name]) for name in ("x", "y", "n", "b"))
BATCH = 60
"""Expressions in one statement."""


@pytest.fixture(scope="module")
def rows(bench: Bench) -> list[dict[str, object]]:
    return bench.fitted([dict(row) for row in hostile_rows(160)])


@pytest.fixture(scope="module")
def engine(bench: Bench, rows: list[dict[str, object]]) -> Any:
    return bench.over({"t": (rows, TABLE, TYPES)})


def drawn(strategy: st.SearchStrategy[Expression], count: int) -> list[Expression]:
    """So many different examples, for statements that ask for many at once."""
    examples: dict[Expression, None] = {}

    @settings(max_examples=count, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(strategy)
    def collect(expression: Expression) -> None:
        examples[expression] = None

    collect()
    return list(examples)


def wrong(
    bench: Bench, engine: Any, rows: Sequence[dict[str, object]], asked: Sequence[Expression]
) -> Iterator[tuple[Expression, object]]:
    """Each expression that fails, or that differs on some row; with the failure or the row."""
    try:
        columns = bench.values(engine, "t", asked)
    except Exception as failure:  # whatever an engine raises is the finding
        if len(asked) == 1:
            yield asked[0], failure
            return
        half = len(asked) // 2
        yield from wrong(bench, engine, rows, asked[:half])
        yield from wrong(bench, engine, rows, asked[half:])
        return
    for expression, values in zip(asked, columns, strict=True):
        for row, value in zip(rows, values, strict=True):
            if value != evaluate(expression, row):
                yield expression, (row, value)
                break


def none_wrong(bench: Bench, engine: Any, rows: Any, asked: Sequence[Expression]) -> None:
    for first in range(0, len(asked), BATCH):
        failures = list(wrong(bench, engine, rows, asked[first : first + BATCH]))
        assert not failures, f"{len(failures)} of {len(asked)} expressions, first: {failures[0]}"


def random_expressions(bench: Bench, count: int) -> list[Expression]:
    return [bench.fitted(each) for kind in Type for each in drawn(expressions(kind), count)]


def test_random_expressions_neither_fail_nor_differ(
    bench: Bench, engine: Any, rows: list[dict[str, object]]
) -> None:
    few = bench.enough("many expressions", 0)  # a statement of Spark takes seconds
    none_wrong(bench, engine, rows, random_expressions(bench, 6 if few else 60))


@pytest.mark.slow
def test_many_more_random_expressions_neither_fail_nor_differ(
    bench: Bench, engine: Any, rows: list[dict[str, object]]
) -> None:
    none_wrong(bench, engine, rows, random_expressions(bench, 3000))


# ------------------------------------------------------------------------------------------------ constants

CONSTANTS = [x for x in FLOATS if not math.isnan(x)]
OPERATORS = ("+", "-", "*", "/")


def of_constants() -> Iterator[Expression]:
    """A number that is computed from constants alone, against each row: in a planner's hands before any row is."""
    for value in CONSTANTS:
        literal = Literal(value, FLOAT)
        for made in (
            literal,
            LeastOrGreatest("least", (literal, literal), FLOAT),
            Arithmetic("*", literal, literal, FLOAT),
        ):
            for operator in OPERATORS:
                yield Arithmetic(operator, made, Y, FLOAT)
                yield Arithmetic(operator, X, made, FLOAT)
                # the branch is for nobody
                yield Case(
                    ((Compare(">", N, Literal(10**6, INT)), Arithmetic(operator, made, made, FLOAT)),),
                    X,
                    FLOAT,
                )


def test_constants_make_no_expression_fail(bench: Bench, engine: Any, rows: list[dict[str, object]]) -> None:
    asked = list(of_constants())
    none_wrong(bench, engine, rows, asked[:: 29 if bench.enough("constants", 0) else 5])


@pytest.mark.slow
def test_no_constant_makes_an_expression_fail(
    bench: Bench, engine: Any, rows: list[dict[str, object]]
) -> None:
    none_wrong(bench, engine, rows, list(of_constants()))


def of_two(v: Expression, w: Expression) -> list[Expression]:
    """Every operation that an engine might raise on, of two numbers."""
    operations: list[Expression] = [Arithmetic(operator, v, w, FLOAT) for operator in OPERATORS]  # type: ignore[arg-type]
    operations += [Arithmetic(operator, w, v, FLOAT) for operator in OPERATORS]  # type: ignore[arg-type]
    operations += [Rounded(how, v) for how in ("floor", "ceil", "round")]  # type: ignore[arg-type]
    operations += [
        Cast(v, INT),
        Bucket(v, -1.0, 1e308, 7),
        Bucket(v, -1.7e308, 1.7e308, 3),
        Absolute(v, FLOAT),
    ]
    return operations


@pytest.mark.parametrize("dialect", [DUCKDB, POSTGRES, SPARK], ids=lambda dialect: dialect.name)
def test_what_reads_no_column_is_written_as_a_constant(dialect: Dialect) -> None:
    """So that no planner computes anything of it, in a branch that is for nobody least of all."""
    literals = [Literal(value, FLOAT) for value in CONSTANTS[::3]]
    for expression in (made for v in literals for w in literals for made in of_two(v, w)):
        sql = Writer(dialect, {}).clean(expression).sql
        assert isinstance(sql, exp.Cast) and isinstance(sql.this, (exp.Literal, exp.Neg, exp.Null)), sql


def test_a_constant_column_of_a_union_makes_no_question_fail(
    bench: Bench, engine: Any, rows: list[dict[str, object]]
) -> None:
    """PostgreSQL puts it in place of its name, and computes what it can before any row."""
    chosen = CONSTANTS[:: 8 if bench.enough("unions", 0) else 2]
    source = Union(
        ("v", "w", "n"), tuple(UnionBranch(scan(TABLE), (Literal(value, FLOAT), Y, N)) for value in chosen)
    )
    v, w = Column("v", FLOAT), Column("w", FLOAT)
    counted = [Statistic(Kind.PRESENT, each) for each in of_two(v, w)]
    counted += [Statistic(Kind.ROWS, filter=Compare(">", each, Literal(0, INT))) for each in of_two(v, w)]
    each_row = GroupKey("n", Column("n", INT), range(len(rows)))
    for where in (IsNull(v), Compare("<", Arithmetic("*", v, w, FLOAT), Literal(1.0, FLOAT))):
        kept = Filter(
            source, Compare("=", Cast(where, INT), Literal(int(not isinstance(where, IsNull)), INT))
        )
        plan = Group(kept, (each_row,), tuple(counted))
        assert looked(engine, plan).tolist() == looked(reference(rows, TABLE), plan).tolist()


# ------------------------------------------------------------------------------------------------ each person's rows

GRIDS = [
    Grid(-1.7e308, 1.7e308, 966, Fraction(0)),
    Grid(0.0, 1.7976931348623157e308, 965, Fraction(0)),
    Grid(0.0, 1e-300, -1050, Fraction(0)),
    Grid(-5e-324, 5e-324, -1074, Fraction(0)),
    Grid(-1.0, 1.0, -60, Fraction(0)),
]


def test_sums_and_averages_of_a_persons_rows_fail_at_no_end(
    bench: Bench, rows: list[dict[str, object]]
) -> None:
    """A person's total is a double again: the largest overflow, and an average of the least ones is 0."""
    table = declared(TYPES, unit="who")
    engine = bench.over({"t": (rows, table, TYPES)})
    for grid in GRIDS[:: 4 if bench.enough("folds", 0) else 1]:
        folds = tuple(
            UnitColumn(fold, fold, X, None, grid, FLOAT) for fold in (UnitAggregate.SUM, UnitAggregate.AVG)
        )
        each = PerUnit(scan(table), (("b", B),), folds)
        total, mean = (Column(fold, FLOAT) for fold in (UnitAggregate.SUM, UnitAggregate.AVG))
        ends = [0.0, 5e-324, -5e-324, 1e-300, 1.7e308, math.inf, -math.inf, 0.3]
        tests = [
            Compare(op, x, Literal(end, FLOAT)) for op in ("<", "=") for x in (total, mean) for end in ends
        ]
        tests += [IsNull(x) for x in of_two(total, mean)]
        tests += [Compare("<", x, Literal(1.0, FLOAT)) for x in of_two(total, mean)]
        plan = Group(each, (), tuple(Statistic(Kind.ROWS, filter=test) for test in tests))
        assert looked(engine, plan).tolist() == looked(reference(rows, table), plan).tolist(), grid


# ------------------------------------------------------------------------------------------------ texts


def test_no_expression_makes_a_longer_text_than_it_reads_or_may_make() -> None:
    """Texts of a snapshot and constants of a question have at most max_length characters; so has whatever comes of them."""
    for expression in drawn(expressions(Type.TEXT), 150):
        inside = list(everything(expression))
        for row in hostile_rows(40):
            value = evaluate(expression, row)
            read = [
                x.value if isinstance(x, Literal) else row[x.name]
                for x in inside
                if isinstance(x, (Literal, Column))
            ]
            texts = [len(text) for text in read if isinstance(text, str)]
            texts += [longest_text(x.pattern) for x in inside if isinstance(x, DateText)]
            texts += [x.max_length for x in inside if isinstance(x, (Concat, Replace))]
            longest = max(texts, default=0)
            assert value is None or len(str(value)) <= max(longest, LONGEST_INTEGER)


def everything(expression: Expression) -> Iterator[Expression]:
    yield expression
    for child in children(expression):
        yield from everything(child)


def test_no_pattern_takes_long_whatever_the_text_is(bench: Bench) -> None:
    """The most wildcards that are allowed, and texts of the greatest length that almost match in very many ways."""
    max_length = DEFAULT_LIMITS.max_length
    texts = [
        "a" * max_length,
        "a" * (max_length // 2) + "b" + "a" * (max_length // 2 - 1),
        ("a\U0001f600" * max_length)[:max_length],
        "ab",
        "",
    ]
    types = {"s": Type.TEXT, "n": INT}
    rows = [{"s": text, "n": n} for n, text in enumerate(texts)]
    engine = bench.over({"t": (rows, declared(types), types)})
    s = Column("s", Type.TEXT)
    patterns = [
        *HOSTILE,
        *(f"%{pattern}%" for pattern in HOSTILE),
        "%\U0001f600%a%",
        "a%_%b_%a",
        "%a\\%b%",
        "_%a.%(%",
    ]
    asked: list[Expression] = [Like(s, pattern) for pattern in patterns]
    asked += [Like(s, pattern, escape="\\") for pattern in ("%a%a%a\\%%", "a%\\_%a%", "%\\%_%a%b")]
    search = "a" * (DEFAULT_LIMITS.like_length - 1) + "b"
    asked += [Position(s, search), SplitPart(s, search, 2), Replace(s, search, "", max_length)]
    asked += [Length(Replace(s, "a", search, max_length)), Length(Concat((s,) * 50, max_length))]
    asked += [Trim(sides, s, search) for sides in get_args(Sides)]
    before = time.monotonic()
    assert not list(wrong(bench, engine, rows, asked))
    assert time.monotonic() - before < 60


def test_a_question_that_is_too_large_for_the_server_is_refused_before_it_is_paid(cluster: Cluster) -> None:
    engine = PostgresBench(cluster).over({"t": ([], declared({"n": INT}), {"n": INT})})
    tests = (Compare("=", N, Literal(value, INT)) for value in range(1700))
    plan = Group(scan(declared({"n": INT})), (), tuple(Statistic(Kind.ROWS, filter=test) for test in tests))
    with pytest.raises(lapcat.errors.Refused) as refusal:
        engine.ready(plan)
    assert refusal.value.code == "statement-too-large"


# ------------------------------------------------------------------------------------------------ one person

PAYS = """
[tables.pays]
source = "SOURCE"
unit = "person_id"
rows_per_unit = 1
budget = { epsilon = 1 }
[tables.pays.columns]
name = { type = "text" }
pay = { type = "integer", low = 0, high = 100 }
x = { type = "float", low = 0, high = 1 }
y = { type = "float", low = 0, high = 1 }
"""
PHYSICAL = {"person_id": "bigint", "name": "text", "pay": "bigint", "x": "float8", "y": "float8"}
PEOPLE = [(n, f"n{n}", n % 30, 1.0, 1.0) for n in range(60)]
GUESS = """SELECT COUNT(*) AS n FROM pays WHERE
(CASE WHEN pay >= 0 THEN 0.5 ELSE 1.0 END) * (CASE WHEN name = 'canary' AND pay = GUESS THEN 5e-324 ELSE 1.0 END) > 0"""
PLAIN = (
    "SELECT SUM(CLAMP(x * y, 0, 1)) AS s FROM pays",
    "SELECT SUM(CLAMP(GREATEST(0.1, 0.5) * pay, 0, 10)) AS s FROM pays",
    "SELECT SUM(CLAMP(x / y, 0, 1)) AS s FROM pays",
    "SELECT SUM(CLAMP((x + 1e308) * (y + 1e308), 0, 1)) AS s FROM pays",
)


def outcome(session: lapcat.Session, question: str) -> str:
    try:
        session.sql(question).run(epsilon="0.01")
    except lapcat.Error as error:
        return error.code
    return "answered"


def test_whether_a_question_of_products_fails_says_nothing_about_a_person(
    cluster: Cluster, tmp_path: Path
) -> None:
    """0.5 · 5e-324 for one person alone, if the guess is right: a failure would tell their pay."""
    questions = [*(GUESS.replace("GUESS", str(pay)) for pay in range(30)), *PLAIN]
    outcomes = []
    for number, extra in enumerate(([], [(5000, "canary", 17, 0.5, 5e-324)])):
        folder = tmp_path / str(number)
        folder.mkdir()
        rows = [dict(zip(PHYSICAL, person, strict=True)) for person in (*PEOPLE, *extra)]
        put(cluster, rows, PHYSICAL, f"pays{number}")
        path = folder / "lapcat.toml"
        path.write_text(PAYS.replace("SOURCE", address(cluster, f"pays{number}")), encoding="utf-8")
        deployment = open_deployment(path)
        deployment.require_acceptance()
        refresh(deployment, "pays")
        session = lapcat.open(path)
        outcomes.append([outcome(session, question) for question in questions])
    assert outcomes[0] == outcomes[1] == ["answered"] * len(questions)
