"""The Spark dialect: its physical types, functions and key lists.

It assumes a session with pinned settings (engines/spark/session.py): without ANSI mode no value of a row makes an expression
fail, the time zone is UTC, and `${…}` in a text is not substituted. NaN equals NaN and sorts above infinity, as in DuckDB;
casts of doubles truncate and saturate at 64 bits, so each is guarded by a range test.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from sqlglot import exp

from lapcat.engines.base.dialect import EPOCH, EPOCH_JULIAN, Dialect, Family, in_63_bits, within_moments
from lapcat.engines.base.words import (
    SQL,
    between,
    binary,
    call,
    case,
    cast,
    column,
    double,
    equal,
    filtered,
    integer,
    is_null,
    joined,
    less,
    minus,
    named,
    negated,
    number,
    plus,
    string,
    times,
)
from lapcat.plan.expressions import MoveUnit, Sides
from lapcat.plan.like import regular, wildcards
from lapcat.plan.schema import SQL_TYPES, Type

NAMES = {**SQL_TYPES, Type.TEXT: "STRING", Type.TIMESTAMP: "TIMESTAMP_NTZ"}
"""The type names used to read key lists."""
DIGITS = 22
"""Bits per limb of a sum: 2^41 limbs add up within 63 bits."""


class SparkDialect(Dialect):
    """SQL for Spark."""

    name = "spark"
    wide_integer = "DECIMAL(38, 0)"
    physical: ClassVar[Mapping[Type, str]] = {kind: NAMES[kind].lower() for kind in Type}
    families: ClassVar[Mapping[str, Family]] = {
        **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), "whole"),
        "float": "float",
        "double": "float",
        "timestamp": "moment",
        "timestamp_ntz": "moment",
        "boolean": "boolean",
        "date": "date",
        "void": "null",
    }
    prefixes: ClassVar[Mapping[str, Family]] = {
        "decimal": "decimal",
        "string": "text",
        "varchar": "text",
        "char": "text",
    }

    def printed(self, statement: exp.Expression) -> str:
        whole = statement.copy()
        for kind in whole.find_all(exp.DataType):
            if kind.this is exp.DataType.Type.TIMESTAMP:  # Spark would read it as one with a time zone
                kind.set("this", exp.DataType.Type.TIMESTAMPNTZ)
        for ordered in whole.find_all(exp.Ordered):
            ordered.set("nulls_first", False)
        return whole.sql(self.name, copy=False)

    def stored_by(self, rows: exp.Select, by: SQL) -> exp.Select:
        """Sorted within each file: a global sort would shuffle all rows again and prune no more."""
        return rows.sort_by(by, copy=False)

    # -------------------------------------------------------------------------------------------- stored columns

    def read_text(self, x: SQL, physical: str) -> SQL:
        plain = super().read_text(x, physical)
        return call("collate", plain, string("UTF8_BINARY")) if "collate" in physical else plain

    def without_nan(self, x: SQL) -> SQL:
        return case((negated(call("isnan", x)), x))

    def read_integer(self, x: SQL, physical: str, family: Family) -> SQL | None:
        if family != "float":
            return super().read_integer(x, physical, family)
        x = cast(x, "DOUBLE")
        fits = joined(exp.And, [equal(x, call("rint", x)), in_63_bits(x)])
        return case((fits, cast(x, "BIGINT")))

    def read_moment(self, x: SQL, physical: str) -> SQL:
        return within_moments(cast(x, "TIMESTAMP"))

    def matches(self, x: SQL, pattern: str) -> SQL:
        return call("regexp_like", x, string(rf"\A(?:{pattern})\z"))

    # -------------------------------------------------------------------------------------------- values

    def like(self, x: SQL, pattern: str, escape: str) -> SQL:
        if wildcards(pattern, escape) > 1 and "%" in pattern.strip("%"):
            return self.matches(x, regular(pattern, escape))  # Spark's LIKE backtracks exponentially
        # the backslash is Spark's own escape character
        return binary(exp.Like, x, string(pattern if escape else pattern.replace("\\", "\\\\")))

    def trimmed(self, x: SQL, characters: str = " ", sides: Sides = "both") -> SQL:
        if sides == "both":
            return super().trimmed(x, characters, sides)
        return call(self.trims[sides], string(characters), x)

    def position(self, x: SQL, search: SQL) -> SQL:
        return call("instr", x, search)

    def nearest(self, x: SQL) -> SQL:
        return case((in_63_bits(x), cast(call("rint", x), "BIGINT")))

    def floor(self, x: SQL) -> SQL:
        """Spark's FLOOR returns a 64-bit integer, which a double's floor may not fit."""
        near = call("rint", x)
        return case((less(x, near), minus(near, double(1.0))), otherwise=near)

    def cut(self, x: SQL) -> SQL:
        return cast(x, "BIGINT")

    def divided(self, x: SQL, y: SQL) -> SQL:
        return call("div", x, y)

    def shifted(self, x: SQL, places: int) -> SQL:
        return call("shiftright", x, number(min(places, 63)))

    def part(self, x: SQL, part: str) -> SQL:
        if part == "dow":
            return cast(minus(call("dayofweek", x), number(1)), "BIGINT")
        if part == "julian":
            return cast(plus(call("datediff", x, EPOCH), number(EPOCH_JULIAN)), "BIGINT")
        if part in ("second", "week", "isoyear"):
            name = {"second": "second", "week": "weekofyear", "isoyear": "yearofweek"}[part]
            return cast(call(name, x) if part != "isoyear" else call("date_part", string(name), x), "BIGINT")
        if part == "isodow":
            return cast(plus(call("weekday", x), number(1)), "BIGINT")
        return cast(call("date_part", string(part), x), "BIGINT")

    def moved(self, x: SQL, count: int, unit: MoveUnit) -> SQL:
        """MAKE_YM_INTERVAL has years and months, MAKE_DT_INTERVAL days, hours, minutes and seconds."""
        function, place = {
            "month": ("make_ym_interval", 1),
            "day": ("make_dt_interval", 0),
            "second": ("make_dt_interval", 3),
        }[unit]
        return plus(x, call(function, *(number(count if n == place else 0) for n in range(place + 1))))

    # -------------------------------------------------------------------------------------------- aggregates

    def total(self, x: SQL, reach: int | None, where: SQL | None = None) -> SQL:
        """Sums limbs of 22 bits as 64-bit integers: a sum of decimals costs several times as much."""
        if reach is None:
            return filtered(call("sum", cast(x, self.wide_integer)), where)
        pieces: list[SQL] = []
        mask = number(2**DIGITS - 1)
        while reach >> (DIGITS * len(pieces)) >= 2**DIGITS:
            down = self.shifted(x, DIGITS * len(pieces)) if pieces else x
            pieces.append(binary(exp.BitwiseAnd, down, mask))
        pieces.append(self.shifted(x, DIGITS * len(pieces)) if pieces else x)
        sums = [filtered(call("sum", piece), where) for piece in pieces]
        total: SQL = cast(sums[0], self.wide_integer)
        for position, sum_ in enumerate(sums[1:], start=1):
            power = cast(number(2 ** (DIGITS * position)), self.wide_integer)
            total = plus(total, times(cast(sum_, self.wide_integer), power))
        return total if len(sums) > 1 else sums[0]

    # -------------------------------------------------------------------------------------------- canonical texts

    def concatenated(self, parts: Sequence[SQL]) -> SQL:
        return call("concat_ws", string(""), *parts)

    def counted_text(self, x: SQL) -> SQL:
        return call("concat", cast(call("length", x), "VARCHAR"), string(":"), x)

    def digest(self, text: SQL) -> SQL:
        return call("reverse", call("unhex", call("md5", text)))

    def float_text(self, x: SQL) -> SQL:
        """The bits of a double, for which Spark has no function: by arithmetic or, where that could leave the range of doubles,
        from its hexadecimal text, which takes ten times as long."""
        size = call("abs", x)
        usual = between(size, double(2.0**-900), double(2.0**900))
        bits = case((usual, _bits_by_arithmetic(size)), otherwise=_bits_by_form(size))
        signed = case((less(x, double(0.0)), plus(bits, integer(-(2**63)))), otherwise=bits)
        return case((negated(is_null(x)), cast(signed, "VARCHAR")))

    def microseconds(self, x: SQL) -> SQL:
        return call("unix_micros", cast(x, "TIMESTAMPTZ"))

    # -------------------------------------------------------------------------------------------- lists

    def listed(self, parameter: str, kind: Type) -> exp.Select:
        rows = call("inline", _json(parameter, "ARRAY<STRUCT<place: BIGINT, value: STRING>>"))
        pairs = exp.Subquery(
            this=exp.select(rows, copy=False), alias=exp.TableAlias(this=exp.to_identifier("l"))
        )
        value = named(cast(column("value"), SQL_TYPES[kind]), "value")
        return exp.select(value, column("place"), copy=False).from_(pairs, copy=False)

    def is_listed(self, x: SQL, parameter: str, kind: Type) -> SQL:
        values = exp.Cast(
            this=_json(parameter, "ARRAY<STRING>"),
            to=exp.DataType.build(f"ARRAY<{NAMES[kind]}>", dialect="spark"),
        )
        return call("array_contains", values, x)


def _bits_by_arithmetic(size: SQL) -> SQL:
    """The bits of a double far from both ends of the range.

    Theorem: let e be the whole part of its binary logarithm, which may be 1 off, and y = size · 2^(52 − e). Then y is exact,
             and with e corrected such that 2^52 ≤ y < 2^53 the bits are (e + 1022) · 2^52 + y.
    Proof:   Java's pow is exact where arguments and result are whole powers, and times a power of two is exact within the
             range. The mantissa without its first bit is y − 2^52, the exponent is stored as e + 1023.
    """
    power = call("floor", call("log2", size))
    scaled = times(size, call("pow", double(2.0), minus(double(52.0), cast(power, "DOUBLE"))))
    hidden_bit = integer(2**52)

    def bits(off: int, mantissa: SQL) -> SQL:
        stored = plus(cast(power, "BIGINT"), integer(1022 + off))
        return plus(times(stored, hidden_bit), cast(mantissa, "BIGINT"))

    return case(
        (less(scaled, double(2.0**52)), bits(-1, times(scaled, double(2.0)))),
        (less(scaled, double(2.0**53)), bits(0, scaled)),
        otherwise=bits(1, times(scaled, double(0.5))),
    )


def _bits_by_form(size: SQL) -> SQL:
    """The bits from the text 0x1.8p-3: a digit before the point, 13 of the mantissa, and the exponent."""
    shown = call("format_string", string("%a"), size)
    digits = call("split_part", call("substring", shown, number(5)), string("p"), number(1))
    mantissa = cast(
        call("conv", call("rpad", digits, number(13), string("0")), number(16), number(10)), "BIGINT"
    )
    power = times(
        plus(cast(call("split_part", shown, string("p"), number(2)), "BIGINT"), integer(1023)),
        integer(2**52),
    )
    normal = equal(call("substring", shown, number(3), number(1)), string("1"))
    return case(
        (equal(size, double(float("inf"))), integer(2047 * 2**52)),
        (normal, plus(power, mantissa)),
        otherwise=mantissa,
    )


SPARK = SparkDialect()


def _json(parameter: str, shape: str) -> SQL:
    """A parameter as one JSON text for any number of keys: Spark's array parameters take one literal per element."""
    return call("from_json", exp.Placeholder(this=parameter), string(shape))


# ------------------------------------------------------------------------------------------------ after FROM


def view(name: str) -> SQL:
    """A temporary view of the session, the only kind of table in a statement."""
    return exp.Table(this=exp.to_identifier(name, quoted=True))
