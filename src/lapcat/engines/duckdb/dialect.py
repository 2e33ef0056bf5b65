"""The DuckDB dialect: its files and tables, physical types and functions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, assert_never

from sqlglot import exp

from lapcat.engines.base.dialect import Dialect, Family, FloatOperator
from lapcat.engines.base.relation import (
    EPOCH,
    EPOCH_JULIAN,
    FIRST_DAY,
    FIRST_MOMENT,
    LAST_DAY,
    LAST_MOMENT,
    SourceRelation,
    read_column,
)
from lapcat.engines.base.words import (
    FLOAT_OPERATORS,
    SQL,
    at_least,
    between,
    binary,
    call,
    case,
    cast,
    column,
    constant,
    double,
    equal,
    filtered,
    integer,
    less,
    minus,
    name,
    named,
    number,
    one_of,
    plus,
    select,
    string,
    translated,
    try_cast,
    wrapped,
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

WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
WIDE = ("UBIGINT", "HUGEINT", "UHUGEINT")
MOMENTS = ("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE")
COLLATED = "VARCHAR COLLATE"
"""Text that may have a collation, under which 'Bob' and 'bob' could be the same unit."""
TEXTS = ("VARCHAR", "ENUM", "UUID", "JSON", COLLATED)


class DuckDBDialect:
    """SQL for DuckDB. TRY_CAST returns NULL for values that do not fit, and doubles follow IEEE 754, so no tests are needed."""

    name = "duckdb"
    wide_integer = "HUGEINT"
    small_integer = "INTEGER"
    index_integer = "UINTEGER"
    physical = SQL_TYPES
    hashes_right = True
    materialized: bool | None = False
    repeats = False

    def printed(self, statement: exp.Expression) -> str:
        return statement.sql(self.name)

    def named_step(self, step: exp.Select) -> exp.Select:
        return step

    def stored_by(self, rows: exp.Select, by: SQL) -> exp.Select:
        return rows.order_by(by, copy=False)

    # -------------------------------------------------------------------------------------------- stored columns

    def family(self, physical: str) -> Family:
        if physical in WHOLE:
            return "whole"
        if physical in WIDE:
            return "wide"
        if physical in ("FLOAT", "DOUBLE"):
            return "float"
        if physical.startswith("DECIMAL"):
            return "decimal"
        if physical in TEXTS:
            return "text"
        if physical in MOMENTS:
            return "moment"
        others: dict[str, Family] = {"BOOLEAN": "boolean", "DATE": "date", '"NULL"': "null"}
        return others.get(physical, "other")

    def read(self, x: SQL, physical: str, kind: Type) -> SQL | None:
        family = self.family(physical)
        if family == "float":
            # Parquet min/max statistics leave NaN out, and DuckDB trusts them: ISNAN, and any comparison with NaN, may then be
            # decided by the other values of the row group, that is by other people's rows. ISFINITE and ISINF are evaluated
            # on each row.
            x = case((call("isfinite", x), x), (call("isinf", x), x))
        if physical == COLLATED:
            return self.from_text(_uncollated(x), kind)
        if family == "text":
            return self.from_text(x if physical == "VARCHAR" else cast(x, "VARCHAR"), kind)
        if family == "null":  # a data frame column without any value
            return cast(exp.Null(), SQL_TYPES[kind])
        match kind:
            case Type.INTEGER:
                return _read_integer(x, physical, family)
            case Type.FLOAT:
                return _read_float(x, physical, family)
            case Type.TEXT:
                if family in ("whole", "wide", "decimal", "boolean"):
                    return cast(x, "VARCHAR")
                return cast(_within_years(x), "VARCHAR") if family == "date" else None
            case Type.BOOLEAN:
                if family in ("whole", "wide", "float", "decimal"):
                    return case((equal(x, number(1)), exp.true()), (equal(x, number(0)), exp.false()))
                return x if family == "boolean" else None
            case Type.DATE:
                if family == "date":
                    return _within_years(x)
                return _on(_moment(x, physical, family), cast_to="DATE")
            case Type.TIMESTAMP:
                if family == "date":
                    return cast(_within_years(x), "TIMESTAMP")
                return _moment(x, physical, family)
            case _:
                assert_never(kind)

    def from_text(self, x: SQL, kind: Type) -> SQL:
        stripped = self.trimmed(x)
        match kind:
            case Type.TEXT:
                return x
            case Type.INTEGER:
                whole = call("split_part", stripped, string("."), number(1))
                return case((_full_match(stripped, INTEGER_TEXT), try_cast(whole, SQL_TYPES[kind])))
            case Type.FLOAT:
                return case((_full_match(stripped, FLOAT_TEXT), try_cast(stripped, SQL_TYPES[kind])))
            case Type.BOOLEAN:
                word = call("lower", stripped)
                return case(
                    (one_of(word, map(string, TRUE_TEXT)), exp.true()),
                    (one_of(word, map(string, FALSE_TEXT)), exp.false()),
                )
            case Type.DATE | Type.TIMESTAMP:
                pattern = DATE_TEXT if kind is Type.DATE else TIMESTAMP_TEXT
                after_year_0 = at_least(stripped, string("0001"))
                right = binary(exp.And, _full_match(stripped, pattern), after_year_0)
                return case((right, try_cast(stripped, SQL_TYPES[kind])))
            case _:
                assert_never(kind)

    # -------------------------------------------------------------------------------------------- values

    def holds(self, value: Value) -> bool:
        return True

    def text(self, value: str) -> SQL:
        return string(value)

    def shown(self, x: SQL) -> SQL:
        return cast(x, "VARCHAR")

    def flag(self, x: SQL) -> SQL:
        return cast(x, "BIGINT")

    def like(self, x: SQL, pattern: str, escape: str) -> SQL:
        like = binary(exp.Like, x, string(pattern))
        return exp.Escape(this=like, expression=string(escape)) if escape else like

    def trimmed(self, x: SQL, characters: str = " ", sides: Sides = "both") -> SQL:
        function = {"both": "trim", "leading": "ltrim", "trailing": "rtrim"}[sides]
        return call(function, x, string(characters))

    def cased(self, x: SQL, how: Casing) -> SQL:
        only_ascii = equal(
            call("strlen", x), call("length", x)
        )  # as many bytes as characters; TRANSLATE takes 30 times as long
        return case((only_ascii, call(how, x)), otherwise=translated(x, how))

    def position(self, x: SQL, search: SQL) -> SQL:
        return call("strpos", x, search)

    def float_operation(self, operator: FloatOperator, x: SQL, y: SQL) -> SQL:
        return binary(FLOAT_OPERATORS[operator], x, y)

    def whole(self, x: SQL) -> SQL:
        return try_cast(x, "BIGINT")

    def nearest(self, x: SQL) -> SQL:
        return try_cast(x, "BIGINT")  # TRY_CAST rounds ties to even, and NaN is out of range

    def rounded(self, how: Literal["floor", "ceil", "round"], x: SQL) -> SQL:
        return try_cast(call(how, x), "BIGINT")

    def floor(self, x: SQL) -> SQL:
        return call("floor", x)

    def floor_in_range(self, x: SQL) -> SQL:
        return call("floor", x)

    def cut(self, x: SQL) -> SQL:
        return try_cast(call("trunc", x), "BIGINT")

    def divided(self, x: SQL, y: SQL) -> SQL:
        return binary(exp.IntDiv, x, y)

    def shifted(self, x: SQL, places: int) -> SQL:
        return binary(exp.BitwiseRightShift, x, number(min(places, 63)))

    def part(self, x: SQL, part: str) -> SQL:
        if part == "julian":
            return plus(call("date_diff", string("day"), EPOCH, x), integer(EPOCH_JULIAN))
        return cast(call("date_part", string(part), x), "BIGINT")

    def moved(self, x: SQL, count: int, unit: MoveUnit) -> SQL:
        return plus(
            x, call(f"to_{unit}s", integer(count) if unit == "second" else cast(number(count), "INTEGER"))
        )

    def truncated(self, x: SQL, span: str) -> SQL:
        return call("date_trunc", string(span), x)

    # -------------------------------------------------------------------------------------------- aggregates

    def total(self, x: SQL, reach: int | None, where: SQL | None = None) -> SQL:
        return filtered(call("sum", x), where)

    def extreme(self, how: Literal["min", "max"], x: SQL, kind: Type) -> SQL:
        return call(how, x)

    # -------------------------------------------------------------------------------------------- canonical texts

    def concatenated(self, parts: Sequence[SQL]) -> SQL:
        return call("concat", *parts)

    def counted_text(self, x: SQL) -> SQL:
        length = cast(call("length", x), "VARCHAR")
        return binary(exp.DPipe, binary(exp.DPipe, length, string(":")), x)

    def digest(self, text: SQL) -> SQL:
        return call("md5_number", text)

    def digest_order(self, x: SQL) -> Sequence[SQL]:
        return [x]

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


DUCKDB: Dialect = DuckDBDialect()


def _array(parameter: str, kind: Type) -> SQL:
    return cast(exp.Parameter(this=exp.Var(this=parameter)), f"{SQL_TYPES[kind]}[]")


def _full_match(x: SQL, pattern: str) -> SQL:
    return call("regexp_full_match", x, string(pattern))


def _uncollated(x: SQL) -> SQL:
    """A text compared by its bytes, ignoring the column's collation."""
    return call("decode", call("encode", x))  # casts and concatenations keep the collation


def _read_integer(x: SQL, physical: str, family: str) -> SQL | None:
    match family:
        case "whole" | "boolean":
            return x if physical == "BIGINT" else cast(x, "BIGINT")
        case "wide":
            return try_cast(x, "BIGINT")
        case "decimal" if (
            _digits(physical) > 18
        ):  # FLOOR, or a rounding cast, may overflow the type and raise
            text = cast(x, "VARCHAR")
            whole = call("split_part", text, string("."), number(1))
            return case(
                (_full_match(text, r"-?[0-9]+(\.0*)?"), try_cast(whole, "BIGINT")),
                (_full_match(text, r"-?\.0+"), cast(number(0), "BIGINT")),
            )
        case "float" | "decimal":
            return case((equal(x, call("floor", x)), try_cast(x, "BIGINT")))
    return None


def _digits(physical: str) -> int:
    """The number of digits of a DECIMAL(…)."""
    return int(re.findall(r"\d+", physical)[0])


def _read_float(x: SQL, physical: str, family: str) -> SQL | None:
    match family:
        case "float":
            return x if physical == "DOUBLE" else cast(x, "DOUBLE")
        case "whole":
            return cast(x, "DOUBLE")
        case "boolean":
            return cast(cast(x, "BIGINT"), "DOUBLE")
        case "decimal":
            # Up to 15 digits are exact in a double, and so is the power of ten: one rounding. Beyond, the text is exact.
            return cast(x, "DOUBLE") if _digits(physical) <= 15 else try_cast(cast(x, "VARCHAR"), "DOUBLE")
        case "wide":
            return try_cast(cast(x, "VARCHAR"), "DOUBLE")
    return None


def _moment(x: SQL, physical: str, family: str) -> SQL | None:
    """Any timestamp as microseconds without zone, in UTC, in years 1 to 9999."""
    if family != "moment":
        return None
    if physical == "TIMESTAMP WITH TIME ZONE":  # converting an out-of-range timestamp raises
        ends = (cast(constant(end), "TIMESTAMPTZ") for end in (FIRST_MOMENT, LAST_MOMENT))
        return case((between(x, *ends), exp.AtTimeZone(this=wrapped(x.copy()), zone=string("UTC"))))
    elif physical == "TIMESTAMP_NS":  # a plain cast would round to nearest, possibly into the next day
        nanoseconds = call("epoch_ns", x)
        odd = less(binary(exp.Mod, nanoseconds, number(1000)), number(0))
        down = binary(exp.IntDiv, nanoseconds, number(1000))
        x = call("make_timestamp", minus(down, case((odd, number(1)), otherwise=number(0))))
    elif physical != "TIMESTAMP":
        x = try_cast(x, "TIMESTAMP")
    return case((between(x, constant(FIRST_MOMENT), constant(LAST_MOMENT)), x))


def _within_years(x: SQL) -> SQL:
    return case((between(x, constant(FIRST_DAY), constant(LAST_DAY)), x))


def _on(x: SQL | None, cast_to: str) -> SQL | None:
    return None if x is None else cast(x, cast_to)


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
