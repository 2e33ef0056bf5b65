"""JSON of the columns that `refresh` read from a public table, stored in the ledger with the version."""

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
