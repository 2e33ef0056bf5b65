"""The identity of a question in ledgers: the digest of its stored form.

Two questions have the same identity if they measure the same: table names and output column names do not matter, nor does
the order of AND, OR, IN-lists and the operands of LEAST and GREATEST.
"""

from __future__ import annotations

import datetime
import hashlib
import json
from fractions import Fraction

from lapcat.core.exact import exact_text
from lapcat.stored.forms import form_of


def identity_of(value: object) -> str:
    """The digest of a plan, or of parts of one."""
    text = json.dumps(canonical(value), sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def canonical(value: object) -> object:
    """The canonical JSON value of a plan, an expression or a part of one; equal for equal meanings."""
    match value:
        case bool() | str() | int() | None:
            return value
        case float():
            return ["float", value.hex()]
        case Fraction():
            return ["exact", exact_text(value)]
        case datetime.datetime():
            return ["datetime", value.isoformat()]
        case datetime.date():
            return ["date", value.isoformat()]
        case range():
            return ["range", value.start, value.stop]
        case tuple() | list():
            if all(type(item) is int for item in value):  # a long list of keys
                return list(value)
            return [canonical(item) for item in value]
    form = form_of(value)
    written: list[object] = [] if form.tag is None else [form.tag]
    written += [canonical(getattr(value, name)) for name in form.fields]
    written += [canonical(held) for name in form.unless_empty if (held := getattr(value, name))]
    if form.unordered is None:
        return written
    held = sorted(map(canonical, getattr(value, form.unordered)), key=repr)
    return [*written, held] if form.tag is not None else [*written, *held]
