"""Every expression node on the rows where engines differ, with the value it must have."""

from __future__ import annotations

import datetime
import math
from fractions import Fraction
from pathlib import Path
from typing import Any, get_args

import pytest

from lapcat.engines.evaluation import evaluate
from lapcat.errors import Bug
from lapcat.plan.expressions import (
    Absolute,
    Arithmetic,
    AsciiCase,
    Bucket,
    Case,
    Cast,
    Clamp,
    Coalesce,
    Column,
    Compare,
    Concat,
    DateAdd,
    DatePart,
    DateText,
    DateTrunc,
    Expression,
    InList,
    IsNull,
    LeastOrGreatest,
    Length,
    Like,
    Literal,
    Logic,
    Not,
    NullOutsideBounds,
    Position,
    Replace,
    Rounded,
    SplitPart,
    Substring,
    Trim,
    children,
)
from lapcat.plan.nodes import Filter, Grid, Group, GroupKey, Kind, Statistic
from lapcat.plan.schema import Type
from tests.engines.holding import WAYS, declared, looked, reference, scan

INT, FLOAT, TEXT, BOOL, DATE, MOMENT = Type
TYPES = {"n": INT, "i": INT, "x": FLOAT, "s": TEXT, "b": BOOL, "d": DATE, "m": MOMENT}
i, x, s, b, d, m = (Column(name, TYPES[name]) for name in "ixsbdm")
NAN, INF = math.nan, math.inf
DAY, NOON = datetime.date(2020, 12, 31), datetime.datetime(2020, 12, 31, 12, 30)
LEAST, GREATEST = -(2**63), 2**63 - 1


def lit(value: Any) -> Literal:
    kinds = {bool: BOOL, int: INT, float: FLOAT, str: TEXT, datetime.date: DATE, datetime.datetime: MOMENT}
    return Literal(value, kinds[type(value)])


def compare(left: Expression, op: Any, right: Any) -> Compare:
    return Compare(op, left, lit(right))


CASES: list[tuple[Expression, dict[str, object], object]] = [
    (i, {"i": LEAST}, LEAST),
    (x, {"x": NAN}, None),
    (x, {"x": -INF}, -INF),
    (s, {"s": "a\x00b"}, "a\x00b"),
    (lit("it's ; \\ 👩‍👩‍👧"), {}, "it's ; \\ 👩‍👩‍👧"),
    (lit(5e-324), {}, 5e-324),
    (lit(LEAST), {}, LEAST),
    (lit(datetime.datetime(1, 1, 1, 0, 0, 0, 1)), {}, datetime.datetime(1, 1, 1, 0, 0, 0, 1)),
    # an integer and a float meet as doubles, and 2^53 + 1 is no double
    (compare(i, "=", float(2**53)), {"i": 2**53 + 1}, True),
    (compare(i, ">", 2**53), {"i": 2**53 + 1}, True),
    (compare(x, ">", 5.0), {"x": NAN}, None),
    (compare(x, "<>", 5.0), {"x": NAN}, None),
    (compare(x, "=", 0.0), {"x": -0.0}, True),
    (compare(s, "<", "a"), {"s": "Z"}, True),
    (compare(s, ">", "z"), {"s": "é"}, True),
    (compare(s, "=", "é"), {"s": "e\u0301"}, False),
    (Compare("=", d, lit(datetime.datetime(2020, 12, 31))), {"d": DAY}, True),
    (Compare("<", d, m), {"d": DAY, "m": NOON}, True),
    (Logic("and", (b, lit(False))), {"b": None}, False),
    (Logic("and", (b, lit(True))), {"b": None}, None),
    (Logic("or", (b, lit(True))), {"b": None}, True),
    (Logic("or", (b, lit(False), lit(False))), {"b": None}, None),
    (Logic("and", tuple(compare(i, "<>", n) for n in range(300))), {"i": 300}, True),
    (Not(compare(x, "<", 5.0)), {"x": NAN}, None),
    (IsNull(x), {"x": NAN}, True),
    (IsNull(Not(b)), {"b": None}, True),
    (InList(i, (lit(1), lit(float(2**53)))), {"i": 2**53 + 1}, True),
    (InList(i, (lit(1), lit(2))), {"i": None}, None),
    (InList(x, (lit(1), lit(0.1))), {"x": 0.1}, True),
    (InList(s, (lit("a"), lit("it's"))), {"s": "it's"}, True),
    (Like(s, "a_c%"), {"s": "a\nc👩‍👩‍👧"}, True),
    (Like(s, "\\%"), {"s": "\\abc"}, True),
    (Like(s, "A"), {"s": "a"}, False),
    (Like(s, "_"), {"s": "e\u0301"}, False),
    (Arithmetic("/", x, lit(0.0), FLOAT), {"x": 1.0}, None),
    (Arithmetic("/", x, lit(-0.0), FLOAT), {"x": 1.0}, None),
    (Arithmetic("-", x, x, FLOAT), {"x": INF}, None),
    (Arithmetic("*", x, lit(10.0), FLOAT), {"x": 1.7e308}, INF),
    (Arithmetic("+", i, lit(1), FLOAT), {"i": GREATEST}, float(2**63)),
    (Arithmetic("/", i, lit(2), FLOAT), {"i": 7}, 3.5),
    (Arithmetic("*", Clamp(i, lit(-5), lit(5), INT), lit(2**59), INT), {"i": GREATEST}, 5 * 2**59),
    (Case(((b, i),), x, FLOAT), {"b": True, "i": 3}, 3.0),
    (Case(((b, i),), None, INT), {"b": None, "i": 3}, None),
    (Case(((b, s), (Not(b), lit("no"))), lit("none"), TEXT), {"b": None, "s": "yes"}, "none"),
    (Cast(x, INT), {"x": 2.5}, 2),
    (Cast(x, INT), {"x": 9.3e18}, None),
    (Cast(x, INT), {"x": float(LEAST)}, LEAST),
    (Cast(i, FLOAT), {"i": 2**53 + 1}, float(2**53)),
    (Cast(s, INT), {"s": " +12.00 "}, 12),
    (Cast(s, INT), {"s": "\u00a012"}, None),
    (Cast(s, INT), {"s": "1_000"}, None),
    (Cast(s, FLOAT), {"s": "1e999"}, INF),
    (Cast(s, FLOAT), {"s": "nan"}, None),
    (Cast(s, FLOAT), {"s": "0x10"}, None),
    (Cast(s, DATE), {"s": "2021-02-29"}, None),
    (Cast(s, DATE), {"s": "0000-01-01"}, None),
    (Cast(s, DATE), {"s": " 9999-12-31"}, datetime.date(9999, 12, 31)),
    (Cast(s, MOMENT), {"s": "2020-01-01T23:59:59.5"}, datetime.datetime(2020, 1, 1, 23, 59, 59, 500000)),
    (Cast(s, MOMENT), {"s": "2020-01-01 24:00:00"}, None),
    (Cast(s, MOMENT), {"s": "2020-01-01"}, datetime.datetime(2020, 1, 1)),
    (Cast(s, BOOL), {"s": " YES "}, True),
    (Cast(s, BOOL), {"s": "maybe"}, None),
    (Cast(m, DATE), {"m": NOON}, DAY),
    (Cast(d, MOMENT), {"d": DAY}, datetime.datetime(2020, 12, 31)),
    (Cast(b, INT), {"b": True}, 1),
    (Cast(i, TEXT), {"i": LEAST}, str(LEAST)),
    (Coalesce(x, lit(7.0), FLOAT), {"x": NAN}, 7.0),
    (Coalesce(i, lit(0.5), FLOAT), {"i": 3}, 3.0),
    (Clamp(x, lit(0.0), lit(10.0), FLOAT), {"x": INF}, 10.0),
    (Clamp(x, lit(0.0), lit(10.0), FLOAT), {"x": NAN}, None),
    (Clamp(i, lit(0), lit(10), INT), {"i": LEAST}, 0),
    (Clamp(i, lit(0.5), lit(10), FLOAT), {"i": -1}, 0.5),
    (NullOutsideBounds(x, lit(0.0), lit(10.0), FLOAT), {"x": NAN}, None),
    (NullOutsideBounds(i, lit(0), lit(10), INT), {"i": 10}, 10),
    (NullOutsideBounds(d, lit(datetime.date(2020, 1, 1)), lit(DAY), DATE), {"d": DAY}, DAY),
    (NullOutsideBounds(m, lit(datetime.date(2020, 1, 1)), lit(DAY), MOMENT), {"m": NOON}, NOON),
    (NullOutsideBounds(m, lit(DAY), lit(datetime.date(9999, 12, 31)), MOMENT), {"m": datetime.datetime.max}, datetime.datetime.max),
    (Absolute(i, INT), {"i": LEAST}, None),
    (Absolute(i, INT), {"i": LEAST + 1}, GREATEST),
    (Absolute(x, FLOAT), {"x": -INF}, INF),
    (Rounded("round", x), {"x": -2.5}, -3),
    (Rounded("round", x), {"x": -0.49999999999999994}, 0),
    (Rounded("floor", x), {"x": -5e-324}, -1),
    (Rounded("ceil", x), {"x": INF}, None),
    (Rounded("floor", i), {"i": GREATEST}, GREATEST),
    (LeastOrGreatest("least", (x, lit(1.0)), FLOAT), {"x": NAN}, 1.0),
    (LeastOrGreatest("greatest", (i, x), FLOAT), {"i": 3, "x": 2.5}, 3.0),
    (LeastOrGreatest("greatest", (i, i), INT), {"i": None}, None),
    (Bucket(x, 0.0, 10.0, 5), {"x": 10.0}, 6),
    (Bucket(x, 0.0, 10.0, 5), {"x": 9.999999999999998}, 5),
    (Bucket(x, 0.0, 10.0, 5), {"x": -INF}, 0),
    (Bucket(x, 0.0, 10.0, 5), {"x": NAN}, None),
    (Bucket(x, -1.0, -0.30000000000000004, 5), {"x": -0.3000000000000001}, 5),  # the quotient rounds up to 5
    (Bucket(x, -1.7e308, 1.7e308, 5), {"x": 1.6e308}, 5),
    (Bucket(i, 0, 10, 5), {"i": 2}, 2),
    (DatePart("dow", d), {"d": datetime.date(2020, 12, 27)}, 0),
    (DatePart("isodow", d), {"d": datetime.date(2020, 12, 27)}, 7),
    (DatePart("doy", d), {"d": DAY}, 366),
    (DatePart("quarter", m), {"m": NOON}, 4),
    (DatePart("hour", d), {"d": DAY}, 0),
    (DatePart("minute", m), {"m": NOON}, 30),
    (DatePart("year", d), {"d": datetime.date(1, 1, 1)}, 1),
    (DateTrunc("year", d, DATE), {"d": DAY}, datetime.date(2020, 1, 1)),
    (DateTrunc("quarter", d, DATE), {"d": DAY}, datetime.date(2020, 10, 1)),
    (DateTrunc("week", d, DATE), {"d": datetime.date(2020, 12, 27)}, datetime.date(2020, 12, 21)),
    (DateTrunc("week", d, DATE), {"d": datetime.date(1, 1, 7)}, datetime.date(1, 1, 1)),
    (DateTrunc("week", m, MOMENT), {"m": datetime.datetime.max}, datetime.datetime(9999, 12, 27)),
    (DateTrunc("month", m, MOMENT), {"m": datetime.datetime(1969, 12, 31, 23, 59, 59, 999999)}, datetime.datetime(1969, 12, 1)),
    (DateTrunc("day", m, MOMENT), {"m": NOON}, datetime.datetime(2020, 12, 31)),
    (DateTrunc("hour", m, MOMENT), {"m": NOON}, datetime.datetime(2020, 12, 31, 12)),
    (DateTrunc("month", d, DATE), {"d": None}, None),
    (DatePart("week", d), {"d": datetime.date(2021, 1, 3)}, 53),
    (DatePart("isoyear", d), {"d": datetime.date(2021, 1, 3)}, 2020),
    (DatePart("second", m), {"m": datetime.datetime(2020, 1, 1, 0, 0, 59, 999999)}, 59),
    (DatePart("julian", d), {"d": datetime.date(1, 1, 1)}, 1_721_426),
    (DatePart("julian", m), {"m": datetime.datetime(1969, 12, 31, 23, 59, 59, 999999)}, 2_440_587),
    (DateAdd(1, "month", d, DATE), {"d": datetime.date(2024, 1, 31)}, datetime.date(2024, 2, 29)),
    (DateAdd(-12, "month", m, MOMENT), {"m": datetime.datetime(2024, 2, 29, 7)}, datetime.datetime(2023, 2, 28, 7)),
    (DateAdd(1, "month", d, DATE), {"d": datetime.date(9999, 12, 1)}, None),
    (DateAdd(1, "month", d, DATE), {"d": datetime.date(9999, 11, 30)}, datetime.date(9999, 12, 30)),
    (DateAdd(-1, "month", m, MOMENT), {"m": datetime.datetime(1, 1, 31)}, None),
    (DateAdd(1, "day", d, DATE), {"d": datetime.date.max}, None),
    (DateAdd(-1, "day", m, MOMENT), {"m": datetime.datetime(1, 1, 1, 23)}, None),
    (DateAdd(10**12, "day", d, DATE), {"d": DAY}, None),
    (DateAdd(1, "second", m, MOMENT), {"m": datetime.datetime(9999, 12, 31, 23, 59, 58, 999999)}, datetime.datetime.max),
    (DateAdd(1, "second", m, MOMENT), {"m": datetime.datetime(9999, 12, 31, 23, 59, 59)}, None),
    (DateAdd(1, "day", d, DATE), {"d": None}, None),
    (DateText("%Y-%m-%d", d), {"d": datetime.date(7, 2, 3)}, "0007-02-03"),
    (DateText("%A, %d %B %Y; %a %b %G-W%V %j %u %w Q%q 5%%", d), {"d": datetime.date(2024, 12, 30)},
     "Monday, 30 December 2024; Mon Dec 2025-W01 365 1 1 Q4 5%"),
    (DateText("%H:%M:%S it's", m), {"m": datetime.datetime(2020, 1, 1, 5, 6, 7, 999999)}, "05:06:07 it's"),
    (DateText("%H", d), {"d": DAY}, "00"),
    (DateText("%Y", d), {"d": None}, None),
    (Like(s, "50\\%%", escape="\\"), {"s": "50% off"}, True),
    (Like(s, "50\\%%", escape="\\"), {"s": "500"}, False),
    (Like(s, "_\\_\\\\", escape="\\"), {"s": "x_\\"}, True),
    (Cast(d, TEXT), {"d": datetime.date(1, 2, 3)}, "0001-02-03"),
    # only the 26 ASCII letters: ß would become two letters, and İ depends on the version of Unicode
    (AsciiCase("upper", s), {"s": "straße é İı a\x00z"}, "STRAßE é İı A\x00Z"),
    (AsciiCase("lower", s), {"s": "ÀZ@[İ"}, "Àz@[İ"),
    (Trim("both", s, " "), {"s": "\u00a0 a \t "}, "\u00a0 a \t"),
    (Trim("leading", s, "éx"), {"s": "xéxaé"}, "aé"),
    (Trim("trailing", s, "👩"), {"s": "a👩👩"}, "a"),
    (Substring(s, 2, 1), {"s": "👩👩‍👧"}, "👩"),
    (Substring(s, 5, None), {"s": "abc"}, ""),
    (Substring(s, 1, 0), {"s": "abc"}, ""),
    (Substring(s, -2, None), {"s": "e\u0301👩"}, "\u0301👩"),
    (Substring(s, -9, None), {"s": "abc"}, "abc"),
    (SplitPart(s, "@", 2), {"s": "a@b@c"}, "b"),
    (SplitPart(s, "@", 4), {"s": "a@b@c"}, ""),
    (SplitPart(s, "@", 1), {"s": ""}, ""),
    (SplitPart(s, ".", 1), {"s": None}, None),
    (Length(s), {"s": "👩‍👩‍👧é"}, 6),
    (Length(s), {"s": ""}, 0),
    (Position(s, "b"), {"s": "👩ab"}, 3),
    (Position(s, "x"), {"s": "ab"}, 0),
    (Position(s, ""), {"s": "ab"}, 1),
    (Concat((s, lit("-"), s), 7), {"s": "ab👩"}, "ab👩-ab👩"),
    (Concat((s, lit("-"), s), 6), {"s": "ab👩"}, None),
    (Concat((s, Cast(i, TEXT)), 9), {"s": "a", "i": None}, None),
    (Replace(s, "aa", "b", 9), {"s": "aaaaa"}, "bba"),
    (Replace(s, "a", "bb", 6), {"s": "aaa"}, "bbbbbb"),
    (Replace(s, "a", "bb", 5), {"s": "aaa"}, None),
    (Replace(s, "é", "", 9), {"s": "éaé"}, "a"),
]  # fmt: skip
NOTHING = dict.fromkeys(TYPES)
ROWS = [NOTHING | {"b": None} | row | {"n": n} for n, (_, row, _) in enumerate(CASES)]


@pytest.fixture(params=["parquet", "arrow"], scope="module")
def held(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    return WAYS[request.param](ROWS, declared(TYPES), tmp_path_factory.mktemp("cases"))


@pytest.mark.parametrize("number", range(len(CASES)), ids=lambda n: f"{n}-{type(CASES[n][0]).__name__}")
def test_an_expression_has_its_value(held: Any, number: int) -> None:
    expression, _, expected = CASES[number]
    value = evaluate(expression, ROWS[number])
    assert (value, type(value)) == (expected, type(expected))
    here = Filter(scan(declared(TYPES)), compare(Column("n", INT), "=", number))
    keys = () if expected is None else (GroupKey("k", expression, (expected,)),)
    plan = Group(here, keys, (Statistic(Kind.ROWS), Statistic(Kind.PRESENT, expression)))
    assert looked(held, plan).tolist() == [[1], [int(expected is not None)]]


def test_every_kind_of_expression_has_a_case() -> None:
    def kinds(expression: Expression) -> set[type]:
        return {type(expression)}.union(*map(kinds, children(expression)))

    shown = set().union(*(kinds(expression) for expression, _, _ in CASES))
    assert shown == set(get_args(Expression))


def test_integer_arithmetic_that_might_overflow_is_never_run(held: Any) -> None:
    unproved = Arithmetic("+", i, lit(1), INT)
    plan = Group(scan(declared(TYPES)), (), (Statistic(Kind.PRESENT, unproved),))
    with pytest.raises(Bug, match="integer-unproved"):
        evaluate(unproved, ROWS[0])
    with pytest.raises(Bug, match="integer-unproved"):
        held.execute(plan)


def test_a_deeply_nested_question_grows_by_addition(held: Any) -> None:
    nested: Expression = x
    for level in range(60):
        nested = Clamp(Arithmetic("+", nested, lit(1.0), FLOAT), lit(-1e9), lit(1e9 + level), FLOAT)
    plan = Group(scan(declared(TYPES)), (), (Statistic(Kind.PRESENT, nested),))
    present = sum(evaluate(nested, row) is not None for row in ROWS)
    assert looked(held, plan).tolist() == [[present]]


@pytest.mark.parametrize("unit", [None, "who"])
def test_nan_is_null_whatever_else_the_file_holds(unit: str | None, tmp_path: Path) -> None:
    """Parquet's statistics leave NaN out: what a NaN counts for must not depend on whether an infinity is beside it."""
    types = {"who": TEXT, "x": FLOAT}
    replaced = Clamp(Coalesce(x, lit(2.0), FLOAT), lit(1.0), lit(3.0), FLOAT)
    asked = (
        Statistic(Kind.PRESENT, x),
        Statistic(Kind.ROWS, filter=IsNull(x)),
        Statistic(Kind.ROWS, filter=compare(x, "<=", 9.0)),
        Statistic(Kind.ROWS, filter=compare(x, ">", 1.5)),
        Statistic(Kind.SUM, replaced, grid=Grid(1.0, 3.0, 0, Fraction(0))),
    )
    table = declared(types, unit=unit)
    ordinary = [{"who": "a", "x": 1.0}, {"who": "b", "x": 2.0}, *[{"who": "c", "x": NAN}] * 5]
    integers = {}
    for name, beside in {"without": [], "with": [{"who": None, "x": INF}]}.items():
        folder = tmp_path / name
        folder.mkdir()
        engine = WAYS["parquet"]([*ordinary, *beside], table, folder)
        plan = Group(scan(table), (), asked)
        integers[name] = looked(engine, plan).tolist()
        assert integers[name] == looked(reference([*ordinary, *beside], table), plan).tolist()
    assert integers["without"] == [[2], [5], [2], [1], [1 + 2 + 5 * 2]]
