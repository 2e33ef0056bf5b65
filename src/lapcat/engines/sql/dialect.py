"""What one engine spells in its own way. Another SQL engine is another of these."""

from __future__ import annotations

from typing import Protocol

from sqlglot import exp

from lapcat.engines.sql.words import (
    SQL,
    call,
    case,
    cast,
    double,
    equal,
    named,
    number,
    string,
)
from lapcat.engines.sql.words import minus as minus


class Dialect(Protocol):
    """The spellings that differ between engines."""

    @property
    def name(self) -> str:
        """SQLGlot's name of the dialect."""

    @property
    def wide_integer(self) -> str:
        """A type that holds every sum of 64-bit integers."""

    def full_match(self, x: SQL, pattern: str) -> SQL:
        """Whether the whole text matches a plain regular expression."""

    def part(self, x: SQL, part: str) -> SQL:
        """A part of a date or timestamp as a 64-bit integer."""

    def truncated(self, x: SQL, span: str) -> SQL:
        """Where the year, quarter, month, week, day or hour of a date or timestamp begins, as either of them."""

    def digest(self, text: SQL) -> SQL:
        """What orders texts as the numbers do that their MD5 is, the last byte being the most significant."""

    def uncollated(self, x: SQL) -> SQL:
        """A text that is compared by its bytes, whatever collation its column has."""

    def float_text(self, x: SQL) -> SQL:
        """The 64 bits of a double as a signed integer, in decimal; -0.0 as the 0.0 that it equals."""

    def microseconds(self, x: SQL) -> SQL:
        """A timestamp as microseconds since 1970."""

    def listed(self, parameter: str, kind: str) -> exp.Select:
        """The elements of an array parameter as columns `value` and `place`, counted from 0."""

    def is_listed(self, x: SQL, parameter: str, kind: str) -> SQL:
        """Whether a value that is not NULL is an element of an array parameter."""


class DuckDBDialect:
    """DuckDB's own spellings."""

    name = "duckdb"
    wide_integer = "HUGEINT"

    def full_match(self, x: SQL, pattern: str) -> SQL:
        return call("regexp_full_match", x, string(pattern))

    def part(self, x: SQL, part: str) -> SQL:
        return cast(call("date_part", string(part), x), "BIGINT")

    def truncated(self, x: SQL, span: str) -> SQL:
        return call("date_trunc", string(span), x)

    def digest(self, text: SQL) -> SQL:
        return call("md5_number", text)

    def float_text(self, x: SQL) -> SQL:
        zero = case((equal(x, double(0.0)), double(0.0)), otherwise=x)
        return cast(cast(cast(zero, "BIT"), "BIGINT"), "VARCHAR")

    def uncollated(self, x: SQL) -> SQL:
        return call("decode", call("encode", x))  # casts and concatenations keep the collation

    def microseconds(self, x: SQL) -> SQL:
        return call("epoch_us", x)

    def listed(self, parameter: str, kind: str) -> exp.Select:
        values = cast(exp.Parameter(this=exp.Var(this=parameter)), f"{kind}[]")
        places = minus(call("generate_subscripts", values, number(1)), number(1))
        return exp.select(named(call("unnest", values), "value"), named(places, "place"), copy=False)

    def is_listed(self, x: SQL, parameter: str, kind: str) -> SQL:
        return call("list_contains", cast(exp.Parameter(this=exp.Var(this=parameter)), f"{kind}[]"), x)


DUCKDB = DuckDBDialect()
