"""SQLGlot's scalar expressions become the plan's total ones.

The same text means different things in different places, because only a query that enforces a bound may rely on it:

    predicates  columns are raw: WHERE age > 200 sees what is in the file
    values      columns with declared bounds are clamped, NULLs replaced where the catalogue says so
    keys        columns outside their declared bounds are NULL and so belong to no group
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable
from typing import assert_never

from sqlglot import exp

from lapcat.errors import BadQuery, Refused
from lapcat.frontend.sql.buckets import buckets, how_many
from lapcat.frontend.sql.dates import TRUNCATIONS, truncation
from lapcat.frontend.sql.foreign import foreign_aggregate
from lapcat.frontend.sql.scopes import Derived, Mode, Scope
from lapcat.frontend.sql.text import Text, flattened
from lapcat.frontend.words import identifier as sql_name
from lapcat.plan.expressions import (
    CASTS,
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
    Extreme,
    InList,
    IsNull,
    Like,
    Literal,
    Logic,
    Not,
    Part,
    Rounded,
    Within,
    range_of,
)
from lapcat.plan.like import wildcards
from lapcat.plan.schema import ColumnSpec, Dates, Interval, RangeKeys, Type
from lapcat.plan.words import toml_key

Aggregate = Callable[[exp.Expression], Expression]
"""What an aggregate inside an expression stands for, where one may stand."""

_COMPARE = {exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="}
_FLIPPED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_ARITHMETIC = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/"}
_ROUNDED = {exp.Floor: "floor", exp.Ceil: "ceil", exp.Round: "round"}
_PARTS: dict[type[exp.Expression], Part] = {
    exp.Year: "year",
    exp.Quarter: "quarter",
    exp.Month: "month",
    exp.Day: "day",
    exp.DayOfMonth: "day",
    exp.DayOfWeek: "dow",
    exp.DayOfWeekIso: "isodow",
    exp.DayOfYear: "doy",
    exp.Hour: "hour",
    exp.Minute: "minute",
}
_PART_NAMES: dict[str, Part] = {
    "year": "year",
    "quarter": "quarter",
    "month": "month",
    "day": "day",
    "dow": "dow",
    "dayofweek": "dow",
    "isodow": "isodow",
    "doy": "doy",
    "dayofyear": "doy",
    "hour": "hour",
    "minute": "minute",
}
_TYPES = {
    **dict.fromkeys(("TINYINT", "SMALLINT", "INT", "BIGINT"), Type.INTEGER),
    **dict.fromkeys(("FLOAT", "DOUBLE", "DECIMAL"), Type.FLOAT),
    **dict.fromkeys(("TEXT", "VARCHAR", "CHAR"), Type.TEXT),
    "BOOLEAN": Type.BOOLEAN,
    "DATE": Type.DATE,
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMPNTZ"), Type.TIMESTAMP),
}


class Scalars:
    """Translates the scalar expressions over one scope, and notes what it clamped."""

    def __init__(
        self, text: Text, scope: Scope, notes: dict[str, None], aggregate: Aggregate | None = None
    ) -> None:
        self.text, self.scope, self.notes, self.aggregate = text, scope, notes, aggregate

    # -------------------------------------------------------------------------------------------- the three meanings

    def predicate(self, node: exp.Expression) -> Expression:
        expression = self.scalar(node, Mode.RAW)
        if expression.type is not Type.BOOLEAN:
            raise self.mismatch(node, "a condition is true or false", _a(expression.type))
        return expression

    def value(self, node: exp.Expression) -> Expression:
        expression = self.scalar(node, Mode.VALUE)
        return Cast(expression, Type.INTEGER) if expression.type is Type.BOOLEAN else expression

    def key(self, node: exp.Expression) -> Expression:
        expression = self.scalar(node, Mode.RAW)
        return expression if isinstance(expression, Column) else self.scalar(node, Mode.KEY)

    def named(self, node: exp.Column, mode: Mode) -> Expression:
        """What a column means where it stands."""
        means = self.scope.find(self.text, node).means
        if isinstance(means, Derived):
            return means.expression(mode)
        if means.is_opaque:
            raise Refused(
                "unit-opaque",
                f"{means.spec.name} says whose row it is, and is not declared for anything else",
                why="units may be joined, counted and grouped by; who they are is private",
                fix=f"COUNT(DISTINCT {sql_name(means.spec.name)}); or the steward declares it: "
                f"{toml_key(means.spec.name)} = {{}} under [tables.{means.table}.columns]",
                place=self.text.place(node),
            )
        column = Column(means.column, means.spec.type)
        match mode:
            case Mode.RAW:
                return column
            case Mode.VALUE:
                return self.clamped(column, means.spec)
            case Mode.KEY:
                return self.within(column, means.spec)
            case _:
                assert_never(mode)

    def clamped(self, column: Expression, spec: ColumnSpec) -> Expression:
        if not isinstance(spec.bounds, Interval):
            return column
        low, high = _literal(spec.bounds.low, spec.type), _literal(spec.bounds.high, spec.type)
        if spec.null is not None:
            column = Coalesce(column, _literal(spec.null, spec.type), spec.type)
            self.note(f"NULL in {spec.name} counts as {_shown(_literal(spec.null, spec.type))} (lapcat.toml)")
        self.note(f"{spec.name} is clamped to {_shown(low)}..{_shown(high)} (lapcat.toml)")
        return Clamp(column, low, high, spec.type)

    def within(self, column: Expression, spec: ColumnSpec) -> Expression:
        match spec.bounds, spec.keys:
            case Dates(first, last), _:
                ends = Literal(first, Type.DATE), Literal(last, Type.DATE)
            case Interval(low, high), _:
                ends = _literal(low, spec.type), _literal(high, spec.type)
            case _, RangeKeys(first, last):
                ends = Literal(first, Type.INTEGER), Literal(last, Type.INTEGER)
            case _:
                return column
        self.note(
            f"rows with {spec.name} outside {_shown(ends[0])}..{_shown(ends[1])} belong to no group (lapcat.toml)"
        )
        return Within(column, *ends, spec.type)

    def note(self, sentence: str) -> None:
        self.notes[sentence] = None

    # -------------------------------------------------------------------------------------------- expressions

    def scalar(self, node: exp.Expression, mode: Mode) -> Expression:
        """One case per kind of node; whatever has no case is refused."""
        self.text.spend(1)
        while isinstance(node, exp.Paren):
            (node,) = self.parts(node, "this")
        if isinstance(node, exp.Column):
            return self.named(node, mode)
        if self.aggregate is not None and isinstance(node, (exp.AggFunc, exp.Filter)):
            return self.aggregate(node)
        if isinstance(node, (exp.Literal, exp.Boolean)):
            return self.literal(node)
        if isinstance(node, exp.Null):
            raise self.text.unsupported(node, "NULL as a value", "x IS NULL, or CASE without ELSE")
        if isinstance(node, (exp.And, exp.Or)):
            kind = exp.And if isinstance(node, exp.And) else exp.Or
            return Logic(
                "and" if kind is exp.And else "or", tuple(self.predicate(n) for n in flattened(node, kind))
            )
        if isinstance(node, exp.Not):
            return Not(self.predicate(*self.parts(node, "this")))
        if type(node) in _COMPARE:
            left, right = self.parts(node, "this", "expression")
            return self.compare(
                node, _COMPARE[type(node)], self.scalar(left, Mode.RAW), self.scalar(right, Mode.RAW)
            )
        if isinstance(node, exp.Between):
            this, low, high = (
                self.scalar(part, Mode.RAW) for part in self.parts(node, "this", "low", "high")
            )
            return Logic("and", (self.compare(node, ">=", this, low), self.compare(node, "<=", this, high)))
        if isinstance(node, exp.In):
            return self.membership(node)
        if isinstance(node, exp.Is):
            return self.identity(node)
        if isinstance(node, exp.Like):
            return self.like(node)
        if isinstance(node, exp.Neg):
            return self.negative(node, mode)
        if type(node) in _ARITHMETIC:
            left, right = (self.number(part, mode) for part in self.parts(node, "this", "expression"))
            return arithmetic(_ARITHMETIC[type(node)], left, right)
        if isinstance(node, exp.Case):
            return self.case(node, mode)
        if isinstance(node, (exp.Cast, exp.TryCast)):
            return self.cast(node, mode)
        if isinstance(node, exp.Coalesce):
            return self.coalesce(node, mode)
        if isinstance(node, exp.Abs):
            operand = self.number(*self.parts(node, "this"), mode)
            exact = operand.type is Type.INTEGER and range_of(operand).fits_integer
            return Absolute(operand, Type.INTEGER if exact else Type.FLOAT)
        if type(node) in _ROUNDED:
            return Rounded(_ROUNDED[type(node)], self.number(*self.parts(node, "this"), mode))  # type: ignore[arg-type]
        if isinstance(node, (exp.Least, exp.Greatest)):
            first, others = self.parts(node, "this", "expressions")
            operands = tuple(self.number(part, mode) for part in (first, *(others or [])))  # type: ignore[misc]
            kinds = {operand.type for operand in operands}
            return Extreme(
                "least" if isinstance(node, exp.Least) else "greatest",
                operands,
                Type.INTEGER if kinds == {Type.INTEGER} else Type.FLOAT,
            )
        if isinstance(node, exp.WidthBucket):
            return self.bucket(node, mode)
        if type(node) in _PARTS:
            return self.date_part(node, _PARTS[type(node)], *self.parts(node, "this"), mode)
        if isinstance(node, exp.Extract):
            part, operand = self.parts(node, "this", "expression")
            return self.date_part(node, self.part(node, part.name), operand, mode)
        if isinstance(node, TRUNCATIONS):
            return truncation(self.text, node, lambda operand: self.scalar(operand, mode))
        if isinstance(node, exp.Anonymous):
            return self.function(node, mode)
        raise self.text.unsupported(
            node, f"{_name(node)} in an expression", "see `lapcat error unsupported` for what works"
        )

    def parts(self, node: exp.Expression, *names: str) -> list[exp.Expression]:
        return self.text.consume(node, *names)  # type: ignore[return-value]

    def literal(self, node: exp.Expression) -> Literal:
        if isinstance(node, exp.Boolean):
            return Literal(bool(node.this), Type.BOOLEAN)
        if node.args.get("is_string"):
            return self.written_text(node)
        written = str(node.this)
        if written.isdigit() and int(written) < 2**62:
            return Literal(int(written), Type.INTEGER)
        try:
            number = float(written)
        except ValueError:
            raise self.mismatch(node, "a number is expected", repr(written)) from None
        if not math.isfinite(number):
            raise BadQuery(
                "number-too-large",
                f"{written} is too large for a number",
                fix="1e308 is the largest",
                place=self.text.place(node),
            )
        return Literal(number, Type.FLOAT)

    def written_text(self, node: exp.Expression) -> Literal:
        value, most = str(node.this), self.text.work_limits.max_length
        if len(value) > most:
            raise Refused(
                "text-too-long",
                f"a text of this question has {len(value)} characters; the limit is {most} (max_length)",
                why="no column holds a longer text, and no expression makes one: the work for each row stays bounded",
                fix=f"compare with its first characters, by LIKE; or the steward writes max_length = {len(value)} under [limits]",
                place=self.text.place(node),
            )
        return Literal(value, Type.TEXT)

    def number(self, node: exp.Expression, mode: Mode) -> Expression:
        expression = self.scalar(node, mode)
        if not expression.type.is_number:
            raise self.mismatch(node, "a number is expected", _a(expression.type))
        return expression

    def negative(self, node: exp.Expression, mode: Mode) -> Expression:
        operand = self.number(*self.parts(node, "this"), mode)
        if isinstance(operand, Literal) and isinstance(operand.value, (int, float)):
            return Literal(-operand.value, operand.type)
        return arithmetic("-", Literal(0, Type.INTEGER), operand)

    def constant(self, node: exp.Expression) -> Literal:
        expression = self.scalar(node, Mode.RAW)
        if not isinstance(expression, Literal):
            raise self.text.unsupported(node, "anything but a constant here", "write a number or a text")
        return expression

    def compare(self, node: exp.Expression, op: str, left: Expression, right: Expression) -> Expression:
        if isinstance(left, Literal) and not isinstance(right, Literal):
            left, right, op = right, left, _FLIPPED[op]
        right = self.fitted(node, right, left.type)
        return Compare(op, left, right)  # type: ignore[arg-type]

    def fitted(self, node: exp.Expression, value: Expression, kind: Type) -> Expression:
        """The value as something comparable with `kind`: dates may be written as texts."""
        if value.type is kind or (value.type.is_number and kind.is_number):
            return value
        if isinstance(value, Literal) and kind in (Type.DATE, Type.TIMESTAMP):
            try:
                return _moment(value, kind)
            except ValueError:
                raise self.mismatch(node, f"{_a(kind)} is written '2024-12-31'", repr(value.value)) from None
        if kind is Type.DATE and value.type is Type.TIMESTAMP:
            raise self.mismatch(node, "both sides need one type", "a date and a timestamp: CAST one of them")
        raise self.mismatch(node, f"{_a(kind)} is expected", _a(value.type))

    def membership(self, node: exp.Expression) -> Expression:
        this, values = self.text.consume(node, "this", "expressions")
        if not values or not isinstance(values, list) or not isinstance(this, exp.Expression):
            raise self.text.unsupported(node, "IN without a list of values", "list the values: x IN (1, 2)")
        operand = self.scalar(this, Mode.RAW)
        listed = [self.fitted(node, self.constant(value), operand.type) for value in values]
        return InList(operand, tuple(value for value in listed if isinstance(value, Literal)))

    def identity(self, node: exp.Expression) -> Expression:
        this, what = self.parts(node, "this", "expression")
        operand = self.scalar(this, Mode.RAW)
        if isinstance(what, exp.Null):
            return IsNull(operand)
        if isinstance(what, exp.Boolean) and operand.type is Type.BOOLEAN:
            return Logic("and", (Not(IsNull(operand)), operand if what.this else Not(operand)))
        raise self.text.unsupported(node, "IS with anything but NULL, TRUE and FALSE", "x IS NULL, or x = 1")

    def like(self, node: exp.Expression) -> Expression:
        this, pattern, negate = self.parts(node, "this", "expression", "negate")
        operand = self.scalar(this, Mode.RAW)
        if operand.type is not Type.TEXT:
            raise self.mismatch(node, "LIKE compares texts", _a(operand.type))
        constant = self.constant(pattern)
        if not isinstance(constant.value, str):
            raise self.mismatch(pattern, "a pattern is a text", _a(constant.type))
        length, longest = len(constant.value), self.text.work_limits.like_length
        if length > longest:
            raise Refused(
                "like-length",
                f"this pattern has {length} characters; the limit is {longest} (like_length)",
                why="a text may be searched for each of them, and the work for each row stays bounded",
                fix=f"shorten it; or the steward writes like_length = {length} under [limits]",
                place=self.text.place(pattern),
            )
        found, most = wildcards(constant.value), self.text.work_limits.like_wildcards
        if found > most:
            raise Refused(
                "like-wildcards",
                f"this pattern has {found} times %; the limit is {most} (like_wildcards)",
                why="each % is searched for in every text, and the work for each row stays bounded",
                fix=f"leave out some of them; or the steward writes like_wildcards = {found} under [limits]",
                place=self.text.place(pattern),
            )
        like = Like(operand, constant.value)
        return Not(like) if negate else like

    def case(self, node: exp.Expression, mode: Mode) -> Expression:
        subject, ifs, default = self.text.consume(node, "this", "ifs", "default")
        whens: list[tuple[Expression, Expression]] = []
        assert isinstance(ifs, list)
        for branch in ifs:
            condition, result = self.parts(branch, "this", "true")
            if isinstance(subject, exp.Expression):
                test = self.compare(
                    branch, "=", self.scalar(subject, Mode.RAW), self.scalar(condition, Mode.RAW)
                )
            else:
                test = self.predicate(condition)
            whens.append((test, self.scalar(result, mode)))
        otherwise = None
        if isinstance(default, exp.Expression) and not isinstance(default, exp.Null):
            otherwise = self.scalar(default, mode)
        kinds = {value.type for _, value in whens} | ({otherwise.type} if otherwise is not None else set())
        if kinds == {Type.INTEGER, Type.FLOAT}:
            kinds = {Type.FLOAT}
        if len(kinds) != 1:
            raise self.mismatch(node, "all values of a CASE have one type", " and ".join(sorted(kinds)))
        return Case(tuple(whens), otherwise, kinds.pop())

    def cast(self, node: exp.Expression, mode: Mode) -> Expression:
        this, to = self.parts(node, "this", "to")
        self.text.consume(to, "this")
        kind = _TYPES.get(to.this.name if hasattr(to.this, "name") else str(to.this))
        operand = self.scalar(this, mode)
        if kind is None:
            raise self.text.unsupported(
                node, f"CAST to {to.sql('duckdb')}", "CAST(x AS BIGINT) or CAST(x AS DOUBLE)"
            )
        if operand.type is kind:
            return operand
        if isinstance(operand, Literal) and kind in (Type.DATE, Type.TIMESTAMP):
            return self.fitted(node, operand, kind)
        if (operand.type, kind) not in CASTS:
            raise self.mismatch(node, f"{_a(operand.type)} cannot be cast to {kind}", "that")
        return Cast(operand, kind)

    def coalesce(self, node: exp.Expression, mode: Mode) -> Expression:
        this, others = self.text.consume(node, "this", "expressions")
        if not isinstance(this, exp.Expression) or not isinstance(others, list) or len(others) != 1:
            raise self.text.unsupported(node, "COALESCE of several columns", "COALESCE(x, 0)")
        operand, replacement = self.scalar(this, mode), self.constant(others[0])
        fitted = self.fitted(node, replacement, operand.type)
        if operand.type is Type.INTEGER and fitted.type is Type.FLOAT:
            operand = Cast(operand, Type.FLOAT)
        elif operand.type is Type.FLOAT and isinstance(fitted.value, int):  # type: ignore[union-attr]
            fitted = Literal(float(fitted.value), Type.FLOAT)  # type: ignore[union-attr]
        assert isinstance(fitted, Literal)
        return Coalesce(operand, fitted, operand.type)

    def bucket(self, node: exp.Expression, mode: Mode) -> Expression:
        this, low, high, count = self.parts(node, "this", "min_value", "max_value", "num_buckets")
        ends = [self.constant(part).value for part in (low, high, count)]
        match ends:
            case [int() | float() as bottom, int() | float() as top, int() as number] if (
                bottom < top and number > 0
            ):
                return Bucket(self.number(this, mode), float(bottom), float(top), number)
        raise self.mismatch(
            node, "WIDTH_BUCKET(x, low, high, count) takes constants, low below high", "something else"
        )

    def part(self, node: exp.Expression, name: str) -> Part:
        part = _PART_NAMES.get(name.casefold())
        if part is None:
            raise self.text.unsupported(
                node, f"the date part {name}", f"one of {', '.join(sorted(set(_PART_NAMES)))}"
            )
        return part

    def date_part(self, node: exp.Expression, part: Part, this: exp.Expression, mode: Mode) -> Expression:
        operand = self.scalar(this, mode)
        if operand.type not in (Type.DATE, Type.TIMESTAMP):
            raise self.mismatch(node, "a date is expected", _a(operand.type))
        if operand.type is Type.DATE and part in ("hour", "minute"):
            raise self.mismatch(node, "a date has no time of day", f"{part}")
        return DatePart(part, operand)

    def function(self, node: exp.Anonymous, mode: Mode) -> Expression:
        name, arguments = self.text.consume(node, "this", "expressions")
        assert isinstance(arguments, list)
        match str(name).casefold(), arguments:
            case "clamp", [this, low, high]:
                return self.clamp(node, self.number(this, mode), self.constant(low), self.constant(high))
            case "clamp", _:
                raise self.mismatch(node, "CLAMP(x, low, high) has three arguments", f"{len(arguments)}")
            case "buckets", [this, *number] if len(number) < 2:
                return self.buckets(node, this, number[0] if number else None, mode)
            case "date_part", [part, this]:
                return self.date_part(node, self.part(node, str(self.constant(part).value)), this, mode)
            case "isodow", [this]:
                return self.date_part(node, "isodow", this, mode)
            case ("hour" | "minute") as clock, [this]:
                return self.date_part(node, self.part(node, clock), this, mode)
        raise foreign_aggregate(self.text.text) or self.text.unsupported(
            node, f"the function {name}", "see `lapcat error unsupported` for what works"
        )

    def clamp(self, node: exp.Expression, operand: Expression, low: Literal, high: Literal) -> Expression:
        if not (low.type.is_number and high.type.is_number) or not low.value < high.value:  # type: ignore[operator]
            raise self.mismatch(
                node, "CLAMP(x, low, high) takes two numbers, low below high", "something else"
            )
        kind = Type.INTEGER if {operand.type, low.type, high.type} == {Type.INTEGER} else Type.FLOAT
        if kind is Type.FLOAT:
            low, high = Literal(float(low.value), kind), Literal(float(high.value), kind)  # type: ignore[arg-type]
        self.note(f"{self.text.written(node)} (the question)")
        if (
            isinstance(operand, Clamp)
            and operand.type is kind
            and operand.low.value <= low.value
            and high.value <= operand.high.value
        ):  # type: ignore[operator]
            operand = operand.operand  # the wider clamp inside changes nothing
        return Clamp(operand, low, high, kind)

    def buckets(
        self, node: exp.Expression, this: exp.Expression, number: exp.Expression | None, mode: Mode
    ) -> Expression:
        """BUCKETS(x, n). Buckets are groups, so x is read as a key also where a condition asks for its bucket."""
        wanted = how_many(self.text, node, None if number is None else self.constant(number))
        operand = self.scalar(this, Mode.VALUE if mode is Mode.VALUE else Mode.KEY)
        expression, sentence = buckets(self.text, self.scope, node, this, operand, wanted)
        self.note(sentence)
        return expression

    def mismatch(self, node: exp.Expression, expected: str, given: str) -> BadQuery:
        return BadQuery(
            "type-mismatch",
            f"{expected}, but this is {given}",
            fix="compare and compute with values of one type; CAST(x AS BIGINT), CAST(x AS DOUBLE) convert",
            place=self.text.place(node),
        )


def arithmetic(op: str, left: Expression, right: Expression) -> Arithmetic:
    """Integers stay integers where the result is proved to fit; everything else is computed in doubles."""
    if op != "/" and left.type is right.type is Type.INTEGER:
        exact = Arithmetic(op, left, right, Type.INTEGER)  # type: ignore[arg-type]
        if range_of(exact).fits_integer:
            return exact
    return Arithmetic(op, left, right, Type.FLOAT)  # type: ignore[arg-type]


def _literal(value: object, kind: Type) -> Literal:
    return Literal(int(value) if kind is Type.INTEGER else float(value), kind)  # type: ignore[call-overload]


def _a(kind: Type) -> str:
    return f"an {kind}" if kind is Type.INTEGER else f"a {kind}"


def _moment(literal: Literal, kind: Type) -> Literal:
    """A text or date constant as a date or timestamp."""
    value = literal.value
    if isinstance(value, str):
        value = datetime.datetime.fromisoformat(value.strip())
        if value.tzinfo is not None:
            raise ValueError("time zones are not compared")
    elif isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        value = datetime.datetime.combine(value, datetime.time())
    if not isinstance(value, datetime.datetime):
        raise ValueError("not a moment")
    if kind is Type.DATE:
        if value.time() != datetime.time():
            raise ValueError("a date has no time of day")
        return Literal(value.date(), kind)
    return Literal(value, kind)


def _shown(literal: Literal) -> str:
    value = literal.value
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def _name(node: exp.Expression) -> str:
    return node.sql_name() if isinstance(node, exp.Func) else node.key.upper()
