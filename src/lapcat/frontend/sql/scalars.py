"""Translates SQLGlot's scalar expressions into the plan's total expressions.

A column means different things in different places, because only a query that enforces a bound may rely on it:

    predicates  columns are raw: WHERE age > 200 sees the stored value
    values      columns with declared bounds are clamped, NULLs replaced where the catalogue says so
    keys        columns outside their declared bounds are NULL, and so belong to no group
"""

from __future__ import annotations

import datetime
import difflib
import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import assert_never

from sqlglot import exp

from lapcat.errors import BadQuery, Refused
from lapcat.frontend.sql.buckets import buckets, how_many
from lapcat.frontend.sql.date_calls import age_part, date_call, date_sum, moved_date
from lapcat.frontend.sql.dates import TRUNCATIONS, truncation
from lapcat.frontend.sql.decimals import exact_constant
from lapcat.frontend.sql.instead import BITS, instead
from lapcat.frontend.sql.mismatch import EXAMPLES, a, as_condition, as_number, as_text, as_type
from lapcat.frontend.sql.regular import regular_expression
from lapcat.frontend.sql.remainders import LARGEST_DIVISOR, quotient, remainder, whole
from lapcat.frontend.sql.scopes import ColumnMeaning, NameScope, SubqueryColumn
from lapcat.frontend.sql.spellings import plain_expression
from lapcat.frontend.sql.synonyms import synonym
from lapcat.frontend.sql.text import Text, flattened
from lapcat.frontend.sql.texts import FUNCTIONS, PATTERNS, as_a_text, like, text_function
from lapcat.frontend.sql.today import current_moment
from lapcat.frontend.words import identifier as sql_name
from lapcat.plan.expressions import (
    CASTS,
    Absolute,
    Arithmetic,
    ArithmeticOp,
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
    Literal,
    Logic,
    Not,
    NullOutsideBounds,
    Part,
    Rounded,
    Rounding,
    range_of,
)
from lapcat.plan.schema import SQL_TYPES, Bounds, ColumnSpec, Dates, RangeKeys, Type
from lapcat.plan.words import sql_text, toml_key

Aggregate = Callable[[exp.Expression], Expression]
"""Translates an aggregate inside an expression, where aggregates are allowed."""

REWRITING = 100
"""Steps of reading that a rewritten expression counts for: its operands are copied, and nested ones many times."""

_COMPARE: dict[type[exp.Expression], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_FLIPPED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_ARITHMETIC: dict[type[exp.Expression], ArithmeticOp] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
}
REAL_FUNCTIONS = (exp.Sqrt, exp.Cbrt, exp.Ln, exp.Log, exp.Exp, exp.Pow)
"""Functions that only answers have: see `plan/released/real_functions.py`."""
_ROUNDED: dict[type[exp.Expression], Rounding] = {exp.Floor: "floor", exp.Ceil: "ceil", exp.Round: "round"}
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
    exp.Second: "second",
    exp.Week: "week",
    exp.WeekOfYear: "week",
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
    "second": "second",
    "week": "week",
    "weekofyear": "week",
    "weekday": "dow",
    "isoyear": "isoyear",
    "julian": "julian",
}
"""As DuckDB names them: DAYOFWEEK and WEEKDAY count from Sunday = 0."""
_TYPES = {
    **dict.fromkeys(("TINYINT", "SMALLINT", "INT", "BIGINT"), Type.INTEGER),
    **dict.fromkeys(("FLOAT", "DOUBLE", "DECIMAL", "BIGDECIMAL", "FLOAT64"), Type.FLOAT),
    **dict.fromkeys(("TEXT", "VARCHAR", "CHAR", "NVARCHAR", "NCHAR", "BPCHAR"), Type.TEXT),
    "BOOLEAN": Type.BOOLEAN,
    "DATE": Type.DATE,
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMPNTZ"), Type.TIMESTAMP),
}

_SOME = {
    Type.INTEGER: Literal(0, Type.INTEGER),
    Type.FLOAT: Literal(0.0, Type.FLOAT),
    Type.TEXT: Literal("", Type.TEXT),
    Type.BOOLEAN: Literal(False, Type.BOOLEAN),
    Type.DATE: Literal(datetime.date(2000, 1, 1), Type.DATE),
    Type.TIMESTAMP: Literal(datetime.datetime(2000, 1, 1), Type.TIMESTAMP),
}
"""A value of each type, for CASE WHEN FALSE THEN value END: a NULL with a type."""


class Scalars:
    """Translates the scalar expressions over one scope, and notes what it clamped."""

    def __init__(
        self, text: Text, scope: NameScope, notes: dict[str, None], aggregate: Aggregate | None = None
    ) -> None:
        self.text, self.scope, self.notes, self.aggregate = text, scope, notes, aggregate

    # -------------------------------------------------------------------------------------------- the three meanings

    def predicate(self, node: exp.Expression) -> Expression:
        expression = self.scalar(node, ColumnMeaning.RAW)
        if expression.type is not Type.BOOLEAN:
            fix = as_condition(self.text.quoted(node), expression.type)
            raise self.mismatch(node, "a condition is true or false", a(expression.type), fix)
        return expression

    def value(self, node: exp.Expression) -> Expression:
        expression = self.scalar(node, ColumnMeaning.VALUE)
        return Cast(expression, Type.INTEGER) if expression.type is Type.BOOLEAN else expression

    def key(self, node: exp.Expression) -> Expression:
        expression = self.scalar(node, ColumnMeaning.RAW)
        return expression if isinstance(expression, Column) else self.scalar(node, ColumnMeaning.KEY)

    def named(self, node: exp.Column, mode: ColumnMeaning) -> Expression:
        """The column as it is read in this mode."""
        means = self.scope.find(self.text, node).means
        if isinstance(means, SubqueryColumn):
            return means.expression(mode)
        if means.is_opaque:
            raise Refused(
                "unit-opaque",
                f"{means.spec.name} is the privacy unit, and its values are not declared",
                why="units can be joined, counted and grouped by; who they are is private",
                fix=f"COUNT(DISTINCT {sql_name(means.spec.name)}) counts them; to compare them with values, the steward "
                f"declares the column: {toml_key(means.spec.name)} = {{}} under [tables.{means.table}.columns]",
                place=self.text.place(node),
            )
        column = Column(means.column, means.spec.type)
        match mode:
            case ColumnMeaning.RAW:
                return column
            case ColumnMeaning.VALUE:
                return self.clamped(column, means.spec, silent=means.is_read)
            case ColumnMeaning.KEY:
                return self.within(column, means.spec, silent=means.is_read)
            case _:
                assert_never(mode)

    def clamped(self, column: Expression, spec: ColumnSpec, *, silent: bool) -> Expression:
        if not isinstance(spec.bounds, Bounds):
            return column
        low, high = _literal(spec.bounds.low, spec.type), _literal(spec.bounds.high, spec.type)
        if spec.null is not None:
            column = Coalesce(column, _literal(spec.null, spec.type), spec.type)
            self.note(
                f"NULL in {spec.name} counts as {_shown(_literal(spec.null, spec.type))} ({self.text.declaring.place})"
            )
        if not silent:
            self.note(
                f"{spec.name} is clamped to {_shown(low)}..{_shown(high)} ({self.text.declaring.place})"
            )
        return Clamp(column, low, high, spec.type)

    def within(self, column: Expression, spec: ColumnSpec, *, silent: bool) -> Expression:
        match spec.bounds, spec.keys:
            case Dates(first, last), _:
                ends = Literal(first, Type.DATE), Literal(last, Type.DATE)
            case Bounds(low, high), _:
                ends = _literal(low, spec.type), _literal(high, spec.type)
            case _, RangeKeys(first, last):
                ends = Literal(first, Type.INTEGER), Literal(last, Type.INTEGER)
            case _:
                return column
        if not silent:
            self.note(
                f"rows with {spec.name} outside {_shown(ends[0])}..{_shown(ends[1])} belong to no group ({self.text.declaring.place})"
            )
        return NullOutsideBounds(column, *ends, spec.type)

    def note(self, sentence: str) -> None:
        self.notes[sentence] = None

    # -------------------------------------------------------------------------------------------- expressions

    def scalar(self, node: exp.Expression, mode: ColumnMeaning) -> Expression:
        """One case per kind of node; a node without a case is refused."""
        self.text.spend(1)
        while isinstance(node, exp.Paren):
            (node,) = self.parts(node, "this")
        if isinstance(node, exp.Column):
            today = self.current(exp.CurrentDate()) if self.is_sysdate(node) else None
            return today or self.named(node, mode)
        if self.aggregate is not None and isinstance(node, (exp.AggFunc, exp.Filter)):
            return self.aggregate(node)
        if isinstance(node, (exp.Literal, exp.Boolean)):
            return self.literal(node)
        if isinstance(node, exp.Null):
            raise self.text.unsupported(
                node, "NULL without a type", "x IS NULL in a condition; CAST(NULL AS BIGINT) as a value"
            )
        same = synonym(node)
        if same is not None:
            self.text.spend(REWRITING)
            return self.scalar(same, mode)
        if isinstance(node, (exp.And, exp.Or)):
            kind = exp.And if isinstance(node, exp.And) else exp.Or
            return Logic(
                "and" if kind is exp.And else "or", tuple(self.predicate(n) for n in flattened(node, kind))
            )
        if isinstance(node, exp.Not):
            return Not(self.predicate(*self.parts(node, "this")))
        row_wise = None
        if isinstance(node, (exp.In, exp.EQ)) and isinstance(node.this, exp.Tuple):
            row_wise = plain_expression(node)
        if row_wise is not None:
            self.text.spend(REWRITING)
            return self.scalar(row_wise, mode)
        if type(node) in _COMPARE:
            left, right = self.texts_in_quotes(*self.parts(node, "this", "expression"))
            return self.compare(
                node,
                _COMPARE[type(node)],
                self.scalar(left, ColumnMeaning.RAW),
                self.scalar(right, ColumnMeaning.RAW),
            )
        if isinstance(node, exp.Between):
            subject, *ends = self.parts(node, "this", "low", "high")
            this, low, high = (
                self.scalar(part, ColumnMeaning.RAW)
                for part in (subject, *(self.text_in_quotes(end) for end in ends))
            )
            return Logic("and", (self.compare(node, ">=", this, low), self.compare(node, "<=", this, high)))
        if isinstance(node, exp.In):
            return self.membership(node)
        if isinstance(node, exp.Is):
            return self.identity(node)
        if isinstance(node, PATTERNS):
            return like(self, node)
        if isinstance(node, FUNCTIONS):
            return text_function(self, node, mode)
        if isinstance(node, exp.Neg):
            return self.negative(node, mode)
        if type(node) in _ARITHMETIC:
            return self.combined(node, mode)
        if isinstance(node, (exp.Mod, exp.IntDiv)):
            return self.remainder(node, mode)
        moment = self.current(node) or date_call(self, node, mode)
        if moment is not None:
            return moment
        other = plain_expression(node)
        if other is not None:
            self.text.spend(REWRITING)
            return self.scalar(other, mode)
        if isinstance(node, exp.Case):
            return self.case(node, mode)
        if isinstance(node, (exp.Cast, exp.TryCast)):
            return self.cast(node, mode)
        if isinstance(node, exp.Coalesce):
            return self.coalesce(node, mode)
        if isinstance(node, exp.Abs):
            operand = self.number(self.inner(node), mode)
            exact = operand.type is Type.INTEGER and range_of(operand).fits_integer
            return Absolute(operand, Type.INTEGER if exact else Type.FLOAT)
        if type(node) in _ROUNDED:
            return Rounded(_ROUNDED[type(node)], self.number(self.inner(node), mode))
        if isinstance(node, (exp.Least, exp.Greatest)):
            operands = tuple(self.number(part, mode) for part in self.all_parts(node))
            kinds = {operand.type for operand in operands}
            return LeastOrGreatest(
                "least" if isinstance(node, exp.Least) else "greatest",
                operands,
                Type.INTEGER if kinds == {Type.INTEGER} else Type.FLOAT,
            )
        if isinstance(node, exp.WidthBucket):
            return self.bucket(node, mode)
        if type(node) in _PARTS:
            return self.date_part(node, _PARTS[type(node)], self.inner(node), mode)
        if isinstance(node, exp.Extract):
            part, date = self.parts(node, "this", "expression")
            return self.named_part(node, part.name, date, mode)
        if isinstance(node, TRUNCATIONS):
            return truncation(self.text, node, lambda operand: self.scalar(operand, mode))
        if isinstance(node, exp.Anonymous):
            return self.function(node, mode)
        raise self.no_rule(node)

    def is_sysdate(self, node: exp.Column) -> bool:
        """Whether a name is Oracle's current date, and no column."""
        if node.name.casefold() != "sysdate" or node.table:
            return False
        return all(column.name.casefold() != "sysdate" for column in self.scope.names)

    def current(self, node: exp.Expression) -> Literal | None:
        """CURRENT_DATE, or NOW() at its midnight; None for anything else."""
        moment = current_moment(self.text, node)
        if moment is not None:
            assert isinstance(moment.value, datetime.date)
            place = "lapcat.table" if self.text.declaring.in_python else "refresh"
            self.note(f"CURRENT_DATE is {moment.value.strftime('%Y-%m-%d')} ({place})")
        return moment

    def parts(self, node: exp.Expression, *names: str) -> list[exp.Expression]:
        return self.text.required(node, *names)

    def inner(self, node: exp.Expression) -> exp.Expression:
        """The only part of a node."""
        (this,) = self.parts(node, "this")
        return this

    def all_parts(self, node: exp.Expression) -> list[exp.Expression]:
        """The operands of a variadic function."""
        first, others = self.text.consume(node, "this", "expressions")
        return [
            part
            for part in (first, *(others if isinstance(others, list) else ()))
            if isinstance(part, exp.Expression)
        ]

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
            raise self.mismatch(node, "a number is expected", repr(written), "30") from None
        if not math.isfinite(number):
            raise BadQuery(
                "number-too-large",
                f"{written} is too large",
                fix="1e308 is the largest",
                place=self.text.place(node),
            )
        return Literal(number, Type.FLOAT)

    def written_text(self, node: exp.Expression) -> Literal:
        value, max_length = str(node.this), self.text.work_limits.max_length
        if len(value) > max_length:
            raise Refused(
                "text-too-long",
                f"a text in the question has {len(value)} characters; the limit is {max_length} (max_length)",
                why="no column holds a longer text and no expression makes one, so the work per row stays bounded",
                fix=f"compare with its first characters, by LIKE; or the steward writes max_length = {len(value)} under [limits]",
                place=self.text.place(node),
            )
        return Literal(value, Type.TEXT)

    def combined(self, node: exp.Expression, mode: ColumnMeaning) -> Expression:
        """Arithmetic of numbers, or the sum or difference of dates."""
        moment = moved_date(self, node, mode)
        if moment is not None:
            return moment
        parts = self.parts(node, "this", "expression")
        first, second = (self.scalar(part, mode) for part in parts)
        if isinstance(node, (exp.Add, exp.Sub)) and not (first.type.is_number and second.type.is_number):
            moment = date_sum(self, node, first, second, mode)
            if moment is not None:
                return moment
        for part, value in zip(parts, (first, second), strict=True):
            self.numeric(part, value)
        return exact_constant(arithmetic(_ARITHMETIC[type(node)], first, second))

    def number(self, node: exp.Expression, mode: ColumnMeaning) -> Expression:
        return self.numeric(node, self.scalar(node, mode))

    def numeric(self, node: exp.Expression, expression: Expression) -> Expression:
        if not expression.type.is_number:
            fix = as_number(self.text.quoted(node), expression.type)
            raise self.mismatch(node, "a number is expected", a(expression.type), fix)
        return expression

    def negative(self, node: exp.Expression, mode: ColumnMeaning) -> Expression:
        operand = self.number(self.inner(node), mode)
        if isinstance(operand, Literal) and isinstance(operand.value, (int, float)):
            return Literal(-operand.value, operand.type)
        return arithmetic("-", Literal(0, Type.INTEGER), operand)

    def texts_in_quotes(self, left: exp.Expression, right: exp.Expression) -> list[exp.Expression]:
        """The sides of a comparison, where one may be a text in double quotes beside what reads a column."""
        if self.is_text_in_quotes(left) and self.is_text_in_quotes(right):
            return [left, right]  # neither is a column
        sides = [(left, right), (right, left)]
        return [self.text_in_quotes(side) if other.find(exp.Column) else side for side, other in sides]

    def is_text_in_quotes(self, node: exp.Expression) -> bool:
        """Whether it is a quoted name that no column has, or nearly has."""
        span = self.text.spans.of(node)
        if not isinstance(node, exp.Column) or node.table or span is None or self.text.text[span[0]] != '"':
            return False
        names = [name.name.casefold() for name in self.scope.names]
        return not difflib.get_close_matches(node.name.casefold(), names, 1, 0.8)

    def text_in_quotes(self, node: exp.Expression) -> exp.Expression:
        """A text in double quotes, as MySQL, BigQuery and Spark write it, as a text; any other expression as it is."""
        if not self.is_text_in_quotes(node):
            return node
        self.note(f"{self.text.written(node)} is read as a text: no column has this name")
        return exp.Literal.string(node.name)

    def constant(self, node: exp.Expression) -> Literal:
        expression = self.scalar(self.text_in_quotes(node), ColumnMeaning.RAW)
        if not isinstance(expression, Literal):
            raise self.text.unsupported(node, "a value that is not a constant", "write a number or a text")
        return expression

    def compare(self, node: exp.Expression, op: str, left: Expression, right: Expression) -> Expression:
        if isinstance(left, Literal) and not isinstance(right, Literal):
            left, right, op = right, left, _FLIPPED[op]
        right = self.fitted(node, right, left.type)
        return Compare(op, left, right)  # type: ignore[arg-type]

    def other_side(self, node: exp.Expression, value: Expression) -> str:
        """The side of a comparison that translates to `value`, as written."""
        sides = [node.args.get(name) for name in ("this", "expression")]
        for side in sides:
            if isinstance(side, exp.Expression) and self.scalar(side, ColumnMeaning.RAW) == value:
                return self.text.quoted(side)
        return self.text.quoted(node)

    def fitted(self, node: exp.Expression, value: Expression, kind: Type) -> Expression:
        """The value as one comparable with `kind`: dates may be written as texts."""
        moments = {value.type, kind} == {Type.DATE, Type.TIMESTAMP} and not isinstance(value, Literal)
        if value.type is kind or (value.type.is_number and kind.is_number) or moments:
            return value
        if isinstance(value, Literal) and kind in (Type.DATE, Type.TIMESTAMP):
            try:
                return _moment(value, kind)
            except ValueError:
                given = sql_text(str(value.value))
                raise self.mismatch(node, f"{a(kind)} is expected", given, EXAMPLES[kind]) from None
        if isinstance(value, Literal):
            number = (
                _as_number(value) if kind.is_number else _as_truth(value) if kind is Type.BOOLEAN else None
            )
            if number is not None:
                return number
        fix = as_type(value, self.other_side(node, value), kind)
        raise self.mismatch(node, f"{a(kind)} is expected", a(value.type), fix)

    def membership(self, node: exp.Expression) -> Expression:
        this, values = self.text.consume(node, "this", "expressions")
        if not values or not isinstance(values, list) or not isinstance(this, exp.Expression):
            raise self.text.unsupported(node, "IN without a list of values", "list the values: x IN (1, 2)")
        operand = self.scalar(this, ColumnMeaning.RAW)
        listed = [self.fitted(node, self.constant(value), operand.type) for value in values]
        return InList(operand, tuple(value for value in listed if isinstance(value, Literal)))

    def identity(self, node: exp.Expression) -> Expression:
        this, what = self.parts(node, "this", "expression")
        operand = self.scalar(this, ColumnMeaning.RAW)
        if isinstance(what, exp.Null):
            return IsNull(operand)
        if isinstance(what, exp.Boolean) and operand.type is Type.BOOLEAN:
            return Logic("and", (Not(IsNull(operand)), operand if what.this else Not(operand)))
        raise self.text.unsupported(
            node, "IS with anything other than NULL, TRUE or FALSE", "x IS NULL, or x = 1"
        )

    def case(self, node: exp.Expression, mode: ColumnMeaning) -> Expression:
        subject, ifs, default = self.text.consume(node, "this", "ifs", "default")
        whens: list[tuple[Expression, Expression]] = []
        assert isinstance(ifs, list)
        for branch in ifs:
            condition, result = self.parts(branch, "this", "true")
            if isinstance(subject, exp.Expression):
                test = self.compare(
                    branch,
                    "=",
                    self.scalar(subject, ColumnMeaning.RAW),
                    self.scalar(condition, ColumnMeaning.RAW),
                )
            else:
                test = self.predicate(condition)
            whens.append((test, self.scalar(self.text_in_quotes(result), mode)))
        otherwise = None
        if isinstance(default, exp.Expression) and not isinstance(default, exp.Null):
            otherwise = self.scalar(self.text_in_quotes(default), mode)
        kinds = {value.type for _, value in whens} | ({otherwise.type} if otherwise is not None else set())
        if kinds == {Type.INTEGER, Type.FLOAT}:
            kinds = {Type.FLOAT}
        if len(kinds) != 1:
            fix = "give all values one type: numbers, or texts in single quotes"
            raise self.mismatch(node, "all values of a CASE have one type", " and ".join(sorted(kinds)), fix)
        return Case(tuple(whens), otherwise, kinds.pop())

    def cast(self, node: exp.Expression, mode: ColumnMeaning) -> Expression:
        this, to = self.parts(node, "this", "to")
        kind = self.type_of(node, to)
        if kind is not Type.TEXT:  # VARCHAR(10) is a text of any length, as in DuckDB
            if to.args.get("expressions"):
                raise self.sized(node, this, to)
            self.text.consume(to, "this", "kind")
        if isinstance(this, exp.Null):
            return Case(((Literal(False, Type.BOOLEAN), _SOME[kind]),), None, kind)
        operand = self.scalar(this, mode)
        if operand.type is kind:
            return operand
        if isinstance(operand, Literal) and kind in (Type.DATE, Type.TIMESTAMP):
            return self.fitted(node, operand, kind)
        as_shown = as_a_text(operand) if kind is Type.TEXT else None
        if as_shown is not None:
            return as_shown
        if (operand.type, kind) not in CASTS:
            shown = self.text.quoted(this)
            fix = as_text(shown, operand.type) if kind is Type.TEXT else f"leave CAST out: {shown}"
            if kind.is_number and operand.type in (Type.DATE, Type.TIMESTAMP):
                fix = as_number(shown, operand.type)
            raise self.mismatch(node, f"{a(operand.type)} cannot be cast to {kind}", "", fix)
        return Cast(operand, kind)

    def type_of(self, node: exp.Expression, to: exp.Expression) -> Type:
        """The type that a CAST names."""
        kind = _TYPES.get(str(to.args.get("kind") or to.this.name).upper())
        if kind is None:
            shown = self.text.quoted(node.this)
            raise self.text.unsupported(
                node, self.text.quoted(node), f"CAST({shown} AS BIGINT) or CAST({shown} AS DOUBLE)"
            )
        return kind

    def sized(self, node: exp.Expression, this: exp.Expression, to: exp.Expression) -> BadQuery:
        """The refusal of DECIMAL(5, 2): types have no size here."""
        shown, sizes = self.text.quoted(this), to.expressions
        kind = _TYPES.get(to.this.name if hasattr(to.this, "name") else str(to.this), Type.FLOAT)
        fix = f"CAST({shown} AS {SQL_TYPES[kind]}), which neither truncates nor rounds"
        if kind is Type.FLOAT:
            fix = f"ROUND({shown}, {self.text.quoted(sizes[1])})" if len(sizes) > 1 else f"ROUND({shown})"
        return self.text.unsupported(node, f"the size of a type in {self.text.quoted(node)}", fix)

    def coalesce(self, node: exp.Expression, mode: ColumnMeaning) -> Expression:
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

    def remainder(self, node: exp.Expression, mode: ColumnMeaning) -> Expression:
        """a % m and a // m, for integers and a constant."""
        self.text.spend(REWRITING)
        this, by = self.parts(node, "this", "expression")
        operand, divisor = whole(self.number(this, mode)), self.constant(by)
        shown = self.text.quoted(this)
        if operand is None or divisor.type is not Type.INTEGER:
            fix = f"CAST({shown} AS BIGINT) % 10, which rounds {shown}"
            raise self.mismatch(node, "a remainder is of an integer, by a whole number", "a fraction", fix)
        assert isinstance(divisor.value, int)
        if not 1 <= divisor.value <= LARGEST_DIVISOR:
            raise self.mismatch(by, f"a divisor is a number from 1 to {LARGEST_DIVISOR}", "", f"{shown} % 10")

        def read() -> Expression:
            return whole(self.number(this, mode)) or operand

        return (remainder if isinstance(node, exp.Mod) else quotient)(read, divisor.value)

    def bucket(self, node: exp.Expression, mode: ColumnMeaning) -> Expression:
        this, low, high, count = self.parts(node, "this", "min_value", "max_value", "num_buckets")
        ends = [self.constant(part).value for part in (low, high, count)]
        match ends:
            case [int() | float() as bottom, int() | float() as top, int() as number] if (
                bottom < top and number > 0
            ):
                return Bucket(self.number(this, mode), float(bottom), float(top), number)
        raise self.mismatch(
            node,
            "WIDTH_BUCKET(x, low, high, count) takes constants with low < high",
            "",
            f"WIDTH_BUCKET({self.text.quoted(this)}, 0, 100, 10), with bounds of your own",
        )

    def named_part(
        self, node: exp.Expression, name: str, this: exp.Expression, mode: ColumnMeaning
    ) -> Expression:
        part, age = _PART_NAMES.get(name.casefold()), age_part(self, node, name, this, mode)
        if age is not None:
            return age
        if part is None:
            raise self.text.unsupported(
                node, f"the date part {name}", f"one of {', '.join(sorted(set(_PART_NAMES)))}"
            )
        return self.date_part(node, part, this, mode)

    def date_part(
        self, node: exp.Expression, part: Part, this: exp.Expression, mode: ColumnMeaning
    ) -> Expression:
        operand = self.scalar(this, mode)
        if operand.type not in (Type.DATE, Type.TIMESTAMP):
            shown = self.text.quoted(this)
            fix = (
                f"CAST({shown} AS DATE)"
                if operand.type is Type.TEXT
                else "a column of type date or timestamp"
            )
            raise self.mismatch(this, "a date is expected", a(operand.type), fix)
        if operand.type is Type.DATE and part in ("hour", "minute", "second"):
            raise self.mismatch(node, "a date has no time of day", "", f"DAY({self.text.quoted(this)})")
        return DatePart(part, operand)

    def function(self, node: exp.Anonymous, mode: ColumnMeaning) -> Expression:
        name, arguments = self.text.consume(node, "this", "expressions")
        assert isinstance(arguments, list)
        match str(name).casefold(), arguments:
            case "clamp", [this, low, high]:
                return self.clamp(node, self.number(this, mode), self.constant(low), self.constant(high))
            case "clamp", _:
                raise self.mismatch(
                    node,
                    f"CLAMP takes a value, LOW and HIGH, not {len(arguments)} arguments",
                    "",
                    "CLAMP(x, LOW, HIGH), with bounds of your own",
                )
            case "buckets", [this, *number] if len(number) < 2:
                return self.buckets(node, this, number[0] if number else None, mode)
            case "date_part" | "datepart", [part, this]:
                return self.named_part(node, part.name, this, mode)
            case part_name, [this] if part_name in _PART_NAMES:
                return self.date_part(node, _PART_NAMES[part_name], this, mode)
        raise self.no_rule(node)

    def no_rule(self, node: exp.Expression) -> BadQuery:
        """The refusal of a function or operator, under the name that the analyst wrote."""
        regular = regular_expression(self.text, node)
        if regular is not None:
            return regular
        called = self.text.called(node)
        if node.key in BITS:
            return self.text.unsupported(
                node,
                f"{self.text.quoted(node)}, an operator on bits",
                "a remainder reads bits: x % 2 is the last bit of a positive number, x // 2 % 2 the next",
            )
        what = f"{called} in an expression"
        if isinstance(node, (exp.Select, exp.Subquery, exp.SetOperation)):
            what = "a sub-query in an expression"
        elif isinstance(node, exp.Func) and re.fullmatch(r"\w+", called):
            what = f"the function {called}"
        if isinstance(node, REAL_FUNCTIONS):
            return self.inexact(node, called)
        return self.text.unsupported(
            node, what, instead(called) or "`lapcat error unsupported` lists what works"
        )

    def inexact(self, node: exp.Expression, called: str) -> BadQuery:
        """The refusal of SQRT, LN and the like of a row."""
        shown = self.text.quoted(node.this)
        fix = f"leave {called} out, and compute it from the answer"
        if isinstance(node, exp.Pow) and str(node.expression.this) in ("2", "3"):
            fix = " * ".join([shown] * int(node.expression.this))
        elif isinstance(node, (exp.Sqrt, exp.Cbrt, exp.Ln, exp.Exp)):
            fix = f"{called}(AVG({shown})), of the answer, which is a different number"
        return BadQuery(
            "unsupported",
            f"{called} of a row: not supported here",
            why="engines differ in its last bit, and one bit may decide what a row adds; of aggregates it works",
            fix=fix,
            place=self.text.place(node),
        )

    def clamp(self, node: exp.Expression, operand: Expression, low: Literal, high: Literal) -> Expression:
        lower, upper = _number(low), _number(high)
        if lower is None or upper is None or not lower < upper:
            fix = "CLAMP(x, LOW, HIGH), with bounds of your own"
            if lower is not None and upper is not None and upper < lower:
                fix = f"swap the bounds: {_shown(high)}, {_shown(low)}"
            raise self.mismatch(node, "CLAMP(x, low, high) takes two numbers with low < high", "", fix)
        kind = Type.INTEGER if {operand.type, low.type, high.type} == {Type.INTEGER} else Type.FLOAT
        if kind is Type.FLOAT:
            low, high = Literal(float(lower), kind), Literal(float(upper), kind)
        written = self.text.written(node) if "start" in node.meta else node.sql("duckdb")
        self.note(f"{written} (the question)")
        if isinstance(operand, Clamp) and operand.type is kind:
            wide_low, wide_high = _number(operand.low), _number(operand.high)
            if wide_low is not None and wide_high is not None and wide_low <= lower and upper <= wide_high:
                operand = operand.operand  # the wider clamp inside changes nothing
        return Clamp(operand, low, high, kind)

    def buckets(
        self, node: exp.Expression, this: exp.Expression, number: exp.Expression | None, mode: ColumnMeaning
    ) -> Expression:
        """BUCKETS(x, n). Buckets are groups, so x is read as a key, in conditions too."""
        wanted = how_many(self.text, node, this, None if number is None else self.constant(number))
        operand = self.scalar(this, ColumnMeaning.VALUE if mode is ColumnMeaning.VALUE else ColumnMeaning.KEY)
        expression, sentence = buckets(self.text, self.scope, node, this, operand, wanted)
        self.note(sentence)
        return expression

    def mismatch(self, node: exp.Expression, expected: str, given: str, fix: str) -> BadQuery:
        return BadQuery(
            "type-mismatch",
            f"{expected}, but this is {given}" if given else expected,
            fix=fix,
            place=self.text.place(node),
        )


def arithmetic(op: ArithmeticOp, left: Expression, right: Expression) -> Arithmetic:
    """Integer arithmetic where the result provably fits 64 bits; everything else is computed in doubles."""
    if op != "/" and left.type is right.type is Type.INTEGER:
        exact = Arithmetic(op, left, right, Type.INTEGER)
        if range_of(exact).fits_integer:
            return exact
    return Arithmetic(op, left, right, Type.FLOAT)


def _literal(value: Fraction, kind: Type) -> Literal:
    return Literal(int(value) if kind is Type.INTEGER else float(value), kind)


def _number(literal: Literal) -> int | float | None:
    """The value of a numeric constant; None for a text, a boolean or a date."""
    return literal.value if literal.type.is_number and isinstance(literal.value, (int, float)) else None


def _as_number(literal: Literal) -> Literal | None:
    """A number that is written as a text, as DuckDB reads it beside a number: `age = '40'`."""
    if not isinstance(literal.value, str) or not re.fullmatch(
        r"-?\d{1,15}(\.\d{1,15})?", literal.value.strip()
    ):
        return None
    text = literal.value.strip()
    return Literal(float(text), Type.FLOAT) if "." in text else Literal(int(text), Type.INTEGER)


def _as_truth(literal: Literal) -> Literal | None:
    """1 and 0 beside a boolean: `smoker = 1`."""
    is_bit = literal.type is Type.INTEGER and literal.value in (0, 1)
    return Literal(bool(literal.value), Type.BOOLEAN) if is_bit else None


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
