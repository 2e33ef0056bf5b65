"""A plan's expressions as SQL that never fails and agrees with engines/evaluation.py.

Three things make this more than printing. An expression without columns is evaluated here, by the reference, and written as a
constant: an engine that folds constants before reading rows (PostgreSQL's planner does, even inside a CASE branch that no row
takes) finds nothing to fold. NaN is NULL; if a node's own SQL already gives NULL for NaN (a clamp, a rounding), no separate
test is written: that is the `nan` flag. And a value that is used twice (x BETWEEN … THEN x) gets a name in an earlier step of
the statement, so that the SQL of nested expressions grows linearly and not exponentially.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import assert_never

from sqlglot import exp

from lapcat.engines.base.dialect import Dialect, FloatOperator
from lapcat.engines.base.words import (
    FLOAT_OPERATORS,
    SQL,
    at_least,
    at_most,
    between,
    binary,
    call,
    case,
    cast,
    column,
    constant,
    double,
    equal,
    integer,
    is_null,
    joined,
    less,
    minus,
    negated,
    number,
    one_of,
    plus,
    string,
    times,
)
from lapcat.engines.evaluation import evaluate
from lapcat.engines.values import MIN_INTEGER, require_proof
from lapcat.errors import Bug
from lapcat.plan.calendar import CODES, movable, pieces
from lapcat.plan.expressions import (
    CASTS,
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
    MoveUnit,
    Not,
    NullOutsideBounds,
    Position,
    Replace,
    Rounded,
    SplitPart,
    Substring,
    Trim,
    columns_of,
    range_of,
)
from lapcat.plan.schema import SQL_TYPES, Type

NAN, INFINITY = double(math.nan), double(math.inf)
MAX_DEPTH = 10
"""Nesting depth at which a value gets a name: printing and binding recurse."""

COMPARISONS: dict[str, type[SQL]] = {
    "=": exp.EQ,
    "<>": exp.NEQ,
    "<": exp.LT,
    "<=": exp.LTE,
    ">": exp.GT,
    ">=": exp.GTE,
}


@dataclass(frozen=True, slots=True)
class Code:
    """SQL of a value, the first step of the statement that may use it, and whether NaN may stand for NULL."""

    sql: SQL
    step: int = 0
    depth: int = 0
    nan: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether it can be written twice at no cost."""
        return isinstance(self.sql, exp.Column) or self.sql.find(exp.Column) is None


def in_base(column_name: str) -> str:
    """The name of a column inside a statement, distinct from the statement's own names."""
    return f"c_{column_name}"


class Writer:
    """Writes expressions over the columns of one statement, and collects values that need names."""

    def __init__(self, dialect: Dialect, columns: Mapping[str, Type]) -> None:
        self.dialect, self._columns = dialect, columns
        """The type of each column; NaN was replaced by NULL on reading."""
        self.steps: list[dict[str, SQL]] = []
        """Named values by step; a step may use the names of earlier steps."""
        self._written: dict[Expression, Code] = {}

    def clean(self, expression: Expression) -> Code:
        """The value, with NULL for NaN."""
        code = self.loose(expression)
        return self._over(lambda x: call("nullif", x, NAN), code) if code.nan else code

    def loose(self, expression: Expression) -> Code:
        """The value for a context that treats NaN like NULL."""
        if expression not in self._written:
            fixed = next(columns_of(expression), None) is None
            self._written[expression] = (
                self._constant(expression) if fixed else self._flat(self._write(expression))
            )
        return self._written[expression]

    def _constant(self, expression: Expression) -> Code:
        value = evaluate(expression, {})
        if value is None:
            return Code(cast(exp.Null(), SQL_TYPES[expression.type]))
        return Code(self.dialect.text(value) if isinstance(value, str) else constant(value))

    def number(self, expression: Expression, kind: Type) -> Code:
        """A number of the given type, for a context that treats NaN like NULL."""
        return self._as(self.loose(expression), expression.type, kind)

    def name(self, code: Code) -> Code:
        """The same value under a name, so that it can be repeated."""
        if code.is_plain:
            return code
        while len(self.steps) <= code.step:
            self.steps.append({})
        alias = f"e{code.step}_{len(self.steps[code.step])}"
        self.steps[code.step][alias] = code.sql
        return Code(column(alias), code.step + 1, nan=code.nan)

    def _flat(self, code: Code) -> Code:
        return self.name(code) if code.depth >= MAX_DEPTH else code

    def _over(self, build: Callable[..., SQL], *parts: Code, nan: bool = False) -> Code:
        sql = build(*(part.sql for part in parts))
        return Code(sql, max(part.step for part in parts), 1 + max(part.depth for part in parts), nan)

    def _tested(self, build: Callable[..., SQL], *parts: Code, nan: bool = False) -> Code:
        """An operation that the dialect may have to test first; if so, the operands get names."""
        return self._over(build, *(map(self.name, parts) if self.dialect.repeats else parts), nan=nan)

    def _operated(self, operator: FloatOperator, x: Code, y: Code, *, nan: bool) -> Code:
        """An IEEE 754 operation on two doubles."""
        return self._tested(lambda x, y: self.dialect.float_operation(operator, x, y), x, y, nan=nan)

    def _write(self, expression: Expression) -> Code:
        match expression:
            case Column(name, kind):
                declared = self._columns[name]
                if declared is not kind:
                    raise Bug(
                        "column-type-differs",
                        f"the question reads {name} as {kind}; it is declared {declared}",
                    )
                return Code(column(in_base(name)))
            case Literal():
                return self._constant(expression)
            case Compare(op, left, right):
                return self._compare(COMPARISONS[op], left, right)
            case Logic(op, operands):
                operator = exp.And if op == "and" else exp.Or
                return self._over(lambda *x: joined(operator, x), *map(self.clean, operands))
            case Not(operand):
                return self._over(negated, self.clean(operand))
            case IsNull(operand):
                return self._over(is_null, self.clean(operand))
            case InList(operand, values):
                return self._in_list(operand, values)
            case Like(operand, pattern, _, escape):
                return self._over(lambda x: self.dialect.like(x, pattern, escape), self.clean(operand))
            case Arithmetic():
                return self._arithmetic(expression)
            case Case(whens, otherwise, kind):
                return self._case(whens, otherwise, kind)
            case Cast(operand, kind):
                return self._cast(operand, kind)
            case Coalesce(operand, replacement, kind):
                first = self._as(self.clean(operand), operand.type, kind)
                spare = self._as(self.clean(replacement), replacement.type, kind)
                return self._over(lambda x, y: call("coalesce", x, y), first, spare)
            case Clamp(operand, low, high, kind):
                ends = [self._as(self.clean(end), end.type, kind).sql for end in (low, high)]
                x = self.name(self.number(operand, kind))
                return self._over(lambda sql: clamped(sql, ends[0], ends[1], kind), x)
            case NullOutsideBounds(operand, low, high):
                return self._within(operand, low, high)
            case Absolute(operand, kind):
                x = self.number(operand, kind)
                if kind is Type.INTEGER:
                    return self._over(lambda x: call("abs", call("nullif", x, integer(MIN_INTEGER))), x)
                return self._over(lambda x: call("abs", x), x, nan=x.nan)
            case Rounded(way, operand):
                x = self.loose(operand)
                if operand.type is Type.INTEGER:
                    return x
                return self._tested(lambda x: self.dialect.rounded(way, x), x)
            case LeastOrGreatest(how, operands, kind):
                parts = [self._as(self.clean(operand), operand.type, kind) for operand in operands]
                return self._over(lambda *x: call(how, *x), *parts)
            case Bucket(operand, low, high, count):
                return self._bucket(operand, float(low), float(high), count)
            case DatePart(part, operand):
                x = self.clean(operand)
                if part == "julian" and operand.type is Type.TIMESTAMP:
                    x = self._over(lambda x: cast(x, "DATE"), x)
                return self._over(lambda x: self.dialect.part(x, part), x)
            case DateTrunc(span, operand, kind):
                return self._over(
                    lambda x: cast(self.dialect.truncated(x, span), SQL_TYPES[kind]), self.clean(operand)
                )
            case DateAdd(steps, unit, operand, kind):
                return self._moved(steps, unit, operand, kind)
            case DateText(pattern, operand):
                x = self.name(self.clean(operand))
                return self._over(lambda x: self._date_text(pattern, x), x)
            case AsciiCase(casing, operand):
                return self._over(lambda x: self.dialect.cased(x, casing), self.name(self.clean(operand)))
            case Trim(sides, operand, characters):
                return self._over(lambda x: self.dialect.trimmed(x, characters, sides), self.clean(operand))
            case Substring(operand, start, count):
                return self._over(lambda x: substring(x, start, count), self.clean(operand))
            case SplitPart(operand, separator, place):
                cut = self.dialect.text(separator)
                return self._over(lambda x: call("split_part", x, cut, number(place)), self.clean(operand))
            case Length(operand):
                return self._over(length, self.clean(operand))
            case Position(operand, search):
                wanted = self.dialect.text(search)
                return self._over(
                    lambda x: cast(self.dialect.position(x, wanted), "BIGINT"), self.clean(operand)
                )
            case Concat(operands, max_length):
                texts = [self.name(self.clean(operand)) for operand in operands]
                return self._over(lambda *x: concatenated(x, max_length), *texts)
            case Replace():
                return self._replace(expression)
            case _:
                assert_never(expression)

    def _moved(self, number: int, unit: MoveUnit, operand: Expression, kind: Type) -> Code:
        """NULL first where the result would leave the calendar: an engine fails beyond the end of its own."""
        ends = movable(number, unit, kind)
        if ends is None:
            return Code(cast(exp.Null(), SQL_TYPES[kind]))
        x = self.name(self.clean(operand))
        low, high = map(constant, ends)

        def build(x: SQL) -> SQL:
            kept = case((between(x, low, high), x))
            return cast(self.dialect.moved(cast(kept, "TIMESTAMP"), number, unit), SQL_TYPES[kind])

        return self._over(build, x)

    def _date_text(self, pattern: str, x: SQL) -> SQL:
        """The pieces of a pattern, concatenated: NULL if any is."""
        texts = []
        for piece in pieces(pattern):
            if piece not in CODES:
                texts.append(self.dialect.text("%" if piece == "%%" else piece))
                continue
            part, shown = CODES[piece]
            number_ = self.dialect.part(x, part)
            if isinstance(shown, int):
                digits = self.dialect.shown(number_)
                texts.append(call("lpad", digits, number(shown), string("0")) if shown > 1 else digits)
            else:
                names = (
                    (equal(number_, integer(n)), self.dialect.text(name))
                    for n, name in enumerate(shown, start=1)
                )
                texts.append(case(*names))
        return reduce(lambda first, other: binary(exp.DPipe, first, other), texts)

    def _as(self, code: Code, kind: Type, wanted: Type) -> Code:
        """A value converted to the type of the other operand: integer to double, or date to timestamp."""
        if (kind, wanted) in ((Type.INTEGER, Type.FLOAT), (Type.DATE, Type.TIMESTAMP)):
            return self._over(lambda x: cast(x, SQL_TYPES[wanted]), code)
        if kind is not wanted:
            raise Bug("types-differ", f"a question uses a {kind} as a {wanted}")
        return code

    def _compare(self, operator: type[SQL], left: Expression, right: Expression) -> Code:
        common = common_type(left.type, right.type)
        parts = (self._as(self.clean(side), side.type, common) for side in (left, right))
        return self._over(lambda x, y: binary(operator, x, y), *parts)

    def _in_list(self, operand: Expression, values: tuple[Literal, ...]) -> Code:
        x = self.name(self.clean(operand))
        tests = []
        for common in dict.fromkeys(common_type(operand.type, value.type) for value in values):
            alike = [v for v in values if common_type(operand.type, v.type) is common]
            listed = [self._as(self.clean(value), value.type, common).sql for value in alike]
            tests.append(one_of(self._as(x, operand.type, common).sql, listed))
        return self._over(lambda x: joined(exp.Or, tests), x)

    def _arithmetic(self, expression: Arithmetic) -> Code:
        require_proof(expression)
        x, y = (self.number(side, expression.type) for side in (expression.left, expression.right))
        if expression.type is Type.INTEGER:
            return self._over(lambda x, y: binary(FLOAT_OPERATORS[expression.op], x, y), x, y)
        if expression.op == "/":
            return self._tested(
                lambda x, y: self.dialect.float_operation("/", x, call("nullif", y, double(0.0))),
                x,
                y,
                nan=True,
            )
        # inf − inf and 0 · inf are NaN; finite operands never give NaN
        finite = range_of(expression.left).bounded and range_of(expression.right).bounded
        return self._operated(expression.op, x, y, nan=not finite)

    def _case(
        self, whens: tuple[tuple[Expression, Expression], ...], otherwise: Expression | None, kind: Type
    ) -> Code:
        values = [value for _, value in whens] + ([] if otherwise is None else [otherwise])
        parts = [self.clean(condition) for condition, _ in whens]
        parts += [self._as(self.clean(value), value.type, kind) for value in values]

        def build(*sql: SQL) -> SQL:
            conditions, results = sql[: len(whens)], sql[len(whens) :]
            last = results[-1] if otherwise is not None else None
            return case(*zip(conditions, results, strict=False), otherwise=last)

        return self._over(build, *parts)

    def _cast(self, operand: Expression, kind: Type) -> Code:
        if operand.type is kind:
            return self.loose(operand)
        if (operand.type, kind) not in CASTS:
            raise Bug("cast-unknown", f"a question casts {operand.type} to {kind}")
        if operand.type is Type.TEXT:
            return self._over(lambda x: self.dialect.from_text(x, kind), self.name(self.clean(operand)))
        if operand.type is Type.FLOAT:
            return self._tested(self.dialect.nearest, self.loose(operand))
        if operand.type is Type.BOOLEAN:
            return self._over(self.dialect.flag, self.clean(operand))
        if kind is Type.TEXT:
            return self._over(self.dialect.shown, self.clean(operand))
        return self._over(lambda x: cast(x, SQL_TYPES[kind]), self.clean(operand))

    def _within(self, operand: Expression, low: Literal, high: Literal) -> Code:
        x = self.name(self.loose(operand))
        day = self._over(lambda x: cast(x, "DATE"), x) if operand.type is Type.TIMESTAMP else x
        kind = Type.DATE if operand.type is Type.TIMESTAMP else operand.type
        tests = []
        for end, test in ((low, at_least), (high, at_most)):
            common = common_type(kind, end.type)
            tests.append(
                test(self._as(day, kind, common).sql, self._as(self.clean(end), end.type, common).sql)
            )
        return self._over(lambda x: case((joined(exp.And, tests), x)), x)

    def _replace(self, expression: Replace) -> Code:
        """REPLACE, tested first: with n occurrences of a text of k characters, replaced by one of k + more, the result has
        length(x) + n * more characters, and n * k is what removing them takes away."""
        search, replacement = expression.search, expression.replacement
        size, more = len(search), len(replacement) - len(search)
        old, new, nothing = (self.dialect.text(text) for text in (search, replacement, ""))
        x = self.name(self.clean(expression.operand))

        def build(x: SQL) -> SQL:
            removed = minus(length(x), length(call("replace", x, old, nothing)))
            longer = plus(times(length(x), integer(size)), times(removed, integer(more)))
            fits = at_most(longer, integer(size * expression.max_length))
            return case((fits, call("replace", x, old, new)))

        return self._over(build, x)

    def _bucket(self, operand: Expression, low: float, high: float, count: int) -> Code:
        """WIDTH_BUCKET of a double, NULL for NULL and NaN (which sorts above infinity)."""
        x = self.name(self.number(operand, Type.FLOAT))
        from_low = self._operated("-", x, Code(double(low)), nan=True)
        scaled = self._operated("*", from_low, Code(double(count)), nan=True)
        quotient = self._operated("/", scaled, Code(double(high - low)), nan=True)
        down = self._tested(lambda q: self.dialect.rounded("floor", q), quotient)
        last = (math.nextafter(high, -math.inf) - low) * count / (high - low) if high > low else math.nan

        def build(x: SQL, quotient: SQL, down: SQL) -> SQL:
            inside = plus(down, integer(1))
            # The quotient is monotone in x, so it is enough to test it just below the upper end.
            if not last < count:
                inside = case((less(quotient, double(count)), inside), otherwise=integer(count))
            return case(
                (joined(exp.And, [at_least(x, double(low)), less(x, double(high))]), inside),
                (less(x, double(low)), integer(0)),
                (at_most(x, INFINITY), integer(count + 1)),
            )

        return self._over(build, x, quotient, down)


def length(x: SQL) -> SQL:
    """The number of characters of a text."""
    return cast(call("length", x), "BIGINT")


def substring(x: SQL, start: int, count: int | None) -> SQL:
    if start < 0:
        return call("right", x, number(-start))
    return call("substr", x, number(start), *([] if count is None else [number(count)]))


def concatenated(texts: Sequence[SQL], max_length: int) -> SQL:
    """The concatenation of texts, tested first: NULL if one is NULL or they are too long together."""
    total = joined(exp.Add, [length(text) for text in texts])
    return case((at_most(total, integer(max_length)), joined(exp.DPipe, texts)))


def common_type(left: Type, right: Type) -> Type:
    """The type in which two values are compared."""
    if left is right:
        return left
    if left.is_number and right.is_number:
        return Type.FLOAT
    if {left, right} == {Type.DATE, Type.TIMESTAMP}:
        return Type.TIMESTAMP
    raise Bug("types-differ", f"a question compares {left} with {right}")


def clamped(x: SQL, low: SQL, high: SQL, kind: Type, otherwise: SQL | None = None) -> SQL:
    """x clamped to low..high; `otherwise` for NULL and for NaN, which sorts above infinity. Most rows take the first branch
    and skip the others (LEAST and GREATEST cost three times as much)."""
    above = at_most(x, INFINITY) if kind is Type.FLOAT else less(high, x)
    return case((between(x, low, high), x), (less(x, low), low), (above, high), otherwise=otherwise)
