"""Checks of the parameters of mechanisms."""

from __future__ import annotations

import numbers
import operator
from typing import SupportsIndex

from lapcat.errors import BadArgument


def checked_whole(
    code: str, name: str, value: SupportsIndex, minimum: int, maximum: int | None = None, fix: str = ""
) -> int:
    """The value, if it is a whole number within the limits; NumPy's integers count, True and 3.0 do not."""
    end = " or more" if maximum is None else f" .. {maximum}"
    whole = (
        operator.index(value) if isinstance(value, numbers.Integral) and not isinstance(value, bool) else None
    )
    if whole is None or whole < minimum or (maximum is not None and whole > maximum):
        raise BadArgument(code, f"{name} is a whole number, {minimum}{end}, not {value!r}", fix=fix)
    return whole
