"""Where rows are, and how their physical types become the declared ones.

A column whose physical type is the declared one is read as it is, so that the common case costs nothing. What cannot
fit by any value (a list declared as a date) is refused when the table is opened: that depends on the schema alone.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from sqlglot import exp

from lapcat.engines.sql.dialect import Dialect
from lapcat.engines.sql.words import (
    SQL,
    TYPES,
    at_least,
    between,
    call,
    case,
    cast,
    constant,
    equal,
    less,
    minus,
    name,
    number,
    one_of,
    string,
    try_cast,
)
from lapcat.plan.expressions import DATE_TEXT, FALSE_TEXT, FLOAT_TEXT, INTEGER_TEXT, TIMESTAMP_TEXT, TRUE_TEXT
from lapcat.plan.schema import Type

if TYPE_CHECKING:
    from lapcat.engines.sql.weights import Ready

UNIT, RANK, ROWS = "_lapcat_unit", "_lapcat_rank", "_lapcat_rows"
"""The contribution index of a snapshot: whose row it is, its rank among theirs, and how many rows they have."""


@dataclass(frozen=True, slots=True)
class Relation:
    """What to write after FROM, and what its columns hold."""

    source: SQL
    physical: Mapping[str, str]
    """Names and types of the columns as they are stored."""
    typed: bool = False
    """A snapshot: the columns are of their declared types already, without NaN."""
    ranked: bool = False
    """A snapshot with a contribution index."""
    ready: Ready | None = None
    """Which integers stand beside the index that are weighed already."""


def parquet_file(path: str) -> SQL:
    # A folder called year=2020 names no column here: only what the file itself says is declared.
    return exp.Table(this=call("read_parquet", string(path), _option("hive_partitioning", exp.false())))


def csv_file(path: str, names: Sequence[str], delimiter: str) -> SQL:
    """All cells as text. Nothing is guessed from values; an empty cell is NULL, an empty pair of quotes is empty text."""
    columns = exp.Struct(
        expressions=[exp.PropertyEQ(this=string(n), expression=string("VARCHAR")) for n in names]
    )
    options = {
        "auto_detect": exp.false(),
        "header": exp.true(),
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


def memory_table(table: str) -> SQL:
    return exp.Table(this=name(table))


def _option(option: str, value: SQL) -> SQL:
    return exp.EQ(this=exp.Var(this=option), expression=value)


# ------------------------------------------------------------------------------------------------ physical → declared

WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
WIDE = ("UBIGINT", "HUGEINT", "UHUGEINT")
MOMENTS = ("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE")
COLLATED = "VARCHAR COLLATE"
"""Text of a table whose columns may have a collation: 'Bob' and 'bob' must not be one unit here and two there."""
TEXTS = ("VARCHAR", "ENUM", "UUID", "JSON", COLLATED)

FIRST_DAY, LAST_DAY = datetime.date(1, 1, 1), datetime.date(9999, 12, 31)
FIRST_MOMENT, LAST_MOMENT = datetime.datetime.min, datetime.datetime.max


def declared_type(physical: str) -> Type | None:
    """The type that a column of a physical type is declared as unless the steward says otherwise."""
    match _family(physical):
        case "whole" | "wide":
            return Type.INTEGER
        case "float" | "decimal":
            return Type.FLOAT
        case "text":
            return Type.TEXT
        case "boolean":
            return Type.BOOLEAN
        case "date":
            return Type.DATE
        case "moment":
            return Type.TIMESTAMP
    return None


def unit_type(physical: str) -> Type | None:
    """The type of a unit column that is not declared: one that keeps different units different."""
    return Type.TEXT if _family(physical) in ("wide", "decimal") else declared_type(physical)


def can_hold(physical: str, kind: Type, dialect: Dialect) -> bool:
    """Whether some value of the physical type fits the declared one."""
    return read(exp.column("x"), physical, kind, dialect) is not None


def read(x: SQL, physical: str, kind: Type, dialect: Dialect) -> SQL | None:
    """A stored column as its declared type, NULL where a value does not fit. None where no value of the physical type fits."""
    family = _family(physical)
    if family == "float":
        # A Parquet file's least and greatest leave NaN out, and DuckDB takes them for bounds: ISNAN, and every comparison
        # that NaN should fail or pass, is then decided by what else the row group holds, that is by other people's rows.
        # ISFINITE and ISINF are asked of each row.
        x = case((call("isfinite", x), x), (call("isinf", x), x))
    if physical == COLLATED:
        return from_text(dialect.uncollated(x), kind, dialect)
    if family == "text":
        return from_text(x if physical == "VARCHAR" else cast(x, "VARCHAR"), kind, dialect)
    if family == "null":  # a column of a data frame without a single value
        return cast(exp.Null(), TYPES[kind])
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
            return _within_years(x) if family == "date" else _on(_moment(x, physical, family), cast_to="DATE")
        case Type.TIMESTAMP:
            return cast(_within_years(x), "TIMESTAMP") if family == "date" else _moment(x, physical, family)
        case _:
            assert_never(kind)


def _family(physical: str) -> str:
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
    return {"BOOLEAN": "boolean", "DATE": "date", '"NULL"': "null"}.get(physical, "other")


def _read_integer(x: SQL, physical: str, family: str) -> SQL | None:
    match family:
        case "whole" | "boolean":
            return x if physical == "BIGINT" else cast(x, "BIGINT")
        case "wide":
            return try_cast(x, "BIGINT")
        case "float" | "decimal":
            return case((equal(x, call("floor", x)), try_cast(x, "BIGINT")))
    return None


def _read_float(x: SQL, physical: str, family: str) -> SQL | None:
    match family:
        case "float":
            return x if physical == "DOUBLE" else cast(x, "DOUBLE")
        case "whole":
            return cast(x, "DOUBLE")
        case "boolean":
            return cast(cast(x, "BIGINT"), "DOUBLE")
        case "decimal":
            digits = int(re.findall(r"\d+", physical)[0])
            # Up to 15 digits are exact in a double, and so is the power of ten: one rounding. Beyond, the text is exact.
            return cast(x, "DOUBLE") if digits <= 15 else try_cast(cast(x, "VARCHAR"), "DOUBLE")
        case "wide":
            return try_cast(cast(x, "VARCHAR"), "DOUBLE")
    return None


def _moment(x: SQL, physical: str, family: str) -> SQL | None:
    """Any timestamp as microseconds without zone, the time of UTC, in years 1..9999."""
    if family != "moment":
        return None
    if physical == "TIMESTAMP WITH TIME ZONE":
        x = exp.AtTimeZone(this=x, zone=string("UTC"))
    elif physical == "TIMESTAMP_NS":  # a plain cast would round to nearest, into the next day even
        nanoseconds = call("epoch_ns", x)
        odd = less(exp.Mod(this=nanoseconds, expression=number(1000)), number(0))
        down = exp.IntDiv(this=nanoseconds, expression=number(1000))
        x = call("make_timestamp", minus(down, case((odd, number(1)), otherwise=number(0))))
    elif physical != "TIMESTAMP":
        x = try_cast(x, "TIMESTAMP")
    return case((between(x, constant(FIRST_MOMENT), constant(LAST_MOMENT)), x))


def _within_years(x: SQL) -> SQL:
    return case((between(x, constant(FIRST_DAY), constant(LAST_DAY)), x))


def _on(x: SQL | None, cast_to: str) -> SQL | None:
    return None if x is None else cast(x, cast_to)


def from_text(x: SQL, kind: Type, dialect: Dialect) -> SQL:
    """A text as another type: the strict forms of plan/expressions.py alone, NULL for all else."""
    stripped = call("trim", x, string(" "))
    match kind:
        case Type.TEXT:
            return x
        case Type.INTEGER:
            whole = call("split_part", stripped, string("."), number(1))
            return case((dialect.full_match(stripped, INTEGER_TEXT), try_cast(whole, TYPES[kind])))
        case Type.FLOAT:
            return case((dialect.full_match(stripped, FLOAT_TEXT), try_cast(stripped, TYPES[kind])))
        case Type.BOOLEAN:
            word = call("lower", stripped)
            return case(
                (one_of(word, map(string, TRUE_TEXT)), exp.true()),
                (one_of(word, map(string, FALSE_TEXT)), exp.false()),
            )
        case Type.DATE | Type.TIMESTAMP:
            pattern = DATE_TEXT if kind is Type.DATE else TIMESTAMP_TEXT
            after_year_0 = at_least(stripped, string("0001"))
            right = exp.And(this=dialect.full_match(stripped, pattern), expression=after_year_0)
            return case((right, try_cast(stripped, TYPES[kind])))
        case _:
            assert_never(kind)
