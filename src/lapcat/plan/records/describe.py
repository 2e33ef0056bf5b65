"""A synthetic record in words: an example of a row that moves many statistics at once."""

from __future__ import annotations

import datetime
from collections.abc import Mapping

from lapcat.plan.schema import Relation


def describe_witness(witness: Mapping[str, object], relation: Relation, moved: int, parts: int) -> str:
    """A sentence about the record that moves `moved` of the parts, or the two that differ in them; empty if it has no columns.

    >>> describe_witness({"colour": "orange", "weight": 5.0, "age": None}, Relation.ADD_REMOVE, 2, 2)
    "for example, one row with colour 'orange', weight 5 and no age changes both"
    >>> describe_witness({"one": {"age": 30}, "other": None}, Relation.REPLACE_ONE, 2, 3)
    'for example, one row with age 30, where there was none, changes 2 of the 3'
    """
    if relation is Relation.REPLACE_ONE:
        new, old = (witness[side] for side in ("one", "other"))
        if isinstance(new, Mapping) and isinstance(old, Mapping):
            row = f"{_row(new)} in place of {_row(old)}"
        else:
            row = f"{_row(new if isinstance(new, Mapping) else old)}, where there was none,"
    else:
        row = _row(witness)
    many = "both" if moved == parts == 2 else f"all {parts}" if moved == parts else f"{moved} of the {parts}"
    return f"for example, {row} changes {many}" if " with " in row else ""


def _row(record: object) -> str:
    """`one row with colour 'orange' and no age`; `one row` if it has no columns."""
    if not isinstance(record, Mapping) or not record:
        return "one row"
    parts = [f"no {name}" if value is None else f"{name} {_value(value)}" for name, value in record.items()]
    return f"one row with {', '.join(parts[:-1])}{' and ' if parts[1:] else ''}{parts[-1]}"


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
