"""The PostgreSQL dialect: its physical types, and operations that raise for no value.

PostgreSQL has no TRY_CAST. It raises if a cast does not fit, if an operation on doubles overflows, and if a product or
quotient underflows. So a cast is guarded by a test that passes only texts and numbers that fit, and an operation on doubles
by tests that are true exactly where it would raise; there the IEEE 754 result is written instead.

The planner folds constants before reading rows, in a CASE even those of branches that no row takes. The constants of a
question are evaluated before the statement is written (expressions.py), but a column may still be constant: if a branch of a
UNION ALL selects 0.5, the planner substitutes it for the column. The planner drops a branch whose test is constantly false
before folding anything in it, and FALSE AND … is false. So an expression that reads a single operand and could raise is
guarded by an AND with a conjunct that tests this operand alone.

Texts are compared by their bytes (COLLATE "C"), which in UTF-8 is by code point, regardless of the database's collation.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from sqlglot import exp

from lapcat.engines.base.dialect import (
    EPOCH,
    EPOCH_JULIAN,
    Dialect,
    Family,
    in_63_bits,
    within_moments,
)
from lapcat.engines.base.words import (
    SQL,
    at_least,
    at_most,
    between,
    binary,
    call,
    case,
    cast,
    double,
    equal,
    integer,
    joined,
    less,
    minus,
    name,
    named,
    negated,
    number,
    plus,
    ratio,
    string,
    times,
    wrapped,
)
from lapcat.engines.postgres.floats import INFINITY, float_operation
from lapcat.errors import BadQuery
from lapcat.plan.expressions import FLOAT_TEXT, Casing, MoveUnit, Sides
from lapcat.plan.schema import SQL_TYPES, Type, Value

TEXTS = ("text", "character varying", "character", "name", "uuid", "json", "jsonb", "citext", "enum")
NOT_A_NUMBER = exp.Cast(this=exp.Literal.string("NaN"), to=exp.DataType.build("DECIMAL"))

DAY = (
    "([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))"
    "|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)"
)
"""The valid dates of the Gregorian calendar."""
MOMENT = DAY + r"([ T]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,6})?)?"
MAX_NAME_BYTES = 63
"""PostgreSQL truncates longer names and might confuse two columns."""
MAX_ARGUMENTS = 90
"""Maximum number of arguments of a function; PostgreSQL allows 100."""


class PostgresDialect(Dialect):
    """SQL for PostgreSQL."""

    name = "postgres"
    wide_integer = "DECIMAL"
    small_integer = "BIGINT"  # its sum is a numeric, which cannot overflow
    text_type = "TEXT"
    float_operation = staticmethod(float_operation)
    day_text = DAY
    moment_text = MOMENT
    physical: ClassVar[Mapping[Type, str]] = {
        Type.INTEGER: "bigint",
        Type.FLOAT: "double precision",
        Type.TEXT: "text",
        Type.BOOLEAN: "boolean",
        Type.DATE: "date",
        Type.TIMESTAMP: "timestamp without time zone",
    }
    families: ClassVar[Mapping[str, Family]] = {
        **dict.fromkeys(("smallint", "integer", "bigint"), "whole"),
        **dict.fromkeys(TEXTS, "text"),
        "real": "float",
        "double precision": "float",
        "numeric": "decimal",
        "boolean": "boolean",
        "date": "date",
        "timestamp without time zone": "moment",
        "timestamp with time zone": "moment",
    }

    def printed(self, statement: exp.Expression) -> str:
        """Array parameters are numbered in the order of their names; long names are shortened but stay distinct."""
        statement = statement.copy()
        parameters = sorted({node.name for node in statement.find_all(exp.Parameter)})
        for node in statement.find_all(exp.Parameter):
            node.set("this", number(1 + parameters.index(node.name)))
        for identifier in statement.find_all(exp.Identifier):
            identifier.set("this", short_name(identifier.name))
        return statement.sql(self.name, copy=False)

    def named_step(self, step: exp.Select) -> exp.Select:
        # PostgreSQL would inline the value wherever its name is used; OFFSET prevents that
        return step.offset(0, copy=False)

    # -------------------------------------------------------------------------------------------- stored columns

    def read(self, x: SQL, physical: str, kind: Type) -> SQL | None:
        if self.family(physical) == "decimal" and kind is Type.TEXT:
            finite = less(call("abs", x), exp.Cast(this=string("Infinity"), to=NOT_A_NUMBER.args["to"]))
            return case((finite, self.shown(call("trim_scale", x))))  # 1.0 and 1.00 name the same person
        return super().read(x, physical, kind)

    def read_text(self, x: SQL, physical: str) -> SQL:
        return _by_bytes(super().read_text(x, physical))

    def without_nan(self, x: SQL) -> SQL:
        return x  # NaN is no integer and no boolean; `read_float` leaves it out

    def read_integer(self, x: SQL, physical: str, family: Family) -> SQL | None:
        match family:
            case "float":
                wide = x if physical == "double precision" else cast(x, "DOUBLE")
                return case(
                    (
                        joined(exp.And, [equal(wide, call("floor", wide)), in_63_bits(wide)]),
                        cast(wide, "BIGINT"),
                    )
                )
            case "decimal":
                inside = between(x, _decimal(-(2**63)), _decimal(2**63 - 1))
                return case((joined(exp.And, [inside, equal(x, call("floor", x))]), cast(x, "BIGINT")))
        return super().read_integer(x, physical, family)

    def read_float(self, x: SQL, physical: str, family: Family) -> SQL | None:
        if family == "decimal":  # it may be NaN or infinite, and may have more digits than a double
            return case((binary(exp.NEQ, x, NOT_A_NUMBER), _double_of_decimal(x, cast(x, "DOUBLE"))))
        value = super().read_float(x, physical, family)
        return call("nullif", value, double(math.nan)) if family == "float" and value is not None else value

    def read_moment(self, x: SQL, physical: str) -> SQL:
        if physical == "timestamp with time zone":
            x = exp.AtTimeZone(this=wrapped(x), zone=string("UTC"))
        return within_moments(x)

    def from_text(self, x: SQL, kind: Type) -> SQL:
        return self._float_from_text(self.trimmed(x)) if kind is Type.FLOAT else super().from_text(x, kind)

    def converted(self, x: SQL, kind: Type) -> SQL:
        return cast(x, SQL_TYPES[kind])  # there is no TRY_CAST; all texts that match the pattern fit

    def matches(self, x: SQL, pattern: str) -> SQL:
        return binary(exp.RegexpLike, x, string(f"^({pattern})$"))

    def _float_from_text(self, stripped: SQL) -> SQL:
        """The nearest double. Texts without an exponent have at most 40 digits on each side, which is in range."""
        plain = cast(stripped, "DOUBLE")
        with_exponent = joined(
            exp.And, [binary(exp.RegexpLike, stripped, string("[eE]")), negated(_infinite(stripped))]
        )
        number_ = _double_of_decimal(cast(stripped, "DECIMAL"), plain)
        return case(
            (negated(self.matches(stripped, FLOAT_TEXT)), exp.Null()),
            (with_exponent, number_),
            otherwise=plain,
        )

    # -------------------------------------------------------------------------------------------- values

    def holds(self, value: Value) -> bool:
        return not (isinstance(value, str) and "\0" in value)

    def text(self, value: str) -> SQL:
        if not self.holds(value):
            raise BadQuery(
                "text-nul",
                "a text in the question contains the character NUL, which PostgreSQL texts cannot contain",
                fix="leave out the condition: no row matches it",
            )
        return _by_bytes(cast(string(value), "TEXT"))

    def shown(self, x: SQL) -> SQL:
        return _by_bytes(super().shown(x))

    def flag(self, x: SQL) -> SQL:
        return cast(cast(x, "INTEGER"), "BIGINT")

    def like(self, x: SQL, pattern: str, escape: str) -> SQL:
        self.text(pattern)
        return exp.Escape(this=binary(exp.Like, x, string(pattern)), expression=string(escape))

    def trimmed(self, x: SQL, characters: str = " ", sides: Sides = "both") -> SQL:
        self.text(characters)
        return super().trimmed(x, characters, sides)

    def cased(self, x: SQL, how: Casing) -> SQL:
        return call(how, _by_bytes(x))  # of COLLATE "C" only ASCII letters have a case

    def nearest(self, x: SQL) -> SQL:
        return case((in_63_bits(x), cast(x, "BIGINT")))  # rounds to nearest, ties to even

    def rounded(self, how: Literal["floor", "ceil", "round"], x: SQL) -> SQL:
        if (
            how != "round"
        ):  # if x fits, so do its floor and, since no double lies between 2^63 − 1024 and 2^63, its ceiling
            return super().rounded(how, x)
        cut = call("trunc", x)
        half = at_least(call("abs", minus(x, cut)), double(0.5))
        away = case((negated(half), integer(0)), (less(double(0.0), x), integer(1)), otherwise=integer(-1))
        return case((in_63_bits(x), plus(cast(cut, "BIGINT"), away)))

    def cut(self, x: SQL) -> SQL:
        return cast(call("trunc", x), "BIGINT")

    def divided(self, x: SQL, y: SQL) -> SQL:
        return ratio(x, y)

    def part(self, x: SQL, part: str) -> SQL:
        if part == "julian":
            return plus(cast(minus(x, EPOCH), "BIGINT"), integer(EPOCH_JULIAN))
        value = call("date_part", string(part), cast(x, "TIMESTAMP"))
        return cast(call("floor", value) if part == "second" else value, "BIGINT")

    def moved(self, x: SQL, count: int, unit: MoveUnit) -> SQL:
        """MAKE_INTERVAL has years, months, weeks, days, hours, minutes and seconds."""
        place = {"month": 1, "day": 3, "second": 6}[unit]
        return plus(x, call("make_interval", *(number(count if n == place else 0) for n in range(place + 1))))

    def truncated(self, x: SQL, span: str) -> SQL:
        return super().truncated(cast(x, "TIMESTAMP"), span)

    # -------------------------------------------------------------------------------------------- aggregates

    def extreme(self, how: Literal["min", "max"], x: SQL, kind: Type) -> SQL:
        return call({"min": "bool_and", "max": "bool_or"}[how] if kind is Type.BOOLEAN else how, x)

    # -------------------------------------------------------------------------------------------- canonical texts

    def concatenated(self, parts: Sequence[SQL]) -> SQL:
        while len(parts) > MAX_ARGUMENTS:
            pieces = range(0, len(parts), MAX_ARGUMENTS)
            parts = [call("concat", *parts[first : first + MAX_ARGUMENTS]) for first in pieces]
        return call("concat", *parts)

    def digest(self, text: SQL) -> SQL:
        return call("decode", call("md5", text), string("hex"))

    def digest_order(self, x: SQL) -> Sequence[SQL]:
        """Two integers of eight bytes each, the last byte first; the first byte of each holds the sign."""
        return [_eight_bytes(x, last) for last in (15, 7)]

    def float_text(self, x: SQL) -> SQL:
        zero = case((equal(x, double(0.0)), double(0.0)), otherwise=x)
        digits = binary(exp.DPipe, string("x"), call("encode", call("float8send", zero), string("hex")))
        bits = exp.Cast(this=digits, to=exp.DataType.build("BIT(64)", dialect="postgres"))
        return cast(cast(bits, "BIGINT"), "TEXT")

    def microseconds(self, x: SQL) -> SQL:
        seconds = exp.Extract(this=exp.Var(this="EPOCH"), expression=x)  # a numeric, exact
        return cast(times(seconds, number(1_000_000)), "BIGINT")

    # -------------------------------------------------------------------------------------------- lists

    def listed(self, parameter: str, kind: Type) -> exp.Select:
        values = _array(parameter, kind)
        places = minus(call("generate_subscripts", values, number(1)), number(1))
        return exp.select(
            named(call("unnest", values), "value"), named(cast(places, "BIGINT"), "place"), copy=False
        )

    def is_listed(self, x: SQL, parameter: str, kind: Type) -> SQL:
        return exp.EQ(this=wrapped(x), expression=exp.Any(this=exp.Paren(this=_array(parameter, kind))))


POSTGRES = PostgresDialect()


def server_table(schema: str, table: str) -> SQL:
    return exp.Table(this=name(table), db=name(schema))


def short_name(identifier: str) -> str:
    """A name that PostgreSQL does not truncate; distinct names stay distinct."""
    if len(identifier.encode()) <= MAX_NAME_BYTES:
        return identifier
    mark = hashlib.sha256(identifier.encode()).hexdigest()[:16]
    return identifier.encode()[: MAX_NAME_BYTES - 17].decode(errors="ignore") + "~" + mark


def _array(parameter: str, kind: Type) -> SQL:
    return cast(exp.Parameter(this=exp.Var(this=parameter)), f"{_TYPES[kind]}[]")


_TYPES = {**SQL_TYPES, Type.TEXT: "TEXT"}


def _by_bytes(x: SQL) -> SQL:
    return exp.Paren(this=exp.Collate(this=wrapped(x), expression=name("C")))


def _decimal(value: int) -> SQL:
    return cast(number(value), "DECIMAL")


def _eight_bytes(x: SQL, last: int) -> SQL:
    """Eight bytes of a digest, read backwards from `last`, as an integer with the same order."""
    total: SQL | None = None
    for position in range(8):
        byte = cast(call("get_byte", x, number(last - position)), "BIGINT")
        if position == 0:
            byte = minus(byte, number(128))
        shifted = byte if position == 7 else binary(exp.BitwiseLeftShift, byte, number(56 - 8 * position))
        total = shifted if total is None else binary(exp.BitwiseOr, total, shifted)
    assert total is not None
    return total


def _infinite(stripped: SQL) -> SQL:
    return binary(exp.RegexpLike, stripped, string("[iI]"))


TOO_LARGE = 2**1024 - 2**970
"""Decimals of at least this size round to infinity: midway between the largest double and the next would-be double."""
TOO_SMALL = "0." + str(5**1075).zfill(1075)
"""Decimals up to this size round to zero: half of the smallest double, 2^-1075."""


def _double_of_decimal(x: SQL, plain: SQL) -> SQL:
    """A decimal as the nearest double; `plain` is its cast, which raises if the result is infinite or underflows to 0."""
    size, large = call("abs", x), cast(string(str(TOO_LARGE)), "DECIMAL")
    return case(
        (at_least(x, large), INFINITY),
        (at_most(x, cast(string(str(-TOO_LARGE)), "DECIMAL")), double(-math.inf)),
        (at_most(size, cast(string(TOO_SMALL), "DECIMAL")), double(0.0)),
        otherwise=plain,
    )
