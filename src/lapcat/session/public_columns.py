"""JSON of the columns that `refresh` read from a public table, and of its rows if they are few: in the ledger, with the version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from fractions import Fraction

from lapcat.core.exact import exact_text
from lapcat.errors import Bug
from lapcat.plan.schema import Bounds, ColumnSpec, Dates, ListedKeys, Type, Value


def to_json(columns: Mapping[str, ColumnSpec]) -> list[dict[str, object]]:
    """A list, because the ledger sorts object keys and columns keep their order."""
    return [_spec_to_json(spec) for spec in columns.values()]


def from_json(written: Sequence[object]) -> dict[str, ColumnSpec]:
    return {spec.name: spec for spec in map(_spec_from_json, written)}


def values_to_json(values: Mapping[str, Sequence[Value | None]]) -> dict[str, object]:
    """The values of each column, in the order of the rows."""
    return {
        name: [value.isoformat() if isinstance(value, date) else value for value in column]
        for name, column in values.items()
    }


def lookup(
    values: Mapping[object, object], columns: Mapping[str, ColumnSpec], unique: str, column: str
) -> dict[Value, Value | None] | None:
    """The value of a column for each value of a unique column; None unless the rows hold all of them."""
    match columns.get(unique), columns.get(column), values.get(unique), values.get(column):
        case ColumnSpec(unique=True, keys=ListedKeys(keys)) as key, ColumnSpec() as of, list(mine), list(
            theirs
        ):
            pairs = {
                _value(k, key.type): _value(v, of.type)
                for k, v in zip(mine, theirs, strict=True)
                if k is not None
            }
            known = {k: v for k, v in pairs.items() if k is not None}
            return known if known.keys() >= set(keys) else None
    return None


def _value(value: object, kind: Type) -> Value | None:
    match kind, value:
        case Type.FLOAT, int() | float():
            return float(value)
        case Type.BOOLEAN, bool():
            return value
        case _, None:
            return None
    return _key(value, kind)


def _spec_to_json(spec: ColumnSpec) -> dict[str, object]:
    fields: dict[str, object] = {"name": spec.name, "type": str(spec.type)}
    match spec.bounds:
        case Bounds(low, high):
            fields |= {"low": exact_text(low), "high": exact_text(high)}
        case Dates(first, last):
            fields |= {"low": first.isoformat(), "high": last.isoformat()}
    match spec.keys:
        case None:
            pass
        case ListedKeys(values, False):
            fields["keys"] = [value.isoformat() if isinstance(value, date) else value for value in values]
        case other:
            raise Bug("public-columns", f"{other} is never read from a table")
    return {**fields, "unique": True} if spec.unique else fields


def _spec_from_json(spec: object) -> ColumnSpec:
    match spec:
        case {"name": str(name), "type": str(word), **rest}:
            kind = Type(word)
        case _:
            raise Bug("public-columns", "the ledger has a column without a name or a type")
    bounds: Bounds | Dates | None = None
    match rest:
        case {"low": str(low), "high": str(high)} if kind.is_number:
            bounds = Bounds(Fraction(low), Fraction(high))
        case {"low": str(low), "high": str(high)}:
            bounds = Dates(date.fromisoformat(low), date.fromisoformat(high))
    keys = None
    match rest:
        case {"keys": list(values)}:
            keys = ListedKeys(tuple(_key(value, kind) for value in values))
    return ColumnSpec(name, kind, bounds, keys, unique="unique" in rest)


def _key(value: object, kind: Type) -> Value:
    match kind, value:
        case Type.DATE, str(day):
            return date.fromisoformat(day)
        case Type.TEXT, str(text):
            return text
        case Type.INTEGER, int(number):
            return number
    raise Bug("public-columns", f"the ledger has a key that is no {kind}")
