"""SQL dialects: everything that differs between engines.

`Dialect` writes what most engines understand. To add a SQL engine, override what it spells differently. The SQL must be total: no
value of a row makes it fail (engines/evaluation.py specifies the results). If an engine raises on overflow, underflow or a cast, its
class writes a test first; the test repeats its operand, so such a class sets `repeats`, and operands other than columns are
named in an earlier step.
"""

from __future__ import annotations

import datetime
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, assert_never

from sqlglot import exp

from lapcat.engines.base.words import (
    FLOAT_OPERATORS,
    SQL,
    at_least,
    between,
    binary,
    call,
    case,
    cast,
    constant,
    double,
    equal,
    filtered,
    joined,
    less,
    number,
    one_of,
    string,
    translated,
    try_cast,
)
from lapcat.plan.expressions import (
    DATE_TEXT,
    FALSE_TEXT,
    FLOAT_TEXT,
    INTEGER_TEXT,
    TIMESTAMP_TEXT,
    TRUE_TEXT,
    Casing,
    MoveUnit,
    Sides,
)
from lapcat.plan.schema import SQL_TYPES, Type, Value

Family = Literal["whole", "wide", "float", "decimal", "text", "boolean", "date", "moment", "null", "other"]
"""Families of physical types: integers of up to 64 bits, wider integers, doubles, decimals, …"""
FloatOperator = Literal["+", "-", "*", "/"]

DECLARED: Mapping[Family, Type] = {
    "whole": Type.INTEGER,
    "wide": Type.INTEGER,
    "float": Type.FLOAT,
    "decimal": Type.FLOAT,
    "text": Type.TEXT,
    "boolean": Type.BOOLEAN,
    "date": Type.DATE,
    "moment": Type.TIMESTAMP,
}
"""The default declared type of each family."""
FIRST_DAY, LAST_DAY = datetime.date(1, 1, 1), datetime.date(9999, 12, 31)
FIRST_MOMENT, LAST_MOMENT = datetime.datetime.min, datetime.datetime.max
"""Values outside this range are NULL: Python, and hence the reference, cannot represent them."""
EPOCH, EPOCH_JULIAN = constant(datetime.date(1970, 1, 1)), 2_440_588
"""A day and its Julian day number."""


class Dialect(ABC):
    """The SQL of one engine."""

    name: ClassVar[str]
    """SQLGlot's name for the dialect."""
    wide_integer: ClassVar[str]
    """A type that holds any sum of 64-bit integers."""
    small_integer: ClassVar[str] = "INTEGER"
    """The type of stored integers below 2^31: the narrowest that `total` sums without overflow."""
    index_integer: ClassVar[str] = "BIGINT"
    """The type of ranks and row counts in a snapshot."""
    text_type: ClassVar[str] = "VARCHAR"
    day_text: ClassVar[str] = DATE_TEXT
    moment_text: ClassVar[str] = TIMESTAMP_TEXT
    """Patterns of the texts that `converted` may turn into dates and timestamps."""
    trims: ClassVar[Mapping[Sides, str]] = {"both": "btrim", "leading": "ltrim", "trailing": "rtrim"}
    physical: ClassVar[Mapping[Type, str]] = SQL_TYPES
    """The physical type that holds each declared type without conversion."""
    families: ClassVar[Mapping[str, Family]]
    """Physical types by their names."""
    prefixes: ClassVar[Mapping[str, Family]] = {}
    """Physical types by how their names begin."""
    materialized: ClassVar[bool | None] = None
    """Whether steps of WITH are AS MATERIALIZED, AS NOT MATERIALIZED, or neither (None)."""
    hashes_right: ClassVar[bool] = False
    """Whether the engine hashes the right side of a join by default."""
    repeats: ClassVar[bool] = True
    """Whether operands are written more than once and therefore need names."""

    def printed(self, statement: exp.Expression) -> str:
        """The statement as SQL text."""
        return statement.sql(self.name)

    def named_step(self, step: exp.Select) -> exp.Select:
        """A step that names values, written so that the engine computes each of them once."""
        return step

    def stored_by(self, rows: exp.Select, by: SQL) -> exp.Select:
        """The rows of a snapshot in storage order: ascending by `by`."""
        return rows.order_by(by, copy=False)

    # -------------------------------------------------------------------------------------------- physical types

    def family(self, physical: str) -> Family:
        """The family of a physical type."""
        if physical in self.families:
            return self.families[physical]
        begins = (family for prefix, family in self.prefixes.items() if physical.startswith(prefix))
        return next(begins, "other")

    def declared_type(self, physical: str) -> Type | None:
        """The default declared type of a physical type."""
        return DECLARED.get(self.family(physical))

    def unit_type(self, physical: str) -> Type | None:
        """The type of an undeclared unit column, chosen so that distinct units stay distinct."""
        return Type.TEXT if self.family(physical) in ("wide", "decimal") else self.declared_type(physical)

    def can_hold(self, physical: str, kind: Type) -> bool:
        """Whether some value of the physical type fits the declared one."""
        return self.read(exp.column("x"), physical, kind) is not None

    # -------------------------------------------------------------------------------------------- stored columns

    def read(self, x: SQL, physical: str, kind: Type) -> SQL | None:
        """A stored column as its declared type; NULL for a value that does not fit or is NaN. None if no value of the physical
        type fits. A column whose physical type matches the declared one is read unchanged, so the common case costs nothing."""
        family = self.family(physical)
        if family == "text":
            return self.from_text(self.read_text(x, physical), kind)
        if family == "null":  # a column without any value
            return cast(exp.Null(), SQL_TYPES[kind])
        if family == "float":
            x = self.without_nan(x)
        match kind:
            case Type.INTEGER:
                return self.read_integer(x, physical, family)
            case Type.FLOAT:
                return self.read_float(x, physical, family)
            case Type.TEXT:
                if family in ("whole", "wide", "decimal", "boolean"):
                    return self.shown(x)
                return self.shown(_within_years(x)) if family == "date" else None
            case Type.BOOLEAN:
                if family in ("whole", "wide", "float", "decimal"):
                    return case((equal(x, number(1)), exp.true()), (equal(x, number(0)), exp.false()))
                return x if family == "boolean" else None
            case Type.DATE:
                if family == "date":
                    return _within_years(x)
                return cast(self.read_moment(x, physical), "DATE") if family == "moment" else None
            case Type.TIMESTAMP:
                if family == "date":
                    return cast(_within_years(x), "TIMESTAMP")
                return self.read_moment(x, physical) if family == "moment" else None
            case _:
                assert_never(kind)

    def read_text(self, x: SQL, physical: str) -> SQL:
        """A text without the collation of its column, under which 'Bob' and 'bob' could be the same unit."""
        return x if physical == self.physical[Type.TEXT] else cast(x, self.text_type)

    @abstractmethod
    def without_nan(self, x: SQL) -> SQL:
        """A number of the family `float`, NULL for NaN."""

    def read_integer(self, x: SQL, physical: str, family: Family) -> SQL | None:
        match family:
            case "whole":
                return x if physical == self.physical[Type.INTEGER] else cast(x, "BIGINT")
            case "boolean":
                return self.flag(x)
            case "wide":
                return try_cast(x, "BIGINT")
            case "float" | "decimal":
                return case((equal(x, call("floor", x)), try_cast(x, "BIGINT")))
        return None

    def read_float(self, x: SQL, physical: str, family: Family) -> SQL | None:
        match family:
            case "float":
                return x if physical == self.physical[Type.FLOAT] else cast(x, "DOUBLE")
            case "whole":
                return cast(x, "DOUBLE")
            case "boolean":
                return cast(self.flag(x), "DOUBLE")
            case "decimal" if digits(physical) <= 15:
                return cast(
                    x, "DOUBLE"
                )  # the digits are exact in a double, and so is the power of ten: one rounding
            case "decimal" | "wide":
                return try_cast(cast(x, self.text_type), "DOUBLE")  # the text is exact
        return None

    @abstractmethod
    def read_moment(self, x: SQL, physical: str) -> SQL:
        """A timestamp of any kind as microseconds without zone, in UTC; NULL outside the years 1 to 9999."""

    def from_text(self, x: SQL, kind: Type) -> SQL:
        """A text as another type: only the strict formats of plan/expressions.py, NULL otherwise."""
        stripped = self.trimmed(x)
        match kind:
            case Type.TEXT:
                return x
            case Type.INTEGER:
                whole = call("split_part", stripped, string("."), number(1))
                return case((self.matches(stripped, INTEGER_TEXT), self.converted(whole, kind)))
            case Type.FLOAT:
                return case((self.matches(stripped, FLOAT_TEXT), self.converted(stripped, kind)))
            case Type.BOOLEAN:
                word = call("lower", stripped)
                return case(
                    (one_of(word, map(string, TRUE_TEXT)), exp.true()),
                    (one_of(word, map(string, FALSE_TEXT)), exp.false()),
                )
            case Type.DATE | Type.TIMESTAMP:
                pattern = self.day_text if kind is Type.DATE else self.moment_text
                after_year_0 = at_least(stripped, string("0001"))
                right = binary(exp.And, self.matches(stripped, pattern), after_year_0)
                return case((right, self.converted(stripped, kind)))
            case _:
                assert_never(kind)

    def converted(self, x: SQL, kind: Type) -> SQL:
        """A text that matches the pattern of its type, as this type; NULL if it does not fit."""
        return try_cast(x, SQL_TYPES[kind])

    @abstractmethod
    def matches(self, x: SQL, pattern: str) -> SQL:
        """Whether a whole text matches a regular expression, one of lapcat's own."""

    # -------------------------------------------------------------------------------------------- values

    def holds(self, value: Value) -> bool:
        """Whether a row can hold the value; if not, no comparison is needed."""
        return True

    def text(self, value: str) -> SQL:
        """A text constant, compared by code point. Refuses a text that no row can hold."""
        return string(value)

    def shown(self, x: SQL) -> SQL:
        """An integer as its decimal text, a date as its ISO text."""
        return cast(x, self.text_type)

    def flag(self, x: SQL) -> SQL:
        """A boolean as the integer 1 or 0."""
        return cast(x, "BIGINT")

    def like(self, x: SQL, pattern: str, escape: str) -> SQL:
        """LIKE; the escape character is a backslash, or empty for none."""
        like = binary(exp.Like, x, string(pattern))
        return exp.Escape(this=like, expression=string(escape)) if escape else like

    def trimmed(self, x: SQL, characters: str = " ", sides: Sides = "both") -> SQL:
        """A text without the leading or trailing characters that are among these."""
        return call(self.trims[sides], x, string(characters))

    def cased(self, x: SQL, how: Casing) -> SQL:
        """A text with its ASCII letters in upper or lower case."""
        return translated(x, how)

    def position(self, x: SQL, search: SQL) -> SQL:
        """Where a text first occurs in x, from 1; 0 if it does not."""
        return call("strpos", x, search)

    def float_operation(self, operator: FloatOperator, x: SQL, y: SQL) -> SQL:
        """An IEEE 754 operation on two doubles: ±inf on overflow, 0 on underflow, NaN where IEEE says so. The divisor is
        never 0."""
        return binary(FLOAT_OPERATORS[operator], x, y)

    def whole(self, x: SQL) -> SQL:
        """A double with an integer value within 63 bits as that integer; NULL stays."""
        return cast(x, "BIGINT")

    @abstractmethod
    def nearest(self, x: SQL) -> SQL:
        """The nearest integer, ties to even; NULL outside 63 bits and for NaN."""

    def rounded(self, how: Literal["floor", "ceil", "round"], x: SQL) -> SQL:
        """A double rounded to an integer (`round`: ties away from zero); NULL outside 63 bits and for NaN."""
        return case((in_63_bits(x), cast(call(how, x), "BIGINT")))

    def floor(self, x: SQL) -> SQL:
        """⌊x⌋ of a double, as a double."""
        return call("floor", x)

    @abstractmethod
    def cut(self, x: SQL) -> SQL:
        """A double within 63 bits, truncated towards zero to an integer."""

    @abstractmethod
    def divided(self, x: SQL, y: SQL) -> SQL:
        """x / y of integers, truncated towards zero; y is positive."""

    def shifted(self, x: SQL, places: int) -> SQL:
        """⌊x / 2^places⌋ of an integer."""
        return binary(exp.BitwiseRightShift, x, number(min(places, 63)))

    @abstractmethod
    def part(self, x: SQL, part: str) -> SQL:
        """A part of a date or timestamp as a 64-bit integer."""

    @abstractmethod
    def moved(self, x: SQL, count: int, unit: MoveUnit) -> SQL:
        """A timestamp moved by months, days or seconds within the years 1 to 9999."""

    def truncated(self, x: SQL, span: str) -> SQL:
        """The start of the year, quarter, month, week, day, hour, minute or second of a date or timestamp, as either type."""
        return call("date_trunc", string(span), x)

    # -------------------------------------------------------------------------------------------- aggregates

    def total(self, x: SQL, reach: int | None, where: SQL | None = None) -> SQL:
        """The sum, without overflow, of integers within ±reach over the rows for which `where` is true (None: all rows).
        Without a reach, the integers are such sums or counts themselves."""
        return filtered(call("sum", x), where)

    def extreme(self, how: Literal["min", "max"], x: SQL, kind: Type) -> SQL:
        """The minimum or maximum; false is less than true."""
        return call(how, x)

    # -------------------------------------------------------------------------------------------- canonical texts

    def concatenated(self, parts: Sequence[SQL]) -> SQL:
        """The concatenation of texts; NULL counts as empty."""
        return call("concat", *parts)

    def counted_text(self, x: SQL) -> SQL:
        """A text, preceded by its number of characters and a colon."""
        length = cast(call("length", x), self.text_type)
        return binary(exp.DPipe, binary(exp.DPipe, length, string(":")), x)

    @abstractmethod
    def digest(self, text: SQL) -> SQL:
        """The MD5 of a text, in an engine-specific form."""

    def digest_order(self, x: SQL) -> Sequence[SQL]:
        """Expressions that order digests as little-endian numbers."""
        return [x]

    @abstractmethod
    def float_text(self, x: SQL) -> SQL:
        """The 64 bits of a double as a signed integer, in decimal; -0.0 counts as 0.0."""

    @abstractmethod
    def microseconds(self, x: SQL) -> SQL:
        """A timestamp as microseconds since 1970."""

    # -------------------------------------------------------------------------------------------- lists

    @abstractmethod
    def listed(self, parameter: str, kind: Type) -> exp.Select:
        """The elements of an array parameter as columns `value` and `place` (from 0)."""

    @abstractmethod
    def is_listed(self, x: SQL, parameter: str, kind: Type) -> SQL:
        """Whether a value that is not NULL is an element of an array parameter."""


def in_63_bits(x: SQL) -> SQL:
    """Whether a double's integer part fits into 63 bits and a sign; NaN, which sorts above infinity, does not."""
    return joined(exp.And, [at_least(x, double(-(2.0**63))), less(x, double(2.0**63))])


def within_moments(x: SQL) -> SQL:
    """A timestamp without zone; NULL outside the years 1 to 9999."""
    return case((between(x, constant(FIRST_MOMENT), constant(LAST_MOMENT)), x))


def _within_years(x: SQL) -> SQL:
    return case((between(x, constant(FIRST_DAY), constant(LAST_DAY)), x))


def digits(physical: str) -> int:
    """The number of digits of a DECIMAL(…)."""
    return int(re.findall(r"\d+", physical)[0])
