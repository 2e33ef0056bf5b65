"""Stored forms: the tag and the fields of a class in stored data.

    @stored("Weigh", "source", "rows")
    @dataclass(frozen=True, slots=True)
    class WeightRows: ...

The tag and the order of the fields never change. A field that was added later and has no effect if empty is listed in
`unless_empty`, last, so that earlier values keep their form.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from lapcat.errors import Bug

Class = TypeVar("Class", bound=type)


@dataclass(frozen=True, slots=True)
class Form:
    """The stored form of a class: `[tag, field, field, …]`."""

    tag: str | None
    """None: the first field serves as the tag."""
    fields: tuple[str, ...]
    unless_empty: tuple[str, ...] = ()
    unordered: str | None = None
    """A last field whose values are unordered: they are sorted."""


FORMS: dict[type, Form] = {}


def stored(
    tag: str | None, *fields: str, unless_empty: tuple[str, ...] = (), unordered: str | None = None
) -> Callable[[Class], Class]:
    """Declares the stored form of a class."""

    def register(of: Class) -> Class:
        FORMS[of] = Form(tag, fields, unless_empty, unordered)
        return of

    return register


def form_of(value: object) -> Form:
    """The form of a value; a class without one cannot be stored."""
    form = FORMS.get(type(value))
    if form is None:
        raise Bug("stored-form", f"{type(value).__name__} is part of a question but has no stored form")
    return form
