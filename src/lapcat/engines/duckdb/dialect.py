"""The DuckDB dialect: its files and tables, physical types and functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Literal

from sqlglot import exp

from lapcat.engines.base.dialect import (
    EPOCH,
    EPOCH_JULIAN,
    FIRST_MOMENT,
    LAST_MOMENT,
    Dialect,
    Family,
    digits,
    within_moments,
)
from lapcat.engines.base.relation import SourceRelation, read_column
from lapcat.engines.base.words import (
    SQL,
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
    less,
    minus,
    name,
    named,
    number,
    plus,
    select,
    string,
    translated,
    try_cast,
    wrapped,
)
from lapcat.plan.expressions import Casing, MoveUnit, Sides
from lapcat.plan.schema import SQL_TYPES, Type

WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
WIDE = ("UBIGINT", "HUGEINT", "UHUGEINT")
MOMENTS = ("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE")
COLLATED = "VARCHAR COLLATE"
"""Text that may have a collation."""
TEXTS = ("VARCHAR", "ENUM", "UUID", "JSON", COLLATED)


class DuckDBDialect(Dialect):
    """SQL for DuckDB. TRY_CAST returns NULL for values that do not fit, and doubles follow IEEE 754, so no tests are needed."""

    name = "duckdb"
    wide_integer = "HUGEINT"
    index_integer = "UINTEGER"
    families: ClassVar[Mapping[str, Family]] = {
        **dict.fromkeys(WHOLE, "whole"),
        **dict.fromkeys(WIDE, "wide"),
        **dict.fromkeys(TEXTS, "text"),
        **dict.fromkeys(MOMENTS, "moment"),
        "FLOAT": "float",
        "DOUBLE": "float",
        "BOOLEAN": "boolean",
        "DATE": "date",
        '"NULL"': "null",
    }
    prefixes: ClassVar[Mapping[str, Family]] = {"DECIMAL": "decimal"}
    trims: ClassVar[Mapping[Sides, str]] = {"both": "trim", "leading": "ltrim", "trailing": "rtrim"}
    hashes_right = True
    materialized = False
    repeats = False

    # -------------------------------------------------------------------------------------------- stored columns

    def read_text(self, x: SQL, physical: str) -> SQL:
        if physical == COLLATED:  # casts and concatenations keep the collation
            return call("decode", call("encode", x))
        return super().read_text(x, physical)

    def without_nan(self, x: SQL) -> SQL:
        """Parquet min/max statistics leave NaN out, and DuckDB trusts them: ISNAN, and any comparison with NaN, may then be decided
        by the other values of the row group, that is by other people's rows. ISFINITE and ISINF are evaluated on each row."""
        return case((call("isfinite", x), x), (call("isinf", x), x))

    def read_integer(self, x: SQL, physical: str, family: Family) -> SQL | None:
        if family != "decimal" or digits(physical) <= 18:
            return super().read_integer(x, physical, family)
        text = cast(x, "VARCHAR")  # FLOOR, or a rounding cast, may overflow the type and raise
        whole = call("split_part", text, string("."), number(1))
        return case(
            (self.matches(text, r"-?[0-9]+(\.0*)?"), try_cast(whole, "BIGINT")),
            (self.matches(text, r"-?\.0+"), cast(number(0), "BIGINT")),
        )

    def read_moment(self, x: SQL, physical: str) -> SQL:
        if physical == "TIMESTAMP WITH TIME ZONE":  # converting an out-of-range timestamp raises
            ends = (cast(constant(end), "TIMESTAMPTZ") for end in (FIRST_MOMENT, LAST_MOMENT))
            return case((between(x, *ends), exp.AtTimeZone(this=wrapped(x.copy()), zone=string("UTC"))))
        if physical == "TIMESTAMP_NS":  # a plain cast would round to nearest, possibly into the next day
            nanoseconds = call("epoch_ns", x)
            odd = less(binary(exp.Mod, nanoseconds, number(1000)), number(0))
            down = binary(exp.IntDiv, nanoseconds, number(1000))
            x = call("make_timestamp", minus(down, case((odd, number(1)), otherwise=number(0))))
        elif physical != "TIMESTAMP":
            x = try_cast(x, "TIMESTAMP")
        return within_moments(x)

    def matches(self, x: SQL, pattern: str) -> SQL:
        return call("regexp_full_match", x, string(pattern))

    # -------------------------------------------------------------------------------------------- values

    def cased(self, x: SQL, how: Casing) -> SQL:
        only_ascii = equal(
            call("strlen", x), call("length", x)
        )  # as many bytes as characters; TRANSLATE takes 30 times as long
        return case((only_ascii, call(how, x)), otherwise=translated(x, how))

    def whole(self, x: SQL) -> SQL:
        return try_cast(x, "BIGINT")

    def nearest(self, x: SQL) -> SQL:
        return try_cast(x, "BIGINT")  # TRY_CAST rounds ties to even, and NaN is out of range

    def rounded(self, how: Literal["floor", "ceil", "round"], x: SQL) -> SQL:
        return try_cast(call(how, x), "BIGINT")

    def cut(self, x: SQL) -> SQL:
        return try_cast(call("trunc", x), "BIGINT")

    def divided(self, x: SQL, y: SQL) -> SQL:
        return binary(exp.IntDiv, x, y)

    def part(self, x: SQL, part: str) -> SQL:
        if part == "julian":
            return plus(call("date_diff", string("day"), EPOCH, x), integer(EPOCH_JULIAN))
        return cast(call("date_part", string(part), x), "BIGINT")

    def moved(self, x: SQL, count: int, unit: MoveUnit) -> SQL:
        return plus(
            x, call(f"to_{unit}s", integer(count) if unit == "second" else cast(number(count), "INTEGER"))
        )

    # -------------------------------------------------------------------------------------------- canonical texts

    def digest(self, text: SQL) -> SQL:
        return call("md5_number", text)

    def float_text(self, x: SQL) -> SQL:
        zero = case((equal(x, double(0.0)), double(0.0)), otherwise=x)
        return cast(cast(cast(zero, "BIT"), "BIGINT"), "VARCHAR")

    def microseconds(self, x: SQL) -> SQL:
        return call("epoch_us", x)

    # -------------------------------------------------------------------------------------------- lists

    def listed(self, parameter: str, kind: Type) -> exp.Select:
        values = _array(parameter, kind)
        places = minus(call("generate_subscripts", values, number(1)), number(1))
        return exp.select(named(call("unnest", values), "value"), named(places, "place"), copy=False)

    def is_listed(self, x: SQL, parameter: str, kind: Type) -> SQL:
        return call("list_contains", _array(parameter, kind), x)


DUCKDB = DuckDBDialect()


def _array(parameter: str, kind: Type) -> SQL:
    return cast(exp.Parameter(this=exp.Var(this=parameter)), f"{SQL_TYPES[kind]}[]")


# ------------------------------------------------------------------------------------------------ after FROM


def describe_statement(source: SQL) -> str:
    """A statement for the column names and types of a FROM clause; reads no row."""
    return "DESCRIBE " + DUCKDB.printed(select(exp.Star(), source=source))


def parquet_file(path: str) -> SQL:
    # A folder called year=2020 adds no column: only columns of the file are declared.
    return exp.Table(this=call("read_parquet", string(path), _option("hive_partitioning", exp.false())))


def csv_file(path: str, names: Sequence[str], delimiter: str, header: bool = True) -> SQL:
    """All cells as text. Nothing is inferred from values; an empty cell is NULL, a quoted empty cell is the empty text."""
    columns = exp.Struct(
        expressions=[exp.PropertyEQ(this=string(n), expression=string("VARCHAR")) for n in names]
    )
    options = {
        "auto_detect": exp.false(),
        "header": exp.true() if header else exp.false(),
        "delim": string(delimiter),
        "quote": string('"'),
        "escape": string('"'),
        "columns": columns,
        "nullstr": string(""),
        "allow_quoted_nulls": exp.false(),
        "strict_mode": exp.true(),
    }
    return exp.Table(
        this=call("read_csv", string(path), *(_option(o, value) for o, value in options.items()))
    )


def attached_table(database: str, schema: str, table: str) -> SQL:
    return exp.Table(this=name(table), db=name(schema), catalog=name(database))


def short_texts(relation: SourceRelation, columns: Mapping[str, Type], max_length: int) -> SourceRelation:
    """The rows of a source; a statement over them fails if a text has more than `max_length` characters.

    Replacing long texts by NULL would make the column nullable, and Parquet would then mark each value as present: grouping
    by it takes half as long again. Here columns stay unchanged. Text files are not known in advance, so their texts are
    replaced.
    """
    texts = [n for n, kind in columns.items() if kind is Type.TEXT]
    if relation.read_cell is not None or not texts:
        return replace(relation, max_length=max_length)
    read = [read_column(relation, column(n), n, Type.TEXT, DUCKDB) for n in texts]
    fail = call("error", string("a text is too long"))
    tests = [
        case((less(integer(max_length), call("length", x)), fail), otherwise=exp.true())
        for x in read
        if x is not None
    ]
    rows = select(exp.Star(), source=relation.source, where=tests)
    return replace(relation, source=exp.Subquery(this=rows, alias=exp.TableAlias(this=name("short"))))


def memory_table(table: str) -> SQL:
    return exp.Table(this=name(table))


def _option(option: str, value: SQL) -> SQL:
    return exp.EQ(this=exp.Var(this=option), expression=value)
