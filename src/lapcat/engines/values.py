"""Typed values: the conversion of a raw cell to its declared type, and canonical texts.

Every engine implements the same two functions. `coerce` is total: a value that does not fit is NULL (None), and so is NaN.
"""

from __future__ import annotations

import datetime
import math
import re
import struct
import uuid
from collections.abc import Mapping
from decimal import Decimal
from typing import assert_never

import numpy as np

from lapcat.errors import Bug
from lapcat.plan.expressions import (
    DATE_TEXT,
    FALSE_TEXT,
    FLOAT_TEXT,
    INTEGER_TEXT,
    TIMESTAMP_TEXT,
    TRUE_TEXT,
    Arithmetic,
    Literal,
    range_of,
)
from lapcat.plan.nodes import GroupKey
from lapcat.plan.schema import Type, Value

MIN_INTEGER, MAX_INTEGER = -(2**63), 2**63 - 1
"""The range of an INTEGER."""
LONGEST_INTEGER = 14_000
"""Maximum bits of an integer that is converted to text: Python converts at most 4300 digits."""
SATURATION = 2**62
"""The sum of a cell saturates here: far above real sums, and two such numbers still add within 64 bits."""


def coerce(value: object, kind: Type) -> Value | None:
    """A raw cell as its declared type, or None if it does not fit.

    >>> coerce("12.0", Type.INTEGER), coerce(3.7, Type.INTEGER), coerce(float("nan"), Type.FLOAT)
    (12, None, None)
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, Decimal) and value.is_nan():
        return None
    if isinstance(value, datetime.date) and value != value:  # NaT
        return None
    match kind:
        case Type.INTEGER:
            return _integer(value)
        case Type.FLOAT:
            return _float(value)
        case Type.TEXT:
            return _text(value)
        case Type.BOOLEAN:
            return _boolean(value)
        case Type.DATE:
            moment = _moment(value, DATE_TEXT)
            return None if moment is None else moment.date()
        case Type.TIMESTAMP:
            return _moment(value, TIMESTAMP_TEXT)
        case _:
            assert_never(kind)


def _integer(value: object) -> int | None:
    match value:
        case int():  # also True and False, if the steward declared them as numbers
            whole = int(value)
        case float() | Decimal():
            if not math.isfinite(value) or value != math.floor(value):
                return None
            whole = math.floor(value)
        case str():
            stripped = value.strip(" ")
            if not re.fullmatch(INTEGER_TEXT, stripped):
                return None
            whole = int(stripped.partition(".")[0])
        case _:
            return None
    return whole if MIN_INTEGER <= whole <= MAX_INTEGER else None


def _float(value: object) -> float | None:
    match value:
        case int() | float() | Decimal():
            try:
                return float(value)
            except OverflowError:
                return None
        case str():
            stripped = value.strip(" ")
            return float(stripped) if re.fullmatch(FLOAT_TEXT, stripped) else None
    return None


def _text(value: object) -> str | None:
    match value:
        case str():
            try:
                value.encode("utf-8")
            except UnicodeEncodeError:  # a lone surrogate, which no engine can hold
                return None
            return str(value)
        case bool():
            return "true" if value else "false"
        case int() if value.bit_length() > LONGEST_INTEGER:
            return None
        case int() | uuid.UUID():
            return str(value)
        case Decimal():
            return format(value, "f") if value.is_finite() else None
        case datetime.datetime():
            return None
        case datetime.date():
            return value.isoformat()
    return None


def _boolean(value: object) -> bool | None:
    match value:
        case bool() | int() | float() | Decimal():
            return None if value not in (0, 1) else bool(value)
        case str():
            word = value.strip(" ").lower()
            return True if word in TRUE_TEXT else False if word in FALSE_TEXT else None
    return None


def _moment(value: object, pattern: str) -> datetime.datetime | None:
    """A date or timestamp as a timestamp without zone, converted to UTC if it has one."""
    match value:
        case datetime.datetime():
            plain = datetime.datetime(*value.timetuple()[:6], value.microsecond, value.tzinfo)
            if plain.tzinfo is not None:
                try:
                    plain = plain.astimezone(datetime.UTC).replace(tzinfo=None)
                except OverflowError:  # outside years 1 to 9999 in UTC
                    return None
            return plain
        case datetime.date():
            return datetime.datetime(value.year, value.month, value.day)
        case str():
            stripped = value.strip(" ")
            if not re.fullmatch(pattern, stripped):
                return None
            try:
                return datetime.datetime.fromisoformat(_six_decimals(stripped))
            except ValueError:  # no such day
                return None
    return None


def _six_decimals(text: str) -> str:
    whole, point, decimals = text.partition(".")
    return f"{whole}.{decimals:0<6}" if point else whole


# ------------------------------------------------------------------------------------------------ constants of a plan


def literal_value(literal: Literal) -> Value:
    """The constant, converted to its type."""
    value = coerce(literal.value, literal.type)
    if value is None:
        raise Bug("literal-type", f"a constant of a question does not fit its type {literal.type}")
    return value


def key_positions(key: GroupKey) -> Mapping[Value, int]:
    """Maps each listed value of a group key, in the key's type, to its position."""
    places: dict[Value, int] = {}
    for place, value in enumerate(_listed(key)):
        typed = coerce(value, key.type)
        if typed is not None:
            places.setdefault(typed, place)
    return places


def _listed(key: GroupKey) -> tuple[Value, ...] | range:
    """The listed values of a key. Private keys have none."""
    if key.values is None:
        raise Bug("key-private", "the values of a private key have no positions")
    return key.values


def listed_values(key: GroupKey) -> list[Value | None]:
    """The listed values of a key by position; None where nothing can match (a duplicate, another type)."""
    values: list[Value | None] = [None] * len(_listed(key))
    for value, place in key_positions(key).items():
        values[place] = value
    return values


def require_proof(expression: Arithmetic) -> None:
    """Rejects integer arithmetic that is not proved to fit into 63 bits; the front end produces none."""
    if expression.type is Type.INTEGER and (expression.op == "/" or not range_of(expression).fits_integer):
        raise Bug(
            "integer-unproved", f"an integer {expression.op} of a question is not proved to fit into 63 bits"
        )


# ------------------------------------------------------------------------------------------------ canonical text


def canonical_text(row: Mapping[str, object], columns: Mapping[str, Type]) -> str:
    """An injective text of a row, the same on every engine.

    The columns are ordered by name and joined by ';'. Only NULL is empty. Integers are decimal; floats are their 64 bits as a
    decimal integer; dates are ISO; timestamps are microseconds since 1970; booleans are t or f; a text is preceded by its
    length, so that its content cannot be mistaken for a separator.

    >>> canonical_text({"b": "x;y", "a": 1.5, "c": None}, {"a": Type.FLOAT, "b": Type.TEXT, "c": Type.TEXT})
    '4609434218613702656;3:x;y;'
    """
    return ";".join(_canonical(coerce(row[name], columns[name])) for name in sorted(columns))


def secret(key: bytes) -> str:
    """The prefix of a row's canonical text when it is hashed: 128 bits of the key, so that it rarely needs another block of
    the hash."""
    return key[:16].hex()


_EPOCH = datetime.datetime(1970, 1, 1)


def _canonical(value: Value | None) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "t" if value else "f"
        case int():
            return str(value)
        case float():
            (bits,) = struct.unpack(
                ">q", struct.pack(">d", value + 0.0)
            )  # -0.0 + 0.0 is 0.0, which it equals
            return str(bits)
        case str():
            return f"{len(value)}:{value}"
        case datetime.datetime():
            return str((value - _EPOCH) // datetime.timedelta(microseconds=1))
        case datetime.date():
            return value.isoformat()
        case _:
            assert_never(value)
