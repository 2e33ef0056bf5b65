"""A made-up record in words: what moves many statistics at once, as an example that people can picture."""

from __future__ import annotations

import datetime
from collections.abc import Mapping

from lapcat.plan.schema import Relation


def describe_witness(witness: Mapping[str, object], relation: Relation, moved: int, parts: int) -> str:
    """Which record moves so many of the parts, or which two differ in them; nothing where it has no column to name.

    >>> told({"colour": "orange", "weight": 5.0, "age": None}, Relation.ADD_REMOVE, 2, 2)
    "for example, one row with colour 'orange', weight 5 and no age changes both"
    >>> told({"one": {"age": 30}, "other": None}, Relation.REPLACE_ONE, 2, 3)
    'for example, one row with age 30, where there was none, changes 2 of the 3'
    """
    if relation is Relation.REPLACE_ONE:
        one, other = (witness[side] for side in ("one", "other"))
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            row = f"{_row(one)} in place of {_row(other)}"
        else:
            row = f"{_row(one if isinstance(one, Mapping) else other)}, where there was none,"
    else:
        row = _row(witness)
    many = "both" if moved == parts == 2 else f"all {parts}" if moved == parts else f"{moved} of the {parts}"
    return f"for example, {row} changes {many}" if " with " in row else ""


def _row(record: object) -> str:
    """`one row with colour 'orange' and no age`; plain where nothing of it matters."""
    if not isinstance(record, Mapping) or not record:
        return "one row"
    said = [f"no {name}" if value is None else f"{name} {_value(value)}" for name, value in record.items()]
    return f"one row with {', '.join(said[:-1])}{' and ' if said[1:] else ''}{said[-1]}"


def _value(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case float():
            return f"{value:.6g}"
        case str():
            return f"'{value}'"
        case datetime.datetime():
            return value.isoformat(" ")
    return str(value)
