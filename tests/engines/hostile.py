"""Rows that break careless arithmetic, and random plans over them."""

from __future__ import annotations

import datetime
import itertools
import math
import random
from fractions import Fraction
from typing import Any, get_args

from hypothesis import strategies as st

from lapcat.plan.calendar import CODES
from lapcat.plan.expressions import (
    CASTS,
    Absolute,
    Arithmetic,
    AsciiCase,
    Bucket,
    Case,
    Casing,
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
    MoveUnit,
    Not,
    NullOutsideBounds,
    Part,
    Position,
    Replace,
    Rounded,
    Sides,
    Span,
    SplitPart,
    Substring,
    Trim,
    range_of,
)
from lapcat.plan.nodes import Filter, Grid, Group, GroupKey, Kind, LimitRows, Rows, Statistic
from lapcat.plan.schema import Table, Type, Value
from tests.engines.holding import scan

INTEGERS = [
    0,
    1,
    -1,
    2,
    3,
    7,
    -8,
    110,
    2**31,
    -(2**31) - 1,
    2**52,
    2**53 + 1,
    -(2**53) - 1,
    2**62,
    -(2**62),
    10**18 - 1,
    2**63 - 1,
    -(2**63) + 1,
    -(2**63),
]
FLOATS = [
    0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.1, 3.0, 110.25, 5e-324, -5e-324, 2.2250738585072014e-308, 1e308, -1e308,
    1.7976931348623157e308, 9007199254740993.0, 4503599627370497.5, 9.223372036854775e18, 9.223372036854776e18,
    -9.223372036854776e18, 0.49999999999999994, -0.49999999999999994, math.inf, -math.inf, math.nan,
    1.0, -1.0, 0.9999999999999999, 2.0**-537, 2.0**-538, 2.0**-500, 2.0**512, -(2.0**900), 2.0**1023, 2.0**52, -(2.0**53),
    -1.7976931348623157e308, -2.2250738585072014e-308, 2.225073858507201e-308, 2.2250738585072019e-308,
]  # fmt: skip
TEXTS = [
    "", " ", "a", "A", "north", "é", "e\u0301", "👩‍👩‍👧", "ß", "it's", 'say "x"', "a;b", "a\\b", "100%", "x_y", "a\x00b",
    "line\nbreak", "ﬁ", "\u00a0", "12", " 12 ", "+7", "-0", "12.00", "12.5", ".5", "5.", "1e3", "1e999", "-1e-999", "inf",
    "-Infinity", "nan", "1_000", "0x10", "99999999999999999999", "2020-02-29", "2021-02-29", "0000-01-01", "9999-12-31",
    "2020-01-01T23:59:59.5", "2020-01-01 24:00:00", "2020-01-01 00:00:00.1234567", "true", "T", "YES", "no", "0", "1", "ÿ",
    "1.7976931348623157e308", "1.7976931348623159e308", "-4.9e-324", "2.4e-324", "-9223372036854775808", "999999999999999999",
    "0001-01-01", "9999-12-31 23:59:59.999999", "10000-01-01", "ab" * 2048, "é" * 4096,
]  # fmt: skip
DATES = [
    datetime.date(*ymd)
    for ymd in [(1, 1, 1), (1969, 12, 31), (1970, 1, 1), (2000, 2, 29), (2020, 12, 31), (9999, 12, 31)]
]
MOMENTS = [
    datetime.datetime.min,
    datetime.datetime.max,
    datetime.datetime(1969, 12, 31, 23, 59, 59, 999999),
    datetime.datetime(2000, 2, 29, 12, 30),
    datetime.datetime(2020, 12, 31, 23, 59, 59, 1),
]
POOLS: dict[Type, list[Any]] = {
    Type.INTEGER: INTEGERS,
    Type.FLOAT: FLOATS,
    Type.TEXT: TEXTS,
    Type.BOOLEAN: [True, False],
    Type.DATE: DATES,
    Type.TIMESTAMP: MOMENTS,
}
TYPES = {
    "n": Type.INTEGER,
    "who": Type.TEXT,
    "i": Type.INTEGER,
    "j": Type.INTEGER,
    "x": Type.FLOAT,
    "y": Type.FLOAT,
    "s": Type.TEXT,
    "t": Type.TEXT,
    "b": Type.BOOLEAN,
    "d": Type.DATE,
    "m": Type.TIMESTAMP,
}


def hostile_rows(count: int, seed: int = 7) -> list[dict[str, object]]:
    """Every value of every pool at least once, NULLs among them; units with no, one and many rows, and no unit."""
    coins = random.Random(seed)
    pools = {name: [*POOLS[kind], None] for name, kind in TYPES.items()}
    pools["who"] = [None, "", "ana", "Ana", "é", "e\u0301", "a\x00b", *["crowd"] * 5]
    cycles = {name: itertools.cycle(coins.sample(pool, len(pool))) for name, pool in pools.items()}
    return [{name: next(cycle) for name, cycle in cycles.items()} | {"n": n} for n in range(count)]


def row_values(kind: Type) -> st.SearchStrategy[object]:
    return st.none() | st.sampled_from(POOLS[kind])


rows_of_any_kind = st.lists(
    st.fixed_dictionaries({name: row_values(kind) for name, kind in TYPES.items()}), max_size=12
)


# ------------------------------------------------------------------------------------------------ expressions

COMPARISONS = st.sampled_from(["=", "<>", "<", "<=", ">", ">="])


def literals(kind: Type) -> st.SearchStrategy[Literal]:
    return st.sampled_from([v for v in POOLS[kind] if v == v]).map(lambda value: Literal(value, kind))


def finite(kind: Type) -> st.SearchStrategy[Value]:
    return st.sampled_from([v for v in POOLS[kind] if not isinstance(v, float) or math.isfinite(v)])


@st.composite
def ends(draw: st.DrawFn, kind: Type) -> tuple[Literal, Literal]:
    low, high = sorted([draw(finite(kind)), draw(finite(kind))])  # type: ignore[type-var]
    return Literal(low, kind), Literal(high, kind)


searches = st.sampled_from(["a", "-", "0", "ab", "é", "👩", "\\", "%", " "])
numbers = st.sampled_from([Type.INTEGER, Type.FLOAT])


@st.composite
def expressions(draw: st.DrawFn, kind: Type, depth: int = 3) -> Expression:
    """A random expression of a type, of every node that can give it."""
    columns = [Column(name, kind) for name, declared in TYPES.items() if declared is kind]
    if depth == 0 or draw(st.integers(0, 4)) == 0:
        return draw(st.sampled_from(columns)) if draw(st.integers(0, 3)) else draw(literals(kind))

    def inner(wanted: Type) -> Expression:
        return draw(expressions(wanted, depth - 1))

    makers = [lambda: _case(draw, kind, depth), lambda: Coalesce(inner(kind), draw(literals(kind)), kind)]
    casts = [before for before, after in CASTS if after is kind]
    if casts:
        makers.append(lambda: Cast(inner(draw(st.sampled_from(sorted(casts)))), kind))
    if kind.is_number:
        makers += [
            lambda: Clamp(inner(kind), *draw(ends(kind)), kind),
            lambda: Absolute(inner(kind), kind),
            lambda: LeastOrGreatest(
                draw(st.sampled_from(["least", "greatest"])), (inner(kind), inner(kind)), kind
            ),
        ]
    if kind in (Type.DATE, Type.TIMESTAMP):
        makers.append(lambda: DateTrunc(draw(st.sampled_from(get_args(Span))), inner(kind), kind))
        makers.append(lambda: DateAdd(*draw(_moves(kind)), inner(kind), kind))
    if kind is Type.TEXT:
        moments = st.sampled_from([Type.DATE, Type.TIMESTAMP])
        makers.append(lambda: DateText(draw(st.sampled_from(DATE_PATTERNS)), inner(draw(moments))))
    if kind.is_number or kind is Type.DATE:
        makers.append(lambda: NullOutsideBounds(inner(kind), *draw(ends(kind)), kind))
    match kind:
        case Type.FLOAT:
            makers += [
                lambda: Arithmetic(
                    draw(st.sampled_from("+-*/")), inner(draw(numbers)), inner(draw(numbers)), kind
                ),
                lambda: Clamp(inner(Type.INTEGER), *draw(ends(draw(numbers))), kind),
                lambda: LeastOrGreatest("least", (inner(Type.INTEGER), inner(kind)), kind),
            ]
        case Type.INTEGER:
            makers += [
                lambda: _integer_arithmetic(draw, depth),
                lambda: Rounded(draw(st.sampled_from(["floor", "ceil", "round"])), inner(draw(numbers))),
                lambda: Bucket(
                    inner(draw(numbers)), *draw(_bucket_ends()), draw(st.sampled_from([1, 3, 10, 1000]))
                ),
                lambda: DatePart(
                    draw(st.sampled_from(get_args(Part))),
                    inner(draw(st.sampled_from([Type.DATE, Type.TIMESTAMP]))),
                ),
            ]
            makers += [
                lambda: Length(inner(Type.TEXT)),
                lambda: Position(inner(Type.TEXT), draw(searches | st.just(""))),
            ]
        case Type.TEXT:
            makers += [
                lambda: AsciiCase(draw(st.sampled_from(get_args(Casing))), inner(kind)),
                lambda: Trim(
                    draw(st.sampled_from(get_args(Sides))),
                    inner(kind),
                    draw(st.sampled_from([" ", "1é", "a\\"])),
                ),
                lambda: Substring(
                    inner(kind), *draw(st.sampled_from([(1, 3), (2, None), (3, 0), (-2, None)]))
                ),
                lambda: SplitPart(inner(kind), draw(searches), draw(st.integers(1, 3))),
                lambda: Concat((inner(kind), inner(kind)), draw(st.sampled_from([3, 20, 4096]))),
                lambda: Replace(
                    inner(kind), draw(searches), draw(searches), draw(st.sampled_from([3, 4096]))
                ),
            ]
        case Type.TIMESTAMP:
            makers.append(lambda: NullOutsideBounds(inner(kind), *draw(ends(Type.DATE)), kind))
        case Type.BOOLEAN:
            makers += [
                lambda: _comparison(draw, depth),
                lambda: _comparison(draw, depth),
                lambda: Logic(
                    draw(st.sampled_from(["and", "or"])),
                    tuple(inner(kind) for _ in range(draw(st.integers(2, 4)))),
                ),
                lambda: Not(inner(kind)),
                lambda: IsNull(inner(draw(st.sampled_from(list(Type))))),
                lambda: Like(
                    inner(Type.TEXT),
                    draw(st.sampled_from(["", "%", "_", "a%", "%b", "%e%", "_\u0301", "1_%", "%\\%"])),
                ),
                lambda: Like(
                    inner(Type.TEXT),
                    draw(st.sampled_from(["%\\%", "_\\_%", "a\\\\%", "%0\\%%"])),
                    escape="\\",
                ),
                lambda: _in_list(draw, depth),
            ]
    return draw(st.sampled_from(makers))()


def _case(draw: st.DrawFn, kind: Type, depth: int) -> Case:
    branches = [kind, Type.INTEGER] if kind is Type.FLOAT else [kind]
    whens = tuple(
        (
            draw(expressions(Type.BOOLEAN, depth - 1)),
            draw(expressions(draw(st.sampled_from(branches)), depth - 1)),
        )
        for _ in range(draw(st.integers(1, 2)))
    )
    return Case(whens, draw(st.none() | expressions(kind, depth - 1)), kind)


def _integer_arithmetic(draw: st.DrawFn, depth: int) -> Expression:
    sides = [
        Clamp(draw(expressions(Type.INTEGER, depth - 1)), *draw(ends(Type.INTEGER)), Type.INTEGER)
        for _ in range(2)
    ]
    result = Arithmetic(draw(st.sampled_from("+-*")), sides[0], sides[1], Type.INTEGER)
    return result if range_of(result).fits_integer else sides[0]


DATE_PATTERNS = ["".join(CODES), "%Y-%m", "%d.%m.%Y 100%%", "%B'%a\\"]


def _moves(kind: Type) -> st.SearchStrategy[tuple[int, MoveUnit]]:
    """Numbers and units by which a date or timestamp moves: by little, by a century, and out of the calendar."""
    units: list[MoveUnit] = ["month", "day"] if kind is Type.DATE else ["month", "day", "second"]
    sizes = st.sampled_from([0, 1, -1, 12, -31, 1200, -36_525, 119_987, 3_652_058, -(10**11), 10**12])
    return st.tuples(sizes, st.sampled_from(units))


def _bucket_ends() -> st.SearchStrategy[tuple[float, float]]:
    return st.sampled_from(
        [(0.0, 1.0), (-3.0, 110.25), (0.0, 5e-324), (-1e308, 1e308), (-1.7e308, 1.7e308), (0, 200)]
    )


def _comparison(draw: st.DrawFn, depth: int) -> Compare:
    left, right = draw(
        st.sampled_from(
            [(k, k) for k in Type]
            + [(Type.INTEGER, Type.FLOAT), (Type.FLOAT, Type.INTEGER), (Type.DATE, Type.TIMESTAMP)]
        )
    )
    return Compare(draw(COMPARISONS), draw(expressions(left, depth - 1)), draw(expressions(right, depth - 1)))


def _in_list(draw: st.DrawFn, depth: int) -> InList:
    kind = draw(st.sampled_from(list(Type)))
    among = literals(Type.INTEGER) | literals(Type.FLOAT) if kind.is_number else literals(kind)
    return InList(draw(expressions(kind, depth - 1)), tuple(draw(st.lists(among, min_size=1, max_size=4))))


# ------------------------------------------------------------------------------------------------ plans


@st.composite
def grids(draw: st.DrawFn, kind: Type) -> Grid:
    low, high = (end.value for end in draw(ends(kind)))
    assert isinstance(low, (int, float)) and isinstance(high, (int, float))
    largest = max(abs(Fraction(low)), abs(Fraction(high)), Fraction(1, 2**1070))
    finest = largest.numerator.bit_length() - largest.denominator.bit_length() + 1 - 61
    exponent = (
        draw(st.integers(finest, finest + 70))
        if kind is Type.FLOAT
        else draw(st.integers(max(finest, -3), 60))
    )
    steps = draw(st.sampled_from([0, 0, 1, -1, 12345, 2**40]))
    return Grid(low, high, exponent, steps * Fraction(2) ** exponent)


@st.composite
def statistics(draw: st.DrawFn) -> Statistic:
    where = draw(st.none() | expressions(Type.BOOLEAN, 2))
    kind = draw(st.sampled_from(list(Kind)))
    if kind in (Kind.ROWS, Kind.UNITS):
        return Statistic(kind, filter=where)
    if kind in (Kind.PRESENT, Kind.DISTINCT):
        return Statistic(kind, draw(expressions(draw(st.sampled_from(list(Type))))), where)
    number = draw(numbers)
    grid = draw(grids(number))
    value = draw(expressions(number))
    low, high = Literal(grid.clamp_low, number), Literal(grid.clamp_high, number)
    form = draw(st.sampled_from(["bare", "clamped", "replaced", "clamped elsewhere"]))
    if form == "clamped elsewhere":
        low, high = draw(ends(number))
    if form == "replaced":
        value = Coalesce(value, draw(literals(number)), number)
    if form != "bare":
        value = Clamp(value, low, high, number)
    if number is Type.INTEGER and draw(st.booleans()):  # what plan/grids.py does where the centre is a half
        value, grid = (
            Cast(value, Type.FLOAT),
            Grid(float(grid.clamp_low), float(grid.clamp_high), grid.exponent, grid.centre),
        )
    return Statistic(kind, value, where, grid)


@st.composite
def keys(draw: st.DrawFn, position: int) -> GroupKey:
    kind = draw(st.sampled_from(list(Type)))
    expression = draw(expressions(kind, 2))
    other = draw(st.booleans())
    if kind is Type.INTEGER and draw(st.booleans()):
        low = draw(st.sampled_from([-(2**63), -10, 0, 2**63 - 5]))
        return GroupKey(f"k{position}", expression, range(low, low + draw(st.integers(1, 5))), other)
    values = draw(
        st.lists(st.sampled_from([v for v in POOLS[kind] if v == v]), min_size=1, max_size=4, unique=True)
    )
    return GroupKey(f"k{position}", expression, tuple(values), other)


@st.composite
def plans(draw: st.DrawFn, table: Table) -> Group:
    rows: Rows = scan(table)
    if draw(st.booleans()):
        rows = LimitRows(rows, draw(st.integers(1, 4)))
    if draw(st.integers(0, 3)) == 0:
        rows = Filter(rows, draw(expressions(Type.BOOLEAN)))
    grouped = tuple(draw(keys(position)) for position in range(draw(st.sampled_from([0, 1, 1, 2]))))
    return Group(rows, grouped, tuple(draw(st.lists(statistics(), min_size=3, max_size=8))))
