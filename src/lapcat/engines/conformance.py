"""Conformance suite: does an engine compute each operator as engines/reference.py does? A few dozen small plans over fixture rows.

The rows hold values on which engines differ: NULL, NaN, −0.0, ±inf, the ends of 64 bits and of the calendar, texts of every
script, texts that look like numbers, a text with a NUL. They are literals in the statement, so no table is read and nothing
is written. Each probe is a plan that puts every row into its own cell and identifies its value by comparing it with the
expected ones; the engine's integers must equal the reference's.
"""

from __future__ import annotations

import datetime
import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from functools import cache
from typing import Literal as OneOf
from typing import get_args

from lapcat.engines.base.cells import Figures
from lapcat.engines.base.dialect import Dialect
from lapcat.engines.base.literals import after_from, literal_rows
from lapcat.engines.base.relation import RANK, ROWS, UNIT, SourceRelation
from lapcat.engines.base.rows import Opened
from lapcat.engines.base.steward import Owner, typed_rows
from lapcat.engines.evaluation import evaluate
from lapcat.engines.operators import (
    COUNTS,
    FEW_GROUPS,
    FEW_ROWS,
    INDEX,
    PRIVATE,
    WEIGHED,
    OperatorMeaning,
    Result,
    key_name,
    operator,
    unit_aggregate_name,
)
from lapcat.engines.reference import Index, ReferenceEngine, index_by_column
from lapcat.engines.values import coerce
from lapcat.plan.calendar import CODES
from lapcat.plan.expressions import (
    CASTS,
    Absolute,
    Arithmetic,
    ArithmeticOp,
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
)
from lapcat.plan.nodes import (
    Filter,
    Grid,
    Group,
    GroupKey,
    Join,
    Kind,
    LimitGroups,
    LimitRows,
    Match,
    PerUnit,
    Public,
    Rows,
    Scan,
    Statistic,
    Union,
    UnionBranch,
    UnitAggregate,
    UnitColumn,
    WeightRows,
    scans_of,
)
from lapcat.plan.schema import Relation, Type, Unit, Value

INTEGER, FLOAT, TEXT, BOOLEAN, DATE, TIMESTAMP = Type
ARITHMETIC: tuple[ArithmeticOp, ...] = ("+", "-", "*", "/")
"""Integers have no division."""
POOLS: dict[Type, tuple[Value | None, ...]] = {
    INTEGER: (0, 1, -1, 2, 7, -8, 110, 2**31, 2**53 + 1, -(2**53) - 1, 2**62, 2**63 - 1, -(2**63), None),
    FLOAT: (
        0.0, -0.0, 0.5, 1.5, 2.5, -2.5, 0.1, 110.25, 5e-324, 1e308, -1e308, 4503599627370497.5, 9.223372036854775e18,
        9.223372036854776e18, -9.223372036854776e18, 0.49999999999999994, -0.49999999999999994, math.inf, -math.inf,
        math.nan, None,
    ),
    TEXT: (
        "", " ", "a", "A", "é", "e\u0301", "ß", "👩‍👩‍👧", "it's", "a\\b", "x_y", "a\x00b", "line\nbreak", "\u00a012", "12",
        " +12.00 ", "12.5", ".5", "1e3", "1e999", "inf", "-Infinity", "nan", "1_000", "0x10", "1d", "99999999999999999999",
        "2020-02-29", "2021-02-29", "0000-01-01", "9999-12-31", "2020-01-01T23:59:59.5", "2020-01-01 24:00:00", "12\n",
        "2020-01-01 00:00:00.1234567", "2020-1-1", "true", " YES ", "f", "${user.name}", None,
    ),
    BOOLEAN: (True, False, None),
    DATE: (*tuple(datetime.date(*day) for day in ((1, 1, 1), (1, 1, 7), (1582, 10, 10), (1969, 12, 31), (2000, 2, 29), (2020, 12, 27), (9999, 12, 31))), None),
    TIMESTAMP: (
        datetime.datetime.min, datetime.datetime.max, datetime.datetime(1582, 10, 10, 0, 0, 1),
        datetime.datetime(1969, 12, 31, 23, 59, 59, 999999), datetime.datetime(2020, 3, 29, 2, 30),
        datetime.datetime(2020, 12, 31, 23, 59, 59, 1), None,
    ),
}  # fmt: skip
"""Values of the fixture rows. 2020-03-29 02:30 does not exist in central European time; October 1582 is the calendar reform."""
COLUMNS = {
    "n": INTEGER,
    "who": TEXT,
    "i": INTEGER,
    "j": INTEGER,
    "x": FLOAT,
    "y": FLOAT,
    "s": TEXT,
    "t": TEXT,
    "b": BOOLEAN,
    "d": DATE,
    "m": TIMESTAMP,
}
_STRIDES = {"i": 1, "j": 3, "x": 1, "y": 8, "s": 1, "t": 7, "b": 1, "d": 1, "m": 1}
_PEOPLE = ("ada", "Ada", "e\u0301", "crowd", "crowd", "crowd", None)
KEY = bytes(range(32))
JUST_ABOVE = (2.222758749485078e-162, 1.1113793747425386e-162)
"""Their product exceeds half of the smallest double, but only in its last bits."""
HALF = (0.5, 5e-324)
"""Their product is exactly half of the smallest double and rounds to 0 as a tie."""


@dataclass(frozen=True, slots=True)
class Probe:
    """An operator and a plan that tests it."""

    operator: str
    plan: Group
    parts: tuple[Probe, ...] = ()
    """Probes of single operators that this probe combines to save statements; they run only if the combined probe differs."""


CheckedEngine = Callable[[Group, Mapping[str, Opened]], Figures]
"""Runs a plan over given relations. They are fixtures, so the figures are not private."""


def check(
    run: CheckedEngine, dialect: Dialect, progress: Callable[[float], None] = lambda _: None
) -> list[OperatorMeaning]:
    """The result for each operator, in suite order."""
    suite = Suite(dialect.holds)
    index = index_by_column(suite.rows, "who", COLUMNS, KEY)
    reference = ReferenceEngine(
        {**dict.fromkeys(("lone", "people", "ranked"), suite.rows), "public": suite.rows[:PUBLIC_ROWS]},
        {"people": index, "ranked": index},
    )
    results: dict[str, Result] = {}
    probes = suite.probes()
    for done, probe in enumerate(probes):
        asked = [probe]
        while asked:
            each = asked.pop(0)
            if results.get(each.operator, "same") != "same":
                continue
            result = _result(each.plan, run, _tables(each.plan, suite.rows, index, dialect), reference)
            if not each.parts:
                results[each.operator] = result
            elif result == "same":
                results |= dict.fromkeys((part.operator for part in each.parts), result)
            else:
                asked += each.parts
        progress((done + 1) / len(probes))
    return [OperatorMeaning(label, result) for label, result in results.items()]


def _result(
    plan: Group, run: CheckedEngine, tables: Mapping[str, Opened], reference: ReferenceEngine
) -> Result:
    try:
        same = _comparable(run(plan, tables)) == _comparable(reference.figures(plan))
        return "same" if same else "differs"
    except Exception:  # any error is a result; its text is not passed on
        return "fails"


def _comparable(figures: Figures) -> object:
    """Figures in a form that does not depend on the order of private groups."""
    cells, keys, units = figures
    if keys is None or units is None:
        return cells.tolist()
    by_group = cells.reshape(len(cells), len(keys), -1 if len(keys) else 0)
    return {key: (int(units[at]), by_group[:, at].tolist()) for at, key in enumerate(keys)}


@cache
def suite_mark() -> str:
    """Digest of the suite. Results of another suite are not reused."""
    suite = Suite()
    return hashlib.sha256(repr((suite.probes(), suite.rows)).encode()).hexdigest()[:16]


# ------------------------------------------------------------------------------------------------ the suite


def _c(label: str) -> Column:
    return Column(label, COLUMNS[label])


def _lit(value: Value) -> Literal:
    kinds: dict[type, Type] = {bool: BOOLEAN, int: INTEGER, float: FLOAT, str: TEXT}
    kinds |= {datetime.date: DATE, datetime.datetime: TIMESTAMP}
    return Literal(value, kinds[type(value)])


ROW_UNITS = Scan("lone", "lone", 1, Unit(), Relation.ADD_REMOVE, None)
PEOPLE = Scan("people", "people", 1, Unit("who"), Relation.ADD_REMOVE, None, "people", 3, 2)
RANKED = Scan("ranked", "ranked", 1, Unit("who"), Relation.ADD_REMOVE, None, "people", 3, 2)
PUBLIC = Public("public", "public", 1, ("n",))
PUBLIC_ROWS = 20
COLUMN_OF = {INTEGER: "i", FLOAT: "x", TEXT: "s", BOOLEAN: "b", DATE: "d", TIMESTAMP: "m"}
PARTS, SPANS = get_args(Part), get_args(Span)
OPS: tuple[OneOf["=", "<>", "<", "<=", ">", ">="], ...] = ("=", "<>", "<", "<=", ">", ">=")
MOVES: dict[MoveUnit, tuple[int, ...]] = {
    "month": (1, -1, 12, -12 * 9998),
    "day": (1, -400, 3_652_058),
    "second": (1, -86_400, 315_537_897_599),
}
DATE_PATTERNS = ("".join(CODES), "%d.%m.%Y 100%%", "%B'%a\\")
PATTERNS = ("", "%", "_", "a%", "%b", "%e%", "_\u0301", "1_%", "%\\%", "A", "x_y", "a\\b")
ESCAPED = ("x\\_y", "%\\_%", "_\\_%", "a\\\\b", "%\\%%\\_%")


def _sums() -> Iterator[Statistic]:
    """Sums of doubles too far apart to be added as doubles, and of integers whose sum exceeds 64 bits."""
    i, x = _c("i"), _c("x")
    for low, high, exponent, centre in (
        (-3.0, 110.25, -40, 0),
        (-1e308, 1e308, 970, 0),
        (0.0, 1e-300, -1050, 12345),
    ):
        yield Statistic(Kind.SUM, x, grid=Grid(low, high, exponent, centre * Fraction(2) ** exponent))
    for lowest, highest, exponent in ((-(2**62), 2**62, 0), (-100, 100, 3), (0, 2**40, -20)):
        yield Statistic(Kind.SUM, i, grid=Grid(lowest, highest, exponent, Fraction(0)))
    yield Statistic(Kind.SUM, i, _c("b"), Grid(-100, 100, 0, Fraction(7)))


def _unit_column(aggregate: UnitAggregate, value: Column) -> UnitColumn:
    type_ = INTEGER if aggregate in (UnitAggregate.COUNT, UnitAggregate.DISTINCT) else value.type
    grid = None
    if aggregate in (UnitAggregate.SUM, UnitAggregate.AVG):
        low, high = _end(value.type, -100), _end(value.type, 100)
        grid = Grid(low, high, -20 if value.type is FLOAT else 0, Fraction(0))
    return UnitColumn("f", aggregate, value, None, grid, type_)


def _end(kind: Type, end: int) -> float:
    return float(end) if kind is FLOAT else end


class Suite:
    """The probes, over rows that the engine can hold: some engines have no text with a NUL."""

    def __init__(self, holds: Callable[[Value], bool] = lambda value: True) -> None:
        self._pools = {kind: tuple(v for v in pool if v is None or holds(v)) for kind, pool in POOLS.items()}
        self.rows = self._fixture_rows()
        self.each_row = GroupKey("n", _c("n"), range(len(self.rows)))

    def _fixture_rows(self) -> list[dict[str, Value | None]]:
        """Every value of every pool at least once; some units have several rows, and some rows have no unit."""
        rows = []
        for n in range(max(map(len, self._pools.values()))):
            row: dict[str, Value | None] = {"n": n, "who": _PEOPLE[n % len(_PEOPLE)]}
            for label, stride in _STRIDES.items():
                pool = self._pools[COLUMNS[label]]
                row[label] = pool[n * stride % len(pool)]
            rows.append(row)
        return rows

    def _values(self, kind: Type) -> list[Value]:
        """Distinct values of the pool, without NULL and NaN."""
        return list(dict.fromkeys(v for v in (coerce(v, kind) for v in self._pools[kind]) if v is not None))

    def by_value(self, *expressions: Expression, source: Rows = ROW_UNITS) -> Group:
        """A plan that shows the value of each expression on each row, or that it is NULL."""
        keys: list[GroupKey] = [self.each_row]
        sets: list[tuple[int, ...]] = [(0,)]
        for position, expression in enumerate(expressions, start=1):
            values = [
                value for value in (evaluate(expression, row) for row in self.rows) if value is not None
            ]
            if values:
                keys.append(GroupKey(f"v{position}", expression, tuple(dict.fromkeys(values))))
                sets.append((0, len(keys) - 1))
        present = (Statistic(Kind.PRESENT, expression) for expression in expressions)
        return Group(source, tuple(keys), (Statistic(Kind.ROWS), *present), tuple(sets))

    def by_number(self, *expressions: Expression) -> Group:
        """A plan that shows the small integer of each expression on each row, or that it is NULL."""
        low, high = _lit(-(2**40)), _lit(2**40)
        asked = [Statistic(Kind.PRESENT, each) for each in expressions]
        for each in expressions:
            grid = Grid(-(2**40), 2**40, 0, Fraction(0))
            asked.append(Statistic(Kind.SUM, Clamp(each, low, high, INTEGER), grid=grid))
        return Group(ROW_UNITS, (self.each_row,), tuple(asked))

    def by_truth(self, *conditions: Expression) -> Group:
        """A plan that shows on which rows each condition is true, and on which it is false."""
        asked = [Statistic(Kind.ROWS, filter=x) for each in conditions for x in (each, Not(each))]
        return Group(ROW_UNITS, (self.each_row,), tuple(asked))

    def probes(self) -> tuple[Probe, ...]:
        """The suite: basic operators first, since later probes rely on them."""
        return (*self._of_values(), *self._of_expressions(), *self._of_sums(), *self._of_people())

    def _of_values(self) -> Iterator[Probe]:
        yield Probe(COUNTS[Kind.ROWS], Group(ROW_UNITS, (self.each_row,), (Statistic(Kind.ROWS),)))
        for kind, label in COLUMN_OF.items():
            x = _c(label)
            yield Probe(operator(x), self.by_value(x))
            typed = [_lit(v) for v in self._values(kind)]
            whens = tuple((Compare("=", _c("n"), _lit(n)), each) for n, each in enumerate(typed))
            yield Probe(operator(typed[0]), self.by_value(Case(whens, None, kind)))
            yield Probe(
                operator(InList(x, ())),
                self.by_truth(InList(x, tuple(typed[::2])), InList(x, tuple(typed[1::2]))),
            )
            ends = typed[:: max(1, len(typed) // 3)]
            yield Probe(
                operator(Compare("=", x, x)),
                self.by_truth(*(Compare(op, x, end) for op in OPS for end in ends)),
            )
        yield Probe(
            operator(Compare("<", _c("s"), _c("t"))),
            self.by_truth(*(Compare(op, _c("s"), _c("t")) for op in OPS)),
        )
        for left, right in (("i", "x"), ("d", "m")):
            mixed = [Compare(op, _c(left), _c(right)) for op in OPS]
            yield Probe(operator(mixed[0]), self.by_truth(*mixed))

    def _of_expressions(self) -> Iterator[Probe]:
        i, j, x, y, s, b, d, m = map(_c, ("i", "j", "x", "y", "s", "b", "d", "m"))
        positive, few = Compare(">", x, _lit(0.0)), Compare("<", i, _lit(7))
        yield Probe("AND", self.by_truth(Logic("and", (b, positive)), Logic("and", (positive, few, b))))
        yield Probe("OR", self.by_truth(Logic("or", (b, positive)), Logic("or", (positive, few, b))))
        yield Probe("NOT", self.by_truth(Not(positive), Not(Not(b))))
        yield Probe("IS NULL", self.by_truth(*(IsNull(_c(label)) for label in COLUMN_OF.values())))
        yield Probe("LIKE", self.by_truth(*(Like(s, pattern) for pattern in PATTERNS)))
        yield Probe("LIKE with ESCAPE", self.by_truth(*(Like(s, each, escape="\\") for each in ESCAPED)))
        yield from self._of_texts()
        yield Probe(
            "CASE", self.by_value(Case(((b, i), (positive, x)), y, FLOAT), Case(((b, s),), None, TEXT))
        )
        yield Probe("COALESCE", self.by_value(Coalesce(x, _lit(7.0), FLOAT), Coalesce(s, _lit("none"), TEXT)))
        pairs = [[Case(((b, _lit(value)),), None, FLOAT) for value in pair] for pair in (JUST_ABOVE, HALF)]
        for op in ARITHMETIC:
            ties = [Arithmetic(op, left, right, FLOAT) for left, right in pairs]
            yield Probe(
                f"float {op}", self.by_value(Arithmetic(op, x, y, FLOAT), Arithmetic(op, i, x, FLOAT), *ties)
            )
        small = [Clamp(each, _lit(-(2**30)), _lit(2**30), INTEGER) for each in (i, j)]
        for op in ARITHMETIC[:3]:
            yield Probe(f"integer {op}", self.by_value(Arithmetic(op, small[0], small[1], INTEGER)))
        for before, after in sorted(CASTS):
            cast_ = Cast(_c(COLUMN_OF[before]), after)
            yield Probe(operator(cast_), self.by_value(cast_))
        yield Probe("integer CLAMP", self.by_value(Clamp(i, _lit(-5), _lit(110), INTEGER)))
        yield Probe(
            "float CLAMP",
            self.by_value(Clamp(x, _lit(-0.5), _lit(110.25), FLOAT), Clamp(i, _lit(0.5), _lit(9), FLOAT)),
        )
        yield Probe("integer bounds", self.by_value(NullOutsideBounds(i, _lit(0), _lit(2**62), INTEGER)))
        yield Probe("float bounds", self.by_value(NullOutsideBounds(x, _lit(-2.5), _lit(1e308), FLOAT)))
        first, last = _lit(datetime.date(1, 1, 7)), _lit(datetime.date(2020, 12, 31))
        yield Probe("date bounds", self.by_value(NullOutsideBounds(d, first, last, DATE)))
        yield Probe("timestamp bounds", self.by_value(NullOutsideBounds(m, first, last, TIMESTAMP)))
        yield Probe("integer ABS", self.by_value(Absolute(i, INTEGER)))
        yield Probe("float ABS", self.by_value(Absolute(x, FLOAT)))
        for how in get_args(OneOf["floor", "ceil", "round"]):
            yield Probe(how.upper(), self.by_value(Rounded(how, x), Rounded(how, i)))
        for pick in get_args(OneOf["least", "greatest"]):
            yield Probe(
                pick.upper(),
                self.by_value(LeastOrGreatest(pick, (x, y), FLOAT), LeastOrGreatest(pick, (i, j), INTEGER)),
            )
        ends = ((0.0, 10.0), (-1.7e308, 1.7e308), (0.0, 5e-324))
        yield Probe("WIDTH_BUCKET", self.by_value(*(Bucket(x, low, high, 5) for low, high in ends)))
        for when in (d, m):
            parts = {f"{part.upper()} of a {when.type}": [DatePart(part, when)] for part in PARTS}
            yield self._together(f"parts of a {when.type}", parts)
            starts: dict[str, list[Expression]] = {}
            for span in SPANS:
                start = DateTrunc(span, when, when.type)
                shown: tuple[Part, ...] = ("year", "doy", "hour", "minute", "second")
                starts[operator(start)] = [DatePart(part, start) for part in shown]
            yield self._together(f"DATE_TRUNC of a {when.type}", starts)
            for unit, sizes in MOVES.items():
                if unit != "second" or when.type is TIMESTAMP:
                    moved = [DateAdd(size, unit, when, when.type) for size in sizes]
                    yield Probe(operator(moved[0]), self.by_value(*moved))
            texts = [DateText(pattern, when) for pattern in DATE_PATTERNS]
            yield Probe(operator(texts[0]), self.by_value(*texts))

    def _of_texts(self) -> Iterator[Probe]:
        s, t = _c("s"), _c("t")
        for casing in get_args(Casing):
            yield Probe(casing.upper(), self.by_value(AsciiCase(casing, s), AsciiCase(casing, t)))
        for sides in get_args(Sides):
            each = [Trim(sides, s, characters) for characters in (" ", "0é1👩", "\\a%", "-")]
            yield Probe(operator(each[0]), self.by_value(*each))
        parts = [Substring(s, *ends) for ends in ((1, 1), (2, None), (3, 2), (1, 0), (2, 2**31 - 1))]
        yield Probe("SUBSTRING", self.by_value(*parts))
        yield Probe("RIGHT", self.by_value(*(Substring(s, -count, None) for count in (1, 3, 4096))))
        cuts = [
            SplitPart(s, *cut) for cut in (("-", 1), ("-", 2), ("-", 9), ("00", 2), (".", 1), ("\u200d", 2))
        ]
        yield Probe("SPLIT_PART", self.by_value(*cuts))
        yield Probe("LENGTH", self.by_number(Length(s), Length(t)))
        searches = ("", "e", "0", "-0", "\u200d", "👧", "\\", "%", "_")
        yield Probe("POSITION", self.by_number(*(Position(s, search) for search in searches)))
        ends = [Concat(operands, 12) for operands in ((s, t), (s, _lit("-"), t), (s,), (t, s, t))]
        yield Probe("CONCAT", self.by_value(*ends))
        swaps = (("0", "zero"), ("00", "0"), ("e", ""), ("é", "👩"), ("\\", "\\\\"), (" ", "%_"))
        yield Probe("REPLACE", self.by_value(*(Replace(s, *swap, 30) for swap in swaps)))

    def _together(self, label: str, named_: Mapping[str, Sequence[Expression]]) -> Probe:
        parts = tuple(Probe(each, self.by_number(*expressions)) for each, expressions in named_.items())
        return Probe(
            label, self.by_number(*(x for expressions in named_.values() for x in expressions)), parts
        )

    def _of_sums(self) -> Iterator[Probe]:
        s, b = _c("s"), _c("b")
        groups = (GroupKey("b", b, (True, False), other=True),)
        present = tuple(Statistic(Kind.PRESENT, _c(label), b) for label in COLUMN_OF.values())
        yield Probe(COUNTS[Kind.PRESENT], Group(ROW_UNITS, groups, present))
        yield Probe(COUNTS[Kind.SUM], Group(ROW_UNITS, groups, tuple(_sums())))
        yield Probe(COUNTS[Kind.SUM], Group(ROW_UNITS, (), tuple(_sums())))
        yield Probe(
            COUNTS[Kind.SUM], Group(Filter(ROW_UNITS, Compare("<", _c("n"), _lit(0))), (), tuple(_sums()))
        )
        once = tuple(Statistic(Kind.DISTINCT, _c(label), b) for label in COLUMN_OF.values())
        yield Probe(COUNTS[Kind.DISTINCT], Group(ROW_UNITS, groups, once))
        for kind, label in COLUMN_OF.items():
            listed = GroupKey("k", _c(label), tuple(self._values(kind)[::2]))
            yield Probe(key_name(listed), Group(ROW_UNITS, (listed,), (Statistic(Kind.ROWS),)))
            also = GroupKey("k", _c(label), tuple(self._values(kind)[1::2]), other=True)
            yield Probe(
                key_name(also), Group(ROW_UNITS, (also,), (Statistic(Kind.ROWS), Statistic(Kind.DISTINCT, s)))
            )
        for label in ("i", "x", "s", "d", "m"):
            private = (GroupKey("p", _c(label), None), *groups)
            yield Probe(PRIVATE, Group(ROW_UNITS, private, (Statistic(Kind.ROWS),)))
            yield Probe(PRIVATE, Group(ROW_UNITS, private[:1], (Statistic(Kind.ROWS),)))

    def _of_people(self) -> Iterator[Probe]:
        i, x, s, b = map(_c, ("i", "x", "s", "b"))
        count, units = Statistic(Kind.ROWS), Statistic(Kind.UNITS)
        yield Probe(INDEX, Group(PEOPLE, (self.each_row,), (count,)))
        for limit in (1, 2, 5):
            yield Probe(INDEX, Group(LimitRows(RANKED, limit), (self.each_row,), (count,)))
        yield Probe(COUNTS[Kind.UNITS], Group(PEOPLE, (GroupKey("b", b, (True, False)),), (units, count)))
        for limit in (1, 2):
            yield Probe(FEW_ROWS, Group(LimitRows(PEOPLE, limit), (self.each_row,), (count,)))
        weighted_rows = Statistic(Kind.ROWS, unit_weight=2**20)
        weighted_sums = [
            Statistic(Kind.SUM, x, grid=Grid(-3.0, 110.25, e, Fraction(2) ** e * 5)) for e in (-20, -50)
        ]
        yield Probe(
            WEIGHED,
            Group(
                WeightRows(PEOPLE, 3),
                (self.each_row,),
                (weighted_rows, *weighted_sums, Statistic(Kind.PRESENT, i, unit_weight=2**20)),
            ),
        )
        yield Probe(FEW_GROUPS, Group(LimitGroups(PEOPLE, (b, s), 2, 1), (self.each_row,), (count,)))
        yield Probe(FEW_GROUPS, Group(LimitGroups(PEOPLE, (x,), 3, None), (self.each_row,), (count,)))
        for outer in (False, True):
            label = "LEFT JOIN" if outer else "JOIN"
            met = Column("s@1", TEXT)
            for on in (((_c("n"), _c("n")),), ((i, i), (_c("n"), _c("n")))):
                join = Join(PEOPLE, PUBLIC, on, Match.PUBLIC, outer, 1)
                yield Probe(label, Group(join, (self.each_row,), (count, Statistic(Kind.PRESENT, met))))
            own = Join(PEOPLE, LimitRows(PEOPLE, 1), ((b, b),), Match.UNIT, outer, 1)
            yield Probe(label, Group(own, (self.each_row,), (count, Statistic(Kind.PRESENT, met))))
        both = Union(("v",), (UnionBranch(PEOPLE, (s,)), UnionBranch(PEOPLE, (_c("t"),))))
        listed = GroupKey("v", Column("v", TEXT), tuple(self._values(TEXT)))
        yield Probe("UNION ALL", Group(LimitGroups(both, (), 1, 2), (listed,), (count, units)))
        groups = (GroupKey("b", b, (True, False), other=True),)
        for aggregate in UnitAggregate:
            for value in (x, i) if aggregate is not UnitAggregate.AVG else (x,):
                unit_column = _unit_column(aggregate, value)
                f = Column("f", unit_column.type)
                low, high = (
                    Literal(_end(unit_column.type, end), unit_column.type) for end in (-(2**40), 2**40)
                )
                grid = Grid(_end(unit_column.type, -(2**40)), _end(unit_column.type, 2**40), -20, Fraction(0))
                total = Statistic(Kind.SUM, Clamp(f, low, high, unit_column.type), grid=grid)
                per = PerUnit(PEOPLE, (("b", b),), (unit_column,))
                yield Probe(
                    unit_aggregate_name(aggregate), Group(per, groups, (total, Statistic(Kind.PRESENT, f)))
                )


# ------------------------------------------------------------------------------------------------ rows in a statement


def _tables(
    plan: Group, rows: Sequence[Mapping[str, Value | None]], index: Index, dialect: Dialect
) -> dict[str, Opened]:
    """The tables of a probe, with only the columns it reads, to keep the statement short."""
    read = dict.fromkeys(("n", *_columns(plan)))
    types = {label: kind for label, kind in COLUMNS.items() if label in read}
    builders: dict[str, Callable[[], Opened]] = {
        "lone": lambda: (_typed(rows, types, dialect), types),
        "people": lambda: (_indexed(rows, index, types, dialect), {**types, UNIT: TEXT}),
        "public": lambda: (_typed(rows[:PUBLIC_ROWS], types, dialect), types),
        "ranked": lambda: (_ranked(rows, dialect), {**COLUMNS, UNIT: TEXT}),
    }
    return {name: builders[name]() for name in dict.fromkeys(scan.table for scan in scans_of(plan))}


def _columns(value: object) -> Iterator[str]:
    """The names of all columns in a plan, without the suffix of a join side."""
    if isinstance(value, Column):
        yield value.name.partition("@")[0]
    elif isinstance(value, tuple):
        for each in value:
            yield from _columns(each)
    elif is_dataclass(value):
        for field in fields(value):
            yield from _columns(getattr(value, field.name))


def _relation(
    rows: Sequence[Mapping[str, Value | None]], types: Mapping[str, Type], dialect: Dialect
) -> SourceRelation:
    """The rows as literals, each column in the physical type that holds its declared type."""
    return SourceRelation(
        literal_rows(rows, types), {label: dialect.physical[kind] for label, kind in types.items()}
    )


def _indexed(
    rows: Sequence[Mapping[str, Value | None]], index: Index, types: Mapping[str, Type], dialect: Dialect
) -> SourceRelation:
    """The rows as a snapshot stores them: declared types, only rows with a unit, with the contribution index."""
    sizes = Counter(index.units)
    held = [
        {label: coerce(row[label], kind) for label, kind in types.items()}
        | {UNIT: unit, RANK: rank, ROWS: sizes[unit]}
        for row, unit, rank in zip(rows, index.units, index.ranks, strict=True)
        if unit is not None
    ]
    whole = {**types, UNIT: TEXT, RANK: INTEGER, ROWS: INTEGER}
    return SourceRelation(literal_rows(held, whole), ranked=True)


def _typed(
    rows: Sequence[Mapping[str, Value | None]], types: Mapping[str, Type], dialect: Dialect
) -> SourceRelation:
    """The rows as `refresh` writes them when each row is a unit."""
    return SourceRelation(
        after_from(typed_rows(_relation(rows, types, dialect), types, list(types), None, KEY, dialect))
    )


def _ranked(rows: Sequence[Mapping[str, Value | None]], dialect: Dialect) -> SourceRelation:
    """The rows with the contribution index as `refresh` writes it."""
    ranked = typed_rows(_relation(rows, COLUMNS, dialect), COLUMNS, list(COLUMNS), Owner("who"), KEY, dialect)
    return SourceRelation(after_from(ranked), ranked=True)
