"""What of a catalogue the ledger must have accepted: everything on which a promise rests.

The file proposes. A budget, unit, relation, limit, key list or bound that differs from what was last accepted is
refused until the steward appends the change with a reason: nobody raises a cap by editing a file in passing.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction

from lapcat.core.exact import exact_text
from lapcat.plan.schema import Catalogue


def facts_of(catalogue: Catalogue) -> dict[str, object]:
    """The accepted part of a catalogue as JSON; where the ledger lies and how fast the engine runs is not."""
    return {
        "tables": {name: _json(table) for name, table in sorted(catalogue.tables.items())},
        "public": dict(sorted(catalogue.public.items())),
        "populations": {name: _json(limit) for name, limit in sorted(catalogue.populations.items())},
        "analysts": {name: _json(analyst) for name, analyst in sorted(catalogue.analysts.items())},
    }


def differences(accepted: Mapping[str, object], proposed: Mapping[str, object]) -> list[str]:
    """What the file says otherwise than the ledger, one sentence each, by the path of the key."""
    return list(_differ(accepted, proposed, ""))


def _differ(old: object, new: object, path: str) -> list[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        found: list[str] = []
        for key in sorted({*old, *new}):
            found += _differ(old.get(key), new.get(key), f"{path}.{key}" if path else str(key))
        return found
    if old == new:
        return []
    return [f"{path}: accepted {_short(old)}, the file says {_short(new)}"]


def _short(value: object) -> str:
    text = "nothing" if value is None else str(value)
    return text if len(text) <= 60 else text[:57] + "…"


def _json(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_json(item) for item in value]
    if isinstance(value, Fraction):
        return exact_text(value)
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, datetime.date):
        return value.isoformat()
    return value
